"""What all evolving learners share: generations, budgets, presets, Ctrl-C, members, the command."""

import contextlib
import json
import os
import re
import signal
import time

import numpy as np
import pytest

from ludarium.agents import check_agent, make_agent
from ludarium.agents.genetic.gaia import GAIA
from ludarium.agents.genetic.ifthen import IFTHEN
from ludarium.agents.genetic.ifthen.original import Original
from ludarium.agents.learning.evolution import sample_place
from ludarium.agents.learning.measure import against_random
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.chance import stream
from ludarium.envs.registry import make_game


def short(**options):
    defaults = {"game": "hexapawn", "games": 800, "seed": 3, "population": 16, "checkpoints": 4, "test_games": 20}
    return Original(**defaults | options)


def contents(folder):
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def metrics(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run: the options, and the folder."""
    config = short()
    return config, train(config, tmp_path_factory.mktemp("run"))


def test_each_generation_has_a_line_and_each_game_is_counted(run):
    config, folder = run
    lines = metrics(folder)
    manifest = json.loads((folder / "checkpoint.json").read_text())
    assert [line["generation"] for line in lines] == list(range(1, len(lines) + 1))
    assert manifest["generations"] == len(lines) > 10
    largest = config.largest_generation(make_game("hexapawn"))
    games = [line["games"] for line in lines]
    assert all(0 < later - before <= largest for before, later in zip([0, *games], games, strict=False))
    assert config.games - largest < games[-1] == manifest["games"] <= config.games
    assert 3 * games[-1] < lines[-1]["decisions"] == manifest["decisions"]
    for name in ("best", "mean", "diversity", "rule_share", "draws"):
        assert all(0 <= line[name] <= 1 for line in lines)
        assert all(line[name] == round(line[name], 6) for line in lines)
    assert lines[0]["rule_share"] < lines[-1]["rule_share"]


def test_the_champion_is_measured_at_even_steps_and_at_the_end(run):
    _, folder = run
    measured = [line for line in metrics(folder) if "score" in line]
    assert [line["games"] // 200 for line in measured[:3]] == [1, 2, 3]
    assert len(measured) == 4
    assert "score" in metrics(folder)[-1]
    assert [line["test_games"] for line in measured] == [40, 80, 120, 160]  # against two opponents


def test_generations_bound_a_run_too(tmp_path):
    lines = metrics(train(short(games=0, generations=5), tmp_path))
    assert len(lines) == 5
    assert [line["generation"] for line in lines if "score" in line] == [1, 2, 3, 5]


@pytest.mark.parametrize(
    ("options", "generations", "said"),
    [
        ({"games": 0, "generations": 0}, None, ""),  # the learner's usual budget
        ({"games": 0, "generations": 4}, 4, ""),
        ({"games": 300, "generations": 0}, None, ""),
        ({"games": 60, "generations": 4}, 4, "4 generations, {games} games: generations=4 counted, more than games=60"),
        (
            {"games": 300, "generations": 3},
            None,
            "{generations} generations, {games} games: games=300 counted, more than generations=3",
        ),
    ],
)
def test_the_larger_budget_counts_and_is_named(tmp_path, options, generations, said):
    config = short(**options)
    folder = train(config, tmp_path)
    last = metrics(folder)[-1]
    if generations is not None:
        assert last["generation"] == generations
    else:
        assert config.games - config.largest_generation(make_game("hexapawn")) < last["games"] <= config.games
        assert last["generation"] > 3
    numbers = {"generations": last["generation"], "games": f"{last['games']:,}"}
    assert config.ended(Run.open(config, folder).checkpoint) == said.format(**numbers)


def test_ctrl_c_finishes_the_generation_and_saves_it(tmp_path, run):
    config, whole = run
    usual = signal.getsignal(signal.SIGINT)

    def interrupt(done, total, score):
        if 300 < done < 350:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt, match=r"stopped after 3\d\d of 800 games; run the same command to continue"):
        train(config, tmp_path, progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is usual
    assert 300 < json.loads((tmp_path / "checkpoint.json").read_text())["games"] < 400
    assert metrics(tmp_path) == metrics(whole)[: len(metrics(tmp_path))]
    train(config, tmp_path)
    assert contents(tmp_path) == contents(whole)


def test_the_command_says_where_ctrl_c_stopped_it(ludarium, tmp_path, monkeypatch):
    generation = Original.generation

    def interrupted(self, *arguments):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        return generation(self, *arguments)

    monkeypatch.setattr(Original, "generation", interrupted)
    code, out, err = ludarium("train", "ifthen", "hexapawn", "--games", "2000", "--out", str(tmp_path))
    assert code == 130
    assert " of 2,000 games; run the same command to continue" in err
    assert "the agent" not in out


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_in_the_last_generation_is_success_and_a_second_one_stops_at_once(tmp_path, times):
    def interrupt(done, total, score):
        for _ in range(times if done else 0):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt) if times == 2 else contextlib.nullcontext():
        assert train(short(games=0, generations=1), tmp_path, progress=interrupt) == tmp_path


def test_a_run_is_an_agent_by_its_path_and_so_is_each_member(run):
    _, folder = run
    game = make_game("hexapawn")
    champion, first, last = (make_agent(f"ifthen:{folder}{end}", game) for end in ("", "?member=0", "?member=15"))
    assert champion.name == f"ifthen:{folder}"
    assert last.name == f"ifthen:{folder}?member=15"
    check_agent(f"ifthen:{folder}", game)
    assert champion.policy.block.tobytes() == first.policy.block.tobytes() != last.policy.block.tobytes()
    assert against_random(game, champion.policy, 100, 1).scores["score"] > 0.7


def test_no_such_member(run):
    _, folder = run
    for member in (16, -1, "x", True):
        with pytest.raises(ValueError, match=rf"member must be an integer from 0 to 15, not {member!r}"):
            make_agent(f"ifthen:{folder}?member={member}", make_game("hexapawn"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generations": -1}, "ifthen: generations must be an integer of at least 0, not -1"),
        ({"games": 48}, "ifthen: a generation may take 49 games; games=48 is less than one"),
        (
            {"game": "hanabi"},
            "ifthen: hanabi cannot be learned; it takes two-seat zero-sum games without hidden information",
        ),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        short(**options)


def test_games_that_are_not_zero_sum_are_refused(higher):
    class Shared(type(higher)):
        zero_sum = False

    for kind in (*IFTHEN.classes, *GAIA.classes):
        with pytest.raises(ValueError, match="higher cannot be learned; it takes two-seat zero-sum games without"):
            kind(game="tictactoe").check(Shared())


def test_the_command_names_the_budget_that_counted(ludarium, tmp_path):
    settings = ("--set", "test_games=20", "--set", "population=4", "--set", "generations=30")
    arguments = ("ifthen", "hexapawn", "--preset", "modern", "--games", "200", "--out", str(tmp_path), *settings)
    code, out, _ = ludarium("train", *arguments)
    assert code == 0
    assert f"games: generations=30 counted, more than games=200\nthe agent: ifthen:{tmp_path}" in out
    manifest = json.loads((tmp_path / "checkpoint.json").read_text())
    assert (manifest["preset"], manifest["options"]["games"], manifest["options"]["population"]) == ("modern", 200, 4)


def test_a_preset_of_a_learner_that_has_none(ludarium):
    code, _, err = ludarium("train", "td", "tictactoe", "--preset", "modern")
    assert code == 2
    assert "td has no presets, so --preset modern cannot be used; these have: ifthen, gaia" in err


def test_a_sample_of_things_that_come_one_by_one_is_uniform():
    taken = np.zeros(6)
    for seed in range(2000):
        sample = [-1, -1]
        for number in range(6):
            place = sample_place(number, 2, stream(seed, number))
            assert 0 <= place <= number
            if place < 2:
                sample[place] = number
        taken[sample] += 1
    assert taken / 2000 == pytest.approx([1 / 3] * 6, abs=0.04)


def test_the_draws_of_a_generation_are_those_of_its_seed_and_number():
    """Other streams would end in other champions than the runs that are described."""
    learner = short(selection="none")
    assert int(learner.key(2, 7)) == 5_474_903_361_972_050_455
    assert learner.ranking(np.arange(6), 2).tolist() == [1, 2, 4, 5, 0, 3]
    assert short().ranking(np.arange(6), 2).tolist() == [0, 1, 2, 3, 4, 5]
