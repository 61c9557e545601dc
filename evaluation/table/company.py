"""The agents of one game, which are made together and closed together."""

import threading

from ludarium.agents.agent import Agent
from ludarium.evaluation.play.calls import attempt
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.table.seating import Seating


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
