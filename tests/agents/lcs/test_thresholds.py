"""CMA-ES moves thresholds and nothing else, helps, and does not make a list worse."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import thresholds
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import FEATURES, RULE
from ludarium.agents.lcs.operators import Rules
from ludarium.agents.lcs.text import read_rules, rules_text
from ludarium.agents.lcs.thresholds import CHILDREN, Thresholds, moved, point
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.registry import make_game

GAME = make_game("hanabi?score=points-kept")


def quick(**options: Any) -> Thresholds:
    return Thresholds(**{"game": GAME.spec, "decks": 60, "checkpoints": 1, "test_games": 2, **options})


def after(learner: Thresholds, generations: int) -> tuple[Arrays, list[dict[str, float]]]:
    arrays = learner.start(GAME)
    with workers("threads", 1) as parallel:
        return arrays, [learner.generation(GAME, arrays, number, parallel) for number in range(generations)]


def rest(rules: Rules) -> list[bytes]:
    """All of rules but the numbers that may move."""
    fixed = np.where(thresholds._MOVABLE[rules["feature"]], 0.0, rules["threshold"])
    return [fixed.tobytes(), *(rules[name].tobytes() for name in RULE.names or () if name != "threshold")]


def test_points_are_lists_that_differ_only_in_their_numbers() -> None:
    rules, random = hand_list(), np.random.default_rng(1)
    here = point(rules)
    assert rules_text(moved(rules, here)) == rules_text(rules)
    for spread in (0.1, 1, 10):
        other = moved(rules, here + spread * random.standard_normal(len(here)))
        assert rest(other) == rest(rules)
        assert (other["threshold"] != rules["threshold"]).any()
        read = read_rules(rules_text(other))  # what can never fire would be refused
        assert (read["threshold"] == other["threshold"]).all()
        for feature, threshold in zip(other["feature"].ravel(), other["threshold"].ravel(), strict=True):
            assert feature < 0 or FEATURES[feature].name in ("playable", "dead", "critical") or threshold % 1 == 0


def test_spoiled_numbers_are_mended() -> None:
    spoiled = rules_text(hand_list()).replace("playable >= 0.05", "playable >= 0.5")
    learner = quick(origin=spoiled)
    arrays, told = after(learner, 10)
    assert all(line["games"] == (CHILDREN + 2) * 60 == learner.largest_generation(GAME) for line in told)
    assert rest(learner.list_of(arrays, 0)) == rest(read_rules(spoiled))
    fresh = np.array([seed_key(9, deck) for deck in range(600)], dtype=np.uint64)
    before, now = (
        play_list(GAME, fresh, False, one).scores for one in (read_rules(spoiled), learner.list_of(arrays, 0))
    )
    assert now.mean() > before.mean() + 0.5
    assert learner.merits(arrays) == [f"{told[-1]['best']:.2f} points"]


@pytest.mark.parametrize("lead", [-9.0, 9.0])
def test_the_middle_is_the_champion_unless_it_has_scored_less(lead: float) -> None:
    learner = quick(origin="hand")
    arrays, _ = after(learner, 1)
    arrays["lead"][0] = lead
    middle = moved(hand_list(), arrays["mean"])
    assert rules_text(middle) != rules_text(hand_list())
    with workers("threads", 1) as parallel:
        learner.generation(GAME, arrays, 1, parallel)
    assert rules_text(learner.list_of(arrays, 0)) == rules_text(hand_list() if lead < 0 else middle)


def test_the_middle_is_the_champion_if_it_scores_the_same() -> None:
    learner = quick(origin="play: playable >= 0.701\n", decks=10, breeding="none")
    arrays, _ = after(learner, 1)
    assert arrays["lead"].tolist() == [0]
    assert rules_text(learner.list_of(arrays, 0)) == "play: playable >= 0.7\n"


def test_twins_learn_nothing_from_the_scores_or_from_earlier_generations() -> None:
    first = point(hand_list())
    assert (after(quick(breeding="none"), 2)[0]["mean"] == first).all()
    once, twice = (after(quick(breeding="founders"), count)[0] for count in (1, 2))
    assert not (once["mean"] == first).all()
    spread = np.abs(twice["mean"] - first).mean() / np.abs(once["mean"] - first).mean()
    assert 0.5 < spread < 2  # one step away from the list of origin again
    assert not (after(quick(selection="none"), 1)[0]["mean"] == after(quick(), 1)[0]["mean"]).all()


def test_it_goes_on_from_the_champion_of_a_run(tmp_path: Any) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("play: playable >= 0.7\nhint: good\n")
    folder = train(quick(origin=str(file), games=1000), tmp_path / "run", workers=1)
    learner = quick(origin=str(folder))
    assert learner.origin == "play: playable >= 0.7\nhint: good\n"  # the middle of the first generation
    with pytest.raises(ValueError, match="was trained on hanabi\\?score=points-kept, not on hanabi\\?seats=3"):
        quick(game="hanabi?seats=3", origin=str(folder))
