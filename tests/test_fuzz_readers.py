import importlib.util
from pathlib import Path


def test_damaged_files_are_read_or_refused():
    source = Path(__file__).with_name("fuzz_readers.py")
    spec = importlib.util.spec_from_file_location("fuzz_readers", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert {sample.parent.parent.name for sample in module.SAMPLES} == {"othello", "backgammon", "hanabi"}
    outcomes = module.fuzz(400)
    assert outcomes.total() == 400
    assert outcomes["refused"]
    assert outcomes["read"]
