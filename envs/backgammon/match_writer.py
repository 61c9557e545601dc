"""Backgammon games written as match files in two columns, as `ludarium.envs.backgammon.records` reads them."""

from typing import Any

from ludarium.envs.backgammon import notation
from ludarium.envs.backgammon.rules import DOUBLE, DROP, MOVING, OPENING, PASS, RESIGN, ROLL, SECOND_HALF, TAKE
from ludarium.envs.kernels import CHANCE
from ludarium.envs.records import RecordedGame

_COLUMN = 34  # characters of the left column


def write_match(record: RecordedGame) -> str:
    """The text of a match file; the left column is seat 0. A money game is a match to 0 points.

    Raises:
        ValueError: if the record is of another game, does not begin at the game's own start, or breaks the rules.
    """
    game = record.game
    if game.name != "backgammon" or record.start is not None or game.options["variant"] != "standard":
        raise ValueError(f"a match file cannot hold {game.spec} from {record.start or 'this start'}")
    length, names = game.options["match_length"], record.seats
    position, lines, sheet = game.start(), [f" {length} point match", ""], _Sheet(names, 1, [0, 0])
    actions, outcomes = iter(record.actions), iter(record.script)
    while not position.over:
        before = position.record.score.tolist()
        chosen = next(outcomes if position.turn == CHANCE else actions, None)
        if chosen is None:
            break
        if position.turn != CHANCE:
            sheet.add(position, chosen)
        if chosen < RESIGN:
            position.play(chosen)
        else:
            position.push(chosen)
        after, score = position.record, position.record.score.tolist()
        if score != before or position.over:
            winner = int(after.seat) if position.over else int(score[1] > before[1])
            sheet.end(winner, sum(score) - sum(before) if length else int(after.won))
            lines += sheet.text()
            sheet = _Sheet(names, sheet.number + 1, score)
    return "\n".join([*lines, *(sheet.text() if sheet.cells else [])]) + "\n"


class _Sheet:
    """One game of a match, as it is written."""

    def __init__(self, names: tuple[str, ...], number: int, score: list[int]) -> None:
        self._names, self.number, self._score = names, number, score
        self.cells: list[tuple[int, str]] = []  # by seat, in order

    def add(self, position: Any, action: int) -> None:
        """What a seat decides."""
        record = position.record
        seat, phase = int(record.seat), int(record.phase)
        if action >= RESIGN:  # the points that the other side wins say so
            if phase == SECOND_HALF:  # half a double is no play
                self.cells.pop()
        elif phase in (MOVING, SECOND_HALF):
            moves = "" if action == PASS else notation.action_text(position, action).partition(" (")[0]
            if phase == SECOND_HALF:
                self.cells[-1] = seat, f"{self.cells[-1][1]} {moves}".rstrip()
            else:
                self.cells.append((seat, f"{record.dice[1]}{record.dice[0]}: {moves}".rstrip()))
        elif action != ROLL and phase != OPENING:
            said = {DOUBLE: f" Doubles => {2 << int(record.cube)}", TAKE: " Takes", DROP: " Drops"}
            self.cells.append((seat, said[action]))

    def end(self, winner: int, points: int) -> None:
        """Who won how many points."""
        self.cells.append((winner, f" Wins {points} point{'s' if points != 1 else ''}"))

    def text(self) -> list[str]:
        """The lines of the game."""
        rows: list[list[str]] = []
        last = 1
        for seat, cell in self.cells:
            if seat <= last:
                rows.append(["", ""])
            rows[-1][seat] = cell
            last = seat
        heads = [f"{name} : {points}" for name, points in zip(self._names, self._score, strict=True)]
        lines = [f" Game {self.number}", f" {heads[0]:<{_COLUMN + 4}}{heads[1]}"]
        lines += [f"{n:3}) {left:<{_COLUMN}}{right}".rstrip() for n, (left, right) in enumerate(rows, 1)]
        return [*lines, ""]
