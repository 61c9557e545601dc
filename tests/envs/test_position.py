"""Positions: checked moves and their errors, text, equality, and the memory behind them."""

import re

import numpy as np
import pytest

from ludarium.envs.calls import CALLS
from ludarium.envs.chance import stream
from ludarium.envs.game import Game, kernel
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.options import IllegalAction
from ludarium.envs.position import Position
from ludarium.envs.registry import make_game
from ludarium.envs.tictactoe import TicTacToe


class Coin(Game):
    """A coin falls, then the only seat says heads or tails; no notation, no pictures of its own."""

    name = "coin"
    seats = 1
    zero_sum = False
    actions = 2
    observation_shape = (1,)
    max_moves = 1
    max_outcomes = 3
    max_afterstates = 2
    state = np.dtype([("coin", np.int8), ("said", np.int8)], align=True)

    @kernel
    def setup(s, o):
        s.coin = s.said = -1
        return 0

    @kernel
    def turn(s):
        if s.coin < 0:
            return CHANCE
        return 0 if s.said < 0 else OVER

    @kernel
    def legal(s, mask):
        mask[0] = mask[1] = s.coin >= 0 and s.said < 0
        return 2 * mask[0]

    @kernel
    def play(s, action):
        if s.coin < 0:
            s.coin = action
        else:
            s.said = action
        return 0

    @kernel
    def payoffs(s, out):
        out[0] = s.coin == s.said
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = s.said > 0
        return 0

    @kernel
    def chance(s, probabilities):
        probabilities[0], probabilities[1], probabilities[2] = 0.5, 0.5, 0.0
        return 3

    @kernel
    def afterstates(s, out):
        for action in range(2):
            out[2 * action], out[2 * action + 1] = s.coin, action
        return 2


def test_a_game_from_start_to_end():
    position = TicTacToe().start()
    assert (position.turn, position.over) == (0, False)
    for action in (4, 0, 2, 1, 6):
        assert position.action_mask()[action] == 1
        position.play(action)
    assert (position.turn, position.over) == (OVER, True)
    assert position.payoffs().tolist() == [1, -1]
    assert position.legal_actions() == []
    assert position.legal_text() == "none"
    assert position.outcomes() == []


def test_arrays_have_the_declared_shapes():
    position = TicTacToe(rows=2, columns=4).start()
    assert (position.action_mask().shape, position.action_mask().dtype) == ((8,), np.int8)
    assert (position.observe(1).shape, position.observe(1).dtype) == ((2, 4, 2), np.int8)
    assert (position.payoffs().shape, position.payoffs().dtype) == ((2,), np.float64)
    assert (position.data.shape, position.data.dtype) == ((position.game.state.itemsize,), np.uint8)


def test_a_copy_is_independent_and_equal():
    position = TicTacToe().start()
    copy = position.copy()
    assert copy == position
    assert hash(copy) == hash(position)
    copy.play(np.int8(3))
    assert copy != position
    assert position.text == ".../.../... x"
    assert position != TicTacToe(line=2).start()
    assert position != position.data.tobytes()
    with pytest.raises(ValueError, match=rf"tictactoe: a position has {len(position.buffer)} bytes, not 3"):
        Position(position.game, b"abc")


def test_the_record_and_the_data_are_one():
    position = TicTacToe().start()
    position.record.seat = 1
    assert position.turn == 1
    position.data[:] = TicTacToe().start().data
    assert position.record.seat == 0


def test_text_forms():
    position = TicTacToe(line=2).from_text("x.o/.../... x")
    assert repr(position) == f"tictactoe?line=2 position x.o/.../... x\n{position}"
    assert str(position) == "   a b c\n 1 x . o\n 2 . . .\n 3 . . ."
    assert position._repr_svg_().startswith("<svg ")


def test_chance_nodes():
    position = Coin().start()
    assert position.turn == CHANCE
    assert position.outcomes() == [(0, 0.5), (1, 0.5)]
    assert {Coin().start().draw_outcome(stream(seed)) for seed in range(20)} == {0, 1}
    assert position.legal_actions() == []
    position.play(1)
    assert [after.data.tolist() for after in position.afterstates()] == [[1, 0], [1, 1]]
    position.play(1)
    assert position.payoffs().tolist() == [1]
    assert position.game.result_text(position) == "first +1"


def test_defaults_of_games_without_notation():
    game = Coin()
    position = game.start()
    assert position.text == "ffff"
    assert game.from_text("ff00").data.tolist() == [255, 0]
    assert game.outcome_to_str(position, 1) == "1"
    assert str(position) == "ffff"
    assert "ffff" in game.draw(position).svg()
    position.play(0)
    assert [game.action_to_str(position, action) for action in position.legal_actions()] == ["0", "1"]
    assert game.str_to_action(position, " 1 ") == 1


@pytest.mark.parametrize("text", ["", "fff", "ffffff", "zzzz"])
def test_a_record_in_hexadecimal(text):
    with pytest.raises(ValueError, match=f"coin: a position is 4 hexadecimal digits, not {text!r}"):
        Coin().from_text(text)


def message(position, action, kind=IllegalAction):
    with pytest.raises(kind) as caught:
        position.play(action)
    return str(caught.value)


def test_every_illegal_action_is_explained():
    position = TicTacToe().from_text("x.o/.x./..o x")
    before = position.data.copy()
    assert message(position, 0) == "tictactoe: action 0 (a1) is not legal for x; legal: b1 a2 c2 a3 b3"
    for action in (9, 2**62, 2**63, 2**70, -1, -2, -(2**70)):
        assert message(position, action) == f"tictactoe: action {action} does not exist; actions are 0 to 8"
    for action in ("b1", 1.0, None, [1]):
        assert message(position, action, TypeError) == f"tictactoe: an action is an integer, not {action!r}"
    assert np.array_equal(position.data, before)
    assert issubclass(IllegalAction, ValueError)


def test_a_finished_game_takes_no_action():
    position = TicTacToe().from_text("xxx/oo./... o")
    assert message(position, 5) == "tictactoe: the game is over; action 5 cannot be played"


def test_chance_takes_possible_outcomes_only():
    position = Coin().start()
    assert position.picture().title == "coin: before chance"
    for outcome in (2, 3, -1, 2**70):  # the third outcome has no probability
        assert message(position, outcome) == f"coin: {outcome} is not a possible outcome here: ffff"
    position.play(0)
    assert message(position, 2) == "coin: action 2 does not exist; actions are 0 to 1"


def test_an_action_without_a_name_is_its_number():
    narrow = type("Narrow", (Coin,), {"legal": kernel(only_heads)})
    position = narrow().start()
    position.play(0)
    assert message(position, 1) == "coin: action 1 is not legal for first; legal: 0"


def only_heads(s, mask):
    mask[0], mask[1] = s.coin >= 0, 0
    return mask[0]


def test_games_without_afterstates_say_so():
    with pytest.raises(ValueError, match="tictactoe: this game has no afterstates"):
        TicTacToe().start().afterstates()


def test_push_does_not_check():
    position = TicTacToe().start()
    position.push(4)
    assert position.text == ".../.x./... o"
    assert Position(position.game, position.data.copy()) == position


def test_names_are_read_as_they_are_written():
    position = TicTacToe().start()
    expected = "tictactoe: 'B2?' is not a legal move; legal: a1 b1 c1 a2 b2 c2 a3 b3 c3"
    with pytest.raises(IllegalAction, match=re.escape(expected)):
        position.game.str_to_action(position, "B2?")


@pytest.mark.parametrize("seat", [-1, 2, 2**40])
def test_a_seat_that_does_not_exist_sees_nothing(seat):
    """Compiled code would read and write elsewhere."""
    for position in (TicTacToe().start(), make_game("hanabi").start()):
        for look in (position.observe, position.look, position.view):
            if position.game.view is not None or look != position.view:
                with pytest.raises(ValueError, match=f"there is no seat {seat}; the seats are 0 to 1"):
                    look(seat)


@pytest.mark.parametrize("given", [b"bytes", None, memoryview(bytearray(9)), np.zeros(9, np.uint8)])
def test_compiled_code_takes_a_bytearray_only(given):
    with pytest.raises(TypeError, match="expected a bytearray"):
        CALLS.turn(TicTacToe().address, given)


class Marks(Coin):
    """It marks actions otherwise than by 1, the last one too."""

    name = "marks"
    actions = 18

    @kernel
    def legal(s, mask):
        for action in range(18):
            mask[action] = 0
        mask[0], mask[1], mask[7], mask[8], mask[17] = 1, 2, -128, 127, -1
        return 0


def test_every_action_that_is_marked_is_listed():
    """A mask should hold 0 and 1; a game that is being written may mark actions otherwise."""
    assert Marks().start().legal_actions() == [0, 1, 7, 8, 17]
