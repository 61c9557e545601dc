"""The reference of the Python interface: a page for each package, with the names in its `__all__`."""

import importlib
from typing import Any

from mkdocs.structure.files import File, Files

PACKAGES = ("ludarium", "ludarium.envs", "ludarium.agents", "ludarium.evaluation")


def on_files(files: Files, config: Any) -> None:
    """Add `reference/python/PACKAGE.md`; mkdocstrings fills them from docstrings."""
    for package in PACKAGES:
        text = f"# {package}\n\n" + "".join(f"::: {package}.{name}\n\n" for name in _names(package))
        files.append(File.generated(config, f"reference/python/{package}.md", content=text))


def _names(package: str) -> list[str]:
    return [name for name in importlib.import_module(package).__all__ if name != "__version__"]
