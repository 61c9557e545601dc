"""The preset `modern`: whole lists of rules evolve, judged by their mean score on common decks.

Rules have credit: how often they fired, and what the team scored after that. What varies lists goes by it: rules that
fire are changed, rules that never do are deleted, and where no rule fired a new one covers the position.
Specialisation, generalisation and merging leave the list that they start from as it is.

All players are judged by the same window of decks. A generation makes as many children as there are players. A child
that beats its mother on the window joins them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ludarium.agents.lcs import islands, population
from ludarium.agents.lcs.breeding import Heredity, child, join, parent
from ludarium.agents.lcs.islands import Stage
from ludarium.agents.lcs.language import MOST_CONDITIONS, NUMBER
from ludarium.agents.lcs.operators import WORDS, Limits, Random, Rules
from ludarium.agents.lcs.origin import check_size, first_list, first_lists, given_list, settled_origin
from ludarium.agents.lcs.players import BREEDING, DECKS, FOUNDERS, RuleLists
from ludarium.agents.lcs.population import GAMES, WINDOW
from ludarium.agents.lcs.racing import Player, Race, ordered
from ludarium.agents.lcs.tables import tables
from ludarium.agents.lcs.text import MOST_RULES
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

_FIRST_DECKS = (20, 500)  # from random lists, and from a given one: small gains need more
_SEASON = (16, 64)  # the same: of few decks, luck picks the best unless they are soon replaced


@dataclass(frozen=True, kw_only=True)
class Modern(RuleLists):
    """Options of the preset `modern`; see `RuleLists` for the others.

    Attributes:
        origin: the first lists: `"random"` ones, or one list and variants of it: the one written by `"hand"`, that in
            a file, `FILE.txt`, see `ludarium.agents.lcs.text`, or the champion of the run in a folder. The run keeps
            the rules, and does not read them again.
        rules: the greatest length, from 1, of a list.
        conditions: the greatest number, from 1, of conditions of a rule.
        founders: from how many random lists, 1 to 100,000, the first players are chosen, with `origin=random`.
        decks: how many decks, 10 to 100,000, a list is judged by at the end of the run. The number grows exponentially
            with the games played, from 20, or from 500 unless `origin=random`.
        islands: how many populations evolve one after another, each from new founders and for an equal part of the
            first three fifths of the games; the best lists of all make up the population of the rest. 0: just one.
        season: the number of generations, up to 10,000, in which all decks are replaced. By default 16, or 64 unless
            `origin=random`.
        crossover: whether children may have two parents.
        credit: whether rules that fire more often are changed more often, and rules that never fire are deleted.
        covering: whether half of the new rules are made to fire in a position that was met.
        other_seats: further numbers of seats that the list must play as well, `"3,4,5"`: a deck decides which.
        partners: names of published players, `"piers,iggi,vdb"`: on half of the decks one of them has all other seats.
    """

    preset: ClassVar[str] = "modern"
    usual_games: ClassVar[int] = 2_000_000
    population: int = 16
    origin: str = "random"
    rules: int = 40
    conditions: int = 5
    founders: int = 320
    decks: int = 2000
    islands: int = 0
    season: int = 0
    crossover: bool = True
    credit: bool = True
    covering: bool = True
    other_seats: str = ""
    partners: str = ""

    def settle(self) -> None:
        self.check_at_least(0, "season", most=10_000)
        self.check_at_least(1, "founders", most=100_000)
        self.check_at_least(10, "decks", most=100_000)
        object.__setattr__(self, "origin", settled_origin(self.origin, self.learned))
        self.fill("season", 0, _SEASON[self.origin != "random"])
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        tables(game, self.other_seats, self.partners)
        self.check_at_least(1, "rules", most=MOST_RULES)
        self.check_at_least(1, "conditions", most=MOST_CONDITIONS)
        self.check_at_least(0, "islands", most=self.population)
        check_size(self.given, self.limits)

    @cached_property
    def given(self) -> Rules:
        """The list that the run starts from; empty if it starts from random ones."""
        return given_list(self.origin)

    @property
    def limits(self) -> Limits:
        """How large lists and rules may become, what rules may ask, and how they change."""
        features = WORDS if self.other_seats else WORDS - {NUMBER["seats"]}  # the only one says nothing
        return Limits(self.rules, self.conditions, features, features)

    @property
    def numbers_of_seats(self) -> set[int]:
        return {table.game.seats for table in tables(self.learned, self.other_seats, "")}

    def largest_generation(self, game: Game) -> int:
        first = self.founders * min(_FIRST_DECKS[0], self.decks) if self.origin == "random" else 0
        return max(2 * self.population * self.decks, first)

    def start(self, game: Game) -> Arrays:
        lists = first_lists(self.random(0, FOUNDERS), self.given, self.limits, self.population)
        room = islands.start(self.population, self.rules) if self.islands else {}
        return {**population.start(lists, self.rules, self.decks), **room}

    def fits(self, game: Game, arrays: Arrays) -> bool:
        return (
            super().fits(game, arrays)
            and 0 <= arrays["progress"][WINDOW] <= self.decks
            and (not self.islands or islands.fits(arrays, self.islands))
        )

    def merits(self, arrays: Arrays) -> list[str]:
        return population.merits(arrays)

    # --- a generation ------------------------------------------------------------------------------------------------

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        stage, random = self._stage(game, arrays), self.random(number, BREEDING)
        if self.islands and stage.island != arrays["island"][0]:
            self._change_island(arrays, stage.island, number)
        members = population.players(arrays)
        fresh = population.move_window(arrays, self._window_size(stage), self.season)
        decks = self.deals(population.window(arrays), 0, DECKS)
        race = Race(tables(game, self.other_seats, self.partners), decks, self.exact, parallel)
        if self.credit and number % self.season == 0 and "delete" in self.limits.changes:
            members = [player.without_idle_rules() for player in members]
        if self.replaces and self._begins_with_random_lists(members, stage):
            members += [Player(self._founder(random)) for _ in range(self.founders - self.population)]
        race.renew(members, fresh)
        members = self._ranked(members, number)[: self.population]
        if self.replaces:
            mothers = [parent(members, random) for _ in members]
            rivals = mothers if self.selects else None
            lists = [
                child(mother, members, self._heredity, random) if self.inherits else self._founder(random)
                for mother in mothers
            ]
            children = [Player(rules) for rules in lists]
            join(members, children, rivals, race.race(children, rivals), random)
        members = self._ranked(members, number)
        population.store(arrays, members)
        arrays["progress"][GAMES] += race.games
        return {
            **race.metrics(),
            "best": members[0].mean,
            "mean": float(np.mean([player.mean for player in members])),
            "diversity": len({player.scores.tobytes() for player in members}) / self.population,
            "rules": len(members[0].rules),
            "decks": len(decks),
        }

    def _stage(self, game: Game, arrays: Arrays) -> Stage:
        return islands.stage(int(arrays["progress"][GAMES]), self.games - self.largest_generation(game), self.islands)

    def _change_island(self, arrays: Arrays, island: int, number: int) -> None:
        """Go on to the next island, or to the last population."""
        islands.settle(arrays, self.islands)
        if island < self.islands:
            lists = first_lists(self.random(number, FOUNDERS), self.given, self.limits, self.population)
        else:
            lists = islands.settlers(arrays)
        islands.land(arrays, island, lists)
        arrays["progress"][WINDOW] = 0

    def _window_size(self, stage: Stage) -> int:
        """How many decks the window has."""
        first, last = _FIRST_DECKS[self.origin != "random"], self.decks
        if self.islands:
            first, last = (first, islands.DECKS) if stage.island < self.islands else (islands.DECKS, last)
        first, last = min(first, self.decks), min(last, self.decks)
        return round(first * (last / first) ** stage.done)

    def _begins_with_random_lists(self, members: list[Player], stage: Stage) -> bool:
        """Whether the members are random lists of which nothing is known."""
        settled = 0 < self.islands == stage.island
        return self.origin == "random" and not len(members[0].scores) and not settled

    def _ranked(self, members: list[Player], number: int) -> list[Player]:
        """Members, the best first."""
        members = ordered(members)
        return [members[place] for place in self.ranking(np.arange(len(members)), number)]

    def _founder(self, random: Random) -> Rules:
        return first_list(random, self.given, self.limits)

    @property
    def _heredity(self) -> Heredity:
        return Heredity(self.limits, self.crossover, self.credit, self.covering)
