"""Agents that a worker keeps from one piece of work to the next, so that programs and models are started only once."""

import contextlib
import threading
from collections import OrderedDict
from typing import Any

from ludarium.agents.agent import Agent
from ludarium.agents.specs import make_agent
from ludarium.agents.worker_process import at_end
from ludarium.envs.game import Game
from ludarium.evaluation.play.match import bench, twin

_MOST = 16  # entrants kept by one worker: more than a ladder has rungs
_Kept = OrderedDict[tuple[str, str | int, int], tuple[list[Agent], contextlib.ExitStack]]
_kept: dict[int, _Kept] = {}  # by thread: a worker is a process, or a thread of this one


def kept_benches(agents: tuple[Any, ...], game: Game) -> list[list[Agent]]:
    """The agents that specs name, or objects, one per seat (see `bench`): those of earlier work if there are any.

    Raises:
        ValueError: if an agent cannot be made; likewise TypeError and OSError.
    """
    at_end(_close_all)
    mine = _kept.setdefault(threading.get_ident(), OrderedDict())
    idents = [agent if isinstance(agent, str) else id(agent) for agent in agents]
    keys = [(game.spec, ident, idents[:number].count(ident)) for number, ident in enumerate(idents)]
    for key, agent in zip(keys, agents, strict=True):
        if key not in mine:
            with contextlib.ExitStack() as closing:
                again = key[2] and not isinstance(agent, str)  # the same object for both sides
                one = twin(make_agent(agent, game)) if again else agent
                mine[key] = bench([one], 0, game, closing), closing.pop_all()
        mine.move_to_end(key)
    while len(mine) > _MOST:
        mine.popitem(last=False)[1][1].close()
    return [mine[key][0] for key in keys]


def _close_all() -> None:
    while _kept:
        for _, closing in _kept.popitem()[1].values():
            closing.close()
