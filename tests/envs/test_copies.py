"""Positions and environments are copied and pickled in the middle of a game, and the copy goes on as the original."""

import copy
import gc
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest

import ludarium
from ludarium.envs.registry import make_game

GAMES = ["hexapawn", "tictactoe", "othello", "backgammon", "hanabi"]
WAYS = {"deepcopy": copy.deepcopy, "pickle": lambda kept: pickle.loads(pickle.dumps(kept))}
OPPONENTS = ["random", "greedy", {"greedy": 3, "random": 1}, None]


def first_legal(observation, action_mask, info):
    return int(action_mask.argmax())


class Counting:
    """An opponent with a memory."""

    def __init__(self):
        self.moves = 0

    def __call__(self, observation, action_mask, info):
        self.moves += 1
        legal = np.flatnonzero(action_mask)
        return int(legal[self.moves % len(legal)])


def played(env, steps, draws):
    """What the environment answers to random play."""
    seen, info = [], {"action_mask": env.get_wrapper_attr("action_masks")()}
    for _ in range(steps):
        legal = np.flatnonzero(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(int(draws.choice(legal)))
        seen += [observation.tobytes(), reward, terminated, truncated]
        if terminated or truncated:
            observation, info = env.reset()
            seen.append(observation.tobytes())
    return seen


def same_twice(env, copied, steps=40):
    there = played(copied, steps, np.random.default_rng(7))
    assert played(env, steps, np.random.default_rng(7)) == there  # and neither has disturbed the other


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", GAMES)
def test_a_position_goes_on_by_itself(name, way):
    game = make_game(name)
    position, draws = game.start(), np.random.default_rng(0)
    for _ in range(12):
        if position.over:
            break
        twin = WAYS[way](position)
        assert twin == position
        assert twin.game == game
        events = position.legal_actions() or [outcome for outcome, _ in position.outcomes()]
        before = position.text
        twin.play(int(draws.choice(events)))
        assert position.text == before
        position = twin


def test_positions_that_are_unpickled_share_their_game():
    one, other = pickle.loads(pickle.dumps([make_game("othello", size=6).start() for _ in range(2)]))
    assert one.game is other.game is pickle.loads(pickle.dumps(one)).game


def test_a_position_keeps_nothing_beside_its_bytes():
    position = make_game("othello").start()
    assert position.legal_actions() == position.copy().legal_actions()
    position.record.own, position.record.opponent = int(position.record.opponent), int(position.record.own)
    assert position.legal_actions() == np.flatnonzero(position.action_mask()).tolist()
    assert position != make_game("othello").start()


def test_a_position_of_another_layout_is_refused(monkeypatch):
    pickled = pickle.dumps(make_game("tictactoe").start())
    game = pickle.loads(pickled).game
    monkeypatch.setitem(vars(game), "layout", game.layout + 1)
    with pytest.raises(ValueError, match="pickled by another version of the game"):
        pickle.loads(pickled)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("opponent", OPPONENTS, ids=str)
@pytest.mark.parametrize("name", ["TicTacToe", "Backgammon", "Hanabi"])
def test_an_environment_goes_on_as_the_original(name, opponent, way):
    options = {"self_play": True} if opponent is None else {"opponent": opponent}
    env = gymnasium.make(f"ludarium/{name}-v0", **options)
    env.reset(seed=3)
    played(env, 5, np.random.default_rng(1))
    same_twice(env, WAYS[way](env))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "opponent", [first_legal, Counting(), f"{__file__}:Counting"], ids=["function", "object", "spec"]
)
def test_opponents_in_python_go_on_with_what_they_remember(opponent, way):
    if way == "pickle" and not isinstance(opponent, str):
        pytest.skip("pytest imports this file under a name that `pickle` cannot find")
    env = gymnasium.make("ludarium/Othello-v0", opponent=opponent)
    env.reset(seed=3)
    played(env, 5, np.random.default_rng(1))
    same_twice(env, WAYS[way](env))


@pytest.mark.parametrize("way", WAYS)
def test_a_vector_environment_goes_on_as_the_original(way):
    env = gymnasium.make_vec("ludarium/Backgammon-v0", num_envs=3, opponent={"greedy": 1, "random": 1})
    _, infos = env.reset(seed=5)
    twins = []
    for one in (env, WAYS[way](env)):
        seen, masks = [], infos["action_mask"]
        for _ in range(60):
            observations, rewards, *_, now = one.step(masks.argmax(axis=1))
            masks = now["action_mask"]
            seen.append((observations.tobytes(), rewards.tobytes()))
        twins.append(seen)
    assert twins[0] == twins[1]


@pytest.mark.parametrize("way", WAYS)
def test_every_seat_goes_on_as_the_original(way):
    env = pettingzoo.make("aec", "ludarium/hanabi-v0", seats=3)
    env.reset(seed=5)
    twins = []
    for one in (env, WAYS[way](env)):
        seen = []
        for agent in one.agent_iter(30):
            observation, reward, terminated, truncated, _ = one.last()
            seen.append((agent, observation["observation"].tobytes(), reward))
            one.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
        twins.append(seen)
    assert twins[0] == twins[1]


def test_a_copy_survives_the_original():
    env = gymnasium.make("ludarium/Othello-v0", opponent="greedy")
    env.reset(seed=1)
    expected = played(copy.deepcopy(env), 20, np.random.default_rng(0))
    twin = copy.deepcopy(env)
    del env
    gc.collect()
    assert played(twin, 20, np.random.default_rng(0)) == expected


SPAWNED = """
import multiprocessing, os
import gymnasium, ludarium
from ludarium.envs.registry import load_games

def step(env):
    return env.step(env.unwrapped.position.legal_actions()[0])[0].tobytes()

if __name__ == "__main__":
    load_games(os.environ["LUDARIUM_GAMES"])
    env = gymnasium.make("ludarium/ConnectFour-v0", opponent="greedy")
    env.reset(seed=1)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(step, (env,)) == step(env)
"""


def test_a_game_of_ones_own_reaches_processes_that_are_spawned(tmp_path):
    example = Path(__file__).parents[2] / "examples" / "connect_four.py"
    (tmp_path / "spawned.py").write_text(SPAWNED)
    environment = {"LUDARIUM_GAMES": str(example), "PATH": "/usr/bin:/bin", "PYTHONPATH": sys.path[0]}
    run = subprocess.run(
        [sys.executable, "spawned.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr[-2000:]


@pytest.mark.parametrize(
    "make", [lambda: gymnasium.make("ludarium/TicTacToe-v0"), lambda: pettingzoo.make("aec", "ludarium/tictactoe-v0")]
)
def test_an_environment_of_another_version_is_refused(make, monkeypatch):
    pickled = pickle.dumps(make().unwrapped)
    monkeypatch.setattr(ludarium, "__version__", "0.0.9")
    with pytest.raises(ValueError, match=r"pickled by ludarium 0.1.0, and this is 0.0.9; make it anew"):
        pickle.loads(pickled)


def test_a_connection_to_a_program_is_refused_in_a_sentence():
    bot = Path(__file__).parents[2] / "examples" / "bots" / "seeded.py"
    env = gymnasium.make("ludarium/TicTacToe-v0", opponent=f"process:{sys.executable} {bot}")
    try:
        env.reset(seed=0)
        for way in WAYS.values():
            with pytest.raises(
                TypeError, match=r"connected to a program, .* the environment cannot be copied or pickled"
            ):
                way(env)
    finally:
        env.close()


def test_threads_share_a_game_and_its_positions():
    game = make_game("othello")
    passed_on = [game.start() for _ in range(4)]
    expected = {}

    def play(number):
        draws, wrong = np.random.default_rng(number), 0
        for _ in range(2000):
            position = passed_on[int(draws.integers(4))].copy()
            if position.over:
                position = game.start()
            mask = position.action_mask()
            wrong += np.flatnonzero(mask).tolist() != position.legal_actions()
            wrong += expected.setdefault(position.text, mask.tobytes()) != mask.tobytes()
            position.play(int(draws.choice(position.legal_actions())))
            passed_on[number] = position
        return wrong

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(play, range(4))) == 0
