"""Changes the code a little, at random, and says whether the tests notice: `python tests/mutants.py --count 20`.

A change flips a comparison, moves a number by one, exchanges `and` and `or`, plus and minus, or times and divided by,
negates a condition, or takes a statement away. It is made in a copy of the checkout, and the tests of the folder that
mirrors the file's are run on it until one fails, then the whole suite. Changes that no test notices are printed last,
for people to judge: some change nothing that matters. `--area agents/lcs` changes files below that folder only; the
same `--seed` makes the same changes.
"""

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("envs", "agents", "evaluation")
COPIED = (*FOLDERS, "src", "tests", "examples", "benchmarks", "docs", "pyproject.toml", "README.md", "Makefile")
PATIENCE = 1200  # seconds for the tests of one change: some changes make a loop endless
_FLIPPED = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}  # fmt: skip
_EXCHANGED = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"),
    ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
}  # fmt: skip
_JOINED = {ast.And: ("and", "or"), ast.Or: ("or", "and")}


class Change(NamedTuple):
    """A change of a file: the characters from `start` to `end` become `new`."""

    kind: str
    line: int
    start: int
    end: int
    new: str

    def of(self, text: str) -> str:
        """The text of the file after it."""
        return text[: self.start] + self.new + text[self.end :]


def changes(text: str) -> Iterator[Change]:
    """All changes of a file that can be made."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    data = text.encode()

    def at(line: int, column: int) -> int:
        return len(data[: starts[line - 1] + column].decode())

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)

    def between(kind: str, one: ast.expr, other: ast.expr, words: tuple[str, str]) -> Iterator[Change]:
        """The operator between two expressions, exchanged."""
        first, last = span(one)[1], span(other)[0]
        if result := re.search(rf"(?<![\w<>=!*/]){re.escape(words[0])}(?![\w<>=*/])", text[first:last]):
            yield Change(kind, one.end_lineno or 0, first + result.start(), first + result.end(), words[1])

    for node in _code(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between("comparison", node.left, node.comparators[0], _FLIPPED[type(node.ops[0])])
        elif isinstance(node, ast.BinOp) and type(node.op) in _EXCHANGED:
            yield from between("operator", node.left, node.right, _EXCHANGED[type(node.op)])
        elif isinstance(node, ast.BoolOp):
            yield from between("and, or", node.values[0], node.values[1], _JOINED[type(node.op)])
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield Change("number", node.lineno, *span(node), f"{node.value + 1!r}")
        elif isinstance(node, ast.If | ast.While):
            start, end = span(node.test)
            yield Change("condition", node.lineno, start, end, f"(not ({text[start:end]}))")
        elif _can_go(node):
            yield Change("statement", node.lineno, *span(node), "pass")


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a file, but for those of types, which the tests of types know."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns") or (isinstance(tree, ast.If) and _is_type_checking(tree.test)):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield node
                yield from _code(node)


def _is_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _can_go(node: ast.AST) -> bool:
    """Whether a statement can be taken away: not a docstring, a definition or an import."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    if isinstance(node, ast.Assign):
        return not isinstance(node.targets[0], ast.Name)
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Break | ast.Continue)


def tests_of(file: str) -> list[str]:
    """The tests that mirror a file: its own first, then those of its folder, or of the nearest that has some."""
    path = Path(file)
    name = path.stem if path.stem != "__init__" else path.parent.name
    for folder in (ROOT / "tests" / parent for parent in path.parents):
        tests = sorted(folder.glob("test_*.py")) if folder.is_dir() else []
        if tests:
            tests.sort(key=lambda test: test.stem != f"test_{name}")
            return [test.relative_to(ROOT).as_posix() for test in tests]
    return ["tests"]


def drawn(area: str, count: int, seed: int) -> list[tuple[str, Change]]:
    """Changes chosen at random: first a file, by its number of lines, then one of its changes."""
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    texts = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}
    texts = {file: text for file, text in texts.items() if file.startswith(area) and list(changes(text))}
    if not texts:
        raise SystemExit(f"there is no code below {area!r}; give a folder such as agents/lcs")
    draws, lines = np.random.default_rng(seed), np.array([text.count("\n") for text in texts.values()])
    drawn = []
    for file in draws.choice(list(texts), count, p=lines / lines.sum()).tolist():
        known = list(changes(texts[file]))
        drawn.append((file, known[draws.integers(len(known))]))
    return drawn


def noticed(folder: Path, file: str) -> bool:
    """Whether a test fails, or does not end, on the copy of the checkout in a folder."""
    return _fails(folder, tests_of(file)) or _fails(folder, ["-n", "auto", "--dist", "loadfile"])


def _fails(folder: Path, arguments: list[str]) -> bool:
    ours = {"PYTHONPATH": str(folder / "src"), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *arguments]
    try:
        done = subprocess.run(command, cwd=folder, env=os.environ | ours, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--area", default="", help="the folder whose files are changed, such as agents/lcs")
    given = parser.parse_args()
    unseen = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in COPIED:
            source, copy = ROOT / name, folder / name
            shutil.copytree(source, copy, symlinks=True) if source.is_dir() else shutil.copy(source, copy)
        for file, change in drawn(given.area, given.count, given.seed):
            text = (folder / file).read_text(encoding="utf-8")
            (folder / file).write_text(change.of(text), encoding="utf-8")
            seen = noticed(folder, file)
            (folder / file).write_text(text, encoding="utf-8")
            was = text[change.start : change.end].splitlines()[0]
            line = f"{file}:{change.line}: {change.kind}: {was} → {change.new.splitlines()[0]}"
            print(f"{'noticed' if seen else 'UNSEEN '} {line}", flush=True)
            unseen += [] if seen else [line]
    print(f"\n{given.count - len(unseen)} of {given.count} changes noticed; unseen:", *unseen, sep="\n")


if __name__ == "__main__":
    main()
