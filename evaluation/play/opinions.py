"""What an agent thinks of every move in a position: asked for, checked, as people read it; and what it would play."""

from dataclasses import replace
from typing import Any, NamedTuple

from ludarium.agents.agent import Agent, Reason
from ludarium.envs.chance import stream
from ludarium.envs.episode import Episode
from ludarium.envs.game import RESULT, Game
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
    answer = attempt(opinions_of, agent, episode.position, seed)
    opinions = answer if isinstance(answer, Opinions) else None
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
    worth = worth_text(position.game, opinion, advice.opinions)
    unit = advice.opinions.unit.removeprefix("result ")  # and the scale in brackets
    number = f"worth {worth} {unit}{' (exact)' if opinion.exact else ''}"
    text += f", which {worth}" if worth[0].isalpha() else f", {number}"
    line = line_of(position, opinion)
    return f"{text}; it expects {' '.join(line)}" if len(line) > 1 else text


def opinions_of(agent: Agent, position: Position, seed: int) -> Opinions:
    """What the agent thinks, the move that it plays first, then the best.

    Args:
        agent: the agent.
        position: a position where a seat is to move. The agent does not see what is hidden from this seat.
        seed: what the agent's randomness is drawn from.

    Raises:
        ValueError: if it cannot say, fails, or does not judge every legal action.
    """
    game = position.game
    shown = game.redealt(position, stream(seed))
    opinions = None if shown is None else call_agent(agent.judge, shown, seed)
    if opinions is None:
        other = "expert" if game.hidden_information else "mcts"
        raise ValueError(f"the agent {agent.name!r} does not say what moves are worth in {game.name}; {other!r} does")
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


def worth_text(game: Game, opinion: Opinion, opinions: Opinions) -> str:
    """What a move is worth, as people read it: `wins in 5 plies`, `+0.147`, `64.23`, `18.40 ± 0.21`.

    Beside estimates, only who wins is said of what is exact.
    """
    value, even = opinion.value, game.even or 0.0
    if opinion.exact and (opinions.mixed or _only_won(game, opinions)):
        verb = _RESULTS[(value > even) - (value < even)]
        plies = opinion.plies if _only_won(game, opinions) else None
        return f"{verb} in {plies} {'ply' if plies == 1 else 'plies'}" if plies else verb
    if opinion.exact:
        return f"{value:{_sign(game)}g}" if value else "0"
    most = max(abs(other.value) for other in opinions if not other.exact)
    error = "" if opinion.error is None else f" ± {opinion.error:.{_digits(most)}f}"
    return value_text(game, value, most) + error


def value_text(game: Game, value: float, most: float = 0.0) -> str:
    """A value in the unit of the game, with as many digits as a number of the size `most` needs to have four."""
    return f"{value:{_sign(game)},.{_digits(max(most, abs(value)))}f}"


def _digits(most: float) -> int:
    return sum(most < limit for limit in (10.0, 100.0, 1000.0))


def _sign(game: Game) -> str:
    """Values are written with a sign where 0 favours nobody."""
    return "+" if game.even == 0 else ""


_RESULTS = {1: "wins", 0: "draws", -1: "loses"}


def _only_won(game: Game, opinions: Opinions) -> bool:
    """Whether values are those of a game that is only won, drawn or lost."""
    return opinions.unit in (RESULT, Game.unit) and game.payoff_range == (-1.0, 1.0)


# --- each play once ---------------------------------------------------------------------------------------------------


class Play(NamedTuple):
    """What a seat does until another one is to move, or chance: in backgammon also both halves of a double.

    Attributes:
        text: how it is usually written, see `Game.turn_text`.
        actions: what it consists of.
    """

    text: str
    actions: tuple[int, ...]


def plays(position: Position, opinions: Opinions) -> dict[int, Play]:
    """For each action, the play that it begins; the same one for all that lead to the same position.

    In backgammon two checkers may move in either order; the play is the one in the usual order, if there is one.
    """
    plays_to: dict[Position, list[tuple[bool, Play]]] = {}
    ends: dict[int, Position] = {}
    for opinion in opinions:
        here, actions, words = position.copy(), list[int](), list[str]()
        for action in opinion.line or (opinion.action,):
            if here.turn != position.turn:
                break
            actions.append(action)
            words.append(here.game.action_to_str(here, action))
            here.play(action)
        ends[opinion.action] = here
        text = here.game.turn_text(position, actions)
        plays_to.setdefault(here, []).append((text != " ".join(words), Play(text, tuple(actions))))
    return {action: min(plays_to[end])[1] for action, end in ends.items()}


def distinct(position: Position, opinions: Opinions) -> Opinions:
    """One opinion for each play, the best of those that lead to the same position, in the same order."""
    play_of, kept = plays(position, opinions), dict[Play, Opinion]()
    for opinion in opinions:
        play = play_of[opinion.action]
        line = (*play.actions, *opinion.line[len(play.actions) :])
        kept.setdefault(play, replace(opinion, action=play.actions[0], line=line))
    played = None if opinions.played is None else play_of[opinions.played].actions[0]
    return replace(opinions, moves=tuple(kept.values()), played=played)
