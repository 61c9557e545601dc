"""A learning classifier system: lists of rules that play Hanabi."""

from ludarium.agents.agent import Agent
from ludarium.agents.lcs.agent import RuleAgent
from ludarium.agents.lcs.language import MOST_CONDITIONS
from ludarium.agents.lcs.learner import LCS
from ludarium.agents.lcs.text import read_file
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
    rules = max(LCS.rules, len(read_file(path)))
    learner = LCS(game=game.spec, origin=path, rules=rules, conditions=MOST_CONDITIONS)
    return learner, learner.start(game)


RULES = Presets((LCS,), agent=agent, of_file=of_file)
