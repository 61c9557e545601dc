"""The player of backgammon that a network becomes, compiled.

It adds what a network need not know: positions with all checkers at home come from tables, the score and the cube
decide what an outcome is worth, and it may look one roll ahead.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.bearoff import BEAROFF, bearoff, is_home, outcomes_of_race
from ludarium.agents.backgammon.cube import (
    MOST_NEEDED,
    dead_cube,
    doubled,
    match_equities,
    on_roll,
    should_double,
    should_take,
    stakes_of,
    with_cube,
    worths,
)
from ludarium.agents.backgammon.cube import after as after_game
from ludarium.agents.backgammon.network import OUTCOMES, Network, has_ended, put_out, see, see_change, see_places
from ludarium.agents.backgammon.pubeval import ALL_OFF
from ludarium.agents.compiled.blocks import pack, table
from ludarium.agents.values.evaluations import Evaluation
from ludarium.agents.values.opinions import Odds, best_turns
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.backgammon.rules import (
    ANSWER,
    DOUBLE,
    DROP,
    MOVING,
    OFFER,
    OPENING,
    ROLL,
    SECOND_HALF,
    STATE,
    TAKE,
    is_race,
    stakes,
)
from ludarium.envs.backgammon.turns import MAX_AFTERSTATES, SCRATCH_SIZE, SIZE, copy, step_toward
from ludarium.envs.game import Game, Position, address
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Floats, Record, advance, afterstates, local, view
from ludarium.envs.opinions import SCORE, Opinion, Opinions
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

_HALF = OUTCOMES // 2
_CANDIDATES = 8
"""The maximum number of results that are looked at one roll ahead."""
_MARGIN = 0.16
"""How much less than the best one they may seem to be worth; a single game is worth 1."""
ODDS = ("win", "win a gammon", "win a backgammon", "lose a gammon", "lose a backgammon")
"""What the odds are called that go with opinions."""

_BLOCK = np.dtype(
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


def plays(learned: str, game: Game) -> bool:
    """Whether a network plays a game: the variant that it has learned from, with or without the cube, and matches."""
    return game.name == "backgammon" and make_game(learned).options["variant"] == game.options["variant"]


def network_policy(
    game: Game, network: Network, *, race: Network | None = None, ply: int = 0, cube: bool = True, races: bool = True
) -> Policy:
    """The player that takes the turn whose result is worth most at the score, and doubles and takes by the outcomes.

    A network with one output knows nothing about the cube: then the player never doubles, and takes every double.

    Args:
        game: backgammon, with any options.
        network: the network.
        race: another one with the same inputs of places, outputs and activation, for positions after the two sides have
            passed each other.
        ply: 1 to look at the opponent's best answers to all rolls before choosing between good results, else 0.
        cube: double and drop, if the game has the cube.
        races: take the outcomes of positions with all checkers at home from tables in place of the network.

    Raises:
        ValueError: for any other game than backgammon, or another `ply`, or if the network has one output and ply is 1.
    """
    if not isinstance(game, Backgammon):
        raise ValueError(f"this network plays backgammon, not {game.name}")
    outputs = network.output.shape[1]
    if type(ply) is not int or ply not in (0, 1):
        raise ValueError(f"backgammon: ply must be 0 or 1, not {ply!r}")
    if ply and outputs != OUTCOMES:
        raise ValueError(
            "backgammon: ply=1 needs the probabilities of outcomes, and this network has a score; use ply=0"
        )
    numbers = {
        "inputs": len(network.hidden) - 1,
        "each": network.values.shape[2],
        "threats": network.threats,
        "units": network.hidden.shape[1],
        "outputs": outputs,
        "activation": network.activation,
        "ply": ply,
        "cube": cube and outputs == OUTCOMES,
        "races": address(bearoff()) if races else 0,
        "race_inputs": len((race or network).hidden) - 1,
        "race_threats": (race or network).threats,
        "race_units": 0 if race is None else race.hidden.shape[1],
    }
    tables: dict[str, NDArray[Any]] = {
        "columns": network.columns,
        "values": network.values,
        "hidden": network.hidden,
        "output": network.output,
        "race_hidden": network.hidden[:, :0] if race is None else race.hidden,
        "race_output": network.output[:0] if race is None else race.output,
        "equities": match_equities(game.options["crawford"]),
        "results": np.zeros(MAX_AFTERSTATES * SIZE, dtype=np.uint8),
        "replies": np.zeros(MAX_AFTERSTATES * SIZE * ply, dtype=np.uint8),
        "rolled": np.zeros(SIZE, dtype=np.uint8),
        "scratch": np.zeros(SCRATCH_SIZE, dtype=np.uint8),
    }
    block = pack(_BLOCK, numbers, tables)
    return Policy(_choose, _BLOCK, block, needs_state=True, judge=lambda position, stream: _opinions(position, block))


def network_evaluation(policy: Policy) -> Evaluation:
    """What positions are worth to the player that `network_policy` made, for other players that look ahead.

    The value is the payoff expected without doubling: of the points of the game, or from -1 to 1 of winning the match.
    The networks judge the ends of turns; so dice that are rolled already count for nothing, and half a double as the
    whole.

    Raises:
        ValueError: if its network does not know outcomes.
    """
    if policy.function is not _choose or _outputs(policy) != OUTCOMES:
        raise ValueError("backgammon: only a network that knows outcomes says what positions are worth")
    assert policy.block is not None
    whole = np.zeros(-(-len(policy.block) // 8) * 8, dtype=np.uint8)
    whole[: len(policy.block)] = policy.block
    return Evaluation(_expected_payoff, whole.view(np.float64), expects=float)


def _expected_payoff(s: Record, seat: int, weights: Floats) -> float:
    block = view(weights, _BLOCK)
    player, outcomes = _player(block.columns, block), np.empty(OUTCOMES, dtype=np.float32)  # it needs no game
    just_moved = s.seat if s.phase == SECOND_HALF or s.phase == ANSWER else 1 - s.seat
    stake, value = stakes_of(s, just_moved, player.equities), 0.0
    if s.phase == OPENING:
        value = after_game(stake, 0)
    else:
        see_places(s, just_moved, player.network, player.known)
        _judge(s, s, just_moved, player, np.zeros(OUTCOMES), outcomes)
        plain = stake.jacoby and s.owner < 0
        for k in range(OUTCOMES):
            points = k - _HALF if k < _HALF else k - _HALF + 1
            counted = (int(np.sign(points)) if plain else points) << s.cube
            value += outcomes[k] * after_game(stake, counted)
    if stake.needs:
        value = 2.0 * value - 1.0
    return value if seat == just_moved else -value


def _opinions(position: Position, block: NDArray[np.uint8]) -> Opinions | None:
    """What a network expects of each action, in the unit of the game; as its own score if it knows no outcomes."""
    game, data, outcomes, values = position.game, block.copy(), np.zeros(OUTCOMES, dtype=np.float32), np.zeros(2)
    numbers, mask = data[: _BLOCK.itemsize].view(_BLOCK)[0], position.action_mask()
    knows, depth = numbers["outputs"] == OUTCOMES, 1 + int(numbers["ply"])
    about_cube = position.record.phase in (OFFER, ANSWER)
    if about_cube and not numbers["cube"]:
        return None

    def weigh(result: Position) -> tuple[float, Odds]:
        value = float(_weigh(game.table, position.data, data, result.data, outcomes, values))
        return (_counted(game, values[0]), _odds(outcomes)) if knows else (value, ())

    if about_cube:
        _weigh_cube(game.table, position.data, data, outcomes, values)
        found = (Opinion(a, _counted(game, values[int(a in (DOUBLE, DROP))])) for a in position.legal_actions())
        moves = tuple(replace(opinion, depth=depth, odds=_odds(outcomes)) for opinion in found)
    else:
        moves = tuple(replace(opinion, depth=depth) for opinion in best_turns(position, weigh))
    draws = np.zeros(2, dtype=np.uint64)  # it draws none
    played = Policy(_choose, _BLOCK, data).choose(game, position.data, mask, mask, draws)
    return Opinions(game.unit if knows else SCORE, moves, played)


def _counted(game: Game, value: float) -> float:
    """Points as they are, and chances of winning the match in percent."""
    return 100.0 * float(value) if game.options["match_length"] else float(value)


def _odds(outcomes: NDArray[np.float32]) -> Odds:
    """The probabilities of winning or losing at least so much."""
    sums = [float(outcomes[k:].sum()) for k in range(_HALF, OUTCOMES)]
    sums += [float(outcomes[:k].sum()) for k in range(_HALF - 1, 0, -1)]
    return tuple(zip(ODDS, sums, strict=True))


def judge_results(
    game: Game, policy: Policy, positions: NDArray[np.int8], dice: NDArray[np.int8], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The points that a network's player expects of each result of decisions, shape (m,); see `judge_outcomes`."""
    return _judged(game, policy, positions, dice, offsets)[0]


def judge_outcomes(
    game: Game, policy: Policy, positions: NDArray[np.int8], dice: NDArray[np.int8], offsets: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The outcomes that a network's player expects of each result of decisions, shape (m, 6).

    Args:
        game: backgammon without the cube.
        policy: what `network_policy` made of a network with six outputs; with `ply=1` it looks one roll ahead.
        positions: see `ludarium.envs.backgammon.decisions.Decisions`, as the others.
        dice: the dice.
        offsets: where the results of each decision begin and end.

    Raises:
        ValueError: if it is another player.
    """
    return _judged(game, policy, positions, dice, offsets)[1]


def _judged(
    game: Game, policy: Policy, positions: NDArray[np.int8], dice: NDArray[np.int8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The points and the outcomes that are expected of each result."""
    if policy.function is not _choose or _outputs(policy) != OUTCOMES:
        raise ValueError("backgammon: a judge must be a network that knows outcomes, such as expert or td:RUN")
    found = np.zeros(offsets[-1]), np.zeros((offsets[-1], OUTCOMES), dtype=np.float32)
    assert policy.block is not None
    _judge_results(game.table, policy.block, positions, dice, offsets, found)
    return found


def _outputs(policy: Policy) -> int:
    assert policy.block is not None
    return int(policy.block[: _BLOCK.itemsize].view(_BLOCK)["outputs"][0])


@jit
def _weigh(game: Any, state: Any, data: Any, result: Any, outcomes: Any, values: Any) -> float:
    """The value of one result of a turn, as the player compares them.

    Write the outcomes that are expected, and first among the values what they are worth in the game or match.
    """
    s, after, player = view(state, STATE), view(result, STATE), _player(game, view(data, _BLOCK))
    worth = _worths(s, s.seat, player)
    if player.ply and not has_ended(after) and not _is_exact(after, player):
        value = _expect(after, s.seat, player, -worth[::-1], outcomes)
    else:
        see_places(s, s.seat, player.network, player.known)
        value = _judge(s, after, s.seat, player, worth, outcomes)
    if player.network.output.shape[1] == 1:
        return ALL_OFF if has_ended(after) else value
    values[0] = _worth_with_cube(s, after, player, outcomes) if player.cube else _worth_without(s, player, outcomes)
    return value


@jit
def _worth_without(s: Record, player: Any, outcomes: Any) -> float:
    """What outcomes are worth to the seat to move, in points or winning chances, if the cube is not turned again."""
    return dead_cube(stakes_of(s, s.seat, player.equities), outcomes, s.cube, _owner(s, s.seat))


@jit
def _worth_with_cube(s: Record, result: Record, player: Any, outcomes: Any) -> float:
    """The same with the cube, for the result of a turn: the other seat, who is next, may double if it may."""
    other = 1 - s.seat
    if not s.has_cube or has_ended(result):
        return _worth_without(s, player, outcomes)
    if result.phase != OFFER:
        return with_cube(stakes_of(s, s.seat, player.equities), outcomes, s.cube, _owner(s, s.seat))
    theirs = on_roll(stakes_of(s, other, player.equities), outcomes[::-1].copy(), s.cube, _owner(s, other))
    return 1.0 - theirs if s.match_length > 0 else -theirs


@jit
def _owner(s: Record, seat: int) -> int:
    """Who owns the cube, as in `with_cube`."""
    return -1 if s.owner < 0 else int(s.owner == seat)


@jit
def _weigh_cube(game: Any, state: Any, data: Any, outcomes: Any, values: Any) -> None:
    """Write what it is worth to leave the cube, or take it; and to double, or drop; and the outcomes expected."""
    s, player = view(state, STATE), _player(game, view(data, _BLOCK))
    stake = _expected_outcomes(s, player, outcomes)
    if s.phase == ANSWER:
        values[0], values[1] = with_cube(stake, outcomes, s.cube + 1, 1), after_game(stake, -(1 << s.cube))
        return
    outcomes[:] = outcomes[::-1].copy()
    values[0] = with_cube(stake, outcomes, s.cube, _owner(s, s.seat))
    values[1] = doubled(stake, outcomes, s.cube)


@jit
def _judge_results(game: Any, data: Any, positions: Any, dice: Any, offsets: Any, found: Any) -> None:
    values, odds = found
    block, s = view(data, _BLOCK), local(STATE)
    results = advance(block, block.results)
    player, outcomes, against = _player(game, block), np.empty(OUTCOMES, dtype=np.float32), np.empty(OUTCOMES)
    for number in range(len(positions)):
        set_up(s, positions[number])
        s.dice[0], s.dice[1], s.phase = dice[number, 0], dice[number, 1], MOVING
        worth = _worths(s, 0, player)
        for k in range(OUTCOMES):
            against[k] = -worth[OUTCOMES - 1 - k]
        for i in range(afterstates(game, s, results)):
            result = view(advance(results, i * SIZE), STATE)
            if player.ply and not has_ended(result) and not _is_exact(result, player):
                value = _expect(result, 0, player, against, outcomes)
            else:
                see_places(s, 0, player.network, player.known)
                value = _judge(s, result, 0, player, worth, outcomes)
            values[offsets[number] + i] = value
            odds[offsets[number] + i] = outcomes


class _Player(NamedTuple):
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
def _player(game: Any, block: Any) -> Any:
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
    return _Player(
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


def _choose(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    s = view(state, STATE)
    if s.phase == OFFER or s.phase == ANSWER:
        if not block.cube:
            return ROLL if s.phase == OFFER else TAKE
        return _decide_cube(s, _player(game, block))
    results = advance(block, block.results)
    best = _best_result(s, results, _player(game, block))
    return step_toward(s, view(advance(results, best * SIZE), STATE), advance(block, block.scratch))


@jit
def _decide_cube(s: Record, player: Any) -> int:
    """Roll or double, take or drop, by the outcomes expected before the roll."""
    outcomes = np.empty(OUTCOMES, dtype=np.float32)
    stake = _expected_outcomes(s, player, outcomes)
    if s.phase == ANSWER:
        return TAKE if should_take(stake, outcomes, s.cube) else DROP
    return DOUBLE if should_double(stake, outcomes[::-1].copy(), s.cube, _owner(s, s.seat)) else ROLL


@jit
def _expected_outcomes(s: Record, player: Any, outcomes: Any) -> Any:
    """Write the outcomes for the seat that has just moved, at a decision about the cube; return its stakes."""
    seat = s.seat
    just_moved = 1 - seat if s.phase == OFFER else seat
    stake = stakes_of(s, seat, player.equities)
    if player.ply and not _is_exact(s, player):
        _expect(s, just_moved, player, _worths(s, 1 - just_moved, player), outcomes)
    else:
        see_places(s, just_moved, player.network, player.known)
        _judge(s, s, just_moved, player, np.zeros(OUTCOMES), outcomes)
    return stake


@jit
def _worths(s: Record, seat: int, player: Any) -> Any:
    """What the outcomes are worth to a seat, shape (6,)."""
    found = np.empty(OUTCOMES)
    worths(stakes_of(s, seat, player.equities), s.cube, s.owner, found)
    return found


@jit
def _is_exact(s: Record, player: Any) -> bool:
    """Whether the outcomes of a position are in the tables."""
    return player.races != 0 and is_home(s, 0) and is_home(s, 1)


@jit
def _judge(s: Record, result: Record, seat: int, player: Any, values: Any, outcomes: Any) -> float:
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
        for k in range(OUTCOMES):
            outcomes[k] = k == won
    elif _is_exact(result, player) and (outputs == OUTCOMES or _is_exact(s, player)):
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
def _best_result(s: Record, results: Any, player: Any) -> int:
    """The number of the turn's most valuable result, the first among equals."""
    count, values = afterstates(player.game, s, results), _worths(s, s.seat, player)
    judged, outcomes = np.empty(count), np.empty(OUTCOMES, dtype=np.float32)
    see_places(s, s.seat, player.network, player.known)
    for i in range(count):
        result = view(advance(results, i * SIZE), STATE)
        if has_ended(result):
            return i  # every other result of this turn wins as much
        judged[i] = _judge(s, result, s.seat, player, values, outcomes)
    best = _first_best(judged)
    floor, most, candidates = judged[best] - _MARGIN, -np.inf, 0
    for i in range(count):
        candidates += judged[i] >= floor
    if player.ply == 0 or candidates == 1:
        return best
    against = np.empty(OUTCOMES)
    for k in range(OUTCOMES):
        against[k] = -values[OUTCOMES - 1 - k]
    for _ in range(min(candidates, _CANDIDATES)):
        i = _first_best(judged)
        result, value = view(advance(results, i * SIZE), STATE), judged[i]
        if not _is_exact(result, player):
            value = _expect(result, s.seat, player, against, outcomes)
        if value > most:
            best, most = i, value
        judged[i] = -np.inf
    return best


@jit
def _first_best(values: Any) -> int:
    best = 0
    for i in range(1, len(values)):
        if values[i] > values[best]:
            best = i
    return best


@jit
def _expect(s: Record, seat: int, player: Any, against: Any, expected: Any) -> float:
    """The value of a position to the seat that has just moved, one roll ahead; write the outcomes that are expected.

    Args:
        s: the position before the other seat's roll.
        seat: the seat.
        player: the player; what it knows of the turn before is lost.
        against: shape (6,): what the outcomes are worth to the other seat, who takes the best turn for each roll.
        expected: shape (6,).
    """
    outcomes, best = np.empty(OUTCOMES, dtype=np.float32), np.empty(OUTCOMES, dtype=np.float32)
    total = 0.0
    for k in range(OUTCOMES):
        expected[k] = 0.0
    see_places(s, 1 - seat, player.network, player.known)
    for low in range(1, 7):
        for high in range(low, 7):
            copy(player.rolled, advance(s, 0))
            rolled = view(player.rolled, STATE)
            rolled.dice[0], rolled.dice[1], rolled.phase, rolled.seat = low, high, MOVING, 1 - seat
            most = -np.inf
            for i in range(afterstates(player.game, rolled, player.replies)):
                reply = view(advance(player.replies, i * SIZE), STATE)
                value = _judge(rolled, reply, 1 - seat, player, against, outcomes)
                if value > most:
                    most = value
                    for k in range(OUTCOMES):
                        best[k] = outcomes[k]
            weight = 1 / 36 if low == high else 2 / 36
            total -= weight * most
            for k in range(OUTCOMES):
                expected[k] += np.float32(weight) * best[OUTCOMES - 1 - k]
    return total
