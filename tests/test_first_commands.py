"""The commands that pages tell to type first: how they are read from the pages, and compared with what these say."""

import importlib
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def commands(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("first_commands")


def test_the_first_block_that_trains_is_read(commands):
    text = (
        "```sh\nmake arena\n```\n\n```\nludarium train printed\n```\n\n"
        "```sh\nexport A=x.py\nludarium train a b --out c   # trains\n\nludarium exact b\n```\n\n"
        "```sh\nludarium train other\n```\n"
    )
    assert commands.block_of(text) == ["export A=x.py", "ludarium train a b --out c", "ludarium exact b"]
    with pytest.raises(ValueError, match="there is no block with 'ludarium train'"):
        commands.block_of("Text\n\n```sh\nludarium play\n```\n")


def test_every_page_has_the_block_and_says_what_is_compared(commands):
    for page in commands.PAGES.values():
        text = (commands.ROOT / page.path).read_text(encoding="utf-8")
        assert commands.block_of(text)
        if page.says:
            said = re.search(page.says, " ".join(text.split()))
            assert said is not None, page.path
            assert len(said.groups()) == len(page.within) == re.compile(page.prints).groups


def test_what_is_printed_is_compared_with_the_page(commands, monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```sh\nludarium train it\nludarium play it\n```\n\nIt wins 5.0 %\nand +1.2 points.\n")
    ran = []

    def run(call, **options):
        ran.append(call[1:])
        return subprocess.CompletedProcess(call, 0, "won 5.3 %,\n +1.25 points\n")

    monkeypatch.setattr(commands.subprocess, "run", run)
    monkeypatch.setattr(commands, "RUNS", tmp_path)
    patterns = r"wins ([\d.]+) % and \+([\d.]+)", r"won ([\d.]+) %, \+([\d.]+)"
    asked = commands.Page(str(page), ("play",), *patterns, (0.5, 0.01))
    cells = commands.compare("it", asked)
    assert ran == [["train", "it"]]
    assert cells == [("ludarium train it", "5.0", "5.3", True), ("ludarium train it", "1.2", "1.25", False)]
    assert "| it | `ludarium train it` | 1.2 | 1.25 | **no** |" in commands.table({"it": cells})
