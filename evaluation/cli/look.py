"""Commands that look things up: games, agents, learners, perft, replay; and the first lines that anybody sees."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from ludarium.evaluation.cli.output import AsJson, output_for_result, print_json
from ludarium.evaluation.cli.terminal import app, console, print_line, say


def _print_version(wanted: bool) -> None:
    if wanted:
        import ludarium

        print(f"ludarium {ludarium.__version__}")
        raise typer.Exit


_FIRST = """\
Ludarium: five games, agents that play them, and a harness that finds the best.
  ludarium arena                                  the built-in agents play all
  ludarium play othello --against alphabeta       play; or: ludarium table
  ludarium match othello mcts greedy --opening 4  who is better?
  ludarium train gaia tictactoe --preset modern   evolve rules one can read
  ludarium --help                                 all commands"""


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Five games, agents that play them, and a harness that finds out who plays best."""
    if context.invoked_subcommand is None:
        print_line(_FIRST)


@app.command(rich_help_panel="Look up")
def games(as_json: AsJson = False) -> None:
    """List the games with their options."""
    from ludarium.envs.registry import broken_files, game_names, make_game

    with output_for_result(as_json):
        usable, broken = _usable(game_names(), make_game)
        broken += [{"name": path, "broken": why} for path, why in broken_files().items()]
    if as_json:
        print_json([*map(_game_data, usable.values()), *broken])
        return
    _say_broken(broken)
    for game in usable.values():
        facts = [f"{game.seats} seats", f"{game.actions} actions"]
        facts += ["chance"] if game.max_outcomes else []
        facts += ["hidden information"] if game.hidden_information else []
        _say_named(game.name, f"{game.title}: {', '.join(facts)}")
        for key, option in game.option_types.items():
            _say_option(key, option.default, f"{option.expected}{'  ' * bool(option.help)}{option.help}")


def _usable(names: Sequence[str], load: Callable[[str], Any]) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """What can be loaded, by name, and what cannot: a broken plug-in must not hide the others."""
    usable, broken = {}, []
    for name in names:
        try:
            usable[name] = load(name)
        except Exception as error:
            broken.append({"name": name, "broken": str(error) if isinstance(error, ValueError) else repr(error)})
    return usable, broken


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
def agents(
    name: Annotated[
        str | None, typer.Argument(help="List this agent only: a name, a prefix such as gtp, or a learner.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the agents and say what each option means."""
    from ludarium.agents import agent_names
    from ludarium.agents.learning.registry import learner_names
    from ludarium.agents.specs import agent_factory, program_prefixes

    with output_for_result(as_json):
        factories, broken = ({name: agent_factory(name)}, []) if name else _usable(agent_names(), agent_factory)
        about = {agent_name: _agent_data(agent_name, factory) for agent_name, factory in factories.items()}
    if as_json:
        names = {"programs": list(program_prefixes()), "learners": list(learner_names())}
        print_json({"agents": [*about.values(), *broken], **names})
        return
    _say_broken(broken)
    for agent_name, agent in about.items():
        _say_named(agent_name, agent["summary"])
        for option, data in agent["options"].items():
            _say_option(option, data["default"], data["help"])
    if name is None:
        say(
            "also: module:attribute or path/to/file.py, for a callable (observation, action_mask, info) or a factory; "
            "isolated:AGENT for one of these in a process of its own, trusted:AGENT for one that needs none; "
            f"{', '.join(f'{prefix}:COMMAND' for prefix in program_prefixes())}; "
            f"and the folder of a training run: {', '.join(f'{learner}:FOLDER' for learner in learner_names())}"
        )


def _agent_data(name: str, factory: Any) -> dict[str, Any]:
    """What an agent is, and its options with their defaults, for JSON."""
    from ludarium.agents.option_help import option_help, summary
    from ludarium.agents.specs import agent_options

    meant = option_help(factory)
    options = {key: {"default": value, "help": meant.get(key, "")} for key, value in agent_options(name).items()}
    return {"name": name, "summary": summary(factory), "options": options}


def _say_named(name: str, facts: str) -> None:
    """Print a line about a game, an agent or a learner, all of whose words may come from plug-ins."""
    console.print(f"[bold]{escape(name)}[/bold]  ", escape(facts), sep="", soft_wrap=True)


def _say_option(name: str, default: Any, meant: str) -> None:
    """Print an option with its default and what it means."""
    say(f"{name} = {default!r}{'  ' * bool(meant)}{meant}", indent=2)


@app.command(rich_help_panel="Look up")
def learners(
    name: Annotated[str | None, typer.Argument(help="List this learner only, and say what each option means.")] = None,
) -> None:
    """List the learners with the games they take, their presets and their options."""
    from ludarium.agents.learning.registry import learner_names, learner_presets

    presets_of, broken = ({name: learner_presets(name)}, []) if name else _usable(learner_names(), learner_presets)
    _say_broken(broken)
    for learner, presets in presets_of.items():
        names = ", ".join(f"{learner}:{variant}" for variant in presets.classes[0].variants) or learner
        shown = f"; presets: {', '.join(presets.names)}" if presets.names else ""
        _say_named(names, f"takes {presets.takes}{shown}")
        options = {kind.preset: _learner_options(kind) for kind in presets.classes}
        first = next(iter(options.values()))
        common = [option for option in first if all(option in others for others in options.values())]
        _say_options("", common, explained=bool(name))
        for preset, all_of_it in options.items():
            _say_options(preset, [option for option in all_of_it if option not in common], explained=bool(name))
    if name:
        say(f"ludarium agents {name} says which options the agent {name}:FOLDER takes", "dim")
    else:
        say("ludarium learners NAME says what each option means", "dim")


def _learner_options(kind: Any) -> list[tuple[str, Any, str]]:
    """The options of a learner's class, each with its default and what it means."""
    from ludarium.agents.option_help import option_help

    meant = option_help(kind)
    options = (option for option in fields(kind) if option.name != "game" and option.default is not MISSING)
    return [(option.name, option.default, meant.get(option.name, "")) for option in options]


def _say_options(preset: str, options: Sequence[tuple[str, Any, str]], *, explained: bool) -> None:
    """Print the options that belong to a preset, or to all: one a line with what it means, or all in a line."""
    if not options:
        return
    if explained:
        if preset:
            print_line(f"--preset {preset}", style="bold")
        for option in options:
            _say_option(*option)
    else:
        names = ", ".join(f"{name}={default!r}" for name, default, _ in options)
        console.print(f"  {preset}{': ' * bool(preset)}{names}", style="dim", markup=False)


@app.command(rich_help_panel="Look up")
def perft(
    game: Annotated[str, typer.Argument(help='A game without chance: "othello", "othello?size=6".')],
    depth: Annotated[int, typer.Option(min=0, max=1000, help="Moves to look ahead.")] = 6,
) -> None:
    """Count the lines of play by depth: a pass counts as a move, a finished game as one line."""
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
    game: Annotated[
        str | None, typer.Option(help="The game, if the file does not say: othello, backgammon or hanabi.")
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="Print the positions of this game of the file, counted from 1.")] = 0,
    notes: Annotated[
        bool, typer.Option("--notes", help="Say why games stop early, and which harmless faults the files have.")
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
