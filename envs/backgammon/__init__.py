"""Backgammon: money games and matches, with and without the doubling cube; Nackgammon and Hypergammon."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ludarium.envs.backgammon import diagram, drawing, notation, resigning, rules, turns
from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.game import Game, Resignation, kernel
from ludarium.envs.options import Option
from ludarium.envs.position import Position

MATCH_EQUITY = "match equity (%)"
"""The unit of matches: the chance to win the match, in percent, as GNU Backgammon shows it unless told otherwise.

An equity that is normalised to the cube would jump whenever the cube is turned and a game ends.
"""


class Backgammon(Game):
    """Bring all your checkers home and off before the other side does. See `ludarium.envs.backgammon.rules`.

    By default, one money game without the cube: 1 point, 2 for a gammon, 3 for a backgammon. With `cube=True` the
    points are multiplied by the doubling cube, which stops at 64. With `match_length=7` an episode is a whole match:
    games until a side has 7 points, with the cube in play (in a match to one point there is none), the Crawford rule,
    and a payoff of 1 for the winner, -1 for the loser. There are no beavers and no automatic doubles.

    Random games have about 110 decisions, matches proportionally more. `max_moves` is 1,000 decisions per game, enough
    for every game that OpenSpiel finishes within its 500 turns (a turn has at most two decisions about moves).
    """

    name = "backgammon"
    title = "Backgammon"
    state = rules.STATE
    seat_names = ("white", "black")
    seat_colours = drawing.COLOURS
    option_types = {
        "variant": Option(
            "standard", choices=("standard", "nackgammon", "hypergammon"), help="how the checkers are set up"
        ),
        "scoring": Option("points", choices=("points", "wins"), help="what a money game pays: its points, or 1"),
        "match_length": Option(0, 0, 25, help="points that win the match; 0 for one money game"),
        "cube": Option(False, help="the doubling cube in a money game; matches to 2 points or more always have it"),
        "jacoby": Option(False, help="money games with the cube: gammons count only once it has been turned"),
        "crawford": Option(True, help="matches: no doubling in the first game after a side comes within one point"),
    }
    max_outcomes = 36
    max_afterstates = turns.MAX_AFTERSTATES

    setup = kernel(rules.setup)
    turn = kernel(rules.turn)
    legal = kernel(rules.legal)
    play = kernel(rules.play)
    chance = kernel(rules.chance)
    sample_chance = kernel(rules.sample_chance)
    payoffs = kernel(rules.payoffs)
    observe = kernel(rules.observe)
    afterstates = kernel(turns.afterstates)

    def configure(self) -> None:
        """Derive the facts that depend on the options.

        Raises:
            ValueError: for options that contradict each other.
        """
        length, cube = self.options["match_length"], self.options["cube"]
        if self.options["jacoby"] and (length or not cube):
            raise ValueError(
                f"backgammon: jacoby=True is a rule of money games with the cube (cube=True, match_length=0), "
                f"not of match_length={length} with cube={cube}"
            )
        if cube and length == 1:
            raise ValueError("backgammon: cube=True with match_length=1: a match to one point has no cube")
        has_cube = bool(cube or length > 1)
        self.actions = rules.ACTIONS if has_cube else rules.MOVES
        self.observation_shape = (209,) if has_cube else (200,)
        self.observation_range = (0, max(15, length))
        self.max_moves = 1000 * max(1, 2 * length - 1) * (2 if has_cube else 1)
        most = 3.0 * 2**rules.LARGEST_CUBE if cube else 3.0
        if length or self.options["scoring"] == "wins":
            most = 1.0
        self.payoff_range = (-most, most)
        self.unit = MATCH_EQUITY if length else "points"

    def as_value(self, payoff: float) -> float:
        """The points; of the payoff of a match, -1 to 1, the chance to win it, in percent."""
        return 50.0 * (1.0 + payoff) if self.options["match_length"] else payoff

    # --- moves and dice ---------------------------------------------------------------------------------------------

    def action_to_str(self, position: Position, action: int) -> str:
        """The action as the mover counts its points: `24/18 13/9`, `bar/22*`, `cannot move`, `double`."""
        return notation.action_text(position, action)

    def turn_text(self, position: Position, actions: Sequence[int]) -> str:
        """All moves of a turn, from the highest point, those that are alike together: `24/18(2) 13/7(2)`."""
        return notation.usual_order(super().turn_text(position, actions))

    def str_to_action(self, position: Position, text: str) -> int:
        """The legal action that a text names: moves in any order, combined or not, with or without hits; cube words.

        Raises:
            ValueError: if it is not in the notation.
            IllegalAction: if it is, but no legal action matches.
        """
        return notation.find_action(position, text)

    def outcome_to_str(self, position: Position, outcome: int) -> str:
        """`31`; at the opening roll `3-1`, white's die first."""
        return notation.outcome_text(outcome, int(np.frombuffer(position.data, rules.STATE)[0]["phase"]))

    def chance_script(self, options: Mapping[str, Any], start: Position) -> list[int]:
        """The chance outcomes for the option `dice`: rolls in order, such as `[(3, 1), (6, 6)]`.

        An opening roll has white's die first. A tie is rolled again, as may happen in later games of a match, but the
        first roll cannot be one.

        Raises:
            ValueError: for an unknown option, for something that is not a roll, or for a tie as the first opening roll.
        """
        self._check_reset_options(options, "dice")
        try:
            rolls = [(int(first), int(second)) for first, second in options.get("dice", ())]
        except (TypeError, ValueError):
            rolls = [(0, 0)]
        if any(not (1 <= die <= 6) for roll in rolls for die in roll):
            raise ValueError(
                f"backgammon: dice must be a list of rolls such as [(3, 1), (6, 6)], not {options['dice']!r}"
            )
        if rolls and rolls[0][0] == rolls[0][1] and start.record.phase == rules.OPENING:
            raise ValueError(f"backgammon: the opening roll cannot be the tie {rolls[0]!r}; white's die comes first")
        return [notation.roll_outcome(*roll) for roll in rolls]

    # --- positions --------------------------------------------------------------------------------------------------

    def diagram(self, position: Position) -> diagram.Diagram:
        """The position as a diagram, the content of its text."""
        record = position.data.view(rules.STATE)[0]  # its fields are read many times faster than those of `record`
        phase = int(record["phase"])
        if phase == rules.ROLLING and not rules.may_double(record):
            phase = rules.OFFER  # without a choice to make, both phases mean just before the roll
        white, black = map(tuple, record["checkers"][:, 1:].tolist())
        low, high = record["dice"].tolist()
        first, second = record["score"].tolist()
        return diagram.Diagram(
            checkers=(white, black),
            phase=phase,
            seat=int(record["seat"]),
            dice=(low, high),
            cube=int(record["cube"]),
            owner=int(record["owner"]),
            score=(first, second),
            crawford=bool(record["crawford"]),
            jacoby=bool(record["jacoby"]),
            match_length=int(record["match_length"]),
            won=int(record["won"]),
        )

    def to_text(self, position: Position) -> str:
        """The XGID, see `ludarium.envs.backgammon.diagram`."""
        return diagram.xgid(self.diagram(position))

    def from_text(self, text: str) -> Position:
        """The position of an XGID or of GNU Backgammon's IDs.

        The rules in force are this game's: the flags for the Jacoby rule and beavers are ignored, and so is the score
        in a money game. A position ID alone means white on roll, the cube in the middle and the score 0-0.

        Raises:
            ValueError: if the text is in neither format, or is not a position of this game.
        """
        position = self.start()
        record = position.data.view(rules.STATE)[0]  # as in `diagram`
        diagram.fill(record, diagram.read(text), self._men(), text)
        return position

    def to_ansi(self, position: Position) -> str:
        """The board with white's numbers, X for white and O for black, and the rest of the position below it."""
        return drawing.ansi(self.diagram(position), self.seat_names, self._men())

    def side_text(self, position: Position, seat: int) -> str:
        """As `to_ansi`; with black's numbers and black's home at the bottom right for black."""
        return drawing.ansi(self.diagram(position), self.seat_names, self._men(), below=int(seat == 1))

    def draw(self, position: Position) -> Drawing:
        """The board as a picture, white's home at the bottom right."""
        return drawing.draw(self.diagram(position), self.seat_names, self._men())

    def areas(self, position: Position) -> Mapping[int, Sequence[Area]]:
        """The point that each checker leaves and the one it goes to; what is done with the cube is nowhere."""
        record = position.record
        return drawing.areas(position.legal_actions(), int(record.seat), record.dice)

    def facts(self, position: Position, seat: int | None) -> Mapping[str, str]:
        """The pip counts, the cube, the score of a match, and the identifiers that other programs read."""
        shown, names = self.diagram(position), self.seat_names
        facts = {f"{names[side]}": f"{drawing.pips(shown, side)} pips" for side in range(2)}
        if self.actions > rules.MOVES:
            owner = names[shown.owner] if shown.owner >= 0 else "in the middle"
            facts["cube"] = f"{1 << shown.cube}, {owner}"
        if shown.match_length:
            crawford = ", Crawford game" if shown.crawford else ""
            facts["match"] = f"{shown.score[0]}–{shown.score[1]} to {shown.match_length}{crawford}"
        facts["position ID"] = diagram.position_id(shown.checkers[shown.seat], shown.checkers[1 - shown.seat])
        facts["XGID"] = position.text.partition(" ")[0]  # other programs do not know the words that may follow it
        return facts

    def resignations(self, position: Position) -> Sequence[Resignation]:
        """A single game, a gammon or a backgammon, times the cube; in a match the next game follows."""
        return resigning.resignations(position.record) if position.turn >= 0 else ()

    def _men(self) -> int:
        return 3 if self.options["variant"] == "hypergammon" else 15

    def result_text(self, position: Position) -> str:
        """Who won how many points, or the match."""
        record = position.record
        seat = int(record.seat)
        if record.match_length:
            return f"{self.seat_names[seat]} wins the match {record.score[seat]}-{record.score[1 - seat]}"
        return f"{self.seat_names[seat]} wins {record.won} point{'s' if record.won > 1 else ''}"
