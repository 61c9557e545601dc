"""Compiled batches: results that do not depend on batches, openings, forfeits and truncation."""

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.envs.backgammon import Backgammon
from ludarium.envs.batch import FINISHED, ILLEGAL, TRUNCATED, play_games, random_games
from ludarium.envs.chance import seed_key, stream
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.kernels import ACTIONS
from ludarium.envs.policy import Policy
from ludarium.envs.tictactoe import TicTacToe


def first_legal(game, state, observation, mask, block, random):
    for action in range(game[ACTIONS]):
        if mask[action]:
            return action
    return -1


def outside(game, state, observation, mask, block, random):
    return game[ACTIONS]


def first_square(game, state, observation, mask, block, random):
    return 0


GAMES = [
    TicTacToe(),
    TicTacToe(rows=4, columns=4, line=3),
    Hexapawn(rows=4, columns=5),
    Backgammon(variant="hypergammon"),
]
KEYS = np.array([seed_key(9, number) for number in range(60)], dtype=np.uint64)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.spec)
def test_random_games_do_not_depend_on_batches(game):
    whole, decisions = random_games(game, 60, seed=4)
    parts = [random_games(game, size, seed=4, first=first) for first, size in ((0, 1), (1, 20), (21, 39))]
    assert np.array_equal(whole, np.concatenate([payoffs for payoffs, _ in parts]))
    assert decisions == sum(number for _, number in parts)
    assert not np.array_equal(whole, random_games(game, 60, seed=5)[0])
    assert np.array_equal(whole[:, 0], -whole[:, 1])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.spec)
def test_matches_do_not_depend_on_batches_or_order(game):
    policies = [random(game), Policy(first_legal)]
    seating = np.array([[0, 1], [1, 0], [0, 0]] * 20)
    whole = play_games(game, policies, seating, KEYS, KEYS, opening=1, record=True)
    order = np.random.default_rng(1).permutation(60)
    for rows in np.split(order, [1, 25]):
        part = play_games(game, policies, seating[rows], KEYS[rows], KEYS[rows], opening=1, record=True)
        for name in ("payoffs", "lengths", "endings", "moves"):
            assert np.array_equal(getattr(part, name), getattr(whole, name)[rows])
    assert (whole.endings == FINISHED).all()
    assert ((whole.moves >= 0).sum(axis=1) == whole.lengths).all()


@pytest.mark.parametrize("game", GAMES[:3], ids=lambda game: game.spec)
def test_recorded_moves_lead_to_the_payoffs(game):
    games = play_games(game, [random(game)], np.zeros((60, 2), dtype=np.int64), KEYS, KEYS, record=True)
    for moves, length, payoffs in zip(games.moves, games.lengths, games.payoffs, strict=True):
        position = game.start()
        for action in moves[:length]:
            position.play(action)
        assert position.over
        assert position.payoffs().tolist() == payoffs.tolist()


def test_nothing_is_recorded_unless_asked():
    games = play_games(TicTacToe(), [Policy(first_legal)], np.zeros((1, 2), dtype=np.int64), KEYS[:1], KEYS[:1])
    assert games.moves.shape == (1, 0)
    assert games.spent.shape == games.deciders.shape == (0, 9)


def test_of_one_game_in_sixteen_every_decision_is_timed():
    """But not what is random at the start; of the seats it is told who decided."""
    seating = np.array([[0, 1], [1, 0], [1, 1]] * 11)
    games = play_games(TicTacToe(), [Policy(first_legal)] * 2, seating, KEYS[:33], KEYS[:33], opening=1, record=True)
    assert games.spent.shape == games.deciders.shape == (3, 9)
    for row, game in enumerate((0, 16, 32)):
        players = [int(seating[game, ply % 2]) for ply in range(1, games.lengths[game])]
        assert games.deciders[row].tolist() == [-1, *players, *[-1] * (9 - games.lengths[game])]
    assert not games.spent[games.deciders < 0].any()


def test_chance_is_a_function_of_the_key_and_not_of_the_players():
    game = GAMES[3]
    seats = np.zeros((60, 2), dtype=np.int64)
    same = play_games(game, [random(game)], seats, np.full(60, KEYS[0]), KEYS, record=True)
    assert len({tuple(moves) for moves in same.moves.tolist()}) > 1
    fixed = [play_games(game, [Policy(first_legal)], seats, np.full(60, key), KEYS).payoffs for key in KEYS[:20]]
    assert all((payoffs == payoffs[0]).all() for payoffs in fixed)  # nothing private matters to this player
    assert len({payoffs[0, 0] for payoffs in fixed}) > 1


def test_outcomes_are_as_frequent_as_they_are_likely():
    position, draws = Hanabi(colors=1, ranks=4, hand_size=1).start(), stream(1)
    for card in (0, 3):  # there is no other 4
        position.play(card)
    position.play(1)
    counts = np.bincount([position.draw_outcome(draws) for _ in range(4000)], minlength=4)
    assert counts / 4000 == pytest.approx([2 / 6, 2 / 6, 2 / 6, 0], abs=0.03)
    assert counts[3] == 0
    assert position.outcomes() == [(card, pytest.approx(1 / 3)) for card in range(3)]


def test_opening_moves_are_random_and_belong_to_the_key():
    game, seats = TicTacToe(), np.zeros((60, 2), dtype=np.int64)
    games = play_games(game, [Policy(first_legal)], seats, KEYS, KEYS[::-1].copy(), opening=2, record=True)
    openings = {tuple(moves[:2]) for moves in games.moves.tolist()}
    assert len(openings) > 30
    again = play_games(game, [random(game)], seats, KEYS, KEYS, opening=2, record=True)
    assert np.array_equal(games.moves[:, :2], again.moves[:, :2])
    assert not np.array_equal(games.moves, again.moves)
    for moves in games.moves.tolist():  # after the opening, the first legal square
        assert moves[2] == min(set(range(9)) - set(moves[:2]))


def test_an_illegal_action_forfeits():
    game, keys = TicTacToe(), KEYS[:4]
    policies = [Policy(first_legal), Policy(outside), Policy(first_square)]
    seating = np.array([[0, 1], [1, 0], [2, 0], [0, 2]])
    games = play_games(game, policies, seating, keys, keys, record=True)
    assert games.endings.tolist() == [ILLEGAL + 1, ILLEGAL + 0, ILLEGAL + 0, ILLEGAL + 1]
    assert games.lengths.tolist() == [1, 0, 2, 1]
    assert games.payoffs.tolist() == [[0, 0]] * 4


def test_a_game_that_is_too_long_is_cut_off():
    game = TicTacToe()
    game.max_moves = 3
    games = play_games(game, [Policy(first_legal)], np.zeros((2, 2), dtype=np.int64), KEYS[:2], KEYS[:2], record=True)
    assert games.endings.tolist() == [TRUNCATED] * 2
    assert games.lengths.tolist() == [3, 3]
    assert games.moves.tolist() == [[0, 1, 2]] * 2
    assert random_games(game, 10, seed=1)[1] == 30
