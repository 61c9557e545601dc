"""If-then players: past champions in the ranking, and places for unusual players."""

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import hash_state
from ludarium.agents.genetic.ifthen.breeding import protect
from ludarium.agents.genetic.ifthen.learner import IfThen
from ludarium.agents.genetic.ifthen.maps import Maps, put
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run


class Sequential:
    """One worker, this one."""

    shares_memory, size = True, 1

    def __call__(self, function, parts):
        return [function(part) for part in parts]


sequential = Sequential()


def key(game, *actions):
    """The key of the position after some moves."""
    position = game.start()
    for action in actions:
        position.play(action)
    words = np.zeros((game.state.itemsize + 7) // 8, dtype=np.uint64)
    words.view(np.uint8)[: game.state.itemsize] = position.data
    return np.uint64(hash_state(words))


def teach(maps, member, game, first, replies):
    """Make a member of the higher-number game open with a number, and answer numbers; others it answers with 0."""
    put(maps, member, key(game), first, 0.0, 1)
    for named in range(game.actions):
        put(maps, member, key(game, named), replies.get(named, 0), 0.0, 1)


def ranked(game, hall, seed):
    """The first of four players, of whom only number 2 beats the champion of the past; else all are equal."""
    config = IfThen(game="hexapawn", population=4, hall_of_fame=hall, games_per_comparison=2, seed=seed)
    maps = Maps.empty(4 + hall)
    for member in range(4):
        teach(maps, member, game, 0, {})
    teach(maps, 2, game, 1, {6: 7})
    for member in (0, 1, 3):
        put(maps, member, key(game, 1), 1, 0.0, 1)
    for row in range(4, 4 + hall):
        teach(maps, row, game, 6, {0: 7})
    before = [array[4:].copy() for array in maps]
    order, counts = config._rank(game, maps, np.arange(4), 5, sequential)
    assert counts[0] <= config.largest_generation(game)
    assert all((array[4:] == old).all() for array, old in zip(maps, before, strict=True))  # they learn no more
    return int(order[0])


def test_past_champions_tell_apart_who_is_equal_otherwise(higher):
    assert {ranked(higher, 0, seed) for seed in range(20)} == {0, 1, 2, 3}
    assert {ranked(higher, 1, seed) for seed in range(20)} == {2}
    assert {ranked(higher, 3, seed) for seed in range(5)} == {2}


def test_the_hall_of_fame_is_a_fair_sample_of_all_champions():
    held = []
    for seed in range(100):
        config, maps = IfThen(game="hexapawn", population=4, hall_of_fame=3, seed=seed), Maps.empty(7)
        for number in range(40):
            maps.randomness[2] = number
            put(maps, 2, np.uint64(9), number, 0.0, 1)
            config._remember(maps, 2, number)
            assert len({*maps.randomness[4:]}) == 3 or number < 3
        assert (maps.moves[4:].max(axis=1) == maps.randomness[4:]).all()
        held.extend(maps.randomness[4:])
    assert abs(np.mean(held) - 19.5) < 2
    assert min(held) < 3
    assert max(held) > 36


def test_unusual_players_take_the_last_places_of_the_survivors():
    maps = Maps.empty(8)
    for member in range(8):
        for number in range(50):
            put(maps, member, np.uint64(1000 + number), 1 if member != 6 else 2, 0.0, 1)
    put(maps, 4, np.uint64(1000), 3, 0.0, 1)
    order = np.arange(8)
    assert protect(maps, order, 4, 0.0).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert protect(maps, order, 4, 0.4).tolist() == [0, 1, 2, 6, 3, 4, 5, 7]
    assert protect(maps, order, 4, 0.7).tolist() == [0, 1, 4, 6, 2, 3, 5, 7]
    assert protect(maps, order, 4, 1.0).tolist()[0] == 0


@pytest.mark.parametrize(("novelty", "lives"), [(0.0, False), (1.0, True)])
def test_novelty_lets_an_unusual_player_live(higher, novelty, lives):
    config, maps = IfThen(game="hexapawn", population=6, novelty=novelty), Maps.empty(6)
    for member in range(6):
        teach(maps, member, higher, 5 if member else 1, dict.fromkeys(range(8), 5) if member else {})  # 0 loses always
    arrays = {**maps._asdict(), "order": np.arange(6)}
    config.generation(higher, arrays, 0, sequential)
    found = any(move == 1 for move in (arrays["moves"][0][arrays["keys"][0] == key(higher)]))
    assert found is lives
    assert sorted(arrays["order"].tolist()) == list(range(6))


def test_a_run_with_all_options_does_not_depend_on_threads_or_interruptions(tmp_path):
    options = {"game": "tictactoe", "population": 6, "hall_of_fame": 2, "novelty": 0.5, "capacity": 256}
    config = IfThen.from_preset("modern", {**options, "games": 400, "checkpoints": 1, "test_games": 2})
    train(config, tmp_path / "one", workers=1)
    train(config, tmp_path / "two", workers=2)

    class Stop(Exception):
        pass

    def stop(done, total, text):
        if done >= 200:
            raise Stop

    with pytest.raises(Stop):
        train(config, tmp_path / "three", workers=1, progress=stop)
    train(config, tmp_path / "three", workers=2)
    one, two, three = (Run.load(tmp_path / name, IfThen).arrays for name in ("one", "two", "three"))
    assert set(one) == {*Maps._fields, "order"}
    for name, array in one.items():
        assert (array == two[name]).all()
        assert (array == three[name]).all()
    assert one["keys"].shape[0] == 8
    assert (one["keys"][6:] != 0).any(axis=1).all()
