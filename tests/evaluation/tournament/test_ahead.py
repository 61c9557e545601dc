"""What a process beside a tournament compiles, and that it leaves nothing behind."""

import multiprocessing
import time
from dataclasses import replace

from ludarium.agents.specs import make_agent
from ludarium.evaluation.tournament import ahead
from ludarium.evaluation.tournament.event import GameEntry, Tournament

SMALL = Tournament(("random", "random"), (GameEntry("tictactoe", 2),))


def test_built_in_agents_are_compiled_from_the_last_to_the_first(monkeypatch):
    made = []
    monkeypatch.setattr(
        ahead, "make_agent", lambda spec, game: made.append((game.name, spec)) or make_agent("random", game)
    )
    agents = ("greedy", "my.bots:Clever", "bot.py", "process:./bot", "alphabeta?depth=2")
    compiled = []
    monkeypatch.setattr(ahead, "policy_rows", lambda game, policies: compiled.append((game.name, len(policies))))
    entries = GameEntry("hexapawn"), *(GameEntry(game, agents=("greedy",)) for game in ("tictactoe", "othello?size=6"))
    entries = *entries[:2], replace(entries[2], adjudicate="exact")
    ahead.compile_agents(Tournament(agents, entries))
    assert made[:2] == [("hexapawn", "alphabeta?depth=2"), ("hexapawn", "greedy")]
    assert made[2:] == [("tictactoe", "greedy"), ("othello", "greedy")]
    assert compiled == [("hexapawn", 2), ("tictactoe", 1), ("othello", 2)]  # with what adjudicates


def test_there_is_no_process_unless_it_is_started_and_none_at_the_end():
    before = multiprocessing.active_children()
    with ahead.compiling_ahead(SMALL):
        assert multiprocessing.active_children() == before
    with ahead.compiling_ahead(SMALL) as start:
        start()
        deadline = time.monotonic() + 60
        while multiprocessing.active_children() == before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(multiprocessing.active_children()) == len(before) + 1
    assert multiprocessing.active_children() == before
