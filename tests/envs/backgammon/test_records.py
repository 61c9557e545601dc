"""Match files: what the reader must understand, what it must report, and that no file can do harm."""

import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.backgammon import records
from ludarium.envs.record_files import read_records
from ludarium.envs.records import RecordError, replay

_DATA = Path(__file__).parent / "data"
_MATCH = (_DATA / "match.mat").read_text()


def read(text):
    return list(records.read_match(text, "match.txt"))


def money(*lines):
    return read("\n".join([" 0 point match", " Game 1", " A : 0    B : 0", *lines]))


_OPENING = "  1) 31: 8/5 6/5                 42: 8/4 6/4"


def test_a_double_and_a_drop():
    (record,) = money(_OPENING, "  2)  Doubles => 2                Drops", "      Wins 1 point")
    assert record.payoffs == (1, -1)
    assert record.note == ""
    assert record.start is None
    assert record.seats == ("A", "B")
    assert record.result == "A wins 1"
    assert replay(record).over


def test_games_without_a_match_length_are_money_games():
    """The very example that the authors of Gengammon print."""
    (record,) = read((_DATA / "gengammon.txt").read_text())
    assert record.repairs == ("there is no line such as '7 point match' (0 for money); these are read as money games",)
    assert (record.seats, record.payoffs, len(record.script)) == (("michy", "Thomas Low"), (-1, 1), 10)
    assert replay(record).over


def test_a_match_goes_on():
    first, second = read(
        " 5 point match\n Game 1\n A : 0    B : 2\n" + _OPENING + "\n  2)  Doubles => 2                Takes\n"
        "  3) 21: 13/10                    Doubles => 4\n  4) Drops\n      Wins 2 points\n"
        " Game 2\n A : 0    B : 4\n  1)                             31: 8/5 6/5\n"
        "  2) 66: 24/18(2) 13/7(2)\n      Wins 3 points\n"
    )
    assert first.note == "the match goes on at 0-4"
    assert first.start.startswith("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:2:0:5:6 opening")
    assert first.payoffs is None
    position = replay(first)
    assert list(position.record.score) == [0, 4]
    assert second.note == "B resigned"
    assert second.start.endswith(":0:4:1:5:6 opening")  # the Crawford game
    replay(second)


def test_every_spelling():
    (record,) = money(
        "; a comment",
        "  1)                             31: 6/5 8/5",
        "  2) 11: 6/5 8/7 6/5 8/7           52: 13/8, 13/11",
        "  3) 64: 24/14*                    62: Bar/23 13/7",
        "  4) 21: 8/6 7/6                   41: 13/12 12/8",
        "      Wins 2 point",
    )
    assert record.note == "B resigned"
    assert len(record.script) == 7
    replay(record)


def test_unrecorded_last_plays():
    for cell in ("????", "???", ""):
        (record,) = money(_OPENING, f"  2) 65: {cell}", "                                  Wins 2 points")
        assert record.note == "the last play is not recorded"
        assert record.result == "B wins 2"
        replay(record)


def test_concessions():
    (record,) = money(_OPENING, "  2) 65: 24/13                     Concedes", "      Wins 1 point")
    assert record.note == "B resigned"
    replay(record)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "latin-1"])
def test_encodings(encoding):
    name = {"cp932": "望月", "latin-1": "Löwé"}.get(encoding, "望 é")
    end = "  2)  Doubles => 2                Drops\r\n      Wins 1 point\r\n"
    text = f" 0 point match\r\n Game 1\r\n {name} : 0    B : 0\r\n{_OPENING}\r\n{end}"
    (record,) = read(text.encode(encoding))
    assert record.payoffs == (1, -1)
    if encoding != "latin-1":
        assert record.seats[0] == name


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["  1) 11: 8/7(2) 6/5(2)"], "match.txt:4: the opening roll cannot be the tie 11"),
        (["  1) 00: 8/7"], "match.txt:4: 00 is not a roll of two dice"),
        (["  1) 31: 8/3"], "match.txt:4: '8/3' is not a legal play here: XGID="),
        (["  1) 31:", _OPENING], "match.txt:4: 'a pass' is not a legal play here: XGID="),
        (["  1) 31: 8/5/6"], "match.txt:4: '8/5/6' does not move forward"),
        (["  1) 31: Illegal play (0;1;)"], "match.txt:4: the file itself says that this play was illegal"),
        ([_OPENING, "  2)  Doubles => 4"], "match.txt:5: a double turns the cube to 2, not to 4"),
        ([_OPENING, "  2)                               Doubles => 2"], "match.txt:5: B doubles, but the"),
        ([_OPENING, "  2)  Takes"], "match.txt:5: 'Takes' is not allowed here: XGID="),
        ([_OPENING, "  2)                               65: 24/13"], "match.txt:5: B rolls, but it is"),
        ([_OPENING, "  2)  Doubles => 2", "  3)  65: 24/13"], "match.txt:6: no roll is expected here: XGID="),
        ([_OPENING, "      Wins 7 points"], "match.txt:5: a side cannot resign 7 points with the cube at 1"),
        ([_OPENING, "  2)  Doubles => 2                Drops", "  Wins 2 points"], "match.txt:6: the result line"),
        ([_OPENING, "  2) 65: ????", "  3)     65: 24/13", "  Wins 1 point"], "match.txt:6: the game goes on"),
    ],
)  # fmt: skip
def test_games_that_break_the_rules(lines, message):
    (problem,) = money(*lines)
    assert isinstance(problem, RecordError)
    assert str(problem).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "match.txt: there is no line such as '7 point match'"),
        ("Game 1\nfoul", "match.txt: there is no line such as '7 point match'"),
        (" 99 point match\n Game 1\n", "match.txt: matches to 25 points at most can be read, not to 99"),
        (" 7 point match\n", "match.txt: there is no line such as 'Game 1'"),
    ],
)
def test_files_that_are_no_match_files(text, message):
    with pytest.raises(RecordError, match="^" + re.escape(message)):
        read(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "match.txt:2: expected 'name : score  name : score' below 'Game'"),
        (" nobody\n", "match.txt:3: expected 'name : score  name : score' below 'Game'"),
        (" A : 7    B : 0\n", "match.txt:3: the match to 7 points is over at 7-0"),
    ],
)
def test_games_without_players(text, message):
    (problem,) = read(" 7 point match\n Game 1\n" + text)
    assert str(problem).startswith(message)


_DROP = "  2)  Doubles => 2                Drops\n      Wins 1 point"
_TWO_GAMES = " 5 point match\n Game 1\n A : 0    B : 0\n" + _OPENING + "\n" + _DROP + "\n Game 2\n A : {}    B : {}\n"
_TWO_GAMES += _OPENING + "\n" + _DROP


@pytest.mark.parametrize("score", [(0, 1), (0, 4), (2, 0), (1, 1), (0, 0)])
def test_the_next_score_contradicts_the_result(score):
    first, _ = read(_TWO_GAMES.format(*score))
    shown = "-".join(map(str, score))
    assert str(first) == f"match.txt:6: A won 1 at 0-0, but the next game (line 8) starts at {shown}"


def test_scores_are_compared_within_a_match_only():
    text = _TWO_GAMES.format(1, 0)
    assert not any(isinstance(record, RecordError) for record in read(text))
    two = read(text + "\n" + text)  # two matches in one file
    assert [isinstance(record, RecordError) for record in two] == [False] * 4
    again = _TWO_GAMES.format(0, 1).replace(
        " Game 2", " 5 point match\n Game 2"
    )  # the same match, with its length again
    assert str(read(again)[0]).startswith("match.txt:6: A won 1 at 0-0, but the next game (line 9) starts at 0-1")
    assert not any(isinstance(record, RecordError) for record in read(text + "\n" + text.replace("5 p", "7 p")))
    assert not any(
        isinstance(record, RecordError) for record in read(_TWO_GAMES.replace("Game 2", "Game 3").format(0, 3))
    )


def test_a_resignation_in_the_wrong_column_is_an_error():
    text = _TWO_GAMES.format(0, 1).replace(_DROP, "      Wins 1 point", 1)
    assert str(read(text)[0]).startswith("match.txt:5: A won 1 at 0-0, but the next game")


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
    "control characters": (lambda text: text.replace(" Game", "\x0c Game") + "\x1a\0", ""),
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
    found = read(damage(_GAME))
    for record, original in zip(found, expected, strict=True):
        replay(record)
        assert (record.actions, record.script, record.start) == (original.actions, original.script, original.start)
    assert next((repair for record in found for repair in record.repairs), "") == said


def test_a_move_to_nowhere_ends_a_game():
    board = "-B" + 22 * "-" + "b-"
    text = f" 5 point match\n Game 1\n A : 0    B : 0\n; Set Pos={board}/1\n  1) 21: 1/0 1/0 0/0\n      Wins 2 points\n"
    (record,) = read(text)
    replay(record)
    assert record.note == "the match goes on at 2-0"
    assert record.repairs == (
        "line 5: '1/0 1/0 0/0' is read as '1/0 1/0'",
        "line 4: the game is read from the position that is set here",
    )


def test_files_that_end_early():
    whole = _GAME.partition(" Game 2")[0]
    for cut in range(whole.index("66:"), whole.index("Wins")):
        (record,) = read(whole[:cut])
        replay(record)
        assert re.fullmatch(r"the record stops after \d+ moves|the last play is not recorded", record.note)
        assert record.result == ""


def test_an_unrecorded_last_roll():
    (record,) = money(_OPENING, "  2) 00: ????", "                                  Wins 2 points")
    assert record.note == "the last roll is not recorded"
    replay(record)


def test_other_games_of_a_file_are_read():
    good = _OPENING + "\n  2)  Doubles => 2                Drops\n      Wins 1 point\n"
    text = " 7 point match\n Game 1\n A : 0    B : 0\n  1) 31: 8/3\n Game 2\n A : 1    B : 0\n" + good
    problem, record = read(text)
    assert str(problem).startswith("match.txt:4: '8/3' is not a legal play")
    assert record.line == 5


def test_a_whole_file(tmp_path):
    path = tmp_path / "match.txt"
    path.write_text(_MATCH, encoding="utf-8")
    first, second = read_records(path)
    assert first.note == "the last play is not recorded"
    assert first.line == 6
    assert second.note == "the last play is not recorded"
    assert second.start.endswith(":4:0:1:5:6 opening")
    for record in (first, second):
        replay(record)


@pytest.fixture(scope="module")
def real_files(shared_data):
    """Every ninth of the real match files: name and content."""
    with tarfile.open(shared_data / "backgammon" / "matches.tar.xz") as archive:
        files = sorted((item for item in archive if item.isfile()), key=lambda item: item.name)
        return [(item.name, archive.extractfile(item).read()) for item in files[::9]]


def test_real_matches(real_files):
    clean, problems = 0, []
    for name, data in real_files:
        for record in records.read_match(data, name):
            if isinstance(record, RecordError):
                problems.append(record)
            else:
                replay(record)
                clean += 1
    assert clean + len(problems) > 800
    assert clean >= 0.97 * (clean + len(problems))
    assert all(problem.line > 0 and problem.reason for problem in problems)


_LINES = [
    *_MATCH.splitlines(),
    " 0 point match",
    "  7) Takes",
    "  8) 66: 24/18(4)   Doubles => 2",
    " Wins 3 points",
    " Game 9",
]


@given(st.lists(st.sampled_from(_LINES) | st.text(max_size=40), max_size=25), st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_file_breaks_the_reader(lines, junk):
    text = "\n".join(lines)
    spliced = _MATCH.encode()[: len(text)] + junk + _MATCH.encode()[len(text) :]
    for content in (text, " 5 point match\n Game 1\n A : 0  B : 3\n" + text, spliced, junk):
        try:
            found = read(content)
        except RecordError:
            continue
        for record in found:
            if not isinstance(record, RecordError):
                replay(record)
