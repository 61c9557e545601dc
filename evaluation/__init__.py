"""Who is better, and how sure we are: matches, tournaments, measures, the `ludarium` command."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludarium.evaluation.play.match import MatchResult, play_match
    from ludarium.evaluation.tournament.schedule import GameEntry, Progress, Tournament, run
    from ludarium.evaluation.tournament.standings import Table, tables
    from ludarium.evaluation.tournament.store import GameRow, Store, StoreError

_HOMES = {
    "play.match": ("MatchResult", "play_match"),
    "tournament.schedule": ("GameEntry", "Progress", "Tournament", "run"),
    "tournament.standings": ("Table", "tables"),
    "tournament.store": ("GameRow", "Store", "StoreError"),
}

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


def __getattr__(name: str) -> Any:
    """Load public names when they are first used, as `ludarium.envs` does."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"ludarium.evaluation.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
