"""Books of openings in matches: who begins with which, whoever plays."""

import numpy as np
import pytest

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.play.openings import Book, openings_of

TEXTS = {
    "tictactoe": ("a1", "x../.../... o", "b2 a1", "c1 c2 a1"),
    "backgammon": (
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10",
    ),
}
PAIRS = 10


class Together(Agent):
    """Answers for many games at once."""

    name = "together"

    def __call__(self, observation, action_mask, info):
        return int(action_mask.argmax())

    def act_batch(self, observations, masks, infos):
        return masks.argmax(axis=1)


def first(game, state, observation, mask, block, stream):
    action = 0
    while mask[action] == 0:
        action += 1
    return action


def first_legal(observation, action_mask, info):
    return int(action_mask.argmax())


@pytest.mark.parametrize("game", list(map(make_game, TEXTS)), ids=list(TEXTS))
@pytest.mark.parametrize("agent", ["random", first_legal, Together()], ids=["compiled", "python", "in-step"])
def test_both_games_of_a_pair_begin_with_its_opening(game, agent):
    book = Book(TEXTS[game.name])
    pairs = np.repeat(np.arange(PAIRS), 2)
    begins = openings_of(game, book, 3, pairs)
    assert np.ptp(np.bincount(begins.which)) <= 2  # equally often, up to one pair
    played = play_match(game, [agent, "random"], PAIRS, 3, opening=book, record=True)
    for number, moves in enumerate(played.moves):
        opening = begins.of(game, number)
        assert moves[: len(opening.moves)].tolist() == opening.moves
        assert begins.of(game, number ^ 1) == opening
        if game.name == "tictactoe":
            position = opening.start.copy()
            for action in moves[moves >= 0].tolist():
                position.play(action)
            assert position.over
    part = play_match(game, [agent, "random"], 4, 3, first=3, opening=book, record=True)
    assert np.array_equal(part.payoffs, played.payoffs[3:7])


@pytest.mark.parametrize("game", list(map(make_game, TEXTS)), ids=list(TEXTS))
def test_compiled_and_in_python_the_same_games_are_played(game):
    book = Book(TEXTS[game.name])
    agents = CompiledAgent("first", Policy(first)), first_legal, Together()
    compiled, *others = (play_match(game, [one, one], 4, 1, opening=book, record=True) for one in agents)
    assert compiled.compiled
    for played in others:
        assert not played.compiled
        assert np.array_equal(played.moves, compiled.moves)
        assert np.array_equal(played.payoffs, compiled.payoffs)


def test_the_order_is_a_function_of_the_seed():
    pairs, texts = np.arange(12), tuple(map(str, range(5)))
    assert Book(texts, "sequential").numbers(9, pairs).tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]
    first, other = (Book(texts).numbers(seed, pairs).tolist() for seed in (9, 10))
    assert first == [3, 2, 0, 1, 4, 3, 2, 0, 1, 4, 3, 2] != other  # stored games follow from it
    assert sorted(other[:5]) == [0, 1, 2, 3, 4]
