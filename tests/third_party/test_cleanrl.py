"""A loop in the style of CleanRL, one function with everything in it, on Gymnasium's `make_vec`."""

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import ludarium  # noqa: F401  (registers the games)

torch = pytest.importorskip("torch")
ENVS, STEPS, UPDATES, EPOCHS, DISCOUNT, TRACE, CLIP = 64, 16, 16, 4, 0.99, 0.95, 0.2


@pytest.fixture
def one_thread():
    """Small matrices are quicker in one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_masked_ppo_learns_tictactoe():
    torch.manual_seed(1)
    envs = RecordEpisodeStatistics(gymnasium.make_vec("ludarium/TicTacToe-v0", num_envs=ENVS, opponent="random"))
    size = int(np.prod(envs.single_observation_space.shape))
    trunk = torch.nn.Sequential(torch.nn.Linear(size, 64), torch.nn.ReLU())
    actor, critic = torch.nn.Linear(64, envs.single_action_space.n), torch.nn.Linear(64, 1)
    layers = torch.nn.ModuleList([trunk, actor, critic])
    optimizer = torch.optim.Adam(layers.parameters(), lr=3e-3)

    def look(seen, masks):
        hidden = trunk(seen)
        logits = actor(hidden).masked_fill(~masks, -1e9)
        return torch.distributions.Categorical(logits=logits), critic(hidden).squeeze(-1)

    def tensors(observations, infos):
        flat = torch.as_tensor(observations.reshape(ENVS, -1), dtype=torch.float32)
        return flat, torch.as_tensor(infos["action_mask"], dtype=torch.bool)

    now, masks = tensors(*envs.reset(seed=1))
    returns = []
    for _ in range(UPDATES):
        kept, ended = [], []
        for _ in range(STEPS):
            with torch.no_grad():
                policy, value = look(now, masks)
                action = policy.sample()
            observations, reward, terminated, truncated, infos = envs.step(action.numpy())
            over = terminated | truncated
            gained, goes_on = torch.as_tensor(reward), ~torch.as_tensor(over)
            kept.append((now, masks, action, policy.log_prob(action), value, gained, goes_on))
            ended += infos["episode"]["r"][over].tolist() if "episode" in infos else []
            now, masks = tensors(observations, infos)
        returns.append(np.mean(ended))
        seen, legal, actions, old, values, rewards, goes_on = (torch.stack(part) for part in zip(*kept, strict=True))
        with torch.no_grad():
            ahead, after, estimates = torch.zeros(ENVS), look(now, masks)[1], torch.zeros_like(values)
            for step in reversed(range(STEPS)):
                surprise = rewards[step] + DISCOUNT * after * goes_on[step] - values[step]
                ahead = surprise + DISCOUNT * TRACE * ahead * goes_on[step]
                estimates[step], after = ahead, values[step]
        for _ in range(EPOCHS):
            policy, value = look(seen, legal)
            ratio = (policy.log_prob(actions) - old).exp()
            gain = torch.min(ratio * estimates, ratio.clamp(1 - CLIP, 1 + CLIP) * estimates).mean()
            loss = (value - estimates - values).square().mean() - gain - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert np.mean(returns[:2]) < 0.15 < 0.25 < np.mean(returns[-5:]), returns  # a random player's is 0
