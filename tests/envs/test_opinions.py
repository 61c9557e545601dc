"""Opinions: what they say by themselves; `tests/agents/search/test_judge.py` has those of players."""

from ludarium.envs.opinions import Opinion, Opinions, Term

OF_EVERY_KIND = (
    Opinion(0, -1.0, exact=True, plies=4),
    Opinion(1, -1.0, exact=True, plies=8),
    Opinion(2, 0.3),
    Opinion(3, 0.0, exact=True),
    Opinion(4, -2.5),
    Opinion(5, 1.0, exact=True, plies=5),
    Opinion(6, 1.0, exact=True, plies=3),
    Opinion(7, 0.3),
    Opinion(8, 5.0),
)


def test_what_an_opinion_need_not_say():
    usual = {"exact": False, "depth": 1, "nodes": 1, "bound": False, "plies": None, "error": None}
    assert Opinion(4, 0.5) == Opinion(4, 0.5, line=(), terms=(), odds=(), **usual)


def test_a_term_adds_its_amount_times_its_weight():
    assert Term("mobility", 3.0, -0.5).value == -1.5


def order(opinions):
    return [opinion.action for opinion in opinions.ranked()]


def test_known_wins_come_first_quick_ones_before_others_and_known_losses_last():
    assert order(Opinions("points", OF_EVERY_KIND)) == [6, 5, 8, 2, 7, 3, 4, 1, 0]
    assert order(Opinions("points", OF_EVERY_KIND, played=4)) == [4, 6, 5, 8, 2, 7, 3, 1, 0]


def test_moves_that_are_all_known_or_all_estimated_are_in_the_order_of_their_values():
    known = tuple(Opinion(action, value, exact=True) for action, value in enumerate([1.0, 2.0, -3.0, 0.0]))
    assert order(Opinions("points", known)) == [1, 0, 3, 2]
    assert order(Opinions("points", tuple(one for one in OF_EVERY_KIND if not one.exact))) == [8, 2, 7, 4]
    assert [Opinions("points", moves).mixed for moves in (known, OF_EVERY_KIND, OF_EVERY_KIND[7:])] == [0, 1, 0]


def test_no_estimate_is_better_than_that_of_the_move_played():
    opinions = Opinions("points", OF_EVERY_KIND)
    marked = opinions.marked(2)
    assert (marked.played, marked.moves[8]) == (2, Opinion(8, 0.3, bound=True))
    assert marked.moves[:8] == OF_EVERY_KIND[:8]
    drawn = opinions.marked(3)
    assert [one for one in drawn if one.bound] == [Opinion(n, 0.0, exact=True, bound=True) for n in (2, 7, 8)]
    assert opinions.marked(6).moves == OF_EVERY_KIND
    lost = opinions.marked(1)
    assert lost.moves[4] == Opinion(4, -1.0, exact=True, bound=True, plies=8)
