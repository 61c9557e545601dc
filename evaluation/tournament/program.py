"""The tournament of `ludarium arena`: the built-in agents in every game, sized to take two minutes."""

from dataclasses import replace

from ludarium.evaluation.tournament.schedule import GameEntry, Tournament

_BOARD = ("perfect", "alphabeta", "mcts", "greedy", "ppo", "random")
_GAMES = (
    GameEntry("hexapawn", 2000, opening=1, agents=_BOARD),
    GameEntry("tictactoe", 1000, opening=1, agents=_BOARD),
    GameEntry("othello", 300, opening=6, agents=("alphabeta", "mcts", "greedy", "ppo", "random")),
    GameEntry("backgammon", 400, agents=("mcts?simulations=50", "greedy", "ppo", "random")),
    GameEntry("hanabi", 5000, agents=("greedy", "ppo", "random"), crossplay=True),
)


def arena(seed: int = 0, scale: float = 1.0) -> Tournament:
    """The tournament, with `scale` times the usual number of games."""
    games = tuple(replace(game, pairs=max(1, round(game.pairs * scale))) for game in _GAMES)
    agents = tuple(dict.fromkeys(agent for game in games for agent in game.agents))
    return Tournament(agents, games, name="arena", seed=seed)
