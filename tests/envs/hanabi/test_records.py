"""hanab.live files: what is read, what is written, and every way in which a file can be wrong."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.hanabi import Hanabi, records
from ludarium.envs.options import IllegalAction
from ludarium.envs.othello import Othello
from ludarium.envs.record_files import read_records
from ludarium.envs.records import RecordedGame, RecordError, replay

DECK = [card for card in range(25) for _ in range([3, 2, 2, 2, 1][card % 5])]
"""By color and rank: Alice holds R1 R1 R1 R2 R2, Bob R3 R3 R4 R4 R5, next are Y1 Y1 Y1."""


def content(**changes: Any) -> dict[str, Any]:
    """A short game: two plays, a discard, two hints, and the end by agreement."""
    whole = {
        "players": ["Ann", "Ben"],
        "deck": [{"suitIndex": card // 5, "rank": card % 5 + 1} for card in DECK],
        "actions": [
            {"type": 0, "target": 1},
            {"type": 2, "target": 0, "value": 0},
            {"type": 1, "target": 0},
            {"type": 3, "target": 0, "value": 1},
            {"type": 0, "target": 3, "value": 0},
            {"type": 4, "target": 1, "value": 4},
        ],
    }
    return {**whole, **changes}


def read(item: Any) -> RecordedGame:
    (game,) = records.read_json(json.dumps(item), "game.json")
    if isinstance(game, RecordError):
        raise game
    return game


def test_a_game_is_read() -> None:
    game = read(content())
    assert game.seats == ("Ann", "Ben")
    assert game.game == Hanabi()
    assert game.actions == [6, 10, 0, 15, 6]
    assert game.script == DECK[:13]
    assert game.note == "ended by the players or the clock after 5 moves"
    position = replay(game)
    assert position.record.score == 2
    assert (game.file, game.line, game.payoffs) == ("game.json", 1, None)
    stopped = read(content(actions=content()["actions"][:2]))
    assert stopped.note == "stops after 2 moves, before the end of the game"


def test_a_file_may_hold_many_games(tmp_path: Path) -> None:
    path = tmp_path / "games.json"
    path.write_text(json.dumps([content(), content(players=["Cem", "Dot"])]))
    assert [(g.seats, g.line, g.file) for g in read_records(path) if isinstance(g, RecordedGame)] == [
        (("Ann", "Ben"), 1, "games.json"),
        (("Cem", "Dot"), 2, "games.json"),
    ]


@pytest.mark.parametrize(("seats", "colors"), [(2, 5), (3, 5), (4, 4), (5, 3)])
def test_what_is_written_is_read_back(seats: int, colors: int, recorded: Any) -> None:
    for number in range(8):
        record = recorded(Hanabi(seats=seats, colors=colors), number)
        again = read(json.loads(records.write_json(record)))
        assert (again.game, again.seats) == (record.game, record.seats)
        assert (list(again.script), list(again.actions)) == (record.script, record.actions)
        assert again.note == ""
        assert replay(again) == replay(record)


@pytest.mark.parametrize("options", [{"ranks": 4}, {"hand_size": 4}, {"colors": 2}, {"life_tokens": 2}])
def test_only_games_of_hanab_live_are_written(options: dict[str, Any]) -> None:
    game = Hanabi(**options)
    with pytest.raises(ValueError, match=re.escape(f"hanab.live has no game like {game.spec}; it needs the usual")):
        records.write_json(RecordedGame(game, ("A", "B")))
    with pytest.raises(ValueError, match=r"^hanab\.live has no game like othello; it needs the usual"):
        records.write_json(RecordedGame(Othello(), ("A", "B")))


def test_a_game_that_cannot_be_is_not_written() -> None:
    record = RecordedGame(Hanabi(), ("A", "B"), script=DECK[:10], actions=[0])
    with pytest.raises(IllegalAction, match=r"action 0 \(discard-1\) is not legal for alice"):
        records.write_json(record)
    with pytest.raises(ValueError, match="the record has too few cards for move 1"):
        records.write_json(replace(record, script=DECK[:9]))


def with_action(number: int, **action: Any) -> dict[str, Any]:
    actions = content()["actions"]
    actions[number - 1] = action
    return content(actions=actions)


BOMB = [{"type": 0, "target": target} for target in (3, 5, 4)]  # three cards that cannot be played

WRONG = [
    (7, "a game is an object with players, deck and actions, not 7"),
    (content(players="Ann"), "'players' must be a list, not 'Ann'"),
    (content(players=["Ann"]), "expected the names of 2 to 5 players, not ['Ann']"),
    (content(players=list("ABCDEF")), "expected the names of 2 to 5 players"),
    (content(options=[]), "'options' must be an object, not []"),
    (content(options={"variant": "Rainbow (6 Suits)"}), "variant 'Rainbow (6 Suits)' is not supported; supported: No"),
    (content(options={"variant": ["x" * 100]}), "variant ['" + "x" * 75 + "... is not supported"),
    (content(options={"variant": "x" * 78}), "variant '" + "x" * 78 + "' is not supported"),
    (content(options={"variant": "x" * 79}), "variant '" + "x" * 76 + "... is not supported"),
    (content(options={"emptyClues": True}), "option 'emptyClues' changes the rules and is not supported"),
    (content(options={"oneLessCard": True}), "option 'oneLessCard' changes the rules and is not supported"),
    (content(deck=None), "'deck' must be a list, not None"),
    (content(deck=[7]), "expected an object with a whole number 'suitIndex', not 7"),
    (content(deck=[{"suitIndex": True, "rank": 1}]), "expected an object with a whole number 'suitIndex'"),
    (content(deck=[{"suitIndex": 0, "rank": 6}]), "a card has a suitIndex from 0 to 4 and a rank from 1 to 5"),
    (content(deck=[{"suitIndex": 0, "rank": 5}] * 2), "the deck has too many copies of card 4 (R5); there are 1"),
    (content(deck=[{"suitIndex": 0, "rank": 5}]), "the deck must have 50 cards, not 1"),
    (content(actions={}), "'actions' must be a list, not {}"),
    (with_action(1, target=3), "expected an object with a whole number 'type', not {'target': 3}"),
    (with_action(1, type=0), "expected an object with a whole number 'target', not {'type': 0}"),
    (with_action(1, type=7, target=0), "action 1: the type is 0 to 4, not 7"),
    (with_action(1, type=0, target=9), "action 1: alice does not hold card 9 of the deck"),
    (with_action(1, type=1, target=0), "action 1: hanabi: action 0 (discard-1) is not legal for alice"),
    (with_action(2, type=3, target=1, value=1), "action 2: a hint is for another player, not for player 1"),
    (with_action(2, type=3, target=2, value=1), "action 2: a hint is for another player, not for player 2"),
    (with_action(2, type=3, target=0, value=0), "action 2: there is no such color or rank: {'type': 3, 'target': 0,"),
    (with_action(2, type=3, target=0, value=6), "action 2: there is no such color or rank: {'type': 3, 'target': 0,"),
    (with_action(2, type=2, target=0, value=5), "action 2: there is no such color or rank: {'type': 2, 'target': 0,"),
    (with_action(2, type=3, target=0), "expected an object with a whole number 'value'"),
    (content(actions=[*BOMB, *BOMB]), "action 4: the game is over after 3 moves: {'type': 0, 'target': 3}"),
]


@pytest.mark.parametrize(("item", "message"), WRONG)
def test_a_wrong_game_is_an_error_with_its_place(item: Any, message: str) -> None:
    good, error, last = records.read_json(json.dumps([content(), item, content()]), "game.json")
    assert isinstance(good, RecordedGame)
    assert isinstance(last, RecordedGame)
    assert str(error).startswith("game.json:2: ")
    assert message in str(error)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe\xfa", "game.json: not a text file; expected the JSON of hanab.live"),
        ('{"players":\n ["Ann"', "game.json:2: not JSON: Expecting ',' delimiter, column 8"),
        ("[" * 100_000, "game.json: not JSON that can be read: "),
        ("1" * 5000, "game.json: not JSON that can be read: "),
    ],
)
def test_a_file_that_is_no_json_is_an_error(data: bytes | str, message: str) -> None:
    with pytest.raises(RecordError, match=f"^{re.escape(message)}"):
        list(records.read_json(data, "game.json"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["type", "target", "value"]), inner),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["players", "deck", "actions", "options"]), st.integers(0, 6), JSON, st.booleans())
def test_a_file_with_foreign_values_is_read_or_refused(key: str, place: int, value: Any, inside: bool) -> None:
    item = content()
    if inside and key in ("players", "deck", "actions"):
        item[key].insert(place, value)
    else:
        item[key] = value
    try:
        game = read(item)
    except RecordError:
        return
    replay(game)


def test_an_unfinished_deal_can_be_written() -> None:
    record = RecordedGame(Hanabi(), ("A", "B"), script=DECK[:3], note="before the deal is done")
    written = json.loads(records.write_json(record))
    assert np.bincount([5 * card["suitIndex"] + card["rank"] - 1 for card in written["deck"]]).sum() == 50
