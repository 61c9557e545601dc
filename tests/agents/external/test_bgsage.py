"""Open Sage, the engine of the package bgsage: it and we mean the same boards, plays, cubes and scores."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents import check_agent, make_agent
from ludarium.agents.external.bgsage import BgsageAgent, _at_score, _odds, _of_match, _payoff, board, outcomes, stakes
from ludarium.envs.backgammon.decision_files import shipped
from ludarium.envs.backgammon.decisions import OPPONENT_BAR
from ludarium.envs.backgammon.rules import ANSWER, BAR, DOUBLE, DROP, MOVING, OFFER, OPENING, ROLL, SECOND_HALF, TAKE
from ludarium.envs.episode import Episode
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

bgsage, bgbot_cpp = pytest.importorskip("bgsage"), pytest.importorskip("bgbot_cpp")
GAME = make_game("backgammon")
CUBE = make_game("backgammon?cube=True")


def ask(agent, position):
    seat = position.turn
    info = {"seat": seat, "game": position.game, "position": position, "history": ()}
    return agent(position.observe(seat), position.action_mask(), info)


def random_positions(game, games):
    """Positions before each decision of random games."""
    random = np.random.default_rng(0)
    for number in range(games):
        episode = Episode(game, np.uint64(number), None, [])
        while episode.turn >= 0:
            yield episode.position.copy()
            episode.play(int(random.choice(episode.position.legal_actions())))


def test_its_opinions_of_positions_are_those_of_its_analysis():
    rows = shipped().results[:40]
    chances = outcomes(rows)
    assert chances.sum(axis=1) == pytest.approx(1)
    engine = bgsage.BgBotAnalyzer(eval_level="1ply", cubeful=False)
    for row, probabilities in zip(rows, chances, strict=True):
        numbers = [int(row[OPPONENT_BAR]), *row[1 : BAR + 1].tolist()]
        known = engine.post_move_analytics(numbers, cube_owner="centered", jacoby=False)
        assert probabilities @ np.array([-3, -2, -1, 1, 2, 3]) == pytest.approx(known.cubeless_equity, abs=1e-5)


# --- boards and plays -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_the_start_is_its_start(seat):
    assert board(GAME.start().record, seat) == bgsage.STARTING_BOARD


def test_its_rules_are_ours():
    """In random games, with checkers on both bars and in the bear-off, both find the same results of a turn."""
    compared = 0
    for position in random_positions(GAME, 8):
        record, seat = position.record, position.turn
        if record.phase != MOVING:
            continue
        ours = {tuple(board(result.record, seat)) for result in position.afterstates()}
        theirs = {tuple(result) for result in bgsage.possible_moves(board(record, seat), *record.dice.tolist())}
        assert ours == theirs, position.text
        assert board(record, 1 - seat) == bgsage.flip_board(board(record, seat))
        compared += 1
    assert compared > 500


@pytest.mark.parametrize(("seat", "dice"), [(0, (3, 1)), (1, (1, 3))])
def test_it_makes_the_five_point(seat, dice):
    episode = Episode(GAME, np.uint64(0), None, GAME.chance_script({"dice": [dice]}, GAME.start()))
    assert episode.turn == seat
    action = ask(make_agent("bgsage", GAME), episode.position)
    assert GAME.action_to_str(episode.position, action) == "8/5 6/5"


def test_a_double_goes_where_the_engine_wants():
    """The first half leads toward the best result; the second is judged anew, and loses next to nothing."""
    agent, engine = make_agent("bgsage", GAME), bgsage.BgBotAnalyzer(eval_level="1ply", cubeful=False)
    losses = []
    for position in random_positions(GAME, 4):
        record, seat = position.record, position.turn
        if record.phase != MOVING or record.dice[0] != record.dice[1]:
            continue
        die = int(record.dice[0])
        moves = engine.checker_play(board(record, seat), die, die, jacoby=False).moves
        position.play(ask(agent, position))
        if position.record.phase == SECOND_HALF:
            ahead = [board(result.record, seat) for result in position.afterstates()]
            assert moves[0].board in ahead or position.over
            position.play(ask(agent, position))
        losses += [-move.equity_diff for move in moves if move.board == board(position.record, seat)]
    assert len(losses) > 30
    assert max(losses) < 0.2
    assert np.mean(losses) < 0.01


@pytest.mark.parametrize("seat", [0, 1])
def test_it_bears_off_the_last_checker(seat):
    """Also where the next game of a match is then on the board."""
    for spec in ("backgammon", "backgammon?match_length=3"):
        position = make_game(spec).start()
        place(position, seat, {1: 1, 5: 1}, {6: 15}, phase=MOVING)
        position.record.dice[:] = 1, 5
        position.play(ask(BgsageAgent(position.game), position))
        assert position.over or position.record.phase == OPENING


@pytest.mark.parametrize("spec", ["backgammon", "backgammon?variant=nackgammon&scoring=wins"])
def test_it_keeps_the_contract(spec):
    check_agent("bgsage", make_game(spec), games=1)


def test_it_keeps_the_contract_with_the_cube():
    match = play_match(make_game("backgammon?match_length=2"), ["bgsage", "random"], 1, seed=3)
    assert not match.forfeits
    assert match.points().mean() == 1


def test_it_beats_random_by_far():
    match = play_match(GAME, ["bgsage", "random"], 8, seed=1, opening=3)
    assert not match.forfeits
    assert match.points().mean() > 1.5


def test_it_can_meet_itself():
    agent = make_agent("bgsage", GAME)
    match = play_match(GAME, [agent, agent], 1, seed=1)
    assert not match.forfeits
    assert match.points().tolist() == [0]  # the same dice, the same decisions


def test_levels():
    episode = Episode(GAME, np.uint64(0), None, GAME.chance_script({"dice": [(4, 2)]}, GAME.start()))
    action = ask(make_agent("bgsage?level=2ply", GAME), episode.position)
    assert GAME.action_to_str(episode.position, action) == "8/4 6/4"


# --- cube and score ---------------------------------------------------------------------------------------------------


def place(position, seat, mine, theirs, *, phase):
    """Put the checkers of `seat` and of its opponent on their own points; the seat is to move, or it has doubled."""
    record = position.record
    record.checkers[:] = 0
    for side, men in ((seat, mine), (1 - seat, theirs)):
        for point, count in men.items():
            record.checkers[side, point] = count
        record.checkers[side, 0] = 15 - sum(men.values())
    record.seat = 1 - seat if phase == ANSWER else seat
    record.phase = phase


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("theirs", "offer", "answer"),
    [({6: 5, 5: 5, 4: 5}, ROLL, TAKE), ({6: 9, 5: 4, 4: 2}, DOUBLE, TAKE), ({8: 7, 6: 8}, DOUBLE, DROP)],
)
def test_the_cube(seat, theirs, offer, answer):
    """Races against an equal side, one somewhat behind, and one far behind."""
    agent = make_agent("bgsage", CUBE)
    for phase, action in ((OFFER, offer), (ANSWER, answer)):
        position = CUBE.start()
        place(position, seat, {6: 5, 5: 5, 4: 5}, theirs, phase=phase)
        assert ask(agent, position) == action


def test_the_score_decides():
    """After the Crawford game the side that is behind doubles at once, for it has nothing to lose."""
    game = make_game("backgammon?match_length=5")
    agent = BgsageAgent(game)
    for score, crawford, action in (([3, 4], 0, DOUBLE), ([0, 0], 0, ROLL), ([4, 3], 1, ROLL)):
        position = game.start()
        position.record.phase, position.record.seat = OFFER, 0
        position.record.score[:] = score
        position.record.crawford = crawford
        assert ask(agent, position) == action


def test_what_the_engine_is_told_of_cube_and_score():
    record = make_game("backgammon?match_length=7").start().record
    record.cube, record.owner, record.score[:], record.crawford = 2, 1, (6, 3), 1
    told = {"cube_value": 4, "is_crawford": True, "jacoby": False}
    assert stakes(record, 0) == {**told, "cube_owner": "opponent", "away1": 1, "away2": 4}
    assert stakes(record, 1) == {**told, "cube_owner": "player", "away1": 4, "away2": 1}
    money = {"cube_value": 1, "cube_owner": "centered", "away1": 0, "away2": 0, "is_crawford": False, "jacoby": True}
    assert stakes(make_game("backgammon?cube=True&jacoby=True").start().record, 0) == money
    wins = stakes(make_game("backgammon?scoring=wins").start().record, 0)
    assert (wins["away1"], wins["away2"]) == (1, 1)


# --- what it thinks of each action ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["backgammon", "backgammon?cube=True", "backgammon?match_length=5"])
def test_its_opinions_are_those_of_the_engine(spec):
    game = make_game(spec)
    agent, engine = BgsageAgent(game), bgsage.BgBotAnalyzer(eval_level="1ply", cubeful=spec != "backgammon")
    position = game.start()
    place(position, 0, {6: 5, 5: 5, 4: 5}, {8: 7, 6: 8}, phase=MOVING)
    position.record.dice[:] = 1, 3
    terms = stakes(position.record, 0)
    opinions = agent.judge(position, 1).ranked()
    analysis = engine.checker_play(board(position.record, 0), 3, 1, beaver=False, **terms)
    best = opinions.moves[0]
    after = position.copy()
    after.play(best.action)
    assert board(after.record, 0) == analysis.moves[0].board
    assert dict(best.odds)["win"] == pytest.approx(analysis.moves[0].probs.win)
    assert opinions.unit == game.unit
    if not position.record.match_length:
        assert best.value == pytest.approx(analysis.moves[0].equity)
    assert (best.value > game.even) == (analysis.moves[0].equity > 0)


@pytest.mark.parametrize(("spec", "points"), [("backgammon?cube=True", 1), ("backgammon?match_length=5", 1)])
def test_both_sides_of_the_cube_are_worth_the_same_to_it(spec, points):
    game = make_game(spec)
    agent, values = BgsageAgent(game), {}
    for phase in (OFFER, ANSWER):
        position = game.start()
        place(position, 0, {6: 5, 5: 5, 4: 5}, {8: 7, 6: 8}, phase=phase)
        values |= {opinion.action: opinion.value for opinion in agent.judge(position, 1)}
    assert values[DOUBLE] == pytest.approx(2 * game.even - max(values[TAKE], values[DROP]))
    if game.even:
        assert values[DROP] == pytest.approx(100 * bgbot_cpp.get_met(5, 4, False))
    else:
        assert values[DROP] == -points


def test_a_game_that_is_won_pays():
    for spec, value in (("backgammon", 1.0), ("backgammon?match_length=2", 100 * bgbot_cpp.get_met(1, 2, False))):
        position = make_game(spec).start()
        place(position, 0, {1: 1}, {6: 14}, phase=MOVING)
        position.record.dice[:] = 1, 5
        assert BgsageAgent(position.game).judge(position, 1).ranked().moves[0].value == pytest.approx(value)


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_refusals(monkeypatch):
    for spec in ("tictactoe", "backgammon?variant=hypergammon"):
        with pytest.raises(
            ValueError, match=r"bgsage: it plays backgammon and nackgammon, not (tictactoe|backgammon\?)"
        ):
            make_agent("bgsage", make_game(spec))
    with pytest.raises(ValueError, match=r"bgsage: level must be one of 1ply, 2ply, 3ply, .* not '9ply'"):
        make_agent("bgsage?level=9ply", GAME)
    monkeypatch.setitem(sys.modules, "bgsage", None)
    with pytest.raises(ValueError, match=r'bgsage is not installed: pip install "ludarium\[backgammon\]"'):
        make_agent("bgsage", GAME)


def test_payoffs_count_the_cube():
    money, match = make_game("backgammon?cube=True").start(), make_game("backgammon?match_length=7").start()
    money.record.cube = match.record.cube = 1
    assert _payoff(money.record, 0, 0.5) == 1.0
    assert _payoff(match.record, 0, 1.0) == _of_match(5, 7, False)
    assert _payoff(match.record, 0, -1.0) == pytest.approx(_of_match(7, 5, False))
    wins = make_game("backgammon?scoring=wins&cube=True").start()
    wins.record.cube = 1
    assert _payoff(wins.record, 0, 0.5) == 0.5


def test_odds_are_those_of_either_side():
    seen = SimpleNamespace(win=0.6, gammon_win=0.2, backgammon_win=0.1, gammon_loss=0.15, backgammon_loss=0.05)
    assert [chance for _, chance in _odds(seen)] == [0.6, 0.2, 0.1, 0.15, 0.05]
    assert [chance for _, chance in _odds(seen, -1)] == pytest.approx([0.4, 0.15, 0.05, 0.2, 0.1])


def test_payoffs_know_the_score():
    """That of the last game may end the match; after a game in which a side needed one point, the cube is in play."""
    match = make_game("backgammon?match_length=7").start()
    match.record.score[:] = 6, 4
    assert _payoff(match.record, 0, 1.0) == 1
    assert _payoff(match.record, 1, -1.0) == -1
    assert _payoff(match.record, 0, -1.0) == pytest.approx(_of_match(1, 2, True)) == pytest.approx(0, abs=0.1)
    after = match.copy()
    after.record.score[:] = 6, 5
    expected = pytest.approx(_of_match(1, 2, True), abs=1e-6)
    assert (_at_score(match.record, after.record, 0), -_at_score(match.record, after.record, 1)) == (expected, expected)
    match.record.score[:], after.record.score[:] = (5, 4), (6, 4)
    assert _at_score(match.record, after.record, 0) == _of_match(1, 3, False) > 0.45
    assert (_of_match(5, 5, False), _of_match(0, 1, False), _of_match(1, 0, False)) == (0, 1, -1)
