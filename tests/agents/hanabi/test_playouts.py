"""What moves of Hanabi are worth to players made of rules: means of games that they play on by themselves."""

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.hanabi import playouts
from ludarium.envs.chance import stream
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.kernels import CHANCE
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.play.opinions import opinions_of, worth_text

PLAYERS = ["greedy", "expert", "hanabi-rules?name=iggi&order=age"]


def position_after(game, plies, seed=1):
    """A position after some moves of `greedy`."""
    position, draws, agent = game.start(), stream(seed), make_agent("greedy", game)
    while plies or position.turn == CHANCE:
        if position.turn == CHANCE:
            position.push(position.draw_outcome(draws))
            continue
        mask = position.action_mask()
        info = {"view": position.view(position.turn), "game": game, "seat": position.turn}
        position.push(agent(position.observe(position.turn), mask, info))
        plies -= 1
    return position


@pytest.mark.parametrize(
    ("name", "game", "plies"),
    [*((name, Hanabi(preset="small"), 7) for name in PLAYERS), ("greedy", Hanabi(), 50), ("expert", Hanabi(), 60)],
    ids=str,
)
def test_they_do_not_see_what_their_seat_does_not(name, game, plies):
    """Positions that differ only in the hand of the seat to move, and so in the deck, get the same answer."""
    agent, position = make_agent(name, game), position_after(game, plies)
    others = [game.redealt(position, stream(seed)) for seed in range(3)]
    assert len({position, *others}) > 2
    opinions = [agent.judge(one, 5) for one in (position, *others)]
    assert opinions[0] == opinions[1] == opinions[2] == opinions[3]
    assert opinions_of(agent, position, 5) == opinions_of(agent, others[0], 5)
    if plies < 10:
        assert opinions[0] != agent.judge(position, 6)


@pytest.mark.parametrize("name", PLAYERS)
def test_values_are_points_with_an_error_and_the_move_it_makes_is_first(name):
    game = Hanabi(preset="small")
    for plies in (0, 9):
        position = position_after(game, plies)
        agent = make_agent(name, game)
        opinions, seat = agent.judge(position, 5).ranked(), position.turn
        assert opinions.unit == game.unit == "points"
        assert [opinion.action for opinion in sorted(opinions, key=lambda o: o.action)] == position.legal_actions()
        assert all(0 <= opinion.value <= 10 for opinion in opinions)
        assert any(opinion.error > 0 for opinion in opinions)
        agent.reset(seat, 5)
        info = {"view": position.view(seat), "game": game, "seat": seat}
        assert opinions.moves[0].action == opinions.played
        assert opinions.played == agent(position.observe(seat), position.action_mask(), info)


def test_a_mean_is_near_the_score_of_whole_games():
    """Before the first move, the player's own move is worth what its games score, whatever the hands of the others."""
    game = Hanabi(preset="small")
    agent, values, errors = make_agent("greedy", game), [], []
    for seed in range(30):
        best = agent.judge(position_after(game, 0, seed), seed).ranked().moves[0]
        values.append(best.value)
        errors.append(best.error)
    scores = play_match(game, ["greedy"], 400, seed=3).points()
    spread = np.hypot(np.std(values) / np.sqrt(30), np.std(scores) / np.sqrt(len(scores)))
    assert abs(np.mean(values) - np.mean(scores)) < 4 * spread
    assert max(errors) < 0.3


def test_values_are_means_and_errors_those_of_means(monkeypatch):
    def half_lost(game, state, policy, actions, key, scores):
        scores[:, ::2] = np.arange(len(actions))[:, None]

    monkeypatch.setattr(playouts, "_try", half_lost)
    game = Hanabi(preset="small")
    for number, opinion in enumerate(make_agent("greedy", game).judge(position_after(game, 0), 5)):
        assert (opinion.value, opinion.nodes) == (number / 2, 100)
        assert opinion.error == pytest.approx(number / 2 / np.sqrt(99))


def test_the_error_is_part_of_what_is_said():
    game = Hanabi(preset="small")
    opinions = make_agent("greedy", game).judge(position_after(game, 0), 5).ranked()
    best = opinions.moves[0]
    assert worth_text(game, best, opinions) == f"{best.value:.3f} ± {best.error:.3f}"
