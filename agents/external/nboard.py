"""Othello engines that speak the NBoard protocol, version 2, such as Edax and NTest.

Before each move the engine gets the position with `set game`, and then `go`; its answer is the line `=== move`. It may
write anything else in between, as the protocol allows. `setup` can hold `set depth 8`, for example.
"""

from typing import Any

from ludarium.agents.external.othello_engine import OthelloEngine
from ludarium.agents.external.process import Process
from ludarium.agents.time_control import TimeControl


class NBoardAgent(OthelloEngine):
    """An NBoard engine; see `OthelloEngine`."""

    protocol = "NBoard"
    farewell = "quit"
    _pings = 0

    def clock_objection(self, control: TimeControl) -> str:
        return (
            "it cannot be told of a clock, for which NBoard has no command; take an engine that speaks GTP or JSON "
            "lines, or leave out the clock"
        )

    def greet(self, process: Process) -> None:
        for command in ("nboard 2", *self.setup_commands()):
            process.send(command)
        self._synchronise(process)

    def new_game(self, process: Process, seat: int, seed: int) -> None:
        """Do nothing: each position is set up from scratch."""

    def best_move(self, process: Process, info: dict[str, Any]) -> str:
        squares, side = info["position"].text.replace("X", "*").split()  # in the Generic Game Format; `*` is black
        process.send(f"set game (;GM[Othello]PC[Ludarium]PB[black]PW[white]RE[?]TY[8]BO[8 {squares} {side}];)")
        self._synchronise(process)  # what it says about earlier positions comes before this
        process.send("go")
        while not (line := process.receive().strip()).startswith("==="):
            pass
        move = line.removeprefix("===").partition("/")[0].split()
        if not move:
            raise process.failure(f"answered {line!r}, which holds no move")
        return move[0]

    def _synchronise(self, process: Process) -> None:
        self._pings += 1
        process.send(f"ping {self._pings}")
        while process.receive().split() != ["pong", str(self._pings)]:
            pass
