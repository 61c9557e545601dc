"""Games in and out: our own JSON for every game, what the programs of each game read, and the games of a store."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.game import Game
from ludarium.envs.hanabi.records import write_json
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.record_files import WRITERS, read_records
from ludarium.envs.records import RecordedGame, RecordError
from ludarium.envs.registry import make_game
from ludarium.evaluation.report.content import read_store
from ludarium.evaluation.report.replay import ending_of, episode_of, find_game, key_text, start_of
from ludarium.evaluation.table.plan import ME, Move, Plan
from ludarium.evaluation.table.positions import Line
from ludarium.evaluation.table.refusal import Body, Refusal
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.store import GameRow

_OWN = "ludarium"
_FORMAT = 1
_FELLOW = "greedy"
_LONGEST_SPEC, _LONGEST_TEXT, _LONGEST_START = 500, 500, 10_000
_MOST_MOVES = 10_000  # the page shows them all, and no match is so long
_MOST_NOTES, _MOST_SEATS = 20, 10
_MOST_LISTED = 500  # games of a store
_LARGEST = 2**31 - 1  # number of an action or outcome


def formats(game: Game) -> list[str]:
    """The formats in which a game can be written."""
    return [_OWN, *WRITERS.get(game.name, ())]


def written(plan: Plan, line: Line, moves: list[Move], ending: str, format_name: str) -> tuple[str, str]:
    """A game as a file: its name and its text.

    Args:
        plan: what it was set up with.
        line: what happened.
        moves: the decisions.
        ending: how it ended; empty if it did not.
        format_name: one of `formats`.

    Raises:
        Refusal: if there is no such format, the game does not fit into it, or its cards are still hidden.
    """
    if plan.made.hidden_information and plan.people and not ending:
        raise Refusal("the record has the hidden cards; it can be had when the game is over", 403)
    script, position = [], plan.start_position.copy()
    for number in line.history:
        if position.turn == CHANCE:
            script.append(number)
        position.push(number)
    actions = [move.action for move in moves]
    names = tuple(plan.names or (spec if spec != ME else "person" for spec in plan.seats))
    record = RecordedGame(plan.made, names, plan.start, script, actions)
    if format_name == _OWN:
        content = {"format": _FORMAT, "game": plan.game, "seats": names, "start": plan.start}
        content |= {"chance": script, "actions": actions, "moves": [move.text for move in moves], "ending": ending}
        return f"{plan.made.name}.json", json.dumps({_OWN: content}, indent=1) + "\n"
    if format_name not in WRITERS.get(plan.made.name, ()):
        raise Refusal(f"{plan.made.name} is written as {', '.join(formats(plan.made))}, not as {format_name[:40]!r}")
    ending, write = WRITERS[plan.made.name][format_name]
    try:
        return f"{plan.made.name}.{ending}", write(record)
    except ValueError as error:
        raise Refusal(f"{error}", 409) from None


def read(name: str, text: str) -> tuple[Plan, dict[str, Any]]:
    """The first game of a file that can be read, for a session: its plan, and what an earlier life would have kept.

    Args:
        name: the file's name, whose ending tells what it is.
        text: its content.

    Raises:
        Refusal: if there is no game in it.
    """
    try:
        record = _own(text) or _foreign(name, text)
        return taken_up(record)
    except (RecordError, ValueError, TypeError) as error:
        raise Refusal(f"{error}") from None


def read_data(name: str, text: str) -> str:
    """What `read` finds as JSON, for another process: an object with the `plan` and what was `kept`.

    Raises:
        Refusal: as `read` does.
    """
    plan, kept = read(name, text)
    return json.dumps({"plan": plan.data(), "kept": kept})


def prepare() -> None:
    """Read a game of each kind, so that all is compiled that reading needs: on a new machine this takes a minute."""
    hanabi = make_game("hanabi")
    read("game.txt", "f5d6")
    read("game.mat", " 0 point match\n Game 1\n A : 0  B : 0\n  1) 31: 8/5 6/5\n")
    read("game.json", write_json(RecordedGame(hanabi, hanabi.seat_names)))


def _own(text: str) -> RecordedGame | None:
    """A game in our own format; None if it is another."""
    try:
        content = json.loads(text)[_OWN]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if not isinstance(content, dict):
        raise ValueError(f"{_OWN}: the record must be an object with its format, game, seats, chance and actions")
    try:
        fields = Body(content, ("format", "game", "seats", "start", "chance", "actions", "moves", "ending"))
        fields.number("format", _FORMAT, _FORMAT)
        game = make_game(fields.text("game", _LONGEST_SPEC))
        return RecordedGame(
            game,
            tuple(fields.texts("seats", _MOST_SEATS, _LONGEST_TEXT)),
            fields.text("start", _LONGEST_START) if "start" in fields else None,
            fields.numbers("chance", _MOST_MOVES, 0, _LARGEST),
            fields.numbers("actions", _MOST_MOVES, 0, _LARGEST),
            fields.text("ending", _LONGEST_TEXT) if "ending" in fields else "",  # earlier versions wrote none
        )
    except Refusal as refusal:
        raise ValueError(f"{_OWN}: the record cannot be read: {refusal}") from None


def _foreign(name: str, text: str) -> RecordedGame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"game{Path(name).suffix.lower()[:8]}"
        path.write_text(text, encoding="utf-8")
        items = list(read_records(path))
    games = [one for one in items if isinstance(one, RecordedGame)]
    problems = [one for one in items if isinstance(one, RecordError)]
    if not games:
        raise problems[0] if problems else ValueError("there is no game in this file")
    before = items.index(games[0])  # so many cannot be read
    notes = [f"{problem}" for problem in problems[:before]]
    if len(items) > 1:
        notes.append(f"the file holds {len(items)} games; this is number {before + 1}")
    return replace(games[0], repairs=(*notes, *games[0].repairs))


def taken_up(record: RecordedGame) -> tuple[Plan, dict[str, Any]]:
    """A recorded game for a session: people in all seats, or, where cards are hidden, agents that wait.

    Raises:
        ValueError: if it breaks the rules.
    """
    game = record.game
    if max(len(record.script), len(record.actions)) > _MOST_MOVES:
        raise ValueError(f"{game.name}: a game of more than {_MOST_MOVES} moves or outcomes cannot be opened here")
    if len(record.seats) != game.seats:
        raise ValueError(f"{game.name}: a record has the names of {game.seats} seats, not {len(record.seats)}")
    specs = [_FELLOW if game.hidden_information else ME] * game.seats
    names = [_shortened(name) for name in record.seats]
    plan = Plan.of(game.spec, specs, 0, record.start, record.script, names)
    start = None if record.start is None else plan.start_position
    episode, moves = Episode(game, child_key(seed_key(0), 0), start, list(record.script)), []
    for number, action in enumerate(record.actions, 1):
        objection = episode.objection(action, resigning=True)
        if objection:
            raise ValueError(f"move {number}: {objection}")
        moves.append(Move(episode.turn, action, game.action_to_str(episode.position, action)))
        episode.play(action)
    result = game.result_text(episode.position) if episode.turn == OVER else _told(record)
    notes = [*map(_shortened, record.repairs[:_MOST_NOTES]), *filter(None, [_shortened(record.note)])]
    if len(record.repairs) > _MOST_NOTES:
        notes.append(f"and {len(record.repairs) - _MOST_NOTES} more repairs")
    result = _shortened(result)
    kept = {"moves": moves, "history": episode.history, "ending": result, "result": result, "paused": True}
    return plan, kept | {"notes": notes}


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 2]} …"


def _told(record: RecordedGame) -> str:
    """How the file says that a game ended which the rules would go on with; empty if it did not."""
    if record.result in ("", "?"):
        return ""
    return f"{record.result} ({record.note})" if record.note else record.result


class StoredGames:
    """A store, read once.

    Args:
        path: its file.

    Raises:
        StoreError: if it is not a store.
        FileNotFoundError: if there is none.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._tournament, self._rows, *_ = read_store(path)

    def listed(self) -> dict[str, Any]:
        """The first games, in a few words each."""
        games = [
            {
                "key": key_text(row),
                "game": self._tournament.games[row.event].game,
                "names": [self._tournament.labels[entrant] for entrant in (row.a, row.b)[:: -1 if row.leg else 1]],
                "payoff": row.payoff_b if row.leg else row.payoff_a,
            }
            for row in self._rows[:_MOST_LISTED]
        ]
        return {"name": self.name, "count": len(self._rows), "games": games}

    def taken_up(self, key: str) -> tuple[Plan, dict[str, Any]]:
        """One game for a session, see `records.taken_up`.

        Raises:
            Refusal: if there is no such game, or it is damaged.
        """
        try:
            row = find_game(self._rows, key)
            game = make_game(self._tournament.games[row.event].game)
            return self._session(row, game)
        except (ValueError, TypeError) as error:
            raise Refusal(f"{error}", 404) from None

    def _session(self, row: GameRow, game: Game) -> tuple[Plan, dict[str, Any]]:
        position, script, actions = start_of(self._tournament, game, row), list[int](), list[int]()
        start = None if position == game.start() else position.text
        for number in episode_of(self._tournament, game, row).history:
            (script if position.turn == CHANCE else actions).append(number)
            position.push(number)
        names = tuple(self._tournament.labels[entrant_at(row, seat)] for seat in range(game.seats))
        plan, kept = taken_up(RecordedGame(game, names, start, script, actions))
        ending = ending_of(self._tournament, row, game, position)
        return plan, kept | {"ending": ending, "result": ending}
