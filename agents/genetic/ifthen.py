"""If-then players that evolve: `ludarium train ifthen hexapawn`, then the agent `ifthen:runs/ifthen-hexapawn`.

After "IfThenLearning", which set out to reach "optimal play for any game given only the rules". A player is a map from
positions to moves. Where its map says nothing it plays at random, and what it so tried is entered if it wins. In each
generation the population is sorted by a merge sort in which every comparison is a game; the bottom half is replaced by
children of the others, and a child takes each pair from one parent, the more likely the higher that one's win rate.

The preset `seed` is that program to the letter, where its text and its code leave no choice; where they do, an option
tells the readings apart. It never corrects a pair, so a move that once beat a weak player stays. `modern` is still such
a population and nothing but the rules of the game, but its pairs carry values that each game corrects.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.training import LEARNING, Arrays, images
from ludarium.agents.genetic.evolution import Evolver, Parallel, evolved
from ludarium.agents.genetic.ifthen_breeding import Heredity, breed, disagreement
from ludarium.agents.genetic.ifthen_games import DECISIONS, DRAWS, GAMES, RULE_MOVES, Settings, merge_runs, rematch
from ludarium.agents.genetic.maps import FIRST_SLOTS, FORGOTTEN, Maps, map_policy
from ludarium.envs.chance import seed_key, stream, uniform
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

_SORTING, _REMATCH, _BREEDING = range(3)
_FINALISTS = 4
_PARTS = 4
"""Independent work is cut into so many parts, on any number of threads."""


@dataclass(frozen=True, kw_only=True)
class IfThen(Evolver):
    """Options of the if-then learner; see `Evolver` for the others. The defaults are those of the preset `seed`.

    Attributes:
        founder_limit: founders' randomness, the chance of a random move in a known position, is uniform below this.
        randomness_rate: the chance that a child's randomness is not inherited, but drawn anew.
        rerandomise_limit: it is then uniform below this.
        randomness_inheritance: `"code"`: the chosen parent's ± 2.5 %; `"text"`: the chosen parent's and 5 % of the
            other's.
        inheritance: `"win-rate"`: each pair comes from a parent with the probability of its share of both win rates;
            `"evidence"`: from the parent that learned it in more games, by win rate among equals.
        missing_genes: a pair that only one parent has: `"union"`: is inherited; `"drop"`: only if the lot falls on it.
        win_rate_window: `"lifetime"` or `"generation"`: the games that count.
        games_per_comparison: games in a comparison, with alternating seats, the first by lot; ties by lot.
        rematch: after the sort, so many comparisons between each two of the first four settle their order; 0: the sort
            alone.
        record_on: `"win"` or `"win+draw"`: the games whose random moves are entered.
        overwrite_on_win: enter random moves in known positions as well.
        forget_on_loss: the loser forgets the rule behind its last move, if it had a choice there.
        symmetry: enter each pair in all mirror images, if the game declares `symmetries`.
        values: each pair has a value, that of the best known move, and every position of every game is corrected from
            the last back to the first, whoever won; `record_on`, `overwrite_on_win` and `forget_on_loss` play no part.
    """

    name: ClassVar[str] = "ifthen"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "seed": {},
        "modern": {
            "population": 8,
            "founder_limit": 1.0,
            "randomness_rate": 0.5,
            "inheritance": "evidence",
            "games_per_comparison": 2,
            "symmetry": True,
            "values": True,
        },
    }
    founder_limit: float = 0.05
    randomness_rate: float = 0.05
    rerandomise_limit: float = 1.0
    randomness_inheritance: str = "code"
    inheritance: str = "win-rate"
    missing_genes: str = "union"
    win_rate_window: str = "lifetime"
    games_per_comparison: int = 1
    rematch: int = 0
    record_on: str = "win"
    overwrite_on_win: bool = False
    forget_on_loss: bool = False
    symmetry: bool = False
    values: bool = False

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(4, "population")
        self.check_at_least(1, "games_per_comparison")
        self.check_at_least(0, "rematch")
        self.check_share("founder_limit", "randomness_rate", "rerandomise_limit")
        self.check_choice("randomness_inheritance", "code", "text")
        self.check_choice("inheritance", "win-rate", "evidence")
        self.check_choice("missing_genes", "union", "drop")
        self.check_choice("win_rate_window", "lifetime", "generation")
        self.check_choice("record_on", "win", "win+draw")
        if self.values and game.max_outcomes:
            raise ValueError(f"{self.name}: {game.spec} has chance, where values cannot be backed up; set values=False")

    def start(self, game: Game) -> Arrays:
        maps = Maps.empty(self.population)
        draws = stream(self.seed, LEARNING)
        maps.randomness[:] = [self.founder_limit * uniform(draws) for _ in range(self.population)]
        return {**maps._asdict(), "order": np.arange(self.population)}

    def fits(self, game: Game, arrays: Arrays) -> bool:
        slots = arrays["keys"].size // self.population if "keys" in arrays else 0
        expected = self.start(game)
        for table in Maps._fields[:4]:
            expected[table] = np.zeros((self.population, slots), dtype=expected[table].dtype)
        return bool(
            slots >= FIRST_SLOTS
            and slots & (slots - 1) == 0
            and {k: (a.dtype, a.shape) for k, a in arrays.items()}
            == {k: (a.dtype, a.shape) for k, a in expected.items()}
            and (arrays["entries"] == np.count_nonzero(arrays["keys"], axis=1)).all()
            and 2 * arrays["entries"].max() <= slots
            and (arrays["moves"] < game.actions).all()
            and (arrays["moves"] >= FORGOTTEN).all()
            and (np.sort(arrays["order"]) == expected["order"]).all()
        )

    def largest_generation(self, game: Game) -> int:
        sort = sum(end - start - 1 for _, merges in _levels(self.population) for start, end in merges)
        return self.games_per_comparison * (sort + self.rematch * math.comb(_FINALISTS, 2))

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        maps = Maps(*(arrays[name] for name in Maps._fields))
        if self.win_rate_window == "generation":
            maps.wins[:], maps.games[:] = 0, 0
        order, counts = self._sort(game, maps, arrays["order"], number, parallel)
        rates = maps.wins / np.maximum(maps.games, 1)
        told = {
            "games": counts[GAMES],
            "decisions": counts[DECISIONS],
            "best": rates[order[0]],
            "mean": rates.mean(),
            "diversity": disagreement(maps, order),
            "rule_share": counts[RULE_MOVES] / counts[DECISIONS],
            "draws": counts[DRAWS] / counts[GAMES],
            "entries": maps.entries.mean(),
        }
        self._replace(maps, order, seed_key(self.seed, LEARNING, number, _BREEDING), parallel)
        arrays.update(maps.grown()._asdict(), order=order)
        return told

    def _sort(self, game: Game, maps: Maps, order: Any, number: int, parallel: Parallel) -> tuple[Any, Any]:
        """The ranking, best first, and what was played for it, by `GAMES` and so on."""
        mirrors = images(game) if self.symmetry and not game.max_outcomes else images(game)[:1]
        settings = Settings(
            self.games_per_comparison,
            self.record_on == "win+draw",
            self.overwrite_on_win,
            self.forget_on_loss,
            self.values,
        )
        rules = (game.table, game.option_bytes, mirrors, maps, settings)
        total = np.zeros(4, dtype=np.int64)
        for level, (width, merges) in enumerate(_levels(self.population)):
            merged, key = np.zeros_like(order), seed_key(self.seed, LEARNING, number, _SORTING, level)

            def part(ends: tuple[int, int], runs: Any = (order, merged, width), key: Any = key) -> NDArray[np.int64]:
                counts = np.zeros(4, dtype=np.int64)
                merge_runs(*rules, runs[0], runs[1], runs[2], ends[0], ends[1], key, counts)
                return counts

            total += sum(parallel(part, _cut(0, len(merges))))
            order = merged
        if self.rematch:
            key = seed_key(self.seed, LEARNING, number, _REMATCH)
            rematch(*rules, order, _FINALISTS, self.rematch, key, total)
        return order, total

    def _replace(self, maps: Maps, order: Any, key: np.uint64, parallel: Parallel) -> None:
        """The bottom half makes room for children of the others."""
        survivors = self.population - self.population // 2
        heredity = Heredity(
            float(self.randomness_rate),
            float(self.rerandomise_limit),
            self.randomness_inheritance == "text",
            self.missing_genes == "drop",
            self.inheritance == "evidence",
        )

        def part(ends: tuple[int, int]) -> None:
            breed(maps, order, survivors, *ends, heredity, key)

        parallel(part, _cut(survivors, self.population))

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return self.member(game, arrays, 0)

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """The member in a place of the last ranking, the champion in place 0; it does not ignore what it knows."""
        row = arrays["order"][index]
        return map_policy(arrays["keys"][row], arrays["moves"][row])


def trained(game: Game, path: str, *, member: int | None = None) -> CompiledAgent:
    """The agent `ifthen:PATH`: the champion of a run, or with `member=3` the member in that place of the ranking.

    Raises:
        ValueError: if the folder holds no such run, one of another game, or no such member.
    """
    return evolved(IfThen, game, path, member)


def _levels(members: int) -> list[tuple[int, list[tuple[int, int]]]]:
    """The levels of a merge sort: the length of the runs, and the places that each merge fills."""
    levels, width = [], 1
    while width < members:
        merges = [(start, min(start + 2 * width, members)) for start in range(0, members, 2 * width)]
        levels.append((width, merges))
        width *= 2
    return levels


def _cut(first: int, last: int) -> list[tuple[int, int]]:
    """A range in about equal parts, none of them empty."""
    ends = [first + (last - first) * part // _PARTS for part in range(_PARTS + 1)]
    return [(start, end) for start, end in pairwise(ends) if start < end]
