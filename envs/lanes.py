"""Many episodes side by side, compiled: what the vector environment runs on.

A *lane* is one environment: its game's state, and a record of everything else it must remember. Lanes do not affect
each other, and a lane's episodes are a function of its seed alone.
"""

import ctypes
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.batch import ILLEGAL, choose, nth_legal
from ludarium.envs.calls import FLOATS, INT8S, NUMBER, Calls, address
from ludarium.envs.chance import AGENTS, DEALING, LINE_UP, SEATING, bits, derive, draw, mix, scale, weighted
from ludarium.envs.episode import MOST_SKIPPED, check_choice, turn_never_comes
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_MOVES, MAX_OUTCOMES, MAX_SEATS, OVER, SEATS, STATE_SIZE, view
from ludarium.envs.opponents import LineUps, make_opponents
from ludarium.envs.options import IllegalAction
from ludarium.envs.policy import POLICY_COLUMNS, policy_rows
from ludarium.envs.position import Position

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
RUNNING, ENDED, TRUNCATED = 0, 1, 2
"""Codes of an episode."""
TURN_NEVER_COMES = 3
"""Code of a lane in which `MOST_SKIPPED` episodes in a row ended before the learner's first move."""
NO_SUCH_OUTCOME = 4
"""Code of a lane whose script asks for an outcome that is not possible."""
_NO_SCRIPT = 2**62  # more outcomes than any script prescribes


FRAME = np.dtype(
    [
        ("game", np.int64),  # addresses of arrays
        ("policies", np.int64),
        ("weights", np.int64),
        ("initial", np.int64),
        ("start", np.int64),
        ("script", np.int64),
        ("mask", np.int64),
        ("observation", np.int64),
        ("seen", np.int64),
        ("probabilities", np.int64),
        ("payoffs", np.int64),
        ("state", np.int64),  # where one lane plays alone
        ("lane", np.int64),
        ("line_ups", np.int64),  # numbers
        ("scripted", np.int64),
        ("seat_rule", np.int64),
        ("cooperative", np.int64),
        ("lowest", np.float64),
        ("highest", np.float64),
    ],
    align=True,
)
"""What all lanes share, as compiled loops take it."""


class Setting:
    """What all lanes share: the game, who plays the other seats, and scratch space. It owns what `FRAME` points to.

    Args:
        game: the game.
        line_ups: who plays the other seats.
        seat_rule: `RANDOM_SEAT`, `SELF_PLAY` or the learner's seat.

    Raises:
        ValueError: if an opponent is not compiled.
    """

    def __init__(self, game: Game, line_ups: LineUps, seat_rule: int) -> None:
        self.game, self.line_ups, self.seat_rule = game, line_ups, seat_rule
        self._opponents = [agent for seated in line_ups.seated for agent in seated]
        for agent in self._opponents:
            if agent.policy is None:
                raise ValueError(
                    f"the opponent {agent.name!r} is not compiled, so it cannot play inside the vector environment; "
                    'use gym.make_vec(..., vectorization_mode="sync")'
                )
        low, high = game.payoff_range
        self._frame = np.zeros(1, dtype=FRAME)
        self._arrays: dict[str, NDArray[Any]] = {}
        self._point(
            game=game.table,
            policies=policy_rows(game, [agent.policy for agent in self._opponents]),
            weights=line_ups.weights,
            initial=game.start().data,
            mask=np.zeros(game.actions, dtype=np.int8),
            observation=np.zeros(game.observation_size, dtype=np.int8),
            seen=np.zeros(game.view_size, dtype=np.uint8),
            probabilities=np.zeros(game.max_outcomes),
            payoffs=np.zeros(game.seats),
            lane=np.zeros(1, dtype=LANE),
        )
        self._frame[["line_ups", "seat_rule", "cooperative"]] = len(line_ups.weights), seat_rule, game.cooperative
        self._frame[["lowest", "highest"]] = low, high
        self.address, self._state, self.lane = address(self._frame), self._frame["state"], self._arrays["lane"]
        self.prescribed: tuple[Position | None, Sequence[int]] = None, ()

    def prescribe(self, start: Position | None, script: Sequence[int]) -> bool:
        """Set how the episodes that are to follow it begin; false if just as all others do.

        Args:
            start: the position that they start from; None for the game's own.
            script: their first chance outcomes.
        """
        self.prescribed = start, script
        self._point(start=(start or self.game.start()).data.copy(), script=np.asarray(script, dtype=np.int64))
        self._frame["scripted"] = len(script)
        return start is not None or bool(script)

    def play_in(self, position: Position) -> None:
        """Set the position of `one_lane`. Its bytes are held, so they cannot be resized, and stay where they are."""
        self._held = ctypes.c_char.from_buffer(position.buffer)
        self._state[0] = ctypes.addressof(self._held)

    def _point(self, **arrays: NDArray[Any]) -> None:
        for name, array in arrays.items():
            self._arrays[name] = array
            self._frame[name] = address(array) if array.size else 0

    def check(self, code: int) -> None:
        """Raise the error that a code stands for, if it is one.

        Raises:
            ValueError: if the learner's turn never comes, or an outcome or an opponent's action is not possible.
        """
        if code == TURN_NEVER_COMES:
            raise turn_never_comes(self.game)
        if code == NO_SUCH_OUTCOME:
            raise IllegalAction(f"{self.game.name}: the script asks for a chance outcome that is not possible there")
        if code >= ILLEGAL:
            name = self._opponents[code - ILLEGAL].name
            raise IllegalAction(f"{self.game.name}: the opponent {name!r} returned an action that is not legal")

    def __reduce__(self) -> Any:
        return Setting, (self.game, self.line_ups, self.seat_rule), self.prescribed

    def __setstate__(self, prescribed: tuple[Position | None, Sequence[int]]) -> None:
        self.prescribe(*prescribed)


def who_plays(game: Game, opponent: Any, seat: int | str, self_play: bool) -> tuple[LineUps, int]:
    """The line-ups and the seat rule that an environment's arguments ask for; see `ludarium.envs.single.GameEnv`.

    Raises:
        ValueError: for a seat that the game does not have, or an opponent that cannot be made.
    """
    check_choice("seat", seat, ("random", *range(game.seats)))
    if self_play:
        return LineUps([], np.ones(1), []), SELF_PLAY
    return make_opponents(opponent, game), RANDOM_SEAT if seat == "random" else int(seat)


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


@jit
def _advance(frame: Any, state: Any, lane: Any) -> int:
    """Let chance and the opponents move until it is the learner's turn; returns the state of the episode."""
    game, probabilities = kernels.at(frame.game, np.int64), kernels.at(frame.probabilities, np.float64)
    while True:
        seat = lane.turn = kernels.turn(game, state)
        if seat == OVER:
            return ENDED
        if seat == CHANCE:
            if lane.drawn < frame.scripted:
                outcome = kernels.at(frame.script, np.int64)[lane.drawn]
                count = min(kernels.outcomes(game, state, probabilities), game[MAX_OUTCOMES])
                if not (0 <= outcome < count and probabilities[outcome] > 0.0):
                    return NO_SUCH_OUTCOME
            else:
                outcome = draw(game, state, probabilities, lane.dealing)
            kernels.play(game, state, outcome)
            lane.drawn += 1
            continue
        if lane.plies >= game[MAX_MOVES]:
            return TRUNCATED
        if frame.seat_rule == SELF_PLAY or seat == lane.learner:
            return RUNNING
        row = lane.line_up * (game[SEATS] - 1) + (seat if seat < lane.learner else seat - 1)
        policy = kernels.pointer(kernels.at(frame.policies, np.int64), POLICY_COLUMNS * row)
        mask, observation = kernels.at(frame.mask, np.int8), kernels.at(frame.observation, np.int8)
        seen = kernels.at(frame.seen, np.uint8)
        action = choose(game, state, seat, policy, mask, observation, seen, lane.agents[seat])
        if action < 0:
            return ILLEGAL + row
        kernels.play(game, state, action)
        lane.plies += 1


@jit
def _begin(frame: Any, state: Any, lane: Any, prescribed: Any) -> int:
    """Start the lane's next episode that reaches a decision of the learner, as prescribed or not; returns its state."""
    start = kernels.at(frame.start if prescribed else frame.initial, np.uint8)
    game, payoffs = kernels.at(frame.game, np.int64), kernels.at(frame.payoffs, np.float64)
    weights = numba.carray(kernels.at(frame.weights, np.float64), (frame.line_ups,))
    for _ in range(MOST_SKIPPED):
        key = derive(lane.seed, lane.episode)
        lane.episode += 1
        for byte in range(game[STATE_SIZE]):
            state[byte] = start[byte]
        lane.dealing[0], lane.dealing[1] = derive(key, DEALING), 0
        for seat in range(game[SEATS] if frame.seat_rule != SELF_PLAY else 0):
            lane.agents[seat, 0], lane.agents[seat, 1] = derive(key, AGENTS + seat), 0
        lane.drawn = 0 if prescribed else _NO_SCRIPT
        lane.plies = 0
        lane.learner = frame.seat_rule
        if frame.seat_rule == RANDOM_SEAT:
            lane.learner = scale(mix(derive(key, SEATING)), game[SEATS])
        lane.line_up = weighted(weights, derive(key, LINE_UP)) if len(weights) > 1 else 0
        code = _advance(frame, state, lane)
        if code != ENDED and code != TRUNCATED:
            kernels.payoffs(game, state, payoffs)
            for seat in range(game[SEATS]):
                lane.returns[seat] = payoffs[seat]
            return code
    return TURN_NEVER_COMES


@jit
def _shown(frame: Any, lane: Any) -> int:
    """The seat whose view a lane shows: the learner; in self-play the seat to move or, at the end, the last actor."""
    if frame.seat_rule != SELF_PLAY:
        return lane.learner
    return lane.turn if lane.turn >= 0 else lane.actor


@jit
def _look(frame: Any, state: Any, lane: Any, views: Any, i: int) -> None:
    """Write what lane i shows."""
    seat = _shown(frame, lane)
    kernels.legal(frame.game, state, kernels.pointer(views.masks, i))
    kernels.observe(frame.game, state, seat, kernels.pointer(views.observations, i))
    views.seats[i] = seat


@jit
def reset_lanes(setting: int, states: Any, lanes: Any, which: Any, prescribed: Any, views: Any) -> int:
    """Begin new episodes in the lanes that `which` marks, as prescribed or not; returns 0 or an error code.

    The code is `TURN_NEVER_COMES`, or `ILLEGAL` + the number of the policy whose reply was not legal.
    """
    frame = view(setting, FRAME)
    for i in range(len(lanes)):
        if which[i]:
            state, lane = kernels.pointer(states, i), lanes[i]
            code = _begin(frame, state, lane, prescribed)
            if code != RUNNING:
                return code
            _look(frame, state, lane, views, i)
    return 0


@jit
def _step(frame: Any, state: Any, lane: Any, action: int, rewards: Any) -> int:
    """Play a legal action, and on to the learner's next decision; writes every seat's reward."""
    game, payoffs = kernels.at(frame.game, np.int64), kernels.at(frame.payoffs, np.float64)
    kernels.play(game, state, action)
    lane.plies += 1
    code = _advance(frame, state, lane)
    if code < ILLEGAL:
        kernels.payoffs(game, state, payoffs)
        for seat in range(game[SEATS]):
            rewards[seat] = payoffs[seat] - lane.returns[seat]
            lane.returns[seat] = payoffs[seat]
    return code


@jit
def step_lanes(
    setting: int, states: Any, lanes: Any, idle: Any, actions: Any, legal: Any, views: Any, outcome: Any
) -> int:
    """Step every lane that is not idle; returns 0, or `ILLEGAL` + the number of the policy whose reply was not legal.

    Args:
        setting: the address of the setting.
        states: the states, shape (lanes, state size).
        lanes: shape (lanes,) of `LANE`.
        idle: shape (lanes,) bool; nothing happens in these, and nothing is written of them but that they gain nothing.
        actions: shape (lanes,).
        legal: the masks by which actions are judged.
        views: the `Views` to fill.
        outcome: the `Outcome` to fill.
    """
    frame = view(setting, FRAME)
    game = kernels.at(frame.game, np.int64)
    for i in range(len(lanes)):
        state, lane, action = kernels.pointer(states, i), lanes[i], actions[i]
        rewards = kernels.pointer(outcome.all_rewards, i)
        if idle[i]:
            for seat in range(game[SEATS]):
                rewards[seat] = 0.0
            outcome.rewards[i], outcome.signs[i] = 0.0, 1
            outcome.terminated[i] = outcome.truncated[i] = False
            continue
        lane.actor = lane.turn
        if 0 <= action < game[ACTIONS] and legal[i, action]:
            code = _step(frame, state, lane, action, rewards)
            if code >= ILLEGAL:
                return code
        else:  # the minimum return, and the maximum for the opponent
            code = lane.turn = OVER
            for seat in range(game[SEATS]):
                end = frame.lowest if frame.cooperative or seat == lane.actor else frame.highest
                rewards[seat], lane.returns[seat] = end - lane.returns[seat], end
        outcome.rewards[i] = rewards[lane.actor]
        outcome.terminated[i] = lane.turn == OVER
        outcome.truncated[i] = code == TRUNCATED
        _look(frame, state, lane, views, i)
        outcome.signs[i] = 1 if frame.cooperative or views.seats[i] == lane.actor else -1
    return 0


BEGIN, BEGIN_AS_PRESCRIBED = -1, -2
"""What `step` of `one_lane` takes in place of an action."""


@jit
def _step_one(frame: Any, state: Any, lane: Any, action: Any, rewards: Any) -> int:
    if action < 0:
        code = _begin(frame, state, lane, action == BEGIN_AS_PRESCRIBED)
    else:
        game, mask = kernels.at(frame.game, np.int64), kernels.at(frame.mask, np.int8)
        kernels.legal(game, state, mask)
        if not (action < game[ACTIONS] and mask[action]):
            return -1
        lane.actor = lane.turn
        code = _step(frame, state, lane, action, kernels.pointer(rewards, 0))
    return 16 * code + lane.turn + 2


def _play_on(setting: Any, action: Any, rewards: Any) -> int:
    frame = view(setting, FRAME)
    return _step_one(frame, kernels.at(frame.state, np.uint8), view(frame.lane, LANE), action, rewards)


def _play_on_and_look(setting: Any, action: Any, rewards: Any, mask: Any, seen: Any) -> int:
    frame = view(setting, FRAME)
    state, lane = kernels.at(frame.state, np.uint8), view(frame.lane, LANE)
    answer = _step_one(frame, state, lane, action, rewards)
    if answer >= 0:
        kernels.legal(frame.game, state, mask)
        kernels.observe(frame.game, state, _shown(frame, lane), seen)
    return answer


@functools.cache
def one_lane(dimensions: int, opponents: bool) -> Calls:
    """One lane as Python plays it: `step(setting, action, rewards)`, and `step_and_look(…, mask, observation)`.

    They take the address of the setting, and return 16 · code + turn + 2, or -1 for an action that is not legal; then
    nothing has changed.

    Args:
        dimensions: of the observation.
        opponents: whether there are some. They may search for long, so other threads go on meanwhile.
    """
    takes, seen = (NUMBER, NUMBER, FLOATS), types.Array(types.int8, dimensions, "C")
    return Calls(
        {"step": (_play_on, NUMBER(*takes)), "step_and_look": (_play_on_and_look, NUMBER(*takes, INT8S, seen))},
        nogil=opponents,
    )


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
