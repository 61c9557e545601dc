"""Pubeval: its scores, its choices, and its strength."""

import json
import re
import zlib

import numpy as np
import pytest

from ludarium.agents.backgammon.pubeval import WEIGHTS, evaluate, pubeval, score
from ludarium.agents.baselines.random import random
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.rules import DOUBLE, PASS, ROLL, TAKE, is_race
from ludarium.envs.chance import stream
from ludarium.envs.opinions import SCORE
from ludarium.envs.tictactoe import TicTacToe


@pytest.fixture(scope="module")
def game():
    return Backgammon()


@pytest.fixture(scope="module")
def choose(game):
    policy = pubeval(game)

    def choose(position):
        mask = position.action_mask()
        return policy.choose(position.game, position.data, mask, mask, stream(1))

    return choose


def turn(choose, position):
    """The moves of a whole turn, as text."""
    seat, names = position.turn, []
    position = position.copy()
    while position.turn == seat:
        action = choose(position)
        names.append(position.game.action_to_str(position, action))
        position.play(action)
    return " ".join(names)


def test_weights_are_those_that_were_compared_with_the_published_ones():
    assert WEIGHTS.shape == (2, 122)
    assert zlib.crc32(WEIGHTS.tobytes()) == 2_063_733_450


def test_weights_are_the_published_ones(shared_data):
    published = json.loads((shared_data / "backgammon" / "pubeval_weights.json").read_text())
    assert WEIGHTS.tolist() == [published["contact"], published["race"]]


# Positions, rolls, the positions after pubeval's play, and their scores, as the package gnubg-nn 1.1.0 has them.
_CHOICES = [
    ("aAa--BB-B---dE---bbe--A-B-", "52", "aAa--BB-C---dD---bbe--B-A-", 13.6329),
    ("-BEE-A----a--------a----b-", "52", "-BDE------a--------a----b-", -20.6311),
    ("-c-B-CCa---Bb---C-beb---AA", "52", "-c-B-CCa---Cb---B-beb--AA-", 12.0133),
    ("-Ca-----a----------ac-ccc-", "62", "-Aa-----a----------ac-ccc-", 0.4126),
    ("-ACAB-C-B----B-A------d-e-", "62", "-ACABAC-B----A-A------d-e-", 1.2376),
    ("-CCE---a----B--------Bba--", "51", "aCCE---A---A---------Bba--", 3.9503),
    ("-BaCb-B---aabCBa-b--Bcaa-A", "41", "aBaCb-B---AabCAa-b--BcaaA-", 8.8801),
    ("-EFCcb---b--b---b--bA--b--", "52", "-EFCcb---b--bA--b--b---b--", -5.0609),
    ("-b-BBaB-C---dC-----cAabbAA", "32", "-b-BBaB-C---dC-----cAabbAA", 11.9373),
]


@pytest.mark.parametrize(("board", "dice", "after", "value"), _CHOICES)
def test_choices_and_scores_of_another_implementation(game, choose, board, dice, after, value):
    position = game.from_text(f"XGID={board}:0:0:1:{dice}:0:0:0:0:6")
    position.play(choose(position))
    assert position.text.split(":")[0] == f"XGID={after}"
    assert evaluate(position.record, 0) == pytest.approx(value, abs=1e-4)


def test_scores_see_the_board_from_either_side(game):
    white = game.from_text("XGID=aAa--BB-B---dE---bbe--A-B-:0:0:1:00:0:0:0:0:6")
    black = game.from_text("XGID=-b-a--EBB---eD---b-bb--AaA:0:0:-1:00:0:0:0:0:6")
    assert evaluate(white.record, 0) == evaluate(black.record, 1)


def test_race_is_when_the_sides_have_passed(game):
    for board, race in (
        ("--BBBBBC-----------eee----", True),
        ("------a--A----------------", False),
        ("------A--a----------------", True),
        ("-A----------a------------A", False),
        ("aA------------------------", False),
    ):
        assert is_race(game.from_text(f"XGID={board}:0:0:1:00:0:0:0:0:6").record) is race


def test_the_weights_of_a_turn_are_those_of_the_position_before(game, choose):
    position = game.from_text("XGID=-DC---CB------------B-bhA-:0:0:1:41:0:0:0:0:6")
    results = position.afterstates()
    best = max(results, key=lambda after: score(after.record, 0, is_race(position.record)))
    other = max(results, key=lambda after: evaluate(after.record, 0))  # with the weights of the position after the turn
    position.play(choose(position))
    assert position == best != other


def test_doubles_go_toward_the_best_end(game, choose):
    position = game.from_text("XGID=-b----E-C---eE---c-e----B-:0:0:1:33:0:0:0:0:6")
    best = max(position.afterstates(), key=lambda after: score(after.record, 0, False))
    while position.turn == 0:
        position.play(choose(position))
    assert position == best


def test_opening_plays(game, choose):
    for dice, play in (("31", "8/5 6/5"), ("42", "8/4 6/4"), ("61", "13/7 8/7"), ("53", "8/3 6/3")):
        position = game.from_text(f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:0:0:6")
        assert turn(choose, position) == play


def test_passes_and_the_cube(choose):
    game = Backgammon(cube=True)
    assert choose(game.from_text("XGID=----A--------------b----bB:0:0:1:61:0:0:0:0:6")) == PASS
    offered = game.from_text("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:6")
    assert choose(offered) == ROLL
    offered.play(DOUBLE)
    assert choose(offered) == TAKE


def test_beats_random(game, play):
    points = play(game, pubeval(game), random(game), 200)
    assert np.mean(points > 0) > 0.97
    assert np.mean(points) > 2.3


def test_plays_matches_and_variants(play):
    for options in ({"match_length": 3}, {"variant": "hypergammon"}, {"variant": "nackgammon", "cube": True}):
        game = Backgammon(**options)
        assert np.mean(play(game, pubeval(game), random(game), 40) > 0) > 0.6


def test_refuses_other_games():
    with pytest.raises(ValueError, match=re.escape("pubeval: it plays backgammon, not tictactoe")):
        pubeval(TicTacToe())


def test_the_best_opinion_is_the_move_it_plays(game, choose):
    position = game.start()
    position.play(3)
    position.play(position.legal_actions()[0])
    for roll in (0, 33):
        here = position.copy()
        here.play(roll)
        opinions = pubeval(game).judge(here, None).ranked()
        assert (opinions.unit, opinions.played) == (SCORE, choose(here))
        assert sorted(opinion.action for opinion in opinions) == here.legal_actions()
        chosen = choose(here)
        assert next(o.value for o in opinions if o.action == chosen) == opinions.moves[0].value
    cube = Backgammon(cube=True).start()
    cube.play(3)
    cube.play(cube.legal_actions()[0])
    assert pubeval(cube.game).judge(cube, None) is None
