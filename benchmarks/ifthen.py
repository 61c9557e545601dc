"""If-then players: how often a run ends in optimal play, the effect of each option, and larger games, over ten seeds.

Prints the tables of `docs/results/ifthen.md`; `--part` prints one part alone, and `--keep` keeps the parts that were
run. `curves` also draws `docs/learners/ifthen-curves.svg` then. NashConv is exact (`ludarium exact`); 0 is optimal play
from both seats. Speeds are those of one thread, learning and checkpoints included, while the machine may be busy with
other work.
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from lab import named, over_seeds, run_study, trained_anew, written
from results import Study, Table

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
from ludarium.envs.chance import stream
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.report.charts import curve_plot
from ludarium.evaluation.statistics.intervals import half_width

SEEDS, WINDOWS_SEEDS = 10, 3
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "learners" / "ifthen-curves.svg"
STYLE = """><style>
text { font: 12px sans-serif; fill: #555 } .grid { stroke: #ccc } .curve { fill: none; stroke-width: 2 }
.c0, .c3 { stroke: #2a6f97 } .c1, .c4 { stroke: #c1121f } .c2, .c5 { stroke: #2a7f3f }
.c0, .c1, .c2 { stroke-dasharray: 5 3 }
</style>"""
LARGE = "hexapawn?rows=4&columns=4"
BUDGETS = (("hexapawn", 1_000), (LARGE, 100_000), ("tictactoe", 50_000))
LARGER = (("othello?size=4", 20_000), ("othello?size=6", 10_000), ("connect_four", 10_000))
EXACT = ("game", "games", "NashConv 0", "mean NashConv", "optimal actions", "games/s")
PAIRS, FEW_PAIRS, OPENING = 500, 200, 2
TWINS = ({}, {"selection": "none"}, {"breeding": "founders"}, {"breeding": "none"}, {"population": 1})
SHARED_GAMES, FEW_POSITIONS = 4_000, ("tictactoe", LARGE, "othello?size=4")
EVOLVED_GAMES, STEPS, MEMBERS = 3_000, 5, 4  # lines for each run, and the members in their mean
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


class Meeting(NamedTuple):
    """A champion's shares of the points, with half of the 95 % interval against greedy, and its other measures."""

    greedy: float
    margin: float
    random: float
    nash_conv: float | None
    seconds: float


@cache
def compiled() -> None:
    """Compile what learns, so that no speed counts it."""
    for kind, options in ((Original, {"rematch": 1}), (Modern, {}), (TabularQ, {})):
        trained_anew(kind(game="hexapawn", games=1_200, **options))


def seeded(kind: Any, spec: str, games: int, options: Mapping[str, Any], seeds: int = SEEDS) -> list[Learner]:
    """The same learner with each seed."""
    return [kind(game=spec, games=games, seed=seed, checkpoints=1, **options) for seed in range(seeds)]


def as_written(options: Mapping[str, Any]) -> str:
    return written(options) or "as it is"


def percent(shares: Sequence[float]) -> str:
    return over_seeds([100 * share for share in shares], 1)


def exact(table: Table, name: str, learners: Sequence[Learner]) -> None:
    """Add the row of a learner, over its seeds, with exact measures of its champions."""
    compiled()
    runs = [trained_anew(learner, time.perf_counter) for learner in learners]
    measures = [measure(run.game, run.champion) for run in runs]
    table.row(
        name,
        learners[0].game,
        f"{learners[0].budget:,}",
        f"{sum(one.nash_conv == 0 for one in measures)} of {len(runs)}",
        f"{mean(one.nash_conv for one in measures):.2f}",
        f"{100 * mean(one.optimal_action_rate for one in measures):.1f} %",
        f"{median(run.run.checkpoint.games / run.seconds for run in runs):,.0f}",
    )


def meet(learner: Learner, pairs: int = FEW_PAIRS) -> Meeting:
    """Train a player, and let the champion meet `greedy` and `random`."""
    compiled()
    run = trained_anew(learner)
    greedy, random = (
        play_match(run.game, [run.champion, rival], pairs, learner.seed, opening=OPENING).scores()
        for rival in ("greedy", "random")
    )
    gap = measure(run.game, run.champion).nash_conv if learner.game == "othello?size=4" else None
    return Meeting(float(greedy.mean()), half_width(greedy), float(random.mean()), gap, run.seconds)


# --- the parts -------------------------------------------------------------------------------------------------------


def presets(study: Study, _: argparse.Namespace) -> None:
    caption = (
        "`python benchmarks/ifthen.py --part presets`: seeds 0 to 9 for each line. NashConv is exact, and 0 is optimal "
        "play from both seats. Every game played in training counts."
    )
    table = study.table("presets", caption, "preset", *EXACT)
    for games in (1_000, 10_000):
        exact(table, "`seed`, `population=20`", seeded(Original, "hexapawn", games, {"population": 20}))
    for spec, games in (BUDGETS[0], ("hexapawn", 10_000), *BUDGETS[1:]):
        exact(table, "`seed`", seeded(Original, spec, games, {}))
    for name, kind in (("`modern`", Modern), ("`single`", Single), ("tabular Q-learning", TabularQ)):
        for spec, games in BUDGETS:
            exact(table, name, seeded(kind, spec, games, {}))


def greedy(study: Study, _: argparse.Namespace) -> None:
    caption = (
        f"`--part greedy`: the champion meets `greedy` in {PAIRS} pairs of games with exchanged seats and two random "
        "moves at the start. Scores are shares of the points by seed; ± is half of the widest 95 % interval over "
        "pairs, and a champion beats `greedy` if its own interval is above one half."
    )
    measures = "against `greedy`, % by seed", "±", "beats it", "`random`, %", "NashConv", "CPU, s"
    table = study.table("greedy", caption, "preset", "game", "games", *measures)
    for spec, games in LARGER:
        for kind in (Original, Modern, Single):
            met_greedy(table, f"`{kind.preset}`", seeded(kind, spec, games, {}))
        for windows in (0, 3) if spec == "othello?size=6" else ():
            options = {"windows": windows}
            met_greedy(table, f"`modern`, {as_written(options)}", seeded(Modern, spec, games, options, WINDOWS_SEEDS))


def met_greedy(table: Table, name: str, learners: Sequence[Learner]) -> None:
    """Add the row of a learner; a champion beats greedy if its interval is above one half."""
    met = [meet(learner, PAIRS) for learner in learners]
    gaps = [one.nash_conv for one in met if one.nash_conv is not None]
    table.row(
        name,
        learners[0].game,
        f"{learners[0].budget:,}",
        " ".join(f"{100 * one.greedy:.0f}" for one in met),
        f"{100 * max(one.margin for one in met):.1f}",
        f"{sum(one.greedy - one.margin > 0.5 for one in met)} of {len(met)}",
        f"{100 * mean(one.random for one in met):.1f}",
        f"{mean(gaps):.2f}" if gaps else "",
        f"{mean(one.seconds for one in met):.0f}",
    )


def shares(study: Study, _: argparse.Namespace) -> None:
    """What a population makes of its games, beside one map that learns from as many as each of its maps."""
    players = {  # and the divisor of its games: a game teaches two maps, so each of eight learns from a quarter of all
        "one map, a quarter of the games": (Single, 4, {}),
        "a population": (Modern, 1, {}),
        "without selection": (Modern, 1, {"selection": "none"}),
        "randomness chosen again": (ChosenAgain, 1, {}),
        "without inheritance": (Modern, 1, {"breeding": "none"}),
        "one map": (Single, 1, {}),
    }
    caption = (
        "`--part shares`: ten seeds. Boards with few positions are measured exactly; on the others the champion meets "
        f"`greedy` in {FEW_PAIRS} pairs of games."
    )
    table = study.table("shares", caption, f"{SHARED_GAMES:,} games", "measure", *players)
    for spec in (*FEW_POSITIONS, "othello?size=6", "connect_four"):
        shown, share = ("optimal actions", optimal) if spec in FEW_POSITIONS else ("against `greedy`", beaten)
        shares_of_players = [
            map(share, seeded(kind, spec, SHARED_GAMES // n, options)) for kind, n, options in players.values()
        ]
        table.row(spec, f"{shown}, %", *(percent(list(each)) for each in shares_of_players))


def optimal(learner: Learner) -> float:
    """The share of positions in which its champion acts optimally."""
    run = trained_anew(learner)
    return measure(run.game, run.champion).optimal_action_rate


def beaten(learner: Learner) -> float:
    """The share of the points that its champion takes from `greedy`."""
    return meet(learner).greedy


def evolution(study: Study, _: argparse.Namespace) -> None:
    """The champion, the mean of the first members, diversity, and what crossover brings, while a population evolves."""
    caption = (
        "`--part evolution`: means of ten seeds: the share of optimal actions of the champion and of the first four "
        "players, how often neighbours in the ranking disagree, how many children are ranked ahead of both parents (a "
        "third, if the ranking is random), and how much the survivors explore."
    )
    measures = "champion", "mean", "diversity", "ahead of both parents", "randomness"
    table = study.table("evolution", caption, "preset", "selection", "game", "games", *measures)
    boards = ((Original, "hexapawn"), (Modern, "tictactoe"))
    for (kind, spec), selection in product(boards, ("merit", "none")):
        runs = [evolve(learner) for learner in seeded(kind, spec, EVOLVED_GAMES, {"selection": selection})]
        for step, lines in enumerate(zip(*runs, strict=True), 1):
            champion, members, diversity, ahead, randomness = map(mean, zip(*lines, strict=True))
            rates = f"{100 * champion:.1f} %", f"{100 * members:.1f} %"
            others = f"{diversity:.2f}", f"{100 * ahead:.1f} %", f"{randomness:.2f}"
            table.row(f"`{kind.preset}`", selection, spec, f"{EVOLVED_GAMES * step // STEPS:,}", *rates, *others)


def evolve(learner: MapPlayers) -> list[tuple[float, ...]]:
    """What becomes of a population, in a row for each part of a run.

    The shares of optimal actions of the champion, and of the first members in the mean, are those at the end of the
    part, the others the mean of the part.
    """
    game = learner.learned
    arrays, rows, lines, played, number = learner.start(game), [], list[dict[str, float]](), 0.0, 0
    with workers("threads", 1) as parallel:
        while len(rows) < STEPS:
            lines.append(learner.generation(game, arrays, number, parallel))
            played, number = played + lines[-1]["games"], number + 1
            if played + learner.largest_generation(game) > learner.games * (len(rows) + 1) / STEPS:
                rates = [measure(game, learner.member(game, arrays, n)).optimal_action_rate for n in range(MEMBERS)]
                names = "diversity", "ahead_of_parents", "randomness"
                rows.append((rates[0], mean(rates), *(mean(line.get(name, 0.0) for line in lines) for name in names)))
                lines = []
    return rows


def twins(study: Study, _: argparse.Namespace) -> None:
    """The program without one of its parts, at equal games."""
    caption = (
        f"`--part twins`: ten seeds for each line, at equal games. Each champion meets `greedy` in {FEW_PAIRS} pairs "
        "of games; ± is half of the 95 % interval over seeds (Student's t). "
    )
    for kind, hexapawn_games, before in ((Modern, 500, caption), (Original, 10_000, "")):
        table = study.table("twins", f"{before}`{kind.preset}`:", "twin", *EXACT)
        budgets = ("hexapawn", hexapawn_games), (LARGE, 10_000), ("tictactoe", 10_000)
        for (spec, games), options in product(budgets, TWINS):
            exact(table, as_written(options), seeded(kind, spec, games, options))
        table = study.table("twins", "", "twin", "game", "games", "against `greedy`")
        for (spec, games), options in product((("othello?size=6", 1_000), ("connect_four", 1_000)), TWINS):
            scores = percent([beaten(learner) for learner in seeded(kind, spec, games, options)])
            table.row(as_written(options), spec, f"{games:,}", f"{scores} %")


def seed_options(study: Study, _: argparse.Namespace) -> None:
    table = study.table("seed-options", "`--part seed-options`: the preset `seed`, read otherwise.", "option", *EXACT)
    for options in SEED_READINGS:
        exact(table, as_written(options), seeded(Original, "hexapawn", 3_000, options))
    for options in ({}, {"record_on": "win+draw"}):
        exact(table, as_written(options), seeded(Original, "tictactoe", 10_000, options))


def modern_options(study: Study, _: argparse.Namespace) -> None:
    caption = (
        "`--part modern-options`: one thing is changed at a time, on a budget that is too small to reach 0 every time. "
        "`capacity=0` means no limit. Without values, a winner adds its random moves to its map as in `seed`, and "
        "there are no windows either. With inheritance by win rates, the better of two parents is the more likely to "
        "pass a pair on. The benchmark has these two; they are no options."
    )
    changes = (
        {}, {"population": 100}, {"founder_limit": 0.05}, {"randomness_rate": 0.05},
        ("inheritance by win rates", ByWinRate), {"games_per_comparison": 1}, {"symmetry": False}, {"windows": 0},
        {"capacity": 0}, ("without values", WithoutValues),
    )  # fmt: skip
    table = study.table("modern-options", caption, "change", *EXACT)
    for change in changes:
        name, kind, options = (as_written(change), Modern, change) if isinstance(change, dict) else (*change, {})
        exact(table, name, seeded(kind, "tictactoe", 10_000, options))


def curves(study: Study, args: argparse.Namespace) -> None:
    """How the champions' scores against the random agent grow in the larger games, with the first seed."""
    steps = [f"{10 * step} %" for step in range(1, 11)]
    table = study.table("curves", "`--part curves`: scores against `random`, seed 0.", "preset", "game", *steps)
    drawn = []
    for kind, (spec, budget) in product((Original, Modern), LARGER):
        lines = trained_anew(kind(game=spec, games=budget, checkpoints=10, test_games=1_000)).metrics
        games, scores = zip(*((line["games"], line["score"]) for line in lines if "score" in line), strict=True)
        drawn.append((f"{kind.preset}, {spec}", games, scores))
        table.row(f"`{kind.preset}`", spec, *(f"{100 * score:.1f} %" for score in scores))
    picture = curve_plot(drawn, "games").replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    if args.keep:
        PICTURE.write_text(picture.replace(">", STYLE, 1) + "\n", encoding="utf-8")


PARTS = named(presets, greedy, shares, evolution, twins, seed_options, modern_options, curves)

if __name__ == "__main__":
    run_study("ifthen", PARTS, argparse.ArgumentParser(description=__doc__))
