"""TorchRL's adapter for PettingZoo around our environments."""
# ruff: noqa: E402  (imports that must wait until it is known that they can be)

import pettingzoo
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")

from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import check_env_specs

import ludarium  # noqa: F401  (registers the games)

torch.distributions.Distribution.set_default_validate_args(True)  # TorchRL turns it off for the whole process


def adapted(game):
    return PettingZooWrapper(env=pettingzoo.make("aec", f"ludarium/{game}-v0"), use_mask=True, seed=1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:PettingZoo in TorchRL is tested")
@pytest.mark.parametrize(("game", "moves"), [("tictactoe", 60), ("hanabi", 30)])
def test_it_finds_the_specs_and_plays_legal_moves(game, moves):
    torch.manual_seed(1)  # the check fails if the last of its random moves happens to end a game
    check_env_specs(adapted(game))
    env = adapted(game)
    played = env.rollout(moves, break_when_any_done=False)
    assert played.shape == (moves,)
    agents = [agent for group in env.group_map.values() for agent in group]
    to_move = torch.stack([played[agent, "mask"][:, 0] for agent in agents])
    assert (to_move.sum(dim=0) == 1).all()
    for agent in agents:
        acting = played[agent, "mask"][:, 0]
        legal = played[agent, "action_mask"][acting, 0]
        action = played[agent, "action"][acting, 0]
        chosen = legal.gather(1, action[:, None]) if action.ndim == 1 else legal & action.bool()
        assert chosen.any(dim=1).all()  # an illegal one would end the game as a loss
    if game == "tictactoe":
        rewards = torch.stack([played["next", agent, "reward"][:, 0, 0] for agent in agents])
        assert (rewards.sum(dim=0) == 0).all()
        assert played["next", "done"].sum() > 5
