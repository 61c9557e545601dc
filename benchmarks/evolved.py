"""Evolved players beside others at equal games, in one tournament: writes `docs/learners/comparison.md`.

Every learner plays the same number of training games; those of Stable-Baselines3 make as many decisions as one seat has
in so many games. All is kept under `runs/evolved`: a folder a learner with a run a game in it, `tournament.db`, and the
report. So the command may be stopped at any time, and goes on where it was. `--quick` trains a tenth and
plays little, in `runs/evolved-quick`, and writes no page.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludarium.agents.baselines.sb3.learner import SB3Training
from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.genetic.gaia.learner import Gaia
from ludarium.agents.genetic.ifthen.learner import IfThen
from ludarium.agents.learning import run as learning
from ludarium.agents.learning.checkpoint import file_name
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.specs import make_agent
from ludarium.envs.batch import random_games
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.report import write_curves, write_report
from ludarium.evaluation.tournament.schedule import GameEntry, Tournament, run
from ludarium.evaluation.tournament.store import Store

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "connect_four.py"
os.environ["LUDARIUM_GAMES"] = os.pathsep.join(filter(None, (os.environ.get("LUDARIUM_GAMES"), str(EXAMPLE))))

GAMES = {  # training games, random moves at the start of the tournament's games
    "hexapawn?rows=4&columns=4": (20_000, 2),
    "tictactoe": (50_000, 1),
    "othello?size=4": (20_000, 2),
    "othello?size=6": (20_000, 4),
    "connect_four": (20_000, 4),
}
PAIRS = 200
OTHERS = ("random", "greedy", "mcts?simulations=100")
PICTURES = Path("docs/learners/curves")
EXACT = ("hexapawn?rows=4&columns=4", "tictactoe", "othello?size=4")


@dataclass(frozen=True)
class Entrant:
    """A learner in the tournament: what its agents' specs begin with, and its options for a game."""

    kind: str
    config: Callable[[str, int], Any]


def evolver(kind: type[Evolver], preset: str) -> Entrant:
    """An evolving learner with the options of a preset."""
    return Entrant(kind.name, lambda game, games: kind.from_preset(preset, {"game": game, "games": games}))


def maskable_ppo(game: str, games: int) -> Any:
    """The options of MaskablePPO: one seat's share of the decisions of so many random games."""
    length = random_games(make_game(game), 1000, 0)[1] / 1000
    return SB3Training(algorithm="maskable-ppo", game=game, steps=round(games * length / 2))


ENTRANTS = {
    "ifthen-seed": evolver(IfThen, "seed"),
    "ifthen-modern": evolver(IfThen, "modern"),
    "gaia-seed": evolver(Gaia, "seed"),
    "gaia-modern": evolver(Gaia, "modern"),
    "tabular-q": Entrant("tabular-q", lambda game, games: TabularQ(game=game, games=games)),
    "td": Entrant("td", lambda game, games: TD(game=game, games=games)),
    "maskable-ppo": Entrant("sb3", maskable_ppo),
}


def train(folder: Path, share: float) -> list[str]:
    """Train what is not trained yet; the agents."""
    for name, entrant in ENTRANTS.items():
        for game, (games, _) in GAMES.items():
            print(f"{time.strftime('%H:%M:%S')} {name}: {game}", file=sys.stderr, flush=True)
            learning.train(entrant.config(game, round(games * share)), folder / name / file_name(game))
    return [f"{entrant.kind}:{folder / name}" for name, entrant in ENTRANTS.items()]


def play(folder: Path, agents: list[str], pairs: int) -> Path:
    """Play what is missing of the tournament; the report's page."""
    entries = tuple(GameEntry(game, pairs, opening) for game, (_, opening) in GAMES.items())
    tournament = Tournament((*OTHERS, *agents), entries, name="evolved players beside others")
    with Store(folder / "tournament.db", tournament.data()) as store:
        run(tournament, store)
    return write_report(folder / "tournament.db")


def exact(agents: list[str]) -> str:
    """NashConv of the trained agents, as a Markdown table."""
    lines = [f"| agent | {' | '.join(EXACT)} |", "|---" * (1 + len(EXACT)) + "|"]
    for agent in ("random", *agents):
        found = [measure(make_game(game), make_agent(agent, make_game(game))).nash_conv for game in EXACT]
        lines.append(f"| {agent} | {' | '.join(f'{gap:.3f}' for gap in found)} |")
    return "\n".join(lines)


def document(agents: list[str], report: str) -> str:
    """The page; agents are called by the names of their learners."""
    played = ", ".join(f"{games:,} games of {game}" for game, (games, _) in GAMES.items())
    pictures = (f"![{game}: score against random]({PICTURES.name}/{file_name(game)}.svg)\n\n" for game in GAMES)
    text = (
        f"# Evolved players beside others, at equal games\n\nWritten by `python benchmarks/evolved.py`.\n\n"
        f"Every learner trained with seed 0 on {played}. MaskablePPO made as many decisions as one seat has in so many "
        f"random games. Evolved players are those of `ludarium train ifthen` and `gaia`, both presets.\n\n"
        f"NashConv, exactly: 0 is optimal play from both seats.\n\n{exact(agents)}\n\n"
        f"How they learned, by decisions in their training games (of MaskablePPO, its own):\n\n{''.join(pictures)}"
        f"The tournament: {PAIRS} pairs of games in each pairing, that begin with a few random moves.\n\n"
        + report.replace("\n## ", "\n### ").split("\n", 2)[2]
    )
    for name, agent in zip(ENTRANTS, agents, strict=True):
        text = text.replace(agent, name)
    return text


def main() -> None:
    """Train, play, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="less of everything, and no page")
    quick = parser.parse_args().quick
    folder = Path("runs/evolved-quick" if quick else "runs/evolved")
    agents = train(folder, 0.1 if quick else 1.0)
    page = play(folder, agents, 4 if quick else PAIRS)
    text = document(agents, page.with_suffix(".md").read_text(encoding="utf-8"))
    pictures = folder if quick else PICTURES
    for game in GAMES:
        write_curves(dict(zip(ENTRANTS, agents, strict=True)), game, pictures / f"{file_name(game)}.svg")
    if not quick:
        Path("docs/learners/comparison.md").write_text(text, encoding="utf-8")
    print(text, end="")
    print(page, file=sys.stderr)


if __name__ == "__main__":
    main()
