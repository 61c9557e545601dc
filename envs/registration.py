"""Registers games with Gymnasium and PettingZoo, as strings: nothing is imported or compiled until one is made."""

from importlib.metadata import entry_points

import gymnasium
import pettingzoo

from ludarium.envs.registry import built_in_games


def register_environments(name: str, title: str) -> None:
    """Register one game: `gym.make("ludarium/Title-v0")`, `pettingzoo.make("aec", "ludarium/name-v0")`."""
    gymnasium.register(
        id=f"ludarium/{title}-v0",
        entry_point="ludarium.envs.single:GameEnv",
        vector_entry_point="ludarium.envs.vector:GameVectorEnv",
        kwargs={"game": name},
        order_enforce=False,  # GameEnv says itself when it must be reset
    )
    pettingzoo.register("aec", f"ludarium/{name}-v0", entry_point="ludarium.envs.aec:GameAECEnv", kwargs={"game": name})


def register_all() -> None:
    """Register the built-in games and those of installed plug-ins."""
    for name, title in built_in_games().items():
        register_environments(name, title)
    for point in entry_points(group="ludarium.games"):
        register_environments(point.name, point.value.rpartition(":")[2])
