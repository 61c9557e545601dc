"""The commands that play: what they overwrite, how they are called again, and names that are no markup."""

import io
import json
import os
import shlex
from types import SimpleNamespace

import pytest
from rich.console import Console
from rich.progress import Progress

from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.evaluation.cli import events, training
from ludarium.evaluation.tournament.schedule import GameEntry, Tournament
from ludarium.evaluation.tournament.store import Store

SMALL = 'agents = ["random", "random"]\n[[games]]\ngame = "tictactoe"\npairs = 2\n'


@pytest.fixture(autouse=True)
def empty_folder(monkeypatch, tmp_path):
    """Files of the command go there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small_arena(monkeypatch):
    """An arena of four games, whatever its seed and pairs."""
    arena = Tournament(("random", "random"), (GameEntry("tictactoe", 2),), name="arena")
    monkeypatch.setattr("ludarium.evaluation.tournament.program.arena", lambda seed, pairs: arena)
    return arena


# --- what is overwritten ---


@pytest.mark.parametrize("out", ["x.toml", "x.db", "x.db-wal", "x.db-shm", "here/../x.db"])
def test_a_tournament_overwrites_nothing_it_needs(ludarium, tmp_path, out):
    file = tmp_path / "x.toml"
    file.write_text(SMALL)
    (tmp_path / "here").mkdir()
    code, _, err = ludarium("tournament", "x.toml", "--out", out)
    assert code == 2
    assert err.startswith(f"ludarium: --out {out} would overwrite x.")
    assert err.count("\n") == 1
    assert file.read_text() == SMALL
    assert not (tmp_path / "x.db").exists()


def test_a_link_to_the_store_is_the_store(ludarium, tmp_path):
    (tmp_path / "x.toml").write_text(SMALL)
    (tmp_path / "link.json").symlink_to("kept.db")
    code, _, err = ludarium("tournament", "x.toml", "--store", "kept.db", "--out", "link.json")
    assert (code, err) == (2, "ludarium: --out link.json would overwrite kept.db, which is needed; give another file\n")


@pytest.mark.parametrize("out", ["x.db", "x.db-wal"])
def test_an_arena_overwrites_no_store(ludarium, small_arena, tmp_path, out):
    code, _, err = ludarium("arena", "--out", out)
    assert code == 2
    assert err.startswith(f"ludarium: --out {out} would overwrite {out}, ")
    assert not (tmp_path / "x.db").exists()


def test_an_arena_removes_no_other_file(ludarium, small_arena, tmp_path):
    path = tmp_path / "keep.db"
    path.write_text("dear diary")
    code, _, err = ludarium("arena", "--out", "keep.json")
    assert (code, err) == (2, "ludarium: keep.db is not a file of results; it was left as it is\n")
    assert path.read_text() == "dear diary"


def test_an_arena_removes_no_other_tournament(ludarium, small_arena, tmp_path):
    other = Tournament(small_arena.agents, small_arena.games, name="mine")
    path = tmp_path / "keep.db"
    Store(path, other.data()).close()
    before = path.read_bytes()
    code, _, err = ludarium("arena", "--out", "keep.json")
    told = "keep.db holds the tournament 'mine', so the arena cannot go there; give another --out"
    assert (code, err) == (2, f"ludarium: {told}\n")
    assert path.read_bytes() == before


def test_an_arena_is_always_played_anew(ludarium, small_arena, tmp_path):
    (tmp_path / "a.db").touch()
    assert ludarium("arena", "--out", "a.json")[0] == 0
    with Store(tmp_path / "a.db") as store:
        (first,) = store.sessions()
    assert ludarium("arena", "--seed", "1", "--out", "a.json")[0] == 0
    with Store(tmp_path / "a.db") as store:
        (second,) = store.sessions()
    assert (first.command, second.command) == (
        "ludarium arena --out a.json",
        "ludarium arena --seed 1 --out a.json",
    )


# --- how it is called again ---


@pytest.mark.parametrize("options", [[], ["--seed", "3"], ["--pairs", "5", "--out", "my runs/a.json"]])
def test_an_arena_tells_how_to_play_it_again(ludarium, small_arena, options):
    _, out, _ = ludarium("arena", *options)
    assert out.splitlines()[-1] == f"again: {shlex.join(['ludarium', 'arena', *options])}"


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--store", "my games.db"],
        ["--store", "h.db", "--out", "h.json", "--executor", "threads", "--workers", "1"],
    ],
)
def test_a_tournament_tells_how_to_go_on(ludarium, tmp_path, options):
    (tmp_path / "x [1].toml").write_text(SMALL)
    command = ["tournament", "x [1].toml", *options]
    _, out, _ = ludarium(*command)
    store = options[1] if options else "x [1].db"
    assert out.splitlines()[-1] == f"games: {store}   to continue or show again: {shlex.join(['ludarium', *command])}"


def test_defaults_are_left_out(ludarium, tmp_path):
    (tmp_path / "x.toml").write_text(SMALL)
    _, out, _ = ludarium("tournament", "x.toml", "--store", "x.db", "--executor", "processes", "--workers", "1")
    assert out.splitlines()[-1].endswith(": ludarium tournament x.toml --workers 1")


# --- names that are no markup ---


@pytest.fixture
def screen(monkeypatch):
    """What a terminal would show."""
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=300, color_system=None, highlight=False)
    for module in (events, training):
        monkeypatch.setattr(module, "console", console)
    return shown


def test_names_of_tournaments_and_files_are_no_markup(ludarium, tmp_path, screen):
    folder = tmp_path / "[b]x["
    folder.mkdir()
    (folder / "i].toml").write_text(f'name = "[cup] [/b]"\n{SMALL}')
    code, _, err = ludarium("tournament", "[b]x[/i].toml", "--executor", "threads", "--out", "[b]x[/i].json")
    assert (code, err) == (0, "")
    assert "[cup] [/b]" in screen.getvalue()
    assert "games: [b]x[/i].db " in screen.getvalue()
    assert "results: [b]x[/i].json" in screen.getvalue()


def test_the_name_of_a_training_is_neither_markup_nor_a_format(ludarium, tmp_path, screen, monkeypatch):
    def learn(config, folder, progress, **options):
        progress(1, 2, "")
        folder.mkdir()
        (folder / "metrics.jsonl").touch()

    monkeypatch.setattr("ludarium.agents.learning.run.train", learn)
    monkeypatch.setattr(
        training,
        "_learner",
        lambda *arguments: SimpleNamespace(name="x", resume=lambda folder: Checkpoint({}), ended=lambda now: ""),
    )
    code, _, err = ludarium("train", "{x}[y]", "tictactoe", "--out", "run")
    assert (code, err) == (0, "")
    assert "{x}[y] tictactoe" in screen.getvalue()


# --- what cannot be ---


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["match", "tictactoe", "random", "random", "--sprt", "0", "nan"], "sprt: elo0 and elo1 must be between -1000"),
        (["match", "tictactoe", "random", "random", "--sprt", "0", "1e300"], "and 1000, not 0.0 and 1e+300"),
        (["match", "tictactoe", "random", "random", "--opening", "9"], "opening of tictactoe must be at most 8, not 9"),
        (
            ["match", "tictactoe", "random", "random", "--opening", str(10**30), "--sprt", "0", "9"],
            f"opening of tictactoe must be at most 8, not {10**30}",
        ),
        (["match", "tictactoe", "random", "random", "--pairs", str(10**20)], "must be 1 to 1,000,000,000, not 100,000"),
        (
            ["match", "tictactoe", "random", "random", "--out", "/"],
            "--out / is a folder; give a file, such as /results",
        ),
        (
            ["match", "tictactoe", "random", "random", "--out", "."],
            "--out . is a folder; give a file, such as results.",
        ),
        (["tournament", "."], ". is a folder; give the TOML file of a tournament"),
    ],
)
def test_a_mistake_is_one_line(ludarium, tmp_path, arguments, text):
    code, out, err = ludarium(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("ludarium: ")
    assert text in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_tournament_with_an_out_that_cannot_be_is_not_begun(ludarium, tmp_path):
    (tmp_path / "x.toml").write_text(SMALL)
    for out, told in (
        ("/", "--out / is a folder; give a file, such as /results.json"),
        (
            "x.toml/y.json",
            f"--out x.toml/y.json cannot be written: {tmp_path / 'x.toml'} is a file, not a folder; give another",
        ),
    ):
        assert ludarium("tournament", "x.toml", "--out", out) == (2, "", f"ludarium: {told}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]


def test_an_arena_needs_a_file_for_its_results(ludarium):
    assert ludarium("arena", "--out", "/") == (
        2,
        "",
        "ludarium: --out / is a folder; give a file, such as /results.json\n",
    )


@pytest.mark.parametrize("pairs", ["0", "-1", "1.5", "many"])
def test_numbers_of_pairs_that_cannot_be(ludarium, tmp_path, pairs):
    code, _, err = ludarium("arena", "--pairs", pairs)
    assert code == 2
    assert "Invalid value for '--pairs'" in err
    assert not list(tmp_path.iterdir())


# --- agents in processes of their own ---


WATCHED = """
import os
def act(o, m, i):
    with open("pids", "a") as file:
        file.write(f"{os.getpid()} ")
    return int(m.argmax())
"""


def pids(folder):
    """The processes in which agents of `WATCHED` have played since it was last asked."""
    found = set(map(int, (folder / "pids").read_text().split()))
    (folder / "pids").unlink()
    return found


@pytest.mark.parametrize(("executor", "here"), [("threads", True), ("processes", False)])
def test_strangers_play_apart_unless_they_are_trusted(ludarium, tmp_path, executor, here):
    """Whichever way they play, they have one name and play the same games, and their tournament goes on."""
    (tmp_path / "first.py").write_text(WATCHED)
    (tmp_path / "x.toml").write_text("seed = 1\n" + SMALL.replace('"random"]', '"first.py"]'))
    command = "tournament", "x.toml", "--workers", "1", "--executor", executor
    code, out, _ = ludarium(*command)
    assert (code, "first.py  " in out, "isolated" in out) == (0, True, False)
    assert os.getpid() not in pids(tmp_path)
    with Store(tmp_path / "x.db") as store:
        apart = store.games()
        first = [row for row in apart if row.pair == 0]
    for path in tmp_path.glob("x.db*"):
        path.unlink()
    tournament = Tournament.from_file(tmp_path / "x.toml")
    with Store(tmp_path / "x.db", tournament.data()) as store:
        store.add(first)
    code, out, _ = ludarium(*command, "--no-isolate")
    assert out.splitlines()[-1].endswith(" --no-isolate")
    assert (os.getpid() in pids(tmp_path)) is here
    with Store(tmp_path / "x.db") as store:
        assert store.games() == apart


@pytest.mark.parametrize(
    "command",
    [
        ["match", "tictactoe", "{}", "random", "--pairs", "1", "--executor", "threads"],
        ["match", "tictactoe", "{}", "random", "--pairs", "2", "--sprt", "0", "50"],
        ["match", "backgammon", "{}", "random", "--pairs", "1", "--metric", "home-bound"],
        ["yardstick", "othello-league", "{}", "--games", "2"],
        ["yardstick", "othello-openings", "random", "--opponent", "{}", "--games", "2"],
        ["yardstick", "backgammon-pubeval", "{}", "--games", "2"],
        ["yardstick", "hanabi", "{}", "--games", "1"],
    ],
    ids=" ".join,
)
def test_every_command_that_plays_strangers_plays_them_apart(ludarium, tmp_path, command):
    (tmp_path / "first.py").write_text(WATCHED)
    spec = "first.py"
    code, out, _ = ludarium(*(word.format(spec) for word in command))
    assert (code, "first.py" in out, "isolated" in out) == (0, True, False)
    assert os.getpid() not in pids(tmp_path)
    if "--sprt" not in command:  # it has a worker
        for ways in (["trusted:first.py"], ["first.py", "--no-isolate"]):
            code, out, _ = ludarium(*(word.format(ways[0]) for word in command), *ways[1:])
            assert (code, ways[0] in out) == (0, True)
            assert os.getpid() in pids(tmp_path)


def test_a_crash_in_a_sequential_test_is_one_line(ludarium, tmp_path):
    (tmp_path / "exit.py").write_text("import os\ndef act(o, m, i): os._exit(3)\n")
    code, _, err = ludarium("match", "tictactoe", "exit.py", "random", "--sprt", "0", "50", "--no-isolate")
    assert code == 2
    told = "the process of the test exited with status 3; without --sprt, the table says which agent did it"
    assert err == f"ludarium: {told}\n"


def test_the_first_function_that_is_not_on_disk_starts_the_process_that_compiles_ahead(small_arena):
    started = []
    screen = events._Screen(small_arena, Progress(), True, lambda: started.append(screen))
    for count in (1, 2, 3):
        screen.compiling(count)
    assert started == [screen]


# --- seeds ---


def test_strangers_play_with_a_secret_seed_that_is_told_afterwards(ludarium, tmp_path):
    (tmp_path / "bot.py").write_text("def bot(observation, mask, info):\n    return int(mask.argmax())\n")
    match = "match", "hexapawn", "bot.py", "random", "--pairs", "3"
    code, out, _ = ludarium(*match, "--out", "1.json")
    assert code == 0
    told = out.strip().splitlines()[-1]
    assert told.startswith("the seed was secret; the same games again: --seed ")
    seed = told.rpartition(" ")[2]
    assert int(seed) > 2**64
    code, out, _ = ludarium(*match, "--seed", seed, "--out", "2.json")
    assert (code, "secret" in out) == (0, False)
    one, two = (json.loads((tmp_path / name).read_text()) for name in ("1.json", "2.json"))
    assert one["tables"] == two["tables"]
    assert one["tournament"]["seed"] == int(seed)
    assert "secret" not in ludarium("match", "hexapawn", "greedy", "random", "--pairs", "1")[1]
    code, _, err = ludarium(*match, "--seed", "x")
    assert code == 2
    assert "'x' is neither an integer of at least 0 nor" in err
