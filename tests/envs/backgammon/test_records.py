"""Match files: what the reader must understand, what it must report, and that no file can do harm."""

import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.backgammon import notation, records
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
    assert (first.whole, second.whole) == (True, False)
    assert second.start.endswith(":0:4:1:5:6 opening")  # the Crawford game
    replay(second)


def test_a_game_of_which_no_turn_is_clean_ends_as_any_other():
    """The space of Japanese texts is read with care."""
    drop = [
        "  1) 31: 8/5\u30006/5                  Doubles => 2",
        "  2)  Drops",
        "                                  Wins 1 point",
    ]
    (record,) = read("\n".join([" 5 point match", " Game 1", " A : 0    B : 0", *drop]))
    assert (record.note, record.result) == ("the match goes on at 0-1", "B wins 1")
    assert replay(record).record.score.tolist() == [0, 1]


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


def test_a_roll_before_a_concession_need_not_be_played():
    (record,) = money(_OPENING, "  2) 65:                           Concedes", "      Wins 1 point")
    assert (record.note, record.result, len(record.script)) == ("B resigned", "A wins 1", 3)
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
        (["  1) 37: 8/7"], "match.txt:4: 37 is not a roll of two dice"),
        (["  1) 71: 8/7"], "match.txt:4: 71 is not a roll of two dice"),
        (["  1) 31: 8/3"], "match.txt:4: '8/3' is not a legal play here: XGID="),
        (["  1) 31:", _OPENING], "match.txt:4: 'a pass' is not a legal play here: XGID="),
        (["  1) 31: 8/5/6"], "match.txt:4: '8/5/6' does not move forward"),
        (["  1) 31: Illegal play (0;1;)"], "match.txt:4: the file itself says that this play was illegal"),
        # what looks like a roll in the dump of a position is none, and does not move the cell to the left
        ([_OPENING, "  2) 65: 24/13", f"  3){' ' * 30}54: Illegal play (31: 2)"], "match.txt:6: the file itself says"),
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


def test_the_most_that_is_read():
    """Points of a match, characters of a line, and repairs of a game."""
    (record,) = money(*[_OPENING] * 1001)  # a thousand times too often
    assert len(record.repairs) == 1000
    with pytest.raises(RecordError, match=r"^match.txt:2: more than 1000 lines of this game are damaged"):
        money(*[_OPENING] * 1002)
    (record,) = money(_OPENING, "; " + 9_998 * "x")
    assert len(record.actions) == 3
    with pytest.raises(RecordError, match=r"txt:5: a line of a match file has at most 10000 characters, not 10001"):
        money(_OPENING, "; " + 9_999 * "x")
    (record,) = read(" 25 point match\n Game 1\n A : 0    B : 24\n" + _OPENING)
    assert record.game.options["match_length"] == 25
    with pytest.raises(RecordError, match=r"at most can be read, not to 26"):
        read(" 26 point match\n Game 1\n")


def test_a_cell_alone_is_in_the_right_column_from_the_20th_character_on():
    for lines, seat in [
        ([f"  1){' ' * 15}31: 8/5 6/5"], 0),
        ([f"  1){' ' * 16}31: 8/5 6/5"], 1),
        ([f"  1){' ' * 15}31: 8/5! 6/5"], 0),
        ([f"  1){' ' * 16}31: 8/5! 6/5"], 1),
        (["  1)", "31: 8/5 6/5"], 1),  # what is below a number alone
    ]:
        (record,) = money(*lines)
        assert notation.outcome_roll(record.script[0])[seat] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "match.txt:2: expected 'name : score  name : score' below 'Game'"),
        (" nobody\n", "match.txt:3: expected 'name : score  name : score' below 'Game'"),
        (" A : 7    B : 0\n", "match.txt:3: the match to 7 points is over at 7-0"),
        (" A : 1234    B : 0\n", "match.txt:3: the match to 7 points is over at 1234-0"),
        (" A : 12345    B : 0\n", "match.txt:3: expected 'name : score  name : score' below 'Game'"),
        (" A : 0    B : 12345\n", "match.txt:3: expected 'name : score  name : score' below 'Game'"),
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
    titles_twice = re.sub(r"( Game .*\n)", r"\1\1", text)
    for one in (text, titles_twice):
        two = read(one + "\n" + one)  # two matches in one file
        assert [isinstance(record, RecordError) for record in two] == [False] * 4
    again = _TWO_GAMES.format(0, 1).replace(
        " Game 2", " 5 point match\n Game 2"
    )  # the same match, with its length again
    assert str(read(again)[0]).startswith("match.txt:6: A won 1 at 0-0, but the next game (line 9) starts at 0-1")
    assert not any(isinstance(record, RecordError) for record in read(text + "\n" + text.replace("5 p", "7 p")))
    assert not any(
        isinstance(record, RecordError) for record in read(_TWO_GAMES.replace("Game 2", "Game 3").format(0, 3))
    )


def test_a_game_of_its_title_alone_is_an_error():
    problem, record = read(" 5 point match\n Game 1\n Game 2\n A : 0    B : 0\n" + _OPENING)
    assert str(problem) == "match.txt:2: expected 'name : score  name : score' below 'Game'"
    assert record.line == 3


@pytest.mark.parametrize(
    ("score", "after", "winner"),
    [
        ("A : 0    B : 2", "", "B, with which the match ends"),
        ("A : 2    B : 1", "", "A, with which the match ends"),
        ("A : 2    B : 2", "", "A, the first player, for lack of a better sign"),
        ("A : 0    B : 1", "", "A, the first player, for lack of a better sign"),
        ("A : 0    B : 0", f"\n Game 2\n A : 0    B : 1\n{_OPENING}", "B, by the next score"),
        # the file goes on with a game that need not be the next
        ("A : 0    B : 2", f"\n Game 3\n A : 0    B : 0\n{_OPENING}", "A, the first player, for lack of a better sign"),
    ],
)
def test_the_winner_where_the_columns_are_lost(score, after, winner):
    record, *_ = read(f" 3 point match\n Game 1\n {score}\n{_OPENING}\nWins 1 point{after}")
    assert record.repairs == (f"line 5: the columns are lost; the winner is {winner}",)


@pytest.mark.parametrize("score", ["A : 0    B : 0", "A : 1    B : 1"])
def test_a_next_score_that_names_no_winner_says_nothing(score):
    first, _ = read(f" 3 point match\n Game 1\n A : 0    B : 0\n{_OPENING}\n Game 2\n {score}\n{_OPENING}")
    assert (first.note, first.result) == ("the record stops after 3 moves", "")


def test_a_resignation_in_the_wrong_column_is_an_error():
    text = _TWO_GAMES.format(0, 1).replace(_DROP, "      Wins 1 point", 1)
    assert str(read(text)[0]).startswith("match.txt:5: A won 1 at 0-0, but the next game")


def test_a_line_without_a_number_goes_on_only_where_a_cell_is_missing():
    (record,) = money(_OPENING, "     65: 24/13")
    assert record.repairs == ("line 5: the line has no number",)
    (record,) = money("  1) 31: 8/5 6/5", "     65: 24/13")
    assert record.repairs == ("line 5: a line of moves is broken in two",)
    assert len(record.script) == 2
    (record,) = money("  1) 31: 8/5 6/5".ljust(500), "     65: 24/13")  # longer lines are not put together
    assert len(record.script) == 2
    (problem,) = money("  1) 31: 8/5 6/5".ljust(501), "     65: 24/13")
    assert str(problem) == "match.txt:5: A rolls, but it is the other side's turn"


def test_two_lines_show_whose_the_opening_roll_is():
    (record,) = money("1) 31: 8/5 6/5", "2) 65: 24/13 66: 24/18(2) 13/7(2)")
    assert record.repairs == ("line 4: the columns are lost; this roll is the right player's",)
    assert len(record.script) == 3
    (record,) = money("1)\t\t\t31: 8/5 6/5", "2) 65: 24/13 66: 24/18(2) 13/7(2)")  # the tabs show it already
    assert record.repairs == ()


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


@pytest.mark.parametrize("cell", ["00: ????", "00:"])
def test_an_unrecorded_last_roll(cell):
    (record,) = money(_OPENING, f"  2) {cell}", "                                  Wins 2 points")
    assert record.note == "the last roll is not recorded"
    replay(record)


_LAST = "-B" + 16 * "-" + "o" + 7 * "-"  # white bears off two checkers, and wins a gammon


@pytest.mark.parametrize(
    ("before", "cube", "turn", "shown"),
    [
        ([], "", "  3) 21: 1/0 1/0", "0:0:1"),
        (["  2)  Doubles => 2                Takes"], "", "  3) 21: 1/0 1/0", "1:-1:1"),
        (["  2) 21: 13/11 6/5                 Doubles => 2", "  3)  Takes"], "", "  4) 21: 1/0 1/0", "1:1:1"),
        ([], "/2", "  3) 21: 1/0 1/0", "2:0:1"),
        ([], "", "  3)                                21: 7/5 7/6", "0:0:-1"),
    ],
)
def test_a_position_that_is_set_keeps_the_cube_unless_it_says_so(before, cube, turn, shown):
    (record,) = money(_OPENING, *before, f"; Set Pos={_LAST}{cube}", turn)
    assert record.start == f"XGID={_LAST}:{shown}:00:0:0:0:0:6"
    assert len(record.script) == 1  # of what came before it nothing is left
    replay(record)


@pytest.mark.parametrize("cube", ["", "/0"])
def test_a_position_that_is_set_where_the_game_is_anyway_changes_nothing(cube):
    (record,) = money(_OPENING, f"; Set Pos=-b---BD-B---eE---b-d-b--B-{cube}", "  2) 65: 24/13")
    assert (record.start, record.repairs, len(record.script)) == (None, (), 3)
    assert replay(record).text.startswith("XGID=-b---BD-B---eF---b-d-b--A-:")


def test_a_position_that_is_set_keeps_the_score_and_the_crawford_game():
    head = " 5 point match\n Game 1\n A : 4    B : 2\n"
    (record,) = read(f"{head}; Set Pos={_LAST}\n  1) 21: 1/0 1/0\n      Wins 1 point\n")
    assert record.start == f"XGID={_LAST}:0:0:1:00:4:2:1:5:6"
    assert replay(record).record.score.tolist() == [5, 2]


@pytest.mark.parametrize(
    ("score", "points", "note"),
    [
        *((3, points, "") for points in (4, 2, 5)),  # its points, those that were needed, or all
        (3, 3, "match.txt:6: the result line says 3 points, but the game was won with 4"),
        (0, 4, "the match goes on at 4-0"),
        (0, 5, "match.txt:6: the result line says 5 points, but the game was won with 4"),
    ],
)
def test_the_points_of_the_last_game_of_a_match(score, points, note):
    head = f" 5 point match\n Game 1\n A : {score}    B : 0\n; Set Pos={_LAST}/1\n  1) 21: 1/0 1/0\n"
    (record,) = read(f"{head}      Wins {points} points\n")
    assert (str(record) if isinstance(record, RecordError) else record.note) == note


@pytest.mark.parametrize(
    ("length", "score", "points", "cube", "possible"),
    [
        (0, 0, 6, 2, True),
        (0, 0, 3, 2, False),
        (5, 0, 4, 1, False),
        (5, 0, 5, 1, True),  # surplus points that were not cut
        (7, 1, 1, 2, True),  # or that were
        (8, 1, 1, 2, False),
    ],
)
def test_the_points_that_can_be_resigned(length, score, points, cube, possible):
    double = "  2)  Doubles => 2                Takes\n" if cube == 2 else ""
    head = f" {length} point match\n Game 1\n A : {score}    B : 0\n{_OPENING}\n{double}"
    (record,) = read(f"{head}      Wins {points} points\n")
    if possible:
        assert (record.note, record.result) == ("B resigned", f"A wins {points}")
    else:
        assert str(record).endswith(f": a side cannot resign {points} points with the cube at {cube}")


@pytest.mark.parametrize("length_again", ["", " 3 point match\n"])
def test_one_game_of_each_match_is_the_crawford_game(length_again):
    games = [((0, 0), "      Wins 2 points"), ((2, 0), " " * 34 + "Wins 1 point"), ((2, 1), "      Wins 1 point")]
    texts = [
        f" Game {number}\n A : {a}    B : {b}\n{_OPENING}\n{end}\n" for number, ((a, b), end) in enumerate(games, 1)
    ]
    match = f" 3 point match\n{length_again.join(texts)}"
    assert [record.start.split(":")[7] for record in read(match + match)] == ["0", "1", "0"] * 2


@pytest.mark.parametrize("before", ["", f" Game 1\n{_OPENING}\n"])
def test_the_first_game_at_match_point_that_can_be_read_is_the_crawford_game(before):
    text = f" 2 point match\n{before} Game 2\n A : 1    B : 0\n{_OPENING}\n      Wins 1 point\n"
    *problems, record = read(text)
    assert record.start.endswith(":1:0:1:2:6 opening")
    missing = "match.txt:3: expected 'name : score  name : score' below 'Game'"
    assert list(map(str, problems)) == ([missing] if before else [])


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
            games = read(content)
        except RecordError:
            continue
        for record in games:
            if not isinstance(record, RecordError):
                replay(record)
