"""The record of the five originals: `python benchmarks/originals.py` writes `docs/results/originals.md` from its table.

`docs/originals.toml` has a row for each mechanism of the programs that the presets `seed` come from, and says what its
keys are.
"""

import os
import re
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
TABLE, PAGE = DOCS / "originals.toml", DOCS / "results" / "originals.md"
HEAD = """# The five originals, line by line

Written by `python benchmarks/originals.py` from `docs/originals.toml`.
"""
INTRODUCTION = (
    "Each preset `seed` is a program that somebody described, and in two cases published. The tables say in our words "
    "what is in the descriptions: {rows} mechanisms, of which {left_out}. Where nothing differs, it is *as there*. "
    "*Chosen by* has options, as `--preset seed --set option=value` takes them, with the default or another value; "
    "options of other presets, after their names; options of agents; and commands."
)
_COLUMNS = "| the original | here | chosen by | in |\n|---|---|---|---|"


@dataclass(frozen=True)
class Row:
    """A mechanism.

    Attributes:
        says: the original, in our words.
        here: what differs here, and why; empty if nothing does.
        by: options or commands that choose it.
        files: where it is.
        left_out: why it is not here.
    """

    says: str
    here: str = ""
    by: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    left_out: str = ""


@dataclass(frozen=True)
class Document:
    """An original.

    Attributes:
        title: its name.
        learner: what learns as it does.
        game: the game for which options are tried.
        folder: of files that are named without one.
        page: about the learner, below `docs`.
        parts: the rows by heading.
        note: about the document.
    """

    title: str
    learner: str
    game: str
    folder: str
    page: str
    parts: dict[str, list[Row]]
    note: str = ""

    def path(self, file: str) -> str:
        """A file of a row, from the root."""
        return file if "/" in file else f"{self.folder}/{file}"


def read() -> list[Document]:
    """The table."""
    data = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return [_document(dict(entry)) for entry in data["document"]]


def _document(entry: dict[str, Any]) -> Document:
    parts = {part["title"]: [_row(row) for row in part["row"]] for part in entry.pop("part")}
    return Document(parts=parts, **entry)


def _row(entry: dict[str, Any]) -> Row:
    return Row(**{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})


def page() -> str:
    """The record as Markdown."""
    documents = read()
    rows = [row for document in documents for part in document.parts.values() for row in part]
    without = sum(bool(row.left_out) for row in rows)
    counted = INTRODUCTION.format(rows=len(rows), left_out=f"{without} {'is' if without == 1 else 'are'} left out")
    head = [HEAD, textwrap.fill(counted, 120, break_on_hyphens=False), ""]
    return "\n".join([*head, *(line for document in documents for line in _lines(document))]).rstrip() + "\n"


def _lines(document: Document) -> Iterator[str]:
    name = Path(document.page).name
    yield f"## {document.title}\n"
    yield f"{document.note} [`{name}`]({os.path.relpath(DOCS / document.page, PAGE.parent)})\n".lstrip()
    for title, rows in document.parts.items():
        yield f"### {title}\n"
        yield _COLUMNS
        for row in rows:
            here = f"left out: {row.left_out}" if row.left_out else row.here or "as there"
            yield f"| {row.says} | {here} | {', '.join(map(_code, row.by))} | {_links(document, row)} |"
        yield ""


def _code(choice: str) -> str:
    """A choice as code: a command, or the options of a preset."""
    return f"`{choice}`" if re.match("ludarium |python ", choice) else ", ".join(f"`{x}`" for x in choice.split())


def _links(document: Document, row: Row) -> str:
    paths = [document.path(file) for file in row.files]
    return ", ".join(f"[`{Path(path).name}`]({os.path.relpath(ROOT / path, PAGE.parent)})" for path in paths)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
