"""Which agents may take a seat, and how they are made.

The page may name any built-in agent and any run that was found beside the server, with the options that these declare.
What starts programs, loads files or runs other people's code needs the command's `--allow-programs`, and Python code
then plays in a process of its own, where it can hang or crash without harm. Options that would run the code in a stored
model, or write a file, are for the command line alone.
"""

import os
from collections.abc import Collection

from ludarium.agents.agent import Agent
from ludarium.agents.learning.registry import learner_names
from ludarium.agents.specs import given_options, is_foreign, isolated, make_agent, program_prefixes, split_options
from ludarium.envs.game import Game
from ludarium.envs.registry import parse_value
from ludarium.evaluation.table.refusal import Refusal

_NEVER = ("trust", "log")  # the first runs what a file holds, the second writes one
_LARGEST = 2**53
_MOST = {"limit": 10_000_000, "table": 24}  # options that take memory: less than a gigabyte for each agent


class Seating:
    """Makes agents from specs that the page sent.

    Args:
        runs: the folders of runs that were found.
        allow_programs: whether agents may be programs, files, modules, and runs from elsewhere.
        move_time: seconds that agents in processes of their own have for each move.
    """

    def __init__(self, runs: Collection[str], allow_programs: bool, move_time: float) -> None:
        self._runs = {os.path.realpath(run) for run in runs}
        self._allow = allow_programs
        self._move_time = move_time

    def check(self, spec: str) -> None:
        """Refuse a spec that the page may not name; this may take seconds, while libraries are loaded.

        Raises:
            Refusal: if it may not, or there is no such agent or option.
        """
        try:
            name, options = split_options(spec)
        except ValueError as error:
            raise Refusal(f"{error}") from None
        for option in _NEVER:
            if option in options:
                raise Refusal(f"{option} is an option for the command line alone, so {spec[:80]!r} is refused", 403)
        if "?" in name and name.partition(":")[0] not in program_prefixes():
            raise Refusal(f"the agent {spec[:80]!r} has more than one question mark; options follow a single one")
        self._check_numbers(spec, name, options)
        if self._is_tame(name, options):
            try:
                given_options(spec)
            except (ValueError, TypeError) as error:
                raise Refusal(f"{error}") from None
        elif not self._allow:
            raise Refusal(
                f"the agent {spec[:80]!r} starts a program or loads files: start the table with --allow-programs", 403
            )

    def _is_tame(self, name: str, options: dict[str, str]) -> bool:
        """Whether a spec names nothing but a built-in agent, or a run that was found, and no other file."""
        evaluation = options.get("evaluation", "")
        others = [text for option, text in options.items() if option != "evaluation"]
        named = [name, evaluation] if ":" in evaluation else [name]
        return all(map(self._is_known, named)) and not any("/" in text or "\\" in text for text in others)

    def _is_known(self, name: str) -> bool:
        prefix, colon, folder = name.partition(":")
        if colon and prefix in learner_names():
            return os.path.realpath(folder) in self._runs
        return not (colon or name.endswith(".py"))

    def _check_numbers(self, spec: str, name: str, options: dict[str, str]) -> None:
        """Refuse numbers that no agent can use; only those of others may know what to do with one below 0."""
        least = -_LARGEST if is_foreign(spec) else 0
        for option, text in options.items():
            value, most = parse_value(text), _MOST.get(option, _LARGEST)
            if isinstance(value, int | float) and not least <= value <= most:
                raise Refusal(f"agent {name!r}: {option} must be a number from {least} to {most} here, not {text[:40]}")

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
        except MemoryError:
            raise Refusal(f"the agent {spec!r} needs more memory than there is") from None
        except (ValueError, TypeError, OverflowError, OSError, ModuleNotFoundError) as error:
            raise Refusal(f"{error}") from None
        agent.name = spec
        return agent
