"""Bots in other languages: the protocol, and that nothing they do wrong costs more than their game."""

import base64
import json
import pickle
import re
import shutil
import signal
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents import check_agent, make_agent
from ludarium.agents.agent import AgentFailure
from ludarium.agents.external.process import Process
from ludarium.agents.external.subprocess import JSONLinesAgent
from ludarium.envs.batch import FINISHED
from ludarium.envs.conformance import ConformanceError
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT, play_match

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "bots"
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what belongs to a bot")


def first(observation, action_mask, info):
    return int(action_mask.argmax())


# --- those that behave ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["tictactoe", "hexapawn", "othello?size=6", "backgammon", "hanabi?preset=very-small"])
def test_the_python_example_keeps_the_contract(spec):
    check_agent(f"process:{sys.executable} {EXAMPLES / 'seeded.py'}", make_game(spec), games=2)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("spec", ["othello", "hanabi"])
def test_the_javascript_example_plays_as_it_would_inside(spec):
    game = make_game(spec)
    bot = f"process:node {EXAMPLES / 'first.js'}"
    check_agent(bot, game, games=1)
    others = [] if game.cooperative else ["random"]
    outside, inside = (play_match(game, [one, *others], 3, seed=5) for one in (bot, first))
    assert (outside.endings == FINISHED).all()
    assert np.array_equal(outside.payoffs, inside.payoffs)
    assert outside.decisions == inside.decisions


def test_the_whole_conversation(command, tmp_path):
    game = make_game("tictactoe?rows=2&columns=3&line=2")
    heard, log = tmp_path / "heard", tmp_path / "log"
    bot = command("telling_bot.py", heard, "list", "yes")
    match = play_match(game, [f"process:{bot}?move_time=5&setup=bold&log={log}", first], 1, seed=3)
    assert (match.endings == FINISHED).all()
    messages = [json.loads(line) for line in heard.read_text().splitlines()]
    assert messages[0] == {
        "type": "hello", "protocol": 1, "game": "tictactoe", "options": {"rows": 2, "columns": 3, "line": 2},
        "seats": 2, "seat_names": ["x", "o"], "actions": 6, "observation_shape": [2, 3, 2], "max_moves": 6,
        "move_time": 5.0, "setup": "bold",
    }  # fmt: skip
    assert [message["type"] for message in messages] == [
        "hello", "newgame", "act", "act", "newgame", "act", "act", "end"
    ]  # fmt: skip
    assert [message["seat"] for message in messages if message["type"] == "newgame"] == [0, 1]
    seeds = 16109368137651869707, 2100711335684461871  # an agent in this process is given these
    assert [message["seed"] for message in messages if message["type"] == "newgame"] == [seed >> 11 for seed in seeds]
    assert messages[3] == {
        "type": "act", "legal": [2, 3, 4, 5], "observation": [1, 0, 0, 1] + [0] * 8, "position": "xo./... x"
    }  # fmt: skip
    assert log.read_text().splitlines() == ["playing 0", "playing 2", "playing 1", "playing 3"]


def test_observations_as_base64(command, tmp_path):
    heard = tmp_path / "heard"
    game = make_game("hanabi?preset=very-small")
    play_match(game, [f"process:{command('telling_bot.py', heard, 'base64', 'no')}"], 1, seed=1)
    act = next(json.loads(line) for line in heard.read_text().splitlines() if '"act"' in line)
    assert len(base64.b64decode(act["observation"])) == game.observation_size
    assert "position" not in act


# --- those that do not ------------------------------------------------------------------------------------------------

FAULTS = {
    "crash": r"exited with status 1; its last words: 'ZeroDivisionError: thirty days hath September'",
    "exit": r"exited with status 3",
    "segfault": r"was killed by SIGSEGV",
    "hang": r"gave no answer within 0\.4 s",
    "spin": r"gave no answer within 0\.4 s",
    "stubborn": r"gave no answer within 0\.4 s",
    "close": r"closed its input or output",
    "illegal": r"tictactoe: action \d+ .*(is not legal for [xo]; legal: |does not exist)",
    "string": r"answered with the action '\d', which is not an integer",
    "nothing": r"answered with the action None, which is not an integer",
    "chatter": r"answered 'I think this is a good move', which is not a JSON object; messages for people go to",
    "nested": r"answered '\[\[\[.*…', which is not a JSON object",
    "twice": r"wrote without being asked: '\{\"action\": \d\}'",
    "greeting": r"wrote without being asked: '\{\"ready\": true\}'|answered with the action None",
    "flood": r"wrote more than 200000 bytes for one answer",
    "wail": r"wrote more than 200000 bytes for one answer",
    "memory": r"exited with status 1; its last words: 'MemoryError'",
    "version": r"speaks protocol 2, not 1",
    "observation": r"asks for the observation as 'png', not as one of 'list', 'base64', 'none'",
    "slow start": r"gave no answer within 0\.8 s",
    "dead on arrival": r"exited with status 1; its last words: 'no licence found'",
}
SLOW = dict.fromkeys(("hang", "spin", "stubborn"), "&move_time=0.4") | {"slow start": "&start_time=0.8"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_the_game_and_leaves_nothing_behind(fault, tictactoe, command, tmp_path, all_gone):
    pids = tmp_path / "pids"
    limits = "?memory=128&processes=20&output=200000" + SLOW.get(fault, "")
    bot = f"process:{command('faulty_bot.py', fault, pids)}{limits}"
    match = play_match(tictactoe, [bot, first], 1, seed=1)
    assert match.endings.tolist() == [[FORFEIT, FORFEIT + 1]]
    assert match.payoffs.tolist() == [[[-1, 1], [-1, 1]]]
    assert [(f.pair, f.game, f.seat, f.agent) for f in match.forfeits] == [(0, 0, 0, bot), (0, 1, 1, bot)]
    for forfeit in match.forfeits:
        assert re.match(FAULTS[fault], forfeit.cause), forfeit.cause
    assert not all_gone(pids)


@pytest.fixture
def writing(monkeypatch):
    """A program that has written something whenever one looks."""

    def writing(output, most):
        monkeypatch.setattr("ludarium.agents.external.process._read", {"stdout": output, "stderr": None}.get)
        process = object.__new__(Process)
        process._stdout, process._stderr = "stdout", "stderr"
        process._most_output, process._lines, process._partial, process._tail = most, deque(), b"", b""
        process.allow(1)
        return process

    return writing


def test_what_it_writes_for_one_answer_has_a_limit(writing):
    process = writing(b"\n\n\n", most=6)
    for _ in range(2):
        process.allow(1)
        process.check_silence()
        process.check_silence()
    with pytest.raises(AgentFailure, match=r"^wrote more than 6 bytes for one answer$"):
        process.check_silence()


@pytest.mark.parametrize(
    ("output", "cause"),
    [
        (b" \nhello\nyou\n", "wrote without being asked: 'hello'"),
        (b"\nhel", "wrote without being asked: 'hel'"),
        (b" \n\n", None),
        (None, None),
    ],
)
def test_what_arrives_before_a_question_is_no_answer(output, cause, writing):
    process = writing(output, most=100)
    if cause is None:
        process.check_silence()
        assert not process._lines
    else:
        with pytest.raises(AgentFailure, match=f"^{cause}$"):
            process.check_silence()


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_program_may_end_by_itself_before_it_is_ended(stubborn):
    steps, process = [], object.__new__(Process)

    def send(line):
        steps.append(line)
        if stubborn:
            raise AgentFailure("closed its input or output")

    def wait(seconds):
        steps.append(f"wait {seconds} s")
        if stubborn:
            raise subprocess.TimeoutExpired("bot", seconds)

    process._guard = SimpleNamespace(stdin=SimpleNamespace(close=lambda: steps.append("end of input")), wait=wait)
    process._read_errors = lambda: steps.append("its last words")
    process.send, process.kill = send, lambda: steps.append("kill")
    process.close("quit")
    assert steps == ["quit", "end of input", "wait 1.0 s", "its last words", "kill"]


@linux_only
@pytest.mark.parametrize(
    ("fault", "cause"),
    [("forks", r"had \d+ processes, more than 20"), ("children's memory", r"used \d+ MB of memory, more than 128 MB")],
)
def test_what_a_bot_starts_counts_too(fault, cause, tictactoe, command, tmp_path, all_gone):
    pids = tmp_path / "pids"
    bot = f"process:{command('faulty_bot.py', fault, pids)}?move_time=5&memory=128&processes=20"
    match = play_match(tictactoe, [bot, first], 1, seed=1)
    assert len(match.forfeits) == 2
    for forfeit in match.forfeits:
        assert re.match(cause, forfeit.cause), forfeit.cause
    assert not all_gone(pids)


@linux_only
def test_daemons_are_ended_with_the_match(tictactoe, command, tmp_path, all_gone):
    pids = tmp_path / "pids"
    match = play_match(tictactoe, [f"process:{command('faulty_bot.py', 'daemon', pids)}", first], 1, seed=1)
    assert not match.forfeits
    assert len(pids.read_text().split()) > 3
    assert not all_gone(pids)


def test_unlimited_time(tictactoe, command):
    bot = f"process:{command('telling_bot.py', '/dev/null', 'none', 'no')}?move_time=inf&start_time=1e12"
    assert not play_match(tictactoe, [bot, first], 1, seed=1).forfeits


def test_a_bot_that_failed_is_started_again_for_each_game(tictactoe, command, tmp_path):
    pids = tmp_path / "pids"
    match = play_match(tictactoe, [f"process:{command('faulty_bot.py', 'exit', pids)}", first], 4, seed=1)
    assert [forfeit.cause for forfeit in match.forfeits] == 8 * ["exited with status 3"]
    assert len(pids.read_text().split()) == 8


def test_what_happens_in_a_game_does_not_depend_on_those_before(tictactoe, command):
    """Tournaments are cut into pieces, and each piece has an agent of its own."""
    spec = f"process:{command('faulty_bot.py', 'moody')}"
    whole = play_match(tictactoe, [spec, first], 8, seed=1)
    parts = [play_match(tictactoe, [spec, first], 1, seed=1, first=pair) for pair in range(8)]
    assert 0 < len(whole.forfeits) < 16
    assert whole.forfeits == [forfeit for part in parts for forfeit in part.forfeits]


def test_needing_the_state_of_a_game_that_hides_it(command):
    game = make_game("hanabi?preset=very-small")
    match = play_match(game, [f"process:{command('faulty_bot.py', 'curious')}"], 1, seed=1)
    assert match.forfeits[0].cause == "needs the position, which hanabi, with its hidden information, withholds"


def test_check_agent_tells_what_is_wrong(tictactoe, command):
    with pytest.raises(ConformanceError, match=r"raised AgentFailure\('exited with status 3'\) in tictactoe"):
        check_agent(f"process:{command('faulty_bot.py', 'exit')}", tictactoe)
    with pytest.raises(ConformanceError, match=r"raised AgentFailure\('speaks protocol 2, not 1'\) in reset, seat 0"):
        check_agent(f"process:{command('faulty_bot.py', 'version')}", tictactoe)


@linux_only
def test_bots_do_not_outlive_a_killed_tournament(command, tmp_path, all_gone):
    pids = tmp_path / "pids"
    program = (
        "import os, signal, threading\n"
        "from ludarium.agents import make_agent\n"
        "from ludarium.envs import make_game\n"
        f"agent = make_agent({'process:' + command('faulty_bot.py', 'hang', pids)!r}, make_game('tictactoe'))\n"
        "agent.reset(0, 1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not all_gone(pids)


def test_an_agent_that_is_given_up_ends_its_bot(tictactoe, command, tmp_path, all_gone):
    pids = tmp_path / "pids"
    agent = JSONLinesAgent(tictactoe, command("faulty_bot.py", "hang", pids))
    agent.reset(0, 1)
    del agent
    assert not all_gone(pids)


def test_a_match_does_not_close_what_it_was_given(tictactoe, command, tmp_path):
    heard = tmp_path / "heard"
    agent = JSONLinesAgent(tictactoe, command("telling_bot.py", heard, "list", "no"))
    play_match(tictactoe, [agent, first], 1, seed=1)
    play_match(tictactoe, [agent, agent], 1, seed=1)
    agent.reset(0, 1)
    types = [json.loads(line)["type"] for line in heard.read_text().splitlines()]
    assert types.count("hello") == 2  # its own and that of the copy it met
    assert types.count("end") == 1
    agent.close()
    with pytest.raises(AgentFailure, match=r"is not running; call reset\(\) before each game"):
        agent(None, None, {})


def test_copies_have_processes_of_their_own(tictactoe, command):
    agent = JSONLinesAgent(tictactoe, command("faulty_bot.py", "illegal"), move_time=3.0)
    agent.reset(0, 1)
    copied = pickle.loads(pickle.dumps(agent))
    mask = tictactoe.start().action_mask()
    with pytest.raises(AgentFailure, match="is not running"):
        copied(mask, mask, {})
    agent.close()


# --- specs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("process:", ValueError, "the command is empty; give a program and its arguments, such as 'python3 bot.py'"),
        ("process:bash 'x", ValueError, r'the command "bash \'x" cannot be read: no closing quotation'),
        (
            "process:no-such-bot x",
            ValueError,
            "cannot be run: there is no program 'no-such-bot'; give its path, or put",
        ),
        ("process:sh?move_time=0", ValueError, r"move_time must be greater than 0, not 0\.0"),
        ("process:sh?memory=-1", ValueError, "memory must be greater than 0, not -1"),
        ("process:sh?memory=many", ValueError, "agent 'process': memory must be of type int, like 1024, not 'many'"),
        (
            "process:sh?speed=1",
            TypeError,
            "agent 'process': unknown option 'speed'; the options are: start_time, move_",
        ),
        ("process:sh?log=/no/such/x", ValueError, "log must be a file that can be written, not '/no/such/x': No such"),
        ("process:sh?speed", ValueError, r"agent 'process:sh\?speed': expected option=value, not 'speed'"),
    ],
)
def test_bad_specs(spec, error, message, tictactoe):
    with pytest.raises(error, match=message):
        make_agent(spec, tictactoe)


def test_a_question_mark_in_the_command(tictactoe, tmp_path):
    (tmp_path / "who?.sh").write_text("exit 7\n")
    agent = make_agent(f"process:sh '{tmp_path}/who?.sh'?", tictactoe)
    with pytest.raises(AgentFailure, match="exited with status 7"):
        agent.reset(0, 1)


def test_a_file_that_is_no_program(tictactoe, tmp_path):
    path = tmp_path / "bot"
    path.write_bytes(b"\x00\x01\x02")
    path.chmod(0o755)
    agent = make_agent(f"process:{path}", tictactoe)
    with pytest.raises(AgentFailure, match=r"cannot be run: Exec format error; .*exited with status 127"):
        agent.reset(0, 1)
