"""The example game: one file, under 100 lines, and right by somebody else's rules."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from ludarium.envs.batch import random_games
from ludarium.envs.conformance import check_game

SOURCE = Path(__file__).resolve().parents[1] / "examples" / "connect_four.py"


@pytest.fixture(scope="module")
def connect_four():
    spec = importlib.util.spec_from_file_location("connect_four", SOURCE)
    module = sys.modules["connect_four"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ConnectFour()


def test_it_is_one_file_of_under_100_lines():
    assert len(SOURCE.read_text().splitlines()) < 100


def test_it_keeps_the_contract(connect_four):
    check_game(connect_four, games=20)


def test_random_games_end_as_they_should(connect_four):
    payoffs, decisions = random_games(connect_four, 20_000, seed=1)
    assert np.array_equal(payoffs[:, 0], -payoffs[:, 1])
    # 500,000 random games of OpenSpiel's connect_four: 55.50 % for the first player, 0.259 % draws, 21.308 moves.
    assert np.mean(payoffs[:, 0] == 1) == pytest.approx(0.555, abs=0.012)
    assert np.mean(payoffs[:, 0] == 0) == pytest.approx(0.0026, abs=0.0015)
    assert decisions / 20_000 == pytest.approx(21.31, abs=0.2)


def test_openspiel_replays_its_random_games(connect_four):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("connect_four")
    rng = np.random.default_rng(4)
    for _ in range(500):
        position, state = connect_four.start(), theirs.new_initial_state()
        while not state.is_terminal():
            assert position.turn == state.current_player()
            assert position.legal_actions() == state.legal_actions()
            action = int(rng.choice(state.legal_actions()))
            position.play(action)
            state.apply_action(action)
        assert position.over
        assert position.payoffs().tolist() == state.returns()


def test_its_picture_shows_what_was_played(connect_four):
    position = connect_four.start()
    for column in (3, 3, 4):
        position.play(column)
    assert str(position).splitlines()[-2:] == [". . . o . . .", ". . . x x . ."]
