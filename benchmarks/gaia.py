"""How well the rule players of `ludarium train gaia` play: its presets, and the effect of each option.

Prints the tables of `docs/learners/gaia.md` as Markdown. On small boards all measures of play are exact
(`ludarium.evaluation.measures.exact`), since a rule player knows the probability of each of its moves. On larger boards
players meet `greedy` and `random` in pairs of games with exchanged seats, after some random moves; the player of
training seed s plays a match of seed s. Intervals are of 95 %: over pairs for one player, over training seeds for a
mean. Games that only measure are not counted. The documentation shows the results of `--seeds 10`; `--part` prints one
table alone.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

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
from ludarium.agents.genetic.gaia.rule_text import rule_text
from ludarium.agents.genetic.gaia.rules import no_rules
from ludarium.agents.genetic.gaia.tactical_rules import tactical_share
from ludarium.agents.genetic.gaia.window_judge import MapTerms, ask_map
from ludarium.agents.learning import run as learning
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.learning.runs import Run, agent_of_run
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import ExactMeasures, measure
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width, mean_interval

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
MODERN: list[dict[str, Any]] = [
    {},
    {"population": 40},
    {"games_per_pair": 5},
    {"mutation": 0.05},
    {"mutation": 0.5},
    {"symmetry": False},
    {"explore": 0.25},
    {"explore": 0.5},
]
"""Other numbers for the options of the preset `modern`."""
MODERN_TWINS: list[dict[str, Any]] = [
    {},
    {"selection": "none"},
    {"breeding": "founders"},
    {"population": 1},
    {"once": True},
]
"""The last is a list that is made once, see `Once`."""
ALONE: list[dict[str, Any]] = [{}, {"selection": "none"}, {"breeding": "founders"}, {"population": 1}]
TWINS: list[tuple[str, dict[str, Any]]] = [
    *(("modern", options) for options in MODERN_TWINS),
    ("seed", {}),
    ("seed", {"selection": "none"}),
    ("seed", {"breeding": "founders"}),
    ("seed", {"breeding": "none"}),
    ("seed", {"population": 1}),
]
TWINS_SMALL: list[tuple[str, int, dict[str, Any]]] = [
    ("tictactoe", 2_000, {}),
    ("tictactoe", 20_000, {}),
    ("hexapawn?rows=4&columns=4", 5_000, {"rules": 150}),
    ("othello?size=4", 5_000, {}),
]
"""For each game, the number of training games and options."""
ALONE_ON = ["tictactoe", "hexapawn?rows=4&columns=4", "othello?size=4", "othello?size=6", "connect_four"]
LARGE = ["othello?size=6", "connect_four"]
LARGE_RULES = 200
PAIRS = 1000
PARTS = (
    "twins",
    "large-twins",
    "alone",
    "alone-elsewhere",
    "curves",
    "sizes",
    "seed",
    "sought",
    "options",
    "modern",
    "ablation",
    "games",
    "greedy",
    "rules",
)
GAMES = [
    ("hexapawn", 2_000, 100),
    ("hexapawn?rows=4&columns=4", 20_000, 150),
    ("othello?size=4", 20_000, 100),
    ("othello?size=4", 20_000, 150),
]


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


def train(game: str, preset: str, **options: Any) -> tuple[RuleAgent, dict[str, Any]]:
    """Train a player; return the champion and the last line of the metrics."""
    with tempfile.TemporaryDirectory() as folder:
        path = learn(folder, game, preset, **options)
        kind = Once if options.get("once") else GAIA
        return agent_of_run(kind, make_game(game), str(path)), metrics(path)[-1]


def learn(folder: str, game: str, preset: str, *, once: bool = False, **options: Any) -> Path:
    """Train a player in a run in this folder."""
    options |= {"game": game, "checkpoints": 1}
    config = Once(**options) if once else GAIA.learner(options, preset)
    return learning.train(config, Path(folder) / "run", workers=1)


def metrics(path: Path) -> list[dict[str, Any]]:
    """The metrics of all generations of a run."""
    return [json.loads(line) for line in (path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def run(game: str, preset: str, **options: Any) -> tuple[RuleAgent, dict[str, Any], ExactMeasures]:
    """Train a player; return the champion, the last line of the metrics and the exact measures."""
    champion, last = train(game, preset, **options)
    return champion, last, measure(make_game(game), champion)


def seed_preset(seeds: int) -> None:
    print("| seed | games | NashConv | optimal actions | draws in the last 100 games | moves by a rule | of the 48 |")
    print("|---|---|---|---|---|---|---|")
    for seed in range(seeds):
        champion, last, exact = run("tictactoe", "seed", seed=seed)
        share = tactical_share(make_game("tictactoe"), champion.board, champion.rules)
        print(
            f"| {seed} | {last['games']:,} | {exact.nash_conv:.3f} | {exact.optimal_action_rate:.3f} "
            f"| {last['draws']:.0f} | {100 * last['rule_share']:.0f} % | {48 * share:.0f} |",
            flush=True,
        )
    exact = measure(make_game("tictactoe"), "random")
    print(f"| random play | | {exact.nash_conv:.3f} | {exact.optimal_action_rate:.3f} | | | |")


def sought(seeds: int) -> None:
    """How many of the 48 rules that the original author looked for are present anywhere in the population."""
    game, found = make_game("tictactoe"), []
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            path = learn(folder, "tictactoe", "seed", seed=seed, wildcards=0.6)
            rules = Run.load(path, GAIA).arrays["rules"].reshape(-1)
        found.append(f"{48 * tactical_share(game, board(game, False), rules):.0f}")
    print(f"\nOf the 48 rules, in the whole population with `wildcards=0.6`, by seed: {' '.join(found)}.")


def twins(seeds: int) -> None:
    """The program without one of its parts, at equal games.

    The measure is the share of optimal actions, and between lists that have the same share the number of rules. The
    differences are between runs of the same seed.
    """
    for (spec, games, more), preset in product(TWINS_SMALL, ("modern", "seed")):
        if preset == "seed" and (spec, games) != ("tictactoe", 20_000):
            continue
        heads = "never loses | NashConv 0 | optimal actions, % | difference | rules | difference"
        print(f"\n| {spec}, {games:,} games, {seeds} seeds | {heads} |")
        print("|---|---|---|---|---|---|---|")
        whole: list[tuple[float, float]] = []
        for options in (options for name, options in TWINS if name == preset):
            runs = [run(spec, preset, seed=seed, games=games, **more, **options) for seed in range(seeds)]
            found = [(100 * exact.optimal_action_rate, float(size(champion))) for champion, _, exact in runs]
            whole = whole or found
            never = sum(exact.never_loses_first and exact.never_loses_second for *_, exact in runs)
            cells = []
            for of, one in zip(zip(*found, strict=True), zip(*whole, strict=True), strict=True):
                cells.append("{:.2f} ± {:.2f}".format(*mean_interval(list(of))))
                apart = [a - b for a, b in zip(of, one, strict=True)]
                cells.append("{:+.2f} ± {:.2f}".format(*mean_interval(apart)) if options else "")
            equilibria = sum(exact.nash_conv < 1e-9 for *_, exact in runs)
            print(f"| {_twin(preset, options)} | {never} of {seeds} | {equilibria} of {seeds} | {' | '.join(cells)} |",
                  flush=True)  # fmt: skip


def size(champion: RuleAgent) -> int:
    """How many rules a player has."""
    return int((champion.rules["action"] >= 0).sum())


def curves(games: int = 20_000, seed: int = 0) -> None:
    """What becomes of a population: its best list, the mean, diversity, and what crossover brings."""
    for spec, options in (("tictactoe", {}), ("hexapawn?rows=4&columns=4", {"rules": 150})):
        print(f"\n| {spec}: games | cost of the best | mean cost | different rules | better than both parents |")
        print("|---|---|---|---|---|")
        with tempfile.TemporaryDirectory() as folder:
            lines = metrics(learn(folder, spec, "modern", seed=seed, games=games, **options))
        for first in sorted({len(lines) * part // 10 for part in range(10)} | {0}):
            part = lines[first : first + len(lines) // 10]
            print(
                f"| {part[-1]['games']:,} | {-part[-1]['best']:.2f} | {-part[-1]['mean']:.2f} "
                f"| {100 * part[-1]['diversity']:.1f} % | {100 * mean(line['improved'] for line in part):.0f} % |",
                flush=True,
            )


def sizes(seeds: int, games: int = 20_000) -> None:
    """How many rules other learners need to be right in all positions of tic-tac-toe in which the move matters."""
    print("\n| tictactoe, all positions up to symmetry | right | rules |")
    print("|---|---|---|")
    for name, found in (
        ("`gaia`, `modern`", [run("tictactoe", "modern", seed=seed, games=games) for seed in range(seeds)]),
        (
            "`gaia`, made once",
            [run("tictactoe", "modern", seed=seed, games=games, once=True) for seed in range(seeds)],
        ),
    ):
        share = mean(exact.optimal_action_rate for *_, exact in found)
        print(f"| {name} | {100 * share:.1f} % | {mean(size(champion) for champion, *_ in found):.1f} |", flush=True)
    for name, right, rules in others():
        print(f"| {name} | {100 * right:.1f} % | {rules} |", flush=True)


def others() -> list[tuple[str, float, str]]:
    """Other learners on the same positions: their names, the share in which they are right, and their rules.

    Each position has one label, the best move that is best in most positions, and 9 squares with 3 features each. A
    path of a tree, and a rule of RIPPER for a move against all others, count as rules.
    """
    try:
        from sklearn.tree import DecisionTreeClassifier
        from wittgenstein import RIPPER
    except ImportError:
        print("(for the other learners: pip install scikit-learn wittgenstein)")
        return []
    game = make_game("tictactoe")
    memory = Memory.empty(game, 1 << 12)
    cases, *_ = ask_memory(Field.of(game, True), memory, no_rules(2, 1), 20_000, 1.0, False, seed_key(0))
    features = (cases.senses[:, 0, :, None] >> np.arange(9, dtype=np.uint64) & np.uint64(1)).reshape(-1, 27).astype(int)
    right = cases.regrets == cases.least[:, None]
    labels = np.argmax(right * right.sum(axis=0), axis=1)
    rows = np.arange(len(labels))
    tree = DecisionTreeClassifier(random_state=0).fit(features, labels)
    found = [
        ("decision tree (scikit-learn)", float(right[rows, tree.predict(features)].mean()), str(tree.get_n_leaves()))
    ]
    votes, rules = np.zeros((len(rows), 9)), 0
    for action in range(9):
        ripper = RIPPER(random_state=0)
        ripper.fit(features, labels == action)
        rules += len(ripper.ruleset_.rules)
        votes[:, action] = ripper.predict_proba(features)[:, 1]
    votes[np.isnan(cases.regrets)] = -1.0
    return [*found, ("RIPPER (wittgenstein)", float(right[rows, votes.argmax(axis=1)].mean()), str(rules))]


def large_twins(seeds: int, games: int = 5_000) -> None:
    """The same on larger boards, against `greedy`; there, players of the preset `seed` move nearly at random."""
    print(f"\n| {games:,} games, {seeds} seeds, against `greedy`, % | {' | difference | '.join(LARGE)} "
          "| difference | rules |")  # fmt: skip
    print("|---|" + "---|" * (1 + 2 * len(LARGE)))
    whole: list[list[float]] = []
    for options in MODERN_TWINS:
        scores, rules = [], []
        for spec in LARGE:
            scores.append([])
            for seed in range(seeds):
                champion, _ = train(spec, "modern", seed=seed, games=games, rules=LARGE_RULES, **options)
                scores[-1].append(share(spec, champion, "greedy", seed))
                rules.append(size(champion))
        whole = scores if not options else whole
        print(f"| {_twin('modern', options)} | {beside(scores, whole)} | {mean(rules):.0f} |", flush=True)


def share(spec: str, champion: RuleAgent, rival: str, seed: int) -> float:
    """What a champion scores against a rival, in percent."""
    return 100 * float(play_match(make_game(spec), [champion, rival], PAIRS // 4, seed, opening=4).scores().mean())


def beside(scores: list[list[float]], whole: list[list[float]]) -> str:
    """The cells for each game's scores: their mean, and that of the differences from the whole program."""
    cells = []
    for of, one in zip(scores, whole, strict=True):
        apart = [a - b for a, b in zip(of, one, strict=True)]
        cells.append("{:.1f} ± {:.1f}".format(*mean_interval(of)))
        cells.append("" if of is one else "{:+.1f} ± {:.1f}".format(*mean_interval(apart)))
    return " | ".join(cells)


def alone(seeds: int) -> None:
    """Lists that nothing but the results of games has judged, and their twins."""
    print(f"\n| tictactoe, evolution alone, {seeds} seeds | games | never loses | optimal actions, % | rules |")
    print("|---|---|---|---|---|")
    for options in ALONE:
        runs = [run("tictactoe", "alone", seed=seed, **options) for seed in range(seeds)]
        never = sum(exact.never_loses_first and exact.never_loses_second for *_, exact in runs)
        print(
            f"| {_twin('alone', options)} | {mean(last['games'] for _, last, _ in runs):,.0f} | {never} of {seeds} "
            f"| {mean(100 * exact.optimal_action_rate for *_, exact in runs):.1f} "
            f"| {mean(size(champion) for champion, *_ in runs):.1f} |",
            flush=True,
        )


def alone_elsewhere(seeds: int, games: int = 300_000) -> None:
    """The same on other boards."""
    found: dict[str, list[list[list[float]]]] = {"greedy": [], "random": []}
    for options in ALONE:
        for rival in found.values():
            rival.append([[] for _ in ALONE_ON])
        for (place, spec), seed in product(enumerate(ALONE_ON), range(seeds)):
            champion, _ = train(spec, "alone", seed=seed, games=games, **options)
            for rival, scores in found.items():
                scores[-1][place].append(share(spec, champion, rival, seed))
    for rival, scores in found.items():
        print(f"\n| {games:,} games, {seeds} seeds, against `{rival}`, % | {' | difference | '.join(ALONE_ON)} "
              "| difference |")  # fmt: skip
        print("|---|" + "---|" * (2 * len(ALONE_ON)))
        for options, cells in zip(ALONE, scores, strict=True):
            print(f"| {_twin('alone', options)} | {beside(cells, scores[0])} |", flush=True)


def _twin(preset: str, options: dict[str, Any]) -> str:
    if options.get("once"):
        return f"`{preset}`, made once"
    return f"`{preset}`" + (f", {_written(options)}" if options else "")


def each_option(seeds: int) -> None:
    print(
        f"\n| option, mean of {seeds} seeds | NashConv | optimal actions | draws | moves by a rule | different rules |"
    )
    print("|---|---|---|---|---|---|")
    for options in OPTIONS:
        runs = [run("tictactoe", "seed", **({"seed": seed} | options)) for seed in range(seeds)]
        games = Original(game="tictactoe", **options).largest_generation(make_game("tictactoe"))
        print(
            f"| {_written(options) or 'the preset `seed`'} "
            f"| {mean(exact.nash_conv for *_, exact in runs):.3f} "
            f"| {mean(exact.optimal_action_rate for *_, exact in runs):.3f} "
            f"| {100 * mean(last['draws'] for _, last, _ in runs) / games:.0f} % "
            f"| {100 * mean(last['rule_share'] for _, last, _ in runs):.0f} % "
            f"| {100 * mean(last['diversity'] for _, last, _ in runs):.0f} % |",
            flush=True,
        )


def modern(seeds: int) -> None:
    print("\n| tictactoe: seed | games | never loses first | second | NashConv | optimal actions | rules |")
    print("|---|---|---|---|---|---|---|")
    for seed in range(seeds):
        champion, last, exact = run("tictactoe", "modern", seed=seed)
        print(
            f"| {seed} | {last['games']:,} | {exact.never_loses_first} | {exact.never_loses_second} "
            f"| {exact.nash_conv:.3f} | {exact.optimal_action_rate:.3f} | {(champion.rules['action'] >= 0).sum()} |",
            flush=True,
        )


def each_modern_option(seeds: int, games: int = 20_000) -> None:
    print(
        f"\n| modern but, {games:,} games, mean of {seeds} seeds | never loses | NashConv | optimal actions | rules |"
    )
    print("|---|---|---|---|---|")
    for options in MODERN:
        runs = [run("tictactoe", "modern", seed=seed, games=games, **options) for seed in range(seeds)]
        never = sum(exact.never_loses_first and exact.never_loses_second for *_, exact in runs)
        print(
            f"| {_written(options) or 'nothing'} | {never} of {seeds} "
            f"| {mean(exact.nash_conv for *_, exact in runs):.3f} "
            f"| {mean(exact.optimal_action_rate for *_, exact in runs):.3f} "
            f"| {mean(int((champion.rules['action'] >= 0).sum()) for champion, *_ in runs):.0f} |",
            flush=True,
        )


class Meeting(NamedTuple):
    """A champion's shares of the points, with half of their 95 % intervals over pairs, and its other measures."""

    greedy: float
    greedy_margin: float
    random: float
    random_margin: float
    rules: int
    seconds: float


def against_greedy(seeds: int, games: int = 20_000) -> None:
    print(f"\n| `modern`, {games:,} games | against `greedy`, % by seed | ± | mean | beats it | `random`, % | rules "
          "| CPU s |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|")
    for spec in LARGE:
        met = [meet(spec, games, seed) for seed in range(seeds)]
        print(f"| {spec} | {summary(met)} |", flush=True)


def meet(spec: str, games: int, seed: int) -> Meeting:
    """Train a player, and let the champion meet `greedy` and `random`."""
    game, started, scores = make_game(spec), time.process_time(), []
    champion, _ = train(spec, "modern", seed=seed, games=games, rules=LARGE_RULES)
    seconds = time.process_time() - started
    for opponent in ("greedy", "random"):
        shares = play_match(game, [champion, opponent], PAIRS, seed, opening=4).scores()
        scores += [float(shares.mean()), half_width(shares)]
    return Meeting(*scores, size(champion), seconds)


def summary(met: Sequence[Meeting]) -> str:
    """The cells of a table for the champions of all seeds; one beats greedy if its interval is above one half."""
    beaten = sum(one.greedy - one.greedy_margin > 0.5 for one in met)
    cells = (
        " ".join(f"{100 * one.greedy:.0f}" for one in met),
        f"{100 * max(one.greedy_margin for one in met):.1f}",
        "{:.1f} ± {:.1f}".format(*mean_interval([100 * one.greedy for one in met])),
        f"{beaten} of {len(met)}",
        f"{100 * mean(one.random for one in met):.1f}",
        f"{mean(one.rules for one in met):.0f}",
        f"{mean(one.seconds for one in met):.0f}",
    )
    return " | ".join(cells)


def _written(options: dict[str, Any]) -> str:
    return ", ".join(f"`{key}={value}`" for key, value in options.items())


def other_games(seeds: int) -> None:
    print(f"\n| modern, {seeds} seeds | games | `rules` | NashConv 0 | mean NashConv | optimal actions | rules |")
    print("|---|---|---|---|---|---|---|")
    for game, games, places in GAMES:
        runs = [run(game, "modern", seed=seed, games=games, rules=places) for seed in range(seeds)]
        print(
            f"| {game} | {games:,} | {places} | {sum(exact.nash_conv < 1e-9 for *_, exact in runs)} of {seeds} "
            f"| {mean(exact.nash_conv for *_, exact in runs):.3f} "
            f"| {mean(exact.optimal_action_rate for *_, exact in runs):.3f} "
            f"| {mean(int((champion.rules['action'] >= 0).sum()) for champion, *_ in runs):.0f} |",
            flush=True,
        )


def champion_rules() -> None:
    champion, _, _ = run("tictactoe", "modern", seed=0)
    game = make_game("tictactoe")
    rules = champion.rules[champion.rules["action"] >= 0]
    for rule in sorted(rules, key=lambda rule: -int(rule["uses"]))[:6]:
        print(f"\nfires in {rule['uses']} positions, weight {rule['weight'] + 0.0:.3f}")
        print(rule_text(game, champion.board, rule))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--part", choices=PARTS)
    arguments = parser.parse_args()
    os.environ.setdefault("LUDARIUM_GAMES", str(Path(__file__).resolve().parents[1] / "examples" / "connect_four.py"))
    few = max(1, arguments.seeds * 3 // 10)
    parts = {
        "twins": lambda: twins(arguments.seeds),
        "large-twins": lambda: large_twins(arguments.seeds),
        "alone": lambda: alone(arguments.seeds),
        "alone-elsewhere": lambda: alone_elsewhere(arguments.seeds),
        "curves": curves,
        "sizes": lambda: sizes(arguments.seeds),
        "seed": lambda: seed_preset(arguments.seeds),
        "sought": lambda: sought(arguments.seeds),
        "options": lambda: each_option(few),
        "modern": lambda: modern(arguments.seeds),
        "ablation": lambda: each_modern_option(few),
        "games": lambda: other_games(arguments.seeds),
        "greedy": lambda: against_greedy(arguments.seeds),
        "rules": champion_rules,
    }
    for name, part in parts.items():
        if arguments.part in (None, name):
            part()
