"""What all presets of Gengammon share: agents, decisions, old runs, and bad input."""

import re
from dataclasses import asdict, replace

import numpy as np
import pytest

from ludarium.agents.genetic.gengammon import GENGAMMON
from ludarium.agents.genetic.gengammon.examples import decisions_of
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.decision_files import load, save
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")
PRESETS = pytest.mark.parametrize("preset", list(GENGAMMON.names))


def test_every_decision_is_seen_once_in_an_epoch(learner):
    some = learner("seed", batch=400, contradicting="all")
    seen = np.concatenate([some.batch_of(number) for number in range(4)])
    assert len(set(seen.tolist())) == len(seen) == 1600  # of 1,800
    assert len(learner("seed", batch=0, contradicting="all").batch_of(3)) == 1800


def test_decisions_of_ones_own(tmp_path, few, learner, trained):
    own = load(few).select(np.arange(2000) < 300)
    save(own, tmp_path / "own.npz")
    trained(tmp_path / "run", "modern", decisions=str(tmp_path / "own.npz"))
    save(replace(own, held_out=np.ones(300, dtype=bool)), tmp_path / "all.npz")
    with pytest.raises(ValueError, match="all decisions are held out; make the file again with a smaller --held-out"):
        learner("modern", decisions=str(tmp_path / "all.npz")).start(GAME)
    (tmp_path / "own.npz").unlink()
    decisions_of.cache_clear()
    make_agent(f"gengammon:{tmp_path / 'run'}", GAME)  # a network that has learned needs no file


def test_decisions_that_do_not_fit_are_refused(learner):
    other = learner("seed", game="backgammon?variant=nackgammon")
    with pytest.raises(ValueError, match="the decisions are of standard, not of nackgammon; give decisions=FILE"):
        other.start(other.learned)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.npz"):
        learner("seed", decisions="nowhere.npz").start(GAME)


WRITTEN = {
    "origin": "", "alpha": 0.01, "decay": 0.0, "first_spread": 0.1, "spread": 0.05, "mutants": 8, "validation": 0.0,
    "fitness": "v2", "tournament": 3, "elites": 2, "gene_scale": 0.2, "founders": 1.0, "mutation": "swap",
    "mutation_rate": 1.0, "creep": 0.1, "crossover": "weights", "alternate_every": 100,
}  # fmt: skip
"""Options in the manifests of earlier versions, whatever the method."""


@PRESETS
def test_a_run_of_an_earlier_version_is_of_its_preset(preset, learner):
    """They stored the options of all presets, and a method in place of the preset."""
    own = learner(preset)
    method = {"seed": "genetic", "modern": "neurons", "judged": "neurons"}.get(preset, preset)
    old = {"method": method} | WRITTEN | asdict(own)
    assert GENGAMMON.of_run(old, None) == own
    with pytest.raises(ValueError, match="trained with method='strategy', which this version does not have"):
        GENGAMMON.of_run(old | {"method": "strategy"}, None)
    with pytest.raises(ValueError, match=r"trained with \w+=9, which this version does not have"):
        GENGAMMON.of_run(old | {"spread" if preset == "seed" else "tournament": 9}, None)


@pytest.mark.parametrize(
    ("preset", "options", "message"),
    [
        ("seed", {"game": "othello"}, "gengammon: it learns backgammon, not othello"),
        ("seed", {"inputs": "all"}, "inputs must be one of 'counts', 'tesauro', 'exact', 'stacks', 'threats', not 'al"),
        (
            "seed",
            {"fitness": "v4"},
            "fitness must be one of 'v1', 'v2', 'v3', 'v3-literal', 'v3-coded', 'likelihood', not 'v4'",
        ),
        ("seed", {"games": 100}, "the budget is in generations, so give generations, not games=100"),
        ("games", {"games": 10**6}, "the budget is in generations, so give generations, not games=1000000"),
        ("seed", {"elites": 8}, "elites must be below the population, 8, not 8"),
        ("seed", {"mutation_rate": -1}, "mutation_rate must be a number from 0 to 1000000, not -1"),
        ("seed", {"generations": 10**9 + 1}, "generations must be an integer of at most 1000000000, not 1000000001"),
        ("seed", {"founders": 2}, "founders must be a number from 0 to 1, not 2"),
        ("seed", {"gene_scale": 0}, "gene_scale must be a number from 1e-06 to 1000, not 0"),
        (
            "seed",
            {"inputs": "tesauro"},
            "activation=wrap goes with inputs=counts and output=sum, not with inputs=tesauro and output=sum; give "
            "activation=tanh, for example",
        ),
        ("modern", {"activation": "wrap"}, "activation must be one of 'identity', 'tanh', 'sigmoid', 'relu', 'cubic'"),
        ("modern", {"decay": -1}, "decay must be a number from 0 to 10, not -1"),
        ("modern", {"validation": 0.9}, "validation must be a number from 0 to 0.5, not 0.9"),
        ("modern", {"mutants": 0}, "mutants must be an integer of at least 1, not 0"),
        ("modern", {"population": 10}, "population must be 100, not 10, because one network learns"),
        ("backprop", {"breeding": "none"}, "breeding must be 'parents', not 'none', because one network learns"),
        ("backprop", {"selection": "none"}, "selection must be one of 'merit', not 'none'"),
        ("games", {"batch": 3, "population": 8}, "each of the 4 pairs of the population needs dice; give a batch of a"),
        ("games", {"hidden": 1000}, "networks with mutants have fewer than 131,072 weights; with hidden=1000 there"),
        ("modern", {"output": "outcomes"}, "output='outcomes' is the preset 'judged' now"),
        ("judged", {"output": "weights"}, "output must be one of 'outcomes', not 'weights'"),
        ("modern", {"method": "games"}, "unknown option 'method'; method='games' is the preset 'games' now"),
        ("seed", {"method": "backprop"}, "unknown option 'method'; method='backprop' is the preset 'backprop' now"),
        ("seed", {"method": "strategy"}, "unknown option 'method'; the options are: game, seed"),
        ("modern", {"fitness": "v2"}, "unknown option 'fitness'; it is an option of the preset 'seed'"),
        ("seed", {"mutants": 8}, "unknown option 'mutants'; it is an option of the presets 'modern' and 'judged'"),
    ],
    ids=str,
)
def test_bad_options_are_refused(learner, preset, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        learner(preset, **options)
