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
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.genetic.ifthen.learner import IfThen
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.registry import make_game
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
CLAIMS = (  # preset, options that override it, game, games
    ("seed", {"population": 20}, "hexapawn", 1_000),
    ("seed", {"population": 20}, "hexapawn", 10_000),
    ("seed", {}, "hexapawn", 1_000),
    ("seed", {}, "hexapawn", 10_000),
    ("seed", {}, LARGE, 100_000),
    ("seed", {}, "tictactoe", 50_000),
    ("modern", {}, "hexapawn", 1_000),
    ("modern", {}, LARGE, 100_000),
    ("modern", {}, "tictactoe", 50_000),
    ("single", {}, "hexapawn", 1_000),
    ("single", {}, LARGE, 100_000),
    ("single", {}, "tictactoe", 50_000),
)
DRAWN_ANEW = {"randomness_inheritance": "none", "founder_limit": 0.05, "randomness_rate": 0.05}
SHARES: tuple[tuple[str, str, dict[str, Any], int], ...] = (
    ("one map, a quarter of the games", "single", {}, 4),
    ("a population", "modern", {}, 1),
    ("without selection", "modern", {"selection": "none"}, 1),
    ("randomness drawn anew", "modern", DRAWN_ANEW, 1),
    ("without inheritance", "modern", {"breeding": "none"}, 1),
    ("one map", "single", {}, 1),
)
"""Who learns, and the divisor of its games. A game teaches two maps, so each of eight learns from a quarter of all."""
SHARED, SHARED_GAMES = ("tictactoe", LARGE, "othello?size=4", "othello?size=6", "connect_four"), 4_000
LARGER = (("othello?size=4", 20_000), ("othello?size=6", 10_000), ("connect_four", 10_000))
WINDOWS_SEEDS, PAIRS, OPENING = 3, 500, 2
TWINS: tuple[dict[str, Any], ...] = (
    {},
    {"selection": "none"},
    {"breeding": "founders"},
    {"breeding": "none"},
    {"population": 1},
)
TWINS_EXACT = {"seed": (("hexapawn", 10_000), (LARGE, 10_000), ("tictactoe", 10_000))}
TWINS_EXACT["modern"] = (("hexapawn", 500), *TWINS_EXACT["seed"][1:])
TWINS_LARGER, TWINS_PAIRS = (("othello?size=6", 1_000), ("connect_four", 1_000)), 200
EVOLUTION = (("seed", "hexapawn", 3_000), ("modern", "tictactoe", 3_000))
STEPS, MEMBERS = 5, 4  # lines for each run of the part `evolution`, and the members in their mean
STUDENT = 2.262  # for ten seeds: the two-sided 95 % quantile of Student's t with 9 degrees of freedom
SEED_READINGS: tuple[dict[str, Any], ...] = (
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
    {"hall_of_fame": 4},
    {"novelty": 0.2},
)
MODERN_BESIDES: tuple[dict[str, Any], ...] = ({"hall_of_fame": 4}, {"novelty": 0.4})


class Meeting(NamedTuple):
    """A champion's shares of the points, with half of their 95 % intervals over pairs, and its other measures."""

    greedy: float
    greedy_margin: float
    random: float
    random_margin: float
    nash_conv: float | None
    seconds: float


def run(
    kind: Any, preset: str, options: Mapping[str, Any], spec: str, games: int, seed: int, out: Path
) -> tuple[Any, float]:
    """The exact measures of one run's champion, and the run's games per second."""
    given = {"game": spec, "games": games, "seed": seed, "checkpoints": 1, **options}
    config = kind.from_preset(preset, given) if preset else kind.from_options(given)
    started = time.perf_counter()
    if preset:
        train(config, out, workers=1)
    else:
        train(config, out)
    rate = Run.load(out, kind).checkpoint.games / (time.perf_counter() - started)
    game = make_game(config.game)
    return measure(game, config.policy(game, Run.load(out, kind).arrays)), rate


def row(title: str, kind: Any, preset: str, options: Mapping[str, Any], spec: str, games: int) -> None:
    """Print one line of a table: the same run with ten seeds."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [run(kind, preset, options, spec, games, seed, Path(folder) / str(seed)) for seed in range(SEEDS)]
    found, rates = zip(*runs, strict=True)
    gaps = np.array([exact.nash_conv for exact in found])
    optimal = np.mean([exact.optimal_action_rate for exact in found])
    print(
        f"| {title} | {spec} | {games:,} | {(gaps == 0).sum()} of {SEEDS} | {gaps.mean():.2f} | "
        f"{100 * optimal:.1f} % | {np.median(rates):,.0f} |",
        flush=True,
    )


def text(options: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in options.items())


def compile_all() -> None:
    """Compile everything before the clock starts, so that speeds leave out compilation."""
    with tempfile.TemporaryDirectory() as folder:
        for preset in TWINS_EXACT:
            run(IfThen, preset, {"rematch": 1, "hall_of_fame": 1}, "hexapawn", 1_200, 0, Path(folder) / preset)
        run(TabularQ, "", {}, "hexapawn", 100, 0, Path(folder) / "q")


def claims() -> None:
    print("### What the presets reach\n")
    print(HEAD.format("preset"))
    for preset, options, spec, games in CLAIMS:
        row(", ".join(filter(None, (f"`{preset}`", text(options)))), IfThen, preset, options, spec, games)
    for spec, games in (("hexapawn", 1_000), (LARGE, 100_000), ("tictactoe", 50_000)):
        row("tabular Q-learning", TabularQ, "", {}, spec, games)


def readings() -> None:
    print("\n### `seed`, read otherwise\n")
    print(HEAD.format("option"))
    for options in SEED_READINGS:
        row(text(options) or "as it is", IfThen, "seed", options, "hexapawn", 3_000)
    for options in ({}, {"record_on": "win+draw"}):
        row(text(options) or "as it is", IfThen, "seed", options, "tictactoe", 10_000)


def ablation() -> None:
    print("\n### `modern`, changed\n")
    print(HEAD.format("option"))
    defaults = IfThen(game="hexapawn")
    changed = [{}] + [{name: getattr(defaults, name)} for name in IfThen.presets["modern"]]
    for options in (*changed, *MODERN_BESIDES):
        if options.get("values", True):
            row(text(options) or "as it is", IfThen, "modern", options, "tictactoe", 10_000)
        else:  # windows need values
            row(text(options), IfThen, "modern", {**options, "windows": 0}, "tictactoe", 10_000)


def twins() -> None:
    """The program without one of its parts, at equal games."""
    for preset in TWINS_EXACT:
        print(f"\n### `{preset}` and its twins\n")
        print(HEAD.format("twin"))
        for (spec, games), options in itertools.product(TWINS_EXACT[preset], TWINS):
            row(text(options) or "as it is", IfThen, preset, options, spec, games)
        print("\n| twin | game | games | against `greedy` |\n|---|---|---|---|")
        for (spec, games), options in itertools.product(TWINS_LARGER, TWINS):
            shares = [meet(preset, options, spec, games, seed, TWINS_PAIRS).greedy for seed in range(SEEDS)]
            margin = STUDENT * np.std(shares, ddof=1) / math.sqrt(SEEDS)
            cell = f"{100 * np.mean(shares):.1f} ± {100 * margin:.1f} %"
            print(f"| {text(options) or 'as it is'} | {spec} | {games:,} | {cell} |", flush=True)


def shares() -> None:
    """What a population makes of its games, beside one map that learns from as many as each of its maps."""
    names = [name for name, *_ in SHARES]
    print(f"\n### What a population makes of its games\n\n| {SHARED_GAMES:,} games | measure | {' | '.join(names)} |")
    print("|---|---|" + "---|" * len(names))
    for spec in SHARED:
        exact = spec in (LARGE, "tictactoe", "othello?size=4")
        cells = [share(spec, exact, *learner) for _, *learner in SHARES]
        print(f"| {spec} | {'optimal actions' if exact else 'against `greedy`'}, % | {' | '.join(cells)} |", flush=True)


def share(spec: str, exact: bool, preset: str, options: Mapping[str, Any], divisor: int) -> str:
    """How well champions play: the mean over training seeds, with half of its 95 % interval."""
    found, games = [], SHARED_GAMES // divisor
    for seed in range(SEEDS):
        if exact:
            with tempfile.TemporaryDirectory() as folder:
                played, _ = run(IfThen, preset, options, spec, games, seed, Path(folder) / "run")
            found.append(100 * played.optimal_action_rate)
        else:
            found.append(100 * meet(preset, options, spec, games, seed, TWINS_PAIRS).greedy)
    return f"{np.mean(found):.1f} ± {STUDENT * np.std(found, ddof=1) / math.sqrt(SEEDS):.1f}"


def evolution() -> None:
    """The champion, the mean of the first members, diversity, and what crossover brings, while a population evolves."""
    print("\n### While a population evolves\n")
    print("| preset | selection | game | games | champion | mean | diversity | ahead of both parents | randomness |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (preset, spec, games), selection in itertools.product(EVOLUTION, ("merit", "none")):
        runs = [evolve(preset, selection, spec, games, seed) for seed in range(SEEDS)]
        for step, (champion, mean, *others) in enumerate(np.mean(runs, axis=0), 1):
            diversity, ahead, randomness = others
            shares = f"{100 * champion:.1f} % | {100 * mean:.1f} % | {diversity:.2f} | {100 * ahead:.1f} %"
            print(
                f"| `{preset}` | {selection} | {spec} | {games * step // STEPS:,} | {shares} | {randomness:.2f} |",
                flush=True,
            )


def evolve(preset: str, selection: str, spec: str, games: int, seed: int) -> list[tuple[float, ...]]:
    """What becomes of a population, in a row for each part of a run.

    Returns:
        The shares of optimal actions of the champion, and of the first members in the mean, at the end of the part; the
        diversity, the share of children whose first ranking is ahead of both parents, and the randomness of the
        survivors, in the mean of the part.
    """
    game = make_game(spec)
    options = {"game": spec, "games": games, "seed": seed, "selection": selection}
    config = IfThen.from_preset(preset, options)
    arrays, rows, told, played, number = config.start(game), [], list[dict[str, float]](), 0.0, 0
    with workers("threads", 1) as parallel:
        while len(rows) < STEPS:
            told.append(config.generation(game, arrays, number, parallel))
            played, number = played + told[-1]["games"], number + 1
            if played + config.largest_generation(game) > games * (len(rows) + 1) / STEPS:
                rates = [measure(game, config.member(game, arrays, n)).optimal_action_rate for n in range(MEMBERS)]
                names = "diversity", "ahead_of_parents", "randomness"
                means = [float(np.mean([line.get(name, 0.0) for line in told])) for name in names]
                rows.append((rates[0], float(np.mean(rates)), *means))
                told = []
    return rows


def larger() -> None:
    print("\n### Against greedy\n")
    print("| preset | game | games | against `greedy`, % by seed | ± | beats it | `random`, % | NashConv | CPU, s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for spec, games in LARGER:
        for preset in IfThen.presets:
            met = [meet(preset, {}, spec, games, seed) for seed in range(SEEDS)]
            print(f"| `{preset}` | {spec} | {games:,} | {summary(met)} |", flush=True)


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
    for options in ({"windows": 0}, {"windows": 3}, *MODERN_BESIDES):
        for seed in range(WINDOWS_SEEDS):
            met = meet("modern", options, spec, games, seed)
            scores = (f"{100 * score:.1f} ± {100 * margin:.1f} %" for score, margin in (met[:2], met[2:4]))
            print(f"| {text(options)} | {games:,} | {seed} | {' | '.join(scores)} | {met.seconds:.0f} |", flush=True)


def meet(preset: str, options: Mapping[str, Any], spec: str, games: int, seed: int, pairs: int = PAIRS) -> Meeting:
    """Train a player, and let the champion meet `greedy` and `random`."""
    game = make_game(spec)
    given = {"game": spec, "games": games, "seed": seed, "checkpoints": 1, **options}
    with tempfile.TemporaryDirectory() as folder:
        config, started = IfThen.from_preset(preset, given), time.process_time()
        train(config, folder, workers=1)
        seconds = time.process_time() - started
        champion = config.policy(game, Run.load(Path(folder), IfThen).arrays)
    scores = []
    for rival in ("greedy", "random"):
        shares = play_match(game, [champion, rival], pairs, seed, opening=OPENING).scores()
        scores += [float(shares.mean()), half_width(shares)]
    exact = measure(game, champion).nash_conv if spec == "othello?size=4" else None
    return Meeting(*scores, exact, seconds)


def curves() -> None:
    """How the champions' scores against the random agent grow in the larger games, with the first seed."""
    print("\n### Learning curves, score against `random`\n")
    print("| preset | game | " + " | ".join(f"{10 * step} %" for step in range(1, 11)) + " |")
    print("|---|---|" + "---|" * 10)
    lines = []
    for preset, (spec, games) in itertools.product(TWINS_EXACT, LARGER):
        with tempfile.TemporaryDirectory() as folder:
            given = {"game": spec, "games": games, "checkpoints": 10, "test_games": 1_000}
            train(IfThen.from_preset(preset, given), folder, workers=1)
            metrics = [json.loads(line) for line in Path(folder, "metrics.jsonl").read_text().splitlines()]
        measured = [line for line in metrics if "score" in line]
        scores = [line["score"] for line in measured]
        lines.append((f"{preset}, {spec}", [line["games"] for line in measured], scores))
        print(
            f"| `{preset}` | {spec} | " + " | ".join(f"{100 * score:.1f} %" for score in scores) + " |",
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
    compile_all()
    for name in chosen:
        parts[name]()


if __name__ == "__main__":
    main()
