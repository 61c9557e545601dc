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


def test_a_card_that_is_gone_bounds_the_score():
    position = dealt("R5", "Y2", "G3", "W4", "B5", "R1", "Y1", "G1", "W1", "B1")
    game = position.game
    position.play(game.str_to_action(position, "hint-bob-1"))
    position.play(game.str_to_action(position, "hint-alice-5"))
    assert game.facts(position, 0)["score"] == "0, at most 25"
    position.play(game.str_to_action(position, "discard-1"))
    assert position.game.facts(position, 0)["score"] == "0, at most 24"
