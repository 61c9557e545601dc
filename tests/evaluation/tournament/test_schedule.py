"""Tournaments: schedules, resuming, and what cannot be."""

import contextlib
import itertools
import os
import pickle
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ludarium.agents.specs import _BUILT_IN, make_agent, split_options
from ludarium.agents.workers import Workers
from ludarium.envs.batch import ADJUDICATED
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.statistics.sprt import Hypotheses
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.program import arena
from ludarium.evaluation.tournament.schedule import Progress, Round, play, run
from ludarium.evaluation.tournament.soundness import wrong_games
from ludarium.evaluation.tournament.standings import tables
from ludarium.evaluation.tournament.store import Store, StoreError

SMALL = Tournament(("random", "greedy", "perfect"), (GameEntry("tictactoe", 30, 1), GameEntry("hexapawn", 20)), seed=5)


NO_START = "python3 -c 'raise SystemExit(3)'"


def pairings(games, event=0):
    return {(row.a, row.b) for row in games if row.event == event}


def test_a_tournament_makes_each_game_once(monkeypatch):
    made = []
    monkeypatch.setattr(
        "ludarium.evaluation.tournament.event.make_game", lambda spec: made.append(spec) or make_game(spec)
    )
    tournament = Tournament(("random", "greedy"), (GameEntry("tictactoe", 2, 1), GameEntry("hexapawn", 2)))
    with Store(None, tournament.data()) as store:
        run(tournament, store, executor="threads")
        assert len(tables(tournament, store.games())) == 2
    assert made == ["tictactoe", "hexapawn"]
    sent = pickle.loads(pickle.dumps(tournament.games[0]))
    assert (sent, "rules" in vars(sent)) == (tournament.games[0], False)


def test_workers_and_splitting_change_nothing(played):
    told = []
    games, state = played(SMALL, workers=1, progress=lambda state: told.append((state.done, state.total)))
    assert (state.done, state.total) == (len(games), 300)
    assert (told[0], told[-1]) == ((0, 300), (300, 300))
    assert told == sorted(told)
    assert played(SMALL, workers=4)[0] == games
    assert played(SMALL, executor="processes")[0] == games
    assert played(Tournament(SMALL.agents, SMALL.games, seed=6))[0] != games


def test_adjudicated_games_are_the_same_on_any_worker(played):
    plain, exact = (
        Tournament(("random", "greedy"), (GameEntry("othello?size=6", 5, 8, adjudicate=word),))
        for word in ("", "exact")
    )
    games, _ = played(exact, workers=1)
    assert ADJUDICATED in {row.ending for row in games}
    assert played(exact, executor="processes", workers=2)[0] == games
    assert played(plain)[0] != games
    assert Tournament.from_data(exact.data()) == exact
    assert "adjudicate" not in plain.data()["games"][0]  # as in stores from before there was such a setting


FLAKY = """
from pathlib import Path

def agent(game):
    made = Path(__file__).with_name("made")
    made.write_text(made.read_text() + "x" if made.exists() else "x")
    if len(made.read_text()) == 2:
        raise OSError("no licence is free")
    return lambda observation, mask, info: int(mask.argmax())
"""


BOOK = "# three\na1a2 b3xa2  # a capture\n\npp./.Pp/P.P b\nc1c2\n"


def test_a_file_of_openings_is_read_once_and_its_content_kept(tmp_path, played):
    (tmp_path / "book.txt").write_text(BOOK)
    file, games = tmp_path / "cup.toml", '[[games]]\ngame = "hexapawn"\npairs = 7\nopenings = "book.txt"\n'
    file.write_text(f'agents = ["random", "greedy", "perfect"]\n{games}order = "sequential"\n')
    tournament = Tournament.from_file(file)
    assert tournament.games[0].openings == ("a1a2 b3xa2", "pp./.Pp/P.P b", "c1c2")
    rows, _ = played(tournament, workers=1)
    assert played(tournament, executor="processes", workers=2)[0] == rows
    begins = {0: bytes([1, 3]), 1: b"", 2: bytes([7])}
    assert all(row.moves.startswith(begins[row.pair % 3]) for row in rows)
    with Store(tmp_path / "cup.db", tournament.data()) as store:
        run(tournament, store, executor="threads", workers=1)
    (tmp_path / "book.txt").unlink()  # what the store holds is enough
    with Store(tmp_path / "cup.db") as store:
        assert Tournament.from_data(store.tournament) == tournament
        assert wrong_games(store, verify=True) == {}
    (tmp_path / "book.txt").write_text("c1c2\n")
    with pytest.raises(StoreError, match=r"cup.db holds the results of another tournament \(different: openings\)"):
        Store(tmp_path / "cup.db", Tournament.from_file(file).data())
    (tmp_path / "book.txt").write_text("# one\nc1c2 b3b2\nc1c2 a1a2\n")
    with pytest.raises(ValueError, match=r"cup.toml: .*book.txt:3: move 2 of the opening 'c1c2 a1a2': .* not a legal"):
        Tournament.from_file(file)


def test_games_of_an_event_without_openings_are_described_as_ever():
    settings = {"agents": ["random", "greedy"], "games": [{"game": "tictactoe"}]}
    assert Tournament.from_data(settings).data() == {
        "agents": ["random", "greedy"],
        "games": [{"game": "tictactoe", "pairs": 100, "opening": 0, "agents": [], "crossplay": False}],
        **{"name": "tournament", "seed": 0, "format": "round-robin", "rounds": 5},
    }


def test_an_agent_that_cannot_be_made_later_leaves_its_games_unplayed(tmp_path, played):
    (tmp_path / "flaky.py").write_text(FLAKY)
    agents = (str(tmp_path / "flaky.py"), "random", "greedy")
    tournament = Tournament(agents, (GameEntry("tictactoe", 12, 1),), seed=5)
    with Store(None, tournament.data()) as store:
        with pytest.raises(ValueError, match=r"not later: .*flaky.py.*OSError\('no licence is free'\)"):
            run(tournament, store, executor="threads", workers=1, isolate=False)
        assert len(store.games()) < 72
        assert len([row for row in store.games() if row.a == 1]) == 24
        run(tournament, store, executor="threads", workers=1, isolate=False)
        assert store.games() == played(tournament, workers=1, isolate=False)[0]
        assert not any(row.cause for row in store.games())


def test_agents_do_not_play_the_same_games_in_every_pairing(played):
    tournament = Tournament(("random",) * 4, (GameEntry("tictactoe", 20), GameEntry("hanabi?preset=small", 20)), seed=1)
    games, _ = played(tournament)
    moves = {}
    for row in games:
        moves.setdefault((row.event, row.a, row.b), []).append(row.moves)
    assert len(moves) == 6 + 4
    for event in range(2):
        lines = [tuple(line) for (of, _, _), line in moves.items() if of == event]
        assert len(set(lines)) == len(lines)


def test_a_gauntlet_is_one_against_all(played):
    games, state = played(Tournament(SMALL.agents, SMALL.games, format="gauntlet"))
    assert pairings(games) == pairings(games, 1) == {(0, 1), (0, 2)}
    assert state.done == state.total


def test_agents_can_be_chosen_by_game(played):
    hanabi = GameEntry("hanabi?preset=small", 2, agents=("random",))
    games = GameEntry("tictactoe", 2, agents=("perfect", "random")), hanabi
    rows, state = played(Tournament(SMALL.agents, games))
    assert pairings(rows) == {(0, 2)}
    assert pairings(rows, 1) == {(0, 0)}
    assert state.done == state.total == 6


def test_teams_may_also_sit_at_one_table(played):
    """Every deck twice, with exchanged seats; the teams' own games are the same as without."""
    alone = Tournament(("random", "greedy"), (GameEntry("hanabi?seats=3", 20),), seed=2)
    mixed = Tournament(alone.agents, (GameEntry("hanabi?seats=3", 20, crossplay=True),), seed=2)
    rows, state = played(mixed)
    assert state.done == state.total == 20 * (2 + 2)
    assert [row for row in rows if row.a == row.b] == played(alone)[0]
    together = [row for row in rows if row.a != row.b]
    assert {(row.a, row.b) for row in together} == {(0, 1)}
    assert all(row.payoff_a == row.payoff_b for row in together)
    assert played(mixed, workers=1)[0] == rows
    game = make_game("hanabi?seats=3")
    greedy = make_agent("greedy", game)
    for row in together:
        episode = Episode(game, child_key(seed_key(2), row.pair), None, [])
        for action in row.moves:
            if entrant_at(row, episode.turn) == 1:
                info = episode.info(episode.turn, greedy)
                assert action == greedy(episode.position.observe(episode.turn), episode.mask(), info)
            episode.play(action)
    assert len({entrant_at(row, 0) for row in together}) == 2


def test_forfeits_at_a_shared_table_are_its_seats(tmp_path, played):
    bad = tmp_path / "bad.py"
    bad.write_text("def bad(observation, action_mask, info):\n    return -1\n")
    tournament = Tournament(("random", str(bad)), (GameEntry("hanabi", 3, crossplay=True),))
    rows, _ = played(tournament, isolate=False)
    together = [row for row in rows if row.a != row.b]
    assert {row.ending - FORFEIT for row in together} == {0, 1}
    for row in together:
        assert entrant_at(row, row.ending - FORFEIT) == 1
        assert row.cause


def test_the_program_has_all_games_and_any_number_of_pairs():
    games = arena().games
    assert [entry.game for entry in games] == ["hexapawn", "tictactoe", "hanabi", "othello", "backgammon"]
    assert all("random" in entry.agents for entry in games)
    assert {entry.pairs for entry in arena(pairs=3).games} == {3}
    assert (arena().seed, arena(4).seed) == (0, 4)


def test_every_built_in_agent_plays_in_the_arena_where_it_can():
    """All but the adapter of an external program and a slow one; by name, whatever their options."""

    def takes(game, name):
        with contextlib.suppress(ValueError):
            return make_agent(name, game) is not None
        return False

    for entry in arena().games:
        game = make_game(entry.game)
        able = {name for name in set(_BUILT_IN) - {"bgsage", "expectimax"} if takes(game, name)}
        assert able == {split_options(agent)[0] for agent in entry.agents}
        assert "expert" in able


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_games_are_finished_in_order_and_whole(form):
    """A game of the tournament is told to be finished when all of its games are stored, and no other twice."""
    entries = tuple(GameEntry(game, 40, opening=1) for game in ("hexapawn", "tictactoe", "othello?size=4"))
    tournament, told = Tournament(("random", "greedy", "mcts?simulations=20"), entries, format=form), []
    with Store(None, tournament.data()) as store, Workers("threads", 3) as pool:
        play(tournament, store, pool, finished=lambda event: told.append((event, len(store.games(event)))))
        assert told == [(event, len(store.games(event))) for event in range(3)]


def test_only_the_pairs_between_those_that_are_there(played):
    """However many there are: they are not listed beforehand."""
    small = Tournament(("random", "random"), (GameEntry("tictactoe", 8),))
    large = replace(small, games=(GameEntry("tictactoe", 10**9),))
    with Store(None, large.data()) as store, Workers("threads", 1) as pool:
        store.add(row for row in played(small)[0] if row.pair in (1, 2, 6))
        works = list(itertools.islice(Round(large, store, pool, Progress(0), False).missing([(0, 0, 1)]), 4))
    assert [(work.first, work.pairs) for work in works] == [(0, 1), (3, 3), (7, 4), (11, 4)]


def test_what_is_there_is_not_played_again(tmp_path, played):
    whole, _ = played(SMALL)
    with Store(tmp_path / "half.db", SMALL.data()) as store:
        store.add(row for row in whole if row.pair % 3 and row.b != 2)
        state = run(SMALL, store, executor="threads")
        assert store.games() == whole
        assert state.done == 300
        assert sum(state.decisions.values()) > 0
        assert sum(run(SMALL, store, executor="threads").decisions.values()) == 0


PLAY = """
import sys
from pathlib import Path
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.standings import tables
from ludarium.evaluation.tournament.store import Store
if __name__ == "__main__":
    tournament = Tournament.from_file(Path(sys.argv[1]))
    with Store(Path(sys.argv[2]), tournament.data()) as store:
        run(tournament, store, executor=sys.argv[3], progress=lambda state: print(state.done, flush=True))
"""
FILE = """
agents = ["random", "greedy", "mcts?simulations=100"]
seed = 5
[[games]]
game = "tictactoe"
pairs = 600
opening = 1
"""


OPENED = FILE.replace("opening = 1", 'openings = "balanced"')
TESTED = FILE.replace("[[games]]", "[sprt]\nh0 = 0\nh1 = 15\nalpha = 0.001\nbeta = 0.001\n[[games]]", 1)


@pytest.mark.parametrize(
    ("executor", "file", "kills"),
    [("threads", FILE, (8, 900)), ("processes", OPENED, (8,)), ("processes", TESTED, (900,))],
    ids=[1, "openings", "sprt"],
)
def test_killed_and_resumed_is_as_if_nothing_had_happened(tmp_path, played, executor, file, kills):
    (tmp_path / "t.toml").write_text(file)
    script = tmp_path / "play.py"
    script.write_text(PLAY)
    store = tmp_path / f"{executor}.db"
    command = [sys.executable, str(script), str(tmp_path / "t.toml"), str(store), executor]
    for kill_at in kills:
        player = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert player.stdout is not None
        for line in player.stdout:
            if int(line) >= kill_at:
                break
        os.killpg(player.pid, signal.SIGKILL)
        player.wait()
    with Store(store) as half:
        assert 0 < half.count() < 3600
    subprocess.run(command, check=True, capture_output=True)
    with Store(store) as whole:
        assert whole.games() == played(Tournament.from_file(tmp_path / "t.toml"))[0]


def test_a_killed_worker_is_replaced():
    with Workers("processes", 2) as pool:
        future = pool.submit(os._exit, 1)
        wait([future], 60)
        death = pool.death_of(future)
        assert str(death) == "exited with status 1"
        assert death.by_itself
        assert pool.submit(int, "7").result(60) == 7


@pytest.fixture(scope="module")
def cluster():
    """A cluster that gives up work whose worker has died."""
    distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(**options) as cluster,
    ):
        yield f"dask:{cluster.scheduler_address}"


def test_a_cluster_gives_the_same_games(played, cluster):
    assert played(SMALL, executor=cluster)[0] == played(SMALL)[0]
    with Workers(cluster) as pool:  # work that is submitted again is done again
        assert len({future.result() for future in [pool.submit(os.urandom, 8) for _ in range(2)]}) == 2


def test_crashes_on_a_cluster_are_examined_here(tmp_path, played, cluster):
    (tmp_path / "exit.py").write_text("import os\ndef act(o, m, i):\n    os._exit(1)\n")
    crashing = Tournament((str(tmp_path / "exit.py"), "random"), (GameEntry("tictactoe", 1, 1),), seed=5)
    rows = played(crashing, executor=cluster, isolate=False)[0]
    assert [row.cause for row in rows] == ["its process exited with status 1"] * 2


def test_a_lost_scheduler_is_an_error_and_not_a_lost_piece(monkeypatch):
    client = SimpleNamespace(status="running", ncores=lambda: {"a": 2, "b": 1}, run=lambda *work, **how: None)
    client.close = lambda: None
    monkeypatch.setattr("ludarium.agents.workers._cluster", lambda address: (client, ThreadPoolExecutor(1)))
    with Workers("dask:tcp://10.0.0.1:8786") as pool:
        assert pool.size == 3
        future = pool.submit(int, "7")
        assert future.result() == 7
        client.status = "connecting"
        for use in (lambda: pool.submit(int, "7"), lambda: pool.death_of(future)):
            with pytest.raises(
                ConnectionError, match=r"scheduler at tcp://10.0.0.1:8786 can no longer be reached; start"
            ):
                use()


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"format": "cup"}, "tournament: format must be one of 'round-robin', 'gauntlet', 'swiss', not 'cup'"),
        ({"agents": ()}, "tournament: at least one agent is needed"),
        ({"games": ()}, "tournament: at least one game is needed"),
        ({"games": (GameEntry("tictactoe", 0),)}, "tournament: pairs of 'tictactoe' must be 1 to 1,000,000,000, not 0"),
        ({"games": (GameEntry("tictactoe", 1, -1),)}, "tournament: opening of 'tictactoe' must be at least 0, not -1"),
        ({"seed": -1}, "tournament: seed must be an integer of at least 0, not -1"),
        ({"seed": 1.5}, "tournament: seed must be an integer of at least 0, not 1.5"),
        ({"games": (GameEntry("tictactoe", 1, 0, ("x",)),)}, "tournament: 'x' plays 'tictactoe', but is not one of"),
        (
            {"games": (GameEntry("hexapawn", 1, 2, openings=("a1a2",)),)},
            "has opening and openings; give either",
        ),
        (
            {"games": (GameEntry("hexapawn", 1, openings=("a1a2",), order="x"),)},
            "'random', 'sequential', not 'x'",
        ),
        ({"games": (GameEntry("hexapawn", 1, order="sequential"),)}, "order of 'hexapawn' belongs to openings, and"),
        ({"format": "swiss", "rounds": 0}, "tournament: rounds must be at least 1, not 0"),
        ({"format": "swiss", "sprt": Hypotheses(0, 5)}, "tournament: a Swiss tournament has no sprt: its rounds need"),
    ],
)
def test_tournaments_that_cannot_be(settings, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        Tournament(**{"agents": SMALL.agents, "games": SMALL.games, **settings})


MOST_8 = "tournament: opening of tictactoe must be at most 8, not {}: a game has at most 9 moves, and"


@pytest.mark.parametrize(
    ("agents", "entry", "text"),
    [
        (("random",), GameEntry("tictactoe", 1), "tournament: tictactoe needs at least two agents"),
        (("random", "x"), GameEntry("tictactoe", 1), "unknown agent 'x'"),
        (("random", "mcts"), GameEntry("hanabi", 1), "hidden information"),
        (("random", "random"), GameEntry("x", 1), "unknown game 'x'"),
        (("random", "random"), GameEntry("hexapawn", adjudicate="exact"), "only Othello from 6 × 6 on has endgames"),
        (("random", "random"), GameEntry("othello", crossplay=True), "othello is not cooperative, so it has no cross"),
        (("random", "random"), GameEntry("three"), "three must have two seats or be cooperative; it has 3 seats"),
        (("random", "random"), GameEntry("tictactoe", opening=9), MOST_8.format(9)),
        (("random", "random"), GameEntry("tictactoe", opening=10**30), MOST_8.format(10**30)),
        (("random", "random"), GameEntry("hanabi", openings=("x",)), "openings:1: hanabi takes no openings: its cards"),
        ((f"process:{NO_START}", "random"), GameEntry("tictactoe"), r"SystemExit\(3\)'\": the program exited with"),
    ],
)
def test_entrants_that_cannot_be(agents, entry, text, monkeypatch):
    monkeypatch.setattr(
        "ludarium.evaluation.tournament.event.make_game",
        lambda spec: SimpleNamespace(spec=spec, seats=3, cooperative=False) if spec == "three" else make_game(spec),
    )
    with pytest.raises(ValueError, match=text):
        Tournament(agents, (entry,)).check()
    Tournament(SMALL.agents, (GameEntry("tictactoe", opening=8),)).check()


@pytest.mark.parametrize("ending", ["raise OSError('gone')", "raise SystemExit(7)"])
def test_agents_that_do_not_close(tmp_path, ending):
    source = f"""
class Agent:
    name = "agent"
    def __call__(self, observation, mask, info): return int(mask.argmax())
    def close(self): {ending}
"""
    path = tmp_path / "agent.py"
    path.write_text(source)
    Tournament((f"{path}:Agent", "random"), (GameEntry("tictactoe"),)).check()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agents = [", "Invalid value"),
        ('agents = ["a"]\ncolour = 1', "tournament: unknown setting 'colour'; known: agents, games, name"),
        ('agents = ["a"]\nseed = "x"', "tournament: seed must be an integer, not 'x'"),
        ('agents = ["a"]\nname = 3', "tournament: name must be a string, not 3"),
        ('agents = ["a"]\n[[games]]\ngame = "hanabi"\ncrossplay = 1', "crossplay must be true or false, not 1"),
        ('agents = "a"\n[[games]]\ngame = "othello"', "tournament: agents must be a list of specs, not 'a'"),
        ('agents = ["a"]\n[[games]]\ngame = "othello"\nagents = 5', "game: agents must be a list of specs, not 5"),
        ('agents = ["a"]\n[[games]]\ngame = "othello"\nagents = [5]', "agents must be a list of specs, not [5]"),
        ('agents = [5]\n[[games]]\ngame = "othello"', "tournament: agents must be a list of specs, not [5]"),
        ('agents = {x = 5}\n[[games]]\ngame = "othello"', "agents must be a list of specs, not {'x': 5}"),
        ('agents = ["a"]\n[[games]]\ngame = "othello"\nopenings = [5]', "shipped set or a list of openings, not [5]"),
        ('agents = ["a"]\nseed = -1\n[[games]]\ngame = "othello"', "seed must be an integer of at least 0, not -1"),
        ('agents = ["a"]\ngames = "othello"', "tournament: games must be a list of tables ([[games]] in TOML)"),
        ('agents = ["a"]\n[[games]]\npairs = 3', "tournament: a game needs a name (game = ...): {'pairs': 3}"),
        (
            'agents = ["a"]\n[[games]]\ngame = "othello"\nopenings = 5',
            "openings must be a file, a shipped",
        ),
        ('agents = ["a"]\nsprt = 5\n[[games]]\ngame = "othello"', "sprt must be a table with h0 and h1"),
        ('agents = ["a"]\n[[games]]\ngame = "othello"\n[sprt]\nh0 = 5', "sprt must be a table with h0 and h1"),
        ('agents = ["a"]\n[[games]]\ngame = "othello"\n[sprt]\nh0 = 5\nh1 = "9"', "sprt: h1 must be a number"),
        ('agents = ["a"]\n[[games]]\ngame = "othello"\n[sprt]\nh0 = 5\nh1 = 9\nelo = 1', "unknown setting 'elo'"),
        ('agents = ["a"]\n[[games]]\ngame = "othello"\nrounds = 3', "tournament: game: unknown setting 'rounds'"),
    ],
)
def test_files_that_are_no_tournament(tmp_path, text, message):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(f"{path}: ") + ".*" + re.escape(message)):
        Tournament.from_file(path)


def test_a_cluster_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ModuleNotFoundError, match=r'needs Dask: pip install "ludarium\[scale\]"$'):
        Workers("dask:tcp://127.0.0.1:1")


def test_a_cluster_without_an_address():
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match=r"executor 'dask:nonsense' names no address such as tcp://10.0.0.1:8786: "):
        Workers("dask:nonsense")


def test_workers_that_die_again_and_again(monkeypatch):
    monkeypatch.setattr("ludarium.agents.workers._MOST_DEATHS", 0)
    with Workers("processes", 1) as pool:
        wait([pool.submit(os._exit, 1)], 60)
        with pytest.raises(ChildProcessError, match="worker processes died 1 times in a row; is there enough memory"):
            pool.submit(int)
