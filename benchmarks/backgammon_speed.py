"""How quickly networks play backgammon, on one core: `python benchmarks/backgammon_speed.py`.

Prints Markdown. Evaluations are results of turns that a player compares, with everything that choosing takes: the rules
that give them, the network, and the way to the best one. The positions are the decisions that come with the package.
Games are between two copies of a player. All networks are random, so the games are longer than those of good players.
Times are of the processor; give `--seed` for other networks and dice.
"""

import argparse
import time
from typing import Any

import numpy as np

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import CUBIC, SIGMOID, TANH, Network, network_of
from ludarium.agents.backgammon.player import network_policy
from ludarium.envs import kernels
from ludarium.envs.backgammon.decision_files import shipped
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.backgammon.rules import MOVING, STATE
from ludarium.envs.backgammon.turns import SIZE
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, view
from ludarium.envs.policy import policy_rows
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

GAME = make_game("backgammon")
NETWORKS = [  # inputs, hidden units, outputs, activation, options
    ("counts", 26, 1, TANH, {}),
    ("exact", 100, 1, CUBIC, {}),
    ("exact", 100, 6, CUBIC, {}),
    ("exact", 100, 6, SIGMOID, {}),
    ("exact", 192, 6, CUBIC, {}),
    ("exact", 100, 6, CUBIC, {"ply": 1}),
    ("exact", 192, 6, CUBIC, {"ply": 1}),
]


def random_network(name: str, hidden: int, outputs: int, activation: int, seed: int) -> Network:
    """A network with small random weights."""
    draws, layout = np.random.default_rng(seed), inputs(name)
    shapes = {"hidden": (layout.number + 1, hidden), "output": (hidden + 1, outputs)}
    return network_of(
        layout, {key: draws.normal(0, 0.1, shape).astype(np.float32) for key, shape in shapes.items()}, activation
    )


def evaluations(network: Network, options: dict[str, int], decisions: int) -> float:
    """Results compared a second; those that are looked at one roll ahead count once."""
    decisions_read, rows = shipped(), policy_rows(GAME, [policy := network_policy(GAME, network, **options)])
    assert policy.block is not None
    _choose_all(GAME.table, rows[0], decisions_read.positions[:1], decisions_read.dice)
    started = time.process_time()
    _choose_all(GAME.table, rows[0], decisions_read.positions[:decisions], decisions_read.dice)
    return int(decisions_read.offsets[decisions]) / (time.process_time() - started)


@jit
def _choose_all(game: Any, policy: Any, positions: Any, dice: Any) -> int:
    """Let a player choose in each position; returns the sum of its actions."""
    state, stream = np.zeros(SIZE, dtype=np.uint8), np.zeros(2, dtype=np.uint64)
    mask, observation = np.ones(game[ACTIONS], dtype=np.int8), np.zeros(1, dtype=np.int8)
    s, total = view(state, STATE), 0
    for number in range(len(positions)):
        set_up(s, positions[number])
        s.dice[0], s.dice[1], s.phase = dice[number, 0], dice[number, 1], MOVING
        total += kernels.call_policy(policy[0], game, kernels.address(state), observation, mask, policy[1], stream)
    return total


def games(network: Network, options: dict[str, int], pairs: int, seed: int) -> float:
    """Games a second between two copies."""
    players = [network_policy(GAME, network, **options) for _ in range(2)]
    play_match(GAME, players, 1, seed)
    started = time.process_time()
    return play_match(GAME, players, pairs, seed).games / (time.process_time() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies what is measured")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print("| inputs-units-outputs | units | ply | evaluations/s | games/s |", "|---|---|---|---|---|", sep="\n")
    names = {CUBIC: "cubic", SIGMOID: "sigmoid", TANH: "tanh"}
    for name, hidden, outputs, activation, options in NETWORKS:
        network = random_network(name, hidden, outputs, activation, args.seed)
        share = args.scale * (0.02 if options else 1.0)
        speed = evaluations(network, options, max(1, int(10_000 * share)))
        pace = games(network, options, max(1, int(200 * share)), args.seed)
        ply = options.get("ply", 0)
        size = f"{inputs(name).number}-{hidden}-{outputs}"
        print(f"| {size} | {names[activation]} | {ply} | {speed:,.0f} | {pace:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
