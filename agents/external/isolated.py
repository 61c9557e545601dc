"""Python agents in a process of their own, with the limits of programs: `isolated:bot.py:clever?move_time=1`.

They play the same moves as in this process. But they see nothing except what they are shown, and what they break is
theirs: `isolated_host.py` runs them. The messages are those of `subprocess.py`, with a few additions.
"""

import base64
import json
import shlex
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import AgentFailure
from ludarium.agents.external.process import Process, Refusal
from ludarium.agents.external.subprocess import JSONLinesAgent
from ludarium.envs.game import Game

_HOST = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from ludarium.agents.external.isolated_host import serve
serve(sys.argv[2])
"""


class IsolatedAgent(JSONLinesAgent):
    """A Python agent in a process of its own.

    It is started at once, to learn whether it needs positions and whether it answers for many games in one call. See
    `ProcessAgent` for the other options.

    Args:
        game: the game it will play.
        spec: spec of the agent.
        start_time: seconds to start.
        move_time: seconds for each move, in games without a clock; in a call for n games, n times as many.

    Raises:
        ValueError: if the agent cannot be made, or an option is out of range.
    """

    def __init__(
        self,
        game: Game,
        spec: str,
        *,
        start_time: float = 60.0,
        move_time: float = 60.0,
        memory: int = 4096,
        processes: int = 64,
        output: int = 1 << 20,
        log: str = "",
    ) -> None:
        command = shlex.join([sys.executable, "-P", "-c", _HOST, json.dumps(sys.path), spec])
        super().__init__(
            game,
            command,
            start_time=start_time,
            move_time=move_time,
            memory=memory,
            processes=processes,
            output=output,
            log=log,
        )
        self._bounds["echo"] = True
        self.name = spec
        try:
            with self._watched():
                self._started()
        except Refusal as error:  # it names the agent
            self.close()
            raise ValueError(f"{error}") from None
        except AgentFailure as error:
            raise ValueError(f"agent {spec!r}: it cannot be made: its process {error}") from None

    def greet(self, process: Process) -> None:
        answer = self._answer(process, {"type": "hello", "game": self.game.name, "options": self.game.options})
        self.needs_state, self.needs_view = bool(answer["needs_state"]), bool(answer["needs_view"])
        self.act_batch = self._act_batch if answer["act_batch"] else None

    def new_game(self, process: Process, seat: int, seed: int) -> None:
        self._answer(process, {"type": "newgame", "seat": seat, "seed": seed})

    def choose(
        self, process: Process, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        action: int = self._answer(process, {"type": "act", **_question(observation, action_mask, info)})["action"]
        return action

    def _act_batch(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8], infos: list[dict[str, Any]]
    ) -> list[int]:
        asked = [_question(*one) for one in zip(observations, action_masks, infos, strict=True)]
        with self._watched():
            process = self._process or self._started()
            process.allow(len(asked) * self._move_time)
            actions: list[int] = self._answer(process, {"type": "act_batch", "games": asked})["actions"]
            return actions

    def _answer(self, process: Process, message: dict[str, Any]) -> dict[str, Any]:
        answer = self._ask(process, message)
        if "error" in answer:
            raise Refusal(answer["error"])
        return answer

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "act_batch": None}  # a copy asks its own process

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        with self._watched():
            self._started()


def _question(observation: NDArray[np.int8], mask: NDArray[np.int8], info: dict[str, Any]) -> dict[str, Any]:
    """What the agent is asked, as JSON."""
    question: dict[str, Any] = {
        "legal": np.flatnonzero(mask).tolist(),
        "observation": base64.b64encode(observation.tobytes()).decode(),
        **{key: info[key] for key in ("seat", "seed", "decision") if key in info},
    }
    if "position" in info:
        question["state"] = base64.b64encode(info["position"].data.tobytes()).decode()
        question["history"] = info["history"]
    if "view" in info:
        question["view"] = base64.b64encode(info["view"].tobytes()).decode()
    if "clock" in info:
        question["clock"] = info["clock"]._asdict()
    return question
