"""Exact measures agree with other programs and with plain recursion, and losing lines lose."""

import itertools
import json
import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents.agent import Agent
from ludarium.agents.search.solver import after, solve
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import stream, uniform
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.kernels import OVER
from ludarium.envs.othello import Othello
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game
from ludarium.envs.tictactoe import TicTacToe
from ludarium.evaluation.measures.exact import PROBES, _chances, measure
from ludarium.evaluation.measures.graph import Graph


def first_legal(observation, mask, info):
    return int(mask.argmax())


class Declared(Agent):
    """Plays a fixed mixture, and says so."""

    def __init__(self, seed=1):
        self.name = "declared"
        self.weights = np.random.default_rng(seed).random(200) ** 3

    def distribution(self, observation, action_mask, info):
        weights = self.weights[: len(action_mask)] * action_mask
        return weights / weights.sum()


class Undeclared(Declared):
    """The same mixture, not declared."""

    def reset(self, seat, seed):
        self._stream = np.array([seed, 0], dtype=np.uint64)

    def __call__(self, observation, action_mask, info):
        chances = super().distribution(observation, action_mask, info)
        return int(np.searchsorted(np.cumsum(chances), uniform(self._stream), side="right"))

    def distribution(self, observation, action_mask, info):
        return None


def by_recursion(game, distribution, seat):
    """What an agent gets in a seat against a best reply: over positions in Python."""

    @cache
    def value(position):
        if position.over:
            return float(position.payoffs()[seat])
        replies = {action: value(after(position, action)) for action in position.legal_actions()}
        if position.turn != seat:
            return min(replies.values())
        chances = distribution(position)
        return sum(chances[action] * reply for action, reply in replies.items())

    return value(game.start())


def plays(game, line):
    """The finished position that a line in notation leads to."""
    position = game.start()
    for move in line:
        position.play(game.str_to_action(position, move))
    return position


def test_known_values_of_random_play():
    tictactoe, hexapawn = measure(TicTacToe(), "random"), measure(Hexapawn(), "random")
    assert tictactoe.nash_conv == pytest.approx(1.9196593915343914, abs=1e-12)  # by OpenSpiel: pyspiel.nash_conv
    assert hexapawn.nash_conv == 1.75
    assert (tictactoe.method, tictactoe.samples, tictactoe.positions) == ("exact", 0, 4520)
    # The best replies to random play win or draw so often, by another program.
    assert tictactoe.value_second == pytest.approx(1 - 2 * 0.99740, abs=1e-4)
    assert tictactoe.value_first == pytest.approx(1 - 2 * 0.96243, abs=1e-4)


@pytest.mark.parametrize("spec", ["hexapawn", "tictactoe?rows=3&columns=2&line=2", "hexapawn?rows=3&columns=4"])
def test_values_by_plain_recursion(spec):
    game, agent = make_game(spec), Declared()
    measures = measure(game, agent)
    values = [by_recursion(game, lambda p: agent.distribution(None, p.action_mask(), {}), s) for s in range(2)]
    assert (measures.value_first, measures.value_second) == pytest.approx(values, abs=1e-12)
    assert measures.nash_conv == pytest.approx(-sum(values), abs=1e-12)
    assert (measures.agent, measures.game, measures.method) == ("declared", game.spec, "exact")


# Positions of the game in which not all actions are worth the same, counted by another program.
CHOICES = {"hexapawn": 27, "hexapawn?rows=4&columns=4": 5073, "tictactoe": 3191, "othello?size=4": 7996}


@pytest.mark.parametrize("spec", CHOICES)
def test_positions_that_matter(spec):
    perfect = measure(make_game(spec), "perfect")
    assert (perfect.choices, perfect.optimal_action_rate) == (CHOICES[spec], 1)


@pytest.mark.parametrize("spec", ["hexapawn", "tictactoe"])
def test_optimal_action_rate(spec):
    game = make_game(spec)
    solution = solve(game)
    graph = Graph(solution)
    rates = []
    for position in map(graph.position, graph.decisions.tolist()):
        legal, best = position.legal_actions(), solution.optimal_actions(position)
        if len(best) < len(legal):
            rates.append(len(best) / len(legal))
    assert measure(game, "random").optimal_action_rate == pytest.approx(np.mean(rates))
    assert measure(TicTacToe(rows=2, columns=1, line=2), "random").optimal_action_rate == 1  # nothing to choose


@pytest.mark.parametrize(("spec", "value"), [("hexapawn", -1), ("tictactoe", 0), ("othello?size=4", -1)])
def test_perfect_play(spec, value):
    measures = measure(make_game(spec), "perfect")
    assert (measures.nash_conv, measures.value_first, measures.value_second) == (0, value, -value)
    assert "-0" not in str([measures.nash_conv, measures.value_first, measures.value_second])
    assert measures.method == "exact"
    assert measures.never_loses_second
    assert measures.never_loses_first == (value == 0)


def test_a_game_that_its_first_move_draws_is_worth_nothing_without_a_sign():
    graph = object.__new__(Graph)
    graph.turn, graph.payoff, graph.order = np.array([0, OVER]), np.zeros(2), np.array([1, 0])
    graph.first, graph.child = np.array([0, 1, 1]), np.array([1])
    assert [str(graph.value_against_best_response(np.ones(1), seat)) for seat in range(2)] == ["0.0", "0.0"]


def test_perfect_play_is_what_the_perfect_player_does():
    game = Hexapawn(rows=4)
    graph = Graph(solve(game))
    player = make_agent("perfect", game)
    chances = graph.perfect_play()
    for row in graph.decisions[::7].tolist():
        position = graph.position(row)
        answers = set()
        for seed in range(60):
            player.reset(position.turn, seed)
            answers.add(player(position.observe(0), position.action_mask(), {"game": game, "position": position}))
        edges = range(graph.first[row], graph.first[row + 1])
        assert answers == {int(graph.action[edge]) for edge in edges if chances[edge] > 0}
        assert sum(chances[edge] for edge in edges) == pytest.approx(1)


def test_lines_lose_and_are_shortest():
    game = Hexapawn()
    for agent in ("random", "greedy", first_legal):
        measures = measure(game, agent)
        for seat, line in enumerate((measures.refutation_first, measures.refutation_second)):
            assert line is not None
            assert plays(game, line).payoffs()[seat] < 0
    # Random play allows everything: no game is shorter.
    lines, positions = measure(game, "random"), [game.start()]
    shortest = len(lines.refutation_first), len(lines.refutation_second)
    for length in range(1, max(shortest) + 1):
        positions = [after(position, action) for position in positions for action in position.legal_actions()]
        for position in positions:
            assert not position.over or length >= shortest[int(position.payoffs()[1] < 0)]


def test_the_agent_plays_its_moves_of_a_refutation():
    """Also where lines of others, which come first by number, are as short."""

    def last_legal(observation, mask, info):
        return int(np.flatnonzero(mask)[-1])

    game = TicTacToe()
    measures = measure(game, last_legal)
    assert measures.method == "deterministic"
    assert measures.samples == PROBES
    for seat, line in enumerate((measures.refutation_first, measures.refutation_second)):
        position = game.start()
        for move in line:
            action = game.str_to_action(position, move)
            if position.turn == seat:
                assert action == last_legal(None, position.action_mask(), {})
            position.play(action)
        assert position.payoffs()[seat] == -1
    assert measures.nash_conv == 2
    assert not measures.never_loses_first


def test_a_drawing_and_a_losing_seat():
    """Whoever looks one action ahead never loses with x, and can lose with o."""
    measures = measure(TicTacToe(), "greedy", samples=30)
    assert (measures.method, measures.samples) == ("sampled", 30)
    assert (measures.value_first, measures.never_loses_first, measures.refutation_first) == (0, True, None)
    assert (measures.value_second, measures.never_loses_second) == (-1, False)


def test_games_that_pay_more_than_a_point():
    measures = measure(Othello(size=4, scoring="discs"), "perfect")
    assert (measures.value_first, measures.value_second) == (-8, 8)
    assert measure(Othello(size=4, scoring="discs"), "random").nash_conv > 10


def test_sampled_chances_come_near_the_declared():
    game = Hexapawn()
    declared, sampled = measure(game, Declared()), measure(game, Undeclared(), samples=1000, seed=3)
    assert (sampled.method, sampled.samples) == ("sampled", 1000)
    assert sampled.nash_conv == pytest.approx(declared.nash_conv, abs=0.03)
    assert sampled.optimal_action_rate == pytest.approx(declared.optimal_action_rate, abs=0.01)
    again = measure(game, Undeclared(), samples=20, seed=3)
    assert again == measure(game, Undeclared(), samples=20, seed=3)
    assert again != measure(game, Undeclared(), samples=20, seed=4)


def test_compiled_agents_and_the_same_through_python():
    game = Hexapawn()
    compiled = make_agent("greedy", game)

    class Slow(Agent):
        needs_state = True
        reset = staticmethod(compiled.reset)
        __call__ = staticmethod(compiled.__call__)

    slow, fast = measure(game, Slow(), samples=400), measure(game, "greedy", samples=400)
    assert (slow.value_first, slow.value_second, slow.method) == (fast.value_first, fast.value_second, "sampled")
    assert slow.optimal_action_rate == pytest.approx(fast.optimal_action_rate, abs=0.02)
    assert measure(game, "greedy").samples == 100
    assert measure(game, "mcts?simulations=20", samples=8) == measure(game, "mcts?simulations=20", samples=8)


def test_a_compiled_agent_gets_a_stream_for_each_position_and_number():
    game = Hexapawn()
    graph, player = Graph(solve(game)), make_agent("greedy", game)
    chances, method, samples = _chances(player, graph, 6, 3, lambda share: None)
    counts = np.zeros(len(chances))
    for row in graph.decisions.tolist():
        position, first = graph.position(row), graph.first[row]
        seen, mask = position.look(position.turn)
        actions = graph.action[first : graph.first[row + 1]].tolist()
        for number in range(6):
            action = player.policy.choose(game, position.data, seen, mask, stream(3, row, number))
            counts[first + actions.index(action)] += 1
    assert (method, samples) == ("sampled", 6)
    assert chances.tolist() == (counts / 6).tolist()


def test_progress_goes_to_the_end():
    for agent in (first_legal, Undeclared(), "greedy"):
        shares = []
        measure(Hexapawn(), agent, samples=8, progress=shares.append)
        assert all(a <= b for a, b in itertools.pairwise(shares))
        assert shares[-1] == 1
        if isinstance(agent, Undeclared):  # four answers in each of 70 positions, then four more
            assert shares == pytest.approx([*np.linspace(1 / 140, 1, 140), 1])


def test_positions_come_with_a_line_that_leads_there():
    seen = []

    def historian(observation, mask, info):
        position = info["game"].start()
        for action in info["history"]:
            position.play(action)
        assert position == info["position"]
        assert position.turn == info["seat"]
        seen.append(position)
        return int(mask.argmax())

    historian.needs_state = True
    assert measure(Hexapawn(), historian).positions == len(set(seen)) == 70


def test_agents_are_closed_by_whom_they_were_made(monkeypatch):
    closed = []

    class Bot(Agent):
        def __call__(self, observation, action_mask, info):
            return int(action_mask.argmax())

        def close(self):
            closed.append(self)

    mine = Bot()
    measure(Hexapawn(), mine)
    assert not closed
    monkeypatch.setitem(sys.modules, "closing_bot", SimpleNamespace(Bot=Bot))
    measure(Hexapawn(), "closing_bot:Bot")
    assert len(closed) == 1


def test_a_function_may_declare_its_chances():
    def uniform_play(observation, mask, info):
        raise AssertionError("nobody needs to ask")

    uniform_play.distribution = lambda observation, mask, info: mask / mask.sum()
    assert measure(Hexapawn(), uniform_play).nash_conv == pytest.approx(1.75)
    assert make_agent(first_legal, Hexapawn()).distribution(None, np.ones(27, dtype=np.int8), {}) is None


@pytest.mark.parametrize(
    "declared",
    [[0.5, 0.5], np.full(27, 1 / 27), np.zeros(27), np.full(27, np.nan), "half", object()],
    ids=["shape", "illegal actions", "sum", "nan", "text", "object"],
)
def test_declared_chances_that_cannot_be(declared):
    class Wrong(Agent):
        name = "wrong"

        def distribution(self, observation, action_mask, info):
            return declared

    told = r"^[^\n]*of agent 'wrong' must have shape \(27,\), be 0 where not legal and sum to 1, in [^\n]*$"
    with pytest.raises(ValueError, match=told):
        measure(Hexapawn(), Wrong())


def _never_legal(game, state, observation, mask, block, stream):
    return -1


def broken(observation, mask, info):
    raise RuntimeError("no more")


@pytest.mark.parametrize(
    ("game", "agent", "samples", "told"),
    [
        ("hexapawn", broken, 4, r"exact: the agent 'broken' raised RuntimeError\('no more'\) in position p"),
        ("hexapawn", lambda *shown: 99, 4, "returned action 99 that is not legal in .*; legal: a1a2 b1b2 c1c2"),
        ("hexapawn", Policy(_never_legal), 4, "returned an action that is not legal in position ppp/.../PPP w; "),
        ("hexapawn", "random", 3, "samples must be at least 4, not 3"),
        ("backgammon", "random", 4, "backgammon cannot be solved"),
    ],
)
def test_what_cannot_be_measured(game, agent, samples, told):
    with pytest.raises(ValueError, match=told):
        measure(make_game(game), agent, samples=samples)


class Leaving(Agent):
    """Ends the process, or so it wants, in one of its methods."""

    name = "leaving"

    def __init__(self, method):
        setattr(self, method, lambda *question: sys.exit())

    def answer(self, observation, action_mask, info):
        return int(action_mask.argmax())

    def __call__(self, observation, action_mask, info):
        return self.answer(observation, action_mask, info)


@pytest.mark.parametrize("method", ["reset", "distribution", "answer"])
def test_agents_that_want_to_end_the_process(method):
    with pytest.raises(ValueError, match=r"exact: the agent 'leaving' raised SystemExit\(\) in position p"):
        measure(Hexapawn(), Leaving(method))


def test_an_agent_that_wants_to_end_the_process_when_it_is_closed(monkeypatch):
    bot = type("Bot", (Leaving,), {"__init__": lambda self: Leaving.__init__(self, "close")})
    monkeypatch.setitem(sys.modules, "leaving_bot", SimpleNamespace(bot=bot))
    assert measure(Hexapawn(), "leaving_bot:bot").method == "deterministic"


def test_the_command(output):
    data = json.loads(output("exact", "hexapawn", "--agent", "random", "--json"))
    assert data["nash_conv"] == 1.75
    assert (data["value_first"], data["value_second"]) == (-1, -0.75)
    assert (data["never_loses_first"], data["never_loses_second"]) == (False, False)
    assert data["optimal_action_rate"] == pytest.approx(0.537, abs=1e-3)
    assert data["refutation_second"] == ["a1a2", "b3b2", "c1c2"]
    told = [" ".join(line.split()) for line in output("exact", "hexapawn", "--agent", "random").splitlines()]
    assert "second -0.7500 no a1a2 b3b2 c1c2" in told
    assert told[-1] == f"NashConv 1.7500 optimal actions {100 * data['optimal_action_rate']:.2f} %"
    out = output("exact", "hexapawn", "--agent", "perfect")
    assert all(words in out for words in ("NashConv 0.0000", "optimal actions 100.00 %", "+1.0000"))
    out = output("exact", "tictactoe", "--agent", "greedy", "--samples", "10")
    assert "no loss seen" in out
    assert "10 answers in each" in out
