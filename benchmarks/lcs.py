"""How well rules play Hanabi that evolve: `ludarium train lcs hanabi`.

Prints the tables of `docs/learners/lcs.md` as Markdown. Runs are kept in `runs/lcs/NAME/SEATS/SEED`, so the command can
be stopped and goes on where it was. Runs from the list written by hand learn with zero for lost lives at four and five
seats, all others with points kept; every champion is measured by both ways to score, on `--decks` decks that no run has
seen, the same for all. ± is half a 95 % interval: over games for one player, over training seeds for a mean. `--part`
prints one table alone; `--quick` makes everything small, to see that it runs.
"""

import argparse
import itertools
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.expert import LISTS
from ludarium.agents.hanabi.players import rule_list
from ludarium.agents.lcs import RULES
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import NUMBER
from ludarium.agents.lcs.modern import Modern
from ludarium.agents.lcs.operators import CHANGES, Limits
from ludarium.agents.lcs.policy import rule_player
from ludarium.agents.lcs.text import rule_text, rules_text
from ludarium.agents.learning import run as learning
from ludarium.agents.learning.presets import Presets
from ludarium.agents.learning.runs import Run
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game
from ludarium.evaluation.statistics.intervals import half_width, mean_interval

RUNS = Path("runs/lcs")
TESTING, CHOOSING = 1_000_000_007, 1_000_000_008
"""The seeds of the decks that measure and of those that choose what is shipped: no training seeds."""
PUBLISHED = {
    "Piers": (17.341, 17.555, 17.152, 16.267),
    "best published list found by a genetic algorithm": (20.07, 19.47, 19.29, 18.34),
    "SmartBot": (23.09, 23.28, 22.42, 20.68),
}
"""Points kept at 2, 3, 4 and 5 seats, as measured with the original programs."""
STRANGERS = ("piers", "iggi", "vdb")
GAMES = {"random": 1_000_000, "hand": 600_000, "one list": 1_200_000, "mixed tables": 600_000}
"""Of a run of the preset `modern`, unless `--games` says otherwise."""
ON_ISLANDS: Mapping[int, dict[str, Any]] = {seats: {"islands": 8, "games": 2_600_000} for seats in (2, 5)}
"""Of runs from random rules where a single population too often settles a convention that misses the target."""
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
    "σ annealed": {"sigma": "anneal"},
    "σ adapted": {"sigma": "self"},
    "rules chosen at random": {"selection": "none"},
    "own cards considered together": {"beliefs": "exact"},
    # The best of 24 random settings at 2 seats: 20,000 games, training seeds 100 to 103 (settings that were behind were
    # left out after each seed), by the mean score of the champions on 2,000 decks of the seed `CHOOSING`.
    "tuned on other seeds": {
        "alpha": 0.8,
        "reward_played": 10.0,
        "reward_repeated": -10.0,
        "season": 20,
        "modified": 0.05,
        "tournament": 16,
        "rules": 200,
        "conditions": 2,
    },
}


class Bench:
    """What to run, and how large.

    Attributes:
        seats: the numbers of seats.
        seeds: the number of training seeds.
        origins: what evolution begins with.
        decks: the number of decks that measure.
        options: options of every run of the preset `modern`, instead of its games.
        games: the games of a run of the preset `seed`.
        tuning: options of every run of the preset `thresholds`.
    """

    def __init__(self, given: argparse.Namespace) -> None:
        self.seats, self.seeds = given.seats, range(given.first_seed, given.first_seed + given.seeds)
        self.origins = given.origins
        self.decks = 200 if given.quick else given.decks
        self.options = {"games": given.games} if given.games else {}
        self.games = 200 if given.quick else 20_000
        self.tuning = {"decks": 20, "games": 1000} if given.quick else {"games": 200_000}
        if given.quick:
            self.options = {"games": 5000, "population": 8, "founders": 40, "decks": 100}

    def folder(self, name: str, seats: int, seed: int) -> Path:
        """The folder of a run."""
        return RUNS / name.replace(" ", "-") / str(seats) / str(seed)

    def champion(self, name: str, preset: str, seats: int, seed: int, **options: Any) -> tuple[Any, Run, float]:
        """The rules of a run's champion, the run, and its CPU seconds; trains first if that has not been done."""
        folder = self.folder(name, seats, seed)
        game = f"hanabi?seats={seats}" + ("" if counts_lives(name, seats) else "&score=points-kept")
        if preset == "modern":
            options = {"games": GAMES.get(name, GAMES["random"]), **options, **self.options}
        kind = Presets((Without,)) if "without" in options else RULES
        learner: Any = kind.learner({"game": game, "seed": seed, "checkpoints": 4, **options}, preset)
        before, spent = time.process_time(), folder / "cpu.json"
        learning.train(learner, folder)
        if not spent.exists():
            spent.write_text(json.dumps(time.process_time() - before))
        run = Run.load(folder, kind)
        return learner.list_of(run.arrays, 0), run, float(json.loads(spent.read_text()))

    def scores(self, rules: NDArray[Any], seats: int) -> tuple[Any, Any]:
        """The scores on the decks that measure: points kept, and zero for lost lives."""
        kept = play_list(make_game(f"hanabi?seats={seats}&score=points-kept"), keys(self.decks), False, rules).scores
        zero = play_list(make_game(f"hanabi?seats={seats}"), keys(self.decks), False, rules).scores
        return kept, zero


def beginning(origin: str, seats: int) -> dict[str, Any]:
    """Options of a run, by what it begins with."""
    return {"origin": origin, **(ON_ISLANDS.get(seats, {}) if origin == "random" else {})}


def counts_lives(name: str, seats: int) -> bool:
    """Whether games of a run score zero for lost lives. Random lists lose them all, so they would learn nothing."""
    return name == "one list" or (name == "hand" and seats > 3)


@cache
def keys(decks: int, seed: int = TESTING) -> NDArray[np.uint64]:
    """Decks, by default those that measure."""
    return np.array([seed_key(seed, deck) for deck in range(decks)], dtype=np.uint64)


def row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*cells: object) -> None:
    print()
    row(*cells)
    row(*["---"] * len(cells))


def over_seeds(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.2f}"
    middle, half = mean_interval(values)
    return f"{middle:.2f} ± {half:.2f}"


# --- the tables -------------------------------------------------------------------------------------------------------


def written(bench: Bench) -> None:
    """The list written by hand, and what each of its rules brings."""
    head("points kept / zero for lost lives", *(f"{seats} seats" for seats in bench.seats))
    cells = []
    for seats in bench.seats:
        kept, zero = bench.scores(hand_list(), seats)
        cells.append(f"{kept.mean():.2f} ± {half_width(kept):.2f} / {zero.mean():.2f}")
    row("written by hand", *cells)
    for name, exact in (("games in a CPU second", False), ("with `beliefs=exact`", True)):
        row(name, *(f"{speed(bench, seats, exact):,.0f}" for seats in bench.seats))
    head("without the rule", *(f"{seats} seats" for seats in bench.seats))
    rules, some = hand_list(), keys(max(bench.decks // 10, 20))
    games = [make_game(f"hanabi?seats={seats}&score=points-kept") for seats in bench.seats]
    whole = [play_list(game, some, False, rules).scores.mean() for game in games]
    for number, rule in enumerate(rules):
        without = [play_list(game, some, False, np.delete(rules, number)).scores.mean() for game in games]
        row(f"`{rule_text(rule)}`", *(f"{b - a:+.2f}" for a, b in zip(whole, without, strict=True)))


def speed(bench: Bench, seats: int, exact: bool) -> float:
    """How many games the list written by hand plays in a second of one processor."""
    game, some = make_game(f"hanabi?seats={seats}"), keys(max(bench.decks // 10, 20))
    play_list(game, some[:2], exact, hand_list())  # compiles
    started = time.process_time()
    play_list(game, some, exact, hand_list())
    return len(some) / (time.process_time() - started)


def modern(bench: Bench) -> None:
    """What evolves from random rules, and from the list written by hand."""
    head("list", *(f"{seats} seats" for seats in bench.seats))
    for name, points in PUBLISHED.items():
        row(name, *(f"{points[seats - 2]:.2f}" for seats in bench.seats))
    for origin in bench.origins:
        found = {
            seats: [bench.champion(origin, "modern", seats, seed, **beginning(origin, seats)) for seed in bench.seeds]
            for seats in bench.seats
        }
        means = {seats: [[float(s.mean()) for s in bench.scores(rules, seats)] for rules, _, _ in found[seats]]
                 for seats in bench.seats}  # fmt: skip
        row(f"evolved from `{origin}`, points kept", *(over_seeds([kept for kept, _ in v]) for v in means.values()))
        row("zero for lost lives", *(over_seeds([zero for _, zero in values]) for values in means.values()))
        enough = {s: sum(kept >= TARGETS[origin][s - 2] for kept, _ in values) for s, values in means.items()}
        row("seeds that reach the target", *(f"{n} of {len(bench.seeds)}" for n in enough.values()))
        row("rules", *(f"{mean(len(rules) for rules, _, _ in runs):.0f}" for runs in found.values()))
        row("games", *(f"{mean(run.checkpoint.games for _, run, _ in runs):,.0f}" for runs in found.values()))
        row("CPU s", *(f"{mean(cpu for _, _, cpu in runs):.0f}" for runs in found.values()))


def twins(bench: Bench) -> None:
    """The program without one of its parts, from random rules, at equal games."""
    head("program", *(f"{seats} seats" for seats in bench.seats))
    for name, options in TWINS.items():
        cells = []
        for seats in bench.seats:
            train = partial(bench.champion, f"twin {name}", "modern", seats, **options)
            cells.append(over_seeds([float(bench.scores(train(seed)[0], seats)[0].mean()) for seed in bench.seeds]))
        row(name, *cells)


def thresholds(bench: Bench) -> None:
    """What CMA-ES makes of the thresholds of lists that have evolved from random rules."""
    head("list", "seats", "as evolved", "thresholds moved", "difference")
    for seats in bench.seats:
        pairs = []
        for seed in bench.seeds:
            before = bench.champion("twin evolved", "modern", seats, seed)[0]
            options = {"origin": str(bench.folder("twin evolved", seats, seed)), **bench.tuning}
            after = bench.champion("thresholds", "thresholds", seats, seed, **options)[0]
            pairs.append([float(bench.scores(rules, seats)[0].mean()) for rules in (before, after)])
        columns = (*zip(*pairs, strict=True), [after - before for before, after in pairs])
        row("evolved from `random`", seats, *(over_seeds(list(values)) for values in columns))


def together(bench: Bench) -> None:
    """Lists that meet each other and strangers, and what training with strangers changes."""
    head("list", "seats", "by itself", "with each other", *STRANGERS, "of both by themselves")
    for seats in bench.seats:
        found = {
            f"evolved from `{origin}`": champions(bench, origin, seats, **beginning(origin, seats))
            for origin in bench.origins
        }
        if seats == bench.seats[0]:
            options = {"origin": "hand", "partners": ",".join(STRANGERS)}
            found["from `hand`, at mixed tables"] = champions(bench, "mixed tables", seats, **options)
        for name, lists in found.items():
            meet(bench, name, seats, lists)


def for_all(bench: Bench) -> None:
    """One list for all numbers of seats."""
    head("from `hand`, one list for all", *(f"{seats} seats" for seats in (2, 3, 4, 5)))
    lists = champions(bench, "one list", 2, origin="hand", other_seats="3,4,5")
    scores = {seats: [bench.scores(one, seats) for one in lists] for seats in (2, 3, 4, 5)}
    for which, name in enumerate(("points kept", "zero for lost lives")):
        row(name, *(over_seeds([float(found[which].mean()) for found in each]) for each in scores.values()))


def champions(bench: Bench, name: str, seats: int, **options: Any) -> list[NDArray[Any]]:
    """The lists of all training seeds."""
    return [bench.champion(name, "modern", seats, seed, **options)[0] for seed in bench.seeds]


def meet(bench: Bench, name: str, seats: int, lists: list[NDArray[Any]]) -> None:
    """Print a row: the list has one seat, and another or a stranger all others."""
    game, decks = make_game(f"hanabi?seats={seats}&score=points-kept"), keys(max(bench.decks // 5, 20))

    def points(one: NDArray[Any], partner: Policy | None = None) -> float:
        return float(play_list(game, decks, False, one, partner).scores.mean())

    alone = [points(one) for one in lists]
    others = [
        points(one, rule_player(game, other)) for one, other in itertools.product(lists, lists) if one is not other
    ]
    cells, shares = [], []
    for stranger in STRANGERS:
        policy = rule_list(game, name=stranger)
        seating = np.zeros((len(decks), seats), dtype=np.int64)
        itself = float(play_games(game, [policy], seating, decks, decks).payoffs[:, 0].mean())
        met = [points(one, policy) for one in lists]
        cells.append(over_seeds(met))
        shares += [value / mean((own, itself)) for value, own in zip(met, alone, strict=True)]
    each = f"{mean(others):.2f}" if others else "–"
    row(name, seats, over_seeds(alone), each, *cells, f"{100 * mean(shares):.0f} %")


def original(bench: Bench) -> None:
    """The original's one set of rules, as described and with what its author wished for."""
    head("seed preset", "seats", "points kept", "moves that no rule made", "hints that told nothing new")
    for name, options in SEED.items():
        for seats in bench.seats:
            runs = [
                bench.champion(f"seed {name}", "seed", seats, seed, games=bench.games, **options)
                for seed in bench.seeds
            ]
            game = make_game(f"hanabi?seats={seats}&score=points-kept")
            exact = options.get("beliefs") == "exact"
            found = [play_list(game, keys(bench.decks), exact, rules) for rules, _, _ in runs]
            fallback = mean(100 * record.credit[-1, 0] / record.decisions for record in found)
            repeats = mean(100 * record.repeats / record.decisions for record in found)
            points = over_seeds([float(record.scores.mean()) for record in found])
            row(name, seats, points, f"{fallback:.1f} %", f"{repeats:.1f} %")


def shipped(bench: Bench) -> None:
    """Choose the lists of the agent `expert` among all runs from which this benchmark has printed and the written list.

    They are chosen by the score that is zero for lost lives, and written beside the agent.
    """
    head("`expert`", *(f"{seats} seats" for seats in bench.seats))
    cells, choosing = [], keys(bench.decks // 2, CHOOSING)
    for seats in bench.seats:
        origins = [RUNS / origin / str(seats) for origin in TARGETS] + [RUNS / "one-list" / "2"]
        folders = sorted(folder for origin in origins for folder in origin.glob("[0-9]*"))
        game = make_game(f"hanabi?seats={seats}")
        known = [hand_list(), *(RULES.player(game, str(folder)).rules for folder in folders)]
        best = max(known, key=lambda rules: play_list(game, choosing, False, rules).scores.mean())
        (LISTS / f"{seats}.txt").write_text(rules_text(best), encoding="utf-8")
        kept, zero = bench.scores(best, seats)
        cells.append(f"{kept.mean():.2f} ± {half_width(kept):.2f} / {zero.mean():.2f}")
    row("points kept / zero for lost lives", *cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {
        "written": written,
        "modern": modern,
        "twins": twins,
        "thresholds": thresholds,
        "together": together,
        "one": for_all,
        "original": original,
        "expert": shipped,
    }
    parser.add_argument("--part", choices=parts)
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4, 5], choices=(2, 3, 4, 5))
    parser.add_argument("--seeds", type=int, default=5, help="training seeds")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--origins", nargs="+", default=list(TARGETS), choices=list(TARGETS))
    parser.add_argument("--decks", type=int, default=10_000, help="decks for each figure")
    parser.add_argument("--games", type=int, default=0, help="of a run of the preset modern; 0: its own")
    parser.add_argument("--twins", action="store_true", help="print the twins, too")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    bench = Bench(given)
    usual = ["written", "modern", *(["twins"] if given.twins else []), "original"]
    for name in [given.part] if given.part else usual:
        parts[name](bench)


if __name__ == "__main__":
    main()
