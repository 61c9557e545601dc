"""What people keep an eye on in Hanabi."""

from ludarium.envs.hanabi.knowledge import possible_cards
from ludarium.envs.registry import make_game


def dealt(*cards):
    """The position after these cards, `R1`, have been dealt, seat by seat."""
    game = make_game("hanabi")
    position = game.start()
    for card in cards:
        position.play("RYGWB".index(card[0]) * 5 + int(card[1]) - 1)
    return position


def test_the_own_cards_may_be_whatever_is_not_seen_elsewhere_and_hints_leave():
    position = dealt("R1", "Y2", "G3", "W4", "B5", "R5", "Y5", "G5", "R4", "R4")
    game = position.game
    facts = game.facts(position, 0)
    assert [facts[f"your card {slot}"] for slot in range(1, 6)] == ["R123 Y1234 G1234 W12345 B12345"] * 5
    position.play(game.str_to_action(position, "hint-bob-5"))
    position.play(game.str_to_action(position, "hint-alice-red"))
    facts = game.facts(position, 0)
    assert (facts["your card 1"], facts["your card 2"]) == ("R123", "Y1234 G1234 W12345 B12345")
    assert facts["last move"] == "bob hint-alice-red"
    assert facts["hints, lives"] == "6, 3"
    assert facts["discards"] == "-"
    assert possible_cards(position.record, 1).shape == (5, 5, 5)
    assert "your card 1" not in game.facts(position, None)


def test_the_pace_and_the_last_turns():
    game = make_game("hanabi?preset=very-small&seats=3")
    hands = "R4:R:12345,R5:R:12345/R3:R:12345,R2:R:12345/R1:R:12345,R3:R:12345"
    text = f"fireworks=R1 discards=R1 hands={hands} information=2 lives=1 turn=bob left=3 last=alice:discard-2:R1"
    facts = dict(game.facts(game.from_text(text), 1))
    assert facts.pop("your card 1") == facts.pop("your card 2") == "R234"
    assert facts == {
        "score": "1, at most 5", "deck": "2", "hints, lives": "2, 1", "pace": "1", "last move": "alice discard-2 R1",
        "discards": "R1",
    }  # fmt: skip
    game = make_game("hanabi?preset=very-small&seats=5")
    hands = "/".join(
        [
            "R3:R:12345,R2:R:12345",
            "R4:R:12345",
            "R1:R:12345,R4:R:12345",
            "R1:R:12345,R5:R:12345",
            "R2:R:12345,R3:R:12345",
        ]
    )
    text = f"fireworks=R1 discards=- hands={hands} information=3 lives=1 turn=cathy left=4 last=bob:play-1:R1:scored"
    facts = game.facts(game.from_text(text), None)
    assert (facts["deck"], facts["pace"], facts["discards"]) == ("empty, 4 turns left", "1", "-")


def test_a_card_that_is_gone_bounds_the_score():
    position = dealt("R5", "Y2", "G3", "W4", "B5", "R1", "Y1", "G1", "W1", "B1")
    game = position.game
    position.play(game.str_to_action(position, "hint-bob-1"))
    position.play(game.str_to_action(position, "hint-alice-5"))
    assert game.facts(position, 0)["score"] == "0, at most 25"
    position.play(game.str_to_action(position, "discard-1"))
    assert position.game.facts(position, 0)["score"] == "0, at most 24"
