"""If-then players: maps, learning from a game, the sort, options, and what the presets reach."""

import re

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import find, hash_state
from ludarium.agents.genetic.ifthen.contest import Contest
from ludarium.agents.genetic.ifthen.games import Rules, Settings, Table, compare
from ludarium.agents.genetic.ifthen.learner import IfThen
from ludarium.agents.genetic.ifthen.maps import FIRST_SLOTS, FORGOTTEN, Maps, known_move, put
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.chance import seed_key, stream
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure

LITERAL = Settings(1, False, False, False, False)


class Sequential:
    """One worker, this one."""

    shares_memory, size = True, 1

    def __call__(self, function, parts):
        return [function(part) for part in parts]


sequential = Sequential()


def known(maps, member):
    """A member's map as a dictionary."""
    pairs = zip(maps.keys[member], maps.moves[member], strict=True)
    return {int(key): int(move) for key, move in pairs if key and move != FORGOTTEN}


def position_key(game, *actions):
    """The key of the position after some moves."""
    position = game.start()
    for action in actions:
        position.play(action)
    words = np.zeros((game.state.itemsize + 7) // 8, dtype=np.uint64)
    words.view(np.uint8)[: game.state.itemsize] = position.data
    return np.uint64(hash_state(words))


def teach(maps, member, game, number):
    """Make a member of the higher-number game say `number` always."""
    for key in (position_key(game), *(position_key(game, first) for first in range(game.actions))):
        put(maps, member, key, number, 0.0, 1)


def meet(game, maps, a, b, seed, settings=LITERAL, mirrored=True):
    """One comparison."""
    table = Table.of(Rules(game, mirrored, 0, settings), maps, len(maps.keys))
    return compare(table, a, b, seed_key(seed)), table.counts


# --- maps ---


def test_a_map_is_at_most_half_full_and_grows_between_generations():
    maps = Maps.empty(2)
    for number in range(FIRST_SLOTS):
        put(maps, 0, np.uint64(7 * number + 1), number % 5, 0.5, number)
    assert maps.entries.tolist() == [FIRST_SLOTS // 2, 0]
    slot = find(maps.keys[0], np.uint64(8))
    maps.moves[0, slot] = FORGOTTEN
    larger = maps.grown()
    assert larger.keys.shape == larger.visits.shape == (2, 2 * FIRST_SLOTS)
    assert known(larger, 0) == known(maps, 0)
    assert larger.entries.tolist() == [FIRST_SLOTS // 2 - 1, 0]
    put(larger, 0, np.uint64(5), 3, -1.0, 9)
    slot = find(larger.keys[0], np.uint64(5))
    assert (larger.moves[0, slot], larger.values[0, slot], larger.visits[0, slot]) == (3, -1.0, 9)
    assert known_move(larger, 0, np.uint64(5)) == 3
    assert known_move(larger, 1, np.uint64(5)) == FORGOTTEN


def test_the_policy_plays_what_the_map_says_and_else_at_random(higher):
    config = IfThen(game="hexapawn", population=4)
    maps = Maps.empty(4)
    put(maps, 2, position_key(higher), 5, 0.0, 1)
    policy = config.member(higher, {**maps._asdict(), "order": np.array([2, 0, 1, 3])}, 0)
    mask, view = np.ones(8, dtype=np.int8), np.zeros(1, dtype=np.int8)
    position = higher.start()
    assert [policy.choose(higher, position.data, view, mask, stream(n)) for n in range(20)] == [5] * 20
    position.play(1)
    assert {policy.choose(higher, position.data, view, mask, stream(n)) for n in range(200)} == set(range(8))


# --- learning from a game ---


def test_the_winner_enters_its_random_moves_and_the_loser_nothing(higher):
    wins = 0
    for seed in range(40):
        maps = Maps.empty(2)
        ahead, counts = meet(higher, maps, 0, 1, seed)
        assert counts.tolist() == [1, 2, 0, counts[3]]
        assert maps.games.tolist() == [1, 1]
        if counts[3]:  # a draw
            assert maps.wins.tolist() == maps.entries.tolist() == [0, 0]
            continue
        winner = 0 if ahead else 1
        assert maps.wins[winner] == maps.entries[winner] == 1
        assert maps.wins[1 - winner] == maps.entries[1 - winner] == 0
        wins += ahead
    assert 5 < wins < 35


def test_all_random_moves_of_a_won_game_are_entered():
    game = make_game("hexapawn")
    for seed in range(10):
        maps = Maps.empty(2)
        _, counts = meet(game, maps, 0, 1, seed, mirrored=False)
        assert maps.entries[maps.wins.argmax()] == (counts[1] + 1) // 2  # who wins has made the last move
        assert maps.entries[maps.wins.argmin()] == 0


def test_draws_are_entered_with_record_on_win_and_draw(higher):
    maps = Maps.empty(2)
    while not (done := meet(higher, maps, 0, 1, 1000 + int(maps.games[0]), LITERAL._replace(record_draws=True))[1][3]):
        maps = Maps.empty(2)._replace(games=maps.games)
    assert done
    assert maps.entries.tolist() == [1, 1]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_random_move_in_a_known_position_is_entered_only_with_overwrite_on_win(higher, overwrite):
    maps = Maps.empty(2)
    teach(maps, 0, higher, 1)
    teach(maps, 1, higher, 0)
    maps.randomness[0] = 1.0
    for seed in range(30):
        meet(higher, maps, 0, 1, seed, LITERAL._replace(overwrite_on_win=overwrite))
    moves = known(maps, 0)
    assert len(moves) == 9
    assert (set(moves.values()) == {1}) is not overwrite


def test_the_loser_forgets_the_rule_behind_its_last_move(higher):
    for forget in (False, True):
        maps = Maps.empty(2)
        teach(maps, 0, higher, 3)
        teach(maps, 1, higher, 6)
        meet(higher, maps, 0, 1, 1, LITERAL._replace(forget_on_loss=forget))
        assert (len(known(maps, 0)), len(known(maps, 1))) == (9 - forget, 9)
        assert maps.entries[0] == 9  # its place stays taken until the table grows


def test_values_find_the_best_moves_and_unlearn(higher):
    maps = Maps.empty(2)
    for member in range(2):
        teach(maps, member, higher, 2)  # wrong nearly everywhere
        maps.randomness[member] = 0.7
    for seed in range(400):
        meet(higher, maps, 0, 1, seed, LITERAL._replace(values=True))
    for member in range(2):
        for first in range(8):
            slot = find(maps.keys[member], position_key(higher, first))
            assert maps.values[member, slot] == (1 if first < 7 else 0)
            assert maps.moves[member, slot] > first or first == maps.moves[member, slot] == 7
        slot = find(maps.keys[member], position_key(higher))
        assert (maps.values[member, slot], maps.moves[member, slot]) == (0, 7)
        assert maps.visits[member, slot] == 401  # both learn from each game, whoever was to move


@pytest.mark.parametrize("symmetry", [False, True])
def test_symmetry_enters_the_mirror_images_as_well(symmetry):
    game, config = make_game("hexapawn"), IfThen(game="hexapawn", population=4, symmetry=symmetry)
    mirror, pairs = game.images[1], []
    for seed in range(20):
        arrays = config.start(game)
        maps = Maps(*(arrays[name] for name in Maps._fields))
        config._rank(game, maps, arrays["order"], seed, sequential)
        for member in range(4):
            for first in (first for first in game.start().legal_actions() if mirror[first] != first):
                move = known_move(maps, member, position_key(game, first))
                if move != FORGOTTEN:
                    pairs.append((mirror[move], known_move(maps, member, position_key(game, int(mirror[first])))))
    assert len(pairs) > 10
    assert all(move == image for move, image in pairs) is symmetry


# --- the sort ---


def sort(game, maps, seed, settings=LITERAL):
    """The members, sorted, and what was played."""
    contest = Contest(Rules(game, True, 0, settings), maps, len(maps.keys), sequential)
    return contest.sort(np.arange(len(maps.keys)), seed_key(seed)), contest.counts


@pytest.mark.parametrize("members", [4, 7, 8])
def test_the_sort_puts_the_stronger_first_by_games_alone(higher, members):
    strengths = np.random.default_rng(members).permutation(8)[:members]
    maps = Maps.empty(members)
    for member, strength in enumerate(strengths):
        teach(maps, member, higher, strength)
    order, counts = sort(higher, maps, 1)
    assert strengths[order].tolist() == sorted(strengths, reverse=True)
    config = IfThen(game="hexapawn", population=members)
    assert members - 1 <= counts[0] <= config.largest_generation(higher) == {4: 5, 7: 14, 8: 17}[members]
    assert maps.games.sum() == 2 * counts[0]
    assert counts[2] == counts[1]  # every move was a rule's


def test_a_tie_is_broken_by_lot(higher):
    maps = Maps.empty(2)
    for member in range(2):
        teach(maps, member, higher, 4)
    assert {tuple(sort(higher, maps, seed)[0]) for seed in range(20)} == {(0, 1), (1, 0)}
    assert {meet(higher, maps, 0, 1, n, LITERAL._replace(games_per_comparison=2))[0] for n in range(20)} == {
        True,
        False,
    }


def test_games_of_a_comparison_alternate_the_seats():
    game = make_game("hexapawn")
    maps = Maps.empty(2)
    perfect = measured_optimal(game)
    for key, move in perfect.items():
        for member in range(2):
            put(maps, member, np.uint64(key), move, 0.0, 1)
    _, counts = meet(game, maps, 0, 1, 3, LITERAL._replace(games_per_comparison=4))
    assert counts[0] == 4
    assert maps.wins.tolist() == [2, 2]  # the second seat wins hexapawn


def measured_optimal(game):
    """A map that plays a solved game perfectly."""
    config = IfThen.from_preset("modern", {"game": game.spec, "games": 3000})
    arrays, played, number = config.start(game), 0, 0
    while played < 3000:
        told = config.generation(game, arrays, number, sequential)
        played, number = played + told["games"], number + 1
    assert measure(game, config.policy(game, arrays)).nash_conv == 0
    return known(Maps(*(arrays[name] for name in Maps._fields)), arrays["order"][0])


def test_a_rematch_settles_the_order_of_the_first_four(higher):
    maps = Maps.empty(5)
    for member, strength in enumerate((2, 5, 1, 7, 6)):
        teach(maps, member, higher, strength)
    contest = Contest(Rules(higher, True, 0, LITERAL), maps, 5, sequential)
    assert contest.rematch(np.arange(5), 4, 3, seed_key(1)).tolist() == [3, 1, 0, 2, 4]
    assert contest.counts[0] == 6 * 3
    config = IfThen(game="hexapawn", population=5, rematch=3)
    assert config.largest_generation(higher) == 18 + IfThen(game="hexapawn", population=5).largest_generation(higher)


# --- the learner ---


def generations(count, **options):
    game = make_game(options.pop("game", "hexapawn"))
    config = IfThen(game=game.spec, **options)
    arrays = config.start(game)
    for number in range(count):
        config.generation(game, arrays, number, sequential)
    return arrays


def test_founders_are_random_below_their_limit():
    randomness = generations(0, population=1000, games=20_000)["randomness"]
    assert 0.04 < randomness.max() < 0.05
    assert 0 <= randomness.min() < 0.01
    assert generations(0, population=1000, games=20_000, founder_limit=1.0)["randomness"].max() > 0.9


def test_the_window_of_the_win_rate():
    game = make_game("hexapawn")
    for window, least in (("lifetime", 1000), ("generation", 1)):
        config = IfThen(game="hexapawn", population=8, win_rate_window=window)
        arrays = config.start(game)
        arrays["games"][:] = 1000
        config.generation(game, arrays, 0, sequential)
        games = arrays["games"][arrays["order"][:4]]
        assert (games >= least).all()
        assert (games < least + 50).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"population": 3}, "population must be an integer of at least 4, not 3"),
        ({"population": 10**8}, "population must be an integer of at most 10000, not 100000000"),
        ({"games_per_comparison": 0}, "games_per_comparison must be an integer of at least 1, not 0"),
        ({"rematch": -1}, "rematch must be an integer of at least 0, not -1"),
        ({"founder_limit": 2}, "founder_limit must be a number from 0 to 1, not 2"),
        ({"inheritance": "best"}, "inheritance must be one of 'win-rate', 'evidence', not 'best'"),
        ({"record_on": "loss"}, "record_on must be one of 'win', 'win+draw', not 'loss'"),
        ({"capacity": -1}, "capacity must be an integer of at least 0, not -1"),
        ({"hall_of_fame": 0.5}, "hall_of_fame must be an integer of at least 0, not 0.5"),
        ({"novelty": 1.5}, "novelty must be a number from 0 to 1, not 1.5"),
        ({"windows": 1, "values": True}, "windows must be 0 or from 2 to 10, not 1"),
        ({"windows": 11, "values": True}, "windows must be 0 or from 2 to 10, not 11"),
        ({"windows": 3}, "windows=3 needs values=True"),
        ({"values": 1}, "values must be True or False, not 1"),
        ({"values": True, "record_on": "win+draw"}, "record_on must be 'win', not 'win+draw', with values"),
        ({"values": True, "overwrite_on_win": True}, "overwrite_on_win must be False, not True, with values"),
        ({"values": True, "forget_on_loss": True}, "forget_on_loss must be False, not True, with values"),
        (
            {"randomness_rate": 0, "rerandomise_limit": 0.5},
            "rerandomise_limit must be 1.0, not 0.5, with randomness_rate=0",
        ),
        (
            {"randomness_rate": 1, "randomness_inheritance": "text"},
            "randomness_inheritance must be 'code', not 'text', with randomness_rate=1",
        ),
        (
            {"randomness_inheritance": "none", "founder_limit": 0.5},
            "founder_limit must be 0.05, not 0.5, with randomness_inheritance='none'",
        ),
        ({"population": 1, "rematch": 2}, "rematch must be 0, not 2, with population=1, a single player"),
        ({"population": 1, "selection": "none"}, "selection must be 'merit', not 'none', with population=1"),
        (
            {"breeding": "none", "novelty": 0.5},
            "novelty must be 0.0, not 0.5, with breeding=none, where nobody is replaced",
        ),
        (
            {"population": 6, "novelty": 0.2},
            "novelty=0.2 is none of the 2 places behind the champion in a population of 6; give at least 0.25, or 0",
        ),
        ({"values": True, "game": "backgammon"}, "backgammon has chance, where values cannot be backed up"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=re.escape(f"ifthen: {message}")):
        IfThen.from_options({"game": "hexapawn"} | options)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.pop("keys"),
        lambda arrays: arrays.update(keys=arrays["keys"][:, :-1]),
        lambda arrays: arrays.update(values=arrays["values"].astype(np.float32)),
        lambda arrays: arrays.update(order=arrays["order"] * 0),
        lambda arrays: arrays["moves"].fill(27),
        lambda arrays: arrays["keys"].fill(1),  # no empty slot: a search would not end
        lambda arrays: arrays["entries"].fill(0),
    ],
)
def test_other_arrays_than_expected(tmp_path, change):
    train(IfThen(game="hexapawn", games=100, population=8, test_games=2), tmp_path)
    (file,) = tmp_path.glob("arrays-*.npz")
    with np.load(file) as stored:
        arrays = dict(stored)
    change(arrays)
    np.savez(file, **arrays)
    with pytest.raises(ValueError, match="the trained model is damaged: its arrays are not those of ifthen"):
        Run.load(tmp_path, IfThen)


@pytest.mark.parametrize(
    ("preset", "spec", "games", "needed"),
    [("seed", "hexapawn", 10_000, 4), ("modern", "hexapawn", 1_000, 5), ("modern", "tictactoe", 25_000, 1)],
)
def test_what_the_presets_reach(preset, spec, games, needed):
    optimal = 0
    for seed in range(1 if spec == "tictactoe" else 5):
        game = make_game(spec)
        config = IfThen.from_preset(preset, {"game": spec, "games": games, "seed": seed})
        arrays, played, number = config.start(game), 0, 0
        while played + config.largest_generation(game) <= games:
            told = config.generation(game, arrays, number, sequential)
            played, number = played + told["games"], number + 1
        optimal += measure(game, config.policy(game, arrays)).nash_conv == 0
    assert optimal >= needed


@pytest.mark.parametrize("spec", ["othello?size=4", "backgammon?variant=hypergammon"])
def test_games_with_passes_and_with_chance(spec):
    arrays = generations(3, game=spec, population=4, games=100)
    assert arrays["entries"].sum() > 50


def test_a_plugin_game(connect_four, play):
    from ludarium.agents.baselines.random import random

    for preset in IfThen.presets:
        config = IfThen.from_preset(preset, {"game": connect_four.spec, "population": 4})
        arrays = config.start(connect_four)
        for number in range(3):
            config.generation(connect_four, arrays, number, sequential)
        assert (arrays["entries"] > 10).all()
        assert len(play(connect_four, config.policy(connect_four, arrays), random(connect_four), 10)) == 20
