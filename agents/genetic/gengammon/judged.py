"""The preset `judged`: neurons evolve as in `modern`, to expect of positions what a judge expects.

Such a network knows outcomes, so it looks ahead, doubles and takes, and plays races, too. Its decisions come with the
odds of a judge, see `ludarium.agents.genetic.gengammon.odds`.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.gengammon.imitation import Imitation


@dataclass(frozen=True, kw_only=True)
class Judged(Imitation):
    """Options of the preset `judged`: those of `modern`, with defaults for decisions too many to learn by heart."""

    preset: ClassVar[str] = "judged"
    outputs: ClassVar[tuple[str, ...]] = ("outcomes",)
    generations: int = 20_000
    output: str = "outcomes"
    batch: int = 500
    decay: float = 0.0
    validation: float = 0.0
    spread: float = 0.02
    mutants: int = 24
