"""The evaluations that players know by name, and those whose weights are still to be found.

A game's own come first, see `ludarium.agents.values.evaluations`, then the hand-made ones of this package.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.othello import features
from ludarium.agents.othello.tuples import layout
from ludarium.agents.values import hand_made
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.game import Game

_BY_GAME: Mapping[str, Mapping[str, Any]] = {
    "hexapawn": {"pawns": hand_made.pawns},
    "othello": features.EVALUATIONS,
    "tictactoe": {"lines": hand_made.lines},
}
"""The evaluations of each game as a game declares them (see `Game.evaluations`); the first is the usual one."""
_WEIGHTED = {**hand_made.WEIGHTED, **features.WEIGHTED}


def evaluations(game: Game) -> dict[str, Evaluation]:
    """The evaluations that are known for a game, by name: its own, then the hand-made ones of this package."""
    declared: dict[str, Evaluation] = {}
    for name, entry in {**game.evaluations, **_BY_GAME.get(game.name, {})}.items():
        value, weights = entry if isinstance(entry, tuple) else (entry, {})
        function: Any = getattr(value, "__func__", value)  # `kernel` leaves a static method
        declared[name] = _declared(function, weights)
        if value in features.IN_WORDS:
            declared[name] = replace(declared[name], labels=tuple(features.IN_WORDS[value].values()))
        if value in _WEIGHTED:
            declared[name] = replace(declared[name], parts=_declared(*_WEIGHTED[value]).terms)
    return declared


def _declared(function: Callable[..., Any], weights: Mapping[str, float]) -> Evaluation:
    return Evaluation(function, np.array(list(weights.values()), dtype=np.float64), tuple(weights))


def evaluation_of(game: Game, chosen: "str | Evaluation | None" = "") -> Evaluation | None:
    """The evaluation that a player uses.

    Args:
        game: the game.
        chosen: the name of one of its evaluations; `""`, the first of them; `"none"`, or None, none at all; or an
            evaluation, which is not tried first: see `Evaluation.check`.

    Returns:
        None to judge unfinished positions by their returns so far.

    Raises:
        ValueError: if there is no evaluation of this name, or it does not give numbers below `WIN`.
        TypeError: if it does not compile.
    """
    if chosen is None or isinstance(chosen, Evaluation):
        return chosen
    choices = evaluations(game)
    if chosen == "none" or (not chosen and not choices):
        return None
    if chosen and chosen not in choices:
        raise ValueError(
            f"{game.name}: there is no evaluation {chosen!r}; it must be one of {', '.join([*choices, 'none'])}, "
            "expert, LEARNER:RUN, or FILE.py:FUNCTION"
        )
    evaluation = choices[chosen or next(iter(choices))]
    return evaluation.check(game) if game.evaluations else evaluation  # ours are known to be sound


@dataclass(frozen=True, eq=False)
class Form:
    """An evaluation without its weights.

    Attributes:
        names: what each weight stands for.
        evaluation: makes the evaluation from weights, shape (len(names),) float64.
    """

    names: tuple[str, ...]
    evaluation: Callable[[NDArray[np.float64]], Evaluation]


def form(game: Game, name: str) -> Form:
    """The form with a name: one of the game's evaluations that have weights, or n-tuples of Othello.

    Args:
        game: the game.
        name: `"six"`, `"phases"`, …; `"tuples:all-2"` and the like, see `ludarium.agents.othello.tuples.layout`.

    Raises:
        ValueError: if there is none of this name.
    """
    weighted = {key: evaluation for key, evaluation in evaluations(game).items() if evaluation.names}
    kind, _, tuples = str(name).partition(":")  # a command may give a number, which is not known either
    if tuples and kind == "tuples" and game.name == "othello":
        shape = layout(game.options["size"], tuples)
        return Form(shape.names, shape.evaluation)
    if name not in weighted:
        names = ", ".join([*weighted, "tuples:all-2"] if game.name == "othello" else weighted) or "none"
        raise ValueError(f"{game.name}: there are no features {name!r}; it must be one of those with weights: {names}")
    evaluation = weighted[name]
    return Form(evaluation.names, lambda weights: replace(evaluation, weights=np.ascontiguousarray(weights)))
