"""Evolution by games alone: learning, the hall of fame, workers, and going on from another run."""

import json
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.genetic.gengammon.games import HALL, SEASON, Duel, crown, dice, duel
from ludarium.agents.genetic.gengammon.learner import Gengammon
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.registry import make_game

FEW = str(Path(__file__).parent / "data" / "few.npz")  # 1,800 of the shipped decisions to learn from, 200 held out
GAME = make_game("backgammon")
GAMES = {
    "game": "backgammon", "method": "games", "inputs": "exact", "activation": "cubic", "output": "weights",
    "hidden": 4, "population": 8, "batch": 12, "generations": 4, "checkpoints": 1, "test_games": 2,
    "decisions": FEW,
}  # fmt: skip


def run_of(folder, workers=1, executor="threads", **options):
    learner = Gengammon(**GAMES | options)
    return Run.load(train(learner, folder, workers=workers, executor=executor), Gengammon)


def same(one, other):
    return all(np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items())


def test_it_learns_from_points_alone():
    learner = Gengammon(
        **GAMES | {"population": 20, "batch": 60, "generations": 20, "alpha": 0.05, "spread": 0.1, "hidden": 2}
    )
    arrays = learner.start(GAME)
    first = learner.champion(arrays)
    with workers("threads", 1) as parallel:
        told = [learner.generation(GAME, arrays, number, parallel) for number in range(20)]
    assert [line["games"] for line in told[8:11]] == [120, 240, 120]  # the champion is named after each season
    assert told[-1]["champions"] > 1
    keys = dice(learner, 99)
    points, decisions = duel(Duel(learner, learner.champion(arrays), first, keys))
    assert points > 0.5 * len(keys)
    assert duel(Duel(learner, first, learner.champion(arrays), keys)) == (-points, decisions)


def test_the_champion_is_who_has_won_against_the_hall_of_fame():
    learner = Gengammon(**GAMES | {"batch": 40})
    arrays = learner.start(GAME)
    strong = Gengammon(**GAMES | {"method": "backprop", "population": 100, "batch": 500, "generations": 30})
    taught = strong.start(GAME)
    with workers("threads", 1) as parallel:
        for number in range(30):
            strong.generation(GAME, taught, number, parallel)
        for crowned in range(2, HALL + 3):  # more champions than there is room for
            arrays["hidden"][:] = taught["hidden"] * (0.2 * crowned)
            arrays["output"][:] = taught["output"]
            before = learner.champion(arrays).hidden.copy()
            arrays["hidden_mean"][:] = arrays["hidden_square"][:] = 0
            assert crown(learner, arrays, SEASON * crowned, parallel)[0] == 80
            won = int(arrays["crowned"][0]) == crowned
            assert np.array_equal(learner.champion(arrays).hidden, arrays["hidden"] if won else before)
            arrays["crowned"][0] = crowned
    assert arrays["crowned"][0] == HALL + 2


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """The folder of a network that knows how to bring its checkers home: games of others take long."""
    folder = tmp_path_factory.mktemp("taught")
    run_of(folder, method="backprop", population=100, batch=500, generations=30)
    return str(folder)


def test_duels_are_fought_anywhere(tmp_path, taught):
    here = run_of(tmp_path / "here", origin=taught)
    assert same(here, run_of(tmp_path / "there", workers=2, executor="processes", origin=taught))


def test_any_workers_and_a_kill_have_the_same_champion(tmp_path, killed, taught):
    options = {"generations": 11, "batch": 8, "origin": taught}
    alone = run_of(tmp_path / "alone", **options)
    assert same(alone, run_of(tmp_path / "threads", workers=3, **options))
    killed(Gengammon(**GAMES | options), tmp_path / "killed", 2)
    assert same(alone, run_of(tmp_path / "killed", **options))
    told = [json.loads(line) for line in (tmp_path / "killed" / "metrics.jsonl").read_text().splitlines()]
    assert alone.checkpoint.games == told[-1]["games"] == 11 * 16 + 16


@pytest.mark.parametrize("method", ["games", "neurons", "backprop", "strategy"])
def test_learning_goes_on_from_another_run(tmp_path, method, taught):
    known = Run.load(Path(taught), Gengammon)
    options = {"population": 100} if method in ("neurons", "backprop") else {}
    learner = Gengammon(**GAMES | {"method": method, "batch": 200, "origin": taught} | options)
    arrays = learner.start(GAME)
    assert np.array_equal(learner.champion(arrays).hidden, known.arrays["hidden"])
    assert np.array_equal(learner.champion(arrays).output, known.arrays["output"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 10**6}, "the budget is in generations, so give generations, not games=1000000"),
        ({"batch": 3}, "each of the 4 pairs of the population needs a decision or dice; give a batch of at least 4, n"),
        ({"batch": 0}, "give a batch of at least 4, not 0"),
        ({"selection": "none"}, "selection must be 'merit', not 'none', with method=games"),
        ({"hidden": 1000}, "method=games takes fewer than 131,072 weights; with hidden=1000 there are"),
    ],
    ids=str,
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Gengammon(**GAMES | options)


def test_an_origin_of_another_shape_is_refused(tmp_path):
    run_of(tmp_path / "run")
    with pytest.raises(ValueError, match="has hidden=4, not 5; give options that agree"):
        Gengammon(**GAMES | {"hidden": 5, "origin": str(tmp_path / "run")}).start(GAME)
    with pytest.raises(ValueError, match="nowhere"):
        Gengammon(**GAMES | {"origin": str(tmp_path / "nowhere")}).start(GAME)
