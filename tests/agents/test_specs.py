"""Agents by spec: built-in ones, attributes of modules, what packages bring, and what is refused."""

import importlib.metadata
import os
import re
import sys
import types

import numpy as np
import pytest

from ludarium.agents import Agent, agent_names, agent_options, make_agent, specs
from ludarium.agents.agent import CompiledAgent, FunctionAgent
from ludarium.agents.baselines.random import random as random_policy
from ludarium.agents.learning.registry import learner_names
from ludarium.agents.specs import refusal
from ludarium.envs.registry import make_game

BUILT_IN = ["random", "greedy", "alphabeta", "mcts", "perfect"]


@pytest.fixture(scope="module")
def game():
    return make_game("tictactoe")


def ask(agent, position, seed=1):
    """What an agent does in a position at the beginning of a game."""
    agent.reset(position.turn, seed)
    info = {"seat": position.turn, "game": position.game}
    if agent.needs_state:
        info["position"] = position
    return agent(position.observe(position.turn), position.action_mask(), info)


def first(observation, action_mask, info):
    return int(np.flatnonzero(action_mask)[0])


class Last(Agent):
    def __call__(self, observation, action_mask, info):
        return int(np.flatnonzero(action_mask)[-1])


def clever(game, *, depth=3, caution=0.5, style="calm", bold=False, book=None):
    """A factory with an option of every type."""
    agent = Last()
    agent.given = (game.name, depth, caution, style, bold, book)
    return agent


def uniform(game):
    return random_policy(game)


@pytest.fixture
def bots(monkeypatch):
    """A module that somebody else wrote."""
    module = types.ModuleType("somebodys_bots")
    module.first, module.Last, module.last = first, Last, Last()
    module.clever, module.uniform, module.policy, module.number = (
        clever,
        uniform,
        random_policy(make_game("othello")),
        7,
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


# --- the built-in agents ----------------------------------------------------------------------------------------------


def test_the_built_in_agents_are_known_and_compiled(game):
    assert agent_names()[:5] == BUILT_IN
    position = game.from_text("xx./oo./... x")
    for name in BUILT_IN:
        agent = make_agent(name, game)
        assert agent.name == name
        assert agent.policy is not None
        assert agent.needs_state == agent.policy.needs_state
        assert ask(agent, position) in position.legal_actions()
        if name != "random":
            assert ask(agent, position) == 2


def test_options_are_listed_with_their_defaults(bots):
    program = {
        "start_time": 10.0, "move_time": 60.0, "memory": 1024, "processes": 64, "output": 2**20, "log": "", "setup": "",
    }  # fmt: skip
    expected = {
        "random": {},
        "greedy": {"evaluation": ""},
        "alphabeta": {"depth": 4, "nodes": 0, "seconds": 0.0, "table": 18, "endgame": 12, "evaluation": ""},
        "mcts": {"simulations": 200, "exploration": 1.4, "evaluation": "none"},
        "perfect": {"limit": 1_000_000},
        "beam": {
            "depth": 10, "width": 3, "draw": "rank", "draw_at_root": True, "replacement": False, "view": "mover",
            "evaluation": "",
        },
        "expectimax": {"depth": 2},
        "bgsage": {"level": "1ply"},
        "expert": {"seconds": 0.0, "nodes": 0, "exact": True, "ply": 0, "cube": True},
        "hanabi-rules": {"name": "piers", "rules": "", "order": "place", "beliefs": "marginal"},
        **dict.fromkeys(("process", "gtp", "nboard"), program),
        "isolated": {name: program[name] for name in program if name != "setup"} | {"start_time": 60.0, "memory": 4096},
    }  # fmt: skip
    assert {name: agent_options(name) for name in expected} == expected
    assert agent_options("somebodys_bots:clever") == {
        "depth": 3, "caution": 0.5, "style": "calm", "bold": False, "book": None,
    }  # fmt: skip


def test_an_agent_draws_from_its_seed_alone(game):
    agent, start = make_agent("random", game), game.start()
    drawn = [ask(agent, start, seed) for seed in range(40)]
    assert drawn == [ask(make_agent("random", game), start, seed) for seed in range(40)]
    assert len(set(drawn)) > 5


def test_options_in_the_spec_reach_the_agent(game, bots):
    agent = make_agent("somebodys_bots:clever?depth=5&caution=1&style=wild&bold=true&book=x", game)
    assert agent.given == ("tictactoe", 5, 1.0, "wild", True, "x")
    assert agent.name == "somebodys_bots:clever?depth=5&caution=1&style=wild&bold=true&book=x"
    assert make_agent("somebodys_bots:clever", game).given == ("tictactoe", 3, 0.5, "calm", False, None)


# --- agents of all kinds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "kind", "action"),
    [
        ("somebodys_bots:first", FunctionAgent, 0),
        ("somebodys_bots:Last", Last, 8),
        ("somebodys_bots:last", Last, 8),
        ("somebodys_bots:clever", Last, 8),
        ("somebodys_bots:uniform", CompiledAgent, None),
        ("somebodys_bots:policy", CompiledAgent, None),
    ],
)
def test_an_attribute_of_a_module_is_an_agent(game, bots, spec, kind, action):
    agent = make_agent(spec, game)
    assert type(agent) is kind
    assert agent.name == spec
    chosen = ask(agent, game.start())
    assert chosen == action if action is not None else 0 <= chosen < 9


def test_objects_are_agents_too(game):
    last = Last()
    assert make_agent(last, game) is last
    assert last.name == "Last"
    assert make_agent(first, game).name == "first"
    assert make_agent(first, game).policy is None
    assert isinstance(make_agent(random_policy(game), game), CompiledAgent)
    assert make_agent(first, game).made_from is make_agent(random_policy(game), game).made_from is None


def test_a_callable_may_have_reset_and_declare_that_it_needs_the_state(game):
    class Bot:
        needs_state = True

        def reset(self, seat, seed):
            self.told = (seat, seed)

        def __call__(self, observation, action_mask, info):
            return info["position"].legal_actions()[1]

    bot = Bot()
    agent = make_agent(bot, game)
    assert agent.name == "Bot"
    assert ask(agent, game.start(), seed=9) == 1
    assert bot.told == (0, 9)


def test_a_package_can_bring_agents(monkeypatch, game, bots):
    point = importlib.metadata.EntryPoint("clever", "somebodys_bots:clever", "ludarium.agents")
    monkeypatch.setattr("ludarium.agents.specs.entry_points", lambda group: [point])
    assert agent_names()[-1] == "clever"
    assert set(BUILT_IN) < set(agent_names())
    assert make_agent("clever?depth=9", game).given[1] == 9
    assert agent_options("clever")["depth"] == 3
    with pytest.raises(ValueError, match=r"unknown agent 'clevr'; did you mean 'clever'\?"):
        make_agent("clevr", game)


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "error", "text"),
    [
        ("radom", ValueError, "unknown agent 'radom'; did you mean 'random'? known: random, greedy, alphabeta, mcts, "),
        ("zzz", ValueError, "unknown agent 'zzz'; known: random, "),
        ("no_such:agent", ValueError, "agent 'no_such:agent': there is no module 'no_such'"),
        ("somebodys_bots:x", ValueError, "agent 'somebodys_bots:x': the module somebodys_bots has no attribute 'x'"),
        ("somebodys_bots:number", TypeError, "7 is not an agent: expected a spec string or a callable (observation, "),
        ("somebodys_bots:first?depth=1", TypeError, "somebodys_bots:first is not a factory, so it takes no options"),
        ("somebodys_bots:clever?depth", ValueError, "expected option=value, not 'depth'"),
        ("mcts?simulations=2&simulations=3", ValueError, "simulations is given twice"),
        ("somebodys_bots:clever?width=1", TypeError, "unknown option 'width'; the options are: depth, caution, style"),
        ("random?width=1", TypeError, "agent 'random': unknown option 'width'; the options are: none"),
        ("somebodys_bots:clever?depth=2.5", ValueError, "depth must be of type int, like 3, not 2.5"),
        ("somebodys_bots:clever?depth=true", ValueError, "depth must be of type int, like 3, not True"),
        ("somebodys_bots:clever?bold=1", ValueError, "bold must be of type bool, like False, not 1"),
        ("somebodys_bots:clever?caution=x", ValueError, "caution must be of type float, like 0.5, not 'x'"),
        (5, TypeError, "5 is not an agent: expected a spec string or a callable (observation, action_mask, info)"),
        (Last, TypeError, "is not an agent: expected a spec string or a callable (observation, action_mask, info)"),
        (None, TypeError, "None is not an agent"),
    ],
)
def test_what_is_no_agent(game, bots, spec, error, text):
    with pytest.raises(error, match=re.escape(text)):
        make_agent(spec, game)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            "zzz",
            f"unknown agent 'zzz'; known: {', '.join(agent_names())}, or module:attribute, a file that ends in .py, "
            f"process:…, gtp:…, nboard:…, isolated:…, trusted:…, {', '.join(f'{name}:…' for name in learner_names())}",
        ),
        ("random?width=1", "agent 'random': unknown option 'width'; the options are: none"),
        (
            "ifthen:runs/x?width=1",
            "agent 'ifthen': unknown option 'width'; the options are: member; ifthen:RUN@20 is the checkpoint kept at "
            "20",
        ),
    ],
)
def test_whole_errors(game, spec, told):
    with pytest.raises((ValueError, TypeError)) as error:
        make_agent(spec, game)
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("raised", "kind", "told"),
    [
        (ValueError("it is too cold"), ValueError, "it is too cold"),
        (TypeError("it is no number"), TypeError, "it is no number"),
        (RuntimeError("no"), ValueError, r"agent 'somebodys_bots:broken': it cannot be made: RuntimeError\('no'\)"),
    ],
)
def test_what_a_factory_raises(game, bots, raised, kind, told):
    def broken(game):
        raise raised

    bots.broken = broken
    with pytest.raises(kind, match=f"^{told}$"):
        make_agent("somebodys_bots:broken", game)


def test_an_agent_says_how_it_acts(game):
    with pytest.raises(TypeError, match="the agent 'Agent' does not say how it acts: it must define __call__"):
        ask(make_agent(Agent(), game), game.start())


@pytest.mark.parametrize("spec", ["mcts", "alphabeta", "perfect"])
def test_hanabi_refuses_agents_that_search(spec):
    with pytest.raises(ValueError, match="hanabi"):
        make_agent(spec, make_game("hanabi"))


def test_hanabi_refuses_whoever_wants_the_position():
    class Peeking(Last):
        needs_state = True

    text = "hanabi: the agent 'Peeking' needs the position, which a game with hidden information withholds"
    with pytest.raises(ValueError, match=text):
        make_agent(Peeking(), make_game("hanabi"))


def test_the_position_must_be_given_to_those_that_need_it(game):
    start = game.start()
    with pytest.raises(ValueError, match=r"the agent 'greedy' needs the position in info\['position'\]"):
        make_agent("greedy", game)(start.observe(0), start.action_mask(), {"seat": 0, "game": game})


@pytest.mark.parametrize(
    ("spec", "refusing"),
    [
        ("tictactoe", {"expectimax", "bgsage", "hanabi-rules"}),
        ("hexapawn?rows=5&columns=5", {"perfect", "expectimax", "bgsage", "ppo", "hanabi-rules"}),
        ("othello?size=6", {"perfect", "expectimax", "bgsage", "ppo", "hanabi-rules"}),
        ("backgammon?variant=hypergammon", {"alphabeta", "perfect", "beam", "bgsage", "ppo", "hanabi-rules"}),
        ("hanabi", {"alphabeta", "mcts", "perfect", "beam", "expectimax", "bgsage"}),
        (
            "hanabi?observation=minimal",
            {"greedy", "alphabeta", "mcts", "perfect", "beam", "expectimax", "bgsage", "ppo", "hanabi-rules"},
        ),
    ],
)
def test_who_says_beforehand_that_it_does_not_play_a_game_does_not(spec, refusing):
    game = make_game(spec)
    assert {name for name in agent_names() if refusal(name, game)} == refusing
    for name in agent_names():
        if name in refusing:
            with pytest.raises(ValueError, match=r"."):
                make_agent(name, game)
        else:
            make_agent(name, game).close()


def test_to_make_a_built_in_agent_leaves_the_working_directory_alone(game, monkeypatch, tmp_path):
    """Another thread may change it meanwhile, and is not to be brought back."""
    make = specs._from_text

    def meanwhile(spec, game):
        os.chdir(tmp_path)
        return make(spec, game)

    monkeypatch.chdir(os.curdir)  # at the end
    monkeypatch.setattr(specs, "_from_text", meanwhile)
    make_agent("greedy", game)
    assert os.getcwd() == str(tmp_path)


@pytest.mark.parametrize(
    ("spec", "options"), [("alphabeta?depth=3", {"depth": 3}), ("gaia:RUN?member=2", {"member": 2}), ("td:RUN", {})]
)
def test_the_options_that_a_spec_gives_by_the_agent_or_the_learner(spec, options):
    assert specs.given_options(spec) == options


def test_options_of_another_agent_are_refused_without_a_run():
    with pytest.raises(TypeError, match="agent 'gaia:RUN': unknown option 'depth'; the options are: member"):
        specs.given_options("gaia:RUN?depth=2")
