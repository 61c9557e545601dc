"""The report as one self-contained HTML page: no network, no other file, and hardly any script."""

import base64
import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from ludarium.evaluation.html_table import html_table, paragraph, table_element
from ludarium.evaluation.report.charts import Line, curve_plot, interval_plot, shade
from ludarium.evaluation.report.content import Content, GameContent
from ludarium.evaluation.report.curves import GREEDY, RANDOM, Curve
from ludarium.evaluation.report.meetings import Meeting, meetings
from ludarium.evaluation.report.replay import Replay
from ludarium.evaluation.report.wording import (
    ACROSS,
    ANY_GAME,
    CURVES,
    CURVES_GREEDY,
    LEGEND,
    MEETINGS,
    SHOWN,
    TIMES,
    Matrix,
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
from ludarium.evaluation.tournament.event import Tournament

_HERE = Path(__file__).parent
_PLUS_MINUS = "\u00a0±\u00a0"  # a line does not break there
_STYLE = (_HERE / "page.css").read_text(encoding="utf-8")
_SCRIPT = (_HERE / "page.js").read_text(encoding="utf-8")


def report_page(content: Content, replays: dict[int, list[tuple[str, Replay]]], store: str) -> str:
    """The page of a tournament, with replays for each event, each with the reason why it is shown."""
    games = content.games
    links = [(f"game-{game.event}", game_title(game.game)) for game in games]
    links += [("across", "Across games")] if content.across else []
    links += [("again", "Play it again")]
    body = [f"<h1>{escape(content.tournament.name)}</h1>"]
    body += [f'<p class="answer">{escape(line.replace(" ± ", _PLUS_MINUS))}</p>' for line in answer_lines(content)]
    body.append(_soft(opening_line(content)))
    body.append("<nav>" + "".join(f'<a href="#{to}">{escape(name)}</a>' for to, name in links) + "</nav>")
    body += [_game(content.tournament, game, replays.get(game.event, []), store) for game in games]
    if content.across:
        table = _table("Across games", *across_table(content))
        body.append(f'<h2 id="across">Across games</h2>{paragraph(ACROSS)}{table}')
    body.append('<h2 id="again">Play it again</h2>')
    advice, toml = reproduce(content)
    body.append(f"{paragraph(advice)}<pre>{escape(toml)}</pre>{paragraph(ANY_GAME)}")
    if content.sessions:
        body.append(_table("Sessions that added games", *session_table(content), text=True))
    body += [_soft(line) for line in machines(content)]
    return _page(content.tournament.name, body)


def curves_picture(curves: Sequence[Curve]) -> str:
    """Learning curves as a separate SVG file, in the page's style; only those with the unit of the first curve."""
    unit = curves[0].unit
    plot = curve_plot(_lines(curve for curve in curves if curve.unit == unit), unit)
    style = f"<style>{_STYLE}.plot {{ background: var(--paper); font-family: sans-serif; }}</style>"
    head, tag, rest = plot.partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg"{tag}{style}{rest}'


def replay_page(replay: Replay, game: str, store: str) -> str:
    """The page of one game."""
    return _page(
        replay.title, [f"<h1>{escape(replay.title)}</h1>", _soft(f"{game}, game {replay.key}"), _steps(replay, store)]
    )


def _page(title: str, body: Iterable[str]) -> str:
    sources = f"style-src '{_hash(_STYLE)}'; script-src '{_hash(_SCRIPT)}'"
    policy = f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + f"\n<footer>{escape(made_with())}</footer>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    """The hash by which a Content-Security-Policy allows exactly one style sheet or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _game(tournament: Tournament, game: GameContent, replays: list[tuple[str, Replay]], store: str) -> str:
    names, met = [row.agent for row in game.table.rows], meetings(tournament, game)
    parts = [f'<h2 id="game-{game.event}">{escape(game_title(game.game))}</h2>']
    parts += [f'<p class="warn">{escape(warning)}</p>' for warning in warnings(game)]
    parts.append(_plot(game, names))
    parts.append(_table("Standings", *score_table(game)))
    parts += [paragraph(note) for note in notes(game)]
    parts.append(_soft(LEGEND[game.game.cooperative]))
    links = {places: meeting.anchor for places, meeting in met.items()}
    parts += [_heat(names, matrix, {} if number else links) for number, matrix in enumerate(matrices(game))]
    if game.openings is not None:
        parts.append(_table("By opening", *opening_table(game, game.openings)))
        parts.append(_soft(opening_note(game, game.openings)))
    if game.table.times:
        parts.append(_table("Time per move", *time_table(game)) + _soft(TIMES))
    parts += _strength(game)
    parts += _curves(game)
    if any(row.forfeits for row in game.table.rows):
        parts.append(_table("Forfeits", *forfeit_table(game), text=True))
    if replays:
        parts.append("<h3>Sample games</h3>")
        parts += [_sample(reason, replay, store) for reason, replay in replays]
    if met:
        parts.append(_meetings(game, met.values(), {replay.key for _, replay in replays}))
    return "\n".join(parts)


def _strength(game: GameContent) -> Iterator[str]:
    """How strong the checkpoints of the tournament's curve are."""
    if (strength := game.strength) is not None:
        measure = f"{strength_measure(game)} by {strength.unit}"
        line = Line(", ".join(strength.runs), strength.learned, strength.values, strength.margins)
        yield f"<h3>Strength during training</h3>{paragraph(strength_note(game, strength))}"
        yield curve_plot([line], strength.unit, shares=False, levels=strength.others)
        yield _table(measure, *strength_table(game, strength))


def _curves(game: GameContent) -> Iterator[str]:
    """How the runs measured themselves, in a picture for each opponent and unit."""
    for opponent in (RANDOM, GREEDY):
        shown = [curve for curve in game.curves if curve.opponent == opponent]
        if shown and opponent == RANDOM:
            yield f"<h3>Learning curves</h3>{paragraph(CURVES[game.game.cooperative])}"
        elif shown:
            yield paragraph(CURVES_GREEDY)
        for unit in sorted({curve.unit for curve in shown}):
            yield curve_plot(_lines(curve for curve in shown if curve.unit == unit), f"{unit} learned from")


def _lines(curves: Iterable[Curve]) -> list[Line]:
    return [Line(curve.agent, curve.learned, curve.scores, curve.margins) for curve in curves]


def _sample(reason: str, replay: Replay, store: str) -> str:
    summary = f"<summary>{escape(reason[0].upper() + reason[1:])}: {escape(replay.title)}</summary>"
    return f'<details id="{_replay_id(replay.key)}">{summary}{_steps(replay, store)}</details>'


def _meetings(game: GameContent, met: Iterable[Meeting], shown: set[str]) -> str:
    listed = "".join(_meeting(meeting, shown) for meeting in met)
    order = _soft(f"{MEETINGS[game.game.cooperative]} {SHOWN}")
    return f"<details><summary>All meetings, with some games of each</summary>{order}{listed}</details>"


def _replay_id(key: str) -> str:
    return "game-" + key.replace(":", "-")


def _meeting(meeting: Meeting, shown: set[str]) -> str:
    """The games of two entrants, with links to those that are shown as pictures."""
    head = ("game", "first seat", "result", "decisions")
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    lines = []
    for key, *cells in meeting.lines:
        name = f'<a href="#{_replay_id(key)}">{key}</a>' if key in shown else key
        rest = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{name}</th>{rest}</tr>')
    more = _soft(f"{meeting.left_out:,} more are in the store.") if meeting.left_out else ""
    table = _boxed(table_element("Games", top, lines))
    return f'<details id="{meeting.anchor}"><summary>{escape(meeting.title)}</summary>{table}{more}</details>'


def _plot(game: GameContent, names: list[str]) -> str:
    if game.ratings is not None:
        elo, margins = game.ratings.elo.tolist(), game.ratings.margins().tolist()
        order = sorted(range(len(names)), key=lambda i: -elo[i])
        unit = f"Elo with 95 % intervals; {game.ratings.anchor or 'the mean'} is 0"
        return interval_plot([names[i] for i in order], [elo[i] for i in order], [margins[i] for i in order], unit)
    rows = game.table.rows
    return interval_plot(
        names, [row.score for row in rows], [row.margin for row in rows], "mean score with 95 % intervals"
    )


def _table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, text: bool = False) -> str:
    """A table; the first column names the rows, and with `text` the last one holds sentences."""
    return _boxed(html_table(caption, head, rows, text=text))


def _heat(names: Sequence[str], matrix: Matrix, links: Mapping[tuple[int, int], str]) -> str:
    """A square matrix with cells coloured from red (0) to green (1); columns have the numbers of the rows.

    `links` says where the games behind a cell are, by its row and column, the smaller number first.
    """
    numbers = "".join(f'<th scope="col">{number}</th>' for number in range(1, len(names) + 1))
    lines = []
    for i, name in enumerate(names):
        cells = [
            f'<td class="{shade(share)}">{_linked(escape(text), links.get((min(i, j), max(i, j))))}</td>'
            for j, (text, share) in enumerate(zip(matrix.texts[i], matrix.shares[i].tolist(), strict=True))
        ]
        lines.append(f'<tr><th scope="row">{i + 1} {escape(name)}</th>{"".join(cells)}</tr>')
    title = f"{matrix.title}; a figure leads to the games" if links else matrix.title
    return _boxed(table_element(title, f"<td></td>{numbers}", lines, "heat"))


def _linked(text: str, to: str | None) -> str:
    return f'<a href="#{to}">{text}</a>' if to else text


def _boxed(table: str) -> str:
    return f'<div class="box">{table}</div>'


def _steps(replay: Replay, store: str) -> str:
    """A replay with its buttons; without scripts it shows the start."""
    buttons = (("first", "«", "first"), ("back", "‹", "previous"), ("on", "›", "next"), ("last", "»", "last"))
    shown = "".join(
        f'<button type="button" data-step="{step}" aria-label="{label} position">{sign}</button>'
        for step, sign, label in buttons
    )
    return (
        f'<figure class="replay" tabindex="0" aria-label="{escape(replay.title)}">'
        f'<div class="board">{replay.svg(0)}</div>'
        f'<figcaption class="caption" aria-live="polite">{escape(replay.captions[0])}</figcaption>'
        f'<div class="steps">{shown}<span class="count soft"></span>'
        f'<span class="soft">arrow keys work too · game {replay.key}</span></div>'
        f'<p class="soft">To play on from here: <code>ludarium table {escape(shlex.quote(store))} --game {replay.key} '
        '--move <span class="move">0</span></code></p>'
        f'<script type="application/json">{replay.to_json()}</script></figure>'
    )


def _soft(text: str) -> str:
    return f'<p class="soft">{escape(text)}</p>'
