"""Where masked PPO spends its time: decisions per second while it learns tic-tac-toe, one thread of one core.

Stable-Baselines3's MaskablePPO at its defaults, then with the rollouts, epochs and minibatches of
`examples/selfplay_ppo.py`, then that example. Prints Markdown: decisions per second, and the share of the time that
goes into playing and into learning from what was played. Run: `python benchmarks/ppo_speed.py`.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO

from ludarium.envs.registry import make_game
from ludarium.envs.sb3 import SB3VecEnv
from ludarium.envs.source_file import load_source

EXAMPLE = load_source(str(Path(__file__).resolve().parent.parent / "examples" / "selfplay_ppo.py"), "selfplay_ppo")
GAME = "tictactoe"
ROUNDS = 8
"""Rollouts that are timed, after one that is not."""


class Clock:
    """Adds up the time of one method's calls."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method, self.seconds = method, 0.0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        started = time.perf_counter()
        result = self._method(*arguments, **options)
        self.seconds += time.perf_counter() - started
        return result


def stable_baselines(envs: int, steps: int, **options: Any) -> tuple[float, float, int]:
    """Seconds of playing, seconds of learning, decisions."""
    model = MaskablePPO("MlpPolicy", SB3VecEnv(GAME, envs), n_steps=steps, device="cpu", seed=0, **options)
    model.learn(envs * steps)
    playing, learning = Clock(model.collect_rollouts), Clock(model.train)
    model.collect_rollouts, model.train = playing, learning  # type: ignore[method-assign]
    model.learn(ROUNDS * envs * steps)
    return playing.seconds, learning.seconds, ROUNDS * envs * steps


def example() -> tuple[float, float, int]:
    """The same of the example."""
    game = make_game(GAME)
    model = EXAMPLE.ActorCritic(game.observation_size, game.actions, 64)
    optimizer = torch.optim.Adam(model.parameters(), lr=EXAMPLE.LEARNING_RATE)
    collector = EXAMPLE.Collector(game, 0)
    playing, learning = Clock(collector.rollout), Clock(EXAMPLE.update)
    for number in range(ROUNDS + 1):
        if number == 1:
            playing.seconds = learning.seconds = 0.0
        batch, last = playing(model)
        learning(model, optimizer, batch, EXAMPLE.advantages(batch, last))
    return playing.seconds, learning.seconds, ROUNDS * EXAMPLE.ENVS * EXAMPLE.STEPS


def main() -> None:
    torch.set_num_threads(1)
    envs, steps = EXAMPLE.ENVS, EXAMPLE.STEPS
    ours = {"batch_size": EXAMPLE.MINIBATCH, "n_epochs": EXAMPLE.EPOCHS}
    alike = f"MaskablePPO, {envs} games, {EXAMPLE.EPOCHS} epochs of {EXAMPLE.MINIBATCH}"
    rows = [
        ("MaskablePPO, one game, 2,048 steps, 10 epochs of minibatches of 64", stable_baselines(1, 2048)),
        ("MaskablePPO, 16 games, otherwise the same", stable_baselines(16, 128)),
        (alike, stable_baselines(envs, steps, **ours)),
        ("`examples/selfplay_ppo.py`, the same", example()),
    ]
    print("| | decisions/s | playing | learning |\n|---|---|---|---|")
    for name, (playing, learning, decisions) in rows:
        whole = playing + learning
        print(f"| {name} | {decisions / whole:,.0f} | {100 * playing / whole:.0f} % | {100 * learning / whole:.0f} % |")


if __name__ == "__main__":
    main()
