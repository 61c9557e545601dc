"""Evolution alone: lists of rules that are judged by nothing but the results of games, and games that evolve with them.

All lists take the same tests, games against given other sides (`ludarium.agents.genetic.gaia.trials`). The lists with
the fewest defeats live on, of equals the shorter. After each season, those tests stay that somebody has lost, and
others are new: tests live on defeats, as parasites on hosts (Hillis 1990). Nothing is known about positions, and no
rule has credit of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.players import RulePlayers, metrics
from ludarium.agents.genetic.gaia.rules import Generator, Rules, in_places, no_rules
from ludarium.agents.genetic.gaia.trials import Entrant, Rival, Trials, entrant
from ludarium.agents.genetic.gaia.variation import cross, mutate, new_list
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

CHILDREN = 20
"""Children of a generation, however large the population is."""
HEATS = (0.1, 0.4, 1.0)
"""Children take this share of the tests, and then the better half of them goes on."""
RIVALS = 8
"""How many past champions are the other side; a random sample of all."""
_FOUNDERS, _SEASON, _BIRTH = range(3)  # streams
_FIRST_RULES, _SENSES = 12, 2.5  # of a founder; that a random rule is expected to have, besides those of its action
_FEWEST, _GROWS_UNTIL = 0.25, 2 / 3  # the first seasons' share of the tests; the share of the budget when all are taken
_CROSSED = 0.5  # the share of children with two parents
_RECORD, _CHAMPIONS, _TESTS = range(3)  # of the array `progress`: games and champions so far, tests for each seat


@dataclass(frozen=True, kw_only=True)
class Alone(RulePlayers):
    """Options of lists that only the results of games judge; see `RulePlayers` for the others.

    Attributes:
        population: the number, from 1, of lists that become parents, and live on if no child is better.
        selection: `"best-50"`: the best of parents and children live on; `"none"` is a twin.
        tests: an even number of games, from 2, that judge a list at the end of the run; a quarter of them at first.
        season: the number of generations with the same tests, from 1.
        kept: the largest share of the tests that stay for the next season, because somebody lost them.
        noise: the probability, from 0 to 1, that a move of the other side in a test is random.
    """

    preset: ClassVar[str] = "alone"
    selections: ClassVar[tuple[str, ...]] = ("best-50", "none")
    usual_games: ClassVar[int] = 2_000_000
    settled: ClassVar[bool] = True
    population: int = 10
    rules: int = 40
    symmetry: bool = True
    tests: int = 200
    season: int = 10
    kept: float = 0.8
    noise: float = 0.7

    def settle(self) -> None:
        self.check_at_least(2, "tests", most=10**6)
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(1, "season", most=10**6)
        self.check_number(0, 1, "kept", "noise")
        if self.tests % 2:
            raise ValueError(f"gaia: tests must be an even number, half of them for each seat, not {self.tests!r}")

    def largest_generation(self, game: Game) -> int:
        return (self.population + CHILDREN) * self.tests

    def start(self, game: Game) -> Arrays:
        lists = self._founders(game, self.population, self._draws(0, _FOUNDERS))
        return {
            "rules": np.array([in_places(rules, self.rules) for rules in lists]),
            "weights": np.zeros(self.population),
            "results": np.zeros((self.population, 2, self.tests // 2), dtype=np.int8),
            "tests": np.zeros((2, self.tests // 2), dtype=np.uint64),
            "rivals": np.array([in_places(no_rules(0), self.rules)] * RIVALS),
            "progress": np.zeros(3, dtype=np.int64),
        }

    def generator(self, game: Game) -> Generator:
        """The generator of random rules: with few senses, so that they match on any board."""
        sees = board(game, self.symmetry)
        return Generator.of(sees, max(0.0, 1 - _SENSES / max(sees.squares.shape[1] - 1, 1)))

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        begins = number % self.season == 0
        if begins:
            self._begin_season(arrays, number)
        count = int(arrays["progress"][_TESTS])
        rival = Rival(game, self.symmetry, arrays["rivals"], float(self.noise))
        trials = Trials(rival, arrays["tests"][:, :count], parallel)

        results = arrays["results"][:, :, : 0 if begins else count].copy()
        parents = trials.take(
            [Entrant(one[one["action"] >= 0], results[place]) for place, one in enumerate(arrays["rules"])]
        )
        draws, born = self._draws(number, _BIRTH), []
        if self.replaces:
            born = self._children(game, parents, draws) if self.inherits else self._founders(game, CHILDREN, draws)
        children = [*map(entrant, born)]
        for heat, share in enumerate(HEATS):
            children = trials.take(children, share)
            if share < 1:
                children = self._ranked(children, number * len(HEATS) + heat)[: len(children) // 2]
        everybody = self._ranked(_unlike([*children, *parents]), (number + 1) * len(HEATS) - 1)

        best = min(parent.cost for parent in parents)
        improved = sum(child.cost < best for child in children) / CHILDREN
        self._store(arrays, everybody[: self.population])
        arrays["progress"][_RECORD] += trials.games
        return metrics(
            trials.games, trials.counts, arrays["weights"], arrays["rules"],
            improved=improved, champion_rules=len(everybody[0].rules),
        )  # fmt: skip

    def _begin_season(self, arrays: Arrays, number: int) -> None:
        """Let the champion of the last season join the rivals, and draw tests; those that somebody lost stay."""
        draws, progress = self._draws(number, _SEASON), arrays["progress"]
        before = int(progress[_TESTS])
        if number:
            so_far = int(progress[_CHAMPIONS])
            place = so_far if so_far < RIVALS else int(draws.integers(so_far + 1))
            if place < RIVALS:
                arrays["rivals"][place] = arrays["rules"][0]
            progress[_CHAMPIONS] += 1
        done = min(1.0, float(progress[_RECORD]) / self.games / _GROWS_UNTIL)
        count = max(1, round((_FEWEST + (1 - _FEWEST) * done) * (self.tests // 2)))
        for seat in range(2):
            lost = (arrays["results"][:, seat, :before] < 0).any(axis=0)
            stay = draws.permutation(arrays["tests"][seat, :before][lost])[: int(self.kept * count)]
            new = draws.integers(1 << 64, size=count - len(stay), dtype=np.uint64)
            arrays["tests"][seat, :count] = draws.permutation(np.concatenate([stay, new]))
        progress[_TESTS] = count

    def _children(self, game: Game, parents: Sequence[Entrant], draws: np.random.Generator) -> list[Rules]:
        """Changed copies of one parent or of a cross between two, which are drawn from all."""
        generator, children = self.generator(game), []
        for _ in range(CHILDREN):
            child = parents[int(draws.integers(len(parents)))].rules
            if len(parents) > 1 and draws.random() < _CROSSED:
                child = cross(child, parents[int(draws.integers(len(parents)))].rules, draws, self.rules)
            children.append(mutate(child, draws, generator, self.rules))
        return children

    def _founders(self, game: Game, count: int, draws: np.random.Generator) -> list[Rules]:
        """Lists of random rules."""
        generator = self.generator(game)
        return [new_list(draws, generator, min(_FIRST_RULES, self.rules)) for _ in range(count)]

    def _draws(self, number: int, stream: int) -> np.random.Generator:
        return np.random.default_rng(int(self.key(number, stream)))

    def _ranked(self, entrants: list[Entrant], lot: int) -> list[Entrant]:
        """The best first."""
        several = sorted(entrants, key=lambda entrant: entrant.cost)
        return [several[place] for place in self.ranking(np.arange(len(several)), lot)]

    def _store(self, arrays: Arrays, lists: list[Entrant]) -> None:
        """Write the population; if there are fewer lists than members, they fill the other places in turn."""
        for place in range(self.population):
            rules, results = lists[place % len(lists)]
            arrays["rules"][place] = in_places(rules, self.rules)
            arrays["weights"][place] = -lists[place % len(lists)].cost
            arrays["results"][place, :, : results.shape[1]] = results

    @property
    def weight_in_words(self) -> str:
        return "0, since no rule has credit of its own"


def _unlike(entrants: list[Entrant]) -> list[Entrant]:
    """Of those with the same results in all tests, only the shortest."""
    shortest: dict[bytes, Entrant] = {}
    for one in sorted(entrants, key=lambda one: len(one.rules)):
        shortest.setdefault(one.results.tobytes(), one)
    return [*shortest.values()]
