"""The exact Othello endgame solver on the FFO problems (Fédération Française d'Othello), in CPU seconds on one core.

Prints Markdown: nodes, seconds and nodes per second, and whether each score and best move is right. `--quick` leaves
out the problems that take longer than a second. The problems and their solutions are those that Edax publishes
(github.com/abulmo/edax-reversi, problem/fforum-*.obf).

`--times` takes positions of games of `expert` in their place: how long they take to solve, by the empty squares. With
`--seconds 5`, `expert?seconds=5` plays in them: how many it solves, and how long the longest move takes.
"""

import argparse
import time

import numpy as np

from ludarium.agents.othello.endgame.solver import solve
from ludarium.agents.search.alphabeta import solved_last
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import stream
from ludarium.envs.othello import Othello
from ludarium.envs.position import Position
from ludarium.evaluation.play.match import play_match

# Number, position, score for the side to move, best moves.
PROBLEMS = [
    (1, "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X", 18, "g8"),
    (2, "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X", 10, "a4"),
    (3, "----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X", 2, "d1"),
    (4, "-XXXXXX-X-XXXOO-XOXXXOOXXXOXOOOX-OXOOXXX--OOOXXX--OOXX----XOXXO- X", 0, "h8 a5"),
    (5, "-OOOOO----OXXO-XXXOXOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOOO---XXXXX-- X", 32, "g8"),
    (6, "--OXXX--OOOXXX--OOOXOXO-OOXOOOX-OOXXXXXXXOOXXOX--OOOOX---XXXXXX- X", 14, "a1 h3"),
    (7, "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X", 8, "a6"),
    (8, "---X-X--X-XXXX--XXXXOXXXXXXOOOOOXXOXXXO-XOXXXXO-XOOXXX--XOOXXO-- O", 8, "e1"),
    (9, "--XOXX--O-OOXXXX-OOOXXXX-XOXXXOXXXOXOOOXOXXOXOXX--OXOO----OOOO-- O", -8, "g7 a4"),
    (10, "-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO-- O", 10, "b2"),
    (11, "---O-XOX----XXOX---XXOOXO-XXOXOXXXXOOXOX-XOOXXXXXOOOXX-XOOOOOOO- O", 30, "b3"),
    (12, "--O--O--X-OOOOX-XXOOOXOOXXOXOXOOXXOXXOOOXXXXOOOO--OXXX---XXXXX-- O", -8, "b7"),
    (13, "--XXXXX--OOOXX---OOOXXXX-OXOXOXXOXXXOXXX--XOXOXX--OXOOO--OOOOO-- X", 14, "b7"),
    (14, "--XXXXX---OOOX---XOOXXXX-OOOOOOOOOOXXXOOOOOXXOOX--XXOO----XXXXX- X", 18, "a3"),
    (15, "----O------OOX---OOOXX-XOOOXOOOOOXXOXXOOOXXXOOOOOXXXOOXO--OOOOOX X", 4, "g3 b8"),
    (16, "-XXXXXX-X-XXXOO-XOXXXOOXXOOXXXOX-OOOXXXX--OOXXXX---OOO----XOX-O- X", 24, "f8"),
    (17, "-OOOOO----OXXO-XXXOOOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOO----XXXX--- X", 8, "f8"),
    (18, "-XXX------OOOX--XOOOOOXXOXOXOOXXOXXOOOOOXXXOXOOX--OXXO---OOOOO-- X", -2, "g2"),
    (19, "--OXXO--XOXXXX--XOOOOXXXXOOOXXXXX-OOOXXX--OOOOXX--XXOOO----XXOO- X", 8, "b6"),
    (20, "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X", 6, "h5"),
    (21, "OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O", 0, "g5"),
    (22, "--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O", 2, "g8"),
    (23, "--O-------OOX---OOOXXXO-OOOOXOXXXXXOOXOXXXXXXOOXX-XXXXOX--XXXX-- X", 4, "a2"),
    (24, "--O--O-----OOOX--X-XOXOO--XXXOOOXXXXOOOOXXXOXXOOXXXXXX--XOXX-O-- O", 0, "c3"),
    (25, "----X------XXXO--OOOXXXXXOOOOXXO-XXOOXXOOOXOXXXXOOOXX---X-XXXX-- O", 0, "g1 a5"),
    (26, "-OOOOO----OXXO---OOOOXXO-OOOXOXX-OOXOOXX-XOXXOXX--O-XXXX--O----O X", 0, "d8"),
    (27, "--XO-O----OOOO--OOXOXXO-OOOOXXOOOOOXXOX-OXOXXXXX--XXXX----X-O-X- X", -2, "b7"),
    (28, "--O-------OOO--X-XOOOOXXXXXXOXOX-XXOXOOXXXOXOOXX-OOOOO-X---OOO-- X", 0, "f1 b2 e1"),
    (29, "-OXXXX----OXXO--XXOOXOOOXXXOOXOOXXOOXOOOXXXXOO-XX-XXO----------- X", 10, "g2"),
    (40, "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 38, "a2"),
    (41, "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 0, "h4"),
    (42, "--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X", 6, "g2"),
    (43, "--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O", -12, "g3 c7"),
    (44, "--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX-- O", -14, "d2 b8"),
    (45, "---XXXX-X-XXXO--XXOXOO--XXXOXO--XXOXXO---OXXXOO-O-OOOO------OO-- X", 6, "b2"),
]
PLAYER, SEED = "expert?nodes=2000", 77
GROUPS = [(1, 19), (20, 29), (40, 45)]
QUICK = 30  # problems below this number


def positions(empties: int, games: int) -> list[Position]:
    """Positions of games of `expert` with itself with so many empty squares, from random openings of eight moves."""
    game, positions = Othello(scoring="empties_to_winner"), []
    played = play_match(game, [PLAYER, PLAYER], games, SEED, opening=8, seating=np.array([[0, 1]]), record=True)
    for moves in played.moves:
        position = game.start()
        for action in moves[moves >= 0].tolist():
            if position.text.count("-") > empties:
                position.push(action)
        if len(position.legal_actions()) > 1:
            positions.append(position)
    return positions


def times() -> None:
    """Print how long positions take to solve."""
    print("| empty squares | positions | median, s | nine in ten, s | longest, s |\n|---|---|---|---|---|")
    for empties, games in ((14, 40), (16, 40), (18, 40), (20, 20), (22, 10)):
        taken = []
        for position in positions(empties, games):
            started = time.process_time()
            solve(position)
            taken.append(time.process_time() - started)
        shown = f"{np.median(taken):.3f} | {np.quantile(taken, 0.9):.3f} | {max(taken):.3f}"
        print(f"| {empties} | {len(taken)} | {shown} |", flush=True)


def within(seconds: float) -> None:
    """Print what `expert` solves in this time."""
    game = Othello(scoring="empties_to_winner")
    policy = make_agent(f"expert?seconds={seconds:g}", game).policy
    assert policy is not None
    start = game.start()
    policy.choose(game, start.data, start.action_mask(), start.action_mask(), stream(SEED))  # compile
    for empties in range(26, 12, -2):
        longest, right, here = 0.0, 0, positions(empties, max(3, round(40 / (1 + seconds))))
        for position in here:
            mask, draws = position.action_mask(), stream(SEED)
            started = time.perf_counter()
            policy.choose(game, position.data, mask, mask, draws)
            longest = max(longest, time.perf_counter() - started)
            right += solved_last(policy)
        print(f"| {seconds:g} | {empties} | {len(here)} | {right} | {longest:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave out the problems that take longer than a second")
    parser.add_argument("--times", action="store_true", help="positions of games in place of the problems")
    parser.add_argument("--seconds", type=float, action="append", help="how long expert may take for a move")
    args = parser.parse_args()
    if args.times:
        times()
    if args.seconds:
        print("| seconds | empty squares | positions | solved | longest move, s |\n|---|---|---|---|---|")
    for seconds in args.seconds or []:
        within(seconds)
    if not args.times and not args.seconds:
        problems(args.quick)


def problems(quick: bool) -> None:
    """Solve the FFO problems."""
    game = Othello(scoring="empties_to_winner")
    solve(game.from_text(PROBLEMS[0][1]))  # compile
    print("| FFO | empty squares | score | nodes | CPU s | million nodes/s | |\n|---|---|---|---|---|---|---|")
    for first, last in GROUPS:
        nodes, seconds, wrong = 0, 0.0, 0
        for number, text, score, best in PROBLEMS:
            if not first <= number <= last or (quick and number >= QUICK):
                continue
            position = game.from_text(text)
            started = time.process_time()
            solution = solve(position)
            elapsed = time.process_time() - started
            right = solution.score == score and game.action_to_str(position, solution.action) in best.split()
            nodes, seconds, wrong = nodes + solution.nodes, seconds + elapsed, wrong + (not right)
            if number >= QUICK:
                row(f"#{number}", str(text.count("-")), f"{solution.score:+}", solution.nodes, elapsed, right)
        if nodes:
            row(f"#{first}–{last}", "", "", nodes, seconds, not wrong)


def row(name: str, empties: str, score: str, nodes: int, seconds: float, right: bool) -> None:
    rate = nodes / seconds / 1e6
    verdict = "right" if right else "**wrong**"
    print(f"| {name} | {empties} | {score} | {nodes:,} | {seconds:.2f} | {rate:.1f} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
