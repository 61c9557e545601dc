"""Values in the unit of the game: for every built-in agent, through a whole game; and what estimates become there."""

from itertools import product

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.solver import after, solve
from ludarium.agents.search.units import expected
from ludarium.agents.values.evaluations import Evaluation, random_positions
from ludarium.envs.chance import stream
from ludarium.envs.game import RESULT
from ludarium.envs.kernels import CHANCE
from ludarium.envs.opinions import SCORE
from ludarium.envs.othello import Othello
from ludarium.envs.registry import make_game

BOARDS = {"hexapawn": RESULT, "tictactoe": RESULT, "othello?size=4": "discs", "othello?size=4&scoring=discs": "discs"}
ON_BOARDS = [
    "greedy", "alphabeta?depth=2", "alphabeta?depth=2&endgame=0", "mcts?simulations=5",
    "mcts?simulations=5&evaluation=", "beam?depth=2", "perfect", "expert",
]  # fmt: skip
BACKGAMMON = {
    "backgammon": "points",
    "backgammon?cube=True&jacoby=True": "points",
    "backgammon?scoring=wins": "points",
    "backgammon?match_length=2": "match equity (%)",
}
OF_BACKGAMMON = ["greedy", "mcts?simulations=5", "expert", "expert?ply=1", "bgsage"]


def whole_game(game, agent, every):
    """A game's decisions and what the agent thinks of them; it plays itself.

    If only `every` so many decisions are judged, other moves are neither its best nor its worst.
    """
    position, draws, decisions = game.start(), stream(1), 0
    while not position.over:
        if position.turn == CHANCE:
            position.push(position.draw_outcome(draws))
            continue
        legal = position.legal_actions()
        action = legal[len(legal) // 2]
        if decisions % every == 0:
            opinions = agent.judge(position, 1)
            yield position.copy(), opinions
            action = opinions.ranked().moves[0].action if opinions else action
        position.push(action)
        decisions += 1


def lies_between(game, value):
    """Whether a value can be expected in a game, or known."""
    lowest, highest = map(game.as_value, game.payoff_range)
    return lowest <= value <= highest


@pytest.mark.parametrize(
    ("spec", "name"), [*product(BOARDS, ON_BOARDS), *product(BACKGAMMON, OF_BACKGAMMON)], ids=lambda name: name
)
def test_one_unit_through_a_whole_game(spec, name):
    game = make_game(spec)
    assert game.unit == (BOARDS | BACKGAMMON)[spec]
    if name == "bgsage":
        pytest.importorskip("bgsage")
    slow = game.max_outcomes and name.startswith(("mcts", "expert"))
    for position, opinions in whole_game(game, make_agent(name, game), 4 if slow else 1):
        if opinions is None:
            assert name == "greedy"  # pubeval, which does not know the cube
        elif name == "greedy" and game.max_outcomes:
            assert opinions.unit == SCORE  # it only ranks the results of a turn
        else:
            assert opinions.unit == game.unit
            assert all(lies_between(game, opinion.value) for opinion in opinions), position.text


@pytest.mark.parametrize(
    "spec", ["tictactoe", "hexapawn?rows=4&columns=4", "othello?size=6", "backgammon?match_length=3"]
)
def test_values_of_an_evaluation_keep_their_order_between_the_worst_and_the_best(spec):
    game = make_game(spec)
    usual = evaluation_of(game) or Evaluation(lambda s, seat: 1.0 if seat else -1.0)
    read, typical = expected(game, usual), usual.unit(game)
    values = np.array([read(value) for value in typical * np.array([-100.0, -1.0, 0.0, 0.5, 1.0, 100.0])])
    assert (np.diff(values) > 0).all()
    lowest, highest = map(game.as_value, game.payoff_range)
    assert lowest < values[0]
    assert values[-1] < highest
    assert values[2] == game.even
    assert values[4] == pytest.approx((game.even + highest) / 2)  # a typical advantage is half of a win


def test_an_evaluation_that_expects_payoffs_says_so_itself():
    game = make_game("tictactoe")
    mine = Evaluation(lambda s, seat: 0.0, expects=lambda value: value / 2)
    assert expected(game, mine)(0.5) == 0.25


@pytest.mark.parametrize("depth", [4, 30])
@pytest.mark.parametrize("spec", ["tictactoe", "hexapawn", "hexapawn?rows=4&columns=4"])
def test_a_known_result_takes_as_many_plies_as_with_best_play(spec, depth):
    game, seen = make_game(spec), 0
    solution, agents = solve(game), [make_agent(f"alphabeta?depth={depth}", game), make_agent("perfect", game)]
    for position in random_positions(game)[:20]:
        for agent in agents:
            for opinion in agent.judge(position, 1):
                child = after(position, opinion.action)
                left = 1 + int(solution.distances[solution.row(child)])
                if opinion.exact:
                    assert opinion.value == solution.value(child, position.turn)
                    assert opinion.plies == (left if opinion.value else None)
                    seen += bool(opinion.value)
                else:
                    assert opinion.plies is None
    assert seen > 20


def test_discs_where_only_wins_are_paid():
    game = Othello(size=4)
    for opinion in make_agent("perfect", game).judge(game.start(), 1):
        end = Othello(size=4, scoring="empties_to_winner").from_text(game.start().text)
        for action in opinion.line:
            end.push(action)
        assert opinion.value == end.payoffs()[0] < -1


def test_what_is_even():
    for spec, even in (
        ("tictactoe", 0), ("othello", 0), ("backgammon", 0), ("backgammon?match_length=5", 50), ("hanabi", None)
    ):  # fmt: skip
        assert make_game(spec).even == even
