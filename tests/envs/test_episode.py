"""One episode: chance, rewards, ends; a game whose last decision is followed by chance."""

from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.envs.batch import FINISHED, play_games, random_games
from ludarium.envs.chance import AGENTS, child_key, seed_key
from ludarium.envs.episode import Episode, agent_seed, check_choice, read_reset_options
from ludarium.envs.game import kernel
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.lanes import random_actions
from ludarium.envs.options import IllegalAction
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game
from ludarium.envs.single import GameEnv
from ludarium.envs.tictactoe import TicTacToe
from ludarium.envs.vector import GameVectorEnv


class Coin(TicTacToe):
    """Tic-tac-toe on one square, of which a coin decides who wins: it falls after the last decision there can be."""

    name = "coin"
    max_outcomes = 2

    @kernel
    def turn(s):
        return OVER if s.winner >= 0 else 0 if s.empty else CHANCE

    @kernel
    def play(s, action):
        if s.empty:
            s.empty = 0
        else:
            s.winner = action
        return 0

    @kernel
    def chance(s, probabilities):
        probabilities[0] = probabilities[1] = 0.5
        return 2


COIN = Coin(rows=1, columns=1, line=1)


def heads(game, state, observation, mask, block, stream):
    return 0


def test_chance_after_the_longest_game_still_happens():
    """In Python, in a batch and in the vector environment alike."""
    game, keys = COIN, np.array([seed_key(3, i) for i in range(50)])
    played = play_games(game, [Policy(heads)], np.zeros((50, 2), dtype=np.int64), keys, keys)
    assert (played.endings == FINISHED).all()
    tosses = played.payoffs[:, 0].tolist()
    assert set(tosses) == {-1.0, 1.0}

    for key, toss in zip(keys, tosses, strict=True):
        episode = Episode(game, key, None, [])
        episode.play(0)
        assert (episode.turn, episode.truncated) == (OVER, False)
        assert episode.returns.tolist() == [toss, -toss]

    payoffs, decisions = random_games(game, 50, seed=1)
    assert decisions == 50
    assert set(payoffs[:, 0]) == {-1.0, 1.0}

    vector, single = GameVectorEnv(game, 1, seat=0), GameEnv(game, seat=0)
    vector.reset(seed=5)
    single.reset(seed=5)
    for _ in range(10):
        _, rewards, terminated, truncated, _ = vector.step(np.array([0]))
        assert (rewards[0], terminated[0], truncated[0]) == single.step(0)[1:4]
        assert terminated[0]
        single.reset()


def test_the_script_comes_first_and_the_stream_follows():
    game = make_game("hanabi")
    start, script = read_reset_options(game, {"deck": list(range(10))})
    assert start is None
    episodes = [Episode(game, seed_key(seed), None, script) for seed in range(6)]
    assert len({episode.position.text for episode in episodes}) == 1
    for episode in episodes:
        episode.play(5)  # plays a card and draws another
    assert len({episode.position.text for episode in episodes}) > 2


def test_a_script_with_an_impossible_outcome_is_an_error():
    with pytest.raises(IllegalAction, match="coin: 2 is not a possible outcome here"):
        Episode(COIN, seed_key(0), None, [2]).play(0)


def test_the_start_is_not_changed():
    game = make_game("tictactoe")
    start, script = read_reset_options(game, {"position": "x../.../... o"})
    episode = Episode(game, seed_key(0), start, script)
    episode.play(4)
    assert start.text == "x../.../... o"
    assert episode.position.text == "x../.o./... x"


def test_the_history_is_every_decision_and_outcome_in_order():
    episode = Episode(make_game("backgammon"), seed_key(3), None, [5])
    while episode.plies < 6:
        episode.play(episode.position.legal_actions()[-1])
    info = episode.info(0, SimpleNamespace(needs_state=True, needs_view=False))
    again = episode.game.start()
    for event in info["history"]:
        again.play(event)
    assert again == episode.position == info["position"]


@pytest.mark.parametrize("script", [[], [5, 7, 9, 11, 13]])
def test_a_copy_meets_the_same_chance_and_leaves_the_episode_as_it_is(script):
    def finish(episode):
        while episode.turn != OVER and episode.plies < 12:
            episode.play(episode.position.legal_actions()[-1])
        return episode.history

    episode = Episode(make_game("backgammon"), seed_key(3), None, list(script))
    episode.play(episode.position.legal_actions()[-1])
    before = list(episode.history)
    tried = finish(episode.copy())
    assert episode.history == before != tried
    assert finish(episode) == tried


def test_rewards_are_what_a_play_added():
    episode = Episode(make_game("hanabi"), seed_key(0), None, [0, 5, 10, 15, 20])
    episode.play(5)
    assert episode.rewards.tolist() == [1, 1]
    episode.play(episode.position.legal_actions()[-1])
    assert episode.rewards.tolist() == [0, 0]
    assert episode.returns.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("game", "seat", "returns"),
    [("tictactoe", 0, [-1, 1]), ("tictactoe", 1, [1, -1]), ("hanabi?seats=3", 1, [0, 0, 0])],
)
def test_a_forfeit_is_the_worst_there_is(game, seat, returns):
    episode = Episode(make_game(game), seed_key(0), None, [])
    episode.forfeit(seat)
    assert episode.turn == OVER
    assert episode.returns.tolist() == episode.rewards.tolist() == returns


def test_what_is_legal():
    episode = Episode(make_game("tictactoe"), seed_key(0), None, [])
    episode.play(4)
    assert [a for a in range(-2, 12) if episode.is_legal(a)] == [0, 1, 2, 3, 5, 6, 7, 8]
    assert episode.is_legal(np.int8(0))
    assert not any(episode.is_legal(a) for a in (None, 0.0, "0", 2**80, -(2**80)))


def test_giving_up_counts_only_where_it_is_asked_for():
    game = make_game("backgammon")
    episode = Episode(game, seed_key(0), None, [])
    action = game.resignations(episode.position)[0].action
    assert episode.objection(action, resigning=True) == ""
    assert f"action {action} does not exist" in episode.objection(action)
    assert f"action {action + 9} does not exist" in episode.objection(action + 9, resigning=True)
    assert episode.objection(episode.position.legal_actions()[0], resigning=True) == ""


def test_seeds_of_agents_differ_by_seat_and_game_and_tell_only_compiled_ones_the_key():
    compiled, other = SimpleNamespace(policy=object()), SimpleNamespace(policy=None)
    places = [(seed_key(game), seat) for game in range(3) for seat in range(5)]
    assert len({agent_seed(agent, *place) for agent in (compiled, other) for place in places}) == 30
    assert agent_seed(compiled, seed_key(1), 2) == child_key(seed_key(1), AGENTS + 2)


@pytest.mark.parametrize(
    ("game", "needs_state", "needs_view", "told"),
    [
        ("tictactoe", False, False, set()),
        ("tictactoe", True, False, {"position", "history"}),
        ("hanabi", False, False, set()),
        ("hanabi", True, False, set()),  # they would tell what is hidden
        ("hanabi", False, True, {"view"}),
    ],
)
def test_an_agent_is_told_what_it_needs_and_may_know(game, needs_state, needs_view, told):
    episode = Episode(make_game(game), seed_key(0), None, [])
    agent = SimpleNamespace(needs_state=needs_state, needs_view=needs_view)
    assert episode.info(0, agent).keys() == {"seat", "game"} | told


def test_a_seat_is_drawn_evenly():
    game = make_game("hanabi?seats=5")
    seats = [Episode(game, seed_key(i), None, []).random_seat() for i in range(300)]
    assert min(np.bincount(seats, minlength=5)) > 35


def test_a_choice_is_one_of_those_offered():
    assert check_choice("colour", "red", ("red", "blue")) == "red"
    with pytest.raises(ValueError, match="colour must be one of 'red', 'blue', not 'green'"):
        check_choice("colour", "green", ("red", "blue"))


def test_random_actions_are_legal_and_spread():
    masks = np.tile(np.array([0, 1, 1, 0, 1], dtype=np.int8), (3000, 1))
    masks[0] = 0
    drawn = random_actions(masks, np.array([1, 0], dtype=np.uint64))
    assert drawn[0] == 0
    assert np.bincount(drawn[1:], minlength=5)[[1, 2, 4]].min() > 900
    assert masks[np.arange(1, 3000), drawn[1:]].all()
