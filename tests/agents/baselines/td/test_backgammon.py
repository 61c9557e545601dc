"""Temporal differences in backgammon: what the network learns, and what a turn is chosen by."""

import numpy as np
import pytest

from ludarium.agents.backgammon import td as backgammon
from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import SIGMOID, equity, network_of, put_out, see
from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.baselines.random import random
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.learning.run import train
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")


def position_after(*rolls):
    """After these rolls, each played by the first legal action; what follows is a roll."""
    position = GAME.start()
    for outcome in GAME.chance_script({"dice": rolls}, position):
        position.play(outcome)
        while position.turn >= 0:
            position.play(position.legal_actions()[0])
    return position


def outcomes_of(arrays, position, name="tesauro"):
    network = network_of(inputs(name), arrays, SIGMOID)
    sums, units = np.zeros((2, arrays["hidden"].shape[1]), dtype=np.float32)
    outcomes = np.zeros(6, dtype=np.float32)
    see(position.record, 1 - int(position.record.seat), network, sums)
    put_out(sums, network, units, outcomes)
    return outcomes


def test_it_learns(play):
    config = TD(game="backgammon", games=3000, hidden=20)
    arrays = config.start(GAME)
    untrained = config.policy(GAME, {name: array.copy() for name, array in arrays.items()})
    config.learn(GAME, arrays, 0, 3000)
    assert play(GAME, config.policy(GAME, arrays), untrained, 200).mean() > 1.5
    assert play(GAME, config.policy(GAME, arrays), pubeval(GAME), 400).mean() > -1.2


def test_its_games_begin_and_go_on_as_the_rules_say():
    """Turns of random games: a roll too many, or an opening double, makes other games."""
    arrays, rates = backgammon.start(2, "counts", 0), np.array([0.1, 0.7, 1.0, 0.0])
    assert 0.099 < abs(arrays["hidden"]).max() < 0.1  # small weights
    assert backgammon.learn(GAME, arrays, "counts", 0, 20, seed_key(1), rates) == 2067


@pytest.mark.parametrize("spec", ["backgammon?match_length=3", "backgammon?cube=True"])
def test_it_plays_matches_and_games_with_the_cube(spec, play):
    config, game = TD(game=spec, games=100, hidden=5), make_game(spec)
    arrays = config.start(game)
    assert config.learn(game, arrays, 0, 100) > 0
    money = TD(game="backgammon", games=100, hidden=5)
    same = money.start(GAME)
    money.learn(GAME, same, 0, 100)
    assert all((arrays[name] == same[name]).all() for name in same)
    assert play(game, config.policy(game, arrays), random(game), 20).mean() > 0


def test_a_step_follows_the_gradient_of_the_cross_entropy(follows_the_gradient):
    arrays = backgammon.start(3, "tesauro", 2)
    position, target = position_after((3, 1), (6, 4)), np.array([0, 0.1, 0.2, 0.2, 0.3, 0.2], dtype=np.float32)
    mover = 1 - int(position.record.seat)
    point = int(np.flatnonzero(position.record.checkers[mover, 1:25])[0]) + 1
    row = inputs("tesauro").columns[0, point, 0]

    def loss():
        return -float(target @ np.log(outcomes_of(arrays, position).astype(float)))

    def step():
        network, scratch = network_of(inputs("tesauro"), arrays, SIGMOID), np.zeros((3, 3), dtype=np.float32)
        backgammon._approach(position.record, target, np.float32(0.1), network, scratch)

    places = [("hidden", (row, 1)), ("hidden", (196, 0)), ("output", (1, 4)), ("output", (3, 2))]
    follows_the_gradient(arrays, places, loss, step)


@pytest.mark.parametrize(
    ("td_lambda", "strayed", "likeliest"),
    [
        (1.0, False, 0),  # the other side's result, three points, turned round
        (0.0, False, 4),  # what its best turn promised the other side, minus two points, turned round
        (1.0, True, 4),  # the same, because it played another turn
    ],
)
def test_lambda_returns(td_lambda, strayed, likeliest):
    arrays = backgammon.start(10, "tesauro", 0)
    position, end = position_after((3, 1), (6, 4)), GAME.start()
    end.record.phase, end.record.seat, end.record.won = 6, position.record.seat, 3
    seen = np.stack([np.frombuffer(p.data.tobytes(), dtype=np.uint8) for p in (position, end)])
    bests = np.zeros((2, 6), dtype=np.float32)
    bests[:, 1] = 1
    network, scratch = network_of(inputs("tesauro"), arrays, SIGMOID), np.zeros((3, 10), dtype=np.float32)
    for _ in range(200):
        backgammon._correct(
            seen, np.array([False, strayed]), bests, np.float32(0.1), np.float32(td_lambda), network, scratch
        )
    assert outcomes_of(arrays, position).argmax() == likeliest


@pytest.mark.parametrize("name", ["counts", "tesauro", "exact"])
@pytest.mark.parametrize(("roll", "decisions"), [((2, 1), 1), ((2, 2), 2), ((3, 3), 2)])
def test_a_turn_goes_towards_its_best_result(roll, decisions, name):
    arrays = backgammon.start(8, name, 1)
    policy, stream = backgammon.policy(GAME, arrays, name), np.zeros(2, dtype=np.uint64)
    position = position_after((6, 5))
    position.play(GAME.chance_script({"dice": [(2, 1), roll]}, GAME.start())[1])
    seat, ends = position.turn, position.afterstates()
    values = [equity(outcomes_of(arrays, end, name)) for end in ends]
    for _ in range(decisions):
        assert position.turn == seat
        position.play(policy.choose(GAME, position.data, position.observe(seat), position.action_mask(), stream))
    assert position == ends[int(np.argmax(values))]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inputs": "berliner"}, "td: inputs must be one of counts, tesauro, exact, stacks, not 'berliner'"),
        ({"hidden": 10**6}, "td: hidden=1000000 is too large for backgammon; lower it"),
        ({"game": "hexapawn", "inputs": "exact"}, "td: inputs must be 'tesauro', not 'exact', outside backgammon"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        TD(**{"game": "backgammon"} | options)


def test_how_it_plays_is_an_option_of_the_agent(tmp_path):
    game = make_game("backgammon?cube=True")
    train(TD(game=game.spec, games=20, hidden=3, checkpoints=1, test_games=2), tmp_path / "run")
    plain, other = (
        make_agent(f"td:{tmp_path}/run{options}", game) for options in ("", "?ply=1&cube=False&races=False")
    )
    assert plain.policy.block.size < other.policy.block.size  # one roll ahead needs room
    with pytest.raises(ValueError, match="ply must be 0 or 1, not 2"):
        make_agent(f"td:{tmp_path}/run?ply=2", game)


def test_a_network_plays_its_variant_with_any_rules_about_points(tmp_path):
    train(TD(game="backgammon", games=20, hidden=3, checkpoints=1, test_games=2), tmp_path / "run")
    for spec in ("backgammon", "backgammon?cube=True", "backgammon?match_length=5"):
        assert make_agent(f"td:{tmp_path}/run", make_game(spec)).policy is not None
    with pytest.raises(ValueError, match=r"the model was trained on backgammon, not on backgammon\?variant=nackgammon"):
        make_agent(f"td:{tmp_path}/run", make_game("backgammon?variant=nackgammon"))


def test_other_games_have_no_such_options(tmp_path):
    game = make_game("hexapawn")
    train(TD(game="hexapawn", games=2, checkpoints=1, test_games=2), tmp_path / "run")
    with pytest.raises(ValueError, match="ply, cube and races are options of a network that plays backgammon"):
        make_agent(f"td:{tmp_path}/run?ply=1", game)
