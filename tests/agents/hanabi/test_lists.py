"""The published rule lists: their scores, their moves in chosen positions, and that they only see their view."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludarium.agents.hanabi.lists import RULE_LISTS
from ludarium.agents.hanabi.players import rule_list
from ludarium.agents.hanabi.vocabulary import RULES
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import FINISHED, play_games
from ludarium.envs.chance import seed_key, stream
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.othello import Othello

GAMES = 1000
# Points kept with 2 to 5 seats, played with the program of Walton-Rivers et al.: 5,000 games, standard error below 0.03
# (IGGI with two seats 0.05).
ORIGINAL = {
    "piers": (17.34, 17.56, 17.15, 16.27),
    "iggi": (16.44, 16.80, 16.13, 15.10),
    "internal": (11.19, 11.02, 10.17, 9.99),
    "outer": (14.50, 14.47, 13.08, 12.65),
    "cautious": (16.73, 17.16, 16.42, 15.23),
    "vdb": (13.44, 17.48, 17.12, 16.24),
    "flawed": (1.47, 1.59, 1.72, 1.83),
    "legal-random": (1.26, 1.25, 1.28, 1.25),
}


def mirror(name: str, **options: Any) -> np.ndarray[Any, Any]:
    game = Hanabi(**options)
    keys = np.array([seed_key(1, number) for number in range(GAMES)], dtype=np.uint64)
    seating = np.zeros((GAMES, game.seats), dtype=np.int64)
    games = play_games(game, [rule_list(game, name=name)], seating, keys, keys)
    assert (games.endings == FINISHED).all()
    return games.payoffs[:, 0]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("name", ORIGINAL)
def test_mirror_scores_are_those_of_the_original(name: str, seats: int) -> None:
    scores = mirror(name, seats=seats, score="points-kept")
    assert scores.mean() == pytest.approx(ORIGINAL[name][seats - 2], abs=0.25)


def test_every_list_has_figures_of_the_original() -> None:
    assert set(RULE_LISTS) == set(ORIGINAL)


@pytest.mark.parametrize("options", [{"preset": "small"}, {"preset": "very-small", "seats": 5}, {"hand_size": 1}])
def test_rule_lists_play_other_sizes(options: dict[str, Any]) -> None:
    assert mirror("piers", **options).mean() > 0
    assert mirror("iggi", **options).mean() > 0


def choice(name: str, text: str) -> str:
    """The move of a rule list in a position of two seats."""
    game = Hanabi()
    position = game.from_text(text)
    view, mask = position.view(position.turn).reshape(1).view(np.uint8), position.action_mask()
    action = rule_list(game, name=name).choose(game, view, position.observe(position.turn), mask, stream(1))
    return game.action_to_str(position, action)


def position(own: str, other: str, rest: str, fireworks: str = "R1Y0G0W0B0", discards: str = "-") -> str:
    return f"fireworks={fireworks} discards={discards} hands={own}/{other} {rest}"


UNKNOWN = "R5:RYGWB:12345,Y5:RYGWB:12345,G5:RYGWB:12345,W5:RYGWB:12345,B5:RYGWB:12345"
DULL = "R3:RYGWB:12345,Y3:RYGWB:12345,G3:RYGWB:12345,W3:RYGWB:12345,B3:RYGWB:12345"
START = "information=8 lives=3 turn=alice left=2 last=-"


@pytest.mark.parametrize("name", ["piers", "iggi"])
def test_a_card_that_must_be_playable_is_played(name: str) -> None:
    own = UNKNOWN.replace("W5:RYGWB:12345", "R2:R!:2!")
    assert choice(name, position(own, DULL, START)) == "play-4"
    own = UNKNOWN.replace("W5:RYGWB:12345", "Y1:YGWB:1!")
    assert choice(name, position(own, DULL, START)) == "play-4"


@pytest.mark.parametrize("name", ["piers", "iggi"])
def test_a_playable_card_is_told_rank_first(name: str) -> None:
    other = DULL.replace("G3:RYGWB:12345", "R2:RYGWB:12345")
    assert choice(name, position(UNKNOWN, other, START)) == "hint-bob-2"
    other = DULL.replace("G3:RYGWB:12345", "R2:RYGWB:2!")
    assert choice(name, position(UNKNOWN, other, START)) == "hint-bob-red"


@pytest.mark.parametrize("name", ["piers", "iggi"])
def test_a_card_known_to_be_useless_is_discarded_else_the_oldest(name: str) -> None:
    rest = START.replace("information=8", "information=7")
    own = UNKNOWN.replace("W5:RYGWB:12345", "R1:R!:1!")
    assert choice(name, position(own, DULL, rest)) == "discard-4"
    own = UNKNOWN.replace("R5:RYGWB:12345,Y5:RYGWB:12345", "Y5:YGWB:12345,R5:R!:345")
    discards = "R2,R2"  # so nothing red can be played any more
    assert choice(name, position(own, DULL, rest, discards=discards)) == "discard-2"
    assert choice(name, position(UNKNOWN, DULL, rest)) == "discard-1"


def test_piers_risks_a_life_for_a_likely_card() -> None:
    own = UNKNOWN.replace("W5:RYGWB:12345", "W1:RW:1!")  # W1 three times, R1 twice
    rest = START.replace("information=8", "information=7")
    assert choice("piers", position(own, DULL, rest)) == "play-4"
    assert choice("iggi", position(own, DULL, rest)) == "discard-1"
    assert choice("piers", position(own, DULL, rest.replace("lives=3", "lives=1"))) == "discard-1"


def test_piers_tells_what_can_go_when_hints_are_few() -> None:
    other = DULL.replace("G3:RYGWB:12345", "R1:R!:12345")
    rest = START.replace("information=8", "information=3")
    assert choice("piers", position(UNKNOWN, other, rest)) == "hint-bob-1"
    assert choice("piers", position(UNKNOWN, other, rest.replace("information=3", "information=4"))) == "discard-1"
    other = DULL.replace("G3:RYGWB:12345", "R1:RYGWB:12345")
    assert choice("piers", position(UNKNOWN, other, rest, fireworks="R1Y1G1W1B1")) == "hint-bob-1"
    own = UNKNOWN.replace("R5", "Y4")
    assert choice("piers", position(own, DULL, rest, fireworks="R5Y0G0W0B0")) == "hint-bob-red"


def test_the_view_is_all_that_counts() -> None:
    """The view holds the choice: the state is not even handed over."""
    for name in RULE_LISTS:
        policy = rule_list(Hanabi(), name=name)
        assert policy.needs_view
        assert not policy.needs_state


def test_a_list_of_ones_own() -> None:
    game = Hanabi()
    typed, named = (make_agent(f"hanabi-rules?{o}", game) for o in (f"rules={RULE_LISTS['iggi']}", "name=iggi"))
    assert typed.policy is not None
    assert named.policy is not None
    assert typed.policy.block is not None
    assert named.policy.block is not None
    assert typed.policy.block.tobytes() == named.policy.block.tobytes()
    with pytest.raises(ValueError, match="there is no rule 'play-save-card'; did you mean 'play-safe"):
        make_agent("hanabi-rules?rules=play-save-card", game)


def test_cards_in_order_of_age_and_exact_beliefs_are_other_players() -> None:
    """The greedy agent of Hanabi holds its cards in order of age."""
    game = Hanabi(score="points-kept")
    keys = np.array([seed_key(1, number) for number in range(100)], dtype=np.uint64)
    moves = {}
    for spec in ("hanabi-rules", "hanabi-rules?order=age", "greedy", "hanabi-rules?beliefs=exact"):
        policy = make_agent(spec, game).policy
        assert policy is not None
        seating = np.zeros((len(keys), 2), dtype=np.int64)
        moves[spec] = play_games(game, [policy], seating, keys, keys, record=True).moves.tobytes()
    assert moves["greedy"] == moves["hanabi-rules?order=age"]
    assert len(set(moves.values())) == 3


def test_unknown_lists_and_other_games_are_errors() -> None:
    with pytest.raises(ValueError, match="hanabi: there is no rule list 'pires'; known: piers, iggi, internal"):
        rule_list(Hanabi(), name="pires")
    with pytest.raises(ValueError, match="hanabi: order must be one of 'place', 'age', not 'size'"):
        rule_list(Hanabi(), order="size")
    with pytest.raises(ValueError, match="hanabi: beliefs must be one of 'marginal', 'exact', not 'firm'"):
        rule_list(Hanabi(), beliefs="firm")
    with pytest.raises(ValueError, match=r"rule lists play hanabi with observation='card_knowledge', not hanabi\?obs"):
        rule_list(Hanabi(observation="minimal"), name="piers")
    with pytest.raises(ValueError, match="rule lists play hanabi with observation='card_knowledge', not othello"):
        rule_list(Othello(), name="piers")


def test_each_list_has_a_spec() -> None:
    game = Hanabi()
    for spec, name in (("hanabi-rules", "piers"), ("hanabi-rules?name=iggi", "iggi")):
        policy, wanted = make_agent(spec, game).policy, rule_list(game, name=name)
        assert policy is not None
        assert policy.block is not None
        assert wanted.block is not None
        assert policy.block.tobytes() == wanted.block.tobytes()


def test_the_documentation_lists_every_rule_and_every_published_list() -> None:
    text = (Path(__file__).parents[3] / "docs" / "hanabi_rules.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    documented = {row[0].strip("`"): row for row in rows}
    for rule in RULES:
        _, parameters, origin, _ = documented[rule.name]
        assert origin == rule.origin
        assert all(parameter.name in parameters for parameter in rule.parameters)
    for name, rules in RULE_LISTS.items():
        if name != "legal-random":  # also a rule
            assert documented[name][1].replace("`", "").replace(" ", ",") == rules


def test_the_ranges_of_parameters() -> None:
    """Lives reach as far as the game allows, and numbers of cards as far as a hand."""
    most = Hanabi.option_types["life_tokens"].high
    others = {"lives": (0.0, most), "good": (-10.0, 10.0), "bad": (-10.0, 10.0), "n": (1.0, 5.0)}
    names = ("threshold", "alone", "newest", "new", "playable-first", "false-hope")  # shares, or yes and no
    ranges = {(parameter.name, parameter.low, parameter.high) for rule in RULES for parameter in rule.parameters}
    assert ranges == {(name, *ends) for name, ends in (others | dict.fromkeys(names, (0.0, 1.0))).items()}
