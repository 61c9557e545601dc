"""The games of a store in the formats of other programs, and as text, CSV or JSON lines for every game."""

import csv
import io
import itertools
import json
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ludarium.envs.chance import is_secret
from ludarium.envs.game import Game
from ludarium.envs.kernels import CHANCE
from ludarium.envs.record_files import WRITERS
from ludarium.envs.records import RecordedGame
from ludarium.envs.records import start_of as recorded_start
from ludarium.envs.registry import make_game
from ludarium.evaluation.report.replay import ending_of, episode_of, key_text, start_of
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.schedule import games_in_all
from ludarium.evaluation.tournament.store import GameRow

JSONL, CSV, TEXT = "jsonl", "csv", "text"
_WIDTH, _KEPT = 100, "\u00a0"
_COLUMNS = ("key", "game", "pair", "leg", "players", "payoffs", "ending", "start", "clock", "moves", "record")


def formats(game: Game) -> list[str]:
    """The formats in which stored games can be written."""
    return [JSONL, CSV, TEXT, *WRITERS.get(game.name, ())]


def export(tournament: Tournament, rows: Iterable[GameRow], format_name: str) -> Iterator[str]:
    """Games as text, one piece each, after the head that the format may have.

    While games with a secret seed are still to be played, pairs that are not complete are left out: the dice and cards
    of their other game are the same.

    Args:
        tournament: the tournament.
        rows: games of its store, in the order of their keys.
        format_name: one of `formats`.

    Raises:
        ValueError: if one of the games has no such format, or does not fit into it.
        StoreError: if a game cannot be played again.
    """
    games = [make_game(entry.game) for entry in tournament.games]
    rows = _public_games(tournament, games, list(rows))
    for event in sorted({row.event for row in rows}):
        if format_name not in formats(games[event]):
            raise ValueError(
                f"export: {games[event].spec} is written as {', '.join(formats(games[event]))}, not as {format_name!r}"
            )
    if format_name == CSV:
        yield _csv_line(_COLUMNS)
    for row in rows:
        game = games[row.event]
        record = recorded(tournament, game, row)
        if format_name in _OWN:
            yield _OWN[format_name](tournament, row, record)
        else:
            yield WRITERS[game.name][format_name][1](record).rstrip("\n") + "\n"


def recorded(tournament: Tournament, game: Game, row: GameRow) -> RecordedGame:
    """A stored game with its dice or cards, as readers and writers of records know it."""
    episode, position = episode_of(tournament, game, row), start_of(tournament, game, row)
    start = None if position == game.start() else position.text
    script, actions = list[int](), list[int]()
    for number in episode.history:
        (script if position.turn == CHANCE else actions).append(number)
        position.push(number)
    seated = [entrant_at(row, seat) for seat in range(game.seats)]
    names = tuple(tournament.labels[entrant] for entrant in seated)
    payoffs = tuple(row.payoff_a if entrant == row.a else row.payoff_b for entrant in seated)
    return RecordedGame(game, names, start, script, actions, ending_of(tournament, row, game, position), payoffs)


def _public_games(tournament: Tournament, games: list[Game], rows: list[GameRow]) -> list[GameRow]:
    """The games that may be told."""
    if not is_secret(tournament.seed) or len(rows) >= games_in_all(tournament):
        return rows
    public = []
    for pair, legs in itertools.groupby(rows, key=lambda row: row[:4]):
        both = list(legs)
        alone = games[pair[0]].cooperative and pair[1] == pair[2]
        public += both if alone or len(both) > 1 else []
    return public


def _notation(record: RecordedGame) -> Iterator[str]:
    """The moves, and in braces what chance gave before them."""
    position, script, number = recorded_start(record), iter(record.script), 0
    for action in [*record.actions, None]:
        while position.turn == CHANCE and (outcome := next(script, None)) is not None:
            yield f"{{{record.game.outcome_to_str(position, outcome)}}}"
            position.push(outcome)
        if action is not None:
            number += 1
            yield f"{number}. {record.game.action_to_str(position, action)}"
            position.push(action)


def _text(tournament: Tournament, row: GameRow, record: RecordedGame) -> str:
    """Tags in brackets, then the numbered moves, as in portable game notation."""
    tags = {"Event": tournament.name, "Game": record.game.spec, "Round": f"{row.pair + 1}.{row.leg + 1}"}
    tags |= {record.game.seat_name(seat).capitalize(): name for seat, name in enumerate(record.seats)}
    tags |= {"Start": record.start} if record.start is not None else {}
    clock = tournament.games[row.event].clock
    tags |= {"TimeControl": clock, "Reproducible": "no"} if clock else {}
    tags |= {"Result": " ".join(f"{payoff:g}" for payoff in record.payoffs or ()), "Ending": record.result}
    head = "\n".join(f"[{name} {json.dumps(value, ensure_ascii=False)}]" for name, value in tags.items())
    moves = " ".join(part.replace(" ", _KEPT) for part in _notation(record))  # a number stays with its move
    return f"{head}\n\n{textwrap.fill(moves, _WIDTH, break_long_words=False).replace(_KEPT, ' ')}\n\n"


def _row(tournament: Tournament, row: GameRow, record: RecordedGame) -> str:
    players, payoffs = "; ".join(record.seats), "; ".join(f"{payoff:g}" for payoff in record.payoffs or ())
    start = key_text(row), record.game.spec, row.pair, row.leg, players, payoffs
    begin = record.start, tournament.games[row.event].clock
    return _csv_line((*start, record.result, *begin, len(record.actions), " ".join(_notation(record))))


def _csv_line(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _line(tournament: Tournament, row: GameRow, record: RecordedGame) -> str:
    clock = tournament.games[row.event].clock
    content = {
        **{"key": key_text(row), "game": record.game.spec, "pair": row.pair, "leg": row.leg, "seats": record.seats},
        **({} if record.start is None else {"start": record.start}),
        **({"clock": clock, "reproducible": False} if clock else {}),
        **{"chance": record.script, "actions": record.actions, "moves": list(_notation(record))},
        **{"payoffs": record.payoffs, "ending": record.result},
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


_OWN: dict[str, Callable[[Tournament, GameRow, RecordedGame], str]] = {JSONL: _line, CSV: _row, TEXT: _text}
