"""Players made of if-then rules: `ludarium train gaia tictactoe`; each preset is a class in a file of its own."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ludarium.agents.genetic.gaia.alone import Alone
from ludarium.agents.genetic.gaia.modern import Modern
from ludarium.agents.genetic.gaia.original import Original
from ludarium.agents.learning.presets import Presets

_IDLE = {
    "memory": (0,), "explore": (0.25,), "breedings": (1,), "windows": (0,), "rule_cost": (4.0,), "one_shot": (False,),
    "tests": (0,), "season": (10,), "kept": (0.8,), "noise": (0.7,),
}  # fmt: skip


def _of_old_run(options: Mapping[str, Any]) -> str:
    return "alone" if options.get("tests") else "modern" if options.get("memory") else "seed"


GAIA = Presets(
    (Original, Modern, Alone),
    of_old_run=_of_old_run,
    dropped={option.name: (option.default,) for option in fields(Original)} | _IDLE,
)
