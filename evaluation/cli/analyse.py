"""The command that shows what an agent thinks of every move in a position."""

from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table as RichTable

from ludarium.evaluation.cli.output import AsJson, output_for_result, print_json
from ludarium.evaluation.cli.terminal import Seed, app, console

_START = "start"
_MOST_TERMS = 12
_RESULTS = {1: "wins", 0: "draws", -1: "loses"}


@app.command(rich_help_panel="Look up", context_settings={"ignore_unknown_options": True})  # boards may begin with --
def analyse(
    game: Annotated[str, typer.Argument(help='A game: "othello", "tictactoe?rows=4".')],
    position: Annotated[
        str, typer.Argument(help="As the game writes it, or start; in Othello also the moves so far, f5d6c3.")
    ],
    agent: Annotated[str, typer.Option(help='Whose opinion: "alphabeta?depth=8", "mcts", "perfect", "td:RUN".')],
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """List every legal move with what an agent thinks that it is worth to the seat to move, the best first."""
    from ludarium.agents import make_agent
    from ludarium.envs.chance import seed_key
    from ludarium.envs.episode import agent_seed
    from ludarium.envs.registry import make_game
    from ludarium.evaluation.play.opinions import opinions_of

    with output_for_result(as_json):
        made = make_game(game)
        here = _read(made, position)
        player = make_agent(agent, made)
        try:
            opinions = opinions_of(player, here, agent_seed(player, seed_key(seed), here.turn))
        finally:
            player.close()
    if as_json:
        print_json(_data(here, opinions, agent))
        return
    _print(here, opinions, agent)


def _read(game: Any, text: str) -> Any:
    """The position that is given, where a seat is to move.

    Raises:
        ValueError: if there is no such position, or nobody can move in it.
    """
    from ludarium.envs.kernels import CHANCE
    from ludarium.envs.othello.records import read_transcripts
    from ludarium.envs.records import replay

    if game.hidden_information:
        raise ValueError(f"{game.name}: a position shows what is hidden, so it cannot be analysed")
    if text == _START:
        found = game.start()
    elif game.name == "othello" and any(map(str.isdigit, text)):  # squares have numbers, boards do not
        found = replay(next(read_transcripts(" ".join(text.split()), "transcript", game)))
    else:
        found = game.from_text(text)
    if found.over:
        raise ValueError(f"{game.name}: the position {found.text!r} is already over, so there is no move to analyse")
    if found.turn == CHANCE:
        raise ValueError(
            f"{game.name}: in the position {found.text!r} chance is next, not a seat; give one with a seat to move"
        )
    return found


def _data(position: Any, opinions: Any, agent: str) -> dict[str, Any]:
    from dataclasses import asdict

    from ludarium.envs.game import seat_name
    from ludarium.evaluation.play.opinions import line_of

    game = position.game
    moves = [
        {
            "move": game.action_to_str(position, opinion.action),
            **asdict(opinion),
            "line": line_of(position, opinion),
            "odds": dict(opinion.odds),
        }
        for opinion in opinions
    ]
    seat = seat_name(game, position.turn)
    return {
        "game": game.spec, "position": position.text, "seat": seat, "agent": agent, "unit": opinions.unit,
        "moves": moves,
    }  # fmt: skip


def _print(position: Any, opinions: Any, agent: str) -> None:
    from ludarium.envs.game import seat_name
    from ludarium.evaluation.play.opinions import line_of

    game = position.game
    console.print(f"{position}\n", markup=False)
    console.print(f"{seat_name(game, position.turn)} to move: {agent}", style="bold", markup=False, soft_wrap=True)
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    shown.add_column("move", no_wrap=True)
    shown.add_column("value", justify="right", no_wrap=True)
    shown.add_column("", style="dim", no_wrap=True)
    shown.add_column("depth", justify="right", style="dim", no_wrap=True)
    shown.add_column("nodes", justify="right", style="dim", no_wrap=True)
    best = next(iter(opinions))
    for name, _ in best.odds:
        shown.add_column(name, justify="right", min_width=len("100.0%"))
    shown.add_column("line", overflow="fold")
    for opinion in opinions:
        shown.add_row(
            escape(game.action_to_str(position, opinion.action)),
            _value(opinion, opinions.mixed),
            "exact" if opinion.exact else "estimate",
            f"{opinion.depth}",
            f"{opinion.nodes:,}",
            *(f"{100 * chance:.1f}%" for _, chance in opinion.odds),
            escape(" ".join(line_of(position, opinion))),
        )
    console.print(shown)
    console.print(f"values: {opinions.unit}, for the seat to move", style="dim", markup=False)
    if best.terms:
        _print_terms(game.action_to_str(position, best.action), best.terms)


def _print_terms(move: str, terms: Any) -> None:
    """What the evaluation adds up after a move, the largest parts."""
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left", title_style="")
    shown.title = escape(f"the evaluation after {move}, without looking ahead")
    shown.add_column("counted", no_wrap=True)
    for name in ("amount", "weight", "value"):
        shown.add_column(name, justify="right", no_wrap=True)
    for term in terms[:_MOST_TERMS]:
        shown.add_row(escape(term.name), f"{term.amount:+,.4g}", f"{term.weight:,.4g}", f"{term.value:+,.4g}")
    rest = terms[_MOST_TERMS:]
    if rest:
        shown.add_row(f"{len(rest)} more", "", "", f"{sum(term.value for term in rest):+,.4g}")
    shown.add_row("all", "", "", f"{sum(term.value for term in terms):+,.4g}", style="bold")
    console.print()
    console.print(shown)


def _value(opinion: Any, mixed: bool) -> str:
    """The value as text: beside estimates, only who wins is said of what is exact."""
    if not opinion.exact:
        return f"{opinion.value:+,.3f}"
    if mixed:
        return _RESULTS[(opinion.value > 0) - (opinion.value < 0)]
    return f"{opinion.value:+g}" if opinion.value else "0"
