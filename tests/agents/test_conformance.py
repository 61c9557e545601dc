import contextlib
import re

import numpy as np
import pytest

from ludarium.agents import Agent, check_agent
from ludarium.envs import ConformanceError, make_game
from ludarium.envs.policy import Policy

TICTACTOE = make_game("tictactoe")


def first_legal(observation, action_mask, info):
    return int(action_mask.argmax())


def fails(agent, text, **arguments):
    with pytest.raises(ConformanceError, match=re.escape(text)):
        check_agent(agent, TICTACTOE, **arguments)


@pytest.mark.parametrize("spec", ["random", "greedy", "mcts?simulations=20", first_legal])
def test_good_agents_pass(spec):
    check_agent(spec, TICTACTOE, games=3)


@pytest.mark.parametrize("game", ["backgammon", "hanabi?seats=3&preset=small"])
def test_in_games_with_chance(game):
    check_agent("random", make_game(game), games=1)


def broken(*_):
    raise KeyError("oops")


def scribbler(observation, action_mask, info):
    action = int(action_mask.argmax())
    action_mask[:] = 0
    return action


DRAWS = np.random.default_rng(0)


def moody(observation, action_mask, info):
    return int(DRAWS.choice(np.flatnonzero(action_mask)))


class Forgetful(Agent):
    """Plays the first legal moves, but in every second game the second time the one that `otherwise` says."""

    name = "forgetful"
    games = asked = 0

    def __init__(self, otherwise=-1):
        self.otherwise = otherwise

    def reset(self, seat, seed):
        self.games, self.asked = self.games + 1, 0

    def __call__(self, observation, action_mask, info):
        self.asked += 1
        return int(np.flatnonzero(action_mask)[self.otherwise if self.asked == 2 and self.games % 2 == 0 else 0])


class NoEngine(Agent):
    name = "broken"

    def reset(self, seat, seed):
        raise OSError("no such engine")


LEGAL = "b1 c1 a2 c2 a3 b3 c3"


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (lambda o, m, i: 4, f"returned 4, which is not legal; legal: {LEGAL}; in tictactoe, seat 0, at o../.x./... x"),
        (lambda o, m, i: float(m.argmax()), "returned 0.0, not an integer, in tictactoe, seat 0"),
        (broken, "raised KeyError('oops') in tictactoe, seat 0, at .../.../... x"),
        (NoEngine(), "the agent 'broken' raised OSError('no such engine') in reset, seat 0"),
        (scribbler, "the agent 'scribbler' wrote to the observation or the mask it was shown"),
        (Forgetful(), "seat 0, game 0, it played differently at move 3 when the game was played again"),
        (moody, "'moody' is not a function of its seed: in tictactoe, seat 0, game 0, it played differently"),
    ],
)
def test_faults_are_told(agent, text):
    fails(agent, text)


TIRING = np.dtype([("calls", np.int64), ("most", np.int64)])


def tiring(game, state, observation, mask, block, stream):
    """Plays the first legal move; after so many calls the last one."""
    block.calls += 1
    chosen = 0
    for action in range(9):
        if mask[action]:
            chosen = action
            if block.calls <= block.most:
                break
    return chosen


def test_a_policy_that_remembers_how_often_it_was_called():
    def policy(most):
        return Policy(tiring, TIRING, np.array([(0, most)], dtype=TIRING))

    patient = policy(10**9)
    check_agent(patient, TICTACTOE, games=1)
    calls = int(patient.block["calls"][0])
    text = r"through Python and \d in a batch, in tictactoe, game 0, move 5: a policy must keep nothing between calls"
    with pytest.raises(ConformanceError, match=text):
        check_agent(policy(calls - 3), TICTACTOE, games=1)
    with pytest.raises(ConformanceError, match="is not a function of its seed"):
        check_agent(policy(3), TICTACTOE, games=1)


def test_ten_games_in_each_seat_each_of_them_twice():
    agent = Forgetful(otherwise=0)
    check_agent(agent, TICTACTOE)
    assert agent.games == 10 * 2 * 2


@pytest.mark.parametrize("otherwise", [0, -1], ids=["sound", "faulty"])
@pytest.mark.parametrize("spec", ["bot.py", None])
def test_only_agents_that_it_has_made_are_closed(spec, otherwise, monkeypatch):
    agent, closed = Forgetful(otherwise), []
    agent.close = lambda: closed.append("once")
    monkeypatch.setattr("ludarium.agents.conformance.make_agent", lambda agent_or_spec, game: agent)
    with contextlib.suppress(ConformanceError):
        check_agent(spec or agent, TICTACTOE, games=1)
    assert closed == (["once"] if spec else [])


def test_an_agent_that_the_game_refuses():
    with pytest.raises(ValueError, match="hidden information"):
        check_agent("mcts", make_game("hanabi"))


class Batched(Agent):
    """Plays the first legal action, alone and for many games; `wrong` changes the answers to many."""

    name = "batched"

    def __init__(self, wrong=lambda actions: actions):
        self.wrong = wrong

    def __call__(self, observation, action_mask, info):
        return first_legal(observation, action_mask, info)

    def act_batch(self, observations, action_masks, infos):
        assert observations.shape == (len(infos), 3, 3, 2)
        assert action_masks.shape == (len(infos), 9)
        return self.wrong(action_masks.argmax(axis=1))


def test_answers_for_many_games():
    check_agent(Batched(), TICTACTOE, games=2)
    check_agent(Batched(list), TICTACTOE, games=2)
    fails(Batched(lambda actions: actions[1:4]), "returned 3 actions from act_batch, asked about", games=2)
    fails(Batched(broken), "raised KeyError('oops') in act_batch, asked about", games=2)


class Seeded(Agent):
    """Draws from its seed; asked about many games, from their seeds."""

    def reset(self, seat, seed):
        self.seed, self.decision = seed, 0

    def __call__(self, observation, action_mask, info):
        self.decision += 1
        return self.draw(action_mask, self.seed, self.decision)

    def act_batch(self, observations, action_masks, infos):
        return [
            self.draw(mask, info["seed"], info["decision"] + 1) for mask, info in zip(action_masks, infos, strict=True)
        ]

    def draw(self, mask, seed, decision):
        return int(np.random.default_rng([seed, decision]).choice(np.flatnonzero(mask)))


def test_randomness_in_answers_for_many_games():
    check_agent(Seeded(), TICTACTOE, games=3)


def test_an_answer_that_is_another_among_many():
    text = (
        r"the agent 'batched' plays \d when it is asked alone and (np\.int64\()?\d\)? in act_batch, in tictactoe, seat"
    )
    with pytest.raises(ConformanceError, match=text):
        check_agent(Batched(np.flip), TICTACTOE, games=2)
    fails(Batched(lambda actions: actions.astype(float)), "in act_batch, in tictactoe, seat", games=2)
