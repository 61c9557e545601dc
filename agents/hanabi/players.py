"""Players that are lists of rules: the first rule that has a legal action decides the move; if none has, chance does.

A list is text, `play-safe-card,play-probably-safe-card:0.6@spare-life,osawa-discard`: the rules in order, each with its
parameters after colons, and after `@` when it is asked, if not always.
"""

import difflib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.agent import takes
from ludarium.agents.compiled.blocks import pack, table
from ludarium.agents.compiled.random_legal import random_action
from ludarium.agents.hanabi.lists import RULE_LISTS
from ludarium.agents.hanabi.playouts import judged_by_playouts
from ludarium.agents.hanabi.scene import SCENE, look
from ludarium.agents.hanabi.vocabulary import ALWAYS, AT_RANDOM, CONDITIONS, PLAY, RULES, ask, is_asked
from ludarium.envs.episode import check_choice
from ludarium.envs.game import Game
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.beliefs import counting
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.kernels import Bytes, Int8s, Record, pointer, view
from ludarium.envs.policy import Policy

_ORDERS, _BELIEFS = ("place", "age"), ("marginal", "exact")
MOST_PARAMETERS = max(len(rule.parameters) for rule in RULES)


class Entry(NamedTuple):
    """One entry of a list: the number of a rule, its parameters, and the number of its condition."""

    rule: int
    parameters: tuple[float, ...] = ()
    condition: int = ALWAYS

    @property
    def text(self) -> str:
        """The entry as text."""
        words = [RULES[self.rule].name, *(f"{value:g}" for value in self.parameters)]
        return ":".join(words) + (f"@{CONDITIONS[self.condition]}" if self.condition else "")


def rules_text(entries: Sequence[Entry]) -> str:
    """A list of rules as text that `read_rules` reads."""
    return ",".join(entry.text for entry in entries)


def read_rules(text: str) -> list[Entry]:
    """The list of rules that a text describes.

    Raises:
        ValueError: if it is empty, names a rule or a condition that does not exist, or has a wrong number of
            parameters, or one out of range.
    """
    if not text.strip():
        raise ValueError("hanabi: a list of rules has at least one rule, such as 'play-safe-card'")
    return [_read_entry(part.strip()) for part in text.split(",")]


def _read_entry(text: str) -> Entry:
    words, _, condition = text.partition("@")
    name, *values = words.split(":")
    number = _index(name, [rule.name for rule in RULES], "rule", text)
    wanted = RULES[number].parameters
    if len(values) != len(wanted):
        form = ":".join([name, *(parameter.name.upper() for parameter in wanted)])
        raise ValueError(f"hanabi: {text!r}: the rule is written {form!r}, with {len(wanted)} parameters")
    parameters = []
    for value, (name, low, high) in zip(values, wanted, strict=True):
        try:
            parameters.append(float(value))
        except ValueError:
            parameters.append(np.nan)
        if not low <= parameters[-1] <= high:
            raise ValueError(f"hanabi: {text!r}: {name} is a number from {low:g} to {high:g}, not {value!r}")
    return Entry(number, tuple(parameters), _index(condition, CONDITIONS, "condition", text) if condition else ALWAYS)


def _index(name: str, names: Sequence[str], what: str, text: str) -> int:
    if name in names:
        return list(names).index(name)
    close = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
    raise ValueError(f"hanabi: {text!r}: there is no {what} {name!r}; {hint}")


BLOCK = np.dtype(
    [
        *SCENE,
        ("length", np.int64),  # of the list
        ("entries", np.int64),  # tables: of each entry the rule's address and kind, and the condition
        ("parameters", np.int64),
    ],
    align=True,
)
_MOST = MOST_PARAMETERS


def check_game(game: Game) -> None:
    """Refuse games that rules do not know.

    Raises:
        ValueError: for these.
    """
    if not isinstance(game, Hanabi) or game.view is None:
        raise ValueError(f"rule lists play hanabi with observation='card_knowledge', not {game.spec}")


def rule_player(game: Game, entries: Sequence[Entry], *, by_age: bool, exact: bool = False) -> Policy:
    """The policy of a list of rules.

    Args:
        game: a game of Hanabi that has views.
        entries: the list.
        by_age: whether "first" means the oldest card of a hand, not the one in the first place, where each new card is
            put where the old one was.
        exact: whether probabilities of one's cards consider all of them together; see `ludarium.envs.hanabi.beliefs`.

    Raises:
        ValueError: if the game is another, or its observations are minimal.
    """
    check_game(game)
    parameters = np.zeros((len(entries), _MOST))
    for row, entry in zip(parameters, entries, strict=True):
        row[: len(entry.parameters)] = entry.parameters
    tables: dict[str, Any] = {
        "entries": np.array(
            [(RULES[entry.rule].address, RULES[entry.rule].kind, entry.condition) for entry in entries], dtype=np.int64
        ),
        "parameters": parameters,
    }
    numbers = {"length": len(entries), "exact": counting(exact), "by_age": by_age}
    return Policy(_choose, BLOCK, pack(BLOCK, numbers, tables), needs_view=True)


@takes(check_game)
def rule_list(
    game: Game, *, name: str = "piers", rules: str = "", order: str = "place", beliefs: str = "marginal"
) -> Policy:
    """The agent `hanabi-rules`: a published player that is a list of rules, or a list of your own.

    Args:
        game: the game.
        name: a list of `RULE_LISTS`.
        rules: a list of your own instead: `play-safe-card,play-probably-safe-card:0.6@spare-life,…`.
        order: which card of a hand is first: by `"place"`, where each new card is put where the old one was, as in the
            program of Walton-Rivers et al., or by `"age"`, the oldest.
        beliefs: `"marginal"` considers each of one's own cards alone, `"exact"` all together.

    Raises:
        ValueError: if there is no such list, the rules cannot be read, or the game is not Hanabi with observations that
            show knowledge.
    """
    if name not in RULE_LISTS:
        raise ValueError(f"hanabi: there is no rule list {name!r}; known: {', '.join(RULE_LISTS)}")
    check_choice("hanabi: order", order, _ORDERS)
    check_choice("hanabi: beliefs", beliefs, _BELIEFS)
    entries = read_rules(rules or RULE_LISTS[name])
    return judged_by_playouts(rule_player(game, entries, by_age=order == "age", exact=beliefs == "exact"))


def _choose(game: Bytes, state: Bytes, observation: Int8s, mask: Int8s, block: Record, stream: Bytes) -> int:
    v = view(state, VIEW)
    look(v, block)
    entries = table(block, block.entries, np.int64, (block.length, 3))
    parameters = table(block, block.parameters, np.float64, (block.length, _MOST))
    for i in range(block.length):
        address, kind, condition = entries[i, 0], entries[i, 1], entries[i, 2]
        if is_asked(v, kind, condition):
            action = ask(address, v, block, stream, pointer(parameters, i))
            if action == AT_RANDOM:
                break
            if kind == PLAY and action >= 0:  # a slot
                action += v.hand_size
            if action >= 0 and mask[action]:
                return action
    return random_action(game, mask, stream)
