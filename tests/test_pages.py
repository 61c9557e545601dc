"""Pages: their blocks of code run, their links lead somewhere, and they are short enough to be read.

`make test-docs` runs the blocks, with the budgets of the table below; the rest is in the ordinary suite.
"""

import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from ludarium.envs.source_file import load_source
from ludarium.evaluation import Tournament

ROOT = Path(__file__).resolve().parents[1]
pages = load_source(str(ROOT / "benchmarks" / "pages.py"), "pages")

BUDGETS = {
    "arena": "--pairs 1",
    "data": "--games 2",
    "match": "--pairs 2",
    "rate": "--games 40",
    "train": "--games 200",
    "train gengammon": "--set generations=1",
    "train lcs": "--set generations=1",
    "train minimax": "--set generations=1",
    "train sb3": "--steps 2048 --set checkpoints=2 --set test_games=10",
    "yardstick": "--games 2",
}
"""What commands of pages get where they are tested, in place of any budget that the page gives."""
BUDGET = re.compile(r" --(?:pairs|games|steps|set generations=)[ ]?\d+")
PAIRS = 1
"""The same for files of tournaments."""
LEFT_OUT = ("apt-get ", "dask ", "git ", "make ", "pip ", "python benchmarks/", "ludarium table")
"""Commands that change the machine, run for long, or wait for a person."""
NEEDED = {
    "supersuit": "supersuit",
    "sb3_contrib": "sb3_contrib",
    "sb3:": "sb3_contrib",
    "pyspiel": "pyspiel",
    "bgsage": "bgsage",
}
"""Modules without which blocks with these words are not run."""
WORDS = 1500
NAMES = [path.relative_to(ROOT).as_posix() for path in pages.pages()]


@pytest.mark.docs
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("page", NAMES)
def test_every_block_runs(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for folder in ("examples", "benchmarks"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    names = {"__name__": "page"}
    for block in pages.blocks((ROOT / page).read_text(encoding="utf-8")):
        if block.run and all(find_spec(need) for word, need in NEEDED.items() if word in block.text):
            run(block, page, names)


def run(block, page, names):
    """Run a block, or save it, in the working directory; `names` are those of the page's Python."""
    place = f"{page}:{block.line}"
    if block.language == "sh":
        shell("\n".join([*block.first, small(block.tested)]), place)
        return
    shell("\n".join(block.first), place)
    if block.language == "python" and not block.title:
        code = "\n" * (block.line - 1) + block.tested
        exec(compile(code, str(ROOT / page), "exec"), names)  # errors name the page's line
    if block.title or block.language == "toml":
        path = Path(block.title or "untitled.toml")
        path.write_text(re.sub(r"(?m)^(pairs = )\d+", rf"\g<1>{PAIRS}", block.tested), encoding="utf-8")
        if path.suffix == ".toml" and "games" in tomllib.loads(block.text):
            Tournament.from_file(path).check()


def small(text):
    """Commands with the budgets of tests, and without those that are left out."""
    lines = re.sub(r"\s+\\\n\s*", " ", re.sub(r"(?m)\s+#.*$", "", text)).splitlines()
    return "\n".join(with_budget(line) for line in lines if not line.strip().startswith(LEFT_OUT))


def with_budget(line):
    command = re.match(r"\s*ludarium (\w+)(?: (gengammon|lcs|minimax|sb3))?", line)
    if command is None or command[1] not in BUDGETS or (command[1] == "data" and "--from-agent" not in line):
        return line
    budget = BUDGETS.get(f"{command[1]} {command[2]}", BUDGETS[command[1]])
    return f"{BUDGET.sub('', line)} {budget}"


def shell(text, place):
    """Run commands as a reader would, in the working directory; agents of pages forfeit no game."""
    if not text:
        return
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        env={**os.environ, "PATH": path, "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{place}\n{text}\n{done.stdout}\n{done.stderr}"
    assert "forfeited" not in done.stdout, f"{place}\n{text}\n{done.stdout}"


def test_commands_get_the_budgets_of_tests():
    page = (
        "ludarium match a b --pairs 500 \\\n  --opening 1   # many\n"
        "ludarium train sb3:ppo x\npip install x\nfor n in 1; do\n"
        "  ludarium train lcs x --games 9 --set generations=5 --out y\n"
    )
    assert small(page).splitlines() == [
        "ludarium match a b --opening 1 --pairs 2",
        "ludarium train sb3:ppo x --steps 2048 --set checkpoints=2 --set test_games=10",
        "for n in 1; do",
        "  ludarium train lcs x --out y --set generations=1",
    ]


@pytest.mark.parametrize(
    ("comment", "error"),
    [
        ("<!-- test: not run -->", "line 2: 'test: not run' is none of 'not run, REASON'"),
        ("<!-- test: `b` is `c` -->", "line 2: 'test: `b` is `c`' is none of"),
        ("<!-- test: first `x` -->\ntext", "line 2: the comment 'test: first `x`' must stand right before a block"),
    ],
)
def test_a_comment_that_says_nothing_is_an_error(comment, error):
    with pytest.raises(ValueError, match=re.escape(error).replace("2", r"\d")):
        pages.blocks(f"{comment}\n```sh\na\n```\n")


def test_a_comment_changes_the_block_after_it():
    text = '<!-- test: first `touch x` -->\n<!-- test: `100` is `2` -->\n```python title="a.py"\nf(100)\n```\n'
    (block,) = pages.blocks(text)
    assert (block.line, block.language, block.title, block.first) == (4, "python", "a.py", ["touch x"])
    assert (block.text, block.tested) == ("f(100)\n", "f(2)\n")


@pytest.mark.parametrize("page", NAMES)
def test_commands_stand_in_blocks_that_are_run(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.findall(r"(?m)^    (?:\.venv/bin/)?ludarium .*", text) == []
    assert [block.line for block in pages.blocks(text) if block.language == "" and "ludarium train" in block.text] == []


LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)")


@pytest.mark.parametrize("page", NAMES)
def test_links_lead_somewhere(page):
    """To files of the repository and to headings of pages."""
    path = ROOT / page
    wrong = []
    for file, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        target = (path.parent / file).resolve() if file else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(f"{file}#{anchor}")
    assert wrong == []


def anchors(page):
    """The anchors of a page's headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8")))
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in plain}


@pytest.mark.parametrize("page", [name for name in NAMES if not name.startswith("docs/results/")])
def test_a_page_is_read_in_one_sitting(page):
    words = len(re.sub(r"<!--.*?-->", "", (ROOT / page).read_text(encoding="utf-8")).split())
    assert words <= WORDS, f"{words} words: split the page by subject; tables of figures belong into docs/results"
