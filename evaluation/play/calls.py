"""Calls into agents. What an agent raises or returns stays with it: it comes out as an action of ours or as a cause."""

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from ludarium.agents.agent import AgentFailure
from ludarium.envs.episode import Episode

_LONGEST_CAUSE = 500  # characters; a list of legal moves can be long


class Failed(NamedTuple):
    """A call that came to nothing, and why, for people to read."""

    cause: str


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns, or `Failed`. Only Ctrl-C gets through: `sys.exit` and the like are the agent's affair."""
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Failed(cause_of(error))


def cause_of(error: BaseException) -> str:
    """What is said of an error of an agent's; its text may fail or be unfit to be stored."""
    try:
        text = str(error) if isinstance(error, AgentFailure) else f"raised {error!r}"
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = f"raised {type(error).__name__}"
    return _storable(text)


def action_of(episode: Episode, answer: Any) -> int | Failed:
    """The action that an answer stands for, or why it cannot be played here.

    The answer may be anything; it is looked at once, so what is played is what was found to be legal.
    """
    if isinstance(answer, Failed):
        return answer
    number = attempt(operator.index, answer)
    if isinstance(number, Failed):
        return Failed(_storable(f"{episode.game.name}: an action is an integer, not {_shown(answer)}"))
    action = int.__int__(number)  # not a subclass, which may compare as it likes
    objection = attempt(episode.objection, action)  # a number may be too large to be written
    if isinstance(objection, Failed):
        return objection
    return Failed(_storable(objection)) if objection else action


def _storable(text: str) -> str:
    """A text that can be written as UTF-8, and is not too long."""
    return str.encode(text, "utf-8", "backslashreplace").decode()[:_LONGEST_CAUSE]


def _shown(answer: Any) -> str:
    shown = attempt(repr, answer)
    return f"a {type(answer).__name__}" if isinstance(shown, Failed) else shown
