"""Fixtures for all tests."""

from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Recorded games and test vectors that are not part of the repository; tests without them are skipped."""
    if not _SHARED.is_dir():
        pytest.skip("the folder of recorded games is not beside this checkout")
    return _SHARED
