"""Options of games: what they allow by default."""

import pytest

from ludarium.envs.options import Option


def test_integers_are_from_0_to_0_if_nothing_is_said():
    option = Option(0)
    assert (option.low, option.high, option.choices, option.help) == (0, 0, (), "")
    assert option.check("nim", "heaps", 0) == 0
    with pytest.raises(ValueError, match="nim: heaps must be an integer from 0 to 0, not 1"):
        option.check("nim", "heaps", 1)
    assert Option(2, high=3).check("nim", "heaps", 0) == 0
