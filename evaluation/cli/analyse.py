"""The command that shows what an agent thinks of every move in a position."""

from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table as RichTable

from ludarium.evaluation.cli.output import AsJson, output_for_result, print_json
from ludarium.evaluation.cli.terminal import Names, Seed, app, console, print_line

_START = "start"
_MOST_TERMS = 12
_CHANCE_WIDTH = len("100.0%")


@app.command(rich_help_panel="Look up", context_settings={"ignore_unknown_options": True})  # boards may begin with --
def analyse(
    game: Annotated[str, typer.Argument(help='A game: "othello", "tictactoe?rows=4".')],
    position: Annotated[
        str,
        typer.Argument(help="A position as the game writes it, or start; in Othello also the moves so far: f5d6c3."),
    ],
    agent: Annotated[
        str, typer.Option(help='The agent that judges: "alphabeta?depth=8", "mcts", "perfect", "td:RUN".')
    ],
    seed: Seed = 0,
    name: Names = None,
    as_json: AsJson = False,
) -> None:
    """List every legal move, the best first, with its value to the seat to move, as an agent judges it.

    If chance is next, such as a roll without a choice about the cube, give the value of the position: the mean over all
    outcomes, each with the move that the agent likes best.
    """
    from ludarium.agents import make_agent
    from ludarium.envs.chance import seed_key
    from ludarium.envs.episode import agent_seed
    from ludarium.envs.kernels import CHANCE
    from ludarium.envs.registry import make_game
    from ludarium.evaluation.play.expectation import expectation
    from ludarium.evaluation.play.opinions import distinct, opinions_of
    from ludarium.evaluation.tournament.entrants import labelled

    ((called, spec),) = labelled([agent], name)
    with output_for_result(as_json):
        made = make_game(game)
        here = _read(made, position)
        player = make_agent(spec, made)
        try:
            if here.turn == CHANCE:
                opinions: Any = expectation(player, here, agent_seed(player, seed_key(seed), 0))
            else:
                opinions = distinct(here, opinions_of(player, here, agent_seed(player, seed_key(seed), here.turn)))
        finally:
            player.close()
    if as_json:
        print_json(_expected_data(here, opinions, called) if here.turn == CHANCE else _data(here, opinions, called))
    elif here.turn == CHANCE:
        _print_expected(here, opinions, called)
    else:
        _print(here, opinions, called)


def _read(game: Any, text: str) -> Any:
    """The position that is given, in which somebody can move."""
    from ludarium.envs.othello.records import read_transcripts
    from ludarium.envs.records import replay

    if game.hidden_information:
        raise ValueError(f"{game.name}: a position shows what is hidden, so it cannot be analysed")
    if text == _START:
        position = game.start()
    elif game.name == "othello" and any(map(str.isdigit, text)):  # squares have numbers, boards do not
        position = replay(next(read_transcripts(" ".join(text.split()), "transcript", game)))
    else:
        position = game.from_text(text)
    if position.over:
        raise ValueError(f"{game.name}: the position {position.text!r} is already over, so there is no move to analyse")
    return position


def _data(position: Any, opinions: Any, agent: str) -> dict[str, Any]:
    from dataclasses import asdict

    from ludarium.evaluation.play.opinions import line_of, plays

    play_of = plays(position, opinions)
    moves = [
        {
            "move": play_of[opinion.action].text,
            **asdict(opinion),
            "line": line_of(position, opinion),
            "odds": dict(opinion.odds),
        }
        for opinion in opinions
    ]
    played = None if opinions.played is None else play_of[opinions.played].text
    return {**_about(position, position.turn, agent), "unit": opinions.unit, "played": played, "moves": moves}


def _expected_data(position: Any, expected: Any, agent: str) -> dict[str, Any]:
    about = {**_about(position, expected.seat, agent), "unit": position.game.unit}
    return about | {"value": expected.value, "odds": expected.odds, "moves": []}


def _about(position: Any, seat: int, agent: str) -> dict[str, Any]:
    game = position.game
    return {"game": game.spec, "position": position.text, "seat": game.seat_name(seat), "agent": agent}


def _print(position: Any, opinions: Any, agent: str) -> None:
    """The board, and a table of the moves, with those columns that say something."""
    from ludarium.evaluation.play.opinions import line_of, plays, worth_text

    game, best, play_of = position.game, opinions.moves[0], plays(position, opinions)
    _print_heading(position, f"{game.seat_name(position.turn)} to move: {agent}")
    lines = {opinion.action: line_of(position, opinion)[len(play_of[opinion.action].actions) :] for opinion in opinions}
    numbers = [name for name in ("depth", "nodes") if any(getattr(opinion, name) > 1 for opinion in opinions)]
    shown = _table()
    shown.add_column("move", no_wrap=True)
    _add_numbers(shown, "value")
    _add_numbers(shown, *numbers, style="dim")
    _add_odds(shown, dict(best.odds))
    if any(lines.values()):
        shown.add_column("then", overflow="fold")
    for opinion in opinions:
        shown.add_row(
            escape(play_of[opinion.action].text),
            "≤ " * opinion.bound + worth_text(game, opinion, opinions),
            *(f"{getattr(opinion, name):,}" for name in numbers),
            *_percent(dict(opinion.odds)),
            *([escape(" ".join(lines[opinion.action]))] if any(lines.values()) else []),
        )
    console.print(shown)
    console.print(f"values: {_meaning(opinions)}, for the seat to move", style="dim", markup=False)
    if opinions.played is not None:
        console.print("the first move is the one that it plays", style="dim")
    if best.terms:
        _print_terms(play_of[best.action].text, best.terms)


def _meaning(opinions: Any) -> str:
    """What the values are."""
    from ludarium.envs.opinions import SCORE

    if opinions.unit == SCORE:
        return f"{SCORE}, which only compares these moves"
    known = "exact" if opinions.moves[0].exact else "estimated"
    return f"{opinions.unit}, {'in part estimated' if opinions.mixed else known}"


def _print_expected(position: Any, expected: Any, agent: str) -> None:
    """The board, and what the position is worth before chance."""
    from ludarium.evaluation.play.opinions import value_text

    _print_heading(position, f"{position.game.seat_name(expected.seat)}, before chance: {agent}")
    shown = _table()
    _add_numbers(shown, "before chance")
    _add_odds(shown, expected.odds)
    shown.add_row(value_text(position.game, expected.value), *_percent(expected.odds))
    console.print(shown)
    meaning = f"{position.game.unit}, the mean over all outcomes of the best move, for this seat"
    console.print(f"value: {meaning}", style="dim", markup=False)


def _print_heading(position: Any, heading: str) -> None:
    console.print(f"{position}\n", markup=False)
    print_line(heading, style="bold")


def _table() -> RichTable:
    return RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def _add_numbers(shown: RichTable, *names: str, style: str = "") -> None:
    for name in names:
        shown.add_column(name, justify="right", style=style, no_wrap=True)


def _add_odds(shown: RichTable, odds: dict[str, float]) -> None:
    for name in odds:
        shown.add_column(name.replace("backgammon", "back- gammon"), justify="right", width=_CHANCE_WIDTH)


def _percent(odds: dict[str, float]) -> list[str]:
    return [f"{100 * chance:.1f}%" for chance in odds.values()]


def _print_terms(move: str, terms: Any) -> None:
    """What the evaluation adds up after a move, the largest parts."""
    console.print(f"\nthe evaluation after {move}, without looking ahead", markup=False)
    shown = _table()
    shown.add_column("counted", overflow="fold")
    _add_numbers(shown, "amount", "weight", "value")
    for term in terms[:_MOST_TERMS]:
        shown.add_row(escape(term.name), f"{term.amount:+,.4g}", f"{term.weight:,.4g}", f"{term.value:+,.4g}")
    rest = terms[_MOST_TERMS:]
    if rest:
        shown.add_row(f"{len(rest)} more", "", "", f"{sum(term.value for term in rest):+,.4g}")
    shown.add_row("all", "", "", f"{sum(term.value for term in terms):+,.4g}", style="bold")
    console.print(shown)
