"""The rules of a Gaia player in the order in which they fire: how often each one fires, and what it does."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board, see
from ludarium.agents.genetic.gaia.rule_drawing import legend, rule_drawing
from ludarium.agents.genetic.gaia.rule_text import firing_order, is_default, move_text, rule_board, senses_text
from ludarium.agents.genetic.gaia.rules import decide
from ludarium.agents.genetic.gaia.tactical_rules import meaning, tactical_rules, tactical_share
from ludarium.agents.learning.inspection import (
    BLOCKS,
    FORKS,
    NOTHING,
    VERBS,
    WINS,
    Decisions,
    Entry,
    Inspection,
    Watch,
    made_by,
    times,
)
from ludarium.envs import kernels
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OBSERVATION_SIZE
from ludarium.envs.policy import Policy

_DOES = {WINS: "wins", BLOCKS: "blocks", FORKS: "makes a fork"}
_HOW = (
    "P own, C the opponent's, V empty, * anything; in brackets what the action needs",
    "it plays the first rule that matches: by priority, then weight, ties at random; if none matches, a random move",
)


def inspect_rules(
    game: Game, board: Board, rules: NDArray[Any], player: Policy, weight: str, watch: Watch
) -> Inspection:
    """List a player's rules, with what they did in the games in which it was watched.

    In tic-tac-toe the rule itself tells what it does, see `meaning`. In other games a rule is said to win, to block or
    to make a fork if its move did so in every position in which it fired: that is an observation, not a proof.

    Args:
        game: the game.
        board: the board as the rules see it.
        rules: shape (n,) of `RULE`; empty places are left out.
        player: the policy that plays by them.
        weight: what the weight of a rule is, in words.
        watch: plays the games, and tells what moves do.
    """
    watched = watch.decisions(player)
    fired = fired_rules(game, board, rules, watched)
    made = fired >= 0
    keys = np.column_stack([a.astype(np.uint64) for a in (fired[made], watched.actions[made], watched.states[made])])
    cases = np.unique(keys, axis=0)  # a rule, the action it played, and the position
    numbers = cases[:, 0].astype(np.int64)
    did = watch.effects(cases[:, 2:].copy(), cases[:, 1].astype(np.int64))
    counts, entries = np.bincount(fired[made], minlength=len(rules)), []
    for place in firing_order(rules).tolist():
        positions = len(np.unique(cases[numbers == place][:, 2:], axis=0))
        if game.name == "tictactoe":
            does, means = meaning(game, rules[place])
        else:
            does, means = seen_meaning(did[numbers == place], positions)
        if is_default(board, rules[place]):
            means = [*means, "default: asks for nothing but what its move needs"]
        entries.append(_entry(game, board, rules[place], place, int(counts[place]), positions, does, means))
    images = len(board.undo)
    share = tactical_share(game, board, rules) if game.name == "tictactoe" else None
    return Inspection(
        kind="rules",
        summary=f"{len(entries)} rules" + (f", each for its {images} mirror images" if images > 1 else ""),
        entries=entries,
        order="in the order in which they fire",
        head=[*_HOW, f"a rule's weight is {weight}"],
        tail=[*_share_text(game, share), made_by(int(made.sum()), len(fired), "rules")],
        data={
            "rows": board.shape[0],
            "columns": board.shape[1],
            "images": images,
            "moves": len(fired),
            "rule_moves": int(made.sum()),
            "tactical_share": share,
            "entries": len(entries),
        },
        legend=legend(),
    )


def _entry(
    game: Game, board: Board, rule: Any, place: int, fired: int, positions: int, does: int, means: list[str]
) -> Entry:
    move, weight = move_text(game, int(rule["action"])), float(rule["weight"]) + 0.0  # no negative zero
    used = f"fired {times(fired)}" + (f", in {positions:,} positions" if positions > 1 else "")
    return Entry(
        board=rule_board(game, board, rule),
        drawing=rule_drawing(game, board, rule),
        move=move,
        mover="",
        facts=[*means, used, f"weight {round(weight, 3) + 0.0:g}, priority {rule['priority']}"],
        used=fired,
        positions=positions,
        data={
            "place": place,
            "senses": senses_text(board, rule),
            "action": int(rule["action"]),
            "move": move,
            "weight": weight,
            "priority": int(rule["priority"]),
            "fired": fired,
            "positions": positions,
            "does": VERBS[does],
            "meaning": "; ".join(means),
        },
    )


def _share_text(game: Game, share: float | None) -> list[str]:
    if share is None:
        return []
    count = len(tactical_rules(game))
    return [f"{round(share * count)} of the {count} minimal tactical rules are present, {100 * share:.0f} %"]


def seen_meaning(did: NDArray[np.int64], positions: int) -> tuple[int, list[str]]:
    """What the moves of a rule did if they all did the same, and a line that says so."""
    does = int(did[0]) if len(set(did.tolist())) == 1 else NOTHING
    where = f"in all {positions} positions" if positions > 1 else "in its only position"
    return does, [f"{_DOES[does]} {where}"] if does in _DOES else []


def fired_rules(game: Game, board: Board, rules: NDArray[Any], decisions: Decisions) -> NDArray[np.int64]:
    """The number of the rule behind each decision of a player, shape (decisions,); -1 for a random move."""
    fired = np.zeros(len(decisions.actions), dtype=np.int64)
    _fire(
        game.table, board.squares, board.undo, rules, decisions.states, decisions.games, decisions.streams, fired
    )  # fmt: skip
    return fired


@jit
def _fire(
    game: Any, squares: Any, undo: Any, rules: Any, states: Any, games: Any, streams: Any, fired: Any
) -> None:  # fmt: skip
    """Repeat the decisions with the same random numbers, and fill in the rules that made them."""
    mask, observation = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    seen, stream = np.zeros((len(undo), 3), dtype=np.uint64), np.zeros(2, dtype=np.uint64)
    for number in range(len(states)):
        if number == 0 or games[number] != games[number - 1]:
            stream[0], stream[1] = streams[games[number]], 0
        kernels.observe(game, states[number], kernels.turn(game, states[number]), observation)
        see(observation, squares, seen)
        count = kernels.legal(game, states[number], mask)
        fired[number] = decide(rules, seen, undo, mask, count, stream)[0]
