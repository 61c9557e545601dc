"""Matches: pairs, seats, chance, forfeits; the compiled path and the Python path are one."""

import re

import numpy as np
import pytest

from ludarium.agents import Agent, make_agent
from ludarium.agents.external.pettingzoo import PettingZooAgent
from ludarium.envs.batch import FINISHED, TRUNCATED
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.registry import make_game
from ludarium.evaluation.play import match
from ludarium.evaluation.play.match import FORFEIT, MatchResult, forfeit_payoffs, game_keys, play_match
from ludarium.evaluation.play.times import BUCKETS


def through_python(monkeypatch, *arguments, **options):
    """A match in which nothing is played in compiled loops."""
    with monkeypatch.context() as patch:
        patch.setattr(match, "_policies", lambda benches: [])
        return play_match(*arguments, **options)


def first(observation, action_mask, info):
    return int(np.flatnonzero(action_mask)[0])


def last(observation, action_mask, info):
    return int(np.flatnonzero(action_mask)[-1])


def same(a, b):
    return np.array_equal(a.payoffs, b.payoffs) and np.array_equal(a.endings, b.endings) and a.decisions == b.decisions


def entrants(game, *agents):
    return agents[:1] if game.cooperative else agents


def test_python_plays_what_the_arena_plays(game_spec, monkeypatch):
    game = make_game(game_spec)
    specs = entrants(game, "random" if "minimal" in game_spec else "greedy", "random")
    compiled = play_match(game, specs, 3, seed=5, opening=2)
    outside = through_python(monkeypatch, game, specs, 3, seed=5, opening=2)
    assert same(compiled, outside)
    assert (compiled.endings == FINISHED).all()
    assert compiled.decisions > 0
    assert compiled.agents == outside.agents == list(specs)
    assert compiled.moves.size == outside.moves.size == 0  # nothing is recorded


@pytest.mark.parametrize("game", ["tictactoe", "othello?size=4", "hexapawn"])
def test_searching_agents_play_the_same_on_both_paths(game, monkeypatch):
    played = make_game(game), ("mcts?simulations=30", "alphabeta"), 3
    assert same(play_match(*played, seed=5, opening=1), through_python(monkeypatch, *played, seed=5, opening=1))


def test_truncation_is_the_same_on_both_paths(monkeypatch):
    class Short(type(make_game("tictactoe"))):
        def configure(self):
            super().configure()
            self.max_moves = 6

    game = Short()
    compiled = play_match(game, ["random", "random"], 20, seed=1)
    assert set(compiled.endings.flat) == {FINISHED, TRUNCATED}
    assert same(compiled, through_python(monkeypatch, game, ["random", "random"], 20, seed=1))


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


def test_keys_follow_from_the_seed_the_pair_the_pairing_and_the_leg():
    """By a rule that must not change: whoever has a seed plays the games of a store again."""
    keys, agent_keys = game_keys(7, 3, 2, 2, pairing=5)
    pairs = [child_key(seed_key(7), pair) for pair in (3, 3, 4, 4)]
    assert keys.tolist() == pairs
    assert agent_keys.tolist() == [child_key(key, 2**32, 5, n % 2) for n, key in enumerate(pairs)]


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

    for name, choose in (("first", first), ("last", last)):
        play_match(make_game("hanabi?seats=3"), [team(name, choose)], 6, seed=9)
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
    assert result.times.shape == (1, BUCKETS)
    alternate = np.array([[0, 1, 0], [1, 0, 1]])
    result = play_match(make_game("hanabi?seats=3"), [Counting(), Counting()], 2, seed=1, seating=alternate)
    assert (result.endings < FORFEIT).all()
    assert result.payoffs.shape == (2, 2, 2)


def test_an_agent_can_meet_itself(monkeypatch):
    game = make_game("tictactoe")
    agent = make_agent("random", game)
    agent.policy.compiled  # noqa: B018  (a copy must do without the machine code)
    assert same(play_match(game, [agent, agent], 10, seed=2), play_match(game, ["random", "random"], 10, seed=2))
    outside = through_python(monkeypatch, game, [agent, agent], 10, seed=2)
    assert same(outside, play_match(game, ["random", "random"], 10, seed=2))
    both = ([agent(noisy=True)] * 2 for agent in (Batched, OneByOne))
    assert same_moves(*(play_match(game, agents, 5, seed=1, record=True) for agents in both))


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


@pytest.mark.parametrize(
    ("game", "seat", "payoffs"),
    [("tictactoe", 0, [-1, 1]), ("othello?size=4&scoring=discs", 1, [16, -16]), ("hanabi?seats=3", 0, [0, 0, 0])],
)
def test_what_a_forfeit_pays(game, seat, payoffs):
    made = make_game(game)
    assert forfeit_payoffs(made, seat).tolist() == payoffs
    agents = entrants(made, *(first if other == 1 - seat else lambda *shown: None for other in range(2)))
    result = play_match(made, agents, 2, seed=1)
    assert (result.endings == [[FORFEIT + seat, FORFEIT + 1 - seat][: result.endings.shape[1]]] * 2).all()
    assert (result.payoffs[:, :, seat if len(agents) > 1 else 0] == min(payoffs)).all()


def test_scores_and_points():
    payoffs = np.array([[[2.0, -2.0], [-1.0, 1.0]], [[0.0, 0.0], [3.0, -3.0]], [[-1.0, 1.0], [-1.0, 1.0]]])
    result = MatchResult(make_game("tictactoe"), ["a", "b"], payoffs, np.zeros((3, 2), dtype=np.int64), 30, 1.0)
    assert result.games == 6
    assert result.scores().tolist() == [0.5, 0.75, 0.0]
    assert result.points().tolist() == [0.5, 1.5, -1.0]


THREE = type("Three", (type(make_game("tictactoe")),), {"name": "three", "seats": 3})()


@pytest.mark.parametrize(
    ("game", "agents", "pairs", "text"),
    [
        (make_game("tictactoe"), ["random"], 1, "tictactoe: a match takes 2 agents, not 1"),
        (make_game("tictactoe"), ["random"] * 3, 1, "tictactoe: a match takes 2 agents, not 3"),
        (make_game("hanabi"), ["random"] * 2, 1, "hanabi: a match takes 1 agent, not 2"),
        (make_game("tictactoe"), ["random"] * 2, 0, "pairs must be at least 1, not 0"),
        (make_game("tictactoe"), ["random", "x"], 1, "unknown agent 'x'"),
        (THREE, ["random"] * 2, 1, "three: matches are for games of two seats or cooperative games, not 3 seats"),
    ],
)
def test_matches_that_cannot_be(game, agents, pairs, text):
    with pytest.raises(ValueError, match=text):
        play_match(game, agents, pairs, seed=0)


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), ("a", TypeError)])
def test_a_seed_is_an_integer(seed, error):
    with pytest.raises(error, match="seed must be an integer of at least 0, not"):
        play_match(make_game("tictactoe"), ["random", "random"], 1, seed=seed)


class OneByOne(Agent):
    """Draws a legal action from what the position shows or, if it is `noisy`, from its seed."""

    name = "drawing"

    def __init__(self, noisy=False):
        self.noisy = noisy

    def reset(self, seat, seed):
        self.seed, self.decision = seed, 0

    def __call__(self, observation, action_mask, info):
        assert "seed" not in info
        info = info | {"seed": self.seed, "decision": self.decision}
        self.decision += 1
        return self.choose(observation, action_mask, info)

    def choose(self, observation, mask, info):
        key = [info["seed"], info["decision"]] if self.noisy else [int(observation.astype(np.int64).sum())]
        return int(np.random.default_rng(key).choice(np.flatnonzero(mask)))


class Batched(OneByOne):
    """The same for many games at once; counts its calls."""

    calls = asked = 0

    def act_batch(self, observations, action_masks, infos):
        assert len(observations) == len(action_masks) == len(infos) <= 256
        self.calls += 1
        self.asked += len(infos)
        return [self.choose(*one) for one in zip(observations, action_masks, infos, strict=True)]


def same_moves(a, b):
    return same(a, b) and np.array_equal(a.moves, b.moves) and a.forfeits == b.forfeits


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("spec", ["tictactoe", "othello?size=4", "backgammon?variant=hypergammon", "hanabi?seats=3"])
def test_games_in_step_are_the_games_one_by_one(spec, noisy):
    game = make_game(spec)
    for opponents in (["random"] * 2, [Batched(), OneByOne()]):
        in_step, one_by_one = (
            play_match(game, entrants(game, agent, opponent), 6, seed=4, opening=2, record=True)
            for agent, opponent in zip((Batched(noisy), OneByOne(noisy)), opponents, strict=True)
        )
        assert same_moves(in_step, one_by_one)
        assert not in_step.forfeits


def test_an_opponent_that_searches_has_randomness_of_its_own_in_each_game():
    game = make_game("tictactoe")
    in_step = play_match(game, ["mcts?simulations=20", Batched()], 5, seed=4, record=True)
    assert same_moves(in_step, play_match(game, ["mcts?simulations=20", OneByOne()], 5, seed=4, record=True))


def test_a_call_is_about_many_games():
    game, agent = make_game("othello?size=4"), Batched()
    result = play_match(game, ["random", agent], 200, seed=1)
    assert result.games == 400
    assert agent.asked > 2000  # some 6 decisions in each of 400 games
    assert agent.calls <= 40  # at most 256 games are under way, and a game has at most 12 decisions
    agent = Batched()  # a plain opponent is in one game at a time, so nothing is played in step
    assert not play_match(game, [agent, first], 5, seed=1).forfeits
    assert agent.calls == 0


def test_a_game_does_not_depend_on_the_others_in_step():
    game = make_game("tictactoe")
    whole = play_match(game, [Batched(noisy=True), "random"], 9, seed=3, record=True)
    part = play_match(game, [Batched(noisy=True), "random"], 2, seed=3, first=4, record=True)
    assert np.array_equal(whole.moves[8:12, : part.moves.shape[1]], part.moves)
    assert np.array_equal(whole.payoffs[4:6], part.payoffs)


def test_functions_pass_act_batch_on():
    def chooser(observation, action_mask, info):
        raise AssertionError("asked alone")

    chooser.act_batch = lambda observations, action_masks, infos: action_masks.argmax(axis=1)
    game = make_game("tictactoe")
    for agent in (chooser, PettingZooAgent(chooser)):
        result = play_match(game, [agent, "random"], 3, seed=1, record=True)
        assert same_moves(result, play_match(game, [first, "random"], 3, seed=1, record=True))


def misbehaving(answer):
    """An agent that answers for all games, except where it sits second and its opponent has begun in the middle."""

    class Misbehaving(Agent):
        def act_batch(self, observations, action_masks, infos):
            actions = list(action_masks.argmax(axis=1))
            for i, observation in enumerate(observations):
                if infos[i]["seat"] == 1 and observation[1, 1, 1] and infos[i]["decision"] == 0:
                    if answer == "raise":
                        raise KeyError("no")
                    if answer == "more":
                        return [*actions, 0]
                    actions[i] = answer
            return actions

    return Misbehaving()


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ("raise", r"raised KeyError\('no'\)"),
        ("more", "returned 2 actions for 1 games"),
        (4, r"tictactoe: action 4 \(b2\) is not legal for o; legal: a1 b1 c1 a2 c2 a3 b3 c3"),
        (None, "an action is an integer, not None"),
        (2.0, r"an action is an integer, not 2\.0"),
    ],
)
def test_what_goes_wrong_in_step_costs_only_the_games_it_is_about(answer, cause):
    game = make_game("tictactoe")
    usual = play_match(game, [first, "random"], 30, seed=1, record=True)
    result = play_match(game, [misbehaving(answer), "random"], 30, seed=1, record=True)
    hit = {number for number, moves in enumerate(usual.moves) if number % 2 == 1 and moves[0] == 4}
    assert hit
    assert {2 * forfeit.pair + forfeit.game for forfeit in result.forfeits} == hit
    assert all(forfeit.seat == 1 and re.search(cause, forfeit.cause) for forfeit in result.forfeits)
    others = [number for number in range(60) if number not in hit]
    assert np.array_equal(result.payoffs.reshape(60, 2)[others], usual.payoffs.reshape(60, 2)[others])
    assert (result.endings.reshape(-1)[list(hit)] == FORFEIT + 1).all()
