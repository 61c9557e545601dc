"""The commands that check whether somebody's agent or game keeps its contract."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ludarium.evaluation.cli.terminal import MOST_GAMES, Seed, app, print_line

check = typer.Typer(help="Check whether your own agent or game keeps its contract.", no_args_is_help=True)
app.add_typer(check, name="check", rich_help_panel="Measure")


@check.command("agent")
def check_agent(
    agent: Annotated[str, typer.Argument(help='An agent such as "bot.py:clever" or "process:./bot".')],
    game: Annotated[str, typer.Argument(help='A game: "othello", "othello?size=6".')],
    games: Annotated[int, typer.Option(min=1, max=MOST_GAMES, help="Number of games in each seat.")] = 10,
    seed: Seed = 0,
) -> None:
    """Play in every seat against random, each game twice: are all actions legal, and functions of the seed?"""
    from ludarium.agents import check_agent as protocol
    from ludarium.envs.registry import make_game

    rules = make_game(game)
    _verdict(f"{agent} in {rules.spec}, {games * rules.seats} games", lambda: protocol(agent, rules, games, seed))


@check.command("game")
def check_game(
    game: Annotated[str, typer.Argument(help="A game such as my_game?size=6, or a Python file that registers games.")],
    games: Annotated[int, typer.Option(min=1, max=MOST_GAMES, help="Number of random games.")] = 50,
    seed: Seed = 0,
) -> None:
    """Play random games and check every position against the contract of a game."""
    from ludarium.envs import check_game as protocol
    from ludarium.envs.registry import load_games, make_game

    is_file = game.endswith(".py") or Path(game).is_file()
    for name in load_games(game) if is_file else [game]:
        _verdict(f"{name}, {games} games", functools.partial(protocol, make_game(name), games, seed))


def _verdict(what: str, protocol: Callable[[], Any]) -> None:
    """Print whether the checks pass; if not, the command fails."""
    from ludarium.envs.conformance import ConformanceError

    try:
        protocol()
    except ConformanceError as error:
        print_line(f"failed: {what}", style="red")
        print_line(f"{error}")
        raise typer.Exit(1) from None
    print_line(f"passed: {what}")
