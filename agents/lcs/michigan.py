"""One set of rules, each with a utility: the classifier system as its author describes it.

The rule with the greatest utility whose conditions hold decides the move, and so on down; its target is the
one that its conditions fit best. Every rule that made a move gets what the move brought at once and, at the end
of the game, the score; its utility is α times the old one plus (1 - α) times the reward. After a few
games come the four fixed steps: deletion, specialisation, generalisation, merging.

What the text leaves open is decided here: utility is fitness, ties are broken at random, a new or changed rule has
utility 0, and σ is changed with n + 1.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs import operators
from ludarium.agents.lcs.games import FIRED, MISPLAYED, REPEATED, SAMPLE, SCORED, Record, play_lists
from ludarium.agents.lcs.language import DISCARD, FEATURES, MOST_CONDITIONS, NUMBER
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

if TYPE_CHECKING:
    from ludarium.agents.lcs.learner import LCS

Random = np.random.Generator
_WORDS = ("tokens", "lives", "seats", "table", "discards", "fellow", "deck-next", "card", "tells")
_GIVEN_HINT = ("news", "touched", "color-told", "rank-told")
_DECKS, _CHANGES = 1, 2  # streams of a generation
_FIRST_SIGMA = 0.1  # as a share of a feature's range


def vocabulary(lcs: "LCS") -> frozenset[int]:
    """The features that rules may have: those that the original names, and with `given_hint` hints given before."""
    words = (*_WORDS, *(_GIVEN_HINT if lcs.given_hint else ()))
    return frozenset(NUMBER[word] for word in words)


def start(lcs: "LCS", random: Random) -> Arrays:
    """A set of random rules."""
    rules = np.concatenate([_new_rule(lcs, random, None) for _ in range(lcs.rules)])
    return {
        "rules": rules[None],
        "lengths": np.array([lcs.rules]),
        "utility": np.zeros(lcs.rules),
        "sigma": np.full((lcs.rules, MOST_CONDITIONS), _FIRST_SIGMA),
        "changes": np.zeros(lcs.rules, dtype=np.int64),
        "uses": np.zeros(lcs.rules),
        "age": np.zeros(lcs.rules, dtype=np.int64),
        "samples": np.zeros(1, dtype=SAMPLE),
    }


def _new_rule(lcs: "LCS", random: Random, sample: Any) -> NDArray[Any]:
    """A random rule, shape (1,), or with `covering` one that fits a position that was met."""
    limits = lcs.limits
    if lcs.covering and sample is not None:
        rule = operators.covering_rule(random, limits, sample)
    else:
        rule = operators.random_rule(random, limits)
    rule["order"], rule["least"] = -1, 0
    if rule["action"][0] <= DISCARD:
        rule["order"][0, 0] = NUMBER["match"]
    return rule


def by_utility(lcs: "LCS", arrays: Arrays, random: Random | None = None) -> NDArray[np.int64]:
    """The rules in order of decreasing utility; of equals the first, or in training any."""
    if lcs.selection == "none" and random is not None:
        return random.permutation(lcs.rules)
    ties = np.arange(lcs.rules) if random is None else random.permutation(lcs.rules)
    return np.lexsort((ties, -arrays["utility"]))


def generation(lcs: "LCS", game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
    """Some games with rewards, then the four steps."""
    random = np.random.default_rng(int(seed_key(lcs.seed, LEARNING, number, _CHANGES)))
    key = seed_key(lcs.seed, LEARNING, number, _DECKS)
    scores, decisions, repeats, fallbacks = [], 0, 0, 0.0
    for deck in range(lcs.season):
        order = by_utility(lcs, arrays, random)
        keys = np.array([child_key(key, deck)], dtype=np.uint64)
        (found,) = play_lists(game, [arrays["rules"][0][order]], keys, parallel, lcs.beliefs == "exact")
        _reward(lcs, arrays, order, found)
        scores.append(float(found.scores[0]))
        decisions, repeats = decisions + found.decisions, repeats + found.repeats
        fallbacks += found.credit[-1, FIRED]
        if found.sample[0]["known"]:
            arrays["samples"] = found.sample
    if lcs.breeding != "none":
        change(lcs, arrays, random)
    return {
        "games": lcs.season,
        "decisions": decisions,
        "best": float(np.mean(scores)),
        "mean": float(np.mean(scores)),
        "diversity": len(np.unique(arrays["utility"])) / lcs.rules,
        "rule_share": 1 - fallbacks / decisions,
        "repeated_hints": repeats / decisions,
        "rules": lcs.rules,
        "utility": float(arrays["utility"].sum()),
    }


def _reward(lcs: "LCS", arrays: Arrays, order: NDArray[np.int64], found: Record) -> None:
    """Give the rules that made moves what these brought, then all of them the score."""
    rewards = {SCORED: lcs.reward_played, MISPLAYED: lcs.reward_misplayed, REPEATED: lcs.reward_repeated}
    utility, used = arrays["utility"], set()
    for place, event in found.trace[: found.decisions].tolist():
        if place < lcs.rules:
            rule = int(order[place])
            used.add(rule)
            arrays["uses"][rule] += 1
            if event in rewards:
                utility[rule] = lcs.alpha * utility[rule] + (1 - lcs.alpha) * rewards[event]
    for rule in sorted(used):
        utility[rule] = lcs.alpha * utility[rule] + (1 - lcs.alpha) * lcs.reward_final * float(found.scores[0])
    arrays["age"] += 1


# --- the four steps ---------------------------------------------------------------------------------------------------


def change(lcs: "LCS", arrays: Arrays, random: Random) -> None:
    """Delete and regenerate weak rules, specialise, generalise, merge."""
    count = max(1, round(lcs.modified * lcs.rules))
    for place in _weakest(lcs, arrays)[:count]:
        _put(arrays, int(place), _new_rule(lcs, random, arrays["samples"][0])[0])
    if lcs.breeding == "founders":
        return
    for narrower in (True, False):
        for _ in range(count):
            place = _chosen(lcs, arrays, random, narrower)
            rule, sigma = arrays["rules"][0, place].copy(), arrays["sigma"][place].copy()
            _creep(lcs, rule, sigma, int(arrays["changes"][place]), random, narrower)
            nested = np.count_nonzero(rule["feature"] >= 0) > 1
            if nested and narrower:
                operators.add_condition(rule, random, lcs.limits)
            elif nested:
                operators.remove_condition(rule, random)
            changes = arrays["changes"][place] + 1
            spot = int(_weakest(lcs, arrays)[0]) if lcs.keep_parent else place
            _put(arrays, spot, rule)
            arrays["sigma"][spot], arrays["changes"][spot] = sigma, changes
    if lcs.crossover:
        for _ in range(count):
            _merge(lcs, arrays, random)


def _put(arrays: Arrays, place: int, rule: Any) -> None:
    """A new rule in a place: nothing is known of it."""
    arrays["rules"][0, place] = rule
    arrays["utility"][place], arrays["uses"][place], arrays["age"][place] = 0.0, 0.0, 0
    arrays["sigma"][place], arrays["changes"][place] = _FIRST_SIGMA, 0


def _weakest(lcs: "LCS", arrays: Arrays) -> NDArray[np.int64]:
    """The rules from the least utility; those younger than `protect` games last."""
    return np.lexsort((arrays["utility"], arrays["age"] < lcs.protect))


def _chosen(lcs: "LCS", arrays: Arrays, random: Random, narrower: bool) -> int:
    """The winner of a tournament: for narrowing, a rule of low utility that fires often; else the opposite."""
    some = random.choice(lcs.rules, size=min(lcs.tournament, lcs.rules), replace=False)
    wide = np.argsort(np.argsort(arrays["uses"][some])) - np.argsort(np.argsort(arrays["utility"][some]))
    return int(some[np.argmax(wide if narrower else -wide)])


def _creep(lcs: "LCS", rule: Any, sigma: NDArray[np.float64], n: int, random: Random, narrower: bool) -> None:
    """Move all thresholds so that fewer, or more, positions fulfil the rule."""
    conditions = int(np.count_nonzero(rule["feature"] >= 0))
    rate = lcs.rate / np.sqrt(n + 1)
    if lcs.sigma == "self":
        rate = 1 / np.sqrt(2 * np.sqrt(max(conditions, 1)))
    factor = np.exp(rate * random.standard_normal())  # the same for all that are nested
    step = abs(float(random.standard_normal()))
    for place in range(conditions):
        sigma[place] = min(max(sigma[place] * factor, 1e-4), 1.0)
        feature = FEATURES[rule["feature"][place]]
        size = step * sigma[place] * feature.most / (np.sqrt(n + 1) if lcs.sigma == "anneal" else 1.0)
        up = narrower != bool(rule["negated"][place])
        moved = rule["threshold"][place] + (size if up else -size)
        rule["threshold"][place] = round(min(max(moved, 0.01), feature.most), 4)


def _merge(lcs: "LCS", arrays: Arrays, random: Random) -> None:
    """Cross two good rules with the same action and features; the child replaces the weakest rule."""
    rules, utility = arrays["rules"][0], arrays["utility"]
    some = random.choice(lcs.rules, size=min(lcs.tournament, lcs.rules), replace=False)
    mother = int(some[np.argmax(utility[some])])
    alike = (rules["action"] == rules["action"][mother]) & (rules["feature"] == rules["feature"][mother]).all(axis=1)
    alike[mother] = False
    if not alike.any():
        return
    father = int(np.argmax(np.where(alike, utility, -np.inf)))
    child = rules[mother].copy()
    if random.random() < 0.5:
        child["threshold"] = np.round((rules["threshold"][mother] + rules["threshold"][father]) / 2, 4)
    else:
        mine = random.random(MOST_CONDITIONS) < 0.5
        for field in ("threshold", "negated", "pattern"):
            child[field] = np.where(mine, rules[field][mother], rules[field][father])
    _put(arrays, int(_weakest(lcs, arrays)[0]), child)
