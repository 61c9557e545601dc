"""Compiled policies: agents that play inside compiled loops.

A policy is a function for Numba

    policy(game, state, observation, mask, block, stream) -> action

over C arrays: the game's table (int64, see `ludarium.envs.kernels`), the state's bytes, the seat's observation (int8)
and action mask (int8), the policy's own block (a record of the type it declares) and its random stream (uint64 key
and counter, see `ludarium.envs.chance`). `state` is filled in only with `needs_state`, which games with hidden
information refuse, and `observation` only with `needs_observation`. With `needs_view`, `state` is instead the bytes of
the seat's view, in games that have one.

A policy keeps nothing from one call to the next: its block holds parameters and scratch space. One policy can thus
serve thousands of games at once, in any order, with the same results.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.calls import address
from ludarium.envs.game import Game
from ludarium.envs.jit import c_function, jit
from ludarium.envs.opinions import Opinions
from ludarium.envs.position import Position

POLICY_COLUMNS = 3
"""Length of a row of `policy_rows`."""
STATE_NEEDED, OBSERVATION_NEEDED, VIEW_NEEDED = 1, 2, 4
NO_BLOCK = np.dtype([("nothing", np.int64)])


@dataclass(eq=False)
class Policy:
    """A policy function with its block: an array of shape (1,) of a record type, or of raw bytes that end in scratch.

    `block_type` is the record at the start of `block`; the policy may use the rest of `block` as it likes. If the
    player can say what it thinks of every legal action, `judge(position, stream)` does, or None where it cannot; it
    must not use `block`, which copies of the policy do not share. A player that searches also says there which action
    it plays, by the same search; of others this is asked by `choose`.
    """

    function: Callable[..., Any]
    block_type: np.dtype[Any] = NO_BLOCK
    block: NDArray[Any] | None = None
    needs_state: bool = False
    needs_observation: bool = False
    needs_view: bool = False
    judge: Callable[[Position, NDArray[np.uint64]], Opinions | None] | None = None

    def __post_init__(self) -> None:
        if self.block is None:
            self.block = np.zeros(1, dtype=self.block_type)
        if self.block.nbytes < self.block_type.itemsize:
            raise ValueError(
                f"policy: the block has {self.block.nbytes} bytes, its record needs {self.block_type.itemsize}"
            )

    def __deepcopy__(self, memo: dict[int, Any]) -> "Policy":
        """The same function with a block of its own."""
        return replace(self, block=None if self.block is None else self.block.copy())

    def __reduce__(self) -> Any:
        raise TypeError("a compiled policy cannot be pickled, since its block may hold addresses; pickle what makes it")

    @cached_property
    def compiled(self) -> Any:
        """The C function; compiles on first use."""
        return c_function(
            self.function,
            types.int64(
                kernels.INT64S,
                kernels.BYTES,
                kernels.INT8S,
                kernels.INT8S,
                _record_type(self.block_type),
                kernels.UINT64S,
            ),
        )

    @property
    def row(self) -> tuple[int, int, int]:
        """What compiled loops take: the function's and the block's address, and its needs as bits."""
        assert self.block is not None
        needs = STATE_NEEDED * self.needs_state + OBSERVATION_NEEDED * self.needs_observation
        return self.compiled.address, address(self.block), needs + VIEW_NEEDED * self.needs_view

    def choose(
        self,
        game: Game,
        state: NDArray[np.uint8],
        observation: NDArray[np.int8],
        mask: NDArray[np.int8],
        stream: NDArray[np.uint64],
    ) -> int:
        """The policy's action, for Python code; the arguments are those of a policy function, as contiguous arrays."""
        function, block, _ = self.row
        return int(_call(function, game.table, state, observation.reshape(-1), mask, block, stream))


@cache  # a learner makes thousands of policies, and this takes longer than all else in making one
def _record_type(block_type: np.dtype[Any]) -> Any:
    return numba.from_dtype(block_type)


def policy_rows(game: Game, policies: list[Policy]) -> NDArray[np.int64]:
    """Policies as compiled loops take them, shape (len(policies), 3).

    Raises:
        ValueError: if one needs the state of a game with hidden information, or the view of a game that has none.
    """
    for policy in policies:
        if policy.needs_view and game.view is None:
            raise ValueError(f"{game.spec}: a policy needs the view, which this game does not have")
        if policy.needs_state and game.hidden_information:
            raise ValueError(f"{game.name}: a policy that needs the state may not play a game with hidden information")
        if policy.needs_view:
            game.compile_view()
    return np.array([policy.row for policy in policies], dtype=np.int64).reshape(len(policies), POLICY_COLUMNS)


@jit
def _call(function: Any, game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> Any:
    return kernels.call_policy(function, game, state, observation, mask, block, stream)
