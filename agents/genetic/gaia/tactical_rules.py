"""What rules do in tic-tac-toe, and those that every player needs: two in a line, so take the third."""

from functools import lru_cache
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ludarium.agents.genetic.gaia.patterns import Board
from ludarium.agents.genetic.gaia.rule_text import in_image
from ludarium.agents.learning.inspection import BLOCKS, FORKS, NOTHING, WINS
from ludarium.envs.game import Game


class Tactic(NamedTuple):
    """A minimal tactical rule: all of a line but one square, its hole.

    Attributes:
        own: P, as a set of squares: bit i is square i, row by row.
        opponent: C.
        empty: V, the hole.
        action: to play there.
        line: what it is about: `"column a1 a2 a3"`.
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
    """Tic-tac-toe's minimal tactical rules, 48 on the board of 3 × 3; those that win come first.

    For each line and each hole in it: the others P, the hole V, elsewhere `*` (wins), and the same with C (blocks).

    Raises:
        ValueError: for another game.
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
    """What a rule does in tic-tac-toe wherever it fires, and how that is known, a line each.

    It wins if it contains a minimal tactical rule with the same action, so that a line is completed, by a fork if two
    are; it blocks if it contains one that blocks. It makes a fork if after its move two lines lack one square each, not
    the same, which the rule asks to be empty. What the hole of a tactical rule needs no V for, being empty wherever the
    action is legal, the holes of a fork do.

    Returns:
        What it does in the first place, as `VERBS` counts, and the lines; none where nothing is known.
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
    """The lines that lack one square after a rule's move: that square, known to be empty, and the line."""
    action, own, empty = int(rule["action"]), int(rule["own"]), int(rule["empty"])
    found = []
    for name, line in _named_lines(game):
        missing = _set(line) & ~(own | 1 << action)
        if action in line and missing.bit_count() == 1 and missing & empty:
            found.append((missing, name))
    return found


def _and(lines: list[str]) -> str:
    """`row a1 b1 c1 and the column c1 c2 c3`."""
    return " and the ".join(lines)


def tactical_share(game: Game, board: Board, rules: NDArray[Any]) -> float:
    """The share of the minimal tactical rules that are present exactly, in any image that the rules stand for.

    Raises:
        ValueError: for another game than tic-tac-toe.
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
    """The lines that win: `"column a1 a2 a3"`, and its squares."""
    start = game.start()
    rows, columns, _ = game.observation_shape
    lines = _lines(rows, columns, game.options["line"])
    return [(" ".join((kind, *(game.action_to_str(start, square) for square in line))), line) for kind, line in lines]


def _set(squares: list[int]) -> int:
    """Squares as bits."""
    return sum(1 << square for square in squares)


def _lines(rows: int, columns: int, length: int) -> list[tuple[str, list[int]]]:
    """The lines of a length on a board: what each is, and its squares."""
    found = []
    for row in range(rows):
        for column in range(columns):
            for kind, down, across in (("row", 0, 1), ("column", 1, 0), ("diagonal", 1, 1), ("diagonal", 1, -1)):
                cells = [(row + down * i, column + across * i) for i in range(length)]
                if cells[-1][0] < rows and 0 <= cells[-1][1] < columns:
                    found.append((kind, [r * columns + c for r, c in cells]))
    return found
