"""Whatever agents raise or return becomes a cause in words, of a length that can be stored."""

import pytest

from ludarium.agents.agent import AgentFailure
from ludarium.envs.chance import seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.calls import Failed, action_of, attempt, cause_of


class Unspeakable(Exception):
    """An error whose text cannot be made."""

    def __init__(self, error):
        self.error = error

    def __repr__(self):
        raise self.error


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (AgentFailure("gave up"), "gave up"),
        (ValueError("no"), "raised ValueError('no')"),
        (Unspeakable(SystemExit(1)), "raised Unspeakable"),
        (AgentFailure("caf\udce9"), r"caf\udce9"),
        (AgentFailure("x" * 1000), "x" * 500),
    ],
)
def test_the_cause_of_an_error(error, cause):
    assert cause_of(error) == cause


def test_an_interrupt_gets_through_even_while_a_text_is_made():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(interrupted)
    with pytest.raises(KeyboardInterrupt):
        cause_of(Unspeakable(KeyboardInterrupt()))


def test_an_answer_that_is_no_integer_is_shown_if_it_can_be():
    episode = Episode(make_game("tictactoe"), seed_key(0), None, [])
    told = "tictactoe: an action is an integer, not "
    assert action_of(episode, "4") == Failed(f"{told}'4'")
    assert action_of(episode, Unspeakable(ValueError())) == Failed(f"{told}a Unspeakable")
    assert action_of(episode, ["x" * 1000]).cause == f"{told}['{'x' * 1000}"[:500]
    assert action_of(episode, True) == 1
