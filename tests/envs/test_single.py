"""The Gymnasium view: its standard check, rewards, signs, seeds, opponents and errors."""

import itertools
import re
import threading
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import ludarium  # noqa: F401  (registers the games)
from ludarium.agents import make_agent
from ludarium.envs.options import IllegalAction
from ludarium.envs.registry import make_game
from ludarium.envs.single import GameEnv


def random_action(info, rng):
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


def play_episode(env, rng, **reset):
    """Rewards, and the info before and after each step, of one episode of random legal actions."""
    _, info = env.reset(**reset)
    rewards, infos, done = [], [info], False
    while not done:
        _, reward, terminated, truncated, info = env.step(random_action(info, rng))
        rewards.append(reward)
        infos.append(info)
        done = terminated or truncated
    return rewards, infos


def trace(env, rng, steps=30, **reset):
    """Everything `steps` steps of random legal actions show, new episodes included."""
    obs, info = env.reset(**reset)
    shown = [(obs.tobytes(), info["action_mask"].tobytes(), info["seat"])]
    for _ in range(steps):
        obs, reward, terminated, truncated, info = env.step(random_action(info, rng))
        shown.append((obs.tobytes(), info["action_mask"].tobytes(), info["seat"], reward, terminated, truncated))
        if terminated or truncated:
            obs, info = env.reset()
            shown.append((obs.tobytes(), info["action_mask"].tobytes(), info["seat"]))
    return shown


@pytest.mark.parametrize("self_play", [False, True])
def test_gymnasium_finds_nothing_to_complain_about(game_spec, self_play, capsys):
    game = make_game(game_spec)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(f"ludarium/{type(game).__name__}-v0", self_play=self_play, **game.options)
        assert env.unwrapped.game == game
        check_env(env.unwrapped)  # in every render mode too


def test_rewards_sum_to_what_the_seat_gained(game_spec):
    env, rng = GameEnv(game_spec), np.random.default_rng(1)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        before, total, done = env.position.payoffs(), 0.0, False
        while not done:
            _, reward, terminated, truncated, info = env.step(random_action(info, rng))
            assert isinstance(reward, float)
            total, done = total + reward, terminated or truncated
        assert np.array_equal(info["payoffs"], env.position.payoffs())
        assert total == pytest.approx(info["payoffs"][info["seat"]] - before[info["seat"]])
        assert env.position.over == terminated


def test_self_play_signs_carry_the_value_back(game_spec):
    """Backing up reward + sign × value gives every actor its own final payoff, less what it already had."""
    env, rng = GameEnv(game_spec, self_play=True), np.random.default_rng(2)
    rewards, infos = play_episode(env, rng, seed=5)
    returns = np.zeros(env.game.seats)
    had = []
    for info, after in itertools.pairwise(infos):
        had.append(returns[info["seat"]])
        returns = returns + after["rewards"]
    assert returns == pytest.approx(infos[-1]["payoffs"])
    value = 0.0
    for step in reversed(range(len(rewards))):
        actor, after = infos[step]["seat"], infos[step + 1]
        assert rewards[step] == after["rewards"][actor]
        assert after["sign"] == (1 if env.game.cooperative or after["seat"] == actor else -1)
        value = rewards[step] + after["sign"] * value
        assert value == pytest.approx(infos[-1]["payoffs"][actor] - had[step])


def test_the_sign_is_minus_one_when_the_other_side_moves():
    env = GameEnv("tictactoe", self_play=True)
    _, info = env.reset()
    assert info["sign"] == 1
    assert info["rewards"].tolist() == [0, 0]
    assert env.step(4)[4]["sign"] == -1


def test_the_sign_of_a_forced_pass_is_minus_one():
    env, rng, passes = GameEnv("othello", self_play=True, size=4), np.random.default_rng(0), 0
    while passes < 3:
        _, info = env.reset()
        done = False
        while not done:
            action = random_action(info, rng)
            _, _, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            if action == 16 and not done:
                passes += 1
                assert info["sign"] == -1


def test_the_sign_is_one_when_doubles_are_played_on():
    env = GameEnv("backgammon", self_play=True)
    options = {"dice": [(3, 1), (5, 5)]}
    _, info = env.reset(seed=1, options=options)
    signs = []
    for _ in range(3):
        before = info["seat"]
        *_, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        signs.append((before, info["seat"], info["sign"]))
    (first, second, turned), (again, still, kept), (last, back, ended) = signs
    assert (first != second, turned) == (True, -1)
    assert (again == still, kept) == (True, 1)
    assert (last != back, ended) == (True, -1)


def test_the_sign_of_a_team_is_one():
    env = GameEnv("hanabi", self_play=True)
    _, info = env.reset(seed=1)
    before = info["seat"]
    *_, info = env.step(random_action(info, np.random.default_rng(1)))
    assert (before, info["seat"], info["sign"]) == (0, 1, 1)


def test_the_opponents_winning_reply_is_the_learners_loss():
    env = GameEnv("tictactoe", opponent=lambda observation, mask, info: 5, seat=0)
    env.reset(options={"position": "xx./oo./... x"})
    _, reward, terminated, truncated, info = env.step(8)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["payoffs"].tolist() == [-1, 1]
    assert info["seat"] == 0


def test_the_winning_move_is_rewarded_at_once():
    env = GameEnv("tictactoe", seat=0)
    env.reset(options={"position": "xx./oo./... x"})
    _, reward, terminated, _, info = env.step(2)
    assert (reward, terminated) == (1.0, True)
    assert not info["action_mask"].any()


def test_the_opponent_moves_first_when_the_learner_sits_second():
    env = GameEnv("tictactoe", seat=1, opponent=lambda observation, mask, info: 4)
    observation, info = env.reset()
    assert observation[1, 1].tolist() == [0, 1]
    assert info["seat"] == 1
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]


def test_the_deck_reset_option_deals_those_cards():
    env = GameEnv("hanabi", self_play=True)
    env.reset(options={"deck": [0, 5, 10, 15, 20, 1, 6, 11, 16, 21]})  # seat 0: all ones; seat 1: all twos
    assert [env.step(5)[1] for _ in range(2)] == [1.0, 1.0]  # each seat plays its oldest card
    assert env.position.payoffs().tolist() == [2, 2]


def test_a_script_holds_for_one_episode_only():
    env, script = GameEnv("backgammon", self_play=True), {"dice": [(6, 5)]}
    first, _ = env.reset(seed=3, options=script)
    again, _ = env.reset(seed=4, options=script)
    assert np.array_equal(np.sort(first), np.sort(again))  # the same dice, whoever won the opening roll
    assert len({env.reset()[0].tobytes() for _ in range(8)}) > 3


# --- seeds and seats --------------------------------------------------------------------------------------------------


def test_a_seed_decides_everything(game_spec):
    traces = [trace(GameEnv(game_spec), np.random.default_rng(7), seed=11) for _ in range(2)]
    assert traces[0] == traces[1]
    assert traces[0] != trace(GameEnv(game_spec), np.random.default_rng(7), seed=12)


def test_an_episode_does_not_depend_on_the_one_before():
    played, abandoned = GameEnv("backgammon"), GameEnv("backgammon")
    play_episode(played, np.random.default_rng(1), seed=4)
    abandoned.reset(seed=4)
    rng = np.random.default_rng
    assert trace(played, rng(2), steps=5) == trace(abandoned, rng(2), steps=5)


def test_without_a_seed_episodes_differ():
    assert len({GameEnv("hanabi").reset()[0].tobytes() for _ in range(5)}) == 5


def test_the_seat_is_drawn_or_fixed():
    env = GameEnv("hanabi", seats=3)
    env.reset(seed=0)
    assert {env.reset()[1]["seat"] for _ in range(30)} == {0, 1, 2}
    for seat in range(3):
        env = GameEnv("hanabi", seats=3, seat=seat)
        assert {env.reset(seed=seed)[1]["seat"] for seed in range(5)} == {seat}


# --- opponents --------------------------------------------------------------------------------------------------------


class Recorder:
    """An opponent that writes down what it is told, spoils what it is given, and plays the first legal action."""

    def __init__(self, needs_state=False):
        self.needs_state = needs_state
        self.resets, self.infos = [], []

    def reset(self, seat, seed):
        self.resets.append((seat, seed))

    def __call__(self, observation, action_mask, info):
        self.infos.append(info)
        action = int(np.flatnonzero(action_mask)[0])
        observation[:], action_mask[:] = 1, 0
        if self.needs_state:
            info["position"].data[:] = 0
        return action


def test_opponents_are_told_their_seat_and_seed():
    others = [Recorder(), Recorder()]
    env = GameEnv("hanabi", seats=3, seat=1, opponent=others)
    env.reset(seed=1)
    assert [other.resets[0][0] for other in others] == [0, 2]
    assert others[0].resets[0][1] != others[1].resets[0][1]
    assert others[0].infos[0] == {"seat": 0, "game": env.game}
    env.reset(seed=1)
    assert others[0].resets[1] == others[0].resets[0]


def test_several_seats_share_no_opponent():
    shared = Recorder()
    env = GameEnv("hanabi", seats=4, seat=0, opponent=shared)
    env.reset(seed=1)
    assert len(shared.resets) == 1


@pytest.mark.parametrize("needs_state", [False, True])
def test_what_an_opponent_spoils_is_its_own(needs_state):
    spoiler = Recorder(needs_state)
    env = GameEnv("tictactoe", seat=0, opponent=spoiler)
    env.reset()
    env.step(8)
    assert env.position.text == "o../.../..x x"
    assert ("position" in spoiler.infos[0]) == needs_state


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (4, "action 4 (b2) is not legal for o; legal: a1 b1 c1 a2 c2 a3 b3 c3"),
        (99, "action 99 does not exist; actions are 0 to 8"),
        (-1, "action -1 does not exist"),
        (10**30, "does not exist"),
        (None, "an action is an integer, not None"),
        (2.0, "an action is an integer, not 2.0"),
        ("a1", "an action is an integer, not 'a1'"),
    ],
)
def test_an_opponent_that_breaks_the_rules_is_named(answer, why):
    def cheat(observation, action_mask, info):
        return answer

    env = GameEnv("tictactoe", seat=0, opponent=cheat)
    env.reset()
    text = f"the opponent 'cheat' returned an action that is not legal: tictactoe: .*{re.escape(why)}"
    with pytest.raises(IllegalAction, match=text):
        env.step(4)
    with pytest.raises(gymnasium.error.ResetNeeded):  # nobody plays on for the opponent
        env.step(0)
    env.reset()


def test_opponents_may_answer_with_numpy_integers():
    env = GameEnv("tictactoe", seat=0, opponent=lambda observation, mask, info: np.argmax(mask))
    env.reset()
    env.step(np.int64(4))
    assert env.position.text == "o../.x./... x"


@pytest.mark.parametrize("opponent", [["random"], ["random"] * 3, ()])
def test_a_list_of_opponents_has_one_for_each_other_seat(opponent):
    with pytest.raises(ValueError, match=r"hanabi: opponent must be one spec or a list of 2, not [\[(]"):
        GameEnv("hanabi", seats=3, opponent=opponent)


@pytest.mark.parametrize("opponent", ["0*greedy+1*random", {"greedy": -1}, {"greedy": True}, {}, {"greedy": "much"}])
def test_the_weights_of_a_mixture_are_positive(opponent):
    with pytest.raises(ValueError, match=r"opponent: the weights of a mixture must be positive numbers, not as in"):
        GameEnv("tictactoe", opponent=opponent)


def test_hanabi_refuses_opponents_that_want_the_position():
    with pytest.raises(ValueError, match="hanabi: the agent 'Recorder' needs the position, which a game with hidden"):
        GameEnv("hanabi", opponent=Recorder(needs_state=True))


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("self_play", [False, True])
@pytest.mark.parametrize("action", [4, 9, -1, 2**70])
def test_an_illegal_action_loses(self_play, action):
    env = GameEnv("tictactoe", self_play=self_play, seat=0, opponent=lambda observation, mask, info: 0)
    env.reset()
    env.step(4)
    _, reward, terminated, truncated, info = env.step(action)
    loser = 1 if self_play else 0
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["payoffs"][loser] == -1
    assert info["payoffs"].sum() == 0
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"tictactoe: the episode is over; call reset\(\) first"):
        env.step(0)


def test_an_illegal_action_costs_a_team_its_points():
    env = GameEnv("hanabi", self_play=True)
    env.reset(options={"deck": [0, 1, 2, 3, 4]})
    _, reward, *_ = env.step(5)
    assert reward == 1.0
    _, reward, terminated, _, info = env.step(99)
    assert (reward, terminated) == (-1.0, True)
    assert info["payoffs"].tolist() == [0, 0]


def test_an_illegal_action_can_be_an_error():
    env = GameEnv("tictactoe", illegal="raise", self_play=True)
    env.reset()
    env.step(4)
    text = re.escape("tictactoe: action 4 (b2) is not legal for o; legal: a1 b1 c1 a2 c2 a3 b3 c3")
    with pytest.raises(IllegalAction, match=text):
        env.step(4)
    with pytest.raises(IllegalAction, match="tictactoe: action 9 does not exist; actions are 0 to 8"):
        env.step(9)
    env.step(0)  # nothing has happened meanwhile
    assert env.position.text == "o../.x./... x"


@pytest.mark.parametrize("action", [1.0, None, "a1", [1]])
def test_an_action_is_an_integer(action):
    env = GameEnv("tictactoe")
    env.reset()
    with pytest.raises(TypeError, match=f"tictactoe: an action is an integer, not {re.escape(repr(action))}"):
        env.step(action)


@pytest.mark.parametrize("use", [lambda e: e.step(0), lambda e: e.position, lambda e: e.action_masks(), GameEnv.render])
def test_nothing_works_before_reset(use):
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"tictactoe: call reset\(\) before anything else"):
        use(GameEnv("tictactoe"))


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"game": "otelo"}, ValueError, "unknown game 'otelo'; did you mean 'othello'[?] known: hexapawn, "),
        ({"game": "othello", "size": 7}, ValueError, "othello: size must be one of 8, 6, 4, not 7"),
        ({"game": "othello", "width": 7}, TypeError, "othello: unknown option 'width'; the options are: size, scoring"),
        ({"game": "othello", "seat": 2}, ValueError, "seat must be one of 'random', 0, 1, not 2"),
        ({"game": "othello", "illegal": "x"}, ValueError, "illegal must be one of 'lose', 'raise', not 'x'"),
        ({"game": "othello", "render_mode": "x"}, ValueError, "render_mode must be one of None, 'ansi', .*, not 'x'"),
        ({"game": "othello", "opponent": "x"}, ValueError, "unknown agent 'x'; known: random, "),
    ],
)
def test_arguments_that_cannot_be(arguments, error, text):
    with pytest.raises(error, match=text):
        GameEnv(**arguments)


@pytest.mark.parametrize(
    ("game", "options", "text"),
    [
        ("tictactoe", {"deck": []}, "tictactoe: unknown reset option 'deck'; known: 'position'"),
        ("hanabi", {"dice": []}, "hanabi: unknown reset option 'dice'; known: 'deck'"),
        ("hanabi", {"position": "x"}, "hanabi: 'position' cannot be set, the game's past is hidden; use 'deck'"),
        ("tictactoe", {"position": "xxx/oo./... o"}, "tictactoe: the position 'xxx/oo./... o' is already over"),
        ("tictactoe", {"position": 5}, "tictactoe: 'position' must be the text of a position, not 5"),
        ("tictactoe", {"position": "?"}, "tictactoe: a position is like"),
    ],
)
def test_reset_options_that_cannot_be(game, options, text):
    with pytest.raises(ValueError, match=text):
        GameEnv(game).reset(options=options)


def test_a_turn_that_never_comes_is_an_error_and_no_endless_loop():
    env = GameEnv("tictactoe", seat=1)
    with pytest.raises(ValueError, match="tictactoe: 10000 episodes in a row ended before the learner's first move"):
        env.reset(options={"position": "xox/oox/.xo x"})
    env.reset()


# --- pictures ---------------------------------------------------------------------------------------------------------


def test_render_modes():
    assert GameEnv.metadata == {"render_modes": ["ansi", "svg", "rgb_array", "human"], "render_fps": 2}
    board = "   a b c\n 1 . . .\n 2 . x .\n 3 . . ."
    for mode in ("ansi", "svg", "rgb_array", None):
        env = GameEnv("tictactoe", self_play=True, render_mode=mode)
        env.reset()
        env.step(4)
        shown = env.render()
        if mode == "ansi":
            assert shown == board
        elif mode == "svg":
            assert shown.startswith("<svg")
        elif mode == "rgb_array":
            assert (shown.dtype, shown.ndim, shown.shape[2]) == (np.uint8, 3, 3)
        else:
            assert shown is None


def test_human_rendering_prints_every_position(capsys):
    env = GameEnv("tictactoe", self_play=True, render_mode="human")
    env.reset()
    env.step(4)
    assert capsys.readouterr().out == "   a b c\n 1 . . .\n 2 . . .\n 3 . . .\n   a b c\n 1 . . .\n 2 . x .\n 3 . . .\n"
    assert env.render() is None


def test_masks_are_given_in_both_forms():
    env = GameEnv("tictactoe")
    _, info = env.reset(seed=3)
    assert info["action_mask"].dtype == np.int8
    assert env.action_masks().dtype == np.bool_
    assert np.array_equal(env.action_masks(), info["action_mask"])
    info["action_mask"][:] = 0  # a copy
    assert env.action_masks().any()


@pytest.mark.parametrize("mode", ["ansi", "svg"])
def test_a_picture_shows_a_seat_no_more_than_it_may_see(mode):
    """The same deck but for the cards in the learner's own hand: the picture must be the same."""
    env = GameEnv("hanabi", seat=0, opponent="greedy", render_mode=mode)
    pictures = []
    for hand in ([0, 1, 2, 3, 5], [24, 23, 22, 21, 20]):
        env.reset(seed=1, options={"deck": [*hand, 10, 11, 12, 13, 15]})
        pictures.append(env.render())
    assert pictures[0] == pictures[1]
    spectator = {make_game("hanabi").to_ansi(env.position), env.position.picture().svg()}
    assert pictures[0] not in spectator


@pytest.mark.parametrize("as_list", [False, True])
def test_closing_closes_the_opponents_that_it_made(monkeypatch, as_list):
    closed = []
    monkeypatch.setattr("ludarium.agents.agent.CompiledAgent.close", lambda self: closed.append(self.name))
    given = make_agent("greedy", make_game("hanabi"))
    env = GameEnv("hanabi", seats=3, opponent=["random", given] if as_list else "random")
    env.close()
    assert closed == (["random"] if as_list else ["random", "random"])
    closed.clear()
    GameEnv("hanabi", seats=2, opponent=given).close()
    GameEnv("hanabi", self_play=True, opponent=["random"]).close()
    assert not closed
    GameEnv("hanabi", seats=3, opponent=given).close()
    assert closed == ["greedy"]  # the copy in the other seat


def test_other_threads_go_on_while_an_opponent_searches():
    env = GameEnv("othello", opponent="mcts?simulations=60000", seat=0)
    _, info = env.reset(seed=0)
    ticks, over = [], threading.Event()

    def tick():
        while not over.wait(0.001):
            ticks.append(None)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    env.step(int(info["action_mask"].argmax()))
    after = len(ticks)
    over.set()
    thread.join()
    assert after - before >= 5


def test_the_bytes_of_the_position_stay_where_compiled_code_finds_them():
    env = GameEnv("tictactoe", self_play=True)
    env.reset(seed=1)
    with pytest.raises(BufferError):
        env.position.buffer.append(0)
