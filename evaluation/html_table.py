"""Tables as HTML, in reports and in notebooks: `_repr_html_` of a match, of standings and of a rating."""

from collections.abc import Sequence
from html import escape


def html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, text: bool = False) -> str:
    """A table of plain text, which is escaped.

    Args:
        caption: its title.
        head: titles of the columns.
        rows: the cells, row by row; the first one names the row.
        text: whether the last column holds sentences.
    """
    kinds = [' class="text"' if text and column == len(head) - 1 else "" for column in range(len(head))]
    top = "".join(f'<th scope="col"{kind}>{escape(cell)}</th>' for cell, kind in zip(head, kinds, strict=True))
    lines = []
    for name, *others in rows:
        cells = [f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(others, kinds[1:], strict=True)]
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{"".join(cells)}</tr>')
    return table_element(caption, top, lines)


def table_element(caption: str, head: str, lines: Sequence[str], kind: str = "") -> str:
    """A table of cells and rows that are HTML already; `kind` is its class, if it has one."""
    named = f' class="{kind}"' if kind else ""
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f"<table{named}><caption>{escape(caption)}</caption>{body}</table>"


def paragraph(text: str) -> str:
    """A paragraph of plain text, which is escaped."""
    return f"<p>{escape(text)}</p>"
