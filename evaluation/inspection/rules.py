"""The rules of a player that evolved: how often each fires, and what it means."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board, see
from ludarium.agents.genetic.gaia.patterns import decide
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent
from ludarium.agents.genetic.gaia.tactical_rules import tactic_of, tactical_rules, tactical_share
from ludarium.envs import kernels
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OBSERVATION_SIZE
from ludarium.evaluation.inspection.games import VERBS, Decisions, decisions_against_random, effects


class Meaning(NamedTuple):
    """What a rule does.

    Attributes:
        verb: `"wins"`, `"blocks"` or, where nothing is known, empty.
        text: how that is known.
    """

    verb: str
    text: str


class InspectedRule(NamedTuple):
    """A rule, and how it was used.

    Attributes:
        number: its place in the player's list, from 0.
        rule: an element of `RULE`.
        fired: how many moves it made.
        positions: in how many different positions.
        meaning: what it does.
    """

    number: int
    rule: Any
    fired: int
    positions: int
    meaning: Meaning


@dataclass(frozen=True)
class RuleInspection:
    """A player's rules, those that are used most first.

    Attributes:
        game: what it plays.
        board: the board as its rules see it.
        rules: the rules; empty places of its list are left out.
        moves: how many moves it made in all.
        rule_moves: those that a rule made; the others are random.
        tactical_share: the share of tic-tac-toe's minimal tactical rules that are present exactly; None in other games.
    """

    game: Game
    board: Board
    rules: list[InspectedRule]
    moves: int
    rule_moves: int
    tactical_share: float | None

    @property
    def entries(self) -> int:
        """How many rules there are."""
        return len(self.rules)


def inspect_rules(game: Game, agent: RuleAgent, games: int, seed: int) -> RuleInspection:
    """Watch a player of rules in games against the random agent.

    In tic-tac-toe a rule wins, or blocks, if it contains a minimal tactical rule. In other games it does if its move
    did in every position in which it fired, see `effects`: seen so far, then, and not proven.

    Args:
        game: the game.
        agent: the player.
        games: how many games, every other one in each seat.
        seed: the games are a function of it.
    """
    assert agent.policy is not None
    watched = decisions_against_random(game, agent.policy, games, seed)
    fired = fired_rules(game, agent, watched)
    made, tactics = fired >= 0, tactical_rules(game) if game.name == "tictactoe" else None
    keys = np.column_stack(
        [fired[made].astype(np.uint64), watched.actions[made].astype(np.uint64), watched.states[made]]
    )
    cases = np.unique(keys, axis=0)  # a rule, its action there, and the position
    numbers, did = cases[:, 0].astype(np.int64), effects(game, cases[:, 2:].copy(), cases[:, 1].astype(np.int64))
    counts = np.bincount(fired[made], minlength=len(agent.rules))
    found = []
    for number in np.flatnonzero(agent.rules["action"] >= 0).tolist():
        rule, mine = agent.rules[number], numbers == number
        positions = len(np.unique(cases[mine][:, 2:], axis=0))
        meaning = _seen_meaning(did[mine], positions) if tactics is None else _tactical_meaning(tactics, rule)
        found.append(InspectedRule(number, rule, int(counts[number]), positions, meaning))
    found.sort(key=lambda one: -one.fired)
    share = None if tactics is None else tactical_share(game, agent.board, agent.rules)
    return RuleInspection(game, agent.board, found, len(fired), int(made.sum()), share)


def _tactical_meaning(tactics: Any, rule: Any) -> Meaning:
    tactic = tactic_of(tactics, rule)
    if tactic is None:
        return Meaning("", "")
    return Meaning(tactic.verb, f"{tactic.verb}{': completes' if tactic.verb == 'wins' else ''} the {tactic.line}")


def _seen_meaning(did: NDArray[np.int64], positions: int) -> Meaning:
    """What all moves of a rule did, if they all did the same."""
    verb = VERBS[did[0]] if len(set(did.tolist())) == 1 else ""
    where = f"in all {positions} positions" if positions > 1 else "in its one position"
    return Meaning(verb, f"{verb} {where}" if verb else "")


def fired_rules(game: Game, agent: RuleAgent, decisions: Decisions) -> NDArray[np.int64]:
    """The rule behind each decision of a player, -1 for none, shape (decisions,)."""
    fired = np.zeros(len(decisions.actions), dtype=np.int64)
    _fire(
        game.table, agent.board.squares, agent.board.undo, agent.rules, decisions.states, decisions.games,
        decisions.streams, fired,
    )  # fmt: skip
    return fired


@jit
def _fire(
    game: Any, squares: Any, undo: Any, rules: Any, states: Any, games: Any, streams: Any, fired: Any
) -> None:  # fmt: skip
    """Decide again what was decided, with the same random numbers, and fill in the rules."""
    mask, observation = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    seen, stream = np.zeros((len(undo), 3), dtype=np.uint64), np.zeros(2, dtype=np.uint64)
    for number in range(len(states)):
        if number == 0 or games[number] != games[number - 1]:
            stream[0], stream[1] = streams[games[number]], 0
        kernels.observe(game, states[number], kernels.turn(game, states[number]), observation)
        see(observation, squares, seen)
        count = kernels.legal(game, states[number], mask)
        fired[number] = decide(rules, seen, undo, mask, count, stream)[0]
