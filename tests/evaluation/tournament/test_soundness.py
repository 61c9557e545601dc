"""Stored games that are wrong are named and left out; files that are damaged are refused, by every command alike."""

import contextlib
import json
import sqlite3

import numpy as np
import pytest

from ludarium.envs.batch import ADJUDICATED, FINISHED, TRUNCATED
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.tournament import soundness
from ludarium.evaluation.tournament.event import PEOPLE, GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.soundness import _ended_wrong, _Event, _is_sound, wrong_games
from ludarium.evaluation.tournament.store import GameRow, Store

LATE = "--------------OX----OO----XO-------- O"
RACE = "XGID=-ABB-----------------bb-b-:0:0:1:00:0:0:0:0:10"
EVENT = Tournament(
    ("random", "greedy", "illegal.py"),
    (
        GameEntry("tictactoe", 3, opening=1),
        GameEntry("hexapawn", 2, openings=("a1a2", "p.p/.p./PPP w"), agents=("random", "greedy")),
        GameEntry(
            "othello?size=6&scoring=discs", 2, openings=(LATE, "b3b2"), agents=("random", "greedy"), adjudicate="exact"
        ),
        GameEntry("backgammon?cube=True", 2, openings=(RACE,), agents=("random", "greedy")),
        GameEntry("hanabi?preset=very-small", 2, agents=("random", "greedy", "illegal.py"), crossplay=True),
    ),
    seed=11,
)
"""Every kind of game, games that were adjudicated, and forfeits at the first move, and at a later one."""
ILLEGAL = "def act(o, m, i): return int(m.argmax()) if o.sum() < 2 else -1\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The file of a tournament that was played."""
    folder = tmp_path_factory.mktemp("sound")
    (folder / "illegal.py").write_text(ILLEGAL)
    with pytest.MonkeyPatch.context() as patch, Store(folder / "event.db", EVENT.data()) as store:
        patch.chdir(folder)
        run(EVENT, store, executor="threads", workers=1, isolate=False)
        assert {min(row.ending, FORFEIT) for row in store.games()} == {FINISHED, ADJUDICATED, FORFEIT}
    (folder / "event.toml").write_text(
        f"seed = 11\nagents = {json.dumps(EVENT.agents)}\n"
        + "".join(
            f"[[games]]\ngame = {json.dumps(one.game)}\npairs = {one.pairs}\nopening = {one.opening}\n"
            f"openings = {json.dumps(one.openings)}\n"
            f"agents = {json.dumps(one.agents)}\ncrossplay = {json.dumps(one.crossplay)}\n"
            f"adjudicate = {json.dumps(one.adjudicate)}\n"
            for one in EVENT.games
        )
    )
    return folder / "event.db"


@pytest.fixture
def changed(whole, tmp_path):
    """`changed(sql, …)`: a copy of the file, changed by statements."""

    def change(*statements):
        for name in ("illegal.py", "event.toml", "event.db"):
            (tmp_path / name).write_bytes(whole.with_name(name).read_bytes())
        with contextlib.closing(sqlite3.connect(tmp_path / "event.db")) as db:
            db.executescript(";".join(statements))
        return tmp_path / "event.db"

    return change


def told(path, verify=None):
    with Store(path) as store:
        return wrong_games(store, verify)


def test_games_as_they_were_played_are_right(whole):
    assert told(whole) == {}


WITHOUT_CHECKSUMS = "ALTER TABLE games DROP COLUMN checksum", "PRAGMA user_version = 5"  # as older stores
GAME = "event = 0 AND a = 0 AND b = 1 AND pair = 1 AND leg = 1"
OPENED = "event = 1 AND pair = 0 AND leg = 0"
FORFEITED = "event = 0 AND a = 0 AND b = 2 AND pair = 0 AND leg = 0"


@pytest.mark.parametrize("event", range(5))
def test_payoffs_are_compared_with_the_moves(changed, event):
    where = f"event = {event} AND pair = 1 AND leg = 0 AND a = 0 AND b = {0 if event == 4 else 1}"
    path = changed(f"UPDATE games SET payoff_a = payoff_a + 1, payoff_b = payoff_b - 1 WHERE {where}")
    (sentence,) = told(path).values()
    assert sentence.startswith(f"{EVENT.games[event].game}, random")
    assert f": game 0 of pair 1 ({event}:0:{0 if event == 4 else 1}:1:0) is left out: it has the payoffs" in sentence


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (f"payoff_a = -payoff_a, payoff_b = -payoff_b WHERE {FORFEITED}", "it has the payoffs -1 and 1, and its moves"),
        (f"payoff_a = 7 WHERE {GAME}", "it has the payoffs 7 and"),
        (f"payoff_b = 9e999 WHERE {GAME}", "and inf, and its moves give"),
        (f"moves = CAST(moves || x'09' AS BLOB) WHERE {GAME}", "its move number"),
        (f"moves = x'0404' WHERE {GAME}", "its move number 2 is not legal"),
        (f"moves = x'04' WHERE {GAME}", "its moves stop before the game is over"),
        (f"ending = {TRUNCATED} WHERE {GAME}", "after its moves the game is over, which is not how it is stored"),
        (f"ending = {FORFEIT} WHERE {GAME}", "after its moves the game is over, which is not how it is stored"),
        (f"ending = {FINISHED} WHERE {FORFEITED}", "its moves stop before the game is over"),
        (f"ending = 2 * {FORFEIT} + 1 - ending WHERE {FORFEITED}", "forfeited it, and it is not their turn"),
        (
            f"moves = CAST(x'04' || substr(moves, 2) AS BLOB) WHERE {OPENED}",
            "its move number 1 is not that of its opening",
        ),
        ("moves = CAST(x'00' || moves AS BLOB) WHERE event = 3 AND pair = 0 AND leg = 0", "its move number"),
    ],
)
def test_what_is_wrong_is_named(changed, change, why):
    (sentence,) = told(changed(f"UPDATE games SET {change}")).values()
    assert why in sentence


NINE = "after its moves the game has its maximum length, which is not how it is stored"


@pytest.mark.parametrize(
    ("moves", "ending", "why"),
    [
        (9, TRUNCATED, ""),
        (9, FINISHED, NINE),
        (9, FORFEIT, NINE),
        (8, TRUNCATED, "its moves stop before the game is over"),
        (8, FORFEIT, ""),
        (1, FORFEIT + 1, "the o forfeited it, and it is not their turn"),
        (0, FORFEIT + 1, ""),  # an agent that could not be reset
    ],
)
def test_how_an_unfinished_game_of_at_most_nine_moves_may_have_ended(moves, ending, why):
    row = GameRow(0, 0, 1, 0, 0, -1.0, 1.0, ending, "", bytes(moves))
    assert _ended_wrong(make_game("tictactoe"), row, 0, moves, people=False) == why


SOUND = GameRow(0, 0, 2, 6, 1, -1.0, 1.0, FORFEIT + 1, "", b"")


@pytest.mark.parametrize(
    ("changed", "sound"),
    [
        ({}, True),
        ({"pair": 7}, False),
        ({"pair": -1}, False),
        ({"leg": 2}, False),
        ({"leg": -1}, False),
        ({"b": 1}, False),  # which takes no part
        ({"a": 1}, False),
        ({"a": 2, "b": 0}, False),
        ({"b": 0}, False),
        ({"ending": FORFEIT + 2}, False),
        ({"ending": TRUNCATED}, True),
        ({"ending": ADJUDICATED}, False),
        ({"payoff_a": 1}, False),  # no float
        ({"event": 1}, True),
        ({"event": 1, "ending": ADJUDICATED}, True),
        ({"event": 1, "b": 0}, False),  # a team has one game a deck
        ({"event": 1, "b": 0, "leg": 0}, True),
    ],
)
def test_rows_that_a_tournament_can_have_stored(changed, sound):
    """Of seven pairs, without the second entrant; the other event is one of teams."""
    events = [_Event(make_game(name), frozenset({0, 2}), 7, name == "hanabi") for name in ("tictactoe", "hanabi")]
    assert _is_sound(SOUND._replace(**changed), events) is sound


def test_from_a_number_of_games_on_checksums_are_compared(changed, monkeypatch):
    wrong = f"UPDATE games SET payoff_a = -payoff_a, payoff_b = -payoff_b WHERE {FORFEITED}"
    path = changed(wrong)
    with Store(path) as store:
        count = store.count()
    for most, why in ((count + 1, "it has the payoffs "), (count, "it is not as it was stored: its checksum differs")):
        monkeypatch.setattr(soundness, "MOST_VERIFIED", most)
        (sentence,) = told(path).values()
        assert f"is left out: {why}" in sentence
    assert told(path, verify=False) == {}
    assert "it has the payoffs" in next(iter(told(path, verify=True).values()))
    assert told(changed(wrong, *WITHOUT_CHECKSUMS)) == {}
    (sentence,) = told(changed(f"UPDATE games SET payoff_a = 9, payoff_b = 1 WHERE {GAME}"), verify=False).values()
    left_out = "tictactoe, random and greedy: game 1 of pair 1 (0:0:1:1:1) is left out: it has the payoffs 9 and 1"
    assert sentence == f"{left_out}, which this game cannot have"


def test_a_store_of_the_version_before_goes_on(changed, output, monkeypatch, tmp_path):
    path = changed(f"DELETE FROM games WHERE {GAME}", *WITHOUT_CHECKSUMS)
    monkeypatch.chdir(tmp_path)
    output("tournament", "event.toml", "--executor", "threads", "--no-isolate")
    assert told(path) == {}


def test_games_of_people_may_be_resigned(tmp_path):
    """In backgammon by a move that agents do not have, and at any time."""
    game, pair = make_game("backgammon"), 2**40
    event = Tournament(("me", "random"), (GameEntry(game.spec, 1),), PEOPLE, 3)
    episode = Episode(game, child_key(seed_key(3), pair), None, [])
    seat, resigned = episode.turn, game.resignations(episode.position)[-1].action
    episode.play(resigned)
    low, high = episode.returns[seat], episode.returns[1 - seat]
    moves = np.array([resigned], dtype="<i2").tobytes()
    with Store(None, event.data()) as store:
        store.add([GameRow(0, 0, 1, pair, seat, low, high, FINISHED, "", moves)])
        for leg, won in ((0, 3.0), (1, -3.0)):
            store.add([GameRow(0, 0, 1, pair + 1, leg, won, -won, FORFEIT + 1, "", b"")])
        assert low < high
        assert wrong_games(store) == {}
        store.add([GameRow(0, 0, 1, pair, 1 - seat, low, high, FINISHED, "", moves)])
        assert list(wrong_games(store)) == [(0, 0, 1, pair, 1 - seat)]


def test_a_report_names_wrong_games_and_leaves_them_out(changed, ludarium):
    path = changed(f"UPDATE games SET payoff_a = -1, payoff_b = 1, ending = 0, moves = x'' WHERE {GAME}")
    before = path.read_bytes()
    code, out, _ = ludarium("report", path)
    assert code == 1
    assert "(0:0:1:1:1) is left out: its moves stop before the game is over\n" in out
    data = json.loads((path.with_name("event-report") / "report.json").read_text())
    assert len(data["left_out"]) == 1
    assert sorted(row["games"] for row in data["tables"][0]["rows"]) == [11, 11, 12]
    told = (path.with_name("event-report") / "report.md").read_text()
    assert "Left out, because what is stored of them is wrong: 1 game." in told
    assert path.read_bytes() == before
    assert ludarium("report", path, "--no-verify")[0] == 0


def test_a_tournament_goes_on_without_wrong_games(changed, ludarium, monkeypatch, tmp_path):
    wrong = f"UPDATE games SET payoff_a = -payoff_a, payoff_b = -payoff_b WHERE {FORFEITED}"
    path = changed(wrong, "DELETE FROM games WHERE event = 0 AND pair = 2")
    monkeypatch.chdir(tmp_path)
    command = "tournament", "event.toml", "--executor", "threads", "--no-isolate", "--out", "out.json"
    for _ in range(2):
        code, out, _ = ludarium(*command)
        assert code == 1
        assert "(0:0:2:0:0) is left out: it has the payoffs -1 and 1, and its moves give 1 and -1" in out
    (sentence,) = json.loads((tmp_path / "out.json").read_text())["left_out"]
    assert sentence in out.replace("\n", " ")
    assert told(path).keys() == {(0, 0, 2, 0, 0)}
    assert ludarium(*command, "--no-verify")[0] == 0


def test_a_swiss_tournament_does_not_go_on_with_wrong_games(tmp_path, ludarium, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text(
        'format = "swiss"\nagents = ["random", "greedy"]\n[[games]]\ngame = "tictactoe"\npairs = 1\n'
    )
    assert ludarium("tournament", "x.toml", "--executor", "threads")[0] == 0
    with contextlib.closing(sqlite3.connect(tmp_path / "x.db")) as db:
        db.executescript("UPDATE games SET moves = x'' WHERE leg = 0")
    code, out, err = ludarium("tournament", "x.toml", "--executor", "threads")
    assert (code, "is left out" in out) == (2, True)
    assert err.startswith("ludarium: x.db holds 1 wrong games, and the rounds of a Swiss tournament depend on all")


@pytest.mark.parametrize(
    "damage",
    [
        f"UPDATE games SET b = 0 WHERE {GAME}",
        "UPDATE games SET pair = pair + 1000",
        f"UPDATE games SET ending = 'x' WHERE {GAME}",
        f"UPDATE games SET ending = {ADJUDICATED} WHERE {GAME}",  # where none is adjudicated
        "UPDATE sessions SET seconds = 'x'",
        "UPDATE times SET decisions = -1",
        "DROP TABLE games",
    ],
)
def test_a_tournament_refuses_what_a_report_refuses(changed, ludarium, monkeypatch, damage, tmp_path):
    path = changed(damage)
    monkeypatch.chdir(tmp_path)
    report = ludarium("report", path.name)
    code, _, err = ludarium("tournament", "event.toml", "--executor", "threads", "--no-isolate")
    assert (report[0], code) == (2, 2)
    assert err == report[2]
    assert err.startswith("ludarium: event.db is damaged (")
