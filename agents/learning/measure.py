"""Measures a learner's player while it learns: in games with any number of seats, against others or in a team.

Nothing is learned from these games. They are counted separately, as `test_games`.
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.compiled.random_legal import random_policy
from ludarium.agents.search.greedy import greedy
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

TESTING = 2
"""The stream of a seed that these games draw from."""


class Measurement(NamedTuple):
    """What was measured.

    Attributes:
        scores: the scores as in the metrics, by name.
        games: the number of games played.
        text: the same as a short text for people: `"random 93.1 %"`.
    """

    scores: dict[str, Any]
    games: int
    text: str


def against_random(game: Game, policy: Policy, games: int, seed: int) -> Measurement:
    """A player's share of the points against the random agent in all other seats: win 1, draw ½.

    Args:
        game: a game that is not cooperative.
        policy: the player.
        games: the maximum number of games, split evenly over the seats, with at least one in each.
        seed: the games are a function of it; the chance events are the same for every seat.

    Returns:
        `score`, from 0 to 1; in games of two seats also `score_first` and `score_second`, otherwise `by_seat`.
    """
    each = max(1, games // game.seats)
    by_seat = _by_seat(game, policy, random_policy(), each, seed)
    score = sum(by_seat) / game.seats
    parts = {"score_first": by_seat[0], "score_second": by_seat[1]} if game.seats == 2 else {"by_seat": by_seat}
    return Measurement({"score": score, **parts}, each * game.seats, f"random {100 * score:.1f} %")


def against_greedy(game: Game, policy: Policy, games: int, seed: int) -> Measurement:
    """A player's share of the points against the agent `greedy` in all other seats, see `against_random`.

    The chance events are those of the games against the random agent.

    Returns:
        `score_greedy`, from 0 to 1; nothing in games with hidden information, which `greedy` does not play.
    """
    if game.hidden_information:
        return Measurement({}, 0, "")
    each = max(1, games // game.seats)
    score = sum(_by_seat(game, policy, greedy(game), each, seed)) / game.seats
    return Measurement({"score_greedy": score}, each * game.seats, f"greedy {100 * score:.1f} %")


def _by_seat(game: Game, policy: Policy, others: Policy, each: int, seed: int) -> list[float]:
    """The player's share of the points in each seat, in so many games, with another one in all other seats."""
    keys = np.array([seed_key(seed, TESTING, number) for number in range(each)], dtype=np.uint64)
    by_seat = []
    for seat in range(game.seats):
        seating = np.ones((each, game.seats), dtype=np.int64)
        seating[:, seat] = 0
        payoffs = play_games(game, [policy, others], seating, keys, keys).payoffs[:, seat]
        by_seat.append(float((1 + np.sign(payoffs)).mean() / 2))
    return by_seat


def as_a_team(game: Game, policy: Policy, games: int, seed: int) -> Measurement:
    """The mean payoff of a player that sits in every seat of a cooperative game.

    Args:
        game: a cooperative game.
        policy: the player.
        games: the number of games.
        seed: the games are a function of it.

    Returns:
        `score`, the payoff as a share of the greatest one, from 0 to 1, and `points`, the payoff itself.
    """
    keys = np.array([seed_key(seed, TESTING, number) for number in range(games)], dtype=np.uint64)
    seating = np.zeros((games, game.seats), dtype=np.int64)
    points = float(play_games(game, [policy], seating, keys, keys).payoffs[:, 0].mean())
    scores = {"score": points / game.payoff_range[1], "points": points}
    return Measurement(scores, games, f"team {points:.2f}")


def measure(game: Game, policy: Policy, games: int, seed: int) -> Measurement:
    """Measure a player: in a team with itself if the game is cooperative, otherwise against `random` and `greedy`."""
    if game.cooperative:
        return as_a_team(game, policy, games, seed)
    weak, strong = against_random(game, policy, games, seed), against_greedy(game, policy, games, seed)
    text = ", ".join(filter(None, (weak.text, strong.text)))
    return Measurement({**weak.scores, **strong.scores}, weak.games + strong.games, text)
