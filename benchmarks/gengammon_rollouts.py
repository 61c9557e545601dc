"""The part `rollouts` of `benchmarks/gengammon.py`: a network that learns from itself alone.

The authors of Gengammon proposed it. The first teacher is a random network. In each round the teacher plays games with
itself, and judges every result of every decision by rollouts: games with itself from there until it is a race, where
the lead in pips counts (the Home Bound metric, with a whole roll for the side that rolls next, as in the original). The
preset `seed` learns to choose the best results, and is the teacher of the next round. It sees no expert, no other
player and no result of a whole game. Runs are kept in `runs/gengammon-rollouts`, so the command can be stopped and goes
on.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from results import Study

from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon.original import Original
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
PAIRS, ROUNDS, SEED = 1000, 4, 0
ROLLOUTS, DECISIONS, GAMES = 20, 200, 10
"""Games from each result; decisions of a round, and the games of a teacher with itself that they are chosen from.

The original proposes 1,000 games from each result. These take a few minutes, most of them in the first round: random
networks play long games.
"""
A_ROLL = 49 / 6  # pips
COMMON: dict[str, Any] = {"game": GAME.spec, "seed": SEED, "checkpoints": 1, "test_games": 20}
RANDOM: dict[str, Any] = {**COMMON, "population": 4, "generations": 1, "batch": 1, "selection": "none"}
LEARNING: dict[str, Any] = {**COMMON, "generations": 300, "batch": 0}


def rollouts(study: Study, args: argparse.Namespace) -> None:
    """A network that learns from itself, round by round."""
    caption = (
        f"`--part rollouts`: from a random network in round 0, the preset `seed` learns in {LEARNING['generations']} "
        f"generations from {DECISIONS} decisions of its own games, each judged by {ROLLOUTS} games a result with the "
        f"Home Bound metric; net points a game against pubeval over {2 * PAIRS:,} games, ± one standard error, one "
        "training seed."
    )
    columns = ("round", "games", "CPU s, games", "CPU s, learning", "net points a game", "won", "won v `random`")
    table = study.table("rollouts", caption, *columns)
    train(Original(**RANDOM), RUNS / "0")
    table.row(0, "–", "–", "–", *strength(RUNS / "0"))
    for number in range(1, ROUNDS + 1):
        file, teacher = RUNS / f"{number}.npz", f"gengammon:{RUNS / str(number - 1)}"
        playing = seconds(file.with_suffix(".played"), partial(judge, number, teacher, file))
        learning = seconds(file.with_suffix(".learned"), partial(learn, file))
        games = f"{ROLLOUTS * len(load(file).results):,}"
        table.row(number, games, f"{playing:.0f}", f"{learning:.0f}", *strength(RUNS / str(number)))


def judge(number: int, teacher: str, file: Path) -> None:
    """Write decisions of a teacher's games, with the results that its rollouts find best."""
    decisions, _ = build(self_play(GAME, teacher, GAMES, number))
    some = np.random.default_rng(number).permutation(len(decisions))[:DECISIONS]
    decisions = decisions.select(np.isin(np.arange(len(decisions)), some))
    with workers() as parallel:
        decisions, _ = judge_by_rollouts(
            GAME, teacher, decisions, ROLLOUTS, parallel, seed=number, metric="home-bound", roll_bonus=A_ROLL
        )
    save(decisions, file)


def learn(file: Path) -> None:
    """Train the network that learns a teacher's choices."""
    train(Original(**{**LEARNING, "decisions": str(file)}), file.with_suffix(""))


def seconds(file: Path, work: Callable[[], None]) -> float:
    """The processor time that work took; if it is noted in the file, it has been done."""
    if not file.exists():
        before = time.process_time()
        work()
        file.write_text(json.dumps(time.process_time() - before), encoding="utf-8")
    return float(json.loads(file.read_text(encoding="utf-8")))


def strength(folder: Path) -> list[str]:
    """Net points a game against pubeval, the games won, and those won against random play."""
    run = Run.load(folder, Original)
    policy = run.learner.policy(GAME, run.arrays)
    met: list[Any] = [pubeval(GAME), make_agent("random", GAME).policy]
    ours, at_random = (play_match(GAME, [policy, other], PAIRS, SEED).payoffs[:, :, 0] for other in met)
    pairs = ours.mean(axis=1)
    points = f"{pairs.mean():+.3f} ± {pairs.std() / np.sqrt(len(pairs)):.3f}"
    return [points, *(f"{100 * (games > 0).mean():.1f} %" for games in (ours, at_random))]
