"""The command that looks inside a trained player."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from ludarium.evaluation.cli.output import AsJson, check_out
from ludarium.evaluation.cli.terminal import MOST_GAMES, Seed, app, print_line

_MOST_POSITIONS = 10_000_000  # all are held in memory


@app.command(rich_help_panel="Look up")
def inspect(
    agent: Annotated[
        str,
        typer.Argument(
            help="An agent from a run, LEARNER:RUN or LEARNER:RUN?member=3; a run's folder; or lcs:FILE.txt."
        ),
    ],
    game: Annotated[str, typer.Option(help="The game it plays; by default the one that the run learned.")] = "",
    games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Number of games against random in which uses are counted.")
    ] = 1000,
    seed: Seed = 0,
    top: Annotated[int, typer.Option(min=1, help="Number of rules or positions to show.")] = 10,
    everything: Annotated[bool, typer.Option("--all", help="Show all rules or positions.")] = False,
    by: Annotated[
        Literal["order", "use"], typer.Option(help="List rules in the order in which they fire, or by use.")
    ] = "order",
    positions: Annotated[
        int, typer.Option(min=1, max=_MOST_POSITIONS, help="Maps: number of positions to search, breadth first.")
    ] = 200_000,
    as_json: AsJson = False,
    svg: Annotated[Path | None, typer.Option(help="Also draw the rules or positions to this SVG file.")] = None,
) -> None:
    """Show the rules or the map of an evolved player: when each part applies, the move it plays, and the effect."""
    from ludarium.envs.registry import make_game
    from ludarium.evaluation.inspection.games import watch
    from ludarium.evaluation.inspection.picture import inspection_picture
    from ludarium.evaluation.inspection.runs import find_run
    from ludarium.evaluation.inspection.text import inspection_data, inspection_text

    run, member = find_run(agent, make_game(game) if game else None)
    check_out(svg, option="--svg", like="picture.svg")
    found = run.inspect(member, watch(run.game, games, seed, positions))
    top, by_use = max(1, len(found.entries)) if everything else top, by == "use"
    sample = f"{games:,} game{'s' * (games != 1)} against random, seed {seed}"
    title = ", ".join(filter(None, (f"{run.spec(member)}: {run.game.spec}", run.merits()[member])))
    if as_json:
        about = {"agent": run.spec(member), "game": run.game.spec, "games": games, "seed": seed}
        print(json.dumps(about | inspection_data(found, by_use, top), indent=1))
    else:
        print_line(title, style="bold")
        print_line(inspection_text(found, sample, by_use, top))
    if svg is not None:
        svg.parent.mkdir(parents=True, exist_ok=True)
        svg.write_text(inspection_picture(found, title, by_use, top), encoding="utf-8", newline="\n")
