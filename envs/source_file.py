"""Loads a Python file as a module: agents, games and learners can come from files that are not in a package."""

import contextlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any


def load_source(path: str, name: str) -> ModuleType:
    """Run a file, whatever its extension, as a module that can be imported under the given name from then on.

    Raises:
        Exception: whatever reading or running the file raises; then no module remains.
    """
    loader = SourceFileLoader(name, path)
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def load_registering(path: str, name: str, registered: dict[str, Any], what: str) -> list[str]:
    """Run a file that registers classes, as a module that worker processes can find under the same name.

    Args:
        path: the file.
        name: the module's name.
        registered: where it registers them, by name; a text such as `"module:Class"` stands for a class that nobody
            has asked for.
        what: what it should register and how, for the error: `"game; decorate one with @register_game"`.

    Returns:
        The names that it registered.

    Raises:
        ValueError: if it cannot be run, wants to end the process, or registers nothing; then all is as it was. If it
            ends the process, nothing can be raised; a sentence on standard error then names it.
    """
    if not os.path.isfile(path):
        raise ValueError(f"the file {path!r} cannot be run: there is none; relative paths start at {os.getcwd()!r}")
    before = dict(registered)
    try:
        with _named_if_it_ends_the_process(path):
            load_source(path, name)
    except BaseException as error:  # it may want to exit
        registered.clear()
        registered.update(before)
        raise ValueError(f"the file {path!r} cannot be run: {error!r}") from error
    classes = [
        key
        for key, kind in registered.items()
        if before.get(key) not in (kind, f"{kind.__module__}:{kind.__qualname__}" if isinstance(kind, type) else "")
    ]
    if not classes:
        raise ValueError(f"the file {path!r} registers no {what}")
    return classes


@contextlib.contextmanager
def _named_if_it_ends_the_process(path: str) -> Iterator[None]:
    """Within it, another process watches, and tells people which file was run if this one ends."""
    message = f"ludarium: the file {path!r} ended the process that ran it"
    watch = 'trap "" INT; read -r done || printf "%s\\n" "$1" >&2'
    with subprocess.Popen(["/bin/sh", "-c", watch, "sh", message], stdin=subprocess.PIPE) as watcher:
        try:
            yield
        finally:
            watcher.communicate(b"done\n")
