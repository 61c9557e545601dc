"""Many episodes side by side, compiled: what the vector environment runs on.

A *lane* is one environment: its game's state, and a record of everything else it must remember. Lanes do not affect
each other, and a lane's episodes are a function of its seed alone.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.batch import ILLEGAL, choose, draw, nth_legal
from ludarium.envs.chance import AGENTS, DEALING, LINE_UP, SEATING, bits, derive, mix, scale, weighted
from ludarium.envs.episode import MOST_SKIPPED
from ludarium.envs.jit import jit
from ludarium.envs.kernels import (
    ACTIONS,
    CHANCE,
    MAX_MOVES,
    MAX_SEATS,
    OVER,
    SEATS,
    STATE_SIZE,
)
from ludarium.envs.policy import POLICY_COLUMNS

LANE = np.dtype(
    [
        ("seed", np.uint64),
        ("episode", np.int64),  # number of the next episode
        ("dealing", np.uint64, (2,)),  # stream of the chance nodes
        ("agents", np.uint64, (MAX_SEATS, 2)),  # streams of the opponents
        ("drawn", np.int64),  # chance outcomes so far, for the script
        ("plies", np.int64),
        ("learner", np.int64),  # the learner's seat
        ("line_up", np.int64),  # which opponents play
        ("turn", np.int64),  # the seat to move, or OVER
        ("actor", np.int64),  # the seat that acted last
        ("returns", np.float64, (MAX_SEATS,)),
    ],
    align=True,
)
"""What a lane remembers in addition to its game's state."""

RANDOM_SEAT, SELF_PLAY = -1, -2
"""Seat rules; any other value is the learner's seat."""
_RUNNING, _OVER, _TRUNCATED = 0, 1, 2
TURN_NEVER_COMES = 3
"""Code of a lane in which `MOST_SKIPPED` episodes in a row ended before the learner's first move."""
_NO_SCRIPT = 2**62  # more outcomes than any script prescribes


class Setting(NamedTuple):
    """What all lanes share: see `ludarium.envs.single.GameEnv` for the meanings."""

    game: NDArray[np.int64]
    policies: NDArray[np.int64]  # rows of `policy_rows`: of each line-up, those for the other seats in order
    weights: NDArray[np.float64]  # of the line-ups
    seat_rule: int
    lowest: float
    highest: float
    cooperative: bool
    mask: NDArray[np.int8]  # from here on scratch space, sized for the game
    observation: NDArray[np.int8]
    seen: NDArray[np.uint8]  # a view
    probabilities: NDArray[np.float64]
    payoffs: NDArray[np.float64]


class Views(NamedTuple):
    """What each lane shows: one seat, with its mask and its observation."""

    masks: NDArray[np.int8]  # (lanes, actions)
    observations: NDArray[np.int8]  # (lanes, observation size)
    seats: NDArray[np.int64]  # (lanes,)


class Outcome(NamedTuple):
    """The results of a step, per lane."""

    rewards: NDArray[np.float64]  # (lanes,) of the seat that acted
    all_rewards: NDArray[np.float64]  # (lanes, seats)
    signs: NDArray[np.int64]  # (lanes,)
    terminated: NDArray[np.bool_]  # (lanes,)
    truncated: NDArray[np.bool_]  # (lanes,)


class _Frame(NamedTuple):
    """A setting inside a compiled loop; what every move needs as C arrays, which cost nothing to pass on."""

    game: Any
    policies: Any
    weights: Any
    seat_rule: int
    script: Any
    scripted: int  # length of the script
    mask: Any  # scratch
    observation: Any
    seen: Any
    probabilities: Any
    payoffs: Any


@jit
def _frame(setting: Any, script: Any) -> Any:
    return _Frame(
        kernels.pointer(setting.game, 0),
        kernels.pointer(setting.policies, 0),
        setting.weights,
        setting.seat_rule,
        kernels.pointer(script, 0),
        len(script),
        kernels.pointer(setting.mask, 0),
        kernels.pointer(setting.observation, 0),
        kernels.pointer(setting.seen, 0),
        kernels.pointer(setting.probabilities, 0),
        kernels.pointer(setting.payoffs, 0),
    )


@jit
def _advance(frame: Any, state: Any, lane: Any) -> int:
    """Let chance and the opponents move until it is the learner's turn; returns the state of the episode."""
    game = frame.game
    while True:
        seat = lane.turn = kernels.turn(game, state)
        if seat == OVER:
            return _OVER
        if seat == CHANCE:
            if lane.drawn < frame.scripted:
                outcome = frame.script[lane.drawn]
            else:
                outcome = draw(game, state, frame.probabilities, lane.dealing)
            kernels.play(game, state, outcome)
            lane.drawn += 1
            continue
        if lane.plies >= game[MAX_MOVES]:
            return _TRUNCATED
        if frame.seat_rule == SELF_PLAY or seat == lane.learner:
            return _RUNNING
        row = lane.line_up * (game[SEATS] - 1) + (seat if seat < lane.learner else seat - 1)
        policy = kernels.pointer(frame.policies, POLICY_COLUMNS * row)
        action = choose(game, state, seat, policy, frame.mask, frame.observation, frame.seen, lane.agents[seat])
        if action < 0:
            return ILLEGAL + row
        kernels.play(game, state, action)
        lane.plies += 1


@jit
def _begin(frame: Any, state: Any, lane: Any, start: Any) -> int:
    """Start the lane's next episode that reaches a decision of the learner; returns its state."""
    game = frame.game
    for _ in range(MOST_SKIPPED):
        key = derive(lane.seed, lane.episode)
        lane.episode += 1
        for byte in range(game[STATE_SIZE]):
            state[byte] = start[byte]
        lane.dealing[0], lane.dealing[1] = derive(key, DEALING), 0
        for seat in range(game[SEATS] if frame.seat_rule != SELF_PLAY else 0):
            lane.agents[seat, 0], lane.agents[seat, 1] = derive(key, AGENTS + seat), 0
        lane.drawn = 0 if frame.scripted > 0 else _NO_SCRIPT
        lane.plies = 0
        lane.learner = frame.seat_rule
        if frame.seat_rule == RANDOM_SEAT:
            lane.learner = scale(mix(derive(key, SEATING)), game[SEATS])
        lane.line_up = weighted(frame.weights, derive(key, LINE_UP)) if len(frame.weights) > 1 else 0
        code = _advance(frame, state, lane)
        if code == _RUNNING or code >= ILLEGAL:
            kernels.payoffs(game, state, frame.payoffs)
            for seat in range(game[SEATS]):
                lane.returns[seat] = frame.payoffs[seat]
            return code
    return TURN_NEVER_COMES


@jit
def _look(frame: Any, state: Any, lane: Any, mask: Any, observation: Any) -> int:
    """Write the mask and the observation of the seat that is shown; returns that seat."""
    seat = lane.learner
    if frame.seat_rule == SELF_PLAY:
        seat = lane.turn if lane.turn >= 0 else lane.actor
    kernels.legal(frame.game, state, mask)
    kernels.observe(frame.game, state, seat, observation)
    return seat


@jit
def reset_lanes(setting: Any, states: Any, lanes: Any, which: Any, start: Any, script: Any, views: Any) -> int:
    """Begin new episodes in the lanes that `which` marks; returns 0 or an error code.

    The code is `TURN_NEVER_COMES`, or `ILLEGAL` + the number of the policy whose reply was not legal.
    """
    frame = _frame(setting, script)
    first = kernels.pointer(start, 0)
    for i in range(len(lanes)):
        if which[i]:
            state, lane = kernels.pointer(states, i), lanes[i]
            code = _begin(frame, state, lane, first)
            if code != _RUNNING:
                return code
            views.seats[i] = _look(
                frame, state, lane, kernels.pointer(views.masks, i), kernels.pointer(views.observations, i)
            )
    return 0


@jit
def step_lanes(
    setting: Any, states: Any, lanes: Any, actions: Any, legal: Any, script: Any, views: Any, outcome: Any
) -> int:
    """Step every lane, `legal` being the current masks; returns 0, or `ILLEGAL` + the policy that went wrong."""
    game, payoffs = setting.game, setting.payoffs
    frame = _frame(setting, script)
    for i in range(len(lanes)):
        state, lane, action = kernels.pointer(states, i), lanes[i], actions[i]
        lane.actor = lane.turn
        if 0 <= action < game[ACTIONS] and legal[i, action]:
            kernels.play(game, state, action)
            lane.plies += 1
            code = _advance(frame, state, lane)
            if code >= ILLEGAL:
                return code
            kernels.payoffs(game, state, payoffs)
        else:  # the minimum return, and the maximum for the opponent
            code = lane.turn = OVER
            for seat in range(game[SEATS]):
                payoffs[seat] = setting.lowest if setting.cooperative or seat == lane.actor else setting.highest
        for seat in range(game[SEATS]):
            outcome.all_rewards[i, seat] = payoffs[seat] - lane.returns[seat]
            lane.returns[seat] = payoffs[seat]
        outcome.rewards[i] = outcome.all_rewards[i, lane.actor]
        outcome.terminated[i] = lane.turn == OVER
        outcome.truncated[i] = code == _TRUNCATED
        views.seats[i] = _look(
            frame, state, lane, kernels.pointer(views.masks, i), kernels.pointer(views.observations, i)
        )
        outcome.signs[i] = 1 if setting.cooperative or views.seats[i] == lane.actor else -1
    return 0


@jit
def _random_actions(masks: Any, stream: Any, out: Any) -> None:
    for i in range(len(masks)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action]
        out[i] = nth_legal(masks[i], count, bits(stream)) if count > 0 else 0


def random_actions(masks: NDArray[np.int8], stream: NDArray[np.uint64]) -> NDArray[np.int64]:
    """A uniformly random legal action for each row of masks, shape (n, actions); 0 where a row has none."""
    out = np.empty(len(masks), dtype=np.int64)
    _random_actions(masks, stream, out)
    return out
