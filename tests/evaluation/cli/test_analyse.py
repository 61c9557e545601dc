"""`ludarium analyse`: what is shown, in which order, and what is refused."""

import json

import pytest

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.search.alphabeta import alphabeta
from ludarium.envs.chance import stream
from ludarium.envs.othello import Othello

OPINIONATED = """
from ludarium.envs.opinions import Opinion, Opinions

class Judge:
    needs_state = True

    def __call__(self, observation, action_mask, info):
        return info["position"].legal_actions()[0]

    def judge(self, position, seed):
        return Opinions("hunches", tuple(Opinion(a, float(a % 3), line=(a,)) for a in {actions}))
"""


@pytest.fixture
def analyse(ludarium):
    """What the command prints as JSON."""

    def analyse(*arguments):
        code, out, err = ludarium("analyse", *arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    return analyse


def rows(text):
    """The table: the words of each line that has a move in it."""
    return [line.split() for line in text.splitlines() if "exact" in line or "estimate" in line]


def test_a_known_result_is_a_payoff(analyse):
    found = analyse("tictactoe", "xx./oo./... x", "--agent", "perfect")
    assert [(move["move"], move["value"], move["depth"]) for move in found["moves"]] == [
        ("c1", 1.0, 1), ("c2", 0.0, 5), ("a3", -1.0, 2), ("b3", -1.0, 2), ("c3", -1.0, 2)
    ]  # fmt: skip
    assert (found["unit"], found["seat"], found["position"]) == ("payoff", "x", "xx./oo./... x")
    assert all(move["exact"] and move["line"][0] == move["move"] for move in found["moves"])


def test_the_table(ludarium):
    code, out, _ = ludarium("analyse", "tictactoe", "xx./oo./... x", "--agent", "perfect")
    assert code == 0
    assert rows(out) == [
        ["c1", "+1", "exact", "1", "1", "c1"],
        ["c2", "0", "exact", "5", "1", "c2", "c1", "a3", "b3", "c3"],
        ["a3", "-1", "exact", "2", "1", "a3", "c2"],
        ["b3", "-1", "exact", "2", "1", "b3", "c2"],
        ["c3", "-1", "exact", "2", "1", "c3", "c2"],
    ]
    assert "x to move: perfect" in out
    assert "values: payoff, for the seat to move" in out


def test_beside_estimates_only_who_wins_is_said_of_known_results(ludarium):
    _, out, _ = ludarium("analyse", "tictactoe", "xx./.o./... o", "--agent", "alphabeta?depth=3")
    assert [row[:3] for row in rows(out)] == [
        ["c1", "+4.000", "estimate"], *([move, "loses", "exact"] for move in ("a2", "c2", "a3", "b3", "c3"))
    ]  # fmt: skip
    assert "values: points of the evaluation" in out
    _, out, _ = ludarium("analyse", "tictactoe", "xx./oo./... x", "--agent", "greedy")
    assert rows(out)[0][:3] == ["c1", "wins", "exact"]


def test_othello_takes_the_moves_so_far(analyse):
    position = Othello().start()
    for move in ("f5", "d6", "c3"):
        position.play(position.game.str_to_action(position, move))
    found = analyse("othello", "F5 d6,c3", "--agent", "greedy")
    assert found["position"] == position.text
    assert found["seat"] == "white"
    assert sorted(move["action"] for move in found["moves"]) == position.legal_actions()


def test_a_board_that_begins_like_an_option(analyse):
    text = Othello(size=4).start().text
    assert text.startswith("--")
    assert analyse("othello?size=4", text, "--agent", "greedy") == analyse(
        "othello?size=4", "start", "--agent", "greedy"
    )


def test_equals_are_in_the_order_of_their_actions(analyse):
    found = analyse("othello", "start", "--agent", "alphabeta?depth=1")
    assert [move["move"] for move in found["moves"]] == ["d3", "c4", "f5", "e6"]


def test_an_agent_of_ones_own(analyse, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(OPINIONATED.replace("{actions}", "position.legal_actions()"))
    found = analyse("tictactoe", "start", "--agent", str(bot))
    assert found["unit"] == "hunches"
    assert [move["action"] for move in found["moves"]] == [2, 5, 8, 1, 4, 7, 0, 3, 6]
    assert found["moves"][0] == {
        "move": "c1", "action": 2, "value": 2.0, "exact": False, "depth": 1, "nodes": 1, "line": ["c1"],
        "terms": [], "odds": {}, "bound": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("{actions}", "(0, 1, 1)", "must judge each of the legal actions [0, 1, 2, 3, 4, 5, 6, 7, 8] once, not [0, 1,"),
        ("{actions}", "(1 / 0,)", "cannot judge the position: raised ZeroDivisionError"),
        ('Opinions("hunches", ', "(", "must return Opinions, not tuple"),
        ("line=(a,)", "line=(a, a)", "is not legal for o"),
        ("{actions})", "{actions}), played=9", "must play one of the legal actions [0, 1, 2, 3, 4, 5, 6, 7, 8], not 9"),
    ],
)
def test_an_agent_of_ones_own_that_is_wrong(ludarium, tmp_path, before, after, text):
    bot = tmp_path / "bot.py"
    bot.write_text(OPINIONATED.replace(before, after).replace("{actions}", "position.legal_actions()"))
    code, out, err = ludarium("analyse", "tictactoe", "start", "--agent", bot)
    assert code == 2
    assert text in err
    assert "Traceback" not in out + err


def test_opinions_are_a_function_of_the_seed(analyse):
    first, again, other = (
        analyse("tictactoe", "start", "--agent", "mcts?simulations=50", "--seed", seed) for seed in (1, 1, 2**80)
    )
    assert first == again != other


def test_a_compiled_agent_asks_its_policy():
    game = Othello(size=4)
    policy = alphabeta(game, depth=2)
    assert CompiledAgent("mine", policy).judge(game.start(), 0) == policy.judge(game.start(), stream(0))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["otelo", "start", "--agent", "greedy"], "unknown game 'otelo'"),
        (["tictactoe", "start", "--agent", "gready"], "did you mean 'greedy'"),
        (["tictactoe", "x", "--agent", "greedy"], "tictactoe: a position is"),
        (["tictactoe", "xxx/oo./... o", "--agent", "greedy"], "'xxx/oo./... o' is already over, so there is no move"),
        (["othello", "f5f5", "--agent", "greedy"], "transcript:1: move 2: othello: action 37 (f5) is not legal"),
        (["othello", "f5z9", "--agent", "greedy"], "'z9' is not a move; a move is a square from a1 to h8, or pass"),
        (["backgammon", "start", "--agent", "greedy"], "chance is next, not a seat; give one with a seat to move"),
        (["hanabi", "start", "--agent", "random"], "hanabi: a position shows what is hidden, so it cannot be analysed"),
        (
            ["tictactoe", "start", "--agent", "random"],
            "'random' does not say what moves are worth in tictactoe; 'mcts'",
        ),
        (["tictactoe", "start", "--agent", "mcts", "--depth", "3"], "--depth"),
    ],
)
def test_a_mistake_is_one_line(ludarium, arguments, text):
    code, out, err = ludarium("analyse", *arguments)
    assert code == 2
    assert text in err
    assert "Traceback" not in out + err


def test_an_evaluation_that_is_a_sum_is_shown_with_its_terms(analyse, ludarium):
    found = analyse("othello", "f5d6", "--agent", "greedy?evaluation=six")["moves"][0]
    assert {"name", "amount", "weight"} == found["terms"][0].keys()
    assert sum(term["amount"] * term["weight"] for term in found["terms"]) == pytest.approx(found["value"])
    _, out, _ = ludarium("analyse", "othello", "f5d6", "--agent", "greedy?evaluation=six")
    assert f"the evaluation after {found['move']}, without looking ahead" in out
    assert "share of the moves" in out


def test_networks_of_backgammon_tell_the_odds(analyse, ludarium):
    position = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6"
    found = analyse("backgammon", position, "--agent", "expert")["moves"][0]
    assert found["move"] == "8/5 6/5"
    assert 0.5 < found["odds"]["win"] < 0.6
    _, out, _ = ludarium("analyse", "backgammon", position, "--agent", "expert")
    assert f"{100 * found['odds']['win']:.1f}%" in out
