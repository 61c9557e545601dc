"""Play with the networks of wildbg, an open backgammon engine by Carsten Wenderdel, without looking ahead.

Bring its two networks, `contact` and `race`, as `.onnx` files (`pip install onnxruntime`) or as arrays in `.npz` files:

    ludarium match backgammon "examples/wildbg.py:Wildbg?contact=contact.onnx&race=race.onnx" expert --pairs 500

An `.npz` file has `weights_0`, `biases_0`, `weights_1`, …, one pair for each layer, weights of shape (inputs, outputs);
and `activation`, `relu` or `hardsigmoid`, which follows every layer but the last.
"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent
from ludarium.envs.backgammon.decisions import COLUMNS, is_race, write_seen
from ludarium.envs.backgammon.rules import ANSWER, FINISHED, OFFER, OPENING, ROLL, SECOND_HALF
from ludarium.envs.files import read_arrays
from ludarium.envs.game import Game
from ludarium.envs.position import Position

POINTS = np.array([1, 2, 3, -1, -2, -3])
"""Win a game, a gammon, a backgammon, lose each: the six outputs, from the side that is to move."""
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda x: np.maximum(x, 0),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
}
INPUTS = {"contact": 202, "race": 186}


def network(file: str, inputs: int) -> Callable[[Any], Any]:
    """The function from inputs, shape (n, inputs), to probabilities, shape (n, 6).

    Raises:
        ValueError: for a file that holds no such network.
        OSError: if it cannot be read.
    """
    if Path(file).suffix == ".onnx":
        try:
            import onnxruntime  # type: ignore[import-not-found]
        except ImportError:
            raise ValueError(f"{file}: to read it: pip install onnxruntime") from None
        session = onnxruntime.InferenceSession(file)
        name = session.get_inputs()[0].name
        # Its networks take one position at a time, or many.
        return lambda rows: np.concatenate([session.run(None, {name: row[None]})[0] for row in rows])
    with open(file, "rb") as opened:
        arrays = read_arrays(opened)
    layers = [(arrays[f"weights_{i}"], arrays[f"biases_{i}"]) for i in range(len(arrays) // 2)]
    activation = ACTIVATIONS.get(str(arrays.get("activation", "")))
    sizes = [inputs, *(len(biases) for _, biases in layers)]
    shapes = [weights.shape for weights, _ in layers]
    if activation is None or shapes != list(pairwise(sizes)) or sizes[-1] != len(POINTS):
        raise ValueError(
            f"{file}: a network has weights_N and biases_N from {inputs} inputs to 6 outputs, and activation, one of "
            f"{', '.join(ACTIVATIONS)}; not layers of {shapes}"
        )

    def odds(rows: NDArray[np.float32]) -> Any:
        for weights, biases in layers[:-1]:
            rows = activation(rows @ weights + biases)
        scores = np.exp(rows @ layers[-1][0] + layers[-1][1])
        return scores / scores.sum(axis=1, keepdims=True)

    return odds


def seen_by(positions: NDArray[np.int8], race: bool) -> NDArray[np.float32]:
    """What the networks see of positions, shape (n, 28), from the side that is to move.

    First the checkers that each side has borne off; then four numbers for each place of the mover, the bar first and
    then the points from 1, and for each of the opponent, the points first: whether there is one checker, two, more, and
    how many more than three. In a race, places that must be empty are left out.
    """
    points, bar, off = positions[:, 1:25], positions[:, 25:27], positions[:, [0, 27]]
    own, other = np.maximum(points, 0), np.maximum(-points, 0)
    if race:
        places = np.concatenate([own[:, :23], other[:, 1:]], axis=1)
    else:
        places = np.concatenate([bar[:, :1], own, bar[:, 1:], other], axis=1)
    each = np.stack([places == 1, places == 2, places > 2, np.maximum(places - 3, 0)], axis=2)
    return np.concatenate([off, each.reshape(len(positions), -1)], axis=1).astype(np.float32)


class Wildbg(Agent):
    """Takes the turn after which the opponent can expect least. It never doubles, and takes every double."""

    needs_state = True

    def __init__(self, game: Game, *, contact: str, race: str) -> None:
        if game.name != "backgammon":
            raise ValueError(f"wildbg: it plays backgammon, not {game.spec}")
        self._networks = network(contact, INPUTS["contact"]), network(race, INPUTS["race"])

    def __deepcopy__(self, memo: dict[int, Any]) -> "Wildbg":
        """The same agent, since it keeps nothing."""
        return self

    def __call__(self, observation: Any, action_mask: Any, info: dict[str, Any]) -> int:
        position: Position = info["position"]
        actions = position.legal_actions()
        if position.record.phase in (OFFER, ANSWER) or len(actions) == 1:
            return ROLL if position.record.phase == OFFER else actions[0]
        best = self._best(position, info["seat"])
        return next(action for action in actions if _leads_to(position, action, best))

    def _best(self, position: Position, seat: int) -> Position:
        """The best of the positions that the rest of the turn can lead to."""
        results = position.afterstates()
        rows = np.zeros((len(results), COLUMNS), dtype=np.int8)
        for row, result in zip(rows, results, strict=True):
            if result.record.phase in (FINISHED, OPENING):
                return result  # it wins
            write_seen(result.record, 1 - seat, row)
        odds, races = np.zeros((len(rows), len(POINTS))), is_race(rows)
        for race in (False, True):
            if (races == race).any():
                odds[races == race] = self._networks[race](seen_by(rows[races == race], race))
        return results[int((odds @ POINTS).argmin())]


def _leads_to(position: Position, action: int, best: Position) -> bool:
    """Whether an action is part of the turn to a position: the second half of a double is an action of its own."""
    after = position.copy()
    after.play(action)
    return after == best or (after.record.phase == SECOND_HALF and best in after.afterstates())
