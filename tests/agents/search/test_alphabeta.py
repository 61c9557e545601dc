from functools import cache

import numpy as np
import pytest

from ludarium.agents.othello.endgame.solver import solve
from ludarium.agents.search.alphabeta import _endgame_of, alphabeta, search, solved_last
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.tree import _ENTRY, _FRAME, _MOVE, BLOCK, BLOCK_SIZE, new_block
from ludarium.agents.values.evaluations import WIN, Evaluation, payoff_of, result
from ludarium.envs.chance import stream
from ludarium.envs.game import Game, kernel
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.kernels import OVER
from ludarium.envs.othello import Othello
from ludarium.envs.tictactoe import TicTacToe


class Pile(Game):
    """Take 1, 2 or 3 of a pile; who takes 2 moves again; who takes the last one gets the size of the last step."""

    name = "pile"
    state = np.dtype([("left", np.int8), ("seat", np.int8), ("last", np.int8), ("winner", np.int8)])
    actions, max_moves, observation_shape, observation_range = 3, 19, (1,), (0, 19)
    payoff_range = (-3.0, 3.0)

    @kernel
    def setup(s, o):
        s.left = 19
        return 0

    @kernel
    def turn(s):
        return OVER if s.left == 0 else s.seat

    @kernel
    def legal(s, mask):
        count = 0
        for action in range(3):
            mask[action] = action < s.left
            count += mask[action]
        return count

    @kernel
    def play(s, action):
        s.left -= action + 1
        s.last, s.winner = action + 1, s.seat
        if action != 1:
            s.seat = 1 - s.seat
        return 0

    @kernel
    def payoffs(s, out):
        out[s.winner] = s.last if s.left == 0 else 0
        out[1 - s.winner] = -out[s.winner]
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = s.left
        return 0

    @kernel
    def modulo(s, seat):
        return (s.left % 4) * (1.0 if seat == s.seat else -1.0)

    evaluations = {"modulo": modulo}


def minimax(position, depth):
    """The value for the first seat, by the definition."""
    game = position.game
    evaluation = evaluation_of(game)

    @cache
    def value(data, depth):
        here = game.start()
        here.data[:] = np.frombuffer(data, dtype=np.uint8)
        if here.over or (depth == 0 and evaluation is None):
            return result(float(here.payoffs()[0]), evaluation is not None)
        if depth == 0:
            return evaluation.value(here, 0)
        values = []
        for action in here.legal_actions():
            after = here.copy()
            after.push(action)
            values.append(value(after.data.tobytes(), depth - 1))
        return max(values) if here.turn == 0 else min(values)

    return value(position.data.tobytes(), depth)


def check(position, depth, **options):
    """The value of a search is that of minimax, and so is the value of its action."""
    result = search(position, depth=depth, **options)
    sign = 1 if position.turn == 0 else -1
    assert result.value == sign * minimax(position, depth)
    after = position.copy()
    after.play(result.action)
    if result.value > -WIN:
        assert result.value == sign * minimax(after, depth - 1)
    return result


@pytest.mark.parametrize(
    ("game", "plies", "depth"),
    [
        (TicTacToe(), 2, 9),
        (TicTacToe(rows=4, columns=4, line=3), 5, 4),
        (Hexapawn(rows=4, columns=4), 2, 20),
        (Hexapawn(rows=5, columns=5), 4, 4),
        (Othello(), 20, 3),
        (Othello(size=6, scoring="discs"), 22, 5),
        (Othello(size=4, scoring="empties_to_winner"), 4, 20),
        (Pile(), 3, 20),
        (Pile(), 2, 3),
    ],
    ids=lambda value: value.spec if isinstance(value, Game) else str(value),
)
@pytest.mark.parametrize("table", [0, 12])
def test_the_value_is_that_of_minimax(game, plies, depth, table, random_positions):
    for position in random_positions(game, 8, plies):
        check(position, depth, table=table)


def test_a_plug_in_game_without_an_evaluation_is_searched_too(connect_four, random_positions):
    for position in random_positions(connect_four, 8, 20):
        check(position, 5)


@pytest.mark.parametrize(
    ("rows", "columns", "winner"),
    [(3, 3, 1), (3, 4, 0), (3, 5, 0), (4, 3, 1), (4, 4, 0), (4, 5, 1), (5, 3, 0), (5, 4, 1), (5, 5, 0), (6, 4, 0)],
)
def test_it_knows_who_wins_hexapawn(rows, columns, winner):
    result = search(Hexapawn(rows=rows, columns=columns).start(), depth=60)
    assert result.exact
    assert result.value == (WIN + 1 if winner == 0 else -WIN - 1)


@pytest.mark.parametrize(("scoring", "discs"), [("discs", 8), ("empties_to_winner", 10), ("wins", 1)])
def test_it_solves_small_othello(scoring, discs):
    game = Othello(size=4, scoring=scoring)
    result = search(game.start(), depth=30)
    assert result.exact
    assert result.value == -WIN - discs  # the second player wins 11 to 3


def test_of_two_ways_to_win_it_takes_the_short_one():
    assert search(TicTacToe().from_text("xx./oo./... x"), depth=9).action == 2
    assert search(TicTacToe().from_text("xx./oo./x.. o"), depth=9).action == 5


def test_when_all_is_lost_it_holds_out(random_positions):
    tried = 0
    for position in random_positions(TicTacToe(), 150, 3):
        result = search(position, depth=9)
        wins_at_once = {}
        for action in position.legal_actions():
            after = position.copy()
            after.play(action)
            wins_at_once[action] = search(after, depth=1).value > WIN
        if result.value < -WIN and not all(wins_at_once.values()):
            tried += 1
            assert not wins_at_once[result.action]
    assert tried > 3


def test_a_limit_of_nodes_is_kept_and_still_gives_a_legal_action(random_positions):
    for nodes in (1, 2, 7, 100, 1000):
        for position in random_positions(Othello(), 3, 12):
            result = search(position, depth=30, nodes=nodes)
            assert result.nodes == nodes
            assert not result.exact
            assert result.action in position.legal_actions()


def test_a_search_that_was_stopped_has_the_value_of_the_depth_that_it_finished(random_positions):
    """Unless it found something better in the depth that it did not finish."""
    same = 0
    for position in random_positions(Othello(), 20, 12):
        stopped = search(position, depth=30, nodes=3000)
        finished = search(position, depth=stopped.depth)
        if stopped.action == finished.action:
            same += 1
            assert stopped.value == finished.value
    assert same > 10


def test_a_moment_is_enough_for_a_legal_action(random_positions):
    game = Othello()
    policy, draws = alphabeta(game, depth=100, seconds=1e-300, endgame=0), stream(1)
    for position in random_positions(game, 20, 20):
        mask = position.action_mask()
        assert mask[policy.choose(game, position.data, mask, mask, draws)]
        result = search(position, depth=100, seconds=1e-300)
        assert result.action in position.legal_actions()
        assert not result.exact


def test_more_time_looks_further_ahead():
    """A thousand times the time is so much more that it does not matter how fast the machine is."""
    position = Othello().start()
    short, long = (search(position, depth=100, seconds=seconds) for seconds in (0.0005, 0.5))
    assert long.depth > short.depth
    assert long.nodes > short.nodes


def test_enough_time_changes_nothing(random_positions):
    for position in random_positions(Othello(), 5, 20):
        assert search(position, depth=4, seconds=600.0) == search(position, depth=4)


def chosen(policy, position):
    mask = position.action_mask()
    return policy.choose(position.game, position.data, mask, mask, stream(1))


def test_with_time_endgames_begin_earlier(random_positions):
    """How long it takes does not matter here: ten minutes are always enough, and a thousandth of a second is not."""
    game = Othello(scoring="empties_to_winner")
    here = [position for position in random_positions(game, 4, 42) if len(position.legal_actions()) > 1]
    assert {position.text.count("-") for position in here} == {18}
    for options, solved in (
        ({"seconds": 600.0}, True),
        ({"seconds": 600.0, "endgame": 17}, True),
        ({"seconds": 600.0, "endgame": 0}, False),
        ({"seconds": 0.001}, False),
        ({}, False),
    ):
        policy = alphabeta(game, depth=1, **options)
        for position in here:
            after = position.copy()
            after.play(chosen(policy, position))
            assert solved_last(policy) == solved
            if solved:
                assert -solve(after).score == solve(position).score


def test_an_endgame_that_takes_too_long_is_given_up_for_a_search_with_what_is_left(random_positions):
    game = Othello()
    for position in random_positions(game, 3, 40):
        policy = alphabeta(game, depth=4, seconds=600.0)
        record = policy.block[:BLOCK_SIZE].view(BLOCK)
        budget = record["budget"][0]
        _endgame_of(policy.block)["scratch"]["limit"] = 1000  # positions, in place of time
        assert chosen(policy, position) == search(position, depth=4).action
        assert not solved_last(policy)
        assert _endgame_of(policy.block)["scratch"]["nodes"] < 2000
        assert 0 < _endgame_of(policy.block)["scratch"]["spent"] < 600e9  # nanoseconds, which the search does without
        assert record["budget"] == budget
        _endgame_of(policy.block)["scratch"]["limit"] = 0


def test_an_endgame_ends_with_its_time(random_positions):
    """An option for the endgame is no promise: with a moment for a move, twenty squares are not solved."""
    for position in random_positions(Othello(), 3, 40):
        opinions = alphabeta(Othello(), depth=2, seconds=1e-9, endgame=20).judge(position, stream(1))
        assert not any(opinion.exact for opinion in opinions)


def test_the_last_squares_are_known_without_their_own_code(random_positions):
    """A search to the end is exact, passes included, and gives what the endgame solver gives."""
    game, passes = Othello(scoring="discs"), 0
    for position in random_positions(game, 40, 53):
        empties = position.text.count("-")
        solved = solve(position)
        result = search(position, depth=max(1, empties))
        assert result.exact
        assert payoff_of(result.value, True) == pytest.approx(solved.score)
        here = position.copy()
        while not here.over:
            passes += here.legal_actions() == [game.passing]
            here.play(here.legal_actions()[0])
        line = alphabeta(game, depth=max(1, empties), endgame=0), stream(1)
        after = position.copy()
        mask = position.action_mask()
        after.play(line[0].choose(game, position.data, mask, mask, line[1]))
        reached = after.payoffs()[position.turn] if after.over else -solve(after).score
        assert reached == solved.score
    assert passes > 5


def test_the_same_position_gives_the_same_action_whatever_came_before(random_positions):
    game = Othello()
    positions = random_positions(game, 10, 15)
    used, draws = alphabeta(game, depth=5, table=10), stream(1)

    def choose(policy, position):
        mask = position.action_mask()
        return policy.choose(game, position.data, mask, mask, draws)

    first = [choose(used, position) for position in positions]
    assert [choose(used, position) for position in reversed(positions)] == first[::-1]
    assert [choose(alphabeta(game, depth=5, table=10), position) for position in positions] == first
    assert draws[1] == 0  # nothing is random


@pytest.mark.parametrize(
    ("game", "depth", "evaluation", "nodes"),
    [(Othello(), 8, "wpc", 7_646), (TicTacToe(), 9, None, 5_533), (Hexapawn(rows=4, columns=4), 60, None, 5_765)],
)
def test_a_search_visits_as_many_positions_as_ever(game, depth, evaluation, nodes):
    """A table of positions, or an order of moves, that works no more costs positions and changes no value."""
    options = {} if evaluation is None else {"evaluation": evaluation_of(game, evaluation)}
    assert search(game.start(), depth=depth, **options).nodes == nodes


@pytest.mark.parametrize(
    ("game", "depth", "plies"),
    [
        (Othello(), 5, 10 + 1),  # between two moves there may be a pass
        (TicTacToe(), 50, 9 + 1),  # it has no more moves
        (type("Nine", (TicTacToe,), {"state": np.dtype([("cells", np.int8, (9,))])})(), 2, 4 + 1),
    ],
)
@pytest.mark.parametrize(("table", "entries"), [(0, 0), (3, 8)])
def test_its_block_has_room_for_the_longest_line(game, depth, plies, table, entries, monkeypatch):
    monkeypatch.setattr(Evaluation, "address", lambda evaluation, game: 0)
    weights = np.arange(3.0)
    block = new_block(game, Evaluation(None, weights), depth, 0, 0.0, table, extra=5)
    record = block[:BLOCK_SIZE].view(BLOCK)[0]
    parts = ["positions", "frames", "moves", "history", "mask", "line", "weights", "table", "extra"]
    starts = [int(record[part]) for part in parts]
    room = dict(zip(parts, np.diff([*starts, block.size]).tolist(), strict=True))
    assert starts[0] == BLOCK_SIZE
    assert all(start % 8 == 0 for start in starts)
    assert record["plies"] == plies
    assert record["slots"] == entries
    assert room["positions"] >= plies * game.state.itemsize
    assert room["frames"] == plies * _FRAME.itemsize
    assert room["moves"] == plies * game.actions * _MOVE.itemsize
    assert room["history"] == 2 * game.actions * 8
    assert room["mask"] >= game.actions
    assert room["line"] == plies * 8
    assert block[record["weights"] :][: room["weights"]].view(np.float64).tolist() == weights.tolist()
    assert room["table"] == entries * _ENTRY.itemsize
    assert room["extra"] == 5
