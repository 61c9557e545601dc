"""What has evolved: the rules in plain words, the most used first, what each did in games, and what it is good for.

A rule *brings* the difference that its removal makes: the mean score on the same decks with all rules, less that
without it.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.games import FIRED, POINTS, SQUARES, play_list
from ludarium.agents.lcs.text import rule_text, rules_text
from ludarium.agents.lcs.words import rule_words
from ludarium.agents.learning.inspection import PAPER, Inspection
from ludarium.envs.chance import seed_key
from ludarium.envs.drawing import Drawing
from ludarium.envs.game import Game

DECKS = 300
_INK, _SOFT, _GOOD, _BAD = "#1c2126", "#66707a", "#1f6f8b", "#c8654a"
_LINE, _WIDTH, _BAR = 34.0, 420.0, 150.0


def inspect_rules(game: Game, rules: NDArray[Any], exact: bool, seed: int) -> Inspection:
    """Watch a list of rules in games with itself, with all its rules and without each."""
    keys = np.array([seed_key(seed, deck) for deck in range(DECKS)], dtype=np.uint64)
    play = partial(play_list, game, keys, exact)
    whole = play(rules)
    brings = np.array([_difference(whole.scores, play(np.delete(rules, n)).scores) if len(rules) > 1 else np.nan
                       for n in range(len(rules))])  # fmt: skip
    order = np.argsort(-whole.credit[:-1, FIRED], kind="stable")
    entries = [_data(rules[n], int(n), whole.credit[n], float(brings[n])) for n in order]
    repeats, moves = whole.repeats / whole.decisions, whole.decisions
    head = [
        f"{whole.scores.mean():.2f} points in {DECKS} games of a team; of its moves {100 * repeats:.1f} % are hints "
        f"that tell nothing new, {100 * whole.credit[-1, FIRED] / moves:.1f} % are no rule's",
        "number in the list, times fired in a game, points after it (standard deviation), points that it brings:",
    ]
    for entry in entries:
        fired, points = entry["fired"] / DECKS, f"{entry['points_after']:.1f} ({entry['deviation']:.1f})"
        head += ["", f"{entry['number']:>3} {fired:8.2f} {points:>12} {entry['brings']:+8.2f}  {entry['rule']}"]
        head += [f"    {line}" for line in entry["words"]]
    data = {"rules": entries, "text": rules_text(rules), "points": float(whole.scores.mean())}
    return Inspection("rules", f"{len(rules)} rules", [], head=head, data=data, legend=_bars(entries))


def _difference(whole: NDArray[np.float64], without: NDArray[np.float64]) -> float:
    return float((whole - without).mean())


def _data(rule: Any, number: int, credit: NDArray[np.float64], brings: float) -> dict[str, Any]:
    """What is known of a rule, ready for JSON."""
    fired = max(float(credit[FIRED]), 1.0)
    points = float(credit[POINTS]) / fired
    return {
        "number": number + 1,
        "rule": rule_text(rule),
        "words": rule_words(rule),
        "fired": int(credit[FIRED]),
        "points_after": points,
        "deviation": float(np.sqrt(max(float(credit[SQUARES]) / fired - points**2, 0.0))),
        "brings": brings,
    }


def _bars(entries: list[dict[str, Any]]) -> Drawing:
    """For each rule, how often it fired and what it brings, each as a bar, above its text."""
    drawing, y = Drawing(_WIDTH, _LINE * (len(entries) + 1), PAPER), _LINE / 2
    drawing.text(8, y, "times fired in a game", 11, _SOFT, anchor="start")
    drawing.text(_WIDTH / 2 + 8, y, "points that it brings", 11, _SOFT, anchor="start")
    most_fired = max(1, *(entry["fired"] for entry in entries)) if entries else 1
    most_brings = max([abs(entry["brings"]) for entry in entries if np.isfinite(entry["brings"])], default=1.0) or 1.0
    for entry in entries:
        y += _LINE
        drawing.text(8, y - 9, f"{entry['number']}. {entry['rule']}", 8, _INK, anchor="start")
        drawing.rect(8, y - 1, max(1.0, entry["fired"] / most_fired * _BAR), 9, _GOOD)
        drawing.text(
            14 + entry["fired"] / most_fired * _BAR, y + 4, f"{entry['fired'] / DECKS:.1f}", 8, _SOFT, anchor="start"
        )
        if np.isfinite(entry["brings"]):
            length = abs(entry["brings"]) / most_brings * _BAR
            drawing.rect(_WIDTH / 2 + 8, y - 1, max(1.0, length), 9, _GOOD if entry["brings"] >= 0 else _BAD)
            drawing.text(_WIDTH / 2 + 14 + length, y + 4, f"{entry['brings']:+.2f}", 8, _SOFT, anchor="start")
    return drawing
