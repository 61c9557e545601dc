"""Throughput compared with that of installed peers: on one core, all measured in this run.

Prints Markdown: for each task our figure, the peer's, and their ratio. Absolute figures depend on the machine; compare
the ratios. Run it as `make benchmark`, on an otherwise idle machine; `--quick` takes a tenth of the time.
Peers: OpenSpiel (`pip install open-spiel`), PettingZoo with pygame and shimmy, pgx (`pip install pgx jax`); missing
peers are left out.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import gymnasium
import numpy as np
import pettingzoo

import ludarium  # registers the games  # noqa: F401
from ludarium.envs.batch import random_games
from ludarium.envs.chance import stream
from ludarium.envs.lanes import random_actions
from ludarium.envs.registry import make_game

SECONDS = 2.0


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def rate(work: Callable[[], int]) -> float:
    """Units of work per second: repeats `work`, which returns its number of units, for `SECONDS` after a warm-up."""
    work()
    done, started = 0, time.perf_counter()
    while time.perf_counter() - started < SECONDS:
        done += work()
    return done / (time.perf_counter() - started)


def vector(game: str, num_envs: int, **options: object) -> float:
    """Decisions per second of our vector environment in self-play: step, observation, mask, a random legal action."""
    env = gymnasium.make_vec(game, num_envs=num_envs, self_play=True, **options)
    _, infos = env.reset(seed=0)
    draws = stream(0)

    def work() -> int:
        nonlocal infos
        for _ in range(20):
            *_, infos = env.step(random_actions(infos["action_mask"], draws))
        return 20 * num_envs

    return rate(work)


def openspiel(name: str) -> float:
    """Decisions per second of OpenSpiel from Python: apply, observation tensor, mask, and a random legal action."""
    import pyspiel

    game = pyspiel.load_game(name)
    rng = np.random.default_rng(0)
    state = game.new_initial_state()

    def work() -> int:
        nonlocal state
        decisions = 0
        while decisions < 500:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(outcomes[np.searchsorted(np.cumsum(chances), rng.random() * 0.999999)])
            else:
                state.observation_tensor(state.current_player())
                state.legal_actions_mask()
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
                decisions += 1
        return decisions

    return rate(work)


def pgx_batch(name: str, num_envs: int) -> float:
    """Decisions per second of pgx: a compiled scan of steps with automatic reset and random legal actions."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))
    steps = 20

    @jax.jit
    def run(state: object, key: object) -> tuple[object, object]:
        def one(carry: tuple[object, object], _: object) -> tuple[tuple[object, object], None]:
            state, key = carry
            key, now, then = jax.random.split(key, 3)
            logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
            actions = jax.random.categorical(now, logits, axis=1)
            return (step(state, actions, jax.random.split(then, num_envs)), key), None

        carry, _ = jax.lax.scan(one, (state, key), None, length=steps)
        return carry

    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, num_envs))

    def work() -> int:
        nonlocal state, key
        state, key = jax.block_until_ready(run(state, key))
        return steps * num_envs

    return rate(work)


def aec_loop(env: object) -> float:
    """Turns per second of PettingZoo's documented loop: `last()`, a random legal action, `step()`."""
    rng = np.random.default_rng(0)

    def work() -> int:
        turns = 0
        env.reset(seed=int(rng.integers(2**31)))
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                legal = np.flatnonzero(observation["action_mask"])
                env.step(int(legal[int(rng.random() * len(legal))]))
                turns += 1
        return turns

    return rate(work)


def mcts_ours(simulations: int) -> float:
    """Simulations per second of our MCTS on the starting position of Othello."""
    from ludarium.agents import make_agent

    game = make_game("othello")
    policy = make_agent(f"mcts?simulations={simulations}", game).policy
    position, draws = game.start(), stream(0)
    view, mask = position.observe(0), position.action_mask()

    def work() -> int:
        policy.choose(game, position.data, view, mask, draws)
        return simulations

    return rate(work)


def mcts_openspiel(simulations: int) -> float:
    """The same for OpenSpiel's C++ MCTSBot with random rollouts."""
    import pyspiel

    game = pyspiel.load_game("othello")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, 0, False, pyspiel.ChildSelectionPolicy.UCT)
    state = game.new_initial_state()

    def work() -> int:
        bot.step(state)
        return simulations

    return rate(work)


FIRST_USE = """
import time, gymnasium, numba, numpy
numba.njit(lambda x: x)  # the compiler's own start
start = time.perf_counter()
import ludarium
env = gymnasium.make_vec("{id}", num_envs=4)
env.reset(seed=0)
env.step(env.action_space.sample())
print(time.perf_counter() - start)
"""


def first_use(game: str, cache: str) -> float:
    """Seconds from the import to a vector environment's first step, without importing gymnasium and numba."""
    run = subprocess.run(
        [sys.executable, "-c", FIRST_USE.format(id=game)],
        env={**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout)


def human(figure: float | None, unit: str) -> str:
    if figure is None:
        return "–"
    for letter, size in (("M", 1e6), ("k", 1e3)):
        if figure >= size:
            return f"{figure / size:.3g} {letter}{unit}"
    return f"{figure:.3g} {unit}".rstrip()


def row(task: str, ours: float, peers: dict[str, float], unit: str = "/s") -> None:
    print(f"| {task} | {human(ours, unit)} | | |" if not peers else "", end="\n" if not peers else "")
    for number, (name, figure) in enumerate(peers.items()):
        first = (task, human(ours, unit)) if number == 0 else ("", "")
        print(f"| {first[0]} | {first[1]} | {name} {human(figure, unit)} | {ours / figure:.2f} × |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time, for a first look")
    global SECONDS
    SECONDS = 0.2 if parser.parse_args().quick else 2.0
    spiel, jax_there = installed("pyspiel"), installed("pgx")
    print("| task | ours | peer | ratio |\n|---|---|---|---|")

    def peers(spiel_name: str, pgx_name: str | None, num_envs: int) -> dict[str, float]:
        peers = {"OpenSpiel": openspiel(spiel_name)} if spiel else {}
        if jax_there and pgx_name:
            peers["pgx"] = pgx_batch(pgx_name, num_envs)
        return peers

    row("vector, tic-tac-toe", vector("ludarium/TicTacToe-v0", 4096), peers("tic_tac_toe", "tic_tac_toe", 16384))
    row("vector, Othello", vector("ludarium/Othello-v0", 4096), peers("othello", "othello", 1024))
    row(
        "vector, backgammon",
        vector("ludarium/Backgammon-v0", 1024),
        peers("backgammon(scoring_type=full_scoring)", "backgammon", 1024),
    )
    row("vector, Hanabi 2 seats", vector("ludarium/Hanabi-v0", 1024), peers("hanabi", None, 0))
    row("vector, Hanabi 5 seats", vector("ludarium/Hanabi-v0", 1024, seats=5), peers("hanabi(players=5)", None, 0))
    row("vector, hexapawn", vector("ludarium/Hexapawn-v0", 4096), {})

    ours = aec_loop(pettingzoo.make("aec", "ludarium/tictactoe-v0"))
    theirs = {}
    if installed("pygame"):
        from pettingzoo.classic import tictactoe_v3

        theirs = {"PettingZoo": aec_loop(tictactoe_v3.env())}
    row("PettingZoo loop, tic-tac-toe", ours, theirs)
    ours = aec_loop(pettingzoo.make("aec", "ludarium/hanabi-v0"))
    theirs = {}
    if installed("shimmy") and spiel:
        from pettingzoo.classic import hanabi_v5

        theirs = {"PettingZoo": aec_loop(hanabi_v5.env())}
    row("PettingZoo loop, Hanabi", ours, theirs)

    othello = make_game("othello")

    def games() -> int:
        random_games(othello, 2000, 0)
        return 2000

    row("random games, Othello", rate(games), {})
    row("MCTS simulations, Othello start", mcts_ours(2000), {"OpenSpiel C++": mcts_openspiel(500)} if spiel else {})
    with tempfile.TemporaryDirectory() as cache:
        for name in ("TicTacToe", "Othello", "Backgammon", "Hanabi"):
            cold = first_use(f"ludarium/{name}-v0", cache)
            warm = min(first_use(f"ludarium/{name}-v0", cache) for _ in range(3))
            print(f"| first use, {name} | cold {cold:.1f} s, warm {warm:.2f} s | | |", flush=True)


if __name__ == "__main__":
    main()
