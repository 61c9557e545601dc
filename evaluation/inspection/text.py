"""What was found inside a player, as text for people and as data for machines."""

from itertools import zip_longest
from typing import Any

from ludarium.agents.genetic.gaia.rule_agent import rule_text, senses_text
from ludarium.agents.genetic.gaia.tactical_rules import tactical_rules
from ludarium.envs.game import seat_name
from ludarium.evaluation.inspection.maps import InspectedPair, MapInspection
from ludarium.evaluation.inspection.rules import InspectedRule, RuleInspection

Inspection = RuleInspection | MapInspection


def inspection_text(found: Inspection, sample: str, top: int) -> str:
    """What was found, as lines.

    Args:
        found: the rules or the map.
        sample: the games in which the player was watched: `"1,000 games against random"`.
        top: how many rules or pairs to show.
    """
    if isinstance(found, RuleInspection):
        blocks = [(rule_text(found.game, found.board, one.rule), rule_facts(one)) for one in found.rules[:top]]
    else:
        blocks = [
            (found.game.view_text(one.position, one.position.turn), [_move(one), *pair_facts(one)])
            for one in found.pairs[:top]
        ]
    width = max((len(line) for board, _ in blocks for line in board.splitlines()), default=0)
    parts = ["\n".join(_head(found, sample))]
    for number, (board, facts) in enumerate(blocks, 1):
        rows = zip_longest(board.splitlines(), facts, fillvalue="")
        lines = [f"{number if row == 0 else '':>3}  {left:{width}}   {right}" for row, (left, right) in enumerate(rows)]
        parts.append("\n".join(line.rstrip() for line in lines))
    parts.append("\n".join(_tail(found, top)))
    return "\n\n".join(part for part in parts if part)


def rule_facts(one: InspectedRule) -> list[str]:
    """What is known of a rule, a line each."""
    fired = f"fired {_times(one.fired)}" + (f", in {one.positions:,} positions" if one.positions > 1 else "")
    weight = round(float(one.rule["weight"]), 3) + 0.0  # no negative zero
    facts = [fired, f"weight {weight:g}, priority {one.rule['priority']}"]
    return [one.meaning.text, *facts] if one.meaning.text else facts


def pair_facts(one: InspectedPair) -> list[str]:
    """What is known of a pair, a line each."""
    taught = f"taught by {one.visits:,} game{'s' * (one.visits != 1)}"
    value = "" if one.value is None else f"value {round(one.value, 3) + 0.0:g}, "
    facts = [f"used {_times(one.used)}", value + taught]
    does = {"wins": "wins at once", "blocks": "blocks a threat"}
    return [does[one.verb], *facts] if one.verb else facts


def move_text(one: InspectedPair) -> str:
    """A pair's move as the game writes it."""
    return one.position.game.action_to_str(one.position, one.action)


def inspection_data(found: Inspection, top: int) -> dict[str, Any]:
    """What was found, as JSON takes it; rules and positions are in the order of their use."""
    if isinstance(found, RuleInspection):
        return {
            "rows": found.board.shape[0],
            "columns": found.board.shape[1],
            "images": len(found.board.undo),
            "moves": found.moves,
            "rule_moves": found.rule_moves,
            "tactical_share": found.tactical_share,
            "entries": len(found.rules),
            "rules": [_rule_data(found, one) for one in found.rules[:top]],
        }
    return {
        "walked": found.walked,
        "whole": found.whole,
        "moves": found.moves,
        "map_moves": found.map_moves,
        "entries": found.entries,
        "parts": found.parts,
        "found": len(found.pairs),
        "pairs": [_pair_data(one) for one in found.pairs[:top]],
    }


def _rule_data(found: RuleInspection, one: InspectedRule) -> dict[str, Any]:
    action = int(one.rule["action"])
    return {
        "number": one.number,
        "senses": senses_text(found.board, one.rule),
        "action": action,
        "move": found.game.action_to_str(found.game.start(), action),
        "weight": float(one.rule["weight"]) + 0.0,
        "priority": int(one.rule["priority"]),
        "fired": one.fired,
        "positions": one.positions,
        "does": one.meaning.verb,
        "meaning": one.meaning.text,
    }


def _pair_data(one: InspectedPair) -> dict[str, Any]:
    return {
        "position": one.position.text,
        "action": one.action,
        "move": move_text(one),
        "value": one.value,
        "visits": one.visits,
        "used": one.used,
        "does": one.verb,
    }


def _head(found: Inspection, sample: str) -> list[str]:
    if isinstance(found, RuleInspection):
        images = len(found.board.undo)
        each = f", each for its {images} mirror images" if images > 1 else ""
        return [
            f"{len(found.rules)} rules{each}, by how often they fired in {sample}",
            "P own, C the opponent's, V empty, * anything; in brackets what the action needs",
        ]
    where = f"{found.walked:,} positions of the game"
    if not found.whole:
        where = f"first {where} and in those games"
    return [
        f"{found.entries:,} pairs of a position and a move, by how often they were used in {sample}",
        f"the positions of {len(found.pairs):,} of them were found again, in the {where}",
    ]


def _tail(found: Inspection, top: int) -> list[str]:
    listed, lines = found.rules if isinstance(found, RuleInspection) else found.pairs, []
    if len(listed) > top:
        lines.append(f"… and {len(listed) - top:,} more: --all shows them")
    if isinstance(found, RuleInspection) and found.tactical_share is not None:
        count = len(tactical_rules(found.game))
        lines.append(
            f"{round(found.tactical_share * count)} of the {count} minimal tactical rules are present, "
            f"{100 * found.tactical_share:.0f} %"
        )
    made = found.rule_moves if isinstance(found, RuleInspection) else found.map_moves
    share = f", {100 * made / found.moves:.1f} %" if found.moves else ""
    by = "rules" if isinstance(found, RuleInspection) else "pairs of a position"
    lines.append(f"{made:,} of its {found.moves:,} moves were made by {by}{share}")
    if isinstance(found, MapInspection) and found.parts:
        lines.append(f"pairs about parts of the board, not shown: {found.parts:,}")
    return lines


def _move(one: InspectedPair) -> str:
    return f"{seat_name(one.position.game, one.position.turn)} plays {move_text(one)}"


def _times(number: int) -> str:
    return f"{number:,} time{'s' * (number != 1)}"
