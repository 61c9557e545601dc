"""Hanabi as text: cards `R1`, moves `play-1`, `discard-3`, `hint-bob-red`, `hint-bob-3`, and positions.

Slots count from 1, the oldest card. A position is one line of fields:

    fireworks=R1Y0G0W0B0 discards=R1,W4 hands=B3:RYGWB:12345,R2:R!:2345/… information=7 lives=3 turn=bob left=2
    last=alice:play-1:R1:scored

`hands` has every card with the colors and ranks that hints leave possible, `!` after what was told; `/` separates the
seats. `left` counts the turns still to come once the deck is empty. Cards that appear nowhere else are in the deck.

After the second move a field follows with the moves before the last, oldest first: `before=P1R1!,aY14,D3W4`. `P1R1` is
a play and `D3W4` a discard, with slot and card; `!` means that it scored, `!!` that this won back a token. `aY14` tells
alice her yellow cards, `a214` her 2s, here those in slots 1 and 4. Without the field, they are taken as unknown.
"""

import re
from collections.abc import Sequence
from typing import Any

from ludarium.envs.hanabi import rules
from ludarium.envs.hanabi.history import MAX_MOVES, SCORED, TOKEN, remember
from ludarium.envs.hanabi.knowledge import SlotKnowledge, hand_knowledge

SEATS = ("alice", "bob", "cathy", "donald", "emily")
COLORS = ("red", "yellow", "green", "white", "blue")
LETTERS = "RYGWB"
_FIELDS = ("fireworks", "discards", "hands", "information", "lives", "turn", "left", "last")
_BEFORE = "before"
_MOVED = re.compile(r"([PD])([1-5])([RYGWB][1-5])(!{0,2})")
_HINTED = re.compile(r"([a-e])([RYGWB]|[1-5])([1-5]+)")
_CARD = re.compile(r"([RYGWB])([1-5])")
_HELD = re.compile(r"([RYGWB][1-5]):([RYGWB]+)(!?):([1-5]+)(!?)")


def card_text(color: int, rank: int) -> str:
    """`R1`: color and rank from 0."""
    return f"{LETTERS[color]}{rank + 1}"


def action_text(record: Any, action: int) -> str:
    """The action of the seat whose turn it is, or will be once a card has been drawn."""
    hand = int(record.hand_size)
    if action < 2 * hand:
        return f"{'discard' if action < hand else 'play'}-{action % hand + 1}"
    return hint_text(*hint_of(record, int(record.seat), action))


def hint_text(target: int, color: int = -1, rank: int = -1) -> str:
    """`hint-bob-red` or `hint-bob-3`."""
    return f"hint-{SEATS[target]}-{COLORS[color] if color >= 0 else rank + 1}"


def last_move_text(record: Any) -> str:
    """The last move: `alice:play-1:R1:scored:token`, `bob:discard-2:W4`, `bob:hint-alice-3`; `-` if there was none."""
    if record.last_kind == rules.NONE:
        return "-"
    seat = SEATS[record.last_seat]
    if record.last_kind in (rules.HINT_COLOR, rules.HINT_RANK):
        return f"{seat}:{hint_text(record.last_target, record.last_color, record.last_rank)}"
    kind = "play" if record.last_kind == rules.PLAY else "discard"
    outcome = (":scored" if record.last_scored else "") + (":token" if record.last_token else "")
    return f"{seat}:{kind}-{record.last_slot + 1}:{card_text(record.last_color, record.last_rank)}{outcome}"


def before_text(record: Any) -> str:
    """The moves before the last: `P1R1!,aY14,D3W4`."""
    hand, ranks, moves = int(record.hand_size), int(record.ranks), []
    for number, (action, outcome) in enumerate(record.history[: record.moves - 1].tolist()):
        if action < 2 * hand:
            marks = "!" * (bool(outcome & SCORED) + bool(outcome & TOKEN))
            card = card_text(*divmod(outcome % SCORED, ranks))
            moves.append(f"{'D' if action < hand else 'P'}{action % hand + 1}{card}{marks}")
        else:
            mover = int(record.seat) - int(record.moves) + number
            target, color, rank = hint_of(record, mover, action)
            value = LETTERS[color] if color >= 0 else str(rank + 1)
            slots = "".join(str(slot + 1) for slot in range(hand) if outcome >> slot & 1)
            moves.append(SEATS[target][0] + value + slots)
    return ",".join(moves)


def hint_of(record: Any, mover: int, action: int) -> tuple[int, int, int]:
    """Target, color and rank of a hint, -1 for what it does not tell; the mover is a seat, modulo the seats."""
    hand, colors, ranks, seats = (int(record[name]) for name in ("hand_size", "colors", "ranks", "seats"))
    number, color_hints = action - 2 * hand, (seats - 1) * colors
    if number < color_hints:
        return (mover + 1 + number // colors) % seats, number % colors, -1
    return (mover + 1 + (number - color_hints) // ranks) % seats, -1, (number - color_hints) % ranks


def hint_action(record: Any, mover: int, target: int, value: int, by_color: bool) -> int:
    """The action that tells a seat its cards of a color or rank, the opposite of `hint_of`."""
    hand, colors, ranks, seats = (int(record[name]) for name in ("hand_size", "colors", "ranks", "seats"))
    offset = (target - mover) % seats - 1
    return 2 * hand + (offset * colors + value if by_color else (seats - 1) * colors + offset * ranks + value)


def cards_text(record: Any, counts: Sequence[int]) -> str:
    """Cards in increasing order, repeated as often as they occur: `R1,R1,W4`; `-` for none."""
    ranks = int(record.ranks)
    return ",".join(card_text(*divmod(card, ranks)) for card, n in enumerate(counts) for _ in range(n)) or "-"


def _held_text(record: Any, seat: int) -> str:
    texts = [
        f"{card_text(record.color[seat, slot], record.rank[seat, slot])}"
        f":{''.join(LETTERS[c] for c in knowledge.colors)}{'!' * knowledge.color_told}"
        f":{''.join(str(r + 1) for r in knowledge.ranks)}{'!' * knowledge.rank_told}"
        for slot, knowledge in enumerate(hand_knowledge(record, seat))
    ]
    return ",".join(texts) or "-"


def position_text(record: Any) -> str:
    """The whole position, hidden cards included, in one line."""
    values = (
        "".join(f"{LETTERS[color]}{record.fireworks[color]}" for color in range(record.colors)),
        cards_text(record, record.discards),
        "/".join(_held_text(record, seat) for seat in range(record.seats)),
        record.information,
        record.lives,
        SEATS[record.seat],
        record.turns_left,
        last_move_text(record),
    )
    text = " ".join(f"{name}={value}" for name, value in zip(_FIELDS, values, strict=True))
    return f"{text} {_BEFORE}={before_text(record)}" if record.moves > 1 else text


class _Reader:
    """Writes the position that a text describes into the record of a position before the deal."""

    def __init__(self, record: Any, text: str) -> None:
        self.record, self.text = record, text
        fields = [part.partition("=") for part in text.split()]
        if tuple(name for name, _, _ in fields) not in (_FIELDS, (*_FIELDS, _BEFORE)):
            expected = ", ".join(f"{name}=" for name in _FIELDS)
            raise self.error(f"it must have the fields {expected} in this order, and then may have {_BEFORE}=")
        self.fields = {name: value for name, _, value in fields}

    def error(self, reason: str) -> ValueError:
        return ValueError(f"hanabi: not a position: {reason}: {self.text!r}")

    def number(self, name: str, most: int) -> int:
        value = self.fields[name]
        if not (value.isascii() and value.isdigit() and len(value) <= 2 and int(value) <= most):
            raise self.error(f"{name} must be a number from 0 to {most}, not {value!r}")
        return int(value)

    def card(self, text: str) -> tuple[int, int]:
        match = _CARD.fullmatch(text)
        color, rank = (LETTERS.index(match[1]), int(match[2]) - 1) if match else (-1, -1)
        if not (0 <= color < self.record.colors and 0 <= rank < self.record.ranks):
            raise self.error(f"expected a card like 'R1' of this game, not {text!r}")
        return color, rank

    def take(self, color: int, rank: int) -> int:
        """Take a card out of the deck; returns its id."""
        card = color * int(self.record.ranks) + rank
        if self.record.deck[card] == 0:
            raise self.error(f"there are too many copies of {card_text(color, rank)}")
        self.record.deck[card] -= 1
        self.record.deck_size -= 1
        return card

    def fireworks(self) -> None:
        r, value = self.record, self.fields["fireworks"]
        pattern = "".join(f"{letter}([0-{r.ranks}])" for letter in LETTERS[: r.colors])
        match = re.fullmatch(pattern, value)
        if not match:
            raise self.error(f"fireworks must be like {''.join(f'{c}0' for c in LETTERS[: r.colors])!r}, not {value!r}")
        for color, height in enumerate(map(int, match.groups())):
            r.fireworks[color] = height
            r.score += height
            for rank in range(height):
                self.take(color, rank)

    def discards(self) -> None:
        if self.fields["discards"] != "-":
            for text in self.fields["discards"].split(","):
                self.record.discards[self.take(*self.card(text))] += 1

    def hands(self) -> None:
        r, hands = self.record, self.fields["hands"].split("/")
        if len(hands) != r.seats:
            raise self.error(f"there must be {r.seats} hands, not {len(hands)}")
        for seat, hand in enumerate(hands):
            texts = [] if hand == "-" else hand.split(",")
            if len(texts) > r.hand_size:
                raise self.error(f"a hand has at most {r.hand_size} cards, not {len(texts)}")
            for slot, text in enumerate(texts):
                self.held(seat, slot, text)
            r.held[seat] = len(texts)

    def held(self, seat: int, slot: int, text: str) -> None:
        r, match = self.record, _HELD.fullmatch(text)
        if not match:
            raise self.error(f"a card in hand is like 'B3:RYGWB:12345' or 'R2:R!:2345', not {text!r}")
        color, rank = self.card(match[1])
        self.take(color, rank)
        r.color[seat, slot], r.rank[seat, slot] = color, rank
        colors, ranks = {LETTERS.index(c) for c in match[2]}, {int(d) - 1 for d in match[4]}
        if color not in colors or rank not in ranks or max(colors) >= r.colors or max(ranks) >= r.ranks:
            raise self.error(f"the knowledge of {text!r} must include the card, and no card of another game")
        knowledge = SlotKnowledge(tuple(colors), tuple(ranks), bool(match[3]), bool(match[5]))
        if (knowledge.color_told and len(colors) > 1) or (knowledge.rank_told and len(ranks) > 1):
            raise self.error(f"what was told leaves one possibility, not several: {text!r}")
        kinds = int(r.colors * r.ranks)
        first = (seat * int(r.hand_size) + slot) * (kinds + int(r.colors + r.ranks))
        for c in colors:
            for k in ranks:
                r.knowledge[first + c * int(r.ranks) + k] = 1
        r.knowledge[first + kinds + color] = knowledge.color_told
        r.knowledge[first + kinds + int(r.colors) + rank] = knowledge.rank_told

    def last_move(self) -> None:
        r, value = self.record, self.fields["last"]
        if value == "-":
            return
        r.last_seat = (r.seat - 1) % r.seats
        _, move, *outcome = [*value.split(":"), "", ""]
        kind, _, what = move.partition("-")
        if kind in ("play", "discard") and what in map(str, range(1, r.hand_size + 1)):
            r.last_kind, r.last_slot = rules.PLAY if kind == "play" else rules.DISCARD, int(what) - 1
            r.last_color, r.last_rank = self.card(outcome[0])
            r.last_scored, r.last_token = "scored" in outcome, "token" in outcome
            return
        target, _, hinted = what.partition("-")
        colors, ranks = COLORS[: r.colors], tuple(map(str, range(1, r.ranks + 1)))
        if kind != "hint" or target not in SEATS[: r.seats] or hinted not in colors + ranks:
            raise self.error(f"the last move is like 'alice:play-1:R1:scored' or 'alice:hint-bob-red', not {value!r}")
        r.last_target = SEATS.index(target)
        if hinted in colors:
            r.last_kind, r.last_color = rules.HINT_COLOR, COLORS.index(hinted)
        else:
            r.last_kind, r.last_rank = rules.HINT_RANK, int(hinted) - 1
        for slot in range(r.held[r.last_target]):
            if r.last_color == r.color[r.last_target, slot] or r.last_rank == r.rank[r.last_target, slot]:
                r.last_touched |= 1 << slot

    def history(self) -> None:
        """The moves before the last, and the last."""
        r, before = self.record, self.fields.get(_BEFORE)
        moves = before.split(",") if before is not None else []
        if r.last_kind == rules.NONE:
            if moves:
                raise self.error(f"{_BEFORE} has moves, but last says that there was none")
            return
        if r.last_target == r.last_seat:
            raise self.error("a hint is for another seat")
        if len(moves) >= MAX_MOVES:
            raise self.error(f"a game has at most {MAX_MOVES} moves, not {len(moves) + 1}")
        for number, text in enumerate(moves):
            r.history[number] = self.move(text, (int(r.last_seat) - len(moves) + number) % int(r.seats))
        r.moves = len(moves)
        remember(r, self.last_action())

    def move(self, text: str, mover: int) -> tuple[int, int]:
        """One of the moves before the last: its action and its outcome."""
        r, hand = self.record, int(self.record.hand_size)
        if (match := _MOVED.fullmatch(text)) and int(match[2]) <= hand and not (match[1] == "D" and match[4]):
            color, rank = self.card(match[3])
            marks = SCORED * (len(match[4]) > 0) + TOKEN * (len(match[4]) > 1)
            return int(match[2]) - 1 + hand * (match[1] == "P"), color * int(r.ranks) + rank + marks
        if match := _HINTED.fullmatch(text):
            target, slots = "abcde".index(match[1]), [int(slot) - 1 for slot in match[3]]
            by_color = match[2] in LETTERS
            value = LETTERS.index(match[2]) if by_color else int(match[2]) - 1
            there_is = target < r.seats and target != mover and value < (r.colors if by_color else r.ranks)
            if there_is and slots == sorted(set(slots)) and slots[-1] < hand:
                return hint_action(r, mover, target, value, by_color), sum(1 << slot for slot in slots)
        raise self.error(f"a move of {SEATS[mover]} in {_BEFORE} is like 'P1R1!', 'D3W4' or 'bY14', not {text!r}")

    def last_action(self) -> int:
        r = self.record
        if r.last_kind in (rules.PLAY, rules.DISCARD):
            return int(r.last_slot + (r.hand_size if r.last_kind == rules.PLAY else 0))
        by_color = r.last_kind == rules.HINT_COLOR
        value = int(r.last_color if by_color else r.last_rank)
        return hint_action(r, int(r.last_seat), int(r.last_target), value, by_color)

    def draws(self) -> None:
        """Find who draws a card, and check that the hands and turns are possible."""
        r = self.record
        short = [seat for seat in range(r.seats) if r.held[seat] < r.hand_size]
        r.dealing = short[0] if short and r.deck_size > 0 else -1
        if r.deck_size == 0:
            return
        if r.turns_left != r.seats:
            raise self.error(f"left must be {r.seats} while there are cards in the deck")
        if r.last_kind == rules.NONE:
            possible = all(r.held[seat] == 0 for seat in range(r.dealing + 1, r.seats)) or not short
        else:
            possible = not short or (short == [r.last_seat] and r.held[r.last_seat] == r.hand_size - 1)
        if not possible:
            raise self.error("only the seat that draws a card may be short of one while there are cards in the deck")

    def read(self) -> None:
        r = self.record
        self.fireworks()
        self.discards()
        self.hands()
        r.information = self.number("information", int(r.information_tokens))
        r.lives = self.number("lives", int(r.life_tokens))
        r.turns_left = self.number("left", int(r.seats))
        if self.fields["turn"] not in SEATS[: r.seats]:
            raise self.error(f"turn must be one of {', '.join(SEATS[: r.seats])}, not {self.fields['turn']!r}")
        r.seat = SEATS.index(self.fields["turn"])
        self.last_move()
        self.history()
        self.draws()
        if position_text(r) != " ".join(self.text.split()):
            raise self.error(f"it contradicts itself, or is out of order; it was read as {position_text(r)!r}")


def read_position(record: Any, text: str) -> None:
    """Write the position that `text` describes into the record of a position before the deal.

    Raises:
        ValueError: if the text is not a position of this game; the message says why.
    """
    _Reader(record, text).read()


def table_text(record: Any, viewer: int | None = None) -> str:
    """The table as lines of text for a terminal, as a spectator sees it, or as the seat `viewer` does.

    Below each card are the colors and ranks that hints leave possible, `!` after what was told.
    """
    colors, ranks = int(record.colors), int(record.ranks)
    lines = [
        f"score {record.score}/{colors * ranks}   information {record.information}/{record.information_tokens}   "
        f"lives {record.lives}/{record.life_tokens}   deck {record.deck_size}",
        "fireworks  " + " ".join(f"{LETTERS[color]}{record.fireworks[color]}" for color in range(colors)),
        f"discards   {cards_text(record, record.discards).replace(',', ' ')}",
        f"last move  {last_move_text(record).replace(':', ' ')}",
    ]
    for seat in range(record.seats):
        knowledge = hand_knowledge(record, seat)
        cells = [_cell(record, seat, slot, what, seat == viewer) for slot, what in enumerate(knowledge)]
        name = f"{'>' if seat == record.seat else ' '} {SEATS[seat]}"
        rows = ["".join(row) for row in zip(*cells, strict=True)] or [""]
        lines += ["", *(f"{name if i == 0 else '':<11}{row}".rstrip() for i, row in enumerate(rows))]
    return "\n".join(lines)


def _cell(record: Any, seat: int, slot: int, knowledge: SlotKnowledge, hidden: bool) -> tuple[str, str, str]:
    card = "??" if hidden else card_text(record.color[seat, slot], record.rank[seat, slot])
    colors = "".join(LETTERS[c] if c in knowledge.colors else "." for c in range(record.colors))
    ranks = "".join(str(r + 1) if r in knowledge.ranks else "." for r in range(record.ranks))
    return f"{card:<8}", f"{colors + '!' * knowledge.color_told:<8}", f"{ranks + '!' * knowledge.rank_told:<8}"
