"""Fixtures for the tests of agents."""

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.envs import OVER, Game, kernel
from ludarium.envs.backgammon.decision_files import load, save
from ludarium.envs.batch import ILLEGAL, play_games
from ludarium.envs.chance import below, seed_key, stream

_FEW = Path(__file__).parent / "genetic" / "gengammon" / "data" / "few.npz"
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
def connect_four(connect_four_class):
    """The example of a plug-in game."""
    return connect_four_class()


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
        positions, draws = [], stream(seed)
        while len(positions) < count:
            position = game.start()
            for _ in range(plies):
                actions = position.legal_actions()
                if actions:
                    position.play(actions[below(draws, len(actions))])
            if not position.over:
                positions.append(position)
        return positions

    return random_positions


@pytest.fixture(scope="session")
def higher():
    return Higher()


@pytest.fixture(scope="session")
def judged_decisions():
    """Decisions with odds that favour the side with more checkers borne off or far advanced."""
    some = load(_FEW).part(held_out=False).select(np.arange(1800) % 6 == 0)
    lead = (some.results[:, 1:25] * (12.5 - np.arange(1, 25))).sum(axis=1) / 30
    odds = np.exp(np.outer(lead, np.array([-3, -2, -1, 1, 2, 3]) / 6))
    return replace(some, odds=(odds / odds.sum(axis=1, keepdims=True)).astype(np.float16))


@pytest.fixture(scope="session")
def odds_file(judged_decisions, tmp_path_factory):
    """The file of these decisions."""
    path = tmp_path_factory.mktemp("odds") / "odds.npz"
    save(judged_decisions, path)
    return str(path)


@pytest.fixture(scope="session")
def one_worker():
    with workers("threads", 1) as parallel:
        yield parallel


@pytest.fixture
def killed(monkeypatch):
    """Trains in a folder until the process dies, so to speak, after some steps, each of which was saved."""

    def run(learner, folder, steps):
        step, left = type(learner).advance, iter(range(steps))

        def advance(self, *arguments):
            if next(left, None) is None:
                raise RuntimeError
            return step(self, *arguments)

        with monkeypatch.context() as patched:
            patched.setattr("ludarium.agents.learning.run._SECONDS_BETWEEN_SAVES", 0)
            patched.setattr("ludarium.agents.learning.run._MOST_TIME_SAVING", 1e9)
            patched.setattr(type(learner), "advance", advance)
            with pytest.raises(RuntimeError):
                train(learner, folder)

    return run
