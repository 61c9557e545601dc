"""Othello engines by GTP and NBoard: a small one beside the tests, and Debian's gtp-rhino where it is installed."""

import shutil

import numpy as np
import pytest

from ludarium.agents import check_agent, make_agent
from ludarium.agents.agent import AgentFailure
from ludarium.envs.batch import FINISHED
from ludarium.envs.episode import Episode
from ludarium.envs.othello import Othello
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

RHINO = shutil.which("gtp-rhino") or shutil.which("/usr/games/gtp-rhino")


@pytest.fixture(scope="module")
def othello():
    return Othello()


def first(observation, action_mask, info):
    return int(action_mask.argmax())


@pytest.mark.parametrize("engine", ["gtp", "nboard", "gtp silent"])
def test_an_engine_plays_as_it_would_inside(engine, othello, command):
    protocol, *fault = engine.split()
    spec = f"{protocol}:{command('othello_engine.py', protocol, *(['silent passes'] if fault else []))}"
    check_agent(spec, othello, games=2)
    outside, inside = (play_match(othello, [one, "random"], 6, seed=2, opening=5) for one in (spec, first))
    assert (outside.endings == FINISHED).all(), outside.forfeits
    assert np.array_equal(outside.payoffs, inside.payoffs)
    assert outside.decisions == inside.decisions


def test_two_engines_pass_when_they_have_to(othello, command):
    engines = [f"{protocol}:{command('othello_engine.py', protocol)}" for protocol in ("gtp", "nboard")]
    match = play_match(othello, engines, 3, seed=9, opening=8)
    assert not match.forfeits
    assert np.array_equal(match.payoffs, play_match(othello, [first, first], 3, seed=9, opening=8).payoffs)


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed: apt-get install grhino")
def test_rhino(othello):
    # It draws from a generator of its own that no GTP command seeds, so its games are not a function of the seed.
    match = play_match(othello, [f"gtp:{RHINO}", "greedy"], 4, seed=1, opening=4)
    assert not match.forfeits
    assert match.scores().mean() > 0.8


def test_setup_commands(othello, command):
    good = play_match(othello, [f"nboard:{command('othello_engine.py', 'nboard')}?setup=set depth 4", "random"], 1, 1)
    assert not good.forfeits
    agent = make_agent(f"gtp:{command('othello_engine.py', 'gtp')}?setup=level 3; strength 5", othello)
    with pytest.raises(AgentFailure, match=r"refused 'strength 5': unknown command"):
        agent.reset(0, 1)


@pytest.mark.parametrize(
    ("protocol", "fault", "cause"),
    [
        ("gtp", "resign", "resigned"),
        ("gtp", "nonsense", "othello: 'K10' is not a move; a move is a square from a1 to h8, or pass"),
        ("gtp", "illegal", "othello: action 0 (a1) is not legal for black; legal: d3 c4 f5 e6"),
        ("gtp", "banner", "answered 'thinking...' to 'genmove black', but GTP answers begin with = or ?"),
        ("gtp", "hang", "gave no answer within 0.4 s"),
        ("gtp", "mute", "does not know the GTP command 'genmove'"),
        ("nboard", "empty", "answered '===', which holds no move"),
        ("nboard", "drip", "gave no answer within 0.4 s"),
        ("nboard", "deaf", "gave no answer within 1 s"),
    ],
)
def test_faults_cost_the_game(protocol, fault, cause, othello, command):
    spec = f"{protocol}:{command('othello_engine.py', protocol, fault)}?move_time=0.4&start_time=1"
    match = play_match(othello, [spec, first], 1, seed=1)
    assert len(match.forfeits) == 2
    assert match.forfeits[0].cause == cause


def test_an_engine_that_refuses_a_legal_move(othello, command):
    match = play_match(othello, [first, f"gtp:{command('othello_engine.py', 'gtp', 'refuse')}"], 1, seed=1)
    assert match.forfeits[0].cause == "refused 'play black d3': illegal move"


def test_a_game_that_begins_in_the_middle(othello, command):
    middle = othello.start()
    middle.play(19)
    episode = Episode(othello, np.uint64(1), middle, [])
    gtp, nboard = (make_agent(f"{p}:{command('othello_engine.py', p)}", othello) for p in ("gtp", "nboard"))
    view = episode.position.observe(1), episode.mask(), episode.info(1, gtp)
    gtp.reset(1, 1)
    with pytest.raises(AgentFailure, match="cannot be given a game that begins with another position"):
        gtp(*view)
    nboard.reset(1, 1)
    assert nboard(*view) == 18
    nboard.close()


@pytest.mark.parametrize(("protocol", "name"), [("gtp", "GTP"), ("nboard", "NBoard")])
def test_only_othello_on_eight_by_eight(protocol, name):
    with pytest.raises(ValueError, match=rf"{name} engines play Othello on 8 × 8, not othello\?size=6"):
        make_agent(f"{protocol}:sh", make_game("othello?size=6"))
    with pytest.raises(ValueError, match=rf"{name} engines play Othello on 8 × 8, not hanabi"):
        make_agent(f"{protocol}:sh", make_game("hanabi"))
