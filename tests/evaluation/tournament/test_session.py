import sys

from ludarium.evaluation.tournament.session import command_line, machine


def test_the_command_is_told_as_one_would_type_it(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/ludarium", "match", "my bot.py", "caf\udce9"])
    assert command_line() == r"ludarium match 'my bot.py' 'caf\udce9'"


def test_the_machine_names_its_packages_and_their_versions():
    assert set(machine().packages) >= {"ludarium", "numpy", "numba"}
    assert f"numpy {machine().packages['numpy']}" in str(machine())
