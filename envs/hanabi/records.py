"""Recorded Hanabi games: the JSON files of hanab.live, read and written.

A file holds one game, which is an object, or a list of games:

| key | value |
|---|---|
| `players` | names, 2 to 5; the first one starts |
| `deck` | all cards in the order they are drawn, `{"suitIndex": 0, "rank": 1}`; the first player's whole hand comes first |
| `actions` | `{"type", "target", "value"}`: 0 play and 1 discard the card with index `target` of the deck; 2 hint the color, 3 the rank `value` to the player with index `target`; 4 end of the game |
| `options` | may name the `variant`: those read here are `No Variant` (five suits), `4 Suits` and `3 Suits` |

The first suits are red, yellow and green as here; the fourth and fifth (blue and purple there) become white and blue.
"""  # noqa: E501

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from ludarium.envs.hanabi import Hanabi, notation
from ludarium.envs.kernels import CHANCE
from ludarium.envs.options import IllegalAction
from ludarium.envs.records import RecordedGame, RecordError, attempt

_COLORS = {"No Variant": 5, "4 Suits": 4, "3 Suits": 3}
_OTHER_RULES = (
    "startingPlayer",
    "cardCycle",
    "deckPlays",
    "emptyClues",
    "oneExtraCard",
    "oneLessCard",
    "allOrNothing",
    "detrimentalCharacters",
)
_PLAY, _DISCARD, _COLOR, _RANK, _END = range(5)


def read_json(data: bytes | str, file: str) -> Iterator[RecordedGame | RecordError]:
    """The games of a hanab.live JSON text; `file` is its name in error messages.

    Cards are named by their place in the deck, so the reader plays the games and also finds illegal actions. A game
    that stops early (players may stop when no more points can be made) has a note that says so.

    Raises:
        RecordError: if this is not JSON; its line is that of the mistake. A game that breaks the rules or has options
            that are not supported is yielded as an error in its place, with the number of the game as its line.
    """
    try:
        content = json.loads(data)
    except UnicodeDecodeError:
        raise RecordError(file, 0, "not a text file; expected the JSON of hanab.live") from None
    except json.JSONDecodeError as error:
        raise RecordError(file, error.lineno, f"not JSON: {error.msg}, column {error.colno}") from None
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number of thousands of digits
        raise RecordError(file, 0, f"not JSON that can be read: {error}") from None
    for number, item in enumerate(content if isinstance(content, list) else [content], 1):
        yield attempt(_GameReader(item, file, number).read)


class _GameReader:
    """Reads one game by playing it."""

    def __init__(self, content: Any, file: str, number: int) -> None:
        self.content, self.file, self.number = content, file, number

    def error(self, reason: str) -> RecordError:
        return RecordError(self.file, self.number, reason)

    def read(self) -> RecordedGame:
        if not isinstance(self.content, dict):
            raise self.error(f"a game is an object with players, deck and actions, not {_shown(self.content)}")
        players = self.field("players")
        if not (2 <= len(players) <= 5 and all(isinstance(name, str) for name in players)):
            raise self.error(f"expected the names of 2 to 5 players, not {_shown(players)}")
        game = _game(len(players), self.colors())
        deck = self.deck(game)
        script, actions, note = self.play(game, deck, players)
        return RecordedGame(
            game, tuple(players), script=script, actions=actions, file=self.file, line=self.number, note=note
        )

    def field(self, name: str) -> list[Any]:
        value = self.content.get(name)
        if not isinstance(value, list):
            raise self.error(f"{name!r} must be a list, not {_shown(value)}")
        return value

    def colors(self) -> int:
        options = self.content.get("options")
        options = {} if options is None else options
        if not isinstance(options, dict):
            raise self.error(f"'options' must be an object, not {_shown(options)}")
        variant = options.get("variant", "No Variant")
        if not (isinstance(variant, str) and variant in _COLORS):
            raise self.error(f"variant {_shown(variant)} is not supported; supported: {', '.join(_COLORS)}")
        for name in _OTHER_RULES:
            if options.get(name):
                raise self.error(f"option {name!r} changes the rules and is not supported")
        return _COLORS[variant]

    def deck(self, game: Hanabi) -> list[int]:
        deck, colors = [], game.options["colors"]
        for item in self.field("deck"):
            suit, rank = (self.integer(item, name) for name in ("suitIndex", "rank"))
            if not (0 <= suit < colors and 1 <= rank <= 5):
                raise self.error(
                    f"a card has a suitIndex from 0 to {colors - 1} and a rank from 1 to 5: {_shown(item)}"
                )
            deck.append(suit * 5 + rank - 1)
        try:
            game.check_deck(deck)
        except ValueError as error:
            raise self.error(str(error)) from None
        if len(deck) != colors * 10:
            raise self.error(f"the deck must have {colors * 10} cards, not {len(deck)}")
        return deck

    def integer(self, item: Any, name: str) -> int:
        value = item.get(name) if isinstance(item, dict) else None
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(f"expected an object with a whole number {name!r}, not {_shown(item)}")
        return value

    def play(self, game: Hanabi, deck: list[int], players: list[str]) -> tuple[list[int], list[int], str]:
        """Play the game; returns the cards drawn, the actions, and why it stops early."""
        position = game.start()
        hands: list[list[int]] = [[] for _ in players]  # indices in the deck
        script: list[int] = []
        actions: list[int] = []
        note = ""

        def draw() -> None:
            while position.turn == CHANCE:
                hands[position.record.dealing].append(len(script))
                script.append(deck[len(script)])
                position.push(script[-1])

        draw()
        for number, item in enumerate(self.field("actions"), 1):
            if self.integer(item, "type") == _END:
                note = f"ended by the players or the clock after {len(actions)} moves"
                break
            if position.over:
                raise self.error(f"action {number}: the game is over after {len(actions)} moves: {_shown(item)}")
            action = self.action(position.record, item, number, hands[position.record.seat])
            try:
                position.play(action)
            except IllegalAction as error:
                raise self.error(f"action {number}: {error}") from None
            actions.append(action)
            draw()
        if position.over:
            note = ""
        else:
            note = note or f"stops after {len(actions)} moves, before the end of the game"
        return script, actions, note

    def action(self, record: Any, item: Any, number: int, hand: list[int]) -> int:
        """The action id of one of the file's actions; takes the card out of the hand."""
        kind, target, seat = self.integer(item, "type"), self.integer(item, "target"), int(record.seat)
        if kind in (_PLAY, _DISCARD):
            if target not in hand:
                raise self.error(f"action {number}: {notation.SEATS[seat]} does not hold card {target} of the deck")
            slot = hand.index(target)
            del hand[slot]
            return slot + int(record.hand_size if kind == _PLAY else 0)
        if kind not in (_COLOR, _RANK):
            raise self.error(f"action {number}: the type is 0 to 4, not {kind}")
        value = self.integer(item, "value")
        if not 0 <= target < record.seats or target == seat:
            raise self.error(f"action {number}: a hint is for another player, not for player {target}")
        if kind == _COLOR and 0 <= value < record.colors:
            return notation.hint_action(record, seat, target, value, by_color=True)
        if kind == _RANK and 1 <= value <= 5:
            return notation.hint_action(record, seat, target, value - 1, by_color=False)
        raise self.error(f"action {number}: there is no such color or rank: {_shown(item)}")


@cache
def _game(seats: int, colors: int) -> Hanabi:
    """A game with the usual rules; it takes its time to make, and a file may hold many."""
    return Hanabi(seats=seats, colors=colors)


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except RecursionError:
        return "something nested very deeply"
    return text if len(text) <= 80 else text[:77] + "..."


def write_json(record: RecordedGame) -> str:
    """A recorded game as hanab.live JSON. Cards never drawn come at the end of the deck, by color and rank.

    Raises:
        ValueError: if hanab.live has no such game (other ranks, hands or tokens than usual, fewer than three colors),
            or cards are missing.
        IllegalAction: if an action of the record is not legal.
    """
    game, options = record.game, record.game.options
    variant = {colors: name for name, colors in _COLORS.items()}.get(options.get("colors", 0))
    usual = {"ranks": 5, "hand_size": 5 if game.seats <= 3 else 4, "information_tokens": 8, "life_tokens": 3}
    if not isinstance(game, Hanabi) or variant is None or options | usual != options:
        raise ValueError(f"hanab.live has no game like {game.spec}; it needs the usual ranks, hands and tokens")
    position, left = game.start(), game.start().record.deck.tolist()
    script, hands = list(record.script), [list[int]() for _ in range(game.seats)]
    actions: list[dict[str, int]] = []
    drawn = 0
    for action in [*record.actions, None]:
        while position.turn == CHANCE and drawn < len(script):
            hands[position.record.dealing].append(drawn)
            position.play(script[drawn])
            left[script[drawn]] -= 1
            drawn += 1
        if action is not None:
            if position.turn == CHANCE:
                raise ValueError(f"hanabi: the record has too few cards for move {len(actions) + 1}")
            actions.append(_action_json(position.record, action, hands[position.record.seat]))
            position.play(action)
    deck = script + [card for card, n in enumerate(left) for _ in range(n)]
    content = {
        "players": list(record.seats),
        "deck": [{"suitIndex": card // 5, "rank": card % 5 + 1} for card in deck],
        "actions": actions,
        "options": {"variant": variant},
    }
    return json.dumps(content)


def _action_json(record: Any, action: int, hand: list[int]) -> dict[str, int]:
    """An action of the seat to move; takes the card out of its hand."""
    size = int(record.hand_size)
    if action < 2 * size:
        return {"type": _DISCARD if action < size else _PLAY, "target": hand.pop(action % size)}
    target, color, rank = notation.hint_of(record, int(record.seat), action)
    kind, value = (_RANK, rank + 1) if color < 0 else (_COLOR, color)
    return {"type": kind, "target": target, "value": value}
