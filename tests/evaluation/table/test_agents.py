"""Agents at the table that crash, hang, think too long, start programs, or come from runs."""

import asyncio
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents.agent import FunctionAgent, Reason
from ludarium.agents.genetic.gaia import GAIA
from ludarium.agents.genetic.ifthen.modern import Modern
from ludarium.agents.learning.run import train
from ludarium.envs.opinions import Opinion, Opinions, Term
from ludarium.envs.registry import make_game
from ludarium.evaluation.table import agents
from ludarium.evaluation.table.agents import advise
from ludarium.evaluation.table.game import Session
from ludarium.evaluation.table.lobby import run_folders
from ludarium.evaluation.table.plan import Plan, Standing, reason_data
from ludarium.evaluation.table.refusal import Refusal

FAILING = "import os\n\ndef bot(observation, action_mask, info):\n    {}\n"
HANGING = """
import os, pathlib

def bot(observation, action_mask, info):
    pathlib.Path(__file__).with_suffix(".pid").write_text(str(os.getpid()))
    while True:
        pass
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"protocol": 1}), flush=True)
    elif message["type"] == "act":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
    elif message["type"] == "end":
        break
"""


@pytest.fixture
def strange(serving):
    """A table that takes programs, whose agents have half a second for a move."""
    with serving(move_time=0.5, allow_programs=True) as client:
        yield client


@pytest.fixture
def write(tmp_path):
    """`write(code)`: the path of a file of Python."""

    def write(code):
        (tmp_path / "bot.py").write_text(code)
        return str(tmp_path / "bot.py")

    return write


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (FAILING.format("raise RuntimeError('out of ideas')"), "out of ideas"),
        (HANGING, "gave no answer within 0.5 s"),
        (FAILING.format("os.abort()"), "SIGABRT"),
    ],
    ids=["crashes", "hangs", "dies"],
)
def test_an_agent_that_fails_costs_its_game_and_nothing_else(strange, write, code, cause):
    bot = write(code)
    key = strange.open("hexapawn", "me", bot, seed=1)
    state = strange.play(key, "a1a2")
    assert state["over"]
    assert f"black ({bot}) forfeits: " in state["result"]
    assert cause in state["result"]
    assert state["result"].endswith("you win")
    assert strange.play(strange.open("hexapawn", "me", "random", seed=1), "a1a2")["history"]
    strange.change(key, "rewind", ply=0)
    assert not strange.my_turn(key)["over"]


def test_what_an_agent_thinks_about_is_dropped_when_the_game_is_left(serving, write, tmp_path, all_gone):
    with serving(allow_programs=True) as client:
        key = client.open("hexapawn", write(HANGING), "me", seed=1)
        number = tmp_path / "bot.pid"
        for _ in range(500):
            if number.exists() and number.read_text():
                break
            time.sleep(0.02)
        assert all_gone(number, 0)  # it runs
        client.post(f"tables/{key}/forget")
        assert not all_gone(number, 10)


def test_a_built_in_agent_that_thinks_too_long_forfeits(serving):
    """It cannot be stopped, but nobody waits for it."""
    with serving(move_time=0.1) as client:
        key = client.open("othello", "me", "alphabeta?depth=40&seconds=2.5", seed=1)
        state = client.play(key, "d3")
        assert state["result"] == "white (alphabeta?depth=40&seconds=2.5) forfeits: no move within 0.1 seconds; you win"
        told = client.refused(f"tables/{key}/advice", agent="alphabeta?depth=40&seconds=2.5", ply=0)
        assert told == (503, "alphabeta?depth=40&seconds=2.5 has no answer within 0.1 seconds")


def test_other_games_go_on_while_an_agent_thinks(serving):
    with serving() as client:
        slow = client.open("othello", "me", "alphabeta?depth=40&seconds=3", seed=1)
        state = client.my_turn(slow)
        client.post(f"tables/{slow}/play", action=state["view"]["moves"][0]["action"], version=state["version"])
        key = client.open("hexapawn", "me", "random", seed=1)
        client.play(key, "a1a2")
        assert len(client.state(slow)["history"]) == 1  # it still thinks
        client.change(slow, "rewind", ply=0)  # and need not be waited for
        assert client.my_turn(slow)["history"] == []


def test_a_program_plays_where_programs_are_allowed(strange, write):
    key = strange.open("tictactoe", "me", f"process:{sys.executable} {write(PROGRAM)}", seed=1)
    assert strange.play(key, "b2")["history"][1]["text"] == "a1"


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (GAIA.learner({"game": "hexapawn", "population": 4, "rules": 20, "games": 40}), "rule"),
        (Modern(game="hexapawn", games=200), "games"),
    ],
    ids=["gaia", "ifthen"],
)
def test_runs_are_offered_with_their_members_and_give_reasons(learner, reason, serving, tmp_path):
    run = train(learner, tmp_path / "runs" / "mine", workers=1)
    folders = run_folders(run.parent)
    assert folders == [str(run)]
    with serving(runs=folders) as client:
        (offer,) = client.get("runs/hexapawn")["runs"]
        assert client.get("runs/hexapawn%3Frows=4")["runs"] == []
        assert (offer["learner"], offer["game"]) == (learner.name, "hexapawn")
        member = offer["members"][1]["spec"]
        assert member == f"{learner.name}:{run}?member=1"
        key = client.open("hexapawn", "me", member, seed=1)
        assert reason in client.play(key, "a1a2")["history"][1]["why"]["text"]
        assert client.call("POST", f"tables/{key}/advice", {"agent": f"{learner.name}:{run}x", "ply": 0})[0] == 403


def test_of_many_runs_two_hundred_are_offered(tmp_path):
    for number in range(201):
        (tmp_path / f"{number:03}").mkdir()
        (tmp_path / f"{number:03}" / "checkpoint.json").touch()
    assert run_folders(tmp_path) == [str(tmp_path / f"{number:03}") for number in range(200)]


def test_the_values_of_a_reason_are_sent_the_best_first():
    game = make_game("tictactoe")
    told = reason_data(Reason("\n  because\n", {0: 0.25, 4: 0.5, 8: -1.0}), game, game.start())
    assert told == {"text": "  because", "values": [["b2", 0.5], ["a1", 0.25], ["c3", -1.0]], "svg": None}
    assert reason_data(Reason("", {4: 0.5}), game, game.start())["values"] == [["b2", 0.5]]
    assert reason_data(Reason(" \n"), game, game.start()) is None


@pytest.mark.parametrize(
    ("beginning", "filler", "sentence"),
    [
        ("random?log=", "x" * 69, "log is an option for the command line alone, so '{}' is refused"),
        ("random?trust=", "x" * 67, "trust is an option for the command line alone, so '{}' is refused"),
        ("a?b=", "?" * 76, "the agent '{}' has more than one question mark; options follow a single one"),
        ("bot.py:", "x" * 73, "the agent '{}' starts a program or loads files: start the table with --allow-programs"),
    ],
)
def test_refusals_quote_eighty_characters_of_an_agent(beginning, filler, sentence):
    for spec in (beginning + filler, beginning + 2 * filler):
        with pytest.raises(Refusal) as refused:
            agents.Seating([], False, 60).check(spec)
        assert f"{refused.value}" == sentence.format(beginning + filler)


def test_a_program_may_have_question_marks_in_its_command():
    for prefix in ("process", "gtp", "nboard"):
        agents.Seating([], True, 60).check(f"{prefix}:play what? how??setup=fast")
    with pytest.raises(Refusal, match="more than one question mark"):
        agents.Seating([], True, 60).check("isolated:play.py?what??memory=512")


@pytest.mark.parametrize(
    ("spec", "made_from"),
    [
        ("greedy", "greedy"),
        ("mcts?simulations=9", "mcts?simulations=9"),
        ("bot.py", "isolated:bot.py?move_time=2.5"),
        ("bot.py?depth=3", "isolated:bot.py?depth=3&move_time=2.5"),
        ("bot.py?move_time=1", "isolated:bot.py?move_time=1"),
    ],
)
def test_code_of_others_has_a_process_and_the_tables_time_unless_it_has_its_own(spec, made_from, monkeypatch):
    monkeypatch.setattr(agents, "make_agent", lambda made, game: FunctionAgent(made, lambda *shown: made))
    agent = agents.Seating([], True, 2.5).make(spec, make_game("hexapawn"))
    assert (agent.name, agent(None, None, None)) == (spec, made_from)


def test_refusals_quote_forty_characters_of_a_number():
    """Only agents of others may know what to do with a number below 0."""
    for spec, least in (("mcts?simulations", "0"), ("bot.py?depth", "-9007199254740992")):
        name, _, option = spec.partition("?")
        with pytest.raises(Refusal) as refused:
            agents.Seating([], True, 60).check(f"{spec}=-{'9' * 40}")
        bounds = f"from {least} to 9007199254740992"
        assert f"{refused.value}" == f"agent {name!r}: {option} must be a number {bounds} here, not -{'9' * 39}"


def test_reasons_are_data(table):
    """Advice has the move, the values of all moves, whether they are exact, and the expected line."""
    key = table.open("othello?size=4&scoring=discs", "me", "random", seed=1)
    advice = table.advice(key, "perfect")
    assert {one["action"] for one in advice["opinions"]} == {m["action"] for m in table.state(key)["view"]["moves"]}
    assert all(one["exact"] and one["line"][0] == one["text"] for one in advice["opinions"])
    assert (advice["unit"], advice["comparable"], advice["even"]) == ("discs", True, 0)
    assert table.advice(key, "perfect") == advice
    silent = table.advice(key, "random")
    assert silent["opinions"] == []
    assert silent["move"]["text"]
    last = len(table.first_moves(key)["history"])
    told = table.refused(f"tables/{key}/advice", agent="perfect", ply=last)
    assert told == (409, "the game is over; there is no move to advise")


def test_advice_is_one_search_with_the_terms_of_an_evaluation_and_the_odds_of_a_network(table):
    """The move that is advised is the first of the opinions, with the greatest value; the others may be bounds."""
    key = table.open("othello", "me", "random", seed=1)
    advice = table.advice(key, "alphabeta?depth=40&nodes=3000")
    first, *others = advice["opinions"]
    assert first["action"] == advice["move"]["action"]
    assert all(one["value"] <= first["value"] or one["bound"] for one in others)
    assert {one["bound"] for one in advice["opinions"]} <= {True, False}
    advice = table.advice(key, "greedy?evaluation=six")
    best = advice["opinions"][0]
    sign = np.sign(sum(value for *_, value in best["terms"]) + best["other_terms"])
    assert sign == np.sign(best["value"])
    assert all(amount * weight == value for _, amount, weight, value in best["terms"])
    key = table.open("backgammon", "me", "me", seed=1)
    advice = table.advice(key, "expert")
    assert [name for name, _ in advice["opinions"][0]["odds"]][:2] == ["win", "win a gammon"]
    assert advice["opinions"][0]["text"] == advice["move"]["text"]
    assert advice["played"] == advice["opinions"][0]["action"] == advice["move"]["action"]


def test_advice_counts_in_the_unit_of_the_game_and_says_results_in_words(table):
    key = table.open("tictactoe", "me", "me", position="xx./oo./... x", seed=1)
    advice = table.advice(key, "perfect")
    assert advice["unit"] == "result (loss -1, win +1)"
    assert [(one["worth"], one["plies"]) for one in advice["opinions"][:3]] == [
        ("wins in 1 ply", 1), ("draws", None), ("loses in 2 plies", 2)
    ]  # fmt: skip
    key = table.open("backgammon?match_length=3", "me", "me", seed=1)
    match = table.advice(key, "expert")
    assert (match["unit"], match["even"], match["comparable"]) == ("match equity (%)", 50, True)
    assert all(float(one["worth"]) == pytest.approx(one["value"], abs=0.005) for one in match["opinions"])
    score = table.advice(key, "greedy")
    assert (score["unit"], score["comparable"]) == ("score", False)


def test_an_agent_may_count_in_a_unit_of_its_own():
    def mine(observation, action_mask, info):
        assert info["history"] == (0,)
        return int(action_mask.argmax())

    def judge(position, seed):
        return Opinions("hunches", tuple(Opinion(a, float(-a), line=(a,)) for a in position.legal_actions()))

    mine.judge, mine.needs_state = judge, True
    plan = Plan("backgammon?match_length=3", ("me", "me"), 1, None)
    position = plan.made.start()
    position.play(0)
    advice = advise(FunctionAgent("mine", mine), plan, position, [0])
    assert (advice["unit"], advice["comparable"], advice["even"]) == ("hunches", True, 0)
    assert advice["played"] == advice["move"]["action"] == position.legal_actions()[0]


def test_an_agent_without_advice_says_why():
    def fails(observation, action_mask, info):
        raise ValueError("out of ideas")

    plan = Plan("hexapawn", ("me", "me"), 1)
    advice = advise(FunctionAgent("mine", fails), plan, plan.made.start(), [])
    assert advice["note"].startswith("no advice: ")
    assert "out of ideas" in advice["note"]
    assert {name: advice[name] for name in ("agent", "seat", "move", "reason", "unit", "played", "opinions")} == {
        "agent": "mine", "seat": 0, "move": None, "reason": None, "unit": "", "played": None, "opinions": []
    }  # fmt: skip


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "the agent 'perfect' needs more memory than there is"),
        (OSError("no disk"), "no disk"),
        (ModuleNotFoundError("no torch"), "no torch"),
    ],
)
def test_an_agent_that_cannot_be_made_is_refused(monkeypatch, error, sentence):
    def fails(spec, game):
        raise error

    monkeypatch.setattr(agents, "make_agent", fails)
    with pytest.raises(Refusal) as refused:
        agents.Seating([], False, 60).make("perfect", make_game("hexapawn"))
    assert (f"{refused.value}", refused.value.status) == (sentence, 400)


def test_an_agent_that_is_made_after_its_game_has_been_left_is_closed():
    closed = []
    agent = SimpleNamespace(close=lambda: closed.append("agent"))
    company = agents.Company(Plan("hexapawn", ("me", "me"), 1), SimpleNamespace(make=lambda spec, game: agent))
    assert company.make("random") is agent
    company._agents.clear()
    company.close()
    with pytest.raises(Refusal) as refused:
        company.make("random")
    assert (refused.value.status, f"{refused.value}") == (409, "the game has been left")
    assert closed == ["agent"]


def test_of_many_terms_the_first_twelve_are_sent_and_the_sum_of_the_others():
    terms = tuple(Term(f"t{value}", 2.0, value / 2) for value in range(14, 0, -1))
    position = make_game("hexapawn").start()
    sent = agents._opinion(position, Opinion(position.legal_actions()[0], 1.0, terms=terms))
    assert sent["terms"] == [[f"t{value}", 2.0, value / 2, value] for value in range(14, 2, -1)]
    assert sent["other_terms"] == 3


@pytest.mark.parametrize(
    ("game", "seats", "won"),
    [
        ("hexapawn", ("me", "random"), "; you win"),
        ("hexapawn", ("random", "random"), ""),  # nobody is told so who only watches,
        ("hanabi", ("me", "random"), ""),  # nor whose partner forfeits
    ],
)
def test_who_wins_by_a_forfeit_is_told_so(game, seats, won, monkeypatch):
    monkeypatch.setattr(Session, "_take_up", lambda self: None)  # no agent plays
    left = []

    async def forfeit():
        plan = Plan.of(game, seats, 1)
        session = Session("key", Standing.of(plan, {}), agents.Seating([], False, 60), 60, keep)
        session._company = SimpleNamespace(close=lambda: left.append("company"))
        await session._forfeit("bob", "no move")
        assert left == ["company"]  # which may still be thinking
        session.close()
        return session.now

    async def keep(key, data):
        pass

    now = asyncio.run(forfeit())
    assert (now.ending, now.over, now.version) == (f"bob forfeits: no move{won}", True, 2)


def test_of_many_advisers_and_answers_the_latest_are_kept(monkeypatch):
    monkeypatch.setattr(agents, "_MOST_ADVISERS", 2)
    monkeypatch.setattr(agents, "_MOST_ANSWERS", 3)
    plan = Plan("tictactoe", ("me", "me"), 1, None)
    advisers = agents.Advisers(plan, agents.Seating([], False, 60), 60)

    async def ask(*specs):
        for spec in specs:
            await advisers.ask(spec, plan.made.start(), [])

    asyncio.run(ask("random", "greedy", "random", "perfect"))
    assert list(advisers._agents) == list(advisers._companies) == ["greedy", "perfect"]
    assert [spec for spec, _ in advisers._answers] == ["random", "greedy", "perfect"]
    asyncio.run(ask("alphabeta"))
    assert [spec for spec, _ in advisers._answers] == ["alphabeta"]
    advisers.close()
    assert not advisers._agents


def test_the_two_orders_of_a_play_have_one_name(table):
    key = table.open("backgammon", "me", "me", position="XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6")
    for agent in ("expert", "random"):
        advice = table.advice(key, agent)
        named = {one["text"]: one["play"] for one in advice["opinions"]}
        assert advice["move"]["play"] in {"8/5 6/5", *named.values()} or agent == "random"
        if named:
            assert named["6/5 8/5"] == named["8/5 6/5"] == "8/5 6/5"
            assert len(set(named.values())) == 16
