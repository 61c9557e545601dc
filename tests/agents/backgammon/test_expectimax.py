"""Expectimax with pubeval's scores: its values are those of a search in plain Python, and it is pubeval in races."""

import numpy as np
import pytest

from ludarium.agents.backgammon.expectimax import expectimax
from ludarium.agents.backgammon.pubeval import ALL_OFF, pubeval, score
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.chance import stream
from ludarium.envs.othello import Othello

GAME = Backgammon()


def at(board, dice):
    return GAME.from_text(f"XGID={board}:0:0:1:{dice}:0:0:0:0:6")


def choose(policy, position):
    mask = position.action_mask()
    return policy.choose(GAME, position.data, mask, mask, stream(1))


def expected(result, seat):
    """What a turn's result is worth, searched position by position."""
    total = 0.0
    for low in range(1, 7):
        for high in range(low, 7):
            answers = rolled(result, low, high).afterstates()
            total += min(balance(answer, seat) for answer in answers) * (1 if low == high else 2) / 36
    return total


def rolled(position, low, high):
    board = position.text.split(":")[0]
    return GAME.from_text(f"{board}:0:0:-1:{high}{low}:0:0:0:0:6")


def balance(position, seat):
    if position.over:
        return -ALL_OFF
    return score(position.record, seat, False) - score(position.record, 1 - seat, False)


@pytest.mark.parametrize(
    ("board", "dice"),
    [
        ("-b----E-C---eE---c-e----B-", "65"),  # the start
        ("ac----E-C---eDA--b-c-a--A-", "64"),  # the other side is on the bar
        ("-B-BBBa---------B--bBacBb-", "62"),
        ("aFC---------------------aA", "61"),  # the other side may bear off its last checkers
    ],
)
def test_a_result_is_worth_what_the_best_answers_leave(board, dice):
    position = at(board, dice)
    values = [expected(result, 0) for result in position.afterstates()]
    opinions = expectimax(GAME).judge(position, None)
    assert {opinion.depth for opinion in opinions} == {2}
    assert max(opinion.value for opinion in opinions) == pytest.approx(max(values))
    assert min(opinion.value for opinion in opinions) >= min(values) - 1e-6
    position.play(opinions.played)
    assert expected(position, 0) == pytest.approx(max(values))


@pytest.mark.parametrize("player", [pubeval, expectimax])
def test_it_expects_the_same_for_either_seat(player):
    board, values = "-a---BDaC---cC-b-b-dAb--B-", []
    for text in (f"{board}:0:0:1", f"{board[::-1].swapcase()}:0:0:-1"):
        opinions = player(GAME).judge(GAME.from_text(f"XGID={text}:31:0:0:0:0:6"), None)
        values.append(sorted(opinion.value for opinion in opinions))
    assert values[0] == values[1]
    assert len(values[0]) > 1


def test_it_looks_further_than_pubeval():
    position = at("-b----E-C---eE---c-e----B-", "41")
    assert choose(expectimax(GAME), position) != choose(pubeval(GAME), position)
    assert choose(expectimax(GAME, depth=1), position) == choose(pubeval(GAME), position)


def test_in_a_race_it_is_pubeval():
    position = at("--BBBBBC-----------eee----", "52")
    assert choose(expectimax(GAME), position) == choose(pubeval(GAME), position)
    assert expectimax(GAME).judge(position, None) == pubeval(GAME).judge(position, None)


def test_a_lost_game_of_a_match_counts_as_a_lost_game():
    """The next game has begun where it ends, and that position says nothing of it."""
    board, match = "-FC-------------------a--A", Backgammon(match_length=3)
    values = {}
    for game, length in ((GAME, 0), (match, 3)):
        position = game.from_text(f"XGID={board}:0:0:1:61:0:0:0:{length}:6")
        values[length] = [opinion.value for opinion in expectimax(game).judge(position, None)]
    assert values[3] == pytest.approx(values[0])


@pytest.mark.parametrize("length", [0, 3])
@pytest.mark.parametrize("player", [pubeval, expectimax])
def test_nothing_is_better_than_a_game_that_is_won(player, length):
    game = Backgammon(match_length=length)
    position = game.from_text(f"XGID=aA----------------------f-:0:0:1:61:0:0:0:{length}:6")
    assert {opinion.value for opinion in player(game).judge(position, None)} == {ALL_OFF}


def test_doubles_and_the_cube(play):
    for options in ({}, {"match_length": 3}, {"variant": "hypergammon", "cube": True}):
        game = Backgammon(**options)
        assert (
            np.mean(play(game, make_agent("expectimax", game).policy, make_agent("random", game).policy, 6) > 0) > 0.7
        )


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        (Othello(), {}, "expectimax: it plays backgammon, not othello; 'alphabeta' plays games without chance"),
        (GAME, {"depth": 3}, "depth must be .* not 3"),
    ],
)
def test_what_it_refuses(game, options, message):
    with pytest.raises(ValueError, match=message):
        expectimax(game, **options)
