"""The server: the page's files, and the API under `/api/`, JSON in and out, that `docs/table/api.md` describes."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ludarium.agents.worker_process import WorkerDied
from ludarium.evaluation.table import lobby, records
from ludarium.evaluation.table.apart import Processes, apart
from ludarium.evaluation.table.game import Session
from ludarium.evaluation.table.guard import LARGEST_BODY, Guard, TooLarge
from ludarium.evaluation.table.plan import LARGEST_SEED, Plan
from ludarium.evaluation.table.records import StoredGames
from ludarium.evaluation.table.refusal import Body, Refusal
from ludarium.evaluation.table.store import PeoplesGames, Tables
from ludarium.evaluation.tournament.store import StoreError

_PAGE = Path(__file__).parent / "page"
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_LONGEST_SPEC, _LONGEST_POSITION, _MOST_SEATS, _MOST_PLIES = 500, 10_000, 10, 1_000_000
_SLOWEST = 10_000  # milliseconds between moves
_LONGEST_READING = 10  # seconds
_readers = Processes(2, records.prepare)  # of uploaded files, so that none can stop or break the server

_Handler = Callable[[Request], Awaitable[Response]]


class Api:
    """The handlers of the API.

    Args:
        tables: the games.
        folders: the runs that were found.
        allow_programs: whether the page may name programs.
        stored: the games of a tournament, if there is one to look at.
        people: where finished games can be kept.
    """

    def __init__(
        self,
        tables: Tables,
        folders: list[str],
        allow_programs: bool,
        stored: StoredGames | None,
        people: PeoplesGames | None,
    ) -> None:
        self._tables, self._folders, self._allow_programs = tables, folders, allow_programs
        self._stored, self._people = stored, people
        self._pictures: dict[str, str] = {}

    def routes(self) -> list[Route]:
        """The API's addresses."""
        table = "/api/tables/{key}"
        return [
            _route("/api/lobby", self.lobby, "GET"),
            _route("/api/agents/{game}", self.agents, "GET"),
            _route("/api/runs/{game}", self.runs, "GET"),
            _route("/api/pictures/{game}", self.picture, "GET"),
            _route("/api/tables", self.open, "POST"),
            _route(table, self.show, "GET"),
            _route(f"{table}/events", self.events, "GET"),
            _route(table + "/plies/{ply:int}", self.view, "GET"),
            _route(table + "/plies/{ply:int}/after/{action:int}", self.preview, "GET"),
            _route(table + "/plies/{ply:int}/known", self.known, "GET"),
            _route(table + "/record/{format}", self.record, "GET"),
            _route("/api/records", self.take_up, "POST"),
            _route("/api/stored", self.stored, "GET"),
            _route("/api/stored", self.open_stored, "POST"),
            _route(f"{table}/play", self.play, "POST"),
            _route(f"{table}/rewind", self.rewind, "POST"),
            _route(f"{table}/chance", self.chance, "POST"),
            _route(f"{table}/resign", self.resign, "POST"),
            _route(f"{table}/pace", self.pace, "POST"),
            _route(f"{table}/advice", self.advice, "POST"),
            _route(f"{table}/again", self.again, "POST"),
            _route(f"{table}/keep", self.keep, "POST"),
            _route(f"{table}/forget", self.forget, "POST"),
        ]

    async def lobby(self, request: Request) -> Response:
        games = await apart(lobby.games)
        store = "" if self._people is None else self._people.name
        return JSONResponse(
            {"games": games, "tables": self._tables.latest(), "programs": self._allow_programs, "store": store}
        )

    async def agents(self, request: Request) -> Response:
        return JSONResponse({"agents": await apart(lobby.agents, request.path_params["game"])})

    async def runs(self, request: Request) -> Response:
        return JSONResponse({"runs": await apart(lobby.runs, self._folders, request.path_params["game"])})

    async def picture(self, request: Request) -> Response:
        game = request.path_params["game"]
        if game not in self._pictures:
            self._pictures[game] = await apart(lobby.picture, game)
        return JSONResponse({"svg": self._pictures[game]})

    async def open(self, request: Request) -> Response:
        body = await _body(request, "game", "seats", "seed", "position")
        plan = await apart(
            Plan.of,
            body.text("game", _LONGEST_SPEC),
            body.texts("seats", _MOST_SEATS, _LONGEST_SPEC),
            body.number("seed", 0, LARGEST_SEED) if "seed" in body else None,
            body.text("position", _LONGEST_POSITION) if "position" in body else None,
        )
        return JSONResponse({"key": (await self._tables.open(self._dealt(plan, "seed" in body))).key}, 201)

    def _dealt(self, plan: Plan, seeded: bool) -> Plan:
        """The plan, with chance that the store of people's games can keep unless a seed was given."""
        return plan if seeded or self._people is None else self._people.deal(plan)

    async def show(self, request: Request) -> Response:
        return Response(self._session(request).shown(), media_type="application/json")

    async def events(self, request: Request) -> Response:
        session = self._session(request)

        async def stream() -> AsyncIterator[str]:
            try:
                async for shown in session.news():
                    yield f"data: {shown}\n\n"
            finally:
                self._tables.looked_away(session)

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def view(self, request: Request) -> Response:
        return JSONResponse(self._session(request).line.view(request.path_params["ply"]))

    async def preview(self, request: Request) -> Response:
        ply, action = request.path_params["ply"], request.path_params["action"]
        return JSONResponse({"svg": self._session(request).line.preview(ply, action)})

    async def known(self, request: Request) -> Response:
        return JSONResponse({"svg": self._session(request).line.known(request.path_params["ply"])})

    async def record(self, request: Request) -> Response:
        name, text = self._session(request).record(request.path_params["format"])
        return JSONResponse({"name": name, "text": text})

    async def take_up(self, request: Request) -> Response:
        body = await _body(request, "name", "text")
        name_and_text = body.text("name", _LONGEST_SPEC), body.text("text", LARGEST_BODY)
        try:
            data = json.loads(await _readers.call(records.read_data, *name_and_text, limit=_LONGEST_READING))
        except TimeoutError:
            raise Refusal(f"reading this file took more than {_LONGEST_READING} seconds and was given up") from None
        except WorkerDied as death:
            raise Refusal(f"the process that read this file {death}; it cannot be opened here") from None
        session = await self._tables.open(Plan.from_data(data["plan"]), data["kept"])
        return JSONResponse({"key": session.key}, 201)

    async def stored(self, request: Request) -> Response:
        return JSONResponse({"name": "", "count": 0, "games": []} if self._stored is None else self._stored.listed())

    async def open_stored(self, request: Request) -> Response:
        body = await _body(request, "key")
        if self._stored is None:
            raise Refusal("no store is open: start the table with one, `ludarium table nine.db`", 404)
        plan, kept = await apart(self._stored.taken_up, body.text("key", _LONGEST_SPEC))
        return JSONResponse({"key": (await self._tables.open(plan, kept)).key}, 201)

    async def play(self, request: Request) -> Response:
        body = await _body(request, "action", "version")
        session = self._session(request)
        action = body.number("action", 0, session.plan.made.actions - 1)
        await session.play(action, _version(body))
        return JSONResponse({"version": session.version})

    async def rewind(self, request: Request) -> Response:
        body = await _body(request, "ply", "version")
        session = self._session(request)
        await session.rewind(body.number("ply", 0, _MOST_PLIES), _version(body))
        return JSONResponse({"version": session.version})

    async def chance(self, request: Request) -> Response:
        body = await _body(request, "outcome", "version")
        session = self._session(request)
        await session.decide_chance(body.number("outcome", 0, LARGEST_SEED), _version(body))
        return JSONResponse({"version": session.version})

    async def resign(self, request: Request) -> Response:
        body = await _body(request, "lost", "version")
        session = self._session(request)
        await session.resign(body.text("lost", _LONGEST_SPEC) if "lost" in body else "", _version(body))
        return JSONResponse({"version": session.version})

    async def pace(self, request: Request) -> Response:
        body = await _body(request, "paused", "delay", "step")
        session = self._session(request)
        await session.pace(
            paused=body.flag("paused") if "paused" in body else None,
            delay=body.number("delay", 0, _SLOWEST) if "delay" in body else None,
            step="step" in body and body.flag("step"),
        )
        return JSONResponse({"paused": session.now.paused, "delay": session.now.delay})

    async def advice(self, request: Request) -> Response:
        body = await _body(request, "agent", "ply")
        session = self._session(request)
        return JSONResponse(await session.advice(body.text("agent", _LONGEST_SPEC), body.number("ply", 0, _MOST_PLIES)))

    async def again(self, request: Request) -> Response:
        body = await _body(request, "swap", "seed")
        plan = self._session(request).plan
        seats = plan.seats[1:] + plan.seats[:1] if "swap" in body and body.flag("swap") else plan.seats
        seed = body.number("seed", 0, LARGEST_SEED) if "seed" in body else None
        following = self._dealt(Plan.of(plan.game, seats, seed, plan.start), seed is not None)
        return JSONResponse({"key": (await self._tables.open(following)).key}, 201)

    async def keep(self, request: Request) -> Response:
        await _body(request)
        session = self._session(request)
        if self._people is None:
            raise Refusal("there is no store to keep games in: start the table with one, --store people.db", 404)
        try:
            return JSONResponse({"key": await apart(self._people.keep, session.now), "store": self._people.name})
        except StoreError as error:
            raise Refusal(f"{error}", 409) from None

    async def forget(self, request: Request) -> Response:
        await _body(request)
        await self._tables.forget(request.path_params["key"])
        return JSONResponse({})

    def _session(self, request: Request) -> Session:
        return self._tables.get(request.path_params["key"])


async def _body(request: Request, *fields: str) -> Body:
    """The JSON that a request brought."""
    try:
        raw = await request.body()
    except TooLarge as error:
        raise Refusal(f"{error}", 413) from None
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refusal("the request is not JSON") from None
    return Body(data, fields)


def _version(body: Body) -> int:
    """For which version of the game a change is asked."""
    return body.number("version", 0, LARGEST_SEED)


def _route(path: str, handler: _Handler, method: str) -> Route:
    """An address; what its handler refuses is answered with a sentence."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except Refusal as error:
            return JSONResponse({"error": f"{error}"}, error.status)
        except ClientDisconnect:
            return Response(status_code=400)

    return Route(path, answer, methods=[method])


async def _page(request: Request) -> Response:
    """A file of the page; `/` is the page itself."""
    name = request.path_params.get("name", "index.html")
    path = _PAGE / name
    if name not in _FILES:
        return JSONResponse({"error": "there is no such page"}, 404)
    return Response(path.read_bytes(), media_type=_TYPES[path.suffix])


_FILES = {path.name for path in _PAGE.iterdir() if path.suffix in _TYPES}


async def _unknown(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "there is no such address, or not for this method"}, 404)


async def _broken(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "the server failed to do this; its terminal says why"}, 500)


def application(
    tables: Tables,
    folders: list[str],
    *,
    port: int,
    token: str,
    allow_programs: bool = False,
    stored: StoredGames | None = None,
    people: PeoplesGames | None = None,
) -> Guard:
    """The server as an ASGI application.

    Args:
        tables: the games.
        folders: the runs that were found.
        port: where it listens.
        token: what requests to the API must bring.
        allow_programs: whether the page may name programs.
        stored: the games of a tournament, if there is one to look at.
        people: where finished games can be kept.
    """
    api = Api(tables, folders, allow_programs, stored, people)
    routes = [Route("/", _page), Route("/page/{name}", _page), *api.routes()]
    handlers: Any = {404: _unknown, 405: _unknown, Exception: _broken}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), port, token)
