"""What is inside a player, as text for people and as data for programs."""

from itertools import zip_longest
from typing import Any

from ludarium.agents.learning.inspection import Entry, Inspection


def listed(inspection: Inspection, by_use: bool, top: int) -> list[tuple[int, Entry]]:
    """The entries to show with their numbers, in the learner's order or with the most used first."""
    numbered = list(enumerate(inspection.entries, 1))
    if by_use:
        numbered.sort(key=lambda one: -one[1].used)
    return numbered[:top]


def inspection_text(inspection: Inspection, sample: str, by_use: bool, top: int) -> str:
    """What is inside a player, as lines of text.

    Args:
        inspection: what is inside the player.
        sample: the games in which the player was watched: `"1,000 games against random"`.
        by_use: put the most used entries first.
        top: the maximum number of entries to show.
    """
    shown = listed(inspection, by_use, top)
    used = f"by how often they were used in {sample}"
    if inspection.order and not by_use:
        used = f"{inspection.order}; uses are counted in {sample}"
    width = max((len(line) for _, one in shown for line in one.board.splitlines()), default=0)
    parts = [
        "\n".join([f"{inspection.summary}, {used}" if inspection.entries else inspection.summary, *inspection.head])
    ]
    for number, one in shown:
        plays = f"{one.mover} plays {one.move}" if one.mover else f"play {one.move}"
        rows = zip_longest(one.board.splitlines(), [plays, *one.facts], fillvalue="")
        lines = [f"{number if row == 0 else '':>3}  {left:{width}}   {right}" for row, (left, right) in enumerate(rows)]
        parts.append("\n".join(line.rstrip() for line in lines))
    left_out = len(inspection.entries) - len(shown)
    more = [f"… and {left_out:,} more: --all shows them"] if left_out else []
    parts.append("\n".join([*more, *inspection.tail]))
    return "\n\n".join(part for part in parts if part)


def inspection_data(inspection: Inspection, by_use: bool, top: int) -> dict[str, Any]:
    """What is inside a player, ready for JSON; a learner's own data may take the place of the list of entries."""
    data = dict(inspection.data)
    data.setdefault(
        inspection.kind, [{"number": number, **one.data} for number, one in listed(inspection, by_use, top)]
    )
    return data
