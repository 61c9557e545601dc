"""Which agents may take a seat, and how they are made.

The page may name any built-in agent and any run that was found beside the server. What starts programs or runs other
people's code needs the command's `--allow-programs`, and Python code then plays in a process of its own, where it can
hang or crash without harm.
"""

from collections.abc import Collection
from pathlib import Path

from ludarium.agents.agent import Agent
from ludarium.agents.learning.registry import learner_names
from ludarium.agents.specs import is_foreign, isolated, make_agent, split_options
from ludarium.envs.game import Game
from ludarium.evaluation.table.refusal import Refusal


class Seating:
    """Makes agents from specs that the page sent.

    Args:
        runs: the folders of runs that were found.
        allow_programs: whether agents may be programs, files, modules, and runs from elsewhere.
        move_time: seconds that agents in processes of their own have for each move.
    """

    def __init__(self, runs: Collection[str], allow_programs: bool, move_time: float) -> None:
        self._runs = {str(Path(run).resolve()) for run in runs}
        self._allow = allow_programs
        self._move_time = move_time

    def check(self, spec: str) -> None:
        """Refuse a spec that the page may not name.

        Raises:
            Refusal: if it may not, or cannot be read.
        """
        try:
            name, options = split_options(spec)
        except ValueError as error:
            raise Refusal(f"{error}") from None
        named = [name, options["evaluation"]] if ":" in options.get("evaluation", "") else [name]
        if not self._allow and not all(map(self._is_tame, named)):
            raise Refusal(
                f"the agent {spec[:80]!r} starts a program or loads files: start the table with --allow-programs", 403
            )

    def _is_tame(self, name: str) -> bool:
        prefix, colon, folder = name.partition(":")
        if colon and prefix in learner_names():
            return str(Path(folder).resolve()) in self._runs
        return not (colon or name.endswith(".py"))

    def make(self, spec: str, game: Game) -> Agent:
        """The agent, made for a game; this may take seconds.

        Raises:
            Refusal: if there is no such agent, or the game or this table refuses it.
        """
        self.check(spec)
        try:
            found = spec
            if is_foreign(spec):
                found = isolated(spec)
                if "move_time" not in split_options(spec)[1]:
                    found += f"{'&' if '?' in spec else '?'}move_time={self._move_time:g}"
            agent = make_agent(found, game)
        except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
            raise Refusal(f"{error}") from None
        agent.name = spec
        return agent
