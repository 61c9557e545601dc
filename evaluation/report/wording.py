"""The sentences and tables of a report, as plain text; the page and the Markdown only format them."""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.time_control import LOST_ON_TIME, TimeControl
from ludarium.envs.game import Game
from ludarium.envs.openings import shipped_name
from ludarium.evaluation.play.adjudication import EMPTIES
from ludarium.evaluation.report.content import PARTS, Content, Floats, GameContent
from ludarium.evaluation.report.counted import Counted
from ludarium.evaluation.report.openings import ByOpening
from ludarium.evaluation.report.strength import Strength
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.figures import duration, plus_minus
from ludarium.evaluation.tournament.seeds import revealed
from ludarium.evaluation.tournament.session import machine
from ludarium.evaluation.tournament.store import GameRow

_WIDEST = 80  # characters of an opening in a table
TextTable = tuple[list[str], list[list[str]]]
"""A table: its header and its rows."""


class Matrix(NamedTuple):
    """Figures for every two entrants, in the order of the table.

    Attributes:
        title: what the figures are.
        texts: the cells.
        shares: shape (entrants, entrants): how good each figure is for the row, 0 to 1; NaN where there is none.
    """

    title: str
    texts: list[list[str]]
    shares: Floats


LEGEND = {
    False: "Elo: Bradley–Terry with draws and a seat advantage. Score: a win is 1, a draw ½. ± is half the 95 % "
    "interval, by Student's t. A pair is two games with the same chance and exchanged seats; pairs with the same "
    "number have the same chance in all pairings, so intervals are computed over pair numbers.",
    True: "Every seat belongs to the same agent, and every agent met the same decks. ± is half the 95 % interval over "
    "decks, by Student's t. Perfect: games with the maximum score.",
}
STRONGER = "Likelihood that the row is stronger than the column, in %: by their own games, or Elo if these are too few"
ACROSS = (
    "Agents that played in every game. Normalised scores run from 0, the minimum of a game, to 1, the maximum. The "
    f"interquartile mean is over {PARTS} parts of each game, split by pair number; its 95 % interval comes from "
    "resampling these parts."
)
CURVES = {
    False: "Score against random (a win is 1, a draw ½) during training, as measured by the training runs.",
    True: "Score of a team, as a share of the maximum, during training, as measured by the training runs.",
}
CURVES_GREEDY = "The same against greedy."
TIMES = (
    "Each agent's own wall-clock time on the machines that played, without compilation, right within 9 %. In compiled "
    "games one in sixteen is timed; elsewhere a time includes the call from Python."
)
MEETINGS = {
    False: "First the games that the lower agent won, then the others, by number.",
    True: "By number.",
}
SHOWN = "A link leads to a game that is shown above; to see any other: ludarium report STORE --replay GAME."
ANY_GAME = (
    "To see any game of the store as pictures: ludarium report STORE --replay EVENT:A:B:PAIR:LEG, with the numbers of "
    "the game above, of the two agents, of the pair and of the game in the pair, all counted from 0."
)


def answer_lines(content: Content) -> list[str]:
    """The answer for each game, with the game's title if there are several."""
    titles = [f"{game_title(game.game)}: " if len(content.games) > 1 else "" for game in content.games]
    return [title + " ".join(game.answers) for title, game in zip(titles, content.games, strict=True)]


def game_title(game: Game) -> str:
    """The game and its options: `Othello, size = 6`."""
    name, _, options = game.spec.partition("?")
    parts = [game.title or name, *(option.replace("=", " = ") for option in options.split("&") if option)]
    return ", ".join(parts)


def opening_line(content: Content) -> str:
    """What was played, and whether the tournament is finished."""
    tournament = content.tournament
    swiss = tournament.format == "swiss"
    form = f"Swiss, {_count(tournament.rounds, 'round')}" if swiss else tournament.format.replace("-", " ")
    games, agents = _count(content.played, "game"), _count(len(tournament.agents), "agent")
    line = f"{games}, {agents}, {form}, seed {revealed(tournament.seed, content.finished)}."
    if content.played < content.total:  # so the total is more than one
        line += f" Unfinished: {'at most ' * swiss}{content.total:,} games are planned."
    if content.left_out:
        line += f" Left out, because what is stored of them is wrong: {_count(len(content.left_out), 'game')}."
    return line


def warnings(game: GameContent) -> Iterator[str]:
    """What a reader must know before trusting the table."""
    for a, b in game.table.repeated:
        yield (
            f"{a} and {b} played the same two games again and again, so their intervals mean nothing; "
            "random opening moves (opening) would help."
        )
    if game.ratings is not None and len(set(game.ratings.connected.tolist())) > 1:
        yield "Not all agents are linked by games: ratings of different groups cannot be compared."
    elif game.ratings is not None and len(set(game.ratings.decided.tolist())) > 1:
        yield (
            "Between some of the agents, the same side won every game: the games do not determine how far apart they "
            "are, and their Elo relies on a weak prior."
        )


def notes(game: GameContent) -> Iterator[str]:
    """Sentences below a game's table."""
    yield from map(str, game.table.verdicts)
    if game.ratings is not None:
        advantage = plus_minus(game.ratings.seat, game.ratings.seat_margin, 0, sign=True)
        error = f"{game.ratings.seat_error:.1f}" if math.isfinite(game.ratings.seat_error) else "?"
        yield (
            f"The first seat scores {100 * game.first:.1f} %, an advantage of {advantage} Elo, standard error {error}. "
            f"Drawn: {100 * game.draws:.1f} % of all games; draw parameter ν = {game.ratings.draw_parameter:.3f}, so "
            f"equals draw {100 * game.ratings.draws:.1f} % of their games."
        )
    if game.truncated:
        were, by = ("was", "counts") if game.truncated == 1 else ("were", "count")
        cut = f"{_count(game.truncated, 'game')} {were} cut off at {game.game.max_moves:,} moves"
        yield f"{cut} and {by} with the payoffs so far."
    if game.adjudicated:
        were = "was" if game.adjudicated == 1 else "were"
        yield (
            f"{_count(game.adjudicated, 'game')} {were} adjudicated: both sides were played exactly once {EMPTIES} "
            "squares were empty."
        )
    if game.control is not None:
        yield clock_note(game.control, game.rows)
    if game.game.cooperative and game.counted:
        yield (
            "The same games are scored by both conventions: when all lives are lost, the points are kept, or they "
            "count for nothing."
        )
    if game.cycles is not None:
        line = f"Triples of agents that beat each other in a cycle: {100 * game.cycles:.1f} %"
        yield line + (" (25 % if all results were coin tosses)." if game.cycles else ".")


def clock_note(control: TimeControl, rows: Iterable[GameRow]) -> str:
    """How much time there was, that the games cannot be reproduced, and how many were lost on time."""
    late = sum(row.cause == LOST_ON_TIME for row in rows)
    return (
        f"Time control: {control}, with a margin of {1000 * control.margin:g} ms. Timed games depend on the machine "
        f"and its load, so they cannot be reproduced. Lost on time: {_count(late, 'game')}."
    )


def score_table(game: GameContent) -> TextTable:
    """The standings."""
    if game.game.cooperative:
        return _team_table(game)
    head = ["agent", "Elo", "score %"] + ["points a game"] * game.with_points + [one.way.title for one in game.counted]
    head += (
        ["Nash average", "Nash weight"] * (game.nash is not None) + ["α-rank"] * (game.alpha is not None) + ["games"]
    )
    lines = []
    for place, row in enumerate(game.table.rows):
        line = [f"{place + 1} {row.agent}"]
        if game.ratings is not None:
            fixed = row.agent == game.ratings.anchor
            elo, margin = game.ratings.elo[place], game.ratings.margins()[place]
            line.append("0" if fixed else plus_minus(elo, margin, 0, sign=True))
        line.append(plus_minus(100 * row.score, 100 * row.margin, 1))
        if game.with_points:
            line.append(plus_minus(row.points, row.points_margin, 2, sign=True))
        line += [_counted(one, one.means[place], one.margins[place]) for one in game.counted]
        if game.nash is not None:
            mixture, measures = game.nash
            line += [f"{_no_minus_zero(measures[place], 3):+.3f}", f"{_no_minus_zero(mixture[place], 2):.2f}"]
        if game.alpha is not None:
            line.append(f"{game.alpha[place]:.2f}")
        lines.append([*line, f"{row.games:,}"])
    return head, lines


def _team_table(game: GameContent) -> TextTable:
    """The standings of a cooperative game: the score by its options, or in all ways defined for the game."""
    lines = []
    for place, row in enumerate(game.table.rows):
        scores = [_counted(one, one.means[place], one.margins[place]) for one in game.counted]
        scores = scores or [plus_minus(row.score, row.margin, 2)]
        lines.append([f"{place + 1} {row.agent}", *scores, f"{100 * row.perfect:.2f} %", f"{row.games:,}"])
    return ["agent", *([one.way.title for one in game.counted] or ["mean score"]), "perfect", "games"], lines


def matrices(game: GameContent) -> Iterator[Matrix]:
    """The results of the entrants against each other or, at one table, with each other."""
    if game.ratings is not None:
        yield _percent("Row against column: score in %", game.scores)
        yield _percent(STRONGER, game.stronger())
        for one in game.counted:
            yield _matrix(f"Row against column: {one.way.title}", one)
    elif game.crossplay and game.counted:
        for one in game.counted:
            yield _matrix(f"Row and column at one table, in alternate seats: {one.way.title}", one)
    elif game.crossplay:
        texts = [["·" if score != score else f"{score:.2f}" for score in row] for row in game.scores.tolist()]
        low, high = game.game.payoff_range
        yield Matrix(
            "Row and column at one table, in alternate seats: mean score", texts, (game.scores - low) / (high - low)
        )


def _percent(title: str, shares: Floats) -> Matrix:
    shown = np.where(np.eye(len(shares), dtype=bool), np.nan, shares)
    return Matrix(title, [["·" if s != s else f"{100 * s:.0f}" for s in row] for row in shown.tolist()], shown)


def _matrix(title: str, counted: Counted) -> Matrix:
    cells = zip(counted.between.tolist(), counted.between_margins.tolist(), strict=True)
    texts = [
        ["·" if mean != mean else _counted(counted, mean, margin) for mean, margin in zip(means, margins, strict=True)]
        for means, margins in cells
    ]
    low, high = counted.game.payoff_range
    return Matrix(title, texts, (counted.between - low) / (high - low))


def _counted(counted: Counted, mean: float, margin: float) -> str:
    against = not counted.game.cooperative
    return plus_minus(mean, margin, 1 if against else 2, sign=against)


def forfeit_table(game: GameContent) -> TextTable:
    """Games lost by an error or an illegal action, by cause, most frequent first."""
    causes = [(count, row.agent, cause) for row in game.table.rows for cause, count in row.forfeits.items()]
    causes.sort(key=lambda item: -item[0])
    return ["agent", "games", "cause"], [[agent, f"{count:,}", cause] for count, agent, cause in causes]


def time_table(game: GameContent) -> TextTable:
    """How long each agent's decisions took."""
    head = ["agent", "decisions timed", "median", "95 % within"]
    lines = [[one.agent, f"{one.decisions:,}", duration(one.median), duration(one.slow)] for one in game.table.times]
    return head, lines


def across_table(content: Content) -> TextTable:
    """Ranks and interquartile means of the agents that played in all games."""
    head, lines = ["agent", "mean rank", "interquartile mean", "95 % interval"], []
    for one in content.across:
        interval = f"{one.low:.3f} to {one.high:.3f}" if math.isfinite(one.low) else "?"
        lines.append([one.agent, f"{one.rank:.2f}", f"{one.mean:.3f}", interval])
    return head, lines


def reproduce(content: Content) -> tuple[str, str]:
    """How to play the tournament again: a sentence, and the file it mentions."""
    whole = all(entry.reproducible for entry in content.tournament.games)
    advice = (
        "Everything is a function of the seed."
        if whole
        else "Dice, cards and openings are functions of the seed; the moves of timed games are not."
    )
    advice += " Save this as tournament.toml, and run: "
    return advice + "ludarium tournament tournament.toml", to_toml(content.tournament, content.finished)


def to_toml(tournament: Tournament, finished: bool = True) -> str:
    """The tournament as the TOML file that `Tournament.from_file` reads; a secret seed only if it is finished."""
    settings: dict[str, Any] = {**tournament.data(), "seed": revealed(tournament.seed, finished)}
    lines = [f"{k} = {_toml(v)}" for k, v in settings.items() if k != "games"]
    for entry in tournament.games:
        settings = {
            k: v for k, v in asdict(entry).items() if v != getattr(GameEntry(entry.game), k) or k in ("game", "pairs")
        }
        if entry.openings and (shipped := shipped_name(entry.rules, entry.openings)):
            settings["openings"] = shipped
        lines += ["", "[[games]]", *(f"{k} = {_toml(v)}" for k, v in settings.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    """A value in TOML; all but tables are written as in JSON, except for one control character."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {_toml(inner)}' for name, inner in value.items())}}}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def strength_measure(game: GameContent) -> str:
    """What the strength of checkpoints is measured in."""
    return "Points of a team" if game.game.cooperative else "Elo"


def strength_note(game: GameContent, strength: Strength) -> str:
    """What the curve of checkpoints shows, and what its band is."""
    played = (
        "each as a team by itself, with the same decks" if game.game.cooperative else "each against the same agents"
    )
    runs = ", ".join(strength.runs)
    if len(strength.runs) == 1:
        return f"Checkpoints of {runs}, {played}. ± is half the 95 % interval of the figure."
    return (
        f"Checkpoints of {_count(len(strength.runs), 'run')}, {runs}, {played}: the mean of the runs. ± is half its "
        "95 % interval over the runs, by Student's t."
    )


def strength_table(game: GameContent, strength: Strength) -> TextTable:
    """How strong the checkpoints are, in the order of training."""
    digits, sign = (2, False) if game.game.cooperative else (0, True)
    values = zip(strength.learned, strength.values, strength.margins, strict=True)
    lines = [[f"{learned:,.10g}", plus_minus(value, margin, digits, sign=sign)] for learned, value, margin in values]
    return [strength.unit, strength_measure(game)], lines


def opening_note(game: GameContent, openings: ByOpening) -> str:
    """Which openings the table shows, and how often each was played."""
    pairs = len({row.pair for row in game.rows})
    line = f"Openings played: {openings.played:,} of {openings.known:,}."
    if pairs > openings.known:
        line += " There are more pairs, so openings repeat, and deterministic agents repeat their games."
    if len(openings.shown) < openings.played:
        line += f" Shown: the {len(openings.shown)} after which the first seat's score is farthest from its mean."
    return line + " Scores in %."


def opening_table(game: GameContent, openings: ByOpening) -> TextTable:
    """Games and scores by opening."""
    agents = [row.agent for row in game.table.rows]
    lines = []
    for one in openings.shown:
        scores = [f"{100 * one.scores[name]:.1f}" if name in one.scores else "·" for name in agents]
        lines.append([f"{one.number} {_shortened(one.text)}", f"{one.games:,}", f"{100 * one.first:.1f}", *scores])
    return ["opening", "games", "first seat", *agents], lines


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 2]} …"


def session_table(content: Content) -> TextTable:
    """The sessions and their times: one line per session."""
    head = ["session", "started", "seconds", "games", "command"]
    return head, [
        [f"{number}", one.started, f"{one.seconds:,.1f}", f"{one.games:,}", one.command]
        for number, one in enumerate(content.sessions, 1)
    ]


def machines(content: Content) -> Iterator[str]:
    """Where the sessions ran, and with which software: one sentence for all sessions with the same."""
    numbers_by_machine: dict[str, list[str]] = {}
    for number, one in enumerate(content.sessions, 1):
        numbers_by_machine.setdefault(str(one.machine), []).append(str(number))
    for text, numbers in numbers_by_machine.items():
        yield f"Session{'s' * (len(numbers) > 1)} {', '.join(numbers)}: {text}."


def made_with() -> str:
    """The footer: the software and machine that made this report; it is the same in every run."""
    return f"Report made with {machine()}."


def _count(number: int, noun: str) -> str:
    """A number with its noun: `1 game`, `1,200 games`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _no_minus_zero(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0
