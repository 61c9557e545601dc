"""Shared by all commands: the application, the console, and the printing of tables."""

import contextlib
import os
import shutil
import signal
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
from rich.table import Table as RichTable

from ludarium.envs.compilation import Compilation, compilation_shown
from ludarium.evaluation.tournament import figures
from ludarium.evaluation.tournament.figures import AGAINST, AGENT, FORFEITS, NUMBER, REPEATED, SLOW, TIME

app = typer.Typer(
    help="Five games, agents that play them, and a harness that finds out who plays best.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console(emoji=False, highlight=False)

INTERRUPTED = 130
"""The exit status of a command that Ctrl-C or SIGTERM stopped."""
_SPARE = (AGAINST, SLOW, TIME)  # columns that a narrow table goes without, the first first
_STYLES = dict.fromkeys((NUMBER, AGAINST, TIME, SLOW), "dim") | {REPEATED: "yellow", FORFEITS: "red"}
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


@contextlib.contextmanager
def progress_bar(*columns: ProgressColumn, quiet: bool = False) -> Iterator[Progress]:
    """A bar with the description of its task and further columns, gone at the end; not off a terminal or if `quiet`.

    While functions are compiled, it says so in place of the description.
    """
    first = TextColumn("{task.description}", markup=False), BarColumn()
    hidden = quiet or not console.is_terminal
    usual: dict[Any, str] = {}

    def compiling(state: Compilation) -> None:
        for task in bar.tasks:
            usual.setdefault(task.id, task.description)
            bar.update(task.id, description=usual.pop(task.id) if state.is_over else str(state))

    with (
        Progress(*first, *columns, console=console, transient=True, disable=hidden) as bar,
        contextlib.nullcontext() if hidden else compilation_shown(compiling),
    ):
        yield bar


@contextlib.contextmanager
def at_work(text: str) -> Iterator[None]:
    """Within it a terminal shows the text, or that functions are compiled."""
    if not console.is_terminal:
        yield
        return
    status = console.status(text)
    with status, compilation_shown(lambda state: status.update(text if state.is_over else str(state))):
        yield


@contextlib.contextmanager
def compilation_line() -> Iterator[None]:
    """Within it a terminal shows on a line of standard error, for as long as it takes, that functions are compiled."""
    if not sys.stderr.isatty():
        yield
        return

    def show(state: Compilation) -> None:
        width = shutil.get_terminal_size().columns - 1
        text = "" if state.is_over else str(state)[:width]
        print(f"\r{text:<{width}}", end="\r" * state.is_over, file=sys.stderr, flush=True)

    with compilation_shown(show):
        yield


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
    columns = figures.columns(table)
    whole = _drawn(table, columns)
    for left_out in _choices():
        shown = _drawn(table, [column for column in columns if column.kind not in left_out])
        if _width(shown) <= console.width:
            break
    console.print(shown)
    if AGENT in left_out:
        for number, row in enumerate(table.rows, 1):
            say(f"{number} is {row.agent}")
    if missing := [kind for kind in _SPARE if kind in left_out and any(column.kind == kind for column in columns)]:
        say(f"left out: {', '.join(missing)}; for all of it: {_width(whole)} columns, or --out FILE", "dim")
    for remark in figures.remarks(table):
        say(remark.text, _STYLES.get(remark.kind, ""))


def print_legend(tables: Sequence[Any]) -> None:
    """Print what the figures in these tables mean, once for each kind of game."""
    for cooperative in sorted({table.game.cooperative for table in tables}):
        say(figures.LEGEND[cooperative], "dim")


def _choices() -> Iterator[tuple[str, ...]]:
    """The kinds of columns that may be left out, the fewest first; at last names of agents are among them."""
    for below in ((), (AGENT,)):
        for count in range(len(_SPARE) + 1):
            yield *_SPARE[:count], *below


def _drawn(table: Any, columns: Sequence[figures.Column]) -> RichTable:
    """The table with these columns."""
    shown = RichTable(
        title=escape(table.game.title or table.game.name),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for column in columns:
        justify: Literal["left", "right"] = "left" if column.kind == AGENT else "right"
        shown.add_column(column.title, justify=justify, style=_STYLES.get(column.kind, ""), no_wrap=True)
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
