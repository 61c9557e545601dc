"""What the command says of trained agents."""

import sys

import pytest

from ludarium.evaluation import cli


def test_agents_tells_of_all_that_training_makes(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ludarium", "agents"])
    with pytest.raises(SystemExit):
        cli.main()
    out = capsys.readouterr().out
    for spec in ("sb3:PATH", "tabular-q:FOLDER", "td:FOLDER", "ifthen:FOLDER", "gaia:FOLDER"):
        assert spec in out
