"""The games of a tournament's store, to be opened at the table."""

from pathlib import Path
from typing import Any

from ludarium.envs.game import Game, Position
from ludarium.envs.kernels import CHANCE
from ludarium.envs.records import RecordedGame
from ludarium.envs.registry import make_game
from ludarium.evaluation.report.content import read_store
from ludarium.evaluation.report.replay import ending_of, episode_of, find_game, key_text
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.table.records import taken_up
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.store import GameRow

_MOST = 500  # games that are listed


class StoredGames:
    """A store, read once.

    Args:
        path: its file.

    Raises:
        StoreError: if it is not a store.
        FileNotFoundError: if there is none.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._tournament, self._rows, *_ = read_store(path)

    def listed(self) -> dict[str, Any]:
        """The first games, in a few words each."""
        games = [
            {
                "key": key_text(row),
                "game": self._tournament.games[row.event].game,
                "names": [self._tournament.labels[entrant] for entrant in (row.a, row.b)[:: -1 if row.leg else 1]],
                "payoff": row.payoff_b if row.leg else row.payoff_a,
            }
            for row in self._rows[:_MOST]
        ]
        return {"name": self.name, "count": len(self._rows), "games": games}

    def taken_up(self, key: str) -> tuple[Plan, dict[str, Any]]:
        """One game for a session, see `records.taken_up`.

        Raises:
            Refusal: if there is no such game, or it is damaged.
        """
        try:
            row = find_game(self._rows, key)
            game = make_game(self._tournament.games[row.event].game)
            return self._session(row, game)
        except (ValueError, TypeError) as error:
            raise Refusal(f"{error}", 404) from None

    def _session(self, row: GameRow, game: Game) -> tuple[Plan, dict[str, Any]]:
        position, script, actions = game.start(), list[int](), list[int]()
        for number in episode_of(self._tournament, game, row).history:
            (script if position.turn == CHANCE else actions).append(number)
            position.push(number)
        names = tuple(self._tournament.labels[entrant_at(row, seat)] for seat in range(game.seats))
        plan, kept = taken_up(RecordedGame(game, names, None, script, actions))
        return plan, kept | self._told(row, game, position)

    def _told(self, row: GameRow, game: Game, position: Position) -> dict[str, str]:
        ending = ending_of(self._tournament, row, game, position)
        return {"ending": ending, "result": ending}
