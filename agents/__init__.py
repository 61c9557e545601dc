"""The agent protocol, and the agents that come with the package."""

from ludarium.agents.agent import Agent, AgentFailure, takes
from ludarium.agents.conformance import check_agent
from ludarium.agents.specs import agent_names, agent_options, make_agent

__all__ = ["Agent", "AgentFailure", "agent_names", "agent_options", "check_agent", "make_agent", "takes"]
