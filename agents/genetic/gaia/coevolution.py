"""Evolution alone: lists of rules that are judged by nothing but the results of games, and games that evolve with them.

A *test* is a game against a given other side: a key decides which past champion that is, and where it moves at random.
So every list can take the same test. Where one of its rules leaves a choice between mirror images, that is settled once
for all, or lists would live on luck. The lists with the fewest defeats live on, of equals the shorter.
After each season, those tests stay that somebody has lost, and others are new: tests live on defeats, as parasites on
hosts (Hillis 1990). Nothing is known about positions, and no rule has credit of its own.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.games import (
    DECISIONS,
    DRAWS,
    RULE_MOVES,
    desk,
    field,
    goes_on,
    look,
    make_move,
    metrics,
)
from ludarium.agents.genetic.gaia.patterns import RULE, Generator, decide_in_order
from ludarium.agents.genetic.gaia.variation import Rules, cross, mutate, new_list
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.chance import below, derive, seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import MAX_MOVES

if TYPE_CHECKING:
    from ludarium.agents.genetic.gaia.learner import Gaia

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
_DRAW, _RULE = 0.02, 0.0005  # what a drawn game and a rule cost, in defeats
_RECORD, _CHAMPIONS = range(2)  # of the array `progress`: games so far, champions so far


class Entrant(NamedTuple):
    """A list and what it reached in the season's tests.

    Attributes:
        rules: the list, shape (n,) of `RULE`.
        results: shape (2, k) int8, by the seat it sat in: 1 for a win, 0 for a draw, -1 for a defeat.
    """

    rules: Rules
    results: NDArray[np.int8]

    @property
    def cost(self) -> float:
        """Defeats, draws and rules."""
        lost, drawn = (float((self.results == result).mean()) for result in (-1, 0))
        return lost + _DRAW * drawn + _RULE * len(self.rules)


def first_lists(gaia: "Gaia", game: Game) -> Arrays:
    """The founders, and the arrays of tests and rivals."""
    draws = np.random.default_rng(int(seed_key(gaia.seed, LEARNING, 0, _FOUNDERS)))
    made = generator(gaia, game)
    lists = [new_list(draws, made, min(_FIRST_RULES, gaia.rules)) for _ in range(gaia.population)]
    return {
        "rules": np.array([in_places(rules, gaia.rules) for rules in lists]),
        "weights": np.zeros(gaia.population),
        "results": np.zeros((gaia.population, 2, gaia.tests // 2), dtype=np.int8),
        "tests": np.zeros((2, gaia.tests // 2), dtype=np.uint64),
        "rivals": np.array([in_places(np.zeros(0, dtype=RULE), gaia.rules)] * RIVALS),
        "progress": np.zeros(3, dtype=np.int64),  # games, champions, and tests of this season for each seat
    }


def generator(gaia: "Gaia", game: Game) -> Generator:
    """The generator of random rules: with few senses, so that they match on any board."""
    seen = board(game, gaia.symmetry)
    squares = seen.squares.shape[1]
    return Generator(seen.needs, seen.playable, squares, max(0.0, 1 - _SENSES / max(squares - 1, 1)), 1, 0.0)


def in_places(rules: Rules, places: int) -> Rules:
    """A list as the population keeps it: with empty places at the end, and priorities in order."""
    kept = np.zeros(places, dtype=RULE)
    kept["action"] = -1
    kept[: len(rules)] = rules
    kept["priority"] = np.arange(places, 0, -1)
    return kept


def largest_generation(gaia: "Gaia") -> int:
    """The greatest number of games in a generation."""
    return (gaia.population + CHILDREN) * gaia.tests


def compete_and_breed(gaia: "Gaia", game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
    """Let children take the tests, keep the best lists, and at the end of a season change the tests."""
    if number % gaia.season == 0:
        _begin_season(gaia, arrays, number)
    count = int(arrays["progress"][2])
    rivals, tests = arrays["rivals"], arrays["tests"][:, :count]
    take = partial(_take, game, gaia.symmetry, rivals, gaia.noise)
    lists = [rules[rules["action"] >= 0] for rules in arrays["rules"]]
    if number % gaia.season == 0:
        taken, counts = _taken(take, [Entrant(rules, tests[:, :0]) for rules in lists], tests, parallel)
    else:
        taken, counts = [*map(Entrant, lists, arrays["results"][:, :, :count].copy())], np.zeros(3, dtype=np.int64)
    games = 2 * count * len(taken) if number % gaia.season == 0 else 0
    children = [] if gaia.breeding == "none" else _children(gaia, game, taken, number)
    left = [Entrant(rules, tests[:, :0]) for rules in children]
    for heat, share in enumerate(HEATS if left else ()):
        last = max(1, round(share * count))
        games += 2 * (last - left[0].results.shape[1]) * len(left)
        left, more = _taken(take, left, tests[:, :last], parallel)
        counts = counts + more
        if share < 1:
            left = _ranked(gaia, left, number * len(HEATS) + heat)[: max(1, len(left) // 2)]
    everybody = _ranked(gaia, _unlike([*left, *taken]), (number + 1) * len(HEATS) - 1)
    improved = _improved(left, taken)
    _store(gaia, arrays, everybody[: gaia.population], games)
    return metrics(
        games, counts, arrays["weights"], arrays["rules"], improved=improved, champion_rules=len(everybody[0].rules)
    )


def _begin_season(gaia: "Gaia", arrays: Arrays, number: int) -> None:
    """Let the champion of the last season join the rivals, and draw tests; those that somebody lost stay."""
    draws = np.random.default_rng(int(seed_key(gaia.seed, LEARNING, number, _SEASON)))
    progress = arrays["progress"]
    before = int(progress[2])
    if number:
        known = int(progress[_CHAMPIONS])
        place = known if known < RIVALS else int(draws.integers(known + 1))
        if place < RIVALS:
            arrays["rivals"][place] = arrays["rules"][0]
        progress[_CHAMPIONS] += 1
    done = min(1.0, float(progress[_RECORD]) / gaia.games / _GROWS_UNTIL)
    count = max(1, round((_FEWEST + (1 - _FEWEST) * done) * (gaia.tests // 2)))
    for seat in range(2):
        lost = (arrays["results"][:, seat, :before] < 0).any(axis=0)
        stay = draws.permutation(arrays["tests"][seat, :before][lost])[: int(gaia.kept * count)]
        new = draws.integers(1 << 64, size=count - len(stay), dtype=np.uint64)
        arrays["tests"][seat, :count] = draws.permutation(np.concatenate([stay, new]))
    progress[2] = count


def _children(gaia: "Gaia", game: Game, parents: list[Entrant], number: int) -> list[Rules]:
    """New lists: changed copies of one parent or of a cross between two, drawn from all."""
    draws = np.random.default_rng(int(seed_key(gaia.seed, LEARNING, number, _BIRTH)))
    made, children = generator(gaia, game), []
    for _ in range(CHILDREN):
        if gaia.breeding == "founders":
            children.append(new_list(draws, made, min(_FIRST_RULES, gaia.rules)))
            continue
        child = parents[int(draws.integers(len(parents)))].rules
        if len(parents) > 1 and draws.random() < _CROSSED:
            child = cross(child, parents[int(draws.integers(len(parents)))].rules, draws, gaia.rules)
        children.append(mutate(child, draws, made, gaia.rules))
    return children


def _ranked(gaia: "Gaia", entrants: list[Entrant], lot: int) -> list[Entrant]:
    """The best first."""
    several = sorted(entrants, key=lambda entrant: entrant.cost)
    return [several[place] for place in gaia.ranking(np.arange(len(several)), lot)]


def _unlike(entrants: list[Entrant]) -> list[Entrant]:
    """Of those with the same results in all tests, only the shortest."""
    found: dict[bytes, Entrant] = {}
    for entrant in sorted(entrants, key=lambda entrant: len(entrant.rules)):
        found.setdefault(entrant.results.tobytes(), entrant)
    return [*found.values()]


def _improved(children: list[Entrant], parents: list[Entrant]) -> float:
    """The share of children better than everybody before."""
    best = min(parent.cost for parent in parents)
    return sum(child.cost < best for child in children) / CHILDREN


def _store(gaia: "Gaia", arrays: Arrays, left: list[Entrant], games: int) -> None:
    """Write the population; if there are fewer lists than members, they fill the other places in turn."""
    left = [left[place % len(left)] for place in range(gaia.population)]
    for place, entrant in enumerate(left):
        arrays["rules"][place] = in_places(entrant.rules, gaia.rules)
        arrays["weights"][place] = -entrant.cost
        arrays["results"][place, :, : entrant.results.shape[1]] = entrant.results
    arrays["progress"][_RECORD] += games


# --- games -----------------------------------------------------------------------------------------------------------


def _taken(
    take: Any, entrants: list[Entrant], tests: NDArray[np.uint64], parallel: Parallel
) -> tuple[list[Entrant], NDArray[np.int64]]:
    """Let lists take the tests that they have not taken; they have all taken as many."""
    tests = tests[:, entrants[0].results.shape[1] :]
    groups = [entrants[first :: parallel.size] for first in range(min(parallel.size, len(entrants)))]
    played = parallel(take, [(tests, [entrant.rules for entrant in group]) for group in groups])
    after: list[Any] = [None] * len(entrants)
    for first, (group, (results, _)) in enumerate(zip(groups, played, strict=True)):
        for number, (entrant, more) in enumerate(zip(group, results, strict=True)):
            both = np.concatenate([entrant.results.astype(np.int8), more], axis=1)
            after[first + number * len(groups)] = Entrant(entrant.rules, both)
    return after, np.sum([counts for _, counts in played], axis=0)


def _take(
    game: Game,
    symmetry: bool,
    rivals: Rules,
    noise: float,
    part: tuple[NDArray[np.uint64], list[Rules]],
) -> tuple[list[NDArray[np.int8]], NDArray[np.int64]]:
    """Let some lists take some tests, in any process; return their results, and the counts of `games`."""
    tests, lists = part
    counts, found, known = np.zeros(3, dtype=np.int64), [], field(game, symmetry)
    for rules in lists:
        results = np.zeros(tests.shape, dtype=np.int8)
        take_tests(known, in_places(rules, len(rules)), rivals, noise, tests, counts, results)
        found.append(results)
    return found, counts


@jit
def take_tests(field: Any, rules: Any, rivals: Any, noise: float, tests: Any, counts: Any, results: Any) -> None:
    """Let a list take tests.

    Args:
        field: the game.
        rules: the list, shape (n,) of `RULE`.
        rivals: shape (lists, rules) of `RULE`: the lists that the other side may be.
        noise: the probability that a move of the other side is random.
        tests: shape (2, k) uint64: the keys of the tests in which the list has each seat.
        counts: decisions, rule moves and draws are added to it.
        results: shape (2, k) int8, filled in, see `Entrant`.
    """
    d = desk(field)
    for seat in range(2):
        for number in range(tests.shape[1]):
            key, plies = tests[seat, number], 0
            d.stream[0], d.stream[1] = derive(key, field.table[MAX_MOVES]), 0
            rival = below(d.stream, len(rivals))
            d.state[:] = 0
            kernels.setup(field.table, d.state, field.options)
            while goes_on(field, d.state, plies):
                d.stream[0], d.stream[1] = derive(key, plies), 0  # what it decides does not depend on the game so far
                if kernels.turn(field.table, d.state) == seat:
                    count = kernels.legal(field.table, d.state, d.mask)
                    look(field, d.state, d)
                    rule, action = decide_in_order(rules, d.seen, field.undo, d.mask, count, d.stream)
                    counts[DECISIONS] += 1
                    counts[RULE_MOVES] += rule >= 0
                    kernels.play(field.table, d.state, action)
                else:
                    make_move(field, rivals[rival], noise, counts, d)
                plies += 1
            kernels.payoffs(field.table, d.state, d.payoffs)
            counts[DRAWS] += d.payoffs[0] == d.payoffs[1]
            results[seat, number] = np.int8(np.sign(d.payoffs[seat]))
