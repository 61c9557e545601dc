"""What a network's player thinks of a position, compiled: tables for positions at home, a network for races, the cube.

A player is a block; compiled code reads it as a `Player`. It judges the result of a turn at once, or one roll ahead.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.bearoff import BEAROFF, is_home, outcomes_of_race
from ludarium.agents.backgammon.cube import MOST_NEEDED, stakes_of, worths
from ludarium.agents.backgammon.network import OUTCOMES, Network, has_ended, put_out, see, see_change, see_places
from ludarium.agents.compiled.blocks import table
from ludarium.envs.backgammon.rules import OFFER, STATE, is_race, stakes
from ludarium.envs.backgammon.turns import ROLLS, SIZE, write_roll
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, advance, afterstates, view

_HALF = OUTCOMES // 2
BLOCK = np.dtype(
    [
        ("inputs", np.int64),
        ("each", np.int64),  # inputs of a place
        ("threats", np.int64),
        ("units", np.int64),
        ("outputs", np.int64),
        ("activation", np.int64),
        ("columns", np.int64),
        ("values", np.int64),
        ("hidden", np.int64),
        ("output", np.int64),
        ("race_inputs", np.int64),  # of the network for races
        ("race_threats", np.int64),
        ("race_units", np.int64),  # 0 without such a network
        ("race_hidden", np.int64),
        ("race_output", np.int64),
        ("equities", np.int64),  # see `match_equities`
        ("ply", np.int64),
        ("cube", np.int64),  # 1 to double and drop
        ("races", np.int64),  # the address of `bearoff`, or 0
        ("results", np.int64),  # scratch: the results of a turn
        ("replies", np.int64),  # those of the answer to it
        ("rolled", np.int64),  # the position with the dice of that answer
        ("scratch", np.int64),  # of `step_toward`
    ]
)


class Player(NamedTuple):
    """What judges positions: the game's table, the network, others, and scratch space."""

    game: Any
    network: Network
    race: Network
    equities: NDArray[np.float64]
    ply: int
    cube: int
    races: int
    replies: Any
    rolled: Any
    known: NDArray[np.float32]
    sums: NDArray[np.float32]
    units: NDArray[np.float32]
    race_sums: NDArray[np.float32]
    race_units: NDArray[np.float32]


@jit
def player_of(game: Any, block: Any) -> Any:
    """The player that a block holds, with scratch space of its own; `game` is the game's table."""
    columns = table(block, block.columns, np.int32, (2, 26, block.each))
    values = table(block, block.values, np.float32, (26, 16, block.each))
    network = Network(
        columns,
        values,
        block.threats,
        table(block, block.hidden, np.float32, (block.inputs + 1, block.units)),
        table(block, block.output, np.float32, (block.units + 1, block.outputs)),
        block.activation,
    )
    race = Network(
        columns,
        values,
        block.race_threats,
        table(block, block.race_hidden, np.float32, (block.race_inputs + 1, block.race_units)),
        table(block, block.race_output, np.float32, (block.race_units + 1, block.outputs)),
        block.activation,
    )
    return Player(
        game,
        network,
        race,
        table(block, block.equities, np.float64, (2, MOST_NEEDED + 1, MOST_NEEDED + 1)),
        block.ply,
        block.cube,
        block.races,
        advance(block, block.replies),
        advance(block, block.rolled),
        np.empty(block.units, dtype=np.float32),
        np.empty(block.units, dtype=np.float32),
        np.empty(block.units, dtype=np.float32),
        np.empty(block.race_units, dtype=np.float32),
        np.empty(block.race_units, dtype=np.float32),
    )


@jit
def worths_of(s: Record, seat: int, player: Any) -> Any:
    """What the outcomes are worth to a seat, shape (6,)."""
    worths_of_outcomes = np.empty(OUTCOMES)
    worths(stakes_of(s, seat, player.equities), s.cube, s.owner, worths_of_outcomes)
    return worths_of_outcomes


@jit
def is_exact(s: Record, player: Any) -> bool:
    """Whether the outcomes of a position are in the tables."""
    return player.races != 0 and is_home(s, 0) and is_home(s, 1)


@jit
def judge(s: Record, result: Record, seat: int, player: Any, values: Any, outcomes: Any) -> float:
    """The value of a position after a turn, for the seat that has taken it; write the outcomes that are expected.

    A network's score takes the place of both, except at the end and in a turn that begins with all checkers at home.

    Args:
        s: the position before the turn; `player.known` are its sums.
        result: the position.
        seat: the seat.
        player: the player.
        values: shape (6,): what the outcomes are worth.
        outcomes: shape (6,).
    """
    outputs = player.network.output.shape[1]
    if has_ended(result):
        won = _HALF - 1 + stakes(s)
        outcomes[:] = 0
        outcomes[won] = 1
    elif is_exact(result, player) and (outputs == OUTCOMES or is_exact(s, player)):
        outcomes_of_race(view(player.races, BEAROFF), result, seat, outcomes)
    elif len(player.race_units) and is_race(result):
        see(result, seat, player.race, player.race_sums)
        put_out(player.race_sums, player.race, player.race_units, outcomes)
    else:
        see_change(s, result, seat, player.network, player.known, player.sums)
        put_out(player.sums, player.network, player.units, outcomes[:outputs])
        if outputs == 1:
            return float(outcomes[0])
    value = 0.0
    for k in range(OUTCOMES):
        value += values[k] * outcomes[k]
    return value


@jit
def look_ahead(s: Record, seat: int, player: Any, against: Any, expected: Any) -> float:
    """The value of a position to the seat that has just moved, one roll ahead; write the outcomes that are expected.

    Args:
        s: the position before the other seat's roll.
        seat: the seat.
        player: the player; what it knows of the turn before is lost.
        against: shape (6,): what the outcomes are worth to the other seat, who takes the best turn for each roll.
        expected: shape (6,).
    """
    outcomes, best = np.empty(OUTCOMES, dtype=np.float32), np.empty(OUTCOMES, dtype=np.float32)
    rolled, total = view(player.rolled, STATE), 0.0
    expected[:] = 0
    see_places(s, 1 - seat, player.network, player.known)
    for roll in range(ROLLS):
        weight, most = write_roll(player.rolled, advance(s, 0), 1 - seat, roll) / 36, -np.inf
        for i in range(afterstates(player.game, rolled, player.replies)):
            reply = view(advance(player.replies, i * SIZE), STATE)
            value = judge(rolled, reply, 1 - seat, player, against, outcomes)
            if value > most:
                most, best[:] = value, outcomes
        total -= weight * most
        for k in range(OUTCOMES):
            expected[k] += np.float32(weight) * best[OUTCOMES - 1 - k]
    return total


@jit
def consider(s: Record, result: Record, seat: int, player: Any, worth: Any, outcomes: Any) -> float:
    """The value of a turn's result: what `judge` says, whose arguments these are, or one roll ahead with `ply`."""
    if player.ply and not has_ended(result) and not is_exact(result, player):
        return look_ahead(result, seat, player, -worth[::-1], outcomes)
    see_places(s, seat, player.network, player.known)
    return judge(s, result, seat, player, worth, outcomes)


@jit
def expect_at_cube(s: Record, player: Any, outcomes: Any) -> Any:
    """Write the outcomes for the seat that has just moved, at a decision about the cube; return its stakes."""
    seat = s.seat
    just_moved = 1 - seat if s.phase == OFFER else seat
    stake = stakes_of(s, seat, player.equities)
    if player.ply and not is_exact(s, player):
        look_ahead(s, just_moved, player, worths_of(s, 1 - just_moved, player), outcomes)
    else:
        see_places(s, just_moved, player.network, player.known)
        judge(s, s, just_moved, player, np.zeros(OUTCOMES), outcomes)
    return stake
