"""What a judge expects of the results of decisions, and who may judge."""

import numpy as np
import pytest

from ludarium.agents.backgammon.expectations import judge_outcomes
from ludarium.agents.external.bgsage import outcomes
from ludarium.agents.learning.parallel import workers
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decision_files import shipped
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.judging import odds_by

GAME = make_game("backgammon")
SOME = shipped().select(np.arange(len(shipped())) < 600)


@pytest.mark.parametrize("spec", ["expert", "expert?ply=1"])
def test_a_network_is_asked(spec):
    some, reports = SOME.select(np.arange(600) < 3) if "ply" in spec else SOME, []
    with workers("threads", 1) as parallel:
        odds = odds_by(GAME, spec, some, parallel, reports.append)
    expected = judge_outcomes(GAME, make_agent(spec, GAME).policy, some.positions, some.dice, some.offsets)
    assert (odds == expected.astype(np.float16)).all()
    np.testing.assert_allclose(odds.astype(float).sum(axis=1), 1, atol=0.01)
    assert reports[-1] == len(some)


def test_any_workers_find_the_same():
    odds = []
    for size in (1, 3):
        with workers("threads", size) as parallel:
            odds.append(odds_by(GAME, "expert", SOME, parallel))
    assert (odds[0] == odds[1]).all()


def test_bgsage_is_asked():
    pytest.importorskip("bgsage")
    some = SOME.select(np.arange(600) < 5)
    with workers("threads", 1) as parallel:
        assert (odds_by(GAME, "bgsage", some, parallel) == outcomes(some.results).astype(np.float16)).all()


@pytest.mark.parametrize("judge", ["greedy", "random", "mcts?simulations=5"])
def test_who_knows_no_outcomes_is_no_judge(judge):
    with workers("threads", 1) as parallel, pytest.raises(ValueError, match="a judge must be a network that knows"):
        odds_by(GAME, judge, SOME, parallel)
