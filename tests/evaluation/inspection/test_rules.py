"""How often rules fire, and what they mean."""

import numpy as np
import pytest

from ludarium.evaluation.inspection.games import decisions_against_random, position_of
from ludarium.evaluation.inspection.population import find_population
from ludarium.evaluation.inspection.rules import _seen_meaning, fired_rules, inspect_rules


def inspected(folder, games=40, seed=0):
    population, member = find_population(str(folder))
    return inspect_rules(population.game, population.agent(member), games, seed)


def test_each_tactical_rule_is_known_for_what_it_is(tactical_run):
    found = inspected(tactical_run)
    assert found.tactical_share == 1
    assert found.entries == 48
    verbs = [one.meaning.verb for one in sorted(found.rules)]
    assert verbs == ["wins"] * 24 + ["blocks"] * 24
    texts = {one.meaning.text for one in found.rules}
    assert len(texts) == 16
    assert {"wins: completes the row a1 b1 c1", "blocks the diagonal c1 b2 a3"} < texts
    assert 0 < found.rule_moves < found.moves


def test_the_rules_that_fire_most_come_first(tactical_run):
    found = inspected(tactical_run)
    counts = [one.fired for one in found.rules]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == found.rule_moves
    assert all((one.positions > 0) == (one.fired > 0) and one.positions <= one.fired for one in found.rules)


@pytest.mark.parametrize("symmetry", [False, True])
def test_the_rule_that_fired_is_one_that_could(write_rules, symmetry):
    """Also where several are drawn from, and in several images; where none could, none did."""
    folder = write_rules(
        "tictactoe", ("V********", 0), ("**V******", 2), ("V********", 0), ("P***V****", 4, 1.0), symmetry=symmetry
    )
    population, _ = find_population(str(folder))
    game, agent = population.game, population.agent(0)
    watched = decisions_against_random(game, agent.policy, 60, 5)
    fired = fired_rules(game, agent, watched)
    for state, action, rule in zip(watched.states, watched.actions, fired, strict=True):
        position = position_of(game, state)
        candidates = agent._fired(position.observe(position.turn), position.action_mask())
        assert (rule == -1) == (len(candidates) == 0)
        assert rule == -1 or (rule, action) in set(map(tuple, candidates.tolist()))
    assert {0, 2, 3, -1} <= set(fired.tolist())


def test_elsewhere_a_rule_does_what_it_did_wherever_it_fired(write_rules):
    """In hexapawn: a pawn's last step wins; a step that sometimes wins and sometimes does not is neither."""
    last_step, first_step, hopeless = 4 * 3 + 1, 0 * 3 + 1, 0 * 3 + 2
    folder = write_rules(
        "hexapawn", ("****P**V*", last_step, 2.0), ("P**V*****", first_step, 1.0), ("VVVVVV***", hopeless, -1.0)
    )
    found = {one.number: one for one in inspected(folder, 100).rules}
    assert found[0].meaning == ("wins", f"wins in all {found[0].positions} positions")
    assert found[1].meaning == ("", "")
    assert found[1].positions > 1
    assert found[2].fired == found[2].positions == 0
    assert found[2].meaning == ("", "")


@pytest.mark.parametrize(
    ("did", "positions", "meaning"),
    [
        ([1, 1], 2, ("wins", "wins in all 2 positions")),
        ([2, 2], 1, ("blocks", "blocks in its one position")),
        ([1, 0], 2, ("", "")),
        ([2, 1], 2, ("", "")),
        ([0, 0], 2, ("", "")),
        ([], 0, ("", "")),
    ],
)
def test_only_what_all_moves_did_counts(did, positions, meaning):
    assert _seen_meaning(np.array(did, dtype=np.int64), positions) == meaning


def test_a_rule_that_blocks_wherever_it_fired(write_rules):
    """In hexapawn from the second seat: the pawn that came through in the middle is taken."""
    taking = 0 * 3 + 2  # a1xb2, as the mover sees it
    folder = write_rules("hexapawn", ("PPP*C****", taking, 1.0))
    (one,) = inspected(folder, 200).rules
    assert one.fired > 10
    assert one.meaning.verb == "blocks"
    assert one.meaning.text in (f"blocks in all {one.positions} positions", "blocks in its one position")


def test_it_is_a_function_of_the_seed(tactical_run):
    def counts(seed):
        return [(one.number, one.fired) for one in inspected(tactical_run, seed=seed).rules]

    assert counts(1) == counts(1) != counts(2)


def test_empty_places_are_no_rules(tactical_run):
    population, member = find_population(f"gaia:{tactical_run}?member=1")
    found = inspect_rules(population.game, population.agent(member), 4, 0)
    assert found.rules == []
    assert found.rule_moves == found.tactical_share == 0
    assert np.isfinite(found.moves)
