"""The wheel alone in an empty environment, as a stranger installs it: `make test-wheel`."""

import re

import pytest

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(1200)]
MEGABYTES = 400


@pytest.fixture(scope="module")
def plain(install):
    return install()


def test_nothing_of_the_sources_is_on_any_path(plain):
    shown, _ = plain.run("python", "-c", "import ludarium, sys; print(ludarium.__file__, *sys.path, sep='\\n')")
    package, *paths = shown.splitlines()
    assert package.startswith(str(plain.environment))
    assert [path for path in paths if path.endswith("src")] == []
    assert re.fullmatch(r"ludarium \S+\n", plain.run("python", "-m", "ludarium", "--version")[0])


def test_the_arena_plays_all_five_games(plain):
    shown = plain.output("arena --pairs 2")
    for title in ("Hexapawn", "Tic-tac-toe", "Hanabi", "Othello", "Backgammon"):
        assert re.search(rf"^{title}.*: ", shown, re.MULTILINE), shown
    (page,) = re.findall(r"^report: (.*)", shown, re.MULTILINE)
    assert "<html" in (plain.work / page).read_text()


def test_what_it_trains_is_proved(plain):
    plain.output("train gaia tictactoe --preset modern --games 2000 --out runs/rules")
    assert "NashConv" in plain.output("exact tictactoe --agent gaia:runs/rules")


def test_its_examples_play(plain):
    plain.output("examples mine")
    assert "passed: connect_four" in plain.output("check game mine/connect_four.py --games 2")
    plain.output("match tictactoe random greedy --pairs 2 --opening 1")


def test_it_takes_no_more_space_than_it_says(plain):
    """With the compiled code of all that was played above, and pip."""
    files = [file for file in plain.environment.rglob("*") if file.is_file() and not file.is_symlink()]
    assert sum(512 * file.stat().st_blocks for file in files) < MEGABYTES * 2**20


@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("table --no-browser", "web"),
        ("train sb3:ppo tictactoe", "rl"),
        ("match tictactoe greedy random --executor dask:tcp://127.0.0.1:1", "scale"),
        ("match backgammon bgsage random", "backgammon"),
        ("match tictactoe openspiel_bot.py random", "oracles"),
    ],
)
def test_a_command_names_the_extra_that_it_misses(plain, line, extra):
    assert plain.refusal(line).endswith(f': pip install "ludarium[{extra}]"')
