"""What players that look ahead think of every move."""

import copy

import numpy as np
import pytest

from ludarium.agents.othello.discs import slopes
from ludarium.agents.othello.endgame.solver import Solution, solve
from ludarium.agents.othello.tuples import layout
from ludarium.agents.search import judge
from ludarium.agents.search import mcts as mcts_module
from ludarium.agents.search.alphabeta import alphabeta, search
from ludarium.agents.search.beam import beam
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.greedy import greedy
from ludarium.agents.search.judge import judge_endgame
from ludarium.agents.search.mcts import mcts
from ludarium.agents.search.solver import after, perfect
from ludarium.agents.search.solver import solve as solve_game
from ludarium.agents.search.units import expected, in_units
from ludarium.agents.values.evaluations import Evaluation, payoff_of
from ludarium.envs.chance import stream
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.othello import Othello
from ludarium.envs.registry import make_game
from ludarium.envs.tictactoe import TicTacToe


def opinions(policy, position, seed=1):
    """The opinions of a player, each with a legal line that begins with its action."""
    opinions = policy.judge(position, stream(seed))
    assert [opinion.action for opinion in opinions.ranked()] != []
    assert sorted(opinion.action for opinion in opinions) == position.legal_actions()
    for opinion in opinions:
        assert opinion.line[0] == opinion.action
        end_of(position, opinion)
    return opinions


def end_of(position, opinion):
    here = position.copy()
    for action in opinion.line:
        here.play(action)
    return here


def shown(position, value, depth, evaluation=None):
    """An estimate that a player has found so deep, as people see it: in Othello, in discs."""
    game = position.game
    if game.name != "othello":
        return expected(game, evaluation or evaluation_of(game))(value)
    lying = game.passing - position.text.count("-")
    return value * slopes(game, evaluation or evaluation_of(game))[min(game.passing, lying + depth)]


# --- in which order ---------------------------------------------------------------------------------------------------


def test_what_is_known_is_before_and_after_what_is_estimated():
    opinions = Opinions(
        "points",
        (
            Opinion(0, -1.0, exact=True),
            Opinion(1, -500.0),
            Opinion(2, 0.0, exact=True),
            Opinion(3, 1.0, exact=True),
            Opinion(4, 500.0),
            Opinion(5, 1.0, exact=True),
        ),
    )
    assert opinions.mixed
    assert [opinion.action for opinion in opinions.ranked()] == [3, 5, 4, 2, 1, 0]


def test_the_move_that_is_played_is_first_and_no_estimate_is_better():
    known = Opinion(1, 1.0, exact=True)
    opinions = Opinions("points", (Opinion(0, 2.0, line=(0, 4)), Opinion(2, 3.0, line=(2, 5)), Opinion(3, 1.0))).marked(
        0
    )
    assert opinions.played == 0
    assert opinions.ranked().moves == (
        Opinion(0, 2.0, line=(0, 4)), Opinion(2, 2.0, line=(2, 5), bound=True), Opinion(3, 1.0)
    )  # fmt: skip
    worse = Opinions("points", (known, Opinion(2, 3.0))).marked(1)  # a known win is better than three points
    assert worse.ranked().moves == (known, Opinion(2, 3.0))
    lost = Opinions("points", (Opinion(1, -1.0, exact=True), Opinion(2, -3.0))).marked(1)
    assert lost.ranked().moves == (Opinion(1, -1.0, exact=True), Opinion(2, -1.0, exact=True, bound=True))
    other = Opinions("points", (Opinion(0, -3.0), known)).marked(0)
    assert other.ranked().moves == (Opinion(0, -3.0), known)  # what is exact stays


def test_without_a_mixture_values_are_compared():
    for exact in (True, False):
        opinions = Opinions("points", tuple(Opinion(i, v, exact=exact) for i, v in enumerate((-2.0, 3.0, 0.0, 3.0))))
        assert not opinions.mixed
        assert [opinion.action for opinion in opinions.ranked()] == [1, 3, 2, 0]


def test_of_equals_quick_wins_and_late_losses_come_first():
    plies = ((-1.0, 4), (-1.0, 6), (1.0, 5), (1.0, 3), (0.0, None))
    opinions = Opinions("points", tuple(Opinion(i, v, exact=True, plies=left) for i, (v, left) in enumerate(plies)))
    assert [opinion.action for opinion in opinions.ranked()] == [3, 2, 4, 1, 0]


def test_what_is_played_comes_first():
    opinions = Opinions("points", (Opinion(0, 3.0), Opinion(1, 2.0), Opinion(2, 1.0)), played=1)
    assert [opinion.action for opinion in opinions.ranked()] == [1, 0, 2]


# --- alpha-beta -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "plies", "depth"),
    [(Othello(), 20, 4), (Othello(size=6, scoring="discs"), 6, 5), (Hexapawn(), 1, 3), (Hexapawn(), 1, 20)],
)
def test_every_move_is_searched_for_itself(game, plies, depth, random_positions):
    """The one that is played by the search of the position, any other as deep with an open window."""
    for position in random_positions(game, 6, plies):
        advice = opinions(alphabeta(game, depth=depth, endgame=0), position)
        best = search(position, depth=depth)
        assert advice.played == best.action
        for opinion in advice:
            child = after(position, opinion.action)
            if child.over:
                assert (opinion.exact, opinion.value) == (True, child.payoffs()[position.turn])
                continue
            alone, sign, plies = best, 1, 0
            if opinion.action != best.action:
                alone, sign, plies = search(child, depth=depth - 1), -1, 1
            assert opinion.exact == alone.exact
            assert opinion.nodes == plies + alone.nodes
            assert opinion.depth == plies + alone.depth
            value = sign * alone.value
            read = payoff_of(value, True) if alone.exact else shown(position, value, opinion.depth)
            assert opinion.value == pytest.approx(read)


def test_the_line_leads_to_what_the_value_is_taken_from(random_positions):
    game, seen = Othello(), 0
    usual = evaluation_of(game)
    for position in random_positions(game, 10, 16):
        for opinion in opinions(alphabeta(game, depth=4), position):
            last = end_of(position, opinion)
            if game.passing not in opinion.line and not last.over:
                assert len(opinion.line) == opinion.depth == 4
                assert opinion.value == shown(position, usual.value(last, position.turn), 4)
                seen += 1
    assert seen > 50


@pytest.mark.parametrize("nodes", [500, 20_000])
def test_a_search_that_was_stopped_keeps_the_line_of_what_it_had_finished(nodes, random_positions):
    whole = 0
    for position in random_positions(Othello(), 4, 12):
        advice = opinions(alphabeta(position.game, depth=30, nodes=nodes), position).moves
        whole += sum(len(opinion.line) >= opinion.depth for opinion in advice)
        assert all(len(opinion.line) > 1 for opinion in advice)
    assert whole > 20


def test_a_known_win_is_shown_to_its_end():
    for opinion in opinions(alphabeta(Hexapawn(), depth=30), Hexapawn().start()):
        assert end_of(Hexapawn().start(), opinion).over


def test_a_forced_pass_costs_no_depth():
    position = Othello(size=4).from_text("---- XXX- -XX- -OOO X")
    (only,) = opinions(alphabeta(position.game, depth=2, endgame=0), position)
    assert only.action == position.game.passing
    whole = search(position, depth=2)
    assert only.depth == whole.depth == 2
    assert only.value == shown(position, whole.value, 2)
    assert not only.exact


def test_without_a_table_a_line_is_one_action(random_positions):
    (position,) = random_positions(Othello(), 1, 10)
    for opinion in opinions(alphabeta(position.game, depth=3, table=0), position):
        assert opinion.line == (opinion.action,)


def test_what_is_searched_to_the_end_is_a_payoff():
    game = Othello(size=4, scoring="discs")
    advice = opinions(alphabeta(game, depth=30, endgame=0), game.start())
    assert {(opinion.value, opinion.exact) for opinion in advice} == {(-8.0, True)}  # the second player wins 11 to 3


def test_one_ply_is_what_the_evaluation_says(random_positions):
    game = Othello()
    for position in random_positions(game, 4, 12):
        advice = opinions(alphabeta(game, depth=1, endgame=0), position)
        at_sight = {opinion.action: (opinion.value, opinion.terms) for opinion in opinions(greedy(game), position)}
        assert {opinion.action: (opinion.value, opinion.terms) for opinion in advice} == at_sight
        assert advice.unit == game.unit
        assert {opinion.depth for opinion in advice} == {1}


@pytest.mark.parametrize("nodes", [1, 40, 5000])
def test_the_others_share_as_many_nodes_as_the_move_that_is_played_may_take(nodes, random_positions):
    for position in random_positions(Othello(), 3, 12):
        advice = opinions(alphabeta(position.game, depth=20, nodes=nodes), position)
        first, *others = advice.ranked().moves
        assert first.nodes == search(position, depth=20, nodes=nodes).nodes <= nodes
        assert sum(opinion.nodes for opinion in others) <= max(nodes, 2 * len(others))
        share = 0.9 * nodes / len(others)
        assert all(opinion.nodes > share or opinion.depth == first.depth for opinion in others if nodes == 5000)


def test_a_moment_is_enough_for_an_opinion_on_every_move(random_positions):
    (position,) = random_positions(Othello(), 1, 12)
    assert not any(opinion.exact for opinion in opinions(alphabeta(position.game, depth=50, seconds=1e-6), position))


@pytest.mark.parametrize("scoring", ["wins", "discs", "empties_to_winner"])
def test_the_last_squares_of_othello_are_solved(scoring, random_positions):
    game = Othello(scoring=scoring)
    counted = game if scoring != "wins" else Othello(scoring="empties_to_winner")
    for position in random_positions(game, 6, 52):
        position = game.from_text(position.text)
        advice = opinions(alphabeta(game, depth=1), position)
        assert advice.unit == "discs"
        here = counted.from_text(position.text)
        assert max(opinion.value for opinion in advice) == solve(here).score
        for opinion in advice:
            end = end_of(here, opinion)
            assert end.over
            assert opinion.exact
            assert opinion.value == end.payoffs()[position.turn]
            child = after(here, opinion.action)
            if not child.over:
                assert opinion.value == -solve(child).score


def test_in_an_endgame_without_time_the_others_are_no_better(random_positions):
    """What is not solved is not worth more than the move that is played; what is, is exact."""
    game, bounds = Othello(scoring="empties_to_winner"), 0
    for position in random_positions(game, 3, 44):
        best = solve(position)
        for seconds in (1e-9, 600.0):
            opinions = judge_endgame(position, best, seconds)
            assert opinions.played == best.action
            for opinion in opinions.ranked().moves[1:]:
                assert opinion.exact
                child = after(position, opinion.action)
                assert opinion.value == (best.score if opinion.bound else -solve(child).score)
                bounds += opinion.bound
                assert not (opinion.bound and seconds > 1)
    assert bounds > 5


def test_what_time_cuts_off_counts_its_positions(monkeypatch):
    monkeypatch.setattr(judge, "solve", lambda position, **limits: Solution(0, -1, 7, finished=False))
    position = Othello(size=4).start()
    best, other, *_ = position.legal_actions()
    opinions = judge_endgame(position, Solution(3, best, 9, finished=True), 1.0).moves
    assert opinions[0] == Opinion(best, 3.0, True, 12, 9, (best,))
    assert opinions[1] == Opinion(other, 3.0, True, 12, 8, (other,), bound=True)


def test_the_squares_left_decide_who_solves(random_positions):
    (position,) = random_positions(Othello(), 1, 50)
    empty = position.text.count("-")
    for endgame, exact in ((empty, True), (empty - 1, False)):
        advice = opinions(alphabeta(position.game, depth=1, endgame=endgame), position)
        assert advice.unit == "discs"
        assert {opinion.exact for opinion in advice} == {exact}


# --- the others -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [alphabeta, greedy, mcts, perfect])
def test_a_copy_of_a_policy_has_the_same_opinions(make):
    game = TicTacToe()
    policy = make(game)
    assert opinions(copy.deepcopy(policy), game.start()) == opinions(policy, game.start())


@pytest.mark.parametrize(
    ("passing", "value", "exact", "plies"),
    [
        (-1, 1.0, True, 3),
        (-1, -1.0, True, 3),
        (-1, 0.0, True, None),  # nobody hurries to a draw
        (-1, 1.0, False, None),
        (0, 1.0, True, None),  # the depth does not tell how many passes there are
        (8, 1.0, True, None),
    ],
)
def test_how_soon_a_known_result_comes(passing, value, exact, plies):
    game = type("Passing", (TicTacToe,), {"passing": passing})()
    (opinion,) = in_units(game.start(), None, [Opinion(4, value, exact, 3, line=(4,))])
    assert (opinion.value, opinion.exact, opinion.plies) == (value, exact, plies)


def test_the_middle_is_not_always_zero(monkeypatch):
    game = make_game("hanabi")  # from 0 to 25 points
    monkeypatch.setattr(Evaluation, "unit", lambda evaluation, game: 2.0)
    read = expected(game, Evaluation(lambda s, seat: 0.0))
    assert [read(value) for value in (-2.0, 0.0, 2.0, 6.0)] == [6.25, 12.5, 18.75, 21.875]


def test_returns_so_far_are_payoffs():
    advice = opinions(greedy(TicTacToe(), evaluation="none"), TicTacToe().from_text("xx./oo./... x"))
    assert {opinion.action: (opinion.value, opinion.exact) for opinion in advice} == {
        action: (1.0, True) if action == 2 else (0.0, False) for action in (2, 5, 6, 7, 8)
    }


@pytest.mark.parametrize("evaluation", ["none", ""])
def test_mcts_tells_of_its_tree(evaluation):
    game = TicTacToe()
    advice = opinions(mcts(game, simulations=300, evaluation=evaluation), game.start(), seed=4)
    tried = mcts_module.search(game.start(), stream(4), simulations=300, evaluation=evaluation)
    assert advice.unit == game.unit
    known = {opinion.action: opinion for opinion in advice}
    for one in tried:
        opinion = known[one.action]
        assert (opinion.nodes, opinion.line) == (one.visits, one.line)
        assert opinion.value == min(one.payoff, tried[0].payoff)
        assert opinion.bound == (one.payoff > tried[0].payoff)
    assert advice.played == tried[0].action
    assert sum(opinion.nodes for opinion in advice) == 300
    assert max(opinion.depth for opinion in advice) > 2


def test_lines_of_mcts_end_where_chance_is_next():
    game = make_game("backgammon")
    position = game.start()
    while position.turn < 0:
        position.play(position.outcomes()[0][0])
    for opinion in opinions(mcts(game, simulations=200), position):
        assert end_of(position, opinion).turn < 0 or opinion.depth < 3


@pytest.mark.parametrize("game", [TicTacToe(), Hexapawn()], ids=lambda game: game.spec)
def test_the_perfect_player_knows_every_move(game, random_positions):
    solution = solve_game(game)
    for position in [game.start(), *random_positions(game, 10, 3)]:
        advice = opinions(perfect(game), position)
        for opinion in advice:
            child, end = after(position, opinion.action), end_of(position, opinion)
            assert opinion.exact
            assert opinion.value == solution.value(child, position.turn) == end.payoffs()[position.turn]
            if opinion.value:
                assert opinion.depth == len(opinion.line) == 1 + solution.distances[solution.row(child)]


def test_the_perfect_player_says_what_it_does_not_know():
    position = Hexapawn().from_text("ppp/.../P.. w")
    with pytest.raises(ValueError, match="solver: hexapawn cannot reach the position"):
        perfect(Hexapawn()).judge(position, stream(1))


def test_a_single_move_has_an_opinion_too():
    position = TicTacToe().from_text("xoo/oxx/.xo x")
    for make in (alphabeta, greedy, mcts, perfect):
        (only,) = opinions(make(TicTacToe()), position)
        assert (only.action, only.value) == (6, 0.0)


def test_an_evaluation_of_ones_own():
    def first(s, seat):
        return 1.0 * (s.own & 1) if seat == s.seat else 1.0 * (s.opponent & 1)

    advice = opinions(greedy(TicTacToe(), evaluation=Evaluation(first, expects=float)), TicTacToe().start())
    assert [opinion.value for opinion in advice] == [1.0] + [0.0] * 8


# --- what evaluations add up, and what outcomes are expected ----------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "chosen"),
    [
        ("othello", "six"),
        ("othello?size=6", "shares"),
        ("othello", ""),
        ("othello?size=4", layout(4, "all-2").evaluation(-np.arange(72.0))),
        ("tictactoe?rows=4&columns=4&line=4", ""),
        ("hexapawn?rows=5&columns=5", ""),
    ],
    ids=["six", "shares", "wpc", "tuples", "lines", "pawns"],
)
def test_the_terms_are_what_a_player_that_does_not_look_ahead_goes_by(game, chosen):
    made = make_game(game)
    position, evaluation = made.start(), evaluation_of(made, chosen)
    for number in range(4):
        position.play(position.legal_actions()[-(number % 2)])
    advice = opinions(greedy(made, evaluation=evaluation), position)
    read = float if made.name == "othello" else expected(made, evaluation)  # there the terms are discs, too
    assert any(opinion.terms for opinion in advice)
    for opinion in advice:
        sizes = [abs(term.value) for term in opinion.terms]
        assert read(sum(term.value for term in opinion.terms)) == pytest.approx(opinion.value)
        assert sizes == sorted(sizes, reverse=True)
        assert 0 not in sizes


@pytest.mark.parametrize(
    ("game", "text", "told"),
    [
        (TicTacToe(), "xx./.o./... o", {"open lines of 1": (1, 1), "open lines of 2": (-1, 4)}),
        (Hexapawn(), "ppp/P../.P. w", {"pawns": (-1, 2), "rows advanced": (1, 1), "moves": (-1, 0.5)}),
    ],
)
def test_the_terms_of_boards(game, text, told):
    position = game.from_text(text)
    terms = evaluation_of(game).terms(position, position.turn)
    assert {term.name: (term.amount, term.weight) for term in terms} == told


def test_terms_are_named_in_words_with_their_weights():
    position = Othello().from_text("-" * 18 + "X" + "-" * 8 + "XO---XO---" + "-" * 27 + " X")
    (term,) = [
        t for t in evaluation_of(position.game, "six").terms(position, 0) if t.name == "share of the discs (parity)"
    ]
    assert (term.amount, term.weight) == (60.0, 10.0)
    assert evaluation_of(position.game, "six").terms(position, 1)[0].amount == -(
        evaluation_of(position.game, "six").terms(position, 0)[0].amount
    )


def test_an_evaluation_that_is_not_a_sum_has_no_terms():
    def product(s, seat, weights):
        return weights[0] + weights[1] + 1e-4 * weights[0] * weights[1]

    position = TicTacToe().start()
    assert Evaluation(product, np.array([2.0, 3.0]), ("a", "b")).terms(position, 0) == ()


@pytest.mark.parametrize("view", ["mover", "searcher"])
def test_a_beam_that_keeps_everything_judges_as_alphabeta_does(view):
    position = Hexapawn(rows=4, columns=4).start()
    wide = beam(position.game, depth=3, width=64, draw="best", view=view)
    values = {opinion.action: opinion.value for opinion in opinions(wide, position)}
    depth = 3 if view == "mover" else 1
    known = {opinion.action: opinion.value for opinion in opinions(alphabeta(position.game, depth=depth), position)}
    played = opinions(wide, position).played
    assert values == known | {played: shown(position, search(position, depth=3).value, 3)}
    looks = {opinion.action: (opinion.depth, opinion.nodes) for opinion in opinions(wide, position)}
    others = {4: (3, 22), 7: (3, 22), 10: (3, 21)} if view == "mover" else dict.fromkeys((4, 7, 10), (1, 1))
    assert looks == {1: (3, 52)} | others
