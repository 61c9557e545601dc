"""Loads a Python file as a module: agents and games can come from files that are not in a package."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType


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
