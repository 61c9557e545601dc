"""What the option `origin` stands for."""

import pytest

from ludarium.agents.lcs import origin
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import empty_rules
from ludarium.agents.lcs.origin import given_list, settled_origin
from ludarium.agents.lcs.text import read_rules, rules_text
from ludarium.envs.registry import make_game

TEXT = "play: playable >= 0.7\ndiscard\n"


@pytest.mark.parametrize(
    ("value", "rules"), [("random", empty_rules(0)), ("hand", hand_list()), (TEXT, read_rules(TEXT))]
)
def test_names_and_rules_stay_as_they_are(value, rules, monkeypatch):
    """Even in a folder with a run of that name."""
    monkeypatch.setattr(origin, "holds_run", lambda folder: pytest.fail(f"looked for a run in {folder}"))
    assert settled_origin(value, make_game("hanabi")) == value
    assert rules_text(given_list(value)) == rules_text(rules)


@pytest.mark.parametrize("value", ["Random", "play: playable >= 0.7", 5, None])
def test_anything_else_is_no_origin(value):
    game = make_game("hanabi")
    assert settled_origin(value, game) == value
    with pytest.raises(ValueError, match=f"or the folder of a run, not {value!r}$"):
        given_list(value)
