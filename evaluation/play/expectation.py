"""What a position is worth where chance is next, from what an agent thinks of the moves afterwards."""

from typing import NamedTuple

from ludarium.agents.agent import Agent
from ludarium.envs.kernels import CHANCE
from ludarium.envs.position import Position
from ludarium.evaluation.play.opinions import opinions_of


class Expectation(NamedTuple):
    """What a position is worth to a seat.

    Attributes:
        seat: the seat: the one to move, after chance if that is next; the first, if chance decides who moves.
        value: in the unit of the game.
        odds: see `Opinion.odds`; empty if chance decides who moves, or if they are not known.
    """

    seat: int
    value: float
    odds: dict[str, float]


def expectation(agent: Agent, position: Position, seed: int) -> Expectation:
    """The mean, over all that chance may bring, of what the move is worth that the agent then likes best.

    Outcomes that change nothing, such as ties that are rolled again, do not count.

    Args:
        agent: the agent.
        position: an unfinished position of a game of two sides without hidden information.
        seed: what the agent's randomness is drawn from.

    Raises:
        ValueError: as `opinions_of`, or if the agent counts in another unit than the game.
    """
    game = position.game
    if position.turn != CHANCE:
        opinions = opinions_of(agent, position, seed)
        if opinions.unit != game.unit:
            raise ValueError(
                f"before chance a position is worth a mean of {game.unit}, but the values of the agent {agent.name!r} "
                f"are in {opinions.unit}: they only compare the moves of one position; 'expert' expects {game.unit}"
            )
        best = opinions.moves[0]
        return Expectation(position.turn, best.value, dict(best.odds))
    parts = [(chance, expectation(agent, child, seed)) for child, chance in _after_chance(position).items()]
    seats = {part.seat for _, part in parts}
    seat = seats.pop() if len(seats) == 1 else 0
    known = all(part.odds.keys() == parts[0][1].odds.keys() and part.seat == seat for _, part in parts)
    total, even = sum(chance for chance, _ in parts), game.even or 0.0
    value = sum(chance * (part.value if part.seat == seat else 2 * even - part.value) for chance, part in parts)
    names = parts[0][1].odds if known else ()
    odds = {name: sum(chance * part.odds[name] for chance, part in parts) / total for name in names}
    return Expectation(seat, value / total, odds)


def _after_chance(position: Position) -> dict[Position, float]:
    """The positions that chance may lead to, with their probabilities."""
    children: dict[Position, float] = {}
    for outcome, chance in position.outcomes():
        child = position.copy()
        child.push(outcome)
        if child != position:
            children[child] = children.get(child, 0.0) + chance
    return children
