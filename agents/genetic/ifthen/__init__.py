"""If-then players that evolve: `ludarium train ifthen hexapawn`, then the agent `ifthen:runs/ifthen-hexapawn`.

After "IfThenLearning", which set out to reach "optimal play for any game given only the rules". A player is a map from
positions to moves. The preset `seed` is that program; it never corrects a pair, so a move that once beat a weak player
stays. `modern` is still a population of such maps that is given only the rules of the game. But its pairs have values
that each game corrects, and some pairs are about windows, squares in a line, rather than whole positions, so that it
can judge any position. `single` is one such map, which plays itself.
"""

from collections.abc import Mapping
from dataclasses import fields
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
        **{option.name: (option.default,) for option in fields(Original)},  # where another preset lacks it
        "values": (False, True),  # the preset says it
        "inheritance": ("win-rate", "evidence"),  # the same; it changes no move of a map that has been learned
        "randomness_inheritance": ("code", "none"),  # and this
        **dict.fromkeys(("windows", "capacity", "hall_of_fame", "novelty"), (0,)),
    },
)
"""The learner `ifthen`."""
