"""The command that trains."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

from ludarium.evaluation.cli.output import check_out_folder
from ludarium.evaluation.cli.terminal import Seed, WorkerCount, app, print_line, progress_bar


@app.command(rich_help_panel="Train")
def train(
    context: typer.Context,
    learner: Annotated[
        str, typer.Argument(help='A learner, such as "gaia" or "sb3:maskable-ppo": ludarium learners lists them.')
    ],
    game: Annotated[str, typer.Argument(help='A game: "tictactoe", "othello?size=6".')],
    games: Annotated[int | None, typer.Option(min=1, help="Games to learn from (all but sb3).")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Decisions to learn from (sb3).")] = None,
    seed: Seed = 0,
    preset: Annotated[
        str | None, typer.Option(help="seed (the default), modern, or another: ludarium learners lists them.")
    ] = None,
    opponent: Annotated[
        str | None, typer.Option(help="sb3: the opponent; self for past selves; 3*self+1*greedy for a mixture.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the run; by default runs/LEARNER-GAME.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the learner, such as epsilon=0.2.")
    ] = None,
    keep: Annotated[
        int, typer.Option(min=0, help="How many checkpoints stay as agents, NAME:RUN@N; each takes the run's space.")
    ] = 10,
    executor: Annotated[str, typer.Option(help="Workers: threads, processes, dask:ADDRESS.")] = "threads",
    workers: WorkerCount = None,
) -> None:
    """Train an agent, or continue a run that was stopped: it may be killed at any moment."""
    from ludarium.agents.learning.checkpoint import file_name, kept_checkpoints, last_metrics
    from ludarium.agents.learning.run import train as run
    from ludarium.agents.learning.runs import Run
    from ludarium.envs.registry import make_game

    common = {"games": games, "steps": steps, "opponent": opponent, "seed": seed}
    options: dict[str, Any] = {name: value for name, value in common.items() if value is not None}
    options["game"] = make_game(game).spec
    config = _learner(learner, preset, options | _settings(context, settings or []))
    folder = out or Path("runs") / file_name(f"{learner}-{options['game']}")
    check_out_folder(folder)
    said_of_it = TextColumn("{task.fields[said]}", markup=False)
    bar = progress_bar(MofNCompleteColumn(), said_of_it, TimeRemainingColumn())
    task = bar.add_task(f"{learner} {options['game']}", said="")

    def show(done: int, total: int, said: str) -> None:
        bar.update(task, completed=done, total=total, said=said or bar.tasks[task].fields["said"])

    try:
        with bar:
            run(config, folder, keep=keep, workers=workers, executor=executor, progress=show)
    except KeyboardInterrupt as stopped:
        for said in stopped.args:
            print(said, file=sys.stderr)
        raise typer.Exit(130) from None
    if line := last_metrics(folder):
        print_line(line)
    if said := config.ended(Run.open(config, folder).checkpoint):
        print_line(said)
    print_line(f"the agent: {config.name}:{folder}")
    if kept := kept_checkpoints(folder):
        print_line(f"as it was: {config.name}:{folder}@N, N = {', '.join(map(str, kept))}")


def _settings(context: typer.Context, texts: Sequence[str]) -> dict[str, Any]:
    """The options that --set gives, by name, each once; none is an option or argument of the command itself."""
    from ludarium.envs.registry import parse_value

    flags = {flag.removeprefix("--"): flag for parameter in context.command.params for flag in parameter.opts}
    del flags["set"]
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise ValueError(f"--set takes an option of the learner, such as test_games=100, not {text!r}")
        if name in found:
            raise ValueError(f"--set {name}= is given twice; give it once")
        flag = flags.get(name)
        if flag == name:
            raise ValueError(f"--set {text}: the {name} is an argument; give it as ludarium train LEARNER GAME")
        if flag is not None:
            raise ValueError(f"--set {text}: {name} has an option of its own; give {flag} {value}")
        found[name] = parse_value(value)
    return found


def _learner(text: str, preset: str | None, options: dict[str, Any]) -> Any:
    """The learner that a name stands for, with its options."""
    from ludarium.agents.learning.registry import learner_names, learner_presets

    name, _, variant = text.partition(":")
    presets = learner_presets(name)
    if preset is not None and not presets.names:
        having = ", ".join(other for other in learner_names() if learner_presets(other).names)
        raise ValueError(f"{text} has no presets, so --preset {preset} cannot be used; these have: {having}")
    return presets.learner(options, preset or "", variant)
