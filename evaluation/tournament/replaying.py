"""Plays stored games again, in compiled code: dice and cards follow from the tournament's seed, moves are stored."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.chance import DEALING, derive, draw, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES, OVER, STATE_SIZE
from ludarium.evaluation.play.match import FORFEIT, forfeit_payoffs
from ludarium.evaluation.play.openings import Book, openings_of
from ludarium.evaluation.tournament.store import GameRow, move_type


class Replayed(NamedTuple):
    """Stored games as the rules play them.

    Attributes:
        payoffs: shape (games, seats) float64: of forfeited games those of the forfeit, of others those so far.
        moves: shape (games,) int64: moves that were played, up to the first that is not legal, or not the opening's.
        given: shape (games,) int64: how many moves the opening has.
        turns: shape (games,) int64: whose turn it is then, or `OVER`.
        legal: shape (games,) bool: whether that was all of them.
    """

    payoffs: NDArray[np.float64]
    moves: NDArray[np.int64]
    given: NDArray[np.int64]
    turns: NDArray[np.int64]
    legal: NDArray[np.bool_]


def replay(game: Game, seed: int, rows: list[GameRow], opening: int | Book = 0) -> Replayed:
    """Play stored games again.

    Args:
        game: the game, or the same with another way of scoring.
        seed: the tournament's seed.
        rows: the games.
        opening: how they began; random moves are among those stored.

    Raises:
        RecordError: if a text of the book is no opening of this game.
    """
    kind = move_type(game)
    sizes = np.array([len(row.moves) // kind.itemsize for row in rows], dtype=np.int64)
    whole = b"".join(row.moves[: size * kind.itemsize] for row, size in zip(rows, sizes.tolist(), strict=True))
    moves = np.frombuffer(whole, dtype=kind).astype(np.int16)
    pairs = np.array([row.pair for row in rows], dtype=np.int64)
    payoffs, (played, turns) = np.zeros((len(rows), game.seats)), np.zeros((2, len(rows)), dtype=np.int64)
    openings = openings_of(game, opening, seed, pairs)
    _replay(game.table, seed_key(seed), pairs, openings, moves, np.cumsum(sizes), payoffs, played, turns)
    for number, row in enumerate(rows):
        if row.ending >= FORFEIT:
            payoffs[number] = forfeit_payoffs(game, row.ending - FORFEIT)
    lengths = np.array([len(row.moves) for row in rows], dtype=np.int64)
    opening_moves = (openings.moves >= 0).sum(axis=1)[openings.which]
    return Replayed(payoffs, played, opening_moves, turns, played * kind.itemsize == lengths)


@jit
def _replay(
    game: Any, key: Any, pairs: Any, openings: Any, moves: Any, ends: Any, payoffs: Any, played: Any, turns: Any
) -> None:
    """Play the moves, with the chance of each game's pair."""
    state = np.zeros(game[STATE_SIZE], dtype=np.uint8)
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    probabilities = np.zeros(game[MAX_OUTCOMES] + 1)
    dealing = np.zeros(2, dtype=np.uint64)
    begin = 0
    for number in range(len(pairs)):
        chosen = openings.which[number]
        state[:] = openings.starts[chosen]
        dealing[0], dealing[1] = derive(derive(key, pairs[number]), DEALING), 0
        move = begin
        while True:
            turn = kernels.turn(game, state)
            if turn == CHANCE:
                kernels.play(game, state, draw(game, state, probabilities, dealing))
                continue
            if turn == OVER or move == ends[number]:
                break
            action, plies = moves[move], move - begin
            opening_move = openings.moves[chosen, plies] if plies < openings.moves.shape[1] else -1
            if opening_move >= 0 and opening_move != action:
                break
            kernels.legal(game, state, mask)
            if action < 0 or action >= game[ACTIONS] or mask[action] == 0:
                break
            kernels.play(game, state, action)
            move += 1
        kernels.payoffs(game, state, payoffs[number])
        played[number], turns[number] = move - begin, turn
        begin = ends[number]


def by_entrant(
    game: Game, rows: list[GameRow], payoffs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The payoffs of the entrants `a` and `b` of stored games, shape (games,), from those of the seats."""
    games = np.arange(len(rows))
    seat_of_a = np.array([0 if game.cooperative else row.leg for row in rows], dtype=np.int64)
    seat_of_b = seat_of_a if game.cooperative else 1 - seat_of_a
    return payoffs[games, seat_of_a], payoffs[games, seat_of_b]
