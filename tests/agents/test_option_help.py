"""What options mean, as docstrings say it."""

from dataclasses import fields

import pytest

from ludarium.agents.learning.registry import learner_names, learner_presets
from ludarium.agents.option_help import option_help, summary
from ludarium.agents.specs import agent_factory, agent_names, agent_options, program_prefixes
from ludarium.envs.registry import built_in_games, game_class


def factory(game, *, depth=3, style="calm"):
    """A player with `depth`.

    It thinks: twice.

    Args:
        game: the game.
        depth: plies to look ahead,
            1 to 100; `style="wild"` looks
            one further.
        style: `"calm"` or `"wild"`.

    Raises:
        ValueError: if not.
    """


class Base:
    """First.

    Attributes:
        one: of the base.
        two: of the base.
    """


class Derived(Base):
    """Second.

    Attributes:
        two: of the class.
    """


class Undocumented(Derived):
    pass


def test_sentences_are_those_of_the_docstring():
    assert option_help(factory) == {
        "game": "the game.",
        "depth": 'plies to look ahead, 1 to 100; style="wild" looks one further.',
        "style": '"calm" or "wild".',
    }
    assert option_help(Undocumented) == {"one": "of the base.", "two": "of the class."}
    assert option_help(lambda game: None) == {}
    assert (summary(factory), summary(Derived), summary(Undocumented)) == ("A player with depth.", "Second.", "")


def test_no_option_of_ours_lacks_a_sentence():
    named = [*agent_names(), *program_prefixes(), "isolated", *learner_names()]
    given = {name: set(agent_options(name)) - option_help(agent_factory(name)).keys() for name in named}
    for name in learner_names():
        for kind in learner_presets(name).classes:
            given[f"{name} {kind.preset}"] = {option.name for option in fields(kind)} - option_help(kind).keys()
    for name in built_in_games():
        given[f"the game {name}"] = {key for key, option in game_class(name).option_types.items() if not option.help}
    assert {name: lacking for name, lacking in given.items() if lacking} == {}


@pytest.mark.parametrize("name", agent_names())
def test_agents_say_what_they_are(name):
    assert summary(agent_factory(name)).endswith(".")
