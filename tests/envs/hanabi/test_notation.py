"""Moves, positions and tables as text, and what the seats know."""

import re
from typing import Any

import pytest

from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.knowledge import SlotKnowledge, hand_knowledge
from ludarium.envs.options import IllegalAction

TEXT = (
    "fireworks=R1Y0G0W0B0 discards=R1,W4 hands=B3:RYGWB:12345,R2:R!:2345,W1:YGWB:12345,W5:YGWB:12345,B4:RYGWB:12345"
    "/Y1:RYGWB:1!,G1:RYGWB:1!,Y5:RYGWB:2345,Y4:RYGWB:2345,W2:RYGWB:12345 "
    "information=7 lives=2 turn=bob left=2 last=alice:play-3:W4"
)


@pytest.mark.parametrize("options", [{}, {"seats": 5}, {"seats": 3, "preset": "small"}, {"observation": "seer"}])
def test_every_position_survives_as_text(options: dict[str, Any], long_game: Any) -> None:
    game = Hanabi(**options)
    for number in range(2):
        for position in long_game(game, number):
            assert game.from_text(position.text) == position


def test_moves_are_words() -> None:
    game = Hanabi(seats=3)
    hands = ("R1,R1,R1,R2,R2", "Y1,Y1,Y1,Y2,Y2", "G1,G1,G1,G2,G2")
    unknown = "/".join(",".join(f"{card}:RYGWB:12345" for card in hand.split(",")) for hand in hands)
    position = game.from_text(
        f"fireworks=R0Y0G0W0B0 discards=- hands={unknown} information=8 lives=3 turn=alice left=3 last=-"
    )
    words = position.legal_text().split()
    assert words[:5] == [f"play-{slot}" for slot in range(1, 6)]
    assert " ".join(words[5:]) == "hint-bob-yellow hint-cathy-green hint-bob-1 hint-bob-2 hint-cathy-1 hint-cathy-2"
    assert game.str_to_action(position, " Hint Bob  yellow ") == 11
    assert game.outcome_to_str(position, 7) == "Y3"
    with pytest.raises(IllegalAction, match=r"hanabi: 'discard 1' is not a legal move; legal: play-1 play-2"):
        game.str_to_action(position, "discard 1")
    with pytest.raises(IllegalAction, match=r"hanabi: action 0 \(discard-1\) is not legal for alice; legal: play-1"):
        position.play(0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("left=2 ", "", "it must have the fields fireworks=, discards=, hands=,"),
        ("R1Y0G0W0B0", "R1Y0G0W0B6", "fireworks must be like 'R0Y0G0W0B0', not 'R1Y0G0W0B6'"),
        ("R1,W4", "R1,X4", "expected a card like 'R1' of this game, not 'X4'"),
        ("R1,W4", "R1,R1,R1,W4", "there are too many copies of R1"),
        ("/", ",", "there must be 2 hands, not 1"),
        ("B3:", "B2:RYGWB:12345,B3:", "a hand has at most 5 cards, not 6"),
        ("R2:R!:2345", "R2:R!", "a card in hand is like 'B3:RYGWB:12345' or 'R2:R!:2345', not 'R2:R!'"),
        ("R2:R!:2345", "R2:R!:345", "the knowledge of 'R2:R!:345' must include the card"),
        ("R2:R!:2345", "R2:RB!:2345", "what was told leaves one possibility, not several: 'R2:RB!:2345'"),
        ("R2:R!:2345", "R2:RYGWB:23!", "what was told leaves one possibility, not several: 'R2:RYGWB:23!'"),
        ("lives=2", "lives=4", "lives must be a number from 0 to 3, not '4'"),
        ("lives=2", "lives=x", "lives must be a number from 0 to 3, not 'x'"),
        ("lives=2", "lives=", "lives must be a number from 0 to 3, not ''"),
        ("lives=2", "lives=²", "lives must be a number from 0 to 3, not '²'"),
        ("lives=2", "lives=" + "2" * 5000, "lives must be a number from 0 to 3, not '22222"),
        ("information=7", "information=9", "information must be a number from 0 to 8, not '9'"),
        ("left=2", "left=3", "left must be a number from 0 to 2, not '3'"),
        ("turn=bob", "turn=cathy", "turn must be one of alice, bob, not 'cathy'"),
        ("play-3:W4", "fold", "the last move is like 'alice:play-1:R1:scored' or 'alice:hint-bob-red', not 'alice:fol"),
        ("play-3:W4", "play-6:W4", "the last move is like 'alice:play-1:R1:scored'"),
        ("play-3:W4", "discard-0:W4", "the last move is like 'alice:play-1:R1:scored'"),
        ("play-3:W4", "play-3", "expected a card like 'R1' of this game, not ''"),
        ("play-3:W4", "play-3:W6", "expected a card like 'R1' of this game, not 'W6'"),
        ("play-3:W4", "hint-bob-6", "the last move is like 'alice:play-1:R1:scored'"),
        ("play-3:W4", "hint-cathy-red", "the last move is like 'alice:play-1:R1:scored'"),
        ("play-3:W4", "hint-alice-red", "a hint is for another seat"),
        ("left=2", "left=1", "left must be 2 while there are cards in the deck"),
        (",W2:RYGWB:12345", "", "only the seat that draws a card may be short of one while there are cards in the dec"),
        (",W5:YGWB:12345,B4:RYGWB:12345", "", "only the seat that draws a card may be short of one while there are c"),
        ("YGWB:12345,W5", "GYWB:12345,W5", "it contradicts itself, or is out of order; it was read as 'fireworks="),
        ("last=alice", "last=bob", "it contradicts itself, or is out of order"),
    ],
)
def test_a_text_that_is_no_position_is_an_error(old: str, new: str, message: str) -> None:
    game = Hanabi()
    assert game.from_text(TEXT).text == TEXT
    wrong = TEXT.replace(old, new, 1)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        game.from_text(wrong)
    assert str(error.value).startswith("hanabi: not a position: ")
    assert str(error.value).endswith(repr(wrong))


@pytest.mark.parametrize("known", ["RYG:123", "RY:1234", "Y:123", "RY:23"])
def test_knowledge_leaves_the_card_and_cards_of_this_game_only(known: str) -> None:
    game = Hanabi(colors=2, ranks=3, hand_size=1)
    text = "fireworks=R0Y0 discards=- hands=R1:RY:123/Y1:RY:123 information=8 lives=3 turn=alice left=2 last=-"
    assert game.from_text(text).text == text
    with pytest.raises(ValueError, match=f"the knowledge of 'R1:{known}' must include the card, and no card of anoth"):
        game.from_text(text.replace("R1:RY:123", f"R1:{known}"))


@pytest.mark.parametrize(
    ("field", "last_of_this_game", "first_of_another", "message"),
    [
        ("fireworks", "R0Y3", "R0Y4", "fireworks must be like 'R0Y0', not 'R0Y4'"),
        ("fireworks", "R0Y0", "R0Y0G0", "fireworks must be like 'R0Y0', not 'R0Y0G0'"),
        ("discards", "Y3", "Y4", "expected a card like 'R1' of this game, not 'Y4'"),
        ("discards", "Y3", "G3", "expected a card like 'R1' of this game, not 'G3'"),
        ("discards", "Y2,Y2,Y3", "Y2,Y2,Y2,Y3", "there are too many copies of Y2"),
        ("turn", "bob", "cathy", "turn must be one of alice, bob, not 'cathy'"),
        ("last", "alice:hint-bob-yellow", "alice:hint-bob-green", "the last move is like"),
        ("last", "alice:hint-bob-3", "alice:hint-bob-4", "the last move is like"),
        ("last", "alice:hint-bob-3", "alice:hint-cathy-3", "the last move is like"),
        ("last", "alice:play-1:R2", "alice:play-2:R2", "the last move is like"),
    ],
)
def test_a_position_has_cards_seats_and_moves_of_this_game_only(
    field: str, last_of_this_game: str, first_of_another: str, message: str
) -> None:
    game = Hanabi(colors=2, ranks=3, hand_size=1)
    fields = {
        "fireworks": "R0Y0", "discards": "-", "hands": "R1:RY:123/Y1:RY:123", "information": "7", "lives": "3",
        "turn": "bob", "left": "2", "last": "alice:hint-bob-1",
    }  # fmt: skip

    def position(value: str) -> Any:
        changed = fields | {field: value} | ({"last": "-"} if field == "turn" else {})
        return game.from_text(" ".join(f"{name}={text}" for name, text in changed.items()))

    assert f" {field}={last_of_this_game} " in f" {position(last_of_this_game).text} "
    with pytest.raises(ValueError, match=re.escape(f"hanabi: not a position: {message}")):
        position(first_of_another)


def test_the_longest_game_is_a_position() -> None:
    """It draws 48 cards, with a hint after each but the last, after 16 hints; then each of the two seats has a turn."""
    longest = 48 + 47 + 16 + 2
    assert Hanabi(hand_size=1, information_tokens=16).max_moves == longest
    before = ",".join(["bR1", "aR1"] * 56)  # and the last move
    assert Hanabi().from_text(f"{TEXT} before={before}").record.moves == longest


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("", "a move of bob in before is like 'P1R1!', 'D3W4' or 'bY14', not ''"),
        ("P6R1", "a move of bob in before is like 'P1R1!', 'D3W4' or 'bY14', not 'P6R1'"),
        ("D1R1!", "a move of bob in before is like"),
        ("P1R6", "a move of bob in before is like"),
        ("bR1", "a move of bob in before is like"),  # to himself
        ("cR1", "a move of bob in before is like"),  # to nobody
        ("aR31", "a move of bob in before is like"),
        ("aR6", "a move of bob in before is like"),
        (",".join([*["aR1", "bR1"] * 56, "aR1"]), "a game has at most 113 moves, not 114"),
    ],
)
def test_moves_before_the_last_that_cannot_be_are_errors(field: str, message: str) -> None:
    game = Hanabi()
    assert game.from_text(f"{TEXT} before=D1R1,P2R5!!,aY14").record.moves == 4
    with pytest.raises(ValueError, match=re.escape(message)):
        game.from_text(f"{TEXT} before={field}")
    with pytest.raises(ValueError, match="before has moves, but last says that there was none"):
        game.from_text(TEXT.replace("alice:play-3:W4", "-") + " before=aR1")


@pytest.mark.parametrize(
    ("possible", "field"),
    [*((True, f) for f in ("P1R1", "bY1", "b31")), *((False, f) for f in ("P2R1", "bY2", "bG1", "b41"))],
)
def test_moves_before_the_last_are_of_this_game(possible: bool, field: str) -> None:
    """One card in hand, two colors and three ranks."""
    game = Hanabi(colors=2, ranks=3, hand_size=1)
    hands = "hands=R1:R!:123/Y1:RY:123"
    text = f"fireworks=R0Y0 discards=- {hands} information=7 lives=3 turn=alice left=2 last=bob:hint-alice-red"
    if possible:
        assert game.from_text(f"{text} before={field}").text == f"{text} before={field}"
        return
    with pytest.raises(ValueError, match=f"a move of alice in before is like 'P1R1!', 'D3W4' or 'bY14', not '{field}'"):
        game.from_text(f"{text} before={field}")


def test_a_hand_out_of_turn_before_the_deal_is_done_is_an_error() -> None:
    game = Hanabi()
    text = game.start().text.replace("hands=-/-", "hands=-/R1:RYGWB:12345")
    with pytest.raises(ValueError, match="only the seat that draws a card may be short"):
        game.from_text(text)


def test_the_spectator_sees_all_cards_and_a_seat_not_its_own() -> None:
    game = Hanabi()
    position = game.from_text(TEXT)
    spectator, bob = game.to_ansi(position), game.view_text(position, 1)
    assert spectator.splitlines() == [
        "score 1/25   information 7/8   lives 2/3   deck 37",
        "fireworks  R1 Y0 G0 W0 B0",
        "discards   R1 W4",
        "last move  alice play-3 W4",
        "",
        "  alice    B3      R2      W1      W5      B4",
        "           RYGWB   R....!  .YGWB   .YGWB   RYGWB",
        "           12345   .2345   12345   12345   12345",
        "",
        "> bob      Y1      G1      Y5      Y4      W2",
        "           RYGWB   RYGWB   RYGWB   RYGWB   RYGWB",
        "           1....!  1....!  .2345   .2345   12345",
    ]
    assert bob == spectator.replace("Y1      G1      Y5      Y4      W2", "??      ??      ??      ??      ??")
    assert game.view_text(game.from_text(TEXT.replace("/Y1:", "/R1:")), 1) == bob


def test_an_empty_hand_has_its_line() -> None:
    game = Hanabi()
    assert "> alice\n\n  bob" in game.to_ansi(game.start())


def test_knowledge_is_what_hints_told() -> None:
    position = Hanabi().from_text(TEXT)
    alice = hand_knowledge(position.record, 0)
    assert alice[0] == SlotKnowledge((0, 1, 2, 3, 4), (0, 1, 2, 3, 4), False, False)
    assert alice[1] == SlotKnowledge((0,), (1, 2, 3, 4), True, False)
    bob = hand_knowledge(position.record, 1)
    assert bob[0] == SlotKnowledge((0, 1, 2, 3, 4), (0,), False, True)
