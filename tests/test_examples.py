"""The examples: a game in under 100 lines, right by somebody else's rules, and PPO by self-play in one file."""

from pathlib import Path

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.envs.batch import random_games
from ludarium.envs.conformance import check_game
from ludarium.envs.registry import make_game
from ludarium.envs.source_file import load_source
from ludarium.evaluation.play.match import play_match

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SOURCE, PPO = EXAMPLES / "connect_four.py", EXAMPLES / "selfplay_ppo.py"


def load(path):
    return load_source(str(path), path.stem)


@pytest.fixture(scope="module")
def connect_four(connect_four_class):
    return connect_four_class()


def test_it_keeps_the_contract_in_one_file_of_under_100_lines(connect_four):
    assert len(SOURCE.read_text().splitlines()) < 100
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


@pytest.fixture(scope="module")
def ppo():
    pytest.importorskip("torch")
    return load(PPO)


def test_ppo_learns_by_playing_itself_and_becomes_an_agent(ppo, tmp_path, capsys):
    game = make_game("tictactoe")
    networks = [ppo.learn(game, 2 * ppo.ENVS * ppo.STEPS, 16, 1).network() for _ in range(2)]
    assert "65,536 decisions" in capsys.readouterr().out
    networks[0].save(tmp_path / "net.npz")
    agent = make_agent(f"{PPO}:trained?path={tmp_path / 'net.npz'}", game)
    assert play_match(game, [agent, "random"], 300, 1).scores().mean() > 0.6
    assert agent.policy.block.tobytes() == networks[1].policy(game).block.tobytes()  # the same seed
    assert len(PPO.read_text().splitlines()) <= 250


def test_what_the_other_side_gains_is_lost(ppo, monkeypatch):
    """Two moves, one by each side, and then the end: the second wins. And the same with a single side."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(ppo, "STEPS", 2)
    values, rewards = torch.tensor([[0.5, 0.5], [0.25, 0.25]]), torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    batch = ppo.Batch(*[torch.zeros(2, 2)] * 4, values, rewards, torch.tensor([[-1.0, 1.0], [0.0, 0.0]]))
    first = [-0.25 - 0.5 - ppo.TRACE * 0.75, 0.25 - 0.5 + ppo.TRACE * 0.75]
    expected = torch.tensor([first, [0.75, 0.75]])
    torch.testing.assert_close(ppo.advantages(batch, torch.tensor([9.0, 9.0])), expected)


def test_features_of_a_plug_in_game_evolve(output, tmp_path):
    name, run = load(EXAMPLES / "connect_four_lines.py").ConnectFourLines.name, tmp_path / "run"
    options = ("features=lines", "depth=2", "opening=4", "test_games=20")
    given = ["--preset", "modern", *(part for option in options for part in ("--set", option)), "--games", 3000]
    output("train", "minimax", name, *given, "--out", run)
    assert "3 in an open line" in output("inspect", f"minimax:{run}")
    unevolved = "alphabeta?depth=2&evaluation=none"
    assert play_match(make_game(name), [f"minimax:{run}", unevolved], 30, 1, opening=4).scores().mean() > 0.8


@pytest.fixture
def nets(tmp_path):
    """Two networks of wildbg's sizes, without any training."""
    draws = np.random.default_rng(1)
    for name, inputs in (("contact", 202), ("race", 186)):
        shapes = {"weights_0": (inputs, 5), "biases_0": 5, "weights_1": (5, 6), "biases_1": 6}
        arrays = {key: draws.normal(0, 0.3, shape).astype(np.float32) for key, shape in shapes.items()}
        np.savez(tmp_path / f"{name}.npz", activation="hardsigmoid", **arrays)
    return tmp_path


def test_wildbg_sees_what_its_networks_were_trained_on():
    """Its own examples: one to five checkers on the points 1 to 5, against one checker on 24 and perhaps the bar."""
    wildbg = load(EXAMPLES / "wildbg.py")
    position = np.zeros((1, 28), dtype=np.int8)
    position[0, 1:6], position[0, 24], position[0, 27] = range(1, 6), -1, 14
    own = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1], [0, 0, 1, 2]]
    one = [1, 0, 0, 0]
    race = np.concatenate([[0, 14], np.ravel(own), np.zeros(4 * 18), np.zeros(4 * 22), one])
    assert wildbg.seen_by(position, True)[0].tolist() == race.tolist()
    position[0, 26:28] = 1, 13
    contact = np.concatenate([[0, 13], np.zeros(4), np.ravel(own), np.zeros(4 * 19), one, np.zeros(4 * 23), one])
    assert wildbg.seen_by(position, False)[0].tolist() == contact.tolist()


@pytest.mark.parametrize("spec", ["backgammon?cube=true", "backgammon?variant=hypergammon"])
def test_wildbg_plays(nets, spec):
    agent = f"{EXAMPLES / 'wildbg.py'}:Wildbg?contact={nets / 'contact.npz'}&race={nets / 'race.npz'}"
    assert not play_match(make_game(spec), [agent, "greedy"], 2, 1).forfeits


def test_a_network_that_is_not_wildbgs_is_refused(nets):
    spec = f"{EXAMPLES / 'wildbg.py'}:Wildbg?contact={nets / 'race.npz'}&race={nets / 'contact.npz'}"
    with pytest.raises(ValueError, match=r"race\.npz: a network has weights_N and biases_N from 202 inputs to"):
        make_agent(spec, make_game("backgammon"))
