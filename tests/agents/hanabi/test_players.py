"""Every rule of the vocabulary in a position where it has a move, and in one where it has none; lists as text."""

import re
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ludarium.agents.hanabi import discard, play, tell, vocabulary
from ludarium.agents.hanabi.players import Entry, read_rules, rule_player, rules_text
from ludarium.agents.hanabi.vocabulary import CONDITIONS, DISCARD, PLAY, RULES, TELL
from ludarium.envs.chance import stream
from ludarium.envs.hanabi import Hanabi, beliefs

ANY = "RYGWB:12345"
FAR = f"R4:{ANY},Y3:{ANY},G3:{ANY},W3:{ANY},B3:{ANY}"  # nothing to play, save or throw away at the start
MINE = f"Y5:{ANY},R5:{ANY},G5:{ANY},W5:{ANY},B5:{ANY}"


def hand(cards: str, changes: str) -> str:
    """A hand with other cards or knowledge in some slots: `s2=R1`, `s2=R!:12345`, or `s2=R1=R!:12345`."""
    slots = cards.split(",")
    for change in changes.replace("-", "").split():
        slot, card, known = re.fullmatch(r"s(\d)=(\w\d)?=?(.*)", change).groups()  # type: ignore[union-attr]
        slots[int(slot) - 1] = f"{card or slots[int(slot) - 1][:2]}:{known or ANY}"
    return ",".join(slots)


def player_and_position(rules: str, own: str = MINE, *others: str, last: str = "-", **fields: Any) -> tuple[Any, Any]:
    """The player of a list of rules, and the position with these hands and fields."""
    others = others or (FAR,)
    game = Hanabi(seats=1 + len(others), hand_size=5)
    values = {"fireworks": "R0Y0G0W0B0", "discards": "-", "information": 4, "lives": 3} | fields
    before = f" before={fields['before']}" if "before" in fields else ""
    text = (
        f"fireworks={values['fireworks']} discards={values['discards']} hands={'/'.join((own, *others))} "
        f"information={values['information']} lives={values['lives']} turn=alice left={game.seats} last={last}{before}"
    )
    return rule_player(game, read_rules(rules), by_age=bool(fields.get("by_age", False))), game.from_text(text)


def move(rules: str, own: str = MINE, *others: str, **fields: Any) -> str:
    """What a list of rules plays; `legal-random` is not asked, so the last resort is told by `hint-…-none`."""
    policy, position = player_and_position(rules, own, *others, **fields)
    view, mask, moves = position.view(0).reshape(1).view("u1"), position.action_mask(), set()
    for key in range(12):  # a rule without a move leaves it to chance, which does not always agree
        action = policy.choose(position.game, view, position.observe(0), mask, stream(key))
        moves.add(position.game.action_to_str(position, action))
    return moves.pop() if len(moves) == 1 else "none" if len(moves) > 4 else " or ".join(sorted(moves))


CASES = """
play-if-certain | s2=R1=R!:1! | | | play-2
play-if-certain | s2=R1=RYGWB:1! | | | none
play-safe-card | s2=R1=RYGWB:1! | | | play-2
play-safe-card | s2=R1=RYGWB:12 | | | none
play-probably-safe-card:0.5 | s2=R1=RYGWB:12 s4=W1=RYGWB:12 | | | play-4
play-probably-safe-card:0.7 | s2=R1=RYGWB:12 | | | none
play-unique-possible-card | s2=R1=R!:12345 | | last=bob:hint-alice-red | play-2
play-unique-possible-card | s2=R4=RYGWB:4! | | last=bob:hint-alice-4 | none
# the card told has moved up from slot 2
play-unique-possible-card | s1=R1=R!:12345 | | last=bob:discard-1:W4 before=aR2,D1Y4 discards=Y4,W4 | play-1
play-unique-possible-card | s2=R1=R!:12345 s3=R2=R!:12345 | | last=bob:hint-alice-red | none
# red is complete, though yellow is not
play-unique-possible-card | s2=R1=R!:12345 | s1=B4 | last=bob:hint-alice-red fireworks=R5Y0G0W0B0 | none
# the last red one is in bob's hand, where he does not see it
play-unique-possible-card | s2=R2=R!:12345 | s1=R1 | last=bob:hint-alice-red discards=R1,R1 | none
play-unique-possible-card | s2=R1=RYGWB:1! | | last=bob:hint-alice-1 | play-2
play-unique-possible-card | s5=R1=R!:12345 | | last=bob:discard-1:W4 before=aR2,D2R4 discards=R4,W4 | none
play-finesse | | s2=R2=RYGWB:2! / - | last=cathy:hint-bob-2 | play-5
play-finesse | | s2=R3=RYGWB:3! / - | last=cathy:hint-bob-red | none
play-finesse | | s2=R2=RYGWB:1245 / - | last=cathy:hint-bob-3 | none
play-finesse-told | s3=G2=G!:12345 | - / - | last=cathy:play-1:G1:scored before=aG3 fireworks=R0Y0G1W0B0 | play-3
play-finesse-told | s3=G2=G!:12345 | - / - | last=cathy:discard-1:G1 before=aG3 discards=G1 | none
play-finesse-told | s3=G2 s4=G4 | - / - | last=cathy:play-1:G1:scored before=aG34 fireworks=R0Y0G1W0B0 | none
play-finesse-told | | - / - | last=cathy:play-1:G1:scored fireworks=R0Y0G1W0B0 | none
play-just-hinted:0:0:1:0.2 | s2=R1=R!:12345 s3=R2=R!:12345 | | last=bob:hint-alice-red | play-3
play-just-hinted:1:0:1:0.2 | s2=R1=R!:12345 s3=R2=R!:12345 | | last=bob:hint-alice-red | none
play-just-hinted:0:1:1:0.2 | s2=R1=R!:12345 | | last=bob:hint-alice-red | none
play-just-hinted:0:1:1:0.2 | s5=R1=R!:12345 | | last=bob:hint-alice-red | play-5
play-just-hinted:0:0:1:0.9 | s2=R1=R!:12345 | | last=bob:hint-alice-red | none
play-just-hinted:0:0:3:0.2 | s2=R1=R!:12345 | | last=bob:hint-alice-red | none
play-just-hinted:0:0:3:0.2 | s2=R1=R!:1! | | last=bob:hint-alice-red | play-2
play-just-hinted:0:0:1:0.2 | s1=R1=R!:12345 | | last=bob:discard-1:W4 before=aR2,D1Y4 discards=Y4,W4 | none
tell-playable-card | | s3=G1 | | hint-bob-1 or hint-bob-green
tell-playable-card | | | | none
tell-playable-card-outer | | s3=G1 | | hint-bob-1
tell-playable-card-outer | | s3=G1=RYGWB:1! | | hint-bob-green
tell-playable-card-outer | | s3=G1=G!:1! | | none
tell-playable-card-outer | | s3=R1=R!:1! | | none
tell-unknown | | s1=R4=R!:12345 | | hint-bob-4
tell-unknown | | | | hint-bob-red
tell-unknown | | s1=R1=R!:1! | | hint-bob-yellow
tell-about-ones | | s3=G1=RYGWB:1! | fireworks=R0Y0G1W0B0 | hint-bob-green
tell-about-ones | | | | none
tell-finesse | | s5=R1 / s1=R2 | | hint-cathy-2
tell-finesse | | s5=R1 / s1=R2 s2=G2 | | hint-cathy-red
tell-finesse | | s4=R1 / s1=R2 | | none
tell-finesse | | s5=R1 / s1=R2=RYGWB:2! | | hint-cathy-red
tell-finesse | | s5=R1 / s1=R2 s2=G2 s3=R4 | | none
tell-useful-card | | - / s4=W1 | | hint-cathy-1
tell-useful-card | | - / - | | none
tell-oldest-useful-card | | s2=Y1=Y!:12345 s4=W1 | | hint-bob-1
tell-oldest-useful-card | | s2=Y1 s4=W1 | | hint-bob-yellow
complete-tell-useful-card | | s2=Y1 s4=W1=RYGWB:1! | | hint-bob-white
complete-tell-useful-card | | s2=Y1 | | none
tell-useless-card | | s3=G1=RYGWB:1! | fireworks=R0Y0G1W0B0 | hint-bob-green
tell-useless-card | | | | none
tell-useless-card | | s3=G2 | fireworks=R0Y0G1W0B0 | none
# green is complete, white has not begun
tell-useless-card | s3=G4 | s3=W1 | fireworks=R0Y0G5W0B0 | none
tell-dispensable | | s3=G1=G!:12345 | fireworks=R0Y0G1W0B0 | hint-bob-1
tell-dispensable | | s3=G1 | fireworks=R0Y0G1W0B0 | none
tell-fives | s5=B2 | - / s4=B5 | | hint-cathy-5
tell-fives | s5=B2 | - / s4=B5=RYGWB:5! | | none
tell-ill-informed | | s3=G1=RYGWB:1! | fireworks=R0Y0G1W0B0 | hint-bob-green
tell-ill-informed | | s3=G1=G!:1! | | none
tell-most-information:0 | | s2=Y3=RYGWB:3! s3=G3=RYGWB:3! | | hint-bob-3
tell-most-information:1 | | s1=R4=RYGWB:1234 s2=R3=RYGWB:3! s3=G3=RYGWB:3! s4=W3=RYGWB:3! s5=B1=RYGWB:1 | | hint-bob-red
tell-most-information:0 | | s2=R1 s3=R2 | | hint-bob-red
tell-most-information:0 | | - / - | | hint-bob-3
tell-most-information:1 | | s1=R4=R!:4! s2=Y3=Y!:3! s3=G3=G!:3! s4=W3=W!:3! s5=B3=RYGWB:3! | | hint-bob-blue
tell-most-information:1 | | s1=R4=R!:4! s2=Y3=Y!:3! s3=G3=G!:3! s4=W3=W!:3! s5=B3=B!:3! | | none
# "red" is told of three, "3" of none of two
tell-most-information:1 | | s1=R4=R!:12345 s2=R1=R!:12345 s3=R2=R!:12345 | | hint-bob-3
tell-to-save | | s3=G3 | discards=G3 | hint-bob-3
tell-to-save | | | | none
# "white" touches nothing else, "1" an old green one too
tell-unambiguous:0 | | s3=G1 s4=W1 | fireworks=R0Y0G1W0B0 | hint-bob-white
# "1" touches two playable ones
tell-unambiguous:1 | | s3=G1 s4=W1 | | hint-bob-1
tell-unambiguous:1 | | | | none
tell-unambiguous:1 | | s3=G1 s4=W1 | fireworks=R0Y0G1W0B0 | hint-bob-white
tell-unambiguous:0 | | s3=G1 s4=W1 | | hint-bob-1
# "1" touches a playable one more, and an old red one; "green" and "white" touch no other
tell-unambiguous:1 | | s2=R1 s3=G1 s4=W1 | fireworks=R1Y0G0W0B0 | hint-bob-1
tell-unambiguous:0 | | s2=R1 s3=G1 s4=W1 | fireworks=R1Y0G0W0B0 | hint-bob-green
# the old one is known to be a 1
tell-unambiguous:0 | | s3=G1=RYGWB:1! s4=W1 | fireworks=R0Y0G1W0B0 | hint-bob-1
tell-unambiguous:0 | | s4=W1=RYGWB:1! | | hint-bob-white
tell-unambiguous:0 | | s3=G1 s4=W1=W!:12345 | fireworks=R0Y0G1W0B0 | hint-bob-1
tell-unambiguous:0 | | s4=W1=W!:1! | | none
tell-unambiguous-2:1:0 | | s4=W1 | | hint-bob-1
tell-unambiguous-2:1:0 | | | | none
tell-unambiguous-3:1:0 | | s4=W1=RYGWB:1! | | none
tell-unambiguous-3:1:0 | | s4=W1 | | hint-bob-1
tell-at-least-n-useless:2 | | s3=G1 s4=G2 | fireworks=R0Y0G2W0B0 | hint-bob-green
tell-at-least-n-useless:2 | | s3=G1 | fireworks=R0Y0G2W0B0 | none
# bob hopes that his 1 is not the red one
tell-high-probability-mistake:1:0.5 | | s1=R1=RYGWB:1! | fireworks=R1Y0G0W0B0 | hint-bob-red
tell-high-probability-mistake:1:0.5 | | | | none
tell-high-probability-mistake:0:0.5 | | s3=G1 | | hint-bob-1
tell-high-probability-mistake:0:0.5 | | s3=G1=RYGWB:1! | | none
discard-oldest-first | | | | discard-1
discard-oldest-first | | | information=8 | none
discard-oldest-no-info-first | s1=Y5=RYGWB:5! | | | discard-2
discard-oldest-no-info-first | | s1=R4=R!:4! | | discard-1
discard-oldest-no-info-first | s1=R5=R!:12345 s2=R1=RYGWB:1! | | | discard-3
discard-oldest-no-info-first | s1=R5=R!:12345 s2=R1=RYGWB:1! s3=G5=G!:12345 s4=W5=RYGWB:5! | | | discard-5
discard-oldest-no-info-first | s1=R5=R!:5! s2=R1=R!:1! s3=G5=G!:5! s4=W5=W!:5! s5=B5=B!:5! | | | none
discard-unidentified-card | s1=Y5=RYGWB:5! | | | discard-2
discard-unidentified-card | | s1=R4=R!:4! | | discard-1
discard-unidentified-card | s1=R5=R!:12345 s2=R1=RYGWB:1! | | | discard-3
discard-unidentified-card | s1=R5=R!:5! s2=R1=R!:1! s3=G5=G!:5! s4=W5=W!:5! s5=B5=B!:5! | | | none
discard-if-certain | s2=R1=R!:1! | | fireworks=R1Y0G0W0B0 | discard-2
discard-if-certain | s2=R1=R!:1! | | | none
discard-safe-card | s2=R1=RYGWB:1! | | fireworks=R1Y1G1W1B1 | discard-2
discard-safe-card | s2=R1=RYGWB:1! | | fireworks=R1Y1G1W1B0 | none
discard-safe-card | s2=R1=R!:12345 | | fireworks=R5Y0G0W0B0 | discard-2
discard-useless-card | s2=R5=R!:345 | | discards=R2,R2 | discard-2
discard-useless-card | s2=R5=R!:2345 | | discards=R3,R3 | none
osawa-discard | s2=R5=R!:345 | | discards=R2,R2 | discard-2
osawa-discard | s2=R1=RYGWB:1! | | fireworks=R1Y1G1W1B1 | discard-2
osawa-discard | s1=R1=RYGWB:1! | | fireworks=R1Y1G1W1B1 | discard-1
# a card above what red can reach comes before a green one that was played, in place only
osawa-discard | s1=R5=R!:345 s2=G1=G!:1! | | fireworks=R0Y0G1W0B0 discards=R2,R2 | discard-2
osawa-discard | | | | none
discard-probably-useless-card:0.5 | s2=R1=RYG:1! s4=G1=RYGW:1! | | fireworks=R1Y1G0W0B0 | discard-2
discard-probably-useless-card:0.5 | | | | none
discard-least-likely-to-be-necessary | s3=G1=RYGWB:12 | | | discard-3
discard-highest | s2=R2=RYGWB:2! s3=G4=RYGWB:4! | | | discard-3
discard-highest | | | | none
try-to-unblock | s2=R1=R!:1! | | fireworks=R1Y0G0W0B0 information=0 | discard-2
try-to-unblock | s2=R5=R!:5! | | fireworks=R4Y0G0W0B0 information=0 | play-2
try-to-unblock | s2=R1=R!:1! | s3=G1=G!:1! | fireworks=R1Y0G0W0B0 information=0 | none
try-to-unblock | s2=R1=R!:1! | | fireworks=R1Y0G0W0B0 information=1 | none
try-to-unblock | s1=Y5=Y!:12345 s2=R5=R!:5! | | fireworks=R4Y0G0W0B0 information=0 | play-2
try-to-unblock | s2=R5=R!:5! | | fireworks=R3Y0G0W0B0 information=0 | none
try-to-unblock | s2=R1=R!:1! | s3=G1=G!:1! / - | fireworks=R1Y0G0W0B0 information=0 | discard-2
try-to-unblock | s2=R1=R!:1! | s3=R1=R!:1! / - | fireworks=R1Y0G0W0B0 information=0 | none
tell-useful-card | | s3=G1 | information=0 | none
"""
"""Rule, what differs from MINE, hands of others by what differs from FAR, fields of the position, and the move."""


@pytest.mark.parametrize("case", [line for line in CASES.split("\n") if line[:1] not in ("", "#")])
def test_a_rule(case: str) -> None:
    rule, own, others, fields, expected = (cell.strip() for cell in case.split("|"))
    hands = [hand(FAR, changes) for changes in others.split("/")]
    given = dict(field.split("=", 1) for field in fields.split())
    assert move(rule, hand(MINE, own), *hands, **given) == expected
    if expected == "none":  # it is the next rule's turn
        assert move(f"{rule},play-probably-safe-card:0", hand(MINE, own), *hands, **given).startswith("play-")


def test_random_rules_draw_from_all_that_they_may() -> None:
    assert move("tell-randomly") == "none"  # more than four different ones
    assert move("discard-randomly") == "none" or move("discard-randomly").count("discard") > 2
    assert move("legal-random") == "none"


ONES = "s1=R1=R!:1! s5=W1=W!:1!"
BLOCKED = "s1=R3=R!:345 s5=R4=R!:345"  # once both red twos are gone


@pytest.mark.parametrize(
    ("rule", "own", "fields", "by_place", "by_age"),
    [
        ("play-if-certain", ONES, {}, "play-5", "play-1"),
        ("play-safe-card", ONES, {}, "play-5", "play-1"),
        ("play-probably-safe-card:0.5", ONES, {}, "play-1", "play-5"),  # of equals the last
        ("play-just-hinted:0:0:1:0.2", ONES, {"last": "bob:hint-alice-1"}, "play-1", "play-5"),
        ("discard-unidentified-card", "", {}, "discard-5", "discard-1"),
        ("discard-if-certain", ONES, {"fireworks": "R1Y0G0W1B0"}, "discard-5", "discard-1"),
        ("discard-safe-card", ONES, {"fireworks": "R1Y0G0W1B0"}, "discard-5", "discard-1"),
        ("discard-useless-card", BLOCKED, {"discards": "R2,R2,Y4,W4"}, "discard-5", "discard-1"),
        ("discard-probably-useless-card:0.5", BLOCKED, {"discards": "R2,R2,Y4,W4"}, "discard-1", "discard-5"),
        ("discard-least-likely-to-be-necessary", "", {}, "discard-4", "discard-5"),
        ("discard-highest", "s1=R4=RYGWB:4! s5=B4=RYGWB:4!", {}, "discard-5", "discard-1"),
    ],
)
def test_the_first_card_is_in_the_first_place_or_the_oldest(
    rule: str, own: str, fields: dict[str, str], by_place: str, by_age: str
) -> None:
    """Alice's oldest card was in slot 2 when she threw away slot 1: the new card took the first place."""
    past = {"last": "bob:discard-2:W4", "before": "D1Y4", "discards": "Y4,W4"} | fields
    assert move(rule, hand(MINE, own), **past) == by_place
    assert move(rule, hand(MINE, own), by_age=True, **past) == by_age


@pytest.mark.parametrize(
    ("condition", "fields", "holds"),
    [
        ("spare-life", {"lives": 2}, True),
        ("spare-life", {"lives": 1}, False),
        ("last-life", {"lives": 1}, True),
        ("last-life", {"lives": 2}, False),
        ("few-hints", {"information": 3}, True),
        ("few-hints", {"information": 4}, False),
        ("hail-mary", {}, False),
    ],
)
def test_a_condition(condition: str, fields: dict[str, Any], holds: bool) -> None:
    assert (move(f"discard-oldest-first@{condition}", **fields) == "discard-1") == holds


@pytest.mark.parametrize(
    ("condition", "lives", "deck", "information", "holds"),
    [
        ("always", 1, 0, 4, True),
        ("hail-mary", 2, 0, 4, True),
        ("hail-mary", 1, 0, 4, False),
        ("hail-mary", 2, 1, 4, False),
        ("spare-life", 2, 9, 4, True),
        ("spare-life", 1, 9, 4, False),
        ("last-life", 0, 0, 4, True),
        ("last-life", 1, 9, 4, True),
        ("last-life", 2, 9, 4, False),
        ("few-hints", 3, 9, 1, True),
        ("few-hints", 3, 9, 3, True),
        ("few-hints", 3, 9, 4, False),
    ],
)
def test_conditions_at_their_limits(condition: str, lives: int, deck: int, information: int, holds: bool) -> None:
    seen = SimpleNamespace(lives=lives, deck_size=deck, information=information, information_tokens=8)
    assert vocabulary.is_asked.py_func(seen, PLAY, CONDITIONS.index(condition)) == holds


@pytest.mark.parametrize(("kind", "asked"), [(TELL, [1, 8]), (DISCARD, [0, 1]), (PLAY, [0, 1, 8])])
def test_rules_whose_moves_are_not_legal_are_not_asked(kind: int, asked: list[int]) -> None:
    views = [SimpleNamespace(information=tokens, information_tokens=8) for tokens in (0, 1, 8)]
    assert [v.information for v in views if vocabulary.is_asked.py_func(v, kind, vocabulary.ALWAYS)] == asked


def test_the_first_rule_with_a_legal_move_decides() -> None:
    assert move("play-if-certain,discard-oldest-first,tell-fives") == "discard-1"
    assert move("discard-oldest-first,tell-unknown", information=8) == "hint-bob-red"


def test_every_rule_is_listed_and_tested() -> None:
    assert len({rule.name for rule in RULES}) == len({rule.origin for rule in RULES}) == len(RULES) == 40
    tested = {re.split(r"[: ]", line)[0] for line in CASES.splitlines()}
    assert {rule.name for rule in RULES} - tested == {"tell-randomly", "discard-randomly", "legal-random"}


def test_a_player_compiles_what_its_list_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []

    def compile_rule(function: Any) -> Any:
        compiled.append(function)
        return SimpleNamespace(address=1)

    monkeypatch.setattr(vocabulary, "_compiled", compile_rule)
    monkeypatch.setattr(beliefs, "_exact_counting", lambda: compiled.append("exact") or 1)
    rule_player(Hanabi(), read_rules("play-safe-card,osawa-discard"), by_age=False)
    assert compiled == [play.safe_card, discard.osawa]
    rule_player(Hanabi(), read_rules("tell-fives"), by_age=False, exact=True)
    assert compiled[2:] == [tell.fives, "exact"]


def test_lists_survive_as_text() -> None:
    entries = [
        Entry(number, tuple(parameter.high for parameter in rule.parameters), number % len(CONDITIONS))
        for number, rule in enumerate(RULES)
    ]
    assert read_rules(rules_text(entries)) == entries
    assert read_rules(" play-safe-card , osawa-discard@always ") == [Entry(1), Entry(34)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a list of rules has at least one rule, such as 'play-safe-card'"),
        ("play-safe-card,", "'': there is no rule ''; known: play-if-certain, play-safe-card"),
        ("play-save-card", "'play-save-card': there is no rule 'play-save-card'; did you mean 'play-safe-card'"),
        ("osawa-discard@few", "'osawa-discard@few': there is no condition 'few'; known: always, hail-mary"),
        ("play-probably-safe-card", "the rule is written 'play-probably-safe-card:THRESHOLD', with 1 parameters"),
        ("play-safe-card:0.6", "the rule is written 'play-safe-card', with 0 parameters"),
        ("play-probably-safe-card:1.5", "threshold is a number from 0 to 1, not '1.5'"),
        ("play-probably-safe-card:high", "threshold is a number from 0 to 1, not 'high'"),
        ("play-probably-safe-card:nan", "threshold is a number from 0 to 1, not 'nan'"),
    ],
)
def test_lists_that_cannot_be_read_are_errors(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="hanabi: ") as error:
        read_rules(text)
    assert message in str(error.value)


TOLD = "R4:R!:4!,Y3:Y!:3!,G3:G!:3!,W3:W!:3!,B3:B!:3!"


@pytest.mark.parametrize(
    ("rule", "bob", "fireworks", "expected"),
    [
        # Bob has a 1 or a 2, to play with 11/21; after "red" with 3/5, after "1" with 3/11, after "yellow" with 9/17.
        ("tell-unambiguous-2:1:0", "s1=R1=RYGWB:12", "R0Y1G1W1B1", "hint-bob-red"),
        ("tell-unambiguous-3:1:0", "s4=W1=RYGWB:12", "R1Y1G1W0B1", "hint-bob-white"),
        # It is a 2 that is not to play: with 8/10 after "2", with 3/5 after "red", with 11/21 as before after "3".
        ("tell-unambiguous-2:0:1", "s1=R2=RYGWB:12 s5=B2=B!:2!", "R0Y1G1W1B1", "hint-bob-2"),
        ("tell-unambiguous-2:0:-1", "s1=R2=RYGWB:12 s5=B2=B!:2!", "R0Y1G1W1B1", "hint-bob-3"),
    ],
)
def test_a_hint_is_chosen_by_what_its_receiver_would_play(rule: str, bob: str, fireworks: str, expected: str) -> None:
    assert move(rule, MINE, hand(TOLD, bob), fireworks=fireworks) == expected


def test_late_hands_differ_in_size() -> None:
    """The viewer has four cards left, the next seat five: the fifth slot holds no card."""
    seen = SimpleNamespace(held=[4, 5, 5], seats=3, moves=1, move_target=[1], move_touched=[1])
    seen.color_told = seen.rank_told = np.array([[0, 1, 2, 3, -1]] * 3)
    seen.color, seen.rank, seen.fireworks = np.zeros((3, 5), int), np.ones((3, 5), int), [0]
    assert discard.oldest_no_info_first(seen, None, None, None) == -1
    assert play.finesse(seen, None, None, None) == 3


@pytest.mark.parametrize(
    ("rule", "others", "shares"),
    [
        ("tell-playable-card", "s3=G1", {"hint-bob-1": 1 / 2, "hint-bob-green": 1 / 2}),
        (  # of a 4 and four 3s, each of another color
            "tell-randomly", "",
            {"hint-bob-4": 1 / 10, "hint-bob-3": 4 / 10}
            | {f"hint-bob-{color}": 1 / 10 for color in ("red", "yellow", "green", "white", "blue")},
        ),
        ("discard-randomly", "", {f"discard-{slot}": 1 / 5 for slot in range(1, 6)}),
    ],
)  # fmt: skip
def test_random_rules_prefer_nothing(rule: str, others: str, shares: dict[str, float]) -> None:
    draws = stream(1)
    policy, position = player_and_position(rule, MINE, hand(FAR, others))
    view, mask, seen = position.view(0).reshape(1).view("u1"), position.action_mask(), position.observe(0)
    actions = [policy.choose(position.game, view, seen, mask, draws) for _ in range(1000)]
    counts = Counter(position.game.action_to_str(position, action) for action in actions)
    assert {move: count / 1000 for move, count in counts.items()} == pytest.approx(shares, abs=0.06)
