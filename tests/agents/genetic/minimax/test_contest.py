import numpy as np

from ludarium.agents.genetic.minimax.contest import every_two, shares, with_rivals


def test_every_two_meet_and_change_seats():
    games = every_two(3, 2, np.uint64(7))
    assert games.seating.tolist() == [[0, 1], [0, 2], [1, 2], [1, 0], [2, 0], [2, 1]]
    assert len(np.unique(games.keys)) == 6


def test_everyone_meets_the_same_rivals_in_both_seats_from_the_same_openings():
    games = with_rivals(2, 2, np.uint64(7), opening=4)
    assert games.seating.tolist() == [[0, 2], [2, 0], [0, 3], [3, 0], [1, 2], [2, 1], [1, 3], [3, 1]]
    keys = games.keys.reshape(2, 2, 2)
    assert (keys == keys[0, :, :1]).all()
    assert len(np.unique(keys)) == 2


def test_a_share_of_the_points_is_that_of_both_seats():
    won, lost, drawn = [1, -1], [-1, 1], [0, 0]
    assert shares(np.array([won, lost, won, won, lost, won, drawn, drawn], float), 2).tolist() == [0.75, 0.25]
