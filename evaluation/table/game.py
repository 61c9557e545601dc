"""One game in play at the table: what people and agents do to it, and who is told.

A session belongs to the event loop. How the game stands is a value, which is kept in the file before it becomes true
and before anybody is told; so a change that cannot be kept has not happened. One change happens at a time.

A `Sitting` is used by one thread at a time: by the loop while a person is to move, by the thread of `apart` while an
agent is. A change that cannot wait for a thinking agent (taking back, leaving) abandons the sitting, and another one
takes up the game from its moves. That is also how a game survives a restart.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

from ludarium.envs.kernels import OVER
from ludarium.evaluation.play.sitting import NOBODY, Sitting, Turn
from ludarium.evaluation.table.agents import Advisers, Company, Seating
from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.plan import ME, Move, Plan, Standing
from ludarium.evaluation.table.positions import Line
from ludarium.evaluation.table.records import formats, written
from ludarium.evaluation.table.refusal import Refusal

_LOG = logging.getLogger(__name__)
_GRACE = 1.0  # seconds in which a process of its own may tell itself that its time is over
_LONGEST_START = 300.0  # seconds to make the agents: some solve the game first


class Session:
    """A game at the table.

    Args:
        key: its name.
        now: how it stands.
        seating: makes the agents.
        patience: seconds that an agent may think about a move.
        keep: keeps what a later life needs, by the key; or refuses to.

    Attributes:
        now: how it stands.
        line: its positions.
        viewers: how many pages look at it.
    """

    def __init__(
        self,
        key: str,
        now: Standing,
        seating: Seating,
        patience: float,
        keep: Callable[[str, dict[str, Any]], Awaitable[None]],
    ) -> None:
        self.key, self.now = key, now
        self._seating, self._patience, self._keep = seating, patience, keep
        self.viewers = 0
        self.failure = ""
        self._steps = 0
        self.line = Line(now.plan)
        self.line.follow(now.history)
        self._turn = OVER if now.over else NOBODY
        self._advisers = Advisers(now.plan, seating, patience)
        self._company: Company | None = None
        self._sitting: Sitting | None = None
        self._driver: asyncio.Task[None] | None = None
        self._woken, self._news = asyncio.Event(), asyncio.Event()
        self._one, self._closed = asyncio.Lock(), False
        self._shown: str | None = None
        if not now.over:
            self._take_up()

    @property
    def plan(self) -> Plan:
        """What it is set up with."""
        return self.now.plan

    @property
    def version(self) -> int:
        """How many changes there were."""
        return self.now.version

    # --- what the page is told ---------------------------------------------------------------------------------------

    def shown(self) -> str:
        """Everything about the game as it stands, as JSON; the same string until something changes."""
        if self._shown is None:
            now, plan, game = self.now, self.plan, self.plan.made
            over = self._turn == OVER
            state = {
                "key": self.key,
                "version": now.version,
                "game": plan.game,
                "title": game.title or game.name,
                "hidden": game.hidden_information,
                "seats": [
                    {
                        "name": plan.seat_name(seat),
                        "who": plan.names[seat] if plan.names else spec,
                        "agent": None if plan.names or spec == ME else spec,
                        "colour": game.seat_colours[seat] if game.seat_colours else None,
                    }
                    for seat, spec in enumerate(plan.seats)
                ],
                "formats": formats(game),
                "people": list(plan.people),
                "turn": self._turn,
                "over": over,
                "result": now.ending if over else "",
                "failure": self.failure,
                "notes": now.notes,
                "ready": self._turn != NOBODY,
                "paused": now.paused,
                "delay": now.delay,
                "taken_back": now.taken_back,
                "seed": str(plan.seed) if over and not plan.pair else None,
                "start": plan.start,
                "first": [] if game.hidden_information else self.line.chance[0],
                "history": [self._entry(number, move) for number, move in enumerate(now.moves)],
                "view": self.line.view(len(now.moves)) if self.line.positions else None,
            }
            self._shown = json.dumps(state, separators=(",", ":"))
        return self._shown

    def _entry(self, number: int, move: Move) -> dict[str, Any]:
        chance = [] if self.plan.made.hidden_information else self.line.chance[number + 1]
        return {"seat": move.seat, "text": move.text, "chance": " ".join(chance), "why": move.why}

    async def news(self) -> AsyncIterator[str]:
        """The game as it stands, now and after every change."""
        self.viewers += 1
        try:
            latest: str | None = None
            while True:
                news, now = self._news, self.shown()
                if now is not latest:
                    latest = now
                    yield now
                else:
                    await news.wait()
        finally:
            self.viewers -= 1

    def _tell(self) -> None:
        self._shown = None
        news, self._news = self._news, asyncio.Event()
        news.set()

    # --- changes -----------------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def changing(self, version: int | None = None) -> AsyncIterator[None]:
        """Within this, nothing else changes the game.

        Args:
            version: what the page showed, where that matters.

        Raises:
            Refusal: if the game is another one by now, or has been left.
        """
        async with self._one:
            if self._closed:
                raise Refusal("there is no such game at this table", 404)
            if version is not None and version != self.version:
                raise Refusal("the game has gone on meanwhile, perhaps in another tab; look at the position again", 409)
            yield

    @property
    def changing_now(self) -> bool:
        """Whether a change is being made."""
        return self._one.locked()

    async def _become(self, now: Standing, turn: int) -> None:
        """Keep a change; then it has happened."""
        await self._keep(self.key, now.data())
        self._stand(now, turn)

    async def _become_at_once(self, now: Standing, turn: int) -> None:
        """A change that agents made. It happens also if it cannot be kept: the next that can will keep it."""
        try:
            await self._keep(self.key, now.data())
        except Refusal as error:
            _LOG.error("a move of an agent will be kept with the next one: %s", error)
        self._stand(now, turn)

    def _stand(self, now: Standing, turn: int) -> None:
        self.now, self._turn = now, turn
        self.line.follow(now.history)
        self._tell()

    # --- the game's own course ---------------------------------------------------------------------------------------

    def _take_up(self) -> None:
        """Play on from the moves so far, with new agents."""
        self._company = Company(self.plan, self._seating)
        self._driver = asyncio.create_task(self._watched(self._drive(self._company)))

    async def _watched(self, driving: Coroutine[Any, Any, None]) -> None:
        """A game whose course breaks, by a fault of the game or of ours, says so and takes no other with it."""
        try:
            await driving
        except Exception as error:
            _LOG.exception("a game at the table broke")
            self._fail(f"the game broke: {error!r}")

    async def _drive(self, company: Company) -> None:
        """Make the agents, then let them move whenever it is their turn."""
        try:
            sitting = await apart(self._sit, company, [move.turn() for move in self.now.moves], limit=_LONGEST_START)
        except Exception as error:
            message = "the agents took too long to prepare" if isinstance(error, TimeoutError) else f"{error}"
            self._fail(message)
            return
        await self._note(sitting)
        while True:
            if sitting.over or sitting.agent(sitting.episode.turn) is None or (self.now.paused and not self._steps):
                self._woken.clear()
                await self._woken.wait()
                continue
            if self.now.delay and not self._steps:
                await asyncio.sleep(self.now.delay / 1000)
                if self.now.paused:
                    continue
            self._steps = max(0, self._steps - 1)
            self._sitting = None  # the thread has it
            try:
                forfeits = await apart(sitting.reply, limit=self._patience + _GRACE) is None
            except Exception as error:
                late = f"no move within {self._patience:g} seconds"
                cause = late if isinstance(error, TimeoutError) else f"{error}"
                await self._forfeit(sitting.name(self._turn), cause)
                return
            await self._note(sitting, loser=self._turn if forfeits else None)

    def _sit(self, company: Company, turns: list[Turn]) -> Sitting:
        """The sitting with these moves played, in a thread."""
        plan = self.plan
        person = plan.people[0] if plan.people else NOBODY
        others = [spec for seat, spec in enumerate(plan.seats) if seat != person]
        agents = [None if spec == ME else company.make(spec) for spec in others]
        sitting = Sitting(plan.made, person, agents, plan.seed, plan.start_position, plan.script, plan.pair)
        sitting.resume(turns)
        return sitting

    async def _note(self, sitting: Sitting, loser: int | None = None) -> None:
        """Take over what agents did in a sitting; now people may use it."""
        async with self.changing():
            now, turn = self._after(sitting)
            if now == self.now:  # it was taken up
                self._stand(now, turn)
            else:
                await self._become_at_once(replace(now, loser=loser), turn)
            self._sitting = sitting

    def _after(self, sitting: Sitting) -> tuple[Standing, int]:
        """How the game stands after what happened in a sitting, and whose turn it is."""
        moves, hidden = list(self.now.moves), self.plan.made.hidden_information and bool(self.plan.people)
        turns = sitting.turns
        del moves[len(turns) :]
        for number in range(len(moves), len(turns)):
            move = Move.of(turns[number], self.plan.made, self.line.at(number))
            moves.append(move._replace(why=None) if hidden else move)
        ending = sitting.result() if sitting.over else ""
        now = replace(self.now, moves=tuple(moves), history=tuple(sitting.episode.history), ending=ending)
        return self.now if now == self.now else now.later(), OVER if sitting.over else sitting.episode.turn

    async def _forfeit(self, name: str, cause: str) -> None:
        """An agent that gives no move loses the game."""
        async with self.changing():
            self._leave()
            won = "; you win" if len(self.plan.people) == 1 and not self.plan.made.cooperative else ""
            now = self.now.later(ending=f"{name} forfeits: {cause}{won}", loser=self._turn)
            await self._become_at_once(now, OVER)

    def _fail(self, cause: str) -> None:
        """The game cannot go on, since its agents cannot be made."""
        self._leave()
        self.failure = cause
        self._tell()

    def _leave(self) -> None:
        """Give up the sitting, and whatever an agent is thinking about."""
        driver, self._driver = self._driver, None
        if driver is not None and driver is not asyncio.current_task():
            driver.cancel()
        if self._company is not None:
            self._company.close()
        self._company = self._sitting = None

    def close(self) -> None:
        """Leave the game; it can be taken up again from what was kept."""
        self._closed = True
        self._leave()
        self._advisers.close()

    # --- what people do ----------------------------------------------------------------------------------------------

    async def play(self, action: int, version: int) -> None:
        """Play a person's move, in the position that the page showed.

        Raises:
            Refusal: if the position is another one by now, the move is not the person's or not legal, or it cannot be
                kept.
        """
        async with self.changing(version):
            if self.now.over:
                raise Refusal("the game is over; take back, or begin another one", 409)
            objection = self._mine().episode.objection(action)
            if objection:
                raise Refusal(objection, 409)
            await self._decide(lambda sitting: sitting.play(action))

    def _mine(self) -> Sitting:
        """The sitting, where a person is to move."""
        if self._sitting is None or self._turn not in self.plan.people:
            raise Refusal("it is not your turn", 409)
        return self._sitting

    async def _decide(self, decide: Callable[[Sitting], Any]) -> None:
        """Let a person decide in the sitting, once the game after it is kept."""
        sitting = self._mine()
        tried = sitting.branch()
        try:
            decide(tried)
        except ValueError as error:
            raise Refusal(f"{error}") from None
        await self._become(*self._after(tried))
        decide(sitting)
        self._woken.set()

    async def rewind(self, ply: int, version: int) -> None:
        """Take back all moves after the first `ply`.

        Raises:
            Refusal: if there are none in the position that the page showed, or it is another one by now.
        """
        async with self.changing(version):
            now = self.now
            if ply >= len(now.moves) and not (now.over and ply == len(now.moves)):
                raise Refusal(f"there are {len(now.moves)} moves; none after move {ply} can be taken back", 409)
            self.line.at(ply)
            history = now.history[: self.line.lengths[ply]]
            await self._begin_again(moves=now.moves[:ply], history=history, taken_back=now.taken_back + 1)

    async def _begin_again(self, **changes: Any) -> None:
        await self._become(self.now.later(**changes, ending="", loser=None), NOBODY)
        self._leave()
        self.failure = ""
        self._take_up()

    async def decide_chance(self, outcome: int, version: int) -> None:
        """Let chance have done something else right before this position.

        Raises:
            Refusal: if it did nothing, or cannot do this.
        """
        async with self.changing(version):
            script = self.line.script(len(self.now.moves), outcome)
            plan = replace(self.plan, script=tuple(script))
            await self._begin_again(plan=plan, history=(*self.now.history[:-1], outcome))

    async def resign(self, lost: str, version: int) -> None:
        """The person gives up the game; in a match of backgammon, only the game in play.

        Args:
            lost: what, where the rules know several ways, see `Game.resignations`; empty for the cheapest.
            version: what the page showed.

        Raises:
            Refusal: if no person plays, there is nothing to resign, that cannot be lost here, or the position is
                another one by now.
        """
        if not self.plan.people or self.plan.made.cooperative:
            raise Refusal("nobody here can resign", 409)
        async with self.changing(version):
            if self.now.over:
                raise Refusal("the game is over; there is nothing to resign", 409)
            if not self.line.positions:
                raise Refusal("the game has not begun; there is nothing to resign", 409)
            if lost or self.plan.made.resignations(self.line.positions[-1]):
                await self._decide(lambda sitting: sitting.resign(lost))
                return
            seat = self._turn if self._turn in self.plan.people else self.plan.people[0]
            ending = f"{self.plan.seat_name(seat)} (you) resigned; you lose"
            await self._become(self.now.later(ending=ending, loser=seat), OVER)
            self._leave()

    async def pace(self, *, paused: bool | None = None, delay: int | None = None, step: bool = False) -> None:
        """Let agents wait, go on, take their time, or make one move.

        Raises:
            Refusal: if it cannot be kept.
        """
        async with self.changing():
            now = self.now if paused is None else replace(self.now, paused=paused)
            now = now if delay is None else replace(now, delay=delay)
            if now != self.now:
                await self._become(now, self._turn)
            self._steps += step
            self._woken.set()

    def record(self, format_name: str) -> tuple[str, str]:
        """The game as a file: its name and its text."""
        return written(self.plan, self.line, list(self.now.moves), self.now.ending, format_name)

    async def advice(self, spec: str, ply: int) -> dict[str, Any]:
        """What an agent thinks of a position of this game, see `Advisers`."""
        position = self.line.at(ply)
        return await self._advisers.ask(spec, position, self.line.history[: self.line.lengths[ply]])
