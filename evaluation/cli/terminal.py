"""Shared by all commands: the application, the console, and the printing of tables."""

import contextlib
import os
import signal
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
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
_AGENT, _AGAINST = "agent", "results against each other agent"
_TIME, _SLOW = "a move", "95 %"
_SPARE = (_AGAINST, _SLOW, _TIME)  # what a narrow table goes without, the first first
_LEGEND = {
    False: "score: win 1, draw ½; ± half the 95 % interval over pairs; v n: against row n; a move: the agent's own "
    "median time, and that of 95 %",
    True: "mean score: with the same agent in all seats; ± half the 95 % interval over decks; a move: the agent's own "
    "median time, and that of 95 %",
}
"""The legend below tables, by whether their games are cooperative."""
MOST_GAMES = 1_000_000_000
"""The most games that an option takes: a larger number is a slip, which compiled code could not hold."""
WorkerCount = Annotated[int | None, typer.Option(min=1, max=10_000, help="Number of workers; by default one per core.")]
NoIsolate = Annotated[
    bool,
    typer.Option(
        "--no-isolate",
        help="Play agents from files and modules in this process: faster, unprotected; see docs/agents/strangers.md.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="NAME=SPEC", help="Call the agent with this spec NAME; may be given again."),
]
Verify = Annotated[
    bool | None,
    typer.Option(
        "--verify/--no-verify",
        show_default=False,
        help="Play stored games again by the rules and leave out wrong ones; by default if there are fewer than "
        "100,000. Otherwise compare checksums.",
    ),
]
WRONG = 1
"""The exit status of a command that left out games, because what is stored of them is wrong."""
Seed = Annotated[int, typer.Option(min=0, help="Results are a function of the seed.")]


_SECRET = "secret"  # `seeds.SECRET`, which would load the compiler here


def _read_seed(text: str) -> int | str:
    if text != _SECRET and not text.isdecimal():
        raise typer.BadParameter(f"{text!r} is neither an integer of at least 0 nor {_SECRET!r}.")
    return text if text == _SECRET else int(text)


SeedOrSecret = Annotated[
    Any,
    typer.Option(
        parser=_read_seed,
        metavar=f"INTEGER|{_SECRET}",
        help="Results are a function of the seed; by default 0, or secret if an agent is code of others.",
    ),
]
"""As `ludarium.evaluation.tournament.seeds.settled` takes it."""


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


def print_line(text: str, style: str = "") -> None:
    """Print a text that may hold names: it has no markup, and a narrow terminal adds no line breaks."""
    console.print(text, style=style, markup=False, soft_wrap=True)


def progress_bar(*columns: ProgressColumn, quiet: bool = False) -> Progress:
    """A bar with the description of its task and further columns, gone at the end; not off a terminal or if `quiet`."""
    first = TextColumn("{task.description}", markup=False), BarColumn()
    return Progress(*first, *columns, console=console, transient=True, disable=quiet or not console.is_terminal)


def say(text: str, style: str = "", *, indent: int = 0) -> None:
    """Print a sentence that may hold names: it has no markup, and a terminal breaks it between words only.

    Args:
        text: the sentence.
        style: its style.
        indent: how far it is indented; further lines twice as far.
    """
    margin = " " * indent
    if console.is_terminal:
        text = textwrap.fill(
            text,
            console.width,
            initial_indent=margin,
            subsequent_indent=2 * margin,
            break_long_words=False,
            break_on_hyphens=False,
        )
    else:
        text = f"{margin}{text}"
    print_line(text, style)


def print_table(table: Any) -> None:
    """Print one table of `ludarium.evaluation.tournament.standings`, its forfeits and its warnings.

    If the terminal is too narrow for it, some columns are left out; names that are too long are below the table.
    """
    columns = _columns(table)
    whole = _drawn(table, columns)
    for left_out in _choices():
        shown = _drawn(table, [column for column in columns if column.kind not in left_out])
        if _width(shown) <= console.width:
            break
    console.print(shown)
    if _AGENT in left_out:
        for number, row in enumerate(table.rows, 1):
            say(f"{number} is {row.agent}")
    if missing := [kind for kind in _SPARE if kind in left_out and any(column.kind == kind for column in columns)]:
        say(f"left out: {', '.join(missing)}; for all of it: {_width(whole)} columns, or --out FILE", "dim")
    for verdict in table.verdicts:
        say(str(verdict))
    for pairing in table.repeated:
        say(
            f"{' and '.join(pairing)} played the same two games again and again; "
            "random opening moves (opening) would help",
            "yellow",
        )
    causes = [(count, row.agent, cause) for row in table.rows for cause, count in row.forfeits.items()]
    for count, agent, cause in sorted(causes, reverse=True)[:_MOST_CAUSES]:
        say(f"{count} × {agent} forfeited: {cause}", "red")
    if len(causes) > _MOST_CAUSES:
        say(f"… and {len(causes) - _MOST_CAUSES} other causes")


def print_legend(tables: Sequence[Any]) -> None:
    """Print what the figures in these tables mean, once for each kind of game."""
    for cooperative in sorted({table.game.cooperative for table in tables}):
        say(_LEGEND[cooperative], "dim")


class _Column(NamedTuple):
    """A column: the kind by which it may be left out, its title, its cells as plain text, and its style."""

    kind: str
    title: str
    cells: list[str]
    style: str = ""


def _choices() -> Iterator[tuple[str, ...]]:
    """The kinds of columns that may be left out, the fewest first; at last names of agents are among them."""
    for below in ((), (_AGENT,)):
        for count in range(len(_SPARE) + 1):
            yield *_SPARE[:count], *below


def _columns(table: Any) -> list[_Column]:
    """All columns of a table."""
    from ludarium.evaluation.tournament.standings import duration, plus_minus

    game, rows = table.game, table.rows
    unit, digits = (1, 2) if game.cooperative else (100, 1)
    scores = [plus_minus(unit * row.score, unit * row.margin, digits) for row in rows]
    columns = [
        _Column("", "", [str(number) for number in range(1, len(rows) + 1)], "dim"),
        _Column(_AGENT, _AGENT, [row.agent for row in rows]),
        _Column("", "mean score" if game.cooperative else "score %", scores),
    ]
    if not game.cooperative and game.payoff_range[1] != 1:
        points = [plus_minus(row.points, row.points_margin, 2, sign=True) for row in rows]
        columns.append(_Column("", "points", points))
    for number, other in enumerate([] if game.cooperative else rows, 1):
        met = [f"{100 * row.against[other.agent]:.0f}" if other.agent in row.against else "·" for row in rows]
        columns.append(_Column(_AGAINST, f"v {number}", met, "dim"))
    columns.append(_Column("", "games", [f"{row.games:,}" for row in rows]))
    spent = {timing.agent: timing for timing in table.times}
    for kind, of in ((_TIME, "median"), (_SLOW, "slow")) if spent else ():
        found = [spent.get(row.agent) for row in rows]
        cells = [duration(getattr(one, of)) if one else "–" for one in found]
        columns.append(_Column(kind, kind, cells, "dim"))
    return columns


def _drawn(table: Any, columns: Sequence[_Column]) -> RichTable:
    """The table with these columns."""
    shown = RichTable(
        title=escape(table.game.title or table.game.name),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for column in columns:
        is_name = column.kind == _AGENT
        shown.add_column(column.title, justify="left" if is_name else "right", style=column.style, no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        shown.add_row(*map(escape, cells))
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
