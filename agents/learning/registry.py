"""The learners, one row each, by the name that `ludarium train NAME` and the agent `NAME:RUN` use.

Others come from installed packages, through the entry-point group `ludarium.learners` (`name = "module:Class"`), and
from files named in the environment variable `LUDARIUM_LEARNERS`, in which `@register_learner` stands above a class. A
row is all that a learner needs: training, resuming, agents by path and `inspect` find it here.
"""

import difflib
import importlib
from typing import TYPE_CHECKING, TypeVar

from ludarium.envs.plugins import find_plugins

if TYPE_CHECKING:
    from ludarium.agents.learning.learner import Learner

_LEARNERS: "dict[str, str | type[Learner]]" = {
    "tabular-q": "ludarium.agents.baselines.tabular_q:TabularQ",
    "td": "ludarium.agents.baselines.td.learner:TD",
    "sb3": "ludarium.agents.baselines.sb3.learner:SB3Training",
    "ifthen": "ludarium.agents.genetic.ifthen.learner:IfThen",
    "gaia": "ludarium.agents.genetic.gaia.learner:Gaia",
    "minimax": "ludarium.agents.genetic.minimax.learner:Minimax",
    "lcs": "ludarium.agents.lcs.learner:LCS",
    "gengammon": "ludarium.agents.genetic.gengammon.learner:Gengammon",
}
_FILES = "LUDARIUM_LEARNERS"
_WHAT = "learner; put @register_learner above its class"
_plugins_found = False

Kind = TypeVar("Kind", bound="type[Learner]")


def register_learner(kind: Kind) -> Kind:
    """Register a learner under its name: a decorator for subclasses of `Learner`.

    Raises:
        ValueError: if another learner has the name.
    """
    known = _LEARNERS.get(kind.name)
    if known is not None and not (isinstance(known, type) and known.__qualname__ == kind.__qualname__):
        raise ValueError(f"there is already a learner called {kind.name!r}; choose another name")
    _LEARNERS[kind.name] = kind
    return kind


def learner_names() -> list[str]:
    """Names of all known learners, the built-in ones first."""
    _find_plugins()
    return list(_LEARNERS)


def learner_class(name: str) -> "type[Learner]":
    """The class of a learner.

    Raises:
        ValueError: if no learner has that name, or the plug-in that provides it does not contain one.
    """
    _find_plugins()
    if name not in _LEARNERS:
        close = difflib.get_close_matches(name, _LEARNERS, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(f"unknown learner {name!r}; {hint}known: {', '.join(_LEARNERS)}")
    target = _LEARNERS[name]
    if isinstance(target, str):
        from ludarium.agents.learning.learner import Learner

        module, _, attribute = target.partition(":")
        try:
            found = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise ValueError(f"learner {name!r}: the plug-in {target} cannot be loaded: {error}") from error
        if not (isinstance(found, type) and issubclass(found, Learner) and found.name == name):
            raise ValueError(f"learner {name!r}: the plug-in {target} is not a subclass of Learner of that name")
        _LEARNERS[name] = target = found
    return target


def _find_plugins() -> None:
    global _plugins_found
    if _plugins_found:
        return
    _plugins_found = True
    for _, error in find_plugins("ludarium.learners", _FILES, _LEARNERS, _WHAT):
        raise ValueError(f"{_FILES}: {error}") from error
