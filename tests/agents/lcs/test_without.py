"""What a run goes without: words that its rules never have, and kinds of changes that never happen."""

import numpy as np
import pytest

from ludarium.agents.lcs import operators
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.language import NUMBER
from ludarium.agents.lcs.learner import LCS
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.operators import CHANGES, Limits
from ludarium.agents.lcs.text import rule_text
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.chance import seed_key
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.registry import make_game

QUICK = {
    "game": "hanabi?score=points-kept", "population": 6, "decks": 40, "season": 3, "games": 1500, "checkpoints": 1,
    "test_games": 20, "rules": 25, "founders": 12,
}  # fmt: skip


def words(rules):
    return {*rules["feature"].ravel().tolist(), *rules["order"].ravel().tolist()} - {-1}


def conditions(rules):
    return int(np.count_nonzero(rules["feature"] >= 0))


def heads(rules):
    return sorted(rule_text(rule).partition(":")[0] for rule in rules)


def mutations(names):
    """Lists before and after a change, by a run without some names."""
    limits, random = LCS(**QUICK, without=names).limits, np.random.default_rng(3)
    keys = np.array([seed_key(102, deck) for deck in range(5)], dtype=np.uint64)
    sample = play_list(Hanabi(), keys, False, hand_list()).sample[0]
    rules, found = operators.random_list(random, limits, 12), []
    for _ in range(600):
        changed = operators.mutate(rules, random, limits, np.ones(len(rules)), sample)
        found.append((rules, changed))
        rules = changed if 4 < len(changed) < 20 else operators.random_list(random, limits, 12)
    return found


def test_rules_never_have_a_word_that_is_left_out(tmp_path):
    gone = {NUMBER[name] for name in ("good", "touched", "gain", "pace")}
    names = "good, touched,gain,pace"
    assert not any(words(after) & gone for _, after in mutations(names))
    assert gone <= set.union(*(words(after) for _, after in mutations("")))
    run = Run.load(train(LCS(**QUICK, without=names), tmp_path / "run", workers=1), LCS)
    assert not words(run.arrays["rules"]) & gone


@pytest.mark.parametrize(
    ("names", "never"),
    [
        ("new,exception", lambda before, after: len(after) > len(before)),
        ("delete", lambda before, after: len(after) < len(before)),
        ("specialise,replace,new,exception", lambda before, after: conditions(after) > conditions(before)),
        ("generalise,replace,delete", lambda before, after: conditions(after) < conditions(before)),
        ("reorder,new,exception,delete,action", lambda before, after: heads(after) != heads(before)),
        ("action,new,exception,delete", lambda before, after: sorted(after["action"]) != sorted(before["action"])),
        ("move,action,new,exception,delete", lambda before, after: list(after["action"]) != list(before["action"])),
        (
            "creep,specialise,generalise,replace,new,exception,delete",
            lambda before, after: sorted(after["threshold"].ravel()) != sorted(before["threshold"].ravel()),
        ),
    ],
)
def test_changes_that_are_left_out_never_happen(names, never):
    assert not any(never(before, after) for before, after in mutations(names))
    assert any(never(before, after) for before, after in mutations(""))


def test_the_changes_that_remain_share_the_probability():
    random, some = np.random.default_rng(5), {"creep": 15, "new": 38}
    drawn = [operators._kind(random, Limits(9, 4, changes=some)) for _ in range(2000)]
    assert set(drawn) == set(some)
    assert drawn.count("creep") / 2000 == pytest.approx(15 / 53, abs=0.04)
    assert sum(CHANGES.values()) == 100


def test_without_deletion_rules_that_never_fire_stay():
    game = make_game("hanabi?score=points-kept")
    for names, kept in (("", 1), ("delete", 2)):
        learner = LCS(**QUICK, without=names, breeding="none")
        arrays = learner.start(game)
        arrays["lengths"][:], arrays["credit"][:, 0, 0] = 2, 1.0
        with workers("threads", 1) as parallel:
            learner.generation(game, arrays, 0, parallel)
        assert set(arrays["lengths"].tolist()) == {kept}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"without": "good,sleep"},
            "without must be features or changes of rules, not 'sleep'; the features are tokens,",
        ),
        ({"without": ",".join(CHANGES)}, "without must leave a kind of change: one of creep, specialise"),
        ({"without": "bad,good,age", "origin": "hand"}, "the list of origin has good, bad, so a run without"),
        ({"without": "chop,place", "origin": "hand"}, "the list of origin has place, chop, so"),
        (
            {"without": "good", "strategy": "utility", "population": 1, "founders": 320, "decks": 2000},
            "without must be '', not 'good', with strategy=utility",
        ),
    ],
)
def test_bad_names_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LCS(**QUICK | options)
