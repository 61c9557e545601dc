"""A learning classifier system: `ludarium train lcs hanabi`, then the agent `lcs:runs/lcs-hanabi`.

The preset `modern` evolves whole lists of rules, judged by their mean score on common decks. Rules have credit:
how often they fired, and what the team scored after that. What varies lists goes by it: rules that fire are changed,
rules that never do are deleted, and where no rule fired a new one covers the position. Specialisation,
generalisation and merging leave the list that they start from as it is.

The preset `seed` is the original: one set of rules with utilities, see `ludarium.agents.lcs.michigan`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent
from ludarium.agents.lcs import islands, michigan, numbers, operators
from ludarium.agents.lcs.agent import RuleAgent
from ludarium.agents.lcs.games import FIRED, SAMPLE
from ludarium.agents.lcs.inspection import inspect_rules
from ludarium.agents.lcs.islands import Stage
from ludarium.agents.lcs.language import FEATURES, MOST_CONDITIONS, NUMBER, RULE
from ludarium.agents.lcs.lists import check_size, given_list, settled_origin
from ludarium.agents.lcs.operators import Limits, Rules
from ludarium.agents.lcs.player import check_game, rule_player
from ludarium.agents.lcs.racing import Player, Race, admit, ordered
from ludarium.agents.lcs.tables import own_options, tables
from ludarium.agents.lcs.text import MOST_RULES, well_formed
from ludarium.agents.lcs.without import left_out
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING, Takes
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

_FOUNDERS, _DECKS, _BREEDING, _LOTS, _JUDGING = range(5)
_FIRST_RULES = 12
_FEATURES = frozenset(range(len(FEATURES))) - {NUMBER["seats"]}  # a run has one number of seats
_DRAWN = 3  # players of whom the best becomes a parent, or the worst gives up its place
_FIRST_DECKS = (20, 500)  # from random lists, and from a given one: small gains need more
_SEASON = (16, 64)  # the same: of few decks, luck picks the best unless they are soon replaced
_UTILITY = (
    "alpha", "reward_played", "reward_misplayed", "reward_repeated", "reward_final", "modified", "tournament", "sigma",
    "rate", "given_hint", "protect", "keep_parent",
)  # fmt: skip
_LISTS = (
    "origin", "founders", "decks", "credit", "islands", "other_seats", "partners", "without", "numbers",
)  # fmt: skip
_FLOATS = ("utility", "sigma", "cma", "cma_step")
_GAMES, _COUNT, _LAST = range(3)  # of the array `progress`: games, decks in the window, the number of all decks so far


@dataclass(frozen=True, kw_only=True)
class LCS(Evolver):
    """Options of the classifier system; see `Evolver` for the others.

    All players are judged by the same window of decks: in each generation a few new ones come, and the oldest go. A
    generation makes as many children as there are players. A child that beats its mother on the window joins them.

    Attributes:
        origin: the first lists: `"random"` ones, or one list and variants of it: the one written by `"hand"`, or that
            in a file, `FILE.txt`, see `ludarium.agents.lcs.text`. The run keeps the rules, and does not read it again.
        rules: the greatest length of a list.
        conditions: the greatest number of conditions of a rule.
        founders: from how many random lists the first players are chosen, with `origin=random`.
        decks: how many decks a list is judged by at the end of the run. The number grows exponentially with the games
            played, from 20, or from 500 unless `origin=random`.
        islands: how many populations evolve one after another, each from new founders and for an equal part of the
            first half of the games; the best lists of all make up the population of the second half. 0: just one.
        season: the number of generations in which all decks are replaced. By default 16, or 64 unless
            `origin=random`.
        crossover: whether children may have two parents.
        credit: whether rules that fire more often are changed more often, and rules that never fire are deleted.
        covering: whether half of the new rules are made to fire in a position that was met.
        other_seats: further numbers of seats that the list must play as well, `"3,4,5"`: a deck decides which.
        partners: names of published players, `"piers,iggi,vdb"`: on half of the decks one of them has all other seats.
        beliefs: the probabilities of one's own cards: `"marginal"`, or `"exact"`, considering all of them together.
        without: what this run goes without, to show what that is worth: features that rules may not have, and kinds of
            changes (see `operators.CHANGES`), `"good,bad,move"`. Without `delete`, rules that never fire stay, too.
        numbers: the share of the games, at the end of the run, in which CMA-ES moves the thresholds of the best list,
            whose rules stay as they are otherwise. At the end the mean of its distribution becomes the champion, if it
            is not worse on the window.
        strategy: `"lists"`, or `"utility"`: one set of rules, chosen by utility; what follows is for that alone, with
            values of our own where the original names none. `season` is then the number of games between
            changes.
        alpha: the weight of the old utility.
        reward_played: what a rule gets at once for a card that scores; the others for a mistake, for a hint that tells
            nothing new, and, times the score, at the end of the game.
        modified: the share of the rules that each of the four steps changes.
        tournament: how many rules meet when one is to be changed.
        sigma: how the size of mutations changes: by the original's formula, `"literal"`; divided by √n as well,
            `"anneal"`; or as in evolution strategies, `"self"`.
        rate: the learning rate of that formula.
        given_hint: whether rules may ask what hints have told already, and whether a hint tells anything new.
        protect: how many games a rule is not deleted for while others can be.
        keep_parent: whether a changed rule replaces the weakest one, not the rule that it comes from.
    """

    name: ClassVar[str] = "lcs"
    takes: ClassVar[Takes] = Takes(seats=0, zero_sum=False, cooperative=True, chance=True, hidden=True)
    usual_games: ClassVar[int] = 2_000_000
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "modern": {},
        "seed": {
            "strategy": "utility",
            "population": 1,
            "rules": 100,
            "conditions": 4,
            "season": 10,
            "covering": False,
            "games": 20_000,
        },
    }
    population: int = 16
    test_games: int = 2000
    origin: str = "random"
    founders: int = 320
    rules: int = 40
    conditions: int = 5
    decks: int = 2000
    islands: int = 0
    season: int = 0
    crossover: bool = True
    credit: bool = True
    covering: bool = True
    other_seats: str = ""
    partners: str = ""
    beliefs: str = "marginal"
    without: str = ""
    numbers: float = 0.0

    strategy: str = "lists"
    alpha: float = 0.9
    reward_played: float = 1.0
    reward_misplayed: float = -2.0
    reward_repeated: float = -0.5
    reward_final: float = 1.0
    modified: float = 0.1
    tournament: int = 4
    sigma: str = "literal"
    rate: float = 0.1
    given_hint: bool = False
    protect: int = 0
    keep_parent: bool = False

    def settle(self) -> None:
        self.check_at_least(0, "season", most=10_000)
        object.__setattr__(self, "origin", settled_origin(self.origin))
        self.fill("season", 0, _SEASON[self.origin != "random"])
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        check_game(game)
        tables(game, self.other_seats, self.partners)
        self.check_choice("beliefs", "marginal", "exact")
        self.check_at_least(1, "rules", most=MOST_RULES)
        self.check_at_least(1, "conditions", most=MOST_CONDITIONS)
        self.check_at_least(1, "founders", most=100_000)
        self.check_at_least(10, "decks", most=100_000)
        self.check_at_least(0, "islands", most=self.population)
        self.check_choice("strategy", "lists", "utility")
        self.check_choice("sigma", "literal", "anneal", "self")
        self.check_number(0, 1, "alpha", "modified")
        self.check_number(-1000, 1000, "reward_played", "reward_misplayed", "reward_repeated", "reward_final")
        self.check_number(0, 10, "rate")
        self.check_at_least(1, "tournament", most=1000)
        self.check_at_least(0, "protect", most=10**9)
        check_size(self._given, self.rules, self.conditions)
        if self.strategy == "lists":
            self.check_idle("with strategy=lists", *_UTILITY)
            left_out(self.without).check_list(self._given)
            self._check_numbers()
        else:
            self.check_idle("with strategy=utility", *_LISTS)
            if self.population != 1:
                raise ValueError(f"{self.name}: population must be 1 with strategy=utility, not {self.population!r}")

    @property
    def _given(self) -> Rules:
        """The list that the run starts from; empty if it starts from random ones."""
        return given_list(self.origin)

    def _check_numbers(self) -> None:
        """Refuse CMA-ES without what it needs: a share of games, and children that are ranked and followed."""
        self.check_number(0, 0.9, "numbers")
        if self.unit == "generations":
            self.check_idle("with a budget in generations", "numbers")
        if self.selection == "none":
            self.check_idle("with selection=none", "numbers")
        if self.breeding != "parents":
            self.check_idle(f"with breeding={self.breeding}", "numbers")

    @property
    def limits(self) -> Limits:
        """How large lists and rules may become, what rules may ask, and how they change."""
        if self.strategy == "utility":
            return Limits(self.rules, self.conditions, michigan.vocabulary(self))
        without = left_out(self.without)
        features = (_FEATURES | {NUMBER["seats"]} if self.other_seats else _FEATURES) - without.features
        return Limits(self.rules, self.conditions, features, features, without.other_changes)

    # --- the population ----------------------------------------------------------------------------------------------

    def start(self, game: Game) -> Arrays:
        random = self._random(0, _FOUNDERS)
        if self.strategy == "utility":
            return michigan.start(self, random)
        founders = [self._founder(random, place) for place in range(self.population)]
        rules, lengths = operators.padded(founders, self.limits)
        return {
            "rules": rules,
            "lengths": lengths,
            "scores": np.zeros((self.population, self.decks), dtype=np.float32),
            "credit": np.zeros((self.population, self.rules + 1, 3)),
            "samples": np.zeros(self.population, dtype=SAMPLE),
            "progress": np.zeros(3, dtype=np.int64),  # see `_GAMES`
            **(islands.start(self.population, self.limits) if self.islands else {}),
            **(numbers.start(self.rules * self.conditions) if self.numbers else {}),
        }

    def _founder(self, random: np.random.Generator, place: int) -> Rules:
        """A first list: a random one, or the given one, in all places but the first changed a little."""
        rules = self._given
        if not len(rules):
            return operators.random_list(random, self.limits, _FIRST_RULES)
        for _ in range(2 if place else 0):
            rules = operators.mutate(rules, random, self.limits, np.ones(len(rules)), None)
        return rules

    def fits(self, game: Game, arrays: Arrays) -> bool:
        if not super().fits(game, arrays):
            return False
        lengths, rules = arrays["lengths"], arrays["rules"]
        return bool(
            ((lengths > 0) & (lengths <= self.rules)).all()
            and (self.strategy == "utility" or 0 <= arrays["progress"][_COUNT] <= self.decks)
            and all(np.isfinite(arrays[name]).all() for name in _FLOATS if name in arrays)
            and all(well_formed(rules[place, : lengths[place]]) for place in range(self.population))
            and (not self.islands or islands.fits(arrays, self.islands))
        )

    def largest_generation(self, game: Game) -> int:
        if self.strategy == "utility":
            return self.season
        first = self.founders * min(_FIRST_DECKS[0], self.decks) if self.origin == "random" else 0
        tuning = numbers.CHILDREN * self._judging_decks + self.decks if self.numbers else 0
        return max(2 * self.population * self.decks, first, tuning)

    @property
    def _judging_decks(self) -> int:
        return min(numbers.DECKS, self.decks)

    def member_rules(self, arrays: Arrays, index: int) -> Rules:
        """The list of a member of the population, numbered from 0, the champion."""
        if self.strategy == "utility":
            return np.asarray(arrays["rules"][0][michigan.by_utility(self, arrays)])
        # Rules from a file have the same fields at the same offsets, but NumPy would pack them tighter in joining them.
        return arrays["rules"][index, : arrays["lengths"][index]].astype(RULE)

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        return rule_player(game, self.member_rules(arrays, index), exact=self.beliefs == "exact")

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None) -> Agent:
        self.chosen(game, arrays, member)
        place, credit = member or 0, arrays.get("credit")
        known = None if credit is None else credit[place]
        return RuleAgent(self.name, game, self.member_rules(arrays, place), credit=known, exact=self.beliefs == "exact")

    def plays(self, game: Game) -> bool:
        """Whether a game is one that it learned, by either way to score."""
        learned = make_game(self.game)
        if game.name != learned.name:
            return False
        known = {table.game.seats for table in tables(learned, self.other_seats, "")}
        options = ({**own_options(some), "score": ""} for some in (game, learned))
        return game.seats in known and next(options) == next(options)

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        return inspect_rules(game, self.member_rules(arrays, member), self.beliefs == "exact", self.seed)

    def merits(self, arrays: Arrays) -> list[str]:
        if self.strategy == "utility":
            return [f"utility {arrays['utility'].sum():.2f}"]
        count = int(arrays["progress"][_COUNT])
        if not count:
            return [""] * self.population
        return [f"{scores[:count].mean(dtype=np.float64):.2f} points" for scores in arrays["scores"]]

    # --- a generation ------------------------------------------------------------------------------------------------

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        if self.strategy == "utility":
            return michigan.generation(self, game, arrays, number, parallel)
        if self.islands:
            self._change_island(game, arrays, number)
        members, tuning = self._members(arrays), self._is_tuning(game, arrays)
        fresh = 0 if tuning else self._move_window(game, arrays)
        race = self._race(game, arrays, parallel)
        if tuning:
            self._tune(game, arrays, race, members, number)
        else:
            settled = self.islands > 0 and int(arrays["island"][0]) == self.islands
            landed = not len(members[0].scores) and not settled
            members = self._evolve(race, members, fresh, number, landed)
        self._store(arrays, members, race.games)
        return {
            "games": race.games,
            "decisions": race.decisions,
            "best": members[0].mean,
            "mean": float(np.mean([player.mean for player in members])),
            "diversity": len({player.scores.tobytes() for player in members}) / self.population,
            "rule_share": 1 - race.fallbacks / max(race.decisions, 1),
            "repeated_hints": race.repeats / max(race.decisions, 1),
            "rules": len(members[0].rules),
            "decks": int(arrays["progress"][_COUNT]),
        }

    def _stage(self, game: Game, arrays: Arrays) -> Stage:
        return islands.stage(int(arrays["progress"][_GAMES]), self._games_to_evolve(game), self.islands)

    def _change_island(self, game: Game, arrays: Arrays, number: int) -> None:
        """Go on to the next island when its time has come, or to the last population."""
        island = self._stage(game, arrays).island
        if island == arrays["island"][0]:
            return
        islands.settle(arrays, self.islands)
        random = self._random(number, _FOUNDERS)
        new = [self._founder(random, place) for place in range(self.population)]
        islands.land(arrays, island, new if island < self.islands else islands.settlers(arrays), self.limits)
        arrays["progress"][_COUNT] = 0

    def _members(self, arrays: Arrays) -> list[Player]:
        """The population."""
        count, members = int(arrays["progress"][_COUNT]), []
        for place in range(self.population):
            rules, credit = self.member_rules(arrays, place), arrays["credit"][place]
            credit = np.append(credit[: len(rules)], credit[-1:], axis=0)
            members.append(Player(rules, arrays["scores"][place, :count], credit, arrays["samples"][[place]]))
        return members

    def _move_window(self, game: Game, arrays: Arrays) -> int:
        """Move the window of decks on, and tell how many of them are new."""
        progress, (island, done) = arrays["progress"], self._stage(game, arrays)
        first, last = _FIRST_DECKS[self.origin != "random"], self.decks
        if self.islands:
            first, last = (first, islands.DECKS) if island < self.islands else (islands.DECKS, last)
        first, last = min(first, self.decks), min(last, self.decks)
        count = max(int(progress[_COUNT]), round(first * (last / first) ** done))
        fresh = max(-(-count // self.season), count - int(progress[_COUNT]))
        progress[_COUNT] = count
        progress[_LAST] += fresh
        return fresh

    def _race(self, game: Game, arrays: Arrays, parallel: Parallel) -> Race:
        """A race on the window of decks, the newest first."""
        last, count = int(arrays["progress"][_LAST]), int(arrays["progress"][_COUNT])
        decks = self._decks(range(last - 1, last - 1 - count, -1), 0, _DECKS)
        return Race(tables(game, self.other_seats, self.partners), decks, self.beliefs == "exact", parallel)

    def _decks(self, which: range, *path: int) -> NDArray[np.uint64]:
        """Decks of a stream, by their numbers in it."""
        key = seed_key(self.seed, LEARNING, *path)
        return np.array([child_key(key, deck) for deck in which], dtype=np.uint64)

    def _evolve(self, race: Race, members: list[Player], fresh: int, number: int, landed: bool) -> list[Player]:
        """Judge the players by new decks, too, and breed. When they have just `landed`, they are founders."""
        random = self._random(number, _BREEDING)
        if number % self.season == 0 and self.credit and "delete" in self.limits.changes:
            members = [player.without_idle_rules() for player in members]
        if landed and self.origin == "random" and self.breeding != "none":
            members += [Player(self._founder(random, 1)) for _ in range(self.founders - self.population)]
        race.renew(members, fresh)
        members = self._in_order(members, number)[: self.population]
        if self.breeding != "none":
            self._breed(race, members, random)
        return self._in_order(members, number)

    def _in_order(self, members: list[Player], number: int) -> list[Player]:
        """Members, the best first; without selection in a random order."""
        members = ordered(members)
        return [members[place] for place in self.ranking(np.arange(len(members)), number)]

    def _store(self, arrays: Arrays, players: list[Player], games: int) -> None:
        """Make these players the population; if they are too few, the best fill the empty places."""
        players = [players[place % len(players)] for place in range(self.population)]
        arrays["rules"], arrays["lengths"] = operators.padded([player.rules for player in players], self.limits)
        for name in ("scores", "credit"):  # the players may hold parts of the old ones
            arrays[name] = np.zeros_like(arrays[name])
        for place, player in enumerate(players):
            arrays["scores"][place, : len(player.scores)] = player.scores
            arrays["credit"][place, : len(player.rules)] = player.credit[:-1]
            arrays["credit"][place, -1] = player.credit[-1]
            arrays["samples"][place] = player.sample[0]
        arrays["progress"][_GAMES] += games

    def _breed(self, race: Race, members: list[Player], random: np.random.Generator) -> None:
        """Make as many children as there are players; those that keep up with their mothers take somebody's place."""
        mothers = [members[int(random.integers(len(members), size=_DRAWN).min())] for _ in members]
        children = [Player(self._child(mother, members, random)) for mother in mothers]
        for child, mother, stays in zip(
            children, mothers, race.race(children, mothers if self.selection != "none" else None), strict=True
        ):
            drawn = random.integers(len(members), size=_DRAWN)
            if self.selection == "none":
                members[int(drawn[0])] = child
            elif stays:
                admit(members, child, mother, drawn.tolist())

    def _child(self, mother: Player, members: list[Player], random: np.random.Generator) -> Rules:
        """A child of a player, and perhaps of another one."""
        if self.breeding == "founders":
            return self._founder(random, 1)
        rules, uses = mother.rules, mother.credit[:-1, FIRED]
        father = members[int(random.integers(len(members), size=_DRAWN).min())]
        if self.crossover and father is not mother and random.random() < 0.4:
            rules = operators.cross(rules, father.rules, random, self.limits)
            if random.random() < 0.5:
                return rules
        sample = mother.sample[0] if self.covering else None
        for _ in range(int(random.geometric(0.5))):
            weights = uses if self.credit and len(uses) == len(rules) else np.ones(len(rules))
            rules = operators.mutate(rules, random, self.limits, weights, sample)
        return rules

    def _games_to_evolve(self, game: Game) -> float:
        """The number of games after which evolution ends, and CMA-ES begins."""
        return (1 - self.numbers) * (self.games - self.largest_generation(game))

    def _is_tuning(self, game: Game, arrays: Arrays) -> bool:
        """Whether CMA-ES moves numbers now; there must be some."""
        late = float(arrays["progress"][_GAMES]) > self._games_to_evolve(game)
        return self.numbers > 0 and late and numbers.count(self.member_rules(arrays, 0)) > 0

    def _tune(self, game: Game, arrays: Arrays, race: Race, members: list[Player], number: int) -> None:
        """A generation of CMA-ES; after the last, its mean becomes the champion unless that is better."""
        champion, decks = members[0], self._decks(range(self._judging_decks), number, _JUDGING)
        numbers.evolve(arrays, race, champion.rules, decks, self._random(number, _BREEDING))
        if int(arrays["progress"][_GAMES]) + race.games + self.largest_generation(game) > self.games:
            middle = Player(numbers.middle(arrays, champion.rules))
            if race.race([middle], [champion])[0]:
                members[0] = middle

    def _random(self, *path: int) -> np.random.Generator:
        return np.random.default_rng(int(seed_key(self.seed, LEARNING, *path)))

    def summary(self, line: Any) -> str:
        return f"best {line['best']:.2f}, {line['rules']:.0f} rules" if "best" in line else ""
