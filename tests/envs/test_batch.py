"""Compiled batches: results that do not depend on batches, openings, forfeits and truncation."""

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.envs.batch import FINISHED, ILLEGAL, TRUNCATED, play_games, random_games
from ludarium.envs.chance import OPENING, seed_key, stream
from ludarium.envs.game import Game, kernel
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.kernels import ACTIONS, CHANCE, OVER
from ludarium.envs.policy import Policy
from ludarium.envs.tictactoe import TicTacToe


class Dice(Game):
    """Each seat rolls a die with faces 0, 1, 3 in turn, and stops or goes on; first to 6 or more wins."""

    name = "dice"
    actions = 2
    observation_shape = (2,)
    observation_range = (0, 20)
    max_moves = 30
    max_outcomes = 4
    state = np.dtype([("score", np.int8, (2,)), ("seat", np.int8), ("rolling", np.int8)], align=True)

    @kernel
    def setup(s, o):
        s.rolling = 1
        return 0

    @kernel
    def turn(s):
        if s.score[0] >= 6 or s.score[1] >= 6:
            return OVER
        return CHANCE if s.rolling else s.seat

    @kernel
    def legal(s, mask):
        free = s.rolling == 0 and s.score[0] < 6 and s.score[1] < 6
        mask[0] = mask[1] = free
        return 2 * free

    @kernel
    def play(s, action):
        if s.rolling:
            s.score[s.seat] += action
            s.rolling = 0
        else:
            s.rolling = 1
            s.seat = s.seat if action and s.score[s.seat] == 0 else 1 - s.seat
        return 0

    @kernel
    def payoffs(s, out):
        out[0] = 1.0 * (s.score[0] >= 6) - 1.0 * (s.score[1] >= 6)
        out[1] = -out[0]
        return 0

    @kernel
    def observe(s, seat, out):
        out[0], out[1] = s.score[seat], s.score[1 - seat]
        return 0

    @kernel
    def chance(s, probabilities):
        probabilities[0], probabilities[1], probabilities[2], probabilities[3] = 0.5, 0.25, 0.0, 0.25
        return 4


def first_legal(game, state, observation, mask, block, random):
    for action in range(game[ACTIONS]):
        if mask[action]:
            return action
    return -1


def outside(game, state, observation, mask, block, random):
    return game[ACTIONS]


def first_square(game, state, observation, mask, block, random):
    return 0


def own_minus_other(game, state, observation, mask, block, random):
    return 1 if observation[0] > observation[1] else 0


GAMES = [TicTacToe(), TicTacToe(rows=4, columns=4, line=3), Hexapawn(rows=4, columns=5), Dice()]
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


def test_chance_is_a_function_of_the_key_and_not_of_the_players():
    game = Dice()
    # Whoever plays, the first roll is the key's: games with one key begin with the same roll.
    seats = np.zeros((60, 2), dtype=np.int64)
    same = play_games(game, [random(game)], seats, np.full(60, KEYS[0]), KEYS, record=True)
    assert len({tuple(moves) for moves in same.moves.tolist()}) > 1
    fixed = [play_games(game, [Policy(first_legal)], seats, np.full(60, key), KEYS).payoffs for key in KEYS[:20]]
    assert all((payoffs == payoffs[0]).all() for payoffs in fixed)  # nothing private matters to this player
    assert len({payoffs[0, 0] for payoffs in fixed}) == 2


def test_outcomes_of_no_probability_do_not_occur():
    position, random_draws = Dice().start(), stream(1)
    counts = np.bincount([position.draw_outcome(random_draws) for _ in range(4000)], minlength=4)
    assert counts[2] == 0
    assert counts / 4000 == pytest.approx([0.5, 0.25, 0, 0.25], abs=0.03)
    assert position.outcomes() == [(0, 0.5), (1, 0.25), (3, 0.25)]


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
    assert OPENING != 0


def test_an_illegal_action_forfeits():
    game, keys = TicTacToe(), KEYS[:4]
    policies = [Policy(first_legal), Policy(outside), Policy(first_square)]
    seating = np.array([[0, 1], [1, 0], [2, 0], [0, 2]])
    games = play_games(game, policies, seating, keys, keys, record=True)
    assert games.endings.tolist() == [ILLEGAL + 1, ILLEGAL + 0, ILLEGAL + 0, ILLEGAL + 1]
    assert games.lengths.tolist() == [1, 0, 2, 1]
    assert games.payoffs.tolist() == [[0, 0]] * 4


def test_a_game_that_is_too_long_is_cut_off():
    game = type("Short", (TicTacToe,), {"configure": lambda self: (TicTacToe.configure(self), self.cut())[0]})
    game.cut = lambda self: setattr(self, "max_moves", 3)
    games = play_games(game(), [Policy(first_legal)], np.zeros((2, 2), dtype=np.int64), KEYS[:2], KEYS[:2], record=True)
    assert games.endings.tolist() == [TRUNCATED] * 2
    assert games.lengths.tolist() == [3, 3]
    assert games.moves.tolist() == [[0, 1, 2]] * 2
    assert random_games(game(), 10, seed=1)[1] == 30


def test_policies_get_what_they_declare():
    game, seats = Dice(), np.zeros((60, 2), dtype=np.int64)
    blind = play_games(game, [Policy(own_minus_other)], seats, KEYS, KEYS, record=True)
    seeing = play_games(game, [Policy(own_minus_other, needs_observation=True)], seats, KEYS, KEYS, record=True)
    assert not (blind.moves == 1).any()
    assert (seeing.moves == 1).any()


def test_the_state_of_a_game_with_hidden_information_is_withheld():
    hidden = type("Hidden", (TicTacToe,), {"hidden_information": True})()
    policy = Policy(first_legal, needs_state=True)
    with pytest.raises(
        ValueError, match="tictactoe: a policy that needs the state may not play a game with hidden inf"
    ):
        play_games(hidden, [policy], np.zeros((1, 2), dtype=np.int64), KEYS[:1], KEYS[:1])


def test_a_policy_brings_enough_memory():
    with pytest.raises(ValueError, match="policy: the block has 3 bytes, its record needs 8"):
        Policy(first_legal, block=np.zeros(3, dtype=np.uint8))
