"""Machine, versions and command line of this process, for a store's record of sessions."""

import os
import platform
import shlex
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

_PACKAGES = (
    "ludarium", "numpy", "numba", "gymnasium", "pettingzoo", "distributed", "torch", "stable-baselines3", "sb3-contrib",
)  # fmt: skip
_CPU_INFO = Path("/proc/cpuinfo")


class Machine(NamedTuple):
    """Where a process runs, and with which software.

    Attributes:
        system: operating system and its version.
        processor: the processor's name, as far as the system reports it.
        cores: number of logical cores.
        python: version of Python.
        packages: versions of this package and its main dependencies, as far as they are installed.
    """

    system: str
    processor: str
    cores: int
    python: str
    packages: dict[str, str]

    def __str__(self) -> str:
        software = ", ".join(f"{name} {number}" for name, number in self.packages.items())
        return f"{software}, Python {self.python} on {self.system}, {self.processor}, {self.cores} cores"


@cache
def machine() -> Machine:
    """The machine of this process."""
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return Machine(platform.platform(), _processor(), os.cpu_count() or 1, platform.python_version(), packages)


def _processor() -> str:
    """The processor's name; Linux reports the model only in a file."""
    if _CPU_INFO.exists():
        for line in _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def command_line() -> str:
    """The command line of this process, quoted for a shell, with the program's name instead of its path.

    Bytes in names of files that are not UTF-8 are written as Python's strings show them.
    """
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]).encode("utf-8", "backslashreplace").decode("utf-8")
