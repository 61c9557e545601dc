"""The command that looks inside a player that evolved."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ludarium.evaluation.cli.terminal import Seed, app, console

_MOST_POSITIONS = 10_000_000  # they are kept in memory


@app.command(rich_help_panel="Look up")
def inspect(
    agent: Annotated[str, typer.Argument(help="gaia:RUN or ifthen:RUN, with ?member=3; or the folder of such a run.")],
    games: Annotated[int, typer.Option(min=1, help="Games against random in which uses are counted.")] = 1000,
    seed: Seed = 0,
    top: Annotated[int, typer.Option(min=1, help="How many rules or positions to show.")] = 10,
    everything: Annotated[bool, typer.Option("--all", help="Show all of them.")] = False,
    positions: Annotated[
        int, typer.Option(min=1, max=_MOST_POSITIONS, help="Of maps: positions to look through, breadth first.")
    ] = 200_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Also draw them, to this file.")] = None,
) -> None:
    """Show the rules or the map of a player that evolved, by use: what it asks for, plays, and means by it."""
    from ludarium.agents.genetic.gaia.rule_agent import RuleAgent
    from ludarium.evaluation.inspection.maps import inspect_map
    from ludarium.evaluation.inspection.picture import inspection_picture
    from ludarium.evaluation.inspection.population import find_population
    from ludarium.evaluation.inspection.rules import inspect_rules
    from ludarium.evaluation.inspection.text import inspection_data, inspection_text

    population, member = find_population(agent)
    if svg is not None:
        svg.parent.mkdir(parents=True, exist_ok=True)  # now, not after the work
    game, player = population.game, population.agent(member)
    found: Any
    if isinstance(player, RuleAgent):
        found = inspect_rules(game, player, games, seed)
    else:
        found = inspect_map(population, member, games, seed, positions)
    if everything:
        top = max(1, found.entries)
    sample = f"{games:,} game{'s' * (games != 1)} against random, seed {seed}"
    title = f"{population.spec(member)}: {game.spec}, {population.merits()[member]}"
    if as_json:
        about = {"agent": population.spec(member), "game": game.spec, "games": games, "seed": seed}
        print(json.dumps(about | inspection_data(found, top), indent=1))
    else:
        console.print(title, style="bold", markup=False, soft_wrap=True)
        console.print(inspection_text(found, sample, top), markup=False, soft_wrap=True)
    if svg is not None:
        svg.write_text(inspection_picture(found, title, top), encoding="utf-8", newline="\n")
