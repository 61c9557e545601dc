"""The report as Markdown, for pasting elsewhere."""

from collections.abc import Iterator, Sequence

from ludarium.evaluation.report.content import Content, GameContent
from ludarium.evaluation.report.wording import (
    ACROSS,
    LEGEND,
    TIMES,
    across_table,
    answer_lines,
    forfeit_table,
    game_title,
    machines,
    made_with,
    matrices,
    notes,
    opening_line,
    opening_note,
    opening_table,
    reproduce,
    score_table,
    session_table,
    strength_measure,
    strength_note,
    strength_table,
    time_table,
    warnings,
)

_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>()#!|~&"} | {"\n": " ", "\r": " "})


def report_markdown(content: Content) -> str:
    """The whole report without its pictures."""
    lines = [f"# {plain(content.tournament.name)}", ""]
    for line in (*answer_lines(content), opening_line(content)):
        lines += [plain(line), ""]
    for game in content.games:
        lines += _game(game)
    if content.across:
        lines += ["## Across games", "", plain(ACROSS), "", *_table(*across_table(content)), ""]
    advice, toml = reproduce(content)
    indented = ["    " + line if line else "" for line in toml.removesuffix("\n").split("\n")]
    lines += ["## Play it again", "", plain(advice), "", *indented, ""]
    if content.sessions:
        lines += [*_table(*session_table(content)), ""]
    for line in (*machines(content), made_with()):
        lines += [plain(line), ""]
    return "\n".join(lines)


def plain(text: str) -> str:
    """The text, escaped so that Markdown shows it unchanged."""
    return text.translate(_SPECIAL)


def _game(game: GameContent) -> Iterator[str]:
    yield from (f"## {plain(game_title(game.game))}", "")
    for warning in warnings(game):
        yield from (f"**{plain(warning)}**", "")
    yield from (*_table(*score_table(game)), "")
    for note in notes(game):
        yield from (plain(note), "")
    yield from (plain(LEGEND[game.game.cooperative]), "")
    for matrix in matrices(game):
        yield from (plain(matrix.title), "", *_matrix(game, matrix.texts), "")
    if (strength := game.strength) is not None:
        yield from (
            plain(f"{strength_measure(game)} by {strength.unit}"),
            "",
            *_table(*strength_table(game, strength)),
            "",
        )
        yield from (plain(strength_note(game, strength)), "")
    if game.openings is not None:
        yield from ("By opening", "", *_table(*opening_table(game, game.openings)), "")
        yield from (plain(opening_note(game, game.openings)), "")
    if game.table.times:
        yield from ("Time per move", "", *_table(*time_table(game)), "", plain(TIMES), "")
    if any(row.forfeits for row in game.table.rows):
        yield from ("Forfeits", "", *_table(*forfeit_table(game)), "")


def _matrix(game: GameContent, cells: list[list[str]]) -> Iterator[str]:
    names = [row.agent for row in game.table.rows]
    rows = [[f"{i} {name}", *line] for i, (name, line) in enumerate(zip(names, cells, strict=True), 1)]
    return _table(["agent", *map(str, range(1, len(names) + 1))], rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(map(plain, head)) + " |"
    yield "|---" + "|---:" * (len(head) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(map(plain, row)) + " |"
