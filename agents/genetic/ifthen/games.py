"""The games of an if-then population, compiled: playing, learning from a game, and the sort in which games compare.

A game is played in all mirror images at once (`training.images`), so that each of them can be learned. Its trail holds,
by decision: the hash in each image, the action, whose it was, and whether a rule chose it.
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.compiled.hashing import find, hash_state
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, WINDOW, known_move, pairs_of, put
from ludarium.agents.genetic.ifthen.player import best_action, opinion, scratch
from ludarium.agents.genetic.ifthen.windows import look, window_key
from ludarium.envs import kernels
from ludarium.envs.batch import draw, random_legal
from ludarium.envs.chance import below, derive, uniform
from ludarium.envs.jit import jit
from ludarium.envs.kernels import CHANCE, MAX_MOVES, MAX_OUTCOMES, OVER, SEATS, STATE_SIZE

RULE, UNKNOWN, IGNORED = 0, 1, 2
"""Why a move was made: the map said so, it knew none, or its own was ignored."""
GAMES, DECISIONS, RULE_MOVES, DRAWS = range(4)
"""What is counted."""
_STEP, _PATIENCE = 0.5, 1000.0
"""Of a pair about a window: its first step, and after how many games the step is half of it."""


class Settings(NamedTuple):
    """The options that games and comparisons look at; see `ifthen.IfThen`."""

    games_per_comparison: int
    record_draws: bool
    overwrite_on_win: bool
    forget_on_loss: bool
    values: bool
    population: int
    """Members of higher numbers are past champions, who learn no more."""


class Desk(NamedTuple):
    """Room for one game: see `desk`."""

    states: Any  # (images, words) uint64
    probabilities: Any
    payoffs: Any
    stream: Any
    positions: Any  # (moves, words) uint64: the trail, in the first image
    hashes: Any  # (moves, images) uint64
    actions: Any  # (moves,) int64, as are the next two
    seats: Any
    reasons: Any
    scratch: Any  # see `ifthen_player.Scratch`


@jit
def desk(game: Any, images: int) -> Any:
    """Room for games in so many images."""
    words, moves = (game[STATE_SIZE] + 7) // 8, game[MAX_MOVES]
    return Desk(
        np.zeros((images, words), dtype=np.uint64),
        np.zeros(game[MAX_OUTCOMES] + 1),
        np.zeros(game[SEATS]),
        np.zeros(2, dtype=np.uint64),
        np.zeros((moves, words), dtype=np.uint64),
        np.zeros((moves, images), dtype=np.uint64),
        np.zeros(moves, dtype=np.int64),
        np.zeros(moves, dtype=np.int64),
        np.zeros(moves, dtype=np.int64),
        scratch(game),
    )


@jit
def play_game(game: Any, options: Any, mirrors: Any, windows: Any, maps: Any, first: int, second: int, d: Any) -> int:
    """Play one game between two members, and leave its trail and payoffs on the desk; the number of decisions."""
    d.states[:] = 0
    for image in range(len(mirrors)):
        kernels.setup(game, d.states[image], options)
    plies = 0
    while plies < game[MAX_MOVES]:
        seat = kernels.turn(game, d.states[0])
        if seat == OVER:
            break
        if seat == CHANCE:  # outcomes have no mirror images: such games have one
            kernels.play(game, d.states[0], draw(game, d.states[0], d.probabilities, d.stream))
            continue
        d.positions[plies] = d.states[0]
        for image in range(len(mirrors)):
            d.hashes[plies, image] = hash_state(d.states[image])
        member = second if seat else first
        action = known_move(maps, member, d.hashes[plies, 0])
        reason = UNKNOWN if action == FORGOTTEN else RULE
        if uniform(d.stream) < maps.randomness[member]:
            reason = IGNORED if reason == RULE else UNKNOWN
        elif reason == UNKNOWN and len(windows.kinds) > 0:
            preferred = random_legal(game, d.states[0], d.scratch.mask, d.stream)
            action, _ = best_action(game, pairs_of(maps, member), windows, d.states[0], seat, preferred, d.scratch)
            reason = RULE
        if reason != RULE:
            action = random_legal(game, d.states[0], d.scratch.mask, d.stream)
        d.actions[plies], d.seats[plies], d.reasons[plies] = action, seat, reason
        for image in range(len(mirrors)):
            kernels.play(game, d.states[image], mirrors[image, action])
        plies += 1
    kernels.payoffs(game, d.states[0], d.payoffs)
    return plies


@jit
def record(mirrors: Any, maps: Any, member: int, seat: int, plies: int, overwrite: bool, d: Any) -> None:
    """Enter the random moves that a seat made in unknown positions; with `overwrite`, all its random moves."""
    for ply in range(plies):
        if d.seats[ply] != seat or d.reasons[ply] == RULE or (d.reasons[ply] == IGNORED and not overwrite):
            continue
        for image in range(len(mirrors)):
            put(maps, member, d.hashes[ply, image], mirrors[image, d.actions[ply]], 0.0, 1)


@jit
def forget(game: Any, mirrors: Any, maps: Any, member: int, seat: int, plies: int, d: Any) -> None:
    """Forget the rule behind a seat's last move where it had a choice, if a rule made that move."""
    for ply in range(plies - 1, -1, -1):
        if d.seats[ply] == seat and kernels.legal(game, d.positions[ply], d.scratch.mask) > 1:
            if d.reasons[ply] == RULE:
                for image in range(len(mirrors)):
                    slot = find(maps.keys[member], d.hashes[ply, image])
                    if maps.keys[member, slot] == d.hashes[ply, image]:
                        maps.moves[member, slot] = FORGOTTEN
            return


@jit
def back_up(game: Any, mirrors: Any, windows: Any, maps: Any, member: int, plies: int, d: Any) -> None:
    """Correct the value and the move of each position of a game, the last first, whoever was to move.

    A position is worth what its best move is worth, see `worth`. The move that is there stays unless another is better.
    The windows learn what a move has left behind: a position with this value, to the one side or the other.
    """
    pairs = pairs_of(maps, member)
    for ply in range(plies - 1, -1, -1):
        seat, key = d.seats[ply], d.hashes[ply, 0]
        slot = find(maps.keys[member], key)
        held = maps.keys[member, slot] == key
        move, visits = (maps.moves[member, slot], maps.visits[member, slot]) if held else (d.actions[ply], 0)
        best, value = best_action(game, pairs, windows, d.positions[ply], seat, move, d.scratch)
        for image in range(len(mirrors)):
            put(maps, member, d.hashes[ply, image], mirrors[image, best], value, visits + 1)
        if ply > 0 and len(windows.kinds) > 0:
            mover = d.seats[ply - 1]
            look(game, d.positions[ply], mover, d.scratch.observation, d.scratch.contents)
            correct(maps, member, windows, d.scratch.contents, value if mover == seat else -value)


@jit
def correct(maps: Any, member: int, windows: Any, contents: Any, target: float) -> None:
    """Move what a member's windows add up to towards a value; the more games taught a pair, the less it moves."""
    error = target / windows.most - np.tanh(opinion(pairs_of(maps, member), windows, contents))
    step = _STEP * error / len(windows.kinds)
    for number in range(len(windows.kinds)):
        key = window_key(windows, number, contents)
        slot = find(maps.keys[member], key)
        held = maps.keys[member, slot] == key
        value, visits = (maps.values[member, slot], maps.visits[member, slot]) if held else (0.0, 0)
        put(maps, member, key, WINDOW, value + step * _PATIENCE / (_PATIENCE + visits), visits + 1)


@jit
def compare(
    game: Any, options: Any, mirrors: Any, windows: Any, maps: Any, settings: Any, a: int, b: int, key: Any,
    counts: Any, d: Any,
) -> bool:  # fmt: skip
    """Whether `a` beats `b`: games with alternating seats, the first by lot, as is a tie. Both learn from each game."""
    d.stream[0], d.stream[1] = key, np.uint64(0)
    lot = below(d.stream, 2)
    balance: Any = 0
    for number in range(settings.games_per_comparison):
        seat = (lot + number) % 2  # of a
        plies = play_game(game, options, mirrors, windows, maps, b if seat else a, a if seat else b, d)
        result: Any = np.int64(np.sign(d.payoffs[seat] - d.payoffs[1 - seat]))
        balance += result
        counts[GAMES] += 1
        counts[DECISIONS] += plies
        counts[RULE_MOVES] += (d.reasons[:plies] == RULE).sum()
        counts[DRAWS] += result == 0
        _learn(game, mirrors, windows, maps, settings, a, seat, result, plies, d)
        _learn(game, mirrors, windows, maps, settings, b, 1 - seat, -result, plies, d)
    return balance > 0 or (balance == 0 and below(d.stream, 2) == 0)


@jit
def _learn(
    game: Any, mirrors: Any, windows: Any, maps: Any, settings: Any, member: int, seat: int, result: int, plies: int,
    d: Any,
) -> None:  # fmt: skip
    """What a member takes from a game that it won (result 1), drew (0) or lost (-1); a past champion nothing."""
    if member >= settings.population:
        return
    maps.games[member] += 1
    maps.wins[member] += result > 0
    if settings.values:
        back_up(game, mirrors, windows, maps, member, plies, d)
    elif result > 0 or (result == 0 and settings.record_draws):
        record(mirrors, maps, member, seat, plies, settings.overwrite_on_win, d)
    elif result < 0 and settings.forget_on_loss:
        forget(game, mirrors, maps, member, seat, plies, d)


@jit
def merge_runs(
    game: Any, options: Any, mirrors: Any, windows: Any, maps: Any, settings: Any, order: Any, merged: Any, width: int,
    first: int, last: int, key: Any, counts: Any,
) -> None:  # fmt: skip
    """Some merges of one level of a merge sort: runs of `order` of so many members, two by two, into `merged`.

    Args:
        game: the game's table.
        options: the game's options, as bytes.
        mirrors: how actions look in each image, shape (images, actions).
        windows: what pairs can be about besides positions.
        maps: the population.
        settings: see `Settings`.
        order: (members,) int64: the members; each run of `width` is sorted, the best first.
        merged: (members,) int64: the same with runs twice as long; only the places of these merges are written.
        width: length of the runs.
        first: number of the first merge.
        last: number after the last.
        key: of the level; game number i of a merge is a function of it, the merge's number and i.
        counts: (4,) int64, see `GAMES`; what is played is added.
    """
    d = desk(game, len(mirrors))
    for number in range(first, last):
        left, middle = 2 * width * number, min(2 * width * number + width, len(order))
        right, end = middle, min(middle + width, len(order))
        merge_key, games = derive(key, number), 0
        for place in range(left, end):
            if left < middle and right < end:
                game_key = derive(merge_key, games)
                games += 1
                ahead = compare(
                    game, options, mirrors, windows, maps, settings, order[left], order[right], game_key, counts, d
                )
            else:
                ahead = left < middle
            if ahead:
                merged[place] = order[left]
                left += 1
            else:
                merged[place] = order[right]
                right += 1


@jit
def rematch(
    game: Any, options: Any, mirrors: Any, windows: Any, maps: Any, settings: Any, order: Any, finalists: int,
    rounds: int, key: Any, counts: Any,
) -> None:  # fmt: skip
    """Order the first few anew by the comparisons that they win of so many with each other; equals stay in order."""
    d = desk(game, len(mirrors))
    won = np.zeros(finalists, dtype=np.int64)
    number = 0
    for a in range(finalists):
        for b in range(a):
            for _ in range(rounds):
                ahead = compare(
                    game, options, mirrors, windows, maps, settings, order[a], order[b], derive(key, number), counts, d
                )
                won[a if ahead else b] += 1
                number += 1
    order[:finalists] = order[:finalists][np.argsort(-won, kind="mergesort")]


@jit
def face_champions(
    game: Any, options: Any, mirrors: Any, windows: Any, maps: Any, settings: Any, first: int, last: int,
    champions: int, key: Any, won: Any, counts: Any,
) -> None:  # fmt: skip
    """Let members `first` to `last - 1` meet each of so many past champions; add up in `won` whom they beat."""
    d = desk(game, len(mirrors))
    for member in range(first, last):
        for number in range(champions):
            rival, game_key = settings.population + number, derive(derive(key, member), number)
            won[member] += compare(game, options, mirrors, windows, maps, settings, member, rival, game_key, counts, d)
