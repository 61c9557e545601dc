"""Agents that wrap functions, objects and policies: what they pass on, and what pickling keeps of them."""

import pickle
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.agent import CompiledAgent, FunctionAgent, is_interrupt
from ludarium.agents.compiled.random_legal import random_policy
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game


class Told:
    """An object that notes what it is asked, and answers with its question's name."""

    needs_state, needs_view = False, True

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        if name not in ("reset", "close", "act", "distribution", "explain", "judge", "act_batch"):
            raise AttributeError(name)
        return lambda *arguments: self.asked.append((name, *arguments)) or name


def test_an_object_is_asked_what_it_can_answer():
    agent = FunctionAgent("told", told := Told())
    assert (agent.needs_state, agent.needs_view) == (False, True)
    assert agent(1, 2, 3) == "act"
    assert agent.distribution(1, 2, 3) == "distribution"
    assert agent.explain(1, 2, 3) == "explain"
    assert agent.judge(1, 2) == "judge"
    assert agent.act_batch(1, 2, 3) == "act_batch"
    agent.reset(1, 5)
    agent.close()
    three = [(name, 1, 2, 3) for name in ("act", "distribution", "explain")]
    assert told.asked == [*three, ("judge", 1, 2), ("act_batch", 1, 2, 3), ("reset", 1, 5), ("close",)]


def test_a_function_is_asked_for_moves_alone():
    agent = FunctionAgent("sum", lambda *arguments: sum(arguments))
    agent.reset(0, 1)
    agent.close()
    assert agent(1, 2, 3) == 6
    assert (agent.needs_state, agent.needs_view, agent.act_batch) == (False, False, None)
    assert agent.distribution(1, 2, 3) is None
    assert agent.judge(1, 2) is None
    assert agent.explain(1, 2, 3) == type(agent.explain(1, 2, 3))()


@pytest.mark.parametrize("opinions", [None, Opinions("points", (Opinion(0, 0.5),), played=0)])
def test_opinions_that_name_the_move_are_the_policy_s_own(opinions):
    policy = random_policy()
    position = make_game("tictactoe").start()
    judging = replace(policy, judge=lambda position, stream: opinions)
    assert CompiledAgent("mine", judging).judge(position, 1) is opinions
    assert CompiledAgent("mine", policy).judge(position, 1) is None


def test_an_agent_is_pickled_as_its_spec_and_its_memory():
    game = make_game("tictactoe")
    agent = make_agent("random", game)
    agent.reset(0, 5)
    agent.drawn = 3
    copied = pickle.loads(pickle.dumps(agent))
    assert (copied.made_from, copied.drawn) == (("random", game), 3)
    with pytest.raises(TypeError, match="the agent 'mine' cannot be pickled, since it was not made from a spec"):
        pickle.dumps(CompiledAgent("mine", agent.policy))
    with pytest.raises(TypeError, match="a compiled policy cannot be pickled, since its block may hold addresses"):
        pickle.dumps(agent.policy)


@pytest.mark.parametrize("needed", ["position", "view"])
def test_a_policy_must_be_given_what_it_needs(needed):
    needs = {"needs_state" if needed == "position" else "needs_view": True}
    agent = CompiledAgent("mine", Policy(random_policy().function, **needs))
    with pytest.raises(ValueError, match=rf"the agent 'mine' needs the {needed} in info\['{needed}'\]"):
        agent(np.zeros(1, dtype=np.int8), np.ones(1, dtype=np.int8), {"game": None})


@pytest.mark.parametrize(
    ("error", "handler", "elsewhere", "interrupt"),
    [
        (KeyboardInterrupt(), signal.default_int_handler, False, True),
        (KeyboardInterrupt(), signal.default_int_handler, True, False),
        (KeyboardInterrupt(), signal.SIG_IGN, False, False),
        (SystemExit(), signal.default_int_handler, False, False),
    ],
)
def test_only_the_main_thread_is_interrupted_unless_the_signal_is_ignored(
    error, handler, elsewhere, interrupt, monkeypatch
):
    monkeypatch.setattr(signal, "getsignal", lambda number: handler)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(is_interrupt, error).result() if elsewhere else is_interrupt(error)
    assert answer is interrupt
