"""If-then players that evolve: `ludarium train ifthen hexapawn`, then the agent `ifthen:runs/ifthen-hexapawn`.

After "IfThenLearning", which set out to reach "optimal play for any game given only the rules". A player is a map from
positions to moves. The preset `seed` is that program; it never corrects a pair, so a move that once beat a weak player
stays. `modern` is still a population of such maps that is given only the rules of the game. But its pairs have values
that each game corrects, and some pairs are about windows, squares in a line, rather than whole positions, so that it
can judge any position. `single` is one such map, which plays itself.
"""

from collections.abc import Mapping
from typing import Any

from ludarium.agents.genetic.ifthen.modern import Modern
from ludarium.agents.genetic.ifthen.original import Original
from ludarium.agents.genetic.ifthen.single import Single
from ludarium.agents.learning.presets import Presets


def _of_old_run(options: Mapping[str, Any]) -> str:
    if not options.get("values"):
        return "seed"
    return "single" if options.get("randomness_inheritance") == "none" else "modern"


IFTHEN = Presets(
    (Original, Modern, Single),
    of_old_run=_of_old_run,
    dropped={
        "values": (False, True),  # the preset says it
        "inheritance": ("win-rate", "evidence"),  # the same; it changes no move of a map that has been learned
        "windows": (0,),
        "capacity": (0,),
        "founder_limit": (0.05,),
        "randomness_rate": (0.05,),
        "rerandomise_limit": (1.0,),
        "randomness_inheritance": ("code", "none"),
        "missing_genes": ("union",),
        "win_rate_window": ("lifetime",),
        "games_per_comparison": (1,),
        "rematch": (0,),
        "record_on": ("win",),
        "overwrite_on_win": (False,),
        "forget_on_loss": (False,),
        "hall_of_fame": (0,),
        "novelty": (0.0,),
    },
)
"""The learner `ifthen`."""
