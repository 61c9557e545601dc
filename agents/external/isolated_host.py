"""The process of an isolated agent: makes it, and asks it what `isolated.py` sends, one JSON object per line.

What the agent prints goes to standard error; only answers go to standard output.
"""

import base64
import json
import operator
import os
import sys
from typing import Any, NoReturn

import numpy as np

from ludarium.agents.agent import Agent, AgentFailure
from ludarium.agents.specs import make_agent
from ludarium.agents.time_control import TimeLeft
from ludarium.envs.game import Game
from ludarium.envs.policy import policy_rows
from ludarium.envs.position import Position
from ludarium.envs.registry import make_game


def serve(spec: str) -> NoReturn:
    """Serve the agent of a spec until the input ends; end with it, whatever threads it has left."""
    questions, answers = os.fdopen(os.dup(0)), os.dup(1)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    host = _Host(spec)
    for line in questions:
        message = json.loads(line)
        if message["type"] == "end":
            break
        try:
            answer = host.answers[message["type"]](message)
        except BaseException as error:  # in words, as for agents in the same process
            answer = {"error": str(error) if isinstance(error, AgentFailure) else f"raised {error!r}"}
        _write(answers, json.dumps(answer))
    os._exit(0)


class _Host:
    def __init__(self, spec: str) -> None:
        self._spec = spec
        self._game: Game
        self._agent: Agent
        self.answers = {"hello": self._hello, "newgame": self._reset, "act": self._act, "act_batch": self._act_batch}

    def _hello(self, message: dict[str, Any]) -> dict[str, Any]:
        self._game = make_game(message["game"], **message["options"])
        try:
            self._agent = make_agent(self._spec, self._game)
        except (ValueError, TypeError) as error:  # its text is made for people
            raise AgentFailure(str(error)) from error
        if self._agent.needs_state:
            Position(self._game).legal_actions()  # compiles, before the clock of the first move starts
        if self._agent.policy is not None:
            policy_rows(self._game, [self._agent.policy])  # likewise
        return {name: bool(getattr(self._agent, name)) for name in ("needs_state", "needs_view", "act_batch")}

    def _reset(self, message: dict[str, Any]) -> dict[str, Any]:
        self._agent.reset(message["seat"], message["seed"])
        return {}

    def _act(self, message: dict[str, Any]) -> dict[str, Any]:
        return {"action": self._integer(self._agent(*self._shown(message)))}

    def _act_batch(self, message: dict[str, Any]) -> dict[str, Any]:
        observations, masks, infos = zip(*map(self._shown, message["games"]), strict=True)
        assert self._agent.act_batch is not None
        actions = list(self._agent.act_batch(np.stack(observations), np.stack(masks), list(infos)))
        if len(actions) != len(infos):
            raise AgentFailure(f"returned {len(actions)} actions for {len(infos)} games")
        return {"actions": [self._integer(action) for action in actions]}

    def _shown(self, question: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
        """The arguments of `Agent.__call__`."""
        game = self._game
        observation = np.frombuffer(base64.b64decode(question["observation"]), dtype=np.int8).copy()
        mask = np.zeros(game.actions, dtype=np.int8)
        mask[question["legal"]] = 1
        info: dict[str, Any] = {"game": game}
        info |= {key: question[key] for key in ("seat", "seed", "decision") if key in question}
        if "state" in question:
            data = np.frombuffer(base64.b64decode(question["state"]), dtype=np.uint8).copy()
            info |= {"position": Position(game, data), "history": tuple(question["history"])}
        if "view" in question:
            data = np.frombuffer(base64.b64decode(question["view"]), dtype=np.uint8).copy()
            info["view"] = data.view(np.dtype((np.record, game.view)))[0]
        if "clock" in question:
            left = tuple(question["clock"]["left"])
            info["clock"] = TimeLeft(**{**question["clock"], "left": left})
        return observation.reshape(game.observation_shape), mask, info

    def _integer(self, answer: Any) -> int:
        try:
            return int.__int__(operator.index(answer))
        except TypeError:
            raise AgentFailure(f"{self._game.name}: an action is an integer, not {answer!r}") from None


def _write(stream: int, line: str) -> None:
    rest = memoryview(f"{line}\n".encode())
    while rest:
        rest = rest[os.write(stream, rest) :]
