import pickle
import re

import numpy as np
import pytest
from numba.core.errors import TypingError

from ludarium.envs import Game, Option, kernel, kernels, make_game
from ludarium.envs.game import seat_name
from ludarium.envs.jit import jit


class Nim(Game):
    """Take one, two or three matches; who takes the last one wins."""

    name = "nim"
    state = np.dtype([("matches", np.int64), ("seat", np.int64)], align=True)
    option_types = {
        "matches": Option(7, 1, 50),
        "most": Option(3, choices=(2, 3)),
        "style": Option("plain", choices=("plain", "misere")),
        "fast": Option(False),
    }
    actions = 3
    max_moves = 50
    observation_shape = (1,)
    observation_range = (0, 50)

    @kernel
    def setup(s, o):
        s.matches = o.matches
        return 0

    @kernel
    def turn(s):
        return -2 if s.matches == 0 else s.seat

    @kernel
    def legal(s, mask):
        for action in range(3):
            mask[action] = action < s.matches
        return min(3, s.matches)

    @kernel
    def play(s, action):
        s.matches -= action + 1
        s.seat = 1 - s.seat
        return 0

    @kernel
    def payoffs(s, out):
        over = s.matches == 0
        out[s.seat], out[1 - s.seat] = -1.0 * over, 1.0 * over
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = s.matches
        return 0


def test_options_have_defaults_and_can_be_chosen():
    assert Nim().options == {"matches": 7, "most": 3, "style": "plain", "fast": False}
    assert Nim(matches=np.int64(9)).start().record.matches == 9
    assert Nim(style="misere").option_record["style"] == 1
    assert Nim(matches=9, fast=True).spec == "nim?matches=9&fast=True"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"matches": 0}, "nim: matches must be an integer from 1 to 50, not 0"),
        ({"matches": 51}, "nim: matches must be an integer from 1 to 50, not 51"),
        ({"matches": True}, "nim: matches must be an integer from 1 to 50, not True"),
        ({"matches": 7.0}, "nim: matches must be an integer from 1 to 50, not 7.0"),
        ({"most": 4}, "nim: most must be one of 2, 3, not 4"),
        ({"style": 1}, "nim: style must be one of 'plain', 'misere', not 1"),
        ({"fast": 1}, "nim: fast must be True or False, not 1"),
    ],
)
def test_what_an_option_cannot_be(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Nim(**options)


def test_an_unknown_option():
    with pytest.raises(TypeError, match="nim: unknown option 'heap'; the options are: matches, most, style, fast"):
        Nim(heap=3)


def test_games_are_equal_if_their_options_are():
    assert Nim(matches=9) == Nim(matches=9)
    assert hash(Nim(matches=9)) == hash(Nim(matches=9))
    assert Nim(matches=9) != Nim()
    assert pickle.loads(pickle.dumps(make_game("othello?size=6"))) == make_game("othello?size=6")
    assert repr(Nim(matches=9)) == "Nim(matches=9, most=3, style='plain', fast=False)"


def test_more_seats_of_a_game_follow_its_preset():
    assert make_game(make_game("hanabi"), seats=5).options["hand_size"] == 4


def test_a_kernel_that_is_missing():
    class Broken(Nim):
        observe = None

    with pytest.raises(TypeError, match=r"nim: the game has no kernel 'observe'; see ludarium\.envs\.game"):
        Broken().start()


def test_a_view_without_its_kernel():
    class Broken(Nim):
        view = np.dtype([("heap", np.int8)])

    with pytest.raises(TypeError, match="nim: the game has no kernel 'see'"):
        Broken().start().view(0)


def test_a_kernel_that_is_no_function():
    class Broken(Nim):
        play = 3

    with pytest.raises(TypeError, match="nim: the kernel 'play' must be a plain function, not 3"):
        Broken().start()


def test_a_kernel_that_does_not_compile():
    class Broken(Nim):
        @kernel
        def play(s, action):
            return s.nothing_of_the_kind

    with pytest.raises(TypeError, match="nim: the kernel 'play' does not compile"):
        Broken().start()


def test_a_kernel_call_takes_no_text():
    @jit
    def wrong(game):
        return kernels.turn(game, "state")

    with pytest.raises(TypingError, match="a kernel call takes arrays, pointers, records and integers"):
        wrong(make_game("tictactoe").table)


def test_a_pointer_is_into_an_array():
    @jit
    def wrong():
        return kernels.pointer(3, 0)

    with pytest.raises(TypingError, match="pointer takes an array, not "):
        wrong()


def test_a_local_record_is_new_each_time_and_lives_until_its_function_returns():
    kind = np.dtype([("number", np.int64), ("others", np.int8, (40,))], align=True)

    @jit
    def sums(count):
        first, total = kernels.local(kind), 0
        bytes_of_first = kernels.advance(first, 0)
        first.number = 7
        for i in range(count):
            again = kernels.local(kind)
            total += again.number
            again.number = i + 1
            np.full(len(first.others), i)  # memory that is freed at once, and given to the next who asks
        return first.number, bytes_of_first[0], total

    assert sums(10) == (7, 7, 0)


def test_text_of_a_game_that_brings_none():
    position = Nim().start()
    position.play(1)
    assert Nim().from_text(position.text) == position
    with pytest.raises(ValueError, match="nim: a position is 32 hexadecimal digits, not 'xyz'"):
        Nim().from_text("xyz")
    assert Nim().str_to_action(position, " 2 ") == 2
    with pytest.raises(ValueError, match="nim: '9' is not a legal move; legal: 0 1 2"):
        Nim().str_to_action(position, "9")
    assert str(position) == position.text
    assert position._repr_svg_().startswith("<svg")


def test_names_of_seats():
    assert [seat_name(Nim(), seat) for seat in range(3)] == ["first", "second", "player 2"]
