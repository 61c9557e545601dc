"""Threats and whether they are blocked, on games that can be followed by hand and by a second count in Python."""

import math

import pytest

from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.tactics import Tactics, tactics

TICTACTOE = make_game("tictactoe")


class Line:
    """Plays the first action of a list that is legal."""

    def __init__(self, *actions):
        self.actions = actions

    def __call__(self, observation, action_mask, info):
        return next(action for action in self.actions if action_mask[action])


class Watchful:
    """Wins if it can; else prevents the opponent's win with the next move, or never does."""

    needs_state = True

    def __init__(self, blocks):
        self.blocks = blocks

    def __call__(self, observation, action_mask, info):
        position = info["position"]
        actions = position.legal_actions()
        wins = [action for action in actions if won(after(position, action), position.turn)]
        wanted = [action for action in actions if loses(after(position, action), position.turn) != self.blocks]
        return (wins or wanted or actions)[0]


def after(position, action):
    child = position.copy()
    child.push(action)
    return child


def won(position, seat):
    return position.over and position.payoffs()[seat] > 0


def loses(position, seat):
    """Whether the seat that moved here has lost, or loses to the next move."""
    if position.over or position.turn == seat:
        return won(position, 1 - seat)
    return any(won(after(position, action), 1 - seat) for action in position.legal_actions())


def count(match):
    """Threats and blocks of the first agent, from the recorded moves."""
    threats = blocked = 0
    for number, moves in enumerate(match.moves.tolist()):
        position = match.game.start()
        for action in (action for action in moves if action >= 0):
            seat, actions = position.turn, position.legal_actions()
            if seat == number % 2 and not any(won(after(position, a), seat) for a in actions):
                lost = {a: loses(after(position, a), seat) for a in actions}
                threats += len(set(lost.values())) == 2
                blocked += len(set(lost.values())) == 2 and not lost[action]
            position.push(action)
    return threats, blocked


def played(result, number):
    return [action for action in result.match.moves[number].tolist() if action >= 0]


def test_a_block_counts_and_what_cannot_be_blocked_does_not():
    result = tactics(TICTACTOE, Line(3, 2, 5, 8), Line(0, 1, 4, 7), pairs=1, seed=0)
    # It never faces a threat, and its last move is a win, though 7 and 8 were threatened.
    assert played(result, 0) == [3, 0, 2, 1, 5, 4, 8]
    # It blocks 0-1-2; then 7 and 8 are both threatened, which no move prevents.
    assert played(result, 1) == [0, 3, 1, 2, 4, 5, 7]
    assert (result.threats, result.blocked, result.blocking_rate) == (1, 1, 1.0)
    assert (result.wins_first, result.wins_second, result.draws, result.length) == (1, 0, 0, 7)


def test_a_threat_that_is_not_seen_is_missed():
    result = tactics(TICTACTOE, Line(0, 1, 2), Line(3, 4, 5), pairs=1, seed=0)
    assert played(result, 0) == [0, 3, 1, 4, 2]  # it wins where it could also have blocked 5
    assert played(result, 1) == [3, 0, 4, 1, 5]
    assert (result.threats, result.blocked, result.blocking_rate) == (1, 0, 0.0)
    assert str(result).endswith(
        ": won 100.0 % as first, 0.0 % as second, drawn 0.0 %; 5.00 decisions a game; 0 of 1 threats blocked"
    )


def test_tactics_as_text():
    match = tactics(TICTACTOE, Line(0, 1, 2), Line(3, 4, 5), pairs=1, seed=0).match
    assert str(Tactics(match, 0.75, 0.25, 0.125, 6.5, 3000, 1500)) == (
        "Line against Line: won 75.0 % as first, 25.0 % as second, drawn 12.5 %; 6.50 decisions a game; "
        "1,500 of 3,000 threats blocked"
    )


def test_a_draw_is_nobodys_win():
    both = Line(0, 1, 2, 4, 3, 6, 7, 5, 8)
    result = tactics(TICTACTOE, both, both, pairs=1, seed=0)
    assert played(result, 0) == played(result, 1) == [0, 1, 2, 4, 3, 6, 7, 5, 8]
    assert (result.wins_first, result.wins_second, result.draws, result.length) == (0, 0, 1, 9)


@pytest.mark.parametrize("game", ["tictactoe", "hexapawn"])
@pytest.mark.parametrize(("agent", "rate"), [("perfect", 1.0), (Watchful(True), 1.0), (Watchful(False), 0.0)])
def test_the_rate_of_agents_that_always_or_never_block(game, agent, rate):
    result = tactics(make_game(game), agent, "random", pairs=30, seed=1)
    assert result.threats > 10
    assert result.blocking_rate == rate


@pytest.mark.parametrize("game", ["tictactoe?rows=3&columns=4", "hexapawn?rows=4", "othello?size=4"])
def test_counts_are_those_of_the_positions_rules(game):
    result = tactics(make_game(game), "random", "greedy", pairs=20, seed=2)
    assert 0 < result.blocked < result.threats
    assert (result.threats, result.blocked) == count(result.match)


def test_random_openings_are_nobodys_decisions():
    result = tactics(TICTACTOE, Line(*range(9)), Line(*range(9)), pairs=5, seed=3, opening=9)
    assert (result.threats, result.length) == (0, 0)
    assert math.isnan(result.blocking_rate)


@pytest.mark.parametrize("game", ["backgammon", "hanabi"])
def test_other_games_are_refused(game):
    with pytest.raises(ValueError, match=rf"^tactics: {game} cannot be examined; it takes games of two opponents"):
        tactics(make_game(game), "random", "random", pairs=1, seed=0)
