"""All games at the table: those that somebody looks at are in memory, all others in the file."""

import asyncio
import secrets
from typing import Any

from ludarium.evaluation.table.kept import Kept
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.table.seating import Seating
from ludarium.evaluation.table.session import Session

_MOST = 500  # sessions in memory
_LATEST = 12  # listed in the lobby
LEFT = 60.0
"""Seconds after which a game that nobody looks at is left, and its agents stop."""


class Tables:
    """The sessions of a server.

    Args:
        kept: where they outlive it.
        seating: makes agents.
        patience: seconds that an agent may think about a move.
    """

    def __init__(self, kept: Kept, seating: Seating, patience: float) -> None:
        self._kept, self._seating, self._patience = kept, seating, patience
        self._live: dict[str, Session] = {}

    def open(self, plan: Plan, kept: dict[str, Any] | None = None) -> Session:
        """Begin a game, or take up one from its moves.

        Raises:
            Refusal: if an agent of the plan may not be named here, or there are too many games.
        """
        for seat, spec in enumerate(plan.seats):
            if seat not in plan.people:
                self._seating.check(spec)
        session = self._start(secrets.token_urlsafe(9), plan, kept)
        self._keep(session)
        return session

    def _start(self, key: str, plan: Plan, kept: dict[str, Any] | None) -> Session:
        if len(self._live) >= _MOST:
            raise Refusal(f"there are {_MOST} games at the table already; leave one first", 503)
        session = Session(key, plan, self._seating, self._patience, kept, self._keep)
        self._live[key] = session
        self.looked_away(session)
        return session

    def _keep(self, session: Session) -> None:
        self._kept.keep(session.key, session.data())

    def get(self, key: str) -> Session:
        """A session by its key.

        Raises:
            Refusal: if there is none.
        """
        if key not in self._live:
            data = self._kept.find(key)
            if data is None:
                raise Refusal("there is no such game at this table", 404)
            self._start(key, Plan.from_data(data["plan"]), data)
        return self._live[key]

    def looked_away(self, session: Session) -> None:
        """Leave a game if nobody comes back to it; it can be taken up later."""

        def leave() -> None:
            if not session.viewers and self._live.get(session.key) is session:
                del self._live[session.key]
                session.close()

        asyncio.get_running_loop().call_later(LEFT, leave)

    def forget(self, key: str) -> None:
        """Leave a game for good."""
        session = self._live.pop(key, None)
        if session is not None:
            session.close()
        self._kept.forget(key)

    def latest(self) -> list[dict[str, Any]]:
        """The games that went on last, in a few words each."""
        return [
            {
                "key": key,
                "game": data["plan"]["game"],
                "seats": data["plan"]["seats"],
                "moves": len(data["moves"]),
                "result": data["result"],
            }
            for key, data in self._kept.latest(_LATEST)
        ]

    def close(self) -> None:
        """Leave all games; they stay in the file."""
        for session in self._live.values():
            session.close()
        self._live.clear()
