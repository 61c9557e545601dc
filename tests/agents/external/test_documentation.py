"""The code in the documentation works as it stands there."""

import re
from pathlib import Path

import pytest

from ludarium.agents import check_agent
from ludarium.envs.registry import make_game

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "agents.md"
BLOCKS = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)


@pytest.mark.parametrize("needs", ["class Careful", "pyspiel"])
def test_agents_in_the_documentation_keep_the_contract(needs, tmp_path):
    if needs == "pyspiel":
        pytest.importorskip("pyspiel")
    path = tmp_path / "bot.py"
    path.write_text(next(block for block in BLOCKS if needs in block))
    check_agent(str(path), make_game("tictactoe"), games=2)
