"""A generation judged by experience: what the population remembers of its games.

The experience stores the positions that occurred, each with its value to the seat to move. The value of a position is
that of its best move, and the value of a move is that of the position it leads to. After each game the values of its
positions are corrected, from the last back to the first; a position that never occurred counts as a draw. If rules
stand for all their mirror images, positions that mirror each other share an entry.

The regret of a move is how much less it is worth than the best one, so a rule that never errs has weight 0. A list is
judged in all remembered positions.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ludarium.agents.compiled.hashing import EMPTY, find
from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.games import (
    DECISIONS,
    DRAWS,
    NEVER,
    PLAYING,
    copy,
    desk,
    field,
    goes_on,
    look,
    make_move,
    metrics,
)
from ludarium.agents.genetic.gaia.judgement import Cases, cases
from ludarium.agents.genetic.gaia.map_experience import learn_and_breed
from ludarium.agents.genetic.gaia.offspring import breed_and_judge
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.chance import below, child_key, derive, mix
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import MAX_MOVES, OVER

if TYPE_CHECKING:
    from ludarium.agents.genetic.gaia.learner import Gaia

RULE_COST = 0.01
"""The cost of each rule, in units of regret: of two lists that err equally, the shorter one is better."""
_ONE = np.uint64(1)


class Experience(NamedTuple):
    """The remembered positions, in the slots of a hash table.

    Attributes:
        keys: shape (slots,) uint64: hashes of positions, 0 where a slot is empty.
        values: shape (slots,): the value of the position to the seat to move, -1 to 1.
        met: shape (slots,) bool: whether a champion was to move there.
        states: shape (slots, bytes of a state).
    """

    keys: Any
    values: Any
    met: Any
    states: Any


def no_experience(game: Game, slots: int) -> Arrays:
    """An empty experience, as the arrays that a run stores.

    Args:
        game: the game.
        slots: a power of two; once three quarters are filled, no new position is stored.

    Returns:
        The arrays of `Experience` by name: `memory_keys` and so on.
    """
    empty = Experience(
        np.zeros(slots, dtype=np.uint64),
        np.zeros(slots),
        np.zeros(slots, dtype=np.bool_),
        np.zeros((slots, game.state.itemsize), dtype=np.uint8),
    )
    return {f"memory_{name}": array for name, array in empty._asdict().items()}


def experience_of(arrays: Arrays) -> Experience:
    """The experience stored in the arrays of a run."""
    return Experience(*(arrays[f"memory_{name}"] for name in Experience._fields))


def is_full(experience: Experience) -> bool:
    """Whether there is no room for another position."""
    return 4 * int(np.count_nonzero(experience.keys)) >= 3 * len(experience.keys)


def remember_and_breed(
    gaia: "Gaia", game: Game, arrays: Arrays, key: np.uint64, parallel: Parallel
) -> dict[str, float]:
    """Play and remember games, breed, and judge all players by what is remembered; return the metrics."""
    experience, counts = experience_of(arrays), np.zeros(3, dtype=np.int64)
    games = play_and_remember(
        field(game, gaia.symmetry), experience, arrays["rules"], gaia.games if gaia.one_shot else gaia.pairs_games,
        float(gaia.explore), child_key(key, PLAYING), counts, gaia.windows > 0,
    )  # fmt: skip
    if gaia.one_shot and games < gaia.games:
        told = learn_and_breed(gaia, game, arrays, gaia.games - games, key, parallel)
        return {**told, "games": games + told["games"], "decisions": int(counts[DECISIONS]) + told["decisions"]}
    known = remembered(game, gaia.symmetry, experience)
    bred = breed_and_judge(gaia, game, arrays, gaia.breedings, key, known, parallel)
    return metrics(games, counts, arrays["weights"], arrays["rules"], positions=len(known.senses), **bred)


@jit
def _key(seen: Any) -> Any:
    """The hash of a position, the same for all its mirror images and never 0."""
    key = np.uint64(0xFFFFFFFFFFFFFFFF)
    for image in range(len(seen)):
        key = min(key, mix(mix(seen[image, 0]) ^ seen[image, 1]))
    return max(key, _ONE)


@jit
def _worths(field: Any, experience: Any, state: Any, d: Any) -> float:
    """Write the value of each legal action to the seat to move, as experience has it, to the desk; return the best."""
    seat, best = kernels.turn(field.table, state), -np.inf
    kernels.legal(field.table, state, d.mask)
    for action in range(len(d.mask)):
        if not d.mask[action]:
            continue
        copy(state, d.state)
        kernels.play(field.table, d.state, action)
        after = kernels.turn(field.table, d.state)
        if after == OVER:
            kernels.payoffs(field.table, d.state, d.payoffs)
            worth = field.scale * d.payoffs[seat]
        else:
            look(field, d.state, d)
            slot = find(experience.keys, _key(d.seen))
            known = experience.values[slot] if experience.keys[slot] != EMPTY else 0.0
            worth = (1.0 if after == seat else -1.0) * known
        d.worths[action], best = worth, max(best, worth)
    return best


@jit
def play_and_remember(
    field: Any, experience: Any, population: Any, games: int, explore: float, key: Any, counts: Any, stop: bool
) -> int:
    """Play games and remember them; return how many.

    In every other pair of games the champion takes each seat once, and makes no random moves for exploration.

    Args:
        field: the game.
        experience: updated in place.
        population: the rules, shape (players, rules), the champion first.
        games: how many games to play.
        explore: the probability of a random move.
        key: the games are a function of it.
        counts: decisions, rule moves and draws are added to it.
        stop: whether to stop when there is no room for another position.
    """
    d, trail = desk(field), np.zeros(field.table[MAX_MOVES], dtype=np.int64)  # the slots of a game's positions
    slots, filled = len(experience.keys), 0
    for slot in range(slots):
        filled += experience.keys[slot] != EMPTY
    for number in range(games):
        if stop and 4 * filled >= 3 * slots:
            return number
        d.stream[0], d.stream[1] = derive(key, number), 0
        champion = number % 2 if number % 4 < 2 else -1  # its seat
        players = below(d.stream, len(population)), below(d.stream, len(population))
        d.state[:] = 0
        kernels.setup(field.table, d.state, field.options)
        plies, known = 0, 0
        while goes_on(field, d.state, plies):
            seat = kernels.turn(field.table, d.state)
            look(field, d.state, d)
            position = _key(d.seen)
            slot = find(experience.keys, position)
            if experience.keys[slot] == EMPTY and 4 * filled < 3 * slots:
                experience.keys[slot], filled = position, filled + 1
                copy(d.state, experience.states[slot])
            if experience.keys[slot] != EMPTY:
                trail[known], known = slot, known + 1
                experience.met[slot] |= seat == champion
            player, alone = (0, True) if seat == champion else (players[seat], False)
            make_move(field, population[player], NEVER if alone else explore, counts, d)
            plies += 1
        kernels.payoffs(field.table, d.state, d.payoffs)
        counts[DRAWS] += d.payoffs[0] == d.payoffs[1]
        for ply in range(known - 1, -1, -1):
            experience.values[trail[ply]] = _worths(field, experience, experience.states[trail[ply]], d)
    return games


def remembered(game: Game, symmetry: bool, experience: Experience) -> Cases:
    """The cases among the remembered positions; those that a champion has met come first."""
    rows = np.flatnonzero(experience.keys)
    rows = rows[np.argsort(~experience.met[rows], kind="stable")]
    senses = np.zeros((len(rows), len(board(game, symmetry).undo), 3), dtype=np.uint64)
    regrets = np.full((len(rows), game.actions), np.nan)
    _fill(field(game, symmetry), experience, rows, senses, regrets)
    return cases(senses, regrets, np.nanmax(regrets, axis=1, initial=-np.inf), RULE_COST)


@jit
def _fill(field: Any, experience: Any, rows: Any, senses: Any, regrets: Any) -> None:
    """Correct the values of positions once more, and fill in the senses and regrets for `remembered`."""
    d = desk(field)
    for number in range(len(rows)):
        state = experience.states[rows[number]]
        best = _worths(field, experience, state, d)
        experience.values[rows[number]] = best
        for action in range(len(d.mask)):
            if d.mask[action]:
                regrets[number, action] = best - d.worths[action]
        look(field, state, d)
        for image in range(len(d.seen)):
            for sense in range(3):
                senses[number, image, sense] = d.seen[image, sense]
