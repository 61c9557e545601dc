"""Rules as text, and back: one rule a line.

    play, most place: fresh and playable >= 0.05 and not saved
    hint, most gain, least touches: good and not bad
    discard, least place: not touched

The action comes first, then orders, then the conditions after a colon. A pattern of cards follows its feature after a
colon: `card:r5`, `discards:r`, `table:!r` for cards that are not red, `fellow:+1:3`, `own:0.5:r`. Of whole numbers,
`tokens <= 3` is `tokens < 4`, and `tokens = 3` stands for two conditions. What follows a `#` is a comment.
"""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.language import (
    ACTIONS,
    ANY,
    CHANCES,
    DOUBT,
    FEATURES,
    MOST_CONDITIONS,
    MOST_ORDERS,
    NOT,
    NUMBER,
    POSITION,
    SCOPES,
    SEAT,
    Feature,
    empty_rules,
    pattern_number,
    scope_of,
)

_COLORS, _RANKS = "rygwb", "12345"
_CONDITION = ("feature", "negated", "pattern", "threshold")
_MATCH = NUMBER["match"]
MOST_RULES = 1000
"""The greatest length of a list."""


def rules_text(rules: NDArray[Any]) -> str:
    """Rules, shape (n,) of `RULE`, as text that `read_rules` reads."""
    return "".join(rule_text(rule) + "\n" for rule in rules)


def rule_text(rule: Any) -> str:
    """A rule as a line of text."""
    words = [ACTIONS[rule["action"]]]
    for feature, least in zip(rule["order"], rule["least"], strict=True):
        if feature >= 0:
            words.append(f"{'least' if least else 'most'} {FEATURES[feature].name}")
    conditions = [condition_text(rule, int(number)) for number in np.flatnonzero(rule["feature"] >= 0)]
    return ", ".join(words) + (f": {' and '.join(conditions)}" if conditions else "")


def condition_text(rule: Any, number: int) -> str:
    """A condition of a rule as text."""
    feature = FEATURES[rule["feature"][number]]
    name = feature.name + (f":{pattern_text(feature, int(rule['pattern'][number]))}" if feature.pattern else "")
    negated, threshold = bool(rule["negated"][number]), float(rule["threshold"][number])
    if feature.is_fact and threshold == 1:
        return f"not {name}" if negated else name
    return f"{name} {'<' if negated else '>='} {np.format_float_positional(threshold, trim='-')}"


def pattern_text(feature: Feature, number: int) -> str:
    """A pattern of cards as text: `r3`, `+1:5`, `any`, `!r`, `0.5:r`."""
    color, rank, seat, doubt = number // 6 % 6, number % 6, number // SEAT % 5, number // DOUBT
    card = (_COLORS + " ")[color].strip() + (_RANKS + " ")[rank].strip()
    whose = f"+{seat}:" if seat else f"{1 - doubt / CHANCES:g}:" if doubt else ""
    return whose + ("!" if number // NOT % 2 else "") + (card or "any")


def read_file(path: str | Path) -> NDArray[Any]:
    """The rules in a file; arguments and errors as in `read_rules`.

    Raises:
        ValueError: also if there is no such file, or it is not text.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: the file of rules cannot be read: {error}") from None
    return read_rules(text, str(path))


def read_rules(text: str, source: str = "rules") -> NDArray[Any]:
    """The rules that a text describes, shape (n,) of `RULE`.

    Args:
        text: one rule a line.
        source: where it comes from, for errors.

    Raises:
        ValueError: with the number of the line, for unknown words, thresholds out of range, rules that can never fire,
            and a text without rules.
    """
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if line:
            try:
                rules.append(_read_rule(line))
            except ValueError as error:
                raise ValueError(f"{source}, line {number}: {error}") from None
    if not rules:
        raise ValueError(f"{source}: there is no rule in it; a list has at least one, such as 'play: playable >= 1'")
    if len(rules) > MOST_RULES:
        raise ValueError(f"{source}: a list may have {MOST_RULES} rules, not {len(rules)}")
    return np.concatenate(rules)


def _read_rule(line: str) -> NDArray[Any]:
    rule = empty_rules(1)
    head, colon, tail = line.partition(":")
    action, *orders = (word.strip() for word in head.split(","))
    if action not in ACTIONS:
        raise ValueError(f"{action!r} is not an action; {_meant(action, ACTIONS)}")
    rule["action"] = ACTIONS.index(action)
    if len(orders) > MOST_ORDERS:
        raise ValueError(f"a rule may have {MOST_ORDERS} orders, not {len(orders)}")
    for place, order in enumerate(orders):
        _read_order(rule[0], place, order)
    texts = [part.strip() for part in f" {tail} ".split(" and ")] if colon else []
    conditions = [condition for text in texts for condition in _read_conditions(rule[0], text)]
    if len(conditions) > MOST_CONDITIONS:
        raise ValueError(f"a rule may have {MOST_CONDITIONS} conditions, not {len(conditions)}")
    for place, condition in enumerate(conditions):
        for field, value in zip(_CONDITION, condition, strict=True):
            rule[0][field][place] = value
    _check_possible(rule[0])
    return rule


def _read_order(rule: Any, place: int, text: str) -> None:
    which, _, name = text.partition(" ")
    if which not in ("most", "least"):
        raise ValueError(f"{text!r} is not an order; write 'most FEATURE' or 'least FEATURE'")
    number = _feature(rule, name.strip())
    if FEATURES[number].scope == POSITION or FEATURES[number].pattern:
        raise ValueError(f"{name!r} is the same for every target, or needs a pattern, so it gives no order")
    rule["order"][place], rule["least"][place] = number, which == "least"


def _read_conditions(rule: Any, text: str) -> list[tuple[int, bool, int, float]]:
    """The conditions that a text stands for, each with the fields `_CONDITION`: two for `=`, else one."""
    words = text.split()
    negated = bool(words) and words[0] == "not"
    words = words[negated:]
    if len(words) == 1:
        name, sign, threshold = words[0], ">=", "1"
    elif len(words) == 3 and not negated:
        name, sign, threshold = words
    else:
        raise ValueError(f"{text!r} is not a condition; write 'FACT', 'not FACT', 'FEATURE >= NUMBER' or '<'")
    name, _, pattern = name.partition(":")
    number = _feature(rule, name)
    feature = FEATURES[number]
    if not feature.levels:
        raise ValueError(f"{text!r}: {name} only gives an order")
    if sign not in (">=", "<", "<=", "="):
        raise ValueError(f"{text!r}: {sign!r} must be '>=', '<', '<=' or '='")
    if len(words) == 1 and not feature.is_fact:
        raise ValueError(f"{text!r}: {name} is a number; write '{name} >= NUMBER' or '{name} < NUMBER'")
    value, least = _number(text, threshold), min(0.0, *feature.levels)
    if not least <= value <= feature.most:
        raise ValueError(f"{text!r}: {name} goes from {least:g} to {feature.most:g}, so {threshold} is out of range")
    cards = _read_pattern(text, feature, pattern)
    if sign in ("<=", "="):
        if not feature.is_whole or value % 1:
            raise ValueError(f"{text!r}: {sign!r} is for whole numbers; write '{name} >= NUMBER' or '{name} < NUMBER'")
        at_least, at_most = (number, False, cards, value), (number, True, cards, value + 1)
        if sign == "=":
            return [at_least] * (value > least) + [at_most] * (value < feature.most)
        if value == feature.most:
            raise ValueError(f"{text!r}: {name} is never more than {feature.most:g}, so this always holds")
        return [at_most]
    return [(number, negated or sign == "<", cards, value)]


def _number(text: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"{text!r}: {word!r} is not a number") from None


def _read_pattern(text: str, feature: Feature, pattern: str) -> int:
    if not feature.pattern:
        if pattern:
            raise ValueError(f"{text!r}: {feature.name} takes no pattern of cards")
        return 0
    seat, chance, card = 0, 1.0, pattern
    if feature.seat and pattern.startswith("+"):
        word, _, card = pattern[1:].partition(":")
        if word not in ("1", "2", "3", "4"):
            raise ValueError(f"{text!r}: another player is '+1' to '+4', not '+{word}'")
        seat = int(word)
    elif feature.chance and ":" in pattern:
        word, _, card = pattern.partition(":")
        chance = _number(text, word)
        if not 0 < chance <= 1 or round(chance * CHANCES, 9) % 1:
            raise ValueError(f"{text!r}: the probability of a card is 0.05, 0.1, … or 1, not {word}")
    negated, card = card.startswith("!"), card.removeprefix("!")
    color = _COLORS.index(card[0]) if card[:1] in tuple(_COLORS) else ANY
    rank_text = card[color != ANY :]
    rank = _RANKS.index(rank_text) if rank_text in tuple(_RANKS) else ANY
    if (card != "any" or negated) and (not card or (rank == ANY and rank_text)):
        raise ValueError(
            f"{text!r}: {pattern!r} is not a pattern of cards; write a color of {_COLORS}, a rank, or 'r3'"
        )
    return pattern_number(color, rank, seat, negated, chance)


def _feature(rule: Any, name: str) -> int:
    names = [feature.name for feature in FEATURES]
    if name not in names:
        raise ValueError(f"{name!r} is not a feature; {_meant(name, names)}")
    number = names.index(name)
    scope, wanted = FEATURES[number].scope, scope_of(rule["action"])
    if scope not in (POSITION, wanted) and number != _MATCH:
        raise ValueError(f"{name!r} is about {SCOPES[scope]}, but the target of the rule is {SCOPES[wanted]}")
    return number


def _check_possible(rule: Any) -> None:
    """Refuse a rule whose conditions exclude each other, or with a condition that nothing fulfils."""
    lows: dict[tuple[int, int], float] = {}
    highs: dict[tuple[int, int], float] = {}
    for number in np.flatnonzero(rule["feature"] >= 0):
        key, threshold = (int(rule["feature"][number]), int(rule["pattern"][number])), rule["threshold"][number]
        if rule["negated"][number]:
            highs[key] = min(highs.get(key, np.inf), threshold)
        else:
            lows[key] = max(lows.get(key, -np.inf), threshold)
        if highs.get(key, np.inf) <= lows.get(key, -np.inf) or (
            highs.get(key, np.inf) <= 0 and FEATURES[key[0]].levels[0] > 0
        ):
            raise ValueError(f"the rule can never fire, because of {condition_text(rule, int(number))!r}")


def well_formed(rules: NDArray[Any]) -> bool:
    """Whether rows from a file are rules that compiled code can trust."""
    for rule in rules:
        scope = scope_of(rule["action"])
        conditions, orders = rule["feature"][rule["feature"] >= 0], rule["order"][rule["order"] >= 0]
        known = 0 <= rule["action"] < len(ACTIONS) and max([0, *conditions, *orders]) < len(FEATURES)
        if not known or not all(FEATURES[number].scope in (POSITION, scope) for number in conditions):
            return False
        for number in orders:
            if number != _MATCH and (FEATURES[number].scope != scope or FEATURES[number].pattern):
                return False
    return True


def _meant(word: str, words: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, words, 1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(words)}"
