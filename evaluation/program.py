"""What `ludarium arena` plays: for every game the built-in agents, and so many pairs that it takes two minutes."""

from ludarium.evaluation.roundrobin import Event

_PROGRAM = (
    Event("hexapawn", ("perfect", "alphabeta", "mcts", "greedy", "random"), 1000, opening=1),
    Event("tictactoe", ("perfect", "alphabeta", "mcts", "greedy", "random"), 500, opening=1),
    Event("othello", ("alphabeta", "mcts", "greedy", "random"), 120, opening=6),
    Event("backgammon", ("mcts?simulations=50", "greedy", "random"), 250),
    Event("hanabi", ("greedy", "random"), 5000),
)


def arena_events(scale: float = 1.0) -> list[Event]:
    """The events, with `scale` times the usual number of games."""
    return [Event(e.game, e.agents, max(1, round(e.pairs * scale)), e.opening) for e in _PROGRAM]
