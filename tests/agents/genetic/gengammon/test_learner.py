"""Gengammon: presets, learning, workers, resuming, agents, and bad input."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon import breeding
from ludarium.agents.genetic.gengammon.examples import VALIDATION, decisions_of, examples_of, part_of
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.learner import Gengammon
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decision_files import load, save
from ludarium.envs.registry import make_game

FEW = str(Path(__file__).parent / "data" / "few.npz")  # 1,800 of the shipped decisions to learn from, 200 held out
GENETIC = {
    "game": "backgammon", "population": 8, "batch": 50, "generations": 4, "hidden": 4, "checkpoints": 1,
    "test_games": 2, "decisions": FEW,
}  # fmt: skip
NEURONS = {
    **GENETIC, "population": 100, "method": "neurons", "inputs": "exact", "activation": "cubic", "output": "weights",
    "validation": 0.2,
}  # fmt: skip
STRATEGY = {**NEURONS, "method": "strategy", "population": 12}
METHODS = pytest.mark.parametrize("options", [GENETIC, NEURONS, STRATEGY], ids=["genetic", "neurons", "strategy"])


def trained(folder, workers=1, executor="threads", **options):
    return Run.load(train(Gengammon(**options), folder, workers=workers, executor=executor), Gengammon)


def same(one, other):
    return one.arrays.keys() == other.arrays.keys() and all(
        np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items()
    )


@pytest.mark.parametrize(
    ("crossover", "number", "takes"),
    [
        ("weights", 0, "genes"),
        ("bits", 0, "bits"),
        ("none", 0, "one"),
        ("alternate", 0, "genes"),
        ("alternate", 1, "bits"),
    ],
)
def test_what_a_child_takes_from_its_parents(crossover, number, takes):
    options = {"game": "backgammon", "decisions": FEW, "mutation_rate": 0, "alternate_every": 1}
    learner = Gengammon.from_preset("seed", {**options, "crossover": crossover, "tournament": 1})
    draws, genes = np.random.default_rng(1), np.repeat(np.array([[0], [-1]], dtype=np.int16), 100, axis=1)
    children = np.array([breeding._child(learner, genes, np.arange(2), number, draws) for _ in range(20)])
    whole = np.isin(children, (0, -1))
    assert whole.all() == (takes != "bits")
    assert (children == children[:, :1]).all() == (takes == "one")


def test_the_preset_seed_is_the_original():
    learner = Gengammon.from_preset("seed", {"game": "backgammon", "decisions": FEW})
    assert learner._number_of_genes == 1352
    assert (learner.fitness, learner.mutation, learner.crossover) == ("v2", "swap", "weights")
    network = learner.champion(learner.start(make_game("backgammon")))
    assert learner.seen == "stacks"  # products overflow, so each number of checkers has a weight of its own
    assert (network.output[:-1] == 1).all()  # the score is the sum of the hidden units
    assert not network.hidden[-1].any()  # without bias


@pytest.mark.parametrize(
    "options",
    [
        {"population": 30, "generations": 40, "batch": 100, "gene_scale": 0.1},
        {"population": 30, "generations": 40, "batch": 100, "gene_scale": 0.1, "activation": "tanh"},
        {"method": "neurons", "generations": 40, "batch": 200, "inputs": "tesauro", "activation": "cubic"},
        {
            "method": "strategy",
            "generations": 40,
            "batch": 500,
            "inputs": "tesauro",
            "activation": "tanh",
            "population": 100,
            "alpha": 0.05,
        },
        {
            "method": "backprop",
            "generations": 40,
            "batch": 100,
            "inputs": "tesauro",
            "activation": "tanh",
            "output": "weights",
        },
    ],
    ids=lambda options: options.get("method", "genetic") + options.get("activation", ""),
)
def test_it_learns_to_imitate(options):
    learner, game = Gengammon(game="backgammon", decisions=FEW, hidden=6, **options), make_game("backgammon")
    arrays = learner.start(game)
    told = [
        learner.generation(game, arrays, number, lambda f, parts: [f(part) for part in parts]) for number in range(40)
    ]
    key = "mean" if "mean" in told[0] else "likelihood"
    first, last = (np.mean([line[key] for line in some]) for some in (told[:5], told[-5:]))
    assert last > first + (0.05 if key == "mean" else 0.2)


@METHODS
def test_any_workers_have_the_same_champion(tmp_path, options):
    alone = trained(tmp_path / "alone", **options)
    assert same(alone, trained(tmp_path / "threads", workers=3, **options))
    if options is NEURONS:
        assert same(alone, trained(tmp_path / "processes", workers=2, executor="processes", **options))


@METHODS
def test_a_killed_run_ends_with_the_same_champion(tmp_path, options, killed):
    whole = trained(tmp_path / "whole", **options)
    killed(Gengammon(**options), tmp_path / "killed", 2)
    assert same(whole, trained(tmp_path / "killed", **options))
    lines = (tmp_path / "killed" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["generation"] for line in lines] == [1, 2, 3, 4]


def test_decay_keeps_weights_small():
    game, sizes = make_game("backgammon"), []
    for decay in (0, 1):
        learner = Gengammon(**NEURONS | {"method": "backprop", "alpha": 0.1, "decay": decay, "generations": 20})
        arrays = learner.start(game)
        for number in range(20):
            learner.generation(game, arrays, number, lambda f, parts: [f(part) for part in parts])
        sizes.append(arrays["hidden"].std())
    assert sizes[1] < 0.8 * sizes[0]


@pytest.mark.parametrize("options", [NEURONS, STRATEGY, {**NEURONS, "method": "backprop"}], ids=lambda o: o["method"])
def test_a_score_that_is_a_sum_has_no_biases(tmp_path, options):
    hidden = trained(tmp_path / "run", **options | {"output": "sum"}).arrays["hidden"]
    assert not hidden[-1].any()
    assert hidden[:-1].all()


def test_every_decision_is_seen_once_in_an_epoch():
    learner = Gengammon(**GENETIC | {"batch": 400})
    seen = np.concatenate([learner._batch(number) for number in range(4)])
    assert len(set(seen.tolist())) == len(seen) == 1600  # of 1,800
    assert len(Gengammon(**GENETIC | {"batch": 0})._batch(3)) == 1800


def test_the_champion_is_the_best_on_matches_that_are_not_learned(tmp_path):
    """Twenty units learn 40 decisions by heart, and play other matches worse and worse."""
    options = {**NEURONS, "method": "backprop", "hidden": 20, "generations": 120, "batch": 0, "alpha": 0.05}
    known = load(FEW).part(held_out=False)
    aside = part_of(FEW, VALIDATION, 0.2).matches
    kept = known.select(np.isin(known.matches, aside) | (np.arange(len(known)) % 35 == 0))
    save(kept, tmp_path / "few.npz")
    file = options["decisions"] = str(tmp_path / "few.npz")
    run = trained(tmp_path / "run", **options)
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    told = [line["validation"] for line in lines if "validation" in line]
    assert len(told) == 60
    assert max(told) > told[-1] + 0.1
    examples = examples_of(file, VALIDATION, "exact", 0.2)
    best = rank(examples, np.arange(examples.number), run.learner.champion(run.arrays)).likelihood.mean()
    assert best == pytest.approx(max(told), abs=1e-5)


def test_without_validation_the_champion_is_the_last_network(tmp_path):
    run = trained(tmp_path / "run", **NEURONS | {"validation": 0.0})
    assert (run.learner.champion(run.arrays).hidden == run.arrays["hidden"]).all()


@pytest.mark.parametrize("twin", [{"selection": "none"}, {"breeding": "founders"}, {"breeding": "none"}], ids=str)
def test_twins_end_elsewhere(tmp_path, twin):
    assert not same(trained(tmp_path / "a", **GENETIC), trained(tmp_path / "b", **GENETIC, **twin))


def test_agents_are_the_champion_and_the_members(tmp_path, play):
    trained(tmp_path / "run", **GENETIC)
    game = make_game("backgammon")
    agents = [make_agent(f"gengammon:{tmp_path / 'run'}{text}", game) for text in ("", "?member=0", "?member=7")]
    champion, first, last = (play(game, agent.policy, pubeval(game), 10).tolist() for agent in agents)
    assert champion == first != last


def test_decisions_of_ones_own(tmp_path):
    own = load(FEW).select(np.arange(2000) < 300)
    save(own, tmp_path / "own.npz")
    assert trained(tmp_path / "run", **NEURONS | {"decisions": str(tmp_path / "own.npz")}).generations == 4
    save(replace(own, held_out=np.ones(300, dtype=bool)), tmp_path / "all.npz")
    with pytest.raises(ValueError, match="all decisions are held out; make the file again with a smaller --held-out"):
        Gengammon(**NEURONS | {"decisions": str(tmp_path / "all.npz")}).start(make_game("backgammon"))
    (tmp_path / "own.npz").unlink()
    decisions_of.cache_clear()
    make_agent(f"gengammon:{tmp_path / 'run'}", make_game("backgammon"))  # what has been learned needs no file


def test_decisions_of_another_variant_are_refused():
    learner = Gengammon(**GENETIC | {"game": "backgammon?variant=nackgammon"})
    with pytest.raises(ValueError, match="the decisions are of standard, not of nackgammon; give decisions=FILE"):
        learner.start(make_game(learner.game))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "othello"}, "gengammon: it learns backgammon, not othello"),
        ({"method": "luck"}, "method must be one of 'genetic', 'strategy', 'neurons', 'games', 'backprop', not 'luck'"),
        ({"inputs": "all"}, "inputs must be one of 'counts', 'tesauro', 'exact', 'stacks', 'threats', not 'all'"),
        (
            {"fitness": "v4"},
            "fitness must be one of 'v1', 'v2', 'v3', 'v3-literal', 'v3-coded', 'likelihood', not 'v4'",
        ),
        ({"games": 100}, "the budget is in generations, so give generations, not games=100"),
        ({"elites": 8}, "elites must be below the population, 8, not 8"),
        ({"alpha": 0.5}, "alpha must be 0.01, not 0.5, with method=genetic"),
        ({"decay": 0.5}, "decay must be 0.0, not 0.5, with method=genetic"),
        ({**NEURONS, "decay": -1}, "decay must be a number from 0 to 10, not -1"),
        ({"validation": 0.1}, "validation must be 0.0, not 0.1, with method=genetic"),
        ({**NEURONS, "validation": 0.9}, "validation must be a number from 0 to 0.5, not 0.9"),
        ({"mutation_rate": -1}, "mutation_rate must be a number from 0 to 1000000, not -1"),
        ({"founders": 2}, "founders must be a number from 0 to 1, not 2"),
        ({**NEURONS, "founders": 0.5}, "founders must be 1.0, not 0.5, with method=neurons"),
        ({**NEURONS, "mutation": "bit"}, "mutation must be 'swap', not 'bit', with method=neurons"),
        ({**NEURONS, "population": 10}, "population must be 100, not 10, with method=neurons"),
        ({**NEURONS, "method": "backprop", "spread": 0.5}, "spread must be 0.05, not 0.5, with method=backprop"),
        ({**STRATEGY, "mutants": 3}, "mutants must be 8, not 3, with method=strategy"),
        ({**NEURONS, "mutants": 0}, "mutants must be an integer of at least 1, not 0"),
        (
            {**STRATEGY, "batch": 5},
            "each of the 6 pairs of the population needs a decision or dice; give a batch of",
        ),
        (
            {"inputs": "tesauro"},
            "activation=wrap goes with method=genetic, inputs=counts and output=sum, not with method=genetic, "
            "inputs=tesauro and output=sum; give activation=tanh, for example",
        ),
        ({"gene_scale": 0}, "gene_scale must be a number from 1e-06 to 1000, not 0"),
    ],
    ids=str,
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Gengammon(**{**GENETIC, **options})


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match=r"nowhere\.npz"):
        Gengammon(**GENETIC | {"decisions": "nowhere.npz"}).start(make_game("backgammon"))
