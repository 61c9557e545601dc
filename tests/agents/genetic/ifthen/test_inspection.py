"""Where a look at a map finds its positions."""

import pytest

from ludarium.agents.genetic.ifthen.inspection import walk
from ludarium.envs.kernels import CHANCE
from ludarium.envs.registry import make_game


def breadth_first(game, limit):
    """The first positions by the copies and plays of positions, as bytes."""
    positions, queue = {bytes(game.start().data): None}, [game.start()]
    for position in queue:
        edges = [] if position.over else position.legal_actions()
        if position.turn == CHANCE:
            edges = [outcome for outcome, _ in position.outcomes()]
        for edge in edges:
            child = position.copy()
            child.play(edge)
            if bytes(child.data) not in positions and len(positions) < limit:
                positions[bytes(child.data)] = None
                queue.append(child)
    return list(positions)


@pytest.mark.parametrize(("spec", "limit", "whole"), [("hexapawn", 500, True), ("backgammon", 500, False)])
def test_positions_are_visited_breadth_first_through_moves_and_chance(spec, limit, whole):
    game = make_game(spec)
    expected = breadth_first(game, limit)
    states, ended = walk(game, limit)
    assert ended == whole
    assert len(states) == len(expected)
    assert [row.tobytes()[: game.state.itemsize] for row in states] == expected
