"""Adjudication: agents play until the result is known exactly, and exact play of both sides finishes the game.

So a game has the result of perfect play from there on, and all its moves: whoever replays it needs to know nothing of
adjudication. It saves the time of agents that would think about each of these moves.
"""

from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

EXACT = "exact"
EMPTIES = 12
"""The number of empty squares from which on games of Othello are adjudicated: few enough to be solved at once."""


def adjudicator_of(adjudicate: str, game: Game) -> Policy | None:
    """The policy that finishes games.

    Args:
        adjudicate: `"exact"`; empty for none.
        game: the game: Othello, on a board that is not solved from the start.

    Raises:
        ValueError: for another word, or another game.
    """
    if not adjudicate:
        return None
    if adjudicate != EXACT:
        raise ValueError(f"adjudicate must be {EXACT!r}, or empty for none, not {adjudicate!r}")
    if game.name != "othello" or game.options["size"] < 6:
        raise ValueError(
            f"adjudicate: only Othello from 6 × 6 on has endgames to adjudicate, not {game.spec}; leave it out"
        )
    from ludarium.agents.othello.endgame.exact import exact_endgame  # few tournaments need the solver

    return exact_endgame(game, EMPTIES)
