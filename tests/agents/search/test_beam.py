"""The beam is minimax over the children that are kept: compared with a plain search that does what the text says."""

import numpy as np
import pytest

from ludarium.agents.search.beam import _BLOCK, _FRAME, _MOVE, beam, evaluations_made
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.values.evaluations import result
from ludarium.envs.chance import below, bits, child_key, stream
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.othello import Othello
from ludarium.envs.tictactoe import TicTacToe


def children(position, evaluation):
    """The actions with the values of what they lead to for the mover, the best first."""
    children = []
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        if after.over:
            value = result(float(after.payoffs()[position.turn]), True)
        else:
            value = evaluation.value(after, position.turn)
        children.append((value, action, after))
    return sorted(children, key=lambda one: -one[0])


def drawn(ranked, width, key, replacement):
    """Those that a draw by rank keeps, in order."""
    if len(ranked) <= width:
        return ranked
    draws, left, kept = np.array([key, 0], dtype=np.uint64), list(range(len(ranked))), set()
    for _ in range(width):
        weights = [len(ranked) - rank for rank in left]
        lot = int(below(draws, sum(weights)))
        for rank, weight in zip(left, weights, strict=True):
            lot -= weight
            if lot < 0:
                kept.add(rank)
                break
        if not replacement:
            left = [rank for rank in left if rank not in kept]
    return [ranked[rank] for rank in sorted(kept)]


def minimax(
    position, evaluation, depth, width, key, searcher, *, rank=True, root=True, replacement=False, view="mover"
):
    """The best value for the mover and the first line that leads to it."""
    ranked = children(position, evaluation)
    if view == "searcher" and position.turn != searcher:
        ranked.sort(key=lambda one: one[0])
    kept = drawn(ranked, width, key, replacement) if rank else ranked[:width]
    best = None
    for number, (worth, action, after) in enumerate(kept if root else ranked):
        value, line = worth, ()
        if depth > 1 and not after.over:
            value, line = minimax(
                after, evaluation, depth - 1, width, child_key(np.uint64(key), number), searcher,
                rank=rank, replacement=replacement, view=view,
            )  # fmt: skip
            value = value if after.turn == position.turn else -value
        if best is None or value > best[0]:
            best = value, (action, *line)
    return best


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"draw": "best"},
        {"draw_at_root": False},
        {"replacement": True},
        {"view": "searcher"},
        {"width": 2, "draw": "best", "draw_at_root": False, "view": "searcher"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("game", "plies"),
    [(Othello(), 12), (Othello(size=4), 4), (Hexapawn(rows=4, columns=4), 1), (TicTacToe(), 2)],
    ids=lambda value: getattr(value, "spec", ""),
)
def test_it_is_minimax_over_the_children_that_are_kept(options, game, plies, random_positions):
    evaluation = evaluation_of(game, "six" if game.name == "othello" else "")
    policy = beam(game, depth=4, evaluation=evaluation, **options)
    for number, position in enumerate(random_positions(game, 6, plies)):
        key = bits(stream(number))
        _, expected = minimax(
            position, evaluation, 4, options.get("width", 3), key, position.turn,
            rank=options.get("draw") != "best",
            root=options.get("draw_at_root", True),
            replacement=options.get("replacement", False),
            view=options.get("view", "mover"),
        )  # fmt: skip
        mask = position.action_mask()
        assert policy.choose(game, position.data, mask, mask, stream(number)) == expected[0]
        (played,) = [one for one in policy.judge(position, stream(number)) if one.action == expected[0]]
        assert (played.line, played.depth) == (expected, 4)


def test_better_ranks_are_kept_more_often():
    game, position = Othello(), Othello().start()
    position.play(position.legal_actions()[0])  # three replies, of which one is kept
    ranked = [action for _, action, _ in children(position, evaluation_of(game, "wpc"))]
    policy, mask = beam(game, depth=1, width=1, evaluation="wpc"), position.action_mask()
    chosen = [policy.choose(game, position.data, mask, mask, stream(1, number)) for number in range(3000)]
    shares = [chosen.count(action) / 3000 for action in ranked]
    assert shares == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=0.04)


@pytest.mark.parametrize(("width", "evaluated"), [(1, 4 + 3), (3, 4 + 3 * 3)])
def test_it_counts_what_it_evaluates(width, evaluated):
    position = Othello().start()  # four moves, with three replies each
    policy, mask = beam(Othello(), depth=2, width=width, draw="best"), position.action_mask()
    policy.choose(position.game, position.data, mask, mask, stream(1))
    assert evaluations_made(policy) == evaluated


def test_without_an_evaluation_it_goes_by_the_returns_so_far():
    policy, position = beam(TicTacToe(), depth=2, width=9, evaluation="none"), TicTacToe().from_text("xx./oo./... x")
    mask = position.action_mask()
    assert policy.choose(position.game, position.data, mask, mask, stream(1)) == 2  # it wins
    opinions = policy.judge(position, stream(1))
    values = {opinion.action: opinion.value for opinion in opinions}
    assert values == {2: 1, 5: 0, 6: -1, 7: -1, 8: -1}  # unless it holds the other row, the other side wins


@pytest.mark.parametrize(
    "game", [Othello(), type("Nine", (TicTacToe,), {"state": np.dtype([("cells", np.int8, (9,))])})()]
)
def test_its_block_has_room_for_every_ply(game):
    depth, block = 3, beam(game, depth=3, evaluation="none").block
    record = block[: _BLOCK.itemsize].view(_BLOCK)[0]
    parts = ["weights", "frames", "moves", "positions", "lines", "mask"]
    starts = [int(record[name]) for name in parts]
    room = dict(zip(parts, np.diff([*starts, block.size]).tolist(), strict=True))
    assert all(start % 8 == 0 for start in [*starts, block.size])
    assert starts[0] == _BLOCK.itemsize
    assert room["frames"] == (depth + 1) * _FRAME.itemsize  # the root's and one of each ply
    assert room["moves"] == (depth + 1) * game.actions * _MOVE.itemsize
    assert room["positions"] >= (depth + 1) * game.actions * game.state.itemsize
    assert room["lines"] == (depth + 1) * (depth + 1) * 8
    assert room["mask"] >= game.actions
