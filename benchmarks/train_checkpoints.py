"""Train the models that the agent `ppo` plays: `python benchmarks/train_checkpoints.py [GAME …]`.

MaskablePPO with SB3's own settings and a small budget, one model per game at default options, by self-play against past
selves. Prints the results: size of the file, score by seat against the random agent, processor time.
"""

import sys
import tempfile
import time
from pathlib import Path

from ludarium.agents.baselines.sb3 import model as sb3
from ludarium.agents.baselines.sb3.learner import SB3Training
from ludarium.agents.learning.measure import measure
from ludarium.agents.learning.run import train
from ludarium.envs.registry import make_game

_FOLDER = Path(sb3.__file__).parent / "checkpoints"
_STOCK = {"learning_rate": 0.0003}
# With 1,352 actions, the last layer is nearly the whole file.
_SMALL_OUTPUT = _STOCK | {"policy_kwargs": {"net_arch": [64, 32]}}
_RUNS = {
    "hexapawn": SB3Training(algorithm="maskable-ppo", game="hexapawn", opponent="self", settings=_STOCK),
    "tictactoe": SB3Training(algorithm="maskable-ppo", game="tictactoe", opponent="self", settings=_STOCK),
    "othello": SB3Training(algorithm="maskable-ppo", game="othello", opponent="self", settings=_STOCK),
    "backgammon": SB3Training(
        algorithm="maskable-ppo", game="backgammon", opponent="self", steps=200_000, settings=_SMALL_OUTPUT
    ),
    "hanabi": SB3Training(algorithm="maskable-ppo", game="hanabi", opponent="self", settings=_STOCK),
}


def make(config: SB3Training) -> None:
    game, before = make_game(config.game), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        model = train(config, folder) / "model.zip"
        seconds = time.process_time() - before
        target = _FOLDER / f"{game.spec}.zip"
        sb3.strip_model(model, target)
    policy = sb3.trained(game, str(target)).policy
    assert policy is not None
    measured = measure(game, policy, 2000, config.seed + 1)
    scores = ", ".join(f"{name} {score:.3f}" for name, score in measured.scores.items())
    print(
        f"{target.name}: {target.stat().st_size} bytes, {config.steps} decisions, seed {config.seed}, "
        f"{measured.text} ({scores}), {seconds:.0f} s",
        flush=True,
    )


def main() -> None:
    _FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or _RUNS:
        if name not in _RUNS:
            raise SystemExit(f"no model is trained for {name!r}; known: {', '.join(_RUNS)}")
        make(_RUNS[name])


if __name__ == "__main__":
    main()
