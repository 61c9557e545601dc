"""A stored game as pictures: its moves are in the store, and its dice and cards follow from the tournament's seed."""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ludarium.envs.batch import ADJUDICATED, TRUNCATED
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.game import Game
from ludarium.envs.kernels import CHANCE
from ludarium.envs.position import Position
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.play.openings import openings_of
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.store import GameRow, StoreError, move_type

_ELEMENT = re.compile(r"<text.*?</text>|<[^<>]*>")
_PER_KEY = 5  # numbers in a game's key


class Replay(NamedTuple):
    """A game as a sequence of pictures.

    Attributes:
        title: who played whom, and how it ended.
        key: the game's key in the store, `EVENT:A:B:PAIR:LEG`.
        captions: for each picture, what happened before it.
        shapes: the distinct SVG elements and tags of all pictures; most occur in many pictures.
        frames: for each picture the indices of its shapes, in drawing order.
    """

    title: str
    key: str
    captions: list[str]
    shapes: list[str]
    frames: list[list[int]]

    def svg(self, frame: int) -> str:
        """One picture."""
        return "".join(self.shapes[shape] for shape in self.frames[frame])

    def to_json(self) -> str:
        """The data for the page's script, safe inside a `<script>` element."""
        data = {name: getattr(self, name) for name in ("captions", "shapes", "frames")}
        return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def key_text(row: GameRow) -> str:
    """A game's key in the form that `--replay` takes."""
    return ":".join(map(str, row[:_PER_KEY]))


def find_game(rows: Iterable[GameRow], key: str) -> GameRow:
    """The game with this key.

    Raises:
        ValueError: if it is not a key, or there is no such game.
    """
    numbers = key.split(":")
    if len(numbers) != _PER_KEY or not all(number.isdecimal() for number in numbers):
        raise ValueError(f"replay: a game is EVENT:A:B:PAIR:LEG, five numbers such as 0:0:1:12:1, not {key!r}")
    wanted = tuple(map(int, numbers))
    for row in rows:
        if row[:_PER_KEY] == wanted:
            return row
    raise ValueError(f"replay: there is no game {key!r} in this store; the report names the keys of some")


def play_back(tournament: Tournament, row: GameRow) -> Replay:
    """The pictures of a stored game.

    Raises:
        StoreError: if its moves cannot be played: it is damaged, or of another version of the game.
    """
    game = tournament.games[row.event].rules
    episode = episode_of(tournament, game, row)
    captions, pictures = ["start"], [""]
    position = start_of(tournament, game, row)
    decisions = 0
    for action in episode.history:
        if position.turn == CHANCE:
            captions[-1] += f" · {game.outcome_to_str(position, action)}"
        else:
            decisions += 1
            captions.append(
                f"{decisions}. {_name(tournament, row, game, position.turn)}: {game.action_to_str(position, action)}"
            )
            pictures.append("")
        position.push(action)
        pictures[-1] = game.draw(position).svg()
    pictures[0] = pictures[0] or game.draw(start_of(tournament, game, row)).svg()
    ending = ending_of(tournament, row, game, position)
    captions[-1] += f" — {ending}"
    return Replay(f"{_players(tournament, row, game)}: {ending}", key_text(row), captions, *_packed(pictures))


def start_of(tournament: Tournament, game: Game, row: GameRow) -> Position:
    """The position with which a stored game begins; moves of its opening are among those stored."""
    begin = tournament.games[row.event].begin
    return openings_of(game, begin, tournament.seed, np.array([row.pair])).of(game, 0).start


def episode_of(tournament: Tournament, game: Game, row: GameRow) -> Episode:
    """The whole game, played again."""
    damaged = f"the game {key_text(row)} is damaged, or of another version of {game.name}"
    kind = move_type(game)
    if len(row.moves) % kind.itemsize:
        raise StoreError(f"{damaged}: half a move is left over")
    episode = Episode(game, child_key(seed_key(tournament.seed), row.pair), start_of(tournament, game, row), [])
    for action in np.frombuffer(row.moves, dtype=kind).tolist():
        objection = episode.objection(action, resigning=True)
        if objection:
            raise StoreError(f"{damaged}: {objection}")
        episode.play(action)
    return episode


def _name(tournament: Tournament, row: GameRow, game: Game, seat: int) -> str:
    return f"{tournament.labels[entrant_at(row, seat)]} ({game.seat_name(seat)})"


def _players(tournament: Tournament, row: GameRow, game: Game) -> str:
    if row.a == row.b:
        return tournament.labels[row.a]
    return " – ".join(_name(tournament, row, game, seat) for seat in range(game.seats))


def ending_of(tournament: Tournament, row: GameRow, game: Game, position: Position) -> str:
    """How a stored game ended, in words; `position` is its last."""
    if row.ending >= FORFEIT:
        return f"{_name(tournament, row, game, row.ending - FORFEIT)} forfeited: {row.cause}"
    if row.ending == TRUNCATED:
        return "cut off at the maximum length"
    return game.result_text(position) + ", adjudicated" * (row.ending == ADJUDICATED)


def _packed(pictures: list[str]) -> tuple[list[str], list[list[int]]]:
    """The distinct elements of the pictures, and each picture as indices of these."""
    shapes: dict[str, int] = {}
    frames = [[shapes.setdefault(part, len(shapes)) for part in _ELEMENT.findall(picture)] for picture in pictures]
    return list(shapes), frames
