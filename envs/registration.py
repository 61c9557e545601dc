"""Registers games with Gymnasium and PettingZoo by name; nothing is imported or compiled until one is made."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points

import gymnasium


@contextlib.contextmanager
def _in_a_folder() -> Iterator[None]:
    """Within it there is a working directory, even if this process's own has been deleted."""
    try:
        os.getcwd()
    except FileNotFoundError:
        here = os.open(".", os.O_RDONLY)
        os.chdir(os.sep)
        try:
            yield
        finally:
            os.fchdir(here)
            os.close(here)
    else:
        yield


with _in_a_folder():  # the module asks for it
    import pettingzoo


def register_environments(name: str, title: str) -> None:
    """Register one game: `gym.make("ludarium/Title-v0")`, `pettingzoo.make("aec", "ludarium/name-v0")`.

    An id refers to the game by its name, so registering a class again changes nothing here.
    """
    gym_id, aec_id = f"ludarium/{title}-v0", f"ludarium/{name}-v0"
    if gym_id not in gymnasium.registry or gymnasium.registry[gym_id].kwargs != {"game": name}:
        gymnasium.register(
            id=gym_id,
            entry_point="ludarium.envs.single:GameEnv",
            vector_entry_point="ludarium.envs.vector:GameVectorEnv",
            kwargs={"game": name},
            order_enforce=False,  # GameEnv itself raises an error when it must be reset,
            disable_env_checker=True,  # and is tested; a wrapper would hide `action_masks`
        )
    if aec_id not in pettingzoo.aec_registry:
        pettingzoo.register("aec", aec_id, entry_point="ludarium.envs.aec:GameAECEnv", kwargs={"game": name})


def register_all(built_in: Mapping[str, str]) -> None:
    """Register the built-in games and those of installed plug-ins, which cannot take a built-in game's name or id.

    Args:
        built_in: the titles of the built-in games, by name.
    """
    for name, title in built_in.items():
        register_environments(name, title)
    for point in entry_points(group="ludarium.games"):
        title = point.value.rpartition(":")[2]
        if point.name not in built_in and title not in built_in.values():
            register_environments(point.name, title)
