"""The code in the documentation works as it stands there."""

import re
from pathlib import Path

import pytest

from ludarium.agents import check_agent
from ludarium.envs.registry import make_game

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = DOCS / "agents.md", DOCS / "agents" / "programs.md"
BLOCKS = [block for page in PAGES for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)]


@pytest.mark.parametrize("needs", ["class Careful", "pyspiel"])
def test_agents_in_the_documentation_keep_the_contract(needs, tmp_path):
    if needs == "pyspiel":
        pytest.importorskip("pyspiel")
    path = tmp_path / "bot.py"
    path.write_text(next(block for block in BLOCKS if needs in block))
    check_agent(str(path), make_game("tictactoe"), games=2)
