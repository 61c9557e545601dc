"""Runs what the pages of the learners tell the reader to type first, and compares what it reaches with what they say.

`python benchmarks/first_commands.py` takes about an hour of processor time, `--only gaia` runs one page. The commands
are read from the pages, so nobody can forget to change both. Prints a row for each number that a page gives beside
them, and ends with status 1 if one is further from what was reached than the table below allows: figures are those of
one training seed, and the same on any machine but for the rounding of its processor. A page without a number there is
only run. Runs are kept in `runs/first-commands/PAGE`, so the command can be stopped and goes on.

The pages `comparison*.md` and `evolution.md` are not here: commands of their own write all of them.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pages

ROOT = Path(__file__).resolve().parent.parent
RUNS = Path("runs/first-commands")
COMMAND = str(Path(sys.executable).with_name("ludarium"))


class Page(NamedTuple):
    """A page, and how to compare it with what its first block of commands prints.

    Attributes:
        path: the page.
        leave_out: words that begin commands of the block which are not run: they wait for a person, or take files that
            are not there.
        says: a pattern for the text of the page; its groups are numbers.
        prints: a pattern for what the commands print, with as many groups.
        within: how far each number may be from the page's.
    """

    path: str
    leave_out: tuple[str, ...] = ()
    says: str = ""
    prints: str = ""
    within: tuple[float, ...] = ()


_INSPECTED = r"(\d+) rules, each for .* (\d+) of the 48 minimal tactical rules .* rules, ([\d.]+) %"
PAGES = {
    "first-steps": Page("docs/first-steps.md", ("play",)),
    **{
        name: Page(
            f"docs/learners/{name}.md",
            says=r"the second prints NashConv ([\d.]+) and optimal actions in ([\d.]+) %",
            prints=r"NashConv ([\d.]+) +optimal actions ([\d.]+) %",
            within=(0.0, 0.0),
        )
        for name in ("ifthen", "gaia")
    },
    "inspect": Page(
        "docs/learners/inspect.md",
        says=_INSPECTED,
        prints=_INSPECTED,
        within=(0.0, 0.0, 0.0),
    ),
    "gengammon": Page(
        "docs/learners/gengammon.md",
        says=r"the second prints ([\d.]+) % of the games won and ([+-][\d.]+) points a game",
        prints=r"gengammon:runs\S* +([\d.]+) ± [\d.]+ +([+-][\d.]+) ±",
        within=(2.0, 0.06),  # half the 95 % interval over 2,000 games
    ),
    "minimax": Page("docs/learners/minimax.md"),
    "lcs": Page("docs/learners/lcs.md", ("play", "match", 'train lcs "hanabi?seats=4')),
    "writing": Page("docs/learners/writing.md"),
}


def block_of(text: str) -> list[str]:
    """The lines of the first block of commands with `ludarium train`, without comments.

    Raises:
        ValueError: if there is none.
    """
    for block in pages.blocks(text):
        lines = [re.sub(r" +#.*", "", line) for line in block.text.splitlines()]
        if block.language == "sh" and any(line.startswith("ludarium train") for line in lines):
            return [line for line in lines if line.startswith(("ludarium ", "export "))]
    raise ValueError("there is no block with 'ludarium train'")


def run(lines: Sequence[str], leave_out: Sequence[str], folder: Path) -> str:
    """Run commands in a folder; returns all that they print.

    Raises:
        subprocess.CalledProcessError: if one fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    environment, printed = dict(os.environ), ""
    for line in lines:
        word, *arguments = shlex.split(line)
        if word == "export":
            named = (argument.split("=") for argument in arguments)
            environment |= {name: str(ROOT / value) for name, value in named}
        elif not any(line.removeprefix("ludarium ").startswith(start) for start in leave_out):
            print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)
            call = [COMMAND, *arguments]
            wide = environment | {"COLUMNS": "200"}
            printed += subprocess.run(call, cwd=folder, env=wide, stdout=subprocess.PIPE, text=True, check=True).stdout
    return printed


def compare(name: str, page: Page) -> list[tuple[str, str, str, bool]]:
    """For each number beside the commands: the command, what the page says, what was reached, and whether it holds."""
    text = (ROOT / page.path).read_text(encoding="utf-8")
    lines = block_of(text)
    first = next(line for line in lines if line.startswith("ludarium train"))
    printed = " ".join(run(lines, page.leave_out, RUNS / name).split())
    if not page.says:
        return [(first, "–", "it runs", True)]
    said, reached = re.search(page.says, " ".join(text.split())), re.search(page.prints, printed)
    if said is None or reached is None:
        return [(first, page.says if said is None else said[0], printed[-200:], False)]
    pairs = zip(said.groups(), reached.groups(), page.within, strict=True)
    return [(first, one, other, abs(float(one) - float(other)) <= within) for one, other, within in pairs]


def table(cells_of_pages: Mapping[str, list[tuple[str, str, str, bool]]]) -> str:
    """The rows of all pages as Markdown."""
    rows = ["| page | first command | it says | reached | holds |", "|---|---|---|---|---|"]
    for name, cells in cells_of_pages.items():
        rows += [
            f"| {name} | `{line}` | {said} | {got} | {'yes' if ok else '**no**'} |" for line, said, got, ok in cells
        ]
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PAGES, nargs="+", default=list(PAGES), metavar="PAGE")
    cells_of_pages = {name: compare(name, PAGES[name]) for name in parser.parse_args().only}
    print(table(cells_of_pages))
    raise SystemExit(0 if all(ok for cells in cells_of_pages.values() for *_, ok in cells) else 1)


if __name__ == "__main__":
    main()
