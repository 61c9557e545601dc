"""Agents that ask for their view get it, and the same one, wherever and however they play."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import ludarium  # registers the games  # noqa: F401
from ludarium.agents import Agent, check_agent, make_agent
from ludarium.agents.agent import CompiledAgent
from ludarium.agents.compiled.noisy import noisy_policy
from ludarium.envs.batch import FINISHED
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.kernels import ACTIONS, Bytes, Int8s, Record, view
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT, play_match

BOTS = Path(__file__).parent / "external"


def by_view(game: Any, state: Bytes, observation: Int8s, mask: Int8s, block: Record, stream: Bytes) -> int:
    """An action that depends on what an observation does not hold: when the hints were given, and to whom."""
    v = view(state, VIEW)
    number = 7 * v.seat + v.moves
    for i in range(v.moves):
        number = (31 * number + 5 * v.move_target[i] + v.move_kind[i] + v.move_touched[i]) % 1009
    for seat in range(v.seats):
        for slot in range(v.held[seat]):
            number += v.age[seat, slot] + 3 * v.last_hint[seat, slot] + 5 * v.fresh[seat, slot] * v.possible[seat, slot]
    count = 0
    for action in range(game[ACTIONS]):
        count += mask[action]
    nth = number % count
    for action in range(game[ACTIONS]):
        nth -= mask[action]
        if nth < 0:
            return action
    return -1


class InPython(Agent):
    """The same in Python."""

    needs_view = True

    def __call__(self, observation: Any, action_mask: Any, info: dict[str, Any]) -> int:
        assert info["view"].dtype.fields == VIEW.fields
        data = info["view"].tobytes()
        return make_policy().choose(
            info["game"], np.frombuffer(data, dtype=np.uint8).copy(), observation, action_mask, np.zeros(2, np.uint64)
        )


def make_policy() -> Policy:
    return Policy(by_view, needs_view=True)


@pytest.mark.parametrize("seats", [2, 5])
def test_a_view_is_the_same_in_compiled_loops_and_in_python(seats: int) -> None:
    game = Hanabi(seats=seats)
    matches = [
        play_match(game, [agent], 4, seed=1)
        for agent in (make_policy(), InPython(), noisy_policy(make_policy(), 0.0), CompiledAgent("one", make_policy()))
    ]
    for match in matches:
        assert (match.endings == FINISHED).all()
        assert np.array_equal(match.payoffs, matches[0].payoffs)
        assert match.decisions == matches[0].decisions


def test_opponents_of_environments_get_their_views() -> None:
    """A compiled opponent in the vector environment, and one in Python beside the single environment."""
    many = gymnasium.make_vec("ludarium/Hanabi-v0", num_envs=1, opponent=make_policy())
    one = gymnasium.make("ludarium/Hanabi-v0", opponent=InPython()).unwrapped
    seen, infos = many.reset(seed=4)
    other, info = one.reset(seed=4)
    for _ in range(5):
        assert np.array_equal(infos["action_mask"][0], info["action_mask"])
        action = int(np.flatnonzero(info["action_mask"])[-1])
        seen, _, over, _, infos = many.step(np.array([action]))
        other, _, _, _, info = one.step(action)
        if over[0]:
            break
        assert np.array_equal(seen[0], other)


SOURCE = """
import numpy as np
from ludarium.agents import Agent

class Viewer(Agent):
    needs_view = True
    def __call__(self, observation, mask, info):
        view = info["view"]
        assert view.color[0].tolist() == [-1] * 5 and view.turn == 0 and view.seat == info["seat"]
        return int(np.flatnonzero(mask)[int(view.age.sum() + view.moves) % mask.sum()])
"""


def test_an_agent_in_its_own_process_gets_its_view(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(SOURCE)
    game = Hanabi()
    check_agent(f"{path}:Viewer", game, games=2)
    inside, outside = (play_match(game, [spec], 2, seed=5) for spec in (f"{path}:Viewer", f"isolated:{path}:Viewer"))
    assert (outside.endings == FINISHED).all()
    assert np.array_equal(outside.payoffs, inside.payoffs)
    assert outside.decisions == inside.decisions


def telling_bot(heard: Path) -> str:
    return "process:" + shlex.join([sys.executable, str(BOTS / "telling_bot.py"), str(heard), "none", "view"])


def test_a_program_is_sent_its_view(tmp_path: Path) -> None:
    """The same fields and numbers as in Python, at every decision."""
    shown: list[dict[str, Any]] = []

    class First(Agent):
        needs_view = True

        def __call__(self, observation: Any, action_mask: Any, info: dict[str, Any]) -> int:
            shown.append({name: info["view"][name].tolist() for name in VIEW.names or ()})
            return int(np.flatnonzero(action_mask)[0])

    game, heard = Hanabi(preset="small"), tmp_path / "heard"
    play_match(game, [First()], 1, seed=3)
    play_match(game, [telling_bot(heard)], 1, seed=3)
    sent = [json.loads(line) for line in heard.read_text().splitlines()]
    seen = [message["view"] for message in sent if message["type"] == "act"]
    assert sorted(seen, key=str) == sorted(shown, key=str)
    assert all("observation" not in message for message in sent)


def test_games_without_views_refuse_agents_that_need_one(tmp_path: Path) -> None:
    needs = "needs the view, which this game does not have"
    for spec in ("tictactoe", "hanabi?observation=minimal"):
        game = make_game(spec)
        with pytest.raises(ValueError, match=needs):
            make_agent(InPython(), game)
        with pytest.raises(ValueError, match=needs):
            make_agent(make_policy(), game)
    match = play_match(make_game("hanabi?observation=minimal"), [telling_bot(tmp_path / "heard")], 1, seed=1)
    assert (match.endings == FORFEIT).any()
    assert "needs the view, which hanabi?observation=minimal does not have" in match.forfeits[0].cause


def test_an_agent_that_is_not_given_its_view_says_so() -> None:
    game = Hanabi()
    agent, position = CompiledAgent("viewer", make_policy()), game.start()
    with pytest.raises(ValueError, match=r"the agent 'viewer' needs the view in info\['view'\]"):
        agent(position.observe(0), position.action_mask(), {"seat": 0, "game": game})
