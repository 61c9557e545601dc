"""OpenSpiel bots as agents, in games whose action ids are the same as OpenSpiel's. Needs the extra oracles.

A file that makes a bot available everywhere, as `path/to/file.py`:

    import pyspiel
    from ludarium.agents.external.openspiel import OpenSpielAgent

    def agent(game, *, simulations=100):
        def bot(theirs, player, seed):
            evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
            return pyspiel.MCTSBot(theirs, evaluator, 2.0, simulations, 100, True, seed, False)

        return OpenSpielAgent(game, bot)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, AgentFailure
from ludarium.envs.game import Game


class OpenSpielAgent(Agent):
    """A bot that gets OpenSpiel's own state, on which the game's history is replayed.

    Args:
        game: tic-tac-toe 3 × 3, Othello 8 × 8, or backgammon without the cube; others with `theirs`.
        make_bot: `make_bot(openspiel_game, player, seed)`, called at the start of each game, returns a bot with
            `step(state)`, and perhaps `restart()` and `inform_action(state, player, action)`.
        theirs: OpenSpiel's game string, such as `"connect_four"`; its action ids and outcomes must be the same as ours.

    Raises:
        ValueError: if OpenSpiel is not installed or has no such game, or if it has a different number of actions.
    """

    needs_state = True

    def __init__(self, game: Game, make_bot: Callable[[Any, int, int], Any], theirs: str = "") -> None:
        try:
            import pyspiel
        except ImportError:
            raise ValueError('OpenSpiel is not installed: pip install "ludarium[oracles]"') from None
        self.name = f"openspiel:{getattr(make_bot, '__name__', type(make_bot).__name__)}"
        self._make_bot = make_bot
        theirs = theirs or _openspiel_name(game)
        try:
            self._theirs = pyspiel.load_game(theirs)
        except pyspiel.SpielError as error:
            raise ValueError(f"OpenSpiel has no game {theirs!r}: {error}") from None
        if self._theirs.num_distinct_actions() != game.actions:
            raise ValueError(
                f"OpenSpiel's {theirs} has {self._theirs.num_distinct_actions()} actions, "
                f"{game.spec} has {game.actions}"
            )

    def reset(self, seat: int, seed: int) -> None:
        self._bot = self._make_bot(self._theirs, seat, seed % 2**31)  # OpenSpiel takes 32-bit seeds
        self._state = self._theirs.new_initial_state()
        self._seat, self._moves = seat, 0
        if hasattr(self._bot, "restart"):
            self._bot.restart()

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        state = self._state
        for action in info["history"][self._moves :]:
            player = state.current_player()
            if player >= 0 and player != self._seat and hasattr(self._bot, "inform_action"):
                self._bot.inform_action(state, player, action)
            state.apply_action(action)
            self._moves += 1
        if state.current_player() != self._seat or state.legal_actions() != np.flatnonzero(action_mask).tolist():
            raise AgentFailure("OpenSpiel's rules give another position; did the game begin as usual?")
        return int(self._bot.step(state))


def _openspiel_name(game: Game) -> str:
    """OpenSpiel's name for a game whose action ids are the same."""
    options = game.options
    if game.name == "tictactoe" and (options["rows"], options["columns"], options["line"]) == (3, 3, 3):
        return "tic_tac_toe"
    if game.name == "othello" and (options["size"], options["start"]) == (8, "standard"):
        return "othello"
    if game.name == "backgammon" and options["variant"] == "standard" and not options["cube"]:
        return "backgammon(scoring_type=full_scoring)"
    raise ValueError(
        f"no game of OpenSpiel is known to have the actions of {game.spec}; "
        "give its name with theirs=... if there is one"
    )
