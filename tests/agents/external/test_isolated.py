"""Python agents in a process of their own: the same moves, limits, and nothing else to see or to break."""

import copy
import os
import pickle
import re
from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents import check_agent, make_agent
from ludarium.agents.external.isolated import IsolatedAgent
from ludarium.agents.external.process import Refusal
from ludarium.agents.specs import Apart, apart, is_foreign, isolated
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

SOURCE = """
import numpy as np
from ludarium.agents import Agent

class Seeded(Agent):
    def reset(self, seat, seed): self.rng = np.random.default_rng(seed)
    def __call__(self, observation, mask, info):
        print("thinking")
        return self.rng.choice(np.flatnonzero(mask))

class Looking(Agent):
    needs_state = True
    def __call__(self, observation, mask, info):
        legal = info["position"].legal_actions()
        assert legal == np.flatnonzero(mask).tolist() and info["seat"] == info["position"].turn
        return legal[sum(info["history"]) % len(legal)]

class Network(Agent):
    def reset(self, seat, seed): self.seed, self.count = seed, -1
    def __call__(self, observation, mask, info):
        self.count += 1
        info = info | {"seed": self.seed, "decision": self.count}
        return self.act_batch(observation[None], mask[None], [info])[0]
    def act_batch(self, observations, masks, infos):
        draws = [np.random.default_rng([info["seed"], info["decision"]]).random(masks.shape[1]) for info in infos]
        return (masks * (np.stack(draws) + 1)).argmax(axis=1)

def last(game, *, rank=1):
    return lambda observation, mask, info: int(np.flatnonzero(mask)[-rank:][0])

def wrong(observation, mask, info): return 1 / 0
def endless(observation, mask, info):
    while True: pass
def crashing(observation, mask, info): __import__("ctypes").string_at(0)
def greedy_for_memory(observation, mask, info): bytearray(1 << 30)
def nothing(observation, mask, info): return None
def leaving(observation, mask, info): raise SystemExit(3)
def unmakeable(game): raise OSError("no licence")
def moving(observation, mask, info):
    __import__("os").chdir("/")
    return int(mask.argmax())
"""


@pytest.fixture(scope="module")
def bot(tmp_path_factory):
    path = tmp_path_factory.mktemp("isolated") / "bot.py"
    path.write_text(SOURCE)
    return str(path)


@pytest.mark.parametrize("agent", ["Seeded", "Looking", "Network", "last?rank=2"])
def test_it_plays_the_same_moves_as_in_this_process(bot, agent, tictactoe):
    inside, outside = (
        play_match(tictactoe, [spec, "random"], 3, seed=5, record=True)
        for spec in (f"{bot}:{agent}", f"isolated:{bot}:{agent}")
    )
    assert not outside.forfeits
    assert np.array_equal(inside.moves, outside.moves)


def test_hidden_cards_and_many_seats(bot):
    game = make_game("hanabi?preset=very-small")
    inside, outside = (
        play_match(game, [spec], 2, 1, record=True) for spec in (f"{bot}:Network", f"isolated:{bot}:Network")
    )
    assert np.array_equal(inside.moves, outside.moves)
    with pytest.raises(ValueError, match=r"^hanabi: the agent '.*Looking' needs the position, which a"):
        make_agent(f"isolated:{bot}:Looking", game)


def test_it_keeps_the_contract(bot, tictactoe):
    check_agent(f"isolated:{bot}:Network", tictactoe, games=1)


@pytest.mark.parametrize(
    ("agent", "cause"),
    [
        ("wrong", r"raised ZeroDivisionError\('division by zero'\)"),
        ("endless?move_time=0.3", r"gave no answer within 0\.3 s"),
        ("crashing", r"was killed by SIGSEGV"),
        ("greedy_for_memory?memory=600", r"raised MemoryError\(\)"),
        ("nothing", r"tictactoe: an action is an integer, not None"),
        ("leaving", r"raised SystemExit\(3\)"),
    ],
)
def test_what_it_does_wrong_costs_its_game(bot, agent, cause, tictactoe):
    (forfeit, _) = play_match(tictactoe, [f"isolated:{bot}:{agent}", "random"], 1, seed=1).forfeits
    assert re.match(cause, forfeit.cause)


def test_it_moves_only_itself(bot, tictactoe):
    before = os.getcwd()
    assert not play_match(tictactoe, [f"isolated:{bot}:moving", "random"], 1, seed=1).forfeits
    assert os.getcwd() == before


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("unmakeable", r"unmakeable': it cannot be made: OSError\('no licence'\)"),
        ("missing", r"has no attribute 'missing'"),
        ("last?size=2", r"unknown option 'size'; the options are: rank"),
        ("last?memory=-1", r"memory must be greater than 0, not -1"),
        ("unmakeable?start_time=0.01", r"bot.py:unmakeable': it cannot be made: its process gave no answer within"),
    ],
)
def test_agents_that_cannot_be_isolated(bot, agent, text, tictactoe):
    with pytest.raises(ValueError, match=text):
        make_agent(f"isolated:{bot}:{agent}", tictactoe)


def test_the_process_of_an_agent_that_cannot_be_made_is_closed(tictactoe, monkeypatch):
    farewells = []

    def started(agent):
        agent._process = SimpleNamespace(close=farewells.append)
        raise Refusal("agent 'bot.py': no licence")

    monkeypatch.setattr(IsolatedAgent, "_started", started)
    with pytest.raises(ValueError, match=r"^agent 'bot\.py': no licence$"):
        IsolatedAgent(tictactoe, "bot.py")
    assert farewells == ['{"type": "end"}']


FOREIGN = ["bot.py", "bots/bot.py:clever?depth=3", "my_package.bots:clever", "greedy?evaluation=mine.py:value"]


def test_who_plays_apart():
    assert [isolated(spec) for spec in FOREIGN] == [f"isolated:{spec}" for spec in FOREIGN]
    assert all(is_foreign(spec) and type(apart(spec)) is Apart and apart(spec) == spec for spec in FOREIGN)
    assert all(is_foreign(f"trusted:{spec}") and type(apart(f"trusted:{spec}")) is str for spec in FOREIGN)
    for spec in (
        "random",
        "td:runs/x",
        "process:./bot",
        "isolated:bot.py",
        "ludarium.agents.backgammon.pubeval:pubeval",
        "greedy?evaluation=six",
        "mcts?evaluation=td:runs/x",
    ):
        assert not is_foreign(spec)
        assert isolated(spec) == spec
        assert type(apart(spec)) is str


def test_an_agent_apart_keeps_its_name_and_its_options(tmp_path, tictactoe):
    """Its options may have names that limits of isolated agents have, too."""
    path = tmp_path / "bot.py"
    path.write_text(
        "import os\ndef mine(game, *, memory=1):\n"
        f"    return lambda o, m, i: int(m.argmax()) if (memory, os.getpid()) != (3, {os.getpid()}) else -1\n"
    )
    spec = apart(f"{path}:mine?memory=3")
    result = play_match(tictactoe, [pickle.loads(pickle.dumps(spec)), copy.deepcopy(spec)], 1, seed=1)
    assert (result.agents, result.forfeits) == ([spec, spec], [])
    (forfeit, *_) = play_match(tictactoe, [f"trusted:{spec}", "random"], 1, seed=1).forfeits
    assert forfeit.agent == f"trusted:{spec}"
    with pytest.raises(ValueError, match="only agents from files, modules and plug-ins can be trusted, not 'random'"):
        make_agent("trusted:random", tictactoe)


def test_a_call_for_many_games_has_the_time_for_as_many_moves():
    allowed, agent = [], object.__new__(IsolatedAgent)
    agent._move_time = 2.0
    agent._process = SimpleNamespace(
        allow=allowed.append,
        check_silence=lambda: None,
        send=lambda line: None,
        receive=lambda: '{"actions": [0, 1, 2]}',
    )
    infos = [{"seat": 0, "seed": 1, "decision": 0}] * 3
    assert agent._act_batch(np.zeros((3, 2), dtype=np.int8), np.ones((3, 9), dtype=np.int8), infos) == [0, 1, 2]
    assert allowed == [6.0]


def test_what_it_prints_goes_to_standard_error(bot, tictactoe, capfd):
    play_match(tictactoe, [f"isolated:{bot}:Seeded", "random"], 1, seed=1)
    out, err = capfd.readouterr()
    assert (out, set(err.splitlines())) == ("", {"thinking"})
