"""The command that trains."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ludarium.evaluation.cli.terminal import Seed, app, console

_SB3_OPTIONS = ("num_envs", "checkpoints", "test_games", "pool", "snapshot_every", "log")  # others are the algorithm's


@app.command(rich_help_panel="Train")
def train(
    learner: Annotated[
        str, typer.Argument(help="tabular-q, td, ifthen, gaia, or sb3:ppo, sb3:maskable-ppo, sb3:dqn, sb3:a2c.")
    ],
    game: Annotated[str, typer.Argument(help='A game: "tictactoe", "othello?size=6".')],
    games: Annotated[int | None, typer.Option(min=1, help="Games to learn from (all but sb3).")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Decisions to learn from (sb3).")] = None,
    seed: Seed = 0,
    preset: Annotated[str | None, typer.Option(help="ifthen, gaia: seed or modern; as a default seed.")] = None,
    opponent: Annotated[str | None, typer.Option(help="sb3: against whom; self for past selves.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the run; as a default runs/LEARNER-GAME.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the learner, such as epsilon=0.2.")
    ] = None,
) -> None:
    """Train an agent, or go on with a training that was stopped: it may be killed at any moment."""
    from ludarium.agents.learning.run import file_name
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
    run, config = _learner(learner, preset, options, own)
    folder = out or Path("runs") / file_name(f"{learner}-{options['game']}")
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, TextColumn("{task.fields[score]}"), TimeRemainingColumn(), console=console, transient=True)
    task = bar.add_task(f"{learner} {options['game']}", score="")

    def show(done: int, total: int, score: str) -> None:
        bar.update(task, completed=done, total=total, score=score or bar.tasks[task].fields["score"])

    try:
        with bar:
            path = run(config, folder, progress=show)
    except KeyboardInterrupt as stopped:
        for said in stopped.args:
            print(said, file=sys.stderr)
        raise typer.Exit(130) from None
    for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1:]:
        console.print(line, markup=False, soft_wrap=True)
    console.print(f"the agent: {learner.partition(':')[0]}:{path}", markup=False, soft_wrap=True)


def _learner(name: str, preset: str | None, options: dict[str, Any], own: dict[str, Any]) -> tuple[Any, Any]:
    """The function that trains, and its options."""
    from ludarium.agents.baselines.sb3 import learner as sb3_training
    from ludarium.agents.baselines.tabular_q import TabularQ
    from ludarium.agents.baselines.td.learner import TD
    from ludarium.agents.genetic.gaia.learner import Gaia
    from ludarium.agents.genetic.ifthen.learner import IfThen
    from ludarium.agents.learning import evolution
    from ludarium.agents.learning import run as training

    evolvers: dict[str, Any] = {kind.name: kind for kind in (IfThen, Gaia)}
    if name in evolvers:
        return evolution.evolve, evolvers[name].from_preset(preset or "seed", options | own)
    if preset is not None:
        raise ValueError(f"{name} has no presets, so --preset {preset} cannot be; {', '.join(evolvers)} have")
    kinds: dict[str, Any] = {kind.name: kind for kind in (TabularQ, TD)}
    if name in kinds:
        return training.train, kinds[name].from_options(options | own)
    if not name.startswith("sb3:"):
        raise ValueError(f"unknown learner {name!r}; known: {', '.join(kinds)}, sb3:ALGORITHM, {', '.join(evolvers)}")
    if "games" in options:
        raise ValueError(f"{name} counts its budget in --steps, not in --games")
    ours = {key: own.pop(key) for key in _SB3_OPTIONS if key in own}
    algorithm = name.removeprefix("sb3:")
    return sb3_training.train, sb3_training.SB3Training(algorithm=algorithm, settings=own, **ours, **options)
