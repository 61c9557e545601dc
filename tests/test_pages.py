"""The blocks of Python in pages run as they are written, one after another."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "page", ["README.md", "docs/first-steps.md", "docs/environments.md", "docs/ladder.md", "docs/python.md"]
)
def test_every_block_runs(page, monkeypatch, tmp_path):
    pytest.importorskip("sb3_contrib")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8")
    names = {"__name__": "page"}
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    assert blocks
    for block in blocks:
        if "import supersuit" in block[1] and find_spec("supersuit") is None:
            continue
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(ROOT / page), "exec"), names)  # errors name the page's line
