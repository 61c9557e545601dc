"""`ludarium check`: verdicts about agents and games, and the exit status."""

import pytest

AGENTS = """
def good(observation, action_mask, info):
    return int(action_mask.argmax())

def bad(observation, action_mask, info):
    return int(action_mask.argmin())
"""
GAME = """
from ludarium.envs import register_game
from ludarium.envs.tictactoe import TicTacToe

@register_game
class Mine(TicTacToe):
    name = "mine"
    title = "Mine"
    {}
"""
BROKEN = """
    def configure(self):
        super().configure()
        self.payoff_range = (0.0, 0.5)
"""


@pytest.fixture(autouse=True)
def files(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots.py").write_text(AGENTS)


def test_agents(ludarium):
    assert ludarium("check", "agent", "bots.py:good", "tictactoe", "--games", "2") == (
        0,
        "passed: bots.py:good in tictactoe, 4 games\n",
        "",
    )
    code, out, _ = ludarium("check", "agent", "bots.py:bad", "tictactoe")
    assert code == 1
    assert out.startswith(
        "failed: bots.py:bad in tictactoe, 20 games\nthe agent 'bots.py:bad' returned 0, which is not"
    )
    code, out, err = ludarium("check", "agent", "perfect", "othello")
    assert (code, out) == (2, "")
    assert err.startswith("ludarium: ")


def test_games(ludarium, tmp_path):
    assert ludarium("check", "game", "tictactoe?rows=4", "--games", "2")[:2] == (
        0,
        "passed: tictactoe?rows=4, 2 games\n",
    )
    (tmp_path / "mine.py").write_text(GAME.format(BROKEN))
    (tmp_path / "no.py").write_text("x = 1")
    code, out, _ = ludarium("check", "game", "mine.py", "--games", "1")
    assert (code, out.splitlines()[0]) == (1, "failed: mine, 1 games")
    (tmp_path / "mine.py").write_text(GAME.format("seat_names = ('left', 'right')"))
    assert ludarium("check", "game", "mine.py", "--games", "1")[:2] == (0, "passed: mine, 1 games\n")
    assert ludarium("check", "game", "no.py")[2].startswith("ludarium: the file 'no.py' registers no game;")
    assert ludarium("check", "game", "none.py")[2].startswith(
        "ludarium: the file 'none.py' cannot be run: there is none; relative paths start at "
    )
    (tmp_path / "no.py").write_text("raise SystemExit(3)")
    assert ludarium("check", "game", "no.py") == (2, "", "ludarium: the file 'no.py' cannot be run: SystemExit(3)\n")


def test_the_version(ludarium):
    import ludarium as package

    assert ludarium("--version") == (0, f"ludarium {package.__version__}\n", "")
