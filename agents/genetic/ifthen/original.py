"""The program IfThenLearning, to the letter where its text and its code are clear; else an option selects the reading.

A player is a map from positions to moves. Where the map has no move, the player moves at random; if it wins, these
random moves are added to the map. Each generation is sorted by a merge sort in which every comparison is a game; the
bottom half is replaced by children of the others. A child takes each pair from one parent, with the probability of that
parent's share of both win rates.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.ifthen.breeders import Breeders
from ludarium.agents.genetic.ifthen.contest import Contest, most_games
from ludarium.agents.genetic.ifthen.games import Rules
from ludarium.agents.genetic.ifthen.heredity import Heredity
from ludarium.agents.genetic.ifthen.lessons import Lesson
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.agents.genetic.ifthen.players import REMATCH, SORTING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Original(Breeders):
    """Options of the preset `seed`; see `Breeders` for the others.

    Attributes:
        record_on: the games whose random moves are added to a map: `"win"`, or `"win+draw"`.
        overwrite_on_win: random moves in positions that the map knows are added too.
        forget_on_loss: the loser forgets the pair behind its last move with a choice, if a pair made it.
        symmetry: each pair is learned in all mirror images, if the game declares `symmetries`.
        rematch: the number of comparisons, after the sort, between each two of the first four, which then decide their
            order; 0: the sort alone decides.
        win_rate_window: the games that count towards a win rate: those of the player's `"lifetime"`, or of the current
            `"generation"` only.
        rerandomise_limit: the upper limit, from 0 to 1, of a randomness that is chosen again.
        randomness_inheritance: how randomness is inherited: `"code"`: that of one parent, changed by up to ± 2.5 %;
            `"text"`: that of one parent plus 5 % of the other's. The first is what the original's code does, the other
            what its text says.
        missing_genes: what happens to a pair that only one parent has: `"union"`: it is inherited; `"drop"`: it is
            inherited only if the child would take it from that parent.
    """

    preset: ClassVar[str] = "seed"
    record_on: str = "win"
    overwrite_on_win: bool = False
    forget_on_loss: bool = False
    symmetry: bool = False
    games_per_comparison: int = 1
    rematch: int = 0
    win_rate_window: str = "lifetime"
    founder_limit: float = 0.05
    randomness_rate: float = 0.05
    rerandomise_limit: float = 1.0
    randomness_inheritance: str = "code"
    missing_genes: str = "union"

    def settle(self) -> None:
        self.check_at_least(0, "rematch")
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_choice("record_on", "win", "win+draw")
        self.check_choice("win_rate_window", "lifetime", "generation")
        self.check_number(0, 1, "rerandomise_limit")
        self.check_choice("randomness_inheritance", "code", "text")
        self.check_choice("missing_genes", "union", "drop")
        if self.population == 1:
            self.check_idle("with population=1, a single player", "rematch")
        if self.randomness_rate == 0:
            self.check_idle("with randomness_rate=0", "rerandomise_limit")
        if self.randomness_rate == 1:
            self.check_idle("with randomness_rate=1", "randomness_inheritance")

    def largest_generation(self, game: Game) -> int:
        return most_games(self.population, self.games_per_comparison, self.rematch)

    def rules(self, game: Game) -> Rules:
        lesson = Lesson(
            record_draws=self.record_on == "win+draw",
            overwrite_on_win=self.overwrite_on_win,
            forget_on_loss=self.forget_on_loss,
        )
        return Rules(game, self.symmetry, 0, lesson, self.games_per_comparison)

    @property
    def heredity(self) -> Heredity:
        return Heredity(
            float(self.randomness_rate),
            float(self.rerandomise_limit),
            other_parent=self.randomness_inheritance == "text",
            drop=self.missing_genes == "drop",
        )

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        maps, before = Maps.of(arrays), arrays["order"]
        if self.win_rate_window == "generation":
            maps.wins[:], maps.games[:] = 0, 0

        contest = Contest(self.rules(game), maps, parallel)
        order = contest.sort(before, self.key(number, SORTING))  # every comparison is a game, and winners learn
        order = contest.rematch(order, self.rematch, self.key(number, REMATCH))
        order = self.ranking(order, number)
        line = self.metrics(maps, before, order, contest.counts, number)

        self.renew(maps, order, number, parallel)
        arrays.update(maps.grown()._asdict(), order=order)
        return line
