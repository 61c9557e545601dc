"""Bots in any language: programs that read and write JSON, one object per line.

`docs/agents/programs.md` has the protocol.
"""

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.external.process import Process, ProcessAgent, shortened

PROTOCOL = 1
"""Version of the protocol."""
_OBSERVATIONS = ("list", "base64", "none")


class JSONLinesAgent(ProcessAgent):
    """A bot that speaks JSON lines; `setup` is passed on to it in `hello`.

    See `ProcessAgent` for the arguments, and `examples/bots` for bots.
    """

    farewell = json.dumps({"type": "end"})
    _observation = "list"
    _wants_position = False
    needs_view = False

    def greet(self, process: Process) -> None:
        game = self.game
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "game": game.name,
            "options": game.options,
            "seats": game.seats,
            "seat_names": list(game.seat_names),
            "actions": game.actions,
            "observation_shape": list(game.observation_shape),
            "max_moves": game.max_moves,
            "move_time": self._move_time,
            "setup": self.setup,
        }
        answer = self._ask(process, hello)
        if answer.get("protocol") != PROTOCOL:
            raise process.failure(f"speaks protocol {answer.get('protocol')!r}, not {PROTOCOL}")
        self._observation = answer.get("observation", "list")
        if self._observation not in _OBSERVATIONS:
            expected = ", ".join(map(repr, _OBSERVATIONS))
            raise process.failure(f"asks for the observation as {self._observation!r}, not as one of {expected}")
        self._wants_position = bool(answer.get("needs_state", False))
        if self._wants_position and game.hidden_information:
            raise process.failure(f"needs the position, which {game.name}, with its hidden information, withholds")
        self.needs_view = bool(answer.get("needs_view", False))
        if self.needs_view and game.view is None:
            raise process.failure(f"needs the view, which {game.spec} does not have")

    def new_game(self, process: Process, seat: int, seed: int) -> None:
        # 53 bits: what a language whose numbers are doubles can read
        self._send(process, {"type": "newgame", "seat": seat, "seed": seed % 2**64 >> 11})

    def choose(
        self, process: Process, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        message: dict[str, Any] = {"type": "act", "legal": np.flatnonzero(action_mask).tolist()}
        if self._observation == "list":
            message["observation"] = observation.reshape(-1).tolist()
        elif self._observation == "base64":
            message["observation"] = base64.b64encode(observation.tobytes()).decode()
        if self._wants_position:
            message["position"] = info["position"].text
        if self.needs_view:
            message["view"] = {name: info["view"][name].tolist() for name in info["view"].dtype.names}
        if "clock" in info:
            message["clock"] = info["clock"]._asdict()
        action = self._ask(process, message).get("action")
        if type(action) is not int:
            raise process.failure(f"answered with the action {action!r}, which is not an integer")
        return action

    def _send(self, process: Process, message: dict[str, Any]) -> None:
        process.check_silence()
        process.send(json.dumps(message, separators=(",", ":")))

    def _ask(self, process: Process, message: dict[str, Any]) -> dict[str, Any]:
        self._send(process, message)
        line = process.receive()
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            text = "which is not a JSON object; messages for people go to standard error"
            raise process.failure(f"answered {shortened(line)}, {text}")
        return answer
