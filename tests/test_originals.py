"""The record of the originals: its page shows its table, and what it names exists."""

import importlib
import inspect
import shlex
from pathlib import Path

import pytest
import typer

from ludarium.agents.learning.registry import learner_presets
from ludarium.envs.registry import parse_value
from ludarium.evaluation.cli import app

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def originals(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("originals")


@pytest.fixture
def rows(originals):
    """Each row with its document."""
    return [(document, row) for document in originals.read() for part in document.parts.values() for row in part]


def test_the_page_is_what_the_table_says(originals):
    assert originals.PAGE.read_text(encoding="utf-8") == originals.page()


def test_every_mechanism_has_a_place_or_a_reason(rows):
    assert [row.says for _, row in rows if bool(row.files) == bool(row.left_out)] == []
    missing = [path for document, row in rows for path in map(document.path, row.files) if not (ROOT / path).is_file()]
    assert missing == []


def test_what_chooses_a_mechanism_exists(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    for document, row in rows:
        for choice in row.by:
            words = shlex.split(choice)
            if words[0] == "ludarium":
                parse(words[1:])
            elif words[0] == "python":
                check_benchmark(*words[1:])
            elif ":RUN?" in choice:
                check_agent(choice)
            else:
                check_options(document, words)


def parse(words):
    """Refuse a command line that the command would not take."""
    group = typer.main.get_command(app)
    with group.make_context("ludarium", list(words), resilient_parsing=False) as context:
        name, command, rest = group.resolve_command(context, list(words))
        while hasattr(command, "commands"):
            name, command, rest = command.resolve_command(context, rest)
        command.make_context(name, rest, parent=context).close()


def check_benchmark(file, *options):
    text = (ROOT / file).read_text(encoding="utf-8")
    if options:
        option, part = options
        assert option == "--part"
        assert f"--part {part}`" in text, (file, part)


def check_agent(spec):
    name, _, options = spec.partition(":RUN?")
    known = inspect.signature(learner_presets(name).player).parameters
    assert options.partition("=")[0] in known, spec


def check_options(document, words):
    """Refuse options that the preset, by default `seed`, does not have, or values that it does not take."""
    presets = learner_presets(document.learner)
    preset = words.pop(0) if words[0] in presets.names else "seed"
    options = {name: parse_value(value) for name, _, value in (word.partition("=") for word in words)}
    presets.learner({"game": document.game, **options}, preset)
