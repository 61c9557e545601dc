"""`ludarium analyse`: what is shown, in which order, and what is refused."""

import json
import re

import numpy as np
import pytest

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.search.alphabeta import alphabeta
from ludarium.envs.chance import stream
from ludarium.envs.opinions import Term
from ludarium.envs.othello import Othello
from ludarium.envs.registry import make_game
from ludarium.evaluation.cli.analyse import _print_terms
from ludarium.evaluation.cli.terminal import console

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
def analyse(output):
    """What the command prints as JSON."""
    return lambda *arguments: json.loads(output("analyse", *arguments, "--json"))


def rows(text):
    """The table of moves: the words of each line between the one below the names of its columns and the next gap."""
    lines = text.split("to move: ")[1].splitlines()
    start = next(number for number, line in enumerate(lines) if set(line.strip()) == {"─"}) + 1
    return [line.split() for line in lines[start : lines.index(" " * len(lines[start]), start)]]


def heads(text):
    """The names of the columns of the table of moves, as they are read line by line."""
    return " ".join(text.split("to move: ")[1].partition("\n")[2].split("─")[0].split())


def test_a_known_result_is_in_the_unit_of_the_game(analyse):
    analysis = analyse("tictactoe", "xx./oo./... x", "--agent", "perfect")
    assert [(move["move"], move["value"], move["plies"]) for move in analysis["moves"]] == [
        ("c1", 1.0, 1), ("c2", 0.0, None), ("a3", -1.0, 2), ("b3", -1.0, 2), ("c3", -1.0, 2)
    ]  # fmt: skip
    assert (analysis["unit"], analysis["seat"], analysis["position"]) == (
        "result (loss -1, win +1)",
        "x",
        "xx./oo./... x",
    )
    assert all(move["exact"] and move["line"][0] == move["move"] for move in analysis["moves"])


def test_the_table(output):
    out = output("analyse", "tictactoe", "xx./oo./... x", "--agent", "perfect")
    assert rows(out) == [
        ["c1", "wins", "in", "1", "ply", "1"],
        ["c2", "draws", "5", "c1", "a3", "b3", "c3"],
        ["a3", "loses", "in", "2", "plies", "2", "c2"],
        ["b3", "loses", "in", "2", "plies", "2", "c2"],
        ["c3", "loses", "in", "2", "plies", "2", "c2"],
    ]
    assert out.startswith("   a b c\n 1 x x .\n 2 o o .\n 3 . . .\n\nx to move: perfect\n")
    assert heads(out) == "move value depth then"
    assert out.endswith("\nthe first move is the one that it plays\n")
    assert "values: result (loss -1, win +1), exact, for the seat to move" in out


def test_beside_estimates_only_who_wins_is_said_of_known_results(output):
    out = output("analyse", "tictactoe", "xx./.o./... o", "--agent", "alphabeta?depth=3")
    assert [row[0] for row in rows(out)[1:]] == ["a2", "c2", "a3", "b3", "c3"]
    assert all(row[1:5] == ["loses", "in", "2", "plies"] for row in rows(out)[1:])
    assert 0 < float(rows(out)[0][1]) < 1
    assert "values: result (loss -1, win +1), in part estimated, for the seat to move" in out
    out = output("analyse", "tictactoe", "xx./oo./... x", "--agent", "greedy")
    assert rows(out)[0][:3] == ["c1", "wins", "in"]


START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:0:0:0:{}:6"


@pytest.mark.parametrize(
    ("game", "position", "agent"),
    [
        ("tictactoe", "start", "alphabeta"),
        ("hexapawn", "start", "perfect"),
        ("othello", "f5d6c3d3c4", "expert?nodes=2000"),
        ("othello", "f5d6", "greedy?evaluation=six"),
        ("othello?size=4", "start", "perfect"),
        ("backgammon", START.format("31", "0"), "expert"),
        ("backgammon", "XGID=-a--BBC-B---cC---c-d--A-AA:0:0:1:44:0:0:0:0:6", "expert?ply=1"),
        ("backgammon?match_length=7", START.format("66", "7"), "mcts?simulations=50"),
        ("backgammon?match_length=7", START.format("00", "7"), "expert"),
        ("backgammon", START.format("00", "0"), "expert"),
    ],
)
def test_it_fits_on_eighty_columns_with_a_line_for_each_move(output, analyse, monkeypatch, game, position, agent):
    monkeypatch.setattr(console, "_width", 80)
    out = output("analyse", game, position, "--agent", agent)
    moves = analyse(game, position, "--agent", agent)["moves"]
    assert max(map(len, out.splitlines())) <= 80
    if moves:
        assert len(rows(out)) == len(moves)
        assert all(line[0] == move["move"].split()[0] for line, move in zip(rows(out), moves, strict=True))


def test_the_two_orders_of_a_play_appear_once(output, analyse):
    position = make_game("backgammon").from_text(START.format("31", "0"))
    analysis = analyse("backgammon", position.text, "--agent", "expert")
    texts = [move["move"] for move in analysis["moves"]]
    assert texts[:3] == ["8/5 6/5", "24/23 13/10", "13/10/9"]
    assert analysis["played"] == texts[0]
    results = []
    for move in analysis["moves"]:
        child = position.copy()
        child.play(move["action"])
        assert position.game.action_to_str(position, move["action"]) == move["move"]
        results.append(child)
    assert len(set(results)) == len(results) == len(position.afterstates())
    out = output("analyse", "backgammon", position.text, "--agent", "expert")
    assert [row[0] for row in rows(out)] == [text.split()[0] for text in texts]
    assert heads(out) == "win a lose a win a back- lose a back- move value win gammon gammon gammon gammon"
    odds = analysis["moves"][0]["odds"]
    assert 0.5 < odds["win"] < 0.6
    assert f"{100 * odds['win']:.1f}%" in out


def test_both_halves_of_a_double_are_one_play(output):
    out = output("analyse", "backgammon", START.format("66", "0"), "--agent", "greedy")
    assert [row[:2] for row in rows(out)] == [["24/18(2)", "13/7(2)"], ["24/18(2)", "8/2(2)"], ["13/7(2)", "8/2(2)"]]
    assert "values: score, which only compares these moves" in out


def test_before_a_roll_without_a_cube_it_is_what_the_position_is_worth(output, analyse):
    text = START.format("00", "0")
    analysis = analyse("backgammon", text, "--agent", "expert")
    values, wins = [], []
    for low in range(1, 7):
        for high in range(low, 7):
            best = analyse("backgammon", START.format(f"{high}{low}", "0"), "--agent", "expert")["moves"][0]
            values += (1 + (low < high)) * [best["value"]]
            wins += (1 + (low < high)) * [best["odds"]["win"]]
    assert len(values) == 36
    assert analysis["value"] == pytest.approx(np.mean(values))
    assert analysis["odds"]["win"] == pytest.approx(np.mean(wins))
    assert (analysis["unit"], analysis["seat"], analysis["moves"]) == ("points", "white", [])
    out = output("analyse", "backgammon", text, "--agent", "expert")
    assert "white, before chance: expert\n" in out
    assert " before chance     win  gammon  gammon  gammon  gammon  \n" in out
    told = [f"{analysis['value']:+.3f}", *(f"{100 * share:.1f}%" for share in analysis["odds"].values())]
    assert told in [line.split() for line in out.splitlines()]
    assert "the mean over all outcomes of the best move" in out


def test_before_the_opening_roll_nobody_is_ahead(analyse):
    analysis = analyse("backgammon", "start", "--agent", "expert")
    assert (analysis["seat"], analysis["odds"]) == ("white", {})
    assert analysis["value"] == pytest.approx(0, abs=1e-6)
    assert analyse("backgammon?match_length=3", "start", "--agent", "expert")["value"] == pytest.approx(50, abs=1e-4)
    analysis = analyse("backgammon?cube=True", START.format("00", "0"), "--agent", "expert")
    assert [move["move"] for move in analysis["moves"]] == ["roll", "double"]


def test_othello_takes_the_moves_so_far(analyse):
    position = Othello().start()
    for move in ("f5", "d6", "c3"):
        position.play(position.game.str_to_action(position, move))
    analysis = analyse("othello", "F5 d6,c3", "--agent", "greedy")
    assert analysis["position"] == position.text
    assert analysis["seat"] == "white"
    assert sorted(move["action"] for move in analysis["moves"]) == position.legal_actions()
    text = Othello(size=4).start().text
    assert text.startswith("--")  # like an option
    whole, begun = (analyse("othello?size=4", board, "--agent", "greedy") for board in (text, "start"))
    assert whole == begun


def test_equals_are_in_the_order_of_their_actions(analyse):
    analysis = analyse("othello", "start", "--agent", "alphabeta?depth=1")
    assert [move["move"] for move in analysis["moves"]] == ["d3", "c4", "f5", "e6"]


def test_an_agent_of_ones_own(analyse, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(OPINIONATED.replace("{actions}", "position.legal_actions()"))
    analysis = analyse("tictactoe", "start", "--agent", str(bot))
    assert analysis["unit"] == "hunches"
    assert [move["action"] for move in analysis["moves"]] == [2, 5, 8, 1, 4, 7, 0, 3, 6]
    assert analysis["moves"][0] == {
        "move": "c1", "action": 2, "value": 2.0, "exact": False, "depth": 1, "nodes": 1, "line": ["c1"],
        "terms": [], "odds": {}, "bound": False, "plies": None, "error": None,
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
    code, _, err = ludarium("analyse", "tictactoe", "start", "--agent", bot)
    assert (code, text in err) == (2, True)


def test_opinions_are_a_function_of_the_seed(analyse):
    first, again, other = (
        analyse("tictactoe", "start", "--agent", "mcts?simulations=50", "--seed", seed) for seed in (1, 1, 2**80)
    )
    assert first == again != other


def test_a_compiled_agent_asks_its_policy():
    game = Othello(size=4)
    policy = alphabeta(game, depth=2)
    assert CompiledAgent("mine", policy).judge(game.start(), 0) == policy.judge(game.start(), stream(0))


def test_an_evaluation_that_is_a_sum_is_shown_with_its_terms(analyse, output):
    analysis = analyse("othello", "f5d6", "--agent", "greedy?evaluation=six")["moves"][0]
    assert {"name", "amount", "weight"} == analysis["terms"][0].keys()
    sign = np.sign(sum(term["amount"] * term["weight"] for term in analysis["terms"]))
    assert sign == np.sign(analysis["value"])
    out = output("analyse", "othello", "f5d6", "--agent", "greedy?evaluation=six")
    assert f"the evaluation after {analysis['move']}, without looking ahead" in out
    terms = analysis["terms"]
    lines = [re.split(r" {2,}", line.strip()) for line in out.partition("without looking ahead")[2].splitlines()]
    for term in terms:
        amount, weight = term["amount"], term["weight"]
        assert [term["name"], f"{amount:+,.4g}", f"{weight:,.4g}", f"{amount * weight:+,.4g}"] in lines
    assert ["all", f"{sum(term['amount'] * term['weight'] for term in terms):+,.4g}"] in lines


@pytest.mark.parametrize(("many", "rest"), [(12, []), (14, [["2", "more", "+3"]])])
def test_of_many_terms_the_first_twelve_are_shown_and_the_sum_of_the_others(capsys, many, rest):
    _print_terms("d3", [Term(f"t{value}", 2.0, value / 2) for value in range(many, 0, -1)])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["counted", "amount", "weight", "value"] in lines
    shown = [line for line in lines if "+" in " ".join(line)]
    terms = [[f"t{value}", "+2", f"{value / 2:g}", f"+{value}"] for value in range(many, many - 12, -1)]
    assert shown == [*terms, *rest, ["all", f"+{many * (many + 1) // 2}"]]
