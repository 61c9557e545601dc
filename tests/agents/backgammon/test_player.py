"""How a network plays backgammon: races, the cube, one roll ahead."""

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.backgammon import td as backgammon
from ludarium.agents.backgammon.cube import match_equities
from ludarium.agents.backgammon.expectations import network_evaluation
from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import IDENTITY, SIGMOID, Network, network_of, see
from ludarium.agents.backgammon.player import network_policy
from ludarium.envs.backgammon.rules import ANSWER, DOUBLE, DROP, MOVING, OFFER, ROLL, TAKE
from ludarium.envs.chance import stream
from ludarium.envs.kernels import CHANCE
from ludarium.envs.opinions import SCORE
from ludarium.envs.registry import make_game

MONEY, CUBE = make_game("backgammon"), make_game("backgammon?cube=True")


def constant(*chances):
    """A network that expects these outcomes everywhere."""
    layout = inputs("counts")
    hidden = np.zeros((layout.number + 1, 1), dtype=np.float32)
    output = np.log(np.array([np.zeros(6) + 1, chances], dtype=np.float32) + np.float32(1e-9))
    return Network(layout.columns, layout.values, layout.threats, hidden, output, IDENTITY)


def random_network(seed=3, units=8):
    return network_of(inputs("tesauro"), backgammon.start(units, "tesauro", seed), SIGMOID)


def choose(game, policy, position):
    stream = np.array([1, 0], dtype=np.uint64)
    mask = np.zeros(game.actions, dtype=np.int8)
    mask[list(position.legal_actions())] = 1
    return policy.choose(game, position.data, np.zeros(game.observation_shape, dtype=np.int8), mask, stream)


def can_hit(position, roll):
    position = position.copy()
    position.play(roll)
    return any(result.record.checkers[0, 25] for result in position.afterstates())


def race(game, own, other, dice):
    position = game.start()
    record = position.record
    record.checkers[:] = 0
    for seat, counts in enumerate((own, other)):
        record.checkers[seat, 1:7] = counts
        record.checkers[seat, 0] = 15 - sum(counts)
    record.phase, record.seat, record.dice[:] = MOVING, 0, dice
    return position


@pytest.mark.parametrize("outputs", [1, 6])
def test_with_all_checkers_at_home_the_tables_decide(outputs):
    position = race(MONEY, (0, 0, 0, 0, 1, 1), (4, 0, 0, 0, 0, 0), (1, 2))
    for seed in range(4):
        network = random_network(seed)
        player = network_policy(MONEY, network._replace(output=network.output[:, :outputs].copy()))
        after = position.copy()
        after.play(choose(MONEY, player, position))
        assert after.record.checkers[0, 1:7].tolist() == [0, 0, 1, 0, 1, 0]  # then 14 rolls of 36 finish, the most


def test_a_score_network_compares_only_what_the_tables_know_as_well():
    """Where some results of a turn are races at home and others not, the network's scores decide."""
    network = constant(0, 0, 0, 1, 0, 0)
    score = network._replace(output=np.zeros((2, 1), dtype=np.float32))
    position = race(MONEY, (0, 0, 0, 0, 0, 2), (0, 0, 0, 0, 0, 2), (1, 2))
    position.record.checkers[0, 7], position.record.checkers[0, 0] = 1, 12
    players = [network_policy(MONEY, score, races=races) for races in (False, True)]
    assert choose(MONEY, players[0], position) == choose(MONEY, players[1], position)


def test_races_are_judged_by_their_own_network():
    contact, own = random_network(3), random_network(4, units=5)
    both, alone = network_policy(MONEY, contact, race=own, races=False), network_policy(MONEY, own, races=False)
    position = race(MONEY, (0, 0, 1, 2, 3, 4), (0, 4, 4, 4, 0, 0), (1, 2))
    assert both.judge(position, None) == alone.judge(position, None)
    assert both.judge(position, None) != network_policy(MONEY, contact, races=False).judge(position, None)


@pytest.mark.parametrize(("wins", "offer", "answer"), [(0.5, ROLL, TAKE), (0.75, DOUBLE, TAKE), (0.85, DOUBLE, DROP)])
@pytest.mark.parametrize("ply", [0, 1])
def test_the_cube(wins, offer, answer, ply):
    position = CUBE.start()
    position.play(0)
    while position.record.phase == MOVING:
        position.play(position.legal_actions()[0])
    network = constant(0, 0, wins, 1 - wins, 0, 0)  # whoever has just moved loses with this probability
    if ply:
        network = network._replace(output=network.output[:, ::-1].copy())
    player = network_policy(CUBE, network, ply=ply)
    assert choose(CUBE, player, position) == offer
    position.play(DOUBLE)
    assert choose(CUBE, player, position) == answer
    assert choose(CUBE, network_policy(CUBE, network, cube=False), position) == TAKE


def test_at_double_match_point_gammons_count_nothing():
    game = make_game("backgammon?match_length=1")
    layout = inputs("counts")
    hidden = np.zeros((layout.number + 1, 1), dtype=np.float32)
    hidden[layout.labels.index("own point 5"), 0] = 1  # checkers there lose more games, but fewer gammons
    output = np.zeros((2, 6), dtype=np.float32)
    output[0] = -5, -5, 1.3, 0, 0, 0.3
    network = Network(layout.columns, layout.values, layout.threats, hidden, output, IDENTITY)
    chosen = {}
    for name, each in (("match", game), ("money", MONEY)):
        position = each.start()
        position.play(each.chance_script({"dice": [(3, 1)]}, position)[0])
        after = position.copy()
        after.play(choose(each, network_policy(each, network), position))
        chosen[name] = int(after.record.checkers[0, 5])
    assert chosen == {"match": 0, "money": 1}


def fears_the_bar(eight_point=0.0):
    """To this network checkers on the bar lose, and those on its eight point win, if it likes them."""
    layout = inputs("counts")
    hidden = np.zeros((layout.number + 1, 2), dtype=np.float32)
    hidden[layout.labels.index("own bar"), 0] = 1
    hidden[layout.labels.index("other bar"), 0] = -1
    hidden[layout.labels.index("own point 8"), 1] = eight_point
    output = np.zeros((3, 6), dtype=np.float32)
    output[:2, 2:4] = (1, -1), (-1, 1)
    return Network(layout.columns, layout.values, layout.threats, hidden, output, IDENTITY)


def opening(*dice):
    """The start, with this roll to play."""
    position = MONEY.start()
    position.play(MONEY.chance_script({"dice": [dice]}, position)[0])
    return position


def test_one_roll_ahead_sees_the_shot():
    """To the network only the bar counts, so at 0 ply all quiet turns are equal, and it leaves a shot."""
    network, position, shots = fears_the_bar(), opening(4, 1), {}
    for ply in (0, 1):
        after = position.copy()
        after.play(choose(MONEY, network_policy(MONEY, network, ply=ply), position))
        shots[ply] = sum(can_hit(after, roll) for roll in range(36))
    assert shots[1] < shots[0]


@pytest.mark.parametrize(("dice", "eight_point"), [((3, 2), 0.0), ((6, 5), -0.3)])
def test_one_roll_ahead_looks_at_eight_results_at_most_and_at_good_ones_alone(dice, eight_point):
    """In the first position the ninth of many equals is better, in the second one that seems to be worth 0.2 less."""
    network, position = fears_the_bar(eight_point), opening(*dice)
    results, players = position.afterstates(), [network_policy(MONEY, network, ply=ply) for ply in (0, 1)]
    at_sight, ahead = ([worth_of(player, position)[result] for result in results] for player in players)
    order = sorted(range(len(results)), key=lambda i: -at_sight[i])
    good = [ahead[i] for i in order if at_sight[i] >= max(at_sight) - 0.16]
    assert max(good[:8]) < max(good if len(good) > 8 else ahead)
    position.play(choose(MONEY, players[1], position))
    assert ahead[results.index(position)] == max(good[:8])


def worth_of(player, position):
    """What the player thinks of each result of a turn that is no double."""
    worths = {}
    for opinion in player.judge(position, None):
        after = position.copy()
        after.play(opinion.action)
        worths[after] = opinion.value
    return worths


@pytest.mark.parametrize("ply", [2, -1, True])
def test_other_depths(ply):
    with pytest.raises(ValueError, match="backgammon: ply must be 0 or 1, not"):
        network_policy(MONEY, random_network(), ply=ply)


def test_a_score_does_not_look_ahead():
    network = random_network()
    with pytest.raises(ValueError, match="ply=1 needs the probabilities of outcomes"):
        network_policy(MONEY, network._replace(output=network.output[:, :1].copy()), ply=1)


def test_another_game():
    with pytest.raises(ValueError, match="this network plays backgammon, not tictactoe"):
        network_policy(make_game("tictactoe"), random_network())


# --- what it thinks of each action ------------------------------------------------------------------------------------


@pytest.mark.parametrize("roll", [3, 33])
def test_the_best_opinion_is_the_move_it_plays(roll):
    """A double's first half is judged by the best end of the whole double."""
    position = MONEY.start()
    position.play(3)
    position.play(position.legal_actions()[0])
    position.play(roll)
    network = random_network()
    for player in (
        network_policy(MONEY, network),
        network_policy(MONEY, network._replace(output=network.output[:, :1])),
    ):
        opinions = player.judge(position, None).ranked()
        assert sorted(opinion.action for opinion in opinions) == position.legal_actions()
        chosen = choose(MONEY, player, position)
        assert next(o.value for o in opinions if o.action == chosen) == opinions.moves[0].value
        assert len(opinions.moves[0].line) == (2 if roll > 29 else 1)


def test_the_odds_are_those_of_the_network():
    position = MONEY.start()
    position.play(3)
    player = network_policy(MONEY, constant(0.05, 0.1, 0.15, 0.4, 0.2, 0.1))
    for opinion in player.judge(position, None):
        assert dict(opinion.odds) == pytest.approx(
            {
                "win": 0.7,
                "win a gammon": 0.3,
                "win a backgammon": 0.1,
                "lose a gammon": 0.15,
                "lose a backgammon": 0.05,
            },
            abs=1e-5,
        )
        assert opinion.value == pytest.approx(0.4 - 0.15 + 2 * (0.2 - 0.1) + 3 * (0.1 - 0.05), abs=1e-5)


@pytest.mark.parametrize("wins", [0.5, 0.75, 0.85])
def test_about_the_cube_the_better_opinion_is_what_it_does(wins):
    position = CUBE.start()
    position.play(3)
    position.play(position.legal_actions()[0])
    for expected in (wins, 1 - wins):  # the network sees every position as the seat that has just moved
        player = network_policy(CUBE, constant(0, 0, 1 - expected, expected, 0, 0))
        opinions = player.judge(position, None).ranked()
        assert opinions.unit == "points"
        assert opinions.moves[0].action == choose(CUBE, player, position)
    position.play(DOUBLE)
    player = network_policy(CUBE, constant(0, 0, wins, 1 - wins, 0, 0))
    opinions = player.judge(position, None).ranked()
    assert opinions.moves[0].action == choose(CUBE, player, position)
    assert {opinion.action: opinion.value for opinion in opinions}[DROP] == -1
    assert network_policy(CUBE, random_network(), cube=False).judge(position, None) is None


@pytest.mark.parametrize(
    ("spec", "ply"),
    [("backgammon?cube=True", 1), ("backgammon?cube=True&jacoby=True", 0), ("backgammon?match_length=4", 0)],
)
def test_values_do_not_jump_from_a_play_to_the_cube_and_back(spec, ply):
    """What a seat expects is what the other expects to lose, until the dice are rolled again."""
    game, draws, compared = make_game(spec), stream(2), {OFFER: 0, ANSWER: 0}
    agent, position, before = make_agent(f"expert?ply={ply}", game), make_game(spec).start(), None
    while not position.over and sum(compared.values()) < 40 - 20 * ply:
        if position.turn == CHANCE:
            position.push(position.draw_outcome(draws))
            before = None
            continue
        opinions, phase = agent.judge(position, 1), position.record.phase
        values = {opinion.action: opinion.value for opinion in opinions}
        assert {opinion.depth for opinion in opinions} == {1 + ply}
        if before is not None and phase in compared:
            compared[phase] += 1
            assert max(values.values()) == pytest.approx(2 * game.even - before, abs=1e-4)
        double = phase == OFFER and sum(compared.values()) % 3 == 0  # now and then, to see the answers
        action = DOUBLE if double else TAKE if phase == ANSWER else opinions.played
        before = values[action]
        position.push(action)
    assert min(compared.values()) > 1


def test_points_count_the_cube_and_a_match_its_score():
    def value(spec, text, *chances):
        position = make_game(spec).from_text(f"XGID={text}")
        return network_policy(position.game, constant(*chances)).judge(position, None).moves[0].value

    board = "-b----E-C---eE---c-e----B-"
    wins = (0, 0, 0.25, 0.5, 0.25, 0)
    assert value("backgammon", f"{board}:0:0:1:31:0:0:0:0:6", *wins) == pytest.approx(0.75)
    assert value("backgammon?scoring=wins", f"{board}:0:0:1:31:0:0:0:0:6", *wins) == pytest.approx(0.5)
    at_last = value("backgammon?match_length=1", f"{board}:0:0:1:31:0:0:0:1:6", *wins)
    assert at_last == pytest.approx(75)
    to_go = value("backgammon?match_length=2", f"{board}:0:0:1:31:0:1:1:2:6", *wins)  # a gammon wins the match
    assert to_go == pytest.approx(100 * (0.5 * match_equities()[0, 1, 1] + 0.25))
    dead = value("backgammon?cube=True", f"{board}:6:1:1:31:0:0:0:0:6", *wins)
    assert dead == pytest.approx(64 * 0.75)
    owned = value("backgammon?cube=True", f"{board}:1:1:1:31:0:0:0:0:6", *wins)
    assert owned > 2 * 0.75  # to own the cube is worth something


def test_what_it_would_play_is_marked_and_first():
    game = make_game("backgammon?match_length=3")
    player, draws, position = network_policy(game, random_network(), ply=1), stream(3), game.start()
    for _ in range(12):
        while position.turn == CHANCE:
            position.push(position.draw_outcome(draws))
        opinions = player.judge(position, None)
        assert opinions.played == opinions.ranked().moves[0].action == choose(game, player, position)
        position.push(opinions.played)


def test_a_score_is_no_value():
    network, position = random_network(), race(MONEY, (0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 2), (1, 6))
    player = network_policy(MONEY, network._replace(output=network.output[:, :1]), races=False)
    best = player.judge(position, None).ranked().moves[0]
    assert player.judge(position, None).unit == SCORE
    position.play(best.action)
    assert position.over  # a game that is won is better than any score


def test_a_score_is_the_sum_of_what_the_units_put_out_and_a_bias():
    network, position, sums = random_network(), opening(4, 1), np.zeros(8, dtype=np.float32)
    weights = network.output[:, :1].copy()
    for result, value in worth_of(network_policy(MONEY, network._replace(output=weights)), position).items():
        see(result.record, position.turn, network, sums)
        units = np.append(1 / (1 + np.exp(-sums)), 1)
        assert value == pytest.approx(float(units @ weights[:, 0]), abs=1e-6)


@pytest.mark.parametrize(("six", "far", "points"), [(14, 0, 1), (15, 0, 2), (14, 1, 3)])
@pytest.mark.parametrize("ply", [0, 1])
def test_a_game_that_is_won_is_worth_its_points(six, far, points, ply):
    """Whether a checker is borne off, or all are left, or one is still in the home of the winner."""
    position = race(MONEY, (1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, six), (1, 2))
    position.record.checkers[1, 23], position.record.checkers[1, 0] = far, 15 - six - far
    for opinion in network_policy(MONEY, constant(1, 0, 0, 0, 0, 0), ply=ply).judge(position, None):
        assert opinion.value == points
        assert [chance for _, chance in opinion.odds] == [1, points >= 2, points == 3, 0, 0]


@pytest.mark.parametrize("dice", ["00", "D", "31"])  # to double, to answer, to move
@pytest.mark.parametrize(("own", "other"), [(3, 1), (0, 2), (2, 2)])
@pytest.mark.parametrize("ply", [0, 1])
def test_it_expects_the_same_for_either_seat(dice, own, other, ply):
    """Where the score says what gammons are worth to whom."""
    game, network = make_game("backgammon?match_length=5"), random_network()
    player = network_policy(game, network._replace(output=30 * network.output), ply=ply)
    board, values = "-a---BDaC---cC-b-b-dAb--B-", []
    for text in (f"{board}:0:0:1:{dice}:{own}:{other}", f"{board[::-1].swapcase()}:0:0:-1:{dice}:{other}:{own}"):
        opinions = player.judge(game.from_text(f"XGID={text}:0:5:6"), None)
        values.append(sorted((opinion.value, *opinion.odds) for opinion in opinions))
    assert values[0] == values[1]
    assert len(values[0]) > 1


# --- as an evaluation for others --------------------------------------------------------------------------------------


def test_an_evaluation_is_what_the_player_expects_of_the_results_of_a_turn():
    position = MONEY.start()
    position.play(3)
    player = network_policy(MONEY, random_network())
    evaluation = network_evaluation(player)
    for opinion in player.judge(position, None):
        end = position.copy()
        for action in opinion.line:
            end.play(action)
        assert evaluation.value(end, position.turn) == pytest.approx(opinion.value, abs=1e-5)
        assert evaluation.value(end, 1 - position.turn) == -evaluation.value(end, position.turn)


def test_an_evaluation_counts_the_cube_the_score_and_only_wins():
    expected = {"backgammon": 0.4, "backgammon?cube=True&jacoby=True": 0.2, "backgammon?scoring=wins": 0.2}
    network = constant(0, 0, 0.4, 0.4, 0.2, 0)
    for spec, value in expected.items():
        game = make_game(spec)
        evaluation, position = network_evaluation(network_policy(game, network)), game.start()
        assert evaluation.value(position, 0) == 0.0
        position.play(3)
        mover = position.turn
        position.play(position.legal_actions()[0])
        assert evaluation.value(position, mover) == pytest.approx(value, abs=1e-5)
        position.record.cube, position.record.owner = 1, 0
        if "wins" not in spec:
            assert evaluation.value(position, mover) == pytest.approx(0.8, abs=1e-5)
    match = make_game("backgammon?match_length=1")
    evaluation, position = network_evaluation(network_policy(match, network)), match.start()
    position.play(3)
    assert evaluation.value(position, position.turn) == pytest.approx(-0.2, abs=1e-5)


def test_a_score_is_no_evaluation():
    network = random_network()
    with pytest.raises(ValueError, match="only a network that knows outcomes says what positions are worth"):
        network_evaluation(network_policy(MONEY, network._replace(output=network.output[:, :1])))
