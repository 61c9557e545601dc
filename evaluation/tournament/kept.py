"""Agents that a worker keeps from one piece of work to the next, so that programs and models are started only once."""

import contextlib
import threading
from collections import OrderedDict

from ludarium.agents.agent import Agent
from ludarium.agents.worker_process import at_end
from ludarium.envs.game import Game
from ludarium.evaluation.play.match import bench

_MOST = 8  # entrants kept by one worker
_Kept = OrderedDict[tuple[str, str, int], tuple[list[Agent], contextlib.ExitStack]]
_kept: dict[int, _Kept] = {}  # by thread: a worker is a process, or a thread of this one


def kept_benches(agents: tuple[str, ...], game: Game) -> list[list[Agent]]:
    """The agents that specs name, one per seat (see `bench`): those of earlier work if there are any.

    Raises:
        ValueError: if an agent cannot be made; likewise TypeError and OSError.
    """
    at_end(_close_all)
    mine = _kept.setdefault(threading.get_ident(), OrderedDict())
    keys = [(game.spec, spec, agents[:number].count(spec)) for number, spec in enumerate(agents)]
    for key in keys:
        if key not in mine:
            with contextlib.ExitStack() as closing:
                mine[key] = bench([key[1]], 0, game, closing), closing.pop_all()
        mine.move_to_end(key)
    while len(mine) > _MOST:
        mine.popitem(last=False)[1][1].close()
    return [mine[key][0] for key in keys]


def _close_all() -> None:
    while _kept:
        for _, closing in _kept.popitem()[1].values():
            closing.close()
