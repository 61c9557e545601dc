"""The games of an if-then population, compiled: playing, and comparing two members by games, which teach both.

A game is played in all mirror images at once (`Game.images`), so that each of them can be learned. The table records
its trail: for each decision the position, its hash in each image, and a `MOVE`.
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.compiled.hashing import hash_state
from ludarium.agents.genetic.ifthen.lessons import IGNORED, RULE, UNKNOWN, Lesson, teach
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, Maps, known_move, pairs_of
from ludarium.agents.genetic.ifthen.player import Scratch, best_action, scratch
from ludarium.agents.genetic.ifthen.windows import Windows, board_windows
from ludarium.envs import kernels
from ludarium.envs.batch import random_legal
from ludarium.envs.chance import below, derive, draw, uniform
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import CHANCE, MAX_MOVES, OVER

GAMES, DECISIONS, RULE_MOVES, DRAWS = range(4)
"""Indices into the array of counts."""
MOVE = np.dtype([("action", np.int64), ("seat", np.int64), ("reason", np.int64)])
"""A decision: what was played, by which seat, and why, see `RULE`."""


class Rules(NamedTuple):
    """What all games of a run have in common; it can be sent to other processes.

    Attributes:
        game: the game.
        symmetry: whether to learn it in all its mirror images; games of chance are learned in one.
        windows: the number of squares in a window, 0 for no windows.
        lesson: what each game teaches.
        games_per_comparison: the number of games in a comparison.
    """

    game: Game
    symmetry: bool
    windows: int
    lesson: Lesson
    games_per_comparison: int = 1


class Table(NamedTuple):
    """Where a population plays: all that compiled functions need, with buffers for one game.

    Attributes:
        game: the game's table, see `ludarium.envs.kernels`.
        options: its options as bytes.
        mirrors: (images, actions) int64: the counterpart of each action in each mirror image.
        windows: the windows that pairs can be about, in addition to positions.
        maps: the players.
        lesson: what each game teaches.
        games_per_comparison: the number of games in a comparison.
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
    lesson: Lesson
    games_per_comparison: int
    counts: Any
    stream: Any
    states: Any
    positions: Any
    hashes: Any
    trail: Any
    probabilities: Any
    scratch: Scratch

    @classmethod
    def of(cls, rules: Rules, maps: Maps) -> "Table":
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
            lesson=rules.lesson,
            games_per_comparison=rules.games_per_comparison,
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
def compare(table: Any, a: int, b: int, key: Any) -> bool:
    """Whether `a` beats `b` over games with alternating seats; who begins, and a tie, are decided at random.

    Both learn from each game. If both are the same member, it plays both seats, and learns from each game as either
    side.
    """
    counts, maps, payoffs = table.counts, table.maps, table.scratch.payoffs
    table.stream[0], table.stream[1] = key, np.uint64(0)
    first = below(table.stream, 2)
    balance: Any = 0
    for number in range(table.games_per_comparison):
        seat = (first + number) % 2  # of a
        plies = play_game(table, b if seat else a, a if seat else b)
        result: Any = np.int64(np.sign(payoffs[seat] - payoffs[1 - seat]))
        balance += result
        counts[GAMES] += 1
        counts[DECISIONS] += plies
        counts[DRAWS] += result == 0
        for ply in range(plies):
            counts[RULE_MOVES] += table.trail[ply].reason == RULE
        for member, side, won in ((a, seat, result), (b, 1 - seat, -result)):
            maps.games[member] += 1
            maps.wins[member] += won > 0
            teach(table, member, side, won, plies)
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
