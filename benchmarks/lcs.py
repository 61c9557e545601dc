"""How well rules play Hanabi that evolve: `python benchmarks/lcs.py` makes all tables of `docs/results/lcs.md`.

Runs are kept in `runs/lcs/NAME/SEATS/SEED`, so the command can be stopped and goes on where it was. Runs from the list
written by hand learn with zero for lost lives at four and five seats, all others with points kept; every champion is
measured by both ways to score, on 10,000 decks that no run has seen, the same for all. ± is half a 95 % interval: over
games for one player, over training seeds for a mean. The part `expert` prints what the shipped lists score; with
`--choose`, it chooses them first. `--quick` makes everything small, to see that it runs, and keeps runs elsewhere.
"""

import argparse
import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from lab import over_games, over_seeds, run_study, trained
from lab import written as written_options
from numpy.typing import NDArray
from results import Study

from ludarium.agents.expert import LISTS
from ludarium.agents.hanabi.players import rule_list
from ludarium.agents.lcs import RULES
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import NUMBER
from ludarium.agents.lcs.modern import Modern
from ludarium.agents.lcs.operators import CHANGES, Limits
from ludarium.agents.lcs.policy import rule_player
from ludarium.agents.lcs.text import read_file, rule_text, rules_text
from ludarium.agents.learning.presets import Presets
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game

SEATS = (2, 3, 4, 5)
COLUMNS = [f"{seats} seats" for seats in SEATS]
TESTING, CHOOSING = 1_000_000_007, 1_000_000_008
"""The seeds of the decks that measure and of those that choose what is shipped: no training seeds."""
PUBLISHED = {
    "Piers": (17.341, 17.555, 17.152, 16.267),
    "best published list found by a genetic algorithm": (20.07, 19.47, 19.29, 18.34),
    "SmartBot": (23.09, 23.28, 22.42, 20.68),
}
"""Points kept at 2, 3, 4 and 5 seats, as measured with the original programs."""
STRANGERS = ("piers", "iggi", "vdb")
EVOLVED: Mapping[str, dict[str, Any]] = {"random": {"games": 1_000_000}, "hand": {"games": 600_000}}
"""Options of the preset `modern`, by what a run begins with."""
ISLANDS = {"islands": 8, "games": 2_600_000}
"""Instead, from random rules where a single population too often settles a convention that misses the target."""
ON_ISLANDS = (2, 5)
MIXED = {"origin": "hand", "games": 600_000, "partners": ",".join(STRANGERS)}
ONE_LIST = {"origin": "hand", "games": 1_200_000, "other_seats": "3,4,5"}
TWIN_GAMES, ORIGINAL_GAMES, TUNING_GAMES = 160_000, 20_000, 200_000
QUICK: Mapping[str, dict[str, Any]] = {
    "modern": {"games": 5000, "population": 8, "founders": 40, "decks": 100},
    "seed": {"games": 200},
    "thresholds": {"games": 1000, "decks": 20},
}
"""Options of each preset with `--quick`."""
TARGETS = {"random": (22.4, 22.8, 22.4, 21.7), "hand": (23.1, 23.4, 23.0, 22.0)}
FORESIGHT = "good,bad,gain,saves,played-rank,unlocks"
"""The words that foresee what a hint's receiver would then do."""
HISTORY = (
    "touched,fresh,focus,alone,by-rank,with-chop,saved,color-told,rank-told,chop,"
    "news,touches-new,touches-chop,chop-critical"
)
"""The words that ask what hints have told already: of one's own cards, and of those that a hint touches."""
PLANS = "plays-next,plays-expected,mistakes-expected,losses-expected"
"""The words that foresee what the others would do without a hint."""


@dataclass(frozen=True, kw_only=True)
class Without(Modern):
    """The preset `modern` without some features of the rule language, and without some kinds of changes.

    Attributes:
        without: their names, joined by commas. Without `delete`, rules that never fire stay, too.
    """

    without: str = ""

    @property
    def limits(self) -> Limits:
        limits, names = super().limits, self.without.split(",")
        features = limits.features - {NUMBER[name] for name in names if name in NUMBER}
        changes = {kind: share for kind, share in CHANGES.items() if kind not in names}
        return limits._replace(features=features, orders=features, changes=changes)


TWINS: Mapping[str, dict[str, Any]] = {
    "evolved": {},
    "random search": {"breeding": "founders"},
    "no selection": {"selection": "none"},
    "one player": {"population": 1},
    "no choice of founders": {"founders": 1},
    "no crossover": {"crossover": False},
    "no credit": {"credit": False},
    "no covering": {"covering": False},
    "no specialisation": {"without": "specialise,replace,exception"},
    "no generalisation": {"without": "generalise,replace"},
    "no deletion of rules": {"without": "delete"},
    "no new rules": {"without": "new"},
    "hints are not foreseen": {"without": FORESIGHT},
    "no history of hints": {"without": HISTORY},
    "plans are not foreseen": {"without": PLANS},
}
SEED: Mapping[str, dict[str, Any]] = {
    "as described": {},
    "rules may ask for hints given": {"given_hint": True},
    "covering": {"covering": True},
    "young rules protected": {"protect": 50},
    "parents kept": {"keep_parent": True},
    "all four": {"given_hint": True, "covering": True, "protect": 50, "keep_parent": True},
    "exploring": {"explore": 0.1},
    "mean less a deviation (SAMUEL)": {"fitness": "samuel"},
    "accuracy (XCS)": {"fitness": "accuracy"},
    "bucket brigade": {"credit": "td"},
    "σ annealed": {"sigma": "anneal"},
    "σ adapted": {"sigma": "self"},
    "own cards considered together": {"beliefs": "exact"},
    "without merging": {"crossover": False},
    "rules chosen at random": {"selection": "none"},
    "random search": {"breeding": "founders"},
    "nothing is changed": {"breeding": "none"},
    "tuned on other seeds": {},
}
"""The preset `seed` as described, with what its author wished for or implies, and its twins."""
TUNED: Mapping[str, tuple[Any, ...]] = {
    "alpha": (0.8, 0.9, 0.95, 0.98),
    "reward_played": (1.0, 3.0, 10.0),
    "reward_misplayed": (-1.0, -2.0, -5.0),
    "reward_repeated": (-0.5, -2.0, -10.0),
    "reward_final": (0.3, 1.0, 3.0),
    "season": (5, 10, 20, 50),
    "modified": (0.01, 0.02, 0.05, 0.1),
    "tournament": (2, 4, 8, 16),
    "rules": (50, 100, 200),
    "conditions": (1, 2, 4),
    "protect": (0, 50, 200),
}
"""The numbers of the preset `seed` that are tuned, and what they may be."""
SETTINGS, FIRST_TUNING_SEED = 8, 100


class Champion(NamedTuple):
    """The rules of a run's champion, the run's games, and its CPU seconds."""

    rules: NDArray[Any]
    games: int
    seconds: float


class Setting(NamedTuple):
    """A setting of the preset `seed` that was tried, and the points of its runs, one for each training seed."""

    number: int
    settings: Mapping[str, Any]
    points: list[float]


def champion(args: argparse.Namespace, name: str, seats: int, seed: int, preset: str, **options: Any) -> Champion:
    """The champion of a run; it is trained first if that has not been done."""
    kind, quick = Presets((Without,)) if "without" in options else RULES, QUICK[preset] if args.quick else {}
    counts_lives = name == "one list" or (name == "hand" and seats > 3)
    spec = hanabi(seats, kept=not counts_lives).spec
    learner: Any = kind.learner({"game": spec, "seed": seed, "checkpoints": 4, **options, **quick}, preset)
    run, _, seconds = trained(learner, folder(args, name, seats) / str(seed), workers=None)
    return Champion(learner.list_of(run.arrays, 0), run.checkpoint.games, seconds)


def champions(args: argparse.Namespace, name: str, seats: int, **options: Any) -> list[Champion]:
    """Those of the preset `modern` with all training seeds."""
    return [champion(args, name, seats, seed, "modern", **options) for seed in range(args.seeds)]


def evolved(args: argparse.Namespace, origin: str, seats: int) -> list[Champion]:
    """The champions of runs that begin with random rules or with the list written by hand."""
    options = ISLANDS if origin == "random" and seats in ON_ISLANDS else EVOLVED[origin]
    return champions(args, origin, seats, origin=origin, **options)


def folder(args: argparse.Namespace, name: str, seats: int) -> Path:
    """The folder of the runs of a name."""
    return Path("runs/lcs-quick" if args.quick else "runs/lcs", name.replace(" ", "-"), str(seats))


@cache
def hanabi(seats: int, kept: bool) -> Game:
    """The game, with points kept or zero for lost lives. Random lists lose them all, so they would learn nothing."""
    return make_game(f"hanabi?seats={seats}" + ("&score=points-kept" if kept else ""))


def decks(args: argparse.Namespace, share: int = 1, seed: int = TESTING) -> NDArray[np.uint64]:
    """Decks, by default all that measure."""
    return _keys(max((200 if args.quick else 10_000) // share, 20), seed)


def choosing(args: argparse.Namespace) -> NDArray[np.uint64]:
    """Decks that choose settings of the preset `seed`."""
    return decks(args, 10, CHOOSING)


@cache
def _keys(number: int, seed: int) -> NDArray[np.uint64]:
    return np.array([seed_key(seed, deck) for deck in range(number)], dtype=np.uint64)


def scores(args: argparse.Namespace, rules: NDArray[Any], seats: int, kept: bool = True) -> Any:
    """The scores on the decks that measure."""
    return play_list(hanabi(seats, kept), decks(args), False, rules).scores


def both(args: argparse.Namespace, rules: NDArray[Any], seats: int) -> str:
    """A cell: points kept, and zero for lost lives."""
    return f"{over_games(scores(args, rules, seats))} / {scores(args, rules, seats, kept=False).mean():.2f}"


def points(args: argparse.Namespace, lists: list[Champion], seats: int, kept: bool = True) -> list[float]:
    """The mean score of each champion."""
    return [float(scores(args, one.rules, seats, kept).mean()) for one in lists]


def measured(args: argparse.Namespace, share: int = 1) -> str:
    """The training seeds and the decks, for captions."""
    return f"{args.seeds} training seeds, {len(decks(args, share)):,} decks"


# --- the parts --------------------------------------------------------------------------------------------------------


def modern(study: Study, args: argparse.Namespace) -> None:
    """What evolves from random rules, and from the list written by hand."""
    caption = (
        "`python benchmarks/lcs.py --part modern`: lists that evolved from random rules, and from the list written by"
    )
    table = study.table("modern", f"{caption} hand; {measured(args)}.", "list", *COLUMNS)
    for name, published in PUBLISHED.items():
        table.row(name, *(f"{value:.2f}" for value in published))
    for origin in EVOLVED:
        champions_by_seats = [evolved(args, origin, seats) for seats in SEATS]
        kept, zero = (
            [points(args, *one, which) for one in zip(champions_by_seats, SEATS, strict=True)]
            for which in (True, False)
        )
        table.row(f"evolved from `{origin}`, points kept", *map(over_seeds, kept))
        table.row("zero for lost lives", *map(over_seeds, zero))
        enough = [sum(value >= target for value in one) for one, target in zip(kept, TARGETS[origin], strict=True)]
        table.row("seeds that reach the target", *(f"{number} of {args.seeds}" for number in enough))
        table.row("rules", *(f"{mean(len(one.rules) for one in runs):.0f}" for runs in champions_by_seats))
        table.row("games", *(f"{mean(one.games for one in runs):,.0f}" for runs in champions_by_seats))
        table.row("CPU s", *(f"{mean(one.seconds for one in runs):.0f}" for runs in champions_by_seats))


def one(study: Study, args: argparse.Namespace) -> None:
    """One list for all numbers of seats."""
    lists = champions(args, "one list", 2, **ONE_LIST)
    caption = (
        f"`--part one`: one list for all numbers of seats; {args.seeds} training seeds, {lists[0].games / 1e6:.2f} "
        "million games each at tables of two to five, which scored zero for lost lives."
    )
    table = study.table("one", caption, "from `hand`, one list for all", *COLUMNS)
    for name, kept in (("points kept", True), ("zero for lost lives", False)):
        table.row(name, *(over_seeds(points(args, lists, seats, kept)) for seats in SEATS))


def together(study: Study, args: argparse.Namespace) -> None:
    """Lists that meet each other and strangers, and what training with strangers changes."""
    caption = (
        f"`--part together`: {measured(args, 5)}, points kept. `with each other`: a list of one seed has one seat and "
        "that of another seed all others. Then a published player has these; the last column is the mean of such teams "
        "as a share of what both score by themselves."
    )
    columns = ("list", "seats", "by itself", "with each other", *STRANGERS, "of both by themselves")
    table = study.table("together", caption, *columns)
    for seats in SEATS:
        lists_by_name = {f"evolved from `{origin}`": evolved(args, origin, seats) for origin in EVOLVED}
        if seats == SEATS[0]:
            lists_by_name["from `hand`, at mixed tables"] = champions(args, "mixed tables", seats, **MIXED)
        for name, runs in lists_by_name.items():
            table.row(name, seats, *meet(args, seats, [run.rules for run in runs]))


def meet(args: argparse.Namespace, seats: int, lists: list[NDArray[Any]]) -> list[str]:
    """The cells of lists by themselves, and with one seat where another or a stranger has all others."""
    game, some = hanabi(seats, kept=True), decks(args, 5)

    def team(*players: Any) -> float:
        return float(play_list(game, some, False, *players).scores.mean())

    alone = [team(one) for one in lists]
    pairs = itertools.permutations(lists, 2)
    others = [team(one, rule_player(game, other)) for one, other in pairs]
    cells, shares = [], []
    for stranger in STRANGERS:
        policy = rule_list(game, name=stranger)
        seating = np.zeros((len(some), seats), dtype=np.int64)
        itself = float(play_games(game, [policy], seating, some, some).payoffs[:, 0].mean())
        met = [team(one, policy) for one in lists]
        cells.append(over_seeds(met))
        shares += [value / mean((own, itself)) for value, own in zip(met, alone, strict=True)]
    each = f"{mean(others):.2f}" if others else "–"
    return [over_seeds(alone), each, *cells, f"{100 * mean(shares):.0f} %"]


def twins(study: Study, args: argparse.Namespace) -> None:
    """The program without one of its parts, from random rules, at equal games."""
    games = twin(args, "evolved")[0].games
    caption = (
        f"`--part twins`: the program from random rules without one of its parts, {args.seeds} training seeds, "
        f"{games:,} games each, points kept on {len(decks(args)):,} decks. A run ends before a generation that might "
        "exceed its games."
    )
    table = study.table("twins", caption, "program", "2 seats")
    for name in TWINS:
        table.row(name, over_seeds(points(args, twin(args, name), 2)))


def twin(args: argparse.Namespace, name: str) -> list[Champion]:
    """The champions of a twin, at two seats."""
    return champions(args, f"twin {name}", 2, games=TWIN_GAMES, **TWINS[name])


def thresholds(study: Study, args: argparse.Namespace) -> None:
    """What CMA-ES makes of the thresholds of lists that have evolved from random rules."""
    before = twin(args, "evolved")
    origins = [{"origin": str(folder(args, "twin evolved", 2) / str(seed))} for seed in range(args.seeds)]
    after = [
        champion(args, "thresholds", 2, seed, "thresholds", games=TUNING_GAMES, **origin)
        for seed, origin in enumerate(origins)
    ]
    caption = (
        f"`--part thresholds`: lists that evolved from random rules in {before[0].games:,} games, and {TUNING_GAMES:,} "
        f"games of the preset `thresholds` from each; {args.seeds} training seeds, points kept on "
        f"{len(decks(args)):,} decks."
    )
    table = study.table("thresholds", caption, "list", "seats", "as evolved", "thresholds moved", "difference")
    values = [points(args, lists, 2) for lists in (before, after)]
    gains = [new - old for old, new in zip(*values, strict=True)]
    table.row("evolved from `random`", 2, *map(over_seeds, (*values, gains)))


def original(study: Study, args: argparse.Namespace) -> None:
    """The original's one set of rules, as described and with what its author wished for."""
    caption = (
        f"`--part original`: {original_games(args):,} games, as the original is described, with "
        f"what its author wished for, and its twins; {measured(args, 10)}. The last column counts rules that fire in "
        f"some position of {len(decks(args, 20))} decks."
    )
    columns = ("points kept", "moves that no rule made", "hints that told nothing new", "rules that fire")
    table, best = study.table("original", caption, "seed preset", "seats", *columns), tuned(args)[0].settings
    for name in SEED:
        for seats in SEATS if name == "as described" else SEATS[:1]:
            settings = best if name == "tuned on other seeds" else SEED[name]
            runs = [original_run(args, name, seats, seed, settings) for seed in range(args.seeds)]
            table.row(name, seats, *played(args, runs, seats, settings.get("beliefs") == "exact"))


def original_games(args: argparse.Namespace) -> int:
    """The games of each run of the preset `seed`."""
    return int(QUICK["seed"]["games"] if args.quick else ORIGINAL_GAMES)


def original_run(args: argparse.Namespace, name: str, seats: int, seed: int, settings: Mapping[str, Any]) -> Champion:
    """The champion of the preset `seed` with some settings."""
    return champion(args, f"seed {name}", seats, seed, "seed", games=ORIGINAL_GAMES, **settings)


def played(args: argparse.Namespace, runs: list[Champion], seats: int, exact: bool) -> list[str]:
    """The cells of champions of the preset `seed`."""
    game = hanabi(seats, kept=True)
    records = [play_list(game, decks(args, 10), exact, run.rules) for run in runs]
    firing = [play_list(game, decks(args, 20), exact, run.rules, study=True).triggers > 0 for run in runs]
    fallback = mean(100 * record.credit[-1, 0] / record.decisions for record in records)
    repeats = mean(100 * record.repeats / record.decisions for record in records)
    points = over_seeds([float(record.scores.mean()) for record in records])
    return [points, f"{fallback:.1f} %", f"{repeats:.1f} %", f"{mean(100 * one.mean() for one in firing):.0f} %"]


def tuning(study: Study, args: argparse.Namespace) -> None:
    """Settings of the preset `seed`, chosen on training seeds that nothing else uses."""
    caption = (
        f"`--part tuning`: {SETTINGS} random settings of the preset `seed` at 2 seats, {original_games(args):,} games "
        f"each. After each training seed from {FIRST_TUNING_SEED}, the better half goes on: by points kept on "
        f"{len(choosing(args)):,} decks that measure nothing else. The two that were left, and the best of the others:"
    )
    table = study.table("tuning", caption, "settings", "training seeds", "points kept")
    for one in tuned(args)[:3]:
        table.row(written_options(one.settings), len(one.points), over_seeds(one.points))


def tuned(args: argparse.Namespace) -> list[Setting]:
    """The settings that were tried, the best first."""
    random = np.random.default_rng(FIRST_TUNING_SEED)
    tried = [
        Setting(number, {name: values[random.integers(len(values))] for name, values in TUNED.items()}, [])
        for number in range(SETTINGS)
    ]
    left, seed, game = SETTINGS, FIRST_TUNING_SEED, hanabi(2, kept=True)
    while left > 1:
        for one in tried[:left]:
            rules = original_run(args, f"tuning {one.number}", 2, seed, one.settings).rules
            one.points.append(float(play_list(game, choosing(args), False, rules).scores.mean()))
        tried.sort(key=lambda one: (-len(one.points), -mean(one.points)))
        left, seed = left // 2, seed + 1
    return tried


def written(study: Study, args: argparse.Namespace) -> None:
    """The list written by hand, and what each of its rules brings."""
    rules, some = hand_list(), decks(args, 10)
    caption = (
        f"`--part written`: the list written by hand, with nothing evolved; {len(decks(args)):,} decks, and the speed "
        "of one core."
    )
    table = study.table("written", caption, "points kept / zero for lost lives", *COLUMNS)
    table.row("written by hand", *(both(args, rules, seats) for seats in SEATS))
    for name, exact in (("games in a CPU second", False), ("with `beliefs=exact`", True)):
        table.row(name, *(f"{speed(some, seats, exact):,.0f}" for seats in SEATS))
    caption = f"The change when one of its rules is left out, on {len(some):,} of these decks."
    table = study.table("written", caption, "without the rule", *COLUMNS)
    games = [hanabi(seats, kept=True) for seats in SEATS]
    whole = [play_list(game, some, False, rules).scores.mean() for game in games]
    for number, rule in enumerate(rules):
        without = [play_list(game, some, False, np.delete(rules, number)).scores.mean() for game in games]
        table.row(f"`{rule_text(rule)}`", *(f"{b - a:+.2f}" for a, b in zip(whole, without, strict=True)))


def speed(some: NDArray[np.uint64], seats: int, exact: bool) -> float:
    """How many games the list written by hand plays in a second of one processor."""
    game = hanabi(seats, kept=False)
    play_list(game, some[:2], exact, hand_list())  # compiles
    started = time.process_time()
    play_list(game, some, exact, hand_list())
    return len(some) / (time.process_time() - started)


def expert(study: Study, args: argparse.Namespace) -> None:
    """The lists of the agent `expert`."""
    caption = f"`--part expert`: the shipped lists; {len(decks(args)):,} decks."
    table = study.table("expert", caption, "points kept / zero for lost lives", *COLUMNS)
    if args.choose:
        for seats in SEATS:
            (LISTS / f"{seats}.txt").write_text(rules_text(best(args, seats)), encoding="utf-8")
    table.row("`expert`", *(both(args, read_file(LISTS / f"{seats}.txt"), seats) for seats in SEATS))


def best(args: argparse.Namespace, seats: int) -> NDArray[Any]:
    """The best list of all runs of this benchmark and the written one, by the score that is zero for lost lives."""
    game, choosing = hanabi(seats, kept=False), decks(args, 2, CHOOSING)
    folders = [*(folder(args, origin, seats) for origin in EVOLVED), folder(args, "one list", 2)]
    runs = sorted(run for runs in folders for run in runs.glob("[0-9]*"))
    lists: list[Any] = [hand_list(), *(RULES.player(game, str(run)).rules for run in runs)]
    return max(lists, key=lambda rules: play_list(game, choosing, False, rules).scores.mean())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="training seeds")
    parser.add_argument("--choose", action="store_true", help="choose the lists of `expert` anew")
    parser.add_argument("--quick", action="store_true")
    parts = (modern, one, together, twins, thresholds, original, tuning, written, expert)
    run_study("lcs", {part.__name__: part for part in parts}, parser)
