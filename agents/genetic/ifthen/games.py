"""The games of an if-then population, compiled: playing, learning from a game, and the comparisons that games decide.

A game is played in all mirror images at once (`Game.images`), so that each of them can be learned. The table keeps its
trail, by decision: the position, its hash in each image, and a `MOVE`.
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.compiled.hashing import find, hash_state
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, WINDOW, Maps, known_move, pairs_of, put
from ludarium.agents.genetic.ifthen.player import Scratch, best_action, opinion, scratch
from ludarium.agents.genetic.ifthen.windows import Windows, board_windows, look, window_key
from ludarium.envs import kernels
from ludarium.envs.batch import draw, random_legal
from ludarium.envs.chance import below, derive, uniform
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import CHANCE, MAX_MOVES, OVER

RULE, UNKNOWN, IGNORED = 0, 1, 2
"""Why a move was made: the map said so, it knew none, or its own was ignored."""
GAMES, DECISIONS, RULE_MOVES, DRAWS = range(4)
"""What is counted."""
MOVE = np.dtype([("action", np.int64), ("seat", np.int64), ("reason", np.int64)])
"""A decision: what was played, by whom, and why."""
_STEP, _PATIENCE = 0.5, 1000.0
"""Of a pair about a window: its first step, and after how many games the step is half of it."""


class Settings(NamedTuple):
    """The options that games and comparisons look at; see `IfThen`."""

    games_per_comparison: int
    record_draws: bool
    overwrite_on_win: bool
    forget_on_loss: bool
    values: bool


class Rules(NamedTuple):
    """What all games of a run have in common; it can be sent to other processes.

    Attributes:
        game: the game.
        symmetry: it is learned in all its mirror images. Outcomes of chance have none.
        windows: squares in a window, 0 for no windows.
        settings: see there.
    """

    game: Game
    symmetry: bool
    windows: int
    settings: Settings


class Table(NamedTuple):
    """Where a population plays: all that compiled functions need to know, and room for one game.

    Attributes:
        game: the game's table, see `ludarium.envs.kernels`.
        options: its options as bytes.
        mirrors: (images, actions) int64: how actions look in each image.
        windows: what pairs can be about besides positions.
        maps: the players.
        learners: how many of them learn; those of higher numbers are past champions.
        settings: see there.
        counts: (4,) int64, see `GAMES`: what is played is added.
        stream: (2,) uint64: the chance of the game that is played.
        states: (images, words) uint64: its position in each image.
        positions: (moves, words) uint64: those of the trail, in the first image.
        hashes: (moves, images) uint64: their hashes.
        trail: (moves,) of `MOVE`.
        probabilities: (outcomes + 1,) float64.
        scratch: see there; at the end of a game it holds the payoffs.
    """

    game: Any
    options: Any
    mirrors: Any
    windows: Windows
    maps: Maps
    learners: int
    settings: Settings
    counts: Any
    stream: Any
    states: Any
    positions: Any
    hashes: Any
    trail: Any
    probabilities: Any
    scratch: Scratch

    @classmethod
    def of(cls, rules: Rules, maps: Maps, learners: int) -> "Table":
        """A table at which nothing was played yet."""
        game = rules.game
        mirrors = game.images if rules.symmetry and not game.max_outcomes else game.images[:1]
        words, images, moves = -(-game.state.itemsize // 8), len(mirrors), game.max_moves
        return cls(
            game=game.table,
            options=game.option_bytes,
            mirrors=mirrors,
            windows=board_windows(game, rules.windows, rules.symmetry),
            maps=maps,
            learners=learners,
            settings=rules.settings,
            counts=np.zeros(4, dtype=np.int64),
            stream=np.zeros(2, dtype=np.uint64),
            states=np.zeros((images, words), dtype=np.uint64),
            positions=np.zeros((moves, words), dtype=np.uint64),
            hashes=np.zeros((moves, images), dtype=np.uint64),
            trail=np.zeros(moves, dtype=MOVE),
            probabilities=np.zeros(game.max_outcomes + 1),
            scratch=scratch(game.table),
        )


@jit
def play_game(table: Any, first: int, second: int) -> int:
    """Play one game between two members, and leave its trail and payoffs on the table; the number of decisions."""
    game, maps, mirrors, states = table.game, table.maps, table.mirrors, table.states
    states[:] = 0
    for image in range(len(mirrors)):
        kernels.setup(game, states[image], table.options)
    plies = 0
    while plies < game[MAX_MOVES]:
        seat = kernels.turn(game, states[0])
        if seat == OVER:
            break
        if seat == CHANCE:  # outcomes have no mirror images: such games have one
            kernels.play(game, states[0], draw(game, states[0], table.probabilities, table.stream))
            continue
        for word in range(states.shape[1]):
            table.positions[plies, word] = states[0, word]
        for image in range(len(mirrors)):
            table.hashes[plies, image] = hash_state(states[image])
        member = second if seat else first
        action = known_move(maps, member, table.hashes[plies, 0])
        reason = UNKNOWN if action == FORGOTTEN else RULE
        if uniform(table.stream) < maps.randomness[member]:
            reason = IGNORED if reason == RULE else UNKNOWN
        elif reason == UNKNOWN and len(table.windows.kinds) > 0:
            preferred = random_legal(game, states[0], table.scratch.mask, table.stream)
            pairs = pairs_of(maps, member)
            action, _ = best_action(game, pairs, table.windows, states[0], seat, preferred, table.scratch)
            reason = RULE
        if reason != RULE:
            action = random_legal(game, states[0], table.scratch.mask, table.stream)
        move = table.trail[plies]
        move.action, move.seat, move.reason = action, seat, reason
        for image in range(len(mirrors)):
            kernels.play(game, states[image], mirrors[image, action])
        plies += 1
    kernels.payoffs(game, states[0], table.scratch.payoffs)
    return plies


@jit
def record(table: Any, member: int, seat: int, plies: int) -> None:
    """Enter the random moves that a seat made in unknown positions; with `overwrite_on_win`, all its random moves."""
    for ply in range(plies):
        move = table.trail[ply]
        if move.seat == seat and (
            move.reason == UNKNOWN or (move.reason == IGNORED and table.settings.overwrite_on_win)
        ):
            for image in range(len(table.mirrors)):
                put(table.maps, member, table.hashes[ply, image], table.mirrors[image, move.action], 0.0, np.int64(1))


@jit
def forget(table: Any, member: int, seat: int, plies: int) -> None:
    """Forget the rule behind a seat's last move where it had a choice, if a rule made that move."""
    maps = table.maps
    for ply in range(plies - 1, -1, -1):
        move = table.trail[ply]
        if move.seat == seat and kernels.legal(table.game, table.positions[ply], table.scratch.mask) > 1:
            if move.reason == RULE:
                for image in range(len(table.mirrors)):
                    slot = find(maps.keys[member], table.hashes[ply, image])
                    if maps.keys[member, slot] == table.hashes[ply, image]:
                        maps.moves[member, slot] = FORGOTTEN
            return


@jit
def back_up(table: Any, member: int, plies: int) -> None:
    """Correct the value and the move of each position of a game, the last first, whoever was to move.

    A position is worth what its best move is worth, see `worth`. The move that is there stays unless another is better.
    The windows learn what a move has left behind: a position with this value, to the one side or the other.
    """
    game, maps, windows, trail = table.game, table.maps, table.windows, table.trail
    pairs = pairs_of(maps, member)
    for ply in range(plies - 1, -1, -1):
        seat, key, position = trail[ply].seat, table.hashes[ply, 0], table.positions[ply]
        slot = find(maps.keys[member], key)
        held = maps.keys[member, slot] == key
        move, visits = (maps.moves[member, slot], maps.visits[member, slot]) if held else (trail[ply].action, 0)
        best, value = best_action(game, pairs, windows, position, seat, move, table.scratch)
        for image in range(len(table.mirrors)):
            put(maps, member, table.hashes[ply, image], table.mirrors[image, best], value, visits + 1)
        if ply > 0 and len(windows.kinds) > 0:
            mover = trail[ply - 1].seat
            look(game, position, mover, table.scratch.observation, table.scratch.contents)
            correct(maps, member, windows, table.scratch.contents, value if mover == seat else -value)


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
        put(maps, member, key, np.int64(WINDOW), value + step * _PATIENCE / (_PATIENCE + visits), visits + 1)


@jit
def compare(table: Any, a: int, b: int, key: Any) -> bool:
    """Whether `a` beats `b`: games with alternating seats, the first by lot, as is a tie. Both learn from each game.

    They may be the same member: it then plays both seats, and learns from each game as either side does. Past champions
    learn nothing.
    """
    counts, maps, payoffs, settings = table.counts, table.maps, table.scratch.payoffs, table.settings
    table.stream[0], table.stream[1] = key, np.uint64(0)
    lot = below(table.stream, 2)
    balance: Any = 0
    for number in range(settings.games_per_comparison):
        seat = (lot + number) % 2  # of a
        plies = play_game(table, b if seat else a, a if seat else b)
        result: Any = np.int64(np.sign(payoffs[seat] - payoffs[1 - seat]))
        balance += result
        counts[GAMES] += 1
        counts[DECISIONS] += plies
        counts[DRAWS] += result == 0
        for ply in range(plies):
            counts[RULE_MOVES] += table.trail[ply].reason == RULE
        for member, side, won in ((a, seat, result), (b, 1 - seat, -result)):
            if member < table.learners:
                maps.games[member] += 1
                maps.wins[member] += won > 0
                if settings.values:
                    back_up(table, member, plies)
                elif won > 0 or (won == 0 and settings.record_draws):
                    record(table, member, side, plies)
                elif won < 0 and settings.forget_on_loss:
                    forget(table, member, side, plies)
    return balance > 0 or (balance == 0 and below(table.stream, 2) == 0)


@jit
def merge_runs(table: Any, members: Any, width: int, first: int, key: Any, places: Any) -> None:
    """Some merges of one level of a merge sort: runs of members, two by two, into runs twice as long.

    Args:
        table: where they play.
        members: (members,) int64: the players of these merges; each run of `width` is sorted, the best first.
        width: length of the runs.
        first: number of the first merge in its level.
        key: of the level; game number i of a merge is a function of it, the merge's number and i.
        places: (members,) int64: written: the places that the members come from, in their new order.
    """
    for start in range(0, len(members), 2 * width):
        left, middle, end = start, min(start + width, len(members)), min(start + 2 * width, len(members))
        right = middle
        merge_key, games = derive(key, first + start // (2 * width)), 0
        for place in range(start, end):
            if left < middle and right < end:
                ahead = compare(table, members[left], members[right], derive(merge_key, games))
                games += 1
            else:
                ahead = left < middle
            if ahead:
                places[place] = left
                left += 1
            else:
                places[place] = right
                right += 1


@jit
def rematch(table: Any, finalists: Any, rounds: int, key: Any, won: Any) -> None:
    """Let each two finalists meet in so many comparisons; add up in `won`, by place, how many each wins."""
    number = 0
    for a in range(len(finalists)):
        for b in range(a):
            for _ in range(rounds):
                ahead = compare(table, finalists[a], finalists[b], derive(key, number))
                won[a if ahead else b] += 1
                number += 1


@jit
def face_champions(table: Any, members: Any, champions: int, first: int, key: Any, won: Any) -> None:
    """Let members meet each of the first so many past champions; add up in `won`, by place, whom they beat.

    The members' numbers in the population begin at `first`; the games are a function of these.
    """
    for place in range(len(members)):
        for number in range(champions):
            game_key = derive(derive(key, first + place), number)
            won[place] += compare(table, members[place], table.learners + number, game_key)
