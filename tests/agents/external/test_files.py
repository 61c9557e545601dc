"""Agents from a .py file, and agents inside this process that do what they should not."""

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

from ludarium.agents import check_agent, make_agent
from ludarium.agents.agent import Agent, AgentFailure
from ludarium.envs.registry import make_game
from ludarium.evaluation.cli import app
from ludarium.evaluation.play.match import FORFEIT, play_match


@pytest.fixture
def write(tmp_path):
    def write(text, name="bot.py"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


FUNCTION = "def clever(observation, action_mask, info):\n    return int(action_mask.argmax())\n"
CLASS = (
    "from ludarium.agents import Agent\n\nLIMIT = 3\n\ndef _helper(): ...\n\nclass Clever(Agent):\n"
    "    def __call__(self, observation, action_mask, info):\n        return int(action_mask.argmax())\n"
)
ACTING = "class Clever:\n    def act(self, observation, action_mask, info):\n        return int(action_mask.argmax())\n"
RANDOM = """
    def __init__(self):
        self.moves = 0

    def __call__(self, observation, mask, info):
        self.moves += 1
        return int(mask.nonzero()[0][self.moves % mask.sum()])

agent = Clever()
"""
FACTORY = (
    "def helper(): ...\n\ndef agent(game, *, last=False):\n"
    "    return lambda observation, mask, info: int(mask.argmax() if not last else mask.nonzero()[0][-1])\n"
)


@pytest.mark.parametrize("text", [FUNCTION, CLASS, ACTING, FACTORY, FUNCTION + "agent = clever\ndef other(): ...\n"])
def test_a_file_is_an_agent(text, write, tictactoe):
    path = write(text)
    check_agent(path, tictactoe, games=2)
    agent = make_agent(path, tictactoe)
    assert agent.name == path
    mask = tictactoe.start().action_mask()
    assert agent(mask, mask, {}) == 0


def test_a_name_in_the_file_and_options(write, tictactoe):
    path = write(FACTORY)
    mask = tictactoe.start().action_mask()
    assert make_agent(f"{path}?last=True", tictactoe)(mask, mask, {}) == 8
    assert make_agent(f"{path}:agent?last=True", tictactoe)(mask, mask, {}) == 8
    with pytest.raises(TypeError, match=r"unknown option 'first'; the options are: last"):
        make_agent(f"{path}?first=True", tictactoe)
    with pytest.raises(ValueError, match=r"the module .*bot\.py has no attribute 'clever'"):
        make_agent(f"{path}:clever", tictactoe)
    with pytest.raises(TypeError, match="is not a factory, so it takes no options"):
        make_agent(f"{write(FUNCTION, 'other.py')}?last=True", tictactoe)


def test_a_file_is_loaded_again_when_it_was_written(write, tictactoe):
    mask = tictactoe.start().action_mask()
    path = write("def clever(observation, mask, info):\n    return 1\n")
    assert make_agent(path, tictactoe)(mask, mask, {}) == 1
    write("def clever(observation, mask, info):\n    return 2\n")
    os.utime(path, ns=(1, 1))
    assert make_agent(path, tictactoe)(mask, mask, {}) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agents = []", r"no function or class that acts; if it is a program .* use 'process:python3 .*bot\.py'"),
        (
            "def one(): ...\ndef two(): ...\n",
            "the file defines one, two; call the one to use 'agent', or name it: .*:one",
        ),
        ("1 / 0\n", r"the file cannot be loaded: ZeroDivisionError\('division by zero'\)"),
        ("def one(:\n", r"the file cannot be loaded: SyntaxError"),
        ("import no_such_module\n", r"the file cannot be loaded: ModuleNotFoundError"),
        ("raise SystemExit(0)\n", r"the file cannot be loaded: SystemExit\(0\)"),
        ("def agent(game): raise KeyError(1)\n", r"bot\.py': it cannot be made: KeyError\(1\)"),
        ("def agent(game): raise SystemExit(5)\n", r"it cannot be made: SystemExit\(5\)"),
        (CLASS + "    def __init__(self):\n        1 / 0\n", r"it cannot be made: ZeroDivisionError"),
        (
            "import threading\nagent = lambda *_: 0\nagent = type('', (), {'__call__': agent, 'lock': None})()\n"
            "agent.lock = threading.Lock()\n",
            r"it cannot be copied, and every seat needs one \(cannot pickle '_thread\.lock' object\); name its class",
        ),
    ],
)
def test_files_that_are_none(text, message, write, tictactoe):
    with pytest.raises(ValueError, match=message):
        make_agent(write(text), tictactoe)


def test_a_file_cannot_change_where_others_are_looked_for(write, tictactoe, tmp_path):
    before = os.getcwd()
    make_agent(write(f"import os\nos.chdir({str(tmp_path)!r})\n" + FUNCTION), tictactoe)
    assert os.getcwd() == before


def test_an_object_in_a_file_is_copied_for_every_seat(write, tictactoe):
    path = write(CLASS + "agent = Clever()\nagent.seen = []\n")
    one, other = make_agent(path, tictactoe), make_agent(path, tictactoe)
    one.seen.append(1)
    assert other.seen == []
    path = write("import numpy as np\n" + CLASS.replace("LIMIT = 3", "") + RANDOM)
    matches = [play_match(tictactoe, [path, "random"], 20, seed=1, record=True) for _ in range(2)]
    assert np.array_equal(matches[0].moves, matches[1].moves)


def test_an_agent_may_call_itself_what_it_likes(write, tictactoe):
    path = write(CLASS + "    name = property(lambda self: 'me')\n")
    assert make_agent(path, tictactoe).name == "me"


def test_options_of_text_are_taken_as_they_are(write, tictactoe):
    path = write("def agent(game, *, name='x', count=1):\n    return lambda o, m, i: (name, count)\n")
    assert make_agent(f"{path}?name=42&count=3", tictactoe)(0, 0, 0) == ("42", 3)
    with pytest.raises(ValueError, match="count is given twice"):
        make_agent(f"{path}?count=3&count=4", tictactoe)


def test_a_file_that_is_not_there(tictactoe):
    with pytest.raises(ValueError, match=r"agent 'bots/none.py': there is no such file; relative paths start at '"):
        make_agent("bots/none.py", tictactoe)


def test_unknown_names_tell_of_the_other_ways(tictactoe):
    with pytest.raises(
        ValueError,
        match=r"or module:attribute, a file that ends in \.py, process:…, gtp:…, nboard:…, isolated:…, trusted:…, tab",
    ):
        make_agent("rnadom", tictactoe)


# --- in this process -------------------------------------------------------------------------------------------------


class Faulty(Agent):
    """Does one thing wrong, in `reset` or when it acts."""

    name = "faulty"

    def __init__(self, act=lambda: 0, reset=lambda: None):
        self.act, self.at_reset, self.closed = act, reset, 0

    def reset(self, seat, seed):
        self.at_reset()

    def __call__(self, observation, action_mask, info):
        return self.act()

    def close(self):
        self.closed += 1
        raise RuntimeError("not now")


def fail(error):
    raise error


class Mute(Exception):
    """An error that cannot be told."""

    def __repr__(self):
        raise RuntimeError


class Leaving(Exception):
    """An error that would rather exit than be told."""

    def __repr__(self):
        raise SystemExit(3)


class Changing:
    """An action that is another one each time it is looked at."""

    def __init__(self, *actions):
        self.actions = iter(actions)

    def __index__(self):
        return next(self.actions)


class Pretender(int):
    """An integer that compares as it likes."""

    def __ge__(self, other):
        return True

    __le__ = __lt__ = __gt__ = __ge__


def test_an_action_is_looked_at_once(tictactoe):
    match = play_match(tictactoe, [Faulty(lambda: Changing(0, -1)), Faulty(lambda: 0)], 1, seed=1, record=True)
    assert match.moves.tolist() == [[0], [0]]
    assert match.forfeits[0].cause.startswith("tictactoe: action 0 (a1) is not legal for o")
    match = play_match(tictactoe, [Faulty(lambda: Pretender(99)), "random"], 1, seed=1)
    assert match.forfeits[0].cause == "tictactoe: action 99 does not exist; actions are 0 to 8"


class Peeking(Agent):
    """Asks for the position once it is seated."""

    name = "peeking"

    def reset(self, seat, seed):
        self.needs_state = True

    def __call__(self, observation, action_mask, info):
        assert "position" not in info
        assert "history" not in info
        return int(action_mask.argmax())


def test_hidden_information_stays_hidden():
    match = play_match(make_game("hanabi?preset=very-small"), [Peeking()], 2, seed=1)
    assert not match.forfeits


@pytest.mark.parametrize(
    ("faulty", "cause"),
    [
        (Faulty(lambda: 1 / 0), "raised ZeroDivisionError('division by zero')"),
        (Faulty(lambda: fail(SystemExit(1))), "raised SystemExit(1)"),
        (Faulty(lambda: fail(MemoryError())), "raised MemoryError()"),
        (Faulty(lambda: fail(AgentFailure("had enough"))), "had enough"),
        (Faulty(lambda: None), "tictactoe: an action is an integer, not None"),
        (Faulty(lambda: 1.0), "tictactoe: an action is an integer, not 1.0"),
        (Faulty(lambda: -1), "tictactoe: action -1 does not exist; actions are 0 to 8"),
        (Faulty(reset=lambda: fail(OSError("no file"))), "raised OSError('no file')"),
        (Faulty(reset=lambda: fail(SystemExit())), "raised SystemExit()"),
        (Faulty(lambda: fail(ValueError("x" * 1_000))), "raised ValueError('" + "x" * 481),
        (Faulty(lambda: fail(BaseException("panic"))), "raised BaseException('panic')"),
        (Faulty(lambda: fail(Mute())), "raised Mute"),
        (Faulty(lambda: fail(Leaving())), "raised Leaving"),
        (Faulty(lambda: 10**5000), "raised ValueError('Exceeds the limit (4300 digits) for integer string conversion"),
        (Faulty(lambda: fail(AgentFailure("file \udcff"))), "file \\udcff"),
        (Faulty(lambda: Mute()), "tictactoe: an action is an integer, not a Mute"),
    ],
)
def test_it_forfeits_and_the_match_goes_on(faulty, cause, tictactoe):
    match = play_match(tictactoe, [faulty, "random"], 2, seed=1, first=5)
    assert match.endings.tolist() == [[FORFEIT, FORFEIT + 1]] * 2
    assert (match.payoffs == [-1, 1]).all()
    told = [forfeit._replace(cause=forfeit.cause[: len(cause)]) for forfeit in match.forfeits]
    assert told == [(pair, game, game, "faulty", cause) for pair in (5, 6) for game in (0, 1)]
    assert faulty.closed == 0


def test_illegal_actions_are_told_in_the_notation_of_the_game(tictactoe):
    match = play_match(tictactoe, [Faulty(lambda: 0), Faulty(lambda: 0)], 1, seed=1)
    assert match.forfeits[0].cause == "tictactoe: action 0 (a1) is not legal for o; legal: b1 c1 a2 b2 c2 a3 b3 c3"


def test_tables_tell_who_forfeited_and_why(write, tmp_path):
    broken = write("def agent(observation, action_mask, info):\n    return 1 / 0\n")
    out = tmp_path / "out.json"
    options = "--pairs", "3", "--executor", "threads", "--workers", "1", "--out", str(out)
    shown = CliRunner().invoke(app, ["match", "tictactoe", broken, "random", *options])
    assert shown.exit_code == 0
    assert f"6 × {broken} forfeited: raised ZeroDivisionError('division by zero')\n" in shown.output
    rows = json.loads(out.read_text())["tables"][0]["rows"]
    assert {row["agent"]: row["forfeits"] for row in rows} == {
        broken: {"raised ZeroDivisionError('division by zero')": 6},
        "random": {},
    }


def test_interrupts_are_not_the_agents_business(tictactoe):
    with pytest.raises(KeyboardInterrupt):
        play_match(tictactoe, [Faulty(lambda: fail(KeyboardInterrupt())), "random"], 1, seed=1)


def test_copies_are_closed_and_closing_may_fail(tictactoe):
    agent = Faulty(lambda: 0)
    play_match(tictactoe, [agent, agent], 1, seed=1)
    assert agent.closed == 0
    hanabi = make_game("hanabi?preset=very-small")
    match = play_match(hanabi, [Faulty(lambda: -1)], 2, seed=1)
    assert [f.seat for f in match.forfeits] == [0, 0]
    assert np.all(match.payoffs == hanabi.payoff_range[0])
