"""Rules in plain words, and why a condition holds."""

from typing import Any

import numpy as np

from ludarium.agents.lcs.language import DISCARD, FEATURES, Feature
from ludarium.agents.lcs.text import pattern_text

_TARGETS = ("play a card", "discard a card", "give a hint", "tell a color", "tell a rank")
_CHANCE = "the probability"


def rule_words(rule: Any) -> list[str]:
    """A rule as lines in plain words: what it does, its conditions, and how it chooses."""
    conditions = [condition_words(rule, int(number)) for number in np.flatnonzero(rule["feature"] >= 0)]
    lines = [_TARGETS[rule["action"]]]
    lines += [f"{'and' if number else 'if'} {words}" for number, words in enumerate(conditions)]
    rest = "of several"
    for number, least in zip(rule["order"], rule["least"], strict=True):
        if number >= 0:
            lines.append(f"{rest} {_order_words(FEATURES[number], bool(least))}")
            rest = "of equals"
    default = "the oldest" if rule["action"] <= DISCARD else "that to the next player, color first"
    return [*lines, f"{rest} {default}"]


def condition_words(rule: Any, place: int, value: float | None = None) -> str:
    """A condition in plain words, with the value that the feature has, if it is given."""
    feature = FEATURES[rule["feature"][place]]
    negated, threshold = bool(rule["negated"][place]), float(rule["threshold"][place])
    subject = feature.words
    if feature.pattern:
        subject += f" ({pattern_text(feature, int(rule['pattern'][place]))})"
    if feature.is_fact and threshold == 1:
        fact = subject.removeprefix("whether ")
        return f"not: {fact}" if negated else fact
    side = "is less than" if negated else "is at least"
    amount = "" if value is None else f" ({number_text(feature, value)})"
    return f"{subject}{amount} {side} {number_text(feature, threshold)}"


def number_text(feature: Feature, value: float) -> str:
    """A value of a feature: probabilities in percent."""
    if feature.words.startswith(_CHANCE):
        return f"{100 * value:.3g} %"
    return f"{value:g}"


def _order_words(feature: Feature, least: bool) -> str:
    if feature.is_fact:
        fact = feature.words.removeprefix("whether ")
        return f"rather one for which {'it is not so that ' if least else ''}{fact}"
    return f"the one with the {'least' if least else 'greatest'} {feature.name}, {feature.words}"
