"""What an agent thinks of every move in a position, asked for and checked, and what it would play there."""

from typing import Any, NamedTuple

from ludarium.agents.agent import Agent, Reason
from ludarium.envs.episode import Episode
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.position import Position
from ludarium.evaluation.play.calls import Failed, action_of, attempt, call_agent, reason_of


class Advice(NamedTuple):
    """The move that an agent would make, why, and what it thinks of every move, if it can say."""

    action: int
    reason: Reason
    opinions: Opinions | None


def advice_of(agent: Agent, episode: Episode, shown: tuple[Any, ...], seed: int) -> Advice | Failed:
    """What an agent would play in an episode, from what it is shown.

    An agent that says which move it plays when it judges all of them is not asked again.

    Args:
        agent: the agent.
        episode: the episode, where a seat is to move.
        shown: what `Agent.__call__` takes.
        seed: what the agent's randomness is drawn from.
    """
    opinions = None
    if not episode.game.hidden_information:
        found = attempt(opinions_of, agent, episode.position, seed)
        opinions = found if isinstance(found, Opinions) else None
    if opinions is not None and opinions.played is not None:
        return Advice(opinions.played, reason_of(agent, shown), opinions)
    began = attempt(agent.reset, episode.turn, seed)
    action = action_of(episode, began if isinstance(began, Failed) else attempt(agent, *shown))
    if isinstance(action, Failed):
        return action
    return Advice(action, reason_of(agent, shown), opinions and opinions.marked(action).ranked())


def in_words(position: Position, advice: Advice) -> str:
    """The move that is advised and, if the agent can say, what it is worth and the line that is expected."""
    text = position.game.action_to_str(position, advice.action)
    if advice.opinions is None:
        return text
    opinion = next(one for one in advice.opinions if one.action == advice.action)
    number = f"{opinion.value:+g}" if opinion.exact else f"{opinion.value:+.2f}"
    text += f", worth {number} {advice.opinions.unit}{' (exact)' if opinion.exact else ''}"
    line = line_of(position, opinion)
    return f"{text}; it expects {' '.join(line)}" if len(line) > 1 else text


def opinions_of(agent: Agent, position: Position, seed: int) -> Opinions:
    """What the agent thinks, the move that it plays first, then the best.

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
    if opinions.played not in (None, *legal):
        raise ValueError(
            f"the agent {agent.name!r} must play one of the legal actions {legal}, not {opinions.played!r}"
        )
    return opinions.ranked()


def line_of(position: Position, opinion: Opinion) -> list[str]:
    """The moves of an opinion's line, as the game writes them."""
    here, words = position.copy(), []
    for action in opinion.line:
        words.append(here.game.action_to_str(here, action))
        here.play(action)
    return words
