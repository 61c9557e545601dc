"""The wheel with each extra by itself, in an empty environment, and a command that needs it: `make test-wheel`."""

import contextlib
import http.client
import re
import signal
from urllib.parse import urlsplit

import pytest

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(1200)]
ON_A_CLUSTER = """
import subprocess, sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        given = ["match", "tictactoe", "random", "greedy", "--pairs", "5", "--opening", "1"]
        command = [sys.executable, "-m", "ludarium", *given, "--executor", f"dask:{cluster.scheduler_address}"]
        sys.exit(subprocess.run(command).returncode)
"""


def test_rl_trains(install):
    rl = install("rl")
    settings = "--set n_steps=32 --set batch_size=32 --set n_epochs=1 --set num_envs=2 --set test_games=2"
    for algorithm in ("ppo", "maskable-ppo"):
        shown = rl.output(f"train sb3:{algorithm} tictactoe --steps 128 --out runs/{algorithm} {settings}")
        assert f"the agent: sb3:runs/{algorithm}" in shown
    assert "sb3:runs/ppo" in rl.output("match tictactoe sb3:runs/ppo random --pairs 2 --opening 1")


def test_scale_plays_on_a_cluster(install):
    shown, _ = install("scale").run("python", "-c", ON_A_CLUSTER)
    assert re.search(r"greedy +\d.* 10 ", shown), shown


def test_web_opens_a_table(install):
    """It starts, answers on this machine alone, and ends when it is told to."""
    web = install("web")
    table = web.start("ludarium", "table", "--no-browser", "--port", "0")
    try:
        address = urlsplit(re.search(r"http://\S+", table.stdout.readline())[0])
        assert address.hostname == "127.0.0.1"
        with contextlib.closing(http.client.HTTPConnection(address.hostname, address.port, timeout=60)) as connection:
            connection.request("GET", "/")
            answer = connection.getresponse()
            assert (answer.status, b"<title>Ludarium" in answer.read()) == (200, True)
        table.send_signal(signal.SIGINT)
        _, err = table.communicate(timeout=60)
    finally:
        table.kill()
    assert (table.returncode, err) == (0, "")


def test_browser_drives_a_browser(install):
    """No command needs it: only the tests of the table do."""
    install("browser").run("python", "-c", "import axe_selenium_python; from selenium.webdriver import Chrome")


def test_backgammon_has_its_engine(install):
    assert "bgsage" in install("backgammon").output("match backgammon bgsage random --pairs 1")


def test_oracles_bring_bots(install):
    shown = install("oracles").output("match tictactoe openspiel_bot.py random --pairs 2 --opening 1")
    assert "forfeited" not in shown
