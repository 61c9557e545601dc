"""How strong networks for backgammon become: `python benchmarks/gengammon.py` makes `docs/results/gengammon.md`.

The part `reached` trains each program with its training seeds, from 0. `ablations` trains the preset `seed` with one
thing changed at a time, beside its twins. `cross` trains it on the first decisions of a file, as the authors of
Gengammon asked what more of them are worth, and lets the networks and `random` play each other. `minimax` lets networks
meet a player that looks ahead, and `hits` asks whether they hit carelessly. For `--part rollouts` see
`gengammon_rollouts.py`. Runs are kept in `runs/gengammon/NAME/SEED`, so the command can be stopped and goes on where it
was.

The decisions are those that come with the package, or those of `--decisions FILE`. `--judged` takes what `ludarium data
backgammon FOLDER --held-out 0.1 --keep race --judge expert` made; without it, networks that learn outcomes are left
out. `--matches` takes the folder of match files that the package's decisions are made of, see `docs/data.md`; without
it, the table of the filters is left out, since those decisions are filtered already.

Net points a game against pubeval are those of money games without the cube, with the same dice for both sides.
"""

import argparse
import itertools
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from gengammon_rollouts import rollouts
from lab import Trained, run_study, trained
from numpy.typing import NDArray
from results import Study

from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.genetic.gengammon import GENGAMMON
from ludarium.agents.genetic.gengammon.architecture import player_of
from ludarium.agents.genetic.gengammon.examples import HELD_OUT, examples_of
from ludarium.agents.genetic.gengammon.fitness import Ranks, rank
from ludarium.agents.genetic.gengammon.original import Original
from ludarium.agents.genetic.gengammon.players import BackgammonNetworks
from ludarium.agents.learning.learner import Learner
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.runs import Run
from ludarium.envs.backgammon.decision_files import Decisions, load, save, shipped
from ludarium.envs.backgammon.recorded_decisions import build, read_played
from ludarium.envs.record_files import files_in
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.errors import errors
from ludarium.evaluation.measures.backgammon.home_bound import HomeBound, home_bound
from ludarium.evaluation.play.match import play_match

GAME = make_game("backgammon")
RUNS = Path("runs/gengammon")
PAIRS, FEW_PAIRS, CROSS_PAIRS = 10_000, 1000, 25_000
"""Pairs of games; few are for ablations and for players that look one roll ahead."""
JUDGED_GAMES, JUDGE = 100, "expert?ply=1"
"""Games in which hits are judged, and by whom."""
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
    "`seed`, v2": Program("seed", {"fitness": "v2"}, 3),
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
FILTERS: Mapping[str, dict[str, Any]] = {
    "all": {},
    "races kept": {"keep": ("race",)},
    "forced kept": {"keep": ("unmovable", "forced")},
}
VARIATIONS: Mapping[str, tuple[str, ...]] = {
    "fitness": ("v1", "v2", "v3", "v3-literal", "v3-coded"),
    "reference": ("best", "next"),
    "contradicting": ("first", "majority", "all"),
    "mutation": ("swap", "bit", "both"),
    "crossover": ("weights", "bits", "alternate", "none"),
}
SMALL = {"population": 100, "batch": 100, "generations": 200, "alternate_every": 20}
"""Options of ablations."""
ONE_CHILD = {"population": 2, "elites": 1, "tournament": 20, "crossover": "none", "generations": 10_000}
"""One parent and one child, the better of which lives on; they judge as many decisions."""
TWINS: Mapping[str, dict[str, Any]] = {
    "": {},
    "no selection": {"selection": "none"},
    "no inheritance": {"breeding": "founders"},
    "one parent, one child": ONE_CHILD,
}
SIZES = (None, 45_000, 30_000, 1500)


def folder_of(name: str, seed: int) -> Path:
    """The folder of a run."""
    return RUNS / name.translate(str.maketrans("` ,:", "----")).strip("-") / str(seed)


def train(name: str, learner: Learner) -> Trained:
    return trained(learner, folder_of(name, learner.seed))


def against_pubeval(run: Run, pairs: int, ply: int = 0) -> NDArray[np.float64]:
    """Our points in pairs of games: shape (pairs, 2)."""
    learner: Any = run.learner
    player = player_of(GAME, learner.network(run.arrays), ply=ply) if ply else learner.policy(GAME, run.arrays)
    return play_match(GAME, [player, pubeval(GAME)], pairs, learner.seed).payoffs[:, :, 0]


def imitation(run: Run, decisions: str = "") -> Ranks:
    """What a network makes of held-out decisions, by default of those that come with the package."""
    learner: Any = run.learner
    examples = examples_of(decisions, HELD_OUT, learner.architecture.seen)
    return rank(examples, np.arange(examples.number), learner.network(run.arrays), likelihood=False)


# --- the parts --------------------------------------------------------------------------------------------------------


def reached(study: Study, args: argparse.Namespace) -> None:
    """How strong all programs become."""
    caption = (
        f"`python benchmarks/gengammon.py --part reached`, with {known(args)}, and with `--judged FILE` for the rows "
        f"of outcomes: net points a game against pubeval over {2 * PAIRS:,} games, or {2 * FEW_PAIRS:,} one roll "
        "ahead, ± one standard error: over games for one seed, otherwise over seeds. Agreement with the experts is "
        "that on decisions of other matches."
    )
    table = study.table("reached", caption, "program", "seeds", "CPU s", "agreement", "net points a game", "won")
    for name, program in PROGRAMS.items():
        if args.judged or not program.knows_outcomes:
            runs = runs_of(name, args)
            table.row(name, *cells(runs, args.decisions))
            if program.knows_outcomes:
                table.row(f"{name}, one roll ahead", *cells(runs, args.decisions, ply=1))
    td = TD(game=GAME.spec, games=200_000, hidden=80, checkpoints=2, test_games=20)
    table.row("td, 80 hidden", *cells([train("td", td)], args.decisions))


def runs_of(name: str, args: argparse.Namespace, seeds: int = 0) -> list[Trained]:
    """The runs of a program, one for each training seed; seconds include those of the runs that they go on from."""
    program = PROGRAMS[name]
    decisions = args.judged if program.knows_outcomes else args.decisions
    options = {"game": GAME.spec, "decisions": decisions, "checkpoints": 2, "test_games": 20, **program.options}
    origin, runs = options.get("origin"), []
    origins = runs_of(origin, args) if origin else []
    for seed in range(seeds or program.seeds):
        chosen = {**options, "seed": seed} | ({"origin": str(folder_of(origin, seed))} if origin else {})
        one = train(name, GENGAMMON.learner(chosen, program.preset))
        runs.append(one._replace(seconds=one.seconds + origins[seed].seconds) if origin else one)
    return runs


def cells(runs: list[Trained], decisions: str, ply: int = 0) -> list[object]:
    """The row of a program."""
    games = [against_pubeval(one.run, FEW_PAIRS if ply else PAIRS, ply) for one in runs]
    nets = [float(ours.mean()) for ours in games]
    pairs = games[0].mean(axis=1)
    error = np.std(nets, ddof=1) / len(nets) ** 0.5 if len(nets) > 1 else pairs.std() / len(pairs) ** 0.5
    agreed = "–"
    if isinstance(runs[0].run.learner, BackgammonNetworks) and not ply:
        agreed = f"{100 * mean(imitation(one.run, decisions).agreement for one in runs):.1f} %"
    seconds, won = mean(one.seconds for one in runs), mean(float((ours > 0).mean()) for ours in games)
    return [len(runs), f"{seconds:.0f}", agreed, f"{mean(nets):+.3f} ± {error:.3f}", f"{100 * won:.1f} %"]


def ablations(study: Study, args: argparse.Namespace) -> None:
    """What each part of the original contributes."""
    caption = (
        f"`--part ablations`: the preset `seed` with one thing changed at a time, judged by {SMALL['batch']} decisions "
        f"in each of {SMALL['generations']} generations, one training seed, {2 * FEW_PAIRS:,} games. The last three "
        "columns are `v2` of the twins, which judge as many decisions: without selection; without inheritance, where "
        "children are new founders; and without a population, where the better one of a parent and a child lives on."
    )
    for option, values in VARIATIONS.items():
        ablation(study, caption, option, {value: {option: value} for value in values})
        caption = ""
    if args.matches:
        files = files_in(args.matches)
        caption = f"With `--matches FOLDER`, here of {len(files)} match files: which of their decisions are kept."
        ablation(study, caption, "filters", {name: {"decisions": filtered(name, files)} for name in FILTERS})


def ablation(study: Study, caption: str, title: str, rows: Mapping[str, dict[str, Any]]) -> None:
    """A table with a row for each program, and `v2` of its twins."""
    table = study.table("ablations", caption, title, "net points a game", "agreement", "v2", *list(TWINS)[1:])
    for name, options in rows.items():
        common = {"game": GAME.spec, "checkpoints": 1, "test_games": 20, **SMALL, **options}
        learners = {twin: Original(**{**common, **changes}) for twin, changes in TWINS.items()}
        runs = [train(f"{title} {name} {twin}", learner).run for twin, learner in learners.items()]
        ranks = [imitation(run) for run in runs]
        points, agreement = against_pubeval(runs[0], FEW_PAIRS).mean(), 100 * ranks[0].agreement
        table.row(name, f"{points:+.2f}", f"{agreement:.1f} %", *(f"{one.fitness('v2').mean():.3f}" for one in ranks))


def filtered(name: str, matches: list[Path]) -> str:
    """A file of decisions made of match files, with some filters; with all of them it is what the package has."""
    if not FILTERS[name]:
        return ""
    file = folder_of(f"filters {name}", 0).with_suffix(".npz")
    if not file.exists():
        games = (game for match in matches for game in read_played(match))
        decisions, _ = build(games, **FILTERS[name], held_out=0.1)
        file.parent.mkdir(parents=True, exist_ok=True)
        save(decisions, file)
    return str(file)


def cross(study: Study, args: argparse.Namespace) -> None:
    """What more decisions are worth: networks that learned from many and from few meet each other."""
    agents = [*(learned_from(size, learned(args)) for size in SIZES), "random"]
    pairings = list(itertools.combinations(range(len(agents)), 2))
    with workers() as parallel:
        played = parallel(partial(compare, agents), pairings)
    matches: Mapping[tuple[int, int], HomeBound] = dict(zip(pairings, played, strict=True))
    names = [*(f"{size or 'all'} decisions" for size in SIZES), "random"]
    caption = (
        f"`--part cross`, with {known(args)}: in how many games a row was ahead of a column when the game became a "
        "race, by how many pips (the Home Bound metric), and net points a game, all of these games being played to "
        f"their ends; {2 * CROSS_PAIRS:,} games a pair."
    )
    for title, cell in (
        ("ahead", lambda one: f"{100 * one.ahead:.1f} %"),
        ("pips", lambda one: f"{one.pips:+.2f} ± {one.margin:.2f}"),
        ("points", lambda one: f"{one.points:+.3f} ± {one.points_margin:.3f}"),
    ):
        table = study.table("cross", caption, title, *names[1:])
        for row, name in enumerate(names[:-1]):
            columns = range(1, len(names))
            table.row(name, *(cell(matches[row, column]) if row < column else "" for column in columns))
        caption = ""


def compare(agents: list[str], pairing: tuple[int, int]) -> HomeBound:
    row, column = pairing
    return home_bound(GAME, agents[row], agents[column], CROSS_PAIRS, 0)


def minimax(study: Study, args: argparse.Namespace) -> None:
    """Networks, and pubeval, against a player that looks at the other side's answers."""
    caption = (
        f"`--part minimax`, with {known(args)}: against `expectimax`, which is pubeval with a look at the best "
        f"answers to all rolls; {2 * FEW_PAIRS:,} games, ± one standard error, training seed 0."
    )
    table = study.table("minimax", caption, "program", "net points a game", "won")
    for name, player in players(args).items():
        games = play_match(GAME, [player, "expectimax"], FEW_PAIRS, 0).payoffs[:, :, 0]
        pairs = games.mean(axis=1)
        points = f"{pairs.mean():+.3f} ± {pairs.std() / len(pairs) ** 0.5:.3f}"
        table.row(name, points, f"{100 * (games > 0).mean():.1f} %")


def players(args: argparse.Namespace) -> dict[str, str]:
    """The specs of both presets, of training seed 0, and of pubeval."""
    for name in ("`seed`", "`modern`"):
        runs_of(name, args, seeds=1)
    return {name: f"gengammon:{folder_of(name, 0)}" for name in ("`seed`", "`modern`")} | {"pubeval": "greedy"}


def hits(study: Study, args: argparse.Namespace) -> None:
    """Whether networks hit carelessly, as the authors saw theirs do."""
    caption = (
        f"`--part hits`, with {known(args)}: decisions in {JUDGED_GAMES} games of a program with itself, judged by "
        f"`{JUDGE}`: how often it could hit, and did; and the points that a decision loses, ± half of the 95 % "
        "interval, with the share that loses a tenth of a point or more; training seed 0."
    )
    kinds = {"all decisions": "all", "hits": "hits", "hits not made": "hits not made"}
    table = study.table("hits", caption, "program", "could hit", "and did", *kinds)
    for name, player in players(args).items():
        report = errors(player, JUDGED_GAMES, judge=JUDGE)
        lines = {line.kind: line for line in report.lines}
        losses = [lines[kind] for kind in kinds.values()]
        cells = [f"{one.loss:.3f} ± {one.margin:.3f}, {100 * one.blunders:.0f} %" for one in losses]
        table.row(name, f"{100 * report.could_hit:.0f} %", f"{100 * report.hit:.0f} %", *cells)


def learned_from(size: int | None, decisions: Decisions) -> str:
    """The spec of a network that has learned from the first decisions."""
    folder = folder_of(f"cross {size or 'all'}", 0)
    file = folder.with_suffix(".npz")
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        save(decisions.select(np.arange(len(decisions)) < (size or len(decisions))), file, compact=True)
    options = {"decisions": str(file), "generations": 300, "batch": 100, "checkpoints": 1, "test_games": 20}
    trained(Original(game=GAME.spec, **options), folder)
    return f"gengammon:{folder}"


def learned(args: argparse.Namespace) -> Decisions:
    """The decisions that are not held out."""
    return (load(args.decisions) if args.decisions else shipped()).part(held_out=False)


def known(args: argparse.Namespace) -> str:
    """The decisions, for captions."""
    source = "a file" if args.decisions else "the package"
    return f"the {len(learned(args)):,} decisions of {source} that are not held out"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", default="", help="a file of `ludarium data backgammon`")
    parser.add_argument("--judged", default="", help="one that a judge has seen")
    parser.add_argument("--matches", type=Path, help="a folder of match files")
    parts = {"reached": reached, "ablations": ablations, "cross": cross}
    run_study("gengammon", {**parts, "minimax": minimax, "hits": hits, "rollouts": rollouts}, parser)
