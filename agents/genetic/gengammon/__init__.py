"""Gengammon: `ludarium train gengammon backgammon`, then the agent `gengammon:runs/gengammon-backgammon`.

After "Gengammon": a network with one hidden layer looks at each position that a roll allows, and the one with the
highest score is played. Evolution looks for the weights with which it plays as experts did in recorded games. The
preset `seed` is that program. `modern` has the same aim with better inputs, a smooth fitness and credit for each neuron
by itself; `judged` learns what a judge expects of positions, `games` knows nothing but points, and `backprop` is the
twin that does not evolve.
"""

from collections.abc import Mapping
from typing import Any

from ludarium.agents.genetic.gengammon.backprop import Backpropagation
from ludarium.agents.genetic.gengammon.games import Games
from ludarium.agents.genetic.gengammon.imitation import Imitation
from ludarium.agents.genetic.gengammon.judged import Judged
from ludarium.agents.genetic.gengammon.original import Original
from ludarium.agents.learning.presets import Presets

_BY_METHOD = {"genetic": "seed", "neurons": "modern", "games": "games", "backprop": "backprop"}
_DROPPED: Mapping[str, tuple[Any, ...]] = {
    "method": tuple(_BY_METHOD),
    "origin": ("",), "alpha": (0.01,), "decay": (0.0,), "first_spread": (0.1,), "spread": (0.05,), "mutants": (8,),
    "validation": (0.0,), "fitness": ("v2",), "tournament": (3,), "elites": (2,), "gene_scale": (0.2,),
    "founders": (1.0,), "mutation": ("swap",), "mutation_rate": (1.0,), "creep": (0.1,), "crossover": ("weights",),
    "alternate_every": (100,),
}  # fmt: skip
"""Earlier versions stored all options in every run: those of other presets had these values."""


def _of_old_run(options: Mapping[str, Any]) -> str:
    """The preset of a run that names a method."""
    preset = _BY_METHOD.get(options.get("method", "genetic"), "modern")
    return "judged" if preset == "modern" and options.get("output") == "outcomes" else preset


GENGAMMON = Presets((Original, Imitation, Judged, Games, Backpropagation), of_old_run=_of_old_run, dropped=_DROPPED)
