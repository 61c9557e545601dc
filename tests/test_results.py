"""Results pages show what is kept as JSON, and nothing else is read."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module


def test_every_page_is_what_its_study_says(load):
    results = load("results")
    written = [file for file in results.PAGES.glob("*.md") if "by `python benchmarks/results.py`" in file.read_text()]
    assert {file.stem for file in written} == set(results.names())
    for name in results.names():
        assert (results.PAGES / f"{name}.md").read_text(encoding="utf-8") == results.page(name)


def test_the_page_about_evolution_follows_from_the_studies(load):
    evolution = load("evolution")
    text = (ROOT / evolution.PAGE).read_text(encoding="utf-8")
    assert text == evolution.page([(row, row.figures()) for row in evolution.ROWS])


def test_a_study_replaces_the_parts_that_were_run(load, monkeypatch, tmp_path, capsys):
    results = load("results")
    monkeypatch.setattr(results, "KEPT", tmp_path)
    first = [results.Table(part, "", ["a"], [["1"]]) for part in ("twins", "greedy", "curves")]
    results.write("one", "Results", first)
    study = results.Study("one")
    study.table("greedy", "Anew.", "a", "b").row(2, "x")
    study.table("late", "", "c").row(3)
    study.keep()
    title, tables = results.read("one")
    assert title == "Results"
    parts = {table.part: table.rows for table in tables}
    assert list(parts.items()) == [("twins", [["1"]]), ("greedy", [["2", "x"]]), ("curves", [["1"]]), ("late", [["3"]])]
    assert capsys.readouterr().out == "\nAnew.\n\n| a | b |\n|---|---|\n| 2 | x |\n\n| c |\n|---|\n| 3 |\n"
