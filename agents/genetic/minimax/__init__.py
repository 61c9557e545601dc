"""The learner `minimax`: evaluations whose weights evolve, played by a search.

After "Othello game with Artificial Intelligence": a player is a search with an evaluation of six weights, and evolution
looks for the weights. The preset `seed` is that program. `modern` still finds nothing but the weights of declared
features, by games alone: with better features, by CMA-ES, and under a real alpha-beta search. `tuples` are many
weights, those of n-tuples, which also learn by temporal differences.

Any game with an evaluation that has named weights can be learned, see `Game.evaluations`.
"""

from collections.abc import Mapping
from typing import Any

from ludarium.agents.genetic.minimax.modern import Modern
from ludarium.agents.genetic.minimax.original import Original
from ludarium.agents.genetic.minimax.tuples import Tuples
from ludarium.agents.learning.presets import Presets

UNUSED: Mapping[str, Any] = {
    "gene_limit": 1000, "games_per_pair": 1, "draw_points": 0.0, "fitness_window": "generation", "mutation": 2 / 3,
    "width": 3, "draw": "rank", "draw_at_root": True, "replacement": False, "view": "mover", "depth": 10,
    "features": "tuples", "search": "one-ply", "tuples": "all-2", "opening": 0, "opening_varies": False, "noise": 0.0,
    "spread": 1.0, "rivals": 20, "hall_of_fame": 200, "anchors": "", "lessons": 0, "lessons_until": 0.3, "alpha": 1.0,
}  # fmt: skip
"""Options of earlier versions, where all presets had all of them, as they were in a run that did not use them."""


def of_old_run(options: Mapping[str, Any]) -> str:
    """The preset that wrote a manifest which does not name one."""
    if options.get("strategy", "genetic") == "genetic":
        return "seed"
    return "tuples" if options.get("covariance") == "diagonal" else "modern"


MINIMAX = Presets(
    (Original, Modern, Tuples),
    of_old_run=of_old_run,
    dropped={
        "strategy": ("genetic", "cma"),
        "covariance": ("full", "diagonal"),
        **{option: (value,) for option, value in UNUSED.items()},
    },
)
