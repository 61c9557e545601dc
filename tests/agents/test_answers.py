"""One agent, one answer: the move that an agent plays is the first of those that it has opinions on."""

import pytest

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.genetic.gengammon import GENGAMMON
from ludarium.agents.genetic.minimax.original import Original
from ludarium.agents.specs import agent_names, make_agent
from ludarium.envs.chance import below, stream
from ludarium.envs.kernels import CHANCE
from ludarium.envs.othello.records import read_transcripts
from ludarium.envs.records import replay
from ludarium.envs.registry import make_game

ANSWERS = {
    "tictactoe": ("greedy", "mcts", "perfect", "expert", "alphabeta?depth=2", "beam?depth=3&width=2"),
    "tictactoe?rows=4&columns=4&line=4": ("greedy", "alphabeta?depth=3&table=0", "alphabeta?nodes=300&depth=60"),
    "hexapawn?rows=4&columns=4": ("greedy", "mcts?evaluation=pawns", "perfect", "alphabeta?depth=5", "expert"),
    "othello": (
        "greedy?evaluation=six",
        "alphabeta",
        "alphabeta?depth=60&nodes=2000&evaluation=six",
        "mcts?simulations=60",
        "beam?depth=3&draw_at_root=False",
        "beam?depth=4&view=searcher",
        "expert?nodes=3000",
    ),
    "othello?size=6&scoring=discs": ("greedy", "alphabeta?depth=3&endgame=6", "mcts?simulations=50&evaluation=wpc"),
    "othello?size=4": ("perfect", "alphabeta?endgame=0", "alphabeta"),
    "backgammon": ("greedy", "mcts?simulations=40", "expert", "expectimax"),
    "backgammon?variant=hypergammon": ("expert?ply=1",),
    "backgammon?cube=True&jacoby=True": ("expert",),
}
LEARNERS = {
    "td of tuples": ("tictactoe", lambda: TD(game="tictactoe", length=2)),
    "td of patterns": ("othello?size=4", lambda: TD(game="othello?size=4", approximator="patterns", patterns="all-2")),
    "td of a network": ("backgammon", lambda: TD(game="backgammon", hidden=5)),
    "gengammon": ("backgammon", lambda: GENGAMMON.learner({"game": "backgammon", "hidden": 3})),
    "minimax": ("othello", lambda: Original(game="othello", depth=3)),
}


def positions(game, number=5):
    """Positions of random games, each with its seat to move; among them openings and endings."""
    positions, draws = [], stream(3)
    for _ in range(number):
        position, played = game.start(), []
        for _ in range(game.max_moves):
            while position.turn == CHANCE:
                position.push(position.draw_outcome(draws))
            if position.over:
                break
            played.append(position.copy())
            position.push(position.legal_actions()[int(below(draws, len(position.legal_actions())))])
        positions.append(played[int(below(draws, len(played)))])
        positions.append(played[-2])
    return positions


def check(agent, positions):
    """Check that the agent's opinions begin with the move that it plays; all of these opinions."""
    judged = []
    for position in positions:
        agent.reset(position.turn, 7)
        info = {"seat": position.turn, "game": position.game, "position": position.copy(), "history": ()}
        action = agent(position.observe(position.turn), position.action_mask(), info)
        opinions = agent.judge(position, 7)
        if opinions is None:
            continue
        judged.append(opinions.ranked())
        assert opinions.played == action
        first, *others = judged[-1]
        assert first.action == action
        assert not first.bound
        for other in others:
            assert other.value <= first.value or (opinions.mixed and (other.exact or first.exact)), position.text
            assert not other.bound or other.value == first.value
    return judged


@pytest.mark.parametrize(("spec", "game"), [(spec, game) for game, specs in ANSWERS.items() for spec in specs])
def test_what_an_agent_plays_is_what_it_thinks_best(spec, game):
    made = make_game(game)
    some = positions(made)
    assert len(check(make_agent(spec, made), some)) == len(some)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_a_learner_found_plays_what_it_thinks_best(name):
    spec, learner = LEARNERS[name]
    game, made = make_game(spec), learner()
    make = getattr(made, "member", None)
    arrays = made.start(game)
    agent = CompiledAgent(name, made.policy(game, arrays) if make is None else make(game, arrays, 0))
    assert len(check(agent, positions(game))) == 10


def test_all_agents_with_opinions_are_tested():
    tested = {spec.partition("?")[0] for specs in ANSWERS.values() for spec in specs}
    silent = {"random", "ppo", "bgsage", "hanabi-rules"}
    assert tested | silent == set(agent_names())


def othello_after(moves):
    return replay(next(read_transcripts(moves, "moves", make_game("othello"))))


def test_where_all_is_lost_the_fewest_discs_are():
    """A loss by 22 is played, and shown first, before one by 38, although only winning counts."""
    position = othello_after("f5d6c5b4d7d8c7e7c3d2c6c8b5c4b2c2d3a1c1f6e3f3e6a6a3e1b6a5g7g6g2h1b8a8g3h8d1b1g5h3f7e8h6f4")
    (opinions,) = check(make_agent("expert", position.game), [position])
    values = {position.game.action_to_str(position, opinion.action): opinion.value for opinion in opinions}
    assert next(iter(values)) == "a7"
    assert (values["a7"], values["a4"]) == (-22, -38)


def test_the_move_of_a_search_is_first_whatever_shorter_looks_say():
    """With a limit of nodes, looks at other moves are shorter; they may find more, which is shown as a bound."""
    game, draws, positions = make_game("othello"), stream(5), []
    for number in range(60):
        position = game.start()
        for _ in range(6 + number % 36):
            position.push(position.legal_actions()[int(below(draws, len(position.legal_actions())))])
        positions.append(position)
    bounds, shallower = 0, 0
    for first, *others in check(make_agent("alphabeta?depth=60&nodes=4000&evaluation=wpc", game), positions):
        bounds += any(other.bound for other in others)
        shallower += any(other.depth < first.depth for other in others)
        assert all(other.depth <= first.depth for other in others)
    assert 5 < bounds < shallower
