"""Yardsticks: known values, noise, sequential matches, and the commands."""

import inspect
import json

import numpy as np
import pytest

from ludarium.agents.agent import Agent
from ludarium.agents.specs import make_agent
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures import yardsticks
from ludarium.evaluation.measures.yardsticks import (
    HANABI_POOL,
    Company,
    HanabiResult,
    Points,
    Score,
    backgammon_pubeval,
    hanabi,
    noisy,
    othello_league,
    othello_openings,
)
from ludarium.evaluation.play import match
from ludarium.evaluation.play.match import play_match

OTHELLO = make_game("othello")


class InPython(Agent):
    """A compiled agent that does not say so: it plays through Python."""

    def __init__(self, spec, game):
        self.inner = make_agent(spec, game)
        self.name, self.needs_state, self.needs_view = spec, self.inner.needs_state, self.inner.needs_view

    def reset(self, seat, seed):
        self.inner.reset(seat, seed)

    def __call__(self, observation, action_mask, info):
        return self.inner(observation, action_mask, info)


def faulty(observation, action_mask, info):
    raise RuntimeError("no idea")


@pytest.mark.parametrize(("agent", "known"), [("greedy", 0.505), ("random", 0.195)])
def test_the_league(agent, known):
    result = othello_league(agent, 8000)
    assert result.games == 8000
    assert abs(result.score - known) < 3 * np.hypot(0.007, result.margin / 1.96)
    assert result.wins + result.draws + result.losses == 8000
    assert result.score == (result.wins + result.draws / 2) / 8000


def test_the_league_without_noise_is_a_match():
    assert othello_league("alphabeta?depth=2", 100, noise=0.0).score > 0.8
    assert othello_league("random", 400, noise=1.0).score == pytest.approx(0.5, abs=0.08)
    both = [noisy(make_agent(agent, OTHELLO), 0.1) for agent in ("random", "greedy")]
    assert othello_league("random", 20, 3).score == play_match(OTHELLO, both, 10, 3).scores().mean()


def test_the_openings():
    result = othello_openings("random")
    assert abs(result.score - 0.21) < 0.05  # measured independently against random play from the start
    assert result.games == 2000
    assert result == othello_openings("random")
    assert result != othello_openings("random", seed=1)
    assert othello_openings("alphabeta?depth=2", 200).score > 0.75
    assert othello_openings("alphabeta?depth=1", 20, opponent="alphabeta?depth=1").score == 0.5
    played = play_match(OTHELLO, ["random", "greedy"], 20, 3, opening=7)  # of seven moves
    assert othello_openings("random", 40, 3).score == played.scores().mean()


def test_the_openings_are_the_same_for_all():
    one, other = (
        play_match(OTHELLO, [agent, "greedy"], 20, 0, opening=7, record=True).moves[:, :7].tolist()
        for agent in ("random", "alphabeta?depth=1")
    )
    assert one == other
    assert len(set(map(tuple, one))) == 20


def test_pubeval():
    itself = backgammon_pubeval("greedy", 100)
    assert (itself.points, itself.error, itself.wins) == (0, 0, 0.5)  # the same dice, exchanged
    result = backgammon_pubeval("random", 400)
    assert result.points == pytest.approx(-2.5, abs=0.2)
    assert 0 < result.error < 0.1
    assert result.wins < 0.02
    assert (result.opponent, result.games) == ("pubeval", 400)


def test_hanabi():
    result = hanabi("greedy", 1500)
    companies = {company.partners: company for company in result.companies}
    assert list(companies) == ["itself", *HANABI_POOL]
    # Measured with the original rule code: Piers 17.34, IGGI 16.44.
    assert companies["itself"].kept == pytest.approx(17.34, abs=0.25)
    assert companies["piers"].kept == pytest.approx(17.34, abs=0.25)  # the same agent under another name
    assert companies["iggi"].zero < companies["iggi"].kept
    assert companies["random"].zero < 0.1 < 1 < companies["random"].kept < 3
    assert (result.agent, result.seats, result.games) == ("greedy", 2, 1500)
    assert [company.perfect for company in result.companies] == [0] * 4
    own = play_match(make_game("hanabi?score=zero-on-bomb"), ["greedy"], 20, 5)
    assert hanabi("greedy", 20, 5).companies[0].zero == own.payoffs.mean()  # deck number i is a match's
    in_python = InPython("greedy", make_game("hanabi?seats=5"))
    assert hanabi(in_python, 6, seats=5).companies == hanabi("greedy", 6, seats=5).companies


def test_an_agent_has_each_seat_of_a_mixed_table_in_turn(monkeypatch):
    seats = []
    monkeypatch.setattr(
        yardsticks, "play_seated", lambda *given: seats.append(given[2].tolist()) or match.play_seated(*given)
    )
    hanabi("random", 4, seats=3)
    mixed = [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 1]]
    assert seats == [[[0] * 3] * 4] * 2 + [mixed] * 2 * len(HANABI_POOL)


def test_forfeits_are_counted():
    result = othello_league(faulty, 4)
    assert (result.score, result.forfeits, result.losses) == (0, 4, 4)
    assert backgammon_pubeval(faulty, 4).forfeits == 4
    company = hanabi(faulty, 3).companies[0]
    assert (company.kept, company.zero, company.forfeits) == (0, 0, 6)


def test_results_as_text():
    assert str(Score("a", "b", 1200, 0.75, 0.05, 900, 0, 300, 2)) == (
        "a against b: 0.750 ± 0.050 in 1,200 games (900 won, 0 drawn, 300 lost, 2 forfeited)"
    )
    assert str(Points("a", "pubeval", 100, 0.25, 0.125, 0.5, 0)) == (
        "a against pubeval: +0.250 points a game, standard error 0.125, 50.0 % won in 100 games"
    )
    iggi = Company("iggi", 16.5, 0.1, 16, 0.2, 0.01, 2)
    told = "with iggi      16.50 ± 0.10   zero on bomb  16.00 ± 0.20   perfect 1.0 %, 2 forfeited"
    assert str(HanabiResult("a", 3, 1200, (iggi,))) == f"a at a table of 3, mean score of 1,200 games:\n{told}"
    inf = float("inf")  # a single pair tells no spread
    assert "0.750 ± ? in 2 games" in str(Score("a", "b", 2, 0.75, inf, 1, 1, 0, 0))
    assert "standard error ?, " in str(Points("a", "pubeval", 2, 0.25, inf, 0.5, 0))
    assert " 16.50 ± ?   zero on bomb  16.00 ± ?   " in str(Company("iggi", 16.5, inf, 16, inf, 0, 0))


def test_as_many_games_as_others_have_played():
    usual = dict.fromkeys((othello_league, othello_openings, backgammon_pubeval), 2000) | {hanabi: 1000}
    for protocol, games in usual.items():
        known = inspect.signature(protocol).parameters
        assert (known["games"].default, known["seed"].default) == (games, 0)


@pytest.mark.parametrize("protocol", [othello_league, othello_openings, backgammon_pubeval, hanabi])
def test_at_least_one_game(protocol):
    with pytest.raises(ValueError, match="games must be at least 1, not 0"):
        protocol("random", 0)
    assert protocol("random", 1).games == (1 if protocol is hanabi else 2)


def test_no_noise_changes_nothing_but_the_stream():
    agents = "alphabeta?depth=2", "alphabeta?depth=1"
    plain = play_match(OTHELLO, agents, 5, 1, opening=4, record=True)
    wrapped = [noisy(make_agent(agent, OTHELLO), 0.0) for agent in agents]
    assert np.array_equal(play_match(OTHELLO, wrapped, 5, 1, opening=4, record=True).moves, plain.moves)


def test_an_agent_keeps_its_own_randomness_where_noise_is_added():
    position, info = OTHELLO.start(), {"seat": 0, "game": OTHELLO}
    agents, chosen = [InPython("random", OTHELLO), noisy(InPython("random", OTHELLO), 0.0)], []
    for agent in agents:
        for seed in range(20):
            agent.reset(0, seed)
            chosen.append(agent(position.observe(0), position.action_mask(), info))
    assert chosen[:20] == chosen[20:]
    assert len(set(chosen)) == 4


def test_noise_is_the_same_through_python_and_in_the_arena(monkeypatch):
    """Compiled noise draws the same numbers wherever it is called from."""
    made = [noisy(make_agent(agent, OTHELLO), 0.3) for agent in ("alphabeta?depth=1", "random")]
    inside = play_match(OTHELLO, made, 5, 2, record=True)
    monkeypatch.setattr(match, "_policies", lambda benches: [])
    outside = play_match(OTHELLO, made, 5, 2, record=True)
    assert np.array_equal(inside.moves, outside.moves)


@pytest.mark.parametrize("kind", ["compiled", "python"])
def test_noise_is_as_often_as_it_says(kind):
    """At the start of Othello: four legal moves, the same one always chosen but for the noise."""
    agent = make_agent("alphabeta?depth=1", OTHELLO) if kind == "compiled" else InPython("alphabeta?depth=1", OTHELLO)
    made = noisy(agent, 0.4)
    assert (made.policy is not None) == (kind == "compiled")
    position = OTHELLO.start()
    info = {"seat": 0, "game": OTHELLO, "position": position, "history": ()}
    chosen = []
    for seed in (*range(3000), *range(9)):
        made.reset(0, seed)
        chosen.append(made(position.observe(0), position.action_mask(), info))
    assert chosen[3000:] == chosen[:9]
    _, counts = np.unique(chosen[:3000], return_counts=True)
    assert len(counts) == 4
    assert np.sort(counts)[:3] == pytest.approx(300, abs=60)
    for probability in (-0.1, 1.5):
        with pytest.raises(ValueError, match=f"noisy: the probability must be from 0 to 1, not {probability}"):
            noisy(agent, probability)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["othello-league", "random"], "random against greedy: 0."),
        (["othello-openings", "random", "--opponent", "alphabeta?depth=1"], "random against alphabeta?depth=1: 0."),
        (["backgammon-pubeval", "random"], "random against pubeval: -"),
        (["backgammon-errors", "random", "--judge", "expert"], "random in 10 games with itself, judged by expert"),
        (["hanabi", "random", "--seats", "3"], "random at a table of 3, mean score of 10 games:"),
    ],
)
def test_the_commands(output, command, text):
    assert text in output("yardstick", *command, "--games", "10", "--seed", "3")
    out = output("yardstick", *command, "--games", "1", "--json")
    assert json.loads(out)["agent"] == "random"
    assert "Infinity" not in out
