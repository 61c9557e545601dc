"""Matches: pairs, seats, chance, forfeits; the compiled path and the Python path are one."""

import numpy as np
import pytest

from ludarium.agents import Agent, make_agent
from ludarium.envs.arena import FINISHED, TRUNCATED
from ludarium.envs.registry import make_game
from ludarium.evaluation.match import FORFEIT, MatchResult, forfeit_payoffs, half_width, play_match


class InPython(Agent):
    """A built-in agent that hides that it is compiled."""

    def __init__(self, spec, game):
        self.agent = make_agent(spec, game)
        self.name, self.needs_state = spec, self.agent.needs_state

    def reset(self, seat, seed):
        self.agent.reset(seat, seed)

    def __call__(self, observation, action_mask, info):
        return self.agent(observation, action_mask, info)


def first(observation, action_mask, info):
    return int(np.flatnonzero(action_mask)[0])


def last(observation, action_mask, info):
    return int(np.flatnonzero(action_mask)[-1])


def same(a, b):
    return np.array_equal(a.payoffs, b.payoffs) and np.array_equal(a.endings, b.endings) and a.decisions == b.decisions


def entrants(game, *specs):
    return specs[:1] if game.cooperative else specs


# --- two paths, one result --------------------------------------------------------------------------------------------


def test_python_plays_what_the_arena_plays(game_spec):
    game = make_game(game_spec)
    specs = entrants(game, "random" if "minimal" in game_spec else "greedy", "random")
    compiled = play_match(game, specs, 3, seed=5, opening=2)
    wrapped = play_match(game, [InPython(spec, game) for spec in specs], 3, seed=5, opening=2)
    assert same(compiled, wrapped)
    assert (compiled.endings == FINISHED).all()
    assert compiled.decisions > 0
    assert compiled.agents == wrapped.agents == list(specs)


@pytest.mark.parametrize("game", ["tictactoe", "othello?size=4", "hexapawn"])
def test_searching_agents_play_the_same_on_both_paths(game):
    game, specs = make_game(game), ("mcts?simulations=30", "alphabeta")
    compiled = play_match(game, specs, 3, seed=5, opening=1)
    for mixed in ([InPython(specs[0], game), specs[1]], [InPython(spec, game) for spec in specs]):
        assert same(compiled, play_match(game, mixed, 3, seed=5, opening=1))


def test_truncation_is_the_same_on_both_paths():
    class Short(type(make_game("tictactoe"))):
        def configure(self):
            super().configure()
            self.max_moves = 6

    game = Short()
    compiled = play_match(game, ["random", "random"], 20, seed=1)
    assert set(compiled.endings.flat) == {FINISHED, TRUNCATED}
    assert same(compiled, play_match(game, [InPython("random", game) for _ in range(2)], 20, seed=1))


@pytest.mark.parametrize(
    "spec", ["tictactoe", "backgammon?variant=hypergammon", "hanabi?preset=small&score=points-kept"]
)
def test_a_pair_does_not_depend_on_how_a_match_is_split(spec):
    game = make_game(spec)
    whole = play_match(game, entrants(game, "random", "greedy"), 10, seed=3)
    parts = [play_match(game, entrants(game, "random", "greedy"), n, seed=3, first=f) for f, n in ((0, 3), (3, 7))]
    assert np.array_equal(whole.payoffs, np.concatenate([part.payoffs for part in parts]))
    games = [play_match(game, entrants(game, "random", "greedy"), 10, seed=s, record=True).moves for s in (3, 4)]
    assert not np.array_equal(*games)


# --- pairs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "opening"), [("backgammon", 0), ("othello?size=6&scoring=discs", 6), ("tictactoe", 4)]
)
def test_a_pair_has_the_same_dice_and_the_same_opening(game, opening):
    """Two agents that do the same cancel out in every pair, and pairs differ."""
    result = play_match(make_game(game), [first, first], 8, 2, opening=opening)
    assert np.array_equal(result.payoffs[:, 0], -result.payoffs[:, 1])
    assert len(np.unique(result.payoffs[:, 0, 0])) > 1


def test_the_agents_exchange_seats():
    class Seated(Agent):
        def __init__(self):
            self.seats = []

        def reset(self, seat, seed):
            self.seats.append(seat)

        def __call__(self, observation, action_mask, info):
            assert info["seat"] == self.seats[-1]
            return first(observation, action_mask, info)

    one, other = Seated(), Seated()
    play_match(make_game("tictactoe"), [one, other], 3, seed=0)
    assert one.seats == [0, 1] * 3
    assert other.seats == [1, 0] * 3


def test_teams_play_the_same_decks_whoever_they_are():
    """Before anybody acts, every team sees the same hands; during a game its seats share nothing."""
    views = {}

    def team(name, choose):
        def agent(observation, action_mask, info):
            if info["seat"] == 0 and not agent.begun:
                views.setdefault(name, []).append(observation.tobytes())
            agent.begun = True
            return choose(observation, action_mask, info)

        def reset(seat, seed):
            agent.begun = False

        agent.reset = reset
        return agent

    game = make_game("hanabi?seats=3")
    play_match(game, [team("first", first)], 6, seed=9)
    play_match(game, [team("last", last)], 6, seed=9)
    assert views["first"] == views["last"]
    assert len(set(views["first"])) == 6


def test_each_seat_of_a_team_is_an_agent_of_its_own():
    class Counting(Agent):
        def __init__(self):
            self.seats = set()

        def __call__(self, observation, action_mask, info):
            self.seats.add(info["seat"])
            assert len(self.seats) == 1
            return first(observation, action_mask, info)

    result = play_match(make_game("hanabi?seats=4"), [Counting()], 2, seed=1)
    assert (result.endings < FORFEIT).all()
    assert result.payoffs.shape == (2, 1, 1)


def test_an_agent_can_meet_itself():
    game = make_game("tictactoe")
    agent = make_agent("random", game)
    agent.policy.compiled  # noqa: B018  (a copy must do without the machine code)
    assert same(play_match(game, [agent, agent], 10, seed=2), play_match(game, ["random", "random"], 10, seed=2))
    wrapped = InPython("random", game)
    assert same(play_match(game, [wrapped, wrapped], 10, seed=2), play_match(game, ["random", "random"], 10, seed=2))


# --- forfeits ---------------------------------------------------------------------------------------------------------


def rude(answer):
    """An agent that plays `first`, and does something else when it is to move in the fourth game."""

    class Rude(Agent):
        games = 0

        def reset(self, seat, seed):
            self.games += 1
            if self.games == 4 and answer == "raise in reset":
                raise RuntimeError("no")

        def __call__(self, observation, action_mask, info):
            if self.games == 4:
                if answer == "raise":
                    raise KeyError("no")
                return answer
            return first(observation, action_mask, info)

    return Rude()


@pytest.mark.parametrize("answer", ["raise", "raise in reset", None, 3.0, "4", -1, 9, 10**30, np.float64(2), [1]])
def test_whatever_an_agent_does_wrong_costs_it_that_game_only(answer):
    game = make_game("tictactoe")
    usual = play_match(game, [first, first], 4, seed=1)
    result = play_match(game, [rude(answer), first], 4, seed=1)
    endings, payoffs = usual.endings.copy(), usual.payoffs.copy()
    endings[1, 1], payoffs[1, 1] = FORFEIT + 1, (-1, 1)  # it sits second in the second game of the second pair
    assert np.array_equal(result.endings, endings)
    assert np.array_equal(result.payoffs, payoffs)


def test_a_team_that_forfeits_gets_nothing():
    result = play_match(make_game("hanabi?seats=3"), [lambda observation, mask, info: None], 2, seed=1)
    assert (result.endings == FORFEIT).all()
    assert (result.payoffs == 0).all()


@pytest.mark.parametrize(
    ("game", "seat", "payoffs"),
    [
        ("tictactoe", 0, [-1, 1]),
        ("othello?size=4&scoring=discs", 1, [16, -16]),
        ("hanabi?seats=3", 2, [0, 0, 0]),
    ],
)
def test_what_a_forfeit_pays(game, seat, payoffs):
    assert forfeit_payoffs(make_game(game), seat).tolist() == payoffs


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_scores_and_points():
    payoffs = np.array([[[2.0, -2.0], [-1.0, 1.0]], [[0.0, 0.0], [3.0, -3.0]], [[-1.0, 1.0], [-1.0, 1.0]]])
    result = MatchResult(make_game("tictactoe"), ["a", "b"], payoffs, np.zeros((3, 2), dtype=np.int64), 30, 1.0)
    assert result.games == 6
    assert result.scores().tolist() == [0.5, 0.75, 0.0]
    assert result.points().tolist() == [0.5, 1.5, -1.0]


def test_half_width():
    assert half_width(np.array([0.0, 1.0, 1.0, 2.0])) == pytest.approx(1.96 * np.sqrt(2 / 3) / 2)
    assert half_width(np.array([0.5, 0.5])) == 0
    assert half_width(np.array([0.5])) == float("inf")


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "agents", "pairs", "text"),
    [
        ("tictactoe", ["random"], 1, "tictactoe: a match takes 2 agents, not 1"),
        ("tictactoe", ["random"] * 3, 1, "tictactoe: a match takes 2 agents, not 3"),
        ("hanabi", ["random"] * 2, 1, "hanabi: a match takes 1 agent, not 2"),
        ("tictactoe", ["random"] * 2, 0, "pairs must be at least 1, not 0"),
        ("tictactoe", ["random", "x"], 1, "unknown agent 'x'"),
    ],
)
def test_matches_that_cannot_be(game, agents, pairs, text):
    with pytest.raises(ValueError, match=text):
        play_match(make_game(game), agents, pairs, seed=0)


def test_matches_are_for_two_seats_or_teams():
    class Three(type(make_game("tictactoe"))):
        name = "three"
        seats = 3

    text = "three: matches are for games of two seats or cooperative games, not 3 seats"
    with pytest.raises(ValueError, match=text):
        play_match(Three(), ["random", "random"], 1, seed=0)


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), ("a", TypeError)])
def test_a_seed_is_an_integer(seed, error):
    with pytest.raises(error, match="seed must be an integer of at least 0, not"):
        play_match(make_game("tictactoe"), ["random", "random"], 1, seed=seed)
