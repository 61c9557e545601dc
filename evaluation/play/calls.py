"""Calls into agents. Whatever an agent raises or returns, the caller gets a legal action or the cause of a failure."""

import inspect
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from ludarium.agents.agent import Agent, AgentFailure, CompiledAgent, Reason, in_this_folder, is_interrupt
from ludarium.envs.episode import Episode

_LONGEST_CAUSE = 500  # characters; a list of legal moves can be long


class Failed(NamedTuple):
    """A failed call, with its cause in words."""

    cause: str


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; return its result or `Failed`. Only Ctrl-C gets through, not `sys.exit` and the like."""
    try:
        return function(*arguments)
    except BaseException as error:
        if is_interrupt(error):
            raise
        return Failed(cause_of(error))


def call_agent(function: Callable[..., Any], *arguments: Any) -> Any:
    """As `attempt`; afterwards the working directory is what it was, since others' relative paths start there."""
    if isinstance(getattr(function, "__self__", function), CompiledAgent):  # ours, which stays where it is
        return attempt(function, *arguments)
    with in_this_folder():
        return attempt(function, *arguments)


def cause_of(error: BaseException) -> str:
    """Describe an agent's error; making its text may fail, and the text may be unfit to store."""
    try:
        text = str(error) if isinstance(error, AgentFailure) else f"raised {error!r}"
    except BaseException as another:
        if is_interrupt(another):
            raise
        text = f"raised {type(error).__name__}"
    return _storable(text)


def action_of(episode: Episode, answer: Any) -> int | Failed:
    """The action an answer stands for, or why it cannot be played here.

    The answer may be anything. It is read only once, so the action played is the one that was checked.
    """
    if isinstance(answer, Failed):
        return answer
    number = attempt(operator.index, answer)
    if isinstance(number, Failed):
        return Failed(_storable(f"{episode.game.name}: an action is an integer, not {_shown(answer)}"))
    action = int.__int__(number)  # a plain int: a subclass may redefine comparison
    objection = attempt(episode.objection, action)  # a number may be too large to print
    if isinstance(objection, Failed):
        return objection
    return Failed(_storable(objection)) if objection else action


def reason_of(agent: Agent, shown: tuple[Any, ...]) -> Reason:
    """Why the agent plays what it just chose."""

    def ask() -> Reason:
        said = agent.explain(*shown)
        return said if isinstance(said, Reason) else Reason(inspect.cleandoc(said))

    said = attempt(ask)  # an explanation is a favour
    return Reason(f"it cannot explain it: {said.cause}") if isinstance(said, Failed) else said


def _storable(text: str) -> str:
    """The text, made valid UTF-8 and cut to a maximum length."""
    return str.encode(text, "utf-8", "backslashreplace").decode()[:_LONGEST_CAUSE]


def _shown(answer: Any) -> str:
    shown = attempt(repr, answer)
    return f"a {type(answer).__name__}" if isinstance(shown, Failed) else shown
