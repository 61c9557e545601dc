"""The tournament of `ludarium arena`: the built-in agents in every game that they take, the quickest game first.

Only `bgsage` is left out, a program that is not part of this package. Where an agent's usual budget takes too long for
a minute in all, its spec says what it has here.
"""

from dataclasses import replace

from ludarium.evaluation.tournament.event import GameEntry, Tournament

_SMALL = ("expert", "perfect", "alphabeta", "beam", "mcts", "greedy", "ppo", "random")
_OTHELLO = ("expert?nodes=1000", "alphabeta", "beam?depth=6", "mcts", "greedy", "ppo", "random")
_HANABI = ("expert", "greedy", "hanabi-rules?name=iggi", "ppo", "random")  # without a name it is greedy
_GAMES = (
    GameEntry("hexapawn", 700, opening=1, agents=_SMALL),
    GameEntry("tictactoe", 700, opening=1, agents=_SMALL),
    GameEntry("hanabi", 2000, agents=_HANABI, crossplay=True),
    GameEntry("othello", 140, opening=6, agents=_OTHELLO),
    GameEntry("backgammon", 60, agents=("expert", "mcts?simulations=50", "greedy", "ppo", "random")),
)


def arena(seed: int = 0, pairs: int | None = None) -> Tournament:
    """The tournament, with the usual number of pairs of games in each pairing, or with `pairs`."""
    games = tuple(replace(game, pairs=game.pairs if pairs is None else pairs) for game in _GAMES)
    agents = tuple(dict.fromkeys(agent for game in games for agent in game.agents))
    return Tournament(agents, games, name="arena", seed=seed)
