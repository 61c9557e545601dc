"""A map of windows as a judge of lists, for games with more positions than the memory holds.

In such games hardly any position occurs twice, so remembered values say little. Here the experience is a single map of
`ludarium.agents.genetic.ifthen`: its pairs about windows, squares in a line, judge any position. In most of the games
it plays itself, and learns. In half of the others it meets the champion, and the champion's positions become cases, so
a list is judged where its own moves lead (after DAgger: Ross, Gordon & Bagnell 2011); the other half adds positions of
the map's own games. The latest positions are kept, and judged anew in each generation.

The regret of a move is how much less it is worth than the best one, as a share of the same for the worst one. So
positions at the beginning of a game, where values hardly differ yet, count as much as those at its end.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import copy, copy_state
from ludarium.agents.genetic.gaia.draft import Cases, Evidence
from ludarium.agents.genetic.gaia.play import DECISIONS, DRAWS, RULE_MOVES, Field, desk, goes_on, look, make_move
from ludarium.agents.genetic.ifthen.contest import GAMES_ALONE, Contest
from ludarium.agents.genetic.ifthen.games import Rules as MapRules
from ludarium.agents.genetic.ifthen.lessons import VALUES
from ludarium.agents.genetic.ifthen.maps import Maps, Pairs
from ludarium.agents.genetic.ifthen.player import best_action, scratch, worth
from ludarium.agents.genetic.ifthen.windows import Windows, board_windows
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import below, bits, derive, seed_key, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit

LEAST_GAMES = 2 * GAMES_ALONE
"""The least number of games in a generation."""
_EXPLORE = 0.4  # the probability of a random move in games from which the map learns
_WANDER = 0.2  # the same in games from which positions are taken
_CAPACITY = 1 << 15  # the number of pairs after which the map forgets half of them
_MEETINGS = 0.25  # the share of the games from which positions are taken
_SORTING = 0  # the stream of the map's games
_OF_MAP, _KEPT = "map_", "kept_"
_SMALL = 1e-9


class Judge(NamedTuple):
    """The map for compiled loops: its pairs, and the windows that they may be about."""

    pairs: Pairs
    windows: Windows


class Kept(NamedTuple):
    """The latest positions with a choice; each replaces the earliest.

    Attributes:
        states: shape (places, bytes of a state).
        count: shape (1,) int64: how many positions have been kept so far.
    """

    states: Any
    count: Any

    @classmethod
    def none(cls, game: Game, places: int) -> Self:
        """Room for this many positions."""
        return cls(np.zeros((places, game.state.itemsize), dtype=np.uint8), np.zeros(1, dtype=np.int64))


class MapTerms(NamedTuple):
    """How a map learns and judges.

    Attributes:
        game: the game.
        symmetry: whether mirror images share what is learned.
        windows: the number of squares in a window.
        rule_cost: see `Cases`.
        seed: the games of the map with itself are a function of it, and of how many there were.
    """

    game: Game
    symmetry: bool
    windows: int
    rule_cost: float
    seed: int


def no_map() -> Arrays:
    """A map that knows nothing, as the arrays that a run stores: `map_keys` and so on."""
    maps = Maps.empty(1)
    maps.randomness[:] = _EXPLORE
    return _named({**maps._asdict(), "order": np.arange(1)})


def knows_nothing(game: Game, places: int) -> Arrays:
    """A judge before its first game, with room for so many positions, as the arrays that a run stores."""
    return {**no_map(), **_named(Kept.none(game, places)._asdict(), _KEPT)}


def split(arrays: Arrays) -> tuple[Arrays, Arrays]:
    """All other arrays of a run, and those of the map by the names that `Maps` gives them."""
    others = {name: array for name, array in arrays.items() if not name.startswith(_OF_MAP)}
    return others, {name.removeprefix(_OF_MAP): arrays[name] for name in arrays.keys() - others.keys()}


def ask_map(terms: MapTerms, field: Field, arrays: Arrays, games: int, key: np.uint64, parallel: Parallel) -> Evidence:
    """Let a map learn, meet the champion, and judge the positions of these and earlier meetings.

    Args:
        terms: see `MapTerms`.
        field: the game.
        arrays: those of the run; the judge's own change.
        games: the number of games at most; at least `LEAST_GAMES`.
        key: the meetings are a function of it.
        parallel: maps a function over parts.
    """
    meetings, counts = round(_MEETINGS * games), np.zeros(3, dtype=np.int64)
    kept = Kept(*(arrays[f"{_KEPT}{name}"] for name in Kept._fields))
    alone = learn(terms, arrays, games - meetings, counts, parallel)
    judge = judge_of(terms, arrays)
    meet(field, judge, arrays["rules"][0], meetings, key, kept, counts)
    return Evidence(judged(field, judge, kept, terms.rule_cost), alone + meetings, counts)


def learn(terms: MapTerms, arrays: Arrays, most: int, counts: NDArray[np.int64], parallel: Parallel) -> int:
    """Let the map play itself and learn; return the number of games, a multiple of `GAMES_ALONE`.

    Args:
        terms: see `MapTerms`.
        arrays: those of the run; those of the map are replaced.
        most: the number of games at most.
        counts: decisions, rule moves and draws are added to it.
        parallel: maps a function over parts.
    """
    rules, maps = MapRules(terms.game, terms.symmetry, terms.windows, VALUES), _maps(arrays)
    for _ in range(most // GAMES_ALONE):
        number = int(maps.games[0]) // (2 * GAMES_ALONE)  # it has both seats
        contest = Contest(rules, maps, parallel)
        contest.sort(np.arange(1), seed_key(terms.seed, LEARNING, number, _SORTING))
        counts += contest.counts[1:]
        maps = maps.grown(_CAPACITY)
    arrays.update(_named(maps._asdict()))
    return most // GAMES_ALONE * GAMES_ALONE


def judge_of(terms: MapTerms, arrays: Arrays) -> Judge:
    """The map in the arrays of a run."""
    pairs = Pairs(*(table[0] for table in _maps(arrays)[:3]))
    return Judge(pairs, board_windows(terms.game, terms.windows, terms.symmetry))


def _maps(arrays: Arrays) -> Maps:
    return Maps(*(arrays[f"{_OF_MAP}{name}"] for name in Maps._fields))


def _named(arrays: Arrays, prefix: str = _OF_MAP) -> Arrays:
    return {f"{prefix}{name}": array for name, array in arrays.items()}


@jit
def meet(field: Any, judge: Any, champion: Any, games: int, key: Any, kept: Any, counts: Any) -> None:
    """Play games and keep positions with a choice.

    In every other game a list has one seat, and only its positions are kept.

    Args:
        field: the game.
        judge: the map, which has all other seats.
        champion: the list, shape (rules,).
        games: how many games to play.
        key: the games are a function of it.
        kept: see `Kept`.
        counts: decisions, rule moves and draws are added to it.
    """
    d, s = desk(field), scratch(field.table)
    words = np.zeros(len(s.child), dtype=np.uint64)
    for number in range(games):
        d.stream[0], d.stream[1] = derive(key, number), 0
        listed = below(d.stream, 2) if number % 2 else -1  # the seat of the list
        d.state[:] = 0
        kernels.setup(field.table, d.state, field.options)
        plies = 0
        while goes_on(field, d.state, plies):
            seat, count = kernels.turn(field.table, d.state), kernels.legal(field.table, d.state, d.mask)
            if count > 1 and listed in (-1, seat):
                copy(d.state, kept.states[kept.count[0] % len(kept.states)])
                kept.count[0] += 1
            if seat == listed:
                make_move(field, champion, _WANDER, counts, d)
            else:
                counts[DECISIONS] += 1
                action = nth_legal(d.mask, count, bits(d.stream))
                if uniform(d.stream) >= _WANDER:
                    copy_state(d.state, words, len(d.state))
                    action, _ = best_action(field.table, judge.pairs, judge.windows, words, seat, action, s)
                    counts[RULE_MOVES] += 1
                kernels.play(field.table, d.state, action)
            plies += 1
        kernels.payoffs(field.table, d.state, d.payoffs)
        counts[DRAWS] += d.payoffs[0] == d.payoffs[1]


def judged(field: Field, judge: Judge, kept: Kept, rule_cost: float) -> Cases:
    """The kept positions as cases, judged by the map; `rule_cost` is as in `Cases`."""
    count = min(int(kept.count[0]), len(kept.states))
    images, actions = field.board.undo.shape
    senses = np.zeros((count, images, 3), dtype=np.uint64)
    regrets = np.full((count, actions), np.nan)
    weigh_moves(field, judge, kept.states, senses, regrets)
    return Cases.among(senses, regrets, np.nanmean(regrets, axis=1) if count else np.zeros(0), rule_cost)


@jit
def weigh_moves(field: Any, judge: Any, states: Any, senses: Any, regrets: Any) -> None:
    """Write the first positions as rules see them, and the regrets of their moves from 0 to 1, see the module."""
    d, s = desk(field), scratch(field.table)
    words = np.zeros(len(s.child), dtype=np.uint64)
    for number in range(len(senses)):
        copy(states[number], d.state)
        copy_state(d.state, words, len(d.state))
        seat, best, worst = kernels.turn(field.table, d.state), -np.inf, np.inf
        kernels.legal(field.table, d.state, d.mask)
        for action in range(len(d.mask)):
            if d.mask[action]:
                value = worth(field.table, judge.pairs, judge.windows, words, seat, action, s)
                regrets[number, action], best, worst = value, max(best, value), min(worst, value)
        for action in range(len(d.mask)):
            if d.mask[action]:
                regrets[number, action] = (best - regrets[number, action]) / max(best - worst, _SMALL)
        look(field, d.state, d)
        for image in range(len(d.seen)):
            for sense in range(3):
                senses[number, image, sense] = d.seen[image, sense]
