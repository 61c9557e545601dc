"""The games of an if-then population, compiled: playing, learning from a game, and comparing two members by games.

A game is played in all mirror images at once (`Game.images`), so that each of them can be learned. The table records
its trail: for each decision the position, its hash in each image, and a `MOVE`.
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
"""Why a move was made: the map gave it, the map had none, or the map's move was ignored."""
GAMES, DECISIONS, RULE_MOVES, DRAWS = range(4)
"""Indices into the array of counts."""
MOVE = np.dtype([("action", np.int64), ("seat", np.int64), ("reason", np.int64)])
"""A decision: what was played, by which seat, and why."""
_STEP, _PATIENCE = 0.5, 1000.0
"""The first step size of a pair about a window, and the number of games after which it is halved."""


class Settings(NamedTuple):
    """The options that affect games and comparisons; see `IfThen`."""

    games_per_comparison: int
    record_draws: bool
    overwrite_on_win: bool
    forget_on_loss: bool
    values: bool


class Rules(NamedTuple):
    """What all games of a run have in common; it can be sent to other processes.

    Attributes:
        game: the game.
        symmetry: whether to learn it in all its mirror images; games of chance are learned in one.
        windows: the number of squares in a window, 0 for no windows.
        settings: see `Settings`.
    """

    game: Game
    symmetry: bool
    windows: int
    settings: Settings


class Table(NamedTuple):
    """Where a population plays: all that compiled functions need, with buffers for one game.

    Attributes:
        game: the game's table, see `ludarium.envs.kernels`.
        options: its options as bytes.
        mirrors: (images, actions) int64: the counterpart of each action in each mirror image.
        windows: the windows that pairs can be about, in addition to positions.
        maps: the players.
        learners: the number of players that learn; the rows behind them are past champions.
        settings: see `Settings`.
        counts: (4,) int64, see `GAMES`: every game is added.
        stream: (2,) uint64: the random stream of the current game.
        states: (images, words) uint64: the current position in each image.
        positions: (moves, words) uint64: the positions of the trail, in the first image.
        hashes: (moves, images) uint64: their hashes.
        trail: (moves,) of `MOVE`.
        probabilities: (outcomes + 1,) float64: a buffer for chance nodes.
        scratch: see `Scratch`; at the end of a game it holds the payoffs.
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
        """A table before its first game."""
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
    """Play one game between two members; leave trail and payoffs on the table, and return the number of decisions."""
    game, maps, mirrors, states = table.game, table.maps, table.mirrors, table.states
    states[:] = 0
    for image in range(len(mirrors)):
        kernels.setup(game, states[image], table.options)
    plies = 0
    while plies < game[MAX_MOVES]:
        seat = kernels.turn(game, states[0])
        if seat == OVER:
            break
        if seat == CHANCE:  # outcomes have no mirror images, so such games are played in one
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
    """Add a seat's random moves in unknown positions to its map; with `overwrite_on_win`, all its random moves."""
    for ply in range(plies):
        move = table.trail[ply]
        if move.seat == seat and (
            move.reason == UNKNOWN or (move.reason == IGNORED and table.settings.overwrite_on_win)
        ):
            for image in range(len(table.mirrors)):
                put(table.maps, member, table.hashes[ply, image], table.mirrors[image, move.action], 0.0, np.int64(1))


@jit
def forget(table: Any, member: int, seat: int, plies: int) -> None:
    """Forget the pair behind a seat's last move with a choice, if a pair made that move."""
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
    """Correct the value and the move of each position in a game, from the last back to the first, for either seat.

    The value of a position is that of its best move, see `worth`. A known move is kept unless another is better. The
    windows learn the value of each position that a move has led to, from the side that made the move.
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
    """Move the sum of a member's windows towards a value; the more games have taught a pair, the less it changes."""
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
    """Whether `a` beats `b` over games with alternating seats; who begins, and a tie, are decided at random.

    Both learn from each game, except for past champions. If both are the same member, it plays both seats, and learns
    from each game as either side.
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
    """Make some merges of one level of a merge sort: merge each two runs of members into one twice as long.

    Args:
        table: where they play.
        members: (members,) int64: the members in these merges; each run of `width` is sorted, the best first.
        width: the length of the runs.
        first: the number of the first merge within its level.
        key: the key of the level; comparison i of a merge is a function of it, the merge's number and i.
        places: (members,) int64: the places that the members come from are written here, in their new order.
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
    """Compare each two finalists `rounds` times, and add the comparisons that each one wins to `won`, by place."""
    number = 0
    for a in range(len(finalists)):
        for b in range(a):
            for _ in range(rounds):
                ahead = compare(table, finalists[a], finalists[b], derive(key, number))
                won[a if ahead else b] += 1
                number += 1


@jit
def face_champions(table: Any, members: Any, champions: int, first: int, key: Any, won: Any) -> None:
    """Compare members with each of the first `champions` past champions; add how many they beat to `won`, by place.

    The members' numbers in the population begin at `first`; the games are a function of these numbers.
    """
    for place in range(len(members)):
        for number in range(champions):
            game_key = derive(derive(key, first + place), number)
            won[place] += compare(table, members[place], table.learners + number, game_key)
