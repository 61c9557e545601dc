"""Games by name: specs, games registered at run time, and games that packages bring."""

import importlib.metadata
import json
import os
import pickle
import re
import sqlite3
import subprocess
import sys
import types
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest

from ludarium.agents import make_agent
from ludarium.envs import registry
from ludarium.envs.batch import random_games
from ludarium.envs.game import Game
from ludarium.envs.othello import Othello
from ludarium.envs.registration import register_all
from ludarium.envs.registry import (
    broken_files,
    built_in_games,
    game_class,
    game_names,
    make_game,
    parse_value,
    register_game,
)
from ludarium.evaluation.play.match import play_match

BUILT_IN = ["hexapawn", "tictactoe", "othello", "backgammon", "hanabi"]


@pytest.fixture
def clean_registry(monkeypatch):
    """Only the built-in games are known; whatever a test registers is forgotten after it."""
    monkeypatch.setattr(registry, "_games", dict(registry._BUILT_IN))
    monkeypatch.setattr(registry, "_broken", {})
    monkeypatch.setattr(registry, "_plugins_found", True)
    registries = (gymnasium.registry, pettingzoo.aec_registry)
    kept = [dict(ids) for ids in registries]
    for ids in registries:
        for name in ("ludarium/ConnectFour-v0", "ludarium/connect_four-v0"):
            ids.pop(name, None)
    yield
    for ids, before in zip(registries, kept, strict=True):
        ids.clear()
        ids.update(before)


@pytest.fixture
def plug_in(monkeypatch, connect_four_class, clean_registry):
    """Pretend that an installed package has these `ludarium.games` entries, name to target."""

    def plug_in(**targets):
        points = [importlib.metadata.EntryPoint(n, t, "ludarium.games") for n, t in targets.items()]
        for module in ("plugins", "registration"):
            monkeypatch.setattr(f"ludarium.envs.{module}.entry_points", lambda group: points)
        monkeypatch.setattr(registry, "_plugins_found", False)
        register_all(built_in_games())

    return plug_in


@pytest.fixture
def some_package(monkeypatch, connect_four_class):
    module = types.ModuleType("some_package_of_games")
    module.ConnectFour = connect_four_class
    module.NotAGame = dict
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.__name__


# --- names and specs --------------------------------------------------------------------------------------------------


def test_the_options_of_the_built_in_games():
    size, flag = "an integer from 3 to 8", "True or False"
    expected = {
        "hexapawn": {"rows": size, "columns": size},
        "tictactoe": dict.fromkeys(("rows", "columns", "line"), "an integer from 1 to 8"),
        "othello": {
            "size": "one of 8, 6, 4",
            "scoring": "one of 'wins', 'discs', 'empties_to_winner'",
            "start": "one of 'standard', 'parallel'",
        },
        "backgammon": {
            "variant": "one of 'standard', 'nackgammon', 'hypergammon'",
            "scoring": "one of 'points', 'wins'",
            "match_length": "an integer from 0 to 25",
            **dict.fromkeys(("cube", "jacoby", "crawford"), flag),
        },
        "hanabi": {
            "seats": "an integer from 2 to 5",
            "preset": "one of 'full', 'small', 'very-small'",
            **dict.fromkeys(("colors", "ranks", "hand_size"), "an integer from 0 to 5"),
            "information_tokens": "an integer from 0 to 16",
            "life_tokens": "an integer from 0 to 8",
            "observation": "one of 'minimal', 'card_knowledge', 'seer'",
            "score": "one of 'zero-on-bomb', 'points-kept'",
        },
    }
    defaults = {
        "hexapawn": {"rows": 3, "columns": 3},
        "tictactoe": {"rows": 3, "columns": 3, "line": 3},
        "othello": {"size": 8, "scoring": "wins", "start": "standard"},
        "backgammon": {
            "variant": "standard", "scoring": "points", "match_length": 0, "cube": False, "jacoby": False,
            "crawford": True,
        },
        "hanabi": {
            **dict.fromkeys(("colors", "ranks", "hand_size", "information_tokens", "life_tokens"), 0),
            "seats": 2, "preset": "full", "observation": "card_knowledge", "score": "zero-on-bomb",
        },
    }  # fmt: skip
    for name, options in expected.items():
        types = game_class(name).option_types
        assert {key: option.expected for key, option in types.items()} == options
        assert {key: option.default for key, option in types.items()} == defaults[name]


def test_which_boards_are_small_enough_to_be_solved():
    sizes = range(3, 9)
    most = {c: max((r for r in sizes if make_game("hexapawn", rows=r, columns=c).small), default=0) for c in sizes}
    assert most == {3: 8, 4: 6, 5: 4, 6: 3, 7: 3, 8: 0}
    boards = [(3, 3), (3, 4), (2, 7), (4, 4)]
    assert [make_game("tictactoe", rows=r, columns=c).small for r, c in boards] == [True, True, False, False]
    assert [make_game("othello", size=size).small for size in (4, 6, 8)] == [True, False, False]


def test_the_built_in_games():
    assert list(built_in_games()) == BUILT_IN
    assert game_names()[:5] == BUILT_IN
    for name, kind in built_in_games().items():
        assert game_class(name).__name__ == kind
        assert make_game(name).name == name


def test_specs_name_options(game_spec):
    game = make_game(game_spec)
    assert make_game(game.spec) == game
    assert make_game(game.name, **game.options) == game


def test_keywords_win_over_the_spec():
    assert make_game("othello?size=6&scoring=discs", size=4).options["size"] == 4
    game = Othello(size=6)
    assert make_game(game) is game
    assert make_game(game, scoring="discs") == Othello(size=6, scoring="discs")


@pytest.mark.parametrize(
    ("text", "value"), [("5", 5), ("-1", -1), ("1.5", 1.5), ("true", True), ("False", False), ("wins", "wins")]
)
def test_values_in_specs(text, value):
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


@pytest.mark.parametrize(
    ("spec", "error", "text"),
    [
        ("otelo", ValueError, "unknown game 'otelo'; did you mean 'othello'[?] known: hexapawn, tictactoe, othello, "),
        ("zzz", ValueError, "unknown game 'zzz'; known: hexapawn"),
        ("othello?size", ValueError, "othello: expected option=value in 'size', not 'size'"),
        ("othello?size=7", ValueError, "othello: size must be one of 8, 6, 4, not 7"),
        ("othello?size=big", ValueError, "othello: size must be one of 8, 6, 4, not 'big'"),
        (7, TypeError, "a game is a spec such as 'othello[?]size=6' or a Game, not 7"),
        (Othello, TypeError, "a game is a spec such as 'othello[?]size=6' or a Game, not <class "),
        ("othello?colour=1", TypeError, "othello: unknown option 'colour'; the options are: size, scoring, start"),
    ],
)
def test_specs_that_cannot_be(spec, error, text):
    with pytest.raises(error, match=text):
        make_game(spec)


# --- games registered at run time -------------------------------------------------------------------------------------


def test_a_registered_game_gets_everything(connect_four_class, clean_registry):
    assert register_game(connect_four_class) is connect_four_class
    assert game_names()[-1] == "connect_four"

    env = gymnasium.make("ludarium/ConnectFour-v0", opponent="greedy")
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [1] * 7

    vector = gymnasium.make_vec("ludarium/ConnectFour-v0", num_envs=3, opponent="random")
    observations, infos = vector.reset(seed=1)
    assert observations.shape == (3, 6, 7, 2)
    vector.step(infos["action_mask"].argmax(axis=1))

    cycle = pettingzoo.make("aec", "ludarium/connect_four-v0")
    cycle.reset(seed=1)
    cycle.step(3)
    assert cycle.agent_selection == "player_1"

    game = make_game("connect_four")
    assert random_games(game, 50, seed=1)[0].shape == (50, 2)
    assert play_match(game, ["greedy", "random"], 20, seed=1).scores().mean() > 0.6
    assert make_agent("mcts?simulations=20", game)(game.start().observe(0), np.ones(7, np.int8), {
        "seat": 0, "game": game, "position": game.start(),
    }) in range(7)  # fmt: skip


def test_registering_again_replaces(connect_four_class, clean_registry):
    @register_game
    class First(connect_four_class):
        name = "my_four"

    class Second(connect_four_class):
        name = "my_four"

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_game(Second)
        register_game(Second)
    assert game_class("my_four") is Second
    for kind in (First, Second):
        assert type(gymnasium.make(f"ludarium/{kind.__name__}-v0").unwrapped.game) is Second


def test_the_last_game_of_a_class_name_has_its_id(connect_four_class, clean_registry):
    for name in ("one_four", "other_four"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Gymnasium says that the id is taken over
            register_game(type("Twin", (connect_four_class,), {"name": name}))
        assert gymnasium.make("ludarium/Twin-v0").unwrapped.game.name == name
    assert pettingzoo.make("aec", "ludarium/one_four-v0").unwrapped.game.name == "one_four"


@pytest.mark.parametrize("game", [dict, "othello"])
def test_only_games_can_be_registered(game):
    with pytest.raises(TypeError, match=f"register_game takes a subclass of ludarium.envs.Game, not {game!r}"):
        register_game(game)


@pytest.mark.parametrize(
    ("title", "name", "text"),
    [
        ("Nameless", None, "name must be a lower-case identifier such as 'connect_four', not None"),
        ("Loud", "Loud", "name must be a lower-case identifier such as 'connect_four', not 'Loud'"),
        ("Again", "hanabi", "'hanabi' or the class name belongs to a built-in game; choose another"),
        ("Hanabi", "my_hanabi", "'my_hanabi' or the class name belongs to a built-in game; choose another"),
    ],
)
def test_names_that_cannot_be_registered(title, name, text):
    with pytest.raises(ValueError, match=f"{title}: {text}"):
        register_game(type(title, (Game,), {"name": name} if name else {}))


# --- games that packages bring ----------------------------------------------------------------------------------------


def test_a_package_can_bring_a_game(plug_in, some_package):
    plug_in(connect_four=f"{some_package}:ConnectFour")
    assert game_names() == [*BUILT_IN, "connect_four"]
    assert gymnasium.make("ludarium/ConnectFour-v0").unwrapped.game == make_game("connect_four")
    assert pettingzoo.make("aec", "ludarium/connect_four-v0").unwrapped.game.name == "connect_four"


def test_a_package_cannot_replace_a_built_in_game(plug_in, some_package):
    plug_in(othello=f"{some_package}:ConnectFour")
    assert game_class("othello") is Othello
    assert game_names() == BUILT_IN
    assert "ludarium/ConnectFour-v0" not in gymnasium.registry


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("no_such:Game", "the plug-in no_such:Game cannot be loaded: No module named 'no_such'"),
        ("{}:Missing", "the plug-in {}:Missing cannot be loaded: module '{}' has no attribute 'Missing'"),
        ("{}:NotAGame", "the plug-in {}:NotAGame is not a subclass of ludarium.envs.Game"),
        ("{}:ConnectFour", "the plug-in {}:ConnectFour has the name 'connect_four'; the two must match"),
    ],
)
def test_packages_that_bring_something_else(plug_in, some_package, target, text):
    plug_in(broken=target.format(some_package))
    with pytest.raises(ValueError, match=re.escape(f"game 'broken': {text.format(some_package, some_package)}")):
        make_game("broken")


def test_a_package_that_fails_is_named(plug_in, monkeypatch):
    module = types.ModuleType("a_failing_package")
    module.__getattr__ = lambda name: 1 // 0
    monkeypatch.setitem(sys.modules, module.__name__, module)
    plug_in(broken="a_failing_package:Game")
    text = "game 'broken': the plug-in a_failing_package:Game cannot be loaded: ZeroDivisionError("
    with pytest.raises(ValueError, match=re.escape(text)):
        make_game("broken")


# --- files ------------------------------------------------------------------------------------------------------------

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "connect_four.py"
RACE = """
from ludarium.envs import register_game
from ludarium.envs.hexapawn import Hexapawn

@register_game
class Race(Hexapawn):
    name = "race"
"""


@pytest.fixture
def files(monkeypatch, clean_registry):
    """Name files of games in the environment."""

    def files(*paths):
        monkeypatch.setenv("LUDARIUM_GAMES", os.pathsep.join(map(str, paths)))
        monkeypatch.setattr(registry, "_plugins_found", False)

    return files


def test_games_of_files(files, tmp_path, capfd):
    other = tmp_path / "other.py"
    other.write_text(RACE)
    files(EXAMPLE, other)
    assert game_names() == [*BUILT_IN, "connect_four", "race"]
    assert make_game("race?columns=4").spec == "race?columns=4"
    assert capfd.readouterr() == ("", "")


def test_a_game_of_a_file_travels_by_name(files):
    """Another process may have loaded the file under another module's name."""
    files(EXAMPLE)
    sent = pickle.dumps(make_game("connect_four"))
    files(EXAMPLE, EXAMPLE)
    assert type(pickle.loads(sent)) is game_class("connect_four")
    assert game_class("connect_four").__module__ == "ludarium_games_1"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, r"cannot be run: there is none; relative paths start at '"),
        ("", r"registers no game; decorate one with @register_game$"),
        (RACE.replace("Race", "Lost") + "1 / 0", r"cannot be run: ZeroDivisionError\('division by zero'\)$"),
        ("import sys\nsys.exit(3)", r"cannot be run: SystemExit\(3\)$"),
        ("def race(:", r"cannot be run: SyntaxError\("),
        ("from ludarium.envs import make_game\nmake_game('tictactoe')", r"registers no game; decorate one with"),
    ],
)
def test_a_broken_file_hides_no_game_but_its_own(files, tmp_path, text, why, capfd):
    """It is told when a game is asked for that it might hold, each time."""
    file, other = tmp_path / "broken.py", tmp_path / "other.py"
    if text is not None:
        file.write_text(text)
    other.write_text(RACE.replace("race", "second").replace("Race", "Second"))
    files(file, other)
    assert game_names() == [*BUILT_IN, "second"]
    assert make_game("tictactoe").spec == "tictactoe"
    assert list(broken_files()) == [str(file)]
    for _ in range(2):
        with pytest.raises(ValueError, match=rf"unknown game 'race'; .*; LUDARIUM_GAMES: the file '.*broken.py' {why}"):
            make_game("race")
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_interrupted_is_told_at_once(files, tmp_path):
    """It may be Ctrl-C, so the command does not go on."""
    file = tmp_path / "slow.py"
    file.write_text("raise KeyboardInterrupt")
    files(file)
    with pytest.raises(ValueError, match=r"LUDARIUM_GAMES: the file '.*slow\.py' cannot be run: KeyboardInterrupt\(\)"):
        game_names()


@pytest.mark.parametrize("end", ["os._exit(3)", "ctypes.string_at(0)", "os.kill(os.getpid(), 9)"])
def test_a_file_that_ends_the_process_is_named(tmp_path, end):
    file = tmp_path / "ending.py"
    file.write_text(f"import ctypes, os\n{end}")
    ended = subprocess.run(
        [sys.executable, "-c", "from ludarium.envs.registry import game_names; game_names()"],
        env=os.environ | {"LUDARIUM_GAMES": str(file)}, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode
    assert ended.stderr == f"ludarium: the file {str(file)!r} ended the process that ran it\n"


def test_the_command_tells_of_broken_files(files, tmp_path, ludarium):
    (tmp_path / "broken.py").write_text("import sys\nsys.exit(3)")
    files(tmp_path / "broken.py")
    broken = f"the file {str(tmp_path / 'broken.py')!r} cannot be run: SystemExit(3)"
    assert ludarium("games")[1].startswith(f"{tmp_path / 'broken.py'}  broken: {broken}\nhexapawn  ")
    assert json.loads(ludarium("games", "--json")[1])[-1] == {"name": str(tmp_path / "broken.py"), "broken": broken}
    assert ludarium("perft", "tictactoe", "--depth", "0")[0] == 0
    unknown = f"unknown game 'race'; known: {', '.join(BUILT_IN)}; LUDARIUM_GAMES: {broken}"
    assert ludarium("perft", "race") == (2, "", f"ludarium: {unknown}\n")


def test_commands_and_their_workers_know_games_of_files(tmp_path):
    (tmp_path / "cup.toml").write_text(
        'agents = ["random", "greedy"]\n[[games]]\ngame = "connect_four"\npairs = 20\nopening = 2\n'
    )
    told = subprocess.run(
        [Path(sys.executable).parent / "ludarium", "tournament", "cup.toml", "--workers", "1"],
        cwd=tmp_path, env=os.environ | {"LUDARIUM_GAMES": str(EXAMPLE)}, capture_output=True, text=True,
    )  # fmt: skip
    assert "connect_four" in told.stdout, told.stderr
    with sqlite3.connect(tmp_path / "cup.db") as store:
        assert store.execute("SELECT COUNT(*), COUNT(DISTINCT payoff_a) FROM games").fetchone() == (40, 2)
