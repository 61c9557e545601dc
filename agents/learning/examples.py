"""Decisions of recorded games, for learners that imitate: what a seat saw, what it did, and what became of it."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.game import Game
from ludarium.envs.kernels import CHANCE
from ludarium.envs.record_files import read_records
from ludarium.envs.records import RecordedGame, RecordError, replay


class Examples(NamedTuple):
    """Decisions, a row each, in the order of the files and of the games in them.

    Attributes:
        states: shape (n, bytes of a state) uint8: the positions.
        actions: shape (n,) int64: what was played.
        seats: shape (n,) int64: by whom.
        payoffs: shape (n,) float64: what that seat got in the end; NaN where the record does not say.
        games: shape (n,) int64: the number of the game.
        refused: games that break the rules or contradict their result; they are left out.
    """

    states: NDArray[np.uint8]
    actions: NDArray[np.int64]
    seats: NDArray[np.int64]
    payoffs: NDArray[np.float64]
    games: NDArray[np.int64]
    refused: list[RecordError]


def read_examples(game: Game, files: Iterable[Path]) -> Examples:
    """The decisions of all recorded games of one game, with its options, in some files.

    A game that stops early is read as far as it goes. Decisions without a choice are left out.

    Args:
        game: the game; records of others, such as matches of another length, are passed over.
        files: the files, of any kind that `ludarium replay` knows.

    Raises:
        RecordError: if a file as a whole cannot be read.
        ValueError: if no file holds a game of this kind.
    """
    rows: list[tuple[NDArray[np.uint8], int, int, float, int]] = []
    refused, number = [], 0
    for file in files:
        for record in read_records(file, game.name):
            try:
                end = replay(record)
            except RecordError as error:
                refused.append(error)
                continue
            assert isinstance(record, RecordedGame)
            if record.game != game:
                continue
            payoffs = end.payoffs() if end.over else record.payoffs
            rows += _decisions(record, payoffs, number)
            number += 1
    if not rows:
        raise ValueError(f"{game.spec}: the files hold no game of this kind; it is needed with these very options")
    states, actions, seats, results, games = zip(*rows, strict=True)
    return Examples(
        np.stack(states),
        np.array(actions, dtype=np.int64),
        np.array(seats, dtype=np.int64),
        np.array(results, dtype=np.float64),
        np.array(games, dtype=np.int64),
        refused,
    )


def _decisions(
    record: RecordedGame, payoffs: NDArray[np.float64] | tuple[float, ...] | None, number: int
) -> list[tuple[NDArray[np.uint8], int, int, float, int]]:
    """The rows of one game that has been replayed without an error."""
    position = record.game.start() if record.start is None else record.game.from_text(record.start)
    outcomes, actions, rows = iter(record.script), iter(record.actions), []
    while not position.over:
        seat = position.turn
        chosen = next(outcomes if seat == CHANCE else actions, None)
        if chosen is None:
            break
        if seat != CHANCE and len(position.legal_actions()) > 1:
            result = float("nan") if payoffs is None else float(payoffs[seat])
            rows.append((position.data.copy(), chosen, seat, result, number))
        position.play(chosen)
    return rows
