"""The compiled network: the scores it goes by, the same play everywhere, and what its files may hold."""

import io
from itertools import pairwise

import numpy as np
import pytest

from ludarium.agents import check_agent
from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.perceptron import Network
from ludarium.agents.baselines.random import random
from ludarium.envs.batch import ILLEGAL, play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game


def made(game, activation="Tanh", hidden=(16, 8), seed=1):
    """A network of random numbers."""
    draws = np.random.default_rng(seed)
    sizes = [game.observation_size, *hidden, game.actions]
    weights = [draws.normal(size=shape).astype(np.float32) for shape in pairwise(sizes)]
    return Network(activation, weights, [draws.normal(size=size).astype(np.float32) for size in sizes[1:]])


def scores(network, observations):
    """The output for observations (n, inputs), in double precision."""
    values = observations.astype(np.float64)
    for weights, biases in zip(network.weights, network.biases, strict=True):
        last = values @ weights.astype(np.float64) + biases
        values = np.tanh(last) if network.activation == "Tanh" else np.maximum(last, 0)
    return last


def acts(network, game, observation, mask):
    """What the policy does."""
    stream, state = np.zeros(2, dtype=np.uint64), np.zeros(0, dtype=np.uint8)
    return network.policy(game).choose(game, state, observation, mask, stream)


@pytest.mark.parametrize("activation", ["Tanh", "ReLU"])
@pytest.mark.parametrize("hidden", [(), (5,), (16, 8, 24)])
def test_it_takes_the_legal_action_with_the_greatest_score(activation, hidden):
    game = make_game("backgammon")  # its observation holds more than 0 and 1
    network = made(game, activation, hidden)
    policy = network.policy(game)
    draws, stream, state = np.random.default_rng(2), np.zeros(2, dtype=np.uint64), np.zeros(0, dtype=np.uint8)
    observations = draws.integers(0, 16, (300, game.observation_size)).astype(np.int8)
    observations[draws.random(observations.shape) < 0.8] = 0
    masks = (draws.random((300, game.actions)) < 0.02).astype(np.int8)
    masks[:, 7] = 1
    wanted = np.where(masks == 1, scores(network, observations), -np.inf).argmax(axis=1)
    actions = [policy.choose(game, state, *row, stream) for row in zip(observations, masks, strict=True)]
    assert actions == wanted.tolist()


@pytest.mark.parametrize("activation", ["Tanh", "ReLU"])
def test_probabilities_are_the_softmax_of_the_scores(activation):
    game = make_game("tictactoe")
    network, seen, mask = made(game, activation), np.ones(18, dtype=np.int8), np.arange(9, dtype=np.int8) % 2
    wanted = np.exp(scores(network, seen[None])[0] - 20) * mask
    assert network.probabilities(seen, mask) == pytest.approx(wanted / wanted.sum(), rel=1e-4)


def test_the_lowest_among_equals():
    game = make_game("tictactoe")
    flat = Network("ReLU", [np.zeros((18, 9), dtype=np.float32)], [np.zeros(9, dtype=np.float32)])
    mask = np.array([0, 0, 1, 0, 1, 1, 0, 0, 1], dtype=np.int8)
    assert acts(flat, game, np.zeros((3, 3, 2), dtype=np.int8), mask) == 2


def test_it_draws_by_the_softmax_of_the_scores():
    game = make_game("tictactoe")
    worth = np.log(np.array([1, 2, 3, 4, 5, 6, 7, 8, 9], dtype=np.float32))
    policy = Network("Tanh", [array(18, 9)], [worth]).policy(game, deterministic=False)
    mask = np.array([1, 0, 1, 0, 0, 0, 1, 0, 1], dtype=np.int8)
    stream, state, seen = np.array([5, 0], dtype=np.uint64), np.zeros(0, dtype=np.uint8), array(18, dtype=np.int8)
    drawn = [policy.choose(game, state, seen, mask, stream) for _ in range(20_000)]
    wanted = np.array([1, 0, 3, 0, 0, 0, 7, 0, 9]) / 20
    assert np.abs(np.bincount(drawn, minlength=9) / 20_000 - wanted).max() < 0.015  # four standard errors


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("spec", ["tictactoe", "hanabi?preset=very-small"])
def test_it_is_an_agent_and_plays_in_a_batch(spec, deterministic):
    game = make_game(spec)
    policy = made(game).policy(game, deterministic=deterministic)
    check_agent(CompiledAgent("network", policy), game, games=3)
    keys = np.array([seed_key(1, i) for i in range(50)])
    played = play_games(game, [policy, random(game)], np.tile([0, 1], (50, 1)), keys, keys)
    assert (played.endings < ILLEGAL).all()
    assert len(np.unique(played.payoffs)) > 1


def test_its_file_keeps_it(tmp_path):
    game = make_game("tictactoe")
    network = made(game, "ReLU")
    network.save(tmp_path / "network.npz")
    again = Network.load(tmp_path / "network.npz")
    assert again.activation == "ReLU"
    assert again.sizes == network.sizes == [18, 16, 8, 9]
    assert isinstance(again.policy(game), Policy)
    assert again.policy(game).block.tobytes() == network.policy(game).block.tobytes()


def array(*shape, dtype=np.float32):
    return np.zeros(shape, dtype=dtype)


@pytest.mark.parametrize(
    ("weights", "biases"),
    [
        ([], []),
        ([array(18, 9)], []),
        ([array(18, 9)], [array(8)]),
        ([array(18, 4), array(5, 9)], [array(4), array(9)]),
        ([array(18)], [array(9)]),
        ([array(18, 9, dtype=np.float64)], [array(9)]),
    ],
)
def test_layers_that_do_not_fit_together(weights, biases):
    with pytest.raises(ValueError, match=r"network: each layer must be float32 weights \(inputs, outputs\) and biases"):
        Network("Tanh", weights, biases)


def test_what_it_refuses():
    with pytest.raises(ValueError, match="network: activation must be one of Tanh, ReLU, not 'ELU'"):
        Network("ELU", [array(18, 9)], [array(9)])
    message = r"network: othello has \(observed elements, actions\) \(128, 65\), the network \(18, 9\)"
    with pytest.raises(ValueError, match=message):
        made(make_game("tictactoe")).policy(make_game("othello"))


def test_files_that_are_no_networks(tmp_path):
    objects = io.BytesIO()
    np.savez(objects, activation=np.array("Tanh"), weights_0=np.array([{}], dtype=object), biases_0=array(1))
    whole = io.BytesIO()
    made(make_game("tictactoe")).save(whole)
    for data in (b"", b"hello", objects.getvalue(), whole.getvalue()[:500]):
        (tmp_path / "network.npz").write_bytes(data)
        with pytest.raises(ValueError, match=r"/network\.npz: the layers of the network cannot be read: "):
            Network.load(tmp_path / "network.npz")
