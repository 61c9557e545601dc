"""Adjudicated games have the result of exact play from the first position that is an endgame, whoever plays them."""

import numpy as np
import pytest

from ludarium.agents.agent import Agent
from ludarium.agents.othello.endgame.solver import solve
from ludarium.envs.batch import ADJUDICATED, FINISHED
from ludarium.envs.registry import make_game
from ludarium.evaluation.match import match
from ludarium.evaluation.play.adjudication import EMPTIES, adjudicator_of
from ludarium.evaluation.play.match import play_match


def first_legal(observation, action_mask, info):
    return int(np.flatnonzero(action_mask)[0])


class Batched(Agent):
    name = "batched"

    def act_batch(self, observations, masks, infos):
        return [int(np.flatnonzero(mask)[0]) for mask in masks]


def empties(position):
    return position.game.options["size"] ** 2 - (int(position.record.own) | int(position.record.opponent)).bit_count()


@pytest.mark.parametrize("scoring", ["wins", "discs", "empties_to_winner"])
@pytest.mark.parametrize("size", [6, 8])
def test_the_result_is_the_exact_value(size, scoring):
    game = make_game(f"othello?size={size}&scoring={scoring}")
    plain, adjudicated = (
        play_match(game, ["random", "greedy"], 6, 5, opening=4, record=True, adjudicate=adjudicate)
        for adjudicate in ("", "exact")
    )
    assert (adjudicated.endings == ADJUDICATED).any()
    for number, moves in enumerate(adjudicated.moves.tolist()):
        pair, leg = divmod(number, 2)
        position = game.start()
        played = 0
        while not position.over and empties(position) > EMPTIES:
            position.play(moves[played])
            played += 1
        assert moves[:played] == plain.moves[number, :played].tolist()  # the agents' own part is the same
        if position.over:
            assert adjudicated.endings[pair, leg] == FINISHED
            continue
        assert adjudicated.endings[pair, leg] == ADJUDICATED
        value = solve(position).score * (1 if position.turn == 0 else -1)
        assert adjudicated.payoffs[pair, leg, leg] == value


def test_python_and_compiled_games_are_the_same():
    def settings(first, opening):
        return {"agents": [first, "random"], "pairs": 4, "seed": 3, "opening": opening, "adjudicate": "exact"}

    game = make_game("othello?size=6")
    one, many = (play_match(game, **settings(first, 6), record=True) for first in (first_legal, Batched()))
    assert np.array_equal(one.moves, many.moves)
    assert (one.endings == ADJUDICATED).any()
    # 32 squares are empty at the start, so an opening of 24 leaves at least 8, and no agent is asked for a move
    late = [play_match(game, **settings(first, 24), record=True) for first in (first_legal, Batched(), "random")]
    assert [played.compiled for played in late] == [False, False, True]
    for played in late:
        assert (played.endings == ADJUDICATED).all()
        assert np.array_equal(played.moves, late[0].moves)
        assert played.times.sum() == 0


@pytest.mark.parametrize(
    ("game", "adjudicate", "told"),
    [
        ("tictactoe", "exact", "only Othello from 6 × 6 on has endgames to adjudicate, not tictactoe"),
        ("othello?size=4", "exact", r"not othello\?size=4"),
        ("othello", "soon", "adjudicate must be 'exact', or empty for none, not 'soon'"),
    ],
)
def test_what_cannot_be_adjudicated(game, adjudicate, told):
    with pytest.raises(ValueError, match=told):
        adjudicator_of(adjudicate, make_game(game))
    with pytest.raises(ValueError, match=told):
        match("random", "random", game=game, pairs=1, adjudicate=adjudicate)


def test_a_match_says_so():
    result = match("random", "random", game="othello?size=6", pairs=2, opening=24, adjudicate="exact", workers=1)
    assert [game["ending"] for game in result.games] == ["adjudicated"] * 4
