"""All games at the table: those that somebody looks at are in memory, all others in the file."""

import asyncio
import secrets
from typing import Any

from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.kept import Kept
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.table.seating import Seating
from ludarium.evaluation.table.session import Session
from ludarium.evaluation.table.standing import Standing

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

    async def open(self, plan: Plan, kept: dict[str, Any] | None = None) -> Session:
        """Begin a game, or take up one from its moves.

        Raises:
            Refusal: if an agent of the plan may not be named here, there are too many games, or it cannot be kept.
        """
        for seat, spec in enumerate(plan.seats):
            if seat not in plan.people:
                await apart(self._seating.check, spec)
        key, now = secrets.token_urlsafe(9), Standing.of(plan, kept or {})
        self._check_room()
        await self._kept.keep(key, now.data())
        return self._start(key, now)

    def _check_room(self) -> None:
        if len(self._live) >= _MOST:
            raise Refusal(f"there are {_MOST} games at the table already; leave one first", 503)

    def _start(self, key: str, now: Standing) -> Session:
        session = Session(key, now, self._seating, self._patience, self._kept.keep)
        self._live[key] = session
        self.looked_away(session)
        return session

    def get(self, key: str) -> Session:
        """A session by its key.

        Raises:
            Refusal: if there is none, or there are too many.
        """
        if key not in self._live:
            data = self._kept.find(key)
            if data is None:
                raise Refusal("there is no such game at this table", 404)
            self._check_room()
            self._start(key, Standing.of(Plan.from_data(data["plan"]), data))
        return self._live[key]

    def looked_away(self, session: Session) -> None:
        """Leave a game if nobody comes back to it; it can be taken up later."""

        def leave() -> None:
            if self._live.get(session.key) is not session:
                return
            if session.changing_now:
                self.looked_away(session)
            elif not session.viewers:
                del self._live[session.key]
                session.close()

        asyncio.get_running_loop().call_later(LEFT, leave)

    async def forget(self, key: str) -> None:
        """Leave a game for good.

        Raises:
            Refusal: if there is none, or it cannot be removed from the file.
        """
        session = self.get(key)
        async with session.changing():
            await self._kept.forget(key)
            self._live.pop(key, None)
            session.close()

    def latest(self) -> list[dict[str, Any]]:
        """The games that went on last, in a few words each."""
        return [
            {
                "key": key,
                "game": data["plan"]["game"],
                "seats": data["plan"]["seats"],
                "moves": len(data["moves"]),
                "result": data["ending"],
            }
            for key, data in self._kept.latest(_LATEST)
        ]

    async def close(self) -> None:
        """Leave all games; they stay in the file."""
        for session in self._live.values():
            session.close()
        self._live.clear()
        await self._kept.finish()
