"""The commands that play: how they are called again, names that are no markup, and who plays apart."""

import io
import json
import os
import shlex
from types import SimpleNamespace

import pytest
from rich.console import Console

from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.evaluation.cli import events, terminal, training
from ludarium.evaluation.measures import yardsticks
from ludarium.evaluation.tournament.event import GameEntry, Tournament
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


def test_an_arena_is_always_played_anew(output, small_arena, tmp_path):
    (tmp_path / "a.db").touch()
    for options in ("", "--seed 1 "):
        output("arena", *options.split(), "--out", "a.json")
        with Store(tmp_path / "a.db") as store:
            (session,) = store.sessions()
        assert session.command == f"ludarium arena {options}--out a.json"


@pytest.mark.parametrize("options", ["", " --seed 3", " --pairs 5 --out 'my runs/a.json'"])
def test_an_arena_tells_how_to_play_it_again(output, small_arena, options):
    assert output("arena", *shlex.split(options)).splitlines()[-1] == f"again: ludarium arena{options}"


@pytest.mark.parametrize(
    ("options", "store", "told"),
    [
        ("", "x [1].db", ""),
        (" --store 'my games.db'", "my games.db", " --store 'my games.db'"),
        (" --store h.db --out h.json --executor threads --workers 1", "h.db", None),
        (" --store 'x [1].db' --executor processes --workers 1", "x [1].db", " --workers 1"),  # without the defaults
    ],
)
def test_a_tournament_tells_how_to_go_on(output, tmp_path, options, store, told):
    (tmp_path / "x [1].toml").write_text(SMALL)
    command = f"tournament 'x [1].toml'{options}"
    again = f"tournament 'x [1].toml'{options if told is None else told}"
    last = output(*shlex.split(command)).splitlines()[-1]
    assert last == f"games: {store}   to continue or show again: ludarium {again}"


@pytest.fixture
def screen(monkeypatch):
    """What a terminal would show."""
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=300, color_system=None, highlight=False)
    for module in (events, terminal, training):
        monkeypatch.setattr(module, "console", console)
    return shown


def test_names_of_tournaments_and_files_are_no_markup(output, tmp_path, screen):
    folder = tmp_path / "[b]x["
    folder.mkdir()
    (folder / "i].toml").write_text(f'name = "[cup] [/b]"\n{SMALL}')
    output("tournament", "[b]x[/i].toml", "--executor", "threads", "--out", "[b]x[/i].json")
    assert "[cup] [/b]" in screen.getvalue()
    assert "games: [b]x[/i].db " in screen.getvalue()
    assert "results: [b]x[/i].json" in screen.getvalue()


def test_the_name_of_a_training_is_neither_markup_nor_a_format(output, screen, monkeypatch):
    def learn(config, folder, progress, **options):
        progress(1, 2, "")
        folder.mkdir()
        (folder / "metrics.jsonl").touch()

    monkeypatch.setattr("ludarium.agents.learning.run.train", learn)
    monkeypatch.setattr(
        training,
        "_learner",
        lambda *arguments: SimpleNamespace(
            name="x", budget=2, unit="games", resume=lambda folder: Checkpoint({}), ended=lambda now: ""
        ),
    )
    output("train", "{x}[y]", "tictactoe", "--out", "run")
    assert "{x}[y] tictactoe" in screen.getvalue()


def test_the_rate_is_that_of_this_session_after_its_first_second():
    """The games that were stored before do not count."""
    told, task = [], SimpleNamespace(elapsed=None)
    bar = SimpleNamespace(
        add_task=lambda *named, **fields: 0, tasks=[task], update=lambda task, **shown: told.append(shown)
    )
    screen = events._Screen(SimpleNamespace(name="cup"), bar, True)
    screen.opened(SimpleNamespace(count=lambda: 100), {})
    for task.elapsed in (None, 1.0, 2.0):
        screen.progress(SimpleNamespace(done=3100, total=9000))
    assert [shown["rate"] for shown in told] == ["", "", "1.5 k/s"]
    assert told[-1] == {"description": "cup", "total": 9000, "completed": 3100, "rate": "1.5 k/s"}


WATCHED = """
import os
def act(o, m, i):
    with open("pids", "a") as file:
        file.write(f"{os.getpid()} ")
    return int(m.argmax())
"""


def pids(folder):
    """The processes in which agents of `WATCHED` have played since it was last asked."""
    processes = set(map(int, (folder / "pids").read_text().split()))
    (folder / "pids").unlink()
    return processes


@pytest.mark.parametrize(("executor", "here"), [("threads", True), ("processes", False)])
def test_strangers_play_apart_unless_they_are_trusted(output, tmp_path, executor, here):
    """Whichever way they play, they have one name and play the same games, and their tournament goes on."""
    (tmp_path / "first.py").write_text(WATCHED)
    (tmp_path / "x.toml").write_text("seed = 1\n" + SMALL.replace('"random"]', '"first.py"]'))
    command = "tournament", "x.toml", "--workers", "1", "--executor", executor
    out = output(*command)
    assert ("first.py  " in out, "isolated" in out) == (True, False)
    assert os.getpid() not in pids(tmp_path)
    with Store(tmp_path / "x.db") as store:
        apart = store.games()
        first = [row for row in apart if row.pair == 0]
    for path in tmp_path.glob("x.db*"):
        path.unlink()
    tournament = Tournament.from_file(tmp_path / "x.toml")
    with Store(tmp_path / "x.db", tournament.data()) as store:
        store.add(first)
    assert output(*command, "--no-isolate").splitlines()[-1].endswith(" --no-isolate")
    assert (os.getpid() in pids(tmp_path)) is here
    with Store(tmp_path / "x.db") as store:
        assert store.games() == apart


@pytest.mark.parametrize(
    "command",
    [
        "match tictactoe {} random --pairs 1 --executor threads",
        "match tictactoe {} random --pairs 2 --sprt 0 50",
        "match backgammon {} random --pairs 1 --metric home-bound",
        "yardstick othello-league {} --games 2",
        "yardstick othello-openings random --opponent {} --games 2",
        "yardstick backgammon-pubeval {} --games 2",
        "yardstick hanabi {} --games 1",
    ],
)
def test_every_command_that_plays_strangers_plays_them_apart(output, tmp_path, monkeypatch, command):
    monkeypatch.setattr(yardsticks, "HANABI_POOL", {})  # its own company shows it
    (tmp_path / "first.py").write_text(WATCHED)
    out = output(*command.format("first.py").split())
    assert ("first.py" in out, "isolated" in out) == (True, False)
    assert os.getpid() not in pids(tmp_path)
    if "--sprt" not in command:  # strangers play on workers
        ways = (["trusted:first.py"], ["first.py", "--no-isolate"])
        for spec, *options in ways if "--executor" in command else ways[:1]:
            assert spec in output(*command.format(spec).split(), *options)
            assert os.getpid() in pids(tmp_path)


def test_an_agent_that_crashes_loses_its_sequential_test(output, tmp_path):
    (tmp_path / "exit.py").write_text("import os\ndef act(o, m, i): os._exit(3)\n")
    options = ["--pairs", "40", "--sprt", "0", "900", "--no-isolate", "--workers", "1"]
    out = output("match", "tictactoe", "exit.py", "random", *options)
    assert "exit.py against random: accept H0: +0 against +900 Elo" in out


def test_a_sequential_test_is_kept_and_goes_on(output, tmp_path):
    arguments = "match", "tictactoe", "perfect", "random", "--seed", "3", "--sprt", "-10", "40", "--alpha", "0.01"
    out = output(*arguments, "--pairs", "500")
    (told,) = [line for line in out.splitlines() if "accept H1: -10 against +40 Elo" in line]
    store = "--store", str(tmp_path / "kept.db"), "--executor", "processes", "--workers", "2"
    assert told in output(*arguments, "--pairs", "500", *store)
    data = json.loads(output(*arguments, "--pairs", "500", *store, "--json"))
    (test,) = data["tables"][0]["sprt"]
    assert (test["agent"], test["opponent"], test["state"]) == ("perfect", "random", "accept H1")
    assert data["tables"][0]["rows"][0]["games"] == 2 * sum(test["scores"].values()) < 200


def test_strangers_play_with_a_secret_seed_that_is_told_afterwards(output, tmp_path):
    (tmp_path / "bot.py").write_text("def bot(observation, mask, info):\n    return int(mask.argmax())\n")
    match = "match", "hexapawn", "bot.py", "random", "--pairs", "3", "--executor", "threads", "--workers", "1"
    told, _, seed = output(*match, "--out", "1.json").strip().splitlines()[-1].rpartition(" ")
    assert told == "the seed was secret; the same games again: --seed"
    assert int(seed) > 2**64
    assert "secret" not in output(*match, "--seed", seed, "--out", "2.json")
    one, two = (json.loads((tmp_path / name).read_text()) for name in ("1.json", "2.json"))
    assert one["tables"] == two["tables"]
    assert one["tournament"]["seed"] == int(seed)
    assert "secret" not in output("match", "hexapawn", "greedy", "random", "--pairs", "1")
