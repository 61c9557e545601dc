"""Networks that the original Gengammon saved: as Java writes them, and what they make of positions."""

import importlib
import struct
from pathlib import Path

import numpy as np
import pytest

from ludarium.envs.backgammon import Backgammon
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match


@pytest.fixture
def saved(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / "benchmarks")
    return importlib.import_module("gengammon_saved")


@pytest.fixture
def networks():
    return np.random.default_rng(5).integers(-(2**31), 2**31, (2, 26, 52)).astype(np.int32)


@pytest.fixture
def file(tmp_path, networks):
    """Java writes out the class of an array once; later ones refer to it by its number."""
    whole, row = (b"ur" + struct.pack(">H", len(name)) + name + b"\x17" * 8 + b"\2\0\0xp" for name in (b"[[I", b"[I"))
    parts = [b"\xac\xed\0\5sr\0 algorithm.genetic.BackgammonGene", whole]
    for number, network in enumerate(networks):
        parts += [b"sq\0~\0\0?\xd0\0\0uq\0~\0\7"] if number else []
        parts.append(struct.pack(">i", 26))
        for unit, weights in enumerate(network):
            parts += [b"uq\0~\0\x09" if number or unit else row, struct.pack(">i", 52), weights.astype(">i4").tobytes()]
    path = tmp_path / "AI.txt"
    path.write_bytes(b"".join(parts))
    return path


def test_all_networks_of_a_file_are_read(saved, file, networks):
    assert (np.array(saved.read(file)) == networks).all()


def test_a_file_that_is_cut_or_another_one_is_refused(saved, file):
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(ValueError, match=r"AI.txt: there is no network of 52 inputs and 26 units"):
        saved.read(file)


def by_units(network, inputs):
    """The sum over units of products of 32 bits."""
    total = 0
    for unit, weights in enumerate(network.tolist()):
        if unit < 18:
            seen = [*inputs[unit : unit + 8], *inputs[26 + unit : 34 + unit]]
        else:
            seen = inputs
        total += sum((a * b + 2**31) % 2**32 - 2**31 for a, b in zip(weights, seen, strict=False))
    return total


@pytest.mark.parametrize("seat", [0, 1])
def test_the_score_is_that_of_units_whose_products_overflow(saved, networks, seat):
    position = Backgammon().from_text("XGID=aBCB------------b-bbc---bA:0:0:1:00:0:0:0:0:6")
    checkers = position.record.checkers.tolist()
    own, other = checkers[seat], checkers[1 - seat]
    inputs = [0] * 52
    for point in range(1, 25):  # as one side counts
        inputs[point] = own[point if seat == 0 else 25 - point]
        inputs[26 + point] = other[25 - point if seat == 0 else point]
    if seat == 0:
        inputs[25], inputs[26] = own[0], other[25]
    else:
        inputs[0], inputs[51] = own[0], other[0]
    adds = saved.numbers(networks[0])
    assert saved.score(position.record, seat, adds) == by_units(networks[0], inputs)


def test_it_plays(saved, networks):
    game = make_game("backgammon")
    points = play_match(game, [saved.saved(game, network) for network in networks], 2, 1).payoffs
    assert (np.abs(points) >= 1).all()
