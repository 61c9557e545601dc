"""Presets in which one network learns: imitation, odds, the gradient, validation, and going on from another run."""

import json
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon import GENGAMMON
from ludarium.agents.genetic.gengammon.examples import VALIDATION, examples_of, part_of
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.lessons import split
from ludarium.agents.genetic.gengammon.validation import is_time
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decision_files import load, save
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("modern", {"batch": 200, "inputs": "tesauro", "output": "sum"}),
        ("backprop", {"batch": 100, "inputs": "tesauro", "activation": "tanh"}),
    ],
)
def test_it_learns_to_imitate(learner, learn, preset, options):
    told = [line["likelihood"] for line in learn(learner(preset, generations=40, hidden=6, **options))[1]]
    assert np.mean(told[-5:]) > np.mean(told[:5]) + 0.2


@pytest.mark.parametrize(("preset", "options"), [("judged", {"spread": 0.05}), ("backprop", {"output": "outcomes"})])
def test_it_learns_what_the_judge_expects(learner, learn, preset, options):
    own = learner(preset, batch=200, generations=60, **options)
    told = [line["likelihood"] for line in learn(own)[1]]
    odds = own.lesson.examples.odds
    spread = -(odds * np.log(odds)).sum(axis=1).mean()  # nobody can be better than that
    assert told[0] < np.mean(told[-5:]) - 0.03 < -spread


def test_decay_keeps_weights_small(learner, learn):
    sizes = [learn(learner("backprop", alpha=0.1, decay=decay, generations=20))[0]["hidden"].std() for decay in (0, 1)]
    assert sizes[1] < 0.8 * sizes[0]


@pytest.mark.parametrize("preset", ["modern", "backprop"])
def test_a_score_that_is_a_sum_has_no_biases(learner, learn, preset):
    arrays, _ = learn(learner(preset, output="sum"))
    assert not arrays["hidden"][-1].any()
    assert arrays["hidden"][:-1].all()
    assert (arrays["output"].ravel() == [1, 1, 1, 1, 0]).all()


def test_the_champion_is_the_best_on_matches_that_are_not_learned(tmp_path, few, trained):
    """Twenty units learn 40 decisions by heart, and play other matches worse and worse."""
    known = load(few).part(held_out=False)
    aside = part_of(few, VALIDATION, 0.2).matches
    kept = known.select(np.isin(known.matches, aside) | (np.arange(len(known)) % 35 == 0))
    save(kept, tmp_path / "few.npz")
    file = str(tmp_path / "few.npz")
    options = {"hidden": 20, "generations": 120, "batch": 0, "alpha": 0.05, "validation": 0.2, "decay": 0}
    run = trained(tmp_path / "run", "backprop", decisions=file, **options)
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    told = [line["validation"] for line in lines if "validation" in line]
    assert len(told) == 60
    assert max(told) > told[-1] + 0.1
    examples = examples_of(file, VALIDATION, "exact", 0.2)
    best = rank(examples, np.arange(examples.number), run.learner.network(run.arrays)).likelihood.mean()
    assert best == pytest.approx(max(told), abs=1e-5)


def test_without_validation_the_champion_is_the_last_network(learner, learn):
    own = learner("modern", validation=0.0)
    arrays, _ = learn(own)
    assert (own.network(arrays).hidden == arrays["hidden"]).all()


@pytest.mark.parametrize("preset", ["modern", "games", "backprop"])
def test_learning_goes_on_from_another_run(learner, preset, taught):
    known, own = Run.load(Path(taught), GENGAMMON), learner(preset, origin=taught, batch=200)
    arrays, origin = own.start(GAME), known.learner.network(known.arrays)
    for network in (own.now(arrays), own.network(arrays)):
        assert np.array_equal(network.hidden, origin.hidden)
        assert np.array_equal(network.output, origin.output)


def test_an_origin_of_another_shape_is_refused(learner, taught):
    with pytest.raises(ValueError, match="has hidden=4, not 5; give options that agree"):
        learner("modern", hidden=5, origin=taught).start(GAME)
    with pytest.raises(ValueError, match="nowhere"):
        learner("modern", origin="nowhere").start(GAME)


def test_networks_with_outcomes_look_ahead_and_know_the_cube(tmp_path, trained, play):
    trained(tmp_path / "run", "backprop", output="outcomes", batch=200, generations=100, alpha=0.03)
    spec, cube = f"gengammon:{tmp_path / 'run'}", make_game("backgammon?cube=true")
    plain, ahead = (make_agent(spec + text, GAME) for text in ("", "?ply=1"))
    assert plain.name != ahead.name
    assert play(GAME, plain.policy, pubeval(GAME), 3).tolist() != play(GAME, ahead.policy, pubeval(GAME), 3).tolist()
    position = cube.start()
    position.play(3)
    position.play(position.legal_actions()[0])
    assert make_agent(spec, cube).policy.judge(position, None).unit == "points"
    assert make_agent(f"{spec}?cube=False", cube).policy.judge(position, None) is None


@pytest.mark.parametrize(("preset", "options"), [("judged", {}), ("games", {"output": "outcomes"})])
def test_decisions_without_odds_are_refused(few, learner, preset, options):
    with pytest.raises(ValueError, match=r"needs a judge's odds, and there are none in .*; make a file with"):
        learner(preset, decisions=few, **options).start(GAME)


@pytest.mark.parametrize(
    ("generations", "looks"),
    [(3, [1, 2, 3]), (119, range(1, 120)), (180, range(3, 181, 3)), (182, [*range(3, 181, 3), 182])],
)
def test_a_network_is_judged_about_sixty_times_and_at_the_end(generations, looks):
    assert [done for done in range(1, generations + 1) if is_time(done, generations)] == list(looks)


@pytest.mark.parametrize(("length", "lengths"), [(20, [3, 3, 3, 3, 2, 2, 2, 2]), (8, [1] * 8), (3, [1] * 3)])
def test_examples_are_divided_in_eight_parts(length, lengths):
    """Sums over other parts would differ in their last digits, and so would what is evolved."""
    parts = split(np.arange(length))
    assert [len(part) for part in parts] == lengths
    assert np.concatenate(parts).tolist() == list(range(length))
