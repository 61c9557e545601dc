"""`ludarium table`: what it says when the table is open, and what it asks of the server."""

from pathlib import Path

import pytest

ADDRESS = "http://127.0.0.1:8642/#secret"


@pytest.fixture
def asked(monkeypatch):
    """What the command asks of the server, which only says that it is ready."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from ludarium.evaluation.table import serving

    asked = []

    def serve(port, ready, *others, **options):
        ready(ADDRESS)
        asked.append((port, *others, options))

    monkeypatch.setattr(serving, "serve", serve)
    return asked


def test_an_open_table_says_where_it_is_and_that_the_address_is_a_secret(output, asked, tmp_path):
    assert output("table", "--no-browser", "--games", tmp_path / "mine.db") == (
        f"The table is open: {ADDRESS}\nThe address is yours alone: it holds a secret. Ctrl-C closes the table.\n"
    )
    options = {"allow_programs": False, "store": None, "game": None, "move": None, "people": None}
    assert asked == [(8642, tmp_path / "mine.db", Path("runs"), 60, options)]


def test_the_server_gets_what_the_command_is_given(output, asked, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    words = "nine.db --game 0:0:1:2:0 --move 3 --port 0 --runs mine --move-time 5 --allow-programs"
    output("table", "--no-browser", *words.split(), "--store", tmp_path / "kept.db")
    ((port, games, runs, move_time, options),) = asked
    people = options.pop("people")
    assert (port, games, runs, move_time) == (0, tmp_path / "ludarium" / "table.db", Path("mine"), 5)
    assert options == {"allow_programs": True, "store": Path("nine.db"), "game": "0:0:1:2:0", "move": 3}
    assert people.name == "kept.db"
