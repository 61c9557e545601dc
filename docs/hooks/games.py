"""The reference of the games: their spaces, options, rules and pictures, from the code."""

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
from mkdocs.structure.files import File, Files

from ludarium.envs import Game, Position, make_game
from ludarium.envs.registry import built_in_games
from ludarium.envs.single import observation_space

MOVES = 8
"""Decisions at random before the picture of a game."""


def on_files(files: Files, config: Any) -> None:
    """Add `reference/games.md` and a picture of each game."""
    games = [make_game(name) for name in built_in_games()]
    text = "\n".join(["# The games\n", *(line for game in games for line in _lines(game))])
    files.append(File.generated(config, "reference/games.md", content=text))
    for game in games:
        picture = game.draw(_position(game)).svg()
        files.append(File.generated(config, f"pictures/{game.name}.svg", content=picture))


def _lines(game: Game) -> Iterator[str]:
    yield f"## {game.title}: `{game.name}`\n"
    yield f"![{game.title} after some random moves](../pictures/{game.name}.svg){{ width=360 }}\n"
    yield inspect.cleandoc(type(game).__doc__ or "") + "\n"
    yield f"Gymnasium: `ludarium/{type(game).__name__}-v0`. PettingZoo: `ludarium/{game.name}-v0`.\n"
    yield "| | with default options |\n|---|---|"
    yield f"| seats | {game.seats} |"
    yield f"| action space | `Discrete({game.actions})` |"
    yield f"| observation space | `{observation_space(game)}` |"
    yield f"| returns | {game.payoff_range[0]:g} to {game.payoff_range[1]:g} |"
    yield f"| longest episode | {game.max_moves} decisions |"
    yield f"| chance | {'yes' if game.max_outcomes else 'no'} |"
    yield f"| hidden information | {'yes' if game.hidden_information else 'no'} |\n"
    yield "| option | default | values | meaning |\n|---|---|---|---|"
    for name, option in game.option_types.items():
        yield f"| `{name}` | `{option.default!r}` | {option.expected} | {option.help} |"
    yield f"\n{importlib.import_module(f'{type(game).__module__}.rules').__doc__}"


def _position(game: Game) -> Position:
    """A position after random moves, the same in every build, before the game is over."""
    position, rng = game.start(), np.random.default_rng(1)
    for _ in range(MOVES):
        while outcomes := position.outcomes():
            position.push(int(rng.choice([outcome for outcome, _ in outcomes])))
        after = position.copy()
        after.push(int(rng.choice(position.legal_actions())))
        if after.over:
            break
        position = after
    return position
