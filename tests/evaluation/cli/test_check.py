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
class Tic{0}(TicTacToe):
    name = "{0}"
    title = "{0}"

    def configure(self):
        super().configure()
        self.payoff_range = ({1}, {2})
"""
BAD = "failed: bots.py:bad in tictactoe, 20 games\nthe agent 'bots.py:bad' returned 0, which is not"
NONE = "ludarium: the file 'none.py' cannot be run: there is none; relative paths start at "


@pytest.fixture(autouse=True)
def files(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots.py").write_text(AGENTS)
    (tmp_path / "right.py").write_text(GAME.format("right", -1.0, 1.0))
    (tmp_path / "broken.py").write_text(GAME.format("broken", 0.0, 0.5))
    (tmp_path / "no.py").write_text("x = 1")
    (tmp_path / "exit.py").write_text("raise SystemExit(3)")


@pytest.mark.parametrize(
    ("command", "status", "told"),
    [
        ("agent bots.py:good tictactoe --games 2", 0, "passed: bots.py:good in tictactoe, 4 games\n"),
        ("agent bots.py:bad tictactoe", 1, BAD),
        ("agent perfect othello", 2, "ludarium: "),
        ("game tictactoe?rows=4 --games 2", 0, "passed: tictactoe?rows=4, 2 games\n"),
        ("game right.py --games 1", 0, "passed: right, 1 games\n"),
        ("game broken.py --games 1", 1, "failed: broken, 1 games\n"),
        ("game no.py", 2, "ludarium: the file 'no.py' registers no game;"),
        ("game none.py", 2, NONE),
        ("game exit.py", 2, "ludarium: the file 'exit.py' cannot be run: SystemExit(3)\n"),
    ],
)
def test_verdicts(ludarium, command, status, told):
    code, out, err = ludarium("check", *command.split())
    assert code == status
    assert (err if status == 2 else out).startswith(told)


def test_the_version(output):
    import ludarium as package

    assert output("--version") == f"ludarium {package.__version__}\n"
