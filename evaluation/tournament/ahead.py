"""Compiles ahead what a tournament will need, in a process beside it, when compiled code is not on disk yet.

Within a process Numba compiles one function at a time, whatever the number of threads. So the process beside takes the
agents of each game from the last to the first, while the tournament takes them from the first to the last. Where they
meet, and in the games that follow, the tournament finds on disk what it needs.
"""

import contextlib
import os
from collections.abc import Callable, Iterator

from ludarium.agents.specs import is_foreign, make_agent
from ludarium.agents.workers import Workers
from ludarium.envs.compilation import compilation_shown
from ludarium.envs.policy import policy_rows
from ludarium.evaluation.play.adjudication import adjudicator_of
from ludarium.evaluation.tournament.event import Tournament


@contextlib.contextmanager
def compiling_ahead(tournament: Tournament) -> Iterator[Callable[[], object]]:
    """Gives a function that starts the process, and returns at once; what the process still does at the end is lost."""
    with Workers(size=1, patience=0.0) as beside:
        yield lambda: beside.submit(_compile_politely, tournament)


def _compile_politely(tournament: Tournament) -> None:
    os.nice(19)  # on a core that is idle, or not at all: the tournament must not wait for it
    compile_agents(tournament)


def compile_agents(tournament: Tournament) -> None:
    """Compile the built-in agents of a tournament and the rules of its games; nothing is played, and nothing shown.

    The rules come after the agents, which need few of them: the tournament compiles those of its first game itself.
    """
    with compilation_shown(lambda state: None):
        for event, entry in enumerate(tournament.games):
            game = entry.rules
            policies = []
            for spec in [tournament.agents[entrant] for entrant in reversed(tournament.entrants(event))]:
                built_in = (
                    isinstance(spec, str) and ":" not in spec and not is_foreign(spec)
                )  # others may start programs
                policy = make_agent(spec, game).policy if built_in else None
                if policy is not None:
                    _ = policy.compiled
                    policies.append(policy)
            _ = game.table
            adjudicator = adjudicator_of(entry.adjudicate, game)
            policies += [] if adjudicator is None else [adjudicator]
            policy_rows(game, policies)  # compiles the view if one needs it, and what adjudicates
