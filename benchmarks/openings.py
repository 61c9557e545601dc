"""Make the sets of balanced openings that come with the games: `python benchmarks/openings.py [GAME …]`.

Each set is a file `balanced.txt` beside its game, with one opening a line, and no two lead to the same position or to
its mirror image. What balanced means, by game:

- Othello: after eight moves `expert` sees at most two discs of difference, at a depth of 6 and then of 10. The set
  holds 2,000 of these positions, chosen at random, in random order.
- Tic-tac-toe: after one, two or three moves the game is drawn. These are all of them.
- Hexapawn has no draws: the side to move wins with one move and loses with another, after one to four moves. These are
  all of them.

Prints how many there are. The sets are a function of this file; all take five CPU minutes, nearly all for Othello.
"""

import sys
import time
from collections.abc import Iterator

import numpy as np

from ludarium.agents import expert
from ludarium.agents.search.alphabeta import search
from ludarium.agents.search.solver import after, solve
from ludarium.agents.search.units import in_units
from ludarium.envs.game import Game
from ludarium.envs.openings import SETS
from ludarium.envs.opinions import Opinion
from ludarium.envs.othello import Othello
from ludarium.envs.position import Position
from ludarium.envs.registry import make_game

SEED = 100
MOVES, MOST, COUNT = 8, 2.0, 2_000  # of Othello: moves, discs, openings
DEPTHS = (6, 10)
SMALL = {"tictactoe": (1, 2, 3), "hexapawn": (1, 2, 3, 4)}
"""The lengths of openings in the games that are solved."""


def distinct(game: Game, length: int) -> list[list[int]]:
    """Moves to every position after so many moves, one for each position and its mirror images."""
    lines: list[list[int]] = [[]]
    for _ in range(length):
        seen: dict[str, list[int]] = {}
        for moves in lines:
            for action in reached(game, moves).legal_actions():
                longer = [*moves, action]
                seen.setdefault(min(reached(game, image[longer]).text for image in game.images), longer)
        lines = [moves for moves in seen.values() if not reached(game, moves).over]
    return lines


def reached(game: Game, moves: list[int]) -> Position:
    """The position after moves."""
    position = game.start()
    for action in moves:
        position.push(int(action))
    return position


def discs(position: Position, depth: int) -> float:
    """What `expert` expects for the side to move, in discs."""
    evaluation = expert.evaluation(position.game)
    result = search(position, depth=depth, evaluation=evaluation)
    opinion = Opinion(result.action, result.value, result.exact, result.depth, result.nodes, (result.action,))
    return in_units(position, evaluation, [opinion]).moves[0].value


def othello() -> Iterator[list[int]]:
    """Balanced openings of Othello, in random order."""
    game = Othello(scoring="empties_to_winner")
    candidates, count = distinct(game, MOVES), 0
    for number in np.random.default_rng(SEED).permutation(len(candidates)).tolist():
        position = reached(game, candidates[number])
        if all(abs(discs(position, depth)) <= MOST for depth in DEPTHS):
            yield candidates[number]
            count += 1
            if count == COUNT:
                return


def small(game: Game) -> Iterator[list[int]]:
    """Balanced openings of a game that is solved, the shortest first."""
    solution = solve(game)
    for length in SMALL[game.name]:
        for moves in distinct(game, length):
            position = reached(game, moves)
            values = {solution.value(after(position, action)) for action in position.legal_actions()}
            drawn = solution.value(position) == 0
            if drawn if game.name == "tictactoe" else len(values) > 1:
                yield moves


def make(name: str) -> None:
    """Write the set of one game."""
    game, started = make_game(name), time.process_time()
    openings = list(othello() if name == "othello" else small(game))
    file = SETS / name / "balanced.txt"
    head = "# made by `python benchmarks/openings.py`, which says what is balanced"
    lines = [head, *(text(game, moves) for moves in openings)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{name}: {len(openings):,} openings in {time.process_time() - started:.0f} CPU seconds", flush=True)


def text(game: Game, moves: list[int]) -> str:
    """Moves as a line of the file: in Othello as one word, as transcripts are."""
    return game.turn_text(game.start(), moves).replace(" ", "" if game.name == "othello" else " ")


if __name__ == "__main__":
    for spec in sys.argv[1:] or ["hexapawn", "tictactoe", "othello"]:
        make(spec)
