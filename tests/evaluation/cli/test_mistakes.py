"""Wrong inputs of every command: one sentence, exit status 2, and nothing written."""

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.store import Store

SMALL = 'agents = ["random", "random"]\n[[games]]\ngame = "tictactoe"\npairs = 1\n'
MATCH = "match tictactoe random random --pairs 1"
OTHELLO = "match othello random random --pairs 1"
BACKGAMMON = "match backgammon random random --pairs 1"
OWN = "data backgammon --from-agent random --games 1"
TRAIN = "train td hexapawn --games 10"
SET = "train gaia tictactoe --set"
TABLE = "table --no-browser"
ANALYSE = "analyse tictactoe start --agent"
IN_A_FILE = "cannot be written: {here}/file is a file, not a folder; give another"
MADE = "cannot be made: there is no folder none; make it, or give another file"
FOLDER = "folder is a folder; give a file of results, such as folder/games.db"
NO_PIPS = "home-bound: roll_bonus must be a finite number of pips, not"
NO_METRIC = "--metric must be home-bound, and --roll-bonus belongs to it; --metric is"
MOST_PAIRS = "must be 1 to 1,000,000,000, not 100,000,000,000,000,000,000"


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path, store):
    """The working directory: files, a folder, a tournament, a store of another one, and a link to its file."""
    monkeypatch.chdir(tmp_path)
    for name in ("file", "diary.db"):
        (tmp_path / name).write_text("dear diary")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "x.toml").write_text(SMALL)
    (tmp_path / "mine.db").write_bytes(store.read_bytes())
    (tmp_path / "link.json").symlink_to("kept.db")
    return tmp_path


def content(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with two games."""
    path = tmp_path_factory.mktemp("mistakes") / "x.db"
    tournament = Tournament(("random", "random"), (GameEntry("tictactoe", 1),), name="mine")
    with Store(path, tournament.data()) as made:
        run(tournament, made, executor="threads", workers=1)
    return path


@pytest.mark.parametrize(
    ("command", "told"),
    [
        # where results go
        (f"{TRAIN} --out file", "--out file is a file; give a folder, which need not exist"),
        (f"{TRAIN} --out file/x", f"--out file/x {IN_A_FILE}"),
        ("report STORE --out file", "--out file is a file; give a folder, which need not exist"),
        ("report STORE --out file/x", f"--out file/x {IN_A_FILE}"),
        ("report STORE --out file/x.html", f"--out file/x.html {IN_A_FILE}"),
        ("report STORE --replay 0:0:1:0:0 --out file", "--out file is a file; give a folder, which"),
        (f"{OWN} --out folder", "--out folder is a folder; give a file, such as folder/decisions.npz"),
        (f"{MATCH} --out /", "--out / is a folder; give a file, such as /results"),
        (f"{MATCH} --out .", "--out . is a folder; give a file, such as results."),
        (f"{MATCH} --out /dev/null/x.json", "/dev/null"),
        ("arena --out /", "--out / is a folder; give a file, such as /results.json"),
        ("arena --out file/x.json", f"--out file/x.json {IN_A_FILE}"),
        ("tournament x.toml --out /", "--out / is a folder; give a file, such as /results.json"),
        ("tournament x.toml --out file/y.json", f"--out file/y.json {IN_A_FILE}"),
        # what would be overwritten
        ("tournament x.toml --out x.toml", "--out x.toml would overwrite x.toml, which is needed"),
        ("tournament x.toml --out x.db", "--out x.db would overwrite x.db, which is needed"),
        ("tournament x.toml --out x.db-wal", "--out x.db-wal would overwrite x.db-wal, which"),
        ("tournament x.toml --out x.db-shm", "--out x.db-shm would overwrite x.db-shm, which"),
        ("tournament x.toml --out folder/../x.db", "--out folder/../x.db would overwrite x.db, which"),
        ("tournament x.toml --store kept.db --out link.json", "--out link.json would overwrite kept.db, which is"),
        ("arena --out x.db", "--out x.db would overwrite x.db, which is needed; give another file"),
        ("arena --out x.db-wal", "--out x.db-wal would overwrite x.db-wal, which"),
        ("arena --out diary.json", "diary.db is not a file of results; it was left as it is"),
        ("arena --out mine.json", "mine.db holds the tournament 'mine', so the arena cannot go there; give another"),
        # stores
        ("report .", ". is a folder; give a file of results, such as games.db"),
        ("report none", "there are no results at none"),
        ("report file", "file is not a file of results; it was left as it is"),
        ("report STORE --replay x", "a game is EVENT:A:B:PAIR:LEG"),
        (f"{MATCH} --store none/x.db", f"none/x.db {MADE}"),
        (f"{MATCH} --store file/x.db", "file/x.db cannot be made: there is no folder file; make it, or give"),
        (f"{MATCH} --store folder", FOLDER),
        ("tournament x.toml --store none/x.db", f"none/x.db {MADE}"),
        ("tournament x.toml --store folder", FOLDER),
        (f"{TABLE} --store none/x.db", f"none/x.db {MADE}"),
        (f"{TABLE} --store folder", FOLDER),
        (f"{TABLE} folder", FOLDER),
        (f"{TABLE} none", "there are no results at none"),
        (f"{TABLE} file", "file is not a file of results"),
        # the table
        (f"{TABLE} --games folder", "--games folder is a folder; give a file, such as folder/table.db"),
        (f"{TABLE} --games file/x.db", f"--games file/x.db {IN_A_FILE}"),
        (f"{TABLE} --name ' '", "--name must be a name, such as person, not ' '"),
        (f"{TABLE} STORE --move 3", "--move 3 goes with --game, the game that it is a move of"),
        (f"{TABLE} STORE --game 0:0:1:0:0 --move 99", "moves, there is no position after 99"),
        (f"{TABLE} STORE --game 9:9:9:9:9", "there is no game '9:9:9:9:9' in this store"),
        (f"{TABLE} --game 0:0:1:0:0", "needs the store that holds the game"),
        # tournaments
        ("tournament nope.toml", "there is no file nope.toml"),
        ("tournament .", ". is a folder; give the TOML file of a tournament"),
        ("tournament file", "file: this is not a tournament in TOML (Expected '=' after a key in a key/value"),
        ("tournament binary", "binary: this is not a tournament in TOML ('utf-8' codec can't decode byte 0xff"),
        # games and agents
        ("match otelo random random", "unknown game 'otelo'; did you mean 'othello'? known: "),
        ("match othello?size=7 random random", "othello: size must be one of 8, 6, 4, not 7"),
        ("match othello?colour=7 random random", "othello: unknown option 'colour'"),
        ("match othello random radom", "unknown agent 'radom'; did you mean 'random'?"),
        ("match othello random no_such:agent", "there is no module 'no_such'"),
        ("match othello random", "tournament: othello needs at least two agents"),
        ("match hanabi mcts", "hanabi"),
        ("exact hanabi --agent random", "cannot be solved"),
        # numbers
        (f"{BACKGAMMON} --metric home-bound --roll-bonus nan", f"{NO_PIPS} nan"),
        (f"{BACKGAMMON} --metric home-bound --roll-bonus inf", f"{NO_PIPS} inf"),
        (f"{BACKGAMMON} --metric home-bound --pairs {10**20}", MOST_PAIRS),
        (f"{MATCH} --pairs {10**20}", MOST_PAIRS),
        (f"{OWN} --rollouts 1 --metric home-bound --roll-bonus nan", f"{NO_PIPS} nan"),
        (f"{MATCH} --opening 9", "opening of tictactoe must be at most 8, not 9"),
        (f"{MATCH} --opening {10**30} --sprt 0 9", f"opening of tictactoe must be at most 8, not {10**30}"),
        # sequential tests, and what else is measured
        (f"{MATCH} --sprt 0 nan", "sprt: h0 and h1 must be between -1000"),
        (f"{MATCH} --sprt 0 1e300", "and 1000 Elo, not 0.0 and 1e+300"),
        (f"{MATCH} --adjudicate exact", "only Othello from 6 × 6 on has endgames to adjudicate, not tictactoe"),
        (
            f"{BACKGAMMON} --metric home-bound --adjudicate exact",
            "--metric does not go with --adjudicate",
        ),
        (f"{BACKGAMMON} --metric home-bound --clock 60", "--metric does not go with --clock"),
        (
            f"{MATCH} --clock 60s",
            "clock: expected seconds a game, such as '60', with what each move adds, '60+0.5', or",
        ),
        (
            f"{MATCH} --clock 0/move",
            "clock: expected more than 0 and at most 1,000,000 seconds, and at most as many for",
        ),
        (f"{MATCH} --clock 60 --margin -1", "margin: expected 0 to 1,000,000,000 milliseconds, not -1"),
        (f"{MATCH} --margin 20", "tournament: margin of 'tictactoe' belongs to a clock, and there is none"),
        (f"{MATCH} --sprt 10 5", "sprt: h0 must be below h1, not 10.0 and 5.0"),
        (f"{MATCH} --sprt 0 5 --unit pips", "sprt: unit must be one of 'elo', 'normalized-elo', 'points', not 'pips'"),
        (f"{MATCH} --alpha 0.1", "--alpha, --beta and --unit belong to --sprt"),
        ("match hanabi random --sprt 0 5", "tournament: sprt compares opponents, and in hanabi there are none"),
        (f"{BACKGAMMON} --metric wins", f"{NO_METRIC} 'wins'"),
        (f"{BACKGAMMON} --roll-bonus 4", f"{NO_METRIC} None"),
        (f"{BACKGAMMON} --metric home-bound --store x.db", "--metric keeps no games and needs no workers"),
        (f"{OTHELLO} --metric home-bound --openings balanced", "--metric takes random moves, --opening, and no --open"),
        (f"{BACKGAMMON} --metric home-bound --sprt 0 5", "--metric does not go with --sprt"),
        ("match backgammon greedy --metric home-bound", "--metric home-bound compares two agents, not 1"),
        # positions to analyse
        ("analyse otelo start --agent greedy", "unknown game 'otelo'"),
        (f"{ANALYSE} gready", "did you mean 'greedy'"),
        ("analyse tictactoe x --agent greedy", "tictactoe: a position is"),
        ("analyse tictactoe 'xxx/oo./... o' --agent greedy", "'xxx/oo./... o' is already over, so there is no move"),
        ("analyse othello f5f5 --agent greedy", "transcript:1: move 2: othello: action 37 (f5) is not legal"),
        ("analyse othello f5z9 --agent greedy", "'z9' is not a move; a move is a square from a1 to h8, or pass"),
        ("analyse backgammon start --agent greedy", "are in score: they only compare the moves of one position"),
        ("analyse hanabi start --agent random", "hanabi: a position shows what is hidden, so it cannot be analysed"),
        (f"{ANALYSE} random", "'random' does not say what moves are worth in tictactoe; 'mcts'"),
        # playing oneself
        ("play hexapawn --seat green", "--seat must be one of random, white, black, first, second, not 'green'"),
        ("play hanabi --position x", "--position cannot be given, since it would show what is hidden"),
        ("play hexapawn --position x", "hexapawn: a position is like"),
        ("play hexapawn --against random --against greedy", "--against must be given once, not 2 times"),
        ("play hanabi?seats=4 --against random --against greedy", "--against must be given once or 3 times, not 2"),
        ("play hexapawn --against radom", "did you mean 'random'"),
        # learners, and their settings
        ("train td:deep tictactoe", "td has no variants, so td:deep cannot be trained; use td"),
        ("train sb3 tictactoe", "sb3: the algorithm is missing; use sb3:ppo, sb3:a2c, sb3:dqn, sb3:maskable-ppo"),
        ("train gaja tictactoe", "unknown learner 'gaja'; did you mean 'gaia'?"),
        (f"{SET} seed=1000", "--set seed=1000: seed has an option of its own; give --seed 1000"),
        (f"{SET} games=5", "--set games=5: games has an option of its own; give --games 5"),
        (f"{SET} opponent=self", "--set opponent=self: opponent has an option of its own; give --opponent self"),
        (f"{SET} out=x", "--set out=x: out has an option of its own; give --out x"),
        (f"{SET} workers=2", "--set workers=2: workers has an option of its own; give --workers 2"),
        (f"{SET} preset=modern", "--set preset=modern: preset has an option of its own; give --preset modern"),
        (f"{SET} game=othello", "--set game=othello: the game is an argument; give it as ludarium train LEARNER GAME"),
        (f"{SET} rules", "--set takes an option of the learner, such as test_games=100, not 'rules'"),
        (f"{SET} =3", "--set takes an option of the learner, such as test_games=100, not '=3'"),
        (f"{SET} rules=3 --set rules=4", "--set rules= is given twice; give it once"),
        (f"{SET} set=3", "gaia --preset seed: unknown option 'set'; the options are: "),
        (f"{SET} memroy=3", "gaia --preset seed: unknown option 'memroy'; the options are: "),
        (f"{SET} mutatoin=0.1", "gaia --preset seed: unknown option 'mutatoin'; did you mean 'mutation'? the options"),
        ("learners gaja", "unknown learner 'gaja'; did you mean 'gaia'?"),
        ("agents gready", "unknown agent 'gready'; did you mean 'greedy'?"),
        # options that a command does not have
        (
            "train gaia tictactoe --generations 5",
            "train has no option --generations; did you mean --set generations=…?",
        ),
        (
            "train --generatoins=5 gaia tictactoe",
            "train has no option --generatoins; did you mean --set generations=5?",
        ),
        ("train gaia tictactoe --games-per-pair 2", "no option --games-per-pair; did you mean --set games_per_pair=…?"),
        ("train gaia tictactoe --gaems 5", "train has no option --gaems; did you mean --games?"),
        (
            "train td tictactoe --generations 5",
            "no option --generations; td counts its budget in --games, and ludarium ",
        ),
        (
            "train sb3:ppo tictactoe --iterations 5",
            "--iterations; sb3:ppo counts its budget in --steps, and ludarium le",
        ),
        (
            "train tdd tictactoe --generations 5",
            "train has no option --generations; ludarium learners lists what --set",
        ),
        ("train td tictactoe --steps 5", "td counts its budget in --games, not in --steps"),
        ("train sb3:ppo tictactoe --games 5", "sb3:ppo counts its budget in --steps, not in --games"),
        (
            "train td tictactoe hexapawn",
            "train takes a learner and a game, and nothing else; it was given 'hexapawn', too",
        ),
        (
            "match tictactoe random mcts?simulatons=3",
            "unknown option 'simulatons'; did you mean 'simulations'? the opt",
        ),
        ("match othello?sise=6 random random", "othello: unknown option 'sise'; did you mean 'size'? the options are:"),
    ],
)
def test_a_mistake_is_one_sentence(refused, here, store, command, told):
    if command.startswith("table"):
        pytest.importorskip("starlette")
    before = content(here)
    assert told.format(here=here) in refused(*shlex.split(command.replace("STORE", str(store))))
    assert content(here) == before


@pytest.mark.parametrize(
    ("command", "most"),
    [
        (f"{MATCH} --workers", 10_000),
        ("tournament x.toml --workers", 10_000),
        (f"{TRAIN} --workers", 10_000),
        (f"{OWN} --workers", 10_000),
        (f"{OWN} --rollouts", 10**9),
        ("data backgammon --from-agent random --games", 10**9),
        ("yardstick othello-openings random --games", 10**9),
        ("yardstick backgammon-errors random --games", 10**9),
        ("yardstick hanabi random --games", 10**9),
        ("check agent random hexapawn --games", 10**9),
        ("check game hexapawn --games", 10**9),
        ("exact hexapawn --agent random --samples", 10**9),
        ("inspect td:none --games", 10**9),
        ("inspect td:none --positions", 10**7),
        ("perft hexapawn --depth", 1000),
        (f"{TABLE} --move-time", 86_400),
    ],
)
def test_numbers_that_are_too_large(ludarium, command, most):
    code, _, err = ludarium(*command.split(), most + 1)
    assert code == 2
    assert f"Invalid value for '{command.split()[-1]}'" in err
    assert f"less than or equal to {most}" in " ".join(err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("nonsense", "nonsense"),
        ("match", "Missing argument"),
        (f"{MATCH} --pairs 0", "--pairs"),
        *((f"arena --pairs {pairs}", "Invalid value for '--pairs'") for pairs in ("0", "-1", "1.5", "many")),
        (f"{ANALYSE} mcts --depth 3", "--depth"),
        (f"{MATCH} --seed x", "'x' is neither an integer of at least 0 nor"),
    ],
)
def test_a_wrong_command_line_has_code_2(ludarium, here, command, told):
    before = content(here)
    code, out, err = ludarium(*command.split())
    assert (code, out, told in err) == (2, "", True)
    assert content(here) == before


def test_a_picture_that_cannot_be_written_costs_no_games(ludarium, refused):
    assert ludarium(*TRAIN.split(), "--set", "test_games=2", "--out", "run")[0] == 0
    told = "--svg folder is a folder; give a file, such as folder/picture.svg"
    assert refused("inspect", "td:run", "--svg", "folder") == told


def test_a_folder_that_takes_no_files(refused, here, monkeypatch):
    """Whatever the reason: permissions, a disk that is read-only, or a system like /proc."""

    def refuse(**arguments):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    for command in (TRAIN, MATCH):
        why = f"{here} takes no new files (Read-only file system)"
        told = f"--out new/x cannot be written: {why}; give another"
        assert refused(*command.split(), "--out", "new/x") == told


def test_nobody_has_a_home(refused, monkeypatch):
    pytest.importorskip("starlette")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)

    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    assert refused(*TABLE.split()) == "there is no home folder to keep the games in; give a file as --games"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a system without /proc")
def test_a_home_that_takes_no_files(refused, monkeypatch):
    pytest.importorskip("starlette")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/proc")
    told = "--games /proc/.local/state/ludarium/table.db cannot be written: /proc takes no new"
    assert refused(*TABLE.split()).startswith(told)


def test_closed_input_is_empty(output, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert "not finished" in output("play", "hexapawn", "--seed", "1")


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
