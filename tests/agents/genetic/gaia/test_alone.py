"""Evolution alone: lists that learn from results, tests that live on defeats, and what of it is counted."""

import numpy as np
import pytest

from ludarium.agents.genetic.gaia import GAIA, trials
from ludarium.agents.genetic.gaia.alone import Alone
from ludarium.agents.genetic.gaia.play import Field
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent
from ludarium.agents.genetic.gaia.trials import take_tests
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.evaluation.measures.exact import measure

SMALL = {"game": "tictactoe", "tests": 40, "games": 20_000, "checkpoints": 1, "test_games": 2}


def test_it_learns_and_its_twins_do_not(tmp_path, game):
    found = {}
    for twin in ({}, {"selection": "none"}, {"breeding": "founders"}):
        path = train(Alone(**SMALL | {"games": 60_000}, **twin), tmp_path / "-".join(twin) / "run", workers=1)
        run = Run.load(path, GAIA)
        found[str(twin)] = measure(game, run.learner.member(game, run.arrays, 0)).optimal_action_rate
    evolved, *others = found.values()
    assert evolved > max(others) + 0.04


def test_every_game_counts(game, serial, monkeypatch):
    learner = Alone(**SMALL, population=4)
    arrays, games, played = learner.start(game), 0, 0
    take = trials.take_tests

    def counted(*arguments):
        nonlocal played
        played += arguments[4].size
        take(*arguments)

    monkeypatch.setattr(trials, "take_tests", counted)
    for number in range(12):
        told = learner.generation(game, arrays, number, serial)
        games += told["games"]
        assert told["games"] <= learner.largest_generation(game)
    assert games == played


def test_what_is_known_of_a_list_is_what_it_reaches(game, serial):
    learner = Alone(**SMALL)
    arrays = learner.start(game)
    for number in range(9):  # one season
        learner.generation(game, arrays, number, serial)
    count, field = int(arrays["progress"][2]), Field.of(game, True)
    for rules, results in zip(arrays["rules"], arrays["results"], strict=True):
        again = np.zeros((2, count), dtype=np.int8)
        tests = arrays["tests"][:, :count].copy()
        take_tests(field, rules, arrays["rivals"], learner.noise, tests, np.zeros(3, dtype=np.int64), again)
        assert (again == results[:, :count]).all()


def test_a_list_leaves_nothing_to_chance(game, tmp_path):
    """Not even without a rule; its player's distribution, its moves and its reasons agree."""
    learner = Alone(**SMALL)
    arrays = learner.start(game)
    for place in range(3):
        policy = learner.member(game, arrays, place)
        agents = [RuleAgent("rules", game, policy) for _ in range(2)]
        for number, agent in enumerate(agents):
            agent.reset(0, number)
        position = game.start()
        while position.turn >= 0:
            asked = position.observe(position.turn), position.action_mask(), {"game": game, "seat": position.turn}
            moves = {int(agent(*asked)) for agent in agents}
            assert len(moves) == 1
            assert agents[0].distribution(*asked)[moves.pop()] == 1
            position.play(int(np.flatnonzero(position.action_mask())[-1]))


def test_tests_that_somebody_lost_stay(game, serial):
    learner = Alone(**SMALL, season=1, kept=0.5)
    arrays = learner.start(game)
    learner.generation(game, arrays, 0, serial)
    count = int(arrays["progress"][2])
    before = arrays["tests"][:, :count].copy()
    lost = [set(before[seat][(arrays["results"][:, seat, :count] < 0).any(axis=0)].tolist()) for seat in range(2)]
    learner.generation(game, arrays, 1, serial)
    for seat in range(2):
        after = set(arrays["tests"][seat, : int(arrays["progress"][2])].tolist())
        stayed = after & set(before[seat].tolist())
        assert stayed <= lost[seat]
        assert len(stayed) == min(len(lost[seat]), len(after) // 2)
    assert (arrays["rivals"]["action"] >= 0).any(axis=1).sum() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tests": 41}, "gaia: tests must be an even number, half of them for each seat, not 41"),
        ({"tests": "x"}, "gaia: tests must be an integer of at least 2, not 'x'"),
        ({"selection": "best-10"}, "gaia: selection must be one of 'best-50', 'none', not 'best-10'"),
        ({"noise": 2.0}, "gaia: noise must be a number from 0 to 1, not 2.0"),
    ],
)
def test_options_that_are_not_allowed(options, message):
    with pytest.raises(ValueError, match=message):
        Alone(**SMALL | options)
