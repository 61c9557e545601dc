"""What a side may lose by giving up: a single game, a gammon or a backgammon, whichever the rules still allow."""

from typing import Any

from ludarium.envs.backgammon.rules import BAR, RESIGN
from ludarium.envs.game import Resignation

NAMES = ("single game", "gammon", "backgammon")


def resignations(record: Any) -> list[Resignation]:
    """The ways in which the seat to move can give up the game in play, the cheapest first."""
    cube = 1 << int(record.cube)
    return [Resignation(NAMES[k], RESIGN + k, (k + 1) * cube) for k in range(_most(record))]


def _most(record: Any) -> int:
    """1, 2 or 3 if the seat to move can lose no more than a single game, a gammon or a backgammon.

    The end of a match, and of money games in which every win pays the same, costs no more than it takes.
    """
    loser, winner = int(record.seat), 1 - int(record.seat)
    if record.checkers[loser, 0] or record.wins_only or (record.jacoby and not record.cube):
        return 1
    behind, before = (max(p for p in range(BAR + 1) if record.checkers[side, p]) for side in (loser, winner))
    most = 2 if behind < 19 and behind + before <= BAR else 3  # it is past everything that could hit or hold it
    if record.match_length:
        need = int(record.match_length) - int(record.score[winner])
        most = min(most, -(-need // (1 << int(record.cube))))
    return most
