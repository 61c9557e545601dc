"""Hanabi, 2 to 5 seats: one team, and everybody sees all hands except their own."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.game import Game, kernel
from ludarium.envs.hanabi import drawing, notation, rules, worlds
from ludarium.envs.hanabi.knowledge import possible_cards
from ludarium.envs.hanabi.view import VIEW, see
from ludarium.envs.options import IllegalAction, Option
from ludarium.envs.position import Position

PRESETS: dict[str, dict[str, int]] = {
    "full": {"colors": 5, "ranks": 5, "information_tokens": 8, "life_tokens": 3},
    "small": {"colors": 2, "ranks": 5, "hand_size": 2, "information_tokens": 3, "life_tokens": 1},
    "very-small": {"colors": 1, "ranks": 5, "hand_size": 2, "information_tokens": 3, "life_tokens": 1},
}
"""The named games of the Hanabi Learning Environment; `full` has five cards per hand for 2 or 3 seats, else four."""


class Hanabi(Game):
    """Hanabi as in the Hanabi Learning Environment; see `ludarium.envs.hanabi.rules`.

    Options that are 0 take the preset's values; `options` shows the numbers in force.
    """

    name = "hanabi"
    title = "Hanabi"
    unit = "points"
    state = rules.STATE
    option_types = {
        "seats": Option(2, 2, rules.MAX_SEATS, help="players"),
        "preset": Option("full", choices=tuple(PRESETS), help="what the options that are 0 stand for"),
        "colors": Option(0, 0, rules.MAX_COLORS, help="colors; 0: by preset"),
        "ranks": Option(0, 0, rules.MAX_RANKS, help="ranks; 0: by preset"),
        "hand_size": Option(0, 0, rules.MAX_HAND, help="cards per hand; 0: by preset and seats"),
        "information_tokens": Option(0, 0, 16, help="hints available at the start and at most; 0: by preset"),
        "life_tokens": Option(0, 0, 8, help="mistakes that end the game; 0: by preset"),
        "observation": Option(
            "card_knowledge", choices=("minimal", "card_knowledge", "seer"), help="what a seat is shown"
        ),
        "score": Option(
            "zero-on-bomb", choices=("zero-on-bomb", "points-kept"), help="whether losing all lives loses the score"
        ),
    }
    cooperative = True
    zero_sum = False
    hidden_information = True

    setup = kernel(rules.setup)
    turn = kernel(rules.turn)
    legal = kernel(rules.legal)
    play = kernel(rules.play)
    payoffs = kernel(rules.payoffs)
    observe = kernel(rules.observe)
    chance = kernel(rules.chance)
    sample_chance = kernel(rules.sample_chance)
    sample = kernel(rules.sample)
    see = kernel(see)

    def configure(self) -> None:
        preset = self._preset()
        for name, number in preset.items():
            self.options[name] = self.options[name] or number
        self.seats, hand, colors, ranks = (self.options[name] for name in ("seats", "hand_size", "colors", "ranks"))
        tokens, lives = self.options["information_tokens"], self.options["life_tokens"]
        cards = sum(self.copies) * colors
        left = cards - self.seats * hand
        if left < 0:
            raise ValueError(f"hanabi: {self.seats} hands of {hand} need more than the {cards} cards there are")
        kinds = colors * ranks
        self.max_outcomes = kinds
        self.actions = 2 * hand + (self.seats - 1) * (colors + ranks)
        # Every card drawn is one move, and allows at most one more hint; then one turn each.
        self.max_moves = self.seats + (2 * left - 1 + tokens if left else 0)
        self.payoff_range = (0.0, float(kinds))
        self.seat_names = notation.SEATS[: self.seats]
        others = (self.seats - 1) * hand * kinds + self.seats
        board = left + kinds + tokens + lives + cards
        last_move = 2 * self.seats + 4 + colors + ranks + 2 * hand + kinds + 2
        knowledge = self.seats * hand * (kinds + colors + ranks)
        minimal = self.options["observation"] == "minimal"
        self.view = None if minimal else VIEW
        self.observation_shape = (others + board + last_move + (0 if minimal else knowledge),)

    def _preset(self) -> dict[str, int]:
        return {"hand_size": 5 if self.options["seats"] <= 3 else 4} | PRESETS[self.options["preset"]]

    @property
    def copies(self) -> list[int]:
        """How many cards of each rank there are in every color."""
        ranks: int = self.options["ranks"]
        return [3, *[2] * (ranks - 2), 1][:ranks]

    @property
    def spec(self) -> str:
        """The game and its options as text; only options that differ from the preset's and the default."""
        usual = {name: option.default for name, option in self.option_types.items()} | self._preset()
        changed = [f"{k}={v}" for k, v in self.options.items() if v != usual[k]]
        return self.name + ("?" + "&".join(changed) if changed else "")

    def action_to_str(self, position: Position, action: int) -> str:
        return notation.action_text(position.record, action)

    def str_to_action(self, position: Position, text: str) -> int:
        """The legal action that `text` names; capitals and spaces instead of hyphens are allowed.

        Raises:
            IllegalAction: if no legal action is written that way.
        """
        wanted = "-".join(text.lower().replace("-", " ").split())
        for action in position.legal_actions():
            if self.action_to_str(position, action) == wanted:
                return action
        raise IllegalAction(f"hanabi: {text!r} is not a legal move; legal: {position.legal_text()}")

    def outcome_to_str(self, position: Position, outcome: int) -> str:
        return notation.card_text(*divmod(outcome, self.options["ranks"]))

    def to_text(self, position: Position) -> str:
        return notation.position_text(position.record)

    def from_text(self, text: str) -> Position:
        position = self.start()
        notation.read_position(position.record, text)
        return position

    def to_ansi(self, position: Position) -> str:
        return notation.table_text(position.record)

    def view_text(self, position: Position, seat: int) -> str:
        """The table as lines of text as one seat sees it: its own cards are hidden."""
        return notation.table_text(position.record, seat)

    def redealt(self, position: Position, stream: NDArray[np.uint64]) -> Position:
        """The same table, with other cards in the hand of the seat to move and in the deck."""
        other = position.copy()
        worlds.redeal(other.data.view(self.state)[0], other.turn, stream)
        return other

    def draw(self, position: Position) -> Drawing:
        return drawing.draw(position.record)

    def draw_view(self, position: Position, seat: int) -> Drawing:
        """The table as a picture as one seat sees it: its own cards are hidden."""
        return drawing.draw(position.record, [seat])

    def draw_known(self, position: Position) -> Drawing:
        """The table as a picture in which every card shows what its owner knows from hints."""
        return drawing.draw(position.record, range(self.seats))

    def areas(self, position: Position) -> Mapping[int, Sequence[Area]]:
        """A card and where it goes; of a hint a card, and the color or rank below it."""
        return {action: drawing.places(position.record, action) for action in position.legal_actions()}

    def facts(self, position: Position, seat: int | None) -> Mapping[str, str]:
        """The score and what it can still become, the pace, and what each card of the seat may still be.

        The pace is how many discards there may still be without losing a point: it falls with every one.
        """
        record, ranks = position.record, self.options["ranks"]
        greatest = self._greatest_score(record)
        deck = int(record.deck_size)
        facts = {
            "score": f"{record.score}, at most {greatest}",
            "deck": f"{deck}" if deck else f"empty, {record.turns_left} turns left",
            "hints, lives": f"{record.information}, {record.lives}",
            "pace": f"{int(record.score) + deck + self.seats - greatest}",
            "last move": notation.last_move_text(record).replace(":", " "),
            "discards": notation.cards_text(record, record.discards).replace(",", " "),
        }
        for slot, cards in enumerate(possible_cards(record, seat) if seat is not None else ()):
            words = [
                notation.LETTERS[color] + "".join(str(rank + 1) for rank in range(ranks) if row[rank])
                for color, row in enumerate(cards)
                if row.any()
            ]
            facts[f"your card {slot + 1}"] = " ".join(words)
        return facts

    def _greatest_score(self, record: Any) -> int:
        """What the fireworks can still reach: none goes beyond a card whose copies are all discarded."""
        ranks, reachable = self.options["ranks"], 0
        for color in range(self.options["colors"]):
            gone = record.discards[color * ranks : (color + 1) * ranks]
            height = int(record.fireworks[color])
            while height < ranks and gone[height] < self.copies[height]:
                height += 1
            reachable += height
        return reachable

    def result_text(self, position: Position) -> str:
        record, most = position.record, self.max_outcomes
        if record.lives > 0:
            return f"{record.score} of {most} points"
        kept = "" if self.options["score"] == "points-kept" else ", which count for nothing"
        return f"all lives lost with {record.score} of {most} points{kept}"

    def chance_script(self, options: Mapping[str, Any], start: Position) -> list[int]:
        """The deck that the reset option `deck` gives: card ids color × ranks + rank, in the order they are drawn.

        Seat 0's whole hand is drawn first, then seat 1's, and so on. Cards that are not given are drawn at random.

        Raises:
            ValueError: for an option that this game does not have, or an impossible deck.
        """
        self._check_reset_options(options, "deck")
        return self.check_deck(options["deck"]) if "deck" in options else []

    def check_deck(self, deck: Any) -> list[int]:
        """The cards of a deck, or of the beginning of one, if it is possible.

        Raises:
            ValueError: if it is not a list of card ids, or has more copies of a card than the game.
        """
        kinds = self.max_outcomes
        if isinstance(deck, str | bytes) or not isinstance(deck, Sequence | np.ndarray):
            raise ValueError(f"hanabi: deck must be a list of card ids from 0 to {kinds - 1}, not {deck!r}")
        copies = self.copies * self.options["colors"]
        left = list(copies)
        for card in deck:
            if isinstance(card, bool | np.bool_) or not isinstance(card, int | np.integer) or not 0 <= card < kinds:
                raise ValueError(f"hanabi: a card in the deck is an id from 0 to {kinds - 1}, not {card!r}")
            left[card] -= 1
            if left[card] < 0:
                text = notation.card_text(*divmod(int(card), self.options["ranks"]))
                raise ValueError(
                    f"hanabi: the deck has too many copies of card {card} ({text}); there are {copies[card]}"
                )
        return [int(card) for card in deck]
