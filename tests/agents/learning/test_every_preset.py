"""What holds for every preset of every learner: neither workers nor a kill change a run, and twins end elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.learning.registry import learner_presets
from ludarium.agents.learning.run import train

FEW = Path(__file__).resolve().parents[1] / "genetic" / "gengammon" / "data" / "few.npz"
GAIA = {"game": "tictactoe", "population": 8, "rules": 20}
NETWORK = {"game": "backgammon", "inputs": "exact", "batch": 50, "generations": 4, "hidden": 4}
EXPERTS = {**NETWORK, "decisions": str(FEW), "validation": 0.2}
LCS = {"game": "hanabi?score=points-kept", "games": 1500}
LISTS = {**LCS, "decks": 20, "population": 6, "season": 3, "rules": 25, "founders": 12}
PATTERNS = {"game": "othello?size=4", "approximator": "patterns", "patterns": "all-2", "phases": 3, "td_lambda": 0.0}
RUNS = {
    "tabular-q": [{"game": "tictactoe", "games": 2000, "checkpoints": 16}],
    "td": [
        {"game": "tictactoe", "games": 1000, "checkpoints": 8},
        {"game": "backgammon?variant=hypergammon", "games": 60, "checkpoints": 5},
        {**PATTERNS, "games": 210, "checkpoints": 7},
    ],
    "ifthen seed": [{"game": "tictactoe", "games": 400, "population": 21}],
    "ifthen modern": [{"game": "tictactoe", "games": 800, "population": 21}],
    "ifthen single": [{"game": "hexapawn", "games": 300}],
    "gaia seed": [{**GAIA, "games": 200, "communicate": True}],
    "gaia modern": [{**GAIA, "games": 1000, "games_per_pair": 10, "memory": 64}],  # so small that a map judges, too
    "gaia alone": [{**GAIA, "games": 8000, "tests": 40}],
    "minimax seed": [{"game": "othello?size=4", "depth": 2, "generations": 3}],
    "minimax modern": [
        {"game": "othello?size=4", "depth": 2, "population": 6, "rivals": 3, "hall_of_fame": 4, "games": 200}
    ],
    "minimax tuples": [{"game": "othello?size=4", "population": 4, "lessons": 40, "games": 640}],
    "gengammon seed": [{"game": "backgammon", "decisions": str(FEW), "population": 8, "batch": 50, "generations": 4}],
    "gengammon modern": [EXPERTS],
    "gengammon judged": [{**NETWORK, "validation": 0.2}],
    "gengammon backprop": [EXPERTS],
    "gengammon games": [{**NETWORK, "population": 8, "batch": 4, "generations": 11}],
    "lcs seed": [{**LCS, "rules": 30, "games": 60}],
    "lcs modern": [LISTS, {**LISTS, "islands": 2, "decks": 30, "games": 2500}],
    "lcs thresholds": [{**LCS, "decks": 20}],
}
ENDS = {
    "tabular-q": [(14_776, 195_859.0, 338.6466)],
    "td": [(7_484, 1_515.85, 156.269), (1_223, 395.2047, 67.31112), (2_537, 9.170075, 118.5883)],
    "ifthen seed": [(2_615, 157_469.6, 119.2016)],
    "ifthen modern": [None],
    "ifthen single": [(1_259, 6_386.447, 61.11007)],
    "gaia seed": [(1_514, 2_392.221, 191.6863)],
    "gaia modern": [None],
    "gaia alone": [(48_426, 3_805.126, 1_242.808)],
    "minimax seed": [(3_302, 648.084, 167.9425)],
    "minimax modern": [(2_268, 260.1836, 77.00433)],
    "minimax tuples": [(7_055, 278.7953, 357.2613)],
    "gengammon seed": [(200, 101_553.4, 32.06288)],
    "gengammon modern": [(200, 133.9127, 36.90569)],
    "gengammon judged": [(200, 155.3109, 34.24814)],
    "gengammon backprop": [(200, 133.2557, 36.89167)],
    "gengammon games": [(8_181, 1_329.682, 163.5301)],
    "lcs seed": [(3_979, 2_475.845, 102.7345)],
    "lcs modern": [(32_692, 2_449.763, 287.8594), (74_079, 4_075.686, 358.6159)],
    "lcs thresholds": [(94_226, 417.0299, 152.7326)],
}
"""Where these runs end, see `where_it_ends`: the same seed, the same result, as long as a learner stays as it is.

None: equal merits there differ in the last bit of a logarithm, which not all machines round alike.
"""
APART = ("ifthen modern", "gaia modern", "minimax tuples", "gengammon games")  # one preset of each learner


def check_same(folder, whole):
    """Check that two runs have written the same; what lies between the fields of records means nothing."""
    files = [sorted(file.relative_to(path) for file in path.rglob("*.npz")) for path in (folder, whole)]
    assert files[0] == files[1]
    for file in files[0]:
        one, other = np.load(folder / file), np.load(whole / file)
        assert one.keys() == other.keys()
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name])
    for name in ("checkpoint.json", "metrics.jsonl"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


@pytest.fixture
def learner_of(odds_file):
    def learner_of(name, options):
        kind, _, preset = name.partition(" ")
        given = {"decisions": odds_file} if preset == "judged" else {}
        return learner_presets(kind).learner({"checkpoints": 1, "test_games": 2, "seed": 3, **options, **given}, preset)

    return learner_of


def where_it_ends(folder):
    """Of a run, the number of decisions, and sums over all that it knows and over its metrics, whatever their size."""
    run = json.loads((folder / "checkpoint.json").read_text())
    told = [json.loads(line).values() for line in (folder / "metrics.jsonl").read_text().splitlines()]
    with np.load(folder / run["arrays"]) as arrays:
        known = [array[name] for array in arrays.values() for name in array.dtype.names or [()]]
    return run["decisions"], total(known), total([list(values) for values in told])


def total(parts):
    """The sum of the logarithms of many numbers, in which small ones count, too."""
    numbers = np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts])
    return float(np.log1p(np.abs(numbers[np.isfinite(numbers)])).sum())


@pytest.mark.parametrize(
    ("name", "options", "end"), [(name, *run) for name in RUNS for run in zip(RUNS[name], ENDS[name], strict=True)]
)
def test_the_seed_alone_decides_where_a_run_ends(name, options, end, tmp_path, killed, learner_of):
    learner, whole = learner_of(name, options), tmp_path / "whole"
    train(learner, whole, workers=1)
    decisions, *sums = where_it_ends(whole)
    assert end is None or (decisions, sums) == (end[0], pytest.approx(end[1:], rel=1e-4))
    check_same(train(learner, tmp_path / "threads", workers=3), whole)
    if name.startswith(APART):
        check_same(train(learner, tmp_path / "processes", executor="processes", workers=2), whole)
    killed(learner, tmp_path / "killed", 2)
    check_same(train(learner, tmp_path / "killed"), whole)


@pytest.mark.parametrize("twin", [{"selection": "none"}, {"breeding": "founders"}, {"breeding": "none"}], ids=str)
@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith(("minimax", "gengammon seed", "lcs"))])
def test_twins_play_as_many_games_and_end_elsewhere(name, twin, one_worker, learner_of):
    ends = []
    for options in ({}, twin):
        learner, games = learner_of(name, RUNS[name][-1] | options), []
        arrays = learner.start(learner.learned)
        for number in range(3):
            games.append(learner.generation(learner.learned, arrays, number, one_worker)["games"])
            assert games[-1] <= learner.largest_generation(learner.learned)
        assert learner.fits(learner.learned, arrays)
        ends.append((games, {key: array.tobytes() for key, array in arrays.items()}))
    assert ends[0][0] == ends[1][0] or name == "lcs modern"  # where it depends on the lists
    assert ends[0][1] != ends[1][1]
