"""Networks that learn outcomes from a judge's odds: what they see, the gradient, the credits, learning, and play."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import ACTIVATIONS, network_of, see
from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon.examples import LEARNED
from ludarium.agents.genetic.gengammon.learner import Gengammon
from ludarium.agents.genetic.gengammon.neurons import POOL
from ludarium.agents.genetic.gengammon.outcomes import add_outcome_gradient, credit_outcomes, judged_of
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decision_files import load, save
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.registry import make_game

FEW = str(Path(__file__).parent / "data" / "few.npz")  # 1,800 of the shipped decisions to learn from, 200 held out
GAME, POINTS = make_game("backgammon"), np.array([-3, -2, -1, 1, 2, 3])
OPTIONS = {
    "game": "backgammon", "method": "neurons", "inputs": "exact", "activation": "cubic", "output": "outcomes",
    "hidden": 4, "batch": 200, "generations": 4, "checkpoints": 1, "test_games": 2, "validation": 0.2,
}  # fmt: skip


def softly(size, seed):
    """Rows of probabilities."""
    odds = np.exp(np.random.default_rng(seed).normal(0, 1, (size, 6)))
    return odds / odds.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def known():
    """Decisions with odds that favour the side with more checkers borne off or far advanced."""
    some = load(FEW).part(held_out=False).select(np.arange(1800) % 6 == 0)
    lead = (some.results[:, 1:25] * (12.5 - np.arange(1, 25))).sum(axis=1) / 30
    odds = np.exp(np.outer(lead, POINTS / 6))
    return replace(some, odds=(odds / odds.sum(axis=1, keepdims=True)).astype(np.float16))


@pytest.fixture(scope="module")
def file(known, tmp_path_factory):
    path = tmp_path_factory.mktemp("odds") / "odds.npz"
    save(known, path)
    return str(path)


@pytest.fixture(scope="module")
def judged(file):
    found = judged_of(file, LEARNED, "threats")
    return found._replace(odds=softly(40, 2).astype(np.float32))  # the first forty positions, as anybody may see them


def network(units=5, seed=1):
    draws = np.random.default_rng(seed)
    shapes = {"hidden": (inputs("threats").number + 1, units), "output": (units + 1, 6)}
    arrays = {key: draws.normal(0, 0.2, shape).astype(np.float32) for key, shape in shapes.items()}
    return network_of(inputs("threats"), arrays, ACTIVATIONS.index("cubic"))


def gradient(judged, of):
    out = np.zeros_like(of.hidden), np.zeros_like(of.output)
    return add_outcome_gradient(judged, np.arange(judged.number), of, out), out


def test_good_results_are_learned_and_some_of_the_others(known, file):
    points = known.odds.astype(float) @ POINTS
    best = np.repeat(np.maximum.reduceat(points, known.offsets[:-1]), known.counts)
    wanted = (points >= best - 0.15) | (np.arange(len(points)) % 8 == 0)
    found = judged_of(file, LEARNED, "threats")
    assert (found.odds == known.odds[wanted].astype(np.float32)).all()
    of, position, seen = network(), GAME.start(), np.zeros(5, dtype=np.float32)
    for number, result in enumerate(known.results[wanted][:30]):
        set_up(position.record, result)
        see(position.record, 0, of, seen)
        some = slice(*found.seen.ends[number : number + 2])
        sums = of.hidden[-1] + found.seen.what[some] @ of.hidden[found.seen.which[some]]
        np.testing.assert_allclose(sums, seen, atol=1e-5)


def test_the_gradient_is_that_of_the_fitness(judged):
    of = network()
    _, out = gradient(judged, of)
    heaviest = np.unravel_index(np.abs(out[0]).argmax(), out[0].shape)
    for array, slopes, at in ((of.hidden, out[0], heaviest), (of.hidden, out[0], (-1, 2)), (of.output, out[1], (3, 1))):
        weight, totals = array[at], []
        for way in (-0.01, 0.01):
            array[at] = weight + np.float32(way)
            totals.append(gradient(judged, of)[0])
        array[at] = weight
        assert slopes[at] == pytest.approx((totals[1] - totals[0]) / 0.02, rel=0.1, abs=0.05)


@pytest.mark.parametrize("lot", [False, True])
def test_credits_estimate_the_gradient_and_chance_does_not(judged, lot):
    of = network()
    total, exact = gradient(judged, of)
    pool = np.where(np.random.default_rng(3).random(POOL) < 0.5, -1, 1).astype(np.float32)
    out, how = (np.zeros_like(of.hidden), np.zeros_like(of.output)), (np.full(2, 0.05, dtype=np.float32), 8, lot)
    for key in range(200):
        found = credit_outcomes(judged, np.arange(judged.number), of, pool, np.uint64(key), how, out)
        assert found == pytest.approx(total)
    for estimate, slope in zip(out, exact, strict=True):
        some = slope[:-1] if len(slope) == 6 else slope  # the biases of the outputs get no credit
        one = estimate[: len(some)]
        cosine = (one * some).sum() / np.linalg.norm(one) / np.linalg.norm(some)
        assert cosine < 0.4 if lot else cosine > 0.9


def run_of(folder, file, workers=1, **options):
    learner = Gengammon(**OPTIONS | {"decisions": file} | options)
    return Run.load(train(learner, folder, workers=workers), Gengammon)


@pytest.mark.parametrize("method", ["neurons", "backprop"])
def test_it_learns_what_the_judge_expects(file, method):
    learner = Gengammon(**OPTIONS | {"decisions": file, "method": method, "generations": 60})
    arrays = learner.start(GAME)
    told = [
        learner.generation(GAME, arrays, number, lambda f, parts: [f(part) for part in parts])["likelihood"]
        for number in range(60)
    ]
    spread = -(learner.judged.odds * np.log(learner.judged.odds)).sum(axis=1).mean()  # nobody can be better than that
    assert told[0] < np.mean(told[-5:]) - 0.03 < -spread


def test_any_workers_and_a_kill_have_the_same_champion(tmp_path, file, killed):
    one, other = run_of(tmp_path / "one", file), run_of(tmp_path / "other", file, workers=3)
    killed(Gengammon(**OPTIONS | {"decisions": file}), tmp_path / "killed", 2)
    for found in (other, run_of(tmp_path / "killed", file)):
        assert all(np.array_equal(array, found.arrays[name]) for name, array in one.arrays.items())


def test_its_agents_look_ahead_and_know_the_cube(tmp_path, file, play):
    run_of(tmp_path / "run", file, method="backprop", generations=100, alpha=0.03)
    spec, cube = f"gengammon:{tmp_path / 'run'}", make_game("backgammon?cube=true")
    plain, ahead = (make_agent(spec + text, GAME) for text in ("", "?ply=1"))
    assert plain.name != ahead.name
    assert play(GAME, plain.policy, pubeval(GAME), 3).tolist() != play(GAME, ahead.policy, pubeval(GAME), 3).tolist()
    position = cube.start()
    position.play(3)
    position.play(position.legal_actions()[0])
    assert make_agent(spec, cube).policy.judge(position, None).unit == "points"
    assert make_agent(f"{spec}?cube=False", cube).policy.judge(position, None) is None


def test_what_has_no_odds_is_refused():
    with pytest.raises(ValueError, match="there are none in the built-in decisions; make a file with"):
        Gengammon(**OPTIONS).start(GAME)


def test_methods_that_cannot_learn_odds_are_refused(file):
    with pytest.raises(ValueError, match="output=outcomes takes method=neurons, games or backprop, not strategy"):
        Gengammon(**OPTIONS | {"decisions": file, "method": "strategy"})


def test_a_score_cannot_look_ahead(tmp_path):
    options = {**OPTIONS, "output": "weights", "decisions": FEW}
    train(Gengammon(**options), tmp_path / "run", workers=1)
    with pytest.raises(ValueError, match="ply=1 needs the probabilities of outcomes, and this network has a score"):
        make_agent(f"gengammon:{tmp_path / 'run'}?ply=1", GAME)
