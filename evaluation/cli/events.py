"""Commands that play: arena, tournament, match."""

import contextlib
import itertools
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ludarium.evaluation.cli.output import AsJson, check_out, output_for_result, print_json
from ludarium.evaluation.cli.terminal import (
    INTERRUPTED,
    WRONG,
    Names,
    NoIsolate,
    Seed,
    SeedOrSecret,
    Verify,
    WorkerCount,
    app,
    at_work,
    console,
    print_legend,
    print_line,
    print_table,
    progress_bar,
    say,
    short,
    worker_pool,
)

_ARENA = Path("runs/arena.json")
_MARGIN = 50  # `time_control.MARGIN`, which would load the compiler here


@app.command(rich_help_panel="Play")
def arena(
    seed: Seed = 0,
    out: Annotated[
        Path, typer.Option(help="The file for the results, as JSON; the games go beside it, into a file with .db.")
    ] = _ARENA,
    pairs: Annotated[
        int | None,
        typer.Option(min=1, help="Number of pairs of games in each pairing; by default 60 to 2,000, by game."),
    ] = None,
) -> None:
    """Play the built-in agents against each other, each in every game it takes: about a minute on two cores."""
    from ludarium.evaluation.report import write_report
    from ludarium.evaluation.tournament.program import arena as program

    tournament = program(seed, pairs)
    check_out(out)
    store = out.with_suffix(".db")
    check_out(out, *_store_files(store))
    store.parent.mkdir(parents=True, exist_ok=True)
    _remove_older(store, tournament.name)  # an arena always starts from scratch
    _play_and_print(tournament, store, "threads", None, out)
    console.print(f"report: [bold]{escape(str(write_report(store).page))}[/bold]", soft_wrap=True)
    again = _command("arena", seed=(seed, 0), pairs=(pairs, None), out=(out, _ARENA))
    print_line(f"again: {again}")


@app.command(rich_help_panel="Play")
def tournament(
    file: Annotated[Path, typer.Argument(help="The tournament as TOML: see docs/tournaments.md.")],
    store: Annotated[Path | None, typer.Option(help="The file for the games; by default FILE with .db.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the results to this file, as JSON.")] = None,
    executor: Annotated[
        str, typer.Option(help="Where workers run: threads, processes, or dask:ADDRESS.")
    ] = "processes",
    workers: WorkerCount = None,
    no_isolate: NoIsolate = False,
    verify: Verify = None,
    as_json: AsJson = False,
) -> None:
    """Play a tournament, or continue one: you may kill it at any moment, and nothing is lost."""
    from ludarium.evaluation.tournament.event import Tournament

    if file.is_dir():
        raise ValueError(f"{file} is a folder; give the TOML file of a tournament: see docs/tournaments.md")
    usual = file.with_suffix(".db")
    path = store or usual
    check_out(out, file, *_store_files(path))
    described = Tournament.from_file(file, path)
    again = _command(
        "tournament",
        file,
        store=(path, usual),
        out=(out, None),
        executor=(executor, "processes"),
        workers=(workers, None),
        no_isolate=(no_isolate, False),
        verify=(verify, None),
    )
    status = 0
    try:
        _play_and_print(described, path, executor, workers, out, as_json, isolate=not no_isolate, verify=verify)
    except typer.Exit as interrupted:
        status = interrupted.exit_code
    if not as_json:
        print_line(f"games: {path}   to continue or show again: {again}")
    raise typer.Exit(status)


@app.command(rich_help_panel="Play")
def match(
    game: Annotated[str, typer.Argument(help='A game: "othello", "othello?size=6".')],
    players: Annotated[list[str], typer.Argument(help='Agents such as "greedy" and "mcts?simulations=100".')],
    pairs: Annotated[int, typer.Option(min=1, help="Number of pairs of games; in cooperative games, of decks.")] = 100,
    seed: SeedOrSecret = None,
    opening: Annotated[int, typer.Option(min=0, help="Random moves at the start of each game.")] = 0,
    openings: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help='Openings, one a line, or a shipped set, "balanced"; the same for both games of a pair.',
        ),
    ] = None,
    order: Annotated[
        str, typer.Option(help="With --openings: random, a function of the seed, or sequential.")
    ] = "random",
    adjudicate: Annotated[
        str,
        typer.Option(help="exact: in Othello, both sides are played exactly once 12 squares are empty."),
    ] = "",
    clock: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="The time of each agent: 60+0.5, seconds a game and what each move adds; or 2/move.",
        ),
    ] = "",
    margin: Annotated[
        int, typer.Option(help="With --clock: milliseconds by which an answer may be late, for communication.")
    ] = _MARGIN,
    name: Names = None,
    out: Annotated[Path | None, typer.Option(help="Also write the results to this file, as JSON.")] = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="H0 H1",
            help="End each pairing once a sequential test tells whether its first agent is H0 or H1 stronger, or after "
            "--pairs.",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="With --sprt: probability of accepting H1 although H0 holds.")] = 0.05,
    beta: Annotated[float, typer.Option(help="With --sprt: probability of accepting H0 although H1 holds.")] = 0.05,
    unit: Annotated[
        str, typer.Option(help="With --sprt: the unit of H0 and H1: elo, normalized-elo, or points a game.")
    ] = "elo",
    metric: Annotated[
        str | None,
        typer.Option(help="Measure this in place of results: home-bound, the lead once a backgammon game is a race."),
    ] = None,
    roll_bonus: Annotated[
        float | None, typer.Option(help="With home-bound: pips for the side on roll; by default half a roll, 49/12.")
    ] = None,
    no_isolate: NoIsolate = False,
    store: Annotated[
        Path | None, typer.Option(help="Keep the games in this file; the same command then continues.")
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(
            help="Where workers run: threads, processes, or dask:ADDRESS; by default threads, or processes if an agent "
            "is code of others, or with --clock."
        ),
    ] = None,
    workers: WorkerCount = None,
    verify: Verify = None,
    as_json: AsJson = False,
) -> None:
    """Play two or more agents against each other, in pairs of games with the same chance and exchanged seats.

    In Hanabi, each agent plays as a team.
    """
    from dataclasses import replace

    from ludarium.agents.specs import apart
    from ludarium.envs.chance import is_secret
    from ludarium.envs.openings import find_openings
    from ludarium.envs.registry import make_game
    from ludarium.evaluation.statistics.sprt import Hypotheses
    from ludarium.evaluation.tournament.entrants import renamed
    from ludarium.evaluation.tournament.event import GameEntry, Tournament
    from ludarium.evaluation.tournament.schedule import usual_executor
    from ludarium.evaluation.tournament.seeds import settled

    check_out(out, *([] if store is None else _store_files(store)))
    if metric is not None and (store, executor, workers) != (None, None, None):
        raise ValueError("--metric keeps no games and needs no workers: leave out --store, --executor and --workers")
    if sprt is None and (alpha, beta, unit) != (0.05, 0.05, "elo"):
        raise ValueError("--alpha, --beta and --unit belong to --sprt")
    test = None if sprt is None else Hypotheses(*sprt, alpha, beta, unit)
    book = () if openings is None else find_openings(make_game(game), openings)
    entry = GameEntry(
        game, pairs, opening, openings=book, order=order, adjudicate=adjudicate, clock=clock, margin=margin
    )
    named = Tournament(renamed(players, name or ()), (entry,), name="match", sprt=test)
    chosen = settled(seed, named.agents, store)
    tournament = replace(named, seed=chosen)
    if metric is not None or roll_bonus is not None:
        for option, value in (("--sprt", sprt), ("--adjudicate", adjudicate), ("--clock", clock)):
            if value:
                raise ValueError(f"--metric does not go with {option}")
        if openings is not None:
            raise ValueError("--metric takes random moves, --opening, and no --openings")
        playing = [player if no_isolate else apart(player) for player in named.agents]
        _measure_and_print(
            game,
            dict(zip(named.labels, playing, strict=True)),
            pairs,
            chosen,
            opening,
            metric,
            roll_bonus,
            out,
            as_json,
        )
        return
    executor = executor or usual_executor(tournament)
    _play_and_print(tournament, store, executor, workers, out, as_json, isolate=not no_isolate, verify=verify)
    if not isinstance(seed, int) and is_secret(chosen) and not as_json:
        again = "games" if entry.reproducible else "dice, cards and openings"
        console.print(f"the seed was secret; the same {again} again: --seed {chosen}", style="dim", soft_wrap=True)


def _command(name: str, *arguments: Path, **options: tuple[Any, Any]) -> str:
    """A command, quoted for a shell, from its arguments and from each option's value and default."""
    changed = {option.replace("_", "-"): value for option, (value, default) in options.items() if value != default}
    flags = [
        (f"--{'no-' * (value is False)}{option}",) if isinstance(value, bool) else (f"--{option}", str(value))
        for option, value in changed.items()
    ]
    return shlex.join(["ludarium", name, *map(str, arguments), *itertools.chain(*flags)])


def _store_files(store: Path) -> list[Path]:
    """The file of a store, and its companion files: SQLite's, and the lock."""
    return [store, *(Path(f"{store}-{companion}") for companion in ("wal", "shm", "lock"))]


def _remove_older(store: Path, name: str) -> None:
    """Remove the store of an older tournament with this name; anything else is an error, and stays."""
    from ludarium.evaluation.tournament.store import Store

    if store.exists() and store.stat().st_size > 0:
        with Store(store) as older:
            stored = older.tournament.get("name")
        if stored != name:
            raise ValueError(
                f"{store} holds the tournament {stored!r}, so the {name} cannot go there; give another --out"
            )
    for path in _store_files(store):
        path.unlink(missing_ok=True)


class _Screen:
    """What a tournament shows while it is played: how far it is, and each table as soon as its games are stored.

    Args:
        tournament: what is played.
        bar: the progress bar.
        quiet: print no tables.
    """

    def __init__(self, tournament: Any, bar: Progress, quiet: bool) -> None:
        self.tournament, self.bar, self.quiet = tournament, bar, quiet
        self.task = bar.add_task(tournament.name, total=None, rate="")
        self.tables: dict[int, Any] = {}
        self.store: Any = None
        self.left_out: dict[tuple[int, ...], str] = {}
        self.state: Any = None
        self.before = 0

    def opened(self, store: Any, left_out: dict[tuple[int, ...], str]) -> None:
        self.store, self.before, self.left_out = store, store.count(), left_out

    def progress(self, state: Any) -> None:
        self.state = state
        elapsed = self.bar.tasks[self.task].elapsed or 0.0
        rate = f"{short((state.done - self.before) / elapsed)}/s" if elapsed > 1 else ""
        name, total = self.tournament.name, state.total
        self.bar.update(self.task, description=name, total=total, completed=state.done, rate=rate)

    def finished(self, event: int, whole: bool = True) -> None:
        from ludarium.evaluation.report.content import answers
        from ludarium.evaluation.report.wording import clock_note, game_title
        from ludarium.evaluation.tournament.standings import table

        games = [row for row in self.store.games(event) if row.key not in self.left_out]
        times = self.store.times()
        standings = self.tables[event] = table(self.tournament, event, games, self.state, times)
        if not self.quiet:
            for sentence in answers(self.tournament, standings, games, finished=whole):
                say(f"{game_title(standings.game)}: {sentence}")
            print_table(standings)
            if control := self.tournament.games[event].control:
                say(clock_note(control, games))

    def rest(self) -> list[Any]:
        """All tables; those of games that were not finished are shown now."""
        for event in range(len(self.tournament.games)):
            if event not in self.tables:
                self.finished(event, whole=False)
        return [self.tables[event] for event in sorted(self.tables)]


def _play_and_print(
    tournament: Any,
    path: Path | None,
    executor: str,
    size: int | None,
    out: Path | None,
    as_json: bool = False,
    *,
    isolate: bool = True,
    verify: bool | None = None,
) -> None:
    from ludarium.envs.compilation import at_first_compilation
    from ludarium.evaluation.tournament.ahead import compiling_ahead
    from ludarium.evaluation.tournament.schedule import games_in_all, play
    from ludarium.evaluation.tournament.standings import to_data
    from ludarium.evaluation.tournament.store import Store, check_path

    if path is not None:
        check_path(path)
    games = MofNCompleteColumn(), TextColumn("games  {task.fields[rate]}")
    clock = TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
    with output_for_result(as_json), worker_pool(executor, size) as pool, contextlib.ExitStack() as shown:
        bar = shown.enter_context(progress_bar(*games, *clock))
        screen = _Screen(tournament, bar, as_json)
        shown.enter_context(at_first_compilation(shown.enter_context(compiling_ahead(tournament))))
        tournament.check(pool, isolate=isolate)  # before a file is created
        with Store(path, tournament.data()) as store:
            screen.opened(store, _left_out(tournament, store, verify))
            try:
                play(tournament, store, pool, screen.progress, screen.finished, isolate=isolate)
                stopped = False
            except KeyboardInterrupt:
                stopped = True
            tables, done = screen.rest(), store.count()
        bar.stop()
        if not as_json:
            print_legend(tables)
        if stopped:
            kept = f"are in {path}" if path is not None else "were played, and are not kept"
            print_line(f"interrupted: {done:,} of {games_in_all(tournament):,} games {kept}", style="yellow")
            raise typer.Exit(INTERRUPTED)
    _write(to_data(tournament, tables, left_out=list(screen.left_out.values())), out, as_json)
    if screen.left_out:
        raise typer.Exit(WRONG)


def _left_out(tournament: Any, store: Any, verify: bool | None) -> dict[tuple[int, ...], str]:
    """The games of a store that are left out; people are told which and why."""
    from ludarium.evaluation.tournament.soundness import wrong_games

    if not store.count():
        return {}
    wrong = wrong_games(store, verify)
    for sentence in wrong.values():
        say(sentence, "red")
    if wrong and tournament.format == "swiss":
        raise ValueError(
            f"{store.path} holds {len(wrong)} wrong games, and the rounds of a Swiss tournament depend on all of them; "
            "report it as it is, or play into another file"
        )
    return wrong


def _write(data: Any, out: Path | None, as_json: bool) -> None:
    """Write results to the file of `--out`, and with `--json` print them."""
    from ludarium.evaluation.tournament.standings import write_json

    if out is not None:
        write_json(out, data)
    if as_json:
        print_json(data)
    elif out is not None:
        console.print(f"results: [bold]{escape(str(out))}[/bold]", soft_wrap=True)


def _measure_and_print(
    game: str,
    players: dict[str, str],
    pairs: int,
    seed: int,
    opening: int,
    metric: str | None,
    roll_bonus: float | None,
    out: Path | None,
    as_json: bool,
) -> None:
    from dataclasses import asdict, replace

    from ludarium.envs.registry import make_game
    from ludarium.evaluation.measures.backgammon.home_bound import ROLL_BONUS, home_bound
    from ludarium.evaluation.tournament.standings import plain

    if metric != "home-bound":
        raise ValueError(f"--metric must be home-bound, and --roll-bonus belongs to it; --metric is {metric!r}")
    if len(players) != 2:
        raise ValueError(f"--metric home-bound compares two agents, not {len(players)}")
    bonus = ROLL_BONUS if roll_bonus is None else roll_bonus
    with output_for_result(as_json), at_work("playing"):
        (agent, first), (opponent, second) = players.items()
        bound = home_bound(make_game(game), first, second, pairs, seed, opening=opening, roll_bonus=bonus)
        bound = replace(bound, agent=agent, opponent=opponent)
    if not as_json:
        print_line(str(bound))
    _write(plain(asdict(bound)), out, as_json)
