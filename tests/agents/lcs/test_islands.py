"""Islands: populations that start anew, one after another, and whose best go on together."""

import pytest

from ludarium.agents.lcs import islands
from ludarium.agents.lcs.modern import Modern
from ludarium.agents.lcs.text import rules_text
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.parallel import workers
from ludarium.envs.registry import make_game

GAME = make_game("hanabi?score=points-kept")
QUICK = {
    "game": "hanabi?score=points-kept", "population": 6, "decks": 30, "season": 3, "games": 6000, "checkpoints": 3,
    "test_games": 2, "rules": 20, "founders": 12, "islands": 3,
}  # fmt: skip


def generations(learner):
    now = Checkpoint(learner.start(GAME))
    with workers("threads", 1) as parallel:
        while not learner.is_over(GAME, now):
            now = learner.advance(GAME, now, 0, parallel)[0]
            yield now


def lists(learner, arrays, count):
    return [rules_text(learner.list_of(arrays, place)) for place in range(count)]


def test_islands_share_three_fifths_of_the_games():
    assert [islands.stage(games, 1000, 3) for games in (0, 50, 300, 598, 600, 800, 1100)] == [
        (0, 0.0), (0, 0.25), (1, 0.5), (2, 0.99), (3, 0.0), (3, 0.5), (3, 1.0),
    ]  # fmt: skip
    assert [islands.stage(games, 800, 0) for games in (0, 200)] == [(0, 0.0), (0, 0.25)]
    few = [(0, 0.0), (0, 2 / 3), (1, 1 / 3), (2, 0.0), (2, 0.5)]  # one game and a half for each island
    assert [islands.stage(games, 5, 2) for games in range(5)] == [pytest.approx(stage) for stage in few]


@pytest.mark.parametrize(
    ("origin", "decks", "sizes"),
    [
        ("random", 2000, [20, 35, 60, 60, 346, 2000]),  # 35 is the geometric mean of 20 and 60, and so on
        ("hand", 2000, [500, 173, 60, 60, 346, 2000]),
        ("random", 40, [20, 28, 40, 40, 40, 40]),
    ],
)
def test_the_window_of_decks_grows_at_the_same_rate_all_the_time(origin, decks, sizes):
    """From 20 decks, or 500 for lists that are good already, to 60 on each island, and from 60 to all at the end."""
    learner = Modern(**QUICK | {"decks": decks, "origin": origin, "games": 100_000})
    stages = [islands.Stage(island, done) for island in (1, 3) for done in (0.0, 0.5, 1.0)]
    assert [learner._window_size(stage) for stage in stages] == sizes


def test_the_best_of_each_island_make_up_the_last_population():
    learner, best, sizes = Modern(**QUICK), {}, {}
    for now in generations(learner):
        island = int(now.arrays["island"][0])
        if island == 3 and 3 not in best:
            kept = [rules_text(rules) for rules in islands.settlers(now.arrays)]
            assert kept == [text for number in range(3) for text in best[number]]
        best[island] = lists(learner, now.arrays, 2)
        sizes.setdefault(island, []).append(int(now.arrays["progress"][1]))
    assert set(best) == {0, 1, 2, 3}
    assert len({text for number in range(3) for text in best[number]}) == 6
    assert all(sizes[island][0] < 30 for island in range(3))  # each begins with few decks again
    assert sizes[3][-1] == 30
