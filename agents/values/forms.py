"""Forms: evaluations whose weights are still to be found, by the names that learners know them by."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.values import othello_tuples
from ludarium.agents.values.evaluations import Evaluation, evaluations
from ludarium.envs.game import Game


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
        name: `"six"`, `"phases"`, …; `"tuples:all-2"` and the like, see `ludarium.agents.values.othello_tuples.layout`.

    Raises:
        ValueError: if there is none of this name.
    """
    known = {key: found for key, found in evaluations(game).items() if found.names}
    kind, _, tuples = name.partition(":")
    if kind == "tuples" and game.name == "othello":
        layout = othello_tuples.layout(game.options["size"], tuples)
        return Form(layout.names, layout.evaluation)
    if name not in known:
        names = ", ".join([*known, "tuples"] if game.name == "othello" else known) or "none"
        raise ValueError(f"{game.name}: there are no features {name!r}; it must be one of those with weights: {names}")
    found = known[name]
    return Form(found.names, lambda weights: replace(found, weights=np.ascontiguousarray(weights)))
