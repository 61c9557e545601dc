"""What a person may not see in Hanabi is in no byte that the table sends."""

import asyncio
import json

import pytest

from ludarium.envs.registry import make_game
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.table.store import Kept

GAME = "hanabi"
HANDS = ("R1 Y2 G3 W4 B5", "R2 Y3 G4 W5 B1")  # the same colors and ranks, so the fellow may do the same


def deck(hand):
    """A whole deck that begins with a hand; the cards of all others are the same in the same order, but for two."""
    game, cards = make_game(GAME), deck_cards(hand)
    left = [card for card, count in enumerate(game.copies * 5) for _ in range(count)]
    both = [card for one in HANDS for card in deck_cards(one)]
    for card in both:
        left.remove(card)
    fellow, rest = left[::8][:5], list(left)
    for card in fellow:
        rest.remove(card)
    hidden = [card for card in both if card not in cards]
    return [*cards, *fellow, *rest, *hidden]


def deck_cards(hand):
    return ["RYGWB".index(word[0]) * 5 + int(word[1]) - 1 for word in hand.split()]


def everything(client, key, plies):
    """All bytes that a page could ask for about a game, its name left out."""
    table = f"/api/tables/{key}"
    asked = [table, f"{table}/plies/0/after/0", "/api/lobby"]
    asked += [f"{table}/plies/{ply}{more}" for ply in range(plies + 1) for more in ("", "/known")]
    answers = [client.send("GET", path) for path in asked]
    answers += [client.send("POST", f"{table}/advice", {"agent": "greedy", "ply": plies})]
    answers += [client.send("POST", f"{table}/chance", {"outcome": 0, "version": client.state(key)["version"]})]
    sent = b"\n".join(answer.body for answer in answers if b'"games"' not in answer.body)
    with client.listening(key) as page:
        sent += json.dumps(next(page)).encode()
    return sent.replace(key.encode(), b"KEY")


def test_the_own_cards_are_in_no_byte_that_is_sent(serving, tmp_path):
    """Two games that differ only in the cards of the person, and in what lies at the end of the deck."""
    kept = Kept(tmp_path / "games.db")
    for number, hand in enumerate(HANDS):
        plan = Plan(GAME, ("me", "random"), 5, None, tuple(deck(hand)))
        asyncio.run(kept.keep(f"game-{number}", {"plan": plan.data()}))
    kept.close()
    with serving(games=tmp_path / "games.db") as client:
        rounds = 0
        while True:
            states = [client.my_turn(f"game-{number}") for number in range(2)]
            told = [move["text"] for move in states[0]["history"] if move["seat"] == 1]
            if any(word.startswith("hint-alice-") and word[-1].isdigit() for word in told):
                break  # from here on, the two differ by what a person is told
            sent = [everything(client, f"game-{number}", len(states[0]["history"])) for number in range(2)]
            assert len(sent[0]) > 10_000
            assert sent[0] == sent[1]
            hints = [m for m in states[0]["view"]["moves"] if m["text"].startswith("hint-")]
            if not hints:
                break
            for number in range(2):
                body = {"action": hints[0]["action"], "version": states[number]["version"]}
                client.post(f"tables/game-{number}/play", **body)
            rounds += 1
        assert rounds >= 2


def test_advice_has_values_with_their_errors(table):
    key = table.open("hanabi?preset=small", "me", "random", seed=3)
    advice = table.advice(key, "expert")
    assert (advice["unit"], advice["even"]) == ("points", None)
    assert advice["opinions"][0]["action"] == advice["played"] == advice["move"]["action"]
    assert all(one["error"] >= 0 and " ± " in one["worth"] for one in advice["opinions"])


def test_the_seed_is_told_only_when_the_game_is_over(table):
    """Whoever knows it can work out the deck."""
    key = table.open("hanabi?preset=very-small", "me", "random", seed=123_456_789)
    while not (state := table.my_turn(key))["over"]:
        assert state["seed"] is None
        assert b"123456789" not in table.send("GET", f"/api/tables/{key}").body
        state = table.play(key, state["view"]["moves"][0]["text"])
    assert state["seed"] == "123456789"
    key = table.open("hexapawn", "me", "random")  # nor is another one that can be tried
    assert table.my_turn(key)["seed"] is None
    table.change(key, "resign")
    assert int(table.state(key)["seed"]) > 2**64


def test_moves_of_others_and_their_reasons_are_not_shown(table):
    key = table.open("hanabi?seats=3", "random", "me", "random", seed=2)
    table.post(f"tables/{key}/pace", paused=True)
    table.my_turn(key) if table.state(key)["history"] else None
    assert table.get(f"tables/{key}/plies/0")["moves"] == []
    told = table.refused(f"tables/{key}/advice", agent="greedy", ply=0)
    assert told == (403, "advice for another seat would tell what you may not see")
    assert all(move["why"] is None for move in table.state(key)["history"])


def test_a_spectator_sees_every_hand(table):
    key = table.open("hanabi", "random", "greedy", seed=2)
    assert "??" not in table.wait(key, lambda state: state["view"] is not None)["view"]["text"]


def test_what_people_keep_an_eye_on(table):
    facts = dict(table.state(table.open("hanabi", "me", "random", seed=2))["view"]["facts"])
    assert all(facts[name] for name in ("deck", "last move", "your card 1"))
    assert facts["score"] == "0, at most 25"
    assert facts["pace"] == "17"  # 40 cards in the deck and two seats, 25 points to go


def test_a_spectator_hears_the_reasons(table):
    """The probabilities of a network, and the rule of a list in words; nobody plays who may not know them."""
    key = table.open("hanabi", "ppo", "expert", seed=2)
    first, second, *_ = table.wait(key, lambda state: len(state["history"]) > 1)["history"]
    assert first["why"]["text"].startswith("the most probable move, ")
    assert sum(chance for _, chance in first["why"]["values"]) == pytest.approx(1, abs=1e-3)
    rule, *because = second["why"]["text"].splitlines()
    assert rule.startswith("rule ")
    assert because


def test_what_everybody_knows_shows_no_card(table):
    """The picture that one may hold on to has neither one's own cards nor those of fellows."""
    key = table.open("hanabi?seats=3", "me", "greedy", "greedy", seed=3)
    table.my_turn(key)
    assert table.get(f"tables/{key}/plies/0/known")["svg"].count(">?<") == 15
    key = table.open("hexapawn", "me", "random")
    assert table.call("GET", f"tables/{key}/plies/0/known")[0] == 409
