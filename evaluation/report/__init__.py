"""The report of a tournament: one self-contained HTML page, and the same as Markdown, CSV and JSON.

    content.py    its contents: tables, ratings, verdicts     wording.py   its sentences and tables, as plain text
    answer.py     who is first, in one sentence               meetings.py  the games of each two, and those to show
    page.py       the HTML page (page.css, page.js)           markdown.py  data.py   the other formats
    charts.py     intervals, curves                           replay.py    stored games as pictures
    counted.py    other ways to score the same games          curves.py    how agents learned
    strength.py   how strong checkpoints of training runs are

The same store, and the same training runs if agents come from any, give the same bytes on the same machine.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ludarium.envs.registry import make_game
from ludarium.evaluation.report.content import read_store, summarise
from ludarium.evaluation.report.curves import RANDOM, mean_curve, read_curves
from ludarium.evaluation.report.data import report_csv, report_data
from ludarium.evaluation.report.markdown import report_markdown
from ludarium.evaluation.report.meetings import choose
from ludarium.evaluation.report.page import curves_picture, replay_page, report_page
from ludarium.evaluation.report.replay import find_game, play_back
from ludarium.evaluation.report.wording import answer_lines
from ludarium.evaluation.tournament.standings import write_json

__all__ = ["write_curves", "write_replay", "write_report"]


class Report(NamedTuple):
    """A report that was written: its page, and the answers with which it begins, one line for each game."""

    page: Path
    answers: list[str]


def write_report(store: Path, out: Path | None = None, left_out: Mapping[tuple[int, ...], str] | None = None) -> Report:
    """Write the report of a tournament's store, finished or not.

    Args:
        store: the file of results.
        out: a folder for `report.html` and the other formats, or the name of the page, `….html`; by default the folder
            `NAME-report` next to the store `NAME.db`.
        left_out: games that do not count, by their keys, each with the reason: see `soundness.wrong_games`.

    Returns:
        The page and the answers. The other formats are next to the page, under its name with `.md`, `.csv` and `.json`.

    Raises:
        StoreError: for a file that is not a store, or is damaged.
        OSError: if a file cannot be read or written.
        ValueError: if it holds no results.
    """
    tournament, rows, sessions, times = read_store(store)
    left_out = left_out or {}
    rows = [row for row in rows if row.key not in left_out]
    if not rows:
        raise ValueError(f"{store} holds no finished games: play some with ludarium tournament")
    content = summarise(tournament, rows, sessions, times, list(left_out.values()))
    page = _page_path(out or store.with_name(f"{store.stem}-report"), "report.html")
    _write(page, report_page(content, choose(tournament, content.games), store.name))
    _write(page.with_suffix(".md"), report_markdown(content))
    _write(page.with_suffix(".csv"), report_csv(content))
    write_json(page.with_suffix(".json"), report_data(content))
    return Report(page, answer_lines(content))


def write_replay(store: Path, key: str, out: Path) -> Path:
    """Write a page that shows one stored game, move by move.

    Args:
        store: the file of results.
        key: the game, `EVENT:A:B:PAIR:LEG`: the numbers of the game in the tournament, of its two entrants, of the
            pair, and of the game in the pair.
        out: a folder for `replay.html`, or the name of the page, `….html`.

    Returns:
        The page.

    Raises:
        StoreError: for a file that is not a store, or is damaged.
        OSError: if a file cannot be read or written.
        ValueError: if there is no such game.
    """
    tournament, rows, *_ = read_store(store)
    row = find_game(rows, key)
    page = _page_path(out, "replay.html")
    spec = tournament.games[row.event].rules.spec
    _write(page, replay_page(play_back(tournament, row), spec, store.name))
    return page


def write_curves(agents: Mapping[str, str | Sequence[str]], game: str, out: Path, opponent: str = RANDOM) -> Path:
    """Write a picture of how agents learned: their score in training, by number of decisions or games.

    Args:
        agents: specs that name runs, such as `"gaia:runs/mine"`, by the names to show; of several runs, one per
            training seed, the mean is drawn, with a band for its 95 % interval.
        game: the game's spec.
        out: the SVG file.
        opponent: `"random"` or `"greedy"`: whom the runs were measured against; of a team always `"random"`.

    Returns:
        The file.

    Raises:
        ValueError: if no run of the game has measurements.
        OSError: if the file cannot be written.
    """
    specs_of = {name: [runs] if isinstance(runs, str) else list(runs) for name, runs in agents.items()}
    curves_of_runs = {
        name: read_curves([(name, spec) for spec in specs], make_game(game), opponent)
        for name, specs in specs_of.items()
    }
    curves = [mean_curve(name, runs) for name, runs in curves_of_runs.items() if runs]
    if not curves:
        named = ", ".join(spec for specs in specs_of.values() for spec in specs)
        raise ValueError(f"none of {named} names a run of {game} with measurements against {opponent}")
    _write(out, curves_picture(curves) + "\n")
    return out


def _page_path(out: Path, name: str) -> Path:
    return out if out.suffix == ".html" else out / name


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")  # names may not be UTF-8
