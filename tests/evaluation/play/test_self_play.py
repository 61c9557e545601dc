"""Games that an agent plays with itself."""

import pytest

from ludarium.envs.records import replay
from ludarium.envs.registry import make_game
from ludarium.evaluation.play import self_play as module
from ludarium.evaluation.play.self_play import self_play


def test_games_replay_and_are_a_function_of_the_seed(monkeypatch):
    game = make_game("backgammon?variant=hypergammon")
    games = list(self_play(game, "random", 5, 1))
    for record in games:
        assert replay(record).over
        assert record.payoffs is not None
    assert [record.file for record in games] == [f"game {number}" for number in range(5)]
    assert len({tuple(record.actions) for record in games}) == 5
    monkeypatch.setattr(module, "_AT_ONCE", 2)
    for again, record in zip(self_play(game, "random", 3, 1), games, strict=False):
        assert (again.script, again.actions) == (record.script, record.actions)


def test_a_game_that_is_cut_off_has_a_note(monkeypatch):
    game = make_game("backgammon")
    monkeypatch.setattr(game, "max_moves", 10)
    (record,) = self_play(game, "random", 1, 0)
    assert (record.note, record.payoffs, len(record.actions)) == ("cut off after 10 moves", None, 10)


def test_an_agent_that_fails(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("def bot(observation, action_mask, info):\n    return -1\n")
    with pytest.raises(ValueError, match=r"the agent '.*bot\.py' did not finish game 0: tictactoe: action -1 does not"):
        list(self_play(make_game("tictactoe"), str(bot), 1, 0))
