"""What a population remembers, and what the preset `modern` reaches by it."""

import numpy as np
import pytest

from ludarium.agents.genetic.gaia.experience import experience_of, is_full, no_experience, play_and_remember, remembered
from ludarium.agents.genetic.gaia.games import field
from ludarium.agents.genetic.gaia.learner import Gaia
from ludarium.agents.genetic.gaia.patterns import RULE
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import agent_of_run
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure

NOTHING = (0, 0, 0, 0.0, 0, -1, 0)


@pytest.fixture(scope="module")
def game():
    return make_game("tictactoe")


def remember(game, games, symmetry, slots=1 << 13):
    """The experience of this many games between players without rules, and the counts."""
    experience, counts = experience_of(no_experience(game, slots)), np.zeros(3, dtype=np.int64)
    population = np.array([[NOTHING]] * 2, dtype=RULE)
    play_and_remember(field(game, symmetry), experience, population, games, 0.5, seed_key(1), counts, False)
    return experience, counts


@pytest.fixture(scope="module")
def experience(game):
    return remember(game, 4000, True)[0]


def test_with_symmetry_images_share_what_is_known(game, experience):
    known = np.count_nonzero(experience.keys)
    assert 600 < known <= 627  # of 765 positions up to symmetry, those with a decision
    assert np.count_nonzero(remember(game, 4000, False)[0].keys) > 3 * known


def test_experience_becomes_right(game, experience):
    """The empty board is a draw, and so is every first move: no case. After a corner only the centre is right."""
    senses, regrets, *_ = remembered(game, True, experience)
    taken = np.bitwise_count(senses[:, 0, 0] | senses[:, 0, 1])
    assert (taken > 0).all()
    corner = (taken == 1) & ((senses[:, :, 1] == 1).any(axis=1))
    found = np.sort(regrets[corner][0][~np.isnan(regrets[corner][0])])
    assert found.tolist() == [0.0] + [1.0] * 7
    assert len(senses) == 431


def test_what_there_is_no_room_for_is_forgotten(game):
    experience, counts = remember(game, 200, False, slots=64)
    assert np.count_nonzero(experience.keys) == 48
    assert is_full(experience)
    assert not is_full(remember(game, 200, False)[0])
    assert counts[0] > 1000


def test_where_no_rule_matches_the_worst_move_counts(game, experience):
    known = remembered(game, True, experience)
    assert known.unmatched.tolist() == np.nanmax(known.regrets, axis=1).tolist()
    assert set(known.unmatched.tolist()) == {1.0, 2.0}


def test_modern_players_never_lose(game, tmp_path):
    config = Gaia.from_preset("modern", {"game": "tictactoe", "seed": 1, "generations": 20, "checkpoints": 1})
    path = train(config, tmp_path / "run", workers=2)
    champion = agent_of_run(Gaia, game, str(path))
    exact = measure(game, champion)
    assert exact.method == "exact"
    assert (exact.never_loses_first, exact.never_loses_second, exact.nash_conv) == (True, True, 0.0)
    assert (champion.rules["action"] >= 0).sum() <= 60


def test_modern_hexapawn_and_any_number_of_threads(tmp_path):
    game, found = make_game("hexapawn"), []
    for size in (1, 2):
        config = Gaia.from_preset("modern", {"game": "hexapawn", "generations": 5, "checkpoints": 1})
        champion = agent_of_run(Gaia, game, str(train(config, tmp_path / str(size), workers=size)))
        found.append(champion.rules.tobytes())
        assert measure(game, champion).nash_conv == 0
    assert found[0] == found[1]


def test_exploring_is_an_option(game):
    learned = []
    for explore in (0.0, 0.9):
        learner = Gaia.from_preset("modern", {"game": "tictactoe", "explore": explore, "memory": 1 << 12})
        arrays = learner.start(game)
        with workers("threads", 1) as parallel:
            learned.append([learner.generation(game, arrays, number, parallel)["positions"] for number in range(3)])
    assert learned[0][-1] < learned[1][-1]
