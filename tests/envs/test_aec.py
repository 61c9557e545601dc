"""The PettingZoo view: its standard tests, the cycle of agents, and agreement with the Gymnasium view."""

import re
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import ludarium  # noqa: F401  (registers the games)
from ludarium.envs.aec import GameAECEnv
from ludarium.envs.options import IllegalAction
from ludarium.envs.registry import make_game
from ludarium.envs.single import GameEnv
from ludarium.envs.tictactoe import TicTacToe

# What PettingZoo's tests say about environments that are in order; any other warning is an error.
EXPLAINED = [
    "Observation is not a NumPy array",  # it is a dict with the mask, as PettingZoo's own board games have it
    "Observation space for each agent probably should be gymnasium.spaces.box or",  # the same
    "Observation numpy array is all zeros",  # nobody has moved yet on an empty board
    "Action mask numpy array is all zeros",  # the game is over
]


@pytest.fixture
def only_explained_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in EXPLAINED:
            warnings.filterwarnings("ignore", text, UserWarning)
        yield


@pytest.mark.usefixtures("only_explained_warnings", "capsys")
def test_pettingzoo_finds_nothing_to_complain_about(game_spec):
    game = make_game(game_spec)

    def make(**arguments):
        return pettingzoo.make("aec", f"ludarium/{game.name}-v0", **game.options, **arguments)

    assert make().unwrapped.game == game
    api_test(make(), num_cycles=100)
    seed_test(make, num_cycles=100)
    render_test(make)


def test_it_plays_the_episodes_of_self_play(game_spec):
    cycle, single, rng = GameAECEnv(game_spec), GameEnv(game_spec, self_play=True), np.random.default_rng(3)
    for episode in range(2):
        cycle.reset(seed=8 if episode == 0 else None)
        observation, info = single.reset(seed=8 if episode == 0 else None)
        assert cycle.agents == [f"player_{seat}" for seat in range(single.game.seats)]
        done = False
        while not done:
            assert cycle.agent_selection == f"player_{info['seat']}"
            seen, _, *over, _ = cycle.last()
            assert np.array_equal(seen["observation"], observation)
            assert np.array_equal(seen["action_mask"], info["action_mask"])
            assert over == [False, False]
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            observation, _, *ends, info = single.step(action)
            cycle.step(action)
            assert [cycle.rewards[agent] for agent in cycle.possible_agents] == info["rewards"].tolist()
            assert all(cycle.terminations[agent] == ends[0] for agent in cycle.agents)
            assert all(cycle.truncations[agent] == ends[1] for agent in cycle.agents)
            done = any(ends)


def test_every_agent_collects_its_payoff(game_spec):
    env, rng = GameAECEnv(game_spec), np.random.default_rng(4)
    env.reset(seed=1)
    before = env.position.payoffs()
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    assert list(total.values()) == pytest.approx(env.position.payoffs() - before)
    assert env.agents == []


def test_only_the_agent_to_move_has_legal_actions():
    env = GameAECEnv("tictactoe")
    env.reset()
    env.step(4)
    assert env.observe("player_0")["action_mask"].tolist() == [0] * 9
    mask = env.observe("player_1")["action_mask"]
    assert mask.tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    mask[:] = 0  # a copy
    assert env.observe("player_1")["action_mask"].any()


def test_the_longest_game_is_truncated():
    game = TicTacToe()
    game.max_moves = 3
    env = GameAECEnv(game)
    env.reset()
    for action in range(3):
        assert not any(env.truncations.values())
        env.step(action)
    assert env.truncations == {"player_0": True, "player_1": True}
    assert not any(env.terminations.values())
    assert not env.observe(env.agent_selection)["action_mask"].any()


def test_an_illegal_action_loses():
    env = GameAECEnv("tictactoe")
    for action in (4, 99, -1):
        env.reset()
        env.step(4)
        env.step(action)
        assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
        assert all(env.terminations.values())


def test_an_illegal_action_can_be_an_error():
    env = GameAECEnv("tictactoe", illegal="raise")
    env.reset()
    env.step(4)
    text = re.escape("tictactoe: action 4 (b2) is not legal for o; legal: a1 b1 c1 a2 c2 a3 b3 c3")
    with pytest.raises(IllegalAction, match=text):
        env.step(4)
    env.step(0)
    assert env.position.text == "o../.x./... x"


@pytest.mark.parametrize("action", [None, 1.5, "a1"])
def test_an_action_is_an_integer(action):
    env = GameAECEnv("tictactoe")
    env.reset()
    with pytest.raises(TypeError, match=f"tictactoe: an action is an integer, not {re.escape(repr(action))}"):
        env.step(action)


@pytest.mark.parametrize("use", [lambda e: e.step(0), lambda e: e.position, lambda e: e.observe("player_0")])
def test_nothing_works_before_reset(use):
    with pytest.raises(RuntimeError, match=r"ludarium/tictactoe-v0: call reset\(\) before anything else"):
        use(GameAECEnv("tictactoe"))


def test_a_finished_game_cannot_go_on():
    env = GameAECEnv("tictactoe")
    env.reset()
    for action in (0, 3, 1, 4, 2):
        env.step(action)
    with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
        env.step(5)
    env.step(None)
    env.step(None)
    with pytest.raises(RuntimeError, match=r"ludarium/tictactoe-v0: the game is over for every agent; call reset\(\)"):
        env.step(None)


def test_reset_options():
    env = GameAECEnv("tictactoe")
    env.reset(options={"position": "xx./oo./... x"})
    env.step(2)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    with pytest.raises(ValueError, match="tictactoe: unknown reset option 'deck'; known: 'position'"):
        env.reset(options={"deck": []})


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"illegal": "x"}, "illegal must be one of 'lose', 'raise', not 'x'"),
        ({"render_mode": "x"}, "render_mode must be one of None, 'ansi', 'svg', 'rgb_array', 'human', not 'x'"),
        ({"rows": 9}, "tictactoe: rows must be an integer from 1 to 8, not 9"),
    ],
)
def test_arguments_that_cannot_be(arguments, text):
    with pytest.raises(ValueError, match=text):
        GameAECEnv("tictactoe", **arguments)


def test_human_rendering_prints_every_position(capsys):
    env = GameAECEnv("tictactoe", render_mode="human")
    env.reset()
    env.step(4)
    assert capsys.readouterr().out == "   a b c\n 1 . . .\n 2 . . .\n 3 . . .\n   a b c\n 1 . . .\n 2 . x .\n 3 . . .\n"


def test_an_episode_that_cannot_begin_is_none(monkeypatch):
    env = GameAECEnv("backgammon")
    env.reset(seed=1)
    monkeypatch.setattr(env.game, "chance_script", lambda options, start: [99], raising=False)
    with pytest.raises(IllegalAction, match="the script asks for a chance outcome that is not possible there"):
        env.reset(options={"dice": [(3, 1)]})
    with pytest.raises(RuntimeError, match=r"ludarium/backgammon-v0: call reset\(\) before anything else"):
        env.observe("player_0")


def test_spaces_and_metadata():
    env = GameAECEnv("othello", size=4)
    env.reset()
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(env.observe(agent))
        assert env.action_space(agent) == gymnasium.spaces.Discrete(17)
    assert env.metadata == {
        "name": "ludarium/othello-v0", "render_modes": ["ansi", "svg", "rgb_array", "human"], "render_fps": 2,
        "is_parallelizable": False,
    }  # fmt: skip
    env.close()
