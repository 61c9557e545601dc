"""How strong evaluations become that evolve: `ludarium train minimax othello`.

Prints the tables of `docs/learners/minimax.md` as Markdown. Runs are kept in `runs/minimax/NAME/SEED`, so the command
can be stopped and goes on where it was. Matches are pairs of games with exchanged seats from random openings; those of
training seed s have seed s of their own. Intervals are of 95 %: over pairs for one player, over training seeds for a
mean. `--part` prints one table alone.

`League` and `openings` are the yardsticks `othello-league` and `othello-openings`.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.genetic.minimax import MINIMAX
from ludarium.agents.learning import run as learning
from ludarium.agents.learning.runs import Run
from ludarium.agents.search.alphabeta import alphabeta
from ludarium.agents.search.beam import beam
from ludarium.agents.search.one_ply import one_ply
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.yardsticks import othello_league, othello_openings
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width, mean_interval

GAME = make_game("othello")
RUNS = Path("runs/minimax")
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
    "random search": {"breeding": "founders"},
    "no selection": {"selection": "none"},
    "no crossover": {"crossover": False},
    "nobody replaced": {"breeding": "none"},
}
TUPLES: Mapping[str, dict[str, Any]] = {
    "all-1": {"anchors": "wpc+wpc+random", "games": 600_000},
    "all-2": {"anchors": "wpc+random", "population": 640, "games": 600_000},
    "4+2x2": {},
}


def trained(name: str, preset: str, seed: int, **options: Any) -> tuple[Evaluation, Run, float]:
    """The champion of a run, the run, and its CPU seconds; it is trained first if that has not been done."""
    folder = RUNS / name / str(seed)
    common = {"game": GAME.spec, "seed": seed, "checkpoints": 2, "test_games": 20}
    learner = MINIMAX.learner({**common, **options}, preset)
    before, spent = time.process_time(), folder / "cpu.json"
    learning.train(learner, folder)
    if not spent.exists():
        spent.write_text(json.dumps(time.process_time() - before))
    run = Run.load(folder, MINIMAX)
    return learner.evaluation(GAME, run.arrays), run, float(json.loads(spent.read_text()))


def score(ours: Any, theirs: Any, seed: int, pairs: int = PAIRS, opening: int = OPENING) -> Any:
    """The share of the points in each pair of games."""
    return play_match(GAME, [ours, theirs], pairs, seed, opening=opening).scores()


def one(scores: Any) -> str:
    return f"{100 * scores.mean():.1f} ± {100 * half_width(scores):.1f}"


def over_seeds(values: list[float]) -> str:
    middle, half = mean_interval([100 * value for value in values])
    return f"{middle:.1f} ± {half:.1f}"


def row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*cells: str) -> None:
    print()
    row(*cells)
    row(*["---"] * len(cells))


# --- the tables ------------------------------------------------------------------------------------------------------


def generations(seeds: int, depth: int) -> None:
    """The original's fourteen generations, and its champions against the published weights under the same search."""
    options = {} if depth == 10 else {"depth": depth}
    _, run, seconds = trained(f"seed-{depth}", "seed", 0, **options)
    names = ("l", "c", "f", "p", "d", "m")
    head("generation", "wins of 13", "mean", *names)
    folder = RUNS / f"seed-{depth}" / "0"
    for line in map(json.loads, (folder / "metrics.jsonl").read_text().splitlines()):
        row(line["generation"], f"{line['best']:g}", f"{line['mean']:.2f}", *(f"{line[name]:g}" for name in names))
    print(f"\n{run.checkpoint.games:,} games, {seconds:.0f} CPU s")
    head("training seed", "program", "published weights, same search", "random")
    for seed in range(seeds):
        for twin in ("evolved", "random search"):
            name = f"seed-{depth}" + ("" if twin == "evolved" else f"-{twin.replace(' ', '-')}")
            champion, _, _ = trained(name, "seed", seed, **options, **TWINS[twin])
            ours = beam(GAME, depth=depth, evaluation=champion)
            published = score(ours, f"beam?depth={depth}&evaluation=six", seed, 50)
            row(seed, twin, one(published), one(score(ours, "random", seed, 50)))


def modern(seeds: int, twins: int) -> None:
    """Few weights under alpha-beta, against opponents at the same depth, and its twins."""
    head("program", "seeds", "games", "CPU s", *OPPONENTS, "seeds ≥ 65 % v `six`")
    programs = {name: options for name, options in TWINS.items() if name != "nobody replaced"}
    programs |= {f"evolved, `{name}`": {"features": name} for name in ("six", "shares")}
    for name, options in programs.items():
        folder = f"modern {name}".translate(str.maketrans(" `", "--"))
        count = seeds if name == "evolved" else twins
        found = [trained(folder, "modern", seed, **options) for seed in range(count)]
        scores = [
            [
                float(score(alphabeta(GAME, depth=depth, evaluation=champion), spec, seed, pairs).mean())
                for seed, (champion, _, _) in enumerate(found)
            ]
            for spec, depth, pairs in OPPONENTS.values()
        ]
        games, seconds = mean(run.checkpoint.games for _, run, _ in found), mean(spent for *_, spent in found)
        enough = f"{sum(value >= 0.65 for value in scores[0])} of {count}"
        row(name, count, f"{games:,.0f}", f"{seconds:.0f}", *map(over_seeds, scores), enough)


def tuples(seeds: int, twins: int, names: Sequence[str]) -> None:
    """N-tuples one ply ahead: the League's protocol, the random agent, and `wpc` from openings of seven moves."""
    head("tuples", "program", "seeds", "games", "CPU s", "League", "random", "`wpc`, 1,000 openings")
    for name in names:
        measure_tuples(name, "evolved", [trained_tuples(name, "evolved", seed) for seed in range(seeds)])
        if not twins:
            continue
        games = trained_tuples(name, "evolved", 0)[1]
        measure_tuples(name, "temporal differences alone", [taught(name, games, seed) for seed in range(twins)])
        if name == "4+2x2":
            for twin in ("no temporal differences", *TWINS):
                if twin != "evolved":
                    measure_tuples(name, twin, [trained_tuples(name, twin, seed) for seed in range(twins)])


def trained_tuples(name: str, twin: str, seed: int) -> tuple[Evaluation, int, float]:
    """The champion of a run, its games and its CPU seconds."""
    others = {"lessons": 0, "spread": 1.0} if twin == "no temporal differences" else TWINS[twin]
    folder = f"tuples-{name}-{twin.replace(' ', '-')}"
    champion, run, seconds = trained(folder, "tuples", seed, tuples=name, **TUPLES[name], **others)
    return champion, run.checkpoint.games, seconds


def taught(name: str, games: int, seed: int) -> tuple[Evaluation, int, float]:
    """What temporal differences alone learn in as many games."""
    learner = TD(
        game=GAME.spec, seed=seed, games=games, approximator="patterns", patterns=name, phases=1, opening=OPENING
    )
    arrays, before = learner.start(GAME), time.process_time()
    learner.learn(GAME, arrays, 0, games)
    return learner.evaluation(GAME, arrays), games, time.process_time() - before


def measure_tuples(name: str, program: str, found: list[tuple[Evaluation, int, float]]) -> None:
    """Print the row of a program."""
    league, chance, openings = [], [], []
    for seed, (champion, _, _) in enumerate(found):
        player = CompiledAgent(name, one_ply(GAME, champion))
        league.append(othello_league(player, 2 * LEAGUE_PAIRS, seed).score)
        chance.append(float(score(player, "random", seed, LEAGUE_PAIRS, 0).mean()))
        openings.append(othello_openings(player, 2000, seed).score)
    games, seconds = mean(games for _, games, _ in found), mean(spent for *_, spent in found)
    numbers = map(over_seeds, (league, chance, openings))
    row(name, program, len(found), f"{games:,.0f}", f"{seconds:.0f}", *numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("seed", "modern", "tuples"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--twins", type=int, default=3, help="training seeds of everything that is not evolved")
    parser.add_argument("--tuples", choices=TUPLES, action="append", help="only these")
    parser.add_argument("--depth", type=int, default=10, help="of the preset seed")
    given = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "seed": lambda: generations(given.seeds, given.depth),
        "modern": lambda: modern(given.seeds, given.twins),
        "tuples": lambda: tuples(given.seeds, given.twins, given.tuples or list(TUPLES)),
    }
    for name, part in parts.items():
        if given.part in (None, name):
            part()


if __name__ == "__main__":
    main()
