"""Backgammon at the table: dice, checkers, the cube."""

import pytest

from ludarium.envs.backgammon.records import read_match
from ludarium.envs.records import replay

START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6"
ON_ROLL = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:6"


def moves(state):
    return {move["text"]: move for move in state["view"]["moves"]}


def first_move(table, key):
    return table.play(key, next(iter(moves(table.my_turn(key)))))


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
    wanted = next(number for number, text in state["view"]["chance"]["choices"] if set(text) >= {"6", "5"})
    table.post(f"tables/{key}/chance", outcome=wanted, version=state["version"])
    state = table.my_turn(key)
    if before:
        assert state["history"][:-1] == before[:-1]
    assert state["view"]["chance"]["outcome"] == wanted
    next_state = table.play(key, next(iter(moves(state))))
    assert len(next_state["history"]) > len(state["history"])
    rolls = next_state["view"]["chance"]["choices"]
    assert len({text for _, text in rolls}) == len(rolls) == 21
    assert next_state["view"]["chance"]["outcome"] in {number for number, _ in rolls}


def test_an_opening_roll_cannot_be_a_tie_nor_anything_else_that_is_no_roll(table):
    key = table.open("backgammon", "me", "me", seed=1)
    state = table.my_turn(key)
    begins = state["turn"]
    rolls = [text for _, text in state["view"]["chance"]["choices"]]
    assert len({frozenset(roll.split("-")) for roll in rolls}) == len(rolls) == 15
    assert all((first > second) == (begins == 0) for first, second in (roll.split("-") for roll in rolls))
    for outcome, stale in ((30, 0), (35, 0), (36, 0), (0, 1)):
        assert table.refused(f"tables/{key}/chance", outcome=outcome, version=state["version"] - stale)[0] == 409


def test_the_cube_is_offered_taken_and_dropped(table):
    key = table.open("backgammon?cube=True", "me", "me", position=ON_ROLL)
    assert set(moves(table.my_turn(key))) == {"roll", "double"}
    state = table.play(key, "double")
    assert (state["turn"], set(moves(state))) == (1, {"take", "drop"})
    state = table.play(key, "take")
    assert dict(state["view"]["facts"])["cube"] == "2, black"
    table.change(key, "rewind", ply=1)
    state = table.play(key, "drop")
    assert (state["over"], state["result"]) == (True, "white wins 1 point")


def test_what_people_keep_an_eye_on(table):
    facts = dict(table.state(table.open("backgammon?match_length=5", "me", "me", seed=1))["view"]["facts"])
    assert (facts["white"], facts["black"]) == ("167 pips", "167 pips")
    assert facts["position ID"] == "4HPwATDgc/ABMA"
    assert facts["match"] == "0–0 to 5"
    assert facts["XGID"].startswith("XGID=-b----E-C---eE---c-e----B-:")


def lost(state):
    return [(way["lost"], way["points"], way["over"]) for way in state["view"]["resignations"]]


def test_what_one_may_resign_in_a_match_and_that_the_match_goes_on(table):
    key = table.open("backgammon?match_length=3", "me", "me", position=ON_ROLL.replace("0:0:0:0:6", "0:0:0:3:6"))
    state = table.my_turn(key)
    assert lost(state) == [("single game", 1, False), ("gammon", 2, False), ("backgammon", 3, True)]
    table.play(key, "double")
    state = table.play(key, "take")
    assert state["turn"] == 0
    assert lost(state) == [("single game", 2, False), ("gammon", 4, True)]
    version = state["version"]
    for body, status, said in [
        ({"lost": "gammon"}, 400, "version must be a whole number"),
        ({"lost": "backgammon", "version": version}, 400, "cannot be lost by resigning here, only 'single game' or"),
        ({"lost": "single game", "version": version - 1}, 409, "the game has gone on meanwhile"),
        ({"lost": 2, "version": version}, 400, "lost must be a text"),
    ]:
        answered, sentence = table.refused(f"tables/{key}/resign", **body)
        assert (answered, said in sentence) == (status, True)
    table.post(f"tables/{key}/resign", lost="single game", version=state["version"])
    state = table.my_turn(key)
    assert (state["over"], dict(state["view"]["facts"])["match"]) == (False, "0–2 to 3, Crawford game")
    assert state["history"][-1]["text"] == "resign a single game"
    assert state["history"][-1]["chance"]  # the opening roll of the next game


def test_a_resignation_survives_and_is_taken_back(serving, tmp_path):
    with serving(games=tmp_path / "games.db") as client:
        key = client.open("backgammon?match_length=5", "me", "greedy", seed=1)
        state = client.my_turn(key)
        client.change(key, "resign", lost="gammon")
        state = client.my_turn(key)
        assert dict(state["view"]["facts"])["match"] == "0–2 to 5"
        state = client.play(key, state["view"]["moves"][0]["text"])
        first, second = read_match(client.get(f"tables/{key}/record/mat")["text"], "game.mat")
        assert (first.result, first.note) == ("greedy wins 2", "person resigned")
        assert replay(second).record.score.tolist() == [0, 2]
    with serving(games=tmp_path / "games.db") as client:
        again = client.my_turn(key)
        assert again == state
        number = [move["text"] for move in state["history"]].index("resign a gammon")
        client.change(key, "rewind", ply=number)
        assert dict(client.my_turn(key)["view"]["facts"])["match"] == "0–0 to 5"


@pytest.mark.parametrize("what", ["single game", "gammon", "backgammon"])
def test_records_keep_what_was_resigned(table, what):
    key = table.open("backgammon", "me", "me", seed=3)
    for _ in range(4):
        first_move(table, key)
    table.change(key, "resign", lost=what)
    state = table.state(key)
    points = ("single game", "gammon", "backgammon").index(what) + 1
    assert (state["over"], state["view"]["turn"]) == (True, -2)
    winner = state["seats"][1 - state["history"][-1]["seat"]]["name"]
    assert state["result"] == f"{winner} wins {points} point{'s' if points > 1 else ''}"
    for name in ("ludarium", "mat"):
        again = table.state(table.post("records", **table.get(f"tables/{key}/record/{name}"))["key"])
        assert again["over"]
        assert f" wins {points}" in again["result"]
    assert again["notes"] == ["person resigned"]


def test_who_resigns_in_the_middle_of_a_double_leaves_no_half_play(table):
    key = table.open("backgammon", "me", "me", seed=3)
    first_move(table, key)
    state = table.my_turn(key)
    double = next(number for number, text in state["view"]["chance"]["choices"] if text == "33")
    table.post(f"tables/{key}/chance", outcome=double, version=state["version"])
    half = first_move(table, key)
    assert half["history"][-1]["seat"] == half["turn"]
    table.change(key, "resign", lost="gammon")
    saved = table.get(f"tables/{key}/record/mat")["text"]
    assert "33" not in saved
    (record,) = read_match(saved, "game.mat")
    assert (len(record.actions), record.note) == (1, "person resigned")
    assert record.result.endswith(" wins 2")
