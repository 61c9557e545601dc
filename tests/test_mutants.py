from pathlib import Path

import pytest

from ludarium.envs.source_file import load_source

mutants = load_source(str(Path(__file__).with_name("mutants.py")), "mutants")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a < b", ["a <= b"]),
        ("é is not b", ["é is b"]),
        ("x = a - b", ["x = a + b"]),
        ("x = a and b", ["x = a or b"]),
        ("x = a // 2.5", ["x = a * 2.5", "x = a // 3.5"]),
        ("if a:\n    b.c()", ["if (not (a)):\n    b.c()", "if a:\n    pass"]),
        ('"""A docstring."""\nx: list[3] = y', []),
        ("x[0] += y", ["pass", "x[1] += y"]),
        ("x = y\nraise x", ["x = y\npass"]),
    ],
)
def test_changes(code, expected):
    assert sorted(change.of(code) for change in mutants.changes(code)) == sorted(expected)


def test_the_tests_that_mirror_a_file():
    assert mutants.tests_of("agents/search/mcts.py")[0] == "tests/agents/search/test_mcts.py"
    assert mutants.tests_of("agents/othello/endgame/order.py")[0].startswith("tests/agents/othello/test_")
    assert mutants.tests_of("agents/search/__init__.py")[-1].startswith("tests/agents/search/test_")


def test_the_same_seed_makes_the_same_changes_that_are_code():
    drawn = mutants.drawn("envs/backgammon/", 30, 5)
    assert drawn == mutants.drawn("envs/backgammon/", 30, 5) != mutants.drawn("envs/backgammon/", 30, 6)
    for file, change in drawn:
        compile(change.of((mutants.ROOT / file).read_text()), file, "exec")
