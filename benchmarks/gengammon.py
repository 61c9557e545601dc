"""How strong networks for backgammon become: `python benchmarks/gengammon.py`.

Prints the table of `docs/learners/gengammon.md` as Markdown, with the training seeds of each row, from 0. The decisions
are those that come with the package, or those of `--decisions FILE`. `--judged` takes what `ludarium data backgammon
FOLDER --held-out 0.1 --keep race --judge expert` made; without it, networks that learn outcomes are left out. Runs are
kept in `runs/gengammon/NAME/SEED`, so the command can be stopped and goes on where it was.

Agreement with the experts is that on decisions of matches that are held out. Net points a game are against pubeval,
with the same dice for both sides, in money games without the cube, over 20,000 games, or 2,000 by a network that looks
one roll ahead; ± is one standard error over games for one seed, and over seeds otherwise.
"""

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.genetic.gengammon.examples import HELD_OUT, examples_of
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.learner import Gengammon
from ludarium.agents.learning import run as learning
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.learner import Learner
from ludarium.agents.learning.runs import Run
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

GAME = make_game("backgammon")
RUNS = Path("runs/gengammon")
PAIRS = 10_000
PLAIN = {"validation": 0.0, "decay": 0.0}
"""Nothing against learning by heart: networks this small do not, nor do those whose decisions are a judge's."""
ORIGINAL = {**PLAIN, "inputs": "counts", "hidden": 26, "output": "sum", "first_spread": 0.03, "generations": 10_000}
"""The network that the original describes; what it adds up is not far from 0 at first, or its units would saturate."""
TABLE = {**ORIGINAL, "inputs": "stacks", "hidden": 1, "activation": "identity"}
"""What the network of the original amounts to."""
BY_GAMES = {**PLAIN, "method": "games"}
OUTCOMES = {**PLAIN, "output": "outcomes"}


class Program(NamedTuple):
    """A row: a preset, the options that differ, and the number of training seeds."""

    preset: str
    options: Mapping[str, Any]
    seeds: int = 1


PROGRAMS: Mapping[str, Program] = {
    "`seed`": Program("seed", {}, 3),
    "`seed`, tanh": Program("seed", {"activation": "tanh", "generations": 300}),
    "`seed`, identity": Program("seed", {"activation": "identity", "generations": 300}),
    "genetic, 196 inputs": Program(
        "seed",
        {
            "inputs": "tesauro", "hidden": 32, "activation": "tanh", "fitness": "likelihood", "mutation": "creep",
            "mutation_rate": 20, "gene_scale": 0.3, "batch": 200, "generations": 12_000,
        },
    ),
    "evolution strategy, 196 inputs": Program(
        "modern",
        {
            "method": "strategy", "inputs": "tesauro", "hidden": 32, "population": 200, "batch": 20_000,
            "validation": 0.0, "decay": 0.1, "generations": 10_000,
        },
    ),
    "`modern`": Program("modern", {}, 5),
    "`modern`, places alone": Program("modern", {"inputs": "exact"}, 3),
    "`modern`, no selection": Program("modern", {"selection": "none", "validation": 0.0, "generations": 300}),
    "neurons, table": Program("modern", TABLE),
    "backpropagation, table": Program("modern", {**TABLE, "method": "backprop"}),
    "neurons, 52-26-1": Program("modern", ORIGINAL),
    "backpropagation, 52-26-1": Program("modern", {**ORIGINAL, "method": "backprop"}),
    "backpropagation, 52-26-1, identity": Program(
        "modern",
        {**ORIGINAL, "method": "backprop", "activation": "identity", "alpha": 0.003, "generations": 1000},
    ),
    "backpropagation, same network": Program("modern", {"method": "backprop", "generations": 2000}, 3),
    "backpropagation, 320 units": Program(
        "modern", {"method": "backprop", "hidden": 320, "decay": 0.15, "generations": 2500}, 3
    ),
    "games alone": Program(
        "modern",
        {**BY_GAMES, "hidden": 40, "batch": 500, "alpha": 0.01, "spread": 0.1, "generations": 700},
    ),
    "`modern`, then games": Program(
        "modern",
        {**BY_GAMES, "origin": "`modern`", "batch": 1000, "alpha": 0.002, "spread": 0.03, "generations": 100},
    ),
    "outcomes": Program(
        "modern", {**OUTCOMES, "mutants": 24, "spread": 0.02, "batch": 500, "generations": 20_000}, 3
    ),
    "outcomes, backpropagation": Program("modern", {**OUTCOMES, "method": "backprop"}, 3),
}  # fmt: skip


def folder_of(name: str, seed: int) -> Path:
    """The folder of a run."""
    return RUNS / name.translate(str.maketrans("` ,", "---")).strip("-") / str(seed)


def trained(name: str, learner: Learner) -> tuple[Checkpoint, float]:
    """A run and its CPU seconds; it is trained first if that has not been done."""
    folder = folder_of(name, learner.seed)
    before, spent = time.process_time(), folder / "cpu.json"
    learning.train(learner, folder, workers=1)
    if not spent.exists():
        spent.write_text(json.dumps(time.process_time() - before))
    return Run.load(folder, type(learner)), float(json.loads(spent.read_text()))


def runs_of(name: str, given: argparse.Namespace) -> list[tuple[Checkpoint, float]]:
    """The runs of a program, one for each training seed."""
    preset, options, seeds = PROGRAMS[name]
    decisions = given.judged if options.get("output") == "outcomes" else given.decisions
    chosen = {"game": GAME.spec, "decisions": decisions, "checkpoints": 2, "test_games": 20, **options}
    found = []
    for seed in range(seeds):
        before = 0.0
        if origin := options.get("origin"):
            before = runs_of(origin, given)[seed][1]
            chosen["origin"] = str(folder_of(origin, seed))
        run, seconds = trained(name, Gengammon.from_preset(preset, {**chosen, "seed": seed}))
        found.append((run, seconds + before))
    return found


def points(found: Checkpoint, ply: int) -> tuple[float, float, float]:
    """Net points a game against pubeval, their standard error, and the share of games won."""
    learner: Any = found.learner
    player = learner.policy_of(GAME, learner.champion(found.arrays), ply=ply)
    played = play_match(GAME, [player, pubeval(GAME)], PAIRS // 10 if ply else PAIRS, found.learner.seed)
    ours = played.payoffs[:, :, 0]
    pairs = ours.mean(axis=1)
    return float(pairs.mean()), float(pairs.std() / len(pairs) ** 0.5), float((ours > 0).mean())


def agreement(found: Checkpoint, decisions: str) -> float:
    """The share of held-out decisions in which the network's choice is an expert's."""
    learner = found.learner
    assert isinstance(learner, Gengammon)
    examples = examples_of(decisions, HELD_OUT, learner.seen)
    return rank(examples, np.arange(examples.number), learner.champion(found.arrays), likelihood=False).agreement


def show(name: str, runs: list[tuple[Checkpoint, float]], decisions: str, ply: int = 0) -> None:
    """Print the row of a program."""
    scores = [points(found, ply) for found, _ in runs]
    nets = [net for net, _, _ in scores]
    error = float(np.std(nets, ddof=1) / len(nets) ** 0.5) if len(nets) > 1 else scores[0][1]
    seconds, won = mean(spent for _, spent in runs), mean(won for *_, won in scores)
    agreed = "–"
    if isinstance(runs[0][0].learner, Gengammon) and not ply:
        agreed = f"{100 * mean(agreement(found, decisions) for found, _ in runs):.1f} %"
    print(
        f"| {name} | {len(runs)} | {seconds:.0f} | {agreed} | {mean(nets):+.3f} ± {error:.3f} | {100 * won:.1f} % |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", default="", help="a file of `ludarium data backgammon`")
    parser.add_argument("--judged", default="", help="one that a judge has seen")
    parser.add_argument("--only", default="", help="the name of one row")
    given = parser.parse_args()
    print(
        "| program | seeds | CPU s | agreement | net points a game | won |",
        "|---|---|---|---|---|---|",
        sep="\n",
    )
    for name, program in PROGRAMS.items():
        outcomes = program.options.get("output") == "outcomes"
        if given.only in ("", name) and (given.judged or not outcomes):
            runs = runs_of(name, given)
            show(name, runs, given.decisions)
            if outcomes:
                show(f"{name}, one roll ahead", runs, given.decisions, ply=1)
    if given.only in ("", "td"):
        games = {"games": 200_000, "hidden": 80, "checkpoints": 2, "test_games": 20}
        show("td, 80 hidden", [trained("td", TD(game=GAME.spec, **games))], given.decisions)


if __name__ == "__main__":
    main()
