"""Commands that look things up: games, agents, learners, perft, replay."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ludarium.evaluation.cli.output import AsJson, output_for_result, print_json
from ludarium.evaluation.cli.terminal import app, console, print_line


def _print_version(wanted: bool) -> None:
    if wanted:
        import ludarium

        print(f"ludarium {ludarium.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Five games, agents that play them, and a harness that finds out who plays best."""


@app.command(rich_help_panel="Look up")
def games(as_json: AsJson = False) -> None:
    """List the games with their options."""
    from ludarium.envs.registry import broken_files, game_names, make_game

    with output_for_result(as_json):
        found, broken = _usable(game_names(), make_game)
        broken += [{"name": path, "broken": why} for path, why in broken_files().items()]
    if as_json:
        print_json([*map(_game_data, found.values()), *broken])
        return
    _say_broken(broken)
    for game in found.values():
        facts = [f"{game.seats} seats", f"{game.actions} actions"]
        facts += ["chance"] if game.max_outcomes else []
        facts += ["hidden information"] if game.hidden_information else []
        console.print(f"[bold]{game.name}[/bold]  {game.title}: {', '.join(facts)}")
        for key, option in game.option_types.items():
            about = f"  {option.help}" if option.help else ""
            console.print(f"  {key} = {option.default!r}[dim]  {option.expected}{about}[/dim]")


def _usable(names: Sequence[str], load: Callable[[str], Any]) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """What can be loaded, by name, and what cannot: a broken plug-in must not hide the others."""
    found, broken = {}, []
    for name in names:
        try:
            found[name] = load(name)
        except Exception as error:
            broken.append({"name": name, "broken": str(error) if isinstance(error, ValueError) else repr(error)})
    return found, broken


def _say_broken(broken: Sequence[dict[str, str]]) -> None:
    for entry in broken:
        print_line(f"{entry['name']}  broken: {entry['broken']}", style="red")


def _game_data(game: Any) -> dict[str, Any]:
    """A game's facts, and its options with their defaults, for JSON."""
    return {
        "name": game.name,
        "title": game.title,
        "seats": game.seats,
        "seat_names": list(game.seat_names),
        "actions": game.actions,
        "observation_shape": list(game.observation_shape),
        "max_moves": game.max_moves,
        "chance": bool(game.max_outcomes),
        "hidden_information": game.hidden_information,
        "cooperative": game.cooperative,
        "options": {
            key: {"default": option.default, "expected": option.expected, "help": option.help}
            for key, option in game.option_types.items()
        },
    }


@app.command(rich_help_panel="Look up")
def agents(as_json: AsJson = False) -> None:
    """List the agents with their options."""
    from ludarium.agents import agent_names, agent_options
    from ludarium.agents.learning.registry import learner_names
    from ludarium.agents.specs import program_prefixes

    with output_for_result(as_json):
        found, broken = _usable(agent_names(), agent_options)
    if as_json:
        listed = [{"name": name, "options": dict(options)} for name, options in found.items()]
        print_json(
            {"agents": [*listed, *broken], "programs": list(program_prefixes()), "learners": list(learner_names())}
        )
        return
    _say_broken(broken)
    for name, options in found.items():
        console.print(f"[bold]{name}[/bold]  {', '.join(f'{key}={default!r}' for key, default in options.items())}")
    console.print(
        "also: module:attribute or path/to/file.py, for a callable (observation, action_mask, info) or a factory; "
        "isolated:AGENT for one of these in a process of its own, trusted:AGENT for one that needs none; "
        f"{', '.join(f'{prefix}:COMMAND' for prefix in program_prefixes())}; "
        f"and the folder of a training run: {', '.join(f'{name}:FOLDER' for name in learner_names())}",
        soft_wrap=True,
    )


@app.command(rich_help_panel="Look up")
def learners() -> None:
    """List the learners with the games they accept, their presets and their options."""
    from ludarium.agents.learning.registry import learner_names, learner_presets

    found, broken = _usable(learner_names(), learner_presets)
    _say_broken(broken)
    for name, presets in found.items():
        known = presets.names
        names = ", ".join(f"{name}:{variant}" for variant in presets.classes[0].variants) or name
        shown = f"; presets: {', '.join(known)}" if known else ""
        console.print(f"[bold]{names}[/bold]  takes {presets.takes}{shown}")
        options = {kind.preset: _defaults(kind) for kind in presets.classes}
        first = next(iter(options.values()))
        common = {line for line in first if all(line in lines for lines in options.values())}
        console.print("  " + ", ".join(line for line in first if line in common), style="dim")
        for preset, lines in options.items():
            if own := [line for line in lines if line not in common]:
                console.print(f"  {preset}: {', '.join(own)}", style="dim")


def _defaults(kind: Any) -> list[str]:
    """The options of a learner's class with their defaults."""
    known = (option for option in fields(kind) if option.name != "game" and option.default is not MISSING)
    return [f"{option.name}={option.default!r}" for option in known]


@app.command(rich_help_panel="Look up")
def perft(
    game: Annotated[str, typer.Argument(help='A game without chance: "othello", "othello?size=6".')],
    depth: Annotated[int, typer.Option(min=0, max=1000, help="Moves to look ahead.")] = 6,
) -> None:
    """Count the lines of play by depth; a pass counts as a move, and a finished game as one line."""
    import time

    from ludarium.envs.perft import perft as count
    from ludarium.envs.registry import make_game

    start = make_game(game).start()
    for moves in range(depth + 1):
        started = time.perf_counter()
        lines = count(start, moves)
        seconds = time.perf_counter() - started
        console.print(f"{moves:3} {lines:>20,}  [dim]{seconds:.2f} s[/dim]")


@app.command(rich_help_panel="Look up")
def replay(
    files: Annotated[list[Path], typer.Argument(help="Files, or folders of files.")],
    game: Annotated[str | None, typer.Option(help="othello, backgammon or hanabi, if the file does not say.")] = None,
    show: Annotated[int, typer.Option(min=0, help="Print the positions of game number N of the file.")] = 0,
    notes: Annotated[
        bool, typer.Option("--notes", help="Say why games stop early, and what was wrong with the files but harmless.")
    ] = False,
) -> None:
    """Play recorded games through the rules: WTHOR, GGF and transcripts, backgammon matches, hanab.live JSON."""
    from ludarium.envs.record_files import files_in, replay_file
    from ludarium.envs.records import RecordError

    paths = [path for file in files for path in files_in(file)]
    if show:
        _show_game(paths[0], game, show)
        return
    whole = stopped = repaired = wrong = 0
    for path in paths:
        try:
            result = replay_file(path, game)
        except RecordError as error:
            print_line(str(error), style="red")
            wrong += 1
            continue
        whole, stopped, wrong = whole + len(result.whole), stopped + len(result.stopped), wrong + len(result.errors)
        for problem in result.errors:
            print_line(str(problem), style="red")
        for record in sorted(result.whole + result.stopped, key=lambda record: record.line):
            repaired += bool(record.repairs)
            said = [*([] if record.whole else [record.note]), *record.repairs]
            for note in said if notes else []:
                print_line(f"{record.file}:{record.line}: {note}", style="dim")
    damaged = f"; {repaired} have harmless damage" if repaired else ""
    console.print(
        f"{whole} games replayed to their end, {stopped} stopped early, {wrong} wrong{damaged}", soft_wrap=True
    )
    if (stopped or repaired) and not notes:
        console.print("--notes says why games stop early and what is damaged", style="dim")
    if wrong:
        raise typer.Exit(1)


def _show_game(path: Path, game: str | None, number: int) -> None:
    from ludarium.envs.record_files import positions, read_records
    from ludarium.envs.records import RecordError

    for count, record in enumerate(read_records(path, game), 1):
        if count == number:
            if isinstance(record, RecordError):
                raise record
            console.print(f"{' – '.join(record.seats)}  {record.result}  {record.note}", markup=False)
            for name, position in positions(record):
                console.print(name, style="bold", markup=False)
                console.print(f"{position}\n", markup=False)
            return
    raise ValueError(f"{path.name}: there is no game {number}")
