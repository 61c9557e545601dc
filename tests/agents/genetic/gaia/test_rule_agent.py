"""Why a player of rules played what it did."""

import pytest

from ludarium.agents.agent import Reason
from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent, rule_policy
from ludarium.agents.genetic.gaia.rule_drawing import rule_drawing
from ludarium.envs.registry import make_game


@pytest.fixture
def player(rules):
    def player(game, *written, symmetry=True):
        return RuleAgent("rules", game, rule_policy(game, board(game, symmetry), rules(*written)))

    return player


def shown(position):
    info = {"game": position.game, "seat": position.turn}
    return position.observe(position.turn), position.action_mask(), info


def test_the_reason_is_the_rule_as_it_fired_on_the_board(rules, player):
    """Its number is the one in the order of firing, and its image the one in which it matched."""
    game = make_game("tictactoe")
    agent = player(game, ("****V****", 4, 1.0), ("V********", 0, 0.5), ("PPV******", 2, 0.0, 1), ("*********", -1))
    agent.reset(0, 1)
    position = game.from_text("x.o/xo./... x")
    assert game.action_to_str(position, agent(*shown(position))) == "a3"
    reason = agent.explain(*shown(position))
    assert reason.text == "rule 1:\n   a  b  c\n1  P  *  *\n2  P  *  *\n3 [V] *  *\nplay a3"
    assert not reason.values
    assert reason.drawing == rule_drawing(game, agent.board, rules(("P**P**V**", 6, 0.0, 1))[0])


@pytest.mark.parametrize("seed", range(8))
def test_of_equal_rules_the_reason_is_the_one_that_was_drawn(seed, player):
    """The move in it is the move that was played, and its rule and image hold there."""
    game = make_game("tictactoe")
    agent = player(game, ("V********", 0), ("*V*******", 1), ("****P***V", 8))
    agent.reset(0, seed)
    position = game.start()
    for _ in range(4):
        action = agent(*shown(position))
        number, *_, move = agent.explain(*shown(position)).text.splitlines()
        assert move == f"play {game.action_to_str(position, action)}"
        assert (number == "rule 2:") == (action % 2 == 1)
        position.play(action)


def test_black_is_told_of_its_own_squares(player):
    game = make_game("hexapawn")
    agent = player(game, ("*P*CV****", 4), symmetry=False)
    agent.reset(1, 0)
    position = game.from_text("ppp/P../.PP b")
    assert game.action_to_str(position, agent(*shown(position))) == "b3b2"
    assert agent.explain(*shown(position)).text == (
        "rule 1:\n   a  b  c\n3  * [P] *\n2  C [V] *\n1  *  *  *\nplay b3b2"
    )


def test_without_a_rule_that_matches_the_move_is_random(player):
    game = make_game("tictactoe")
    agent = player(game, ("P********", 1), symmetry=False)
    agent.reset(0, 0)
    agent(*shown(game.start()))
    assert agent.explain(*shown(game.start())) == Reason("no rule matches: a random move")
