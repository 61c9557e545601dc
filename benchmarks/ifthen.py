"""If-then players: how often a run ends in optimal play, over ten seeds, and what each option brings. Prints Markdown.

NashConv is exact (`ludarium exact`); 0 is optimal play from both seats. Speeds are those of one thread, learning and
checkpoints included, on whatever else this machine does.
"""

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.baselines.training import Checkpoint, train
from ludarium.agents.genetic.evolution import evolve
from ludarium.agents.genetic.ifthen import IfThen
from ludarium.envs.registry import make_game
from ludarium.evaluation.exact import measure

SEEDS = 10
LARGE = "hexapawn?rows=4&columns=4"
HEAD = "| {} | game | games | NashConv 0 | mean NashConv | optimal actions | games/s |\n|---|---|---|---|---|---|---|"
CLAIMS = (  # preset, options that overrule it, game, games
    ("seed", {"population": 20}, "hexapawn", 1_000),
    ("seed", {"population": 20}, "hexapawn", 10_000),
    ("seed", {}, "hexapawn", 1_000),
    ("seed", {}, "hexapawn", 10_000),
    ("seed", {}, LARGE, 100_000),
    ("seed", {}, "tictactoe", 50_000),
    ("modern", {}, "hexapawn", 1_000),
    ("modern", {}, LARGE, 100_000),
    ("modern", {}, "tictactoe", 50_000),
)
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
)


def run(
    kind: Any, preset: str, options: Mapping[str, Any], spec: str, games: int, seed: int, out: Path
) -> tuple[Any, float]:
    """What is exactly known about the champion of one run, and the run's games a second."""
    given = {"game": spec, "games": games, "seed": seed, "checkpoints": 1, **options}
    config = kind.from_preset(preset, given) if preset else kind.from_options(given)
    started = time.perf_counter()
    if preset:
        evolve(config, out, workers=1)
    else:
        train(config, out)
    rate = Checkpoint.load(out, kind).games / (time.perf_counter() - started)
    game = make_game(config.game)
    return measure(game, config.policy(game, Checkpoint.load(out, kind).arrays)), rate


def row(title: str, kind: Any, preset: str, options: Mapping[str, Any], spec: str, games: int) -> None:
    """Print one line: ten seeds of one run."""
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
    """Speeds do not count compilation."""
    with tempfile.TemporaryDirectory() as folder:
        for preset in IfThen.presets:
            run(IfThen, preset, {"rematch": 1}, "hexapawn", 1_200, 0, Path(folder) / preset)
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
    print("\n### `modern`, without\n")
    print(HEAD.format("option"))
    defaults = IfThen(game="hexapawn")
    without = [{}] + [{name: getattr(defaults, name)} for name in IfThen.presets["modern"]]
    for options in without:
        row(text(options) or "as it is", IfThen, "modern", options, "tictactoe", 10_000)


if __name__ == "__main__":
    compile_all()
    claims()
    readings()
    ablation()
