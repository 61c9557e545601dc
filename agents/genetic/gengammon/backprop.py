"""The preset `backprop`, the twin that does not evolve: the same network learns the same decisions by its gradient."""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.gengammon.climbing import Student


@dataclass(frozen=True, kw_only=True)
class Backpropagation(Student):
    """Options of the preset `backprop`; see `Student`. With `output="outcomes"` it learns a judge's odds."""

    preset: ClassVar[str] = "backprop"
    selections: ClassVar[tuple[str, ...]] = ("merit",)
    outputs: ClassVar[tuple[str, ...]] = ("sum", "weights", "outcomes")
    generations: int = 2000
    decay: float = 0.1
    validation: float = 0.05
