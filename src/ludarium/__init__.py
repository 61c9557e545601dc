"""Ludarium: five games as standard environments, agents that play them, and a harness that finds out who plays best.

Importing it registers the games with Gymnasium (`gym.make("ludarium/Othello-v0")`) and PettingZoo
(`pettingzoo.make("aec", "ludarium/othello-v0")`); it compiles nothing.

`ludarium.match` plays two agents against each other, and `ludarium.rate` says how good one is: `docs/python.md`.
"""

from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

if _find_spec("ludarium.envs") is None:  # a clone without symbolic links, as Git makes on Windows
    raise ImportError(
        "ludarium: src/ludarium/envs is no link to the folder envs; clone with `git clone -c core.symlinks=true` (on "
        "Windows in developer mode), or install without --editable: pip install ."
    )

if TYPE_CHECKING:
    from ludarium.evaluation.ladder.play import rate
    from ludarium.evaluation.ladder.result import Rating
    from ludarium.evaluation.match import Match, match

from ludarium.envs.lazy import lazy_names
from ludarium.envs.opponents import agents_from
from ludarium.envs.registration import register_all
from ludarium.envs.registry import built_in_games

__all__ = ["Match", "Rating", "__version__", "match", "rate"]
__version__ = "0.1.0"

agents_from("ludarium.agents.specs:make_agent")
register_all(built_in_games())

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "evaluation.ladder.play": ("rate",),
        "evaluation.ladder.result": ("Rating",),
        "evaluation.match": ("Match", "match"),
    },
)
