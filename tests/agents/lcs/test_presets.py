"""What all presets of the classifier system share: damage, twins, old runs, and bad options."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import RULES
from ludarium.agents.lcs.language import RULE
from ludarium.agents.lcs.modern import Modern
from ludarium.agents.lcs.original import Original
from ludarium.agents.learning.parallel import workers
from ludarium.envs.registry import make_game

GAME = make_game("hanabi?score=points-kept")
COMMON: dict[str, Any] = {"game": GAME.spec, "checkpoints": 1, "test_games": 2}
LISTS: dict[str, Any] = {"population": 6, "decks": 30, "season": 3, "games": 1500, "rules": 25, "founders": 12}
QUICK: dict[str, tuple[str, dict[str, Any]]] = {
    "seed": ("seed", {"rules": 30, "games": 60}),
    "modern": ("modern", LISTS),
    "islands": ("modern", {**LISTS, "islands": 2, "games": 2500}),
    "thresholds": ("thresholds", {"decks": 20, "games": 1500}),
}


def learner(name: str, **options: Any) -> Any:
    preset, quick = QUICK[name]
    return RULES.learner({**COMMON, **quick, **options}, preset)


@pytest.mark.parametrize("name", QUICK)
def test_bytes_between_the_fields_of_stored_rules_are_zero(name: str) -> None:
    own, between = learner(name), np.ones(RULE.itemsize, dtype=bool)
    for kind, offset, *_ in (RULE.fields or {}).values():
        between[offset : offset + kind.itemsize] = False
    arrays = own.start(GAME)
    with workers("threads", 1) as parallel:
        for number in range(3):
            rows = np.ascontiguousarray(arrays["rules"]).view(np.uint8).reshape(-1, RULE.itemsize)
            assert between.any()
            assert not rows[:, between].any()
            own.generation(GAME, arrays, number, parallel)


@pytest.mark.parametrize("name", QUICK)
def test_damaged_runs_are_refused(name: str) -> None:
    own = learner(name)
    arrays = own.start(GAME)
    assert own.fits(GAME, arrays)
    longest = arrays["rules"].shape[1]
    damage: dict[str, Any] = {"lengths": (0, longest + 1), "progress": (31,), "island": (-1, 3), "settled": (-1, 26)}
    for key, values in damage.items():
        for value in values if key in arrays else ():
            assert not own.fits(GAME, {**arrays, key: np.full_like(arrays[key], value)}), key
    for key in ("utility", "variance", "sigma", "scores", "mean", "lead"):
        if key in arrays:
            assert not own.fits(GAME, {**arrays, key: np.full_like(arrays[key], np.nan)}), key
    arrays["rules"]["action"][0, 0] = 7
    assert not own.fits(GAME, arrays)


def test_what_the_loop_says_beside_the_bar() -> None:
    line = {"generation": 1200, "best": 14.216, "rules": 33.0}
    assert learner("modern").summary(line) == "generation 1,200: best 14.22, 33 rules"


def test_the_merit_of_lists_is_their_mean_score_and_that_of_a_set_its_utility() -> None:
    lists, rules = learner("modern"), learner("seed")
    arrays = lists.start(GAME)
    assert lists.merits(arrays) == [""] * 6  # nothing is known yet
    arrays["progress"][1], arrays["scores"][1, :3] = 2, (3, 4, 20)
    assert lists.merits(arrays) == ["0.00 points", "3.50 points", *["0.00 points"] * 4]
    arrays = rules.start(GAME)
    arrays["utility"][:2] = 1.5, 0.25
    assert rules.merits(arrays) == ["utility 1.75"]


OLD: dict[str, Any] = {
    "game": "hanabi", "seed": 3, "checkpoints": 1, "test_games": 20, "games": 60_000, "generations": 0,
    "population": 4, "selection": "merit", "breeding": "parents", "origin": "random", "rules": 40, "conditions": 5,
    "founders": 320, "decks": 200, "islands": 0, "season": 16, "crossover": True, "credit": True, "covering": True,
    "other_seats": "", "partners": "", "beliefs": "marginal", "without": "", "numbers": 0.0, "strategy": "lists",
    "alpha": 0.9, "reward_played": 1.0, "reward_misplayed": -2.0, "reward_repeated": -0.5, "reward_final": 1.0,
    "modified": 0.1, "tournament": 4, "sigma": "literal", "rate": 0.1, "given_hint": False, "protect": 0,
    "keep_parent": False,
}  # fmt: skip


def test_runs_of_earlier_versions_are_understood() -> None:
    kept: dict[str, Any] = {name: OLD[name] for name in ("game", "seed", "checkpoints", "test_games", "games")}
    assert RULES.of_run(OLD, None) == Modern(**kept, population=4, decks=200, season=16)
    utility = {"strategy": "utility", "population": 1, "decks": 2000, "alpha": 0.5, "season": 10}
    assert RULES.of_run(OLD | utility, None) == Original(**kept, rules=40, conditions=5, alpha=0.5, covering=True)
    for changed, said in (({"numbers": 0.3}, "numbers=0.3"), ({"without": "good"}, "without='good'")):
        with pytest.raises(ValueError, match=f"trained with {said}, which this version does not have; train again"):
            RULES.of_run(OLD | changed, None)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("modern", {"game": "tictactoe"}, "tictactoe cannot be learned; it takes"),
        ("modern", {"game": "hanabi?observation=minimal"}, "observation='card_knowledge', not hanabi\\?observation"),
        ("modern", {"beliefs": "vague"}, "beliefs must be one of 'marginal', 'exact'"),
        ("modern", {"origin": "foot"}, "origin must be 'random', 'hand', a file of rules, .* not 'foot'"),
        ("modern", {"origin": 5}, "origin must be 'random', 'hand', a file of rules, .* not 5"),
        ("modern", {"origin": "none.txt"}, "none.txt: the file of rules cannot be read"),
        ("modern", {"origin": "hand", "rules": 10}, "rules must be at least 19, as many as the list of origin has"),
        ("modern", {"origin": "hand", "conditions": 2}, "conditions must be at least 4, as many as the list of origin"),
        ("modern", {"rules": 0}, "rules must be an integer of at least 1, not 0"),
        ("modern", {"conditions": 9}, "conditions must be an integer of at most 8, not 9"),
        ("modern", {"decks": 5}, "decks must be an integer of at least 10, not 5"),
        ("modern", {"decks": "many"}, "decks must be an integer of at least 10, not 'many'"),
        ("modern", {"founders": 0}, "founders must be an integer of at least 1, not 0"),
        ("modern", {"season": -1}, "season must be an integer of at least 0, not -1"),
        ("modern", {"games": 100}, "a generation may take 360 games; games=100 is less than one"),
        ("modern", {"islands": 7}, "islands must be an integer of at most 6, not 7"),
        ("modern", {"islands": -1}, "islands must be an integer of at least 0, not -1"),
        ("modern", {"alpha": 0.5}, "unknown option 'alpha'; it is an option of the preset 'seed'"),
        ("modern", {"numbers": 0.3}, "unknown option 'numbers'; the options are: game, seed"),
        ("seed", {"population": 5}, "population must be 1, one set of rules, not 5"),
        ("seed", {"strategy": "lists"}, "unknown option 'strategy'; strategy='lists' is the preset 'modern' now"),
        ("seed", {"sigma": "big"}, "sigma must be one of"),
        ("seed", {"alpha": 2}, "alpha must be a number from 0 to 1"),
        ("seed", {"tournament": 0}, "tournament must be an integer of at least 1"),
        ("seed", {"credit": "all"}, "credit must be one of 'score', 'td', not 'all'"),
        ("seed", {"fitness": "luck"}, "fitness must be one of 'momentum', 'samuel', 'accuracy', not 'luck'"),
        ("seed", {"caution": -1}, "caution must be a number from 0 to 10, not -1"),
        ("seed", {"explore": 2}, "explore must be a number from 0 to 1, not 2"),
        ("seed", {"other_seats": "2"}, "other_seats must be numbers from 2 to 5, without 2"),
        ("seed", {"season": 0}, "season must be an integer of at least 1, not 0"),
        ("thresholds", {"population": 5}, "population must be 1, one list, not 5"),
        ("thresholds", {"origin": "random"}, "origin must be a list with thresholds to move, not 'random'"),
        ("thresholds", {"origin": "play: fresh\n"}, r"origin must be a list with thresholds to move, not 'play"),
        ("thresholds", {"decks": 5}, "decks must be an integer of at least 10, not 5"),
        ("thresholds", {"games": 100}, "a generation may take 280 games; games=100 is less than one"),
    ],
)  # fmt: skip
def test_bad_options(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        learner(name, **options)
