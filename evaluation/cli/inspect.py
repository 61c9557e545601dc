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
    from ludarium.evaluation.inspection.inside import look_inside

    check_out(svg, option="--svg", like="picture.svg")
    shown = None if everything else top
    inside = look_inside(agent, game, games=games, seed=seed, top=shown, by_use=by == "use", positions=positions)
    if as_json:
        print(json.dumps(inside.data(), indent=1))
    else:
        print_line(inside.title, style="bold")
        print_line(inside.text)
    if svg is not None:
        svg.parent.mkdir(parents=True, exist_ok=True)
        svg.write_text(inside.svg, encoding="utf-8", newline="\n")
