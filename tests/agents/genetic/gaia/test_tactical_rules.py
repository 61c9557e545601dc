"""Tic-tac-toe's minimal tactical rules, and the rules that contain one."""

import numpy as np
import pytest

from ludarium.agents.genetic.gaia.patterns import RULE
from ludarium.agents.genetic.gaia.tactical_rules import tactic_of, tactical_rules
from ludarium.envs.registry import make_game


def rule(senses, action):
    sets = [sum(1 << i for i, sense in enumerate(senses) if sense == kind) for kind in "PCV"]
    return np.array((*sets, 0.0, 0, action, 0), dtype=RULE)


@pytest.mark.parametrize(
    ("spec", "lines", "length"), [("tictactoe", 8, 3), ("tictactoe?rows=3&columns=5&line=4", 6, 4)]
)
def test_every_line_has_a_win_and_a_block_for_each_hole(spec, lines, length):
    tactics = tactical_rules(make_game(spec))
    assert len(set(tactics)) == len(tactics) == 2 * lines * length
    assert [tactic.verb for tactic in tactics] == ["wins"] * lines * length + ["blocks"] * lines * length
    assert {(tactic.own | tactic.opponent).bit_count() for tactic in tactics} == {length - 1}
    assert all(tactic.empty == 1 << tactic.action for tactic in tactics)
    if spec == "tictactoe":
        assert [tactic[:4] for tactic in tactics if tactic.line == "diagonal c1 b2 a3"] == [
            (16 + 64, 0, 4, 2), (4 + 64, 0, 16, 4), (4 + 16, 0, 64, 6),
            (0, 16 + 64, 4, 2), (0, 4 + 64, 16, 4), (0, 4 + 16, 64, 6),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("senses", "action", "expected"),
    [
        ("PPV******", 2, "wins row a1 b1 c1"),
        ("PP*******", 2, "wins row a1 b1 c1"),
        ("PPVC*CV**", 2, "wins row a1 b1 c1"),
        ("CCVP*****", 2, "blocks row a1 b1 c1"),
        ("CCV**P**P", 2, "wins column c1 c2 c3"),  # it does both: winning comes first
        ("PPV***V**", 6, None),  # another square
        ("PCV******", 2, None),
    ],
)
def test_a_rule_that_contains_a_tactical_one_does_what_it_does(senses, action, expected):
    found = tactic_of(tactical_rules(make_game("tictactoe")), rule(senses, action))
    assert (found and f"{found.verb} {found.line}") == expected


def test_they_are_known_for_tic_tac_toe_only():
    with pytest.raises(ValueError, match="hexapawn: tactical rules are known for tictactoe only"):
        tactical_rules(make_game("hexapawn"))
