"""The `ludarium` command."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table as RichTable

app = typer.Typer(
    help="Five games, agents that play them, and a harness that finds out who plays best.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console(emoji=False, highlight=False)

_MOST_CAUSES = 10
_LEGEND = "[dim]score: win 1, draw ½; ± half the 95 % interval over pairs; v n: against row n[/dim]"
Seed = Annotated[int, typer.Option(min=0, help="Results are a function of the seed.")]


@app.command()
def arena(
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Where the results go, as JSON.")] = Path("runs/arena.json"),
    scale: Annotated[float, typer.Option(min=0.001, help="Play so many times the usual number of games.")] = 1.0,
) -> None:
    """A round robin of the built-in agents in all five games: about two minutes on two cores."""
    from ludarium.evaluation.program import arena as program

    tournament = program(seed, scale)
    _play_and_print(tournament, None, "threads", None, out)
    console.print(f"again: ludarium arena --seed {seed}", soft_wrap=True)


@app.command()
def tournament(
    file: Annotated[Path, typer.Argument(help="The tournament, in TOML: see docs/tournaments.md.")],
    store: Annotated[Path | None, typer.Option(help="Where the games go; as a default FILE with .db.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the tables as JSON.")] = None,
    executor: Annotated[str, typer.Option(help="processes, threads, or dask:ADDRESS.")] = "processes",
    workers: Annotated[int | None, typer.Option(min=1, help="How many; as a default one a core.")] = None,
) -> None:
    """Play a tournament, or go on with one: it may be killed at any moment and loses nothing."""
    from ludarium.evaluation.tournament import Tournament

    path = store or file.with_suffix(".db")
    _play_and_print(Tournament.from_file(file), path, executor, workers, out)
    console.print(f"games: {path}   again or further: ludarium tournament {file}", soft_wrap=True)


def _play_and_print(tournament: Any, path: Path | None, executor: str, workers: int | None, out: Path | None) -> None:
    from ludarium.evaluation.standings import tables, to_data, write_json
    from ludarium.evaluation.store import Store
    from ludarium.evaluation.tournament import run

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games  {task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    tournament.check()  # before a file is made
    with Store(path, tournament.data()) as store:
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(tournament.name, rate="")
            before = store.count()

            def show(state: Any) -> None:
                elapsed = bar.tasks[task].elapsed or 0.0
                rate = f"{_short((state.done - before) / elapsed)}/s" if elapsed > 1 else ""
                bar.update(task, total=state.total, completed=state.done, rate=rate)

            state = run(tournament, store, executor=executor, workers=workers, progress=show)
        found = tables(tournament, store.games(), state)
    for table in found:
        _print_table(table)
    console.print(_LEGEND)
    if out is not None:
        write_json(out, to_data(tournament, found))
        console.print(f"results: [bold]{escape(str(out))}[/bold]", soft_wrap=True)


def _print_table(table: Any) -> None:
    game, rows = table.game, table.rows
    measure = "mean score" if game.cooperative else "score %"
    shown = RichTable(
        title=game.title or game.name,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    shown.add_column("", justify="right", style="dim")
    shown.add_column("agent", no_wrap=True)
    shown.add_column(measure, justify="right", no_wrap=True)
    with_points = not game.cooperative and game.payoff_range[1] != 1
    if with_points:
        shown.add_column("points", justify="right", no_wrap=True)
    for number in range(1, len(rows) + 1) if not game.cooperative else []:
        shown.add_column(f"v {number}", justify="right", style="dim", no_wrap=True)
    shown.add_column("games", justify="right", no_wrap=True)
    shown.add_column("moves/s", justify="right", style="dim", no_wrap=True)
    for number, row in enumerate(rows, 1):
        unit, digits = (1, 2) if game.cooperative else (100, 1)
        cells = [str(number), row.agent, f"{unit * row.score:.{digits}f} ± {unit * row.margin:.{digits}f}"]
        if with_points:
            cells.append(f"{row.points:+.2f} ± {row.points_margin:.2f}")
        if not game.cooperative:
            cells += [f"{100 * row.against[o.agent]:.0f}" if o.agent in row.against else "·" for o in rows]
        shown.add_row(*cells, f"{row.games:,}", _short(row.rate) if row.rate is not None else "–")
    console.print(shown)
    for pairing in table.repeated:
        console.print(
            f"{' and '.join(map(escape, pairing))} played the same two games again and again; "
            "random opening moves (opening) would tell more",
            style="yellow",
        )
    causes = [(count, row.agent, cause) for row in rows for cause, count in row.forfeits.items()]
    for count, agent, cause in sorted(causes, reverse=True)[:_MOST_CAUSES]:
        console.print(f"[red]{count} × {escape(agent)} forfeited:[/red] {escape(cause)}", soft_wrap=True)
    if len(causes) > _MOST_CAUSES:
        console.print(f"… and {len(causes) - _MOST_CAUSES} other causes")


def _short(rate: float) -> str:
    """A rate in three digits: `7.64 k`, `1.2 M`."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.3g}"


@app.command()
def games() -> None:
    """List the games with their options."""
    from ludarium.envs.registry import game_names, make_game

    for name in game_names():
        game = make_game(name)
        facts = [f"{game.seats} seats", f"{game.actions} actions"]
        facts += ["chance"] if game.max_outcomes else []
        facts += ["hidden information"] if game.hidden_information else []
        console.print(f"[bold]{name}[/bold]  {game.title}: {', '.join(facts)}")
        for key, option in game.option_types.items():
            about = f"  {option.help}" if option.help else ""
            console.print(f"  {key} = {option.default!r}[dim]  {option.expected}{about}[/dim]")


@app.command()
def agents() -> None:
    """List the agents with their options."""
    from ludarium.agents import agent_names, agent_options

    for name in agent_names():
        options = ", ".join(f"{key}={default!r}" for key, default in agent_options(name).items())
        console.print(f"[bold]{name}[/bold]  {options}")
    console.print(
        "also: module:attribute or path/to/file.py, for a callable (observation, action_mask, info) or a factory; "
        "process:COMMAND, gtp:COMMAND, nboard:COMMAND, sb3:PATH",
        soft_wrap=True,
    )


@app.command()
def match(
    game: Annotated[str, typer.Argument(help='A game: "othello", "othello?size=6".')],
    players: Annotated[
        list[str], typer.Argument(help='Agents such as "greedy" and "mcts?simulations=100"; Hanabi: teams.')
    ],
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games (cooperative games: decks).")] = 100,
    seed: Seed = 0,
    opening: Annotated[int, typer.Option(min=0, help="Random moves at the start of each game.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Also write the results as JSON.")] = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="ELO0 ELO1",
            help="Stop when it is decided, with 5 % of error, whether the first of two agents is only ELO0 stronger or "
            "as much as ELO1; at --pairs at the latest.",
        ),
    ] = None,
) -> None:
    """Two agents or more, pairs of games with the same chance and exchanged seats; in Hanabi, teams."""
    from ludarium.evaluation.tournament import GameEntry, Tournament

    tournament = Tournament(tuple(players), (GameEntry(game, pairs, opening),), name="match", seed=seed)
    if sprt is None:
        _play_and_print(tournament, None, "threads", None, out)
    else:
        _test_and_print(tournament, *sprt, out)


def _test_and_print(tournament: Any, elo0: float, elo1: float, out: Path | None) -> None:
    from ludarium.envs.registry import make_game
    from ludarium.evaluation.match import play_sprt
    from ludarium.evaluation.sprt import Sprt
    from ludarium.evaluation.standings import tables, to_data, write_json
    from ludarium.evaluation.store import GameRow
    from ludarium.evaluation.tournament import Work, game_rows

    test, (entry,) = Sprt(elo0, elo1), tournament.games
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("pairs"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=entry.pairs)

        def show(test: Any) -> None:
            llr = f"log-likelihood ratio {test.llr:+.2f} ({test.lower:.2f}, {test.upper:.2f})"
            bar.update(task, completed=int(test.counts.sum()), description=llr)

        result = play_sprt(
            make_game(entry.game),
            tournament.agents,
            test,
            entry.pairs,
            tournament.seed,
            opening=entry.opening,
            progress=show,
        )
    rows = map(GameRow._make, game_rows(result, Work(0, 0, 1, 0, len(result.payoffs))))
    found = tables(tournament, rows)
    _print_table(found[0])
    console.print(str(test), soft_wrap=True)
    if out is not None:
        decision = {"state": test.state, "elo0": elo0, "elo1": elo1, "llr": test.llr, "pairs": test.counts.tolist()}
        write_json(out, {**to_data(tournament, found), "sprt": decision})
        console.print(f"results: [bold]{escape(str(out))}[/bold]", soft_wrap=True)


@app.command()
def perft(
    game: Annotated[str, typer.Argument(help='A game without chance: "othello", "othello?size=6".')],
    depth: Annotated[int, typer.Option(min=0, help="Moves to look ahead.")] = 6,
) -> None:
    """Count the lines of play by depth: a pass is a move, a finished game is one line."""
    import time

    from ludarium.envs.perft import perft as count
    from ludarium.envs.registry import make_game

    start = make_game(game).start()
    for moves in range(depth + 1):
        started = time.perf_counter()
        lines = count(start, moves)
        seconds = time.perf_counter() - started
        console.print(f"{moves:3} {lines:>20,}  [dim]{seconds:.2f} s[/dim]")


@app.command()
def replay(
    files: Annotated[list[Path], typer.Argument(help="Files, or folders of files.")],
    game: Annotated[
        str | None, typer.Option(help="othello, backgammon or hanabi, where the file does not tell.")
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="Print the positions of game number N of the file.")] = 0,
) -> None:
    """Play recorded games through the rules: WTHOR, GGF and transcripts, backgammon matches, hanab.live JSON."""
    from ludarium.envs.records import RecordError
    from ludarium.evaluation.replay import replay_file

    paths = [path for file in files for path in (sorted(file.rglob("*.*")) if file.is_dir() else [file])]
    if show:
        _show_game(paths[0], game, show)
        return
    whole = stopped = wrong = 0
    for path in paths:
        try:
            result = replay_file(path, game)
        except RecordError as error:
            console.print(str(error), style="red", markup=False, soft_wrap=True)
            wrong += 1
            continue
        whole, stopped, wrong = whole + len(result.whole), stopped + len(result.stopped), wrong + len(result.errors)
        for problem in result.errors:
            console.print(str(problem), style="red", markup=False, soft_wrap=True)
        for record in result.stopped if len(paths) == 1 else []:
            console.print(f"{record.file}:{record.line}: {record.note}", style="dim", markup=False, soft_wrap=True)
    console.print(f"{whole} games replayed to their end, {stopped} stopped early, {wrong} wrong")
    if wrong:
        raise typer.Exit(1)


def _show_game(path: Path, game: str | None, number: int) -> None:
    from ludarium.envs.records import RecordError
    from ludarium.evaluation.replay import positions, read_records

    for count, record in enumerate(read_records(path, game), 1):
        if count == number:
            if isinstance(record, RecordError):
                raise record
            console.print(f"{' – '.join(record.seats)}  {record.result}  {record.note}", markup=False)
            for name, position in positions(record):
                console.print(name, style="bold", markup=False)
                console.print(f"{position}\n", markup=False)
            return
    raise ValueError(f"{path.name}: there is no game {number}")


@app.command()
def report(
    store: Annotated[Path, typer.Argument(help="The games of a tournament, as ludarium tournament stored them.")],
    out: Annotated[Path | None, typer.Option(help="A folder, or the page's name, NAME.html.")] = None,
    replay: Annotated[
        str | None, typer.Option(metavar="EVENT:A:B:PAIR:LEG", help="Instead, a page with this game, move by move.")
    ] = None,
) -> None:
    """What a tournament says: one HTML page that needs no network, and Markdown, CSV and JSON beside it."""
    from ludarium.evaluation.report import write_replay, write_report

    page = write_report(store, out) if replay is None else write_replay(store, replay, out or store.parent)
    console.print(f"report: [bold]{escape(str(page))}[/bold]", soft_wrap=True)


@app.command()
def exact(
    game: Annotated[str, typer.Argument(help='A small game: "tictactoe", "hexapawn?rows=4", "othello?size=4".')],
    agent: Annotated[str, typer.Option(help='An agent such as "greedy" or "mcts?simulations=100".')],
    samples: Annotated[
        int, typer.Option(help="How often an agent that plays by chance is asked in each position.")
    ] = 100,
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How well an agent does against the best replies there are, and whether it can lose at all: by all positions."""
    import json
    from dataclasses import asdict

    from ludarium.envs.registry import make_game
    from ludarium.evaluation.exact import measure

    quiet = as_json or not console.is_terminal
    with Progress(TextColumn(agent, markup=False), BarColumn(), transient=True, disable=quiet) as progress:
        task = progress.add_task("", total=1.0)
        found = measure(
            make_game(game),
            agent,
            samples=samples,
            seed=seed,
            progress=lambda share: progress.update(task, completed=share),
        )
    if as_json:
        print(json.dumps(asdict(found)))
        return
    known = {"exact": "chances known", "deterministic": "deterministic", "sampled": f"{found.samples} answers in each"}
    never = "no loss seen" if found.method == "sampled" else "yes"
    console.print(f"{agent} in {found.positions:,} positions of {found.game}: {known[found.method]}", markup=False)
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
    for column in ("as", "against a best reply", "never loses", "a shortest loss"):
        shown.add_column(column, overflow="fold")
    for seat, value, line in (
        ("first", found.value_first, found.refutation_first),
        ("second", found.value_second, found.refutation_second),
    ):
        shown.add_row(seat, f"{value:+.4f}", never if line is None else "no", escape(" ".join(line or ["–"])))
    console.print(shown)
    console.print(f"NashConv {found.nash_conv:.4f}   optimal actions {100 * found.optimal_action_rate:.2f} %")


yardstick = typer.Typer(help="Fixed protocols that others have measured by.", no_args_is_help=True)
app.add_typer(yardstick, name="yardstick")
Measured = Annotated[str, typer.Argument(help='An agent such as "greedy" or "my_package.bots:clever".')]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Games = Annotated[int, typer.Option(min=1, help="Games; odd numbers are rounded up to pairs.")]


@yardstick.command("othello-league")
def othello_league(agent: Measured, games: Games = 2000, seed: Seed = 0, as_json: AsJson = False) -> None:
    """The Othello League: against the standard heuristic, one move in ten of both sides at random."""
    from ludarium.evaluation.yardsticks import othello_league as protocol

    _measure(lambda: protocol(agent, games, seed), as_json)


@yardstick.command("othello-openings")
def othello_openings(
    agent: Measured,
    games: Games = 2000,
    seed: Seed = 0,
    opponent: Annotated[str, typer.Option(help="Another agent.")] = "greedy",
    as_json: AsJson = False,
) -> None:
    """Openings of seven random moves, both colours: with 2,000 games the usual 1,000 openings."""
    from ludarium.evaluation.yardsticks import othello_openings as protocol

    _measure(lambda: protocol(agent, games, seed, opponent=opponent), as_json)


@yardstick.command("backgammon-pubeval")
def backgammon_pubeval(agent: Measured, games: Games = 2000, seed: Seed = 0, as_json: AsJson = False) -> None:
    """Net points a game against Tesauro's pubeval, with the same dice for both sides, without the cube."""
    from ludarium.evaluation.yardsticks import backgammon_pubeval as protocol

    _measure(lambda: protocol(agent, games, seed), as_json)


@yardstick.command("hanabi")
def hanabi(
    agent: Measured,
    games: Annotated[int, typer.Option(min=1, help="Decks for each company and convention.")] = 1000,
    seed: Seed = 0,
    seats: Annotated[int, typer.Option(min=2, max=5, help="Seats at the table.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Mean scores by itself and among others, by both conventions: points kept, or lost with the last life."""
    from ludarium.evaluation.yardsticks import hanabi as protocol

    _measure(lambda: protocol(agent, games, seed, seats=seats), as_json)


def _measure(protocol: Callable[[], Any], as_json: bool) -> None:
    import json
    from dataclasses import asdict

    with Console(stderr=True).status("playing"):  # standard output is for the result alone
        found = protocol()
    if as_json:
        print(json.dumps(asdict(found, dict_factory=_finite)))
    else:
        console.print(str(found), markup=False, soft_wrap=True)


def _finite(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON has no infinity, such as half the interval of a single pair: None."""
    return {key: None if value == float("inf") else value for key, value in items}


@app.command()
def train(
    learner: Annotated[str, typer.Argument(help="tabular-q, td, or sb3:ppo, sb3:maskable-ppo, sb3:dqn, sb3:a2c.")],
    game: Annotated[str, typer.Argument(help='A game: "tictactoe", "othello?size=6".')],
    games: Annotated[int | None, typer.Option(min=1, help="Games to learn from (tabular-q, td).")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Decisions to learn from (sb3).")] = None,
    seed: Seed = 0,
    opponent: Annotated[str | None, typer.Option(help="Against whom; tabular-q and td play themselves.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the run; as a default runs/LEARNER-GAME.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the learner, such as epsilon=0.2.")
    ] = None,
) -> None:
    """Train an agent, or go on with a training that was stopped: it may be killed at any moment."""
    from ludarium.envs.registry import make_game, parse_value

    common = {"games": games, "steps": steps, "opponent": opponent, "seed": seed}
    options: dict[str, Any] = {name: value for name, value in common.items() if value is not None}
    options["game"] = make_game(game).spec
    own = {}
    for text in settings or []:
        key, equals, value = text.partition("=")
        if not equals or key in (*common, "game"):
            raise ValueError(f"--set takes an option of {learner} as name=value, not {text!r}")
        own[key] = parse_value(value)
    run, config = _learner(learner, options, own)
    folder = out or Path("runs") / f"{learner}-{options['game']}".translate(str.maketrans(":?&=", "----"))
    columns = (TextColumn(f"{learner} {options['game']}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TextColumn("{task.fields[score]}"), TimeRemainingColumn(), console=console, transient=True
    ) as bar:
        task = bar.add_task("", score="")

        def show(done: int, total: int, score: str) -> None:
            bar.update(task, completed=done, total=total, score=score or bar.tasks[task].fields["score"])

        path = run(config, folder, progress=show)
    console.print((folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1], markup=False, soft_wrap=True)
    console.print(f"the agent: {learner.partition(':')[0]}:{path}", markup=False, soft_wrap=True)


def _learner(name: str, options: dict[str, Any], own: dict[str, Any]) -> tuple[Any, Any]:
    """The function that trains, and its options."""
    from ludarium.agents.baselines import sb3_training, training
    from ludarium.agents.baselines.tabular_q import TabularQ
    from ludarium.agents.baselines.td import TD

    kinds: dict[str, Any] = {kind.name: kind for kind in (TabularQ, TD)}
    if name in kinds:
        return training.train, kinds[name].from_options(options | own)
    if not name.startswith("sb3:"):
        raise ValueError(f"unknown learner {name!r}; known: {', '.join(kinds)}, sb3:ALGORITHM")
    if "games" in options:
        raise ValueError(f"{name} counts its budget in --steps, not in --games")
    ours = {key: own.pop(key) for key in ("num_envs", "checkpoints", "test_games") if key in own}
    algorithm = name.removeprefix("sb3:")
    return sb3_training.train, sb3_training.SB3Training(algorithm=algorithm, settings=own, **ours, **options)


def main() -> None:
    """Run the command; mistakes of the user end in one line, not in a traceback."""
    try:
        app()
    except (ValueError, TypeError, OSError) as error:
        print(f"ludarium: {error}", file=sys.stderr)
        raise SystemExit(2) from None
