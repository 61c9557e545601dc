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
EXACT = ("game", "games", "NashConv 0", "mean NashConv", "optimal actions", "games/s")
BUDGETS = (("hexapawn", 1_000), (LARGE, 100_000), ("tictactoe", 50_000))
SHARED, SHARED_GAMES = ("tictactoe", LARGE, "othello?size=4", "othello?size=6", "connect_four"), 4_000
LARGER = (("othello?size=4", 20_000), ("othello?size=6", 10_000), ("connect_four", 10_000))
WINDOWS_SEEDS, PAIRS, OPENING = 3, 500, 2
TWINS = ({}, {"selection": "none"}, {"breeding": "founders"}, {"breeding": "none"}, {"population": 1})
TWINS_LARGER, TWINS_PAIRS = (("othello?size=6", 1_000), ("connect_four", 1_000)), 200
STEPS, MEMBERS = 5, 4  # lines for each run of the part `evolution`, and the members in their mean
STUDENT = 2.262  # for ten seeds: the two-sided 95 % quantile of Student's t with 9 degrees of freedom
SEED_READINGS = (
    {}, {"randomness_inheritance": "text"}, {"rerandomise_limit": 0.05}, {"missing_genes": "drop"},
    {"win_rate_window": "generation"}, {"games_per_comparison": 2}, {"rematch": 5}, {"overwrite_on_win": True},
    {"forget_on_loss": True}, {"symmetry": True},
)  # fmt: skip


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
    """A champion's shares of the points, with half of the 95 % interval against greedy, and its other measures."""

    greedy: float
    margin: float
    random: float
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


def table(title: str, *columns: str) -> None:
    print(f"\n### {title}\n")
    line(*columns)
    print("|" + "---|" * len(columns))


def line(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def row(title: str, learners: Sequence[Learner]) -> None:
    """Print one line of a table: the same run with ten seeds."""
    runs = [trained(learner) for learner in learners]
    exact = [measure(run.game, run.champion) for run in runs]
    gaps, optimal = np.array([(one.nash_conv, one.optimal_action_rate) for one in exact]).T
    shown = f"{(gaps == 0).sum()} of {len(runs)}", f"{gaps.mean():.2f}", f"{100 * optimal.mean():.1f} %"
    rate = f"{np.median([run.rate for run in runs]):,.0f}"
    line(title, learners[0].game, f"{learners[0].games:,}", *shown, rate)


def text(options: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in options.items()) or "as it is"


def spread(values: Sequence[float]) -> str:
    """The mean over training seeds in %, with half of its 95 % interval."""
    return f"{100 * np.mean(values):.1f} ± {100 * STUDENT * np.std(values, ddof=1) / math.sqrt(len(values)):.1f}"


def claims() -> None:
    table("What the presets reach", "preset", *EXACT)
    for games in (1_000, 10_000):
        row("`seed`, `population=20`", seeded(Original, "hexapawn", games, {"population": 20}))
    for spec, games in (BUDGETS[0], ("hexapawn", 10_000), *BUDGETS[1:]):
        row("`seed`", seeded(Original, spec, games, {}))
    for name, kind in (("`modern`", Modern), ("`single`", Single), ("tabular Q-learning", TabularQ)):
        for spec, games in BUDGETS:
            row(name, seeded(kind, spec, games, {}))


def readings() -> None:
    table("`seed`, read otherwise", "option", *EXACT)
    for options in SEED_READINGS:
        row(text(options), seeded(Original, "hexapawn", 3_000, options))
    for options in ({}, {"record_on": "win+draw"}):
        row(text(options), seeded(Original, "tictactoe", 10_000, options))


def ablation() -> None:
    table("`modern`, changed", "change", *EXACT)
    changes = (
        {}, {"population": 100}, {"founder_limit": 0.05}, {"randomness_rate": 0.05}, ByWinRate,
        {"games_per_comparison": 1}, {"symmetry": False}, WithoutValues, {"windows": 0}, {"capacity": 0},
    )  # fmt: skip
    for change in changes:
        kind, options = (Modern, change) if isinstance(change, dict) else (change, {})
        title = {ByWinRate: "inheritance by win rates", WithoutValues: "without values"}.get(kind, text(options))
        row(title, seeded(kind, "tictactoe", 10_000, options))


def twins() -> None:
    """The program without one of its parts, at equal games."""
    for kind, hexapawn_games in ((Original, 10_000), (Modern, 500)):
        table(f"`{kind.preset}` and its twins", "twin", *EXACT)
        exact = ("hexapawn", hexapawn_games), (LARGE, 10_000), ("tictactoe", 10_000)
        for (spec, games), options in itertools.product(exact, TWINS):
            row(text(options), seeded(kind, spec, games, options))
        table(f"`{kind.preset}` and its twins against greedy", "twin", "game", "games", "against `greedy`")
        for (spec, games), options in itertools.product(TWINS_LARGER, TWINS):
            cell = spread([meet(learner, TWINS_PAIRS).greedy for learner in seeded(kind, spec, games, options)])
            line(text(options), spec, f"{games:,}", f"{cell} %")


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
    table("What a population makes of its games", f"{SHARED_GAMES:,} games", "measure", *players)
    for spec in SHARED:
        exact, cells = spec in (LARGE, "tictactoe", "othello?size=4"), []
        for kind, divisor, options in players.values():
            learners = seeded(kind, spec, SHARED_GAMES // divisor, options)
            cells.append(spread([optimal(one) if exact else meet(one, TWINS_PAIRS).greedy for one in learners]))
        line(spec, f"{'optimal actions' if exact else 'against `greedy`'}, %", *cells)


def optimal(learner: Learner) -> float:
    """The share of positions in which its champion acts optimally."""
    run = trained(learner)
    return measure(run.game, run.champion).optimal_action_rate


def evolution() -> None:
    """The champion, the mean of the first members, diversity, and what crossover brings, while a population evolves."""
    shown = "champion", "mean", "diversity", "ahead of both parents", "randomness"
    table("While a population evolves", "preset", "selection", "game", "games", *shown)
    boards = ((Original, "hexapawn"), (Modern, "tictactoe"))
    for (kind, spec), selection in itertools.product(boards, ("merit", "none")):
        runs = [evolve(learner) for learner in seeded(kind, spec, 3_000, {"selection": selection})]
        for step, (champion, mean, diversity, ahead, randomness) in enumerate(np.mean(runs, axis=0), 1):
            rates = f"{100 * champion:.1f} %", f"{100 * mean:.1f} %"
            others = f"{diversity:.2f}", f"{100 * ahead:.1f} %", f"{randomness:.2f}"
            line(f"`{kind.preset}`", selection, spec, f"{3_000 * step // STEPS:,}", *rates, *others)


def evolve(learner: MapPlayers) -> list[tuple[float, ...]]:
    """What becomes of a population, in a row for each part of a run.

    The shares of optimal actions of the champion, and of the first members in the mean, are those at the end of the
    part, the others the mean of the part.
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
    shown = "against `greedy`, % by seed", "±", "beats it", "`random`, %", "NashConv", "CPU, s"
    table("Against greedy", "preset", "game", "games", *shown)
    for (spec, games), kind in itertools.product(LARGER, (Original, Modern, Single)):
        met_greedy(f"`{kind.preset}`", seeded(kind, spec, games, {}))
    for options in ({"windows": 0}, {"windows": 3}):
        met_greedy(f"`modern`, {text(options)}", seeded(Modern, *LARGER[1], options, WINDOWS_SEEDS))


def met_greedy(title: str, learners: Sequence[Learner]) -> None:
    """Print one line of the table; a champion beats greedy if its interval is above one half."""
    met = [meet(learner) for learner in learners]
    gaps = [one.nash_conv for one in met if one.nash_conv is not None]
    line(
        title,
        learners[0].game,
        f"{learners[0].games:,}",
        " ".join(f"{100 * one.greedy:.0f}" for one in met),
        f"{100 * max(one.margin for one in met):.1f}",
        f"{sum(one.greedy - one.margin > 0.5 for one in met)} of {len(met)}",
        f"{100 * np.mean([one.random for one in met]):.1f}",
        f"{np.mean(gaps):.2f}" if gaps else "",
        f"{np.mean([one.seconds for one in met]):.0f}",
    )


def meet(learner: Learner, pairs: int = PAIRS) -> Meeting:
    """Train a player, and let the champion meet `greedy` and `random`."""
    run = trained(learner)
    greedy, random = (
        play_match(run.game, [run.champion, rival], pairs, learner.seed, opening=OPENING).scores()
        for rival in ("greedy", "random")
    )
    gap = measure(run.game, run.champion).nash_conv if learner.game == "othello?size=4" else None
    return Meeting(float(greedy.mean()), half_width(greedy), float(random.mean()), gap, run.seconds)


def curves() -> None:
    """How the champions' scores against the random agent grow in the larger games, with the first seed."""
    table("Learning curves, score against `random`", "preset", "game", *(f"{10 * step} %" for step in range(1, 11)))
    curves = []
    for kind, (spec, budget) in itertools.product((Original, Modern), LARGER):
        with tempfile.TemporaryDirectory() as folder:
            train(kind(game=spec, games=budget, checkpoints=10, test_games=1_000), folder, workers=1)
            metrics = [json.loads(step) for step in Path(folder, "metrics.jsonl").read_text().splitlines()]
        games, scores = zip(*((step["games"], step["score"]) for step in metrics if "score" in step), strict=True)
        curves.append((f"{kind.preset}, {spec}", games, scores))
        line(f"`{kind.preset}`", spec, *(f"{100 * score:.1f} %" for score in scores))
    drawn = curve_plot(curves, "games")
    PICTURE.write_text(drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ').replace(">", STYLE, 1) + "\n")


def main() -> None:
    parts = {part.__name__: part for part in (claims, twins, shares, evolution, readings, ablation, larger, curves)}
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
