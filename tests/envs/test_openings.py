"""Openings: what a line may say, and what is none."""

import pytest

from ludarium.agents.search.solver import after, solve
from ludarium.envs import openings
from ludarium.envs.openings import find_openings, random_openings, read_file, read_opening, read_openings, shipped_name
from ludarium.envs.records import RecordError
from ludarium.envs.registry import make_game

BOARD = "---------------------------OX-----XXX--------------------------- O"
GGF = "(;GM[Othello]PB[a]PW[b]RE[?]TY[{0}]BO[{0} {1}]{2};)"
OWN = "---------------------------O*------*O--------------------------- *"
BACKGAMMON = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


@pytest.mark.parametrize(
    ("spec", "text", "moves", "position"),
    [
        ("hexapawn", "a1a2 b3xa2", [1, 3], "p.p/p../.PP w"),
        ("hexapawn", "p.p/p../.PP w", [], "p.p/p../.PP w"),
        ("tictactoe", "b2 a1", [4, 0], "o../.x./... x"),
        ("othello", "F5 d6c3", [37, 43, 18], None),
        ("othello", BOARD, [], BOARD),
        ("othello", GGF.format(8, OWN, "B[d3]W[c3]"), [19, 18], None),
        ("othello", GGF.format(8, BOARD.replace("X", "*"), "W[f6]"), [45], None),
        ("othello?size=6", "b3", [13], None),
        ("backgammon", BACKGAMMON, [], None),
    ],
)
def test_moves_and_positions(spec, text, moves, position):
    opening = read_opening(make_game(spec), text)
    assert (opening.moves, opening.random) == (moves, 0)
    assert position in (None, opening.position.text)
    assert (opening.start == make_game(spec).start()) == (text not in (position, BACKGAMMON) and "W[f6]" not in text)


@pytest.mark.parametrize(
    ("spec", "text", "why"),
    [
        ("hexapawn", "a1a2 b1b2", "move 2 of the opening 'a1a2 b1b2': hexapawn: 'b1b2' is not a legal move"),
        ("hexapawn", "pppp/..../PPPP w", "this is no opening: as a position, hexapawn: expected 3 rows of 3 marks"),
        ("tictactoe", "a1 a2 b1 b2 c1", "the game is over after the opening 'a1 a2 b1 b2 c1'; give one that ends"),
        ("othello", "f5f5", "move 2 of the opening 'f5f5': othello: action 37 (f5) is not legal for white"),
        ("othello", "f5d6k9", "othello: 'k9' is not a move; a move is a square from a1 to h8"),
        ("othello", BOARD[20:], "othello: a position is 64 squares and the side to move, 65 marks"),
        ("othello?size=6", BOARD, "othello: a position is 36 squares and the side to move, 37 marks, not 65"),
        ("othello?size=6", GGF.format(8, OWN, "B[d3]"), "the game in GGF is on a board of 8 × 8, not of 6 × 6"),
        ("backgammon", "31: 8/5 6/5", "an opening of backgammon is a position, since moves alone do not say the dice"),
        ("hanabi", "1", "hanabi takes no openings: its cards are hidden, and follow from the seed"),
    ],
)
def test_what_is_no_opening(spec, text, why, tmp_path):
    path = tmp_path / "book.txt"
    path.write_text(f"# a comment\n{text}\n")
    with pytest.raises(RecordError) as told:
        read_file(make_game(spec), path)
    assert str(told.value).startswith(f"{path}:2: ")
    assert why in str(told.value)


def test_files_without_openings(tmp_path):
    (tmp_path / "book.txt").write_text("# nothing\n\n")
    with pytest.raises(RecordError, match=r"book.txt: it contains no opening: expected one on each line"):
        find_openings(make_game("othello"), "book.txt", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no such file of openings; shipped for othello: 'balanced'"):
        find_openings(make_game("othello"), "other.txt", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"shipped for hexapawn\?rows=4: none"):
        find_openings(make_game("hexapawn?rows=4"), "balanced")


def test_openings_that_are_too_long(tmp_path, monkeypatch):
    class Short(type(make_game("tictactoe"))):
        def configure(self):
            super().configure()
            self.max_moves = 2

    with pytest.raises(RecordError, match=r"^openings: the opening has 2 moves, and the whole game at most 2"):
        read_opening(Short(), "b2 a1")
    book = tmp_path / "book.txt"
    with book.open("wb") as file:
        file.truncate(100_000_001)
    with pytest.raises(RecordError, match=r"book.txt: it has 100,000,001 bytes, and at most 100,000,000 are read"):
        find_openings(make_game("tictactoe"), "book.txt", tmp_path)
    book.write_text("b2 a1")
    monkeypatch.setattr(openings, "_LARGEST", 5)
    assert find_openings(make_game("tictactoe"), "book.txt", tmp_path) == ("b2 a1",)
    book.rename(tmp_path / "balanced")  # a file comes before the set of its name
    assert find_openings(make_game("tictactoe"), "balanced", tmp_path) == ("b2 a1",)


def test_how_each_of_many_games_begins():
    game = make_game("tictactoe")
    openings = read_openings(game, ("b2", "a1 a2 a3", "x../.../... o"))
    assert [openings.of(game, number).moves for number in range(3)] == [[4], [0, 3, 6], []]
    assert openings.random == 0
    assert random_openings(game, 3, 5).of(game, 2) == (game.start(), [], 5)
    with pytest.raises(RecordError, match=r"^openings:2: move 2 of the opening 'b2 b2': tictactoe: 'b2' is not a leg"):
        read_openings(game, ("b2", "b2 b2"))


@pytest.mark.parametrize(("spec", "count"), [("hexapawn", 12), ("tictactoe", 29), ("othello?scoring=discs", 2000)])
def test_shipped_sets_are_balanced(spec, count):
    game = make_game(spec)
    texts = find_openings(game, "balanced")
    assert shipped_name(game, texts) == "balanced"
    openings = read_openings(game, texts)
    positions = [openings.of(game, number).position for number in range(count)]
    assert len(texts) == count == len({position.text for position in positions})
    if game.name == "othello":
        assert openings.moves.shape == (count, 8)
        assert (openings.moves >= 0).all()
        return
    for position in positions:
        values = {solve(game).value(after(position, action)) for action in position.legal_actions()}
        assert solve(game).value(position) == 0 if game.name == "tictactoe" else values == {-1, 1}
