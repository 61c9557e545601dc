"""Temporal-difference learning: known budgets on tic-tac-toe, larger boards, and the network in games with chance."""

import math
from dataclasses import asdict

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.baselines.td import network as td_network
from ludarium.agents.baselines.td import tuples as td_tuples
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.learning.learner import LEARNING
from ludarium.envs.chance import below, child_key, seed_key, uniform
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure


def learned(spec, games, **options):
    game = make_game(spec)
    config = TD(game=spec, games=games, **options)
    arrays = config.start(game)
    config.learn(game, arrays, 0, games)
    return game, config, arrays


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("games", "symmetry"), [(5_000, True), (30_000, False)])
def test_tictactoe_never_loses(games, symmetry, seed):
    game, config, arrays = learned("tictactoe", games, symmetry=symmetry, seed=seed)
    result = measure(game, config.policy(game, arrays))
    assert result.never_loses_first
    assert result.never_loses_second
    assert result.nash_conv == 0


def test_hexapawn_is_optimal_after_1000_games():
    game, config, arrays = learned("hexapawn", 1000)
    result = measure(game, config.policy(game, arrays))
    assert result.nash_conv == 0
    assert result.optimal_action_rate == 1


def test_larger_boards_beat_random(connect_four, play):
    for game, games in ((connect_four, 1500), (make_game("othello?size=6"), 500)):
        config = TD(game=game.spec, games=games, tuples=30)
        arrays = config.start(game)
        assert arrays["squares"].shape == (30, 6)
        assert arrays["weights"].shape == (30, 3**6)
        config.learn(game, arrays, 0, games)
        assert play(game, config.policy(game, arrays), random(game), 200).mean() > 0.5


def test_random_walks_stay_on_the_board_and_hang_together():
    squares = TD(game="othello", seed=1).start(make_game("othello"))["squares"]
    rows, columns = np.divmod(squares, 8)
    assert (squares >= 0).all()
    assert (squares < 64).all()
    for tuple_rows, tuple_columns in zip(rows, columns, strict=True):
        assert len(set(zip(tuple_rows.tolist(), tuple_columns.tolist(), strict=True))) == 6
        distances = np.maximum(abs(tuple_rows[:, None] - tuple_rows), abs(tuple_columns[:, None] - tuple_columns))
        assert (np.sort(distances, axis=1)[:, 1] == 1).all()  # each has a neighbour among the others


@pytest.mark.parametrize("td_lambda", [0.0, 1.0])
def test_both_ends_of_lambda_learn(td_lambda):
    game, config, arrays = learned("hexapawn", 2000, td_lambda=td_lambda)
    assert measure(game, config.policy(game, arrays)).nash_conv == 0


HYPERGAMMON = "backgammon?variant=hypergammon"


def test_the_network_learns_boards():
    game, config, arrays = learned("hexapawn", 3000, approximator="network", epsilon=0.2)
    assert measure(game, config.policy(game, arrays)).nash_conv == 0


def forecast(arrays, seen):
    """The probabilities of the payoffs of one observation."""
    chances = np.zeros(arrays["output"].shape[1], dtype=np.float32)
    units = np.zeros(arrays["hidden"].shape[1], dtype=np.float32)
    network = td_network._Network(arrays["scale"], arrays["hidden"], arrays["output"])
    value = td_network.forward(np.ravel(seen), network, units, chances)
    assert value == pytest.approx(float(chances @ np.arange(-3, 4)), abs=1e-6)
    return chances, units


def test_a_step_follows_the_gradient_of_the_cross_entropy(follows_the_gradient):
    game = make_game("backgammon")
    arrays = td_network.PayoffNetwork(3).start(game, 2)
    seen, target = game.start().observe(0), np.array([0, 0.1, 0.2, 0, 0.3, 0.4, 0], dtype=np.float32)

    def loss():
        return -float(target @ np.log(forecast(arrays, seen)[0].astype(float)))

    def step():
        chances, units = forecast(arrays, seen)
        network = td_network._Network(arrays["scale"], arrays["hidden"], arrays["output"])
        td_network._descend(seen.ravel(), np.float32(0.1), target - chances, network, units)

    places = [("hidden", (0, 1)), ("hidden", (20, 2)), ("hidden", (200, 0)), ("output", (1, 4)), ("output", (3, 2))]
    follows_the_gradient(arrays, places, loss, step)


@pytest.mark.parametrize(
    ("td_lambda", "strayed", "first"),
    [
        (1.0, False, 0),  # the other side's result, three points, turned round
        (0.0, False, 5),  # what its best turn promised the other side, minus two points, turned round
        (1.0, True, 5),  # the same, because it played another turn
    ],
)
def test_lambda_returns(td_lambda, strayed, first):
    game = make_game("backgammon")
    arrays = td_network.PayoffNetwork(40).start(game, 0)
    seen = np.zeros((2, 200), dtype=np.int8)
    seen[0, :20] = seen[1, 20:40] = 1
    bests = np.zeros((2, 7), dtype=np.float32)
    bests[:, 1] = 1
    network = td_network._Network(arrays["scale"], arrays["hidden"], arrays["output"])
    for _ in range(300):
        target = np.zeros(7, dtype=np.float32)
        target[6] = 1
        td_network._correct(seen, np.array([0, 1]), np.array([False, strayed]), bests, target, 0.1, td_lambda, network)
    assert forecast(arrays, seen[0])[0].argmax() == first
    assert forecast(arrays, seen[1])[0].argmax() == 6


@pytest.mark.parametrize(("roll", "decisions"), [((2, 1), 1), ((2, 2), 2), ((3, 3), 2)])
def test_both_halves_of_a_double_go_towards_the_best_end_of_the_turn(roll, decisions):
    game = make_game("backgammon")
    arrays = td_network.PayoffNetwork(40).start(game, 0)
    policy, stream = td_network.PayoffNetwork(40).policy(game, arrays), np.zeros(2, dtype=np.uint64)
    position = game.start()
    opening, second = game.chance_script({"dice": [(6, 5), roll]}, position)
    position.play(opening)
    position.play(position.legal_actions()[0])
    position.play(second)
    seat = position.turn
    ends = position.afterstates()
    values = [float(forecast(arrays, end.observe(seat))[0] @ np.arange(-3, 4)) for end in ends]
    for _ in range(decisions):
        assert position.turn == seat
        position.play(policy.choose(game, position.data, position.observe(seat), position.action_mask(), stream))
    assert position == ends[int(np.argmax(values))]


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_game_is_learned_from_in_all_its_images_or_as_it_is(symmetry, monkeypatch):
    mirrors, game = [], make_game("tictactoe")
    monkeypatch.setattr(td_tuples, "_learn", lambda *arguments: mirrors.append(arguments[6]) or 1)
    config = TD(game="tictactoe", symmetry=symmetry)
    config.learn(game, config.start(game), 0, 1)
    assert len(mirrors[0]) == (8 if symmetry else 1)
    assert mirrors[0][0].tolist() == list(range(9))


@pytest.mark.parametrize("approximator", ["tuples", "network"])
def test_the_step_size_decays(approximator):
    game = make_game("tictactoe")
    options = {"game": "tictactoe", "games": 1000, "approximator": approximator, "alpha": 0.01}
    first, last = (TD(**options, alpha_decay=decay) for decay in (0.0, 1.0))
    constant, decayed = first.start(game), last.start(game)
    name = "weights" if approximator == "tuples" else "output"
    start = constant[name].copy()
    first.learn(game, constant, 900, 1)
    last.learn(game, decayed, 900, 1)
    ratio = np.abs(decayed[name] - start).sum() / np.abs(constant[name] - start).sum()
    assert ratio == pytest.approx(0.1, rel=0.1)


def test_the_scale_is_one_over_the_root_mean_square_without_zeros(monkeypatch):
    moments = {0: (0, 0), 1: (1, 16), 2: (3, 12)}  # of three inputs: how often they are not 0, the sum of their squares

    def add_moments(game, options, key, sums):
        for number, counts in moments.items():
            sums[:, number] = counts

    monkeypatch.setattr(td_network, "_add_moments", add_moments)
    scale = td_network.PayoffNetwork(3).start(make_game("hexapawn"), 0)["scale"]
    assert scale.tolist() == [1, 1 / 4, 1 / 2, *[1] * (len(scale) - 3)]


def test_a_scale_that_does_not_follow_from_the_options():
    game = make_game("hexapawn")
    config = TD(game="hexapawn", approximator="network")
    arrays = config.start(game)
    assert config.fits(game, arrays)
    assert not config.fits(game, arrays | {"scale": 2 * arrays["scale"]})


@pytest.mark.parametrize(
    ("game", "approximator", "own"),
    [
        ("othello", "tuples", {"alpha": 0.5, "alpha_decay": 0, "td_lambda": 0.5, "epsilon": 0.3}),
        ("backgammon", "network", {"alpha": 0.1, "alpha_decay": 0.95, "td_lambda": 0.7, "epsilon": 0}),
        ("othello", "patterns", {"alpha": 1, "alpha_decay": 0.95, "td_lambda": 0, "epsilon": 0.1}),
    ],
)
def test_defaults_are_those_of_the_approximator(game, approximator, own):
    defaults = {
        "seed": 0, "checkpoints": 10, "test_games": 400, "games": 10_000, "tuples": 60, "length": 6, "symmetry": True,
        "hidden": 40, "inputs": "tesauro", "patterns": "patterns", "phases": 6, "opening": 4,
    }  # fmt: skip
    learner = TD(game=game, approximator="patterns" if approximator == "patterns" else "auto")
    assert asdict(learner) == {"game": game, "approximator": approximator, **defaults, **own}
    assert TD(game=game, approximator=approximator, epsilon=0.2).epsilon == 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "td: alpha must be a number above 0 and at most 10, not 0"),
        ({"alpha_decay": 1.1}, "td: alpha_decay must be a number from 0 to 1, not 1.1"),
        ({"td_lambda": -0.1}, "td: td_lambda must be a number from 0 to 1, not -0.1"),
        ({"alpha": float("nan")}, "td: alpha must be a number from 0 to 10, not nan"),
        ({"length": 64, "game": "othello"}, "td: one tuple of 64 squares is too large; lower length"),
        ({"length": 63, "game": "othello"}, "td: 60 tuples of 63 squares are too large; lower tuples or length"),
        ({"tuples": 0}, "td: tuples must be an integer of at least 1, not 0"),
        ({"length": 2.5}, "td: length must be an integer of at least 1, not 2.5"),
        ({"game": "othello", "length": 16}, "td: 60 tuples of 16 squares are too large; lower tuples or length"),
        ({"hidden": 0}, "td: hidden must be an integer of at least 1, not 0"),
        ({"hidden": 10**8, "approximator": "network"}, "td: hidden=100000000 is too large for tictactoe; lower it"),
        ({"hidden": 8}, "td: hidden must be 40, not 8, with approximator='tuples'"),
        ({"approximator": "network", "length": 4}, "td: length must be 6, not 4, with approximator='network'"),
        (
            {"game": "backgammon", "symmetry": False},
            "td: symmetry must be True, not False, with approximator='network'",
        ),
        (
            {"approximator": "forest"},
            "td: approximator must be 'auto', 'tuples', 'patterns' or 'network', not 'forest'",
        ),
        ({"game": "backgammon", "approximator": "tuples"}, "td: backgammon has chance, which tuples cannot learn"),
        (
            {"game": "hanabi"},
            "td: hanabi cannot be learned; it takes two-seat zero-sum games without hidden information",
        ),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        TD(**{"game": "tictactoe"} | options)


@pytest.mark.parametrize(
    ("options", "name", "most"),
    [
        ({"approximator": "network"}, "hidden", 2**24 // (18 + 3)),
        ({"game": "backgammon"}, "hidden", 2**24 // (196 + 6)),
        ({"game": "othello", "length": 10}, "tuples", 2**24 // 3**10),
    ],
)
def test_how_large_it_may_be(options, name, most):
    given = {"game": "tictactoe"} | options
    TD(**given, **{name: most})
    with pytest.raises(ValueError, match="too large"):
        TD(**given, **{name: most + 1})


@pytest.mark.parametrize(("length", "shape"), [(11, (60, 11)), (12, (1, 12)), (13, (1, 12))])
def test_tuples_as_long_as_the_board_are_one(length, shape):
    learner = TD(game="hexapawn?rows=3&columns=4", length=length)
    assert learner.start(make_game(learner.game))["squares"].shape == shape


def test_the_one_tuple_of_a_small_board_is_not_too_large_however_many_are_asked_for():
    learner = TD(game="tictactoe", tuples=2**24)
    assert learner.start(make_game("tictactoe"))["weights"].shape == (1, 3**9)


def test_a_game_that_is_not_on_a_board(connect_four):
    game = type("Line", (type(connect_four),), {"observation_shape": (84,)})()
    with pytest.raises(ValueError, match=r"planes of 0 and 1 in the shape \(rows, columns, planes\), not \(84,\)"):
        TD(game="tictactoe").check(game)


def learned_plainly(game, squares, games, alpha, alpha_decay, td_lambda, epsilon):
    """What TD(lambda) without symmetry adds to the tables' entries, by tuple and contents; and how many decisions."""
    weights, scale, decisions = {}, 1 / game.largest_payoff, 0

    def entries(position, seat):
        seen = position.observe(seat).reshape(-1, game.observation_shape[2])
        return [(number, seen[places].tobytes()) for number, places in enumerate(squares)]

    def output(entries):
        return math.tanh(sum(float(weights.get(entry, 0)) for entry in entries))

    for number in range(games):
        draws = np.array([child_key(seed_key(0, LEARNING), number), 0], dtype=np.uint64)
        position, turns = game.start(), []
        while not position.over:
            seat, legal = position.turn, position.legal_actions()
            explored = legal[below(draws, len(legal))] if uniform(draws) < epsilon else None
            worths, choice, ties = {}, None, 0
            for action in legal:
                after = position.copy()
                after.play(action)
                worths[action] = scale * after.payoffs()[seat] if after.over else output(entries(after, seat))
                if choice is None or worths[action] > worths[choice]:
                    choice, ties = action, 1
                elif worths[action] == worths[choice]:
                    ties += 1
                    choice = action if below(draws, ties) == 0 else choice
            taken = choice if explored is None else explored
            position.play(taken)
            turns.append((entries(position, seat), seat, worths[taken], worths[choice]))
        target, decisions = scale * position.payoffs()[seat], decisions + len(turns)
        for (led_to, mover, _, _), (_, other, worth, best) in zip(turns[-2::-1], turns[:0:-1], strict=True):
            target = best if worth < best else (1 - td_lambda) * worth + td_lambda * target
            target = target if mover == other else -target
            step = alpha * (1 - alpha_decay * number / games) * (target - output(led_to)) / len(squares)
            for entry in led_to:
                weights[entry] = np.float32(weights.get(entry, 0) + step)
    return weights, decisions


@pytest.mark.parametrize(("spec", "games"), [("hexapawn", 60), ("othello?size=4&scoring=discs", 20)])
def test_tuples_learn_what_plain_td_learns_however_its_games_are_divided(spec, games):
    options = {"alpha": 0.5, "alpha_decay": 0.5, "td_lambda": 0.6, "epsilon": 0.3}
    game, config = make_game(spec), TD(game=spec, games=games, tuples=3, length=4, symmetry=False, **options)
    arrays = config.start(game)
    decisions = config.learn(game, arrays, 0, 15) + config.learn(game, arrays, 15, games - 15)
    weights, decisions_made = learned_plainly(game, arrays["squares"], games, **options)
    assert decisions == decisions_made
    changed = np.sort(arrays["weights"][arrays["weights"] != 0])
    assert changed == pytest.approx(sorted(weight for weight in weights.values() if weight != 0), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("approximator", ["tuples", "network"])
def test_of_equals_it_plays_the_first(approximator):
    game, config = make_game("tictactoe"), TD(game="tictactoe", approximator=approximator)
    arrays, position, stream = config.start(game), game.start(), np.zeros(2, dtype=np.uint64)
    for name in arrays.keys() & {"weights", "hidden", "output"}:
        arrays[name][:] = 0
    for first in (0, 1, 2):
        seen, mask = position.observe(position.turn), position.action_mask()
        assert config.policy(game, arrays).choose(game, position.data, seen, mask, stream) == first
        position.play(first)
