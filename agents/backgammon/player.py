"""The player of backgammon that a network becomes, compiled.

It adds what a network need not know: positions with all checkers at home come from tables, the score and the cube
decide what an outcome is worth, and it may look one roll ahead.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.bearoff import bearoff
from ludarium.agents.backgammon.cube import leave_cube, match_equities, owner_of, should_double, should_take
from ludarium.agents.backgammon.judge import BLOCK, expect_at_cube, is_exact, judge, look_ahead, player_of, worths_of
from ludarium.agents.backgammon.network import OUTCOMES, Network, has_ended, see_places
from ludarium.agents.backgammon.opinions import opinions
from ludarium.agents.compiled.blocks import pack
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.rules import ANSWER, DOUBLE, DROP, OFFER, ROLL, STATE, TAKE
from ludarium.envs.backgammon.turns import MAX_AFTERSTATES, SCRATCH_SIZE, SIZE, step_toward
from ludarium.envs.calls import address
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, advance, afterstates, view
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

_CANDIDATES = 8
"""The maximum number of results that are looked at one roll ahead."""
_MARGIN = 0.16
"""How much less than the best one they may seem to be worth; a single game is worth 1."""


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
    policy = Policy(choose, BLOCK, pack(BLOCK, numbers, tables), needs_state=True)
    return replace(policy, judge=lambda position, stream: opinions(position, policy))


def choose(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The action of such a player; the function of its policy."""
    s = view(state, STATE)
    if s.phase == OFFER or s.phase == ANSWER:
        if not block.cube:
            return leave_cube(s)
        return _decide_cube(s, player_of(game, block))
    results = advance(block, block.results)
    best = _best_result(s, results, player_of(game, block))
    return step_toward(s, view(advance(results, best * SIZE), STATE), advance(block, block.scratch))


@jit
def _decide_cube(s: Record, player: Any) -> int:
    """Roll or double, take or drop, by the outcomes expected before the roll."""
    outcomes = np.empty(OUTCOMES, dtype=np.float32)
    stake = expect_at_cube(s, player, outcomes)
    if s.phase == ANSWER:
        return TAKE if should_take(stake, outcomes, s.cube) else DROP
    return DOUBLE if should_double(stake, outcomes[::-1].copy(), s.cube, owner_of(s, s.seat)) else ROLL


@jit
def _best_result(s: Record, results: Any, player: Any) -> int:
    """The number of the turn's most valuable result, the first among equals."""
    count, values = afterstates(player.game, s, results), worths_of(s, s.seat, player)
    judged, outcomes = np.empty(count), np.empty(OUTCOMES, dtype=np.float32)
    see_places(s, s.seat, player.network, player.known)
    for i in range(count):
        result = view(advance(results, i * SIZE), STATE)
        if has_ended(result):
            return i  # every other result of this turn wins as much
        judged[i] = judge(s, result, s.seat, player, values, outcomes)
    best = _first_best(judged)
    floor, most, candidates = judged[best] - _MARGIN, -np.inf, 0
    for i in range(count):
        candidates += judged[i] >= floor
    if player.ply == 0 or candidates == 1:
        return best
    against = -values[::-1]
    for _ in range(min(candidates, _CANDIDATES)):
        i = _first_best(judged)
        result, value = view(advance(results, i * SIZE), STATE), judged[i]
        if not is_exact(result, player):
            value = look_ahead(result, s.seat, player, against, outcomes)
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
