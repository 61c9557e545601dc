"""The commands that pages tell to type first: how they are read from the pages, and compared with what these say."""

import re
import subprocess
from pathlib import Path

import pytest

from ludarium.envs.source_file import load_source

SOURCE = Path(__file__).resolve().parents[1] / "benchmarks" / "first_commands.py"


@pytest.fixture(scope="module")
def commands():
    return load_source(str(SOURCE), "first_commands")


def test_the_first_block_that_trains_is_read(commands):
    text = (
        "```sh\nmake arena\n```\n\n```sh\n.venv/bin/ludarium train a b --out c   # trains\n\nludarium exact b\n```\n"
        "\n    ludarium train other\n"
    )
    assert commands.block_of(text) == ["ludarium train a b --out c", "ludarium exact b"]
    indented = "Text\n\n    export A=x.py\n    ludarium train a\n\n    it prints this\n\n    ludarium train b\n"
    assert commands.block_of(indented) == ["export A=x.py", "ludarium train a"]
    with pytest.raises(ValueError, match="there is no block with 'ludarium train'"):
        commands.block_of("Text\n\n    ludarium play\n")


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
    page.write_text("    ludarium train it\n    ludarium play it\n\nIt wins 5.0 %\nand +1.2 points.\n")
    ran = []

    def run(call, **options):
        ran.append(call[1:])
        return subprocess.CompletedProcess(call, 0, "won 5.3 %,\n +1.25 points\n")

    monkeypatch.setattr(commands.subprocess, "run", run)
    monkeypatch.setattr(commands, "RUNS", tmp_path)
    patterns = r"wins ([\d.]+) % and \+([\d.]+)", r"won ([\d.]+) %, \+([\d.]+)"
    asked = commands.Page(str(page), ("play",), *patterns, (0.5, 0.01))
    found = commands.compare("it", asked)
    assert ran == [["train", "it"]]
    assert found == [("ludarium train it", "5.0", "5.3", True), ("ludarium train it", "1.2", "1.25", False)]
    assert "| it | `ludarium train it` | 1.2 | 1.25 | **no** |" in commands.table({"it": found})
