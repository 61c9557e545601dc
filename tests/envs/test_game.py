"""What a game is: its options, and kernels that are missing, wrong or new."""

import pickle
import re

import numpy as np
import pytest
from numba.core.errors import TypingError

from ludarium.envs import kernels, make_game
from ludarium.envs.game import Game, kernel
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.jit import jit
from ludarium.envs.othello import Othello
from ludarium.envs.tictactoe import TicTacToe


def test_options_have_defaults_and_can_be_chosen():
    assert Othello().options == {"size": 8, "scoring": "wins", "start": "standard"}
    assert Hexapawn(rows=np.int64(4)).start().record.rows == 4
    assert Othello(scoring="discs").option_record["scoring"] == 1
    assert Othello(size=6, start="parallel").spec == "othello?size=6&start=parallel"


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("hexapawn", {"rows": 2}, "hexapawn: rows must be an integer from 3 to 8, not 2"),
        ("hexapawn", {"rows": 9}, "hexapawn: rows must be an integer from 3 to 8, not 9"),
        ("hexapawn", {"rows": True}, "hexapawn: rows must be an integer from 3 to 8, not True"),
        ("hexapawn", {"rows": 4.0}, "hexapawn: rows must be an integer from 3 to 8, not 4.0"),
        ("othello", {"size": 10}, "othello: size must be one of 8, 6, 4, not 10"),
        ("othello", {"start": 1}, "othello: start must be one of 'standard', 'parallel', not 1"),
        ("backgammon", {"cube": 1}, "backgammon: cube must be True or False, not 1"),
    ],
)
def test_what_an_option_cannot_be(game, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make_game(game, **options)


def test_games_are_equal_if_their_options_are():
    game = Othello(size=6)
    assert game == Othello(size=6) == pickle.loads(pickle.dumps(game))
    assert hash(game) == hash(Othello(size=6))
    assert game != Othello()
    assert repr(game) == "Othello(size=6, scoring='wins', start='standard')"


def test_more_seats_of_a_game_follow_its_preset():
    assert make_game(make_game("hanabi"), seats=5).options["hand_size"] == 4


def play_nothing_of_the_kind(s, action):
    return s.nothing_of_the_kind


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"observe": None}, r"the game has no kernel 'observe'; see ludarium\.envs\.game"),
        ({"view": np.dtype([("heap", np.int8)])}, "the game has no kernel 'see'"),
        ({"play": 3}, "the kernel 'play' must be a plain function, not 3"),
        ({"play": kernel(play_nothing_of_the_kind)}, "the kernel 'play' does not compile"),
    ],
)
def test_kernels_that_cannot_be(changes, message):
    with pytest.raises(TypeError, match=f"tictactoe: {message}"):
        type("Broken", (TicTacToe,), changes)().start().view(0)


PAIR = np.dtype([("first", np.int8), ("second", np.int8)])


@pytest.mark.parametrize(
    "call",
    [
        lambda table: kernels.turn(table, "state"),
        lambda table: kernels.turn("table", table),
        lambda table: kernels.view("state", PAIR).first,
        lambda table: kernels.address("state"),
        lambda table: kernels.advance("state", 1)[0],
    ],
)
def test_a_kernel_call_takes_no_text(call):
    text = "a kernel call takes arrays, pointers, records and integers; it was given unicode_type"
    with pytest.raises(TypingError, match=text):
        jit(call)(make_game("tictactoe").table)


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


def test_what_a_game_need_not_say():
    defaults = {
        "title": "", "option_types": {}, "evaluations": {}, "seats": 2, "seat_names": ("first", "second"),
        "observation_range": (0, 1), "seat_colours": (), "payoff_range": (-1.0, 1.0), "unit": "payoff",
        "zero_sum": True, "small": False, "cooperative": False, "hidden_information": False, "max_outcomes": 0,
        "passing": -1, "max_afterstates": 0, "view": None,
    }  # fmt: skip
    assert {name: getattr(Game, name) for name in defaults} == defaults
    plain = type("Plain", (Game,), {"name": "plain"})
    assert plain().option_record.tolist() == [(0,)]
    with pytest.raises(TypeError, match="plain: unknown option 'size'; the options are: none"):
        plain(size=3)


def test_names_of_seats():
    assert [TicTacToe().seat_name(seat) for seat in range(3)] == ["x", "o", "player 2"]


def test_the_table_says_what_compiled_code_asks_for():
    game = make_game("backgammon?cube=True")
    facts = {
        kernels.STATE_SIZE: game.state.itemsize,
        kernels.ACTIONS: game.actions,
        kernels.OBSERVATION_SIZE: 209,
        kernels.SEATS: 2,
        kernels.MAX_OUTCOMES: 36,
        kernels.MAX_MOVES: game.max_moves,
        kernels.MAX_AFTERSTATES: game.max_afterstates,
        kernels.VIEW_SIZE: 0,
    }
    assert {slot: game.table[slot] for slot in facts} == facts
    for name, function in game.compiled.items():
        assert game.table[kernels.NAMES.index(name)] == function.address
    assert make_game("hanabi").table[kernels.VIEW_SIZE] == make_game("hanabi").view.itemsize
