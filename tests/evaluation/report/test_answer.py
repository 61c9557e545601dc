"""The sentences with which a report begins, against results made by hand."""

import numpy as np
import pytest

from ludarium.evaluation.report.answer import Order
from ludarium.evaluation.report.answer import answer as sentence
from ludarium.evaluation.report.content import answers, summarise
from ludarium.evaluation.report.wording import answer_lines, score_table
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.standings import tables
from ludarium.evaluation.tournament.store import GameRow

PAIRS = 20


def tournament(*agents, game="tictactoe"):
    return Tournament(agents, (GameEntry(game, PAIRS),))


def games(row, a, b, *payoffs):
    """`PAIRS` pairs between two entrants, in which the payoffs of `a` follow one another again and again."""
    return [row(a, b, n // 2, n % 2, payoffs[n % len(payoffs)]) for n in range(2 * PAIRS)]


def told(event, rows, finished=True):
    (table,) = tables(event, rows)
    return answers(event, table, rows, finished=finished)


def test_the_first_is_ahead_by_its_rating(row):
    """As the ratings say; and these are 3 : 1 odds, or 191 Elo, less a little for the prior."""
    event = tournament("a", "b")
    rows = games(row, 0, 1, 1, 1, 1, -1, 1, 1, -1, 1)
    (game,) = summarise(event, rows).games
    ahead, margin = game.ratings.elo[0] - game.ratings.elo[1], game.ratings.difference_margins()[0, 1]
    assert 188 < ahead < 191
    assert game.answers == [f"a is first, ahead of b by {ahead:.0f} ± {margin:.0f} Elo."]
    assert told(event, rows) == game.answers
    assert told(event, rows, finished=False) == [f"So far, {game.answers[0]}"]


@pytest.mark.parametrize(
    ("payoffs", "said"),
    [((0, 0), "a and b cannot be told apart: their results are equal."), ((1, 1, -1, 0, 0, 0, 0, 0, 0, 0), None)],
)
def test_two_that_cannot_be_told_apart(row, payoffs, said):
    (line,) = told(tournament("a", "b"), games(row, 0, 1, *payoffs))
    assert line == said or (said is None and line.startswith("a and b cannot be told apart: "))
    assert (" ± " in line) == (said is None)


ROWS = [("a", 1.0), ("b", 0.9), ("c", 0.8), ("d", 0.7), ("e", 0.1), ("f", 0.0)]


@pytest.mark.parametrize(
    ("behind", "margins", "said"),
    [
        ([0, 61, 90], [0, 14, 20], "a is first, ahead of b by 61 ± 14 Elo; c is 90 Elo behind."),
        ([0, 61, 90, 1500], [0, 14, 20, 9],
         "a is first, ahead of b by 61 ± 14 Elo; the others are 90 to 1,500 Elo behind."),
        ([0, 12, 90], [0, 30, 20], "a and b cannot be told apart: 12 ± 30 Elo; c is 90 ± 20 Elo behind a."),
        ([0, 5, 9, 80, 90], [0, 9, 10, 20, 20],
         "a, b and c cannot be told apart: a is ahead of c by 9 ± 10 Elo; d is 80 ± 20 Elo behind a; "
         "e is 90 Elo behind."),
        ([0, 1, 1, 2], [0, 9, 9, 9], "a, b, c and d cannot be told apart: a is ahead of d by 2 ± 9 Elo."),
        ([0, 1, 1, 1, 1, 2], [0, 9, 9, 9, 9, 9],
         "a, b, c and 3 others cannot be told apart: a is ahead of f by 2 ± 9 Elo."),
        ([0, 30], [0, 30], "a and b cannot be told apart: 30 ± 30 Elo."),
        ([0, 31], [0, 30], "a is first, ahead of b by 31 ± 30 Elo."),
        ([0, 61], [0, float("inf")], "a and b cannot be told apart: 61 ± ? Elo."),
        ([0, 0, 0], [0, 9, 9], "a, b and c cannot be told apart: their results are equal."),
    ],
)  # fmt: skip
def test_the_sentence(row, behind, margins, said):
    event = tournament(*(name for name, _ in ROWS[: len(behind)]))
    rows = [one for other in range(1, len(behind)) for one in games(row, 0, other, 1, 1, 1, -1)]
    (table,) = tables(event, rows)
    table.rows.sort(key=lambda line: line.agent)
    assert sentence(table, Order(list(range(len(behind))), behind, margins, "Elo")) == said


def test_who_only_draws_with_the_second_is_told_why_it_is_first(row):
    """a and b draw everything; against c, a wins every second pair more."""
    event = tournament("a", "b", "c")
    rows = [*games(row, 0, 1, 0), *games(row, 0, 2, 1, 1, 1, 0), *games(row, 1, 2, 1, 0, 0, 0, -1, 0, 0, 1)]
    (game,) = summarise(event, rows).games
    assert game.order.places == [0, 1, 2]
    assert game.order.level == 1
    assert game.ratings.superiority()[0, 1] > 0.97
    assert " Elo (through games against others: in their own, a scores 50.0 ± 7.0 %); c is " in game.answers[0]
    likelihood = game.stronger()
    assert likelihood[0, 1] == likelihood[1, 0] == 0.5
    assert likelihood[0, 2] > 0.999
    np.testing.assert_allclose(likelihood + likelihood.T, 1)


def test_what_the_first_scores_against_the_next_is_in_percent(row):
    """Pairs of 1 and 0 in turn: Student's t of 19 degrees of freedom, 2.093 · √(1 / 4 / 19)."""
    event = tournament("a", "b")
    (table,) = tables(event, games(row, 0, 1, 1, 1, -1, -1))
    own = "through games against others: in their own, a scores 50.0 ± 24.0 %"
    assert sentence(table, Order([0, 1], [0, 61], [0, 14], "Elo")) == f"a is first, ahead of b by 61 ± 14 Elo ({own})."


def test_where_two_did_not_meet_ratings_say_who_is_stronger(row):
    rows = [*games(row, 0, 1, 1, 1, 1, -1), *games(row, 0, 2, 1, -1, 1, 1, -1, -1)]
    (game,) = summarise(tournament("a", "b", "c"), rows).games
    order = [line.agent for line in game.table.rows]
    b, c = order.index("b"), order.index("c")
    assert game.stronger()[c, b] == game.ratings.superiority()[c, b] > 0.9


def teams(scores):
    """Games of teams alone, each with its own scores, on the same decks."""
    return [
        GameRow(0, team, team, deck, 0, float(score), float(score), 0, "", b"")
        for team, of_decks in enumerate(scores)
        for deck, score in enumerate(of_decks)
    ]


def test_teams_are_compared_deck_by_deck():
    """The decks differ by far more than the teams do, which differ by 0 or 2, and by 1 or 3."""
    event = tournament("a", "b", "c", game="hanabi")
    decks = np.tile([2.0, 10, 20, 24], 5)
    rows = teams([decks, decks - np.tile([0, 2], 10), decks - np.tile([1, 3], 10)])
    (line,) = told(event, rows)
    assert line == "a is first with 14.00 ± 4.13 points, ahead of b by 1.00 ± 0.48 points; c is 2.00 points behind."
    perfect = teams([[25.0] * 5 + [24.0] * 15, decks])
    (game,) = summarise(tournament("a", "b", game="hanabi"), perfect).games
    lines = [[line[0], *line[-2:]] for line in score_table(game)[1]]
    assert lines == [["1 a", "25.00 %", "20"], ["2 b", "0.00 %", "20"]]
    (alone,) = told(tournament("a", "b", game="hanabi"), rows[:PAIRS])
    assert alone.startswith("a is first with 14.00 ± ")
    assert alone.endswith(" points.")


def test_a_difference_that_is_the_same_on_all_decks_may_be_luck():
    """As 1 − 0.05^(1/20) of the farthest that another one can be from 1 point, −25."""
    decks = np.tile([2.0, 10, 20, 24], 5)
    (game,) = summarise(tournament("a", "b", game="hanabi"), teams([decks, decks - 1])).games
    assert game.answers == ["a and b cannot be told apart: 1.00 ± 3.62 points."]
    assert game.order.behind == [0, 1]
    assert game.order.margins == [0, pytest.approx(0.1391 * 26, abs=0.001)]


WHY = "perfect plays exactly and does not lose to b, but stands below it: "


def test_an_exact_player_that_draws_what_others_win(row):
    event = tournament("perfect", "b", "random")
    rows = [*games(row, 0, 1, 0), *games(row, 0, 2, 1, 0), *games(row, 1, 2, 1, 1, 1, 0)]
    assert told(event, rows)[1:] == [
        WHY + "against weaker agents it draws games that b wins (50.0 % won and 50.0 % drawn, b 75.0 % and 25.0 %)."
    ]
    event = tournament("random", "perfect", "b")
    lost = [*games(row, 1, 2, 0), *games(row, 0, 1, -1, -1, -1, 1), *games(row, 0, 2, *[-1] * 19, 1)]
    assert told(event, lost)[1:] == [WHY + "of the games against weaker agents it wins 75.0 %, b 95.0 %."]


def test_nothing_is_said_of_a_rival_that_an_exact_player_did_not_meet(row):
    rows = [*games(row, 0, 2, 1, 1, -1, -1), *games(row, 1, 2, *[1] * 9, -1)]
    (game,) = summarise(tournament("perfect", "b", "random"), rows).games
    assert game.order.level == 1
    assert len(game.answers) == 1


def test_an_exact_player_is_not_compared_with_one_that_is_hardly_ahead(row):
    """The first beats it; the second wins as often as it does in their own games, and cannot be told from it."""
    event = tournament("first", "perfect", "b", "random")
    rows = [*games(row, 0, 1, 1, 1, 1, -1), *games(row, 0, 2, 1, 1, 1, -1), *games(row, 0, 3, 1)]
    rows += [*games(row, 1, 2, 1, 1, -1, -1), *games(row, 1, 3, 1, 1, -1, 1), *games(row, 2, 3, 1, 1, 1, 1, -1)]
    (game,) = summarise(event, rows).games
    assert [game.table.rows[place].agent for place in game.order.places] == ["first", "b", "perfect", "random"]
    assert len(game.answers) == 1


@pytest.mark.parametrize(
    ("between", "exact", "rival"),
    [
        ((-1, -1, -1, 1), (1, 0), (1, 1, 1, 0)),
        ((0,), (1, 0), (1, 0)),
        ((0,), (1, 1, 1, 0), (1, 0)),
        ((0,), (1, -1), (1, 0)),
    ],
    ids=["it loses", "they are equal", "it stands above", "it wins as often"],
)
def test_an_exact_player_needs_no_excuse(row, between, exact, rival):
    rows = [*games(row, 0, 1, *between), *games(row, 0, 2, *exact), *games(row, 1, 2, *rival)]
    assert len(told(tournament("perfect", "b", "random"), rows)) == 1


def test_a_report_of_several_games_names_each(row):
    event = Tournament(("a", "b"), (GameEntry("tictactoe", PAIRS), GameEntry("hexapawn?rows=4", PAIRS)))
    rows = [one._replace(event=number) for number in (0, 1) for one in games(row, 0, 1, 0)]
    first, second = answer_lines(summarise(event, rows))
    assert first.startswith("Tic-tac-toe: a and b cannot")
    assert second.startswith("Hexapawn, rows = 4: a and b cannot")
    (only,) = answer_lines(summarise(event, rows[: 2 * PAIRS]))
    assert only.startswith("So far, a and b cannot")
