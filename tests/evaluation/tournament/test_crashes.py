"""Agents that crash, hang, leave things behind or move away: they lose their own games, and the rest is played."""

import functools
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from ludarium.agents.agent import AgentFailure
from ludarium.agents.specs import apart, make_agent
from ludarium.agents.worker_process import WorkerDied, WorkerProcess
from ludarium.agents.workers import Workers
from ludarium.envs.batch import ADJUDICATED, ILLEGAL
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.calls import call_agent
from ludarium.evaluation.play.games import Played
from ludarium.evaluation.tournament import crashes
from ludarium.evaluation.tournament.crashes import Answered, Asked, Finished, Inquest, Trial, play_one_by_one
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.pieces import Work, entrant_at, play_work
from ludarium.evaluation.tournament.schedule import Progress, Round, run
from ludarium.evaluation.tournament.store import Store

FIRST = "def act(o, m, i): return int(m.argmax())\n"
LATER = "def act(o, m, i):\n    if int(o.sum()) >= 3: {}\n    return int(m.argmax())\n"
FAULTS = {
    "segfault": (LATER.format("import ctypes; ctypes.string_at(0)"), "its process was killed by SIGSEGV"),
    "exit": (LATER.format("import os; os._exit(1)"), "its process exited with status 1"),
    "closed": (LATER.format("import os; os.closerange(3, 200)"), "its process closed its connection"),
    "interrupt": (LATER.format("raise KeyboardInterrupt"), "raised KeyboardInterrupt()"),
}


@pytest.fixture
def played(played):
    """As elsewhere, but Python code of others plays in the workers."""
    return functools.partial(played, isolate=False)


@pytest.fixture
def tournament(tmp_path):
    """A tournament of agents with these sources, and `random`."""

    def make(*sources, pairs=1, game="tictactoe"):
        paths = []
        for number, source in enumerate(sources):
            paths.append(str(tmp_path / f"agent{number}.py"))
            (tmp_path / f"agent{number}.py").write_text(source)
        return Tournament((*paths, "random"), (GameEntry(game, pairs, 1),), seed=5)

    return make


@pytest.mark.parametrize("fault", FAULTS)
def test_a_crash_costs_the_game_of_the_agent_that_was_asked(fault, tournament, played):
    source, cause = FAULTS[fault]
    rows, state = played(tournament(source), executor="processes", workers=1)
    assert state.done == state.total == len(rows) == 2
    for row in rows:
        assert (row.cause, (row.payoff_a, row.payoff_b)) == (cause, (-1, 1))
        assert entrant_at(row, row.ending - ILLEGAL) == 0


def test_what_others_play_and_the_number_of_workers_do_not_matter(tournament, played):
    healthy = played(tournament(FIRST, FIRST), workers=1)[0]
    crashing = tournament(FAULTS["exit"][0].replace(">= 3", ">= 3 and i['seat'] == 1"), FIRST)
    rows = played(crashing, executor="processes", workers=2)[0]
    assert rows == played(crashing, executor="processes", workers=1)[0]
    assert {row.a for row in rows if row.cause} == {0}
    assert [row for row in rows if row.a == 1] == [row for row in healthy if row.a == 1]


def test_an_agent_that_crashes_when_it_is_made_is_an_error_before_anything_is_played(tournament, played):
    with pytest.raises(ValueError, match=r"agent1.py': its process exited with status 3 while it was made"):
        played(tournament(FIRST, "import os\nos._exit(3)\n"), executor="processes", workers=1)


@pytest.mark.parametrize(
    ("reports", "by_itself", "deaths", "error", "told"),
    [
        (["x"], True, 1, ValueError, "agent 'x': its process died while it was made"),
        (["y", "x"], False, 3, ValueError, "agent 'x': its process died while it was made"),
        ([], True, 3, ChildProcessError, "a worker process died as soon as it was started"),
    ],
)
def test_a_check_is_made_again_unless_an_agent_ended_its_process(reports, by_itself, deaths, error, told):
    calls = []

    def check(*given):
        calls.append(given)
        return SimpleNamespace(result=lambda: raised.pop(0)())

    def die():
        raise WorkerDied("died", list(reports), by_itself=by_itself)

    raised = [die] * 3
    with pytest.raises(error, match=told):
        Tournament(("random",), (GameEntry("hanabi"),)).check(SimpleNamespace(submit_here=check))
    assert len(calls) == deaths
    raised = [die] * (deaths - 1) + [lambda: None]
    Tournament(("random",), (GameEntry("hanabi"),)).check(SimpleNamespace(submit_here=check))


def test_a_worker_killed_from_outside_costs_nobody_a_game(tmp_path, tournament, played):
    moves = tmp_path / "moves"
    act = f"    open({str(moves)!r}, 'a').write('.')\n    time.sleep(0.02)\n    return int(m.argmax())\n"
    slow = tournament(f"import time\ndef act(o, m, i):\n{act}", pairs=6)
    expected = played(slow, workers=1)[0]
    moves.write_text("")
    others = set(multiprocessing.active_children())  # the readers of the table's tests

    def kill():
        wait_until(lambda: moves.stat().st_size >= 10)
        (set(multiprocessing.active_children()) - others).pop().kill()

    with ThreadPoolExecutor(1) as pool:
        killed = pool.submit(kill)
        rows, _ = played(slow, executor="processes", workers=1)
        killed.result(60)
    assert rows == expected
    assert not any(row.cause for row in rows)


def death(*reports, by_itself=True):
    return WorkerDied("died", list(reports), by_itself=by_itself)


def test_a_bundle_is_taken_apart_before_a_piece_is_examined(tournament):
    submitted, examined = [], []
    pool = SimpleNamespace(
        submit=lambda function, bundle: submitted.append([arguments[2] for arguments in bundle]) or Future(),
        submit_guarded=lambda function, game, agents, work, *rest: examined.append(work) or Future(),
    )
    first, second = Work(0, 0, 1, 0, 1), Work(0, 0, 1, 1, 1)
    played = Round(tournament(FIRST), None, pool, Progress(0), True)
    played.play_again([first, second], death())
    assert (submitted, examined) == ([[first], [second]], [])
    played.play_again([second], death(by_itself=False))
    assert (submitted, examined) == ([[first], [second]], [second])


def inquest(known=()):
    return Inquest(GameEntry("tictactoe"), ("x", "y"), Work(0, 3, 7, 0, 1), 5, set(known))


GAME = Finished(Played([1.0, -1.0], 0, [0]), 0.1)


def seats_tried(case):
    trial = case.next_call()[-1]
    return None if trial is None else trial.seat


def test_games_played_one_by_one_are_adjudicated_too_and_reported(monkeypatch):
    entry = GameEntry("othello?size=6", opening=8, adjudicate="exact")
    arguments = entry, ("random", "greedy"), Work(0, 0, 1, 0, 2), 3
    together = play_work(*arguments).result
    told = []
    monkeypatch.setattr(crashes, "report", told.append)
    began = time.perf_counter()
    finished = play_one_by_one(*arguments, 0, None)
    assert told[:4] == [Asked(-1, 0, 0), Asked(-1, 1, 0), Asked(0, 0, 0), Asked(0, 1, 1)]  # made, then reset
    assert [one for one in told if isinstance(one, Finished)] == finished
    asked, answered = ([one for one in told[2:] if isinstance(one, kind)] for kind in (Asked, Answered))
    assert len(asked) == len(answered) + 2 * 4
    assert sum(one.seconds for one in answered) < sum(one.seconds for one in finished)
    assert 0 < sum(one.seconds for one in finished) <= time.perf_counter() - began
    assert together.endings.ravel().tolist() == [one.played.ending for one in finished] == [ADJUDICATED] * 4
    for row, one in zip(together.moves.tolist(), finished, strict=True):
        assert [move for move in row if move >= 0] == one.played.moves


def test_a_script_is_repeated_at_its_pace_and_then_threads_have_time_to_crash(monkeypatch):
    slept = []
    monkeypatch.setattr(crashes, "time", SimpleNamespace(sleep=slept.append))
    agent = crashes._Scripted([Answered(0, 4, 0.25), Answered(0, 2, 0.5)])
    assert [agent(None, None, {}), agent(None, None, {})] == [4, 2]
    with pytest.raises(AgentFailure, match="the script ends"):
        agent(None, None, {})
    assert slept == [0.25, 0.5, 2.0]


def test_the_agent_that_was_asked_is_tried_without_the_other():
    case = inquest()
    assert case.next_call()[5:] == (0, None)
    assert case.tell(death(Asked(0, 1, 3))) is None
    assert seats_tried(case) is None  # it may have been killed from outside
    answers = Answered(0, 4, 0.1), Answered(1, 2, 0.1)
    case.tell(death(Asked(0, 0, 2), answers[0], Asked(0, 1, 3), answers[1], Asked(0, 1, 4)))
    assert case.next_call()[5:] == (0, Trial(1, answers))
    assert not case.guilty
    case.tell(death())
    assert case.guilty == {7}
    assert case.next_call()[5:] == (1, None)
    result = case.tell([GAME])
    assert result.endings.tolist() == [[ILLEGAL + 1, 0]]
    assert result.payoffs.tolist() == [[[1, -1], [-1, 1]]]
    assert [(one.seat, one.agent, one.cause) for one in result.forfeits] == [(1, "y", "its process died")]


def test_games_that_were_finished_before_a_death_count():
    case = inquest(known=(7,))
    case.tell(death(Asked(0, 0, 0), GAME, Asked(1, 1, 9)))
    assert case.next_call()[5:] == (1, None)
    result = case.tell(death(GAME))  # and those before a death at the very end
    assert (result.endings.tolist(), result.seconds) == ([[0, 0]], pytest.approx(0.2))


@pytest.mark.parametrize("blamed", [False, True])
def test_the_deaths_of_one_game_do_not_count_in_the_next(blamed):
    case = inquest()
    case.tell(death(Asked(0, 0, 1)))
    if blamed:
        case.tell(death(Asked(0, 0, 1)))
        case.tell(death())
        assert case.guilty == {3}
        case.tell(death(Asked(1, 1, 1)))
    else:
        case.tell(death(GAME, Asked(1, 1, 1)))
    assert case.next_call()[5:] == (1, None)  # once more, for it may have been killed from outside


def test_seats_are_exchanged_between_games():
    case = inquest(known=(7,))
    assert case.tell(death(Asked(0, 0, 0), GAME, Asked(1, 0, 9))).endings.tolist() == [[0, ILLEGAL]]
    assert case.guilty == {7}


@pytest.mark.parametrize(("other_dies", "seat", "guilty"), [(True, 0, {3}), (False, 1, set())])
def test_the_other_is_tried_next(other_dies, seat, guilty):
    """It may have left a thread that crashes while its opponent thinks."""
    case = inquest()
    for _ in range(2):
        case.tell(death(Asked(0, 1, 3)))
    assert seats_tried(case) == 1
    case.tell([GAME])
    assert seats_tried(case) == 0
    case.tell(death() if other_dies else [GAME])
    assert case.guilty == guilty
    (forfeit,) = case.tell([GAME]).forfeits
    assert forfeit.seat == seat
    assert ("not certain which agent" in forfeit.cause) is not other_dies


@pytest.mark.parametrize(("last", "blamed"), [(True, [1]), (False, [])])
def test_the_last_death_decides_whether_somebody_is_blamed_after_all(last, blamed):
    case = inquest()
    for by_itself in (not last, last):
        case.tell(death(Asked(0, 1, 3), by_itself=by_itself))
    for _ in range(2):
        case.tell([GAME])
    result = case.tell([GAME])
    assert [forfeit.seat for forfeit in (result or case.tell([GAME])).forfeits] == blamed


def test_signals_from_outside_are_forgiven_for_long():
    case = inquest()
    for number in range(4):
        case.tell(death(Asked(0, 0, number), by_itself=False))
        while seats_tried(case) is not None:
            case.tell([GAME])
        assert case.next_call()[5:] == (0, None)
    case.tell(death(Asked(0, 0, 4), by_itself=False))
    while seats_tried(case) is not None:
        case.tell([GAME])
    assert case.next_call()[5:] == (1, None)  # the fifth time costs the game
    assert not case.guilty


def test_who_has_crashed_before_is_blamed_at_once():
    case = inquest(known=(3,))
    case.tell(death(Asked(0, 1, 2)))
    assert not case.guilty
    case.tell(death(Asked(0, 0, 2)))
    assert case.guilty == {3}


LATE = """
import os, threading
class agent:
    def reset(self, seat, seed): threading.Timer(0.3, lambda: os._exit(7)).start()
    def __call__(self, o, m, i): return int(m.argmax())
"""
SLOW = "import time\ndef act(o, m, i):\n    time.sleep(0.15)\n    return int(m.argmax())\n"


def test_a_thread_that_crashes_later_is_not_the_fault_of_who_thinks(tournament, played):
    late, slow = tournament(LATE, SLOW).agents[:2]
    rows = played(Tournament((late, slow), (GameEntry("tictactoe", 1, 1),)), executor="processes", workers=1)[0]
    assert {entrant_at(row, row.ending - ILLEGAL) for row in rows if row.cause} == {0}
    assert any(row.cause for row in rows)


def test_agents_that_crash_while_they_are_made_leave_the_games_unplayed():
    case = inquest()
    assert case.tell(death(Asked(-1, 1, 0))) is None
    assert case.tell(death(Asked(-1, 1, 0))).cause == "agent 'y': its process died while it was made"


LEAVING = """
import atexit, threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
atexit.register(time.sleep, 1000)
"""
HANGING = """
import signal
def act(o, m, i):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True: signal.pause()
"""
COMMAND = [sys.executable, "-c", "import sys; from ludarium.evaluation.cli import main; sys.argv[0] = 'x'; main()"]


def test_threads_and_exit_handlers_of_agents_delay_nothing(tournament):
    started = time.monotonic()
    with Store(None, (left := tournament(LEAVING + FIRST)).data()) as store:
        assert run(left, store, workers=1, isolate=False).done == 2
    assert time.monotonic() - started < 500


LEFT = """
import os, subprocess, sys, time
def _leave(file):
    left = [subprocess.Popen(["sleep", "1000"], start_new_session=new).pid for new in (False, True)]
    left += [os.fork(), os.getpid()]
    if left[2] == 0:
        time.sleep(1000)
    if os.fork() == 0:  # a daemon
        os.setsid()
        left.append(os.fork())
        if left[4] == 0:
            time.sleep(1000)
        with open(file, "a") as told:
            told.write(" ".join(map(str, [*left, ""])))
        os._exit(0)
    os.wait()
"""
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets the guard find all processes")


@linux_only
@pytest.mark.parametrize("isolate", [True, False])
def test_no_process_outlives_a_tournament(tournament, tmp_path, played, all_gone, isolate):
    pids = tmp_path / "pids"
    left = tournament(f"{LEFT}\n_leave({str(pids)!r})\n{FIRST}")
    assert played(left, executor="processes", workers=1, isolate=isolate)[1].done == 2
    assert len(pids.read_text().split()) >= 5
    assert not all_gone(pids)


@linux_only
@pytest.mark.parametrize(
    ("isolate", "victim"),
    [(True, "command"), (False, "command"), (True, "worker"), (False, "worker"), (False, "fork server")],
)
def test_no_process_outlives_a_command_that_is_killed(tmp_path, all_gone, isolate, victim):
    """Or whose worker, or all workers, are killed while the agent hangs, and which is then interrupted."""
    (tmp_path / "hang.py").write_text(f"{LEFT}\n_leave('pids')\n{HANGING}")
    options = [] if isolate else ["--no-isolate"]
    command = [*COMMAND, "match", "tictactoe", "hang.py", "random", "--store", "x.db", "--workers", "1", *options]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: told(tmp_path) >= (2 if isolate else 1) * 5)  # isolated, it is made for the check alone, too
        if victim != "command":
            server = next(one for one in children(running.pid) if b"forkserver" in commanded(one))
            os.kill(next(children(server)) if victim == "worker" else server, signal.SIGKILL)
            time.sleep(0.3)
        running.send_signal(signal.SIGKILL if victim == "command" else signal.SIGINT)
        running.wait(60)
    finally:
        running.kill()
        running.wait()
    assert not all_gone(tmp_path / "pids")


def told(folder):
    return len((folder / "pids").read_text().split()) if (folder / "pids").exists() else 0


def children(process):
    files = (task / "children" for task in Path(f"/proc/{process}/task").iterdir())
    return (int(child) for file in files for child in file.read_text().split())


def commanded(process):
    return Path(f"/proc/{process}/cmdline").read_bytes()


@pytest.mark.parametrize(
    ("executor", "number"), [("processes", signal.SIGINT), ("processes", signal.SIGTERM), ("threads", signal.SIGINT)]
)
def test_an_interrupt_to_the_command_alone_ends_it_with_what_is_stored(tmp_path, executor, number):
    deaf = "0 and signal.signal" if executor == "threads" else "signal.signal"
    (tmp_path / "hang.py").write_text(HANGING.replace("signal.signal", deaf))
    event = 'agents = ["random", "greedy", "hang.py"]\n[[games]]\ngame = "tictactoe"\npairs = 3\nopening = 1\n'
    (tmp_path / "t.toml").write_text(event)
    command = [*COMMAND, "tournament", "t.toml", "--executor", executor, "--workers", "2", "--no-isolate"]
    shown = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, **shown) as running:
        wait_until(lambda: stored(tmp_path / "t.db") >= 6)
        running.send_signal(number)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 130, out
    assert "interrupted: 6 of 18 games are in t.db\n" in out
    assert re.search(r"greedy +\d+\.\d ± ", out)
    if executor == "processes":  # a thread that hangs can only be left behind, and the command with it
        assert "games: t.db   to continue or show again: " in out
    assert "Traceback" not in out


def wait_until(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def stored(path):
    if not (path.exists() and path.stat().st_size):
        return 0
    with Store(path) as store:
        return store.count()


def test_a_worker_that_another_thread_kills_is_a_death_for_who_waits():
    worker = WorkerProcess(os.getcwd())
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(worker.call, time.sleep, (600,))
        time.sleep(0.3)
        worker.kill()
        with pytest.raises(WorkerDied):
            waiting.result(60)
    assert not worker.is_alive()


def test_work_that_forks_answers_once():
    with Workers("processes", 1) as pool:
        assert pool.submit(os.fork).result(60) > 0
        assert pool.submit(int, "7").result(60) == 7


def test_an_agent_that_hangs_costs_its_games_and_not_the_event(tournament, played):
    """The default leaves it a minute for a move; an option of its spec leaves it less."""
    hanging = tournament("def act(o, m, i):\n    while True: pass\n")
    assert make_agent(apart(hanging.agents[0]), make_game("tictactoe"))._move_time == 60
    agents = f"isolated:{hanging.agents[0]}?move_time=0.2", "random", "greedy"
    rows, _ = played(replace(hanging, agents=agents), executor="threads", workers=1)
    assert [row.cause for row in rows] == ["gave no answer within 0.2 s"] * 4 + [""] * 2


def test_an_agent_that_moves_away_hurts_nobody(tmp_path, monkeypatch, played):
    monkeypatch.chdir(tmp_path)
    for name, does in (("moving", "os.chdir('/')"), ("reading", "open('reading.py').close()")):
        (tmp_path / f"{name}.py").write_text(f"import os\ndef act(o, m, i):\n    {does}\n    return int(m.argmax())\n")
    tournament = Tournament(("moving.py", "reading.py", "random"), (GameEntry("tictactoe", 3, 1),))
    for executor in ("threads", "processes"):
        rows, _ = played(tournament, executor=executor, workers=1)
        assert not any(row.cause for row in rows)
        assert os.getcwd() == str(tmp_path)


def test_the_turn_of_a_built_in_agent_leaves_the_working_directory_alone(tmp_path, monkeypatch):
    """Another thread may change it meanwhile, and is not to be brought back."""
    agent = make_agent("greedy", make_game("tictactoe"))
    monkeypatch.chdir(os.curdir)  # at the end
    monkeypatch.setattr(type(agent), "reset", lambda self, seat, seed: os.chdir(tmp_path))
    call_agent(agent.reset, 0, 1)
    assert os.getcwd() == str(tmp_path)


COUNTED = """
from pathlib import Path
class agent:
    def __init__(self): self.tell("made")
    def tell(self, word):
        with Path(__file__).with_suffix(".txt").open("a") as file: file.write(word + " ")
    def __call__(self, o, m, i): return int(m.argmax())
    def close(self): self.tell("closed")
"""


def test_an_agent_is_made_once_per_worker(tmp_path, played):
    (tmp_path / "counted.py").write_text(COUNTED)
    tournament = Tournament((str(tmp_path / "counted.py"), "random", "greedy"), (GameEntry("tictactoe", 30, 1),))
    for executor in ("threads", "processes"):
        played(tournament, executor=executor, workers=1)
        told = (tmp_path / "counted.txt").read_text().split()
        assert told == ["made", "closed"] * 2  # for the check, and for the worker
        (tmp_path / "counted.txt").unlink()
