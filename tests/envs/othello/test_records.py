"""Recorded games: the three formats, and what is wrong with a file."""

import re
import struct
from pathlib import Path

import pytest

from ludarium.envs.othello import Othello, records
from ludarium.envs.record_files import read_records
from ludarium.envs.records import RecordError, replay

_DATA = Path(__file__).parent / "data"
_WTHOR, _GGF, _TEXT = (_DATA / name for name in ("random.wtb", "random.ggf", "transcripts.txt"))


def error(text):
    return pytest.raises(RecordError, match="^" + re.escape(text))


def wthor(*moves, count=1, size=8, score=32):
    """A database of one game, its moves as bytes."""
    head = struct.pack("<4BIHH4B", 20, 26, 11, 21, count, 0, 2026, size, 0, 0, 0)
    return head + struct.pack("<3H2B60s", 0, 17, 4, score, score, bytes(moves))


def first(reader, content):
    game = next(iter(reader(content, "some.file")))
    if isinstance(game, RecordError):
        raise game
    return game


def test_wthor():
    games = list(read_records(_WTHOR))
    assert [game.line for game in games] == [1, 2, 3, 4]
    assert [game.result for game in games] == ["40-24", "36-28", "64-0", "32-32"]
    assert games[1].seats == ("player 2", "player 3")
    assert 64 in games[1].actions  # the file does not have the passes
    assert games[2].payoffs == (64, -64)
    assert [game.note for game in games] == ["", "", "", "the record stops after 30 moves"]
    ends = [replay(game) for game in games]
    assert "-" in ends[2].text  # black won with squares left: the score counts them
    assert [end.over for end in ends] == [True, True, True, False]


def test_ggf():
    games = list(read_records(_GGF))
    assert [game.line for game in games] == [1, 2, 3, 4]
    assert [game.game.options["size"] for game in games] == [8, 6, 8, 8]
    assert [game.note for game in games] == ["", "", "resigned", ""]
    assert games[0].seats == ("first", "second")
    assert games[0].result == "-32.000"
    assert games[0].start is None
    assert games[2].payoffs == (64, -64)
    assert games[3].start.endswith(" O")
    for game in games:
        assert replay(game).over == (game.note == "")


def test_transcripts():
    games = list(read_records(_TEXT))
    assert [game.line for game in games] == [2, 5, 6, 8]
    assert games[1].actions == games[2].actions  # without and with its passes
    assert [game.note for game in games] == ["", "", "", "the record stops after 5 moves"]
    assert replay(games[0]).payoffs().tolist() == [0, 0]
    small = first(lambda text, file: records.read_transcripts(text, file, Othello(size=4)), "b1 a1")
    assert replay(small).text == "OX---OX--XO----- X"


def test_a_file_may_have_a_byte_order_mark(tmp_path):
    path = tmp_path / "games.txt"
    path.write_bytes(b"\xef\xbb\xbff5d6\n")
    assert len(next(read_records(path)).actions) == 2


def test_an_illegal_move_is_found_by_the_replay():
    game = first(records.read_transcripts, "f5d6a1c3")
    with error("some.file:1: move 3: othello: action 0 (a1) is not legal for black; legal: "):
        replay(game)
    game = first(records.read_wthor, wthor(56, 56))
    with error("some.file:1: move 2: othello: action 37 (f5) is not legal for white; legal: "):
        replay(game)


def test_a_cut_wthor_file_has_an_error_after_its_games():
    assert first(records.read_wthor, wthor(56, 64)).actions == [37, 43]
    assert first(records.read_wthor, wthor(56, 64, size=0)).actions == [37, 43]
    assert list(records.read_wthor(wthor(count=0)[:16], "some.file")) == []
    whole, problem = records.read_wthor(wthor(count=3), "some.file")
    assert not isinstance(whole, RecordError)
    assert str(problem) == "some.file:2: a WTHOR file of 3 games has 220 bytes, this one 84"


@pytest.mark.parametrize(
    ("reader", "content", "message"),
    [
        (records.read_wthor, wthor()[:15], ": a WTHOR header has 16 bytes, the file only 15"),
        (records.read_wthor, wthor()[:-1], ":1: a WTHOR file of 1 games has 84 bytes, this one 83"),
        (records.read_wthor, wthor(size=10), ": byte 12 of a WTHOR file is the board size, 8 or 0 (for 8), not 10"),
        (records.read_wthor, wthor(size=1), ": byte 12 of a WTHOR file is the board size, 8 or 0 (for 8), not 1"),
        (records.read_wthor, wthor(score=65), ":1: the score of black is 0 to 64 discs, not 65"),
        *(
            (records.read_wthor, wthor(56, byte, 64), f":1: move 2 is the byte {byte}, not 10 × row + column")
            for byte in (0, 9, 10, 19, 89, 91, 255)
        ),
        (records.read_ggf, "f5d6", ": it contains no GGF game: expected '(;GM[Othello]…;)'"),
        (
            *(records.read_ggf, "a list\n\n(;GM[Othello]B[f5]W[d6"),
            ":3: expected a property such as 'B[d3]' or the end ';)', not 'W[d6'",
        ),
        (
            *(records.read_ggf, "(;GM[Othello]properties are absent"),
            ":1: expected a property such as 'B[d3]' or the end ';)', not 'properties are absen'",
        ),
        (records.read_ggf, "\n(;GM[Go]B[dd];)", ":2: expected a game of Othello, GM[Othello], not 'Go'"),
        (records.read_ggf, "(;GM[Othello]BO[10 -- *];)", ":1: the board size (BO) must be 8, 6 or 4, not '10'"),
        (records.read_ggf, "(;GM[Othello]BO[8 -- *];)", ":1: othello: a position is 64 squares and the side to move"),
        (records.read_ggf, "(;GM[Othello]B[i5];)", ":1: othello: 'i5' is not a move"),
        (records.read_ggf, "(;GM[Othello]B[f5]B[d6];)", ":1: move 2 is B[d6], but white is to move"),
        (records.read_transcripts, "\n# nothing\n", ": it contains no game: expected a transcript such as"),
        (records.read_transcripts, "\nf5z9", ":2: othello: 'z9' is not a move"),
    ],
)
def test_errors(reader, content, message):
    with error("some.file" + message):
        first(reader, content)


def test_a_broken_game_leaves_the_others_whole():
    broken, whole = records.read_ggf("(;GM[Othello]B[f5;)\n(;GM[Othello]B[f5];)", "some.file")
    assert isinstance(broken, RecordError)
    assert whole.line == 2
    two = list(records.read_ggf("(;GM[Othello]B[f5];)\n\n(;GM[Othello]RE[?]B[f5]W[D6//3];)", "some.file"))
    assert [(game.line, len(game.actions), game.payoffs) for game in two] == [(1, 1, None), (3, 2, None)]


def test_ggf_results():
    for result, note in [
        ("+3.5:t", "lost on time"),
        ("-12:s", "settled by agreement"),
        ("0:x", "ended by ':x'"),
        ("+2", "the record stops after 1 moves"),
    ]:
        assert first(records.read_ggf, f"(;GM[Othello]RE[{result}]B[f5];)").note == note


def test_every_wthor_game_of_the_shared_data(shared_data):
    complete = stopped = 0
    for path in sorted((shared_data / "othello" / "wthor").glob("*.wtb")):
        for game in read_records(path):
            assert replay(game).over == (game.note == "")  # and the stored score is the replay's
            complete += game.note == ""
            stopped += game.note != ""
    assert (complete, stopped) == (10_150, 41)


def test_every_ggf_game_of_the_shared_data(shared_data):
    games = list(read_records(shared_data / "othello" / "ggf_sample_12_games.ggf"))
    assert len(games) == 12
    assert all(replay(game).over for game in games)
