"""Tic-tac-toe's minimal tactical rules, and the rules that contain one."""

import pytest

from ludarium.agents.genetic.gaia.tactical_rules import meaning, tactical_rules
from ludarium.envs.registry import make_game


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


FORK = "makes a fork: threatens the "


@pytest.mark.parametrize(
    ("senses", "action", "expected"),
    [
        ("PPV******", 2, "1 wins: completes the row a1 b1 c1"),
        ("PP*******", 2, "1 wins: completes the row a1 b1 c1"),
        ("PPVC*CV**", 2, "1 wins: completes the row a1 b1 c1"),
        ("PPV**P**P", 2, "1 wins by a fork: completes the row a1 b1 c1 and the column c1 c2 c3"),
        ("CCVP*****", 2, "2 blocks the row a1 b1 c1"),
        ("CCV**C**C", 2, "2 blocks the row a1 b1 c1"),
        ("CCV**P**P", 2, "1 wins: completes the column c1 c2 c3"),  # it does both: winning comes first
        ("PPV***V**", 6, "0 "),  # another square
        ("PCV******", 2, "0 "),
        ("PV*****V*", 8, "0 "),
        ("PVV**V**P", 2, f"3 {FORK}row a1 b1 c1 and the column c1 c2 c3"),
        ("P*V**V**P", 2, "0 "),  # b1 may be taken
        ("P*****V*P", 6, "0 "),
        ("*V**P*V**", 1, "0 "),  # one threat
        ("VVP*CPCV*", 0, "0 "),
        ("P*VV*CV*C", 8, "0 "),
        ("CC*V*PVVP", 2, "1 wins: completes the column c1 c2 c3"),
        ("CCVVP*V*P", 2, "2 blocks the row a1 b1 c1"),
        ("CCVVPV*VP", 2, "2 blocks the row a1 b1 c1"),
        ("CCV*PVV*P", 2, f"2 blocks the row a1 b1 c1; {FORK}column c1 c2 c3 and the diagonal c1 b2 a3"),
    ],
)
def test_what_a_rule_means(senses, action, expected, rules):
    does, means = meaning(make_game("tictactoe"), rules((senses, action))[0])
    assert f"{does} {'; '.join(means)}" == expected


def test_two_lines_through_one_hole_are_one_threat(rules):
    game = make_game("tictactoe?rows=1&columns=5&line=3")
    assert meaning(game, rules(("P*VP*", 1))[0]) == (0, [])
    assert meaning(game, rules(("VP*PV", 2))[0]) == (1, ["wins: completes the row b1 c1 d1"])
    assert meaning(game, rules(("V*P*V", 1))[0]) == (0, [])
    assert meaning(game, rules(("V*PV*", 1))[0])[1] == ["makes a fork: threatens the row a1 b1 c1 and the row b1 c1 d1"]


def test_they_are_known_for_tic_tac_toe_only():
    with pytest.raises(ValueError, match="hexapawn: tactical rules are known for tictactoe only"):
        tactical_rules(make_game("hexapawn"))
