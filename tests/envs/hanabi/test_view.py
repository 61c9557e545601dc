"""What a seat may know of the past and the table; `test_worlds.py` shows that it knows no more."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ludarium.envs import kernels
from ludarium.envs.batch import random_games
from ludarium.envs.hanabi import Hanabi, notation
from ludarium.envs.hanabi.history import MAX_MOVES
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.jit import jit
from ludarium.envs.kernels import CHANCE
from ludarium.envs.position import Position

OPTIONS: list[dict[str, Any]] = [
    {},
    {"seats": 3},
    {"seats": 5},
    {"seats": 3, "preset": "small"},
    {"hand_size": 1},
    {"observation": "seer"},
]


class Model:
    """The hands as lists of cards, each a dictionary of what is known about its past."""

    def __init__(self, game: Hanabi) -> None:
        self.hand = game.options["hand_size"]
        self.hands = [[self.card(0, slot) for slot in range(self.hand)] for _ in range(game.seats)]
        self.moved = [-1] * game.seats
        self.number = 0

    def card(self, drawn: int, place: int) -> dict[str, int]:
        return {"drawn": drawn, "place": place, "first_hint": -1, "last_hint": -1, "alone": 0}

    def play(self, before: Position, after: Position) -> None:
        seat, action = before.turn, int(after.record.history[self.number, 0])
        if action < 2 * self.hand:
            gone = self.hands[seat].pop(action % self.hand)
            if before.record.deck_size:
                self.hands[seat].append(self.card(self.number + 1, gone["place"]))
        else:
            touched = [slot for slot in range(self.hand) if after.record.last_touched >> slot & 1]
            for slot in touched:
                card = self.hands[after.record.last_target][slot]
                card["last_hint"], card["alone"] = self.number, len(touched) == 1
                card["first_hint"] = card["last_hint"] if card["first_hint"] < 0 else card["first_hint"]
        self.moved[seat] = self.number
        self.number += 1


@pytest.mark.parametrize("options", OPTIONS)
def test_a_view_knows_the_past_of_every_card(options: dict[str, Any], long_game: Any) -> None:
    game = Hanabi(**options)
    model = Model(game)
    for position, after in pairwise(long_game(game, 5)):
        if position.turn == CHANCE:
            continue
        for seat in range(game.seats):
            view = position.view(seat)
            assert view.turn == (position.turn - seat) % game.seats
            for offset in range(game.seats):
                owner = (seat + offset) % game.seats
                assert view.last_move[offset] == model.moved[owner]
                assert view.held[offset] == len(model.hands[owner])
                for slot, card in enumerate(model.hands[owner]):
                    for field in ("place", "first_hint", "last_hint", "alone"):
                        assert view[field][offset, slot] == card[field], field
                    assert view.age[offset, slot] == model.number - card["drawn"]
                    assert view.fresh[offset, slot] == (card["last_hint"] > model.moved[owner])
            no_card = np.arange(view.color.shape[1]) >= view.held[:, None]
            for field, value in {"color": -1, "rank": -1, "possible": 0, "color_told": -1, "rank_told": -1}.items():
                assert (view[field][no_card] == value).all(), field
        model.play(position, after)
        assert after.record.moves == model.number


def test_a_view_lists_all_moves_from_the_viewer(long_game: Any) -> None:
    texts: list[str] = []
    for position in long_game(Hanabi(seats=3), 6):
        record = position.record
        if record.moves > len(texts):
            touched = f":{record.last_touched}" if record.last_target >= 0 else ""
            texts.append(notation.last_move_text(record) + touched)
        for view in map(position.view, range(3)):
            assert [as_text(view, i) for i in range(view.moves)] == texts
    assert any("scored" in text for text in texts)


def as_text(view: Any, i: int) -> str:
    """A move of a view in the notation of positions."""
    color, rank = int(view.move_color[i]), int(view.move_rank[i])
    mover = notation.SEATS[(view.seat + view.move_seat[i]) % view.seats]
    if view.move_target[i] >= 0:
        target = (view.seat + view.move_target[i]) % view.seats
        return f"{mover}:{notation.hint_text(target, color, rank)}:{view.move_touched[i]}"
    marks = ":scored" * int(view.move_scored[i]) + ":token" * int(view.move_token[i])
    kind = "play" if view.move_kind[i] == 0 else "discard"
    return f"{mover}:{kind}-{view.move_slot[i] + 1}:{notation.card_text(color, rank)}{marks}"


def test_a_view_shows_the_table_and_the_hands_of_others() -> None:
    text = (
        "fireworks=R1Y0G0W0B0 discards=R1,W4 hands="
        "B3:RYGWB:12345,R2:R!:2345,W1:YGWB:12345,W5:YGWB:12345,B4:RYGWB:12345"
        "/Y1:RYGWB:1!,G1:RYGWB:1!,Y5:RYGWB:2345,Y4:RYGWB:2345,W2:RYGWB:12345 "
        "information=6 lives=2 turn=alice left=2 last=bob:hint-alice-red"
    )
    position = Hanabi().from_text(text)
    view = position.view(1)
    for field in ("seats", "colors", "ranks", "hand_size", "information_tokens", "life_tokens", "turns_left"):
        assert view[field] == position.record[field] > 0
    assert (view.seat, view.turn, view.score, view.information, view.lives) == (1, 1, 1, 6, 2)
    assert view.deck_size == 37
    assert view.fireworks.tolist() == [1, 0, 0, 0, 0]
    assert view.discards[[0, 18]].tolist() == [1, 1]
    assert view.color[:2].tolist() == [[-1] * 5, [4, 0, 3, 3, 4]]
    assert view.rank[:2].tolist() == [[-1] * 5, [2, 1, 0, 4, 3]]
    assert view.color_told[:2].tolist() == [[-1] * 5, [-1, 0, -1, -1, -1]]
    assert view.rank_told[:2].tolist() == [[0, 0, -1, -1, -1], [-1] * 5]
    assert view.possible[1, 1] == 0b11110
    assert view.possible[0, 0] == sum(1 << 5 * color for color in range(5))
    assert view.fresh[1].tolist() == [0, 1, 0, 0, 0]
    assert view.alone[1].tolist() == [0, 1, 0, 0, 0]


@pytest.mark.parametrize("options", OPTIONS)
def test_a_view_does_not_depend_on_what_the_memory_held(options: dict[str, Any], long_game: Any) -> None:
    """Compiled loops write all views into the same memory."""
    game, other = Hanabi(**options), Hanabi(seats=5).start()
    used = np.full(1, 0x55, dtype=np.uint8).repeat(VIEW.itemsize)
    for position in [*long_game(game, 2)][::7]:
        fresh = position.view(0)
        see(game.table, other.data, 0, used)
        see(game.table, position.data, 0, used)
        seen = used.view(VIEW)[0]
        for field in VIEW.names or ():
            end = int(fresh.moves) if field.startswith("move_") else None
            assert np.array_equal(np.atleast_1d(seen[field])[:end], np.atleast_1d(fresh[field])[:end]), field


@jit
def see(game: Any, state: Any, seat: int, out: Any) -> int:
    return kernels.see(game, state, seat, out)


def test_views_are_compiled_when_one_is_asked_for() -> None:
    game = Hanabi()
    random_games(game, 1, 0)
    assert game.table[kernels.SEE] == 0
    game.start().view(0)
    assert game.table[kernels.SEE] == game.compile_view() != 0


def test_the_longest_game_fits_into_the_history() -> None:
    longest = Hanabi(hand_size=1, information_tokens=16)
    assert longest.max_moves == MAX_MOVES
    assert all(Hanabi(**options).max_moves <= MAX_MOVES for options in OPTIONS)


def test_games_with_minimal_observations_have_no_views() -> None:
    assert Hanabi().view == VIEW
    with pytest.raises(ValueError, match=r"hanabi\?observation=minimal: this game has no views"):
        Hanabi(observation="minimal").start().view(0)
