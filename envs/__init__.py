"""The games and the standard interfaces to them."""

from typing import TYPE_CHECKING

from ludarium.envs.lazy import lazy_names

if TYPE_CHECKING:
    from ludarium.envs.conformance import ConformanceError, check_game, check_hidden
    from ludarium.envs.game import Game, kernel
    from ludarium.envs.kernels import CHANCE, OVER
    from ludarium.envs.options import IllegalAction, Option
    from ludarium.envs.position import Position
    from ludarium.envs.registry import game_names, make_game, register_game

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "conformance": ("ConformanceError", "check_game", "check_hidden"),
        "game": ("Game", "kernel"),
        "kernels": ("CHANCE", "OVER"),
        "options": ("IllegalAction", "Option"),
        "position": ("Position",),
        "registry": ("game_names", "make_game", "register_game"),
    },
)
