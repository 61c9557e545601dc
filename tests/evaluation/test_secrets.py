"""Nothing that an agent gets leads to the dice or the deck, and agents that try do not find them."""

import shlex
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from ludarium.envs.chance import child_key, one_way, secret_seed, seed_key
from ludarium.envs.registry import make_game
from ludarium.envs.source_file import load_source
from ludarium.evaluation.play.match import FORFEIT, play_match
from ludarium.evaluation.report import write_report
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.store import GameRow, Store

FILE = Path(__file__).with_name("cheat.py")
CHEAT = load_source(str(FILE), "cheat")
PROGRAM = f"process:{shlex.quote(sys.executable)} {shlex.quote(str(FILE))}?move_time=60"
SECRET = 271828182845904523536028747135266249775
"""A seed of 128 bits, which a cheat cannot try."""


def test_the_cheats_know_how_keys_are_made():
    key = child_key(seed_key(7), 5)
    assert CHEAT.before(int(child_key(key, 3)), 3) == int(key)
    assert int(key) in CHEAT.keys_behind(int(child_key(key, CHEAT.AGENTS + 1)), 1)
    assert int(child_key(seed_key(7), 1)) in CHEAT.keys_behind(0, 0)


@pytest.mark.parametrize(
    ("game", "agents"),
    [
        ("hanabi", [CHEAT.Cards()]),
        ("hanabi", [f"isolated:{FILE}:Cards?move_time=60"]),
        ("hanabi", [PROGRAM]),
        ("backgammon", [CHEAT.Dice(), "random"]),
        ("backgammon", [f"isolated:{FILE}:Dice?move_time=60", "random"]),
    ],
    ids=["cards", "cards isolated", "cards program", "dice", "dice isolated"],
)
def test_cheats_find_nothing(game, agents):
    result = play_match(make_game(game), agents, 1, SECRET)
    assert [forfeit.cause for forfeit in result.forfeits] == []


@pytest.mark.parametrize(("game", "cheat"), [("hanabi", "Cards"), ("backgammon", "Dice")])
def test_opponents_of_an_environment_find_nothing(game, cheat):
    env = gym.make(f"ludarium/{game.title()}-v0", opponent=getattr(CHEAT, cheat)(), seat=1, disable_env_checker=True)
    _, info = env.reset(seed=SECRET % 2**63)
    for _ in range(10):
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        if terminated or truncated:
            break


def test_cheats_find_the_deck_of_a_seed_that_can_be_tried():
    result = play_match(make_game("hanabi"), [CHEAT.Cards()], 1, seed=3)
    assert "I know the deck" in result.forfeits[0].cause


def test_seeds_of_agents_that_are_not_compiled_are_hashed():
    assert one_way(np.uint64(1), 2) == one_way(np.uint64(1), 2) != one_way(np.uint64(2), 2)
    assert 0 <= one_way(np.uint64(2**64 - 1), 4) < 2**64


def test_strangers_meet_with_a_secret_seed_which_a_store_keeps(tmp_path):
    file, store = tmp_path / "event.toml", tmp_path / "event.db"

    def tournament(agent, seed=""):
        file.write_text(f'{seed}\nagents = ["random", "{agent}"]\n[[games]]\ngame = "hexapawn"\npairs = 1\n')
        return Tournament.from_file(file, store)

    assert tournament("greedy").seed == tournament("td:runs/x").seed == 0
    assert tournament("greedy", 'seed = "secret"').seed > 2**64
    for stranger in ("bot.py", "process:node bot.js", "isolated:bots:Clever", "gtp:edax"):
        assert tournament(stranger).seed != tournament(stranger).seed > 2**64
        assert tournament(stranger, "seed = 3").seed == 3
    begun = tournament("bot.py")
    Store(store, begun.data()).close()
    assert tournament("bot.py") == begun
    with pytest.raises(ValueError, match="seed must be an integer"):
        tournament("bot.py", 'seed = "secrets"')


@pytest.mark.parametrize(("seed", "told"), [({}, "different: seed"), ({"seed": "x"}, "seed must be an integer")])
def test_a_store_without_a_seed_is_refused_in_a_sentence(tmp_path, seed, told, ludarium):
    file, store = tmp_path / "event.toml", tmp_path / "event.db"
    event = Tournament(("random", "greedy"), (GameEntry("hexapawn", 1),)).data()
    del event["seed"]
    Store(store, event | seed).close()
    file.write_text('seed = "secret"\nagents = ["random", "greedy"]\n[[games]]\ngame = "hexapawn"\npairs = 1\n')
    code, _, err = ludarium("tournament", str(file), "--executor", "threads")
    assert (code, err.count("\n")) == (2, 1)
    assert told in err


def test_a_report_tells_a_secret_seed_when_the_last_game_is_over(tmp_path):
    def told(rows):
        path = tmp_path / f"{rows}.db"
        event = Tournament(("random", "greedy"), (GameEntry("hexapawn", 1),), seed=SECRET)
        with Store(path, event.data()) as store:
            store.add(GameRow(0, 0, 1, 0, leg, 1.0, -1.0, FORFEIT + 1 - leg, "late", b"") for leg in range(rows))
        page = write_report(path, tmp_path / f"{rows}").page
        return [file.name for file in page.parent.rglob("*") if str(SECRET) in file.read_text(errors="replace")]

    assert told(1) == []
    assert {"report.html", "report.json", "report.md"} <= set(told(2))


def test_seeds_may_have_128_bits():
    assert len({int(seed_key(seed)) for seed in (SECRET, SECRET + 1, SECRET + 2**64, SECRET % 2**64)}) == 4
    assert secret_seed() != secret_seed()
    assert max(secret_seed().bit_length() for _ in range(20)) > 120
