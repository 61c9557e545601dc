"""Opinions: what they say by themselves; `tests/agents/search/test_judge.py` has those of players."""

from ludarium.envs.opinions import Opinion, Term


def test_what_an_opinion_need_not_say():
    usual = {"exact": False, "depth": 1, "nodes": 1, "bound": False, "plies": None, "error": None}
    assert Opinion(4, 0.5) == Opinion(4, 0.5, line=(), terms=(), odds=(), **usual)


def test_a_term_adds_its_amount_times_its_weight():
    assert Term("mobility", 3.0, -0.5).value == -1.5
