"""The command that writes a tournament's games for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from ludarium.evaluation.cli.output import check_out
from ludarium.evaluation.cli.terminal import WRONG, Verify, app, say


@app.command(rich_help_panel="Measure")
def export(
    store: Annotated[Path, typer.Argument(help="The file in which ludarium tournament stored the games.")],
    format_name: Annotated[
        str,
        typer.Option(
            "--format", help="jsonl, csv or text; Othello: ggf, transcript; backgammon: mat; Hanabi: hanab.live."
        ),
    ] = "jsonl",
    game: Annotated[str | None, typer.Option(help="The games of one game only, such as othello.")] = None,
    out: Annotated[Path | None, typer.Option(help="The file to write; by default, standard output.")] = None,
    verify: Verify = None,
) -> None:
    """Write the games of a tournament for other programs, with their dice or cards."""
    import sys

    from ludarium.envs.files import replacing
    from ludarium.envs.registry import make_game
    from ludarium.evaluation.report.export import export as exported
    from ludarium.evaluation.tournament.event import Tournament
    from ludarium.evaluation.tournament.soundness import wrong_games
    from ludarium.evaluation.tournament.store import Store

    check_out(out, store)
    with Store(store) as opened:
        tournament = Tournament.from_data(opened.tournament)
        left_out = wrong_games(opened, verify)
        rows = [row for row in opened.games() if row.key not in left_out]
    for sentence in left_out.values():
        say(sentence, "red")
    if game is not None:
        games = [make_game(entry.game) for entry in tournament.games]
        wanted = {event for event, made in enumerate(games) if game in (made.name, made.spec)}
        if not wanted:
            raise ValueError(f"--game {game!r} was not played; played: {', '.join(made.spec for made in games)}")
        rows = [row for row in rows if row.event in wanted]
    pieces = exported(tournament, rows, format_name)
    if out is None:
        sys.stdout.writelines(pieces)
    else:
        with replacing(out) as part, part.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        say(f"{len(rows):,} games: {out}")
    if left_out:
        raise typer.Exit(WRONG)
