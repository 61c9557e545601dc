"""The ladder of `ludarium rate`: the ratings of its rungs, and how often its intervals hold.

`python benchmarks/ladder.py --part games` plays the rungs against each other and writes
`evaluation/ladder/rungs.json`; it may be stopped at any time and goes on with what `benchmarks/ladder_games.json` has.
The other parts print tables, which `--keep` puts into the study: `table`, the ladders; `coverage`, agents of known
strength rated 200 times, players simulated from the ladder's model and each rung by the others; `minute`, some agents
rated for a minute each.
"""

import argparse
import json
import time
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from results import Study, Table

from ludarium.envs.files import replacing
from ludarium.envs.registry import make_game
from ludarium.evaluation.ladder.play import batch_size, place, rate
from ludarium.evaluation.ladder.rating import Climb, Scale, expected, fit_rungs
from ludarium.evaluation.ladder.rungs import SHIPPED, VERSION, Ladder, shipped
from ludarium.evaluation.play.match import play_match

KEPT = Path(__file__).resolve().with_name("ladder_games.json")
APART = 10_000_000
"""Pair numbers for each pairing, which has dice and openings of its own; which ones depends on the rungs' names."""
FIRST_SEED = 100
FEWEST = 50
"""Pairs of each pairing, however far apart the rungs are."""
HANABI = {
    "random": "random",
    "Internal": "hanabi-rules?name=internal",
    "Van den Bergh": "hanabi-rules?name=vdb",
    "Outer": "hanabi-rules?name=outer",
    "IGGI": "hanabi-rules?name=iggi",
    "Cautious": "hanabi-rules?name=cautious",
    "Piers": "hanabi-rules?name=piers",
    "expert": "expert",
}
RUNGS: dict[str, tuple[int, dict[str, str]]] = {
    "hexapawn": (
        1,
        {
            "random": "random",
            "MCTS 2": "mcts?simulations=2",
            "MCTS 3": "mcts?simulations=3",
            "MCTS 5": "mcts?simulations=5",
            "MCTS 10": "mcts?simulations=10",
            "MCTS 25": "mcts?simulations=25",
            "one ply": "greedy?evaluation=pawns",
            "alpha-beta 2": "alphabeta?depth=2",
            "perfect": "perfect",
        },
    ),
    "tictactoe": (
        1,
        {
            "random": "random",
            "MCTS 2": "mcts?simulations=2",
            "MCTS 4": "mcts?simulations=4",
            "MCTS 8": "mcts?simulations=8",
            "MCTS 16": "mcts?simulations=16",
            "MCTS 32": "mcts?simulations=32",
            "MCTS 64": "mcts?simulations=64",
            "one ply": "greedy?evaluation=lines",
            "alpha-beta 2": "alphabeta?depth=2",
            "perfect": "perfect",
        },
    ),
    "backgammon": (
        0,
        {
            "random": "random",
            "MCTS 2": "mcts?simulations=2",
            "PPO": "ppo",
            "MCTS 3, expert's values": "mcts?simulations=3&evaluation=expert",
            "MCTS 5, expert's values": "mcts?simulations=5&evaluation=expert",
            "MCTS 10, expert's values": "mcts?simulations=10&evaluation=expert",
            "MCTS 20, expert's values": "mcts?simulations=20&evaluation=expert",
            "pubeval": "greedy",
            "expert": "expert",
        },
    ),
    "othello": (
        6,
        {
            "random": "random",
            "MCTS 2": "mcts?simulations=2",
            "MCTS 5": "mcts?simulations=5",
            "WPC": "greedy?evaluation=wpc",
            "MCTS 10": "mcts?simulations=10",
            "WPC, 2 plies": "alphabeta?depth=2&endgame=0",
            "WPC, 4 plies": "alphabeta?depth=4&endgame=0",
            "expert's patterns, 1 ply": "greedy?evaluation=expert",
            "expert's patterns, 2 plies": "alphabeta?depth=2&endgame=0&evaluation=expert",
            "expert's patterns, 4 plies": "alphabeta?depth=4&endgame=6&evaluation=expert",
            "expert, 2,000 nodes": "expert?nodes=2000",
        },
    ),
    **{f"hanabi?seats={seats}" if seats > 2 else "hanabi": (0, HANABI) for seats in (2, 3, 4, 5)},
}


MINUTE = {
    "hexapawn": ["mcts?simulations=20"],
    "tictactoe": ["mcts?simulations=200"],
    "backgammon": ["mcts?simulations=50&evaluation=expert"],
    "othello": ["alphabeta", "mcts?simulations=200", "expert?nodes=1000"],
    "hanabi": ["greedy"],
}
"""Agents that are rated for a minute each."""


class Counts:
    """The games of a ladder so far, by pairing; in cooperative games, of each rung with itself.

    Attributes:
        tally: shape (rungs, rungs, 3): pairs, and the sums of their mean scores and of the squares, of row against
            column; in cooperative games points instead of scores, on the diagonal.
        seconds: shape (rungs, rungs): CPU time.
    """

    def __init__(self, spec: str) -> None:
        self.game = make_game(spec)
        self.opening, self.rungs = RUNGS[spec]
        kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
        size = len(self.rungs)
        self.tally, self.seconds = np.zeros((size, size, 3)), np.zeros((size, size))
        names = list(self.rungs)
        for a, b, seconds, *sums in kept.get(spec, []):
            place = names.index(a), names.index(b)
            self.tally[place], self.seconds[place] = sums, seconds

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.tally[:, :, 0].sum()) * (1 if self.game.cooperative else 2)

    def pairings(self) -> list[tuple[int, int]]:
        """All pairings, the weaker rung last."""
        size = len(self.rungs)
        if self.game.cooperative:
            return [(a, a) for a in range(size)]
        return [(a, b) for a in range(size) for b in range(a)]

    def play(self, a: int, b: int, pairs: int) -> None:
        """Play the next pairs of a pairing."""
        names, specs = list(self.rungs), list(self.rungs.values())
        number = zlib.crc32(f"{names[a]} – {names[b]}".encode())
        first = 0 if self.game.cooperative else number * APART  # every team has the same decks
        agents = [specs[a]] if a == b else [specs[a], specs[b]]
        began = time.process_time()
        played = play_match(
            self.game, agents, pairs, seed=0, first=first + int(self.tally[a, b, 0]), opening=self.opening
        )
        values = played.points() if self.game.cooperative else played.scores()
        self.tally[a, b] += len(values), values.sum(), (values**2).sum()
        self.seconds[a, b] += time.process_time() - began

    def few(self) -> list[tuple[int, int]]:
        """The pairings with too few games to say anything about."""
        return [pairing for pairing in self.pairings() if self.tally[pairing][0] < FEWEST]

    def next(self) -> tuple[int, int]:
        """The pairing whose next games take most of the variance away for the time they take."""
        pairings = self.pairings()
        if few := self.few():
            return few[0]
        pairs, total, squares = (np.array([self.tally[pairing][k] for pairing in pairings]) for k in range(3))
        means = total / pairs
        variances = np.maximum(squares / pairs - means**2, 1e-4)
        if not self.game.cooperative:  # a rung that few others are close to needs more games
            spread = np.zeros(self.seconds.shape)
            for (a, b), mean in zip(pairings, means, strict=True):
                spread[a, b] = spread[b, a] = mean * (1 - mean)
            variances *= [1 / spread[a].sum() ** 2 + 1 / spread[b].sum() ** 2 for a, b in pairings]
        costs = np.array([self.seconds[pairing] for pairing in pairings]) / pairs
        return pairings[int(np.argmax(variances / pairs**2 / costs))]

    def matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean scores, variances of pairs and numbers of pairs, each of shape (rungs, rungs)."""
        pairs, total, squares = np.moveaxis(self.tally, 2, 0)
        there = pairs > 0
        mean = np.divide(total, pairs, out=np.zeros_like(total), where=there)
        variance = np.divide(squares, pairs, out=np.zeros_like(total), where=there) - mean**2
        turned = np.where(there, mean, np.where(there.T, 1 - mean.T, 0.0))
        return turned, variance + variance.T, pairs + pairs.T

    def scale(self) -> Scale:
        """The rungs rated by these games."""
        if not self.game.cooperative:
            return fit_rungs(*self.matrices())
        pairs, total, squares = (np.diagonal(part) for part in np.moveaxis(self.tally, 2, 0))
        mean = total / pairs
        return Scale(mean, np.sqrt((squares / pairs - mean**2) / pairs), 0.0, 0.0)

    def ladder(self) -> dict[str, Any]:
        """The ladder that these games make, as `rungs.json` has it."""
        scale, played = self.scale(), self.tally[:, :, 0].sum(axis=0) + self.tally[:, :, 0].sum(axis=1)
        digits = 3 if self.game.cooperative else 1
        rungs = [
            {
                "name": name,
                "agent": spec,
                "rating": round(float(scale.elo[k]), digits) + 0.0,
                "error": round(float(scale.error[k]), digits),
                "games": int(played[k] / 2 if self.game.cooperative else 2 * played[k]),
            }
            for k, (name, spec) in enumerate(self.rungs.items())
        ]
        return {
            "opening": self.opening,
            "agreement": round(scale.agreement, 2),
            "dispersion": round(scale.dispersion, 3),
            "rungs": sorted(rungs, key=lambda rung: rung["rating"]),
        }

    def store(self) -> None:
        """Write the games so far, and the ladder that they make."""
        names = list(self.rungs)
        rows = [
            [names[a], names[b], round(float(self.seconds[a, b]), 3), *self.tally[a, b].tolist()]
            for a, b in self.pairings()
        ]
        _merge(KEPT, {}, self.game.spec, rows)
        _merge(SHIPPED, {"version": VERSION}, self.game.spec, self.ladder())


def _merge(path: Path, head: dict[str, Any], game: str, value: Any) -> None:
    """Replace one game's part of a file, each of whose rows has a line of its own."""
    data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {**head, "games": {}} if head else {}
    (data["games"] if head else data)[game] = value
    with replacing(path) as part:
        part.write_text(_lines(data) + "\n", encoding="utf-8")


def _lines(value: Any, indent: str = "") -> str:
    """JSON in which whatever holds only numbers and text is one line."""
    plain = not isinstance(value, dict | list) or not any(
        isinstance(inner, dict | list) for inner in (value.values() if isinstance(value, dict) else value)
    )
    if plain:
        return json.dumps(value, ensure_ascii=False)
    deeper = indent + " "
    if isinstance(value, list):
        return f"[\n{deeper}" + f",\n{deeper}".join(_lines(inner, deeper) for inner in value) + f"\n{indent}]"
    parts = [f"{json.dumps(name, ensure_ascii=False)}: {_lines(inner, deeper)}" for name, inner in value.items()]
    return f"{{\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}}}"


def play_ladder(spec: str, games: int, minutes: float) -> None:
    """Play a ladder's games until there are as many, or for so many minutes of CPU time."""
    counts, began = Counts(spec), time.process_time()
    stored = began
    while counts.few() or (counts.games < games and time.process_time() - began < 60 * minutes):
        pairing = counts.next()
        pairs, seconds = counts.tally[pairing][0], counts.seconds[pairing]
        counts.play(*pairing, FEWEST if pairs < FEWEST else int(np.clip(2 * pairs / max(seconds, 1e-3), 10, 2000)))
        if not counts.few() and time.process_time() - stored > 20:
            counts.store()
            stored = time.process_time()
    counts.store()
    print(f"{spec}: {counts.games:,} games in {counts.seconds.sum() / 60:.1f} CPU minutes", flush=True)


def coverage(spec: str, uses: int, games: int, table: Table) -> None:
    """How often the intervals of `rate` hold the truth, and how wide they are."""
    kinds = [("each rung, by the others", _left_out)]
    if not make_game(spec).cooperative:
        kinds.insert(0, ("simulated", _simulated))
    for name, kind in kinds:
        ratings = np.array([kind(shipped()[spec], games, FIRST_SEED + use) for use in range(uses)])
        held = (ratings[:, 0] <= ratings[:, 1]) & (ratings[:, 1] <= ratings[:, 2])
        table.row(
            spec, name, uses, games, f"{100 * held.mean():.1f} %", f"{np.mean(ratings[:, 2] - ratings[:, 0]) / 2:.2g}"
        )


def _simulated(ladder: Ladder, games: int, seed: int) -> tuple[float, float, float]:
    """Low end, truth and high end for a simulated agent, which differs from the model as the rungs do."""
    scale, rng = ladder.scale, np.random.default_rng(seed)
    strength = rng.uniform(scale.elo.min(), scale.elo.max())
    chances = expected(strength - scale.elo)
    scores = np.clip(rng.beta(scale.agreement * chances, scale.agreement * (1 - chances)), 1e-6, 1 - 1e-6)
    grid = np.arange(-4000, 8000.0)
    truth = np.interp(scores.sum(), expected(grid[:, None] - scale.elo).sum(axis=1), grid)
    climb, spread = Climb(scale), 2 / scale.dispersion - 1
    while (left := games // 2 - sum(map(len, climb.scores))) > 0:
        counts = climb.next(batch_size(sum(map(len, climb.scores)), left))
        more = [rng.beta(spread * p, spread * (1 - p), n) for p, n in zip(scores, counts, strict=True)]
        climb.take([np.concatenate(pair) for pair in zip(climb.scores, more, strict=True)])
    low, high = climb.estimate.interval
    return low, truth, high


def _left_out(ladder: Ladder, games: int, seed: int) -> tuple[float, float, float]:
    """The low end, the truth and the high end for one of the rungs, rated by all others."""
    rung = ladder.rungs[seed % len(ladder.rungs)]
    others = replace(ladder, rungs=tuple(other for other in ladder.rungs if other is not rung))
    placed = place({"rung": rung.agent}, make_game(ladder.game), others, 60.0, games, seed, workers=1)
    low, high = placed.interval
    return low, rung.rating, high


def minute(spec: str, table: Table) -> None:
    """How narrow the intervals of compiled agents are after a minute."""
    for agent in MINUTE.get(spec, []):
        result = rate(agent, game=spec, seed=FIRST_SEED)
        digits = 2 if make_game(spec).cooperative else 0
        shown = f"{result.rating:.{digits}f}", f"{result.margin:.{digits}f}"
        table.row(spec, f"`{agent}`", *shown, f"{result.games:,}", f"{result.seconds:.0f}")


def table_of_rungs(study: Study) -> None:
    """The ladders, as tables of the study."""
    for spec, ladder in shipped().items():
        games = sum(rung.games for rung in ladder.rungs) // (1 if make_game(spec).cooperative else 2)
        seconds = Counts(spec).seconds.sum()
        unit = "points" if make_game(spec).cooperative else "Elo"
        begun = f"; random moves at the start: {ladder.opening}" if ladder.opening else ""
        caption = f"{spec}: {games:,} games in {seconds / 60:.1f} CPU minutes{begun}; ± is half the 95 % interval."
        table = study.table("games", caption, "rung", "agent", unit, "±", "games")
        digits = 2 if unit == "points" else 0
        for rung in reversed(ladder.rungs):
            rating, margin = f"{rung.rating:.{digits}f}", f"{1.96 * rung.error:.{digits}f}"
            table.row(rung.name, f"`{rung.agent}`", rating, margin, f"{rung.games:,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["games", "table", "coverage", "minute"], required=True)
    parser.add_argument("--game", choices=RUNGS, action="append", help="only this one; may be repeated")
    parser.add_argument("--games", type=int, help="games of each ladder (100,000), or of each use (400)")
    parser.add_argument("--minutes", type=float, default=10.0, help="at most, of CPU time, for each ladder")
    parser.add_argument("--uses", type=int, default=200)
    parser.add_argument("--keep", action="store_true", help="put the tables into the study")
    args = parser.parse_args()
    study, games = Study("ladder"), args.game or RUNGS
    if args.part == "games":
        for spec in games:
            play_ladder(spec, args.games or 100_000, args.minutes)
    elif args.part == "table":
        table_of_rungs(study)
    elif args.part == "coverage":
        columns = "game", "agents", "uses", "games each", "interval holds", "± mean"
        caption = "How often the 95 % interval holds the known strength, and half its width (in Hanabi in points)."
        table = study.table("coverage", caption, *columns)
        for spec in games:
            coverage(spec, args.uses, args.games or 400, table)
    else:
        caption = "Compiled agents rated for a minute, on two cores that were busy with other work."
        table = study.table("minute", caption, "game", "agent", "rating", "±", "games", "seconds")
        for spec in games:
            minute(spec, table)
    if args.keep:
        study.keep()


if __name__ == "__main__":
    main()
