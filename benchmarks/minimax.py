"""How strong evaluations become that evolve: `python benchmarks/minimax.py` makes `docs/results/minimax.md`.

Runs are kept in `runs/minimax/NAME/SEED`, so the command can be stopped and goes on where it was. Matches are pairs of
games with exchanged seats from random openings; those of training seed s have seed s of their own. Intervals are of
95 %: over pairs for one player, over training seeds for a mean.

`League` and `openings` are the yardsticks `othello-league` and `othello-openings`.
"""

import argparse
import itertools
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from lab import over_games, over_seeds, run_study, trained
from results import Study

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.genetic.minimax import MINIMAX
from ludarium.agents.search.alphabeta import alphabeta
from ludarium.agents.search.beam import beam, evaluations_made
from ludarium.agents.search.one_ply import one_ply
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.chance import stream
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.yardsticks import othello_league, othello_openings
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width

GAME = make_game("othello")
RUNS = Path("runs/minimax")
BEAM_DEPTH, BEAM_PAIRS = 10, 50
COST_DEPTHS, COST_GAMES = (2, 4, 6, 8, 10), 100
OPENING, PAIRS, DEEP_PAIRS, LEAGUE_PAIRS = 8, 500, 100, 2500
OPPONENTS: Mapping[str, tuple[str, int, int]] = {
    "`six`, depth 4": ("alphabeta?depth=4&evaluation=six", 4, PAIRS),
    "`six`, depth 6": ("alphabeta?depth=6&evaluation=six", 6, DEEP_PAIRS),
    "`wpc`, depth 4": ("alphabeta?depth=4&evaluation=wpc", 4, PAIRS),
    "`mcts?simulations=200`": ("mcts?simulations=200", 4, DEEP_PAIRS),
    "`alphabeta?depth=4&evaluation=shares`": ("alphabeta?depth=4&evaluation=shares", 4, DEEP_PAIRS),
}
"""The opponents of few weights, which were in nobody's training: the depth of ours against them, and pairs of games."""
TWINS: Mapping[str, dict[str, Any]] = {
    "evolved": {},
    "no temporal differences": {"lessons": 0, "spread": 1.0},
    "random search": {"breeding": "founders"},
    "no selection": {"selection": "none"},
    "no crossover": {"crossover": False},
    "nobody replaced": {"breeding": "none"},
}
MODERN: Mapping[str, dict[str, Any]] = {
    **{name: TWINS[name] for name in ("evolved", "random search", "no selection", "no crossover")},
    "evolved, `six`": {"features": "six"},
    "evolved, `shares`": {"features": "shares"},
}
TUPLES: Mapping[str, dict[str, Any]] = {
    "all-1": {"anchors": "wpc+wpc+random", "games": 600_000},
    "all-2": {"anchors": "wpc+random", "population": 640, "games": 600_000},
    "4+2x2": {},
}


class Champion(NamedTuple):
    """The champion of a run, the run's games, its CPU seconds, and the lines of its metrics."""

    evaluation: Evaluation
    games: int
    seconds: float
    metrics: list[dict[str, Any]]


def champions(preset: str, name: str, seeds: int, **options: Any) -> list[Champion]:
    """The champions of runs with so many training seeds; they are trained first if that has not been done."""
    folder = RUNS / f"{preset} {name}".translate(str.maketrans(" `", "--"))
    champions = []
    for seed in range(seeds):
        common = {"game": GAME.spec, "seed": seed, "checkpoints": 2, "test_games": 20}
        learner: Any = MINIMAX.learner({**common, **options}, preset)
        run, metrics, seconds = trained(learner, folder / str(seed), workers=None)
        champions.append(Champion(learner.evaluation(GAME, run.arrays), run.checkpoint.games, seconds, metrics))
    return champions


def score(ours: Any, theirs: Any, seed: int, pairs: int, opening: int = OPENING) -> Any:
    """The share of the points in each pair of games."""
    return play_match(GAME, [ours, theirs], pairs, seed, opening=opening).scores()


def percent(values: list[float]) -> str:
    return over_seeds([100 * value for value in values], 1)


def spent(champions: list[Champion]) -> tuple[object, ...]:
    """The cells of the training: seeds, games and CPU seconds."""
    return (
        len(champions),
        f"{mean(one.games for one in champions):,.0f}",
        f"{mean(one.seconds for one in champions):.0f}",
    )


# --- the parts -------------------------------------------------------------------------------------------------------


def original(study: Study, args: argparse.Namespace) -> None:
    """The original's fourteen generations, and its champions against the published weights under the same search."""
    programs = {name: champions("seed", name, args.twins, **TWINS[name]) for name in ("evolved", "random search")}
    first = programs["evolved"][0]
    caption = (
        "`python benchmarks/minimax.py --part seed`, ten plies deep: the run with training seed 0, "
        f"{first.games:,} games in {first.seconds:.0f} CPU seconds."
    )
    names = ("l", "c", "f", "p", "d", "m")
    table = study.table("seed", caption, "generation", "wins of 13", "mean", *names)
    for line in first.metrics:
        weights = (f"{line[name]:g}" for name in names)
        table.row(line["generation"], f"{line['best']:g}", f"{line['mean']:.2f}", *weights)
    caption = (
        f"Champions and a random search that meets as many genomes, {BEAM_PAIRS} pairs of games each; ± is half of a "
        "95 % interval over pairs."
    )
    table = study.table("seed", caption, "training seed", "program", "published weights, same search", "random")
    for seed, (name, program) in itertools.product(range(args.twins), programs.items()):
        ours = beam(GAME, depth=BEAM_DEPTH, evaluation=program[seed].evaluation)
        opponents = (f"beam?depth={BEAM_DEPTH}&evaluation=six", "random")
        cells = (over_games(score(ours, theirs, seed, BEAM_PAIRS), 100, 1) for theirs in opponents)
        table.row(seed, name, *cells)


def cost(study: Study, args: argparse.Namespace) -> None:
    """How many positions the original's search evaluates in its decisions, and in a game of both sides."""
    caption = (
        f"`--part cost`: the search of `seed` against itself, {COST_GAMES} games at each depth, with the published "
        "weights; the text's depth is 10. Positions evaluated by both sides together; ± is half of a 95 % interval "
        "over games."
    )
    table = study.table("cost", caption, "depth", "evaluations a move", "evaluations a game")
    for depth in COST_DEPTHS:
        made, decisions = np.array([evaluated(depth, number) for number in range(COST_GAMES)]).T
        table.row(depth, *(f"{x.mean():,.0f} ± {half_width(x):,.0f}" for x in (made / decisions, made)))


def evaluated(depth: int, number: int) -> tuple[int, int]:
    """The positions that the search evaluates in a game against itself, and the decisions."""
    policy, position, total, decisions = beam(GAME, depth=depth, evaluation="six"), GAME.start(), 0, 0
    while not position.over:
        mask = position.action_mask()
        position.push(policy.choose(GAME, position.data, mask, mask, stream(number, decisions)))
        total, decisions = total + evaluations_made(policy), decisions + 1
    return total, decisions


def modern(study: Study, args: argparse.Namespace) -> None:
    """Few weights under alpha-beta, against opponents at the same depth, and its twins."""
    caption = (
        "`--part modern`: each twin lacks one part. In `random search`, as many genomes are drawn from the first "
        "distribution, and the best is kept; with `no selection`, genomes are ranked at random; `no crossover` follows "
        "the best genome of each generation in place of the weighted mean of the better half. None of the opponents "
        "takes part in training. Scores in percent, with 95 % intervals over training seeds."
    )
    columns = ("program", "seeds", "games", "CPU s", *OPPONENTS, "seeds ≥ 65 % v `six`")
    table = study.table("modern", caption, *columns)
    for name, options in MODERN.items():
        evolved = champions("modern", name, args.seeds if name == "evolved" else args.twins, **options)
        scores = [against(evolved, *opponent) for opponent in OPPONENTS.values()]
        enough = f"{sum(value >= 0.65 for value in scores[0])} of {len(evolved)}"
        table.row(name, *spent(evolved), *map(percent, scores), enough)


def against(champions: list[Champion], spec: str, depth: int, pairs: int) -> list[float]:
    """The score of each champion at this depth."""
    players = [alphabeta(GAME, depth=depth, evaluation=one.evaluation) for one in champions]
    return [float(score(player, spec, seed, pairs).mean()) for seed, player in enumerate(players)]


def tuples(study: Study, args: argparse.Namespace) -> None:
    """N-tuples one ply ahead: the League's protocol, the random agent, and `wpc` from openings of seven moves."""
    caption = (
        "`--part tuples`: the League's protocol, games against `random`, and against `wpc` from 1,000 openings, one "
        "ply ahead. `wpc` is also the opponent of the League, and a rival in training. `all-1` and `all-2` have more "
        "games and other rivals than the preset, see `TUPLES` in the benchmark."
    )
    columns = ("tuples", "program", "seeds", "games", "CPU s", "League", "random", "`wpc`, 1,000 openings")
    table = study.table("tuples", caption, *columns)
    for name, options in TUPLES.items():
        evolved = champions("tuples", f"{name} evolved", args.seeds, tuples=name, **options)
        table.row(name, "evolved", *spent(evolved), *one_ply_ahead(evolved))
        taught = [taught_alone(name, evolved[0].games, seed) for seed in range(args.twins)]
        table.row(name, "temporal differences alone", *spent(taught), *one_ply_ahead(taught))
    name = "4+2x2"
    for twin in list(TWINS)[1:]:
        bred = champions("tuples", f"{name} {twin}", args.twins, tuples=name, **TWINS[twin])
        table.row(name, twin, *spent(bred), *one_ply_ahead(bred))


def taught_alone(name: str, games: int, seed: int) -> Champion:
    """What temporal differences alone learn in as many games."""
    learner = TD(
        game=GAME.spec, seed=seed, games=games, approximator="patterns", patterns=name, phases=1, opening=OPENING
    )
    arrays, before = learner.start(GAME), time.process_time()
    learner.learn(GAME, arrays, 0, games)
    return Champion(learner.evaluation(GAME, arrays), games, time.process_time() - before, [])


def one_ply_ahead(champions: list[Champion]) -> list[str]:
    """The cells of the measures of players of tuples."""
    players = list(enumerate(CompiledAgent("tuples", one_ply(GAME, one.evaluation)) for one in champions))
    return [
        percent([othello_league(player, 2 * LEAGUE_PAIRS, seed).score for seed, player in players]),
        percent([float(score(player, "random", seed, LEAGUE_PAIRS, 0).mean()) for seed, player in players]),
        percent([othello_openings(player, 2000, seed).score for seed, player in players]),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, help="training seeds of what evolved")
    parser.add_argument("--twins", type=int, default=3, help="training seeds of all others, and of the preset seed")
    run_study("minimax", {"seed": original, "cost": cost, "modern": modern, "tuples": tuples}, parser)
