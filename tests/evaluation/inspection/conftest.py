"""Runs to look into: one of rules that were written by hand, one of maps that evolved."""

import numpy as np
import pytest
from typer.testing import CliRunner

from ludarium.agents.genetic.gaia import GAIA
from ludarium.agents.genetic.gaia.rules import RULE
from ludarium.agents.genetic.gaia.tactical_rules import tactical_rules
from ludarium.agents.genetic.ifthen.modern import Modern
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.registry import make_game
from ludarium.evaluation.cli import app


def rule(senses, action, weight=0.0, priority=0):
    """A rule from its senses, written square by square, and its action."""
    sets = [np.uint64(sum(1 << i for i, sense in enumerate(senses) if sense == kind)) for kind in "PCV"]
    return (*sets, weight, 0, action, priority)


@pytest.fixture(scope="session")
def write_rules(tmp_path_factory):
    """`write_rules(game, rules)`: the folder of a run whose champion has these; the other members have none."""

    def write(game, *rules, preset="seed", **options):
        learner = GAIA.learner({"game": game, "population": 4, "rules": len(rules), "games": 800, **options}, preset)
        arrays = learner.start(make_game(game))
        arrays["rules"]["action"] = -1
        arrays["rules"][0] = np.array([rule(*one) if isinstance(one[0], str) else one for one in rules], dtype=RULE)
        arrays["weights"][:] = 7.25, -3, -3, -3
        folder = tmp_path_factory.mktemp("rules")
        Run(learner, Checkpoint(arrays, games=10)).save(folder)
        return folder

    return write


@pytest.fixture(scope="session")
def tactical_run(write_rules):
    """All 48 tactical rules, those that win before those that block."""
    tactics = tactical_rules(make_game("tictactoe"))
    rules = [(*tactic[:3], 0.5, 0, tactic.action, int(tactic.own > 0)) for tactic in tactics]
    return write_rules("tictactoe", *rules)


@pytest.fixture(scope="session")
def map_run(tmp_path_factory):
    """Maps with values that learned hexapawn."""
    learner = Modern(game="hexapawn", games=300, test_games=2)
    return train(learner, tmp_path_factory.mktemp("maps"), workers=1)


@pytest.fixture(scope="session")
def inspect():
    """Run the command; its output."""

    def run(*arguments):
        done = CliRunner().invoke(app, ["inspect", *map(str, arguments)])
        if done.exception is not None:
            raise done.exception
        assert done.exit_code == 0
        return done.output

    return run
