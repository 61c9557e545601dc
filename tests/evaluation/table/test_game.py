"""Games in play: moves, what is taken back, what the page is told, and many at once."""

import asyncio
import concurrent.futures
import json
import time

import pytest

from ludarium.agents import make_agent
from ludarium.agents.agent import FunctionAgent
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.sitting import Sitting
from ludarium.evaluation.table import game as game_module
from ludarium.evaluation.table.agents import Seating
from ludarium.evaluation.table.game import Session
from ludarium.evaluation.table.plan import Plan, Standing
from ludarium.evaluation.table.refusal import Refusal


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


def watched(*players):
    """What is kept of a game of Tic-Tac-Toe between two functions, and how it stands at its end."""
    seating, kept = Seating([], False, 60), []
    seating.make = lambda spec, game: FunctionAgent(spec, players[spec == "second"])

    async def keep(key, data):
        kept.append(json.loads(json.dumps(data)))

    async def watch():
        now = Standing.of(Plan.of("tictactoe", ("first", "second"), 1), {"delay": 0})
        session = Session("key", now, seating, 60, keep)
        async for _ in session.news():
            if session.now.over:
                break
        session.close()
        return session.now

    return kept, asyncio.run(watch())


def first_empty(observation, mask, info):
    return int(mask.argmax())


@pytest.fixture
def waiting(monkeypatch):
    """`waiting(do, game, seats, …)`: how a game stands after `do`, in which agents do not move."""
    monkeypatch.setattr(Session, "_take_up", lambda self: None)

    async def keep(key, data):
        pass

    async def run(do, game, seats, kept):
        session = Session("key", Standing.of(Plan.of(game, seats, 1), kept), Seating([], False, 60), 60, keep)
        await do(session)
        return session

    return lambda do, game, *seats, **kept: asyncio.run(run(do, game, seats, kept))


async def resign(session):
    await session.resign("", 1)


async def resign_after_leaving(session):
    session.close()
    await session.resign("", 1)


async def take_back(session):
    await session.rewind(0, 1)


def test_who_resigns_while_another_is_to_move_loses(waiting):
    now = waiting(resign, "hexapawn", "random", "me").now
    assert (now.ending, now.loser, now.moves) == ("black (you) resigned; you lose", 1, ())


@pytest.mark.parametrize(
    ("do", "game", "seats", "status", "sentence"),
    [
        (resign, "hexapawn", ("random", "random"), 409, "nobody here can resign"),
        (resign, "hanabi", ("me", "random"), 409, "nobody here can resign"),
        (resign, "backgammon", ("me", "random"), 409, "the game has not begun; there is nothing to resign"),
        (resign_after_leaving, "hexapawn", ("me", "random"), 404, "there is no such game at this table"),
        (take_back, "hexapawn", ("me", "random"), 409, "there are 0 moves; none after move 0 can be taken back"),
    ],
)
def test_what_cannot_be_done_says_why(waiting, do, game, seats, status, sentence):
    with pytest.raises(Refusal) as refused:
        waiting(do, game, *seats)
    assert (refused.value.status, f"{refused.value}") == (status, sentence)


def test_a_resignation_before_the_first_move_is_taken_back(waiting):
    now = waiting(take_back, "hexapawn", "me", "random", ending="white (you) resigned; you lose", loser=0).now
    assert (now.ending, now.loser, now.taken_back, now.version) == ("", None, 1, 2)


@pytest.mark.parametrize(
    ("error", "failure"),
    [(TimeoutError(), "the agents took too long to prepare"), (Refusal("no such agent"), "no such agent")],
)
def test_a_game_whose_agents_cannot_be_made_says_so(waiting, monkeypatch, error, failure):
    async def fails(*arguments, limit):
        raise error

    monkeypatch.setattr(game_module, "apart", fails)
    session = waiting(lambda session: session._drive(None), "hexapawn", "me", "random")
    assert session.failure == json.loads(session.shown())["failure"] == failure
    assert not session.now.over


def test_a_game_that_breaks_says_so(waiting):
    async def breaks():
        raise KeyError("rules")

    session = waiting(lambda session: session._watched(breaks()), "hexapawn", "me", "random")
    assert session.failure == "the game broke: KeyError('rules')"


def test_every_move_of_an_agent_is_kept():
    kept, now = watched(first_empty, first_empty)
    assert [(len(data["moves"]), data["version"]) for data in kept] == [(n, n + 1) for n in range(1, 8)]
    assert kept[-1] == json.loads(json.dumps(now.data()))
    assert (now.ending, now.loser) == ("x wins", None)


def test_who_forfeits_is_kept():
    kept, now = watched(first_empty, lambda observation, mask, info: 9)
    assert [(len(data["moves"]), data["loser"]) for data in kept] == [(1, None), (1, 1)]
    forfeit = "o (second) forfeits: tictactoe: action 9 does not exist; actions are 0 to 8"
    assert kept[-1]["ending"] == now.ending == forfeit


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
