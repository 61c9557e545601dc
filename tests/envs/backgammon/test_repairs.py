"""Damage to match files that the reader repairs, and says so, and files that end early."""

import re

import pytest

from ludarium.envs.backgammon import records
from ludarium.envs.records import replay


def read(text):
    return list(records.read_match(text, "match.txt"))


_GAME = """\
 5 point match

 Game 1
 Ada : 0                         Blaise : 0
  1)                             31: 8/5 6/5
  2) 65: 24/13                   66: 24/18(2) 13/7(2)
  3)  Doubles => 2                Takes
  4) 21: 13/10                   43: 13/9 13/10
      Wins 2 points

 Game 2
 Ada : 2                         Blaise : 0
  1) 41: 24/23 13/9              65: 24/13
  2) 31: 8/5 6/5                 52: ????
                                  Wins 1 point
"""
_BROKEN = "a line of moves is broken in two"
_COLUMNS = "line 5: the columns are lost; this roll is the right player's"
_HARMLESS = {  # what is done to the file, and what the reader says about it; nothing where nothing had to be repaired
    "blank lines": (lambda text: text.replace("\n", "\n\n\n"), ""),
    "spaces and tabs at the ends": (lambda text: text.replace("\n", "  \t\n"), ""),
    "another system's lines": (lambda text: text.replace("\n", "\r\n"), ""),
    "an old system's lines": (lambda text: text.replace("\n", "\r"), ""),
    "a mark at the beginning": (lambda text: text.encode("utf-8-sig"), ""),
    "UTF-16": (lambda text: text.encode("utf-16"), ""),
    "cp1252": (lambda text: text.replace("Blaise", "“Løwy”").encode("cp1252"), ""),
    "no last line end": (lambda text: text.rstrip(), ""),
    "control characters": (lambda text: text.replace(" Game", "\x08\x0c\x0e\x7f Game") + "\x1a\0", ""),
    "hard spaces": (lambda text: text.replace(" ", "\u00a0"), ""),
    "capitals": (str.upper, ""),
    "small letters": (str.lower, ""),
    "comments": (lambda text: text.replace("\n", " ; good\n# 31: 8/5\n; [x]\n"), ""),
    "another style": (lambda text: text.replace(")  D", ". D").replace("=>", "to").replace("65:", "6-5 :"), ""),
    "headers twice": (lambda text: re.sub(r"(.* : .*\n)", r"\1\1", text), ""),
    "the length at every game": (lambda text: text.replace(" Game", " 5 point match\n Game"), ""),
    "titles twice": (lambda text: re.sub(r"( Game .*\n)", r"\1\1", text), "line 4: the game's title is there twice"),
    "players' lines broken": (
        lambda text: text.replace(": 0   ", ": 0\n"),
        "line 4: the players' line is broken in two",
    ),
    "no second header": (
        lambda text: text.replace(" Ada : 2                         Blaise : 0\n", ""),
        "line 12: players and score are missing; after the game before it is 2-0",
    ),
    "lines broken": (
        lambda text: re.sub(r" {3,}(\d\d:)", r"\n   \1", text),
        f"line 6: {_BROKEN}",
    ),
    "plays broken": (lambda text: text.replace(" 13/7(", "\n 13/7("), f"line 7: {_BROKEN}"),
    "lines twice": (lambda text: re.sub(r"(.*\d\).*\n)", r"\1\1", text), "line 6: the line is there twice"),
    "no numbers": (lambda text: re.sub(r"(?m)^  \d\)", "    ", text), "line 5: the line has no number"),
    "one space": (
        lambda text: re.sub(" +", " ", text),
        _COLUMNS,
    ),
    "one space, and marks": (lambda text: re.sub(" +", " ", text.replace("24/13", "24/13!")), _COLUMNS),
    "a result at the margin": (
        lambda text: text.replace("      Wins 2", "Wins 2"),
        "line 9: the columns are lost; the winner is Ada, by the next score",
    ),
    "tabs for spaces": (
        lambda text: re.sub(r"(?<=\S) {3,}", "\t", text),
        _COLUMNS,
    ),
    "a move to nowhere": (lambda text: text.replace("24/13", "24/13 0/0"), "line 6: '24/13 0/0' is read as '24/13'"),
    "marks": (lambda text: text.replace("24/13", "24/13?!"), "line 6: '24/13?!' is read as '24/13'"),
    "figures": (lambda text: text.replace("24/13", "24/13 (-0.25)"), "line 6: '24/13 (-0.25)' is read as '24/13'"),
    "no value of the cube": (
        lambda text: text.replace("=> 2", ""),
        "line 7: the cube's value is missing; a double turns it to 2",
    ),
    "no results": (
        lambda text: re.sub("Wins.*", "", text),
        "line 10: there is no line such as 'Wins 1 point'; by the next score Ada wins 2",
    ),
}


@pytest.mark.parametrize(("damage", "said"), _HARMLESS.values(), ids=_HARMLESS)
def test_harmless_damage(damage, said):
    expected = read(_GAME)
    games = read(damage(_GAME))
    for record, original in zip(games, expected, strict=True):
        replay(record)
        assert (record.actions, record.script, record.start) == (original.actions, original.script, original.start)
    assert next((repair for record in games for repair in record.repairs), "") == said


def test_files_that_end_early():
    whole = _GAME.partition(" Game 2")[0]
    for cut in range(whole.index("66:"), whole.index("Wins")):
        (record,) = read(whole[:cut])
        replay(record)
        assert re.fullmatch(r"the record stops after \d+ moves|the last play is not recorded", record.note)
        assert record.result == ""
