"""The compiled vector environment: it plays the very episodes of the single one; and its errors."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import ludarium  # noqa: F401  (registers the games)
from ludarium.envs.chance import stream
from ludarium.envs.episodes import PythonEpisodes
from ludarium.envs.lanes import random_actions
from ludarium.envs.options import IllegalAction
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game
from ludarium.envs.single import GameEnv
from ludarium.envs.vector import GameVectorEnv

SEED = 21


class Lanes:
    """Single environments whose episodes are played in Python, stepped as the vector environment is."""

    def __init__(self, spec, number, **arguments):
        self.envs = [GameEnv(spec, **arguments) for _ in range(number)]
        for env in self.envs:
            env._run = PythonEpisodes(env.game, env._line_ups, env._seat_rule)

    def reset(self, seed, options=None):
        return [env.reset(seed=seed + i, options=options) for i, env in enumerate(self.envs)]

    def step(self, actions):
        results = []
        for env, action in zip(self.envs, actions, strict=True):
            result = env.step(int(action))
            fresh = env.reset() if result[2] or result[3] else None
            results.append((result, fresh))
        return results


def equal_views(i, observations, infos, observation, info):
    return (
        np.array_equal(observations[i], observation)
        and np.array_equal(infos["action_mask"][i], info["action_mask"])
        and infos["seat"][i] == info["seat"]
    )


def equal_gains(i, infos, info):
    if "rewards" not in info:
        return "rewards" not in infos and "sign" not in infos
    return infos["rewards"][i].tolist() == info["rewards"].tolist() and infos["sign"][i] == info["sign"]


def compare(vector, lanes, episodes=2, most=400, options=None, illegal=0.0):
    """Step both with the same random actions until every lane has played so many episodes, or `most` steps."""
    rng = np.random.default_rng(5)
    observations, infos = vector.reset(seed=SEED, options=options)
    for i, (observation, info) in enumerate(lanes.reset(SEED, options)):
        assert equal_views(i, observations, infos, observation, info)
        assert equal_gains(i, infos, info)
    ended = np.zeros(vector.num_envs, dtype=int)
    for _ in range(most):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        actions = np.where(rng.random(len(actions)) < illegal, vector.game.actions, actions)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        for i, (result, fresh) in enumerate(lanes.step(actions)):
            observation, reward, over, cut, info = result
            assert (rewards[i], terminated[i], truncated[i]) == (reward, over, cut)
            assert equal_gains(i, infos, info)
            if fresh is None:
                assert equal_views(i, observations, infos, observation, info)
                assert "final_obs" not in infos or not infos["_final_obs"][i]
            else:
                assert infos["_final_obs"][i]
                assert infos["_final_info"][i]
                assert np.array_equal(infos["final_obs"][i], observation)
                assert infos["final_info"]["payoffs"][i].tolist() == info["payoffs"].tolist()
                assert equal_views(i, observations, infos, fresh[0], fresh[1])
        ended += terminated | truncated
        if (ended >= episodes).all():
            break
    assert ended.any()


# --- it plays the episodes of the single environment ------------------------------------------------------------------


def test_random_opponents(game_spec):
    compare(GameVectorEnv(game_spec, 3), Lanes(game_spec, 3))


def test_greedy_opponents(game_spec):
    if "minimal" in game_spec:
        pytest.skip("the rules of Hanabi's greedy agent need to see what is known of the cards")
    compare(GameVectorEnv(game_spec, 2, opponent="greedy"), Lanes(game_spec, 2, opponent="greedy"), most=200)


def test_self_play(game_spec):
    compare(GameVectorEnv(game_spec, 2, self_play=True), Lanes(game_spec, 2, self_play=True), most=600)


@pytest.mark.parametrize("game", ["tictactoe", "hanabi?seats=3&preset=small"])
@pytest.mark.parametrize("seat", [0, 1])
def test_fixed_seats(game, seat):
    compare(GameVectorEnv(game, 2, seat=seat), Lanes(game, 2, seat=seat), episodes=3)


def test_different_opponents_in_different_seats():
    arguments = {"opponent": ["greedy", "random", "greedy"], "seats": 4}
    compare(GameVectorEnv("hanabi", 2, **arguments), Lanes("hanabi", 2, **arguments))


@pytest.mark.parametrize("opponent", ["3*greedy+1*random", {("greedy", "random"): 1, "random": 2.5}])
def test_mixtures_of_opponents(opponent):
    game = "tictactoe" if isinstance(opponent, str) else "hanabi?preset=very-small&seats=3"
    compare(GameVectorEnv(game, 3, opponent=opponent), Lanes(game, 3, opponent=opponent), episodes=8)


def test_the_opponent_changes_between_games_only():
    """Its weights may be changed at any time: they count from the next game on."""
    env = GameVectorEnv("tictactoe", 2000, opponent="3*greedy+1*random", seat=0)
    env.reset(seed=SEED)
    before = env._lanes["line_up"].copy()
    assert 0.7 < (before == 0).mean() < 0.8
    env.weights[:] = 0, 1
    done = np.zeros(2000, dtype=bool)
    for _ in range(5):
        *_, terminated, _, _ = env.step(random_actions(env.action_masks().astype(np.int8), stream(1)))
        done |= terminated
        assert (env._lanes["line_up"] == np.where(done, 1, before)).all()
    assert done.all()


@pytest.mark.parametrize("self_play", [False, True])
@pytest.mark.parametrize("game", ["tictactoe", "hanabi?preset=very-small", "othello?size=4&scoring=discs"])
def test_illegal_actions(game, self_play):
    vector, lanes = GameVectorEnv(game, 3, self_play=self_play), Lanes(game, 3, self_play=self_play)
    compare(vector, lanes, episodes=4, illegal=0.2)


@pytest.mark.parametrize("self_play", [False, True])
def test_truncation(self_play):
    class Short(type(make_game("tictactoe"))):
        def configure(self):
            super().configure()
            self.max_moves = 5

    vector, lanes = GameVectorEnv(Short(), 4, self_play=self_play), Lanes(Short(), 4, self_play=self_play)
    compare(vector, lanes, episodes=4)


@pytest.mark.parametrize("self_play", [False, True])
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("tictactoe", {"position": "x.o/.x./... o"}),
        ("tictactoe", {"position": "xox/o.x/oxo x"}),  # one move from the end: lanes that sit second get none of it
        ("backgammon", {"dice": [(3, 1), (5, 5), (6, 4)]}),
        ("hanabi", {"deck": list(range(0, 25, 2))}),
    ],
)
def test_prescribed_beginnings_are_those_of_the_first_episode_only(game, options, self_play):
    vector, lanes = GameVectorEnv(game, 3, self_play=self_play), Lanes(game, 3, self_play=self_play)
    compare(vector, lanes, episodes=3, most=300, options=options)


@pytest.mark.parametrize("make", [lambda game: GameVectorEnv(game, 2), GameEnv])
def test_a_game_whose_script_is_not_possible_says_so(make):
    class Cheating(type(make_game("hanabi"))):
        def chance_script(self, options, start):
            return [24, 24]  # there is one such card

    with pytest.raises(IllegalAction, match=r"^hanabi: the script asks for a chance outcome that is not possible"):
        make(Cheating()).reset(options={"deck": ()})


def test_the_number_of_environments_changes_nothing(game_spec):
    few, many = GameVectorEnv(game_spec, 2), GameVectorEnv(game_spec, 5)
    one, other = few.reset(seed=SEED + 3), many.reset(seed=SEED)
    draws = stream(1)
    for _ in range(60):
        assert np.array_equal(one[0], other[0][3:])
        assert np.array_equal(one[-1]["action_mask"], other[-1]["action_mask"][3:])
        actions = random_actions(other[-1]["action_mask"], draws)
        one, other = few.step(actions[3:]), many.step(actions)
        for a, b in zip(one[1:4], other[1:4], strict=True):
            assert np.array_equal(a, b[3:])


def stories(env, steps):
    """What happens in each lane, played by its first legal action: how episodes begin, and what steps give."""
    mode, lanes = env.metadata["autoreset_mode"], range(env.num_envs)
    observations, infos = env.reset(seed=SEED)
    told = [[observations[i].tobytes()] for i in lanes]
    over = np.zeros(env.num_envs, dtype=bool)
    for _ in range(steps):
        before = over
        actions = np.where(before, -1, infos["action_mask"].argmax(axis=1))  # -1 would lose an episode
        observations, rewards, terminated, truncated, infos = env.step(actions)
        over = terminated | truncated
        payoffs = infos.get("final_info", infos).get("payoffs")
        shown = infos["final_obs"] if mode == AutoresetMode.SAME_STEP and over.any() else observations
        for i in lanes:
            if before[i] and mode == AutoresetMode.NEXT_STEP:
                assert (rewards[i], over[i]) == (0, False)
                told[i].append(observations[i].tobytes())
                continue
            told[i].append((shown[i].tobytes() if over[i] else observations[i].tobytes(), rewards[i], over[i]))
            if over[i]:
                told[i].append(payoffs[i].tolist())
            if over[i] and mode == AutoresetMode.SAME_STEP:
                told[i].append(observations[i].tobytes())
        if mode == AutoresetMode.DISABLED and over.any():
            observations, infos = env.reset(options={"reset_mask": over})
            for i in np.flatnonzero(over):
                told[i].append(observations[i].tobytes())
        if mode != AutoresetMode.NEXT_STEP:
            over = np.zeros(env.num_envs, dtype=bool)
    return told


@pytest.mark.parametrize("mode", ["NextStep", AutoresetMode.DISABLED])
@pytest.mark.parametrize("game", ["tictactoe", "hanabi?preset=very-small"])
def test_episodes_are_the_same_whenever_the_next_begins(game, mode):
    same = stories(GameVectorEnv(game, 3), 40)
    other = stories(GameVectorEnv(game, 3, autoreset_mode=mode), 40)
    for one, two in zip(same, other, strict=True):
        length = min(len(one), len(two))
        assert length > 30
        assert one[:length] == two[:length]


def test_some_environments_are_reset_and_the_others_stay():
    env = GameVectorEnv("tictactoe", 3, seat=0, autoreset_mode="Disabled")
    first, infos = env.reset(seed=SEED)
    moved, _, _, _, infos = env.step(infos["action_mask"].argmax(axis=1))
    observations, after = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert np.array_equal(observations, np.stack([moved[0], first[1], moved[2]]))
    assert np.array_equal(after["action_mask"][[0, 2]], infos["action_mask"][[0, 2]])
    assert after["action_mask"][1].all()
    env = GameVectorEnv("backgammon", 2)
    env.reset()
    with pytest.raises(
        ValueError, match="backgammon: a position or chance can only be prescribed for all environments"
    ):
        env.reset(options={"reset_mask": np.array([False, True]), "dice": [(3, 1)]})


def test_without_autoreset_a_finished_environment_is_not_stepped():
    env = GameVectorEnv("tictactoe", 3, autoreset_mode=AutoresetMode.DISABLED)
    _, infos = env.reset(seed=SEED)
    env.step(np.where(np.arange(3) == 1, 9, infos["action_mask"].argmax(axis=1)))  # no such square: lost
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"tictactoe: environments \[1\] are over; call reset"):
        env.step(np.zeros(3, dtype=int))


@pytest.mark.parametrize(
    "mask", [np.ones(2, dtype=bool), np.ones(3, dtype=int), np.zeros(3, dtype=bool), [True], "abc"]
)
def test_reset_masks_that_cannot_be(mask):
    env = GameVectorEnv("tictactoe", 3)
    env.reset()
    with pytest.raises(ValueError, match="tictactoe: reset_mask must be 3 booleans, one of them true, not"):
        env.reset(options={"reset_mask": mask})


def test_gymnasiums_own_vector_of_single_environments_agrees():
    arguments = {"num_envs": 3, "size": 4}
    compiled = gymnasium.make_vec("ludarium/Othello-v0", **arguments)
    assert isinstance(compiled, GameVectorEnv)
    python = gymnasium.make_vec(
        "ludarium/Othello-v0", vectorization_mode="sync", vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        **arguments,
    )  # fmt: skip
    draws = stream(2)
    one, other = compiled.reset(seed=4), python.reset(seed=4)
    for _ in range(40):
        assert np.array_equal(one[0], other[0])
        assert np.array_equal(one[-1]["action_mask"], np.stack(other[-1]["action_mask"]))
        actions = random_actions(one[-1]["action_mask"], draws)
        one, other = compiled.step(actions), python.step(actions)
        for a, b in zip(one[1:4], other[1:4], strict=True):
            assert np.array_equal(a, b)
        assert ("final_obs" in one[4]) == ("final_obs" in other[4])
        for i in np.flatnonzero(one[2]):
            assert np.array_equal(one[4]["final_obs"][i], other[4]["final_obs"][i])


# --- what users build on ----------------------------------------------------------------------------------------------


def test_spaces_contain_what_is_shown(game_spec):
    env = GameVectorEnv(game_spec, 3)
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert env.action_space.contains(random_actions(infos["action_mask"], stream(1)))
    assert env.metadata == GameEnv.metadata | {"autoreset_mode": AutoresetMode.SAME_STEP}


def test_every_array_is_new_and_changing_it_is_harmless():
    env = GameVectorEnv("tictactoe", 2, self_play=True)
    observations, infos = env.reset(seed=1)
    observations[:] = 1
    later, _, _, _, next_infos = env.step(np.array([4, 4]))
    assert later.sum() == 2
    assert infos["action_mask"].sum() == 18
    assert next_infos["action_mask"].sum() == 16


def test_without_a_seed_lanes_differ_and_go_on():
    env = GameVectorEnv("hanabi", 4)
    first, _ = env.reset()
    assert len({view.tobytes() for view in first}) == 4
    again, _ = env.reset()
    assert not np.array_equal(first, again)


def test_a_seed_for_each_lane():
    env = GameVectorEnv("hanabi", 3, seat=0)
    views, _ = env.reset(seed=[5, None, 5])
    assert np.array_equal(views[0], views[2])
    assert not np.array_equal(views[0], views[1])
    other, _ = GameVectorEnv("hanabi", 3, seat=0).reset(seed=[5, None, None])
    assert np.array_equal(views[0], other[0])
    assert not np.array_equal(other[1], other[2])
    assert not np.array_equal(views[1], other[1])


def test_positions_masks_and_pictures(capsys):
    env = GameVectorEnv("tictactoe", 2, self_play=True, render_mode="ansi")
    env.reset()
    env.step(np.array([4, 0], dtype=np.int32))
    assert [env.position(i).text for i in range(2)] == [".../.x./... o", "x../.../... o"]
    env.position(0).play(0)  # of a copy
    assert env.position(0).text == ".../.x./... o"
    assert env.action_masks().sum(axis=1).tolist() == [8, 8]
    assert env.render()[1] == "   a b c\n 1 x . .\n 2 . . .\n 3 . . ."


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"num_envs": 0}, ValueError, "num_envs must be an integer of at least 1, not 0"),
        ({"num_envs": 2.0}, ValueError, "num_envs must be an integer of at least 1, not 2.0"),
        ({"seat": 2}, ValueError, "seat must be one of 'random', 0, 1, not 2"),
        ({"illegal": "raise"}, ValueError, r"illegal \(in the vector environment\) must be one of 'lose', not 'raise'"),
        ({"render_mode": "x"}, ValueError, "render_mode must be one of None, 'ansi', .*, not 'x'"),
        ({"colour": 1}, TypeError, "tictactoe: unknown option 'colour'; the options are: rows, columns, line"),
        ({"opponent": []}, ValueError, r"tictactoe: opponent must be one spec or a list of 1, not \[\]"),
        (
            {"opponent": lambda observation, mask, info: 0},
            ValueError,
            "the opponent '<lambda>' is not compiled, .*; use gym.make_vec.*vectorization_mode=\"sync\"",
        ),
    ],
)
def test_arguments_that_cannot_be(arguments, error, text):
    with pytest.raises(error, match=text):
        GameVectorEnv("tictactoe", **arguments)


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        ([1], r"not an array of shape \(1,\) and type int64"),
        ([[1, 2]], r"not an array of shape \(1, 2\) and type int64"),
        ([1.0, 2.0], r"not an array of shape \(2,\) and type float64"),
        ([True, False], r"not an array of shape \(2,\) and type bool"),
        ([None, 1], r"not an array of shape \(2,\) and type object"),
    ],
)
def test_actions_are_one_integer_a_lane(actions, text):
    env = GameVectorEnv("tictactoe", 2)
    env.reset()
    with pytest.raises(ValueError, match=f"tictactoe: actions must be 2 integers, {text}"):
        env.step(actions)


@pytest.mark.parametrize(
    ("seed", "error", "text"),
    [
        ([1], ValueError, "seed must be one integer or a list of 2, not of 1"),
        (-1, ValueError, "seed must be an integer of at least 0, not -1"),
        ([0, -1], ValueError, "seed must be an integer of at least 0, not -1"),
        ("a", TypeError, "seed must be an integer of at least 0, not 'a'"),
    ],
)
def test_seeds_that_cannot_be(seed, error, text):
    with pytest.raises(error, match=text):
        GameVectorEnv("tictactoe", 2).reset(seed=seed)


def test_nothing_works_before_reset():
    env = GameVectorEnv("tictactoe", 2)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"tictactoe: call reset\(\) before step\(\)"):
        env.step([0, 0])
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"tictactoe: call reset\(\) before action_masks\(\)"):
        env.action_masks()


def nothing(game, state, observation, mask, block, stream):
    return -1


def test_an_opponent_that_breaks_the_rules_is_named():
    env = GameVectorEnv("tictactoe", 2, opponent=Policy(nothing), seat=0)
    env.reset()
    with pytest.raises(ValueError, match="tictactoe: the opponent 'Policy' returned an action that is not legal"):
        env.step([0, 0])
    with pytest.raises(gymnasium.error.ResetNeeded):  # nobody plays on for the opponent
        env.step([1, 1])
    env.reset()
    with pytest.raises(ValueError, match="tictactoe: the opponent 'Policy' returned an action that is not legal"):
        GameVectorEnv("tictactoe", 2, opponent=Policy(nothing), seat=1).reset()


def test_a_turn_that_never_comes_is_an_error_and_no_endless_loop():
    env = GameVectorEnv("tictactoe", 2, seat=1)
    with pytest.raises(ValueError, match="tictactoe: 10000 episodes in a row ended before the learner's first move"):
        env.reset(options={"position": "xox/oox/.xo x"})


def test_reset_options_that_cannot_be():
    with pytest.raises(ValueError, match="hanabi: 'position' cannot be set, the game's past is hidden; use 'deck'"):
        GameVectorEnv("hanabi", 2).reset(options={"position": "x"})


def test_pictures_show_what_the_learners_may_see():
    env = gymnasium.make_vec("ludarium/Hanabi-v0", num_envs=2, seat=1, render_mode="ansi").unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"hanabi: call reset\(\) before render\(\)"):
        env.render()
    env.reset(seed=0)
    for i, picture in enumerate(env.render()):
        assert picture == env.game.view_text(env.position(i), 1) != env.game.to_ansi(env.position(i))
