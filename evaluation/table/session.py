"""One game in play at the table: what people and agents do to it, and who is told.

A session belongs to the event loop. Its `Sitting` is used by one thread at a time: by the loop while a person is to
move, by the thread of `apart` while an agent is. A change that cannot wait for a thinking agent (taking back, leaving)
abandons the sitting, and another one takes up the game from its moves. That is also how a game survives a restart.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any

from ludarium.envs.kernels import OVER
from ludarium.evaluation.play.sitting import NOBODY, Sitting, Turn
from ludarium.evaluation.table.advice import Advisers
from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.company import Company
from ludarium.evaluation.table.line import Line
from ludarium.evaluation.table.moves import Move
from ludarium.evaluation.table.plan import ME, Plan
from ludarium.evaluation.table.records import formats, written
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.table.seating import Seating

_LOG = logging.getLogger(__name__)
WATCHED_DELAY = 700
"""Milliseconds between moves where nobody but agents plays."""
_GRACE = 1.0  # seconds in which a process of its own may tell itself that its time is over
_LONGEST_START = 300.0  # seconds to make the agents: some solve the game first


class Session:
    """A game at the table.

    Args:
        key: its name.
        plan: what it is set up with.
        seating: makes the agents.
        patience: seconds that an agent may think about a move.
        kept: what `data` gave in an earlier life.
        changed: called after every change that should be kept.

    Attributes:
        viewers: how many pages look at it.
        notes: what is odd about the record that the game was taken up from.
        loser: the seat that resigned or forfeited; None if none did.
    """

    def __init__(
        self,
        key: str,
        plan: Plan,
        seating: Seating,
        patience: float,
        kept: dict[str, Any] | None = None,
        changed: Callable[["Session"], None] = lambda session: None,
    ) -> None:
        self.key, self.plan = key, plan
        self._seating, self._patience, self._changed = seating, patience, changed
        self.viewers = 0
        kept = kept or {}
        self.moves = [Move(*move) for move in kept.get("moves", [])]
        self.taken_back = int(kept.get("taken_back", 0))
        self.ending = str(kept.get("ending", ""))
        self.notes = [str(note) for note in kept.get("notes", [])]
        self.loser: int | None = kept.get("loser")
        self.paused = bool(kept.get("paused", False))
        self.delay = int(kept.get("delay", 0 if plan.people else WATCHED_DELAY))
        self.failure = ""
        self.version = 0
        self._steps = 0
        self._line = Line(plan)
        self._line.follow(kept.get("history", []))
        self._turn, self._result = OVER if self.ending else NOBODY, str(kept.get("result", ""))
        self._advisers = Advisers(plan, seating, patience)
        self._company: Company | None = None
        self._sitting: Sitting | None = None
        self._driver: asyncio.Task[None] | None = None
        self._woken, self._news = asyncio.Event(), asyncio.Event()
        self._shown: str | None = None
        if not self.ending:
            self._take_up()

    # --- what the page is told ---------------------------------------------------------------------------------------

    def shown(self) -> str:
        """Everything about the game as it stands, as JSON; the same string until something changes."""
        if self._shown is None:
            plan, game = self.plan, self.plan.made
            over = self._turn == OVER
            told = {
                "key": self.key,
                "version": self.version,
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
                "result": self._result if over else "",
                "failure": self.failure,
                "notes": self.notes,
                "ready": self._turn != NOBODY,
                "paused": self.paused,
                "delay": self.delay,
                "taken_back": self.taken_back,
                "seed": str(plan.seed) if over and not plan.pair else None,
                "start": plan.start,
                "first": [] if game.hidden_information else self._line.chance[0],
                "history": [self._entry(number, move) for number, move in enumerate(self.moves)],
                "view": self._line.view(len(self.moves)) if self._line.positions else None,
            }
            self._shown = json.dumps(told, separators=(",", ":"))
        return self._shown

    def _entry(self, number: int, move: Move) -> dict[str, Any]:
        chance = [] if self.plan.made.hidden_information else self._line.chance[number + 1]
        return {"seat": move.seat, "text": move.text, "chance": " ".join(chance), "why": move.why}

    def view(self, ply: int) -> dict[str, Any]:
        """The position after a number of decisions."""
        return self._line.view(ply)

    def preview(self, ply: int, action: int) -> str:
        """The picture right after a move."""
        return self._line.preview(ply, action)

    def known(self, ply: int) -> str:
        """The picture of a position in which hidden cards show what their owners know."""
        return self._line.known(ply)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._turn == OVER

    def data(self) -> dict[str, Any]:
        """What a later life needs."""
        return {
            "plan": self.plan.data(),
            "moves": [list(move) for move in self.moves],
            "history": self._line.history,
            "taken_back": self.taken_back,
            "ending": self.ending,
            "notes": self.notes,
            "loser": self.loser,
            "result": self._result if self.over else "",
            "paused": self.paused,
            "delay": self.delay,
        }

    async def news(self) -> AsyncIterator[str]:
        """The game as it stands, now and after every change."""
        self.viewers += 1
        try:
            told: str | None = None
            while True:
                news, now = self._news, self.shown()
                if now is not told:
                    told = now
                    yield now
                else:
                    await news.wait()
        finally:
            self.viewers -= 1

    def _tell(self) -> None:
        self._shown = None
        news, self._news = self._news, asyncio.Event()
        news.set()
        self._changed(self)

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
            sitting = await apart(self._sit, company, [move.turn() for move in self.moves], limit=_LONGEST_START)
        except Exception as error:
            told = "the agents took too long to prepare" if isinstance(error, TimeoutError) else f"{error}"
            self._fail(told)
            return
        self._sitting = sitting
        self._note(sitting)
        while True:
            if sitting.over or sitting.agent(sitting.episode.turn) is None or (self.paused and not self._steps):
                self._woken.clear()
                await self._woken.wait()
                continue
            if self.delay and not self._steps:
                await asyncio.sleep(self.delay / 1000)
                if self.paused:
                    continue
            self._steps = max(0, self._steps - 1)
            self._sitting = None  # the thread has it
            try:
                if await apart(sitting.reply, limit=self._patience + _GRACE) is None:
                    self.loser = self._turn
            except Exception as error:
                late = f"no move within {self._patience:g} seconds"
                cause = late if isinstance(error, TimeoutError) else f"{error}"
                won = "; you win" if len(self.plan.people) == 1 and not self.plan.made.cooperative else ""
                self._end(f"{sitting.name(self._turn)} forfeits: {cause}{won}", self._turn)
                return
            self._sitting = sitting
            self._note(sitting)

    def _sit(self, company: Company, turns: list[Turn]) -> Sitting:
        """The sitting with these moves played, in a thread."""
        plan = self.plan
        person = plan.people[0] if plan.people else NOBODY
        others = [spec for seat, spec in enumerate(plan.seats) if seat != person]
        agents = [None if spec == ME else company.make(spec) for spec in others]
        sitting = Sitting(plan.made, person, agents, plan.seed, plan.start_position, plan.script, plan.pair)
        sitting.resume(turns)
        return sitting

    def _note(self, sitting: Sitting) -> None:
        """Take over what has happened in a sitting."""
        self._line.follow(sitting.episode.history)
        turns, hidden = sitting.turns, self.plan.made.hidden_information and bool(self.plan.people)
        del self.moves[len(turns) :]
        for number in range(len(self.moves), len(turns)):
            move = Move.of(turns[number], self.plan.made, self._line.at(number))
            self.moves.append(move._replace(why=None) if hidden else move)
        self._turn = OVER if sitting.over else sitting.episode.turn
        if sitting.over:
            self._result = sitting.result()
            self.ending = self._result
        self.version += 1
        self._tell()

    def _end(self, ending: str, loser: int) -> None:
        """End the game by something that its rules do not know, as a loss for a seat."""
        self._leave()
        self.loser = loser
        self.ending = self._result = ending
        self._turn = OVER
        self.version += 1
        self._tell()

    def _fail(self, told: str) -> None:
        """The game cannot go on, since its agents cannot be made."""
        self._leave()
        self.failure = told
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
        """Leave the game; it can be taken up again from `data`."""
        self._leave()
        self._advisers.close()

    # --- what people do ----------------------------------------------------------------------------------------------

    def play(self, action: int, version: int) -> None:
        """Play a person's move, in the position that the page showed.

        Raises:
            Refusal: if the position is another one by now, or the move is not the person's or not legal.
        """
        self._check(version)
        if self.over:
            raise Refusal("the game is over; take back, or begin another one", 409)
        if self._sitting is None or self._turn not in self.plan.people:
            raise Refusal("it is not your turn", 409)
        objection = self._sitting.episode.objection(action)
        if objection:
            raise Refusal(objection, 409)
        self._sitting.play(action)
        self._note(self._sitting)
        self._woken.set()

    def _check(self, version: int) -> None:
        if version != self.version:
            raise Refusal("the game has gone on meanwhile, perhaps in another tab; look at the position again", 409)

    def rewind(self, ply: int) -> None:
        """Take back all moves after the first `ply`."""
        if ply >= len(self.moves) and not (self.over and ply == len(self.moves)):
            raise Refusal(f"there are {len(self.moves)} moves; none after move {ply} can be taken back", 409)
        self._line.at(ply)
        history = self._line.history[: self._line.lengths[ply]]
        self._begin_again(self.moves[:ply], history)
        self.taken_back += 1

    def _begin_again(self, moves: list[Move], history: list[int]) -> None:
        self._leave()
        self.moves = list(moves)
        self._line.follow(history)
        self.ending = self._result = self.failure = ""
        self.loser = None
        self._turn = NOBODY
        self.version += 1
        self._tell()
        self._take_up()

    def decide_chance(self, outcome: int, version: int) -> None:
        """Let chance have done something else right before this position.

        Raises:
            Refusal: if it did nothing, or cannot do this.
        """
        self._check(version)
        script = self._line.script(len(self.moves), outcome)
        self.plan = replace(self.plan, script=tuple(script))
        self._begin_again(self.moves, [*self._line.history[:-1], outcome])

    def resign(self, lost: str = "", version: int | None = None) -> None:
        """The person gives up the game; in a match of backgammon, only the game in play.

        Args:
            lost: what, where the rules know several ways, see `Game.resignations`; by default the cheapest.
            version: what the page showed.

        Raises:
            Refusal: if no person plays, there is nothing to resign, or that cannot be lost here.
        """
        if not self.plan.people or self.plan.made.cooperative:
            raise Refusal("nobody here can resign", 409)
        if self.over:
            raise Refusal("the game is over; there is nothing to resign", 409)
        self._check(self.version if version is None else version)
        if not self._line.positions:
            raise Refusal("the game has not begun; there is nothing to resign", 409)
        if lost or self.plan.made.resignations(self._line.positions[-1]):
            self._resign_by_rules(lost)
            return
        seat = self._turn if self._turn in self.plan.people else self.plan.people[0]
        self._end(f"{self.plan.seat_name(seat)} (you) resigned; you lose", seat)

    def _resign_by_rules(self, lost: str) -> None:
        if self._sitting is None or self._turn not in self.plan.people:
            raise Refusal("it is not your turn", 409)
        try:
            self._sitting.resign(lost)
        except ValueError as error:
            raise Refusal(f"{error}") from None
        self._note(self._sitting)
        self._woken.set()

    def pace(self, *, paused: bool | None = None, delay: int | None = None, step: bool = False) -> None:
        """Let agents wait, go on, take their time, or make one move."""
        self.paused = self.paused if paused is None else paused
        self.delay = self.delay if delay is None else delay
        self._steps += step
        self._woken.set()
        self._tell()

    def record(self, format_name: str) -> tuple[str, str]:
        """The game as a file: its name and its text."""
        return written(self.plan, self._line, self.moves, self.ending, format_name)

    async def advice(self, spec: str, ply: int) -> dict[str, Any]:
        """What an agent thinks of a position of this game, see `Advisers`."""
        position = self._line.at(ply)
        return await self._advisers.ask(spec, position, self._line.history[: self._line.lengths[ply]])
