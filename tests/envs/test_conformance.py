"""`check_game` accepts a sound game and names the one defect of each unsound one."""

import numpy as np
import pytest

from ludarium.envs import conformance
from ludarium.envs.chance import scale, stream, unit
from ludarium.envs.conformance import ConformanceError, check_game, check_hidden
from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.game import Game, kernel
from ludarium.envs.hanabi import Hanabi, worlds
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.jit import jit
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.position import Position
from ludarium.envs.tictactoe import TicTacToe


class Pile(Game):
    """Five stones; a coin says whether the seat to move may take up to one or two; who takes the last one wins."""

    name = "pile"
    actions = 2
    observation_shape = (2,)
    observation_range = (0, 5)
    max_moves = 5
    max_outcomes = 2
    max_afterstates = 2
    state = np.dtype([("stones", np.int8), ("coin", np.int8), ("seat", np.int8), ("spare", np.int8, (5,))], align=True)

    @kernel
    def setup(s, o):
        s.stones = 5
        return 0

    @kernel
    def turn(s):
        if s.stones == 0:
            return OVER
        return s.seat if s.coin else CHANCE

    @kernel
    def legal(s, mask):
        mask[0] = s.coin > 0
        mask[1] = s.coin > 1 and s.stones > 1
        return mask[0] + mask[1]

    @kernel
    def play(s, action):
        if s.coin == 0:
            s.coin = action + 1
        else:
            s.stones -= action + 1
            s.coin = 0
            s.seat = 1 - s.seat
        return 0

    @kernel
    def payoffs(s, out):
        out[s.seat] = -1.0 if s.stones == 0 else 0.0
        out[1 - s.seat] = -out[s.seat]
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = s.stones
        out[1] = s.coin
        return 0

    @kernel
    def chance(s, probabilities):
        probabilities[0] = 0.5
        probabilities[1] = 0.5
        return 2

    @kernel
    def sample_chance(s, bits):
        return int(unit(bits) >= 0.5)

    @kernel
    def sample(s, bits):
        return scale(bits, 2) if s.coin > 1 and s.stones > 1 else 0

    @kernel
    def afterstates(s, out):
        count = 2 if s.coin > 1 and s.stones > 1 else 1
        for action in range(count):
            for byte in range(8):
                out[8 * action + byte] = 0
            out[8 * action] = s.stones - action - 1
            out[8 * action + 2] = 1 - s.seat
        return count


def test_sound_games_pass():
    check_game(Pile())
    check_game(TicTacToe(), games=5, seed=3)
    check_game(TicTacToe(rows=1, columns=1, line=1), games=1)  # one action, one move
    check_game(Hexapawn(rows=4, columns=8), games=5)


def payoffs_with_an_advance(s, out):
    out[s.seat] = 1.0 if s.stones else -1.0
    out[1 - s.seat] = 0.5 if s.stones else 1.0
    return 0


def test_only_the_payoffs_of_a_finished_game_must_sum_to_zero():
    check_game(type("Sound", (Pile,), {"payoffs": kernel(payoffs_with_an_advance)})(), games=1)


# Kernels with one defect each. Those "by luck" draw from the compiler's own generator, which the test seeds.


@jit
def seed_compiled_luck(seed):
    np.random.seed(seed)  # noqa: NPY002


def setup_past_the_end(s, o):
    s.stones = 5
    s.spare[7] = 1
    return 0


def setup_before_the_beginning(s, o):
    s.stones = 5
    s.spare[-9] = 1
    return 0


def legal_miscounts(s, mask):
    mask[0] = s.coin > 0
    mask[1] = 0
    return 2 * mask[0]


def legal_writes_two(s, mask):
    mask[0], mask[1] = 2 * (s.coin > 0), 0
    return mask[0]


def legal_is_empty(s, mask):
    mask[0] = mask[1] = 0
    return 0


def legal_at_chance_nodes(s, mask):
    mask[0], mask[1] = 1, 0
    return 1


def legal_too_long(s, mask):
    mask[0] = s.coin > 0
    mask[1] = mask[2] = 0
    return mask[0]


def legal_too_early(s, mask):
    mask[0] = s.coin > 0
    mask[1] = mask[-1] = 0
    return mask[0]


def legal_forgets(s, mask):
    mask[0] = s.coin > 0
    return mask[0]


def legal_changes_the_record(s, mask):
    s.spare[0] += 1
    mask[0], mask[1] = s.coin > 0, 0
    return mask[0]


def legal_reads_what_it_writes(s, mask):
    mask[0], mask[1] = s.coin > 0, s.coin > 0 and mask[1] > 0
    return mask[0] + mask[1]


def play_by_luck(s, action):
    s.coin = action + 1
    s.spare[0] = np.random.randint(100)  # noqa: NPY002
    return 0


def writes(first, second):
    def payoffs(s, out):
        out[0], out[1] = first, second
        return 0

    return payoffs


def payoffs_for_the_winner_alone(s, out):
    out[s.seat] = 0.0
    out[1 - s.seat] = 1.0 if s.stones == 0 else 0.0
    return 0


def sees(first, second):
    def observe(s, seat, out):
        out[0], out[1] = first, second
        return 0

    return observe


def falls(first, second, count):
    def chance(s, probabilities):
        probabilities[0], probabilities[1] = first, second
        return count

    return chance


def sample_unevenly(s, bits):
    return scale(bits, 3) // 2 if s.coin > 1 and s.stones > 1 else 0


def sample_by_luck(s, bits):
    return np.random.randint(2) if s.coin > 1 and s.stones > 1 else 0  # noqa: NPY002


def afterstates_twice_the_same(s, out):
    for byte in range(16):
        out[byte] = 0
    return 2


def afterstates_of_no_seat(s, out):
    for byte in range(8):
        out[byte] = 1
    out[2] = 9
    return 1


KERNELS = [
    ("setup", setup_past_the_end, "'setup' writes outside the record"),
    ("setup", setup_before_the_beginning, "'setup' writes outside the record"),
    ("turn", lambda s: 2, r"'turn' returned 2, not OVER \(-2\), CHANCE \(-1\) or a seat below 2; position: 05"),
    ("turn", lambda s: -3, r"'turn' returned -3, not OVER \(-2\), CHANCE \(-1\) or a seat below 2; position: 05"),
    ("legal", legal_miscounts, "'legal' returned 2, but its mask has 1 ones"),
    ("legal", legal_writes_two, "'legal' wrote 2, not 0 or 1"),
    ("legal", legal_is_empty, "seat 0 is to move, but the kernel 'legal' gives it no action"),
    ("legal", legal_at_chance_nodes, "nobody is to move, but the kernel 'legal' gives 1 actions"),
    ("legal", legal_too_long, "'legal' writes outside its 2 elements"),
    ("legal", legal_too_early, "'legal' writes outside its 2 elements"),
    ("legal", legal_forgets, "'legal' does not write element 1"),
    ("legal", legal_changes_the_record, "'legal' changes the position"),
    ("legal", legal_reads_what_it_writes, "'legal' gives two results for the same position"),
    ("play", play_by_luck, "'play' gives two results for the same input"),
    ("play", lambda s, action: 0, "there are more than 20 chance nodes in a row"),
    ("payoffs", writes(np.nan, 0.0), r"payoffs \[nan, 0.0\] are not within payoff_range \(-1.0, 1.0\)"),
    ("payoffs", writes(1.5, -1.0), r"payoffs \[1.5, -1.0\] are not within payoff_range"),
    ("payoffs", writes(1.0, -1.5), r"payoffs \[1.0, -1.5\] are not within payoff_range"),
    ("payoffs", payoffs_for_the_winner_alone, r"payoffs \[.*1.0.*\] do not sum to zero, but the game is zero_sum"),
    ("observe", sees(0, -1), r"'observe' wrote -1, outside observation_range \(0, 5\)"),
    ("observe", sees(5, 6), r"'observe' wrote 6, outside observation_range \(0, 5\)"),
    ("chance", lambda s, probabilities: 0, "'chance' returned 0 outcomes, not 1 to max_outcomes=2"),
    ("chance", falls(0.5, 0.5, 3), "'chance' returned 3 outcomes, not 1 to max_outcomes=2"),
    ("chance", falls(0.5, 0.25, 2), r"probabilities \[0.5, 0.25\] are negative or do not sum to 1"),
    ("chance", falls(1.5, -0.5, 2), r"probabilities \[1.5, -0.5\] are negative or do not sum to 1"),
    ("sample_chance", lambda s, bits: 1, "'sample_chance' does not choose outcomes by the probabilities of 'chance'"),
    ("sample", lambda s, bits: 1, "'sample' returned 1, which is not a legal action"),
    ("sample", lambda s, bits: 2, "'sample' returned 2, which is not a legal action"),
    ("sample", lambda s, bits: -3, "'sample' returned -3, which is not a legal action"),
    ("sample", sample_unevenly, r"'sample' is not uniform: counts \[2\d\d, 1\d\d\]; position: "),
    ("sample", sample_by_luck, "random games with seed 0 end differently when they are played one at a time"),
    ("afterstates", lambda s, out: 3, "'afterstates' returned 3, not 0 to max_afterstates=2"),
    ("afterstates", lambda s, out: -1, "'afterstates' returned -1, not 0 to max_afterstates=2"),
    ("afterstates", afterstates_twice_the_same, "'afterstates' wrote the same record twice"),
    ("afterstates", afterstates_of_no_seat, "'turn' returned 9"),
]


def test_an_outcome_may_have_no_chance():
    check_game(type("Sound", (Pile,), {"chance": kernel(falls(1.0, 0.0, 2)), "sample_chance": None})(), games=1)


@pytest.mark.parametrize(("name", "function", "message"), KERNELS)
def test_a_defect_in_a_kernel_is_named(name, function, message, monkeypatch):
    monkeypatch.setattr("ludarium.envs.conformance._LONGEST_CHANCE", 20)
    broken = type("Broken", (Pile,), {name: kernel(function)})
    seed_compiled_luck(1)
    with pytest.raises(ConformanceError, match="pile: .*" + message):
        check_game(broken())


def crash(self, *arguments):
    raise KeyError("nothing here")


def draws_a_square(colour, when):
    def draw(self, position):
        drawing = Drawing(10, 10)
        drawing.rect(0, 0, 5, 5, colour if when(position) else "#000000")
        return drawing

    return draw


def is_the_start(position):
    return position == position.game.start()


FACTS_AND_METHODS = [
    ({"seats": 9}, "seats must be 1 to 8, not 9"),
    ({"seats": 0}, "seats must be 1 to 8, not 0"),
    ({"actions": 0}, "actions must be at least 1, not 0"),
    ({"max_moves": 0}, "max_moves must be at least 1, not 0"),
    ({"observation_range": (1, 0)}, r"observation_range must be \(least, greatest\), not \(1, 0\)"),
    ({"observation_shape": (0, 3)}, "observation_size must be at least 1, not 0"),
    ({"payoff_range": (1.0, -1.0)}, r"payoff_range must be \(least, greatest\), not \(1.0, -1.0\)"),
    ({"max_outcomes": 0}, r"'turn' returned -1, not OVER \(-2\) or a seat below 2"),
    ({"max_moves": 2}, "the game goes on after max_moves=2 decisions"),
    ({"cooperative": True}, r"payoffs \[-?1.0, -?1.0\] differ, but the game is cooperative"),
    ({"to_text": crash}, r"to_text\(\) raised KeyError: 'nothing here'; record: 05000000"),
    ({"to_text": lambda self, position: "a\nb"}, "to_text returned more than one line"),
    ({"to_text": lambda self, position: None}, "to_text returned None, not text"),
    ({"from_text": lambda self, text: self.start()}, "from_text does not give back the position that to_text wrote"),
    ({"action_to_str": lambda self, position, action: "take"}, "action 1 prints as 'take', which reads as 0"),
    ({"str_to_action": lambda self, position, text: None}, "action 0 prints as '0', which reads as None"),
    ({"outcome_to_str": lambda self, position, outcome: 3}, "outcome_to_str returned 3, not text"),
    ({"result_text": lambda self, position: ""}, "result_text returned '', not text"),
    ({"to_ansi": crash}, r"to_ansi\(\) raised KeyError"),
    ({"draw": lambda self, position: "a picture"}, "draw returned what cannot be drawn: AttributeError"),
    ({"draw": draws_a_square('"', lambda position: True)}, "draw returned what cannot be drawn: ParseError"),
    ({"draw": draws_a_square("odd", is_the_start)}, "draw returned what cannot be drawn: ValueError: unknown color"),
    ({"draw": draws_a_square("odd", lambda one: one.over)}, "draw returned what cannot be drawn: ValueError: unknown"),
]


@pytest.mark.parametrize(("changes", "message"), FACTS_AND_METHODS, ids=lambda item: "-".join(item)[:30])
def test_a_wrong_fact_or_method_is_named(changes, message):
    with pytest.raises(ConformanceError, match="pile: .*" + message):
        check_game(type("Broken", (Pile,), changes)())


def test_fifty_games_are_played_unless_told_otherwise(monkeypatch):
    played = []
    monkeypatch.setattr(conformance._Check, "play", lambda self, random, first: played.append((random.tolist(), first)))
    check_game(TicTacToe())
    assert played == [(stream(0, number).tolist(), number == 0) for number in range(50)]
    assert check_hidden.__defaults__ == (20, 0)


def test_the_first_game_is_enough_to_look_at_pictures():
    broken = type("Broken", (Pile,), {"draw": lambda self, position: "a picture"})()
    with pytest.raises(ConformanceError, match="pile: draw returned what cannot be drawn"):
        check_game(broken, games=1)


def payoffs_by_the_corner(s, out):
    out[0] = 1.0 if (s.own | s.opponent) & np.uint64(1) else 0.0
    out[1] = -out[0]
    return 0


SWAPPED = [1, 0, *range(2, 9)]
MIRROR = [2, 1, 0, 5, 4, 3, 8, 7, 6]


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        (TicTacToe, {"symmetries": [range(9), range(8)]}, r"must be rows of actions=9 numbers each, not of different"),
        (TicTacToe, {"symmetries": range(9)}, r"rows of actions=9 whole numbers each, not an array of .*\(9,\)"),
        (TicTacToe, {"symmetries": np.eye(9)}, r"whole numbers each, not an array of shape \(9, 9\) and type float64"),
        (TicTacToe, {"symmetries": [[0, *range(8)]]}, r"symmetries\[0\] is no permutation of .* 0 to 8: 8 is missing"),
        (TicTacToe, {"symmetries": [MIRROR, SWAPPED]}, r"by symmetries\[1\] it is the turn of -?\d, not of -?\d;"),
        (Hexapawn, {"symmetries": [range(27)[::-1]]}, r"action 1 is 25, but only one of them is legal"),
        (
            TicTacToe,
            {"symmetries": [MIRROR], "payoffs": kernel(payoffs_by_the_corner)},
            r"in the image by symmetries\[0\] the payoffs are \[.*\], not \[.*\]; position: ",
        ),
    ],
)
def test_a_wrong_symmetry_is_named(game, changes, message):
    with pytest.raises(ConformanceError, match=message):
        check_game(type("Broken", (game,), changes)())


def test_right_symmetries_pass():
    check_game(type("Sound", (TicTacToe,), {"symmetries": [MIRROR]})(), games=5)


@pytest.mark.parametrize(
    ("areas", "message"),
    [
        ({7: [Area(0, 0, 1, 1)]}, "areas has the action 7, which is not legal"),
        ({0: []}, r"areas must have a list of Area for action 0, not \[\]"),
        ({0: Area(0, 0, 1, 1)}, "areas must have a list of Area for action 0, not Area"),
        ({0: [(0, 0, 1, 1)]}, "areas must have a list of Area for action 0"),
        ({0: [Area(0, 0, 1, 1), Area(-1, 0, 2, 2)]}, r"areas has Area\(x=-1.*for action 0, outside the picture of 1"),
        ({0: [Area(0, -1, 2, 2)]}, "outside the picture"),
        ({0: [Area(0, 0, 1000, 1)]}, "outside the picture"),
        ({0: [Area(0, 0, 1, 1000)]}, "outside the picture"),
        ({0: [Area(5, 5, 0, 1)]}, "outside the picture"),
        ({0: [Area(5, 5, 1, 0)]}, "outside the picture"),
    ],
)
def test_wrong_areas_are_named(areas, message):
    wrong = {"areas": lambda self, position: areas if position.legal_actions() else {}}
    with pytest.raises(ConformanceError, match=message):
        check_game(type("Broken", (Pile,), wrong)())


def test_an_area_may_be_the_whole_picture():
    def areas(self, position):
        drawing = self.draw(position)
        return {action: [Area(0, 0, drawing.width, drawing.height)] for action in position.legal_actions()}

    check_game(type("Sound", (Pile,), {"areas": areas})(), games=1)


@pytest.mark.parametrize(
    ("game", "squares", "message"),
    [
        (TicTacToe, {"a1": 0}, r"squares\(0\) must name every place of a board .* once, not \[0\] of .*\(3, 3, 2\)"),
        (TicTacToe, {f"a{n}": 0 for n in range(9)}, r"every place of a board .* once"),
        (TicTacToe, {f"{n}": n for n in range(9)}, "a letter and a number, as in 'b3', not '0'"),
        (TicTacToe, {"abcdefghi"[n]: n for n in range(9)}, "a letter and a number, as in 'b3', not 'a'"),
        (Pile, {"a1": 0}, r"of an observation of shape \(2,\)"),
    ],
)
def test_wrong_squares_are_named(game, squares, message):
    with pytest.raises(ConformanceError, match=message):
        check_game(type("Broken", (game,), {"squares": lambda self, seat: squares})())


def test_a_class_without_facts_is_told_which():
    with pytest.raises(ConformanceError, match="Nameless: the class does not say its 'name'"):
        check_game(type("Nameless", (Game,), {})())


def test_a_missing_kernel_is_named():
    without = type("Broken", (Pile,), {"legal": None})
    with pytest.raises(TypeError, match="pile: the game has no kernel 'legal'"):
        check_game(without())


# Hidden information: the smallest Hanabi, in which a seat's own cards decide what it sees or may do.


def observe_own_card(s, seat, out):
    for i in range(106):
        out[i] = 0
    out[0] = s.rank[seat, 0] > 2
    return 0


def legal_by_own_card(s, mask):
    for action in range(10):
        mask[action] = 0
    if s.dealing >= 0:
        return 0
    mask[2 + (s.rank[s.seat, 0] > 2)] = 1
    return 1


def redeal(position: Position, seat: int, random) -> Position:
    other = position.copy()
    worlds.redeal(other.data.view(other.game.state)[0], seat, random)
    return other


@pytest.mark.parametrize(
    ("changes", "dealer", "message"),
    [
        ({"observe": kernel(observe_own_card)}, redeal, "the observation of seat 0 shows what is hidden from it"),
        ({"legal": kernel(legal_by_own_card)}, redeal, "the legal actions of seat 0 show what is hidden from it"),
        ({}, lambda position, seat, random: position, "redeal never changed a position, so nothing was checked"),
    ],
)
def test_a_view_that_shows_too_much_is_named(changes, dealer, message):
    with pytest.raises(ConformanceError, match="hanabi: " + message):
        check_hidden(type("Broken", (Hanabi,), changes)(preset="very-small"), dealer)
