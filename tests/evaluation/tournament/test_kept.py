"""Agents that a worker keeps, and when it closes them."""

from ludarium.envs.registry import make_game
from ludarium.evaluation.tournament import kept


def test_the_agents_that_were_not_used_for_longest_are_closed(monkeypatch):
    made, closed, game = [], [], make_game("tictactoe")

    def bench(agents, number, game, closing):
        made.append(agents[number])
        closing.callback(closed.append, agents[number])
        return agents

    monkeypatch.setattr(kept, "_kept", {})
    monkeypatch.setattr(kept, "at_end", lambda close: None)
    monkeypatch.setattr(kept, "bench", bench)
    for number in range(16):
        assert kept.kept_benches((f"agent {number}",), game) == [[f"agent {number}"]]
    kept.kept_benches(("agent 0",), game)
    assert (len(made), closed) == (16, [])
    kept.kept_benches(("agent 16",), game)
    assert closed == ["agent 1"]
    kept._close_all()
    assert sorted(closed) == sorted(made)
    assert not kept._kept
