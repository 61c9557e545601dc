"""Names of entrants: in event files, on the command line, and everywhere in results."""

import json
import re
import shlex

import pytest

from ludarium.evaluation.measures.backgammon.errors import Errors
from ludarium.evaluation.tournament.entrants import renamed
from ludarium.evaluation.tournament.event import GameEntry, Tournament

BOT = "def careful(observation, action_mask, info):\n    return int(action_mask.argmax())\n"
EVENT = """
[agents]
careful = "trusted:bots/careful.py"
"my greedy" = "greedy"

[[games]]
game = "tictactoe"
pairs = 2
opening = 1
agents = ["my greedy", "careful"]
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "careful.py").write_text(BOT)
    return tmp_path


def test_an_event_names_its_agents_and_goes_on(ludarium, folder):
    (folder / "event.toml").write_text(EVENT)
    code, out, err = ludarium("tournament", "event.toml", "--executor", "threads")
    assert (code, err) == (0, "")
    assert "careful.py" not in out
    code, out, _ = ludarium("tournament", "event.toml", "--json", "--executor", "threads")
    (table,) = json.loads(out)["tables"]
    assert (code, {row["agent"]: row["games"] for row in table["rows"]}) == (0, {"careful": 4, "my greedy": 4})
    assert ludarium("report", "event.db")[0] == 0
    (page,) = folder.glob("event-report/*.md")
    assert "| careful |" in page.read_text()


def test_a_list_may_hold_tables_and_named_agents_are_the_same_data():
    listed = {"agents": ["random", {"mine": "greedy"}], "games": [{"game": "tictactoe", "agents": ["mine", "random"]}]}
    tournament = Tournament.from_data(listed)
    assert (tournament.agents, tournament.labels) == (("random", "greedy"), ("random", "mine"))
    assert tournament.entrants(0) == [0, 1]
    assert Tournament.from_data(json.loads(json.dumps(tournament.data()))) == tournament
    plain = Tournament(("random", "greedy", "random"), (GameEntry("tictactoe"),))
    assert plain.data()["agents"] == ["random", "greedy", "random"]
    assert plain.labels == ("random", "greedy", "random (2)")


def test_the_command_names_agents_by_name_or_spec(ludarium):
    given = ("--pairs", 2, "--opening", 1, "--seed", 1, "--json", "--no-isolate", "--executor", "threads")
    results = [
        ludarium("match", "tictactoe", agent, "greedy", "--name", "mine=bots/careful.py", *given)
        for agent in ("mine", "bots/careful.py")
    ]
    one, other = (json.loads(out) for _, out, _ in results)
    assert {row["agent"] for row in one["tables"][0]["rows"]} == {"mine", "greedy"}
    assert one["tables"] == other["tables"]
    assert one["tournament"]["agents"] == [{"mine": "bots/careful.py"}, "greedy"]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["mine"], "--name 'mine': expected NAME=SPEC, such as careful=careful.py"),
        (["x=y.py"], "--name 'x=y.py': neither 'x' nor 'y.py' is one of the agents: a.py, random"),
        (["x=a.py", "x=random"], "--name 'x=random': 'x' is given twice"),
    ],
)
def test_names_that_cannot_be(names, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        renamed(["a.py", "random"], names)


QUICK = "mcts?simulations=9"


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("exact hexapawn --agent quick", {"agent": "quick"}),
        ("analyse hexapawn start --agent quick", {"agent": "quick"}),
        ("yardstick othello-openings quick --games 2 --name 'old=greedy'", {"agent": "quick", "opponent": "old"}),
        ("yardstick backgammon-pubeval quick --games 2", {"agent": "quick", "opponent": "pubeval"}),
        ("yardstick hanabi me --games 2 --name me=random", {"agent": "me"}),
    ],
)
def test_commands_that_measure_show_given_names(output, command, names):
    quick = [] if "me" in command.split() else ["--name", f"quick={QUICK}"]
    data = json.loads(output(*shlex.split(command), *quick, "--json"))
    assert {field: data[field] for field in names} == names


def test_the_judge_of_errors_has_a_name_too(output, monkeypatch):
    def errors(agent, games, seed, *, judge):
        return Errors(agent, judge, games, 0.5, 0.25, ())

    monkeypatch.setattr("ludarium.evaluation.measures.backgammon.errors.errors", errors)
    given = "--name", "me=random", "--judge", "strict", "--name", "strict=expert?ply=1"
    out = output("yardstick", "backgammon-errors", "me", *given)
    assert out.startswith("me in 100 games with itself, judged by strict")


def test_names_that_clash_are_one_clear_error(ludarium):
    code, _, err = ludarium("match", "tictactoe", "greedy", "random", "--name", "random=greedy")
    assert (code, err) == (2, "ludarium: tournament: 2 agents are called 'random'; give each a name of its own\n")
