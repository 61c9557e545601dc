"""If-then players: how often a run ends in optimal play, the effect of each option, and larger games, over ten seeds.

Prints the tables of `docs/learners/ifthen.md` as Markdown; `--part` prints one table alone, and `curves` also draws
`docs/learners/ifthen-curves.svg`. NashConv is exact (`ludarium exact`); 0 is optimal play from both seats. Speeds are
those of one thread, learning and checkpoints included, while the machine may be busy with other work.
"""

import argparse
import itertools
import json
import math
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.genetic.ifthen.games import Rules
from ludarium.agents.genetic.ifthen.heredity import Heredity, founders
from ludarium.agents.genetic.ifthen.lessons import Lesson
from ludarium.agents.genetic.ifthen.modern import Modern
from ludarium.agents.genetic.ifthen.original import Original
from ludarium.agents.genetic.ifthen.players import EXPLORING, MapPlayers
from ludarium.agents.genetic.ifthen.single import Single
from ludarium.agents.learning.learner import LEARNING, Learner
from ludarium.agents.learning.parallel import Parallel, workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.chance import stream
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.report.charts import curve_plot
from ludarium.evaluation.statistics.intervals import half_width

SEEDS = 10
EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "connect_four.py"
PICTURE = EXAMPLE.parent.parent / "docs" / "learners" / "ifthen-curves.svg"
STYLE = """><style>
text { font: 12px sans-serif; fill: #555 } .grid { stroke: #ccc } .curve { fill: none; stroke-width: 2 }
.c0, .c3 { stroke: #2a6f97 } .c1, .c4 { stroke: #c1121f } .c2, .c5 { stroke: #2a7f3f }
.c0, .c1, .c2 { stroke-dasharray: 5 3 }
</style>"""
LARGE = "hexapawn?rows=4&columns=4"
HEAD = "| {} | game | games | NashConv 0 | mean NashConv | optimal actions | games/s |\n|---|---|---|---|---|---|---|"


BUDGETS = (("hexapawn", 1_000), (LARGE, 100_000), ("tictactoe", 50_000))
SHARED, SHARED_GAMES = ("tictactoe", LARGE, "othello?size=4", "othello?size=6", "connect_four"), 4_000
LARGER = (("othello?size=4", 20_000), ("othello?size=6", 10_000), ("connect_four", 10_000))
WINDOWS_SEEDS, PAIRS, OPENING = 3, 500, 2
TWINS = ({}, {"selection": "none"}, {"breeding": "founders"}, {"breeding": "none"}, {"population": 1})
TWINS_LARGER, TWINS_PAIRS = (("othello?size=6", 1_000), ("connect_four", 1_000)), 200
STEPS, MEMBERS = 5, 4  # lines for each run of the part `evolution`, and the members in their mean
STUDENT = 2.262  # for ten seeds: the two-sided 95 % quantile of Student's t with 9 degrees of freedom
SEED_READINGS = (
    {},
    {"randomness_inheritance": "text"},
    {"rerandomise_limit": 0.05},
    {"missing_genes": "drop"},
    {"win_rate_window": "generation"},
    {"games_per_comparison": 2},
    {"rematch": 5},
    {"overwrite_on_win": True},
    {"forget_on_loss": True},
    {"symmetry": True},
)


@dataclass(frozen=True, kw_only=True)
class ChosenAgain(Modern):
    """`modern` with the randomness of all players chosen again before each generation, so that it is not selected."""

    randomness_rate: float = 0.05

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        arrays["randomness"][:] = founders(stream(self.seed, LEARNING, number, EXPLORING), self.population, 1.0)
        return super().generation(game, arrays, number, parallel)


class ByWinRate(Modern):
    """`modern`, where the better of two parents is the more likely to pass its pair on."""

    @property
    def heredity(self) -> Heredity:
        return super().heredity._replace(evidence=False)


class WithoutValues(Modern):
    """`modern`, where the winner records its random moves, as in `seed`."""

    def rules(self, game: Game) -> Rules:
        return super().rules(game)._replace(lesson=Lesson(), windows=0)


class Trained(NamedTuple):
    """A champion with its game, the games per second of its run, and the run's CPU seconds."""

    champion: Policy
    game: Game
    rate: float
    seconds: float


class Meeting(NamedTuple):
    """A champion's shares of the points, with half of their 95 % intervals over pairs, and its other measures."""

    greedy: float
    greedy_margin: float
    random: float
    random_margin: float
    nash_conv: float | None
    seconds: float


def trained(learner: Learner) -> Trained:
    with tempfile.TemporaryDirectory() as folder:
        started, cpu = time.perf_counter(), time.process_time()
        train(learner, folder, workers=1)
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        now = Run.load(Path(folder), type(learner)).checkpoint
    return Trained(learner.policy(learner.learned, now.arrays), learner.learned, now.games / seconds, cpu)


def seeded(kind: type[Learner], spec: str, games: int, options: Mapping[str, Any], seeds: int = SEEDS) -> list[Learner]:
    """The same learner with each seed."""
    return [kind(game=spec, games=games, seed=seed, checkpoints=1, **options) for seed in range(seeds)]


def row(title: str, learners: Sequence[Learner]) -> None:
    """Print one line of a table: the same run with ten seeds."""
    runs = [trained(learner) for learner in learners]
    exact = [measure(run.game, run.champion) for run in runs]
    gaps = np.array([one.nash_conv for one in exact])
    print(
        f"| {title} | {learners[0].game} | {learners[0].games:,} | {(gaps == 0).sum()} of {len(runs)} | "
        f"{gaps.mean():.2f} | {100 * np.mean([one.optimal_action_rate for one in exact]):.1f} % | "
        f"{np.median([run.rate for run in runs]):,.0f} |",
        flush=True,
    )


def text(options: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in options.items()) or "as it is"


def spread(values: Sequence[float]) -> str:
    """The mean over training seeds in %, with half of its 95 % interval."""
    return f"{100 * np.mean(values):.1f} ± {100 * STUDENT * np.std(values, ddof=1) / math.sqrt(len(values)):.1f}"


def claims() -> None:
    print("### What the presets reach\n")
    print(HEAD.format("preset"))
    for games in (1_000, 10_000):
        row("`seed`, `population=20`", seeded(Original, "hexapawn", games, {"population": 20}))
    for spec, games in (BUDGETS[0], ("hexapawn", 10_000), *BUDGETS[1:]):
        row("`seed`", seeded(Original, spec, games, {}))
    for name, kind in (("`modern`", Modern), ("`single`", Single), ("tabular Q-learning", TabularQ)):
        for spec, games in BUDGETS:
            row(name, seeded(kind, spec, games, {}))


def readings() -> None:
    print("\n### `seed`, read otherwise\n")
    print(HEAD.format("option"))
    for options in SEED_READINGS:
        row(text(options), seeded(Original, "hexapawn", 3_000, options))
    for options in ({}, {"record_on": "win+draw"}):
        row(text(options), seeded(Original, "tictactoe", 10_000, options))


def ablation() -> None:
    print("\n### `modern`, changed\n")
    print(HEAD.format("change"))
    for change in (
        {},
        {"population": 100},
        {"founder_limit": 0.05},
        {"randomness_rate": 0.05},
        ByWinRate,
        {"games_per_comparison": 1},
        {"symmetry": False},
        WithoutValues,
        {"windows": 0},
        {"capacity": 0},
    ):
        kind, options = (Modern, change) if isinstance(change, dict) else (change, {})
        title = {ByWinRate: "inheritance by win rates", WithoutValues: "without values"}.get(kind, text(options))
        row(title, seeded(kind, "tictactoe", 10_000, options))


def twins() -> None:
    """The program without one of its parts, at equal games."""
    for kind, hexapawn_games in ((Original, 10_000), (Modern, 500)):
        print(f"\n### `{kind.preset}` and its twins\n")
        print(HEAD.format("twin"))
        exact = ("hexapawn", hexapawn_games), (LARGE, 10_000), ("tictactoe", 10_000)
        for (spec, games), options in itertools.product(exact, TWINS):
            row(text(options), seeded(kind, spec, games, options))
        print("\n| twin | game | games | against `greedy` |\n|---|---|---|---|")
        for (spec, games), options in itertools.product(TWINS_LARGER, TWINS):
            cell = spread([meet(learner, TWINS_PAIRS).greedy for learner in seeded(kind, spec, games, options)])
            print(f"| {text(options)} | {spec} | {games:,} | {cell} % |", flush=True)


def shares() -> None:
    """What a population makes of its games, beside one map that learns from as many as each of its maps."""
    players = {  # and the divisor of its games: a game teaches two maps, so each of eight learns from a quarter of all
        "one map, a quarter of the games": (Single, 4, {}),
        "a population": (Modern, 1, {}),
        "without selection": (Modern, 1, {"selection": "none"}),
        "randomness chosen again": (ChosenAgain, 1, {}),
        "without inheritance": (Modern, 1, {"breeding": "none"}),
        "one map": (Single, 1, {}),
    }
    print(f"\n### What a population makes of its games\n\n| {SHARED_GAMES:,} games | measure | {' | '.join(players)} |")
    print("|---|---|" + "---|" * len(players))
    for spec in SHARED:
        exact, cells = spec in (LARGE, "tictactoe", "othello?size=4"), []
        for kind, divisor, options in players.values():
            learners = seeded(kind, spec, SHARED_GAMES // divisor, options)
            cells.append(spread([optimal(one) if exact else meet(one, TWINS_PAIRS).greedy for one in learners]))
        print(f"| {spec} | {'optimal actions' if exact else 'against `greedy`'}, % | {' | '.join(cells)} |", flush=True)


def optimal(learner: Learner) -> float:
    """The share of positions in which its champion acts optimally."""
    run = trained(learner)
    return measure(run.game, run.champion).optimal_action_rate


def evolution() -> None:
    """The champion, the mean of the first members, diversity, and what crossover brings, while a population evolves."""
    print("\n### While a population evolves\n")
    print("| preset | selection | game | games | champion | mean | diversity | ahead of both parents | randomness |")
    print("|---|---|---|---|---|---|---|---|---|")
    boards = ((Original, "hexapawn"), (Modern, "tictactoe"))
    for (kind, spec), selection in itertools.product(boards, ("merit", "none")):
        runs = [evolve(learner) for learner in seeded(kind, spec, 3_000, {"selection": selection})]
        for step, (champion, mean, *others) in enumerate(np.mean(runs, axis=0), 1):
            diversity, ahead, randomness = others
            print(
                f"| `{kind.preset}` | {selection} | {spec} | {3_000 * step // STEPS:,} | {100 * champion:.1f} % | "
                f"{100 * mean:.1f} % | {diversity:.2f} | {100 * ahead:.1f} % | {randomness:.2f} |",
                flush=True,
            )


def evolve(learner: MapPlayers) -> list[tuple[float, ...]]:
    """What becomes of a population, in a row for each part of a run.

    Returns:
        The shares of optimal actions of the champion, and of the first members in the mean, at the end of the part; the
        diversity, the share of children whose first ranking is ahead of both parents, and the randomness of the
        survivors, in the mean of the part.
    """
    game = learner.learned
    arrays, rows, told, played, number = learner.start(game), [], list[dict[str, float]](), 0.0, 0
    with workers("threads", 1) as parallel:
        while len(rows) < STEPS:
            told.append(learner.generation(game, arrays, number, parallel))
            played, number = played + told[-1]["games"], number + 1
            if played + learner.largest_generation(game) > learner.games * (len(rows) + 1) / STEPS:
                rates = [measure(game, learner.member(game, arrays, n)).optimal_action_rate for n in range(MEMBERS)]
                names = "diversity", "ahead_of_parents", "randomness"
                means = [float(np.mean([line.get(name, 0.0) for line in told])) for name in names]
                rows.append((rates[0], float(np.mean(rates)), *means))
                told = []
    return rows


def larger() -> None:
    print("\n### Against greedy\n")
    print("| preset | game | games | against `greedy`, % by seed | ± | beats it | `random`, % | NashConv | CPU, s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (spec, games), kind in itertools.product(LARGER, (Original, Modern, Single)):
        met = [meet(learner) for learner in seeded(kind, spec, games, {})]
        print(f"| `{kind.preset}` | {spec} | {games:,} | {summary(met)} |", flush=True)


def summary(met: Sequence[Meeting]) -> str:
    """The cells of a table for the champions of all seeds; one beats greedy if its interval is above one half."""
    scores = " ".join(f"{100 * one.greedy:.0f}" for one in met)
    beaten = sum(one.greedy - one.greedy_margin > 0.5 for one in met)
    most = 100 * max(one.greedy_margin for one in met)
    random = 100 * float(np.mean([one.random for one in met]))
    gaps = [one.nash_conv for one in met if one.nash_conv is not None]
    gap = f"{np.mean(gaps):.2f}" if gaps else ""
    seconds = f"{np.mean([one.seconds for one in met]):.0f}"
    return f"{scores} | {most:.1f} | {beaten} of {len(met)} | {random:.1f} | {gap} | {seconds}"


def windows() -> None:
    print("\n### `modern` on Othello 6 × 6, changed\n")
    print("| option | games | seed | against `greedy` | against `random` | seconds |")
    print("|---|---|---|---|---|---|")
    spec, games = LARGER[1]
    for options in ({"windows": 0}, {"windows": 3}):
        for learner in seeded(Modern, spec, games, options, WINDOWS_SEEDS):
            met = meet(learner)
            scores = (f"{100 * score:.1f} ± {100 * margin:.1f} %" for score, margin in (met[:2], met[2:4]))
            cells = f"{' | '.join(scores)} | {met.seconds:.0f}"
            print(f"| {text(options)} | {games:,} | {learner.seed} | {cells} |", flush=True)


def meet(learner: Learner, pairs: int = PAIRS) -> Meeting:
    """Train a player, and let the champion meet `greedy` and `random`."""
    run, scores = trained(learner), []
    for rival in ("greedy", "random"):
        shares = play_match(run.game, [run.champion, rival], pairs, learner.seed, opening=OPENING).scores()
        scores += [float(shares.mean()), half_width(shares)]
    exact = measure(run.game, run.champion).nash_conv if learner.game == "othello?size=4" else None
    return Meeting(*scores, exact, run.seconds)


def curves() -> None:
    """How the champions' scores against the random agent grow in the larger games, with the first seed."""
    print("\n### Learning curves, score against `random`\n")
    print("| preset | game | " + " | ".join(f"{10 * step} %" for step in range(1, 11)) + " |")
    print("|---|---|" + "---|" * 10)
    lines = []
    for kind, (spec, games) in itertools.product((Original, Modern), LARGER):
        with tempfile.TemporaryDirectory() as folder:
            train(kind(game=spec, games=games, checkpoints=10, test_games=1_000), folder, workers=1)
            metrics = [json.loads(line) for line in Path(folder, "metrics.jsonl").read_text().splitlines()]
        measured = [line for line in metrics if "score" in line]
        scores = [line["score"] for line in measured]
        lines.append((f"{kind.preset}, {spec}", [line["games"] for line in measured], scores))
        print(
            f"| `{kind.preset}` | {spec} | " + " | ".join(f"{100 * score:.1f} %" for score in scores) + " |",
            flush=True,
        )
    drawn = curve_plot(lines, "games")
    PICTURE.write_text(drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ').replace(">", STYLE, 1) + "\n")


def main() -> None:
    parts = {
        part.__name__: part for part in (claims, twins, shares, evolution, readings, ablation, larger, windows, curves)
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=parts, action="append", help="only this table; may be repeated")
    chosen = parser.parse_args().part or list(parts)
    os.environ.setdefault("LUDARIUM_GAMES", str(EXAMPLE))
    for kind, options in ((Original, {"rematch": 1}), (Modern, {}), (TabularQ, {})):  # compiles, so that speeds do not
        trained(kind(game="hexapawn", games=1_200, **options))
    for name in chosen:
        parts[name]()


if __name__ == "__main__":
    main()
