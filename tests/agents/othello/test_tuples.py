"""N-tuples: the sums of their tables, however they are merged, and lists of tuples that make no sense."""

import numpy as np
import pytest

from ludarium.agents.othello.tuples import layout
from ludarium.envs.othello import Othello


def worth(game, shape, weights, position):
    """The sum over all tuples, square by square, for the side that has just moved."""
    mover, total = 1 - position.turn, 0.0
    cells = position.observe(mover).reshape(-1, 2) @ (1, 2)
    for squares, kind in shape.regions:
        place = sum(int(cells[square]) * 3**digit for digit, square in enumerate(squares))
        total += weights[shape.starts[kind] + place]
    return total


@pytest.mark.parametrize(("name", "count"), [("all-2", 288), ("all-3", 648), ("all-4", 1701), ("4+2x2", 2511)])
def test_the_published_numbers_of_weights(name, count):
    assert layout(8, name).starts[-1] == len(layout(8, name).names) == count


@pytest.mark.parametrize(
    ("name", "tuples"),
    [
        ("all-1", "a1 b1 b2"),
        ("all-2", "a1-b1 b1-c1 a2-b2 b2-c2 a1-b2 b1-c2 c1-d2 b2-c3"),
        ("all-3", "a1-b1-c1 a2-b2-c2 a1-b2-c3 b1-c2-d3"),
        ("4+2x2", "a1-b1-c1-d1 a2-b2-c2-d2 a1-b2-c3-d4 a1-b1-a2-b2 b1-c1-b2-c2 b2-c2-b3-c3"),
    ],
)
def test_files_of_weights_go_by_the_first_image_of_each_tuple(name, tuples):
    names = layout(4, name).names
    assert list(dict.fromkeys(one.split()[0] for one in names)) == tuples.split()


def test_the_first_square_changes_first():
    expected = ["--", "x-", "o-", "-x", "xx", "ox", "-o", "xo", "oo"]
    assert layout(4, "all-2").names[:9] == tuple(f"a1-b1 {contents}" for contents in expected)


@pytest.mark.parametrize(
    ("size", "name"), [(8, "all-2"), (8, "4+2x2"), (8, "patterns"), (6, "all-3"), (4, "all-2"), (6, "a1-b2-c3-f6+d3")]
)
@pytest.mark.parametrize("phases", [1, 3])
def test_the_value_is_the_sum_of_all_tables(size, name, phases, random_positions):
    game, plain = Othello(size=size), layout(size, name, merged=False)
    weights = np.random.default_rng(1).normal(size=(phases, plain.starts[-1]))
    for shape in (plain, layout(size, name)):
        evaluation = shape.evaluation(weights.reshape(-1), phases)
        for plies in (0, 3, (size * size - 4) * 7 // 10):  # the last early in its phase
            for position in random_positions(game, 3, plies):
                discs = int(position.observe(0).sum())
                phase = (discs - 4) * phases // (size * size - 3)
                expected = worth(game, plain, weights[phase], position)
                assert evaluation.value(position, 1 - position.turn) == pytest.approx(expected, abs=1e-3)
                assert evaluation.value(position, position.turn) == pytest.approx(-expected, abs=1e-3)
            for seat, sign in ((1 - position.turn, 1), (position.turn, -1)):
                terms = list(evaluation.parts(position, seat))
                assert sum(term.value for term in terms) == pytest.approx(sign * expected)
                assert {term.amount for term in terms} == {sign}


def test_mirror_images_are_worth_the_same(random_positions):
    game, shape = Othello(), layout(8, "4+2x2")
    evaluation = shape.evaluation(np.random.default_rng(2).normal(size=shape.starts[-1]))
    for position in random_positions(game, 3, 25):
        board, mover = game.to_text(position).split()
        rows = [board[8 * row : 8 * row + 8] for row in range(8)]
        turned = ["".join(row[column] for row in reversed(rows)) for column in range(8)]
        image = game.from_text("".join(turned) + " " + mover)
        assert evaluation.value(image, 0) == pytest.approx(evaluation.value(position, 0), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("all-5", "tuples must be one of all-1, all-2, all-3, all-4, 4\\+2x2, patterns, or squares such as"),
        ("a1-i9", "a1-b1-c1\\+b2-c3, not 'a1-i9'"),
        ("a1-b1-a1", "a tuple must have from 1 to 10 different squares of the board, not 'a1-b1-a1'"),
        ("a1-b1-c1-d1-e1-f1-g1-h1-a2-b2-c2", "from 1 to 10 different squares"),
        ("a1-pass", "different squares of the board"),
        ("", "tuples must be one of"),
    ],
)
def test_tuples_that_are_none_are_refused(name, expected):
    with pytest.raises(ValueError, match=expected):
        layout(8, name)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_whatever_lies_in_a_line_or_a_block_is_looked_up_at_once(size):
    lines = size + size + 2 + 2 * (size - 2)  # rows, columns and diagonals; the short ones go with longer ones
    assert len(layout(size, "all-2").regions) == lines
    squares_of_2x2 = len(layout(size, "4+2x2").regions) - len(layout(size, "all-4").regions)
    assert squares_of_2x2 == (size // 2) ** 2  # a block of 3 x 3 has four of the (size - 1) ** 2
