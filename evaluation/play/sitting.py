"""A person's game against agents, whatever shows it: a function of the seed and of the person's moves.

The chance is that of `GameEnv.reset(seed=seed)` with the same seat, and each agent draws from a seed of its own. So
when a move is taken back, the same moves meet the same dice, cards and replies again. All agents are reset then. Those
that may remember are asked once more for the moves that stand, and what they say changes nothing; compiled ones
remember only how far they have come in their random stream.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

from ludarium.agents.agent import Agent, CompiledAgent, Reason
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode, agent_seed
from ludarium.envs.game import Game, Resignation
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.position import Position
from ludarium.evaluation.play.calls import Failed, action_of, attempt, reason_of
from ludarium.evaluation.play.opinions import advice_of, in_words

NOBODY = -1
"""The person's seat if everybody watches."""
_NO_REASON = Reason()


class Turn(NamedTuple):
    """One decision: the seat, the action, how it is written, and why it was made, as far as the agent said so.

    `drawn` is how many random numbers a compiled agent had drawn in the game by then.
    """

    seat: int
    action: int
    text: str
    why: Reason = _NO_REASON
    drawn: int = 0


class Sitting:
    """A person in one seat of a game, agents in the others.

    Args:
        game: the game.
        seat: the person's seat; None for one that the seed draws, anew in each game; `NOBODY` if all are agents'.
        opponents: an agent for each other seat, in order; None for another person.
        seed: of the first game.
        start: the position to begin from; as a default the game's own.
        script: the first chance outcomes of every game, instead of the seed's.
        pair: the number of the seed's pair of games, as in a match, whose chance these games have.
        reasons: whether agents give their reasons even where these tell a person what the rules hide.

    Attributes:
        episode: the game in play.
        person: the person's seat, or `NOBODY`.
        turns: the decisions so far.
        ending: what ended the game if its rules did not: a forfeit, a resignation.
        taken_back: how often the person took back in this game.
    """

    def __init__(
        self,
        game: Game,
        seat: int | None,
        opponents: Sequence[Agent | None],
        seed: int,
        start: Position | None = None,
        script: Sequence[int] = (),
        pair: int = 0,
        *,
        reasons: bool = False,
    ) -> None:
        self.game = game
        self._reasons = reasons or not game.hidden_information
        self._seat = seat
        self._opponents = opponents
        self._script, self._pair = list(script), pair
        self._start = start if start is not None else game.start()
        self.begin(seed)

    def begin(self, seed: int, opponents: Sequence[Agent | None] | None = None) -> None:
        """Begin another game, against other agents if there are any."""
        self.seed = seed
        self._opponents = opponents if opponents is not None else self._opponents
        self._key = child_key(seed_key(seed), self._pair)
        self.taken_back = 0
        self._deal()

    def _deal(self) -> None:
        self.episode = Episode(self.game, self._key, self._start, self._script)
        self.person = self.episode.random_seat() if self._seat is None else self._seat
        self.turns: list[Turn] = []
        self.ending = ""
        self._resigned = False
        for seat in range(self.game.seats):
            agent = self.agent(seat)
            if agent is not None:
                began = attempt(agent.reset, seat, agent_seed(agent, self._key, seat))
                if isinstance(began, Failed):
                    self._forfeit(seat, began.cause)
                    return

    def branch(self) -> "Sitting":
        """Another sitting of the same agents at the same point, in which a person's decision can be tried."""
        other = copy.copy(self)
        other.episode, other.turns = self.episode.copy(), list(self.turns)
        return other

    def agent(self, seat: int) -> Agent | None:
        """The agent in a seat; None for a person."""
        return None if seat == self.person else self._opponents[seat - (NOBODY < self.person < seat)]

    def name(self, seat: int) -> str:
        """What to call a seat: `white (you)`, `black (greedy)`."""
        agent = self.agent(seat)
        return f"{self.game.seat_name(seat)} ({'you' if agent is None else agent.name})"

    @property
    def over(self) -> bool:
        """Whether the game has ended, in whatever way."""
        return self.episode.turn == OVER or self.episode.truncated

    def view(self) -> str:
        """The position as the person may see it, from its side of the board."""
        return self.game.side_text(self.episode.position, self.person)

    def legal(self) -> dict[str, int]:
        """The legal actions by how they are written; none when the game is over."""
        position = self.episode.position
        legal = [] if self.over else position.legal_actions()
        return {self.game.action_to_str(position, action): action for action in legal}

    def play(self, action: int, why: Reason = _NO_REASON) -> Turn:
        """Play a legal action of the seat to move."""
        seat = self.episode.turn
        agent = self.agent(seat)
        drawn = agent.drawn if isinstance(agent, CompiledAgent) else 0
        turn = Turn(seat, action, self.game.action_to_str(self.episode.position, action), why, drawn)
        self.episode.play(action)
        self.turns.append(turn)
        return turn

    def reply(self) -> Turn | None:
        """Let the agent whose turn it is move; None if it forfeited instead.

        Where information is hidden from a person, so are the reasons, which may tell what the person does not see;
        unless the person asked for them.

        Raises:
            ValueError: if it is a person's turn.
        """
        agent = self.agent(self.episode.turn)
        if agent is None:
            raise ValueError(f"{self.name(self.episode.turn)} is to move, not an agent")
        shown = self._shown(agent)
        action = self._answer(agent, shown)
        if action is None:
            return None
        with_reason = self._reasons or self.person == NOBODY
        return self.play(action, reason_of(agent, shown) if with_reason else _NO_REASON)

    def _shown(self, agent: Agent) -> tuple[Any, ...]:
        """What an agent is told in the seat to move."""
        seat = self.episode.turn
        info = self.episode.info(seat, agent)
        return self.episode.position.observe(seat), self.episode.mask().copy(), info

    def _answer(self, agent: Agent, shown: tuple[Any, ...]) -> int | None:
        action = action_of(self.episode, attempt(agent, *shown))
        if isinstance(action, Failed):
            self._forfeit(self.episode.turn, action.cause)
            return None
        return action

    def advice(self, agent: Agent) -> tuple[str, Reason]:
        """What an agent would play in the person's place, what it expects, and why; always the same here.

        It sees what the person sees.
        """
        seed = agent_seed(agent, self._key, self.episode.turn)
        advice = advice_of(agent, self.episode, self._shown(agent), seed)
        if isinstance(advice, Failed):
            return f"{agent.name} has no advice: {advice.cause}", _NO_REASON
        return f"{agent.name} would play {in_words(self.episode.position, advice)}", advice.reason

    def resign(self, lost: str = "") -> Turn | None:
        """The person gives up the game; in a match of backgammon, only the game in play.

        Args:
            lost: what, where the rules know several ways, see `Game.resignations`; by default the cheapest.

        Returns:
            The decision, if the rules know it.

        Raises:
            ValueError: if that cannot be lost here.
        """
        ways = self.game.resignations(self.episode.position)
        if ways or lost:
            return self.play(_way(self.game, ways, lost).action)
        self.episode.forfeit(self.person)
        self.ending = f"{self.name(self.person)} resigned"
        self._resigned = True
        return None

    def back(self) -> bool:
        """Take back to the person's last decision, which may be to resign; False if there was none."""
        mine = [number for number, turn in enumerate(self.turns) if turn.seat == self.person]
        if not (mine or self._resigned):
            return False
        self.resume(self.turns if self._resigned else self.turns[: mine[-1]])
        self.taken_back += 1
        return True

    def resume(self, turns: Sequence[Turn]) -> None:
        """Play the game from its beginning as far as these decisions go, which were legal when they were made."""
        self._deal()
        for turn in turns:
            agent = self.agent(turn.seat)
            if isinstance(agent, CompiledAgent):
                agent.drawn = turn.drawn
            elif agent is not None:
                self._answer(agent, self._shown(agent))
            if self.over:  # the agent forfeited
                break
            self.play(turn.action, turn.why)

    def _forfeit(self, seat: int, cause: str) -> None:
        self.episode.forfeit(seat)
        self.ending = f"{self.name(seat)} forfeits: {cause}"

    def result(self) -> str:
        """One line about how the game ended, or that it did not."""
        text = self.ending or self.game.result_text(self.episode.position)
        if not self.over:
            text = "not finished"
        elif self.episode.truncated:
            text = f"cut off after {self.episode.plies} moves, the most there can be"
        alone = [self.agent(seat) for seat in range(self.game.seats)].count(None) == 1
        mine = float(self.episode.returns[self.person]) if alone else 0.0
        if self.over and mine and not self.game.cooperative:
            text += f"; you {'win' if mine > 0 else 'lose'}"
        return text + (f" (taken back: {self.taken_back})" if self.taken_back else "")

    def notation(self) -> list[str]:
        """The moves in the game's notation; in parentheses what chance did, unless information is hidden."""
        position, words = self._start.copy(), []
        for number in self.episode.history:
            if position.turn != CHANCE:
                words.append(self.game.action_to_str(position, number))
            elif not self.game.hidden_information:
                words.append(f"({self.game.outcome_to_str(position, number)})")
            position.push(number)
        return words


def _way(game: Game, ways: Sequence[Resignation], lost: str) -> Resignation:
    for way in ways:
        if lost in ("", way.name):
            return way
    names = " or ".join(repr(way.name) for way in ways) or "the game, without naming it"
    raise ValueError(f"{game.name}: {lost!r} cannot be lost by resigning here, only {names}")
