"""What Othello engines have in common, whatever their protocol."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.external.process import Process, ProcessAgent
from ludarium.envs.game import Game
from ludarium.envs.othello import notation

_PASS = 64


class OthelloEngine(ProcessAgent):
    """An engine that plays Othello on 8 × 8; `setup` holds commands for it, separated by `;`.

    See `ProcessAgent` for the arguments. The engine is not asked when it has to pass: some do not treat this as a move.

    Raises:
        ValueError: also for any other game.
    """

    protocol: str = ""

    def check_game(self, game: Game) -> None:
        if game.name != "othello" or game.options["size"] != 8:
            raise ValueError(f"{self.protocol} engines play Othello on 8 × 8, not {game.spec}")

    def setup_commands(self) -> list[str]:
        """The commands of `setup`."""
        return [command.strip() for command in self.setup.split(";") if command.strip()]

    def choose(
        self, process: Process, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        if action_mask[_PASS]:  # it is legal only if nothing else is
            return _PASS
        move = self.best_move(process, info)
        if move.lower() == "resign":
            raise process.failure("resigned")
        try:
            return notation.parse_move(move, 8)
        except ValueError as error:
            raise process.failure(str(error)) from None

    def best_move(self, process: Process, info: dict[str, Any]) -> str:
        """Tell the engine what happened, and ask for its move."""
        raise NotImplementedError
