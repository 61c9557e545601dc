"""What all learners share: options, checkpoints, resuming, metrics, mirror images, agents by path, the command."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents import check_agent, make_agent
from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.learning.checkpoint import file_name, kept_checkpoints
from ludarium.agents.learning.learner import Takes
from ludarium.agents.learning.measure import against_greedy, against_random, measure
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.search.greedy import greedy
from ludarium.agents.search.solver import perfect
from ludarium.envs.registry import make_game

LEARNERS = (TabularQ, TD)
ANY = Takes(seats=0, zero_sum=False, chance=True, hidden=True)


def short(kind, **options):
    return kind(**{"game": "tictactoe", "games": 600, "seed": 3, "checkpoints": 3, "test_games": 100} | options)


def contents(folder):
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture(scope="module", params=LEARNERS, ids=lambda kind: kind.name)
def run(request, tmp_path_factory):
    """A short run of each learner: the options, and the folder."""
    config = short(request.param)
    return config, train(config, tmp_path_factory.mktemp(config.name))


def test_a_run_leaves_a_manifest_arrays_and_metrics(run):
    config, folder = run
    ends = [("", 600), *((f"checkpoints/{games}/", games) for games in (200, 400, 600))]
    kept = {f"{place}{name}" for place, n in ends for name in ("checkpoint.json", f"arrays-{n:012}.npz")}
    assert set(contents(folder)) == {"metrics.jsonl", *kept}
    manifest = json.loads((folder / "checkpoint.json").read_text())
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["games"] for line in lines] == [200, 400, 600]
    assert [line["test_games"] for line in lines] == [200, 400, 600]  # against two opponents
    assert manifest["learner"] == config.name
    assert manifest["games"] == 600
    assert manifest["test_games"] == 600
    assert 5 * 600 <= manifest["decisions"] == lines[-1]["decisions"] <= 9 * 600
    game = make_game("tictactoe")
    strong = against_greedy(game, make_agent(f"{config.name}:{folder}", game).policy, 100, 3)
    assert {"score_greedy": lines[-1]["score_greedy"]} == strong.scores
    assert lines[-1]["score"] == (lines[-1]["score_first"] + lines[-1]["score_second"]) / 2 > 0.8


def test_a_finished_run_is_left_as_it_is(run):
    config, folder = run
    before = contents(folder)
    seen = []
    train(config, folder, progress=lambda *told: seen.append(told))
    assert contents(folder) == before
    assert seen == [(600, 600, "")]


def test_greedy_against_itself_scores_a_half():
    """With the same chance, exchanged seats give the same game; `perfect` scores more."""
    game = make_game("tictactoe")
    assert against_greedy(game, greedy(game), 100, 1).scores == {"score_greedy": 0.5}
    assert measure(game, perfect(game), 100, 1).scores["score_greedy"] > 0.5


def test_measurements_by_value():
    game = make_game("tictactoe")
    scores = {"score": 0.98, "score_first": 0.99, "score_second": 0.97, "score_greedy": 0.5}
    assert measure(game, greedy(game), 101, 1) == (scores, 200, "random 98.0 %, greedy 50.0 %")
    assert against_random(game, greedy(game), 1, 1).games == against_greedy(game, greedy(game), 1, 1).games == 2
    team = measure(make_game("hanabi"), greedy(make_game("hanabi")), 2, 1)
    assert team == ({"score": 0.66, "points": 16.5}, 2, "team 16.50")


def test_measurements_with_three_seats_and_of_hidden_cards():
    game = make_game(
        "hanabi?seats=3&score=zero-on-bomb"
    )  # players that do not cooperate score nothing, which is a draw
    assert against_random(game, greedy(game), 7, 1) == ({"score": 0.5, "by_seat": [0.5] * 3}, 6, "random 50.0 %")
    assert against_greedy(game, greedy(game), 7, 1) == ({}, 0, "")


class Stop(Exception):
    pass


@pytest.mark.parametrize("when", [1, 15, 30, 45])
def test_resume_after_an_interruption_anywhere(run, tmp_path, when):
    config, folder = run
    calls = iter(range(1000))

    def stop(done, total, text):
        if next(calls) == when:
            raise Stop

    with pytest.raises(Stop):
        train(config, tmp_path, progress=stop)
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"games": 500, "decis')  # a torn line
    train(config, tmp_path)
    assert contents(tmp_path) == contents(folder)


def test_resume_after_kill_9(tmp_path, kill_training):
    config = short(TabularQ, games=30_000, checkpoints=60)
    program = (
        "import sys; from ludarium.agents.learning.run import train; "
        "from ludarium.agents.baselines.tabular_q import TabularQ; "
        "train(TabularQ(game='tictactoe', games=30_000, seed=3, checkpoints=60, test_games=100), sys.argv[1])"
    )
    folder = tmp_path / "killed"
    for lines in (3, 20):
        kill_training(program, folder, lines)
    train(config, folder)
    assert contents(folder) == contents(train(config, tmp_path / "whole"))


def test_a_run_is_an_agent_by_its_path(run):
    config, folder = run
    spec = f"{config.name}:{folder}"
    game = make_game("tictactoe")
    agent = make_agent(spec, game)
    assert agent.name == spec
    assert agent.policy is not None
    check_agent(spec, game)
    assert against_random(game, agent.policy, 100, 1).scores["score"] > 0.8


def test_a_kept_checkpoint_is_the_agent_that_the_run_was(run, tmp_path):
    config, folder = run

    def stop(done, total, text):
        if done > 200:
            raise Stop

    with pytest.raises(Stop):
        train(config, tmp_path, progress=stop)
    stopped, kept = Run.load(tmp_path, type(config)), Run.load(folder / "checkpoints" / "200", type(config))
    assert (kept.learner, kept.checkpoint.games) == (config, stopped.checkpoint.games) == (config, 200)
    for name, array in stopped.arrays.items():
        np.testing.assert_array_equal(kept.arrays[name], array)
    game, spec = make_game("tictactoe"), f"{config.name}:{folder}@200"
    agent, whole = make_agent(spec, game), Run.load(folder, type(config))
    early, late = (config.policy(game, one.arrays) for one in (kept, whole))
    assert agent.name == spec
    assert agent.policy.block.tobytes() == early.block.tobytes() != late.block.tobytes()
    if config.name == "td":  # and an evaluation
        block = make_agent(f"greedy?evaluation={spec}", game).policy.block.tobytes()
        by_folder = make_agent(f"greedy?evaluation=td:{folder}/checkpoints/200", game).policy.block.tobytes()
        assert block == by_folder != make_agent(f"greedy?evaluation=td:{folder}", game).policy.block.tobytes()


@pytest.mark.parametrize(
    ("checkpoints", "keep", "kept"),
    [(10, 10, range(60, 601, 60)), (10, 3, [180, 360, 600]), (2, 10, [300, 600]), (4, 1, [600]), (4, 0, [])],
)
def test_how_many_checkpoints_are_kept(tmp_path, checkpoints, keep, kept):
    train(short(TabularQ, checkpoints=checkpoints, test_games=2), tmp_path, keep=keep)
    assert kept_checkpoints(tmp_path) == list(kept)


def test_what_a_crash_left_ahead_of_the_checkpoint_is_dropped(run, tmp_path):
    config, folder = run

    def stop(done, total, text):
        if done == 400:
            raise Stop

    with pytest.raises(Stop):
        train(config, tmp_path, progress=stop)
    assert kept_checkpoints(tmp_path) == [200, 400]
    for name, data in contents(folder / "checkpoints" / "200").items():  # the run itself is still there
        (tmp_path / name).write_bytes(data)
    Run.open(config, tmp_path)
    assert kept_checkpoints(tmp_path) == [200]
    (tmp_path / "checkpoints" / "400").mkdir()
    (tmp_path / "checkpoints" / "400" / "arrays-000000000400.npz").write_text("torn: its manifest is still to come")
    assert kept_checkpoints(tmp_path) == [200]
    train(config, tmp_path)
    assert contents(tmp_path) == contents(folder)


def test_a_checkpoint_that_was_not_kept(run, tmp_path):
    config, folder = run
    game = make_game("tictactoe")
    with pytest.raises(ValueError, match="no checkpoint was kept at 300; these were: 200, 400, 600"):
        make_agent(f"{config.name}:{folder}@300", game)
    bare = train(short(type(config), games=10, test_games=2), tmp_path / "me@home", keep=0)
    assert make_agent(f"{config.name}:{bare}", game).policy is not None  # an @ that names no number
    with pytest.raises(ValueError, match="no checkpoint is kept here, so there is none at 10; train with --keep 10"):
        make_agent(f"{config.name}:{bare}@10", game)
    with pytest.raises(ValueError, match="train: keep must be an integer of at least 0, not -1"):
        train(config, tmp_path, keep=-1)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 0}, "games must be an integer of at least 1, not 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, not -1"),
        ({"games": 10**20}, "games must be an integer of at most 1000000000000, not 100000000000000000000"),
        ({"checkpoints": 10**12}, "checkpoints must be an integer of at most 1000000, not 1000000000000"),
        ({"test_games": 10**9}, "test_games must be an integer of at most 10000000, not 1000000000"),
        ({"checkpoints": 1.5}, "checkpoints must be an integer of at least 1, not 1.5"),
        ({"test_games": True}, "test_games must be an integer of at least 2, not True"),
        ({"epsilon": 2}, "epsilon must be a number from 0 to 1, not 2"),
        ({"epsilon": float("nan")}, "epsilon must be a number from 0 to 1, not nan"),
        ({"alpha": True}, "not True"),
        ({"epsilon": "much"}, "epsilon must be a number from 0 to 1, not 'much'"),
        ({"symmetry": 1}, "symmetry must be True or False, not 1"),
        ({"gamma": 1.0}, "unknown option 'gamma'; the options are: game, seed, checkpoints"),
        ({"game": "hanabi"}, "hanabi cannot be learned; it takes two-seat zero-sum games without"),
        ({"game": "chess"}, "unknown game 'chess'"),
    ],
)
def test_wrong_options(kind, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        kind.from_options({"game": "tictactoe"} | options)


def test_a_learner_that_does_not_take_chance():
    with pytest.raises(ValueError, match="tabular-q: backgammon cannot be learned; it takes two-seat"):
        TabularQ(game="backgammon")


@pytest.mark.parametrize(
    ("takes", "text", "refused"),
    [
        (Takes(), "two-seat zero-sum games without chance and without hidden information", "backgammon"),
        (Takes(chance=True), "two-seat zero-sum games without hidden information", "hanabi"),
        (ANY, "any game", ""),
        (replace(ANY, seats=1), "one-seat games", "tictactoe"),
        (replace(ANY, seats=3), "3-seat games", "tictactoe"),
        (replace(ANY, zero_sum=True), "zero-sum games", "hanabi?seats=3"),
        (replace(ANY, cooperative=True), "cooperative games", "backgammon"),
        (replace(ANY, chance=False), "games without chance", "backgammon hanabi?seats=3"),
        (replace(ANY, hidden=False), "games without hidden information", "hanabi?seats=3"),
    ],
)
def test_the_games_that_a_learner_takes(takes, text, refused):
    assert str(takes) == text
    games = ("tictactoe", "backgammon", "hanabi", "hanabi?seats=3")
    assert not set(refused.split()) - {spec for spec in games if takes.refuses(make_game(spec))}
    assert refused or not any(takes.refuses(make_game(spec)) for spec in games)


def test_a_missing_option():
    with pytest.raises(ValueError, match="tabular-q: the option 'game' is missing"):
        TabularQ.from_options({})


def test_another_run_in_the_folder(run):
    config, folder = run
    before = contents(folder)
    with pytest.raises(ValueError, match="has seed=3, not 4; give the same options to continue it, or choose another"):
        train(short(type(config), seed=4), folder)
    other = LEARNERS[type(config) is TabularQ]
    with pytest.raises(ValueError, match=f"the model was trained by '{config.name}', not by '{other.name}'"):
        train(short(other), folder)
    assert contents(folder) == before


FILES = ["checkpoint.json", "metrics.jsonl", "arrays-000000000100.npz", "arrays-x.npz.part", "run.json", "model.zip"]


@pytest.mark.parametrize("name", FILES[1:])
def test_something_else_in_the_folder(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(ValueError, match=f"the folder holds something else, {name}; choose another folder"):
        train(short(TD), tmp_path)
    assert contents(tmp_path) == {name: b"mine"}


def test_a_run_is_told_its_game_by_a_spec():
    game = make_game("tictactoe")
    with pytest.raises(ValueError, match="tabular-q: game must be the spec of a game, not "):
        short(TabularQ, game=game)


def test_an_empty_file_of_metrics_is_nothing(tmp_path):
    (tmp_path / "metrics.jsonl").touch()
    assert (train(short(TabularQ, games=10), tmp_path) / "checkpoint.json").exists()


def test_stopped_before_the_first_checkpoint(run, tmp_path):
    config, folder = run

    def stop(done, total, text):
        if done:
            raise Stop

    with pytest.raises(Stop):
        train(short(type(config), seed=4), tmp_path, progress=stop)
    for name in ("arrays-000000000200.npz", "arrays-000000000200.npz.part", "checkpoint.json.part"):
        (tmp_path / name).write_text("what a kill leaves")
    with pytest.raises(ValueError, match="no trained model here yet: the run has not reached a checkpoint"):
        make_agent(f"{config.name}:{tmp_path}", make_game("tictactoe"))
    train(config, tmp_path)  # nothing was learned, so the options may be others
    assert contents(tmp_path) == contents(folder)


def test_another_game(run):
    config, folder = run
    with pytest.raises(ValueError, match="the model was trained on tictactoe, not on hexapawn"):
        make_agent(f"{config.name}:{folder}", make_game("hexapawn"))


def test_one_agent_with_a_run_for_each_game(tmp_path):
    specs = "tictactoe", "hexapawn?rows=4&columns=3"
    for spec in specs:
        train(TabularQ(game=spec, games=200, test_games=2), tmp_path / file_name(make_game(spec).spec))
    for spec in specs:
        game = make_game(spec)
        own = make_agent(f"tabular-q:{tmp_path / file_name(game.spec)}", game)
        assert make_agent(f"tabular-q:{tmp_path}", game).policy.block.tobytes() == own.policy.block.tobytes()
    with pytest.raises(ValueError, match="there is no trained model here"):
        make_agent(f"tabular-q:{tmp_path}", make_game("hexapawn"))
    (tmp_path / "hexapawn").mkdir()
    with pytest.raises(ValueError, match="hexapawn: there is no trained model here"):
        make_agent(f"tabular-q:{tmp_path}", make_game("hexapawn"))


def test_no_run(tmp_path):
    with pytest.raises(ValueError, match=r"there is no trained model here: it has no checkpoint\.json"):
        make_agent(f"td:{tmp_path}", make_game("tictactoe"))


def test_a_folder_is_asked_for():
    with pytest.raises(ValueError, match="td: the folder of a run is missing; give td:FOLDER"):
        make_agent("td:", make_game("tictactoe"))


@pytest.fixture
def copied(tmp_path):
    """A run that may be damaged."""
    return train(short(TD, games=10, checkpoints=1), tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "checkpoint.json: this is not the manifest of a trained model"),
        ("[]", "checkpoint.json: this is not the manifest of a trained model"),
        ("[" * 100_000, "checkpoint.json: this is not the manifest of a trained model"),
        ('{"schema": true, "learner": "td"}', "checkpoint.json: the schema must be 1, not True"),
        ('{"schema": 9, "learner": "td"}', "checkpoint.json: the schema must be 1, not 9; update Ludarium or train"),
        ('{"schema": 1, "learner": "td"}', "the trained model is damaged: 'options'"),
    ],
)
def test_a_damaged_manifest(copied, text, message):
    (copied / "checkpoint.json").write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)):
        Run.load(copied, TD)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("games", -1, "counts must be integers of at least 0, not -1"),
        ("games", 1.5, "counts must be integers of at least 0, not 1.5"),
        ("games", True, "counts must be integers of at least 0, not True"),
        ("games", float("inf"), "counts must be integers of at least 0, not inf"),
        ("games", 11, "games must be at most the budget, 10, not 11"),
        ("decisions", 2**63, "counts must be integers of at least 0, not 9223372036854775808"),
        ("decisions", -1, "counts must be integers of at least 0, not -1"),
        ("test_games", 1.5, "counts must be integers of at least 0, not 1.5"),
        ("generations", None, "counts must be integers of at least 0, not None"),
        ("arrays", 5, ""),
        ("options", 5, ""),
        ("options", {"game": 5, "games": 10}, "td: game must be the spec of a game, not 5"),
    ],
)
def test_a_manifest_with_other_values(copied, key, value, message):
    manifest = json.loads((copied / "checkpoint.json").read_text())
    (copied / "checkpoint.json").write_text(json.dumps(manifest | {key: value}))
    with pytest.raises(ValueError, match=re.escape(f"the trained model is damaged: {message}")):
        Run.load(copied, TD)


@pytest.mark.parametrize(("offset", "value"), [(8, 1), (10, 99)], ids=["encrypted", "unknown compression"])
def test_arrays_that_cannot_be_unpacked(copied, offset, value):
    (file,) = copied.glob("arrays-*.npz")
    data = bytearray(file.read_bytes())
    data[data.index(b"PK\x01\x02") + offset] = value  # the directory's entry of the first array
    file.write_bytes(data)
    with pytest.raises(ValueError, match="the trained model is damaged: "):
        Run.load(copied, TD)


def test_a_run_that_goes_on_while_it_is_read(copied, monkeypatch):
    read, run = Path.read_bytes, Run.load(copied, TD)

    def late(path):
        now = run.checkpoint
        if now.moment and path.name == f"arrays-{now.moment:012}.npz":  # the run saves before this is read
            replace(run, checkpoint=replace(now, games=now.games - 1)).save(copied)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", late)
    assert Run.load(copied, TD).checkpoint.games == run.checkpoint.games - 1


def test_damaged_arrays(copied):
    (file,) = copied.glob("arrays-*.npz")
    whole = file.read_bytes()
    for data in (b"", whole[:100], b"x" * 1000):
        file.write_bytes(data)
        with pytest.raises(ValueError, match=r"the trained model is damaged: it is not an \.npz file"):
            Run.load(copied, TD)
    file.unlink()
    with pytest.raises(ValueError, match=f"the trained model is damaged: there is no {file.name}"):
        Run.load(copied, TD)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (TD, lambda arrays: arrays.pop("squares")),
        (TD, lambda arrays: arrays.update(weights=arrays["weights"].astype(float))),
        (TD, lambda arrays: arrays.update(weights=arrays["weights"][:, :-1])),
        (TD, lambda arrays: arrays.update(squares=arrays["squares"] + 1)),
        (TabularQ, lambda arrays: arrays.pop("keys")),
        (TabularQ, lambda arrays: arrays.update(keys=arrays["keys"][:-1], values=arrays["values"][:-1])),
        (TabularQ, lambda arrays: arrays.update(values=arrays["values"][:-1])),
        (TabularQ, lambda arrays: arrays.update(values=arrays["values"].astype(np.float32))),
        (TabularQ, lambda arrays: arrays["keys"].fill(1)),  # no empty slot: a search would not end
    ],
)
def test_other_arrays_than_expected(tmp_path, kind, change):
    train(short(kind, games=10, checkpoints=1), tmp_path)
    (file,) = tmp_path.glob("arrays-*.npz")
    with np.load(file) as stored:
        arrays = dict(stored)
    change(arrays)
    np.savez(file, **arrays)
    with pytest.raises(ValueError, match=f"the trained model is damaged: its arrays are not those of {kind.name}"):
        Run.load(tmp_path, kind)


def test_the_command(ludarium, tmp_path, run):
    config, folder = run
    settings = ("--set", "checkpoints=3", "--set", "test_games=100")
    arguments = (config.name, "tictactoe?rows=3", "--games", "600", "--seed", "3", "--out", str(tmp_path), *settings)
    code, out, _ = ludarium("train", *arguments)
    assert code == 0
    assert f"the agent: {config.name}:{tmp_path}" in out
    assert contents(tmp_path) == contents(folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sarsa", "tictactoe"), "unknown learner 'sarsa'; known: tabular-q, td, sb3, ifthen, gaia"),
        (("td", "tictactoe", "--steps", "9"), "td counts its budget in --games, not in --steps"),
        (("td", "tictactoe", "--opponent", "greedy"), "td: unknown option 'opponent'"),
        (("td", "tictactoe", "--set", "epsilon"), "--set takes an option of the learner, such as test_games=100, not"),
        (("td", "tictactoe", "--set", "gamma=3"), "td: unknown option 'gamma'"),
    ],
)
def test_mistakes_in_the_command(ludarium, arguments, message):
    code, _, err = ludarium("train", *arguments)
    assert code == 2
    assert message in err
