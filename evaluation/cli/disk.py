"""The command that says what the package takes on disk."""

import os
import re
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from ludarium.evaluation.cli.terminal import app, print_line, say

_COMPILED = (".nbc", ".nbi")
_LARGE = 10**6  # bytes; smaller packages share a line


@app.command(rich_help_panel="Look up")
def disk() -> None:
    """Say what the package, the packages that it needs and its compiled code take on disk."""
    ours = [file for folder in _our_folders() for file in folder.rglob("*")]
    compiled = {file for folder in _compiled_folders() for file in folder.rglob("*") if file.suffix in _COMPILED}
    sizes = {name: _size(_files(package)) for name, package in _needed("ludarium").items() if name != "ludarium"}
    large = {name: size for name, size in sizes.items() if size >= _LARGE}
    large |= {"ludarium": _size(set(ours) - compiled), "compiled code": _size(compiled)}
    large["smaller packages"] = sum(size for size in sizes.values() if size < _LARGE)
    for name, size in sorted(large.items(), key=lambda item: -item[1]):
        _say_size(size, name)
    _say_size(sum(large.values()), "in all, without extras")
    if compiled:
        say(f"compiled code is below {os.path.commonpath(compiled)}, in *.nbc and *.nbi; it may be deleted", "dim")


def _say_size(size: int, name: str) -> None:
    print_line(f"{size / 1e6:8.1f} MB  {name}")


def _our_folders() -> list[Path]:
    """The folders of the package's code."""
    from ludarium import agents, envs, evaluation

    return [Path(module.__path__[0]).resolve() for module in (envs, agents, evaluation)]


def _compiled_folders() -> list[Path]:
    """Where Numba keeps compiled code: in a given folder, or beside its source, or else in the user's cache."""
    if folder := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(folder)]
    from numba.misc.appdirs import AppDirs

    return [*_our_folders(), Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)]


def _needed(name: str) -> dict[str, Distribution]:
    """A package and all that it needs without extras, by name."""
    needed: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        name = waiting.pop()
        try:
            needed[name] = distribution(name)
        except PackageNotFoundError:  # another system or version of Python needs it
            continue
        needs = (need for need in needed[name].requires or () if "extra ==" not in need)
        names = (re.split(r"[^\w.-]", need, maxsplit=1)[0] for need in needs)
        waiting += (other for other in names if other not in needed)
    return needed


def _files(package: Distribution) -> list[Path]:
    return [Path(str(package.locate_file(file))) for file in package.files or ()]


def _size(files: Iterable[Path]) -> int:
    """The bytes in those of these files that are there."""
    return sum(file.stat().st_size for file in files if file.is_file())
