"""Small runs of every preset."""

import pytest

from ludarium.agents.genetic.minimax import MINIMAX
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run

COMMON = {"game": "othello?size=4", "checkpoints": 1, "test_games": 2}
SMALL = {
    "seed": {"depth": 2, "generations": 3},
    "modern": {"depth": 2, "population": 6, "rivals": 3, "hall_of_fame": 4, "opening": 3, "games": 200},
    "tuples": {"population": 4, "anchors": "wpc+random", "lessons": 40, "opening": 3, "games": 640},
}


@pytest.fixture(params=SMALL)
def preset(request):
    return request.param


@pytest.fixture
def small():
    """A learner by its preset and the options that differ from those of a small run."""
    return lambda preset, **options: MINIMAX.learner({**COMMON, **SMALL[preset], **options}, preset)


@pytest.fixture
def trained(small, tmp_path):
    """The whole run of a preset, in a folder of its own or the one that is given."""

    def run(preset, folder=None, **options):
        folder = folder or tmp_path / str(len(list(tmp_path.iterdir())))
        return Run.load(train(small(preset, **options), folder, workers=1), MINIMAX)

    return run
