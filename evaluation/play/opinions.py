"""What an agent thinks of every move in a position: asked for, checked, and as people read it."""

from dataclasses import replace
from typing import NamedTuple

from ludarium.agents.agent import Agent
from ludarium.envs.chance import stream
from ludarium.envs.game import RESULT, Game
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.position import Position
from ludarium.evaluation.play.calls import Failed, call_agent


def opinions_of(agent: Agent, position: Position, seed: int) -> Opinions:
    """What the agent thinks, the best move first.

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
    found: dict[Position, list[tuple[bool, Play]]] = {}
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
        found.setdefault(here, []).append((text != " ".join(words), Play(text, tuple(actions))))
    return {action: min(found[end])[1] for action, end in ends.items()}


def distinct(position: Position, opinions: Opinions) -> Opinions:
    """One opinion for each play, the best of those that lead to the same position, in the same order."""
    known, kept = plays(position, opinions), dict[Play, Opinion]()
    for opinion in opinions:
        play = known[opinion.action]
        line = (*play.actions, *opinion.line[len(play.actions) :])
        kept.setdefault(play, replace(opinion, action=play.actions[0], line=line))
    played = None if opinions.played is None else known[opinions.played].actions[0]
    return replace(opinions, moves=tuple(kept.values()), played=played)
