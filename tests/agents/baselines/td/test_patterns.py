"""TD on patterns: the steps of a game against the formula, what a run learns, and options that make no sense."""

import re

import numpy as np
import pytest

from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.learning.run import train
from ludarium.agents.othello import td
from ludarium.agents.othello.tuples import layout
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import below, child_key, seed_key, uniform
from ludarium.envs.othello import Othello
from ludarium.evaluation.play.match import play_match

RUN = {"game": "othello?size=4", "approximator": "patterns", "patterns": "all-2", "checkpoints": 1, "test_games": 20}


def entries(shape, position, phases):
    """Where a position is looked up in the tables, by tuple, as the side that has just moved sees it."""
    size = shape.size
    cells = position.observe(1 - position.turn).reshape(-1, 2) @ (1, 2)
    phase = (int((cells > 0).sum()) - 4) * phases // (size * size - 3)
    places = [
        sum(int(cells[square]) * 3**digit for digit, square in enumerate(squares)) for squares, _ in shape.regions
    ]
    return phase, [shape.starts[kind] + place for place, (_, kind) in zip(places, shape.regions, strict=True)]


def learned(game, shape, weights, games, key, rates, opening):
    """The weights after some games, by the text."""
    weights, phases = weights.astype(np.float64), len(weights)

    def total(position):
        phase, places = entries(shape, position, phases)
        return sum(weights[phase, place] for place in places)

    for number in range(games):
        draws = np.array([child_key(key, number), 0], dtype=np.uint64)
        alpha = rates[0] * (1 - number * rates[3]) / len(shape.regions)
        position, last, before, plies = game.start(), None, 0.0, 0
        while not position.over:
            actions, seat = position.legal_actions(), position.turn
            at_random = plies < opening or uniform(draws) < rates[2]
            lot = int(below(draws, len(actions))) if at_random else None
            values, sums = [], []
            for action in actions:
                after = position.copy()
                after.play(action)
                sums.append(0.0 if after.over else total(after))
                values.append(float(np.sign(after.payoffs()[seat])) if after.over else np.tanh(sums[-1]))
            best = int(np.argmax(values))
            if last is not None and plies > opening:
                phase, places = entries(shape, last, phases)
                np.add.at(weights[phase], places, alpha * (-values[best] - np.tanh(before)))
            taken = best if lot is None else lot
            position.play(actions[taken])
            if not position.over:  # a position is worth what it was when it was chosen
                before = sums[best] if taken == best else total(position)
            last, plies = position.copy(), plies + 1
    return weights


@pytest.mark.parametrize(("opening", "epsilon"), [(0, 0.0), (2, 0.0), (0, 0.3)])
def test_the_steps_are_those_of_the_formula(opening, epsilon):
    # With this seed, rounding does not decide between mirror images, which are worth the same.
    game, shape, key = Othello(size=4), layout(4, "all-3", merged=False), seed_key(3)
    rates = np.array([0.3, 0.0, epsilon, 0.01])
    weights = np.random.default_rng(1).normal(scale=0.05, size=(2, shape.starts[-1])).astype(np.float32)
    expected = learned(game, shape, weights, 4, key, rates, opening)
    td.learn(game, shape, weights, 0, 4, key, rates, opening)
    np.testing.assert_allclose(weights, expected, atol=1e-4)


def test_it_learns_and_is_an_evaluation(tmp_path):
    learner = TD(**{**RUN, "game": "othello?size=6"}, games=3000, seed=100)
    train(learner, tmp_path / "run", workers=1)
    game = Othello(size=6)
    scores = play_match(game, [f"td:{tmp_path / 'run'}", "greedy"], 100, 1, opening=4).scores()
    assert scores.mean() > 0.6
    deeper = f"alphabeta?depth=3&evaluation=td:{tmp_path / 'run'}"
    assert play_match(game, [deeper, f"td:{tmp_path / 'run'}"], 100, 2, opening=4).scores().mean() > 0.6
    assert make_agent(deeper, game).judge(game.start(), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "tictactoe"}, "td: approximator=patterns needs othello, not tictactoe; use tuples or network"),
        ({"patterns": "a1-e5"}, "othello: tuples must be one of all-1, all-2"),
        ({"td_lambda": 0.5}, "td: td_lambda must be 0 with approximator=patterns, not 0.5"),
        ({"phases": 0}, "td: phases must be an integer of at least 1, not 0"),
        ({"phases": 61}, "td: phases must be an integer of at most 60, not 61"),
        ({"opening": -1}, "td: opening must be an integer of at least 0, not -1"),
        ({"opening": 61}, "td: opening must be an integer of at most 60, not 61"),
        ({"tuples": 9}, "td: tuples must be 60, not 9, with approximator='patterns'"),
        ({"approximator": "tuples"}, "td: patterns must be 'patterns', not 'all-2', with approximator='tuples'"),
    ],
    ids=str,
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        TD(**{**RUN, **options})
