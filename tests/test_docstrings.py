"""The examples in docstrings print what they say."""

import doctest
from importlib import import_module

import pytest

MODULES = {
    "agents.agent": 1,
    "agents.conformance": 1,
    "agents.specs": 3,
    "envs.conformance": 1,
    "envs.game": 2,
    "envs.position": 6,
    "envs.registry": 2,
    "evaluation.ladder.play": 1,
    "evaluation.match": 1,
    "evaluation.play.match": 1,
    "evaluation.tournament.schedule": 1,
    "evaluation.tournament.standings": 1,
}
"""How many functions of each module have examples."""


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name):
    tests = doctest.DocTestFinder(exclude_empty=True).find(import_module(f"ludarium.{name}"))
    with_examples = [test for test in tests if test.examples]
    assert len(with_examples) == MODULES[name]
    for test in with_examples:
        printed = []
        assert doctest.DocTestRunner().run(test, out=printed.append).failed == 0, "".join(printed)
