"""Files of decisions: what is written is read back, and what cannot be is one clear error."""

import re
from dataclasses import replace

import numpy as np
import pytest

from ludarium.envs.backgammon.decision_files import SHIPPED, load, save, shipped
from ludarium.envs.backgammon.decisions import Decisions, legal_results

_FIELDS = ("positions", "dice", "results", "offsets", "chosen", "played", "outcomes", "matches", "held_out", "variant")


@pytest.fixture(scope="module")
def some():
    decisions = shipped()
    return decisions.select(np.arange(len(decisions)) < 50)


def test_a_file_is_read_back(some, tmp_path):
    for compact in (False, True):
        path = tmp_path / f"{compact}.npz"
        save(some, path, compact)
        read = load(path)
        for name in _FIELDS:
            assert np.array_equal(getattr(read, name), getattr(some, name))
        assert [file.name for file in tmp_path.glob("*.part")] == []
    assert (tmp_path / "True.npz").stat().st_size < 0.5 * (tmp_path / "False.npz").stat().st_size


def with_odds(some):
    """Some of them are 0; and the outcomes are the largest there are."""
    odds = np.random.default_rng(1).random((len(some.results), 6))
    odds[::2, 5] = 0
    outcomes = np.resize(np.array([3, -3], dtype=np.int8), len(some))
    return replace(some, odds=(odds / odds.sum(axis=1, keepdims=True)).astype(np.float16), outcomes=outcomes)


@pytest.mark.parametrize("compact", [False, True])
def test_the_odds_of_results_are_kept(some, tmp_path, compact):
    judged, path = with_odds(some), tmp_path / "judged.npz"
    save(judged, path, compact)
    assert (load(path).odds == judged.odds).all()
    wanted = np.arange(len(some)) == 3
    assert (load(path).select(wanted).odds == judged.odds[slice(*some.offsets[3:5])]).all()
    assert some.odds is None


def test_the_shipped_file_is_small():
    assert SHIPPED.stat().st_size < 2_500_000
    note = SHIPPED.with_suffix(".md").read_text(encoding="utf-8")
    assert "msagradian/bg-mining" in note
    assert "MIT License" in note


def change(name, row, value):
    def changed(arrays):
        arrays[name] = arrays[name].copy()
        arrays[name][row] = value

    return changed


def set_to(name, value):
    return lambda arrays: arrays.update({name: value})


def without(*names):
    return lambda arrays: [arrays.pop(name) for name in names]


_DAMAGE = [
    (set_to("schema", np.int64(2)), "the schema must be 1, not 2"),
    (without("schema"), "the schema must be 1, not none"),
    (set_to("variant", np.str_("chess")), "the variant must be one of standard, nackgammon"),
    (without("dice"), "the array 'dice' is missing"),
    (without("offsets"), "the array 'offsets' is missing"),
    (lambda a: a.update(dice=a["dice"].astype(float)), "dice must be int8 of shape (n, 2), not float64"),
    (lambda a: a.update(dice=a["dice"][:, :1]), "dice must be int8 of shape (n, 2), not int8 of"),
    *(
        (lambda a, name=name: a.update({name: a[name][1:]}), f"50 positions, but 49 {name}")
        for name in ("dice", "played", "outcomes", "matches", "held_out")
    ),
    (change("dice", 3, [1, 7]), "decision 3: dice are from 1 to 6, the smaller first, not [1, 7]"),
    (change("dice", 3, [0, 1]), "decision 3: dice are from 1 to 6"),
    (change("dice", 3, [2, 1]), "decision 3: dice are from 1 to 6, the smaller first"),
    (lambda a: change("positions", (2, 0), a["positions"][2, 0] + 1)(a), "decision 2: the position ["),
    (change("positions", (2, slice(25, 27)), [-1, -1]), "decision 2: the position ["),
    (change("outcomes", 1, 4), "decision 1: an outcome is from -3 to 3 and a match at least 0"),
    (change("outcomes", 1, -4), "decision 1: an outcome is from -3 to 3 and a match at least 0"),
    (change("matches", 1, -1), "decision 1: an outcome is from -3 to 3 and a match at least 0"),
    (change("offsets", -1, 7), "the offsets do not fit 50 decisions with"),
    (change("offsets", 0, 1), "the offsets do not fit 50 decisions with"),
    (lambda a: a.update(offsets=np.append(a["offsets"], a["offsets"][-1])), "the offsets do not fit 50 decisions with"),
    (lambda a: change("offsets", 2, a["offsets"][1])(a), "decision 1: there is no result"),
    (change("results", (5, 0), 9), "] is not a position with 15 checkers a side"),
    (lambda a: a.update(chosen=a["chosen"][1:]), "are marked as chosen or not"),
    (lambda a: a["chosen"].fill(False), "decision 0: the result that was played"),
    (change("played", 4, 2000), "decision 4: the result that was played, number 2000, is not a chosen one"),
    (change("played", 4, -1), "decision 4: the result that was played, number -1, is not a chosen one"),
    (
        lambda a: (a["chosen"].fill(True), change("played", 4, np.diff(a["offsets"])[4])(a)),
        "decision 4: the result that was played, number ",
    ),
    (lambda a: a.update(odds=a["odds"].astype(float)), "odds must be float16 of shape (n, 6), not float64 of"),
    (lambda a: a.update(odds=a["odds"][1:]), "results, but the odds of"),
    (change("odds", (4, 0), -0.1), "result 4: the odds [-0.09"),
    (change("odds", (4, 0), np.nan), "] are not probabilities that add up to 1"),
    (change("odds", (4, 0), 1.5), "] are not probabilities that add up to 1"),
    (change("odds", 4, [0.5, 0.48, 0, 0, 0, 0]), "] are not probabilities that add up to 1"),
    (change("odds", 4, [0.5, 0.52, 0, 0, 0, 0]), "] are not probabilities that add up to 1"),
]


@pytest.mark.parametrize(
    ("compact", "damage", "message"),
    [
        *((False, *damaged) for damaged in _DAMAGE),
        # in a compact file, the results follow from positions and dice
        (True, lambda a: a.update(chosen=a["chosen"][1:]), "are marked as chosen or not"),
    ],
)
def test_damage(some, tmp_path, compact, damage, message):
    path = tmp_path / "set.npz"
    save(with_odds(some), path, compact)
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    damage(arrays)
    np.savez(path, **arrays)
    start = f"{path}: this is not a whole set of decisions; make it again with 'ludarium data backgammon': "
    with pytest.raises(ValueError, match="^" + re.escape(start)) as raised:
        load(path)
    assert message in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 torn"])
def test_files_of_something_else(tmp_path, content):
    path = tmp_path / "set.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"this is not a whole set of decisions; .*: it is not an \.npz file$"):
        load(path)


def test_another_variant(some, tmp_path):
    path = tmp_path / "set.npz"
    save(replace(some, variant="nackgammon"), path)
    assert load(path, "nackgammon").variant == "nackgammon"
    with pytest.raises(ValueError, match=r"these are decisions of nackgammon, not of standard; give a file of st"):
        load(path)
    save(replace(some, variant="hypergammon"), path)
    with pytest.raises(ValueError, match="is not one with 3 checkers a side"):
        load(path, "hypergammon")


def test_a_small_file_with_more_results_than_a_large_one_may_have(some):
    with pytest.raises(ValueError, match=r"^50 decisions have more than 99 results; make smaller sets$"):
        legal_results(some.positions, some.dice, most=99)
    assert legal_results.__defaults__ == (76_695_844,)  # those of 28 bytes that fill the largest file
    most = len(some.results)
    assert len(legal_results(some.positions, some.dice, most=most)[0]) == most
    with pytest.raises(ValueError, match="make smaller sets"):
        legal_results(some.positions, some.dice, most=most - 1)


def with_checkers(*, off, on_point, opponent_on_point, opponent_off, bar=0, opponent_bar=0):
    """One side on its 6-point, the other on its ace-point."""
    row = np.zeros(28, dtype=np.int8)
    row[[0, 6, 24, 25, 26, 27]] = off, on_point, -opponent_on_point, bar, opponent_bar, opponent_off
    return row


def the_last_turn():
    """One decision with one result: the last checker is borne off, while the other side has one left too."""
    positions = with_checkers(off=14, on_point=1, opponent_on_point=1, opponent_off=14)[None]
    dice, zero = np.array([[6, 6]], dtype=np.int8), np.zeros(1, dtype=np.int32)
    results, offsets = legal_results(positions, dice)
    chosen = np.ones(len(results), dtype=np.bool_)
    return Decisions(positions, dice, results, offsets, chosen, zero, zero.astype(np.int8), zero, zero > 0)


def test_a_turn_may_end_the_game_but_none_begins_after_its_end(tmp_path):
    path, last = tmp_path / "set.npz", the_last_turn()
    save(last, path)
    assert load(path).results.tolist() == [[15, *23 * [0], -1, 0, 0, 14]]
    for over in (
        with_checkers(off=15, on_point=0, opponent_on_point=1, opponent_off=14),
        with_checkers(off=14, on_point=1, opponent_on_point=0, opponent_off=15),
    ):
        save(replace(last, positions=over[None]), path)
        with pytest.raises(ValueError, match=re.escape(f"0: the position {over.tolist()} is not one with 15 checkers")):
            load(path)


@pytest.mark.parametrize(
    "fewer_than_none",
    [
        {"off": -1, "on_point": 16},
        {"bar": -1, "on_point": 16},
        {"opponent_off": -1, "opponent_on_point": 16},
        {"opponent_bar": -1, "opponent_on_point": 16},
    ],
)
def test_no_place_has_fewer_checkers_than_none(some, tmp_path, fewer_than_none):
    whole = {"off": 0, "on_point": 15, "opponent_on_point": 15, "opponent_off": 0}
    path, positions = tmp_path / "set.npz", some.positions.copy()
    positions[7] = with_checkers(**whole | fewer_than_none)
    save(replace(some, positions=positions), path)
    with pytest.raises(ValueError, match=r": decision 7: the position .* is not one with 15 checkers a side$"):
        load(path)


def test_a_choice_beyond_the_last_result_of_a_file_is_one_clear_error(tmp_path):
    path = tmp_path / "set.npz"
    save(replace(the_last_turn(), played=np.array([1], dtype=np.int32)), path)
    with pytest.raises(ValueError, match=r": decision 0: the result that was played, number 1, is not a chosen one$"):
        load(path)
