from dataclasses import asdict, dataclass
from typing import ClassVar

import pytest

from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.learning.presets import Presets
from ludarium.agents.learning.registry import presets_of, register_learner
from ludarium.agents.learning.runs import Run


@dataclass(frozen=True, kw_only=True)
class Old(TabularQ):
    name: ClassVar[str] = "two"
    preset: ClassVar[str] = "seed"
    step: float = 0.5


@dataclass(frozen=True, kw_only=True)
class New(TabularQ):
    name: ClassVar[str] = "two"
    preset: ClassVar[str] = "modern"
    depth: int = 1


TWO = Presets(
    (Old, New),
    lambda options: options.get("method", "seed"),
    {"method": ("modern", "seed"), "noise": (0.0,), "step": (0.5,)},
)
GAME = {"game": "hexapawn"}


def test_the_first_class_counts_where_no_preset_is_given():
    assert TWO.learner(GAME) == Old(**GAME)
    assert TWO.learner(GAME | {"depth": 3}, "modern") == New(**GAME, depth=3)
    assert (TWO.name, TWO.names) == ("two", ["seed", "modern"])


@pytest.mark.parametrize(
    ("options", "preset", "said"),
    [
        ({"depth": 1}, "", "two --preset seed: unknown option 'depth'; it is an option of the preset 'modern'"),
        ({"step": 1}, "modern", "two --preset modern: unknown option 'step'; it is an option of the preset 'seed'"),
        ({"method": "modern"}, "", "'method'; method='modern' is the preset 'modern' now"),
        ({"method": "luck"}, "", "unknown option 'method'; the options are: game, seed, checkpoints"),
        ({"noise": 0.2}, "modern", "unknown option 'noise'; the options are: game, seed, checkpoints"),
        ({"stp": 1}, "seed", r"unknown option 'stp'; did you mean 'step'\? the options are: game, seed, checkpoints"),
        ({}, "old", "two: unknown preset 'old'; the presets are: seed, modern"),
    ],
)
def test_options_are_those_of_the_preset_alone(options, preset, said):
    with pytest.raises(ValueError, match=said):
        TWO.learner(GAME | options, preset)


def test_classes_of_one_learner_have_one_name_and_different_presets():
    for classes in ((Old, TabularQ), (Old, Old)):
        with pytest.raises(ValueError, match="one name and different presets"):
            Presets(classes)


def test_a_learner_without_presets():
    with pytest.raises(ValueError, match="tabular-q has no presets, so --preset modern cannot be given"):
        presets_of(TabularQ).learner(GAME, "modern")


def test_runs_of_earlier_versions_are_understood():
    old, new = asdict(Old(**GAME)), asdict(New(**GAME, depth=2))
    assert TWO.of_run(old, None) == Old(**GAME)
    assert TWO.of_run(new | {"method": "modern", "noise": 0.0}, None) == New(**GAME, depth=2)
    assert TWO.of_run(new, "modern") == New(**GAME, depth=2)
    assert TWO.lacks(old | {"noise": 0.2}, None) == "noise=0.2"
    assert TWO.lacks(old | {"noise": 0.0}, None) == ""
    with pytest.raises(ValueError, match="unknown option 'depth'"):
        TWO.of_run(new, "seed")


def test_a_run_of_one_preset_is_not_continued_by_another(tmp_path, monkeypatch):
    monkeypatch.setattr("ludarium.agents.learning.registry._LEARNERS", {"two": TWO})
    run = Run.open(New(**GAME), tmp_path)
    Run(run.learner, type(run.checkpoint)(run.arrays, games=1)).save(tmp_path)
    assert Run.load(tmp_path, TWO).learner == New(**GAME)
    with pytest.raises(ValueError, match="the run in this folder has preset='modern', not 'seed'"):
        Run.open(Old(**GAME), tmp_path)


def test_a_run_with_an_option_that_is_gone_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("ludarium.agents.learning.registry._LEARNERS", {"two": TWO})
    Run.open(New(**GAME), tmp_path)
    file = tmp_path / "checkpoint.json"
    file.write_text(file.read_text().replace('"depth": 1', '"depth": 1, "noise": 0.2'))
    with pytest.raises(ValueError, match=r": trained with noise=0.2, which this version does not have; train aga"):
        Run.load(tmp_path, TWO)


def test_presets_are_registered_by_name(monkeypatch):
    monkeypatch.setattr("ludarium.agents.learning.registry._LEARNERS", {})
    register_learner(TWO)
    assert presets_of(New) is TWO
    with pytest.raises(ValueError, match="already a learner called 'two'"):
        register_learner(TWO)
