"""N-tuple evaluations of Othello: a table for each group of squares, with a number for each of its contents.

A position is seen by the side that has just moved. A tuple of n squares reads n ternary digits, empty 0, own 1, other
2, and looks up the number in its table. A table is shared by the eight images of its tuple, so the evaluation is the
same for a position and its mirror images (Lucas 2008). Names of systematic sets, after Jaskowski (2014): `all-1`,
`all-2`, `all-3` and `all-4` are all straight tuples of this length, and `4+2x2` are those of length 4 and all squares
of 2 × 2. `patterns` are those of Logistello (Buro 1999) on the board of 8 × 8: the edge with two squares more, corners
of 3 × 3 and 2 × 5, and whole lines.

For speed, tuples that lie in one line or in one block are added up in a table of that *region*, once for all. The
places of a position in all tables are sums of rows of a table of indices, one row for each byte of the two boards,
which the processor adds many at a time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import pack, table, unpack
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Floats, Record, view
from ludarium.envs.opinions import Term
from ludarium.envs.othello.notation import move_name, parse_move
from ludarium.envs.othello.rules import Squares, popcount
from ludarium.envs.position import Position

SETS = {"all-1": (1,), "all-2": (2,), "all-3": (3,), "all-4": (4,), "4+2x2": (4, 0)}
"""The lengths of the straight tuples in each systematic set; 0 stands for the squares of 2 × 2."""
_PATTERNS = (
    "a1-b1-c1-d1-e1-f1-g1-h1-b2-g2+a1-b1-c1-a2-b2-c2-a3-b3-c3+a1-b1-c1-d1-e1-a2-b2-c2-d2-e2"
    "+a2-b2-c2-d2-e2-f2-g2-h2+a3-b3-c3-d3-e3-f3-g3-h3+a4-b4-c4-d4-e4-f4-g4-h4"
    "+a1-b2-c3-d4-e5-f6-g7-h8+b1-c2-d3-e4-f5-g6-h7+c1-d2-e3-f4-g5-h6+d1-e2-f3-g4-h5+e1-f2-g3-h4"
)
_LONGEST = 10
_LANES, _PER_WORD = 16, 4
_ONE, _BYTE = np.uint64(1), np.uint64(255)

HEADER = np.dtype(
    [
        ("regions", np.int64),
        ("lanes", np.int64),  # the same, rounded up to a multiple of 16
        ("phases", np.int64),
        ("entries", np.int64),  # of all tables of one phase
        ("index", np.int64),  # (8, 256, lanes) uint16: what a byte of a board adds to the place in each table
        ("starts", np.int64),  # (lanes,) int32: where each region's table starts
        ("values", np.int64),  # (phases, entries) float32
        ("places", np.int64),  # (lanes,) uint16: scratch
    ]
)

Tuple = tuple[int, ...]
"""Squares in the order of their digits."""


@dataclass(frozen=True, eq=False)
class Layout:
    """How tuples lie on the board, and how their tables make those of the regions.

    Attributes:
        size: rows and columns of the board.
        tuples: one of each class of tuples that share a table.
        regions: the squares of each region, and the number of its table.
        parts: for each table: its class of tuples, and the place there for each of the table's contents, for every
            tuple in it.
    """

    size: int
    tuples: list[Tuple]
    regions: list[tuple[Tuple, int]]
    parts: list[list[tuple[int, NDArray[np.int32]]]]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each weight stands for: squares and contents, `a1-b1 xo`; x is the side that has just moved."""
        names = []
        for squares in self.tuples:
            text = "-".join(move_name(square, self.size) for square in squares)
            names += [f"{text} {_contents(place, len(squares))}" for place in range(3 ** len(squares))]
        return tuple(names)

    @cached_property
    def starts(self) -> list[int]:
        """Where the table of each class of tuples starts among the weights, and the number of weights."""
        return np.cumsum([0, *(3 ** len(squares) for squares in self.tuples)]).tolist()

    def evaluation(self, weights: NDArray[Any], phases: int = 1) -> Evaluation:
        """The evaluation with these weights.

        Args:
            weights: shape (phases * n,) for n weights; each phase has its own tables.
            phases: in how many parts the game is divided by the number of discs.
        """
        block = _empty(self, phases).copy()
        entries = sum(len(parts[0][1]) for parts in self.parts)
        values = unpack(block, HEADER, "values", np.float32, (phases, entries))
        by_phase = np.ascontiguousarray(weights, dtype=np.float64).reshape(phases, self.starts[-1])
        for phase in range(phases):
            _add_up(by_phase[phase], *self._recipe, values[phase])
        return Evaluation(_value, block.view(np.float64), parts=lambda p, seat: self._terms(by_phase, p, seat))

    def _terms(self, weights: NDArray[np.float64], position: Position, seat: int) -> Iterator[Term]:
        """The entry of each tuple on the board for a position; x is the side that has just moved."""
        s = position.record
        own, other = int(s.opponent), int(s.own)
        phase = ((own | other).bit_count() - 4) * len(weights) // (self.size * self.size - 3)
        for kind, squares in _classes(self.size, self.tuples)[1]:
            digits = ((own >> square & 1) + 2 * (other >> square & 1) for square in squares)
            place = sum(digit * 3**number for number, digit in enumerate(digits))
            name = "-".join(move_name(square, self.size) for square in squares)
            weight = float(weights[phase, self.starts[kind] + place])
            yield Term(f"{name} {_contents(place, len(squares))}", -1.0 if seat == int(s.seat) else 1.0, weight)

    @cached_property
    def _recipe(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """What `_add_up` adds: a row for every tuple in the table of a region; and all places.

        A row: where the region's table starts, the number of its contents as far as the tuple's last square, and where
        the tuple's weights start. A region's rows are sorted by this number.
        """
        ends = np.cumsum([len(parts[0][1]) for parts in self.parts])
        rows, places_of_rows = [], []
        for number, parts in enumerate(self.parts):
            length = len(parts[0][1])
            reaches = [(_reach(places), kind, places) for kind, places in parts]
            for reach, kind, places in sorted(reaches, key=lambda part: part[:2]):
                rows.append((ends[number] - length, reach, self.starts[kind]))
                places_of_rows.append(places[:reach])
            rows.append((ends[number] - length, length, -1))
        return np.array(rows, dtype=np.int64), np.concatenate(places_of_rows)


@cache
def layout(size: int, name: str, merged: bool = True) -> Layout:
    """The layout of a systematic set, or of a list of tuples: `a1-b1-c1+b2-c3`.

    Args:
        size: rows and columns of the board: 4, 6 or 8.
        name: one of `SETS`; `"patterns"`; or tuples joined by `+`, each of different squares joined by `-`.
        merged: whether tuples in the same line or block are added up, for speed; otherwise each is a region of its own,
            whose table is that of its class, so that learning can change it.

    Raises:
        ValueError: for another name, a square outside the board, or a tuple of fewer than 1 or more than 10 squares.
    """
    text = _PATTERNS if name == "patterns" and size == 8 else name
    chosen = _systematic(size, SETS[name]) if name in SETS else _listed(size, text)
    classes, instances = _classes(size, chosen)
    if not merged:
        kinds = [[(kind, np.arange(3 ** len(one), dtype=np.int32))] for kind, one in enumerate(classes)]
        return Layout(size, classes, [(squares, kind) for kind, squares in instances], kinds)
    regions: list[tuple[Tuple, int]] = []
    parts: list[list[tuple[int, NDArray[np.int32]]]] = []
    part_of: dict[Any, int] = {}
    left = list(instances)
    for region in [*_candidates(size), *(instance for _, instance in instances)]:
        inside = [(kind, instance) for kind, instance in left if set(instance) <= set(region)]
        if not inside:
            continue
        left = [instance for instance in left if instance not in inside]
        squares = tuple(square for square in region if any(square in instance for _, instance in inside))
        key = (len(squares), tuple(sorted((kind, tuple(map(squares.index, instance))) for kind, instance in inside)))
        if key not in part_of:
            part_of[key] = len(parts)
            parts.append([(kind, _places(len(squares), local)) for kind, local in key[1]])
        regions.append((squares, part_of[key]))
    return Layout(size, classes, regions, parts)


def _listed(size: int, text: str) -> list[Tuple]:
    """The tuples in a list."""
    tuples = []
    for part in text.split("+"):
        try:
            squares = tuple(parse_move(name, size) for name in part.split("-"))
        except ValueError as error:
            raise ValueError(
                f"othello: tuples must be one of {', '.join(SETS)}, patterns, or squares such as a1-b1-c1+b2-c3, "
                f"not {text!r}: {error}"
            ) from None
        if len(set(squares)) != len(squares) or len(squares) > _LONGEST or size * size in squares:
            raise ValueError(
                f"othello: a tuple must have from 1 to {_LONGEST} different squares of the board, not {part!r}"
            )
        tuples.append(squares)
    return tuples


def _systematic(size: int, lengths: Sequence[int]) -> list[Tuple]:
    tuples = []
    for length in lengths:
        offsets = [(0, 0), (0, 1), (1, 0), (1, 1)]
        shapes = [[(0, i) for i in range(length)], [(i, i) for i in range(length)]]  # the others are their images
        for shape in shapes if length else [offsets]:
            tuples += _everywhere(size, shape)
    return tuples


def _everywhere(size: int, shape: Iterable[tuple[int, int]]) -> list[Tuple]:
    """A shape, given by rows and columns, at all places where it fits on the board."""
    places = [[(row + r, column + c) for r, c in shape] for row, column in np.ndindex(size, size)]
    inside = [place for place in places if all(0 <= r < size and 0 <= c < size for r, c in place)]
    return [tuple(r * size + c for r, c in place) for place in inside]


def _images(size: int) -> list[NDArray[np.int64]]:
    """The eight symmetries of the board: where each square goes."""
    board = np.arange(size * size).reshape(size, size)
    return [np.rot90(side, quarter).reshape(-1) for side in (board, board[:, ::-1]) for quarter in range(4)]


def _classes(size: int, tuples: Iterable[Tuple]) -> tuple[list[Tuple], list[tuple[int, Tuple]]]:
    """One tuple of each class under the symmetries of the board, and all tuples with the number of their class."""
    seen: set[frozenset[int]] = set()
    classes: list[Tuple] = []
    instances: list[tuple[int, Tuple]] = []
    images = _images(size)
    for squares in tuples:
        if frozenset(squares) in seen:
            continue
        mirrored = sorted({tuple(int(image[square]) for square in squares) for image in images})
        seen.update(map(frozenset, mirrored))
        instances += [(len(classes), one) for one in mirrored]
        classes.append(squares)
    return classes, instances


def _candidates(size: int) -> list[Tuple]:
    """Regions: rows and columns, long diagonals with the short ones beside them, and blocks of 3 × 3.

    A region and its images have their squares in corresponding order.
    """
    diagonals = [[i * size + i + k for i in range(size - k)] for k in range(size - 1)]
    shapes = [[r * size + c for c in range(size)] for r in range(size // 2)]
    shapes += [diagonals[0], *(diagonals[k] + diagonals[size - 1 - k] for k in range(1, size // 2))]
    shapes += [
        [(row + r) * size + column + c for r in range(3) for c in range(3)]
        for row in range(0, size - 2, 2)
        for column in range(0, size - 2, 2)
    ]
    regions: list[Tuple] = []
    seen: set[frozenset[int]] = set()
    images = _images(size)
    for region in shapes:
        for image in images:
            squares = tuple(int(image[square]) for square in region)
            if frozenset(squares) not in seen:
                seen.add(frozenset(squares))
                regions.append(squares)
    return regions


def _places(length: int, local: Sequence[int]) -> NDArray[np.int32]:
    """For each content of a region of `length` squares, the place in the table of a tuple in it."""
    contents, places = np.arange(3**length), np.zeros(3**length, dtype=np.int32)
    for digit, square in enumerate(local):
        places += (contents // 3**square % 3 * 3**digit).astype(np.int32)
    return places


def _reach(places: NDArray[np.int32]) -> int:
    """The number of contents of a region as far as the last square of a tuple; places repeat after it."""
    reach = len(places)
    while reach > 1 and places[reach // 3] == places[0]:
        reach //= 3
    return reach


def _contents(place: int, length: int) -> str:
    return "".join("-xo"[place // 3**digit % 3] for digit in range(length))


@cache
def _index(regions: tuple[Tuple, ...]) -> NDArray[np.uint16]:
    """What each byte of a board adds to the place in each region's table, shape (8, 256, lanes)."""
    index = np.zeros((8, 256, -(-len(regions) // _LANES) * _LANES), dtype=np.uint16)
    bytes_ = np.arange(256)
    for number, squares in enumerate(regions):
        for digit, square in enumerate(squares):
            index[square // 8, :, number] += ((bytes_ >> square % 8 & 1) * 3**digit).astype(np.uint16)
    return index


@cache
def _empty(layout: Layout, phases: int) -> NDArray[np.uint8]:
    """The block of an evaluation whose weights are all 0; its length is a multiple of 8."""
    ends = np.cumsum([len(parts[0][1]) for parts in layout.parts])
    index = _index(tuple(squares for squares, _ in layout.regions))
    lanes = index.shape[2]
    where = np.zeros(lanes, dtype=np.int32)
    where[: len(layout.regions)] = [ends[number] - len(layout.parts[number][0][1]) for _, number in layout.regions]
    numbers = {"regions": len(layout.regions), "lanes": lanes, "phases": phases, "entries": int(ends[-1])}
    tables: dict[str, NDArray[Any]] = {
        "index": index,
        "starts": where,
        "places": np.zeros(lanes, dtype=np.uint16),
        "values": np.zeros(phases * int(ends[-1]) + 1, dtype=np.float32),
    }
    block = pack(HEADER, numbers, tables)
    return block[: len(block) // 8 * 8]


@jit
def _add_up(weights: Any, rows: Any, places: Any, values: Any) -> None:
    """Add up the tables of the tuples in each region.

    A tuple says nothing about the squares behind its last one. So a table grows square by square: it is repeated for
    each content of the next square, and then the tuples that end there are added.
    """
    read, size = 0, 1
    for row in range(len(rows)):
        start, reach, first = rows[row, 0], rows[row, 1], rows[row, 2]
        if row == 0 or start != rows[row - 1, 0]:
            size = 1
        while size < reach:
            for i in range(start, start + size):
                values[i + size] = values[i + 2 * size] = values[i]
            size *= 3
        if first >= 0:
            for i in range(reach):
                values[start + i] += weights[first + places[read + i]]
            read += reach


@jit
def _row(squares: Squares, byte: int, words: int) -> int:
    """Where the row for a byte of a board begins in the index."""
    return int(256 * byte + np.int64(squares >> np.uint64(8 * byte) & _BYTE)) * words


@jit
def find_places(own: Squares, other: Squares, m: Any) -> None:
    """Write where the contents of each region are in its table; `own` are the discs of the side that has just moved.

    A word holds four places, and none reaches 2^16, so nothing is carried. All bytes are added in one loop, since that
    is the loop a compiler can turn into vector instructions.
    """
    words = m.lanes // _PER_WORD
    index, sums = table(m, m.index, np.uint64, (8 * 256 * words,)), table(m, m.places, np.uint64, (words,))
    a, b, c, d = _row(own, 0, words), _row(own, 1, words), _row(own, 2, words), _row(own, 3, words)
    e, f, g, h = _row(own, 4, words), _row(own, 5, words), _row(own, 6, words), _row(own, 7, words)
    p, q, r, s = _row(other, 0, words), _row(other, 1, words), _row(other, 2, words), _row(other, 3, words)
    t, u, v, w = _row(other, 4, words), _row(other, 5, words), _row(other, 6, words), _row(other, 7, words)
    for i in range(words):
        ones = index[a + i] + index[b + i] + index[c + i] + index[d + i]
        ones += index[e + i] + index[f + i] + index[g + i] + index[h + i]
        twos = index[p + i] + index[q + i] + index[r + i] + index[s + i]
        twos += index[t + i] + index[u + i] + index[v + i] + index[w + i]
        sums[i] = ones + (twos << _ONE)


@jit
def start_of_phase(s: Record, m: Any) -> int:
    """Where the tables begin that count for a position's number of discs."""
    if m.phases == 1:
        return 0
    return (popcount(s.own | s.opponent) - 4) * m.phases // (popcount(s.board) - 3) * m.entries


def _value(s: Record, seat: int, weights: Floats) -> float:
    m = view(weights, HEADER)
    find_places(s.opponent, s.own, m)
    places, starts = table(m, m.places, np.uint16, (m.lanes,)), table(m, m.starts, np.int32, (m.lanes,))
    values = table(m, m.values, np.float32, (m.phases * m.entries,))
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0  # four sums: none has to wait for the other
    start, fours = start_of_phase(s, m), m.regions // 4 * 4
    for i in range(0, fours, 4):
        first += values[start + starts[i] + places[i]]
        second += values[start + starts[i + 1] + places[i + 1]]
        third += values[start + starts[i + 2] + places[i + 2]]
        fourth += values[start + starts[i + 3] + places[i + 3]]
    for i in range(fours, m.regions):
        first += values[start + starts[i] + places[i]]
    value = first + second + third + fourth
    return -value if seat == s.seat else value
