"""Masked PPO that learns by playing itself, in one file of PyTorch, for any game of this package.

    python examples/selfplay_ppo.py tictactoe --decisions 1000000
    ludarium match tictactoe "examples/selfplay_ppo.py:trained?path=runs/selfplay-ppo/tictactoe.npz" greedy

One network plays all seats of all games. The environment says with each step whether the next observation belongs to
the same side (`sign` 1) or to the other one (-1), so what is good for the one that moves next is bad for the one that
moved. In Hanabi the sign is always 1: every seat plays the same policy for the same score.

PPO: Schulman et al., "Proximal Policy Optimization Algorithms" (arXiv:1707.06347). Advantages: Schulman et al.,
"High-Dimensional Continuous Control Using Generalized Advantage Estimation" (arXiv:1506.02438). Masks: Huang & Ontañón,
"A Closer Look at Invalid Action Masking in Policy Gradient Algorithms" (arXiv:2006.14171).

Needs the extra `ludarium[rl]`.
"""

import argparse
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.perceptron import Network
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.envs.vector import GameVectorEnv
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width

ENVS = 512
STEPS = 64
"""Steps of each environment between two updates."""
EPOCHS = 3
MINIBATCH = 1024
DISCOUNT = 1.0
TRACE = 0.9
"""The λ of generalized advantage estimation."""
CLIP = 0.2
ENTROPY = 0.01
LEARNING_RATE = 1e-3
"""At the start; it falls to zero in a straight line."""


class ActorCritic(nn.Module):
    """A policy and a value, each a perceptron of its own over the flattened observation."""

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.actor = perceptron(inputs, hidden, actions, 0.01)
        self.critic = perceptron(inputs, hidden, 1, 1.0)

    def logits(self, observations: Tensor, masks: Tensor) -> Tensor:
        """The logarithms of the legal actions' probabilities; of illegal ones a number so low that theirs is 0."""
        return functional.log_softmax(self.actor(observations).masked_fill(~masks, -1e9), dim=1)

    def value(self, observations: Tensor) -> Tensor:
        """What the seat to move can expect."""
        value: Tensor = self.critic(observations).squeeze(1)
        return value

    def network(self) -> Network:
        """The policy as plain arrays."""
        layers = [module for module in self.actor if isinstance(module, nn.Linear)]
        weights = [np.ascontiguousarray(layer.weight.detach().numpy().T) for layer in layers]
        return Network("ReLU", weights, [layer.bias.detach().numpy().copy() for layer in layers])


def perceptron(inputs: int, hidden: int, outputs: int, gain: float) -> nn.Sequential:
    """Two hidden layers; the output begins close to zero if the gain is small."""
    sizes = (inputs, hidden, hidden, outputs)
    linear = [nn.Linear(a, b) for a, b in pairwise(sizes)]
    for layer, scale in zip(linear, (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(linear[0], nn.ReLU(), linear[1], nn.ReLU(), linear[2])


class Batch(NamedTuple):
    """What a rollout brings, each of shape (STEPS, ENVS, …)."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    logits: Tensor  # of the actions that were taken
    values: Tensor
    rewards: Tensor
    signs: Tensor  # whose value the next one is: 1 the same side's, -1 the other's, 0 the episode is over


class Collector:
    """Plays all environments, and keeps where they are between two rollouts."""

    def __init__(self, game: Game, seed: int) -> None:
        self.env = GameVectorEnv(game, ENVS, self_play=True)
        self.scale = 1 / game.largest_payoff
        observations, infos = self.env.reset(seed=seed)
        self.now, self.masks = tensors(observations, infos)
        self.batch = Batch(
            torch.empty(STEPS, *self.now.shape),
            torch.empty(STEPS, *self.masks.shape, dtype=torch.bool),
            torch.empty(STEPS, ENVS, dtype=torch.int64),
            *torch.empty(4, STEPS, ENVS),
        )

    @torch.no_grad()
    def rollout(self, model: ActorCritic) -> tuple[Batch, Tensor]:
        """STEPS decisions in each environment, and the values of the observations after the last."""
        for step in range(STEPS):
            logits = model.logits(self.now, self.masks)
            actions = (logits - torch.empty_like(logits).exponential_().log_()).argmax(dim=1)  # a draw: Gumbel's trick
            chosen = logits.gather(1, actions[:, None]).squeeze(1)
            before = self.now, self.masks, actions, chosen, model.value(self.now)
            observations, rewards, terminated, truncated, infos = self.env.step(actions.numpy())
            self.now, self.masks = tensors(observations, infos)
            gained = torch.from_numpy(rewards * self.scale)
            signs = torch.from_numpy(np.where(terminated | truncated, 0, infos["sign"]))
            for kept, part in zip(self.batch, (*before, gained, signs), strict=True):
                kept[step] = part
        return self.batch, model.value(self.now)


def tensors(observations: Any, infos: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """Observations as float32 of shape (ENVS, elements), masks as bool of shape (ENVS, actions)."""
    flat = torch.from_numpy(observations.reshape(len(observations), -1)).float()
    return flat, torch.from_numpy(infos["action_mask"]).bool()


def advantages(batch: Batch, last: Tensor) -> Tensor:
    """Generalized advantage estimates; whatever comes from the other side's turn changes its sign."""
    estimates, ahead, after = torch.empty_like(batch.values), torch.zeros_like(last), last
    for step in range(STEPS - 1, -1, -1):
        factor = DISCOUNT * batch.signs[step]
        surprise = batch.rewards[step] + factor * after - batch.values[step]
        ahead = surprise + factor * TRACE * ahead
        estimates[step], after = ahead, batch.values[step]
    return estimates


def update(model: ActorCritic, optimizer: torch.optim.Optimizer, batch: Batch, estimates: Tensor) -> None:
    """Some epochs of minibatches."""
    observations, masks, actions, old, values = (part.flatten(0, 1) for part in batch[:5])
    targets, estimates = values + estimates.flatten(), estimates.flatten()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(actions)).split(MINIBATCH):
            logits = model.logits(observations[rows], masks[rows])
            new = logits.gather(1, actions[rows, None]).squeeze(1)
            ratio, gain = (new - old[rows]).exp(), estimates[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            value_loss = functional.mse_loss(model.value(observations[rows]), targets[rows])
            entropy = -(logits.exp() * logits).sum(dim=1).mean()
            optimizer.zero_grad()
            (policy_loss + 0.5 * value_loss - ENTROPY * entropy).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()


def learn(game: Game, decisions: int, hidden: int, seed: int, model: ActorCritic | None = None) -> ActorCritic:
    """Train a new model, or go on with one; prints a line now and then. The result is a function of the arguments."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # sums depend on the number of threads, and small networks gain nothing from more
    model = model or ActorCritic(game.observation_size, game.actions, hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, eps=1e-5)
    collector, started, rounds = Collector(game, seed), time.perf_counter(), -(-decisions // (ENVS * STEPS))
    for number in range(rounds):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - number / rounds)
        batch, last = collector.rollout(model)
        update(model, optimizer, batch, advantages(batch, last))
        if (number + 1) % max(1, rounds // 10) == 0:
            done, seconds = (number + 1) * ENVS * STEPS, time.perf_counter() - started
            print(f"{done:,} decisions, {done / seconds:,.0f}/s, {time.process_time():.0f} CPU seconds", flush=True)
    return model


def trained(game: Game, *, path: str = "") -> CompiledAgent:
    """The network in a file as an agent."""
    return CompiledAgent("selfplay-ppo", Network.load(Path(path)).policy(game))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", help='such as "tictactoe" or "othello?size=6"')
    parser.add_argument("--decisions", type=int, default=2_000_000, help="of all seats together")
    parser.add_argument("--hidden", type=int, default=64, help="width of the two hidden layers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="by default runs/selfplay-ppo/GAME.npz")
    parser.add_argument("--opening", type=int, default=2, help="random moves at the start of the games that measure")
    arguments = parser.parse_args()
    game = make_game(arguments.game)
    network = learn(game, arguments.decisions, arguments.hidden, arguments.seed).network()
    out = arguments.out or Path("runs/selfplay-ppo") / f"{game.spec}.npz"
    out.parent.mkdir(parents=True, exist_ok=True)
    network.save(out)
    agent = CompiledAgent("selfplay-ppo", network.policy(game))  # the network is an agent
    if game.cooperative:
        points = play_match(game, [agent], 1000, arguments.seed).points()
        print(f"{points.mean():.2f} ± {half_width(points):.2f} points in a game among itself")
    for opponent in () if game.cooperative else ("random", "greedy"):
        scores = play_match(game, [agent, opponent], 500, arguments.seed, opening=arguments.opening).scores()
        print(f"against {opponent}: {100 * scores.mean():.1f} ± {100 * half_width(scores):.1f} %")
    print(f"the network: {out}")


if __name__ == "__main__":
    main()
