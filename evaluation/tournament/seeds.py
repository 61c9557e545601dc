"""The seed of an event: as it is given, or a secret one where strangers play.

Whoever knows the seed knows all dice and cards, and small seeds can be tried one after another. So agents that are code
of others meet by default with a seed of 128 bits that nobody is told before the report.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludarium.agents.specs import is_stranger
from ludarium.envs.chance import is_secret, secret_seed
from ludarium.evaluation.tournament.store import Store

SECRET = "secret"


def revealed(seed: int, finished: bool) -> int | str:
    """The seed as everybody may read it: `SECRET` if it is one, and there are games to come."""
    return SECRET if is_secret(seed) and not finished else seed


def settled(seed: int | str | None, agents: Sequence[str], store: Path | None) -> Any:
    """The seed of an event.

    Args:
        seed: an integer; `SECRET`; None for 0, or a secret one if some of the agents are strangers.
        agents: their specs.
        store: where the event is or will be kept; an event that goes on has the secret seed that is in there, whatever
            it is: `Tournament` refuses what is no seed.

    Raises:
        StoreError: if the store cannot be read.
    """
    if isinstance(seed, int):
        return seed
    if seed is None and not any(map(is_stranger, agents)):
        return 0
    if store is not None and store.exists() and store.stat().st_size:
        with Store(store) as begun:
            return begun.tournament.get("seed", 0)
    return secret_seed()
