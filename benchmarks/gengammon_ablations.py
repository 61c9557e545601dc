"""What each part of the original Gengammon contributes: `python benchmarks/gengammon_ablations.py [FOLDER]`.

Trains the preset `seed` with one thing changed at a time: a filter of the decisions, the fitness function, the
mutation, the crossover. Each program is followed by its twins: without selection, without inheritance (children are new
founders), and without a population (one parent and one child, the better of which lives on). All judge the same number
of decisions in training. Prints Markdown: net points a game against pubeval, agreement and `v2` on decisions that are
held out, the same for all, and `v2` of the twins.

The decisions are those that come with the package. FOLDER has the match files that they are made of, see
`docs/data.md`; without it, the table of the filters is left out, since those decisions are filtered already. Runs are
kept in `runs/gengammon-ablations`, so the command can be stopped and goes on.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon.examples import HELD_OUT, examples_of
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.original import Original
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.backgammon.decision_files import save
from ludarium.envs.backgammon.recorded_decisions import build, read_played
from ludarium.envs.record_files import files_in
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

GAME = make_game("backgammon")
RUNS = Path("runs/gengammon-ablations")
SHIPPED = ""
SHARE_HELD_OUT, PAIRS = 0.1, 1000
POPULATION, BATCH, GENERATIONS = 100, 100, 200
FILTERS: Mapping[str, dict[str, Any]] = {
    "all": {},
    "races kept": {"keep": ("race",)},
    "forced kept": {"keep": ("unmovable", "forced")},
    "contradicting: first": {"contradicting": "first"},
    "contradicting: majority": {"contradicting": "majority"},
}
PARTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "fitness": ("fitness", ("v1", "v2", "v3", "v3-literal", "v3-coded")),
    "mutation": ("mutation", ("swap", "bit", "both")),
    "crossover": ("crossover", ("weights", "bits", "alternate", "none")),
}
ONE_CHILD = {"population": 2, "elites": 1, "tournament": 20, "crossover": "none"}
TWINS: Mapping[str, dict[str, Any]] = {
    "": {},
    "no selection": {"selection": "none"},
    "no inheritance": {"breeding": "founders"},
    "one parent, one child": {**ONE_CHILD, "generations": GENERATIONS * POPULATION // ONE_CHILD["population"]},
}


def decisions_without(folder: Path, filters: str) -> str:
    """A file of decisions made of match files, with some filters; with all of them it is what the package has."""
    if not FILTERS[filters]:
        return SHIPPED
    file = RUNS / f"{_as_name(filters)}.npz"
    if not file.exists():
        games = (game for match in files_in(folder) for game in read_played(match))
        found, _ = build(games, **FILTERS[filters], held_out=SHARE_HELD_OUT)
        RUNS.mkdir(parents=True, exist_ok=True)
        save(found, file)
    return str(file)


def trained(name: str, options: dict[str, Any], seed: int) -> Run:
    """The run of a program."""
    chosen = {"population": POPULATION, "batch": BATCH, "generations": GENERATIONS, "alternate_every": 20, **options}
    learner = Original(game=GAME.spec, seed=seed, checkpoints=1, test_games=20, **chosen)
    return Run.load(train(learner, RUNS / _as_name(name) / str(seed), workers=1), Original)


def imitation(run: Run) -> tuple[float, float]:
    """`v2` and agreement on held-out decisions, the same for all."""
    learner: Any = run.learner
    examples = examples_of(SHIPPED, HELD_OUT, learner.architecture.seen)
    ranks = rank(examples, np.arange(examples.number), learner.network(run.arrays))
    return float(ranks.fitness("v2").mean()), ranks.agreement


def points(run: Run) -> float:
    """Net points a game against pubeval."""
    players = [run.learner.policy(GAME, run.arrays), pubeval(GAME)]
    played = play_match(GAME, players, PAIRS, run.learner.seed)
    return float(played.payoffs[:, :, 0].mean())


def _as_name(text: str) -> str:
    return "".join(char if char.isalnum() else "-" for char in text)


def show(title: str, rows: Mapping[str, dict[str, Any]], seeds: int) -> None:
    """Print the table of one part: a row for each program, with `v2` of its twins."""
    print(
        f"\n| {title} | net points a game | agreement | v2 | {' | '.join(list(TWINS)[1:])} |",
        "|---" * 7 + "|",
        sep="\n",
    )
    for name, options in rows.items():
        cells = []
        for twin, changes in TWINS.items():
            every = {**options, **changes}
            runs = [trained(f"{title} {name} {twin}", every, seed) for seed in range(seeds)]
            v2, agreement = (mean(values) for values in zip(*map(imitation, runs), strict=True))
            if not twin:
                cells += [f"{mean(map(points, runs)):+.2f}", f"{100 * agreement:.1f} %"]
            cells.append(f"{v2:.3f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="match files")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", default="", help="one of the tables: filters, " + ", ".join(PARTS))
    given = parser.parse_args()
    if given.folder and given.only in ("", "filters"):
        rows = {name: {"decisions": decisions_without(given.folder, name)} for name in FILTERS}
        show("filters", rows, given.seeds)
    for part, (option, values) in PARTS.items():
        if given.only in ("", part):
            show(part, {value: {option: value} for value in values}, given.seeds)


if __name__ == "__main__":
    main()
