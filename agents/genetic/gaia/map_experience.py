"""A generation judged by a map, for games with more positions than the memory holds.

In such games hardly any position occurs twice, so remembered values say little. Here the experience is a single map of
`ludarium.agents.genetic.ifthen`: its pairs about windows, squares in a line, judge any position. In three quarters of
the games it plays itself, and learns. In half of the others it meets the champion, and the champion's positions become
cases, so a list is judged where its own moves lead (after DAgger: Ross, Gordon & Bagnell 2011); the other half adds
positions of the map's own games. The latest positions are kept, and judged anew in each generation.

The regret of a move is how much less it is worth than the best one, as a share of the same for the worst one. So
positions at the beginning of a game, where values hardly differ yet, count as much as those at its end.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import copy_state
from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import operators
from ludarium.agents.genetic.gaia.games import (
    DECISIONS,
    DRAWS,
    PLAYING,
    RULE_MOVES,
    copy,
    desk,
    field,
    goes_on,
    look,
    make_move,
    metrics,
)
from ludarium.agents.genetic.gaia.judgement import Cases, cases
from ludarium.agents.genetic.gaia.offspring import breed_and_judge
from ludarium.agents.genetic.ifthen.contest import GAMES_ALONE, Contest
from ludarium.agents.genetic.ifthen.games import DECISIONS as MAP_DECISIONS
from ludarium.agents.genetic.ifthen.games import DRAWS as MAP_DRAWS
from ludarium.agents.genetic.ifthen.games import RULE_MOVES as MAP_MOVES
from ludarium.agents.genetic.ifthen.games import Rules
from ludarium.agents.genetic.ifthen.lessons import VALUES
from ludarium.agents.genetic.ifthen.maps import Maps, Pairs
from ludarium.agents.genetic.ifthen.player import best_action, scratch, worth
from ludarium.agents.genetic.ifthen.windows import Windows, board_windows
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import below, bits, child_key, derive, seed_key, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit

if TYPE_CHECKING:
    from ludarium.agents.genetic.gaia.learner import Gaia

LEAST_GAMES = 2 * GAMES_ALONE
"""The least number of games in a generation."""
_MEETINGS = 0.25  # the share of the games from which positions are taken
_EXPLORE = 0.4  # the probability of a random move in games from which the map learns
_WANDER = 0.2  # the same in games from which positions are taken
_CHILDREN = 40  # of a generation, whether it takes one breeding or many
_OWN_GAMES = 0  # the stream of the map's games with itself
_CAPACITY = 1 << 15  # the number of pairs at which the map forgets half of them
_OF_MAP = "map_"
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


def no_map(gaia: "Gaia", game: Game) -> Arrays:
    """The arrays of a map that knows nothing, and room for as many positions as the memory has slots."""
    arrays = {**Maps.empty(1)._asdict(), "order": np.arange(1)}
    arrays["randomness"][:] = _EXPLORE
    empty = Kept(np.zeros((gaia.memory, game.state.itemsize), dtype=np.uint8), np.zeros(1, dtype=np.int64))
    return {f"{_OF_MAP}{name}": array for name, array in arrays.items()} | {
        f"kept_{name}": array for name, array in empty._asdict().items()
    }


def split(arrays: Arrays) -> tuple[Arrays, Arrays]:
    """All other arrays of a run, and those of the map by the names that its learner gives them."""
    others = {name: array for name, array in arrays.items() if not name.startswith(_OF_MAP)}
    return others, {name.removeprefix(_OF_MAP): arrays[name] for name in arrays.keys() - others.keys()}


def learn_and_breed(
    gaia: "Gaia", game: Game, arrays: Arrays, games: int, key: np.uint64, parallel: Parallel
) -> dict[str, float]:
    """Let the map learn, collect positions, breed, and judge all lists by the map; return the metrics.

    It takes at most so many games, which are at least `LEAST_GAMES`.
    """
    meetings, counts = round(_MEETINGS * games), np.zeros(3, dtype=np.int64)
    played = meetings + learn(gaia, game, arrays, games - meetings, counts, parallel)
    judge, kept = judge_of(gaia, game, arrays), Kept(arrays["kept_states"], arrays["kept_count"])
    meet(field(game, gaia.symmetry), judge, arrays["rules"][0], meetings, child_key(key, PLAYING), kept, counts)
    known = judged(gaia, game, judge, kept)
    bred = breed_and_judge(gaia, game, arrays, 1 if gaia.one_shot else breedings(gaia), key, known, parallel)
    return metrics(played, counts, arrays["weights"], arrays["rules"], positions=len(known.senses), **bred)


def breedings(gaia: "Gaia") -> int:
    """How many times the population breeds in a generation, for about as many children as in any other."""
    couples = len(operators.parents_and_replaced(gaia.selection, gaia.population)[1]) if gaia.population > 1 else 1
    return max(1, _CHILDREN // couples)


def learn(gaia: "Gaia", game: Game, arrays: Arrays, most: int, counts: NDArray[np.int64], parallel: Parallel) -> int:
    """Let the map play itself and learn; return the number of games, a multiple of `GAMES_ALONE`."""
    rules, games = Rules(game, gaia.symmetry, gaia.windows, VALUES), 0
    _, own = split(arrays)
    while games + GAMES_ALONE <= most:
        number = int(own["games"][0]) // (2 * GAMES_ALONE)  # it has both seats
        contest = Contest(rules, Maps.of(own), parallel)
        contest.sort(own["order"], seed_key(gaia.seed, LEARNING, number, _OWN_GAMES))
        own.update(Maps.of(own).grown(_CAPACITY)._asdict())
        counts += contest.counts[[MAP_DECISIONS, MAP_MOVES, MAP_DRAWS]]
        games += GAMES_ALONE
    arrays.update({f"{_OF_MAP}{name}": array for name, array in own.items()})
    return games


def judge_of(gaia: "Gaia", game: Game, arrays: Arrays) -> Judge:
    """The map in the arrays of a run."""
    pairs = Pairs(*(arrays[f"{_OF_MAP}{name}"][0] for name in Pairs._fields))
    return Judge(pairs, board_windows(game, gaia.windows, gaia.symmetry))


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


def judged(gaia: "Gaia", game: Game, judge: Judge, kept: Kept) -> Cases:
    """The kept positions as cases, judged by the map."""
    count = min(int(kept.count[0]), len(kept.states))
    senses = np.zeros((count, len(board(game, gaia.symmetry).undo), 3), dtype=np.uint64)
    regrets = np.full((count, game.actions), np.nan)
    weigh_moves(field(game, gaia.symmetry), judge, kept.states, senses, regrets)
    return cases(senses, regrets, np.nanmean(regrets, axis=1) if count else np.zeros(0), gaia.rule_cost)


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
