"""The language of rules: text that round-trips, what features mean in positions, and what rules do."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import operators
from ludarium.agents.lcs.agent import RuleAgent
from ludarium.agents.lcs.games import SAMPLE, play_list
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import (
    CARD,
    FEATURES,
    FIRST_CARD,
    FIRST_HINT,
    HINT_RANK,
    MOST_CONDITIONS,
    NUMBER,
    scope_of,
)
from ludarium.agents.lcs.operators import Limits
from ludarium.agents.lcs.policy import rule_player
from ludarium.agents.lcs.text import read_file, read_rules, rule_text, rules_text, well_formed
from ludarium.agents.lcs.words import rule_words
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key, stream
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.othello import Othello

ANY = "RYGWB:12345"
FAR = f"R4:{ANY},Y3:{ANY},G3:{ANY},W3:{ANY},B3:{ANY}"  # nothing to play or to save at the start
TWOS = f"R2:{ANY},Y2:{ANY},G2:{ANY},W2:{ANY},B2:{ANY}"
MINE = f"Y5:{ANY},R5:{ANY},G5:{ANY},W5:{ANY},B5:{ANY}"


def hand(cards: str, **told: str) -> str:
    """A hand with other cards or knowledge in some slots: `s2="R1=R!:12345"`."""
    slots = cards.split(",")
    for name, text in told.items():
        slot = int(name[1]) - 1
        card, _, known = text.rpartition("=")
        slots[slot] = f"{card or slots[slot][:2]}:{known}"
    return ",".join(slots)


def explained(
    rules: str, own: str = MINE, *others: str, last: str = "-", credit: Any = None, **fields: Any
) -> tuple[str, str]:
    """What a list of rules plays in a position, and the reason that it gives."""
    others = others or (FAR,)
    game = Hanabi(seats=1 + len(others), hand_size=5)
    values = {"fireworks": "R0Y0G0W0B0", "discards": "-", "information": 4, "lives": 3} | fields
    before = f" before={fields['before']}" if "before" in fields else ""
    position = game.from_text(
        f"fireworks={values['fireworks']} discards={values['discards']} hands={'/'.join((own, *others))} "
        f"information={values['information']} lives={values['lives']} turn=alice left={game.seats} last={last}{before}"
    )
    agent = RuleAgent("lcs", game, read_rules(rules), credit=credit)
    agent.reset(0, 0)
    shown = position.observe(0), position.action_mask(), {"game": game, "seat": 0, "view": position.view(0)}
    return game.action_to_str(position, agent(*shown)), agent.explain(*shown).text


def move(rules: str, own: str = MINE, *others: str, last: str = "-", **fields: Any) -> str:
    """What a list of rules plays in a position; the last resort is to discard the oldest card."""
    return explained(rules, own, *others, last=last, **fields)[0]


SURE = {"s2": "R1=R!:1!", "s4": "W1=RYGWB:12"}


@pytest.mark.parametrize(
    ("rules", "own", "others", "fields", "expected"),
    [
        ("play: playable >= 1", hand(MINE, **SURE), (), {}, "play-2"),
        ("play, most place: playable >= 0.5", hand(MINE, **SURE), (), {}, "play-4"),
        ("play: playable >= 1", MINE, (), {}, "discard-1"),
        ("play, most place: best >= 1", hand(MINE, **SURE), (), {}, "play-5"),  # it is the same for every card
        ("play: card:r1 >= 1", hand(MINE, **SURE), (), {}, "play-2"),
        ("play: card:1 >= 0.4 and color-told", hand(MINE, **SURE), (), {}, "play-2"),
        ("play, least place: card:1 >= 0.4 and card:1 < 1", hand(MINE, **SURE), (), {}, "play-4"),
        ("discard, most place: dead >= 1", hand(MINE, s3="G1=RYGWB:1!"), (), {"fireworks": "R1Y1G1W1B1"}, "discard-3"),
        ("discard: critical >= 1", hand(MINE, s3="G5=RYGWB:5!"), (), {}, "discard-3"),
        ("discard: soon >= 1", hand(MINE, s3="G2=RYGWB:2!"), (), {}, "discard-3"),
        ("discard: seen >= 1", hand(MINE, s3="W3=W!:3!"), (), {}, "discard-3"),
        ("play: opens >= 1", hand(MINE, s3="G2=G!:2!"), (), {}, "play-3"),
        ("discard: place >= 3", MINE, (), {}, "discard-4"),
        ("play: tokens >= 4 and lives >= 3 and score < 1 and seats < 3", MINE, (), {}, "play-1"),
        ("play: tokens < 4", MINE, (), {}, "discard-1"),
        ("play: table:r >= 2 and table:g3 < 1", MINE, (), {"fireworks": "R2Y0G2W0B0"}, "play-1"),
        ("play: table:r >= 3", MINE, (), {"fireworks": "R2Y0G2W0B0"}, "discard-1"),
        ("play: discards:4 >= 2", MINE, (), {"discards": "R4,Y4"}, "play-1"),
        ("play: discards:y4 >= 2", MINE, (), {"discards": "R4,Y4"}, "discard-1"),
        ("play: fellow:3 >= 4 and fellow:+1:r4 >= 1", MINE, (), {}, "play-1"),
        ("play: fellow:+2:r4 >= 1", MINE, (FAR, TWOS), {}, "discard-1"),
        ("play: pace >= 1", MINE, (), {}, "play-1"),
        ("hint: touches >= 4", MINE, (), {}, "hint-bob-3"),
        ("hint-color, most told-rank: touches < 2", MINE, (), {}, "hint-bob-red"),
        ("hint-rank, most told-rank: touches >= 1", MINE, (), {}, "hint-bob-4"),
        ("hint, most receiver: touches >= 4", MINE, (FAR, TWOS), {}, "hint-cathy-2"),
        ("hint: tells:r >= 1", MINE, (), {}, "hint-bob-red"),
        ("hint: tells:b3 >= 1 and touches >= 2", MINE, (), {}, "hint-bob-3"),
        ("play, most match: card:1 >= 0.1", hand(MINE, **SURE), (), {}, "play-2"),
        ("play, least match: card:1 >= 0.1", hand(MINE, **SURE), (), {}, "play-1"),
        ("hint: touches >= 1", MINE, (), {"information": 0}, "discard-1"),
        ("play: table:!r >= 2", MINE, (), {"fireworks": "R2Y0G2W0B0"}, "play-1"),
        ("play: table:!r >= 3", MINE, (), {"fireworks": "R2Y0G2W0B0"}, "discard-1"),
        ("play: fellow:+1:!3 >= 1 and fellow:+1:!3 < 2", MINE, (), {}, "play-1"),
        ("play: card:!1 >= 1", hand(MINE, **SURE), (), {}, "discard-1"),
        ("play, most match: card:!5 >= 0.5", hand(MINE, **SURE), (), {}, "play-2"),
        ("hint-rank: tells:+1:2 >= 1", MINE, (FAR, TWOS), {}, "discard-1"),
        ("hint-rank: tells:+2:2 >= 1", MINE, (FAR, TWOS), {}, "hint-cathy-2"),
        ("hint, most match: tells:3 >= 1", MINE, (), {}, "hint-bob-3"),
        ("hint, least match: tells:3 >= 1", MINE, (), {}, "hint-bob-yellow"),
        ("play: own:1 >= 1 and own:1 < 2", hand(MINE, **SURE), (), {}, "play-1"),
        ("play: own:0.6:1 = 2", hand(MINE, **SURE), (), {}, "play-1"),
        ("play: own:0.65:1 >= 2", hand(MINE, **SURE), (), {}, "discard-1"),
        ("play: tokens = 4 and lives <= 3", MINE, (), {}, "play-1"),
        ("play: tokens = 3", MINE, (), {}, "discard-1"),
    ],
)  # fmt: skip
def test_features_in_positions(
    rules: str, own: str, others: tuple[str, ...], fields: dict[str, Any], expected: str
) -> None:
    assert move(rules, own, *others, **fields) == expected


PLAYABLE = hand(FAR, s4=f"W1={ANY}")
LAST_YELLOW, LAST_WHITE = hand(FAR, s1=f"Y4={ANY}"), hand(TWOS, s1=f"W4={ANY}")  # once the other fours are gone


def test_a_hint_means_what_the_rules_make_of_it() -> None:
    good = "hint: good and not bad"
    assert move(f"play, most place: fresh and playable >= 0.1\n{good}", MINE, PLAYABLE) == "hint-bob-white"
    assert move(f"play: playable >= 1\n{good}", MINE, PLAYABLE) == "hint-bob-1"
    # The newest card that the hint touches is not playable, and a receiver who plays the newest would err.
    both = hand(FAR, s2=f"W1={ANY}", s4=f"W4={ANY}")
    assert move(f"play, most place: fresh and playable >= 0.1\n{good}", MINE, both) == "hint-bob-1"
    assert move(f"play, least place: fresh and playable >= 0.1\n{good}", MINE, both) == "hint-bob-white"


@pytest.mark.parametrize(
    ("others", "losses"),
    [((FAR, TWOS), 0), ((LAST_YELLOW, TWOS), 1), ((FAR, LAST_WHITE), 1), ((LAST_YELLOW, LAST_WHITE), 2)],
)
def test_critical_cards_that_others_would_discard_are_counted(others: tuple[str, str], losses: int) -> None:
    for count in range(1, 4):
        rules = f"play: losses-expected >= {count}\ndiscard"
        expected = "play-1" if count <= losses else "discard-1"
        assert move(rules, MINE, *others, discards="Y4,W4") == expected


def test_plays_before_the_receivers_turn_are_foreseen() -> None:
    one, two = hand(FAR, s1="R1=R!:1!"), hand(FAR, s1="R2=R!:2345")
    rules = "play: playable >= 1\nhint: good and receiver >= 2"
    assert move(rules, MINE, one, two) == "hint-cathy-2"
    assert move(rules, MINE, FAR, two) == "discard-1"
    assert move("play: plays-next and plays-expected >= 1\nplay: playable >= 1", MINE, one, two) == "play-1"


def test_others_do_not_see_their_own_cards() -> None:
    """Alice sees that Bob holds all three red 1s; to Bob, each of his cards is one with a probability of 3 in 50."""
    bob = hand(FAR, s1=f"R1={ANY}", s2=f"R1={ANY}", s3=f"R1={ANY}")
    assert move("play: plays-next\nplay: card:r1 >= 0.06", MINE, bob) == "play-1"
    assert move("play: plays-next\nplay: card:r1 >= 0.07", MINE, bob) == "discard-1"


def test_a_hint_may_unlock_another_card() -> None:
    rules = "play: playable >= 1\nhint: good and unlocks"
    assert move(rules, MINE, hand(FAR, s4=f"W1={ANY}")) == "discard-1"
    assert move(rules, MINE, hand(FAR, s4=f"W1={ANY}", s5=f"W2={ANY}")) == "hint-bob-1"


def test_a_hint_that_saves_a_critical_card() -> None:
    last = hand(FAR, s1=f"R4={ANY}")
    rules = "discard, least place: chop\nhint: saves >= 1"
    assert move(f"{rules}", MINE, last, information=8, discards="R4") == "hint-bob-red"
    assert move("hint: chop-critical", MINE, last, discards="R4") == "hint-bob-red"
    assert move("hint: chop-critical", MINE, last) == "discard-1"


def test_the_text_of_rules_round_trips() -> None:
    random, limits = np.random.default_rng(1), Limits(200, MOST_CONDITIONS)
    rules = np.concatenate([hand_list(), operators.random_list(random, limits, 200)])
    text = rules_text(rules)
    again = read_rules("# a comment\n\n" + "\n".join(line + "  # why" for line in text.splitlines()))
    assert rules_text(again) == text
    assert (again == rules).all()


def test_numbers_may_be_equal_or_at_most_and_patterns_say_all_that_they_may() -> None:
    text = "play: tokens = 3 and lives <= 1 and seats = 5 and score = 0 and table:!r >= 1 and own:0.35:!b2 >= 2"
    again = "play: tokens >= 3 and tokens < 4 and lives < 2 and seats >= 5 and score < 1 and table:!r >= 1"
    assert rules_text(read_rules(text)) == f"{again} and own:0.35:!b2 >= 2\n"
    hint = "hint-rank, most match: tells:+4:!5 >= 2 and own:y >= 1\n"
    assert rules_text(read_rules(hint)) == hint


def test_every_rule_can_be_said_in_words() -> None:
    random, limits = np.random.default_rng(2), Limits(200, MOST_CONDITIONS)
    for rule in operators.random_list(random, limits, 100):
        lines = rule_words(rule)
        assert len(lines) >= 2 + np.count_nonzero(rule["feature"] >= 0)


@pytest.mark.parametrize(
    ("action", "first", "last"),
    [
        ("play", "play a card", "of several the oldest"),
        ("discard", "discard a card", "of several the oldest"),
        ("hint", "give a hint", "of several that to the next player, color first"),
    ],
)
def test_words_say_what_is_chosen_of_several(action: str, first: str, last: str) -> None:
    words = rule_words(read_rules(f"{action}: tokens >= 2\n")[0])
    assert (words[0], words[-1]) == (first, last)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("pley: playable >= 1", "line 2: 'pley' is not an action; did you mean 'play'?"),
        ("play: playabel >= 1", "line 2: 'playabel' is not a feature; did you mean 'playable'?"),
        ("play: playable >= 1.5", "line 2: 'playable >= 1.5': playable goes from 0 to 1, so 1.5 is out of range"),
        ("play: playable >= much", "'much' is not a number"),
        ("play: playable > 0.5", "'>' must be '>=', '<', '<=' or '='"),
        ("play: playable <= 0.5", "'<=' is for whole numbers; write 'playable >= NUMBER'"),
        ("play: tokens = 2.5", "'=' is for whole numbers"),
        ("play: tokens <= 16", "tokens is never more than 16, so this always holds"),
        ("play: table:!any >= 1", "'!any' is not a pattern of cards"),
        ("play: own:0.52:r >= 1", "the probability of a card is 0.05, 0.1, … or 1, not 0.52"),
        ("play: own:0:r >= 1", "the probability of a card is 0.05, 0.1, … or 1, not 0"),
        ("play: own:1.05:r >= 1", "the probability of a card is 0.05, 0.1, … or 1, not 1.05"),
        ("play: card:0.5:r >= 1", "'0.5:r' is not a pattern of cards"),
        ("play: playable", "playable is a number; write 'playable >= NUMBER'"),
        ("play: playable >= 0.5 or fresh", "is not a condition"),
        ("play:", "'' is not a condition"),
        ("play: good", "'good' is about a hint, but the target of the rule is a card"),
        ("hint, most fresh", "'fresh' is about a card, but the target of the rule is a hint"),
        ("play, most tokens", "'tokens' is the same for every target"),
        ("play, biggest place", "'biggest place' is not an order"),
        ("play, most place, most age, most dead", "a rule may have 2 orders, not 3"),
        ("play: " + " and ".join(["fresh"] * 9), "a rule may have 8 conditions, not 9"),
        ("play: card:x9 >= 1", "'x9' is not a pattern of cards"),
        ("play: fellow:+7:r >= 1", "another player is '+1' to '+4', not '+7'"),
        ("play: playable:r1 >= 1", "playable takes no pattern"),
        ("play: match >= 1", "match only gives an order"),
        ("play: fresh and not fresh", "line 2: the rule can never fire, because of 'not fresh'"),
        ("play: playable >= 0.6 and playable < 0.5", "the rule can never fire, because of 'playable < 0.5'"),
        ("play: dead < 0", "the rule can never fire, because of 'dead < 0'"),
    ],
)
def test_bad_lines_get_an_error_with_their_number(line: str, problem: str) -> None:
    with pytest.raises(ValueError, match="rules, line 2: ") as error:
        read_rules(f"discard\n{line}\n")
    assert problem in str(error.value)


def test_bad_files_get_one_error(tmp_path: Any) -> None:
    game, file = Hanabi(), tmp_path / "rules.txt"
    with pytest.raises(ValueError, match="the file of rules cannot be read"):
        make_agent(f"lcs:{file}", game)
    file.write_text("# nothing but a comment\n")
    with pytest.raises(ValueError, match="there is no rule in it"):
        make_agent(f"lcs:{file}", game)
    file.write_text("play\n" * 1001)
    with pytest.raises(ValueError, match="may have 1000 rules, not 1001"):
        make_agent(f"lcs:{file}", game)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="the file of rules cannot be read"):
        read_file(file)
    file.write_text("play: fresh\ndiscard\n")
    with pytest.raises(ValueError, match="member is for runs"):
        make_agent(f"lcs:{file}?member=1", game)
    with pytest.raises(ValueError, match="beliefs must be"):
        make_agent(f"lcs:{file}?beliefs=vague", game)
    with pytest.raises(ValueError, match="observation='card_knowledge', not hanabi\\?observation=minimal"):
        make_agent(f"lcs:{file}", Hanabi(observation="minimal"))
    with pytest.raises(ValueError, match="not othello"):
        make_agent(f"lcs:{file}", Othello())
    assert make_agent(f"lcs:{file}", game).needs_view


def test_rows_that_are_not_rules_are_found() -> None:
    for field, value in (("action", 9), ("feature", len(FEATURES)), ("order", 0), ("feature", NUMBER["tells"])):
        rules = read_rules("play: fresh")
        assert well_formed(rules)
        rules[field] = value
        assert not well_formed(rules), field


def test_the_reason_names_the_rule_its_probabilities_and_what_others_wanted() -> None:
    rules = "play, most place: playable >= 0.5\ndiscard: not touched\nhint-rank: touches >= 4"
    action, reason = explained(rules, hand(MINE, **SURE))
    assert action == "play-4"
    lines = reason.splitlines()
    assert lines[0] == "rule 1: play, most place: playable >= 0.5"
    assert lines[1].strip() == "the probability that it is playable (60 %) is at least 50 %"
    assert lines[2:] == ["rule 2 wanted discard-1", "rule 3 wanted hint-bob-3"]
    assert explained("play: playable >= 1")[1] == "no rule fires: the last resort"
    more = f"play\n{rules}\nhint-color"
    assert [line[:6] for line in explained(more, hand(MINE, **SURE))[1].splitlines()] == ["rule 1", "rule 2", "rule 3"]


def test_the_reason_tells_the_value_of_every_condition() -> None:
    """Bob holds a red 4 and four 3s, one of them blue; of the 45 cards that Alice does not see, 15 are 1s."""
    hint = "hint: tokens >= 2 and fellow:3 >= 1 and touches >= 3 and told-rank >= 1 and tells:b3 >= 1"
    assert explained(hint)[1].splitlines()[1:] == [
        "  information tokens left (4) is at least 2",
        "  cards of a pattern in another hand (3) (4) is at least 1",
        "  touched cards (4) is at least 3",
        "  the rank that it tells, 0 for a color (3) is at least 1",
        "  touched cards of a pattern (b3) (1) is at least 1",
    ]
    discard = "discard: place >= 2 and own:0.5:1 >= 1 and card:1 >= 0.1 and not touched"
    assert explained(discard, hand(MINE, **SURE))[1].splitlines()[1:] == [
        "  how many cards of the hand are older (2) is at least 2",
        "  cards of one's own hand that are so probably of a pattern (0.5:1) (2) is at least 1",
        "  the probability that it is of a pattern (1) (33.3 %) is at least 10 %",
        "  not: a hint ever touched it",
    ]


def test_the_reason_tells_what_the_rule_did_in_training() -> None:
    credit = np.array([[0, 0, 0], [1500.0, 3300.0, 9000.0], [9, 9, 9]])
    told = explained("play: playable >= 1\nplay", credit=credit)[1]
    assert told.splitlines()[1:] == ["  in training it fired 1,500 times; 2.2 points followed"]
    assert "training" not in explained("play\ndiscard", credit=credit)[1]


@pytest.mark.parametrize("seats", [2, 5])
def test_the_written_list_plays_well_and_its_credit_adds_up(seats: int) -> None:
    game = Hanabi(seats=seats)
    keys = np.array([seed_key(100, deck) for deck in range(60)], dtype=np.uint64)
    record = play_list(game, keys, False, hand_list())
    assert record.scores.mean() > 20
    seating = np.zeros((60, seats), dtype=np.int64)
    again = play_games(game, [rule_player(game, hand_list())], seating, keys, keys)
    np.testing.assert_array_equal(record.scores, again.payoffs[:, 0])
    assert record.credit[:, 0].sum() == record.decisions == again.lengths.sum()
    played = record.credit[:-1][hand_list()["action"] == 0]
    assert played[:, 0].sum() >= record.scores.sum()
    assert (record.credit[:, 1] <= 25 * record.credit[:, 0]).all()


def test_exact_beliefs_play_otherwise_now_and_then() -> None:
    keys = np.array([seed_key(101, deck) for deck in range(30)], dtype=np.uint64)
    marginal, exact = (play_list(Hanabi(), keys, exact, hand_list()).scores for exact in (False, True))
    assert (marginal != exact).any()


# --- operators ---


def test_operators_make_rules_that_can_be_read() -> None:
    random, limits = np.random.default_rng(3), Limits(25, 4)
    keys = np.array([seed_key(102, deck) for deck in range(5)], dtype=np.uint64)
    sample = play_list(Hanabi(), keys, False, hand_list()).sample[0]
    assert sample["known"]
    rules, others = hand_list(), operators.random_list(random, limits, 12)
    for _ in range(300):
        rules = operators.mutate(rules, random, limits, np.ones(len(rules)), sample)
        rules = operators.cross(rules, others, random, limits) if random.random() < 0.2 else rules
        assert 0 < len(rules) <= limits.rules
        assert well_formed(rules)
        assert (np.count_nonzero(rules["feature"] >= 0, axis=1) <= 4).all()
        for rule in rules:
            conditions = rule["feature"][: np.count_nonzero(rule["feature"] >= 0)]
            assert (conditions >= 0).all()  # no gaps: compiled code stops at the first empty place


def test_covering_rules_fire_in_the_position_that_they_cover() -> None:
    random, limits = np.random.default_rng(4), Limits(10, 4)
    keys = np.array([seed_key(103, deck) for deck in range(5)], dtype=np.uint64)
    sample = play_list(Hanabi(), keys, False, hand_list()).sample[0]
    for _ in range(200):
        rule = operators.covering_rule(random, limits, sample)[0]
        rows = sample["cards"][: sample["held"]] if scope_of(rule["action"]) == CARD else sample["hints"]
        assert any(fires(rule, sample["position"], row) for row in rows), rule_text(rule)
    nothing = operators.covering_rule(random, limits, np.zeros(1, dtype=SAMPLE)[0])
    assert well_formed(nothing)


def fires(rule: Any, position: Any, row: Any) -> bool:
    """Whether a rule's conditions hold, computed apart from the compiled code."""
    first = {0: 0, 1: FIRST_CARD, 2: FIRST_HINT}
    for number, negated, threshold in zip(rule["feature"], rule["negated"], rule["threshold"], strict=True):
        if number >= 0:
            scope = FEATURES[number].scope
            value = (position if scope == 0 else row)[number - first[scope]]
            if (value >= threshold) == bool(negated):
                return False
    return rule["action"] <= HINT_RANK


def test_streams_do_not_matter() -> None:
    """The choice is deterministic."""
    game = Hanabi()
    position, policy = game.start(), rule_player(game, hand_list())
    draws = stream(5)
    while position.turn < 0:
        position.push(position.draw_outcome(draws))
    view, mask = position.view(0).reshape(1).view("u1"), position.action_mask()
    assert len({policy.choose(game, view, position.observe(0), mask, stream(key)) for key in range(5)}) == 1
