"""Othello engines that speak the Go Text Protocol, version 2 (Farnebäck 2002), such as Debian's `gtp-rhino`.

Squares are Othello's: `a1` is the top left corner. After `clear_board` the engine gets the other side's moves with
`play` and is asked for its own with `genmove`. Engines differ about passes, so an engine may refuse a `play` that
passes. In timed games it hears of its time before each `genmove`: GTP knows whole seconds, and no increments.
"""

from typing import Any

from ludarium.agents.external.othello_engine import OthelloEngine
from ludarium.agents.external.process import Process
from ludarium.agents.time_control import TimeControl, TimeLeft
from ludarium.envs.position import Position


class GTPAgent(OthelloEngine):
    """A GTP engine; see `OthelloEngine`."""

    protocol = "GTP"
    farewell = "quit"
    _board: Position
    _moves = 0  # on the board
    _own = -1  # number of the last move it generated: it has played this one itself
    _known: tuple[str, ...] = ()  # its commands

    def clock_objection(self, control: TimeControl) -> str:
        for command in ("time_settings", "time_left"):
            if command not in self._known:
                return f"it cannot be told of a clock, since it does not know the GTP command {command!r}"
        if control.seconds < 1:
            return f"it cannot be told of {control}, since GTP knows whole seconds; give at least 1"
        return ""

    def greet(self, process: Process) -> None:
        self._known = tuple(self._order(process, "list_commands").split())
        for command in ("clear_board", "play", "genmove"):
            if command not in self._known:
                raise process.failure(f"does not know the GTP command {command!r}")
        for command in [*(["boardsize 8"] if "boardsize" in self._known else []), *self.setup_commands()]:
            self._order(process, command)

    def new_game(self, process: Process, seat: int, seed: int) -> None:
        self._order(process, "clear_board")
        self._board, self._moves = self.game.start(), 0
        self._own = -1

    def best_move(self, process: Process, info: dict[str, Any]) -> str:
        for action in info["history"][self._moves :]:
            if self._moves != self._own:
                self._tell(process, self.game.action_to_str(self._board, action))
            self._board.push(action)
            self._moves += 1
        if self._board != info["position"]:
            raise process.failure("cannot be given a game that begins with another position")
        if "clock" in info:
            self._tell_time(process, info["clock"], info["seat"])
        self._own = self._moves
        return self._order(process, f"genmove {self._color()}")

    def _tell(self, process: Process, move: str) -> None:
        order = f"play {self._color()} {move}"
        fine, answer = self._command(process, order)
        if not fine and move != "pass":
            raise process.failure(f"refused {order!r}: {answer}")

    def _tell_time(self, process: Process, clock: TimeLeft, seat: int) -> None:
        """A time for each move is a period of overtime in which one stone is to be played."""
        seconds, stones = int(clock.left[seat]), int(clock.per_move)
        if self._own < 0:  # the first time that it is asked in this game
            self._order(process, f"time_settings 0 {seconds} 1" if stones else f"time_settings {seconds} 0 0")
        self._order(process, f"time_left {self._color()} {seconds} {stones}")

    def _color(self) -> str:
        return self.game.seat_names[self._board.turn]

    def _order(self, process: Process, command: str) -> str:
        """Send a command that must succeed; return the answer."""
        fine, answer = self._command(process, command)
        if not fine:
            raise process.failure(f"refused {command!r}: {answer}")
        return answer

    def _command(self, process: Process, command: str) -> tuple[bool, str]:
        """Send a command; return whether it succeeded, and the answer: `= …` or `? …`, up to an empty line."""
        process.check_silence()
        process.send(command)
        while not (line := process.receive().strip()):
            pass
        if line[:1] not in ("=", "?"):
            raise process.failure(f"answered {line!r} to {command!r}, but GTP answers begin with = or ?")
        fine, answer = line[0] == "=", line[1:].strip()
        while line := process.receive().strip():
            answer += "\n" + line
        return fine, answer.strip()
