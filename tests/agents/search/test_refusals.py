"""What players that look ahead refuse: games of another kind, and options out of range."""

import pytest

from ludarium.agents.search.alphabeta import alphabeta
from ludarium.agents.search.beam import beam
from ludarium.agents.search.greedy import greedy
from ludarium.agents.search.mcts import mcts
from ludarium.agents.search.solver import solve
from ludarium.envs.tictactoe import TicTacToe

SECONDS = "a number from 0 to 1,000,000"
SIMULATIONS = "an integer from 1 to 10000000"
KINDS = [{"max_outcomes": 6}, {"seats": 3}, {"zero_sum": False}, {"hidden_information": True}]
REFUSALS = {
    alphabeta: "alphabeta: other is not a zero-sum game of two seats without chance and hidden information; use 'mc",
    beam: "beam: other is not a zero-sum game of two seats without chance and hidden information",
    solve: "solver: other cannot be solved; it takes two-seat zero-sum games without",
    mcts: "mcts: other has hidden information, and a search of its position",
    greedy: "greedy: other has hidden information, so the result of an action cannot be",
}


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("player", REFUSALS)
def test_games_of_another_kind(player, kind):
    game = type("Other", (TicTacToe,), {"name": "other", **kind})()
    if player in (alphabeta, beam, solve) or "hidden_information" in kind:
        with pytest.raises(ValueError, match=REFUSALS[player]):
            player(game)
    else:
        player(game)


@pytest.mark.parametrize(
    ("player", "option", "values", "expected"),
    [
        (alphabeta, "depth", (0, 2.5), "an integer from 1 to 100"),
        (alphabeta, "nodes", (-1,), f"an integer from 0 to {2**62}"),
        (alphabeta, "table", (29,), "an integer from 0 to 28"),
        (alphabeta, "endgame", ("all",), "an integer from 0 to 24"),
        (alphabeta, "seconds", (-0.5, 1e12, float("inf"), float("nan"), True, "long"), SECONDS),
        (beam, "depth", (0,), "an integer from 1 to 100"),
        (beam, "width", (0,), "an integer from 1 to 64"),
        (beam, "draw", ("all",), "one of 'rank', 'best'"),
        (beam, "view", ("god",), "one of 'mover', 'searcher'"),
        (mcts, "simulations", (0, -5, 1.5, "many", True, 10**8), SIMULATIONS),
        (mcts, "exploration", (-0.1, float("nan"), float("inf"), "much", None, True), "a number of at least 0"),
    ],
)
def test_options_out_of_range(player, option, values, expected):
    for value in values:
        with pytest.raises(ValueError, match=rf"{player.__name__}: {option} must be {expected}.*, not {value!r}"):
            player(TicTacToe(), **{option: value})
