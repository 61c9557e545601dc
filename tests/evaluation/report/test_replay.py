"""Stored games as pictures: the same games as were played."""

import json

import pytest

from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report.content import read_store
from ludarium.evaluation.report.replay import find_game, key_text, play_back
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.store import StoreError, move_type

TWO = Tournament(("random", "greedy"), (GameEntry("tictactoe", 2),))


def decisions(tournament, row):
    return len(row.moves) // move_type(make_game(tournament.games[row.event].game)).itemsize


def test_every_stored_game_ends_as_it_was_stored(store_path):
    tournament, rows, *_ = read_store(store_path)
    for row in rows:
        if row.event == 0 and row.pair > 9:
            continue
        replay = play_back(tournament, row)
        first = row.payoff_a if row.leg == 0 else row.payoff_b
        if row.event == 0:
            ending = "draw" if first == 0 else "x wins" if first > 0 else "o wins"
        elif row.event == 1:
            points = f"{abs(first):g} point" + "s" * (abs(first) > 1)
            ending = f"{'white' if first > 0 else 'black'} wins {points}"
        else:
            lost = "lost with" in replay.title
            ending = "points, which count for nothing" if lost else f"greedy: {row.payoff_a:g} of 5 points"
            assert row.payoff_a == 0 or not lost
        assert replay.title.endswith(ending)
        assert replay.captions[-1].endswith(ending.removeprefix("greedy: "))
        assert len(replay.captions) == len(replay.frames) == decisions(tournament, row) + 1


def test_seats_names_and_pictures(row):
    line = bytes([0, 1, 3, 4, 6])
    replay = play_back(TWO, row(0, 1, 0, 1, -1, moves=line))
    assert replay.title == "greedy (x) – random (o): x wins"
    assert replay.captions[:3] == ["start", "1. greedy (x): a1", "2. random (o): b1"]
    assert replay.key == "0:0:1:0:1"
    game = make_game("tictactoe")
    position = game.start()
    for frame, action in enumerate([0, 1, 3, 4, 6, None]):
        assert replay.svg(frame) == game.draw(position).svg()
        if action is not None:
            position.play(action)
    data = json.loads(replay.to_json())
    assert "".join(data["shapes"][i] for i in data["frames"][-1]) == game.draw(position).svg()
    assert "<" not in replay.to_json()


def test_dice_are_those_of_the_seed(store_path):
    tournament, rows, *_ = read_store(store_path)
    legs = [play_back(tournament, find_game(rows, f"1:0:1:0:{leg}")) for leg in (0, 1)]
    assert legs[0].captions[0] == legs[1].captions[0]
    assert legs[0].captions[0].startswith("start · ")


def test_forfeits_say_why(row):
    replay = play_back(TWO, row(0, 1, 0, 0, 1, ending=FORFEIT + 1, cause="raised ValueError('x')", moves=bytes([0])))
    assert replay.title == "random (x) – greedy (o): greedy (o) forfeited: raised ValueError('x')"
    early = play_back(TWO, row(0, 1, 0, 0, 1, ending=FORFEIT, cause="hung"))
    assert early.captions == ["start — random (x) forfeited: hung"]
    assert len(early.frames) == 1
    assert play_back(TWO, row(0, 1, 0, 0, 0, ending=1, moves=bytes([0]))).title.endswith(
        "cut off at the maximum length"
    )


def test_damaged_moves(row):
    with pytest.raises(StoreError, match=r"0:0:1:0:0 is damaged, or of another version of tictactoe: .*not legal"):
        play_back(TWO, row(0, 1, 0, 0, 1, moves=bytes([0, 0])))
    backgammon = Tournament(("random", "greedy"), (GameEntry("backgammon", 1),))
    with pytest.raises(StoreError, match="half a move is left over"):
        play_back(backgammon, row(0, 1, 0, 0, 1, moves=b"\0"))


def test_keys(row):
    game = row(0, 1, 0, 0, 1)
    assert find_game([game], key_text(game)) is game
    with pytest.raises(ValueError, match="there is no game '0:0:1:0:1' in this store"):
        find_game([game], "0:0:1:0:1")
    for key in ("", "1", "a:b:c:d:e", "0:0:1:0", "0:0:1:0:-1", "0:0:1:0:0:0"):
        with pytest.raises(ValueError, match="a game is EVENT:A:B:PAIR:LEG, five numbers such as 0:0:1:12:1, not "):
            find_game([game], key)
