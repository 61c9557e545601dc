"""The command that makes decisions to learn from: of recorded games, or of an agent's own."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich import box
from rich.progress import MofNCompleteColumn
from rich.table import Table as RichTable

from ludarium.evaluation.cli.output import AsJson, check_out, output_for_result, print_json
from ludarium.evaluation.cli.terminal import MOST_GAMES, Seed, WorkerCount, app, console, print_line, progress_bar

_GAMES = 1000
_MOST_REASONS = 10
_FILES = 64  # a process that reads fewer takes longer to start
_DIFFERING = re.compile(r"^.+(?= (won|wins|doubles|rolls),? )|'[^']*'|\d+(-\d+)?")  # from game to game


@app.command(rich_help_panel="Train")
def data(
    game: Annotated[str, typer.Argument(help='The game: "backgammon"; a variant only with --from-agent.')],
    files: Annotated[list[Path] | None, typer.Argument(help="Match files, or folders of them.")] = None,
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("decisions.npz"),
    from_agent: Annotated[
        str | None, typer.Option(metavar="SPEC", help="In place of files, use games of this agent with itself.")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_GAMES, help=f"With --from-agent: number of games; by default {_GAMES:,}."),
    ] = None,
    seed: Seed = 0,
    keep: Annotated[
        str,
        typer.Option(help="Keep some of what is dropped, of unmovable, forced, race, duplicates: --keep race,forced."),
    ] = "",
    contradicting: Annotated[
        Literal["all", "first", "majority"],
        typer.Option(
            help="Which choices are right where the same decision was made in several ways; others are dropped."
        ),
    ] = "all",
    held_out: Annotated[float, typer.Option(help="Share of matches to set aside, from 0 to 1.")] = 0.0,
    compact: Annotated[
        bool, typer.Option("--compact", help="Leave out the results, which follow from the rules.")
    ] = False,
    rollouts: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_GAMES,
            help="With --from-agent: number of games that judge each result; the best becomes right.",
        ),
    ] = None,
    metric: Annotated[
        Literal["points", "home-bound"] | None,
        typer.Option(help="With --rollouts: the measure of the best; by default points."),
    ] = None,
    roll_bonus: Annotated[
        float | None,
        typer.Option(help="With home-bound: pips for the side on roll; by default 4.083; the original has 8.166."),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="Add the odds of each result by this network: expert, td:RUN, bgsage."),
    ] = None,
    executor: Annotated[
        str, typer.Option(help="Where workers run, for rollouts and the judge: threads, processes, or dask:ADDRESS.")
    ] = "threads",
    workers: WorkerCount = None,
    as_json: AsJson = False,
) -> None:
    """Make decisions to learn from: positions with dice, all results, and the choice. See docs/data.md."""
    from ludarium.envs.backgammon.decision_files import save
    from ludarium.envs.backgammon.recorded_decisions import build

    made = _game(game, from_agent)
    if bool(files) == bool(from_agent):
        raise ValueError("data: give match files, folders of them, or --from-agent SPEC, and not both")
    if games is not None and not from_agent:
        raise ValueError("data: --games goes with --from-agent")
    _check_rollouts(from_agent, rollouts, metric, roll_bonus)
    paths = _paths(files or [])
    check_out(out, *paths, like="decisions.npz")
    with output_for_result(as_json), progress_bar(MofNCompleteColumn(), quiet=as_json) as progress:
        if from_agent:
            from ludarium.evaluation.play.self_play import self_play

            total = games or _GAMES
            records = progress.track(self_play(made, from_agent, total, seed), total, description=from_agent)
        else:
            task = progress.add_task("reading", total=len(paths))
            records = _read(paths, workers, lambda files: progress.advance(task, files))
        names = [name.strip() for name in keep.split(",") if name.strip()]
        decisions, tally = build(records, keep=names, contradicting=contradicting, held_out=held_out)
        if judge or rollouts:
            from ludarium.agents.learning.parallel import workers as pool
        if from_agent and rollouts:
            from ludarium.evaluation.measures.backgammon.home_bound import ROLL_BONUS
            from ludarium.evaluation.measures.backgammon.rollouts import judge_by_rollouts

            task = progress.add_task("rollouts", total=len(decisions))
            with pool(executor, workers) as parallel:
                decisions, _ = judge_by_rollouts(
                    made, from_agent, decisions, rollouts, parallel, seed=seed, metric=metric or "points",
                    roll_bonus=ROLL_BONUS if roll_bonus is None else roll_bonus,
                    progress=lambda judged: progress.update(task, completed=judged),
                )  # fmt: skip
        if judge:
            from ludarium.evaluation.measures.backgammon.judging import odds_by

            task = progress.add_task(judge, total=len(decisions))
            with pool(executor, workers) as parallel:
                odds = odds_by(made, judge, decisions, parallel, lambda judged: progress.update(task, completed=judged))
            decisions = replace(decisions, odds=odds)
        out.parent.mkdir(parents=True, exist_ok=True)
        save(decisions, out, compact)
    numbers = _numbers(len(paths), decisions, tally) | {"rollouts": len(decisions.results) * (rollouts or 0)}
    if as_json:
        print_json(numbers | {"refused": list(map(str, tally.refused)), "out": str(out)})
    else:
        _print(numbers, tally.refused)
        print_line(f"saved: {out}, {out.stat().st_size:,} bytes")


def _check_rollouts(from_agent: str | None, rollouts: int | None, metric: str | None, bonus: float | None) -> None:
    """Refuse options that nothing would use."""
    if rollouts is not None and not from_agent:
        raise ValueError("data: --rollouts goes with --from-agent, the agent that plays them")
    if metric is not None and rollouts is None:
        raise ValueError("data: --metric goes with --rollouts")
    if bonus is not None and metric != "home-bound":
        raise ValueError("data: --roll-bonus goes with --metric home-bound")


def _game(spec: str, from_agent: str | None) -> Any:
    """The game whose decisions are wanted: a money game of backgammon without the cube; of files, no variant."""
    from ludarium.envs.backgammon import Backgammon
    from ludarium.envs.registry import make_game

    game = make_game(spec)
    if not isinstance(game, Backgammon):
        raise ValueError(f"data: decisions are made of backgammon, not of {game.name}")
    if game != Backgammon(variant=game.options["variant"]):
        raise ValueError(f"data: decisions are about moves in a game without the cube; give 'backgammon', not {spec!r}")
    if not from_agent and game.options["variant"] != "standard":
        raise ValueError(f"data: match files hold standard backgammon; {game.spec} takes --from-agent SPEC")
    return game


def _paths(files: Sequence[Path]) -> list[Path]:
    """The files, and the files in the folders, each once."""
    from ludarium.envs.record_files import files_in

    for file in files:
        file.stat()
    return list(dict.fromkeys(path for file in files for path in files_in(file)))


def _read(paths: Sequence[Path], size: int | None, progress: Callable[[int], None]) -> Iterator[Any]:
    """The games of all files, in the files' order, read by processes if there are enough for it to be worth it."""
    from ludarium.agents.learning.parallel import workers
    from ludarium.envs.backgammon.recorded_decisions import read_played

    size = min(size or os.cpu_count() or 1, len(paths) // _FILES)
    with workers("processes", size) if size > 1 else workers("threads", 1) as parallel:
        for first in range(0, len(paths), _FILES):
            files = paths[first : first + _FILES]
            for games in parallel(read_played, files):
                yield from games
            progress(len(files))


def _numbers(files: int, decisions: Any, tally: Any) -> dict[str, Any]:
    """What is printed."""
    return {
        "files": files,
        "files_refused": sum(error.line == 0 for error in tally.refused),
        "games": tally.games,
        "games_refused": sum(error.line > 0 for error in tally.refused),
        "matches": tally.matches,
        "duplicate_games": tally.duplicate_games,
        "decisions": tally.decisions,
        "dropped": tally.dropped,
        "left": len(decisions),
        "results": len(decisions.results),
        "held_out": int(decisions.held_out.sum()),
    }


def _print(numbers: dict[str, Any], refused: Sequence[Any]) -> None:
    for error in refused:
        if error.line == 0:
            print_line(f"{error}", style="red")
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), show_header=False)
    shown.add_column("what", overflow="fold")
    shown.add_column("count", justify="right", no_wrap=True)
    for name in ("files", "files_refused", "games", "games_refused", "matches", "duplicate_games", "decisions"):
        if numbers[name] or not name.startswith("files"):
            shown.add_row(name.replace("_", " "), f"{numbers[name]:,}")
    for name, count in numbers["dropped"].items():
        shown.add_row(f"dropped: {name}", f"{count:,}", style="dim")
    for name in ("left", "results", "held_out", "rollouts"):
        shown.add_row(name.replace("_", " "), f"{numbers[name]:,}")
    console.print(shown)
    reasons = Counter(_DIFFERING.sub("…", error.reason.partition(": ")[0]) for error in refused if error.line)
    for reason, count in reasons.most_common(_MOST_REASONS):
        print_line(f"{count} × {reason}", style="dim")
    if len(reasons) > _MOST_REASONS:
        console.print(f"… and {len(reasons) - _MOST_REASONS} other reasons", style="dim")
