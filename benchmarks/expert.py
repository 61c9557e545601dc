"""Make the patterns of the agent `expert`, and measure the agent: `python benchmarks/expert.py make|measure`.

`make` trains `td` with `approximator=patterns` by self-play in `runs/expert`, which can be interrupted and continued,
and writes the patterns beside the agent. `measure` plays pairs of games from random openings of eight moves, and prints
Markdown: the score, with half a 95 % interval over pairs, and the processor time of the agent itself. Opponents that
are not installed are left out: Debian's GRhino is `apt-get install grhino`.

Any evaluation can take the place of the patterns under the same search, and any opponent be given: `--agent
"alphabeta?depth=60&nodes=100000&endgame=16&evaluation=minimax:RUN" --against expert`.
"""

import argparse
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.expert import PATTERNS
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width

RUN = Path("runs/expert")
GAMES, SEED = 1_500_000, 0
OPENING, TEST_SEED = 8, 1_000_000
LARGEST = 32_000  # of the rounded weights
RHINO = shutil.which("gtp-rhino") or shutil.which("/usr/games/gtp-rhino")
OPPONENTS = {
    "alphabeta?depth=6": 100,
    "mcts?simulations=1000": 100,
    **({f"gtp:{RHINO} -l 3?move_time=10": 100, f"gtp:{RHINO} -l 4?move_time=60": 20} if RHINO else {}),
}


def make(games: int) -> None:
    """Train the patterns and write them, rounded."""
    learner = TD(game="othello", approximator="patterns", games=games, seed=SEED, checkpoints=10, test_games=1000)
    before = time.process_time()
    train(learner, RUN, workers=1)
    weights = Run.load(RUN, TD).arrays["weights"]
    scale = LARGEST / np.abs(weights).max()
    np.savez_compressed(PATTERNS, weights=np.round(weights * scale).astype(np.int16), scale=np.float32(scale))
    print(f"{games:,} games, {time.process_time() - before:.0f} CPU s, {PATTERNS.stat().st_size:,} bytes")


def measure(specs: Sequence[str], opponents: Sequence[str], scale: float) -> None:
    """Print a table of the agents' results."""
    game = make_game("othello")
    print("| agent | opponent | pairs | score | CPU s a game |", "|---|---|---|---|---|", sep="\n")
    for spec in specs:
        for opponent in opponents:
            pairs = max(2, round(OPPONENTS.get(opponent, 100) * scale))
            scores = play_match(game, [spec, opponent], pairs, TEST_SEED, opening=OPENING).scores()
            print(
                f"| `{spec}` | `{opponent}` | {len(scores)} | {scores.mean():.3f} ± {half_width(scores):.3f} "
                f"| {own_time(game, spec):.2f} |",
                flush=True,
            )


def own_time(game: Game, spec: str, games: int = 4) -> float:
    """CPU seconds that the agent takes for its moves in a game against itself, halved."""
    agent = make_agent(spec, game)
    play_match(game, [agent, agent], 1, TEST_SEED, opening=OPENING)
    before = time.process_time()
    play_match(game, [spec, spec], games // 2, TEST_SEED + 1, opening=OPENING)
    return (time.process_time() - before) / games / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("make", "measure"))
    parser.add_argument("--games", type=int, default=GAMES, help="games of self-play")
    parser.add_argument("--agent", action="append", help="what is measured; by default expert")
    parser.add_argument("--against", metavar="AGENT", action="append", help="only these opponents, any agents")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the numbers of pairs")
    args = parser.parse_args()
    if args.part == "make":
        make(args.games)
    else:
        measure(args.agent or ["expert"], args.against or list(OPPONENTS), args.scale)


if __name__ == "__main__":
    main()
