"""Decisions, some of them with a judge's odds; small networks that look at them, and small learners."""

from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import ACTIVATIONS, network_of
from ludarium.agents.genetic.gengammon import GENGAMMON
from ludarium.agents.genetic.gengammon.examples import LEARNED, add_up, examples_of, make_room
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.registry import make_game

FEW = str(Path(__file__).parent / "data" / "few.npz")  # 1,800 of the shipped decisions to learn from, 200 held out


@pytest.fixture(scope="session")
def few():
    """A file."""
    return FEW


@pytest.fixture(scope="session")
def examples_for():
    """Forty decisions of experts, by what networks see."""

    def examples_for(seen):
        known = examples_of(FEW, LEARNED, seen)
        return known._replace(offsets=known.offsets[:41])

    return examples_for


@pytest.fixture(scope="session")
def examples(examples_for):
    return examples_for("tesauro")


@pytest.fixture(scope="session")
def network():
    def network(seen="tesauro", units=5, activation="tanh", size=0.2, outputs=1):
        draws = np.random.default_rng(1)
        shapes = {"hidden": (inputs(seen).number + 1, units), "output": (units + 1, outputs)}
        arrays = {key: draws.normal(0, size, shape).astype(np.float32) for key, shape in shapes.items()}
        return network_of(inputs(seen), arrays, ACTIVATIONS.index(activation))

    return network


@pytest.fixture(scope="session")
def sums_of():
    """What the inputs of each result of a decision add up to."""

    def sums_of(examples, number, weights):
        room = make_room(examples, np.array([number]), weights.shape[1])
        return room.sums[: add_up(examples, number, weights, room)]

    return sums_of


@pytest.fixture(scope="session")
def learner(odds_file):
    """A small learner of a preset."""

    def learner(preset, **options):
        file = odds_file if "outcomes" in (options.get("output"), GENGAMMON.kind(preset).output) else FEW
        given = {"batch": 50, "generations": 4, "hidden": 4, "checkpoints": 1, "test_games": 2, "decisions": file}
        more = {"population": 8} if preset == "seed" else {"inputs": "exact"}
        return GENGAMMON.learner({"game": "backgammon", **given, **more, **options}, preset)

    return learner


@pytest.fixture(scope="session")
def learn():
    """Runs all generations of a learner; returns the arrays, and the metrics of each."""

    def learn(learner):
        game, arrays = make_game("backgammon"), learner.start(make_game("backgammon"))
        with workers("threads", 1) as parallel:
            told = [learner.generation(game, arrays, number, parallel) for number in range(learner.generations)]
        return arrays, told

    return learn


@pytest.fixture(scope="session")
def trained(learner):
    """The run of a small learner in a folder."""

    def trained(folder, preset, **options):
        return Run.load(train(learner(preset, **options), folder, workers=1), GENGAMMON)

    return trained


@pytest.fixture(scope="session")
def taught(trained, tmp_path_factory):
    """The folder of a network that knows how to bring its checkers home: games of others take long."""
    folder = tmp_path_factory.mktemp("taught")
    trained(folder, "backprop", batch=500, generations=30)
    return str(folder)


@pytest.fixture(scope="session")
def check_credit():
    """Whether each credit is the difference that its neuron's two mutants make."""

    def check_credit(of, out, second, pairs, size, worth):
        """`second`: the genes of the second pair; `worth(mutant)`: the fitness."""
        for genes, with_output in ((~second, True), (second, False))[:pairs]:
            for unit in range(of.hidden.shape[1]):
                worths = []
                for way in (size, -size):
                    hidden, output = of.hidden.copy(), of.output.copy()
                    hidden[genes, unit] += way * np.sign(out[0][genes, unit])
                    output[unit] += way * np.sign(out[1][unit]) * with_output
                    worths.append(worth(of._replace(hidden=hidden, output=output)))
                sizes = np.abs(out[0][genes, unit])
                assert sizes.max() == pytest.approx(worths[0] - worths[1], rel=0.02, abs=1e-3)
                assert set(sizes.tolist()) <= {0.0, sizes.max()}

    return check_credit
