"""What agents that do not play think of a position: the move that they would make, and what each move is worth."""

import asyncio
from typing import Any

from ludarium.agents.agent import Agent
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode, agent_seed
from ludarium.envs.game import Position
from ludarium.envs.kernels import OVER
from ludarium.envs.opinions import SCORE, Opinion, Opinions
from ludarium.evaluation.play.calls import Failed
from ludarium.evaluation.play.opinions import advice_of, line_of, plays, worth_text
from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.company import Company
from ludarium.evaluation.table.moves import reason_data
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.table.seating import Seating

_MOST = 8  # advisers of one game at a time
_MOST_ANSWERS = 2000
_MOST_TERMS = 12  # of an evaluation; the others as their sum


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
            for other in list(self._agents)[: max(0, len(self._agents) - _MOST + 1)]:
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
    found = advice_of(agent, episode, (position.observe(seat), position.action_mask(), info), seed)
    if isinstance(found, Failed):
        return advice | {"note": f"no advice: {found.cause}"}
    if found.opinions is not None:
        advice |= {"unit": found.opinions.unit, "comparable": found.opinions.unit != SCORE}
        if found.opinions.unit != game.unit and game.even is not None:
            advice["even"] = 0.0
        advice |= {"played": found.action, "opinions": _opinions(position, found.opinions)}
    written = game.action_to_str(position, found.action)
    advice["move"] = {"action": found.action, "text": written, "play": game.turn_text(position, [found.action])}
    advice["reason"] = reason_data(found.reason, game, position)
    return advice


def _opinions(position: Position, opinions: Opinions) -> list[dict[str, Any]]:
    game, known = position.game, plays(position, opinions)
    return [
        _opinion(position, opinion) | {
            "play": known[opinion.action].text, "worth": worth_text(game, opinion, opinions)
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
