"""Who enters a tournament: agents by their specs, or objects of this process; and the names that tables give them.

An object plays in this process. Elsewhere, in workers and from a store, it must be found again: by its importable name.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ludarium.agents.specs import TRUSTED


def entered(agents: Any, names: tuple[str, ...] = ()) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """The entrants, and their given names: empty for those without one; no names at all if nobody has one.

    Args:
        agents: specs and objects; or a mapping of names to these; a sequence may hold such mappings, too.
        names: given names of all entrants, if they are known already.

    Raises:
        ValueError: for a name that is not printable text, or that belongs to two entrants.
    """
    entries: list[tuple[str, Any]] = []
    for agent in [agents] if isinstance(agents, Mapping) else agents:
        entries += (
            [(_checked(name), one) for name, one in agent.items()] if isinstance(agent, Mapping) else [("", agent)]
        )
    if names and len(names) != len(entries):
        raise ValueError(f"tournament: {len(names)} names were given for {len(entries)} agents")
    own_names = names or tuple(name for name, _ in entries)
    called = tuple(name or own_name(agent) for name, (_, agent) in zip(own_names, entries, strict=True))
    for name, count in Counter(called).items():
        if count > 1 and name in own_names:
            raise ValueError(f"tournament: {count} agents are called {name!r}; give each a name of its own")
    return tuple(agent for _, agent in entries), own_names if any(own_names) else ()


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not name.isprintable() or name != name.strip() or not name:
        raise ValueError(f"tournament: the name of an agent must be printable text, not {name!r}")
    return name


def renamed(agents: Iterable[str], names: Iterable[str]) -> list[Any]:
    """Agents of a command with the names that it gives: each `NAME=SPEC` names the agent written as NAME or as SPEC.

    Raises:
        ValueError: for text of another form, a name given twice, or one that belongs to none of the agents.
    """
    entries: list[Any] = list(agents)
    seen: set[str] = set()
    for text in names:
        name, equals, spec = text.partition("=")
        if not (name and equals and spec):
            raise ValueError(f"--name {text!r}: expected NAME=SPEC, such as careful=careful.py")
        if name in seen:
            raise ValueError(f"--name {text!r}: {name!r} is given twice; give each agent a name of its own")
        if name not in entries and spec not in entries:
            raise ValueError(
                f"--name {text!r}: neither {name!r} nor {spec!r} is one of the agents: {', '.join(agents)}"
            )
        seen.add(name)
        entries = [{name: spec} if agent in (name, spec) else agent for agent in entries]
    return entries


def labelled(agents: Iterable[str], own_names: Iterable[str] | None) -> list[tuple[str, str]]:
    """What each agent of a command is called, by `renamed` or by its spec, and its spec.

    Raises:
        ValueError: as `renamed` and `entered` do.
    """
    specs, names = entered(renamed(agents, own_names or ()))
    return [(name or spec, spec) for name, spec in zip(names or specs, specs, strict=True)]


def own_name(agent: Any) -> str:
    """What an entrant is called without a given name: by its spec, or as the object calls itself."""
    if isinstance(agent, str):
        return agent
    for name in (getattr(agent, "name", None), getattr(agent, "__name__", None)):
        if isinstance(name, str) and name:
            return name
    return type(agent).__name__


def numbered(names: Iterable[str]) -> tuple[str, ...]:
    """Names that differ: the second `random` is called `random (2)`."""
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(f"{name} ({seen[name]})" if seen[name] > 1 else name)
    return tuple(labels)


def importable(agent: Any) -> str | None:
    """The spec by which another process finds an entrant; None for an object that no module holds under its name."""
    if isinstance(agent, str):
        return agent
    module, name = getattr(agent, "__module__", None), getattr(agent, "__qualname__", "")
    held = module != "__main__" and getattr(sys.modules.get(module or ""), name, None) is agent
    return f"{TRUSTED}{module}:{name}" if held else None


def not_importable(name: str) -> str:
    """Why an entrant can neither play on workers nor enter a file."""
    return (
        f"the agent {name!r} has no importable name, by which another process would find it: give a function of a "
        "module or a file, or its spec such as 'bots.py:clever'; without a store and workers it plays here as it is"
    )
