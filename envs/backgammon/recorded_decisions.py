"""Decisions from recorded games of backgammon: which are kept, which are right, and which are held out.

A match is the games of a file, or of a part of it, whose score only grows; money games in one file are one match. Its
part is a function of its moves: neither names nor files matter, so a match stays in its part whatever is added.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.decisions import COLUMNS, Decisions, is_race, legal_results, write_seen
from ludarium.envs.backgammon.records import read_match
from ludarium.envs.backgammon.rules import (
    DROP,
    FINISHED,
    MOVES,
    MOVING,
    OFFER,
    OPENING,
    ROLLING,
    SECOND_HALF,
    STATE,
    play,
)
from ludarium.envs.jit import jit
from ludarium.envs.kernels import view
from ludarium.envs.position import Position
from ludarium.envs.records import RecordedGame, RecordError, attempt, replay, start_of, while_readable

FILTERS = ("unmovable", "forced", "race", "duplicates")
"""Decisions that are dropped unless they are kept, in this order: without a play, with one result, in a race, and in
games of a match that was recorded in another file as well."""
CONTRADICTING = ("all", "first", "majority")
"""Which choices count as right where the same position and dice were met with several: all, the first, the most
frequent (the first of several that are). Decisions with another choice are dropped."""
_TELLING = 10  # turns; shorter games may be the same by chance, as some of unrelated matches are


@dataclass
class Tally:
    """What became of the records.

    Attributes:
        games: games that could be read.
        refused: games and files that could not.
        matches: matches, without those recorded before.
        duplicate_games: games of matches that were recorded before.
        decisions: turns, before any is dropped.
        dropped: how many of them each filter dropped, in order, and at last how many contradicted the choice that
            counts as right.
    """

    games: int = 0
    refused: list[RecordError] = field(default_factory=list)
    matches: int = 0
    duplicate_games: int = 0
    decisions: int = 0
    dropped: dict[str, int] = field(default_factory=dict)


class _Turns(NamedTuple):
    """The turns of one game: see `Decisions`; `results` has the result that was played."""

    positions: NDArray[np.int8]
    dice: NDArray[np.int8]
    results: NDArray[np.int8]
    outcomes: NDArray[np.int8]


class PlayedGame(NamedTuple):
    """A recorded game that was played through the rules.

    Attributes:
        turns: what decisions are made of.
        variant: how the checkers are set up.
        file: the file's name.
        length: points that win the match; 0 for money.
        score: the sum of the scores before the game.
    """

    turns: _Turns
    variant: str
    file: str
    length: int
    score: int


def played(record: RecordedGame | RecordError) -> PlayedGame:
    """Play a recorded game through the rules.

    Raises:
        RecordError: if it breaks them, or could not be read.
        ValueError: if it is not backgammon.
    """
    start = start_of(record)
    replay(record, start)
    assert isinstance(record, RecordedGame)
    if not isinstance(record.game, Backgammon):
        raise ValueError(f"{record.file}: decisions are made of backgammon, not of {record.game.name}")
    turns, score = _turns_of(record, start)
    return PlayedGame(turns, record.game.options["variant"], record.file, record.game.options["match_length"], score)


def read_played(path: Path) -> list[PlayedGame | RecordError]:
    """The games of a match file, played; what cannot be read or breaks the rules is an error among them.

    Reading takes longer than all that `build` does, and files can be read by several processes.

    Raises:
        OSError: if there is no such file.
    """
    games: list[PlayedGame | RecordError] = []
    try:
        for record in while_readable(read_match(path.read_bytes(), path.name)):
            games.append(attempt(played, record))
    except RecordError as error:  # it is not a match file
        games.append(error)
    return games


def build(
    records: Iterable[RecordedGame | PlayedGame | RecordError],
    *,
    keep: Collection[str] = (),
    contradicting: str = "all",
    held_out: float = 0.0,
) -> tuple[Decisions, Tally]:
    """Make decisions of recorded games.

    Args:
        records: what readers yield, or `read_played`; games of backgammon, all of one variant. Errors are counted.
        keep: which of `FILTERS` drop nothing.
        contradicting: one of `CONTRADICTING`; each part is looked at by itself.
        held_out: the share of matches to hold out, from 0 to 1.

    Raises:
        ValueError: for unknown options, games that do not fit, or if no decision is left.
    """
    _check_options(keep, contradicting, held_out)
    tally = Tally()
    games = _Games(held_out)
    games.read(records, tally)
    if not games.turns:
        why = f"; the first of {len(tally.refused)} errors: {tally.refused[0]}" if tally.refused else ""
        raise ValueError(f"there is no game of backgammon that can be read{why}")
    lengths = [len(turns.positions) for turns in games.turns]
    positions, dice, final, outcomes = (np.concatenate(arrays) for arrays in zip(*games.turns, strict=True))
    results, offsets = legal_results(positions, dice)
    decisions = Decisions(
        positions=positions,
        dice=dice,
        results=results,
        offsets=offsets,
        chosen=np.zeros(len(results), dtype=np.bool_),  # until `settle` says what is right
        played=_find(final, results, offsets),
        outcomes=outcomes,
        matches=np.repeat(np.array(games.matches, dtype=np.int32), lengths),
        held_out=np.repeat(np.array(games.held_out, dtype=np.bool_), lengths),
        variant=games.variant,
    )
    tally.decisions = len(decisions)
    decisions = _filtered(decisions, np.repeat(np.array(games.copies, dtype=np.bool_), lengths), keep, tally)
    kept, decisions = len(decisions), settle(decisions, contradicting)
    tally.dropped["contradicting"] = kept - len(decisions)
    if not len(decisions):
        raise ValueError(f"no decision is left of {tally.decisions}; keep some of {', '.join(FILTERS)}")
    return decisions, tally


def _check_options(keep: Collection[str], contradicting: str, held_out: float) -> None:
    for name in keep:
        if name not in FILTERS:
            raise ValueError(f"keep takes names of {', '.join(FILTERS)}, not {name!r}")
    if contradicting not in CONTRADICTING:
        raise ValueError(f"contradicting must be one of {', '.join(CONTRADICTING)}, not {contradicting!r}")
    if not 0 <= held_out <= 1:
        raise ValueError(f"held_out must be a share from 0 to 1, not {held_out!r}")


# --- games and matches ----------------------------------------------------------------------------------------------


@dataclass
class _Games:
    """The games that were read: for each its turns, the number of its match, and whether it is a copy or held out."""

    share: float
    turns: list[_Turns] = field(default_factory=list)
    matches: list[int] = field(default_factory=list)
    copies: list[bool] = field(default_factory=list)
    held_out: list[bool] = field(default_factory=list)
    variant: str = ""
    known: dict[bytes, int] = field(default_factory=dict)  # telling games, and the match that each was first seen in
    parts: list[bool] = field(default_factory=list)  # for each match, whether it is held out

    def read(self, records: Iterable[RecordedGame | PlayedGame | RecordError], tally: Tally) -> None:
        """Read the records, match by match."""
        match: list[_Turns] = []
        before: tuple[str, int, int] = ("", 0, 0)
        for record in records:
            try:
                game = record if isinstance(record, PlayedGame) else played(record)
            except RecordError as error:
                tally.refused.append(error)
                continue
            self.variant = self.variant or game.variant
            if game.variant != self.variant:
                raise ValueError(
                    f"{game.file}: decisions of {self.variant} and of {game.variant} do not go into one set"
                )
            goes_on = before[:2] == (game.file, game.length) and (not game.length or game.score > before[2])
            if match and not goes_on:
                self.add(match)
                match = []
            match.append(game.turns)
            before = (game.file, game.length, game.score)
        if match:
            self.add(match)
        tally.games, tally.matches, tally.duplicate_games = len(self.turns), len(self.parts), sum(self.copies)

    def add(self, match: list[_Turns]) -> None:
        """Add the games of a match; if any telling one is known, the whole match was recorded before."""
        digests = [_digest(turns) for turns in match]
        telling = [digest for digest, turns in zip(digests, match, strict=True) if len(turns.positions) >= _TELLING]
        number = next((self.known[digest] for digest in telling if digest in self.known), len(self.parts))
        recorded_before = number < len(self.parts)
        if not recorded_before:
            self.parts.append(_share(min(telling or digests)) < self.share)
        for digest, turns in zip(digests, match, strict=True):
            self.turns.append(turns)
            self.matches.append(number)
            self.copies.append(recorded_before or digest in self.known)
            self.held_out.append(self.parts[number])
            if digest in telling:
                self.known.setdefault(digest, number)


def _turns_of(record: RecordedGame, position: Position) -> tuple[_Turns, int]:
    """The turns of a game, and the sum of the scores it starts from; the position of its start is changed."""
    s = position.data.view(STATE)[0]
    score = int(s["score"].sum())
    for name in ("match_length", "has_cube", "jacoby", "cube", "crawford", "score"):
        s[name] = 0  # the same position in a money game without the cube, whose last position stays on the board
    s["owner"] = -1
    if s["phase"] == OFFER:
        s["phase"] = ROLLING
    outcomes, actions = (np.array(numbers, dtype=np.int64) for numbers in (record.script, record.actions))
    room = len(outcomes) + 1
    positions, results = np.empty((2, room, COLUMNS), dtype=np.int8)
    dice, seats = np.empty((room, 2), dtype=np.int8), np.empty(room, dtype=np.int8)
    count, won = _follow(position.data, outcomes, actions, positions, dice, results, seats)
    gains = np.where(seats[:count] == 0, won, -won).astype(np.int8)
    return _Turns(positions[:count], dice[:count], results[:count], gains), score


@jit
def _follow(
    state: Any, outcomes: Any, actions: Any, positions: Any, dice: Any, results: Any, seats: Any
) -> tuple[int, int]:
    """Play a game without the cube, and write its turns; returns their number and what seat 0 won, 0 if unfinished."""
    s = view(state, STATE)
    rolls, moves, count = 0, 0, 0
    while s.phase != FINISHED:
        if s.phase == OPENING or s.phase == ROLLING:
            while moves < len(actions) and actions[moves] >= MOVES:  # what is done with the cube
                if actions[moves] == DROP:
                    return count, 0
                moves += 1
            if rolls == len(outcomes):
                return count, 0
            play(s, outcomes[rolls])
            rolls += 1
            continue
        if moves == len(actions):
            return count, 0
        if s.phase == MOVING:
            seats[count] = s.seat
            dice[count, 0], dice[count, 1] = s.dice[0], s.dice[1]
            write_seen(s, s.seat, positions[count])
        play(s, actions[moves])
        moves += 1
        if s.phase != SECOND_HALF:
            write_seen(s, seats[count], results[count])
            count += 1
    return count, s.won if s.seat == 0 else -s.won


def _digest(game: _Turns) -> bytes:
    """The content of a game, whoever sat on which side and whatever the score."""
    return hashlib.sha256(game.positions.tobytes() + game.dice.tobytes() + game.results.tobytes()).digest()


def _share(digest: bytes) -> float:
    """A number from 0 to 1, evenly spread even if the digest is the least of several."""
    return int.from_bytes(hashlib.sha256(digest).digest()[:8], "big") / 2**64


# --- which are kept, and which are right ----------------------------------------------------------------------------


@jit
def _find(final: Any, results: Any, offsets: Any) -> Any:
    """The number of the result that was played, for each decision, shape (n,) int32."""
    played = np.zeros(len(final), dtype=np.int32)
    for number in range(len(final)):
        for row in range(offsets[number], offsets[number + 1]):
            same = True
            for column in range(COLUMNS):
                if results[row, column] != final[number, column]:
                    same = False
                    break
            if same:
                played[number] = row - offsets[number]
                break
    return played


def _filtered(decisions: Decisions, copies: NDArray[np.bool_], keep: Collection[str], tally: Tally) -> Decisions:
    """Drop what the filters say, and count it."""
    alone = decisions.counts == 1
    unmovable = alone & (decisions.results[decisions.offsets[:-1]] == decisions.positions).all(axis=1)
    hits = (unmovable, alone & ~unmovable, is_race(decisions.positions), copies)
    left = np.ones(len(decisions), dtype=np.bool_)
    for name, hit in zip(FILTERS, hits, strict=True):
        tally.dropped[name] = 0 if name in keep else int((left & hit).sum())
        if name not in keep:
            left &= ~hit
    return decisions.select(left)


def settle(decisions: Decisions, contradicting: str) -> Decisions:
    """Decide what is right where the same decision of one part was met with several choices, as they were played.

    Args:
        decisions: the decisions.
        contradicting: one of `CONTRADICTING`.

    Raises:
        ValueError: if it is not.
    """
    _check_options((), contradicting, 0)
    settled = replace(decisions, chosen=np.zeros(len(decisions.results), dtype=np.bool_))
    settled.chosen[settled.offsets[:-1] + settled.played] = True
    rows = np.column_stack([settled.held_out, settled.positions, settled.dice]).astype(np.int8)
    _, same = np.unique(rows.view(f"V{rows.shape[1]}").reshape(-1), return_inverse=True)
    if contradicting == "all":
        _share_choices(same, settled.played, settled.offsets, settled.chosen)
        return settled
    choices = same * (int(settled.counts.max(initial=0)) + 1) + settled.played
    _, first, which, votes = np.unique(choices, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -votes if contradicting == "majority" else first, same[first]))
    _, best = np.unique(same[first][order], return_index=True)  # the best choice of each decision
    return settled.select(np.isin(which, order[best]))


@jit
def _share_choices(same: Any, played: Any, offsets: Any, chosen: Any) -> None:
    """Let every choice be right in all decisions that are the same."""
    model = np.full(len(same), -1, dtype=np.int64)  # the first of the same decisions
    for number in range(len(same)):
        if model[same[number]] < 0:
            model[same[number]] = number
        chosen[offsets[model[same[number]]] + played[number]] = True
    for number in range(len(same)):
        start = offsets[model[same[number]]]
        for i in range(offsets[number + 1] - offsets[number]):
            chosen[offsets[number] + i] = chosen[start + i]
