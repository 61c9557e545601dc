"""The learners, one row each, by the name that `ludarium train NAME` and the agent `NAME:RUN` use.

Others come from installed packages, through the entry-point group `ludarium.learners` (`name = "module:Class"`), and
from files named in the environment variable `LUDARIUM_LEARNERS`, in which `@register_learner` stands above a class. A
row is all that a learner needs: training, resuming, agents by path and `inspect` find it here.
"""

import importlib
from typing import TYPE_CHECKING, TypeVar

from ludarium.envs.options import did_you_mean
from ludarium.envs.plugins import find_plugins

if TYPE_CHECKING:
    from ludarium.agents.learning.learner import Learner
    from ludarium.agents.learning.presets import Presets

_LEARNERS: "dict[str, str | type[Learner] | Presets]" = {
    "tabular-q": "ludarium.agents.baselines.tabular_q:TabularQ",
    "td": "ludarium.agents.baselines.td.learner:TD",
    "sb3": "ludarium.agents.baselines.sb3.learner:SB3",
    "ifthen": "ludarium.agents.genetic.ifthen:IFTHEN",
    "gaia": "ludarium.agents.genetic.gaia:GAIA",
    "minimax": "ludarium.agents.genetic.minimax:MINIMAX",
    "lcs": "ludarium.agents.lcs:RULES",
    "gengammon": "ludarium.agents.genetic.gengammon:GENGAMMON",
}
_FILES = "LUDARIUM_LEARNERS"
_WHAT = "learner; put @register_learner above its class"
_plugins_found = False

Registered = TypeVar("Registered", bound="type[Learner] | Presets")


def register_learner(learner: Registered) -> Registered:
    """Register a learner under its name: a decorator for a subclass of `Learner`; or a call, for `Presets`.

    Raises:
        ValueError: if another learner has the name.
    """
    registered = _LEARNERS.get(learner.name)
    same_class = isinstance(registered, type) and registered.__qualname__ == getattr(learner, "__qualname__", "")
    if registered is not None and not same_class:
        raise ValueError(f"there is already a learner called {learner.name!r}; choose another name")
    _LEARNERS[learner.name] = learner
    return learner


def learner_names() -> list[str]:
    """Names of all known learners, the built-in ones first."""
    _find_plugins()
    return list(_LEARNERS)


def learner_presets(name: str) -> "Presets":
    """A learner by name.

    Raises:
        ValueError: if no learner has that name, or the plug-in that provides it does not contain one.
    """
    from ludarium.agents.learning.learner import Learner
    from ludarium.agents.learning.presets import Presets

    _find_plugins()
    if name not in _LEARNERS:
        raise ValueError(f"unknown learner {name!r}; {did_you_mean(name, _LEARNERS)}known: {', '.join(_LEARNERS)}")
    target = _LEARNERS[name]
    if isinstance(target, str):
        module, _, attribute = target.partition(":")
        try:
            target = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise ValueError(f"learner {name!r}: the plug-in {_LEARNERS[name]} cannot be loaded: {error}") from error
    if isinstance(target, type) and issubclass(target, Learner):
        target = Presets((target,))
    if not (isinstance(target, Presets) and target.name == name):
        raise ValueError(f"learner {name!r}: the plug-in {_LEARNERS[name]} is not a subclass of Learner of that name")
    return target


def presets_of(learner: "Presets | type[Learner]") -> "Presets":
    """The presets that a class belongs to; a class that is registered nowhere is the only one of its learner."""
    from ludarium.agents.learning.presets import Presets

    if isinstance(learner, Presets):
        return learner
    presets = learner_presets(learner.name) if learner.name in learner_names() else None
    return presets if presets is not None and learner in presets.classes else Presets((learner,))


def _find_plugins() -> None:
    global _plugins_found
    if _plugins_found:
        return
    _plugins_found = True
    for _, error in find_plugins("ludarium.learners", _FILES, _LEARNERS, _WHAT):
        raise ValueError(f"{_FILES}: {error}") from error
