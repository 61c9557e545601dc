"""The command: what it prints, and what it refuses."""

import json
from dataclasses import dataclass, replace

import pytest

from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.genetic.gaia.players import RulePlayers
from ludarium.agents.genetic.ifthen.original import Original
from ludarium.agents.learning import registry
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.inspection import VERBS, Entry, Inspection, position_of
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.registry import make_game
from ludarium.evaluation.inspection.runs import find_population

RULES = """\
gaia:RUN?member=0: tictactoe, weight 7.25
48 rules, in the order in which they fire; uses are counted in 200 games against random, seed 5
P own, C the opponent's, V empty, * anything; in brackets what the action needs
it plays the first rule that matches: by priority, then weight, ties at random; if none matches, a random move
a rule's weight is the wins minus losses of the moves it made

  1     a  b  c   play a1
     1 [V] P  P   wins: completes the row a1 b1 c1
     2  *  *  *   fired 10 times, in 9 positions
     3  *  *  *   weight 0.5, priority 1

  2     a  b  c   play b1
     1  P [V] P   wins: completes the row a1 b1 c1
     2  *  *  *   fired 7 times, in 6 positions
     3  *  *  *   weight 0.5, priority 1

… and 46 more: --all shows them
48 of the 48 minimal tactical rules are present, 100 %
321 of its 728 moves were made by rules, 44.1 %
"""
BY_USE = """
 47     a  b  c   play b3
     1  *  *  *   blocks the row a3 b3 c3
     2  *  *  *   fired 12 times, in 10 positions
     3  C [V] C   weight 0.5, priority 0
"""


def test_rules_in_print(inspect, tactical_run):
    out = inspect(f"gaia:{tactical_run}", "--games", 200, "--seed", 5, "--top", 2).replace(str(tactical_run), "RUN")
    assert out == RULES


def test_rules_by_use_keep_their_numbers(inspect, tactical_run):
    out = inspect(tactical_run, "--games", 200, "--seed", 5, "--top", 1, "--by", "use")
    assert "\n48 rules, by how often they were used in 200 games against random, seed 5\n" in out
    assert BY_USE in out
    data = json.loads(inspect(tactical_run, "--games", 200, "--seed", 5, "--top", 1, "--by", "use", "--json"))
    assert [one["number"] for one in data["rules"]] == [47]


def test_a_rule_stands_for_its_images(inspect, write_rules):
    folder = write_rules("tictactoe", ("PPV******", 2), ("****V****", 4), symmetry=True)
    out = inspect(folder, "--games", 10)
    assert "\n2 rules, each for its 8 mirror images, in the order" in out
    assert "\n8 of the 48 minimal tactical rules are present, 17 %\n" in out
    assert "default: asks for nothing but what its move needs" in out


def test_other_games_have_no_tactical_rules(inspect, write_rules):
    out = inspect(write_rules("hexapawn", ("P**V*****", 1)), "--games", 10)
    assert "weight 0, priority 0" in out
    assert "tactical" not in out


def test_a_map_in_print(inspect, map_run):
    out = inspect(f"ifthen:{map_run}", "--games", 20, "--top", 1)
    data = json.loads(inspect(map_run, "--games", 20, "--json"))
    lines = out.splitlines()
    assert lines[1].endswith("by how often they were used in 20 games against random, seed 0")
    assert lines[2].endswith("were found again, in the 135 positions of the game")
    first = data["pairs"][0]
    assert f"\n  1   3 p p p   white plays {first['move']}\n      2 . . .   used 10 times\n" in out
    assert f"value {round(first['value'], 3):g}, taught by {first['visits']} games\n        a b c\n" in out
    assert f"… and {data['found'] - 1} more: --all shows them" in out
    assert f"{data['map_moves']} of its {data['moves']} moves were made by pairs of a position" in out
    out = inspect(map_run, "--games", 20, "--top", 1, "--positions", 5)
    assert "in the first 5 positions of the game and in those games" in out


def test_all_of_them_and_as_json(inspect, tactical_run, map_run):
    rules = json.loads(inspect(tactical_run, "--games", 20, "--all", "--json"))
    assert len(rules["rules"]) == rules["entries"] == 48
    assert rules["tactical_share"] == 1
    assert rules["agent"] == f"gaia:{tactical_run}?member=0"
    first = rules["rules"][0]
    assert (first["weight"], first["priority"] in (0, 1), len(first["senses"])) == (0.5, True, 9)
    assert first["senses"][first["action"]] == "V"
    pairs = json.loads(inspect(map_run, "--games", 20, "--all", "--json"))
    assert len(pairs["pairs"]) == pairs["found"] == pairs["entries"]
    assert pairs["pairs"][0]["position"] == "ppp/.../PPP w"
    assert "more: --all" not in inspect(tactical_run, "--games", 20, "--all")


def test_another_member(inspect, tactical_run, map_run):
    out = inspect(f"gaia:{tactical_run}?member=1", "--games", 2)
    assert out.startswith(f"gaia:{tactical_run}?member=1: tictactoe, weight -3\n0 rules")
    assert inspect(f"{tactical_run}?member=1", "--games", 2) == out
    assert "?member=2: hexapawn, " in inspect(f"ifthen:{map_run}?member=2", "--games", 2)


def test_members_of_a_ranking_are_told_by_their_place(tmp_path):
    learner = Original(game="hexapawn", population=4)
    arrays = learner.start(make_game("hexapawn"))
    arrays["wins"][:], arrays["games"][:], arrays["order"][:] = (1, 2, 3000, 0), (4, 5, 6000, 0), (2, 0, 3, 1)
    Run(learner, Checkpoint(arrays, games=10)).save(tmp_path)
    population, member = find_population(f"ifthen:{tmp_path}?member=3")
    assert population.merits() == ["won 3,000 of 6,000 games", "won 1 of 4 games", "newborn", "won 2 of 5 games"]
    assert population.spec(member) == f"ifthen:{tmp_path}?member=3"


def test_who_cannot_be_inspected(inspect, tmp_path, tactical_run):
    run = train(TabularQ(game="hexapawn", games=10, checkpoints=1, test_games=2), tmp_path / "q")
    no_run = r"does not come from a run: expected tabular-q:RUN, .*gaia:RUN.*, or the folder"
    for spec, told in (
        (run, "^tabular-q: there is nothing to inspect"),
        (f"tabular-q:{run}", "^tabular-q: there is nothing to inspect"),
        ("random", no_run),
        (tmp_path, no_run),
        ("tabular-q:x", "there is no trained model here"),
        (f"gaia:{tmp_path}", "there is no trained model here"),
        (f"ifthen:{tactical_run}", "the model was trained by 'gaia', not by 'ifthen'"),
        (f"gaia:{tactical_run}?member=4", "member must be an integer from 0 to 3, not 4"),
        (f"gaia:{tactical_run}?place=2", "unknown option 'place'; the options are: member"),
    ):
        with pytest.raises(TypeError if "place" in told else ValueError, match=told):
            inspect(spec)


@dataclass(frozen=True, kw_only=True)
class Parrot(TabularQ):
    """A learner that nothing but its row makes known: it shows what it played, one entry for each move."""

    name = "parrot"

    def inspect(self, game, arrays, member, watch):
        watched = watch.decisions(self.policy(game, arrays))
        position = position_of(game, watched.states[0])
        drawing, move = game.draw(position), game.action_to_str(position, int(watched.actions[0]))
        does = VERBS[watch.effects(watched.states, watched.actions).max()]
        one = Entry(position.text, drawing, move, "", ["fact 1"], 1, 1, {"used": 1})
        two = [one, replace(one, facts=["fact 3"], used=3, data={"used": 3})]
        return Inspection("things", "2 things", two, "as they come", ["head"], [does], {"looked": watch.positions})


def test_a_new_learner_is_inspected_through_its_row(inspect, tmp_path, monkeypatch):
    monkeypatch.setitem(registry._LEARNERS, "parrot", Parrot)
    run = train(Parrot(game="tictactoe", games=10, checkpoints=1, test_games=2), tmp_path / "parrot")
    out = inspect(run, "--games", 4)
    first = out.splitlines()
    assert first[0] == f"parrot:{run}: tictactoe"
    assert first[1] == "2 things, as they come; uses are counted in 4 games against random, seed 0"
    assert first[2] == "head"
    assert first[4].startswith("  1  .../.../... x   play ")
    assert first[5].endswith("   fact 1")
    assert first[-1] in ("wins", "blocks", "forks", "")
    data = json.loads(inspect(f"parrot:{run}", "--games", 4, "--by", "use", "--positions", 7, "--json"))
    assert (data["looked"], data["agent"]) == (7, f"parrot:{run}")
    assert data["things"] == [{"number": 2, "used": 3}, {"number": 1, "used": 1}]
    inspect(run, "--games", 4, "--svg", tmp_path / "picture.svg")
    assert ">1. play " in (tmp_path / "picture.svg").read_text(encoding="utf-8")


def test_a_picture_in_a_new_folder(inspect, tactical_run, tmp_path, monkeypatch):
    inspect(tactical_run, "--games", 2, "--svg", tmp_path / "new" / "folder" / "rules.svg")
    assert (tmp_path / "new" / "folder" / "rules.svg").read_text(encoding="utf-8").startswith("<svg ")
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(RulePlayers, "inspect", pytest.fail)  # refused before the work
    with pytest.raises(
        ValueError, match=r"--svg .*/file/rules\.svg cannot be written: .*/file is a file, not a folder"
    ):
        inspect(tactical_run, "--svg", tmp_path / "file" / "rules.svg")


def test_a_checkpoint_that_a_run_has_kept(tmp_path):
    folder = train(
        Original(game="hexapawn", games=0, generations=4, population=4, checkpoints=2, test_games=2), tmp_path
    )
    for spec in (f"ifthen:{folder}@2?member=1", f"{folder}@2?member=1"):
        run, member = find_population(spec)
        assert (run.checkpoint.generations, member) == (2, 1)
    with pytest.raises(ValueError, match="no checkpoint was kept at 3; these were: 2, 4"):
        find_population(f"ifthen:{folder}@3")
