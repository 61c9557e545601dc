"""Evolution alone: lists that learn from results, tests that live on defeats, and what of it is counted."""

import numpy as np
import pytest

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import GAIA, alone, trials, variation
from ludarium.agents.genetic.gaia.alone import Alone
from ludarium.agents.genetic.gaia.play import Field
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent
from ludarium.agents.genetic.gaia.rules import Generator, no_rules
from ludarium.agents.genetic.gaia.trials import Entrant, Rival, Trials, entrant, take_tests
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.evaluation.measures.exact import measure

SMALL = {"game": "tictactoe", "tests": 40, "games": 20_000, "checkpoints": 1, "test_games": 2}


def test_it_learns_and_its_twins_do_not(tmp_path, game):
    rates = {}
    for twin in ({}, {"selection": "none"}, {"breeding": "founders"}):
        path = train(Alone(**SMALL | {"games": 60_000}, **twin), tmp_path / "-".join(twin) / "run", workers=1)
        run = Run.load(path, GAIA)
        rates[str(twin)] = measure(game, run.learner.member(game, run.arrays, 0)).optimal_action_rate
    evolved, *others = rates.values()
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
    assert len(arrays["rivals"]) == 8
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


def test_rivals_are_a_random_sample_of_all_champions(game):
    """The ninth champion joins the eight rivals with a probability of 8/9, in a random place."""
    learner, places = Alone(**SMALL), []
    arrays = learner.start(game)
    for number in range(1, 201):
        arrays["rivals"]["action"], arrays["progress"][1] = -1, 8
        learner._begin_season(arrays, number)
        assert arrays["progress"][1] == 9
        places += np.flatnonzero((arrays["rivals"]["action"] >= 0).any(axis=1)).tolist()
    assert len(places) / 200 == pytest.approx(8 / 9, abs=0.04)
    assert set(places) == set(range(8))


def test_a_test_is_the_same_game_whenever_a_list_takes_it(game):
    field, tests = Field.of(game, True), np.arange(1, 41, dtype=np.uint64).reshape(2, 20)
    results_by_order = []
    for some in (tests, tests[:, ::-1].copy()):
        results, counts = np.zeros((2, 20), dtype=np.int8), np.zeros(3, dtype=np.int64)
        take_tests(field, no_rules(1), no_rules(8, 3), 1.0, some, counts, results)
        assert set(np.unique(results)) == {-1, 0, 1}
        results_by_order.append(results)
    assert (results_by_order[0] == results_by_order[1][:, ::-1]).all()


def test_a_defeat_costs_more_than_all_draws_and_of_equals_the_shorter_is_better():
    drawn, lost = np.zeros((2, 20), dtype=np.int8), np.ones((2, 20), dtype=np.int8)
    lost[0, 0] = -1
    short, long = no_rules(3), no_rules(9)
    assert Entrant(long, drawn).cost < Entrant(short, lost).cost
    assert Entrant(short, drawn).cost < Entrant(long, drawn).cost


def test_lists_take_the_tests_that_they_have_not_taken(game, serial, backwards):
    """In steps or at once, and whoever works."""
    rival = Rival(game, True, no_rules(8, 3), 1.0)
    tests = np.arange(1, 41, dtype=np.uint64).reshape(2, 20)
    lists, reached = [entrant(no_rules(size)) for size in (1, 2, 3, 4)], []
    for shares, parallel in (((0.25, 1.0, 1.0), serial), ((1.0,), backwards)):
        trials, after = Trials(rival, tests, parallel), lists
        for share in shares:
            after = trials.take(after, share)
            assert after[0].results.shape == (2, round(20 * share))
        assert trials.games == 4 * 40
        reached.append((trials.counts.tolist(), [(len(one.rules), one.results.tolist()) for one in after]))
    assert reached[0] == reached[1]
    assert Trials(rival, tests, serial).take([]) == []


@pytest.mark.parametrize(("population", "fewest", "most"), [(1, 0, 0), (2, 70, 130)])
def test_half_of_the_children_have_two_parents_unless_there_is_only_one(game, monkeypatch, population, fewest, most):
    learner, crossed = Alone(**SMALL, population=population), 0

    def cross(mother, *_):
        nonlocal crossed
        crossed += 1
        return mother

    monkeypatch.setattr(alone, "cross", cross)
    parents, draws = [entrant(no_rules(1))] * population, np.random.default_rng(1)
    assert sum(len(learner._children(game, parents, draws)) for _ in range(10)) == 200
    assert fewest <= crossed <= most


@pytest.fixture(scope="module")
def made(game):
    return Generator.of(board(game, True), 0.7)


def test_changed_rules_ask_for_what_their_actions_need(made, game):
    draws, seen = np.random.default_rng(1), board(game, True)
    rules = variation.new_list(draws, made, 12)
    lengths = set()
    for _ in range(300):
        rules = variation.mutate(rules, draws, made, 20)
        lengths.add(len(rules))
        needs = seen.needs[rules["action"]]
        for number, side in enumerate(("own", "opponent", "empty")):
            assert (rules[side] & needs[:, number] == needs[:, number]).all()
        assert not ((rules["own"] & rules["opponent"]) | (rules["own"] & rules["empty"])).any()
    assert max(lengths) <= 20
    assert len(lengths) > 3


def test_a_child_of_two_has_rules_of_both_and_of_nobody_else(made, wants):
    draws = np.random.default_rng(2)
    mother, father = (variation.new_list(draws, made, count) for count in (8, 12))
    mixed = 0
    for _ in range(50):
        child = variation.cross(mother, father, draws, 15)
        assert 1 <= len(child) <= 15
        assert wants(child) <= wants(mother) | wants(father)
        mixed += bool(wants(child) - wants(mother)) and bool(wants(child) - wants(father))
    assert mixed > 25


def test_a_single_rule_of_the_father_comes_near_its_place():
    """At most two places from where it was, in a list of the same length."""
    mother, father = no_rules(30), no_rules(30)
    mother["own"], father["own"] = 0, 1 + np.arange(30)
    moved, draws = set(), np.random.default_rng(3)
    for _ in range(300):
        child = variation.cross(mother, father, draws, 40)
        (places,) = np.nonzero(child["own"])
        if len(child) == 31 and len(places) == 1 and 2 < places[0] < 28:
            moved.add(int(places[0] - (child["own"][places[0]] - 1)))
    assert moved == {-2, -1, 0, 1, 2}
