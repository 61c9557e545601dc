"""Who is better, and how sure we are: matches, tournaments, measures, the `ludarium` command."""

from typing import TYPE_CHECKING

from ludarium.envs.lazy import lazy_names

if TYPE_CHECKING:
    from ludarium.evaluation.play.match import MatchResult, play_match
    from ludarium.evaluation.tournament.event import GameEntry, Tournament
    from ludarium.evaluation.tournament.schedule import Progress, run
    from ludarium.evaluation.tournament.standings import Table, tables
    from ludarium.evaluation.tournament.store import GameRow, Store, StoreError

__all__ = [
    "GameEntry",
    "GameRow",
    "MatchResult",
    "Progress",
    "Store",
    "StoreError",
    "Table",
    "Tournament",
    "play_match",
    "run",
    "tables",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "play.match": ("MatchResult", "play_match"),
        "tournament.event": ("GameEntry", "Tournament"),
        "tournament.schedule": ("Progress", "run"),
        "tournament.standings": ("Table", "tables"),
        "tournament.store": ("GameRow", "Store", "StoreError"),
    },
)
