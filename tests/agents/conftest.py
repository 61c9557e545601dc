"""Fixtures for the tests of agents."""

import importlib.util
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.learning.run import train
from ludarium.envs import OVER, Game, kernel
from ludarium.envs.batch import ILLEGAL, play_games
from ludarium.envs.chance import below, seed_key, stream

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NUMBERS = 8


class Higher(Game):
    """A game in which it is known who must win: each seat names a number in turn, and the higher wins."""

    name = "higher"
    actions = NUMBERS
    max_moves = 2
    observation_shape = (1,)
    symmetries = (range(NUMBERS),)
    state = np.dtype([("named", np.int8, (2,)), ("moves", np.int8)], align=True)

    @kernel
    def setup(s, o):
        return 0

    @kernel
    def turn(s):
        return OVER if s.moves == 2 else s.moves

    @kernel
    def legal(s, mask):
        for action in range(8):
            mask[action] = s.moves < 2
        return 8 * (s.moves < 2)

    @kernel
    def play(s, action):
        s.named[s.moves] = action
        s.moves += 1
        return 0

    @kernel
    def payoffs(s, out):
        result = 0
        if s.moves == 2:
            result = (s.named[0] > s.named[1]) - (s.named[0] < s.named[1])
        out[0], out[1] = result, -result
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = 0
        return 0


@pytest.fixture(scope="session")
def connect_four():
    """The example of a plug-in game."""
    spec = importlib.util.spec_from_file_location("connect_four", _EXAMPLES / "connect_four.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ConnectFour()


@pytest.fixture(scope="session")
def play():
    """A match of pairs with exchanged seats: the payoffs of the first of two policies, one a game."""

    def play(game, first, second, pairs, seed=1, opening=0):
        seating = np.array([[0, 1], [1, 0]] * pairs)
        keys = np.repeat([seed_key(seed, i) for i in range(pairs)], 2)
        agent_keys = np.array([seed_key(seed, i, 1) for i in range(2 * pairs)])
        games = play_games(game, [first, second], seating, keys, agent_keys, opening=opening)
        assert (games.endings < ILLEGAL).all()
        return np.where(seating[:, 0] == 0, games.payoffs[:, 0], games.payoffs[:, 1])

    return play


@pytest.fixture(scope="session")
def kill_training():
    """Run a program that trains into a folder, its argument, and kill it at so many lines of metrics."""

    def kill_training(program, folder, lines):
        process = subprocess.Popen([sys.executable, "-c", program, str(folder)])
        metrics = folder / "metrics.jsonl"
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if metrics.exists() and metrics.read_bytes().count(b"\n") >= lines:
                break
            time.sleep(0.001)
        process.kill()
        assert process.wait() == -signal.SIGKILL  # it had not come to its end

    return kill_training


@pytest.fixture(scope="session")
def random_positions():
    """So many unfinished positions of a game after so many random moves."""

    def random_positions(game, count, plies, seed=1):
        found, draws = [], stream(seed)
        while len(found) < count:
            position = game.start()
            for _ in range(plies):
                actions = position.legal_actions()
                if actions:
                    position.play(actions[below(draws, len(actions))])
            if not position.over:
                found.append(position)
        return found

    return random_positions


@pytest.fixture(scope="session")
def higher():
    return Higher()


@pytest.fixture
def killed(monkeypatch):
    """Trains in a folder until the process dies, so to speak, after some generations, each of which was saved."""

    def run(learner, folder, generations):
        step = type(learner).advance

        def advance(self, game, now, until, parallel):
            if now.generations == generations:
                raise RuntimeError
            return step(self, game, now, until, parallel)

        with monkeypatch.context() as patched:
            patched.setattr("ludarium.agents.learning.run._SECONDS_BETWEEN_SAVES", 0)
            patched.setattr("ludarium.agents.learning.run._MOST_TIME_SAVING", 1e9)
            patched.setattr(type(learner), "advance", advance)
            with pytest.raises(RuntimeError):
                train(learner, folder)

    return run
