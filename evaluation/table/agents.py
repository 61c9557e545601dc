"""The agents at the table: who may be named, who plays, and who gives advice.

The page may name any built-in agent and any run that was found beside the server, with the options that these declare.
What starts programs, loads files or runs other people's code needs the command's `--allow-programs`, and Python code
then plays in a process of its own, where it can hang or crash without harm. Options that would run the code in a stored
model, or write a file, are for the command line alone.
"""

import asyncio
import os
import threading
from collections.abc import Collection
from typing import Any

from ludarium.agents.agent import Agent
from ludarium.agents.learning.registry import learner_names
from ludarium.agents.specs import given_options, is_foreign, isolated, make_agent, program_prefixes, split_options
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode, agent_seed
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER
from ludarium.envs.opinions import SCORE, Opinion, Opinions
from ludarium.envs.position import Position
from ludarium.envs.registry import parse_value
from ludarium.evaluation.play.calls import Failed, attempt
from ludarium.evaluation.play.opinions import advice_of, line_of, plays, worth_text
from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.plan import Plan, reason_data
from ludarium.evaluation.table.refusal import Refusal

_NEVER = ("trust", "log")  # the first runs what a file holds, the second writes one
_LARGEST = 2**53
_MOST = {"limit": 10_000_000, "table": 24}  # options that take memory: less than a gigabyte for each agent
_MOST_ADVISERS = 8  # of one game at a time
_MOST_ANSWERS = 2000
_MOST_TERMS = 12  # of an evaluation; the others as their sum


class Seating:
    """Makes agents from specs that the page sent.

    Args:
        runs: the folders of runs that were found.
        allow_programs: whether agents may be programs, files, modules, and runs from elsewhere.
        move_time: seconds that agents in processes of their own have for each move.
    """

    def __init__(self, runs: Collection[str], allow_programs: bool, move_time: float) -> None:
        self._runs = {os.path.realpath(run) for run in runs}
        self._allow = allow_programs
        self._move_time = move_time

    def check(self, spec: str) -> None:
        """Refuse a spec that the page may not name; this may take seconds, while libraries are loaded.

        Raises:
            Refusal: if it may not, or there is no such agent or option.
        """
        try:
            name, options = split_options(spec)
        except ValueError as error:
            raise Refusal(f"{error}") from None
        for option in _NEVER:
            if option in options:
                raise Refusal(f"{option} is an option for the command line alone, so {spec[:80]!r} is refused", 403)
        if "?" in name and name.partition(":")[0] not in program_prefixes():
            raise Refusal(f"the agent {spec[:80]!r} has more than one question mark; options follow a single one")
        self._check_numbers(spec, name, options)
        if self._is_tame(name, options):
            try:
                given_options(spec)
            except (ValueError, TypeError) as error:
                raise Refusal(f"{error}") from None
        elif not self._allow:
            raise Refusal(
                f"the agent {spec[:80]!r} starts a program or loads files: start the table with --allow-programs", 403
            )

    def _is_tame(self, name: str, options: dict[str, str]) -> bool:
        """Whether a spec names nothing but a built-in agent, or a run that was found, and no other file."""
        evaluation = options.get("evaluation", "")
        others = [text for option, text in options.items() if option != "evaluation"]
        named = [name, evaluation] if ":" in evaluation else [name]
        return all(map(self._is_known, named)) and not any("/" in text or "\\" in text for text in others)

    def _is_known(self, name: str) -> bool:
        prefix, colon, folder = name.partition(":")
        if colon and prefix in learner_names():
            return os.path.realpath(folder) in self._runs
        return not (colon or name.endswith(".py"))

    def _check_numbers(self, spec: str, name: str, options: dict[str, str]) -> None:
        """Refuse numbers that no agent can use; only those of others may know what to do with one below 0."""
        least = -_LARGEST if is_foreign(spec) else 0
        for option, text in options.items():
            value, most = parse_value(text), _MOST.get(option, _LARGEST)
            if isinstance(value, int | float) and not least <= value <= most:
                raise Refusal(f"agent {name!r}: {option} must be a number from {least} to {most} here, not {text[:40]}")

    def make(self, spec: str, game: Game) -> Agent:
        """The agent, made for a game; this may take seconds.

        Raises:
            Refusal: if there is no such agent, or the game or this table refuses it.
        """
        self.check(spec)
        try:
            guarded = spec
            if is_foreign(spec):
                guarded = isolated(spec)
                if "move_time" not in split_options(spec)[1]:
                    guarded += f"{'&' if '?' in spec else '?'}move_time={self._move_time:g}"
            agent = make_agent(guarded, game)
        except MemoryError:
            raise Refusal(f"the agent {spec!r} needs more memory than there is") from None
        except (ValueError, TypeError, OverflowError, OSError, ModuleNotFoundError) as error:
            raise Refusal(f"{error}") from None
        agent.name = spec
        return agent


class Company:
    """Agents by their specs. Closing it ends their processes, also those of agents that are still being made."""

    def __init__(self, plan: Plan, seating: Seating) -> None:
        self._plan, self._seating = plan, seating
        self._agents: list[Agent] = []
        self._lock, self._closed = threading.Lock(), False

    def make(self, spec: str) -> Agent:
        """One more agent.

        Raises:
            Refusal: if it cannot be made, or the company has been closed.
        """
        agent = self._seating.make(spec, self._plan.made)
        with self._lock:
            if not self._closed:
                self._agents.append(agent)
                return agent
        attempt(agent.close)
        raise Refusal("the game has been left", 409)

    def close(self) -> None:
        """Release what the agents hold; in a thread of its own, since a program may take its time."""
        with self._lock:
            self._closed, agents, self._agents = True, self._agents, []
        threading.Thread(target=lambda: [attempt(agent.close) for agent in agents], daemon=True).start()


class Advisers:
    """The advisers of one game; each is asked one question at a time, and none twice.

    Args:
        plan: the game.
        seating: makes them.
        patience: seconds that one may think.
    """

    def __init__(self, plan: Plan, seating: Seating, patience: float) -> None:
        self._plan, self._seating, self._patience = plan, seating, patience
        self._companies: dict[str, Company] = {}
        self._agents: dict[str, Agent] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._answers: dict[tuple[Any, ...], dict[str, Any]] = {}

    async def ask(self, spec: str, position: Position, history: list[int]) -> dict[str, Any]:
        """The advice of one agent, as JSON; always the same for the same game.

        Raises:
            Refusal: if there is no move to advise, it may not see the position, or it has no answer.
        """
        game = self._plan.made
        if position.turn == OVER:
            raise Refusal("the game is over; there is no move to advise", 409)
        if game.hidden_information and self._plan.people and position.turn not in self._plan.people:
            raise Refusal("advice for another seat would tell what you may not see", 403)
        await apart(self._seating.check, spec)
        asked = (spec, tuple(history))
        async with self._locks.setdefault(spec, asyncio.Lock()):
            if asked not in self._answers:
                agent = await self._agent(spec)
                try:
                    answer = await apart(advise, agent, self._plan, position, history, limit=self._patience)
                except TimeoutError:
                    self._drop(spec)
                    raise Refusal(f"{spec} has no answer within {self._patience:g} seconds", 503) from None
                if len(self._answers) >= _MOST_ANSWERS:
                    self._answers.clear()
                self._answers[asked] = answer
            return self._answers[asked]

    async def _agent(self, spec: str) -> Agent:
        if spec not in self._agents:
            for other in list(self._agents)[: max(0, len(self._agents) - _MOST_ADVISERS + 1)]:
                self._drop(other)
            self._companies[spec] = Company(self._plan, self._seating)
            self._agents[spec] = await apart(self._companies[spec].make, spec)
        return self._agents[spec]

    def _drop(self, spec: str) -> None:
        self._agents.pop(spec, None)
        company = self._companies.pop(spec, None)
        if company is not None:
            company.close()

    def close(self) -> None:
        """Release the advisers."""
        for spec in list(self._companies):
            self._drop(spec)


def advise(agent: Agent, plan: Plan, position: Position, history: list[int]) -> dict[str, Any]:
    """What an agent would play in a position, why, and what it thinks of every move if it can say."""
    game, seat = plan.made, position.turn
    seed = agent_seed(agent, child_key(seed_key(plan.seed), plan.pair), seat)
    episode = Episode(game, seed_key(0), position, [])
    info = episode.info(seat, agent)
    if "history" in info:
        info["history"] = tuple(history)
    advice: dict[str, Any] = {"agent": agent.name, "seat": seat, "move": None, "reason": None, "note": ""}
    advice |= {"unit": "", "comparable": False, "even": game.even, "played": None, "opinions": []}
    answer = advice_of(agent, episode, (position.observe(seat), position.action_mask(), info), seed)
    if isinstance(answer, Failed):
        return advice | {"note": f"no advice: {answer.cause}"}
    if answer.opinions is not None:
        advice |= {"unit": answer.opinions.unit, "comparable": answer.opinions.unit != SCORE}
        if answer.opinions.unit != game.unit and game.even is not None:
            advice["even"] = 0.0
        advice |= {"played": answer.action, "opinions": _opinions(position, answer.opinions)}
    written = game.action_to_str(position, answer.action)
    advice["move"] = {"action": answer.action, "text": written, "play": game.turn_text(position, [answer.action])}
    advice["reason"] = reason_data(answer.reason, game, position)
    return advice


def _opinions(position: Position, opinions: Opinions) -> list[dict[str, Any]]:
    game, play_of = position.game, plays(position, opinions)
    return [
        _opinion(position, opinion) | {
            "play": play_of[opinion.action].text, "worth": worth_text(game, opinion, opinions)
        }
        for opinion in opinions
    ]  # fmt: skip


def _opinion(position: Position, opinion: Opinion) -> dict[str, Any]:
    return {
        "action": opinion.action,
        "text": position.game.action_to_str(position, opinion.action),
        "value": opinion.value,
        "exact": opinion.exact,
        "bound": opinion.bound,
        "plies": opinion.plies,
        "error": opinion.error,
        "depth": opinion.depth,
        "nodes": opinion.nodes,
        "line": line_of(position, opinion),
        "terms": [[term.name, term.amount, term.weight, term.value] for term in opinion.terms[:_MOST_TERMS]],
        "other_terms": sum(term.value for term in opinion.terms[_MOST_TERMS:]),
        "odds": [list(odds) for odds in opinion.odds],
    }
