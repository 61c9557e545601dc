"""Train the networks that the agent `ppo` plays: `python benchmarks/train_checkpoints.py [GAME …]`.

Masked PPO by self-play, `examples/selfplay_ppo.py`, one network for each game at default options. Prints the results:
size of the file, score by seat against the random agent, score against `greedy` in games with a few random moves at the
start (Hanabi: points of a team), processor time.
"""

import sys
import time
from pathlib import Path
from typing import NamedTuple

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.ppo import FOLDER
from ludarium.agents.learning.measure import measure
from ludarium.envs.registry import make_game
from ludarium.envs.source_file import load_source
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width

EXAMPLE = load_source(str(Path(__file__).resolve().parent.parent / "examples" / "selfplay_ppo.py"), "selfplay_ppo")
PAIRS = 1000


class Run(NamedTuple):
    """How a network is trained.

    Attributes:
        decisions: of all seats together.
        hidden: width of the two hidden layers.
        opening: how many random moves begin the games that measure it.
        practice: decisions in an easier game before those. In Hanabi the points count there even if all lives are
            lost: players who always lose them would get nothing whatever they do, and learn nothing.
    """

    decisions: int
    hidden: int
    opening: int = 0
    practice: int = 0


RUNS = {
    "hexapawn": Run(500_000, 32, 1),
    "tictactoe": Run(2_000_000, 64, 1),
    "othello": Run(8_000_000, 128, 6),
    "backgammon": Run(3_000_000, 64),
    "hanabi": Run(5_000_000, 128, practice=3_000_000),
}
PRACTICE = "hanabi?score=points-kept"
SEED = 0


def make(name: str) -> None:
    """Train and measure one network."""
    game, plan, before = make_game(name), RUNS[name], time.process_time()
    model = EXAMPLE.learn(make_game(PRACTICE), plan.practice, plan.hidden, SEED) if plan.practice else None
    network = EXAMPLE.learn(game, plan.decisions, plan.hidden, SEED, model).network()
    seconds = time.process_time() - before
    file = FOLDER / f"{game.spec}.npz"
    network.save(file)
    policy = network.policy(game)
    measured = measure(game, policy, 2000, SEED + 1)
    text = measured.text + "".join(f", {name} {score:.3f}" for name, score in measured.scores.items())
    if not game.cooperative:
        match = play_match(game, [CompiledAgent("ppo", policy), "greedy"], PAIRS, SEED, opening=plan.opening)
        text += f"; against greedy {match.scores().mean():.3f} ± {half_width(match.scores()):.3f}"
    decisions = plan.practice + plan.decisions
    print(f"{name}: {file.stat().st_size} bytes, {decisions:,} decisions, {text}; {seconds:.0f} s", flush=True)


def main() -> None:
    for name in sys.argv[1:] or RUNS:
        if name not in RUNS:
            raise SystemExit(f"no network is trained for {name!r}; known: {', '.join(RUNS)}")
        make(name)


if __name__ == "__main__":
    main()
