"""Commands that measure: exact, yardstick, report."""

from collections.abc import Callable, Sequence
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
    Names,
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
        typer.Option(
            max=MOST_GAMES, help="Number of times that an agent that plays at random is asked in each position."
        ),
    ] = 100,
    seed: Seed = 0,
    name: Names = None,
    as_json: AsJson = False,
) -> None:
    """Examine all positions of a small game: can the agent lose, and how does it do against best responses?"""
    from dataclasses import asdict, replace

    from ludarium.envs.registry import make_game
    from ludarium.evaluation.measures.exact import measure
    from ludarium.evaluation.tournament.entrants import labelled

    ((called, spec),) = labelled([agent], name)
    with output_for_result(as_json), progress_bar(quiet=as_json) as bar:
        task = bar.add_task(called, total=1.0)
        how: Any = {"samples": samples, "seed": seed, "progress": lambda share: bar.update(task, completed=share)}
        exploitability = replace(measure(make_game(game), spec, **how), agent=called)
    if as_json:
        print_json(asdict(exploitability))
        return
    certainty = {
        "exact": "known exactly",
        "deterministic": "deterministic",
        "sampled": f"{exploitability.samples} answers in each",
    }
    never = "no loss seen" if exploitability.method == "sampled" else "yes"
    where = f"{exploitability.positions:,} positions of {exploitability.game}"
    say(f"{called} in {where}: {certainty[exploitability.method]}")
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in ("as", "against a\nbest response", "never\nloses"):
        shown.add_column(column, no_wrap=True)
    shown.add_column("shortest\nloss", overflow="fold", min_width=len("shortest"))
    for seat, value, line in (
        ("first", exploitability.value_first, exploitability.refutation_first),
        ("second", exploitability.value_second, exploitability.refutation_second),
    ):
        shown.add_row(seat, f"{value:+.4f}", never if line is None else "no", escape(" ".join(line or ["–"])))
    console.print(shown)
    say(f"NashConv {exploitability.nash_conv:.4f}   optimal actions {100 * exploitability.optimal_action_rate:.2f} %")


@app.command(rich_help_panel="Measure")
def report(
    store: Annotated[Path, typer.Argument(help="The file in which a tournament stored its games.")],
    out: Annotated[Path | None, typer.Option(help="A folder for the report, or the page itself, NAME.html.")] = None,
    replay: Annotated[
        str | None,
        typer.Option(metavar="EVENT:A:B:PAIR:LEG", help="Write a page with this game instead, move by move."),
    ] = None,
    verify: Verify = None,
) -> None:
    """Write the report of a tournament as one self-contained HTML page, and as Markdown, CSV and JSON."""
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


yardstick = typer.Typer(help="Measure an agent by a fixed protocol from the literature.", no_args_is_help=True)
app.add_typer(yardstick, name="yardstick", rich_help_panel="Measure")
Measured = Annotated[str, typer.Argument(help='An agent such as "greedy" or "my_package.bots:clever".')]
Games = Annotated[int, typer.Option(min=1, max=MOST_GAMES, help="Number of games; an odd number is rounded up.")]


@yardstick.command("othello-league")
def othello_league(
    agent: Measured,
    games: Games = 2000,
    seed: Seed = 0,
    name: Names = None,
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """The Othello League: play the standard heuristic, with one random move in ten on both sides."""
    from ludarium.evaluation.measures.yardsticks import othello_league as protocol

    _measure(lambda specs: protocol(specs["agent"], games, seed), {"agent": agent}, name, no_isolate, as_json)


@yardstick.command("othello-openings")
def othello_openings(
    agent: Measured,
    games: Games = 2000,
    seed: Seed = 0,
    opponent: Annotated[str, typer.Option(help="The agent to play against.")] = "greedy",
    name: Names = None,
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """Play random openings of seven moves with both colours; 2,000 games are the usual 1,000 openings."""
    from ludarium.evaluation.measures.yardsticks import othello_openings as protocol

    agents = {"agent": agent, "opponent": opponent}
    _measure(lambda specs: protocol(games=games, seed=seed, **specs), agents, name, no_isolate, as_json)


@yardstick.command("backgammon-pubeval")
def backgammon_pubeval(
    agent: Measured,
    games: Games = 2000,
    seed: Seed = 0,
    name: Names = None,
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """Play Tesauro's pubeval for points, with the same dice for both sides and without the cube."""
    from ludarium.evaluation.measures.yardsticks import backgammon_pubeval as protocol

    _measure(lambda specs: protocol(specs["agent"], games, seed), {"agent": agent}, name, no_isolate, as_json)


@yardstick.command("backgammon-errors")
def backgammon_errors(
    agent: Measured,
    games: Games = 100,
    seed: Seed = 0,
    judge: Annotated[
        str, typer.Option(help="The agent that judges: a stronger network of backgammon.")
    ] = "expert?ply=1",
    name: Names = None,
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """Let a stronger agent judge the decisions: how much they lose, by kind of position and by hits."""
    from ludarium.evaluation.measures.backgammon.errors import errors

    agents = {"agent": agent, "judge": judge}
    _measure(lambda specs: errors(games=games, seed=seed, **specs), agents, name, no_isolate, as_json)


@yardstick.command("hanabi")
def hanabi(
    agent: Measured,
    games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Number of decks for each kind of partners and each convention.")
    ] = 1000,
    seed: Seed = 0,
    seats: Annotated[int, typer.Option(min=2, max=5, help="Number of seats at the table.")] = 2,
    name: Names = None,
    no_isolate: NoIsolate = False,
    as_json: AsJson = False,
) -> None:
    """Score an agent with itself and with others; losing all lives keeps the points, or loses them."""
    from ludarium.evaluation.measures.yardsticks import hanabi as protocol

    _measure(
        lambda specs: protocol(specs["agent"], games, seed, seats=seats), {"agent": agent}, name, no_isolate, as_json
    )


def _measure(
    protocol: Callable[[dict[str, str]], Any],
    agents: dict[str, str],
    names: Sequence[str] | None,
    no_isolate: bool,
    as_json: bool,
) -> None:
    """Run a protocol and print what it finds.

    Args:
        protocol: called with the specs of its agents as they are played: by default, Python code of others has a
            process of its own.
        agents: the agents as the command gives them, by their fields in what the protocol finds.
        names: what --name gives.
        no_isolate: play all agents in this process.
        as_json: print JSON.
    """
    from dataclasses import asdict, replace

    from ludarium.agents.specs import apart
    from ludarium.evaluation.tournament.entrants import labelled
    from ludarium.evaluation.tournament.standings import plain

    called = dict(zip(agents, labelled(agents.values(), names), strict=True))
    with output_for_result(as_json), Console(stderr=True).status("playing"):
        specs = {field: spec if no_isolate else apart(spec) for field, (_, spec) in called.items()}
        result = replace(protocol(specs), **{field: label for field, (label, _) in called.items()})
    if as_json:
        print_json(plain(asdict(result)))
    else:
        print_line(str(result))
