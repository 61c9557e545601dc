"""Timed games, on a clock that only agents move."""

from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents.agent import Agent, AgentFailure
from ludarium.agents.time_control import LOST_ON_TIME, TimeControl
from ludarium.envs.batch import FINISHED
from ludarium.envs.registry import make_game
from ludarium.evaluation.play import match
from ludarium.evaluation.play.match import FORFEIT, play_match

CONTROL = TimeControl(3, 1, margin=0.5)


class Thinking(Agent):
    """Plays the first legal action; each decision takes the next of some times, or the last of them."""

    name = "thinking"

    def __init__(self, time, *seconds, fail=False):
        self.time, self.seconds, self.fail = time, seconds, fail
        self.told = []

    def reset(self, seat, seed):
        self.rest = list(self.seconds)

    def __call__(self, observation, action_mask, info):
        self.told.append(info["clock"].left[info["seat"]])
        self.time.pass_by(self.rest.pop(0) if len(self.rest) > 1 else self.rest[0])
        if self.fail:
            raise AgentFailure("gave up")
        return int(action_mask.argmax())


def play(*agents, control=CONTROL, game="tictactoe", **options):
    return play_match(make_game(game), list(agents), 1, 1, control=control, record=True, **options)


def test_each_seat_has_a_clock_of_its_own(time):
    one, other = Thinking(time, 1.5), Thinking(time, 0.25)
    match = play(one, other)
    assert (match.endings == FINISHED).all()
    assert one.told[:4] == [3.0, 2.5, 2.0, 1.5]
    assert other.told[:3] == [3.0, 3.75, 4.5]
    assert [one.told.count(3.0), other.told.count(3.0)] == [2, 2]  # the clocks begin anew with each game


def test_whoever_has_no_time_left_has_lost(time):
    match = play(Thinking(time, 1, 3.5), Thinking(time, 0))
    assert match.endings.tolist() == [[FORFEIT, FORFEIT + 1]]
    assert match.payoffs.tolist() == [[[-1, 1], [-1, 1]]]
    assert {forfeit.cause for forfeit in match.forfeits} == {LOST_ON_TIME}
    assert [(row >= 0).sum() for row in match.moves] == [2, 3]  # the move that came too late was not played
    assert not play(Thinking(time, 1, 3.4, 0), Thinking(time, 0)).forfeits  # within the margin


def test_an_error_after_the_time_is_up_is_a_loss_on_time(time):
    causes = [play(Thinking(time, spent, fail=True), Thinking(time, 0)).forfeits[0].cause for spent in (1, 5)]
    assert causes == ["gave up", LOST_ON_TIME]


def test_chance_openings_and_adjudication_take_no_time(time):
    slow, fast = Thinking(time, 0.5), Thinking(time, 0)
    match = play(slow, fast, game="othello?size=6", opening=24, adjudicate="exact", control=TimeControl(0.1))
    assert not match.forfeits  # 8 squares are left, and no agent is asked


def test_the_time_of_a_move_does_not_depend_on_those_before(time):
    control = TimeControl(2, per_move=True, margin=0)
    one = Thinking(time, 1.9)
    assert not play(one, Thinking(time, 0), control=control).forfeits
    assert set(one.told) == {2.0}
    assert play(Thinking(time, 1.9, 2), Thinking(time, 0), control=control).forfeits


def test_a_team_has_a_clock_for_every_seat(time):
    agent = Thinking(time, 0.5)
    match = play(agent, game="hanabi?preset=small", control=TimeControl(0.6, margin=0))
    assert [(one.seat, one.cause) for one in match.forfeits] == [(0, LOST_ON_TIME)]
    assert match.payoffs.tolist() == [[[0.0]]]
    assert agent.told == [0.6, 0.1]  # the other seat has an agent of its own


class Batched(Agent):
    name = "batched"

    def act_batch(self, observations, action_masks, infos):
        raise AssertionError("timed games are played one by one")

    def __call__(self, observation, action_mask, info):
        return int(action_mask.argmax())


@pytest.mark.parametrize("agents", [("greedy", "random"), ("random", Batched())])
def test_all_agents_play_one_by_one_and_the_same_games_as_without_a_clock(time, agents):
    def first(observation, action_mask, info):
        return int(action_mask.argmax())

    by_clock = play(*agents)
    without = play_match(
        make_game("tictactoe"), [first if isinstance(agent, Batched) else agent for agent in agents], 1, 1, record=True
    )
    assert not by_clock.compiled
    assert np.array_equal(by_clock.moves, without.moves)


@pytest.mark.parametrize(("control", "before"), [(None, "play 0 games"), (CONTROL, "compile")])
def test_functions_are_compiled_before_the_time_is_taken(monkeypatch, control, before):
    done, play_seated, compile_games = [], match.play_seated, match.compile_games

    def play(game, benches, who, *others, **options):
        done.append(f"play {len(who)} games")
        return play_seated(game, benches, who, *others, **options)

    def compiling(*arguments):
        done.append("compile")
        return compile_games(*arguments)

    def clock():
        done.append("look at the clock")
        return float(len(done))

    monkeypatch.setattr(match, "play_seated", play)
    monkeypatch.setattr(match, "compile_games", compiling)
    monkeypatch.setattr(match, "time", SimpleNamespace(perf_counter=clock))
    result = play_match(make_game("tictactoe"), ["random", "random"], 1, 1, control=control)
    assert done == [before, "look at the clock", "play 2 games", "look at the clock"]
    assert result.seconds == 2
