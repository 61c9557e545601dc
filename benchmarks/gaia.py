"""How well the rule players of `ludarium train gaia` play: its presets, their twins, and the effect of each option.

Prints the tables of `docs/results/gaia.md`; `--part` prints one part alone, and `--keep` keeps the parts that were run.
On small boards all measures of play are exact (`ludarium.evaluation.measures.exact`), since a rule player knows the
probability of each of its moves. On larger boards players meet `greedy` and `random` in pairs of games with exchanged
seats, after some random moves; the player of training seed s plays a match of seed s. Intervals are of 95 %: over pairs
for one player, over training seeds for a mean. Games that only measure are not counted. The documentation shows the
results of `--seeds 10`. `sizes` needs scikit-learn and wittgenstein.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from lab import Trained, named, over_seeds, run_study, trained_anew, written
from numpy.typing import NDArray
from results import Study

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import GAIA
from ludarium.agents.genetic.gaia.draft import Evidence
from ludarium.agents.genetic.gaia.memory import Memory, ask_memory
from ludarium.agents.genetic.gaia.modern import Modern
from ludarium.agents.genetic.gaia.offspring import Exam, bear_all, best_lists, judge_all
from ludarium.agents.genetic.gaia.original import Original
from ludarium.agents.genetic.gaia.play import Field
from ludarium.agents.genetic.gaia.players import metrics as metrics_of
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent
from ludarium.agents.genetic.gaia.rules import no_rules
from ludarium.agents.genetic.gaia.tactical_rules import tactical_share
from ludarium.agents.genetic.gaia.window_judge import MapTerms, ask_map
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import ExactMeasures, measure
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width

OPTIONS: list[dict[str, Any]] = [
    {},
    {"population": 80, "games": 100_000},
    {"rules": 200},
    {"mutation": 0.05},
    {"mutation": 0.005, "mutation_spread": 50.0},
    {"selection": "best-10"},
    {"selection": "best-20"},
    {"selection": "best-40-worst-10"},
    {"parents": "random"},
    {"players": "order"},
    {"mutate_equal": True},
    {"crowding": 0.5},
    {"communicate": True},
    {"rigged": 0.5},
    {"heavier": True},
    {"no_repeats": True},
    {"light_weight": -1.0, "light_every": 1},
    {"light_weight": -1.0, "light_every": 10},
    {"inherit_weight": False},
    {"accumulate": False},
    {"average": True},
    {"symmetry": True},
    {"wildcards": 0.6},
]
ALONE: list[dict[str, Any]] = [{}, {"selection": "none"}, {"breeding": "founders"}, {"population": 1}]
SEED = [*ALONE[:3], {"breeding": "none"}, ALONE[3]]
MODERN = [*ALONE, {"once": True}]
"""The twins of each preset; the last one of `modern` is a list that is made once, see `Once`."""
BOARDS: list[tuple[str, int, dict[str, Any]]] = [
    ("tictactoe", 2_000, {}),
    ("tictactoe", 20_000, {}),
    ("hexapawn?rows=4&columns=4", 5_000, {"rules": 150}),
    ("othello?size=4", 5_000, {}),
]
"""Where the twins of `modern` meet exact measures: for each game, the number of training games and options."""
GAMES = [
    ("hexapawn", 2_000, 100),
    ("hexapawn?rows=4&columns=4", 20_000, 150),
    ("othello?size=4", 20_000, 100),
    ("othello?size=4", 20_000, 150),
]
LARGE = ["othello?size=6", "connect_four"]
ALONE_ON = ["tictactoe", "hexapawn?rows=4&columns=4", "othello?size=4", *LARGE]
BUDGET, LARGE_TWINS_BUDGET, ALONE_BUDGET = 20_000, 5_000, 300_000
LARGE_RULES = 200
PAIRS, FEW_PAIRS, OPENING = 1000, 250, 4
APART = "Differences are between runs of the same seed"


@dataclass(frozen=True, kw_only=True)
class Once(Modern):
    """`modern` without evolution: all games are random, and from them a list is made once, for a player that has none.

    Where a map judges, it learns from all games that do not fit into the memory first.
    """

    population: int = 1

    def largest_generation(self, game: Game) -> int:
        return self.games

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        field, key, breedings = Field.of(game, self.symmetry), seed_key(self.seed, LEARNING, number), self.breedings
        playing, breeding = child_key(key, 1), child_key(key, 3)  # the streams of `Modern`
        memory, explore = Memory.of(arrays), float(self.explore)
        evidence = ask_memory(field, memory, arrays["rules"], self.games, explore, self.windows > 0, playing)
        if (left := self.games - evidence.games) > 0:
            terms = MapTerms(game, self.symmetry, self.windows, float(self.rule_cost), self.seed)
            by_map, breedings = ask_map(terms, field, arrays, left, playing, parallel), 1
            evidence = Evidence(by_map.cases, evidence.games + by_map.games, evidence.counts + by_map.counts)
        exam = Exam(evidence.cases, field.board, parallel)
        best = judge_all(arrays["rules"], exam)
        for times in range(breedings):
            born = bear_all(best.rules[[[0, 0]]], exam, float(self.mutation), child_key(breeding, times))
            best = best_lists(1, born, best)
        arrays["rules"], arrays["weights"] = best.rules, -best.costs
        return metrics_of(evidence.games, evidence.counts, arrays["weights"], best.rules)


class TrainedPlayer(NamedTuple):
    """A run with its champion."""

    trained: Trained
    champion: RuleAgent

    @property
    def last(self) -> dict[str, Any]:
        """The last line of the metrics."""
        return self.trained.metrics[-1]

    @property
    def rules(self) -> int:
        """How many rules the champion has."""
        return int((self.champion.rules["action"] >= 0).sum())

    def scores(self, rival: str, pairs: int = FEW_PAIRS) -> NDArray[np.float64]:
        """What the champion takes from a rival in each pair of games."""
        seed = self.trained.run.learner.seed
        return play_match(self.trained.game, [self.champion, rival], pairs, seed, opening=OPENING).scores()


def train(game: str, preset: str, seed: int, *, once: bool = False, **options: Any) -> TrainedPlayer:
    options |= {"game": game, "seed": seed, "checkpoints": 1}
    learner: Any = Once(**options) if once else GAIA.learner(options, preset)
    trained = trained_anew(learner)
    return TrainedPlayer(trained, learner.player(trained.game, trained.run.arrays))


def train_all(seeds: int, game: str, preset: str, **options: Any) -> list[TrainedPlayer]:
    """A run with each training seed."""
    return [train(game, preset, seed, **options) for seed in range(seeds)]


class Exact(NamedTuple):
    """The runs of all seeds with the exact measures of their champions."""

    runs: list[TrainedPlayer]
    measures: list[ExactMeasures]

    @classmethod
    def of(cls, seeds: int, game: str, preset: str, **options: Any) -> "Exact":
        """Train with each seed, and measure."""
        runs = train_all(seeds, game, preset, **options)
        return cls(runs, [measure(run.trained.game, run.champion) for run in runs])

    @property
    def never_lose(self) -> str:
        """How many champions never lose, in whichever seat."""
        return f"{sum(one.never_loses_first and one.never_loses_second for one in self.measures)} of {len(self.runs)}"

    @property
    def equilibria(self) -> str:
        """How many champions have NashConv 0."""
        return f"{sum(one.nash_conv < 1e-9 for one in self.measures)} of {len(self.runs)}"

    @property
    def nash_conv(self) -> float:
        """The mean NashConv."""
        return mean(one.nash_conv for one in self.measures)

    @property
    def optimal(self) -> list[float]:
        """The share of optimal actions of each champion, in percent."""
        return [100 * one.optimal_action_rate for one in self.measures]

    @property
    def rules(self) -> list[float]:
        """How many rules each champion has."""
        return [float(run.rules) for run in self.runs]

    def last(self, name: str) -> float:
        """The mean of a number of the last metrics."""
        return mean(float(run.last[name]) for run in self.runs)


def twin(preset: str, options: dict[str, Any]) -> str:
    """The name of a twin."""
    changed = "made once" if "once" in options else written(options)
    return f"`{preset}`" + (f", {changed}" if changed else "")


def beside(values: Sequence[float], whole: Sequence[float], digits: int) -> tuple[str, str]:
    """The cells of a twin: its mean, and that of the differences from the whole program, which has none."""
    apart = [ours - theirs for ours, theirs in zip(values, whole, strict=True)]
    return over_seeds(values, digits), "" if values is whole else over_seeds(apart, digits, "+")


# --- the parts -------------------------------------------------------------------------------------------------------


def seed(study: Study, args: argparse.Namespace) -> None:
    caption = (
        "`python benchmarks/gaia.py --part seed`: the champion after 500 generations. A rule player knows the "
        "probabilities of its moves, so these measures are exact. The last column counts its tactical rules: for each "
        "line and each square of it, the rule that takes this square if the other two are one's own, and the one if "
        "both are the opponent's."
    )
    measures = "NashConv", "optimal actions", "draws in the last 100 games", "moves by a rule", "of the 48"
    table = study.table("seed", caption, "seed", "games", *measures)
    game = make_game("tictactoe")
    for number, run in enumerate(train_all(args.seeds, "tictactoe", "seed")):
        exact, share = measure(game, run.champion), 100 * run.last["rule_share"]
        tactical = 48 * tactical_share(game, run.champion.board, run.champion.rules)
        optimal = f"{exact.nash_conv:.3f}", f"{exact.optimal_action_rate:.3f}"
        rest = f"{run.last['draws']:.0f}", f"{share:.0f} %", f"{tactical:.0f}"
        table.row(number, f"{run.last['games']:,}", *optimal, *rest)
    exact = measure(game, "random")
    table.row("random play", "", f"{exact.nash_conv:.3f}", f"{exact.optimal_action_rate:.3f}", "", "", "")


def sought(study: Study, args: argparse.Namespace) -> None:
    """How many of the 48 rules that the original author looked for are present anywhere in the population."""
    game, shares = make_game("tictactoe"), []
    for run in train_all(args.seeds, "tictactoe", "seed", wildcards=0.6):
        rules = run.trained.run.arrays["rules"].reshape(-1)
        shares.append(f"{48 * tactical_share(game, board(game, False), rules):.0f}")
    caption = "`python benchmarks/gaia.py --part sought`: tactical rules in the whole population, by seed."
    study.table("sought", caption, "tictactoe", "of the 48").row("`seed`, `wildcards=0.6`", " ".join(shares))


def options(study: Study, args: argparse.Namespace) -> None:
    caption = "`python benchmarks/gaia.py --part options`: the preset `seed` with one option changed at a time."
    seeds = max(1, args.seeds * 3 // 10)
    measures = "NashConv", "optimal actions", "draws", "moves by a rule", "different rules"
    table = study.table("options", caption, f"option, mean of {seeds} seeds", *measures)
    for changed in OPTIONS:
        exact = Exact.of(seeds, "tictactoe", "seed", **changed)
        games = Original(game="tictactoe", **changed).largest_generation(make_game("tictactoe"))
        shares = exact.last("draws") / games, exact.last("rule_share"), exact.last("diversity")
        play = f"{exact.nash_conv:.3f}", f"{mean(exact.optimal) / 100:.3f}"
        table.row(written(changed) or "the preset `seed`", *play, *(f"{100 * share:.0f} %" for share in shares))


def alone(study: Study, args: argparse.Namespace) -> None:
    """Lists that nothing but the results of games has judged, and their twins."""
    caption = "`python benchmarks/gaia.py --part alone`: evolution alone, 2,000,000 games."
    head = f"tictactoe, evolution alone, {args.seeds} seeds"
    table = study.table("alone", caption, head, "games", "never loses", "optimal actions, %", "rules")
    for changed in ALONE:
        exact = Exact.of(args.seeds, "tictactoe", "alone", **changed)
        played = f"{exact.last('games'):,.0f}", exact.never_lose
        table.row(twin("alone", changed), *played, f"{mean(exact.optimal):.1f}", f"{mean(exact.rules):.1f}")


def alone_elsewhere(study: Study, args: argparse.Namespace) -> None:
    """The same on other boards."""
    caption = (
        f"`python benchmarks/gaia.py --part alone-elsewhere`: each champion plays {2 * FEW_PAIRS} games that begin "
        f"with four random moves. {APART}; ± is half of a 95 % interval over seeds."
    )
    rivals = "greedy", "random"
    scores: dict[tuple[str, str, str], list[float]] = {}
    for changed, spec, number in product(ALONE, ALONE_ON, range(args.seeds)):
        run = train(spec, "alone", number, games=ALONE_BUDGET, **changed)
        for rival in rivals:
            taken = scores.setdefault((rival, twin("alone", changed), spec), [])
            taken.append(100 * float(run.scores(rival).mean()))
    for rival in rivals:
        heads = [head for spec in ALONE_ON for head in (spec, "difference")]
        first = f"{ALONE_BUDGET:,} games, {args.seeds} seeds, against `{rival}`, %"
        table = study.table("alone-elsewhere", caption if rival == "greedy" else "", first, *heads)
        for name in [twin("alone", changed) for changed in ALONE]:
            pairs = [(scores[rival, name, spec], scores[rival, "`alone`", spec]) for spec in ALONE_ON]
            table.row(name, *(cell for ours, whole in pairs for cell in beside(ours, whole, 1)))


def twins(study: Study, args: argparse.Namespace) -> None:
    """The program without one of its parts, at equal games.

    The measure is the share of optimal actions, and between lists that have the same share the number of rules.
    """
    caption = (
        "`python benchmarks/gaia.py --part twins`: each twin is the same program without one of its parts, at equal "
        f"games. {APART}; ± is half of a 95 % interval over seeds."
    )
    measures = "never loses", "NashConv 0", "optimal actions, %", "difference", "rules", "difference"
    for spec, games, more in BOARDS:
        table = study.table("twins", caption, f"{spec}, {games:,} games, {args.seeds} seeds", *measures)
        caption, whole = "", None
        for changed in MODERN:
            exact = Exact.of(args.seeds, spec, "modern", games=games, **more, **changed)
            optimal, rules = exact.optimal, exact.rules
            whole = whole or (optimal, rules)
            cells = *beside(optimal, whole[0], 2), *beside(rules, whole[1], 2)
            table.row(twin("modern", changed), exact.never_lose, exact.equilibria, *cells)
    head = f"`seed` of tictactoe, {BUDGET:,} games, {args.seeds} seeds"
    table = study.table("twins", "", head, "never loses", "NashConv", "optimal actions", "rules")
    for changed in SEED:
        exact = Exact.of(args.seeds, "tictactoe", "seed", games=BUDGET, **changed)
        play = f"{exact.nash_conv:.3f}", f"{mean(exact.optimal):.1f} %", f"{mean(exact.rules):.0f}"
        table.row(twin("seed", changed), exact.never_lose, *play)


def large_twins(study: Study, args: argparse.Namespace) -> None:
    """The same on larger boards, against `greedy`; there, players of the preset `seed` move nearly at random."""
    caption = (
        "`python benchmarks/gaia.py --part large-twins`: a quarter of the games of `greedy`; each champion plays "
        f"{2 * FEW_PAIRS} games. {APART}."
    )
    first = f"{LARGE_TWINS_BUDGET:,} games, {args.seeds} seeds, against `greedy`, %"
    heads = [head for spec in LARGE for head in (spec, "difference")]
    table, whole = study.table("large-twins", caption, first, *heads, "rules"), dict[str, list[float]]()
    for changed in MODERN:
        cells, rules = list[str](), list[int]()
        for spec in LARGE:
            runs = train_all(args.seeds, spec, "modern", games=LARGE_TWINS_BUDGET, rules=LARGE_RULES, **changed)
            scores = [100 * float(run.scores("greedy").mean()) for run in runs]
            cells += beside(scores, whole.setdefault(spec, scores), 1)
            rules += [run.rules for run in runs]
        table.row(twin("modern", changed), *cells, f"{mean(rules):.0f}")


def curves(study: Study, _: argparse.Namespace) -> None:
    """What becomes of a population: its best list, the mean, diversity, and what crossover brings."""
    caption = "`python benchmarks/gaia.py --part curves`: seed 0; a rule costs 0.01."
    measures = "cost of the best", "mean cost", "different rules", "better than both parents"
    for spec, more in (("tictactoe", {}), ("hexapawn?rows=4&columns=4", {"rules": 150})):
        table, caption = study.table("curves", caption, f"{spec}: games", *measures), ""
        lines = train(spec, "modern", 0, games=BUDGET, **more).trained.metrics
        for first in sorted({len(lines) * part // 10 for part in range(10)}):
            part = lines[first : first + len(lines) // 10]
            costs = f"{-part[-1]['best']:.2f}", f"{-part[-1]['mean']:.2f}", f"{100 * part[-1]['diversity']:.1f} %"
            table.row(f"{part[-1]['games']:,}", *costs, f"{100 * mean(line['improved'] for line in part):.0f} %")


def games(study: Study, args: argparse.Namespace) -> None:
    caption = "`python benchmarks/gaia.py --part games`: boards with more exceptions, with room for them."
    measures = "NashConv 0", "mean NashConv", "optimal actions", "rules"
    table = study.table("games", caption, f"modern, {args.seeds} seeds", "games", "`rules`", *measures)
    for spec, budget, places in GAMES:
        exact = Exact.of(args.seeds, spec, "modern", games=budget, rules=places)
        play = f"{exact.nash_conv:.3f}", f"{mean(exact.optimal) / 100:.3f}", f"{mean(exact.rules):.0f}"
        table.row(spec, f"{budget:,}", places, exact.equilibria, *play)


def greedy(study: Study, args: argparse.Namespace) -> None:
    """Champions on larger boards; one beats greedy if its interval is above one half."""
    caption = (
        f"`python benchmarks/gaia.py --part greedy`: room for {LARGE_RULES} rules, and {2 * PAIRS:,} games with each "
        "opponent for each seed. The seconds were counted on a busy machine."
    )
    measures = "against `greedy`, % by seed", "±", "mean", "beats it", "`random`, %", "rules", "CPU s"
    table = study.table("greedy", caption, f"`modern`, {BUDGET:,} games", *measures)
    for spec in LARGE:
        runs = train_all(args.seeds, spec, "modern", games=BUDGET, rules=LARGE_RULES)
        met = [run.scores("greedy", PAIRS) for run in runs]
        points, margins = [100 * float(one.mean()) for one in met], [100 * half_width(one) for one in met]
        table.row(
            spec,
            " ".join(f"{one:.0f}" for one in points),
            f"{max(margins):.1f}",
            over_seeds(points, 1),
            f"{sum(one - margin > 50 for one, margin in zip(points, margins, strict=True))} of {args.seeds}",
            f"{100 * mean(float(run.scores('random', PAIRS).mean()) for run in runs):.1f}",
            f"{mean(run.rules for run in runs):.0f}",
            f"{mean(run.trained.seconds for run in runs):.0f}",
        )


def sizes(study: Study, args: argparse.Namespace) -> None:
    """How many rules other learners need to be right in all positions of tic-tac-toe in which the move matters.

    Each position has one label, the best move that is best in most positions, and 9 squares with 3 features each.
    """
    try:
        from sklearn.tree import DecisionTreeClassifier
        from wittgenstein import RIPPER
    except ImportError as error:
        raise SystemExit("--part sizes needs other learners: pip install scikit-learn wittgenstein") from error

    caption = (
        "`python benchmarks/gaia.py --part sizes`: other learners on all positions of tic-tac-toe, up to symmetry, in "
        "which the choice of a move matters. Each is given one best move for each position as its label. A path of the "
        "tree counts as a rule; RIPPER makes rules for each move against all others. They know nothing of symmetry."
    )
    table = study.table("sizes", caption, "tictactoe", "right", "rules")
    exact = Exact.of(args.seeds, "tictactoe", "modern", games=BUDGET)
    name = f"`gaia`, `modern`, {BUDGET:,} games, {args.seeds} seeds"
    table.row(name, f"{mean(exact.optimal):.1f} %", f"{mean(exact.rules):.1f}")
    game = make_game("tictactoe")
    memory = Memory.empty(game, 1 << 12)
    cases, *_ = ask_memory(Field.of(game, True), memory, no_rules(2, 1), 20_000, 1.0, False, seed_key(0))
    features = (cases.senses[:, 0, :, None] >> np.arange(9, dtype=np.uint64) & np.uint64(1)).reshape(-1, 27).astype(int)
    right = cases.regrets == cases.least[:, None]
    labels, places = np.argmax(right * right.sum(axis=0), axis=1), np.arange(len(right))
    tree = DecisionTreeClassifier(random_state=0).fit(features, labels)
    share = 100 * right[places, tree.predict(features)].mean()
    table.row("decision tree (scikit-learn)", f"{share:.1f} %", tree.get_n_leaves())
    votes, rules = np.zeros((len(places), 9)), 0
    for action in range(9):
        ripper = RIPPER(random_state=0)
        ripper.fit(features, labels == action)
        rules += len(ripper.ruleset_.rules)
        votes[:, action] = ripper.predict_proba(features)[:, 1]
    votes[np.isnan(cases.regrets)] = -1.0
    share = 100 * right[places, votes.argmax(axis=1)].mean()
    table.row("RIPPER (wittgenstein)", f"{share:.1f} %", rules)


PARTS = named(seed, sought, options, alone, alone_elsewhere, twins, large_twins, curves, games, greedy, sizes)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="training seeds; of `options`, three tenths of them")
    run_study("gaia", PARTS, parser)
