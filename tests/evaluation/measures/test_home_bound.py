"""The Home Bound metric: when a game stops, what it is then worth, and the command."""

import itertools
import json

import numpy as np
import pytest

from ludarium.envs.episode import Episode
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.home_bound import ROLL_BONUS, _write_leads, home_bound
from ludarium.evaluation.play.match import game_keys, play_match
from ludarium.evaluation.statistics.intervals import mean_interval

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
def test_it_is_the_lead_when_the_sides_have_passed_each_other(bonus, monkeypatch):
    """Also where the pairs are played in several batches."""
    monkeypatch.setattr("ludarium.evaluation.measures.backgammon.home_bound._BATCH", 4)
    bound = home_bound(GAME, "greedy", "random", 10, 4, roll_bonus=bonus)
    played = play_match(GAME, ["greedy", "random"], 10, 4, record=True)
    keys, _ = game_keys(4, 0, 10, 2)
    leads = np.array([lead(key, moves, bonus) for key, moves in zip(keys, played.moves.tolist(), strict=True)])
    leads = leads.reshape(10, 2) * [1, -1]
    assert (bound.games, bound.left_out) == (20, 0)
    assert (bound.pips, bound.margin) == pytest.approx(mean_interval(leads.mean(axis=1)))
    assert bound.ahead == pytest.approx((leads > 0).mean())
    assert (bound.points, bound.points_margin) == mean_interval(played.points())
    assert bound.pips > 30
    assert str(bound) == (
        f"greedy against random: {bound.pips:+.2f} ± {bound.margin:.2f} pips a game, "
        f"ahead in {100 * bound.ahead:.1f} % of 20 games, {bonus:.3f} pips for the side on roll"
    )
    equal = home_bound(GAME, "greedy", "greedy", 3)
    assert (equal.pips, equal.ahead) == (pytest.approx(0), 0.5)


def test_a_game_without_its_last_move_has_no_lead():
    """The move that passes the other side is there, or it only follows in memory."""
    played = play_match(GAME, ["greedy", "random"], 1, 4, record=True)
    keys, _ = game_keys(4, 0, 1, 2)
    rest = iter(played.moves[0].tolist())
    expected = lead(keys[0], rest, ROLL_BONUS)
    needed = len(played.moves[0]) - len(list(rest))
    leads = np.full(2, np.nan)
    for number, count in enumerate((needed, needed - 1)):
        moves = played.moves[0, :count].reshape(1, count)
        _write_leads(GAME.table, GAME.option_bytes, moves, keys[:1], ROLL_BONUS, leads[number : number + 1])
    assert leads.tolist() == pytest.approx([expected, np.nan], nan_ok=True)


OTHER = "home-bound: it measures single games of backgammon without the cube, not"


def test_a_bonus_is_a_number_of_pips():
    with pytest.raises(ValueError, match="home-bound: roll_bonus must be a finite number of pips, not inf"):
        home_bound(GAME, "random", "random", 1, roll_bonus=float("inf"))


@pytest.mark.parametrize(
    ("game", "first", "pairs", "told"),
    [
        ("backgammon", lambda *shown: -1, 2, "every pair of games has a forfeit, so there is nothing to measure"),
        ("backgammon", "random", 0, "pairs must be at least 1, not 0"),
        *((game, "random", 1, OTHER) for game in ("tictactoe", "backgammon?cube=True", "backgammon?match_length=3")),
    ],
)
def test_what_cannot_be_measured(game, first, pairs, told):
    with pytest.raises(ValueError, match=told):
        home_bound(make_game(game), first, "random", pairs)


def test_pairs_with_a_forfeit_are_left_out():
    calls = itertools.count()

    def bot(observation, mask, info):
        return -1 if next(calls) == 3 else int(mask.argmax())

    bound = home_bound(GAME, bot, "random", 3)
    assert (bound.games, bound.left_out) == (4, 2)
    assert "2 games left out, with a forfeit in the pair" in str(bound)


def test_the_command(output):
    command = "match", "backgammon", "greedy", "random", "--pairs", "3", "--metric", "home-bound"
    data = json.loads(output(*command, "--roll-bonus", "8.166", "--json"))
    assert (data["roll_bonus"], data["games"]) == (8.166, 6)
    (line,) = output(*command).splitlines()
    assert "4.083 pips for the side on roll" in line
