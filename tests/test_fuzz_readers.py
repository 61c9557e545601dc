import json
from pathlib import Path

import pytest

from ludarium.envs.record_files import replay_file
from ludarium.envs.records import RecordError
from ludarium.envs.source_file import load_source

FUZZ = load_source(str(Path(__file__).with_name("fuzz_readers.py")), "fuzz_readers")


def test_damaged_files_are_read_or_refused():
    assert {sample.parent.parent.name for sample in FUZZ.SAMPLES} == {"othello", "backgammon", "hanabi"}
    outcomes = FUZZ.fuzz(600)
    assert outcomes.total() == 600
    assert outcomes["refused"]
    assert outcomes["read"]


_MATCH = b" 5 point match\n Game 1\n"


@pytest.mark.parametrize("game", [None, "backgammon", "othello", "hanabi"])
@pytest.mark.parametrize("start", [b"", _MATCH, b"(;", b"f5#"])
@pytest.mark.parametrize(
    "filler", [b"\n", b" ", b"\t\r", b"(", b"1", b":", b": 1 ", b"(;A", b"#\n", b"1)", b"Doubles "]
)
def test_long_dull_files_are_refused_soon(tmp_path, start, filler, game):
    path = tmp_path / "dull.txt"
    path.write_bytes(start + filler * 65_000 + b"x")
    FUZZ.read_in_time(path, game)


_MONEY = b" 0 point match\n Game 1\n A : 0    B : 0\n"
_FIRST = _MONEY + b"  1)                             31: 8/5 6/5\n"
_MOVES = _FIRST + b"  2) 65: 24/13                   66: 24/18(2) 13/7(2)"
_CLOSED_OUT = b"; Set Pos=cBBBBBB------------bbbbbbC\n"
_PASSES = "1) 65: ,\u2003,          65: ,\u2003,\n2) 65: ,\u2003,          65: ,\u2003,\n".encode()
_WIDE = b" " * 9_900
_FULL, _LINE = 256 * 1024, 8_000  # bytes: what the table takes; less than the longest line
_HOSTILE = {  # a file: its name, its start, what is repeated, its end, and its size
    "spaces in moves": ("game.mat", _MOVES, b"\n3) 65: ." + _WIDE + b".\n4) 65: ." + _WIDE + b".", b"", _FULL),
    "spaces after a double": ("game.mat", _MOVES, b"\n  3) Doubles" + _WIDE + b".", b"", _FULL),
    "moves on lines of their own": ("game.mat", _MONEY + b"  1)\n", b"6/5\n", b"", _FULL),
    "odd passes": ("game.mat", _MONEY + _CLOSED_OUT, _PASSES, b"", _FULL // 2),
    "words after a move": ("game.mat", _FIRST + b"  2) 65: 24/13", b" x", b"", _LINE),
    "digits of a length": ("game.mat", b"", b"1", b" point match\nGame 1\n", _LINE),
    "digits of a game": ("game.mat", b"5 point match\nGame ", b"1", b"", _LINE),
    "digits of points": ("game.mat", _MOVES + b"\n  Wins ", b"1", b" points", _LINE),
    "digits of a cube": ("game.mat", _MOVES + b"\n  3) Doubles => ", b"1", b"", _LINE),
    "short games": ("game.ggf", b"", b"(;GM[othello];)", b"", _FULL // 2),
    "digits of a result": ("game.ggf", b"(;GM[othello]RE[", b"1", b"];)", _FULL),
    "broken games": ("game.ggf", b"", b"(;", b"", _FULL),
    "nothing but numbers": ("game.json", b"[0", b",0", b"]", _FULL),
    "small games of Hanabi": ("game.json", b"[0", b',{"players":["",""],"deck":[]}', b"]", _FULL),
    "short transcripts": ("game.txt", b"f5d6\n", b"a1\n", b"", _FULL),
}


@pytest.mark.parametrize("hostile", _HOSTILE)
def test_files_made_to_take_long_are_done_with_soon(tmp_path, hostile):
    name, start, piece, end, size = _HOSTILE[hostile]
    path = tmp_path / name
    path.write_bytes(start + piece * (size // len(piece)) + end)
    FUZZ.read_in_time(path, None)


def test_json_of_any_depth(tmp_path):
    """Some is just not too deep to be read, and then too deep to be shown."""
    path = tmp_path / "deep.json"
    for depth in range(900, 1000):
        path.write_text(f'{{"players": {"[" * depth}{"]" * depth}}}')
        FUZZ.read_in_time(path, "hanabi")


@pytest.mark.parametrize("name", ["\ud800", "\0"])
def test_names_that_cannot_be_shown(tmp_path, name):
    path = tmp_path / "game.json"
    sample = next(path for path in FUZZ.SAMPLES if path.suffix == ".json")
    content = json.loads(sample.read_bytes())
    game = content[0] if isinstance(content, list) else content
    game["players"][0] = name
    path.write_text(json.dumps(game))
    (error,) = replay_file(path).errors
    assert str(error).startswith("game.json:1: a name or result holds a null character or half a character")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("game.ggf", "(;" * 5_000, r"^game\.ggf:1: reading stops here: 1001 games cannot be read, the last since "),
        ("game.txt", "f5d6\n" + "f5f5\n" * 5_000, r"^game\.txt:1002: reading stops here: 1001 games cannot be read"),
        ("game.mat", _MOVES.decode() + "x" * 10_000, r"^game\.mat:5: a line .* at most 10000 characters, not 10053$"),
        ("game.mat", _MOVES.decode() + "\n" + "6/5\n" * 2_000, "more than 1000 lines of this game are damaged$"),
    ],
)
def test_files_that_are_hardly_records(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(RecordError, match=message):
        replay_file(path)


def test_a_quotation_in_an_error_is_short(tmp_path):
    path = tmp_path / "game.ggf"
    path.write_text(f"(;GM[othello]B[{'x' * 100_000}];)")
    (error,) = replay_file(path).errors
    assert len(str(error)) < 2_100
    assert str(error).endswith("a move is a square from a1 to h8, or pass")
