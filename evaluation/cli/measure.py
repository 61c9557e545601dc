"""Commands that measure: exact, yardstick, report."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from ludarium.evaluation.cli.output import AsJson, check_out, check_out_folder, output_for_result, print_json
from ludarium.evaluation.cli.terminal import (
    MOST_GAMES,
    WRONG,
    NoIsolate,
    Seed,
    Verify,
    app,
    console,
    print_line,
    progress_bar,
    say,
)


@app.command(rich_help_panel="Measure")
def exact(
    game: Annotated[str, typer.Argument(help='A small game: "tictactoe", "hexapawn?rows=4", "othello?size=4".')],
    agent: Annotated[str, typer.Option(help='An agent such as "greedy" or "mcts?simulations=100".')],
    samples: Annotated[
        int,
        typer.Option(max=MOST_GAMES, help="How often an agent that plays at random is asked in each position."),
    ] = 100,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Examine all positions: how well an agent does against best responses, and whether it can lose at all."""
    from dataclasses import asdict

    from ludarium.envs.registry import make_game
    from ludarium.evaluation.measures.exact import measure

    with output_for_result(as_json), progress_bar(quiet=as_json) as bar:
        task = bar.add_task(agent, total=1.0)
        how: Any = {"samples": samples, "seed": seed, "progress": lambda share: bar.update(task, completed=share)}
        found = measure(make_game(game), agent, **how)
    if as_json:
        print_json(asdict(found))
        return
    known = {"exact": "known exactly", "deterministic": "deterministic", "sampled": f"{found.samples} answers in each"}
    never = "no loss seen" if found.method == "sampled" else "yes"
    say(f"{agent} in {found.positions:,} positions of {found.game}: {known[found.method]}")
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in ("as", "against a\nbest response", "never\nloses"):
        shown.add_column(column, no_wrap=True)
    shown.add_column("shortest\nloss", overflow="fold", min_width=len("shortest"))
    for seat, value, line in (
        ("first", found.value_first, found.refutation_first),
        ("second", found.value_second, found.refutation_second),
    ):
        shown.add_row(seat, f"{value:+.4f}", never if line is None else "no", escape(" ".join(line or ["–"])))
    console.print(shown)
    say(f"NashConv {found.nash_conv:.4f}   optimal actions {100 * found.optimal_action_rate:.2f} %")


@app.command(rich_help_panel="Measure")
def report(
    store: Annotated[Path, typer.Argument(help="The file in which ludarium tournament stored the games.")],
    out: Annotated[Path | None, typer.Option(help="A folder, or the name of the page, NAME.html.")] = None,
    replay: Annotated[
        str | None, typer.Option(metavar="EVENT:A:B:PAIR:LEG", help="Make a page with this game instead, move by move.")
    ] = None,
    verify: Verify = None,
) -> None:
    """Write the report of a tournament: a self-contained HTML page, and the same as Markdown, CSV and JSON."""
    from ludarium.evaluation.report import write_replay, write_report
    from ludarium.evaluation.tournament.soundness import wrong_games
    from ludarium.evaluation.tournament.store import Store

    if out is not None and out.suffix == ".html":
        check_out(out, store, like="report.html")
    elif out is not None:
        check_out_folder(out)
    left_out: dict[tuple[int, ...], str] = {}
    if replay is None:
        with Store(store) as opened:
            left_out = wrong_games(opened, verify)
        for sentence in left_out.values():
            say(sentence, "red")
        page, answers = write_report(store, out, left_out)
        for line in answers:
            say(line)
    else:
        page = write_replay(store, replay, out or store.parent)
    console.print(f"report: [bold]{escape(str(page))}[/bold]", soft_wrap=True)
    if left_out:
        raise typer.Exit(WRONG)


yardstick = typer.Typer(help="Run fixed protocols that others have used.", no_args_is_help=True)
app.add_typer(yardstick, name="yardstick", rich_help_panel="Measure")
Measured = Annotated[str, typer.Argument(help='An agent such as "greedy" or "my_package.bots:clever".')]
Games = Annotated[int, typer.Option(min=1, max=MOST_GAMES, help="Number of games; an odd number is rounded up.")]


@yardstick.command("othello-league")
def othello_league(
    agent: Measured,
    games: Games = 2000,
    seed: Seed = 0,
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """The Othello League: against the standard heuristic; one move in ten of both sides is random."""
    from ludarium.evaluation.measures.yardsticks import othello_league as protocol

    _measure(lambda: protocol(_played(agent, no_isolate), games, seed), as_json)


@yardstick.command("othello-openings")
def othello_openings(
    agent: Measured,
    games: Games = 2000,
    seed: Seed = 0,
    opponent: Annotated[str, typer.Option(help="Another agent.")] = "greedy",
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """Openings of seven random moves, with both colours; 2,000 games are the usual 1,000 openings."""
    from ludarium.evaluation.measures.yardsticks import othello_openings as protocol

    both = _played(agent, no_isolate), _played(opponent, no_isolate)
    _measure(lambda: protocol(both[0], games, seed, opponent=both[1]), as_json)


@yardstick.command("backgammon-pubeval")
def backgammon_pubeval(
    agent: Measured,
    games: Games = 2000,
    seed: Seed = 0,
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """Net points per game against Tesauro's pubeval, with the same dice for both sides, without the cube."""
    from ludarium.evaluation.measures.yardsticks import backgammon_pubeval as protocol

    _measure(lambda: protocol(_played(agent, no_isolate), games, seed), as_json)


@yardstick.command("backgammon-errors")
def backgammon_errors(
    agent: Measured,
    games: Games = 100,
    seed: Seed = 0,
    judge: Annotated[str, typer.Option(help="A stronger agent, a network of backgammon.")] = "expert?ply=1",
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """What an agent's decisions lose, by kind of position, and how its hits fare; judged by a stronger agent."""
    from ludarium.evaluation.measures.backgammon.errors import errors

    _measure(lambda: errors(_played(agent, no_isolate), games, seed, judge=judge), as_json)


@yardstick.command("hanabi")
def hanabi(
    agent: Measured,
    games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Decks for each kind of partners and each convention.")
    ] = 1000,
    seed: Seed = 0,
    seats: Annotated[int, typer.Option(min=2, max=5, help="Number of seats at the table.")] = 2,
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """Mean scores with itself and with other agents, by both conventions: points kept, or lost with the last life."""
    from ludarium.evaluation.measures.yardsticks import hanabi as protocol

    _measure(lambda: protocol(_played(agent, no_isolate), games, seed, seats=seats), as_json)


def _played(agent: str, no_isolate: bool) -> str:
    """The spec as it is played: Python code of others has a process of its own by default."""
    from ludarium.agents.specs import apart

    return agent if no_isolate else apart(agent)


def _measure(protocol: Callable[[], Any], as_json: bool) -> None:
    from dataclasses import asdict

    from ludarium.evaluation.tournament.standings import plain

    with output_for_result(as_json), Console(stderr=True).status("playing"):
        found = protocol()
    if as_json:
        print_json(plain(asdict(found)))
    else:
        print_line(str(found))
