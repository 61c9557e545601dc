"""Decisions from recorded games."""

from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.learning.examples import read_examples
from ludarium.envs.game import Position
from ludarium.envs.record_files import read_records
from ludarium.envs.registry import make_game

DATA = Path(__file__).resolve().parents[2] / "envs"
FILES = {
    "othello": DATA / "othello" / "data" / "random.ggf",
    "backgammon?match_length=5": DATA / "backgammon" / "data" / "match.mat",
    "hanabi": DATA / "hanabi" / "data" / "random.json",
}


def games_in(file):
    return {record.game.spec for record in read_records(file)}


@pytest.mark.parametrize("name", ["othello", "backgammon", "hanabi"])
def test_each_decision_is_legal_where_it_was_made(name):
    file = next(file for spec, file in FILES.items() if spec.startswith(name))
    game = make_game(sorted(games_in(file))[0])
    found = read_examples(game, [file])
    assert len(found.actions) == len(found.states) == len(found.seats) == len(found.payoffs) > 10
    for state, action, seat in zip(found.states, found.actions, found.seats, strict=True):
        position = Position(game, state.copy())
        assert position.turn == seat
        assert int(action) in position.legal_actions()
        assert len(position.legal_actions()) > 1


def test_payoffs_are_those_of_the_seat_that_decided():
    game = make_game(sorted(games_in(FILES["othello"]))[0])
    found = read_examples(game, [FILES["othello"]])
    for number in np.unique(found.games):
        rows = found.games == number
        by_seat = {seat: set(found.payoffs[rows & (found.seats == seat)].tolist()) for seat in (0, 1)}
        if not np.isnan(found.payoffs[rows]).any():
            assert by_seat[0] == {-payoff for payoff in by_seat[1]}


def test_a_game_that_breaks_the_rules_is_left_out(tmp_path):
    file = tmp_path / "games.txt"
    file.write_text("d3c3\nd3d3\n")
    found = read_examples(make_game("othello"), [file])
    assert set(found.games.tolist()) == {0}
    assert len(found.refused) == 1


def test_no_game_of_this_kind():
    with pytest.raises(ValueError, match=r"othello\?size=6: the files hold no game of this kind"):
        read_examples(make_game("othello?size=6"), [FILES["othello"]])
