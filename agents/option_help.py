"""What options mean: the sentences under `Attributes:` and `Args:` in docstrings, where each stands once."""

import inspect
import re
from typing import Any

_SECTIONS = ("Attributes:", "Args:")
_ENTRY = re.compile(r" {4}(\w+): (.+)")


def option_help(owner: Any) -> dict[str, str]:
    """What the options of a function or a class mean.

    Args:
        owner: a factory of agents or a learner's class; a class also has the options of its bases.

    Returns:
        By name, what the docstrings say, as plain text in one line; nothing for options that they leave out.
    """
    entries: dict[str, str] = {}
    for part in reversed(inspect.getmro(owner)) if isinstance(owner, type) else (owner,):
        entries |= _entries(_docstring(part))
    return {name: text.replace("`", "") for name, text in entries.items()}


def summary(owner: Any) -> str:
    """What a function or a class is: the first line of its docstring, as plain text."""
    return _docstring(owner).partition("\n")[0].replace("`", "")


def _docstring(owner: Any) -> str:
    """The docstring of a function, or of the method that it overrides; of a class, but not one that it inherits."""
    return (vars(owner).get("__doc__") if isinstance(owner, type) else inspect.getdoc(owner)) or ""


def _entries(docstring: str) -> dict[str, str]:
    entries: dict[str, str] = {}
    name = section = ""
    for line in inspect.cleandoc(docstring).splitlines():
        if line and not line.startswith(" "):
            section, name = line, ""
        elif section in _SECTIONS:
            if entry := _ENTRY.fullmatch(line):
                name = entry[1]
                entries[name] = entry[2]
            elif name and line:
                entries[name] += f" {line.strip()}"
    return entries
