"""Agents that a worker keeps, and when it closes them."""

from types import SimpleNamespace

from ludarium.envs.registry import make_game
from ludarium.evaluation.tournament import kept


def test_the_agents_that_were_not_used_for_longest_are_closed(monkeypatch):
    made, closed, at_the_end, game = [], [], [], make_game("tictactoe")

    def bench(agents, number, game, closing):
        made.append(agents[number])
        closing.callback(closed.append, agents[number])
        return agents

    monkeypatch.setattr(kept, "_kept", {})
    monkeypatch.setattr(kept, "at_end", at_the_end.append)
    monkeypatch.setattr(kept, "bench", bench)
    for number in range(16):
        assert kept.kept_benches((f"agent {number}",), game) == [[f"agent {number}"]]
    kept.kept_benches(("agent 0",), game)
    assert (len(made), closed) == (16, [])
    kept.kept_benches(("agent 16",), game)
    assert closed == ["agent 1"]
    assert set(at_the_end) == {kept._close_all}
    kept._close_all()
    assert sorted(closed) == sorted(made)
    assert not kept._kept


def test_each_side_and_each_game_has_agents_of_its_own(monkeypatch):
    """An object plays for one side, and a twin of it for the other."""
    monkeypatch.setattr(kept, "_kept", {})
    monkeypatch.setattr(kept, "at_end", lambda close: None)
    monkeypatch.setattr(kept, "bench", lambda agents, number, game, closing: [(agents[number], object())])
    monkeypatch.setattr(kept, "make_agent", lambda agent, game: agent)
    monkeypatch.setattr(kept, "twin", lambda agent: "twin")
    one, other = make_game("tictactoe"), make_game("hexapawn")
    sides = kept.kept_benches(("greedy", "greedy"), one)
    assert sides[0] is not sides[1]
    assert kept.kept_benches(("greedy", "greedy"), one) == sides
    assert kept.kept_benches(("greedy",), one) == sides[:1]
    assert kept.kept_benches(("greedy",), other)[0] not in sides
    mine = SimpleNamespace()
    assert [agents[0][0] for agents in kept.kept_benches((mine, mine), one)] == [mine, "twin"]
