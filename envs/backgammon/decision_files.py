"""Files of decisions: arrays in `.npz`, without pickle, complete at every moment, checked when they are read.

A compact file leaves out `results` and `offsets`, which follow from the rules, and are found when it is read.
"""

import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.backgammon.decisions import COLUMNS, OPPONENT_BAR, OPPONENT_OFF, Decisions, legal_results
from ludarium.envs.backgammon.rules import BAR
from ludarium.envs.files import read_arrays, reading, replacing
from ludarium.envs.jit import jit

SHIPPED = Path(__file__).parent / "expert_decisions.npz"
"""Decisions of experts that come with the package: `expert_decisions.md` says where from."""
_SCHEMA = 1
_MEN = {"standard": 15, "nackgammon": 15, "hypergammon": 3}
_OF_RESULTS = ("results", "offsets")
_OUTCOMES = 6
_EFFORT, _LITTLE = 9, 1  # in compressing; for results much effort takes longer than everything else, and gains little
_ROUNDING = 0.01  # odds are rounded to 16 bits, so they do not quite add up to 1
_KINDS: dict[str, tuple[type[Any], tuple[int, ...]]] = {  # the type of each array, and its shape but for the length
    "positions": (np.int8, (COLUMNS,)),
    "dice": (np.int8, (2,)),
    "results": (np.int8, (COLUMNS,)),
    "offsets": (np.int64, ()),
    "chosen": (np.bool_, ()),
    "played": (np.int32, ()),
    "outcomes": (np.int8, ()),
    "matches": (np.int32, ()),
    "held_out": (np.bool_, ()),
    "odds": (np.float16, (_OUTCOMES,)),
}


def save(decisions: Decisions, path: str | Path, compact: bool = False) -> None:
    """Write decisions to a file; anyone who reads it meanwhile finds its previous version.

    Args:
        decisions: the decisions.
        path: the file, which is replaced if it exists.
        compact: leave out the results, which are then generated when the file is read.

    Raises:
        OSError: if it cannot be written.
    """
    names = [name for name in _KINDS if not (compact and name in _OF_RESULTS)]
    arrays = {name: array for name in names if (array := getattr(decisions, name)) is not None}
    arrays |= {"schema": np.array(_SCHEMA), "variant": np.array(decisions.variant)}
    effort = _EFFORT if compact else _LITTLE
    with replacing(Path(path)) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=effort) as file:
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def load(path: str | Path, variant: str = "standard") -> Decisions:
    """Read decisions from a file.

    Args:
        path: the file.
        variant: the variant that they must be of.

    Raises:
        ValueError: if the file is damaged or holds something else.
        OSError: if it cannot be read.
    """
    damaged = f"{path}: this is not a whole set of decisions; make it again with 'ludarium data backgammon'"
    with open(path, "rb") as file, reading(damaged):
        arrays = read_arrays(file)
        stored_variant = _check_head(arrays)
    if stored_variant != variant:
        raise ValueError(f"{path}: these are decisions of {stored_variant}, not of {variant}; give a file of {variant}")
    with reading(damaged):
        return _checked(arrays, stored_variant)


@cache
def shipped() -> Decisions:
    """The decisions of experts that come with the package; the arrays are shared, so do not write to them."""
    return load(SHIPPED)


def _check_head(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Check that the arrays are those of a file of decisions; returns the variant."""
    if "schema" not in arrays or arrays["schema"].shape != () or arrays["schema"] != _SCHEMA:
        raise ValueError(f"the schema must be {_SCHEMA}, not {arrays.get('schema', 'none')}")
    variant = str(arrays.get("variant", ""))
    if variant not in _MEN:
        raise ValueError(f"the variant must be one of {', '.join(_MEN)}, not {variant!r}")
    compact = not any(name in arrays for name in _OF_RESULTS)
    for name, (kind, shape) in _KINDS.items():
        if name not in arrays and (name == "odds" or (compact and name in _OF_RESULTS)):
            continue
        if name not in arrays:
            raise ValueError(f"the array {name!r} is missing")
        if arrays[name].dtype != kind or arrays[name].ndim != 1 + len(shape) or arrays[name].shape[1:] != shape:
            wanted = f"{np.dtype(kind).name} of shape {('n', *shape)}".replace("'n'", "n")
            raise ValueError(f"{name} must be {wanted}, not {arrays[name].dtype} of shape {arrays[name].shape}")
    return variant


def _checked(arrays: Mapping[str, NDArray[Any]], variant: str) -> Decisions:
    """The decisions, with results, if everything about them is possible."""
    for problem in _problems_of_positions(arrays, _MEN[variant]):
        raise ValueError(problem)
    own: dict[str, Any] = {name: arrays.get(name) for name in _KINDS}
    if own["results"] is None:
        own["results"], own["offsets"] = legal_results(own["positions"], own["dice"])
    decisions = Decisions(**own, variant=variant)
    for problem in _problems_of_results(decisions, _MEN[variant]):
        raise ValueError(problem)
    return decisions


def _problems_of_positions(arrays: Mapping[str, NDArray[Any]], men: int) -> Iterator[str]:
    """What is wrong with what does not need the results."""
    count = len(arrays["positions"])
    for name in ("dice", "played", "outcomes", "matches", "held_out"):
        if len(arrays[name]) != count:
            yield f"{count} positions, but {len(arrays[name])} {name}"
    dice = arrays["dice"]
    for number in _first((dice < 1).any(axis=1) | (dice > 6).any(axis=1) | (dice[:, 0] > dice[:, 1])):
        yield f"decision {number}: dice are from 1 to 6, the smaller first, not {dice[number].tolist()}"
    positions = arrays["positions"]
    over = (positions[:, 0] == men) | (positions[:, OPPONENT_OFF] == men)
    for number in _first(~_possible(positions, men) | over):
        yield f"decision {number}: the position {positions[number].tolist()} is not one with {men} checkers a side"
    for number in _first((np.abs(arrays["outcomes"]) > 3) | (arrays["matches"] < 0)):
        yield f"decision {number}: an outcome is from -3 to 3 and a match at least 0"


def _problems_of_results(decisions: Decisions, men: int) -> Iterator[str]:
    """What is wrong with the results, or with the choice among them."""
    if (
        len(decisions.offsets) != len(decisions) + 1
        or decisions.offsets[0] != 0
        or decisions.offsets[-1] != len(decisions.results)
    ):
        yield f"the offsets do not fit {len(decisions)} decisions with {len(decisions.results)} results"
    for number in _first(decisions.counts < 1):
        yield f"decision {number}: there is no result"
    for row in _first(~_possible(decisions.results, men)):
        yield f"result {row}: {decisions.results[row].tolist()} is not a position with {men} checkers a side"
    if len(decisions.chosen) != len(decisions.results):
        yield f"{len(decisions.results)} results, but {len(decisions.chosen)} are marked as chosen or not"
    if decisions.odds is not None:
        if len(decisions.odds) != len(decisions.results):
            yield f"{len(decisions.results)} results, but the odds of {len(decisions.odds)}"
        sums = decisions.odds.sum(axis=1, dtype=np.float32)
        for row in _first(~((decisions.odds >= 0).all(axis=1) & (np.abs(sums - 1) < _ROUNDING))):
            yield f"result {row}: the odds {decisions.odds[row].tolist()} are not probabilities that add up to 1"
    if len(decisions):
        beyond = (decisions.played < 0) | (decisions.played >= decisions.counts)
        rows = decisions.offsets[:-1] + np.where(beyond, 0, decisions.played)
        for number in _first(beyond | ~decisions.chosen[rows]):
            played = decisions.played[number]
            yield f"decision {number}: the result that was played, number {played}, is not a chosen one"


@jit
def _possible(positions: Any, men: int) -> Any:
    """Whether each side has all its checkers somewhere, shape (n,)."""
    possible = np.zeros(len(positions), dtype=np.bool_)
    for number in range(len(positions)):
        row = positions[number]
        own, other = row[0] + row[BAR], row[OPPONENT_BAR] + row[OPPONENT_OFF]
        for point in range(1, BAR):
            own, other = own + max(row[point], 0), other + max(-row[point], 0)
        possible[number] = own == other == men and min(row[0], row[BAR], row[OPPONENT_BAR], row[OPPONENT_OFF]) >= 0
    return possible


def _first(wrong: NDArray[np.bool_]) -> list[int]:
    """The first number, if any, where something is wrong."""
    return np.flatnonzero(wrong)[:1].tolist()
