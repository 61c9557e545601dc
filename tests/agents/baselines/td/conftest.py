"""A fixture for the tests of networks that learn."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def follows_the_gradient():
    """Check that a step of size 0.1 changes weights in some places as the slopes of the loss there say."""

    def check(arrays, places, loss, step):
        slopes = []
        for name, at in places:
            weight, losses = arrays[name][at], []
            for way in (-0.05, 0.05):
                arrays[name][at] = weight + np.float32(way)
                losses.append(loss())
            arrays[name][at] = weight
            slopes.append((losses[1] - losses[0]) / 0.1)
        before = {name: array.copy() for name, array in arrays.items()}
        step()
        assert any(slopes)
        for (name, at), slope in zip(places, slopes, strict=True):
            assert arrays[name][at] - before[name][at] == pytest.approx(-0.1 * slope, abs=1e-4)

    return check
