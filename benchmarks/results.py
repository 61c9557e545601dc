"""The results of studies: kept as JSON in `benchmarks/results`, and shown in `docs/results`.

`python benchmarks/results.py` writes the pages from the JSON. A benchmark puts its tables into a `Study`, which prints
them as they grow; with `--keep`, those of the parts that were run replace what the JSON has of these parts.
"""

import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KEPT = Path(__file__).resolve().with_name("results")
PAGES = Path(__file__).resolve().parent.parent / "docs" / "results"


@dataclass
class Table:
    """A table: the part of the study that it belongs to, a line about what was measured, and its cells as text."""

    part: str
    caption: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def row(self, *cells: object) -> None:
        """Add a row and print it."""
        self.rows.append([str(cell) for cell in cells])
        print(_line(self.rows[-1]), flush=True)

    def lines(self) -> Iterator[str]:
        """The table as Markdown."""
        yield from (textwrap.fill(self.caption, 120, break_on_hyphens=False), "") if self.caption else ()
        yield from (_line(self.columns), "|---" * len(self.columns) + "|", *map(_line, self.rows), "")


class Study:
    """The tables of a learner or of a comparison.

    Args:
        name: of the file and the page.
    """

    def __init__(self, name: str) -> None:
        self.name, self.tables = name, list[Table]()

    def table(self, part: str, caption: str, *columns: str) -> Table:
        """Begin a table, and print its head."""
        self.tables.append(Table(part, caption, list(columns)))
        print("", *self.tables[-1].lines(), sep="\n", end="")
        return self.tables[-1]

    def keep(self) -> None:
        """Replace what the JSON has of the parts that were run, in their places."""
        title, old = read(self.name)
        fresh = {table.part for table in self.tables}
        parts = dict.fromkeys([table.part for table in (*old, *self.tables)])
        kept = [table for part in parts for table in (self.tables if part in fresh else old) if table.part == part]
        write(self.name, title, kept)


def read(name: str) -> tuple[str, list[Table]]:
    """The title and the tables of a study."""
    data: Any = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    return data["title"], [Table(**table) for table in data["tables"]]


def write(name: str, title: str, tables: list[Table]) -> None:
    """Write a study, each row of a table in a line of its own."""
    parts = []
    for table in tables:
        head = {"part": table.part, "caption": table.caption, "columns": table.columns}
        rows = ",\n   ".join(_json(row) for row in table.rows)
        parts.append(f'  {_json(head)[:-1]},\n   "rows": [\n   {rows}\n  ]}}')
    text = f'{{\n "title": {_json(title)},\n "tables": [\n' + ",\n".join(parts) + "\n ]\n}\n"
    (KEPT / f"{name}.json").write_text(text, encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def page(name: str) -> str:
    """The page of a study as Markdown."""
    title, tables = read(name)
    head = f"# {title}\n\nWritten by `python benchmarks/results.py` from `benchmarks/results/{name}.json`.\n"
    lines, part = [head], ""
    for table in tables:
        if table.part != part:
            part = table.part
            lines.append(f"## {part}\n")
        lines += table.lines()
    return "\n".join(lines).rstrip() + "\n"


def names() -> list[str]:
    """The names of all studies."""
    return sorted(file.stem for file in KEPT.glob("*.json"))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    for name in names():
        (PAGES / f"{name}.md").write_text(page(name), encoding="utf-8")
