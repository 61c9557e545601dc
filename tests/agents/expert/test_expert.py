"""The expert is perfect where that is possible, strong in Othello, and takes every game."""

import numpy as np
import pytest

from ludarium.agents import expert as module
from ludarium.agents.expert import expert
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.text import rules_text
from ludarium.agents.search import mcts, tree
from ludarium.agents.search.alphabeta import _endgame_of
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import seed_key
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.othello import Othello
from ludarium.envs.registry import make_game
from ludarium.envs.tictactoe import TicTacToe
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.play.match import play_match


@pytest.mark.parametrize("game", [Hexapawn(), TicTacToe(), Othello(size=4)], ids=lambda game: game.name)
def test_small_games_are_played_perfectly(game):
    assert measure(game, make_agent("expert", game)).nash_conv == 0


@pytest.mark.parametrize(
    ("spec", "options", "depth", "nodes", "endgame"),
    [
        ("othello", {}, 60, 100_000, 16),
        ("othello", {"nodes": 7}, 60, 7, 16),
        ("othello", {"seconds": 1.0}, 60, 2**62, 19),
        ("othello?size=4", {}, 4, 2**62, 12),
        ("othello?size=6", {}, 8, 2**62, 12),
        ("othello?size=6", {"nodes": 7}, 60, 7, 12),
        ("hexapawn?rows=5&columns=4", {}, 8, 2**62, None),  # more than 100,000 positions
        ("hexapawn?rows=6&columns=6", {"seconds": 1.0}, 49, 2**62, None),  # no game takes longer
    ],
)
def test_how_far_it_searches(spec, options, depth, nodes, endgame):
    policy = expert(make_game(spec), **options)
    record = policy.block[: tree.BLOCK_SIZE].view(tree.BLOCK)[0]
    assert (record["depth"], record["limit"]) == (depth, nodes)
    assert endgame is None or _endgame_of(policy.block)["empties"] == endgame


def test_without_an_evaluation_it_plays_2000_games(connect_four):
    assert expert(connect_four).block[: mcts.BLOCK.itemsize].view(mcts.BLOCK)["simulations"] == 2000


def test_it_beats_what_searches_as_deep_without_its_patterns():
    scores = play_match(Othello(), ["expert?nodes=2000", "alphabeta?nodes=2000&depth=60"], 20, 3, opening=8).scores()
    assert scores.mean() > 0.8


@pytest.mark.parametrize("player", ["alphabeta?depth=1&endgame=0", "greedy", "beam?depth=1&draw_at_root=False"])
def test_other_players_take_its_patterns_as_their_evaluation(player):
    """Of two players that do not look ahead, one with its patterns plays what these say is best."""
    position, separator = Othello().start(), "&" if "?" in player else "?"
    for move in ("f5", "d6", "c3", "d3", "c4"):
        position.play(position.game.str_to_action(position, move))
    known, values = module.evaluation(position.game), {}
    for action in position.legal_actions():
        child = position.copy()
        child.play(action)
        values[action] = known.value(child, position.turn)
    agent = make_agent(f"{player}{separator}evaluation=expert", position.game)
    assert agent.judge(position, 1).played == max(values, key=values.get)


@pytest.mark.parametrize("spec", ["othello?size=6", "tictactoe", "hexapawn", "backgammon?match_length=3"])
def test_in_other_games_too_it_lends_what_it_knows(spec):
    game = make_game(spec)
    assert play_match(game, ["mcts?simulations=20&evaluation=expert", "greedy?evaluation=expert"], 1, 1).forfeits == []


def test_what_it_does_not_know_it_cannot_lend(connect_four):
    message = "expert: it has no evaluation for connect_four; use none, LEARNER:RUN, or FILE.py:FUNCTION"
    with pytest.raises(ValueError, match=message):
        make_agent("alphabeta?evaluation=expert", connect_four)


def test_in_backgammon_it_beats_pubeval():
    assert play_match(make_game("backgammon"), ["expert", "greedy"], 200, 3).points().mean() > 0.3


def test_in_backgammon_it_knows_the_cube_and_may_look_ahead():
    game = make_game("backgammon?match_length=3")
    assert play_match(game, ["expert?ply=1", "expert?cube=False"], 1, 1).forfeits == []
    with pytest.raises(ValueError, match="expert: ply and cube are options for backgammon, not for othello"):
        make_agent("expert?ply=1", Othello())


@pytest.mark.parametrize("spec", ["backgammon", "hanabi", "othello?size=6", "hexapawn?rows=6&columns=6"])
def test_it_takes_every_game(spec):
    game = make_game(spec)
    agents = ["expert?nodes=100"] if game.cooperative else ["expert?nodes=100", "random"]
    assert play_match(game, agents, 1, 1).forfeits == []


def test_in_hanabi_it_has_rules_for_each_number_of_seats():
    decks = np.array([seed_key(5, deck) for deck in range(500)], dtype=np.uint64)
    for seats, more in ((2, 0.2), (3, 0.4), (4, 0.2), (5, 0.0)):
        game = make_game(f"hanabi?seats={seats}")
        ours, written = (
            play_list(game, decks, False, some).scores.mean() for some in (expert(game).rules, hand_list())
        )
        assert ours >= written + more
    assert rules_text(expert(make_game("hanabi?preset=small")).rules) == rules_text(hand_list())


@pytest.mark.parametrize("seats", [2, 5])
def test_in_hanabi_it_beats_piers_and_takes_any_observation(seats):
    game = make_game(f"hanabi?seats={seats}&score=points-kept")
    points = play_match(game, ["expert"], 100, 1).points().mean()
    assert points > play_match(game, ["greedy"], 100, 1).points().mean() + 3
    assert play_match(make_game("hanabi?observation=minimal"), ["expert"], 1, 1).forfeits == []


def test_who_must_hide_everything_plays_at_random(connect_four_class):
    hidden = type("Blind", (connect_four_class,), {"hidden_information": True})()
    assert play_match(hidden, ["expert", "random"], 1, 1).forfeits == []


@pytest.mark.parametrize(
    ("game", "files", "cached"), [("othello", "PATTERNS", "_patterns"), ("backgammon", "NETWORKS", "networks")]
)
def test_damaged_files_are_refused(game, files, cached, tmp_path, monkeypatch):
    (tmp_path / "shipped.npz").write_bytes(b"PK nonsense")
    monkeypatch.setattr(module, files, tmp_path / "shipped.npz")
    getattr(module, cached).cache_clear()
    with pytest.raises(ValueError, match=rf"shipped\.npz: the {cached.strip('_')} cannot be read"):
        expert(make_game(game))
    getattr(module, cached).cache_clear()


@pytest.mark.parametrize("spec", ["othello", "hexapawn", "backgammon", "hanabi"])
def test_a_budget_out_of_range_is_refused(spec):
    """Also where the player does not need it."""
    with pytest.raises(ValueError, match="expert: nodes must be an integer from 0"):
        expert(make_game(spec), nodes=-1)
    with pytest.raises(ValueError, match="expert: seconds must be a number from 0"):
        expert(make_game(spec), seconds=np.nan)
