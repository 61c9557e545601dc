"""What agents that run apart are told of their clocks, and that they are ended when their time is up."""

import json
import re

import pytest

from ludarium.agents import make_agent
from ludarium.agents.time_control import LOST_ON_TIME, TimeControl
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

GAME, MOVE = TimeControl(60, 0.5), TimeControl(2.5, per_move=True)


def first(observation, action_mask, info):
    return int(action_mask.argmax())


@pytest.fixture
def timed(command, tmp_path):
    """Play the engine beside the tests with a time control: what it was told of its time."""

    def play(control):
        log = tmp_path / "log"
        engine = f"gtp:{command('othello_engine.py', 'gtp', 'timed')}?log={log}"
        assert not play_match(make_game("othello"), [engine, first], 1, 1, control=control).forfeits
        return log.read_text().splitlines()

    return play


def test_programs_that_speak_json(tictactoe, command, tmp_path):
    heard = tmp_path / "heard"
    bot = f"process:{command('telling_bot.py', heard, 'none', 'no')}"
    assert not play_match(tictactoe, [bot, first], 1, 1, control=GAME).forfeits
    begin, then, *_ = (json.loads(line)["clock"] for line in heard.read_text().splitlines() if '"act"' in line)
    assert begin == {"left": [60.0, 60.0], "increment": 0.5, "per_move": False, "margin": 0.05}
    assert then["left"][0] not in (60.0, 60.5)  # what it took is gone, and the increment is there


def test_engines_that_speak_gtp(timed):
    settings, first, then, *_ = timed(TimeControl(60.9, 0.5))
    assert (settings, first) == ("time_settings 60 0 0", "time_left black 60 0")
    assert re.fullmatch(r"time_left black \d+ 0", then)  # in whole seconds


def test_engines_that_speak_gtp_have_one_stone_for_a_time_per_move(timed):
    told = timed(MOVE)
    assert told[0] == "time_settings 0 2 1"
    assert set(told[1:]) == {"time_settings 0 2 1", "time_left black 2 1", "time_left white 2 1"}


def test_engines_that_cannot_be_told(command):
    def objection(protocol, control, *fault):
        agent = make_agent(f"{protocol}:{command('othello_engine.py', protocol, *fault)}", make_game("othello"))
        agent.reset(0, 0)
        told = agent.clock_objection(control)
        agent.close()
        return told

    assert "for which NBoard has no command" in objection("nboard", GAME)
    assert "does not know the GTP command 'time_settings'" in objection("gtp", GAME)
    assert objection("gtp", TimeControl(1, 0.5), "timed") == ""
    too_short = objection("gtp", TimeControl(0.5, per_move=True), "timed")
    assert too_short == "it cannot be told of 0.5 s a move, since GTP knows whole seconds; give at least 1"


ISOLATED = """
import time

class Tiring:
    seats = []
    def reset(self, seat, seed):
        self.seats.append(seat)
    def act(self, observation, mask, info):
        clock = info["clock"]
        assert clock.left == (1.0, 1.0) and clock.per_move and clock.allowed(info["seat"]) == 1.05
        while len(self.seats) > 1: time.sleep(1)
        return int(mask.argmax())
"""


def test_isolated_agents(tictactoe, tmp_path):
    """It is told of its time, and ended in the second game, in which it never answers."""
    (tmp_path / "bot.py").write_text(ISOLATED)
    control = TimeControl(1, per_move=True)
    match = play_match(tictactoe, [f"isolated:{tmp_path}/bot.py", first], 1, 1, control=control)
    assert [(forfeit.game, forfeit.cause) for forfeit in match.forfeits] == [(1, LOST_ON_TIME)]


def test_a_program_that_hangs_is_ended(tictactoe, command, tmp_path, all_gone):
    pids = tmp_path / "pids"
    bot = f"process:{command('faulty_bot.py', 'stubborn', pids)}?move_time=0.01"  # which a clock replaces
    match = play_match(tictactoe, [bot, first], 1, 1, control=TimeControl(0.3))
    assert [forfeit.cause for forfeit in match.forfeits] == [LOST_ON_TIME] * 2
    assert not all_gone(pids)


def test_a_crash_in_time_is_a_crash(tictactoe, command):
    bot = f"process:{command('faulty_bot.py', 'exit')}"
    assert play_match(tictactoe, [bot, first], 1, 1, control=GAME).forfeits[0].cause == "exited with status 3"
