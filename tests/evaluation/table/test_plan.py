"""A game at the table as data: how it begins, and that it comes back from the file as it was."""

import json

import pytest

from ludarium.evaluation.table.plan import Move, Plan, Standing
from ludarium.evaluation.table.refusal import Refusal


@pytest.mark.parametrize(("seats", "delay"), [(("me", "random"), 0), (("me", "me"), 0), (("random", "random"), 700)])
def test_a_game_begins_at_once_and_slowly_where_one_only_watches(seats, delay):
    plan = Plan.of("hexapawn", seats, 1)
    begun = Standing.of(plan, {})
    assert begun == Standing(plan, (), (), 0, "", None, (), paused=False, delay=delay, version=1)
    assert not begun.over


def test_a_game_comes_back_from_the_file_as_it_was():
    plan = Plan.of("hexapawn", ("me", "random"), 5, "p.p/.p./P.P w", (3, 1), ("Ann", "Bob"))
    why = {"text": "because", "values": [["a1a2", 0.5]], "svg": None}
    moves = Move(0, 4, "a1a2", 7, why), Move(1, 2, "b2a1")
    now = Standing(plan, moves, (4, 2), 3, "white wins", 1, ("odd",), paused=True, delay=50, version=9)
    data = json.loads(json.dumps(now.data()))
    assert Standing.of(Plan.from_data(data["plan"]), data) == now
    assert (now.over, now.later(delay=60).version, now.later(delay=60).delay) == (True, 10, 60)
    del data["plan"]["pair"]
    assert Plan.from_data(data["plan"]).pair == 0  # of versions that kept none


def test_a_plan_has_the_usual_names_of_its_game_and_position():
    plan = Plan.of("hexapawn?columns=3&rows=3", ("me", "random"), 5, "p.p/.p./P.P w")
    assert (plan.game, plan.start, plan.seed, plan.people) == ("hexapawn", "p.p/.p./P.P w", 5, (0,))
    assert [plan.seat_name(seat) for seat in (0, 1)] == ["white", "black"]
    assert Plan.of("hexapawn", ("me", "me"), None).seed > 2**64  # a secret one
    assert Plan.of("hexapawn", ("random", "random"), 0).people == ()


@pytest.mark.parametrize(
    ("game", "seats", "sentence"),
    [
        ("hexapawn", ("me",), "hexapawn has 2 seats, not 1"),
        ("hanabi", ("me", "me"), "hanabi: only one person can sit at one screen, since the others' cards are hidden"),
    ],
)
def test_seats_that_do_not_suit_the_game(game, seats, sentence):
    with pytest.raises(Refusal) as refused:
        Plan.of(game, seats, 1)
    assert f"{refused.value}" == sentence
