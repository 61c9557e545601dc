"""Wrong inputs of every command: one sentence, exit status 2, and nothing written."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ludarium.evaluation.tournament.schedule import GameEntry, Tournament, run
from ludarium.evaluation.tournament.store import Store

SMALL = 'agents = ["random", "random"]\n[[games]]\ngame = "tictactoe"\npairs = 1\n'
MATCH = ("match", "tictactoe", "random", "random", "--pairs", "1")
BACKGAMMON = ("match", "backgammon", "random", "random", "--pairs", "1", "--metric", "home-bound")
OWN = ("data", "backgammon", "--from-agent", "random", "--games", "1")
TRAIN = ("train", "td", "hexapawn", "--games", "10")
TABLE = ("table", "--no-browser")
IN_A_FILE = "cannot be written: {here}/file is a file, not a folder; give another"
MADE = "cannot be made: there is no folder none; make it, or give another file"
FOLDER = "folder is a folder; give a file of results, such as folder/games.db"


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    """The working directory: a file, a folder, a tournament, and a store."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("dear diary")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "x.toml").write_text(SMALL)
    return tmp_path


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with two games."""
    path = tmp_path_factory.mktemp("mistakes") / "x.db"
    tournament = Tournament(("random", "random"), (GameEntry("tictactoe", 1),))
    with Store(path, tournament.data()) as made:
        run(tournament, made, executor="threads", workers=1)
    return path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        # where results go
        ((*TRAIN, "--out", "file"), "--out file is a file; give a folder, which need not exist"),
        ((*TRAIN, "--out", "file/x"), f"--out file/x {IN_A_FILE}"),
        (("report", "STORE", "--out", "file"), "--out file is a file; give a folder, which need not exist"),
        (("report", "STORE", "--out", "file/x"), f"--out file/x {IN_A_FILE}"),
        (("report", "STORE", "--out", "file/x.html"), f"--out file/x.html {IN_A_FILE}"),
        (("report", "STORE", "--replay", "0:0:1:0:0", "--out", "file"), "--out file is a file; give a folder, which"),
        ((*OWN, "--out", "folder"), "--out folder is a folder; give a file, such as folder/decisions.npz"),
        (("arena", "--out", "file/x.json"), f"--out file/x.json {IN_A_FILE}"),
        # stores
        (("report", "."), ". is a folder; give a file of results, such as games.db"),
        (("report", "none"), "there are no results at none"),
        (("report", "file"), "file is not a file of results; it was left as it is"),
        ((*MATCH, "--store", "none/x.db"), f"none/x.db {MADE}"),
        ((*MATCH, "--store", "file/x.db"), "file/x.db cannot be made: there is no folder file; make it, or give"),
        ((*MATCH, "--store", "folder"), FOLDER),
        (("tournament", "x.toml", "--store", "none/x.db"), f"none/x.db {MADE}"),
        (("tournament", "x.toml", "--store", "folder"), FOLDER),
        ((*TABLE, "--store", "none/x.db"), f"none/x.db {MADE}"),
        ((*TABLE, "--store", "folder"), FOLDER),
        ((*TABLE, "folder"), FOLDER),
        # the table
        ((*TABLE, "--games", "folder"), "--games folder is a folder; give a file, such as folder/table.db"),
        ((*TABLE, "--games", "file/x.db"), f"--games file/x.db {IN_A_FILE}"),
        ((*TABLE, "--name", " "), "--name must be a name, such as person, not ' '"),
        ((*TABLE, "STORE", "--move", "3"), "--move 3 goes with --game, the game that it is a move of"),
        # tournaments
        (("tournament", "file"), "file: this is not a tournament in TOML (Expected '=' after a key in a key/value"),
        (("tournament", "binary"), "binary: this is not a tournament in TOML ('utf-8' codec can't decode byte 0xff"),
        # numbers
        ((*BACKGAMMON, "--roll-bonus", "nan"), "home-bound: roll_bonus must be a finite number of pips, not nan"),
        ((*BACKGAMMON, "--roll-bonus", "inf"), "home-bound: roll_bonus must be a finite number of pips, not inf"),
        ((*BACKGAMMON, "--pairs", str(10**20)), "must be 1 to 1,000,000,000, not 100,000,000,000,000,000,000"),
        (
            (*OWN, "--rollouts", "1", "--metric", "home-bound", "--roll-bonus", "nan"),
            "home-bound: roll_bonus must be a finite number of pips, not nan",
        ),
    ],
)
def test_a_mistake_is_one_sentence(ludarium, here, store, arguments, told):
    if "table" in arguments:
        pytest.importorskip("starlette")
    before = sorted(here.rglob("*"))
    code, _, err = ludarium(*(str(store) if word == "STORE" else word for word in arguments))
    assert code == 2
    *progress, sentence = err.splitlines()
    assert sentence.startswith("ludarium: ")
    assert told.format(here=here) in sentence
    assert not [line for line in progress if not line.startswith("ludarium: compiling")]
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        ((*MATCH, "--workers"), 10_000),
        (("tournament", "x.toml", "--workers"), 10_000),
        ((*TRAIN, "--workers"), 10_000),
        ((*OWN, "--workers"), 10_000),
        ((*OWN, "--rollouts"), 10**9),
        (("data", "backgammon", "--from-agent", "random", "--games"), 10**9),
        (("yardstick", "othello-openings", "random", "--games"), 10**9),
        (("yardstick", "backgammon-errors", "random", "--games"), 10**9),
        (("yardstick", "hanabi", "random", "--games"), 10**9),
        (("check", "agent", "random", "hexapawn", "--games"), 10**9),
        (("check", "game", "hexapawn", "--games"), 10**9),
        (("exact", "hexapawn", "--agent", "random", "--samples"), 10**9),
        (("inspect", "td:none", "--games"), 10**9),
        (("perft", "hexapawn", "--depth"), 1000),
        ((*TABLE, "--move-time"), 86_400),
    ],
)
def test_numbers_that_are_too_large(ludarium, arguments, most):
    code, _, err = ludarium(*arguments, str(most + 1))
    assert code == 2
    assert f"Invalid value for '{arguments[-1]}'" in err
    assert f"less than or equal to {most}" in " ".join(err.replace("│", " ").split())


def test_a_picture_that_cannot_be_written_costs_no_games(ludarium, here):
    assert ludarium(*TRAIN, "--set", "test_games=2", "--out", "run")[0] == 0
    code, _, err = ludarium("inspect", "td:run", "--svg", "folder")
    assert (code, err) == (2, "ludarium: --svg folder is a folder; give a file, such as folder/picture.svg\n")


def test_a_folder_that_takes_no_files(ludarium, here, monkeypatch):
    """Whatever the reason: permissions, a disk that is read-only, or a system like /proc."""

    def refuse(**arguments):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    for arguments in (TRAIN, MATCH):
        code, _, err = ludarium(*arguments, "--out", "new/x")
        why = f"{here} takes no new files (Read-only file system)"
        assert (code, err) == (2, f"ludarium: --out new/x cannot be written: {why}; give another\n")


def test_nobody_has_a_home(ludarium, monkeypatch):
    pytest.importorskip("starlette")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)

    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    told = "there is no home folder to keep the games in; give a file as --games"
    assert ludarium(*TABLE) == (2, "", f"ludarium: {told}\n")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a system without /proc")
def test_a_home_that_takes_no_files(ludarium, monkeypatch):
    pytest.importorskip("starlette")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/proc")
    code, _, err = ludarium(*TABLE)
    assert code == 2
    assert err.startswith(
        "ludarium: --games /proc/.local/state/ludarium/table.db cannot be written: /proc takes no new"
    )


# --- the standard streams, and the working directory ---


def test_closed_input_is_empty(ludarium, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    code, out, _ = ludarium("play", "hexapawn", "--seed", "1")
    assert code == 0
    assert "not finished" in out


def test_a_closed_stream_is_taken_by_no_file(here):
    """The store would have the number of one of them."""
    command = "from ludarium.evaluation.cli import main; main()"
    words = [sys.executable, "-P", "-c", command, "tournament", "x.toml", "--executor", "threads", "--json"]

    def close():
        for number in range(3):
            os.close(number)

    done = subprocess.run(words, preexec_fn=close, close_fds=False)
    assert done.returncode == 0
    with Store(here / "x.db") as kept:
        assert kept.count() == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the folder")
def test_a_working_directory_that_has_been_deleted(here):
    command = "import os, sys; os.rmdir(os.getcwd()); from ludarium.evaluation.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", command, "games"], cwd=here / "folder", capture_output=True, text=True
    )
    told = "the folder in which the command was called has been deleted; go to one that exists"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"ludarium: {told}\n")
