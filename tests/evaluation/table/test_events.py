"""What the table tells while a game goes on, to every page that looks at it; and how it bears many games at once."""

import concurrent.futures
import time


def test_two_pages_hear_of_every_move(table):
    key = table.open("hexapawn", "me", "random", seed=1)
    with table.listening(key) as first, table.listening(key) as second:
        begun = next(first)
        assert next(second) == begun == table.state(key)
        table.play(key, "a1a2")
        for page in (first, second):
            heard = next(page)
            while len(heard["history"]) < 2:
                heard = next(page)
            assert heard["version"] > begun["version"]
        table.change(key, "rewind", ply=0)
        assert next(first)["history"] == []


def test_a_game_that_nobody_looks_at_is_left_and_can_be_taken_up_again(serving, monkeypatch):
    from ludarium.evaluation.table import tables

    monkeypatch.setattr(tables, "LEFT", 0.05)
    with serving() as client:
        key = client.open("hexapawn?rows=5&columns=5", "me", "random", seed=1)
        with client.listening(key) as page:
            next(page)
            time.sleep(0.3)
            before = client.play(key, next(iter(client.state(key)["view"]["moves"]))["text"])
        while key in client.tables._live:
            time.sleep(0.02)
        assert client.my_turn(key) == before


def test_many_games_at_once(table):
    """Random agents play 12 games while pages look at them; the benchmark measures more."""

    def whole(seed):
        key = table.open("tictactoe", "me", "random", seed=seed)
        while not (state := table.my_turn(key))["over"]:
            table.play(key, state["view"]["moves"][0]["text"])
        return state["result"]

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        assert all(pool.map(whole, range(12)))
