"""Single steps in Python, compared with OpenSpiel's Python interface on one core, all measured in this run.

`python benchmarks/steps.py` prints a table in Markdown: microseconds of CPU time a decision, ours and OpenSpiel's, and
the median of their ratios over rounds in which both take turns. The loop over a position is compared with OpenSpiel's
loop over a state; the environments with that loop when it asks for the observation and the mask as well. Needs
`pip install "ludarium[oracles]"`.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pyspiel

import ludarium  # registers the games  # noqa: F401
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.registry import make_game

GAMES = {
    "TicTacToe": "tic_tac_toe",
    "Othello": "othello",
    "Backgammon": "backgammon(scoring_type=full_scoring)",
    "Hanabi": "hanabi",
}
Run = Callable[[int], object]  # plays so many decisions


def draws() -> Iterator[float]:
    """Numbers from 0 to 1 without end, at next to no cost."""
    numbers = np.random.default_rng(0).random(1 << 16).tolist()
    while True:
        yield from numbers


def of_position(name: str) -> Run:
    game, random = make_game(name), draws()

    def run(decisions: int) -> None:
        position = game.start()
        while decisions:
            turn = position.turn
            if turn == OVER:
                position = game.start()
            elif turn == CHANCE:
                outcomes = position.outcomes()
                position.play(outcomes[int(next(random) * len(outcomes))][0])
            else:
                legal = position.legal_actions()
                position.play(legal[int(next(random) * len(legal))])
                decisions -= 1

    return run


def of_state(name: str, look: bool) -> Run:
    game, random = pyspiel.load_game(name), draws()

    def run(decisions: int) -> None:
        state = game.new_initial_state()
        while decisions:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(next(random) * len(outcomes))][0])
            else:
                player = state.current_player()
                if look:
                    state.observation_tensor(player)
                    state.legal_actions_mask()
                legal = state.legal_actions()
                state.apply_action(legal[int(next(random) * len(legal))])
                decisions -= 1

    return run


def of_environment(name: str, **options: Any) -> Run:
    env, random = gymnasium.make(f"ludarium/{name}-v0", **options), draws()

    def run(decisions: int) -> None:
        _, info = env.reset()
        for _ in range(decisions):
            legal = np.flatnonzero(info["action_mask"])
            _, _, terminated, truncated, info = env.step(int(legal[int(next(random) * len(legal))]))
            if terminated or truncated:
                _, info = env.reset()

    return run


def of_cycle(name: str) -> Run:
    env, random = pettingzoo.make("aec", f"ludarium/{name}-v0"), draws()

    def run(decisions: int) -> None:
        while decisions > 0:
            env.reset()
            for _ in env.agent_iter():
                seen, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = np.flatnonzero(seen["action_mask"])
                env.step(int(legal[int(next(random) * len(legal))]))
                decisions -= 1

    return run


def copies(copy: Callable[[], object]) -> Run:
    def run(count: int) -> None:
        for _ in range(count):
            copy()

    return run


def begun(name: str) -> tuple[Any, Any]:
    """A position and a state before their first decision."""
    position, state = make_game(name.lower()).start(), pyspiel.load_game(GAMES[name]).new_initial_state()
    while position.turn == CHANCE:
        position.play(position.outcomes()[0][0])
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    return position, state


def microseconds(run: Run, decisions: int) -> float:
    started = time.process_time()
    run(decisions)
    return 1e6 * (time.process_time() - started) / decisions


def compare(task: str, ours: Run, theirs: Run, decisions: int, rounds: int) -> None:
    for run in (ours, theirs):
        run(decisions // 10 + 1)
    times = [(microseconds(ours, decisions), microseconds(theirs, decisions)) for _ in range(rounds)]
    own, other = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(their / our for our, their in times)
    print(f"| {task} | {own:.2f} | {other:.2f} | {ratio:.2f} × |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=4000, help="in each round")
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    print("| task | ours, µs | OpenSpiel, µs | ratio |\n|---|---|---|---|")
    for name, peer in GAMES.items():
        looked = of_state(peer, look=True)
        position, state = begun(name)
        tasks = {
            "loop over a position": (of_position(name.lower()), of_state(peer, look=False)),
            "`copy()`": (copies(position.copy), copies(state.clone)),
            "`gym.make`, self-play": (of_environment(name, self_play=True), looked),
            "`gym.make`, a random opponent": (of_environment(name, opponent="random"), looked),
            "PettingZoo's loop": (of_cycle(name.lower()), looked),
        }
        for task, (ours, theirs) in tasks.items():
            compare(f"{name}: {task}", ours, theirs, args.decisions, args.rounds)


if __name__ == "__main__":
    main()
