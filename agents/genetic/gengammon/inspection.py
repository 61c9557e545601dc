"""What a network has learned: where it agrees with experts, what it looks at, and where it differs most from them."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.inputs import Inputs
from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.examples import Examples, seen_by
from ludarium.agents.genetic.gengammon.fitness import Ranks, rank
from ludarium.agents.learning.inspection import PAPER, Inspection
from ludarium.envs.backgammon.decisions import COLUMNS, OPPONENT_BAR, Decisions, set_up, write_seen
from ludarium.envs.backgammon.rules import BAR, MOVING, SECOND_HALF
from ludarium.envs.drawing import Drawing
from ludarium.envs.game import Game
from ludarium.envs.position import Position

_SHOWN = 10
_INK, _SOFT, _OWN, _OTHER = "#1c2126", "#66707a", "#1f6f8b", "#c8654a"
_CELL, _HEIGHT, _MARGIN = 26.0, 90.0, 16.0


def inspect_network(game: Game, network: Network, inputs: Inputs, decisions: Decisions) -> Inspection:
    """Judge a network by decisions that it has not learned from, and look at its weights."""
    examples = seen_by(inputs, decisions)
    ranks = rank(examples, np.arange(len(decisions)), network)
    kinds = {name: _line(ranks, some) for name, some in _kinds(decisions).items()}
    heads = ("decisions", "agreement", "v2", "likelihood")
    width = max(map(len, kinds))
    head = [" " * width + "".join(f"{text:>12}" for text in heads)]
    for name, (count, agreement, v2, likelihood) in kinds.items():
        head.append(f"{name:{width}}{count:12,}{100 * agreement:10.1f} %{v2:12.3f}{likelihood:12.3f}")
    weight = _weights(network)
    heaviest = np.argsort(-weight, kind="stable")[:_SHOWN]
    head += ["", "the inputs with the heaviest weights:"]
    head += [f"{inputs.labels[number]}: {weight[number]:.2f}" for number in heaviest]
    worst = np.argsort(ranks.likelihood, kind="stable")[:_SHOWN]
    tail = [line for number in worst for line in _difference(game, network, decisions, examples, int(number))]
    data = {
        "kinds": {name: dict(zip(heads, line, strict=True)) for name, line in kinds.items()},
        "inputs": dict(zip(inputs.labels, weight.tolist(), strict=True)),
        "differs": ["\n".join(_difference(game, network, decisions, examples, int(number))) for number in worst],
    }
    units = network.hidden.shape[1]
    summary = f"{units} hidden unit{'s' if units > 1 else ''}, {len(inputs.labels)} inputs"
    tail = ["", "where it differs most from the experts:", *tail]
    return Inspection("units", summary, [], head=head, tail=tail, data=data, legend=_board(_by_place(inputs, weight)))


def _line(ranks: Ranks, some: NDArray[np.bool_]) -> tuple[int, float, float, float]:
    """Number of decisions, agreement, mean `v2`, mean likelihood."""
    chosen = Ranks(*(field[some] for field in ranks))
    return int(some.sum()), chosen.agreement, float(chosen.fitness("v2").mean()), float(chosen.likelihood.mean())


def _kinds(decisions: Decisions) -> Mapping[str, NDArray[np.bool_]]:
    """The kinds of decisions that occur; a decision may be of several."""
    before = np.repeat(decisions.positions[:, OPPONENT_BAR], decisions.counts)
    hitting = decisions.results[:, OPPONENT_BAR] > before
    could = np.logical_or.reduceat(hitting, decisions.offsets[:-1])
    did = np.logical_or.reduceat(hitting & decisions.chosen, decisions.offsets[:-1])
    kinds = {
        "all": np.ones(len(decisions), dtype=np.bool_),
        "doubles": decisions.dice[:, 0] == decisions.dice[:, 1],
        "from the bar": decisions.positions[:, BAR] > 0,
        "a hit, made": could & did,
        "a hit, not made": could & ~did,
        "bearing off": decisions.positions[:, 0] > 0,
    }
    return {name: some for name, some in kinds.items() if some.any()}


def _weights(network: Network) -> NDArray[np.float64]:
    """How much each input weighs: the root mean square over units of its weight times the unit's, shape (inputs,)."""
    through = network.hidden[:-1].astype(np.float64) * np.linalg.norm(network.output[:-1], axis=1)
    return np.asarray(np.sqrt((through**2).mean(axis=1)))


def _by_place(inputs: Inputs, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """The heaviest input of each place, shape (2, 26)."""
    padded = np.append(weight, 0.0)  # -1 stands for no input
    return np.asarray(padded[inputs.columns].max(axis=2))


# --- decisions --------------------------------------------------------------------------------------------------------


def _difference(game: Game, network: Network, decisions: Decisions, examples: Examples, number: int) -> Iterator[str]:
    """A decision in which the network plays otherwise: the board, and both plays."""
    position = game.start()
    set_up(position.record, decisions.positions[number])
    position.record.dice[:], position.record.phase = decisions.dice[number], MOVING
    first, end = examples.offsets[number], examples.offsets[number + 1]
    expert = first + int(decisions.played[number])
    best = max(range(first, end), key=lambda row: _score(network, examples, number, row))
    yield ""
    yield from game.to_ansi(position).splitlines()
    yield f"the expert plays {_play(position, decisions.results[expert])}"
    yield f"the network plays {_play(position, decisions.results[best])}"


def _score(network: Network, examples: Examples, number: int, row: int) -> float:
    """The score of one result."""
    position = examples.positions._replace(ends=examples.positions.ends[number:])
    one = examples._replace(positions=position, offsets=np.array([row, row + 1]))
    return float(rank(one, np.zeros(1, dtype=np.int64), network).highest[0])


def _play(position: Position, wanted: NDArray[np.int8]) -> str:
    """A turn in words, by the position that it leads to."""
    seen = np.zeros(COLUMNS, dtype=np.int8)
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        text = position.game.action_to_str(position, action)
        if after.record.phase == SECOND_HALF:
            rest = _play(after, wanted)
            if rest:
                return f"{text} {rest}"
            continue
        write_seen(after.record, 0, seen)
        if (seen == wanted).all():
            return text
    return ""


# --- the picture ------------------------------------------------------------------------------------------------------


def _board(places: NDArray[np.float64]) -> Drawing:
    """The points as the network counts them, with a bar for each side: the weight of its heaviest input there."""
    drawing = Drawing(2 * _MARGIN + 26 * _CELL, 2 * _HEIGHT + 3 * _MARGIN, PAPER)
    widest, middle = places.max() or 1.0, _HEIGHT + 1.5 * _MARGIN
    for column in range(26):
        place = 25 - column
        x = _MARGIN + column * _CELL
        name = {0: "off", 25: "bar"}.get(place, str(place))
        drawing.text(x + _CELL / 2, middle, name, 10, _SOFT)
        for side, colour in enumerate((_OWN, _OTHER)):
            its = place if side == 0 or place in (0, 25) else 25 - place  # as that side counts
            length = places[side, its] / widest * _HEIGHT
            top = middle - _MARGIN / 2 - length if side == 0 else middle + _MARGIN / 2
            drawing.rect(x + 4, top, _CELL - 8, max(length, 1), colour)
    drawing.text(_MARGIN, _MARGIN / 2, "own checkers", 11, _INK, anchor="start")
    drawing.text(_MARGIN, drawing.height - _MARGIN / 2, "the opponent's", 11, _INK, anchor="start")
    return drawing
