"""Shared by all commands: the application, the console, and the printing of tables."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table as RichTable

app = typer.Typer(
    help="Five games, agents that play them, and a harness that finds out who plays best.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console(emoji=False, highlight=False)

INTERRUPTED = 130
"""The exit status of a command that Ctrl-C or SIGTERM stopped."""
_MOST_CAUSES = 10
_LEGEND = {
    False: "score: win 1, draw ½; ± half the 95 % interval over pairs; v n: against row n; a move: its median time, "
    "and that of 95 %; * of both sides",
    True: "mean score: with the same agent in all seats; ± half the 95 % interval over decks; a move: its "
    "median time, and that of 95 %; * of all seats",
}
"""The legend below tables, by whether their games are cooperative."""
Seed = Annotated[int, typer.Option(min=0, help="Results are a function of the seed.")]


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Within it, SIGTERM stops the command as Ctrl-C does."""

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def worker_pool(executor: str, size: int | None) -> Iterator[Any]:
    """Workers for a command, which SIGTERM stops too; it ends even if a thread of its own does not."""
    from ludarium.agents.workers import Workers

    pool = None
    try:
        with terminable(), Workers(executor, size) as pool:
            yield pool
    finally:
        if pool is not None and pool.abandoned:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(INTERRUPTED)


def print_table(table: Any) -> None:
    """Print one table of `ludarium.evaluation.tournament.standings`, its forfeits and its warnings.

    If the terminal is too narrow for the results against each other agent, these are left out.
    """
    versus = not table.game.cooperative
    wide = _standing(table, versus)
    too_wide = versus and _width(wide) > console.width
    console.print(_standing(table, False) if too_wide else wide)
    if too_wide:
        console.print(f"results against each other agent: in {_width(wide)} columns, or in the report", style="dim")
    for pairing in table.repeated:
        console.print(
            f"{' and '.join(map(escape, pairing))} played the same two games again and again; "
            "random opening moves (opening) would help",
            style="yellow",
        )
    causes = [(count, row.agent, cause) for row in table.rows for cause, count in row.forfeits.items()]
    for count, agent, cause in sorted(causes, reverse=True)[:_MOST_CAUSES]:
        console.print(f"[red]{count} × {escape(agent)} forfeited:[/red] {escape(cause)}", soft_wrap=True)
    if len(causes) > _MOST_CAUSES:
        console.print(f"… and {len(causes) - _MOST_CAUSES} other causes")


def print_legend(tables: Sequence[Any]) -> None:
    """Print what the figures in these tables mean, once for each kind of game."""
    for cooperative in sorted({table.game.cooperative for table in tables}):
        console.print(_LEGEND[cooperative], style="dim", soft_wrap=True)


def _standing(table: Any, versus: bool) -> RichTable:
    """The table; with `versus` it has a column for each opponent."""
    from ludarium.evaluation.tournament.standings import duration, plus_minus

    game, rows = table.game, table.rows
    measure = "mean score" if game.cooperative else "score %"
    shown = RichTable(
        title=escape(game.title or game.name),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    shown.add_column("", justify="right", style="dim", no_wrap=True)
    shown.add_column("agent", overflow="fold")
    shown.add_column(measure, justify="right", no_wrap=True)
    with_points = not game.cooperative and game.payoff_range[1] != 1
    if with_points:
        shown.add_column("points", justify="right", no_wrap=True)
    for number in range(1, len(rows) + 1) if versus else []:
        shown.add_column(f"v {number}", justify="right", style="dim", no_wrap=True)
    shown.add_column("games", justify="right", no_wrap=True)
    shown.add_column("moves/s", justify="right", style="dim", no_wrap=True)
    spent = {timing.agent: timing for timing in table.times if not timing.opponent}
    if spent:
        shown.add_column("a move", justify="right", style="dim", no_wrap=True)
        shown.add_column("95 %", justify="right", style="dim", no_wrap=True)
    for number, row in enumerate(rows, 1):
        unit, digits = (1, 2) if game.cooperative else (100, 1)
        cells = [str(number), escape(row.agent), plus_minus(unit * row.score, unit * row.margin, digits)]
        if with_points:
            cells.append(plus_minus(row.points, row.points_margin, 2, sign=True))
        if versus:
            cells += [f"{100 * row.against[o.agent]:.0f}" if o.agent in row.against else "·" for o in rows]
        cells += [f"{row.games:,}", short(row.rate) if row.rate is not None else "–"]
        if row.agent in spent:
            one = spent[row.agent]
            cells += [f"{duration(time)}{'' if one.apart else ' *'}" for time in (one.median, one.slow)]
        shown.add_row(*cells)
    return shown


def _width(shown: RichTable) -> int:
    """The width in characters that a table needs."""
    return Measurement.get(console, console.options.update(max_width=10_000), shown).maximum


def short(rate: float) -> str:
    """A rate with three significant digits: `7.64 k`, `1.2 M`."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.3g}"
