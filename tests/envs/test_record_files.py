from pathlib import Path

import pytest

from ludarium.envs.record_files import game_of, positions, read_records, replay_file
from ludarium.envs.records import RecordError

_DATA = Path(__file__).resolve().parent
FILES = {
    "othello": [_DATA / "othello" / "data" / name for name in ("random.wtb", "random.ggf", "transcripts.txt")],
    "backgammon": [_DATA / "backgammon" / "data" / "match.mat"],
    "hanabi": [_DATA / "hanabi" / "data" / "random.json"],
}


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
        ValueError, match="there is no reader for records of 'hexapawn', only of othello, backgammon, h"
    ):
        list(read_records(tmp_path / "x.txt", "hexapawn"))


def test_the_positions_of_a_game():
    record = next(iter(read_records(FILES["backgammon"][0])))
    names = [name for name, _ in positions(record)]
    assert names[:3] == ["start", "1-3", "8/5 6/5"]


def test_the_command_counts_games(ludarium):
    code, told, _ = ludarium("replay", *FILES["othello"])
    assert code == 0
    assert "9 games replayed to their end, 3 stopped early, 0 wrong" in told


def test_the_command_lists_notes_when_asked(ludarium, tmp_path):
    path = tmp_path / "match.mat"
    path.write_bytes(FILES["backgammon"][0].read_bytes().replace(b"24/13", b"24/13!"))
    counts = "0 games replayed to their end, 2 stopped early, 0 wrong; 2 have harmless damage\n"
    assert ludarium("replay", path)[1] == counts + "--notes says why games stop early and what is damaged\n"
    assert ludarium("replay", path, "--notes")[1].splitlines() == [
        "match.mat:6: the last play is not recorded",
        "match.mat:6: line 9: '24/13!' is read as '24/13'",
        "match.mat:15: the last play is not recorded",
        "match.mat:15: line 17: '24/13!' is read as '24/13'",
        counts.rstrip(),
    ]


def test_the_command_shows_a_game(ludarium):
    assert "a b c d e f g h" in ludarium("replay", FILES["othello"][2], "--show", 1)[1]


def test_the_command_names_what_is_wrong(ludarium, tmp_path):
    (tmp_path / "games.d").mkdir()
    assert ludarium("replay", tmp_path)[2] == f"ludarium: the folder {tmp_path} holds no files\n"
    assert (
        ludarium("replay", FILES["othello"][2], "--show", 99)[2] == "ludarium: transcripts.txt: there is no game 99\n"
    )
    path = tmp_path / "wrong.txt"
    path.write_text("f5d6\nf5f5\n")
    code, told, _ = ludarium("replay", path)
    assert code == 1
    assert "wrong.txt:2: move 2: othello: action 37 (f5) is not legal for white; legal: " in told
    path.write_text("z9\n")
    assert ludarium("replay", path, "--game", "othello", "--show", 1)[2].startswith("ludarium: wrong.txt:1: othello: ")


def test_perft_by_command(ludarium):
    told = ludarium("perft", "othello?size=4", "--depth", "5")[1]
    assert [line.split()[1] for line in told.splitlines()] == ["1", "4", "12", "44", "128", "424"]
