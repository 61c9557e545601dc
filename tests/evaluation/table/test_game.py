"""Games in play: moves, what is taken back, what the page is told, and many at once."""

import concurrent.futures
import time

import pytest

from ludarium.agents import make_agent
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.sitting import Sitting


@pytest.mark.parametrize(
    ("game", "against"),
    [("hexapawn", "perfect"), ("tictactoe?rows=3&columns=4", "greedy"), ("othello?size=4", "mcts?simulations=20")],
)
def test_a_whole_game_is_that_of_the_sitting(table, game, against):
    """By first moves, the same replies come as in the terminal."""
    state = table.first_moves(table.open(game, "me", against, seed=5))
    made = make_game(game)
    sitting = Sitting(made, 0, [make_agent(against, made)], 5)
    while not sitting.over:
        if sitting.episode.turn == 0:
            sitting.play(sitting.episode.position.legal_actions()[0])
        else:
            sitting.reply()
    assert [(move["seat"], move["text"]) for move in state["history"]] == [(t.seat, t.text) for t in sitting.turns]
    assert state["result"] == sitting.result()
    assert state["view"]["text"] == sitting.view()


def test_the_view_has_what_a_board_needs(table):
    key = table.open("hexapawn", "me", "random", seed=1)
    view = table.state(key)["view"]
    assert view["svg"].startswith("<svg")
    assert (view["ply"], view["turn"], view["last"], view["chance"]) == (0, 0, [], None)
    assert {move["text"]: [view["places"][place] for place in move["path"]] for move in view["moves"]} == {
        "a1a2": [[26, 130, 60, 60], [26, 70, 60, 60]],
        "b1b2": [[86, 130, 60, 60], [86, 70, 60, 60]],
        "c1c2": [[146, 130, 60, 60], [146, 70, 60, 60]],
    }
    state = table.play(key, "a1a2")
    assert len(state["view"]["last"]) == 2


def test_positions_of_the_past_and_of_moves_not_yet_made(table):
    key = table.open("othello?size=4", "me", "random", seed=1)
    first = table.state(key)["view"]
    action = first["moves"][0]["action"]
    after = table.get(f"tables/{key}/plies/0/after/{action}")
    assert after["svg"] != first["svg"]
    table.play(key, first["moves"][0]["text"])
    assert table.get(f"tables/{key}/plies/0") == first
    assert table.get(f"tables/{key}/plies/1")["svg"] == after["svg"]
    told = 404, {"error": "the game has 2 moves, there is no position after 3"}
    assert table.call("GET", f"tables/{key}/plies/3") == told
    assert table.call("GET", f"tables/{key}/plies/0/after/{action + 1}")[0] == 409


@pytest.mark.parametrize("against", ["random", "hanabi-rules"])
def test_taking_back_meets_the_same_replies(table, against):
    game = "hanabi" if against == "hanabi-rules" else "hexapawn?rows=5&columns=5"
    key = table.open(game, "me", against, seed=3)
    states = [table.my_turn(key)]
    for _ in range(3):
        states.append(table.play(key, states[-1]["view"]["moves"][0]["text"]))
    table.change(key, "rewind", ply=2)
    again = table.my_turn(key)
    assert again["history"] == states[1]["history"]
    assert again["taken_back"] == 1
    for expected in states[2:]:
        again = table.play(key, again["view"]["moves"][0]["text"])
        assert again["history"] == expected["history"]


def test_agents_play_each_other_while_one_watches_steps_and_pauses(table):
    key = table.open("tictactoe", "perfect", "random", seed=1)
    assert table.state(key)["people"] == []
    table.post(f"tables/{key}/pace", paused=True)
    count = len(table.state(key)["history"])
    table.post(f"tables/{key}/pace", step=True)
    table.wait(key, lambda state: len(state["history"]) == count + 1)
    time.sleep(0.2)
    assert len(table.state(key)["history"]) == count + 1  # one step is one move
    table.post(f"tables/{key}/pace", paused=False, delay=1)  # a millisecond
    assert table.wait(key, lambda state: state["over"])["result"]


def test_resigning_can_be_taken_back(table):
    key = table.open("hexapawn", "me", "random", seed=1)
    table.change(key, "resign")
    state = table.state(key)
    assert (state["over"], state["result"]) == (True, "white (you) resigned; you lose")
    told = table.refused(f"tables/{key}/resign", version=state["version"])
    assert told == (409, "the game is over; there is nothing to resign")
    again = table.state(table.post("records", **table.get(f"tables/{key}/record/ludarium"))["key"])
    assert (again["over"], again["result"]) == (True, state["result"])
    table.change(key, "rewind", ply=0)
    assert not table.my_turn(key)["over"]


def test_the_next_game_with_exchanged_seats(table):
    key = table.open("hexapawn", "me", "random", position="p.p/.p./P.P w")
    another = table.post(f"tables/{key}/again", swap=True)["key"]
    state = table.my_turn(another)
    assert [seat["who"] for seat in state["seats"]] == ["random", "me"]
    assert state["start"] == "p.p/.p./P.P w"


def test_a_game_of_ones_own_can_be_played_by_touch(table, connect_four_class):
    """Its class declares which parts of its picture stand for moves, and that is all that the board needs."""
    key = table.open("connect_four", "me", "random", seed=1)
    state = table.my_turn(key)
    assert all(len(move["path"]) == 1 for move in state["view"]["moves"])
    assert len(state["view"]["places"]) == 7
    assert len(table.play(key, state["view"]["moves"][3]["text"])["history"]) == 2
    assert "connect_four" in {game["name"] for game in table.get("lobby")["games"]}


def test_a_forced_pass_is_the_only_move_and_has_no_place(table):
    key = table.open("othello?size=4", "me", "me", position="XO-------------- O")
    state = table.my_turn(key)
    (only,) = state["view"]["moves"]
    assert (only["text"], only["path"]) == ("pass", [])
    assert table.play(key, "pass")["turn"] == 0


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


def test_many_games_at_once(table):
    """Random agents play 12 games while pages look at them; the benchmark measures more."""

    def whole(seed):
        return table.first_moves(table.open("tictactoe", "me", "random", seed=seed))["result"]

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        assert all(pool.map(whole, range(12)))
