"""The rule lists Piers and IGGI: their scores, their moves in chosen positions, and that they only see their view."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.baselines.hanabi_rules import rule_list
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import FINISHED, play_games
from ludarium.envs.chance import seed_key, stream
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.othello import Othello

GAMES = 2000
# Points kept, played with the rules' original code; 5,000 games, standard error below 0.03 (IGGI with two seats 0.05).
ORIGINAL = {"piers": (17.34, 17.56, 17.15, 16.27), "iggi": (16.44, 16.80, 16.13, 15.10)}


def mirror(name: str, **options: Any) -> np.ndarray[Any, Any]:
    game = Hanabi(**options)
    keys = np.array([seed_key(1, number) for number in range(GAMES)], dtype=np.uint64)
    seating = np.zeros((GAMES, game.seats), dtype=np.int64)
    games = play_games(game, [rule_list(game, name=name)], seating, keys, keys)
    assert (games.endings == FINISHED).all()
    return games.payoffs[:, 0]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("name", ["piers", "iggi"])
def test_mirror_scores_are_near_those_of_the_original(name: str, seats: int) -> None:
    scores = mirror(name, seats=seats, score="points-kept")
    assert scores.mean() == pytest.approx(ORIGINAL[name][seats - 2], abs=0.55)


@pytest.mark.parametrize("options", [{"preset": "small"}, {"preset": "very-small", "seats": 5}, {"hand_size": 1}])
def test_rule_lists_play_other_sizes(options: dict[str, Any]) -> None:
    assert mirror("piers", **options).mean() > 0
    assert mirror("iggi", **options).mean() > 0


def choice(name: str, text: str) -> str:
    """The move of a rule list in a position of two seats."""
    game = Hanabi()
    position = game.from_text(text)
    mask, nothing = position.action_mask(), position.data[:0]
    action = rule_list(game, name=name).choose(game, nothing, position.observe(position.turn), mask, stream(1))
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
    """The observation holds the choice: the state is not even handed over."""
    for name in ("piers", "iggi"):
        policy = rule_list(Hanabi(), name=name)
        assert policy.needs_observation
        assert not policy.needs_state


def test_unknown_lists_and_other_games_are_errors() -> None:
    with pytest.raises(ValueError, match="hanabi: there is no rule list 'pires'; known: piers, iggi"):
        rule_list(Hanabi(), name="pires")
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
    with pytest.raises(ValueError, match="there is no rule list 'pires'"):
        make_agent("hanabi-rules?name=pires", game)
