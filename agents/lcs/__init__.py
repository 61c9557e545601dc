"""A learning classifier system: lists of rules that play Hanabi."""

from collections.abc import Mapping
from typing import Any

from ludarium.agents.agent import Agent
from ludarium.agents.lcs.agent import RuleAgent
from ludarium.agents.lcs.language import MOST_CONDITIONS
from ludarium.agents.lcs.modern import Modern
from ludarium.agents.lcs.original import Original
from ludarium.agents.lcs.text import read_file
from ludarium.agents.lcs.thresholds import Thresholds
from ludarium.agents.learning.learner import Learner
from ludarium.agents.learning.presets import Presets
from ludarium.agents.learning.runs import Run
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


def agent(game: Game, path: str, *, member: int | None = None, beliefs: str = "") -> Agent:
    """The agent `lcs:RUN`, a run's champion, `lcs:RUN?member=3`, or `lcs:FILE.txt`, a file of rules.

    Args:
        game: the game.
        path: the folder of a run, or a file of rules; see `ludarium.agents.lcs.text`.
        member: a member of the run's population.
        beliefs: how a file's rules see their own cards: `"marginal"`, the default, or `"exact"`.

    Raises:
        ValueError: if there is no such run, member or file, or it is not for this game.
    """
    if not path.endswith(".txt"):
        if beliefs:
            raise ValueError(f"{path}: beliefs is for files of rules; a run has its own")
        return Run.of_game(path, game, RULES).player(game, path, member=member)
    if member is not None:
        raise ValueError(f"{path}: member is for runs; a file has one list of rules")
    if beliefs not in ("", "marginal", "exact"):
        raise ValueError(f"{path}: beliefs must be 'marginal' or 'exact', not {beliefs!r}")
    return RuleAgent(f"lcs:{path}", game, read_file(path), exact=beliefs == "exact")


def of_file(path: str, game: Game) -> tuple[Learner, Arrays]:
    """A run that would start from a file of rules; errors as in `ludarium.agents.lcs.text.read_file`."""
    rules = max(Modern.rules, len(read_file(path)))
    learner = Modern(game=game.spec, origin=path, rules=rules, conditions=MOST_CONDITIONS)
    return learner, learner.start(game)


def preset_of_old_run(options: Mapping[str, Any]) -> str:
    """The preset that wrote a manifest of the time when the option `strategy` chose between two."""
    return Original.preset if options.get("strategy") == "utility" else Modern.preset


_STORED_BY_MODERN = {
    "alpha": 0.9, "reward_played": 1, "reward_misplayed": -2, "reward_repeated": -0.5, "reward_final": 1,
    "modified": 0.1, "tournament": 4, "sigma": "literal", "rate": 0.1, "given_hint": False, "protect": 0,
    "keep_parent": False,
}  # fmt: skip
_STORED_BY_ORIGINAL = {
    "origin": "random", "founders": 320, "decks": 2000, "islands": 0, "credit": True, "other_seats": "", "partners": "",
}  # fmt: skip
_IDLE = {**_STORED_BY_MODERN, **_STORED_BY_ORIGINAL, "without": "", "numbers": 0}

RULES = Presets(
    (Original, Modern, Thresholds),
    of_old_run=preset_of_old_run,
    dropped={"strategy": ("lists", "utility"), **{option: (value,) for option, value in _IDLE.items()}},
    agent=agent,
    of_file=of_file,
)
