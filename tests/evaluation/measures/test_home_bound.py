"""The Home Bound metric: when a game stops, what it is then worth, and the command."""

import itertools
import json

import numpy as np
import pytest

from ludarium.envs.episode import Episode
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.home_bound import ROLL_BONUS, home_bound
from ludarium.evaluation.play.match import game_keys, play_match

GAME = make_game("backgammon")


def farthest(record, seat):
    return max((point for point in range(26) if record.checkers[seat, point]), default=0)


def pips(record, seat):
    return int(np.arange(26) @ record.checkers[seat])


def lead(key, moves, bonus):
    """Seat 0's lead when the sides have passed each other, by playing the game again in Python."""
    episode, moves = Episode(GAME, key, None, []), iter(moves)
    record, last = episode.position.record, None
    while True:
        if episode.turn < 0:
            return pips(record, 1) - pips(record, 0)
        if record.seat != last:  # a turn begins: the dice have just been rolled
            last = int(record.seat)
            if farthest(record, 0) + farthest(record, 1) < 25:
                return pips(record, 1) - pips(record, 0) + (bonus if last == 0 else -bonus)
        episode.play(next(moves))


@pytest.mark.parametrize("bonus", [ROLL_BONUS, 8.166])
def test_it_is_the_lead_when_the_sides_have_passed_each_other(bonus):
    found = home_bound(GAME, "greedy", "random", 10, 4, roll_bonus=bonus)
    played = play_match(GAME, ["greedy", "random"], 10, 4, record=True)
    keys, _ = game_keys(4, 0, 10, 2)
    leads = np.array([lead(key, moves, bonus) for key, moves in zip(keys, played.moves.tolist(), strict=True)])
    leads = leads.reshape(10, 2) * [1, -1]
    assert (found.games, found.left_out) == (20, 0)
    assert found.pips == pytest.approx(leads.mean())
    assert found.ahead == pytest.approx((leads > 0).mean())
    assert found.pips > 30
    assert str(found).startswith(
        f"greedy against random: {found.pips:+.2f} ± {found.margin:.2f} pips a game, ahead in "
    )


def test_equal_agents_are_equal_over_a_pair():
    found = home_bound(GAME, "greedy", "greedy", 3)
    assert (found.pips, found.ahead) == (pytest.approx(0), 0.5)


def test_an_agent_that_always_forfeits(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("def bot(observation, mask, info):\n    return -1\n")
    with pytest.raises(ValueError, match="every pair of games has a forfeit, so there is nothing to measure"):
        home_bound(GAME, f"{bot}:bot", "random", 2)


def test_pairs_with_a_forfeit_are_left_out():
    calls = itertools.count()

    def bot(observation, mask, info):
        return -1 if next(calls) == 3 else int(mask.argmax())

    found = home_bound(GAME, bot, "random", 3)
    assert (found.games, found.left_out) == (4, 2)
    assert "2 games left out, with a forfeit in the pair" in str(found)


@pytest.mark.parametrize("spec", ["tictactoe", "backgammon?cube=True", "backgammon?match_length=3"])
def test_other_games(spec):
    with pytest.raises(ValueError, match="home-bound: it measures single games of backgammon without the cube, not"):
        home_bound(make_game(spec), "random", "random", 1)


def test_no_pairs():
    with pytest.raises(ValueError, match="pairs must be at least 1, not 0"):
        home_bound(GAME, "random", "random", 0)


def test_the_command(ludarium):
    command = "match", "backgammon", "greedy", "random", "--pairs", "3", "--metric", "home-bound"
    code, out, _ = ludarium(*command, "--roll-bonus", "8.166", "--json")
    assert code == 0
    assert (json.loads(out)["roll_bonus"], json.loads(out)["games"]) == (8.166, 6)
    code, out, _ = ludarium(*command)
    assert (code, out.count("\n")) == (0, 1)
    assert "4.083 pips for the side on roll" in out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--metric", "wins"), "--metric must be home-bound, and --roll-bonus belongs to it; --metric is 'wins'"),
        (("--roll-bonus", "4"), "--metric must be home-bound, and --roll-bonus belongs to it; --metric is None"),
        (("--metric", "home-bound", "--store", "x.db"), "--metric keeps no games and needs no workers"),
        (("--metric", "home-bound", "--sprt", "0", "5"), "--metric does not go with --sprt"),
    ],
)
def test_wrong_options(ludarium, options, problem):
    code, _, err = ludarium("match", "backgammon", "greedy", "random", *options)
    assert code == 2
    assert problem in err


def test_two_agents(ludarium):
    code, _, err = ludarium("match", "backgammon", "greedy", "--metric", "home-bound")
    assert code == 2
    assert "--metric home-bound compares two agents, not 1" in err
