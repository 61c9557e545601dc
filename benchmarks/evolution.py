"""What selection, inheritance, a population and learning bring, in one table over all learners.

`python benchmarks/evolution.py` gathers what the benchmarks of the learners have measured, from `benchmarks/results`,
and writes it into `docs/results/evolution.md`, as a table and a picture.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import results

DOCS = Path("docs/results")
PAGE, PICTURE = DOCS / "evolution.md", DOCS / "evolution.svg"
HEAD = """# What each part of a learner is worth

Written by `python benchmarks/evolution.py` from `benchmarks/results`. [What the columns
mean](../learners/evolution.md#what-each-part-is-worth): ▼ is a twin that is worse than the learner as it is, and ▲ one
that is better, by more than the sum of both intervals.
"""
PARTS = {
    "whole": "as it is",
    "selection": "random parents",
    "inheritance": "nothing is inherited",
    "replacement": "nobody is replaced",
    "population": "a population of one",
    "evolution": "learning alone",
    "learning": "evolution alone",
}
"""The whole learner, and its twins by the part that they lack."""
COLOURS = ("#1f6f8b", "#c8654a", "#b08900", "#7a5ea8", "#2a8f7a", "#66707a", "#c04a80")
_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")

Figure = tuple[str, float, float]  # as it is printed, the value, half its interval


@dataclass(frozen=True)
class Row:
    """A learner with its twins at equal budgets, in a table of its page.

    Attributes:
        learner: its name and preset, and the game.
        study: the study, which is named like the learner's page.
        table: a part of the table's head; of several such rows the first counts.
        measure: the column's head, as there.
        shown: what the measure is called here.
        programs: for each part that a twin lacks, the first cells of its line.
        better: 1 if more is better, -1 if less is.
        columns: the heads of twins that have columns of their own.
    """

    learner: str
    study: str
    table: str
    measure: str
    shown: str
    programs: Mapping[str, Sequence[str]]
    better: int = 1
    columns: Mapping[str, str] = field(default_factory=dict)

    def figures(self) -> dict[str, Figure]:
        """The cells, by part."""
        wanted = {part: [*cells] for part, cells in self.programs.items()}
        result: dict[str, Figure] = {}
        for head, cells in rows(self.study, self.table):
            for part, first in wanted.items():
                if cells[: len(first)] == first and part not in result:
                    result[part] = read(cells[head.index(self.columns.get(part, self.measure))])
        if missing := wanted.keys() - result.keys():
            raise SystemExit(f"{self.study} has no row for {', '.join(missing)} in the table {self.table!r}")
        return {part: result[part] for part in PARTS if part in result}


def rows(study: str, name: str) -> Iterator[tuple[list[str], list[str]]]:
    """The head and the cells of each row of all tables of a study with `name` in their heads."""
    for table in results.read(study)[1]:
        if name in f"| {' | '.join(table.columns)} |":
            for row in table.rows:
                yield table.columns, row


def read(cell: str) -> Figure:
    """A value and half its interval, 0 if none is printed; of `n of m`, the share."""
    numbers = [float(text.replace(",", "")) for text in _NUMBER.findall(cell)]
    if " of " in cell:
        return cell, 100 * numbers[0] / numbers[1], 0.0
    return cell.removesuffix(" %"), numbers[0], numbers[1] if "±" in cell else 0.0


IFTHEN = {"selection": "`selection=none`", "inheritance": "`breeding=founders`", "replacement": "`breeding=none`",
          "population": "`population=1`"}  # fmt: skip


def of_ifthen(game: str, games: str) -> dict[str, list[str]]:
    """The lines of a game in the twins' tables of `ifthen`."""
    return {part: [name, game, games] for part, name in {"whole": "as it is", **IFTHEN}.items()}


def of_gaia(*without: str) -> dict[str, list[str]]:
    """The lines in a table of the twins of `gaia`."""
    names = {
        "whole": "`modern`",
        "selection": "`modern`, `selection=none`",
        "inheritance": "`modern`, `breeding=founders`",
        "population": "`modern`, `population=1`",
        "evolution": "`modern`, made once",
    }
    return {part: [name] for part, name in names.items() if part not in without}


ALONE = {"whole": ["`alone`"], "selection": ["`alone`, `selection=none`"],
         "inheritance": ["`alone`, `breeding=founders`"], "population": ["`alone`, `population=1`"]}  # fmt: skip
ROWS = (
    Row("`ifthen`, `seed`: hexapawn", "ifthen", "| twin | game", "NashConv 0", "optimal play in 10 runs, %",
        of_ifthen("hexapawn", "10,000")),
    Row("`ifthen`, `modern`: tic-tac-toe", "ifthen", "| twin | game", "NashConv 0", "optimal play in 10 runs, %",
        of_ifthen("tictactoe", "10,000")),
    Row("`ifthen`, `modern`: connect four", "ifthen", "| against `greedy`", "against `greedy`", "v `greedy`, %",
        of_ifthen("connect_four", "1,000")),
    Row("`ifthen`, `modern`: Othello 6 × 6", "ifthen", "| against `greedy`", "against `greedy`", "v `greedy`, %",
        of_ifthen("othello?size=6", "1,000")),
    Row("`gaia`, `modern`: tic-tac-toe", "gaia", "| tictactoe, 20,000 games", "rules", "rules for optimal play",
        of_gaia(), better=-1),
    Row("`gaia`, `modern`: tic-tac-toe, few games", "gaia", "| tictactoe, 2,000 games", "rules",
        "rules, all of them never lose", of_gaia(), better=-1),
    Row("`gaia`, `modern`: hexapawn 4 × 4", "gaia", "| hexapawn?rows=4&columns=4, 5,000 games", "rules",
        "rules", of_gaia(), better=-1),
    Row("`gaia`, `modern`: Othello 4 × 4", "gaia", "| othello?size=4, 5,000 games", "optimal actions, %",
        "optimal actions, %", of_gaia()),
    *(Row(f"`gaia`, `modern`: {name}", "gaia", "| 5,000 games, 10 seeds, against `greedy`", spec, "v `greedy`, %",
          of_gaia()) for name, spec in (("Othello 6 × 6", "othello?size=6"), ("connect four", "connect_four"))),
    Row("`gaia`, `alone`: tic-tac-toe", "gaia", "| tictactoe, evolution alone", "never loses",
        "never loses in 10 runs, %", ALONE),
    *(Row(f"`gaia`, `alone`: {name}", "gaia", "seeds, against `random`", spec, "v `random`, %", ALONE)
      for name, spec in (("hexapawn 4 × 4", "hexapawn?rows=4&columns=4"), ("Othello 4 × 4", "othello?size=4"),
                         ("Othello 6 × 6", "othello?size=6"), ("connect four", "connect_four"))),
    Row("`gengammon`, `seed`: backgammon", "gengammon", "| fitness |", "v2", "choices of experts, `v2`",
        {part: ["v3"] for part in ("whole", "selection", "inheritance", "population")},
        columns={"selection": "no selection", "inheritance": "no inheritance",
                 "population": "one parent, one child"}),
    Row("`gengammon`, `modern`: backgammon", "gengammon", "| program | seeds", "won", "v pubeval, %",
        {"whole": ["`modern`"], "selection": ["`modern`, no selection"]}),
    Row("`lcs`, `modern`: Hanabi", "lcs", "| program | 2 seats", "2 seats", "points at two seats",
        {"whole": ["evolved"], "selection": ["no selection"], "inheritance": ["random search"],
         "population": ["one player"]}),
    Row("`minimax`, `modern`: Othello", "minimax", "`six`, depth 4", "`six`, depth 4", "v published weights, %",
        {"whole": ["evolved"], "selection": ["no selection"], "inheritance": ["random search"]}),
    Row("`minimax`, `tuples`: Othello", "minimax", "| League |", "League", "v the standard heuristic, %",
        {"whole": ["4+2x2", "evolved"], "selection": ["4+2x2", "no selection"],
         "inheritance": ["4+2x2", "random search"], "replacement": ["4+2x2", "nobody replaced"],
         "evolution": ["4+2x2", "temporal differences alone"], "learning": ["4+2x2", "no temporal differences"]}),
)  # fmt: skip


def table(results: Sequence[tuple[Row, dict[str, Figure]]]) -> str:
    """The table; a twin is marked if its interval and that of the whole learner have nothing in common."""
    lines = [f"| | measure | {' | '.join(PARTS.values())} |", "|---" * (2 + len(PARTS)) + "|"]
    for row, cells in results:
        shown = [mark(row, cells["whole"], cells[part]) if part in cells else "" for part in PARTS]
        lines.append(f"| [{row.learner}](../learners/{row.study}.md) | {row.shown} | {' | '.join(shown)} |")
    return "\n".join(lines)


def mark(row: Row, whole: Figure, twin: Figure) -> str:
    """A cell: `▼` if the twin is worse than the whole learner, `▲` if it is better."""
    text, value, half = twin
    if not half or abs(value - whole[1]) <= half + whole[2]:
        return text
    return f"{text} {'▲' if (value - whole[1]) * row.better > 0 else '▼'}"


def picture(results: Sequence[tuple[Row, dict[str, Figure]]]) -> str:
    """The shares among the measures, as dots on a common scale."""
    shares = [(row, cells) for row, cells in results if row.shown.endswith("%")]
    left, width, step, top = 250, 700, 46, 20
    bottom = top + step * len(shares)

    def x(value: float) -> float:
        return left + min(max(value, 0), 100) / 100 * (width - left - 20)

    out = []
    for tick in range(0, 101, 25):
        out.append(f'<line class="grid" x1="{x(tick)}" x2="{x(tick)}" y1="{top}" y2="{bottom}"/>')
        out.append(f'<text class="soft" x="{x(tick)}" y="{bottom + 16}" text-anchor="middle">{tick} %</text>')
    for number, (row, cells) in enumerate(shares):
        y = top + step * number + step / 2
        out.append(f'<text x="8" y="{y - 3}">{escape(row.learner.replace("`", ""))}</text>')
        out.append(f'<text class="soft" x="8" y="{y + 13}">{escape(row.shown.replace("`", ""))}</text>')
        for place, part in enumerate(PARTS):
            if part in cells:
                _, value, half = cells[part]
                at, colour = y - 15 + 5 * place, COLOURS[place]
                if half:
                    out.append(f'<line x1="{x(value - half):.1f}" x2="{x(value + half):.1f}" y1="{at}" y2="{at}" '
                               f'stroke="{colour}" stroke-width="1.5"/>')  # fmt: skip
                out.append(f'<circle cx="{x(value):.1f}" cy="{at}" r="{4 if part == "whole" else 3}" fill="{colour}"/>')
    for place, name in enumerate(PARTS.values()):
        at_x, at_y = 8 + 175 * (place % 4), bottom + 44 + 20 * (place // 4)
        out.append(f'<circle cx="{at_x + 5}" cy="{at_y - 4}" r="4" fill="{COLOURS[place]}"/>')
        out.append(f'<text x="{at_x + 15}" y="{at_y}">{escape(name)}</text>')
    style = (
        "<style>svg{background:#fcfcfb;font:13px sans-serif}text{fill:#1c2126}.soft{fill:#66707a;font-size:11px}"
        ".grid{stroke:#dfe2e5}</style>"
    )
    height, label = bottom + 76, "what each learner and its twins reach"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
        f"{style}{''.join(out)}</svg>\n"
    )


def page(results: Sequence[tuple[Row, dict[str, Figure]]]) -> str:
    """The page as Markdown."""
    return f"{HEAD}\n{table(results)}\n\n![What each learner and its twins reach]({PICTURE.name})\n"


def main() -> None:
    """Write the page and the picture."""
    results = [(row, row.figures()) for row in ROWS]
    PAGE.write_text(page(results), encoding="utf-8")
    PICTURE.write_text(picture(results), encoding="utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
