"""What a rule does in tic-tac-toe, and the minimal tactical rules: two in a line, so take the third square."""

from functools import lru_cache
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board
from ludarium.agents.genetic.gaia.rule_text import in_image
from ludarium.agents.learning.inspection import BLOCKS, FORKS, NOTHING, WINS
from ludarium.envs.game import Game


class Tactic(NamedTuple):
    """A minimal tactical rule: all squares of a line but one, the hole, belong to the same player.

    Attributes:
        own: the squares with P, as a set: bit i is square i, row by row.
        opponent: the squares with C.
        empty: the square with V, the hole.
        action: to play in the hole.
        line: the name of the line: `"column a1 a2 a3"`.
    """

    own: int
    opponent: int
    empty: int
    action: int
    line: str

    @property
    def verb(self) -> str:
        """What the action does: `"wins"` or `"blocks"`."""
        return "wins" if self.own else "blocks"


def tactical_rules(game: Game) -> list[Tactic]:
    """The minimal tactical rules of tic-tac-toe, 48 on the 3 × 3 board; those that win come first.

    For each line and each hole in it there are two: one with P on the other squares of the line, which wins, and one
    with C, which blocks. The hole has V, and all squares off the line have `*`.

    Raises:
        ValueError: for any game but tic-tac-toe.
    """
    if game.name != "tictactoe":
        raise ValueError(f"{game.spec}: tactical rules are known for tictactoe only")
    wins = [
        Tactic(_set(line) & ~(1 << hole), 0, 1 << hole, hole, name)
        for name, line in _named_lines(game)
        for hole in line
    ]
    return wins + [win._replace(own=0, opponent=win.own) for win in wins]


def meaning(game: Game, rule: Any) -> tuple[int, list[str]]:
    """What a rule does in tic-tac-toe wherever it fires, with a line of text for each effect.

    A rule wins if it contains a minimal tactical rule that wins by the same action: it completes a line, or two by a
    fork. It blocks if it contains one that blocks. It makes a fork if after its move two lines lack one square each,
    two different squares that the rule requires to be empty. A tactical rule's hole is empty wherever the action is
    legal, so it needs no V to count; the squares that a fork lacks do.

    Returns:
        The main effect, an index into `VERBS`, and the lines; there are none if nothing is known.
    """
    held = [tactic for tactic in tactical_rules(game) if _contains(rule, tactic)]
    completed = [tactic.line for tactic in held if tactic.verb == "wins"]
    if completed:
        return WINS, [f"{'wins by a fork' if len(completed) > 1 else 'wins'}: completes the {_and(completed)}"]
    blocked = [f"blocks the {held[0].line}"] if held else []
    threats = _threats(game, rule)
    if len({hole for hole, _ in threats}) < 2:
        return BLOCKS if blocked else NOTHING, blocked
    fork = f"makes a fork: threatens the {_and([line for _, line in threats])}"
    return BLOCKS if blocked else FORKS, [*blocked, fork]


def _contains(rule: Any, tactic: Tactic) -> bool:
    own, opponent = int(rule["own"]), int(rule["opponent"])
    return tactic.action == int(rule["action"]) and not (tactic.own & ~own or tactic.opponent & ~opponent)


def _threats(game: Game, rule: Any) -> list[tuple[int, str]]:
    """The lines that lack only one square after a rule's move: that square, as a set, and the line's name.

    Only squares that the rule requires to be empty count.
    """
    action, own, empty = int(rule["action"]), int(rule["own"]), int(rule["empty"])
    threats = []
    for name, line in _named_lines(game):
        missing = _set(line) & ~(own | 1 << action)
        if action in line and missing.bit_count() == 1 and missing & empty:
            threats.append((missing, name))
    return threats


def _and(lines: list[str]) -> str:
    """Join names of lines: `row a1 b1 c1 and the column c1 c2 c3`."""
    return " and the ".join(lines)


def tactical_share(game: Game, board: Board, rules: NDArray[Any]) -> float:
    """The share of the minimal tactical rules that are present exactly, in any mirror image that the rules stand for.

    Raises:
        ValueError: for any game but tic-tac-toe.
    """
    sought = {tactic[:4] for tactic in tactical_rules(game)}
    present = set()
    for rule in rules[rules["action"] >= 0]:
        for image in range(len(board.undo)):
            there = in_image(board, rule, image)
            present.add(tuple(int(there[name]) for name in ("own", "opponent", "empty", "action")))
    return len(sought & present) / len(sought)


@lru_cache(maxsize=4)
def _named_lines(game: Game) -> list[tuple[str, list[int]]]:
    """The lines that win: the name of each, such as `"column a1 a2 a3"`, and its squares."""
    start = game.start()
    rows, columns, _ = game.observation_shape
    lines = _lines(rows, columns, game.options["line"])
    return [(" ".join((kind, *(game.action_to_str(start, square) for square in line))), line) for kind, line in lines]


def _set(squares: list[int]) -> int:
    """Squares as a set of bits."""
    return sum(1 << square for square in squares)


def _lines(rows: int, columns: int, length: int) -> list[tuple[str, list[int]]]:
    """All lines of a length on a board: the kind of each, and its squares."""
    lines = []
    for row in range(rows):
        for column in range(columns):
            for kind, down, across in (("row", 0, 1), ("column", 1, 0), ("diagonal", 1, 1), ("diagonal", 1, -1)):
                cells = [(row + down * i, column + across * i) for i in range(length)]
                if cells[-1][0] < rows and 0 <= cells[-1][1] < columns:
                    lines.append((kind, [r * columns + c for r, c in cells]))
    return lines
