import importlib.util
from pathlib import Path

import pytest


def test_damaged_requests_get_sentences_and_no_game_is_lost():
    for module in ("starlette", "uvicorn"):
        pytest.importorskip(module, reason="the table needs the extra 'web'")
    source = Path(__file__).with_name("fuzz_requests.py")
    spec = importlib.util.spec_from_file_location("fuzz_requests", source)
    fuzz_requests = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fuzz_requests)
    statuses = fuzz_requests.fuzz(2000)
    assert statuses.total() == 2000
    assert {200, 201, 400, 401, 403, 404, 409, 413} <= set(statuses)
