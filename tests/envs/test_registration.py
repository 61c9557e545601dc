"""Ids in Gymnasium's and PettingZoo's registries."""

import os
import subprocess
import sys

import gymnasium
import pettingzoo
import pytest

import ludarium  # noqa: F401  (registers the games)
from ludarium.envs import registration
from ludarium.envs.aec import GameAECEnv
from ludarium.envs.registry import built_in_games
from ludarium.envs.single import GameEnv
from ludarium.envs.vector import GameVectorEnv


@pytest.mark.parametrize(("name", "title"), built_in_games().items())
def test_every_game_has_its_ids(name, title):
    for prefix in ("", "ludarium:"):
        env = gymnasium.make(f"{prefix}ludarium/{title}-v0", opponent="random").unwrapped
        assert isinstance(env, GameEnv)
        assert env.game.name == name
    vector = gymnasium.make_vec(f"ludarium/{title}-v0", num_envs=2, self_play=True)
    assert isinstance(vector, GameVectorEnv)
    assert vector.game.name == name
    several = gymnasium.make_vec(f"ludarium/{title}-v0", num_envs=2, vectorization_mode="sync", opponent="random")
    several.reset(seed=1)
    several.step(several.action_space.sample())
    cycle = pettingzoo.make("aec", f"ludarium/{name}-v0").unwrapped
    assert isinstance(cycle, GameAECEnv)
    assert cycle.game.name == name


def test_importing_pettingzoo_in_a_folder_that_is_gone_leaves_this_process_there(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with registration._in_a_folder():
        assert os.getcwd() == os.sep
    with pytest.raises(FileNotFoundError):
        os.getcwd()


def test_options_of_the_game_are_keywords():
    assert gymnasium.make("ludarium/Othello-v0", size=6).unwrapped.game.spec == "othello?size=6"
    assert gymnasium.make_vec("ludarium/Othello-v0", num_envs=1, size=6).game.spec == "othello?size=6"
    assert pettingzoo.make("aec", "ludarium/othello-v0", size=6).unwrapped.game.spec == "othello?size=6"


def test_gymnasium_can_import_the_package_by_itself():
    code = "import gymnasium; print(gymnasium.make('ludarium:ludarium/TicTacToe-v0').reset(seed=1)[0].shape)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(3, 3, 2)\n"
    assert done.stderr == ""
