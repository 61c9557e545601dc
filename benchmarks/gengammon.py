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
from ludarium.agents.genetic.gengammon import GENGAMMON
from ludarium.agents.genetic.gengammon.architecture import player_of
from ludarium.agents.genetic.gengammon.examples import HELD_OUT, examples_of
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.players import BackgammonNetworks
from ludarium.agents.learning import run as learning
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


class Program(NamedTuple):
    """A row: a preset, the options that differ, and the number of training seeds."""

    preset: str
    options: Mapping[str, Any]
    seeds: int = 1

    @property
    def knows_outcomes(self) -> bool:
        """Whether it learns a judge's odds."""
        return self.preset == "judged" or self.options.get("output") == "outcomes"


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
    "`modern`": Program("modern", {}, 5),
    "`modern`, places alone": Program("modern", {"inputs": "exact"}, 3),
    "`modern`, no selection": Program("modern", {"selection": "none", "validation": 0.0, "generations": 300}),
    "neurons, table": Program("modern", TABLE),
    "backpropagation, table": Program("backprop", TABLE),
    "neurons, 52-26-1": Program("modern", ORIGINAL),
    "backpropagation, 52-26-1": Program("backprop", ORIGINAL),
    "backpropagation, 52-26-1, identity": Program(
        "backprop", {**ORIGINAL, "activation": "identity", "alpha": 0.003, "generations": 1000}
    ),
    "backpropagation, same network": Program("backprop", {}, 3),
    "backpropagation, 320 units": Program("backprop", {"hidden": 320, "decay": 0.15, "generations": 2500}, 3),
    "games alone": Program("games", {}),
    "`modern`, then games": Program(
        "games",
        {"origin": "`modern`", "hidden": 100, "batch": 1000, "alpha": 0.002, "spread": 0.03, "generations": 100},
    ),
    "outcomes": Program("judged", {}, 3),
    "outcomes, backpropagation": Program("backprop", {**PLAIN, "output": "outcomes", "generations": 6000}, 3),
}  # fmt: skip


def folder_of(name: str, seed: int) -> Path:
    """The folder of a run."""
    return RUNS / name.translate(str.maketrans("` ,", "---")).strip("-") / str(seed)


def trained(name: str, learner: Learner) -> tuple[Run, float]:
    """A run and its CPU seconds; it is trained first if that has not been done."""
    folder = folder_of(name, learner.seed)
    before, spent = time.process_time(), folder / "cpu.json"
    learning.train(learner, folder, workers=1)
    if not spent.exists():
        spent.write_text(json.dumps(time.process_time() - before))
    return Run.load(folder, type(learner)), float(json.loads(spent.read_text()))


def runs_of(name: str, given: argparse.Namespace) -> list[tuple[Run, float]]:
    """The runs of a program, one for each training seed."""
    program = PROGRAMS[name]
    preset, options, seeds = program
    decisions = given.judged if program.knows_outcomes else given.decisions
    chosen = {"game": GAME.spec, "decisions": decisions, "checkpoints": 2, "test_games": 20, **options}
    found = []
    for seed in range(seeds):
        before = 0.0
        if origin := options.get("origin"):
            before = runs_of(origin, given)[seed][1]
            chosen["origin"] = str(folder_of(origin, seed))
        run, seconds = trained(name, GENGAMMON.learner({**chosen, "seed": seed}, preset))
        found.append((run, seconds + before))
    return found


def points(run: Run, ply: int) -> tuple[float, float, float]:
    """Net points a game against pubeval, their standard error, and the share of games won."""
    learner: Any = run.learner
    player = player_of(GAME, learner.network(run.arrays), ply=ply) if ply else learner.policy(GAME, run.arrays)
    played = play_match(GAME, [player, pubeval(GAME)], PAIRS // 10 if ply else PAIRS, learner.seed)
    ours = played.payoffs[:, :, 0]
    pairs = ours.mean(axis=1)
    return float(pairs.mean()), float(pairs.std() / len(pairs) ** 0.5), float((ours > 0).mean())


def agreement(run: Run, decisions: str) -> float:
    """The share of held-out decisions in which the network's choice is an expert's."""
    learner = run.learner
    assert isinstance(learner, BackgammonNetworks)
    examples = examples_of(decisions, HELD_OUT, learner.architecture.seen)
    return rank(examples, np.arange(examples.number), learner.network(run.arrays), likelihood=False).agreement


def show(name: str, runs: list[tuple[Run, float]], decisions: str, ply: int = 0) -> None:
    """Print the row of a program."""
    scores = [points(run, ply) for run, _ in runs]
    nets = [net for net, _, _ in scores]
    error = float(np.std(nets, ddof=1) / len(nets) ** 0.5) if len(nets) > 1 else scores[0][1]
    seconds, won = mean(spent for _, spent in runs), mean(won for *_, won in scores)
    agreed = "–"
    if isinstance(runs[0][0].learner, BackgammonNetworks) and not ply:
        agreed = f"{100 * mean(agreement(run, decisions) for run, _ in runs):.1f} %"
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
        if given.only in ("", name) and (given.judged or not program.knows_outcomes):
            runs = runs_of(name, given)
            show(name, runs, given.decisions)
            if program.knows_outcomes:
                show(f"{name}, one roll ahead", runs, given.decisions, ply=1)
    if given.only in ("", "td"):
        games = {"games": 200_000, "hidden": 80, "checkpoints": 2, "test_games": 20}
        show("td, 80 hidden", [trained("td", TD(game=GAME.spec, **games))], given.decisions)


if __name__ == "__main__":
    main()
