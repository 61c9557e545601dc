import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ludarium.envs.record_files import game_of, positions, read_records, replay_file
from ludarium.envs.records import RecordError
from ludarium.evaluation import cli

_DATA = Path(__file__).resolve().parent
FILES = {
    "othello": [_DATA / "othello" / "data" / name for name in ("random.wtb", "random.ggf", "transcripts.txt")],
    "backgammon": [_DATA / "backgammon" / "data" / "match.mat"],
    "hanabi": [_DATA / "hanabi" / "data" / "random.json"],
}


def ludarium(*arguments):
    return CliRunner().invoke(cli.app, ["replay", *map(str, arguments)])


@pytest.mark.parametrize(("game", "path"), [(game, path) for game, paths in FILES.items() for path in paths])
def test_every_kind_of_file_is_known_and_replays(game, path):
    assert game_of(path) == game
    result = replay_file(path)
    assert result.whole or result.stopped
    assert not result.errors


@pytest.mark.parametrize("first", [b" 5 point match", b" Game 1"])
def test_a_match_by_its_first_lines(tmp_path, first):
    path, text = tmp_path / "match.txt", FILES["backgammon"][0].read_bytes()
    path.write_bytes(text[text.index(first) :])
    assert game_of(path) == "backgammon"


def test_a_file_of_another_kind(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada,\n")
    with pytest.raises(RecordError, match=r"^letter\.txt: unknown kind of record: expected WTHOR"):
        replay_file(path)


def test_a_game_without_records(tmp_path):
    with pytest.raises(
        ValueError, match="there is no reader for records of 'hexapawn', only of othello, backgammon, hanabi"
    ):
        list(read_records(tmp_path / "x.txt", "hexapawn"))


def test_the_positions_of_a_game():
    record = next(iter(read_records(FILES["backgammon"][0])))
    names = [name for name, _ in positions(record)]
    assert names[:3] == ["start", "1-3", "8/5 6/5"]


def test_the_command_counts_games():
    result = ludarium(*FILES["othello"])
    assert result.exit_code == 0
    assert re.search(r"\d+ games replayed to their end, \d+ stopped early, 0 wrong", result.output)


def test_an_empty_folder_is_an_error(tmp_path):
    (tmp_path / "games.d").mkdir()
    result = ludarium(tmp_path)
    assert isinstance(result.exception, ValueError)
    assert str(result.exception) == f"the folder {tmp_path} holds no files"


def test_the_command_lists_notes_when_asked(tmp_path):
    path = tmp_path / "match.mat"
    path.write_bytes(FILES["backgammon"][0].read_bytes().replace(b"24/13", b"24/13!"))
    counts = "0 games replayed to their end, 2 stopped early, 0 wrong; 2 have harmless damage\n"
    assert ludarium(path).output == counts + "--notes says why games stop early and what is damaged\n"
    assert ludarium(path, "--notes").output.splitlines() == [
        "match.mat:6: the last play is not recorded",
        "match.mat:6: line 9: '24/13!' is read as '24/13'",
        "match.mat:15: the last play is not recorded",
        "match.mat:15: line 17: '24/13!' is read as '24/13'",
        counts.rstrip(),
    ]


def test_the_command_names_what_is_wrong(tmp_path):
    path = tmp_path / "wrong.txt"
    path.write_text("f5d6\nf5f5\n")
    result = ludarium(path)
    assert result.exit_code == 1
    assert "wrong.txt:2: move 2: othello: action 37 (f5) is not legal for white; legal: " in result.output


def test_the_command_shows_a_game():
    result = ludarium(FILES["othello"][2], "--show", 1)
    assert result.exit_code == 0
    assert "a b c d e f g h" in result.output


def test_the_command_is_asked_for_a_game_there_is_not():
    result = ludarium(FILES["othello"][2], "--show", 99)
    assert isinstance(result.exception, ValueError)
    assert str(result.exception) == "transcripts.txt: there is no game 99"


def test_the_command_is_asked_for_a_wrong_game(tmp_path):
    path = tmp_path / "wrong.txt"
    path.write_text("z9\n")
    result = CliRunner().invoke(cli.app, ["replay", str(path), "--game", "othello", "--show", "1"])
    assert isinstance(result.exception, RecordError)


def test_perft_by_command():
    result = CliRunner().invoke(cli.app, ["perft", "othello?size=4", "--depth", "5"])
    assert [line.split()[1] for line in result.output.splitlines()] == ["1", "4", "12", "44", "128", "424"]
