"""The API: what the lobby has, and everything that is refused."""

import json

import pytest

from ludarium.agents.specs import agent_names, agent_options
from ludarium.envs.registry import make_game
from ludarium.evaluation.table.lobby import picture

OPEN = '{"game": "hexapawn", "seats": ["me", "random"], '
STALE = 409, "the game has gone on meanwhile, perhaps in another tab; look at the position again"


def test_the_lobby_has_games_agents_and_the_latest_games(table):
    key = table.open("hexapawn", "me", "random")
    lobby = table.get("lobby")
    games = {game["name"]: game for game in lobby["games"]}
    assert {"hexapawn", "tictactoe", "othello", "backgammon", "hanabi"} <= set(games)
    size = {"name": "size", "default": 8, "help": "rows and columns of the board", "choices": [8, 6, 4]}
    assert size in games["othello"]["options"]
    rows = {"name": "rows", "default": 3, "help": "rows of the board", "low": 1, "high": 8}
    assert rows in games["tictactoe"]["options"]
    agents = {agent["name"]: agent["options"] for agent in table.get("agents/hexapawn")["agents"]}
    assert {"name": "depth", "default": 4} in agents["alphabeta"]
    assert [table.call("GET", f"{what}/chess")[0] for what in ("agents", "runs", "pictures")] == [404] * 3
    latest = {"key": key, "game": "hexapawn", "seats": ["me", "random"], "moves": 0, "result": ""}
    assert lobby["tables"][0] == latest
    assert (games["hexapawn"]["title"], table.state(key)["title"]) == ("Hexapawn", "Hexapawn")
    assert table.get("pictures/hexapawn")["svg"].startswith("<svg")
    table.post(f"tables/{key}/forget")
    assert key not in {one["key"] for one in table.get("lobby")["tables"]}
    assert table.call("GET", f"tables/{key}")[0] == 404


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("tictactoe", "o.o/x.x/... x"),  # after four moves
        ("othello", "----------------X--------X-OOOO--XXOXO----OOOO-----X------------ X"),  # after twelve
        ("backgammon", "XGID=-c-A-BE-C--AcB----ab--bcaA:0:0:1:11:0:0:0:0:6"),
    ],
)
def test_the_lobby_shows_a_game_in_full_swing(spec, text):
    game = make_game(spec)
    assert picture(spec) == game.draw(game.from_text(text)).svg()


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ("", "the request is not JSON"),
        ("{", "the request is not JSON"),
        ("\xff", "the request is not JSON"),
        ("[" * 100_000, "the request is not JSON"),
        ("[]", "the request must be a JSON object, not a list"),
        ("null", "the request must be a JSON object, not nothing"),
        ('{"games": 1}', "unknown field 'games'; the fields are: game, seats, seed, position"),
        ("{}", "game must be a text, not nothing"),
        ('{"game": 3}', "game must be a text, not a number"),
        (json.dumps({"game": "x" * 501}), "game must have at most 500 characters, not 501"),
        ('{"game": "hexapawn"}', "seats must be a list of texts, not nothing"),
        ('{"game": "hexapawn", "seats": ["me", 1]}', "seats must be a list of texts"),
        ('{"game": "hexapawn", "seats": ["me"]}', "hexapawn has 2 seats, not 1"),
        (json.dumps({"game": "hexapawn", "seats": ["me"] * 11}), "at most 10 texts"),
        (json.dumps({"game": "hexapawn", "seats": ["me", "\ud800"]}), "seats holds a null character or half a"),
        (json.dumps({"game": "hexa\0pawn", "seats": ["me", "me"]}), "game holds a null character or half a"),
        ('{"game": "chess", "seats": ["me", "random"]}', "unknown game 'chess'"),
        ('{"game": "hexapawn?rows=99", "seats": ["me", "random"]}', "rows must be an integer from"),
        *(
            (OPEN + f'"seed": {seed}}}', "seed must be a whole number from 0 to")
            for seed in ("-1", "1e300", "true", 2**53)
        ),
        (OPEN + '"position": "?"}', "hexapawn"),
        ('{"game": "hanabi", "seats": ["me", "me"]}', "only one person can sit at one screen"),
        ('{"game": "hanabi", "seats": ["me", "greedy"], "position": "x"}', "'position' cannot be set"),
    ],
)
def test_a_game_that_cannot_be_opened_says_why(table, raw, sentence):
    answer = table.send("POST", "/api/tables", raw=raw.encode("latin-1"))
    assert answer.status == 400
    assert sentence in json.loads(answer.body)["error"]


@pytest.mark.parametrize(
    "spec",
    [
        "process:true",
        "gtp:true",
        "nboard:true",
        "isolated:bot.py",
        "bot.py",
        "bot.py:clever",
        "os:getcwd",
        "td:/etc",
        "sb3:model.zip",
        "greedy?evaluation=evil.py:value",
        "alphabeta?evaluation=td:/somewhere",
        "hanabi-rules?rules=/etc/passwd",
        "process:true?setup=true",
        "isolated:random",
        "ludarium.agents.external.isolated:IsolatedAgent",
    ],
)
def test_programs_and_files_need_the_commands_permission(table, spec):
    assert {status for status, _ in asked_for(table, spec)} == {403}
    assert all("start the table with --allow-programs" in sentence for _, sentence in asked_for(table, spec))


def asked_for(client, spec, game="hexapawn"):
    """The answers to a request for an agent, as a player and as an adviser."""
    key = client.open(game, "me", "me")
    yield client.refused("tables", game=game, seats=["me", spec])
    yield client.refused(f"tables/{key}/advice", agent=spec, ply=0)


HOSTILE = [
    "sb3:{run}?trust=True&algorithm=ppo",
    "sb3:{run}?algorithm=ppo&trust=False",
    "sb3:{run}?trust=True&algorithm=ppo?",
    "isolated:sb3:{run}?trust=True",
    "isolated:sb3:{run}?trust=True?",
    "isolated:isolated:sb3:{run}?trust=True&x?",
    "alphabeta?evaluation=sb3:{run}?trust=True",
    "isolated:random?log={file}",
    "isolated:random?memory=512&log={file}",
    "isolated:isolated:random?log={file}?",
    "isolated:isolated:random?log={file}?memory=512",
    "process:true?log={file}",
    "gtp:true?log={file}&setup=true",
    "bot.py?log={file}",
    "greedy?log={file}",
    "greedy?evaluation=expert&log={file}",
]


@pytest.mark.parametrize("allowed", [False, True])
def test_no_page_may_run_stored_code_or_write_files(serving, tmp_path, allowed):
    """Not by any way to write it, nor where programs are allowed, nor as an adviser."""
    run, file = tmp_path / "runs" / "evil", tmp_path / "written"
    run.mkdir(parents=True)
    with serving(runs=[str(run)], allow_programs=allowed) as client:
        for spec in HOSTILE:
            for status, sentence in asked_for(client, spec.format(run=run, file=file)):
                assert status in (400, 403), (spec, sentence)
                assert "command line" in sentence or "question mark" in sentence
    assert not file.exists()


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("nobody", "unknown agent 'nobody'"),
        ("mcts?simulation=1", "unknown option 'simulation'"),
        ("greedy?setup=true", "unknown option 'setup'"),
        ("alphabeta?depth=x", "depth must be of type int"),
        ("perfect?limit=10000000000", "limit must be a number from 0 to 10000000 here, not 10000000000"),
        ("alphabeta?table=28", "table must be a number from 0 to 24 here, not 28"),
    ],
)
def test_an_agent_that_there_is_not_gets_no_table(table, spec, sentence):
    status, told = table.refused("tables", game="hexapawn", seats=["me", spec])
    assert (status, sentence in told) == (400, True)


def test_an_agent_that_cannot_be_made_is_told_at_the_table(table):
    key = table.open("hexapawn", "me", "alphabeta?depth=101")
    assert table.state(key)["failure"] == "alphabeta: depth must be an integer from 1 to 100, not 101"


def test_numbers_that_make_no_sense_are_refused(table):
    """Of every agent, and always with a sentence."""
    asked = 0
    for name in agent_names():
        for option, default in agent_options(name).items() if name != "ppo" else ():
            if type(default) not in (int, float):
                continue
            for number in ("-1", "1e18", str(10**18), str(2**63), "nan", "inf", "-inf", "9" * 400):
                game = "backgammon" if option == "ply" else "hexapawn"
                for status, sentence in asked_for(table, f"{name}?{option}={number}", game):
                    assert (status, option in sentence) == (400, True), (name, option, number, sentence)
                asked += 1
    assert asked >= 80


def test_a_game_that_there_is_not(table):
    for path in ("tables/nothing", "tables/nothing/events", "tables/nothing/plies/0"):
        assert table.call("GET", path) == (404, {"error": "there is no such game at this table"})
    for action in ("play", "rewind", "resign", "pace", "advice", "again", "chance", "forget"):
        assert table.refused(f"tables/nothing/{action}", **{"ply": 0} if action == "rewind" else {})[0] in (400, 404)


def test_moves_that_cannot_be_played(table):
    key = table.open("hexapawn", "me", "random", seed=1)
    state = table.my_turn(key)

    def play(**body):
        return table.refused(f"tables/{key}/play", **body)

    legal, version = state["view"]["moves"][0]["action"], state["version"]
    illegal = next(a for a in range(20) if a not in {move["action"] for move in state["view"]["moves"]})
    assert play(action=illegal, version=version)[0] == 409
    assert "is not legal for white; legal: " in play(action=illegal, version=version)[1]
    assert play(action=-1, version=version)[0] == 400
    assert play(action=10**9, version=version)[0] == 400
    assert play(action="0", version=version) == (400, "action must be a whole number from 0 to 26, not a text")
    assert play(version=version)[0] == 400
    assert play(action=legal, version=version - 1) == STALE
    assert table.state(key)["history"] == []
    table.post(f"tables/{key}/play", action=legal, version=version)
    assert play(action=legal, version=version)[0] == 409  # a stale move from a second tab
    table.my_turn(key)
    table.change(key, "resign")
    version = table.state(key)["version"]
    assert play(action=legal, version=version) == (409, "the game is over; take back, or begin another one")


def test_what_a_second_tab_asks_for_an_earlier_position_is_refused(table):
    key = table.open("tictactoe", "me", "random", seed=1)
    version = table.my_turn(key)["version"]
    state = table.play(key, "b2")
    for action, body in (("rewind", {"ply": 0}), ("resign", {}), ("chance", {"outcome": 0}), ("play", {"action": 0})):
        assert table.refused(f"tables/{key}/{action}", **body, version=version) == STALE
    assert table.state(key) == state


def test_a_move_out_of_turn_is_refused(table):
    key = table.open("hexapawn", "random", "me", seed=1)
    table.post(f"tables/{key}/pace", paused=True)
    table.change(key, "rewind", ply=0) if table.state(key)["history"] else None
    state = table.wait(key, lambda state: state["ready"])
    action = state["view"]["moves"][0]["action"]
    told = table.refused(f"tables/{key}/play", action=action, version=state["version"])
    assert told == (409, "it is not your turn")


@pytest.mark.parametrize(
    ("action", "body", "status"),
    [
        ("rewind", {"ply": 1, "version": 1}, 409),
        ("rewind", {"ply": 0, "version": 1}, 409),
        ("rewind", {"ply": -1, "version": 1}, 400),
        ("rewind", {"ply": 0}, 400),
        ("resign", {"lost": "gammon", "version": 1}, 400),
        ("resign", {}, 400),
        ("rewind", {}, 400),
        ("pace", {"delay": 10_001}, 400),
        ("pace", {"paused": 1}, 400),
        ("chance", {"outcome": 0, "version": 1}, 409),
        ("advice", {"agent": "random", "ply": 5}, 404),
        ("advice", {"agent": "", "ply": 0}, 400),
        ("again", {"swap": "yes"}, 400),
    ],
)
def test_other_requests_that_make_no_sense(table, action, body, status):
    key = table.open("hexapawn", "me", "random", seed=1)
    assert table.state(key)["version"] == 1
    answered, sentence = table.refused(f"tables/{key}/{action}", **body)
    assert (answered, bool(sentence)) == (status, True)


def test_the_last_values_that_are_allowed_and_the_first_that_are_not(table):
    key = table.open("hexapawn", "me", "me", seed=2**53 - 1)
    table.post(f"tables/{key}/pace", delay=10_000)
    assert table.state(key)["delay"] == 10_000
    opened = {"game": "hexapawn", "seats": ["me", "me"]}
    for path, body, sentence in (
        (f"tables/{key}/pace", {"delay": 10_001}, "delay must be a whole number from 0 to 10000, not 10001"),
        (f"tables/{key}/rewind", {"ply": 10**6, "version": 1}, "none after move 1000000 can be taken back"),
        (f"tables/{key}/rewind", {"ply": 10**6 + 1, "version": 1}, "ply must be a whole number from 0 to 1000000"),
        (f"tables/{key}/advice", {"agent": "x" * 500, "ply": 0}, "unknown agent"),
        (f"tables/{key}/advice", {"agent": "x" * 501, "ply": 0}, "agent must have at most 500 characters, not 501"),
        ("tables", {**opened, "seats": ["me"] * 10}, "hexapawn has 2 seats, not 10"),
        ("tables", {**opened, "seats": ["me"] * 11}, "seats must be at most 10 texts of at most 500 characters"),
        ("tables", {**opened, "seats": ["me", "x" * 501]}, "seats must be at most 10 texts of at most 500 characters"),
        ("tables", {**opened, "position": "x" * 10_000}, "hexapawn: "),
        ("tables", {**opened, "position": "x" * 10_001}, "position must have at most 10000 characters, not 10001"),
    ):
        status, answer = table.refused(path, **body)
        assert status in (400, 409)
        assert sentence in answer
