"""What an agent thinks of a position, in the words that people read."""

import pytest

from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.opinions import Advice, in_words, line_of, value_text, worth_text

TICTACTOE = make_game("tictactoe")


def test_the_line_of_an_opinion_is_in_the_games_notation():
    position = TICTACTOE.from_text("xx./oo./... x")
    assert line_of(position, Opinion(2, 1.0, line=(2,))) == ["c1"]
    assert line_of(position, Opinion(6, 0.0, line=(6, 5))) == ["a3", "c2"]
    assert position == TICTACTOE.from_text("xx./oo./... x")


@pytest.mark.parametrize(
    ("value", "exact", "plies", "text"),
    [(1.0, True, 1, "wins in 1 ply"), (-1.0, True, 4, "loses in 4 plies"), (0.0, True, None, "draws"),
     (0.25, False, None, "+0.250"), (-0.0625, False, None, "-0.062")],
)  # fmt: skip
def test_what_a_move_is_worth(value, exact, plies, text):
    opinion = Opinion(4, value, exact=exact, plies=plies)
    assert worth_text(TICTACTOE, opinion, Opinions(TICTACTOE.unit, (opinion,))) == text


@pytest.mark.parametrize(
    ("game", "opinion", "other", "text"),
    [
        ("othello?scoring=discs", Opinion(0, 6.0, exact=True, plies=3), Opinion(1, 0.0, exact=True), "+6"),
        ("othello?scoring=discs", Opinion(0, 0.0, exact=True), Opinion(1, -6.0, exact=True), "0"),
        ("othello?scoring=discs", Opinion(0, 6.0, exact=True, plies=3), Opinion(1, 0.5), "wins"),
        ("othello?scoring=discs", Opinion(0, 6.0), Opinion(1, 64.0, exact=True), "+6.000"),
        ("othello?scoring=discs", Opinion(0, 6.0), Opinion(1, -12.0), "+6.00"),
        ("hanabi", Opinion(0, 18.4, error=0.214), Opinion(1, 9.0), "18.40 ± 0.21"),
    ],
)
def test_what_a_move_is_worth_beside_another(game, opinion, other, text):
    made = make_game(game)
    assert worth_text(made, opinion, Opinions(made.unit, (opinion, other))) == text


@pytest.mark.parametrize(
    ("value", "text"), [(9.99, "+9.990"), (10.0, "+10.00"), (100.0, "+100.0"), (-1000.0, "-1,000"), (0.0, "+0.000")]
)
def test_a_value_has_four_digits(value, text):
    assert value_text(TICTACTOE, value) == text


def test_advice_says_the_move_its_worth_and_the_line():
    position = TICTACTOE.from_text("xx./oo./... x")
    expected = Opinion(6, 0.5, line=(6, 5))
    advice = Advice(6, None, Opinions(TICTACTOE.unit, (expected, Opinion(2, 1.0, exact=True))))
    assert in_words(position, advice) == "a3, worth +0.500 (loss -1, win +1); it expects a3 c2"
    assert in_words(position, advice._replace(opinions=None)) == "a3"
    won = Opinions(TICTACTOE.unit, (Opinion(2, 1.0, exact=True, plies=1, line=(2,)),))
    assert in_words(position, Advice(2, None, won)) == "c1, which wins in 1 ply"
    discs = make_game("othello?scoring=discs")
    (move,) = discs.start().legal_actions()[:1]
    for value, worth in ((6.0, "+6"), (0.0, "0")):
        exact = Advice(move, None, Opinions(discs.unit, (Opinion(move, value, exact=True),)))
        told = f"{discs.action_to_str(discs.start(), move)}, worth {worth} discs (exact)"
        assert in_words(discs.start(), exact) == told
