"""The table of baselines: every learner on every game at equal budgets; writes and prints `docs/results/baselines.md`.

A budget is a number of decisions to learn from. Learners that play themselves decide for both sides, and all their
decisions count; Stable-Baselines3's decide for one side, and their opponent's moves do not count. It is a random agent;
with `opponent=self` one of the learner's past selves, in Hanabi always the latest. Each cell of the table is a run
folder under `runs/baselines/GAME/LEARNER/BUDGET/SEED`, and its `results.json` is written last. So the command may be
stopped at any time: finished cells are read back, and an unfinished one starts from scratch, since its CPU time would
otherwise be unknown. `--report` runs nothing, and writes the page from the finished cells.
"""

import argparse
import json
import os
import platform
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.learning.checkpoint import file_name
from ludarium.agents.learning.registry import learner_presets
from ludarium.agents.learning.run import train
from ludarium.envs.batch import random_games
from ludarium.envs.files import replacing
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game, parse_value
from ludarium.evaluation.measures.tactics import tactics
from ludarium.evaluation.play.match import bench, game_keys, play_match, play_seated
from ludarium.evaluation.statistics.intervals import half_width

GAMES = ("hexapawn", "tictactoe", "othello", "backgammon", "hanabi")
LEARNERS = ("tabular-q", "td", "sb3:ppo", "sb3:maskable-ppo", "sb3:dqn", "sb3:a2c")
SELF_PLAY = tuple(f"{name}?opponent=self" for name in LEARNERS if name.startswith("sb3:"))
BUDGETS = (10_000, 100_000, 1_000_000)
CLOSE_LOOK = ("tictactoe", "sb3:maskable-ppo", 20_000, 3)
"""Game, learner, decisions and number of seeds of the small table about a single learner."""
CLOSE_SETTINGS = ("?learning_rate=0.0003", "")
"""The table has rows with SB3's own learning rate and with ours, which suits this small budget."""

SEARCH = {"backgammon": "mcts?simulations=20"}
DEFAULT_SEARCH = "alphabeta?depth=2"
OPENING = {"hexapawn": 1, "tictactoe": 1, "othello": 6}
"""Random moves at the start of games against greedy and search."""
PAIRS = {"othello": 300, "backgammon": 200}
DEFAULT_PAIRS = 1000
TEST_SEED = 1_000_000
"""Seed of the measurement games; no run learns from it."""
SETTINGS: dict[str, dict[str, Any]] = {"sb3:dqn": {"train_freq": 1, "gradient_steps": 4}}
"""SB3's ratio of one gradient step per four decisions means four gradient steps per step of sixteen games."""


@dataclass(frozen=True)
class Cell:
    """One training run and its measurements."""

    game: str
    learner: str
    budget: int
    seed: int

    def folder(self, runs: Path) -> Path:
        """The folder of the run."""
        return runs / file_name(self.game) / file_name(self.learner) / str(self.budget) / str(self.seed)


# --- training ---------------------------------------------------------------------------------------------------------


def learner_config(cell: Cell, games: int = 1) -> Any:
    """The options of a learner of this package; raises `ValueError` if it refuses the game."""
    options = {"game": cell.game, "games": games, "seed": cell.seed, "checkpoints": 1, "test_games": 2}
    return learner_presets(cell.learner).learner(options)


def sb3_config(cell: Cell) -> Any:
    """The options of an algorithm of Stable-Baselines3."""
    from ludarium.agents.baselines.sb3.learner import SB3Training

    learner, _, query = cell.learner.partition("?")
    settings = {key: parse_value(value) for key, _, value in (text.partition("=") for text in query.split("&") if text)}
    ours = {"opponent": settings.pop("opponent")} if "opponent" in settings else {}
    if ours and make_game(cell.game).cooperative:  # every seat plays by the same policy, or nearly
        ours |= {"pool": 1, "snapshot_every": 1}
    return SB3Training(
        algorithm=learner.removeprefix("sb3:"),
        game=cell.game,
        steps=cell.budget,
        seed=cell.seed,
        checkpoints=1,
        test_games=2,
        settings=SETTINGS.get(learner, {}) | settings,
        **ours,
    )


def accepts(cell: Cell) -> bool:
    """Whether the learner accepts the game."""
    if cell.learner.startswith("sb3:"):
        return True
    try:
        learner_config(cell)
    except ValueError:
        return False
    return True


def games_for(cell: Cell) -> int:
    """The number of self-play games that matches the budget, by the mean game length of a first attempt."""
    game = make_game(cell.game)
    attempt = max(1, round(cell.budget * 1000 / random_games(game, 1000, cell.seed)[1]))
    config = learner_config(cell, attempt)
    decisions: int = config.learn(game, config.start(game), 0, attempt)
    return max(1, round(cell.budget * attempt / decisions))


@cache
def compile_first(game: str, learner: str) -> None:
    """Do a minimal run, so that the CPU times of the others include neither compilation nor imports."""
    with tempfile.TemporaryDirectory() as folder:
        trainer(Cell(game, learner, 1, 0))(Path(folder))


def trainer(cell: Cell) -> Callable[[Path], Path]:
    """The training run, as a function of its folder that returns the path of the agent."""
    if cell.learner.startswith("sb3:"):
        config = sb3_config(cell)
    else:
        config = learner_config(cell, games_for(cell))
    return lambda folder: train(config, folder)


def run(cell: Cell, runs: Path) -> None:
    """Train and measure, and write the results."""
    folder = cell.folder(runs)
    shutil.rmtree(folder, ignore_errors=True)
    compile_first(cell.game, cell.learner)
    train = trainer(cell)
    started = time.process_time()
    path = train(folder)
    seconds = time.process_time() - started
    last = json.loads((folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    results = {
        "decisions": last["steps"] if "steps" in last else last["decisions"],
        "cpu_seconds": seconds,
        "machine": machine(),
        **measure(make_game(cell.game), f"{cell.learner.partition(':')[0]}:{path}"),
    }
    with replacing(folder / "results.json") as part:
        part.write_text(json.dumps(results) + "\n", encoding="utf-8")


def machine() -> str:
    """The software and machine, on which the figures depend beside the seeds."""
    packages = ("ludarium", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{versions}; Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"


# --- measuring --------------------------------------------------------------------------------------------------------


def measure(game: Game, agent: str) -> dict[str, Any]:
    """The scores by opponent and, for deterministic games of two seats, the results of `tactics` against random."""
    pairs = PAIRS.get(game.name, DEFAULT_PAIRS)
    if game.cooperative:
        partners = {"random": "random", "greedy": "greedy", "itself": agent}
        return {"scores": {name: points(team(game, agent, other, pairs)) for name, other in partners.items()}}
    measured: dict[str, Any] = {"scores": {}}
    for opponent in ("random", "greedy", search(game)):
        if opponent == "random" and not game.max_outcomes:
            seen = tactics(game, agent, opponent, pairs, TEST_SEED)
            measured |= {"threats": seen.threats, "blocked": seen.blocked, "length": seen.length}
            measured |= {"wins": [seen.wins_first, seen.wins_second]}
            match = seen.match
        else:
            opening = 0 if opponent == "random" else OPENING.get(game.name, 0)
            match = play_match(game, [agent, opponent], pairs, TEST_SEED, opening=opening)
        measured["scores"][opponent] = {
            "score": float(match.scores().mean()),
            "score_margin": half_width(match.scores()),
            "by_seat": ((1 + np.sign(match.payoffs[:, :, 0])) / 2).mean(axis=0).tolist(),
            **(points(match.points()) if game.max_outcomes else {}),
        }
    return measured


def points(values: NDArray[np.float64]) -> dict[str, float]:
    """The mean of independent values, and half its 95 % interval."""
    return {"points": float(values.mean()), "points_margin": half_width(values)}


def team(game: Game, agent: str, partner: str, decks: int) -> NDArray[np.float64]:
    """The team's score with each deck; the agent has one seat, each in turn, and copies of the partner the others."""
    keys, agent_keys = game_keys(TEST_SEED, 0, decks, 1)
    who = np.ones((decks, game.seats), dtype=np.int64)
    who[np.arange(decks), np.arange(decks) % game.seats] = 0
    with ExitStack() as closing:
        benches = [bench([name], 0, game, closing) for name in (agent, partner)]
        return play_seated(game, benches, who, keys, agent_keys).payoffs[:, 0]


def search(game: Game) -> str:
    """The agent that looks ahead."""
    return SEARCH.get(game.name, DEFAULT_SEARCH)


# --- the table --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """The part of the table that was asked for."""

    games: Sequence[str]
    learners: Sequence[str]
    budgets: Sequence[int]
    seeds: int
    runs: Path

    def cells(self) -> Iterator[Cell]:
        """All cells whose learner accepts the game, cheapest first."""
        yield from self.close_look()
        for budget in self.budgets:
            for game in self.games:
                for learner in self.learners:
                    yield from filter(accepts, (Cell(game, learner, budget, seed) for seed in range(self.seeds)))

    def close_look(self) -> list[Cell]:
        """The cells of the small table."""
        game, learner, budget, seeds = CLOSE_LOOK
        asked = game in self.games and learner in self.learners
        chosen = [learner + settings for settings in CLOSE_SETTINGS if asked]
        return [Cell(game, name, budget, seed) for name in chosen for seed in range(seeds)]

    def results(self, cells: Sequence[Cell]) -> list[dict[str, Any]]:
        """The measurements of the cells that are finished."""
        files = [cell.folder(self.runs) / "results.json" for cell in cells]
        return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]


def document(plan: Plan, command: str) -> str:
    """The page."""
    machines = sorted({str(result["machine"]) for result in plan.results(list(plan.cells()))})
    lines = ["# Baselines at equal budgets", "", f"Written by `{command}`.", "", *(f"- {text}" for text in machines)]
    lines += ["", *(__doc__ or "").split("\n\n", 1)[1].split(" Each cell of")[0].splitlines(), "", NOTES]
    for game in plan.games:
        lines += ["", f"## {make_game(game).title}: `{game}`", "", *table(plan, game)]
    if plan.close_look():
        lines += ["", *closely(plan)]
    return "\n".join(lines) + "\n"


NOTES = f"""\
- ± is half a 95 % interval over pairs of games with the same chance and exchanged seats (Hanabi: over decks). It shows
  how precisely the trained agents are measured, not how much training with another seed would change.
- Score: a win is 1, a draw ½; in brackets by seat, first and second. Backgammon adds net points per game. For Hanabi it
  is the mean score of the team: with random or greedy, the agent has one seat and they the others; *itself* has all.
- Games against greedy and search begin with random moves, since otherwise the same game would be repeated:
  {", ".join(f"{count} in {name}" for name, count in OPENING.items())}. In backgammon the dice do the same.
- Blocks: among the agent's decisions against random in which the opponent threatened to win with its next move and
  could be stopped, the share in which it was. Length: mean number of decisions in the games against random.
- CPU: seconds of the training process, which uses one thread; without compilation, imports and the first, shorter run
  that determines how many games of self-play match the budget.
- Seeds: the lowest and highest score against random among the seeds.
- A dash: not measured, or the learner refuses the game."""


def table(plan: Plan, game: str) -> list[str]:
    """The rows of one game."""
    rules = make_game(game)
    opponents = ("random", "greedy", "itself" if rules.cooperative else search(rules))
    head = ("learner", "budget", "decisions", *(f"`{name}`" for name in opponents), *SHARED, "seeds")
    lines = [row(head), row(["---"] * len(head))]
    for learner in plan.learners:
        for budget in plan.budgets:
            results = plan.results([Cell(game, learner, budget, seed) for seed in range(plan.seeds)])
            decisions = mean_text(results, "decisions", ",.0f")
            scores = [score_text(results, opponent) for opponent in opponents]
            lines.append(row([learner, f"{budget:,}", decisions, *scores, *shared(results), seeds_text(results)]))
    return lines


def closely(plan: Plan) -> list[str]:
    """The small table: one row per seed."""
    game, learner, budget, _ = CLOSE_LOOK
    head = ("settings", "seed", "decisions", "wins as first", "wins as second", "score", *SHARED)
    lines = [f"## {learner} on {game}, {budget:,} decisions, against random", "", row(head), row(["---"] * len(head))]
    for cell in plan.close_look():
        results = plan.results([cell])
        wins = [f"{share:.3f}" for result in results for share in result["wins"]] or ["–", "–"]
        decisions, score = mean_text(results, "decisions", ",.0f"), score_text(results, "random")
        settings = cell.learner.partition("?")[2] or "default"
        lines.append(row([settings, str(cell.seed), decisions, *wins, score, *shared(results)]))
    return lines


SHARED = ("blocks", "length", "CPU, s")


def shared(results: list[dict[str, Any]]) -> list[str]:
    """The cells of the columns that both tables have."""
    return [blocks_text(results), mean_text(results, "length", ".1f"), mean_text(results, "cpu_seconds", ".1f")]


def row(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def mean_text(results: list[dict[str, Any]], key: str, form: str) -> str:
    """The mean over the seeds."""
    values = [result[key] for result in results if key in result]
    return format(float(np.mean(values)), form) if values else "–"


def score_text(results: list[dict[str, Any]], opponent: str) -> str:
    """The score against an opponent, as a mean over the seeds."""
    scores = [result["scores"][opponent] for result in results]
    if not scores:
        return "–"
    texts = []
    if "score" in scores[0]:
        by_seat = np.mean([score["by_seat"] for score in scores], axis=0)
        texts.append(mean_margin(scores, "score", ".3f") + f" ({', '.join(f'{share:.2f}' for share in by_seat)})")
    if "points" in scores[0]:
        texts.append(mean_margin(scores, "points", "+.2f" if texts else ".2f") + (" points" if texts else ""))
    return "; ".join(texts)


def mean_margin(scores: list[dict[str, Any]], key: str, form: str) -> str:
    """A mean of independent means, with the margin that follows from their margins."""
    mean = np.mean([score[key] for score in scores])
    margin = np.sqrt(np.sum([score[f"{key}_margin"] ** 2 for score in scores])) / len(scores)
    return f"{mean:{form}} ± {margin:{form.removeprefix('+')}}"


def blocks_text(results: list[dict[str, Any]]) -> str:
    """The share of the threats that were blocked, over all seeds together."""
    threats = sum(result.get("threats", 0) for result in results)
    return f"{100 * sum(result['blocked'] for result in results) / threats:.0f} % of {threats:,}" if threats else "–"


def seeds_text(results: list[dict[str, Any]]) -> str:
    """The range of the scores against random."""
    scores = [result["scores"]["random"] for result in results]
    values = [score["score" if "score" in score else "points"] for score in scores]
    return f"{min(values):.3f} to {max(values):.3f}" if len(values) > 1 else "–"


def games(text: str) -> list[str]:
    """Parse the specs of games, separated by commas."""
    try:
        return [make_game(part).spec for part in text.split(",")]
    except (ValueError, TypeError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def learners(text: str) -> list[str]:
    """Parse the names of learners, separated by commas."""
    for name in (names := text.split(",")):
        if name not in LEARNERS + SELF_PLAY:
            raise argparse.ArgumentTypeError(f"unknown learner {name!r}; known: {', '.join(LEARNERS + SELF_PLAY)}")
    return names


def main(arguments: Sequence[str]) -> None:
    """Run the missing cells; write the table and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budgets", type=lambda text: [int(part) for part in text.split(",")], default=BUDGETS)
    parser.add_argument("--games", type=games, default=GAMES)
    parser.add_argument("--learners", type=learners, default=LEARNERS)
    parser.add_argument("--seeds", type=int, default=1, help="training runs of each cell")
    parser.add_argument("--runs", type=Path, default=Path("runs/baselines"), help="the folder of the runs")
    parser.add_argument("--out", type=Path, default=Path("docs/results/baselines.md"), help="the page")
    parser.add_argument("--report", action="store_true", help="write the finished cells, run nothing")
    args = parser.parse_args(arguments)
    plan = Plan(args.games, args.learners, args.budgets, args.seeds, args.runs)
    if not args.report:
        for cell in plan.cells():
            if not (cell.folder(plan.runs) / "results.json").is_file():
                print(f"{time.strftime('%H:%M:%S')} {cell}", file=sys.stderr, flush=True)
                run(cell, plan.runs)
    asked = [argument for argument in arguments if argument != "--report"]
    text = document(plan, shlex.join(["python", "benchmarks/baselines.py", *asked]))
    args.out.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
