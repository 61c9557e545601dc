"""The command that trains."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

from ludarium.evaluation.cli.output import check_out_folder, output_for_result, print_json
from ludarium.evaluation.cli.terminal import Seed, WorkerCount, app, console, print_line, progress_bar
from ludarium.evaluation.cli.training_log import TrainingLog


@app.command(rich_help_panel="Train", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def train(
    context: typer.Context,
    learner: Annotated[
        str, typer.Argument(help='A learner, such as "gaia" or "sb3:maskable-ppo": ludarium learners lists them.')
    ],
    game: Annotated[str, typer.Argument(help='A game: "tictactoe", "othello?size=6".')],
    games: Annotated[
        int | None, typer.Option(min=1, help="Budget in games; by default as the learner says (all but sb3).")
    ] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Budget in decisions; by default 100,000 (sb3).")] = None,
    seed: Seed = 0,
    preset: Annotated[
        str | None,
        typer.Option(help="The preset, such as seed or modern: ludarium learners lists them; by default seed."),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(
            help="The opponent (sb3): an agent, self for past selves, or a mixture, 3*self+1*greedy; by default random."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the run; by default runs/LEARNER-GAME.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the learner, such as epsilon=0.2; may be given again."),
    ] = None,
    keep: Annotated[
        int, typer.Option(min=0, help="How many checkpoints stay as agents, NAME:RUN@N; each takes the run's space.")
    ] = 10,
    executor: Annotated[str, typer.Option(help="Where workers run: threads, processes, or dask:ADDRESS.")] = "threads",
    workers: WorkerCount = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print JSON lines on standard output, and nothing else: each measurement, then the result."
        ),
    ] = False,
) -> None:
    """Train an agent, or continue a run: you may kill it at any moment."""
    from ludarium.agents.learning.checkpoint import file_name, kept_checkpoints, last_metrics
    from ludarium.agents.learning.run import train as run
    from ludarium.agents.learning.runs import Run
    from ludarium.envs.registry import make_game

    _refuse_unknown(context, [learner, game, *context.args])
    common = {"games": games, "steps": steps, "opponent": opponent, "seed": seed}
    options: dict[str, Any] = {name: value for name, value in common.items() if value is not None}
    options["game"] = make_game(game).spec
    config = _learner(learner, preset, options | _settings(context, settings or []))
    folder = out or Path("runs") / file_name(f"{learner}-{options['game']}")
    check_out_folder(folder)
    title = f"{learner} {options['game']}"
    try:
        with output_for_result(as_json) as write, _shown(title, config, quiet=as_json) as show:
            budget = {"total": config.budget, "unit": config.unit}

            def measured(line: dict[str, Any]) -> None:
                if as_json:
                    write({**line, **budget})

            run(config, folder, keep=keep, workers=workers, executor=executor, progress=show, measured=measured)
    except KeyboardInterrupt as stopped:
        for said in stopped.args:
            print(said, file=sys.stderr)
        raise typer.Exit(130) from None
    agent, line, note = (
        f"{config.name}:{folder}",
        last_metrics(folder),
        config.ended(Run.open(config, folder).checkpoint),
    )
    if as_json:
        print_json({"agent": agent, "folder": str(folder), "result": json.loads(line or "{}"), "note": note})
        return
    for said in filter(None, (line, note, f"the agent: {agent}")):
        print_line(said)
    if kept := kept_checkpoints(folder):
        print_line(f"as it was: {config.name}:{folder}@N, N = {', '.join(map(str, kept))}")


@contextlib.contextmanager
def _shown(title: str, learner: Any, *, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """A function that is told of each step, which a bar shows in a terminal and lines elsewhere, unless it is quiet."""
    if not (quiet or console.is_terminal):
        log = TrainingLog(title, learner.unit, print_line)
        with log.telling():
            yield log.show
        return
    said_of_it = TextColumn("{task.fields[said]}", markup=False)
    with progress_bar(MofNCompleteColumn(), said_of_it, TimeRemainingColumn(), quiet=quiet) as bar:
        task = bar.add_task(title, said="")

        def show(done: int, total: int, said: str) -> None:
            bar.update(task, completed=done, total=total, said=said or bar.tasks[task].fields["said"])

        yield show


def _refuse_unknown(context: typer.Context, words: Sequence[str]) -> None:
    """Refuse an option that the command does not have, and say what comes nearest: often an option of the learner.

    Args:
        context: the command's.
        words: its arguments, and what it has not understood.
    """
    from ludarium.agents.learning.registry import learner_names, learner_presets
    from ludarium.envs.options import closest

    unknown = next((word for word in words if word.startswith("--")), None)
    if unknown is None:
        if context.args:
            raise ValueError(
                f"train takes a learner and a game, and nothing else; it was given {context.args[0]!r}, too"
            )
        return
    flag, _, value = unknown.partition("=")
    learner = next((word for word in words if word.partition(":")[0] in learner_names()), "")
    options = learner_presets(learner.partition(":")[0]).options if learner else []
    nearest = {f"--{option}": f"--set {option}={value or '…'}" for option in options if option != "game"}
    nearest |= {option: option for parameter in context.command.params for option in parameter.opts if "--" in option}
    if close := closest(f"--{flag.lstrip('-').replace('-', '_')}", nearest):
        raise ValueError(f"train has no option {flag}; did you mean {nearest[close]}?")
    budget = f"{learner} counts its budget in --{'steps' if 'steps' in options else 'games'}" if learner else ""
    listed = f"ludarium learners {learner} lists what --set takes".replace("  ", " ")
    raise ValueError(f"train has no option {flag}; {', and '.join(filter(None, (budget, listed)))}")


def _settings(context: typer.Context, texts: Sequence[str]) -> dict[str, Any]:
    """The options that --set gives, by name, each once; none is an option or argument of the command itself."""
    from ludarium.envs.registry import parse_value

    flags = {flag.removeprefix("--"): flag for parameter in context.command.params for flag in parameter.opts}
    del flags["set"]
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise ValueError(f"--set takes an option of the learner, such as test_games=100, not {text!r}")
        if name in options:
            raise ValueError(f"--set {name}= is given twice; give it once")
        flag = flags.get(name)
        if flag == name:
            raise ValueError(f"--set {text}: the {name} is an argument; give it as ludarium train LEARNER GAME")
        if flag is not None:
            raise ValueError(f"--set {text}: {name} has an option of its own; give {flag} {value}")
        options[name] = parse_value(value)
    return options


def _learner(text: str, preset: str | None, options: dict[str, Any]) -> Any:
    """The learner that a name stands for, with its options."""
    from ludarium.agents.learning.registry import learner_names, learner_presets

    name, _, variant = text.partition(":")
    presets = learner_presets(name)
    if preset is not None and not presets.names:
        having = ", ".join(other for other in learner_names() if learner_presets(other).names)
        raise ValueError(f"{text} has no presets, so --preset {preset} cannot be used; these have: {having}")
    if "steps" in options and "steps" not in presets.options:
        raise ValueError(f"{text} counts its budget in --games, not in --steps")
    return presets.learner(options, preset or "", variant)
