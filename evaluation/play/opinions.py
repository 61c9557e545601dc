"""What an agent thinks of every move in a position, asked for and checked."""

from ludarium.agents.agent import Agent
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.position import Position
from ludarium.evaluation.play.calls import Failed, call_agent


def opinions_of(agent: Agent, position: Position, seed: int) -> Opinions:
    """What the agent thinks, the best move first.

    Args:
        agent: the agent.
        position: a position where a seat is to move, of a game without hidden information.
        seed: what the agent's randomness is drawn from.

    Raises:
        ValueError: if it cannot say, fails, or does not judge every legal action.
    """
    opinions = call_agent(agent.judge, position.copy(), seed)
    if opinions is None:
        raise ValueError(
            f"the agent {agent.name!r} does not say what moves are worth in {position.game.name}; 'mcts' does"
        )
    if isinstance(opinions, Failed):
        raise ValueError(f"the agent {agent.name!r} cannot judge the position: {opinions.cause}")
    if not isinstance(opinions, Opinions):
        raise ValueError(f"the agent {agent.name!r} must return Opinions, not {type(opinions).__name__}")
    judged, legal = sorted(opinion.action for opinion in opinions), position.legal_actions()
    if judged != legal:
        raise ValueError(f"the agent {agent.name!r} must judge each of the legal actions {legal} once, not {judged}")
    return opinions.ranked()


def line_of(position: Position, opinion: Opinion) -> list[str]:
    """The moves of an opinion's line, as the game writes them."""
    here, words = position.copy(), []
    for action in opinion.line:
        words.append(here.game.action_to_str(here, action))
        here.play(action)
    return words
