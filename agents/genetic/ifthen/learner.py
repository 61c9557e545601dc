"""If-then players that evolve: `ludarium train ifthen hexapawn`, then the agent `ifthen:runs/ifthen-hexapawn`.

After "IfThenLearning", which set out to reach "optimal play for any game given only the rules". A player is a map from
positions to moves. Where the map has no move, it plays at random, and if it wins, these random moves are added to the
map. Each generation is sorted by a merge sort in which every comparison is a game; the bottom half is replaced by
children of the others. A child takes each pair from one parent, with a probability that grows with that parent's win
rate.

The preset `seed` is that program to the letter wherever its text and its code are clear; where they are not, an option
selects the reading. It never corrects a pair, so a move that once beat a weak player stays. `modern` is still a
population of such maps that is given only the rules of the game. But its pairs have values that each game corrects, and
some pairs are about windows, squares in a line, rather than whole positions, so that it can judge any position.
`single` is one such map, which plays itself.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import check_board
from ludarium.agents.genetic.ifthen.breeding import (
    Heredity,
    ahead_of_parents,
    breed,
    disagreement,
    places_protected,
    protect,
)
from ludarium.agents.genetic.ifthen.contest import GAMES_ALONE, Contest, cut, most_comparisons
from ludarium.agents.genetic.ifthen.games import DECISIONS, DRAWS, GAMES, RULE_MOVES, Rules
from ludarium.agents.genetic.ifthen.inspection import inspect_map
from ludarium.agents.genetic.ifthen.lessons import Lesson
from ludarium.agents.genetic.ifthen.map_agent import MapAgent
from ludarium.agents.genetic.ifthen.maps import FIRST_SLOTS, WINDOW, Maps, Pairs
from ludarium.agents.genetic.ifthen.player import player
from ludarium.agents.genetic.ifthen.windows import LONGEST, Windows, board_windows
from ludarium.agents.learning.evolution import Evolver, sample_place
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING, Takes, same_layout
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import seed_key, stream, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

_SORTING, _REMATCH, _BREEDING, _CHAMPIONS, _HALL, _EXPLORING = range(6)
_FINALISTS = 4


@dataclass(frozen=True, kw_only=True)
class IfThen(Evolver):
    """Options of the if-then learner; see `Evolver` for the others. The defaults are those of the preset `seed`.

    The twins of `Evolver` leave all other options as they are. With `selection=none`, all games are played and learned
    from, but the champion and the survivors are drawn at random (which of two parents passes a pair on still depends on
    `inheritance`). With `breeding=founders`, the bottom half is replaced by players with an empty map and a founder's
    randomness. With `population=1`, a generation is 100 games of one map against itself, which learns from each game as
    either side. The preset `single` is such a map.

    Attributes:
        founder_limit: the upper limit of the founders' randomness, the probability of a random move in a position that
            the map knows; it is drawn uniformly from 0 to this.
        randomness_rate: the probability that a child's randomness is not inherited but drawn again.
        rerandomise_limit: the upper limit of a randomness that is drawn again.
        randomness_inheritance: how randomness is inherited: `"code"`: that of one parent, changed by up to ± 2.5 %;
            `"text"`: that of one parent plus 5 % of the other's; `"none"`: not at all: it is drawn again for all
            players before each generation, so that nobody is selected for exploring little.
        inheritance: which parent passes a pair on: `"win-rate"`: a random one, with the probability of its share of
            both win rates; `"evidence"`: the one that learned the pair in more games, and among equals as before.
        missing_genes: what happens to a pair that only one parent has: `"union"`: it is inherited; `"drop"`: it is
            inherited only if the draw picks that parent.
        win_rate_window: the games that count towards a win rate: those of the player's `"lifetime"`, or of the current
            `"generation"` only.
        games_per_comparison: the number of games in a comparison. Seats alternate; who begins is decided at random, and
            so is a tie.
        rematch: the number of comparisons, after the sort, between each two of the first four, which then decide their
            order; 0: the sort alone decides.
        record_on: the games whose random moves are added to a map: `"win"`, or `"win+draw"`.
        overwrite_on_win: random moves in positions that the map knows are added too.
        forget_on_loss: the loser forgets the pair behind its last move with a choice, if a pair made it.
        symmetry: each pair is learned in all mirror images, if the game declares `symmetries`.
        values: each pair has a value, that of the best known move. After every game, whoever won, the pairs of all its
            positions are corrected, from the last back to the first. This replaces `record_on`, `overwrite_on_win` and
            `forget_on_loss`.
        windows: the number of squares in a window. Positions that the map does not know are judged by windows, see
            `ludarium.agents.genetic.ifthen.windows`; 0: not at all. Needs `values`.
        capacity: a map that holds this many pairs forgets half of them, those that it met in the fewest games; 0:
            never.
        hall_of_fame: the number of past champions, a random sample of all, that every player meets after the sort.
            Players are then ranked by how many of them they beat; ties stay in order. Past champions no longer learn.
        novelty: the fraction of the survivors' places behind the champion that goes to the players whose pairs differ
            most from the others', among those that would be replaced.
    """

    name: ClassVar[str] = "ifthen"
    takes: ClassVar[Takes] = Takes(chance=True)
    least_population: ClassVar[int] = 4
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
            "windows": 4,
            "capacity": 1 << 15,
        },
        "single": {
            "population": 1,
            "randomness_inheritance": "none",
            "symmetry": True,
            "values": True,
            "windows": 4,
            "capacity": 1 << 15,
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
    windows: int = 0
    capacity: int = 0
    hall_of_fame: int = 0
    novelty: float = 0.0

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(1, "games_per_comparison")
        self.check_at_least(0, "rematch", "windows", "capacity")
        self.check_at_least(0, "hall_of_fame", most=10_000)
        self.check_number(0, 1, "founder_limit", "randomness_rate", "rerandomise_limit", "novelty")
        self.check_choice("randomness_inheritance", "code", "text", "none")
        self.check_choice("inheritance", "win-rate", "evidence")
        self.check_choice("missing_genes", "union", "drop")
        self.check_choice("win_rate_window", "lifetime", "generation")
        self.check_choice("record_on", "win", "win+draw")
        if self.values:
            self.check_idle("with values", "record_on", "overwrite_on_win", "forget_on_loss")
        if self.randomness_inheritance == "none":
            self.check_idle("with randomness_inheritance='none'", "founder_limit", "randomness_rate")
        if self.randomness_rate == 0:
            self.check_idle("with randomness_rate=0", "rerandomise_limit")
        if self.randomness_rate == 1:
            self.check_idle("with randomness_rate=1", "randomness_inheritance")
        if self.population == 1:
            self.check_idle(
                "with population=1, a single player", "selection", "breeding", "rematch", "hall_of_fame", "novelty"
            )
        if self.breeding == "none":
            self.check_idle("with breeding=none, where nobody is replaced", "novelty")
        if self.novelty and not places_protected(self._survivors, self.novelty):
            raise ValueError(
                f"{self.name}: novelty={self.novelty!r} is none of the {self._survivors - 1} places behind the "
                f"champion in a population of {self.population}; give at least {0.5 / (self._survivors - 1):g}, or 0"
            )
        if self.values and game.max_outcomes:
            raise ValueError(f"{self.name}: {game.spec} has chance, where values cannot be backed up; set values=False")
        if self.windows and (self.windows == 1 or self.windows > LONGEST):
            raise ValueError(f"{self.name}: windows must be 0 or from 2 to {LONGEST}, not {self.windows!r}")
        if self.windows and not self.values:
            raise ValueError(f"{self.name}: windows={self.windows!r} needs values=True")
        if self.windows:
            check_board(game, f"windows={self.windows}", "set windows=0")

    def start(self, game: Game) -> Arrays:
        maps = Maps.empty(self.population + self.hall_of_fame)
        draws = stream(self.seed, LEARNING)
        maps.randomness[: self.population] = self._founders(draws, self.population)
        return {**maps._asdict(), "order": np.arange(self.population)}

    def fits(self, game: Game, arrays: Arrays) -> bool:
        rows = self.population + self.hall_of_fame
        slots = arrays["keys"].size // rows if "keys" in arrays else 0
        expected = self.start(game)
        for table in Maps._fields[:4]:
            expected[table] = np.zeros((rows, slots), dtype=expected[table].dtype)
        return bool(
            slots >= FIRST_SLOTS
            and slots & (slots - 1) == 0
            and same_layout(arrays, expected)
            and (arrays["entries"] == np.count_nonzero(arrays["keys"], axis=1)).all()
            and 2 * arrays["entries"].max() <= slots
            and (arrays["moves"] < game.actions).all()
            and (arrays["moves"] >= WINDOW).all()
            and (np.sort(arrays["order"]) == expected["order"]).all()
        )

    def largest_generation(self, game: Game) -> int:
        if self.population == 1:
            return GAMES_ALONE
        rematches = self.rematch * math.comb(_FINALISTS, 2)
        comparisons = most_comparisons(self.population) + rematches + self.population * self.hall_of_fame
        return self.games_per_comparison * comparisons

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        maps = Maps(*(arrays[name] for name in Maps._fields))
        if self.win_rate_window == "generation":
            maps.wins[:], maps.games[:] = 0, 0
        if self.randomness_inheritance == "none":
            draws = stream(self.seed, LEARNING, number, _EXPLORING)
            for member in range(self.population):
                maps.randomness[member] = self.rerandomise_limit * uniform(draws)
        before = arrays["order"]
        order, counts = self._rank(game, maps, before, number, parallel)
        rates = (maps.wins / np.maximum(maps.games, 1))[: self.population]
        metrics = {
            "games": counts[GAMES],
            "decisions": counts[DECISIONS],
            "best": rates[order[0]],
            "mean": rates.mean(),
            "diversity": disagreement(maps, order),
            "rule_share": counts[RULE_MOVES] / counts[DECISIONS],
            "draws": counts[DRAWS] / counts[GAMES],
            "entries": maps.entries[: self.population].mean(),
            "randomness": maps.randomness[order[: self._survivors]].mean(),
        }
        if number and self.population > 1 and self.breeding == "parents":
            key = seed_key(self.seed, LEARNING, number - 1, _BREEDING)
            metrics["ahead_of_parents"] = ahead_of_parents(before, order, self._survivors, key)
        self._remember(maps, order[0], number)
        if self.novelty:
            order = protect(maps, order, self._survivors, float(self.novelty))
        self._replace(maps, order, number, parallel)
        arrays.update(maps.grown(self.capacity)._asdict(), order=order)
        return metrics

    def _rank(
        self, game: Game, maps: Maps, order: NDArray[np.int64], number: int, parallel: Parallel
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The ranking of generation `number`, the best first, and the counts of its games, see `GAMES`."""
        lesson = Lesson(self.values, self.record_on == "win+draw", self.overwrite_on_win, self.forget_on_loss)
        rules = Rules(game, self.symmetry, self.windows, lesson, self.games_per_comparison)
        contest = Contest(rules, maps, parallel)
        order = contest.sort(order, seed_key(self.seed, LEARNING, number, _SORTING))
        if self.rematch:
            key = seed_key(self.seed, LEARNING, number, _REMATCH)
            order = contest.rematch(order, _FINALISTS, self.rematch, key)
        return self.ranking(order, number), contest.counts

    def _remember(self, maps: Maps, champion: int, number: int) -> None:
        """Add a champion to the hall of fame, a uniform sample of all champions."""
        place = sample_place(number, self.hall_of_fame, stream(self.seed, LEARNING, number, _HALL))
        if place < self.hall_of_fame:
            for array in maps:
                array[self.population + place] = array[champion]

    @property
    def _survivors(self) -> int:
        return self.population - self.population // 2

    def _replace(self, maps: Maps, order: NDArray[np.int64], number: int, parallel: Parallel) -> None:
        """Replace the bottom half by children of the others."""
        key, places = seed_key(self.seed, LEARNING, number, _BREEDING), range(self._survivors, self.population)
        if self.breeding == "founders":
            maps.forget(order[self._survivors :], self._founders(np.array([key, 0], dtype=np.uint64), len(places)))
        if self.breeding != "parents":
            return
        heredity = Heredity(
            float(self.randomness_rate),
            float(self.rerandomise_limit),
            self.randomness_inheritance == "text",
            self.missing_genes == "drop",
            self.inheritance == "evidence",
        )

        def part(ends: tuple[int, int]) -> None:
            breed(maps, order, self._survivors, *ends, heredity, key)

        parts = cut(len(places), self._survivors)
        if parallel.shares_memory:
            parallel(part, parts)
        else:  # sending maps takes longer than breeding them here
            for ends in parts:
                part(ends)

    def _founders(self, draws: Any, count: int) -> list[float]:
        """The randomness of `count` players without parents."""
        return [self.founder_limit * uniform(draws) for _ in range(count)]

    def windows_of(self, game: Game) -> Windows:
        """The windows of a game that pairs can be about."""
        return board_windows(game, self.windows, self.symmetry)

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """The member in a place of the last ranking, 0 for the champion; it always plays the moves that it knows."""
        row = arrays["order"][index]
        return player(Pairs(*(arrays[table][row] for table in Pairs._fields)), self.windows_of(game))

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None) -> MapAgent:
        policy, row = self.chosen(game, arrays, member), arrays["order"][member or 0]
        known = {table: arrays[table][row] for table in ("keys", "moves", "values", "visits")}
        return MapAgent(self.name, policy, known, self.windows_of(game), self.values)

    def summary(self, line: Mapping[str, Any]) -> str:
        return (
            f"generation {line['generation']}: {line['draws']:.0%} drawn, {line['rule_share']:.0%} by a rule, "
            f"{line['entries']:.0f} pairs"
        ).replace("%", " %")

    def merits(self, arrays: Arrays) -> list[str]:
        records = zip(arrays["wins"][arrays["order"]].tolist(), arrays["games"][arrays["order"]].tolist(), strict=True)
        return [f"won {wins:,} of {games:,} games" if games else "newborn" for wins, games in records]

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        """The member's map, the most used pairs first."""
        row = arrays["order"][member]
        known = {table: arrays[table][row] for table in ("keys", "moves", "values", "visits")}
        return inspect_map(game, known, self.values, self.member(game, arrays, member), watch)
