"""The tournament of `ludarium arena`: the built-in agents in every game, the quickest first, in about a minute."""

from dataclasses import replace

from ludarium.evaluation.tournament.schedule import GameEntry, Tournament

_BOARD = ("perfect", "alphabeta", "mcts", "greedy", "ppo", "random")
_GAMES = (
    GameEntry("hexapawn", 1000, opening=1, agents=_BOARD),
    GameEntry("tictactoe", 1000, opening=1, agents=_BOARD),
    GameEntry("hanabi", 2000, agents=("greedy", "ppo", "random"), crossplay=True),
    GameEntry("othello", 200, opening=6, agents=("alphabeta", "mcts", "greedy", "ppo", "random")),
    GameEntry("backgammon", 100, agents=("mcts?simulations=50", "greedy", "ppo", "random")),
)


def arena(seed: int = 0, pairs: int | None = None) -> Tournament:
    """The tournament, with the usual number of pairs of games in each pairing, or with `pairs`."""
    games = tuple(replace(game, pairs=game.pairs if pairs is None else pairs) for game in _GAMES)
    agents = tuple(dict.fromkeys(agent for game in games for agent in game.agents))
    return Tournament(agents, games, name="arena", seed=seed)
