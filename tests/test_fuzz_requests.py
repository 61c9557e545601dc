from pathlib import Path

import pytest

from ludarium.envs.source_file import load_source


def test_damaged_requests_get_sentences_and_no_game_is_lost():
    for module in ("starlette", "uvicorn"):
        pytest.importorskip(module, reason="the table needs the extra 'web'")
    statuses = load_source(str(Path(__file__).with_name("fuzz_requests.py")), "fuzz_requests").fuzz(500)
    assert statuses.total() == 500
    assert {200, 201, 400, 401, 403, 404, 409, 413} <= set(statuses)
