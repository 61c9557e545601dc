"""Games by name: the five built-in games, games registered at run time, and games from packages or files.

A package offers a game through the entry-point group `ludarium.games`, for example
`connect_four = "my_package.games:ConnectFour"`; a script calls `register_game(ConnectFour)`. For the commands, and for
worker processes, the environment variable `LUDARIUM_GAMES` lists files that do so, such as `examples/connect_four.py`,
separated as in `PATH`; a broken one hides no other game. In every case the game works with `gym.make`,
`pettingzoo.make`, the vector environment, search and matches.
"""

import contextlib
import copyreg
import importlib
import threading
from typing import TYPE_CHECKING, Any

from ludarium.envs.options import did_you_mean
from ludarium.envs.plugins import find_plugins
from ludarium.envs.source_file import load_registering

if TYPE_CHECKING:  # importing the package must not load the compiler
    from ludarium.envs.game import Game

_BUILT_IN = {
    "hexapawn": "ludarium.envs.hexapawn:Hexapawn",
    "tictactoe": "ludarium.envs.tictactoe:TicTacToe",
    "othello": "ludarium.envs.othello:Othello",
    "backgammon": "ludarium.envs.backgammon:Backgammon",
    "hanabi": "ludarium.envs.hanabi:Hanabi",
}
_games: dict[str, "str | type[Game]"] = dict(_BUILT_IN)
_broken: dict[str, str] = {}  # files of `_FILES` that cannot be used, and why
_plugins_found = False
_finding = threading.RLock()  # a file may ask for games itself
_FILES = "LUDARIUM_GAMES"
_WHAT = "game; decorate one with @register_game"


def built_in_games() -> dict[str, str]:
    """The names of the built-in games, each with the class name that its Gymnasium id is made from."""
    return {name: target.split(":")[1] for name, target in _BUILT_IN.items()}


def register_game(game: "type[Game]") -> "type[Game]":
    """Register a game under its name: in Gymnasium as `ludarium/ClassName-v0`, in PettingZoo as `ludarium/name-v0`.

    Can be used as a class decorator. Registering a class again under the same name replaces it.

    Raises:
        TypeError: if it is not a subclass of `Game`.
        ValueError: if its name or class name belongs to a built-in game, or its name is not a lower-case identifier.
    """
    from ludarium.envs.game import Game
    from ludarium.envs.registration import register_environments

    if not (isinstance(game, type) and issubclass(game, Game)):
        raise TypeError(f"register_game takes a subclass of ludarium.envs.Game, not {game!r}")
    name = getattr(game, "name", None)
    if not (isinstance(name, str) and name.isidentifier() and name == name.lower()):
        raise ValueError(f"{game.__name__}: name must be a lower-case identifier such as 'connect_four', not {name!r}")
    if name in _BUILT_IN or game.__name__ in built_in_games().values():
        raise ValueError(f"{game.__name__}: {name!r} or the class name belongs to a built-in game; choose another")
    _games[name] = game
    copyreg.pickle(game, _by_name)
    register_environments(name, game.__name__)
    return game


def game_names() -> list[str]:
    """Names of all known games, the built-in ones first.

    Examples:
        >>> from ludarium.envs import game_names
        >>> game_names()[:5]
        ['hexapawn', 'tictactoe', 'othello', 'backgammon', 'hanabi']
    """
    _find_plugins()
    return list(_games)


def broken_files() -> dict[str, str]:
    """The files of `LUDARIUM_GAMES` that cannot be used, each with the reason; only their games are missing."""
    _find_plugins()
    return dict(_broken)


def game_class(name: str) -> "type[Game]":
    """The class of a game.

    Raises:
        ValueError: if no game has that name, or the plug-in that provides it does not contain a game; if files of
            `LUDARIUM_GAMES` are broken, it might be in one of these, so the error says why.
    """
    _find_plugins()
    if name not in _games:
        broken = "".join(f"; {_FILES}: {why}" for why in _broken.values())
        raise ValueError(f"unknown game {name!r}; {did_you_mean(name, _games)}known: {', '.join(_games)}{broken}")
    target = _games[name]
    if isinstance(target, str):
        from ludarium.envs.game import Game

        module, _, attribute = target.partition(":")
        try:
            loaded = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise ValueError(f"game {name!r}: the plug-in {target} cannot be loaded: {error}") from error
        except Exception as error:
            raise ValueError(f"game {name!r}: the plug-in {target} cannot be loaded: {error!r}") from error
        if not (isinstance(loaded, type) and issubclass(loaded, Game)):
            raise ValueError(f"game {name!r}: the plug-in {target} is not a subclass of ludarium.envs.Game")
        if loaded.name != name:
            raise ValueError(f"game {name!r}: the plug-in {target} has the name {loaded.name!r}; the two must match")
        _games[name] = target = loaded
    return target


def make_game(spec: "str | Game", **options: Any) -> "Game":
    """A game from its spec, `"othello"` or `"othello?size=6"`; keyword options override those of the spec.

    Raises:
        ValueError: for an unknown game, or an option value that is not allowed.
        TypeError: for an unknown option, or something that is neither a spec nor a game.

    Examples:
        >>> from ludarium.envs import make_game
        >>> make_game("othello?size=6")
        Othello(size=6, scoring='wins', start='standard')
        >>> make_game("othello", size=6).spec
        'othello?size=6'
    """
    if not isinstance(spec, str):
        from ludarium.envs.game import Game

        if not isinstance(spec, Game):
            raise TypeError(f"a game is a spec such as 'othello?size=6' or a Game, not {spec!r}")
        return type(spec)(**{**spec.given, **options}) if options else spec
    name, _, query = spec.partition("?")
    kind = game_class(name)
    return kind(**{**_parse_options(kind, query), **options})


def load_games(path: str) -> list[str]:
    """Run a file that registers games; returns their names.

    Raises:
        ValueError: if it cannot be run, or registers none.
    """
    _find_plugins()
    return load_registering(path, "ludarium_games_of_a_file", _games, _WHAT)


def _parse_options(kind: "type[Game]", query: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for part in filter(None, query.split("&")):
        key, equals, text = part.partition("=")
        if not equals:
            raise ValueError(f"{kind.name}: expected option=value in {query!r}, not {part!r}")
        values[key] = parse_value(text)
    return values


def _by_name(game: "Game") -> Any:
    """How a registered game is pickled for another process, which may have loaded its class from elsewhere."""
    return (
        (_rebuild, (game.name, tuple(game.given.items()))) if _games.get(game.name) is type(game) else game.__reduce__()
    )


def _rebuild(name: str, options: tuple[tuple[str, Any], ...]) -> "Game":
    from ludarium.envs.game import shared_game

    return shared_game(game_class(name), options)  # type: ignore[arg-type]  # classes are hashable


def parse_value(text: str) -> int | float | str | bool:
    """The value that an option's text stands for: a bool, an integer, a float, or the text itself."""
    if text in ("True", "true", "False", "false"):
        return text in ("True", "true")
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    return text


def _find_plugins() -> None:
    """Find the games of packages and files, once; a broken file is kept in `_broken`, and hides no other game.

    Raises:
        ValueError: if one is interrupted, by Ctrl-C or by itself.
    """
    global _plugins_found
    with _finding:
        if _plugins_found:
            return
        _plugins_found = True
        for path, error in find_plugins("ludarium.games", _FILES, _games, _WHAT):
            _broken[path] = str(error)
