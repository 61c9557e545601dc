"""Backgammon at the table: dice, checkers, the cube."""

import pytest

START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6"
ON_ROLL = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:6"


def moves(state):
    return {move["text"]: move for move in state["view"]["moves"]}


def test_every_move_is_chosen_checker_by_checker(table):
    """The places of a move are where each checker comes from and goes to."""
    state = table.state(table.open("backgammon", "me", "random", position=START))
    places = state["view"]["places"]
    path = [places[place] for place in moves(state)["8/5 6/5"]["path"]]
    assert len(path) == 4
    assert path[1] == path[3]
    together = [tuple(map(tuple, (places[place] for place in move["path"]))) for move in state["view"]["moves"]]
    assert len(set(together)) == len(together)


def test_other_dice_can_be_entered(table):
    key = table.open("backgammon", "me", "greedy", seed=1)
    state = table.my_turn(key)
    before = state["history"]
    wanted = next(number for number, text in state["view"]["chance"]["choices"] if text == "6-5" or text == "65")
    table.post(f"tables/{key}/chance", outcome=wanted, version=state["version"])
    state = table.my_turn(key)
    if before:
        assert state["history"][:-1] == before[:-1]
    assert state["view"]["chance"]["outcome"] == wanted
    assert all(len(choice) == 2 for choice in state["view"]["chance"]["choices"])
    next_state = table.play(key, next(iter(moves(state))))
    assert len(next_state["history"]) > len(state["history"])


def test_an_opening_roll_cannot_be_a_tie_nor_anything_else_that_is_no_roll(table):
    key = table.open("backgammon", "me", "me", seed=1)
    state = table.my_turn(key)
    assert len(state["view"]["chance"]["choices"]) == 30
    for outcome in (30, 35, 36):
        body = {"outcome": outcome, "version": state["version"]}
        assert table.call("POST", f"tables/{key}/chance", body)[0] == 409
    body = {"outcome": 0, "version": state["version"] - 1}
    assert table.call("POST", f"tables/{key}/chance", body)[0] == 409


def test_the_cube_is_offered_taken_and_dropped(table):
    key = table.open("backgammon?cube=True", "me", "me", position=ON_ROLL)
    assert set(moves(table.my_turn(key))) == {"roll", "double"}
    state = table.play(key, "double")
    assert (state["turn"], set(moves(state))) == (1, {"take", "drop"})
    state = table.play(key, "take")
    assert dict(state["view"]["facts"])["cube"] == "2, black"
    table.post(f"tables/{key}/rewind", ply=1)
    state = table.play(key, "drop")
    assert (state["over"], state["result"]) == (True, "white wins 1 point")


def test_what_people_keep_an_eye_on(table):
    facts = dict(table.state(table.open("backgammon?match_length=5", "me", "me", seed=1))["view"]["facts"])
    assert (facts["white"], facts["black"]) == ("167 pips", "167 pips")
    assert facts["position ID"] == "4HPwATDgc/ABMA"
    assert facts["match"] == "0–0 to 5"
    assert facts["XGID"].startswith("-b----E-C---eE---c-e----B-:")


@pytest.mark.parametrize("seed", [1, 2])
def test_taking_back_meets_the_same_dice(table, seed):
    key = table.open("backgammon?variant=hypergammon", "me", "greedy", seed=seed)
    first = table.play(key, next(iter(moves(table.my_turn(key)))))
    table.post(f"tables/{key}/rewind", ply=next(i for i, move in enumerate(first["history"]) if move["seat"] == 0))
    assert table.play(key, next(iter(moves(table.my_turn(key)))))["history"] == first["history"]
