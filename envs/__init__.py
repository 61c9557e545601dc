"""The games and the standard interfaces to them."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludarium.envs.conformance import ConformanceError, check_game, check_hidden
    from ludarium.envs.game import Game, kernel
    from ludarium.envs.kernels import CHANCE, OVER
    from ludarium.envs.options import IllegalAction, Option
    from ludarium.envs.position import Position
    from ludarium.envs.registry import game_names, make_game, register_game

_HOMES = {
    "conformance": ("ConformanceError", "check_game", "check_hidden"),
    "game": ("Game", "kernel"),
    "kernels": ("CHANCE", "OVER"),
    "options": ("IllegalAction", "Option"),
    "position": ("Position",),
    "registry": ("game_names", "make_game", "register_game"),
}

__all__ = [
    "CHANCE",
    "OVER",
    "ConformanceError",
    "Game",
    "IllegalAction",
    "Option",
    "Position",
    "check_game",
    "check_hidden",
    "game_names",
    "kernel",
    "make_game",
    "register_game",
]


def __getattr__(name: str) -> Any:
    """Load public names when they are first used: `import ludarium` must not load the compiler."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"ludarium.envs.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
