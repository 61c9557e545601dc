"""Players that are lists of rules: what all presets of the classifier system share."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent
from ludarium.agents.lcs.agent import RuleAgent
from ludarium.agents.lcs.inspection import inspect_rules
from ludarium.agents.lcs.language import RULE
from ludarium.agents.lcs.operators import Random, Rules
from ludarium.agents.lcs.policy import check_game, rule_player
from ludarium.agents.lcs.tables import own_options
from ludarium.agents.lcs.text import well_formed
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import Takes
from ludarium.envs.chance import child_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

FOUNDERS, DECKS, BREEDING = range(3)
"""The streams of a generation."""


@dataclass(frozen=True, kw_only=True)
class RuleLists(Evolver):
    """Options that all presets of the classifier system have; see `Evolver` for the others.

    What they know begins with `rules`, shape (population, longest list) of `RULE`, and `lengths`.

    Attributes:
        beliefs: the probabilities of one's own cards: `"marginal"`, or `"exact"`, considering all of them together.
    """

    name: ClassVar[str] = "lcs"
    takes: ClassVar[Takes] = Takes(seats=0, zero_sum=False, cooperative=True, chance=True, hidden=True)
    test_games: int = 2000
    beliefs: str = "marginal"

    def check(self, game: Game) -> None:
        super().check(game)
        check_game(game)
        self.check_choice("beliefs", "marginal", "exact")

    @property
    def exact(self) -> bool:
        """Whether one's own cards are considered together."""
        return self.beliefs == "exact"

    def fits(self, game: Game, arrays: Arrays) -> bool:
        if not super().fits(game, arrays):
            return False
        rules, lengths = arrays["rules"], arrays["lengths"]
        return bool(
            ((lengths > 0) & (lengths <= rules.shape[1])).all()
            and all(np.isfinite(array).all() for array in arrays.values() if array.dtype.kind == "f")
            and all(well_formed(row[:length]) for row, length in zip(rules, lengths, strict=True))
        )

    def list_of(self, arrays: Arrays, index: int) -> Rules:
        """The list of a member of the population, numbered from 0, the champion."""
        # Rules from a file have the same fields at the same offsets, but NumPy would pack them tighter in joining them.
        return arrays["rules"][index, : arrays["lengths"][index]].astype(RULE)

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        return rule_player(game, self.list_of(arrays, index), exact=self.exact)

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None) -> Agent:
        self.chosen(game, arrays, member)
        place, credit = member or 0, arrays.get("credit")
        credit_of_rules = None if credit is None else credit[place]
        return RuleAgent(self.name, game, self.list_of(arrays, place), credit=credit_of_rules, exact=self.exact)

    @property
    def numbers_of_seats(self) -> set[int]:
        """With how many seats its player plays."""
        return {self.learned.seats}

    def plays(self, game: Game) -> bool:
        """Whether a game is one that it learned, by either way to score."""
        if game.name != self.learned.name or game.seats not in self.numbers_of_seats:
            return False
        options, learned = ({**own_options(some), "score": ""} for some in (game, self.learned))
        return options == learned

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        return inspect_rules(game, self.list_of(arrays, member), self.exact, self.seed)

    def random(self, *path: int) -> Random:
        """The generator of a stream."""
        return np.random.default_rng(int(self.key(*path)))

    def deals(self, which: range, *path: int) -> NDArray[np.uint64]:
        """Decks of a stream, by their numbers in it."""
        key = self.key(*path)
        return np.array([child_key(key, deck) for deck in which], dtype=np.uint64)

    def summary(self, line: Any) -> str:
        return f"{super().summary(line)}: best {line['best']:.2f}, {line['rules']:.0f} rules"
