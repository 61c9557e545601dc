"""The command that says how good an agent is: rate."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ludarium.evaluation.cli.output import AsJson, check_out, output_for_result, print_json
from ludarium.evaluation.cli.terminal import (
    NoIsolate,
    SeedOrSecret,
    WorkerCount,
    app,
    print_line,
    progress_bar,
    say,
    terminable,
)


@app.command(rich_help_panel="Measure")
def rate(
    agent: Annotated[str, typer.Argument(help='An agent such as "greedy" or "bot.py:clever".')],
    game: Annotated[str, typer.Argument(help="A game that has a ladder: docs/ladder.md.")],
    time: Annotated[float, typer.Option(min=0.1, help="Seconds that it may take.")] = 60.0,
    games: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="Play as many games instead, whatever time it takes.")
    ] = None,
    seed: SeedOrSecret = None,
    name: Annotated[str | None, typer.Option(help="Call the agent NAME.")] = None,
    ladder: Annotated[Path | None, typer.Option(help="A file of your own, with further rungs.")] = None,
    keep: Annotated[
        str | None, typer.Option(metavar="NAME", help="Make the agent a rung of --ladder FILE, called NAME.")
    ] = None,
    no_isolate: NoIsolate = False,
    workers: WorkerCount = None,
    as_json: AsJson = False,
) -> None:
    """Rate an agent by games against players of known strength: how good it is, and where it loses."""
    from ludarium.envs.chance import is_secret, secret_seed
    from ludarium.envs.registry import make_game
    from ludarium.evaluation.ladder.play import rate as play
    from ludarium.evaluation.ladder.rungs import Rung, ladder_of
    from ludarium.evaluation.ladder.rungs import keep as keep_rung

    if keep is not None and ladder is None:
        raise ValueError(f"--keep {keep} needs --ladder FILE, which it is to be kept in")
    rules = make_game(game)
    own = ladder if ladder is not None and (ladder.exists() or keep is None) else None  # --keep makes it
    if keep is not None:
        check_out(ladder, option="--ladder", like="ladder.json")
        ladder_of(rules).checked_name(keep)
    entrant: Any = agent if name is None else {name: agent}
    chosen = secret_seed() if isinstance(seed, str) else seed
    with output_for_result(as_json), progress_bar(quiet=as_json) as bar, terminable():
        task = bar.add_task(name or agent, total=1.0)
        result = play(
            entrant,
            game=game,
            time=time,
            games=games,
            seed=chosen,
            ladder=own,
            workers=workers,
            isolate=not no_isolate,
            progress=lambda share: bar.update(task, completed=share),
        )
    if keep is not None and ladder is not None:
        keep_rung(ladder, rules, Rung(keep, agent, result.rating, result.error, result.games))
    if as_json:
        print_json(result.data())
        return
    print_line(str(result))
    if keep is not None:
        say(f"{keep} is a rung of {ladder} now: --ladder {ladder}")
    if not isinstance(seed, int) and is_secret(result.seed):
        say("the seed was secret; with --games, the same games again by this seed", "dim")
