"""Plug-ins: games and learners of installed packages, and of files that an environment variable names.

A package declares `name = "module:Class"` in an entry-point group, and nothing of it is imported until someone asks for
the name. A file, in a list separated as in `PATH`, runs at once, and registers classes itself.
"""

import os
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any

from ludarium.envs.source_file import load_registering


def find_plugins(group: str, variable: str, registered: dict[str, Any], what: str) -> Iterator[tuple[str, ValueError]]:
    """Find the plug-ins of packages, then those of files; they hide nothing that is registered.

    Args:
        group: the entry-point group, such as `"ludarium.games"`; the modules made from files are named after it.
        variable: the environment variable.
        registered: what is known by name: classes, and texts such as `"module:Class"`; the plug-ins are added.
        what: what a file should register, see `load_registering`.

    Yields:
        Each file that cannot be used, and why; those after it run when the next one is asked for.

    Raises:
        ValueError: if a file is interrupted, by Ctrl-C or by itself.
    """
    for point in entry_points(group=group):
        registered.setdefault(point.name, point.value)
    for number, path in enumerate(filter(None, os.environ.get(variable, "").split(os.pathsep))):
        try:
            load_registering(path, f"{group.replace('.', '_')}_{number}", registered, what)
        except ValueError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise ValueError(f"{variable}: {error}") from error
            yield path, error
