"""The positions of a game in play, one for each number of decisions, and how each looks on the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from ludarium.envs.drawing import Area
from ludarium.envs.kernels import CHANCE
from ludarium.envs.options import IllegalAction
from ludarium.envs.position import Position
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.table.refusal import Refusal


class Line:
    """What has happened in a game, as a seat that may not see everything may know it.

    Args:
        plan: the game and who sits where.

    Attributes:
        history: decisions and chance outcomes, in order.
    """

    def __init__(self, plan: Plan) -> None:
        self.game, self._start = plan.made, plan.start_position
        self.viewer = plan.people[0] if self.game.hidden_information and plan.people else None
        self._views: dict[int, dict[str, Any]] = {}
        self._areas: dict[int, Mapping[int, Sequence[Area]]] = {}
        self._clear()

    def _clear(self) -> None:
        self.history: list[int] = []
        self._here = self._start.copy()
        self._before: Position | None = None  # the last chance node
        self.positions: list[Position] = []  # by number of decisions, after the chance that follows them
        self.lengths: list[int] = []  # of the history by then
        self.chance: list[list[str]] = [[]]  # what chance did then
        self.rolled: list[tuple[Position, int] | None] = []  # the last chance node then, and its outcome
        self._views.clear()
        self._areas.clear()

    def follow(self, history: Sequence[int]) -> None:
        """Go on to where the game is now, or back."""
        same = len(self.history)
        if list(history[:same]) != self.history:
            same = 0
            self._clear()
        rolled: tuple[Position, int] | None = None
        for number in history[same:]:
            if self._here.turn == CHANCE:
                rolled = self._here.copy(), number
                self.chance[-1].append(self.game.outcome_to_str(self._here, number))
            else:
                self._arrive(rolled)
                self.chance.append([])
                rolled = None
            self._here.push(number)
            self.history.append(number)
        if self._here.turn != CHANCE:
            self._arrive(rolled)

    def _arrive(self, rolled: tuple[Position, int] | None) -> None:
        """A position with a decision to make, or the end."""
        if len(self.positions) < len(self.chance):
            self.positions.append(self._here.copy())
            self.lengths.append(len(self.history))
            self.rolled.append(rolled)

    def at(self, ply: int) -> Position:
        """The position after a number of decisions.

        Raises:
            Refusal: if the game has not come so far.
        """
        if not self.positions:
            raise Refusal("the game has no position yet: its first chance is still to come", 404)
        if not 0 <= ply < len(self.positions):
            raise Refusal(f"the game has {len(self.positions) - 1} moves, there is no position after {ply}", 404)
        return self.positions[ply]

    def view(self, ply: int) -> dict[str, Any]:
        """A position for the page: the picture, the same in words, and the moves that may be played from it."""
        position = self.at(ply)
        if ply not in self._views:
            self._views[ply] = self._view(position, ply)
        return self._views[ply]

    def _view(self, position: Position, ply: int) -> dict[str, Any]:
        places: dict[tuple[float, ...], int] = {}
        game, viewer = self.game, self.viewer
        return {
            "ply": ply,
            "turn": position.turn,
            "svg": (game.draw(position) if viewer is None else game.draw_view(position, viewer)).svg(),
            "text": game.to_ansi(position) if viewer is None else game.view_text(position, viewer),
            "facts": [[name, text] for name, text in self.game.facts(position, self.viewer).items()],
            "moves": self._moves(position, ply, places),
            "places": [list(place) for place in places],
            "position": None if self.game.hidden_information else position.text,
            "last": self._last(ply),
            "chance": self._chance(ply),
            "resignations": self._resignations(position),
        }

    def _moves(self, position: Position, ply: int, places: dict[tuple[float, ...], int]) -> list[dict[str, Any]]:
        """The legal moves with the places to touch for each, in order; none where they would tell what is hidden."""
        if self.viewer not in (None, position.turn):
            return []
        areas = self._touched(ply)
        return [
            {
                "action": action,
                "text": self.game.action_to_str(position, action),
                "path": [places.setdefault(tuple(area), len(places)) for area in areas.get(action, ())],
            }
            for action in position.legal_actions()
        ]

    def _last(self, ply: int) -> list[list[float]]:
        """The places that the last decision touched."""
        if ply == 0:
            return []
        action = self.history[self.lengths[ply - 1]]
        return [list(area) for area in self._touched(ply - 1).get(action, ())]

    def _touched(self, ply: int) -> Mapping[int, Sequence[Area]]:
        """The places to touch for each move from a position."""
        if ply not in self._areas:
            self._areas[ply] = self.game.areas(self.positions[ply])
        return self._areas[ply]

    def _chance(self, ply: int) -> dict[str, Any] | None:
        """What chance did last, and what else it might have done; nothing where that is hidden."""
        rolled = self.rolled[ply]
        if rolled is None or self.game.hidden_information:
            return None
        before, outcome = rolled
        turn, distinct = self.positions[ply].turn, dict[bytes, int]()
        for number in (outcome, *_outcomes(before)):  # two outcomes may be the same roll
            after = before.copy()
            after.push(number)
            if after.turn == turn:  # at the opening roll, who begins stays as it is
                distinct.setdefault(after.data.tobytes(), number)
        choices = [[number, self.game.outcome_to_str(before, number)] for number in sorted(distinct.values())]
        return {"outcome": outcome, "choices": choices}

    def _resignations(self, position: Position) -> list[dict[str, Any]]:
        """The ways to give up that the rules know, and whether that ends everything or only a game of the match."""
        resignations = []
        for way in self.game.resignations(position):
            after = position.copy()
            after.push(way.action)
            resignations.append({"lost": way.name, "points": way.points, "over": after.over})
        return resignations

    def preview(self, ply: int, action: int) -> str:
        """The picture right after a move, before any chance.

        Raises:
            Refusal: if the move is not legal, or the picture would show what is hidden.
        """
        if self.game.hidden_information:
            raise Refusal(f"{self.game.name}: what a move does is hidden until it is played", 403)
        after = self.at(ply).copy()
        try:
            after.play(action)
        except IllegalAction as error:
            raise Refusal(f"{error}", 409) from None
        return self.game.draw(after).svg()

    def known(self, ply: int) -> str:
        """The picture with what is hidden as its owners know it.

        Raises:
            Refusal: if nothing is hidden in this game.
        """
        drawing = self.game.draw_known(self.at(ply))
        if drawing is None:
            raise Refusal(f"{self.game.name}: nothing is hidden, so everybody knows the same", 409)
        return drawing.svg()

    def script(self, ply: int, outcome: int) -> list[int]:
        """All chance outcomes up to a position, the last one replaced.

        Raises:
            Refusal: if chance did nothing right before it, or cannot do this.
        """
        self.at(ply)
        rolled = self.rolled[ply]
        if rolled is None or self.game.hidden_information:
            raise Refusal(f"{self.game.name}: there is no chance to decide here", 409)
        if outcome not in _outcomes(rolled[0]):
            raise Refusal(f"{self.game.name}: {outcome} is not a possible outcome here", 409)
        position, outcomes = self._start.copy(), []
        for number in self.history[: self.lengths[ply]]:
            if position.turn == CHANCE:
                outcomes.append(number)
            position.push(number)
        return [*outcomes[:-1], outcome]


def _outcomes(position: Position) -> list[int]:
    """What chance can do that leaves the next decision to a seat: a tie at the opening roll is only rolled again."""
    outcomes = []
    for outcome, _ in position.outcomes():
        after = position.copy()
        after.push(outcome)
        if after.turn != CHANCE:
            outcomes.append(outcome)
    return outcomes
