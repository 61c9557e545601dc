"""A network that learns from itself alone: `python benchmarks/gengammon_rollouts.py`.

The authors of Gengammon proposed it. The first teacher plays at random. In each round the teacher plays games with
itself, and judges every result of every decision by rollouts: games with itself from there until it is a race, where
the lead in pips counts (the Home Bound metric). A network learns to choose the best results, and is the teacher of the
next round. It sees no expert, no other player and no result of a whole game. Prints a row for each round as Markdown:
net points a game against pubeval over 20,000 games, with the same dice for both sides, ± one standard error, and the
share of games won, also against random play. Runs are kept in `runs/gengammon-rollouts/SEED`, so the command can be
stopped and goes on.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon.imitation import Imitation
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decision_files import load, save
from ludarium.envs.backgammon.recorded_decisions import build
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.rollouts import judge_by_rollouts
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.play.self_play import self_play

GAME = make_game("backgammon")
RUNS = Path("runs/gengammon-rollouts")
PAIRS = 10_000
NETWORK: dict[str, Any] = {
    "inputs": "exact",
    "hidden": 20,
    "batch": 200,
    "generations": 1500,
    "checkpoints": 1,
    "test_games": 20,
}


def judged(teacher: str, file: Path, games: int, rollouts: int, seed: int) -> None:
    """Write the decisions of a teacher's games, with the results that its rollouts find best."""
    file.parent.mkdir(parents=True, exist_ok=True)
    found, _ = build(self_play(GAME, teacher, games, seed))
    with workers() as parallel:
        found, _ = judge_by_rollouts(GAME, teacher, found, rollouts, parallel, seed=seed, metric="home-bound")
    save(found, file)


def taught(file: Path, folder: Path, origin: str, seed: int) -> None:
    """Train the network that learns a teacher's choices, and begins as the teacher if that is a network."""
    train(Imitation(game=GAME.spec, decisions=str(file), origin=origin, seed=seed, **NETWORK), folder)


def seconds(file: Path, work: Callable[[], None]) -> float:
    """The processor time that work took; if it is noted in the file, it has been done."""
    if not file.exists():
        before = time.process_time()
        work()
        file.write_text(json.dumps(time.process_time() - before), encoding="utf-8")
    return float(json.loads(file.read_text(encoding="utf-8")))


def show(number: int, folder: Path, rollouts: int, spent: tuple[float, float], seed: int) -> None:
    """Print the row of a round."""
    run = Run.load(folder, Imitation)
    policy = run.learner.policy(GAME, run.arrays)
    met: list[Any] = [pubeval(GAME), make_agent("random", GAME).policy]
    ours, at_random = (play_match(GAME, [policy, other], PAIRS, seed).payoffs[:, :, 0] for other in met)
    pairs = ours.mean(axis=1)
    net, error = pairs.mean(), pairs.std() / len(pairs) ** 0.5
    cells = [f"{rollouts:,}", *(f"{value:.0f}" for value in spent), f"{net:+.3f} ± {error:.3f}"]
    cells += [f"{100 * (games > 0).mean():.1f} %" for games in (ours, at_random)]
    print(f"| {number} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=40, help="of a teacher with itself")
    parser.add_argument("--rollouts", type=int, default=20, help="for each result")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(
        "| round | rollouts | CPU s, rollouts | CPU s, learning | net points a game v pubeval | won | won v `random` |",
        "|---|---|---|---|---|---|---|",
        sep="\n",
    )
    teacher, origin = "random", ""
    for number in range(1, given.rounds + 1):
        folder = RUNS / str(given.seed) / str(number)
        file, seed = folder.with_suffix(".npz"), given.seed * 1000 + number
        judge = partial(judged, teacher, file, given.games, given.rollouts, seed)
        teach = partial(taught, file, folder, origin, given.seed)
        judging, learning = seconds(folder.with_suffix(".judged"), judge), seconds(folder.with_suffix(".taught"), teach)
        show(number, folder, given.rollouts * len(load(file).results), (judging, learning), given.seed)
        teacher, origin = f"gengammon:{folder}", str(folder)


if __name__ == "__main__":
    main()
