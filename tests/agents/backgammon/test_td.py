"""How large a network of `td` may be in backgammon."""

import pytest

from ludarium.agents.backgammon.td import check


@pytest.mark.parametrize(("name", "most"), [("counts", 289_262), ("tesauro", 83_055), ("stacks", 22_192)])
def test_the_largest_network_has_2_to_the_24_weights(name, most):
    """Each unit has one for each input, of which there are 52, 196 and 750, and one for each of the six outcomes."""
    check(most, name)
    with pytest.raises(ValueError, match=rf"^td: hidden={most + 1} is too large for backgammon; lower it$"):
        check(most + 1, name)
