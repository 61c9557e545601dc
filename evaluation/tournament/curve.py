"""The curve of a tournament: checkpoints that training runs have kept, as entrants against its other agents.

A run is given as its folder, or as its agent, `td:runs/x` or `lcs:runs/x?member=3`; its checkpoints are the agents
`td:runs/x@20`, …. Runs of one curve differ in their seed alone, so that the curve has a band over seeds.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ludarium.agents.learning.checkpoint import kept_checkpoints, options_in
from ludarium.agents.learning.registry import learner_names


def read_curve(setting: Any) -> tuple[str, ...]:
    """The runs of a curve as agents, from what a file or a program says: one of them, or a list.

    Raises:
        ValueError: for anything else, a folder that holds no run, or a run given twice.
    """
    runs = [setting] if isinstance(setting, str) else setting
    if not isinstance(runs, Sequence) or not all(isinstance(run, str) for run in runs):
        raise ValueError(f"tournament: curve must be a run, such as 'td:runs/x', or a list of runs, not {setting!r}")
    agents = tuple(map(_as_agent, runs))
    if len(set(agents)) < len(agents):
        raise ValueError(f"tournament: curve: a run is given twice: {', '.join(agents)}")
    return agents


def _as_agent(run: str) -> str:
    name, colon, _ = run.partition(":")
    if colon and name in learner_names():
        return run
    learner = options_in(Path(run)).get("learner")
    if learner is None:
        raise ValueError(f"tournament: curve: {run!r} is no training run: expected its folder, or its agent: td:runs/x")
    return f"{learner}:{run}"


def with_checkpoints(agents: Any, curve: Sequence[str]) -> Any:
    """The agents of a tournament and, at the end, all checkpoints of each run, unless some are among the agents.

    Raises:
        ValueError: if a run has kept none, or runs differ in more than their seed.
    """
    entries = [agents] if isinstance(agents, Mapping) else list(agents)
    specs = [spec for one in entries for spec in (one.values() if isinstance(one, Mapping) else [one])]
    missing = [run for run in curve if not any(number_in(run, spec) is not None for spec in specs)]
    kept = {run: kept_checkpoints(_folder(run)) for run in missing}
    for run, numbers in kept.items():
        if not numbers:
            raise ValueError(f"tournament: curve: {_folder(run)}: no checkpoint is kept here; train with --keep 10")
        _check_alike(missing[0], run, kept)
    return [*entries, *(_at(run, number) for run, numbers in kept.items() for number in numbers)] if missing else agents


def _check_alike(first: str, run: str, kept: Mapping[str, Sequence[int]]) -> None:
    """Refuse a run that cannot be on one curve with the first."""
    ours, theirs = (options_in(_folder(one)) for one in (first, run))
    for option in ours | theirs:
        if option != "seed" and ours.get(option) != theirs.get(option):
            raise ValueError(
                f"tournament: curve: {first} has {option}={ours.get(option)!r}, and {run} {theirs.get(option)!r}; "
                "give runs that differ in their seed alone"
            )
    if len(kept[first]) != len(kept[run]):
        raise ValueError(
            f"tournament: curve: {first} has kept {len(kept[first])} checkpoints, and {run} {len(kept[run])}; give "
            "runs that are over, and have kept the same number"
        )


def number_in(run: str, spec: Any) -> int | None:
    """The number of the checkpoint of a run that an agent is; None for all other agents."""
    before, after = _around(run)
    if not isinstance(spec, str) or not spec.startswith(f"{before}@") or not spec.endswith(after):
        return None
    number = spec.removeprefix(f"{before}@").removesuffix(after)
    return int(number) if number.isascii() and number.isdecimal() else None


def _around(run: str) -> tuple[str, str]:
    """What comes before and after the number of a checkpoint in its spec: the run, and its options."""
    place, mark, options = run.rpartition("?")
    return (place, mark + options) if mark else (run, "")


def _at(run: str, number: int) -> str:
    before, after = _around(run)
    return f"{before}@{number}{after}"


def _folder(run: str) -> Path:
    return Path(_around(run)[0].partition(":")[2])
