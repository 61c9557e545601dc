import importlib.util
from pathlib import Path

import pytest


def fuzz_module():
    source = Path(__file__).with_name("fuzz_readers.py")
    spec = importlib.util.spec_from_file_location("fuzz_readers", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_damaged_files_are_read_or_refused():
    module = fuzz_module()
    assert {sample.parent.parent.name for sample in module.SAMPLES} == {"othello", "backgammon", "hanabi"}
    outcomes = module.fuzz(400)
    assert outcomes.total() == 400
    assert outcomes["refused"]
    assert outcomes["read"]


_MATCH = b" 5 point match\n Game 1\n"


@pytest.mark.parametrize("game", [None, "backgammon", "othello", "hanabi"])
@pytest.mark.parametrize("start", [b"", _MATCH, b"(;", b"f5#"])
@pytest.mark.parametrize(
    "filler", [b"\n", b" ", b"\t\r", b"(", b"1", b":", b": 1 ", b"(;A", b"#\n", b"1)", b"Doubles "]
)
def test_long_dull_files_are_refused_soon(tmp_path, start, filler, game):
    path = tmp_path / "dull.txt"
    path.write_bytes(start + filler * 65_000 + b"x")
    fuzz_module().read_in_time(path, game)
