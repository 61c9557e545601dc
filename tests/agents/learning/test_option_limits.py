"""The options of every preset of every evolver: what each is if it is not given, and which values it may have."""

import re
from dataclasses import fields

import pytest

from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.registry import learner_presets

GAMES = {"ifthen": "hexapawn", "gaia": "tictactoe", "minimax": "othello?size=4", "gengammon": "backgammon",
         "lcs": "hanabi"}  # fmt: skip
SHARED = {field.name: field.default for field in fields(Evolver) if field.name != "game"}
COMMON = """
    seed 0 (0 to 18446744073709551615); checkpoints 10 (1 to 1000000); test_games 400 (2 to 10000000); games
    0 (0 to 1000000000000); generations 0 (0 to 1000000000000); population 100 (1 to 10000); selection
    'merit' ('merit', 'none'); breeding 'parents' ('parents', 'founders', 'none')
"""
OPTIONS = {
    "ifthen seed": """
        games 10000; games_per_comparison 1 (1 to 1000000000000); founder_limit 0.05 (0 to 1); randomness_rate
        0.05 (0 to 1); record_on 'win' ('win', 'win+draw'); overwrite_on_win False; forget_on_loss False;
        symmetry False; rematch 0 (0 to 1000000000000); win_rate_window 'lifetime' ('lifetime', 'generation');
        rerandomise_limit 1.0 (0 to 1); randomness_inheritance 'code' ('code', 'text'); missing_genes 'union'
        ('union', 'drop')
    """,
    "ifthen modern": """
        games 10000; population 8; symmetry True; windows 4 (0 to 1000000000000); capacity 32768 (0 to
        1000000000000); games_per_comparison 2 (1 to 1000000000000); founder_limit 1.0 (0 to 1); randomness_rate
        0.5 (0 to 1)
    """,
    "ifthen single": """
        games 10000; population 1; symmetry True; windows 4 (0 to 1000000000000); capacity 32768 (0 to
        1000000000000)
    """,
    "gaia seed": """
        games 50000; population 40; selection 'best-50'; rules 100 (1 to 250000); symmetry False; priorities 4
        (1 to 1000000); games_per_pair 5 (1 to 1000000000000); mutation 0.01 (0 to 1); mutation_spread 1.0 (0 to
        1000000000); parents 'order' ('order', 'random'); players 'random' ('order', 'random'); mutate_equal
        False; crowding 1.0 (0 to 1); communicate False; wildcards 0.25 (0 to 1); rigged 0.0 (0 to 1); heavier
        False; no_repeats False; light_weight 0.0 (-1000000000 to 1000000000); light_every 0 (0 to
        1000000000000); inherit_weight True; accumulate True; average False
    """,
    "gaia modern": """
        games 50000; population 20; selection 'best-50'; rules 100 (1 to 500000); symmetry True; games_per_pair
        20 (1 to 1000000000000); mutation 0.1 (0 to 1); memory 16384 (1 to 16777216); explore 0.75 (0 to 1);
        breedings 4 (1 to 1000000000000); windows 4 (0 to 1000000000000); rule_cost 4.0 (0 to 1000000000)
    """,
    "gaia alone": """
        games 2000000; population 10; selection 'best-50'; rules 40 (1 to 1000000); symmetry True; tests 200 (2
        to 1000000); season 10 (1 to 1000000); kept 0.8 (0 to 1); noise 0.7 (0 to 1)
    """,
    "minimax seed": """
        test_games 100; games 1274; generations 14; population 14; crossover True; features 'six'; search 'beam'
        ('beam', 'alphabeta', 'one-ply'); depth 10 (1 to 10000); width 3 (1 to 64); draw 'rank' ('rank',
        'best'); draw_at_root True; replacement False; view 'mover' ('mover', 'searcher'); gene_limit 1000 (1 to
        10000); games_per_pair 1 (1 to 100000); draw_points 0.0 (0 to 1); fitness_window 'generation'
        ('generation', 'lifetime'); mutation 0.6666666666666666 (0 to 1)
    """,
    "minimax modern": """
        test_games 100; games 120000; population 24; crossover True; features 'phases'; search 'alphabeta'
        ('beam', 'alphabeta', 'one-ply'); depth 4 (1 to 10000); opening 8 (0 to 1000); spread 1.0 (1e-09 to
        1000000000.0); rivals 20 (1 to 100000); hall_of_fame 200 (1 to 100000); anchors ''
    """,
    "minimax tuples": """
        test_games 100; games 300000; population 320; crossover True; opening 8 (0 to 1000); spread 0.02 (1e-09
        to 1000000000.0); rivals 1 (1 to 100000); hall_of_fame 200 (1 to 100000); anchors 'wpc+wpc'; tuples
        'all-2'; opening_varies True; noise 0.1 (0 to 1); lessons 1000 (0 to 1000000); lessons_until 0.3 (0.001
        to 1); alpha 1.0 (1e-06 to 10)
    """,
    "gengammon seed": """
        generations 1000; inputs 'counts' ('counts', 'tesauro', 'exact', 'stacks', 'threats'); hidden 26 (1 to
        2000); activation 'wrap' ('identity', 'tanh', 'sigmoid', 'relu', 'cubic', 'wrap'); output 'sum' ('sum',
        'weights'); decisions ''; batch 1000 (0 to 10000000); contradicting 'first' ('all', 'first',
        'majority'); fitness 'v3' ('v1', 'v2', 'v3', 'v3-literal', 'v3-coded', 'likelihood'); reference 'best'
        ('best', 'next'); tournament 3 (1 to 1000000000); elites 2 (0 to 1000000000000); gene_scale 0.2 (1e-06
        to 1000); founders 1.0 (0 to 1); mutation 'swap' ('swap', 'bit', 'both', 'creep'); mutation_rate 1.0 (0
        to 1000000); creep 0.1 (0 to 1000); crossover 'weights' ('weights', 'bits', 'alternate', 'none');
        alternate_every 100 (1 to 1000000000)
    """,
    "gengammon modern": """
        generations 6000; inputs 'threats' ('counts', 'tesauro', 'exact', 'stacks', 'threats'); hidden 100 (1 to
        2000); activation 'cubic' ('identity', 'tanh', 'sigmoid', 'relu', 'cubic'); output 'weights' ('sum',
        'weights'); decisions ''; batch 1000 (0 to 10000000); origin ''; alpha 0.01 (1e-06 to 1000); decay 0.1
        (0 to 10); first_spread 0.1 (1e-06 to 1000); validation 0.05 (0 to 0.5); spread 0.05 (1e-06 to 1000);
        mutants 8 (1 to 100)
    """,
    "gengammon judged": """
        generations 20000; inputs 'threats' ('counts', 'tesauro', 'exact', 'stacks', 'threats'); hidden 100 (1
        to 2000); activation 'cubic' ('identity', 'tanh', 'sigmoid', 'relu', 'cubic'); output 'outcomes'
        ('outcomes'); decisions ''; batch 500 (0 to 10000000); origin ''; alpha 0.01 (1e-06 to 1000); decay 0.0
        (0 to 10); first_spread 0.1 (1e-06 to 1000); validation 0.0 (0 to 0.5); spread 0.02 (1e-06 to 1000);
        mutants 24 (1 to 100)
    """,
    "gengammon games": """
        games 1400000; generations 700; inputs 'threats' ('counts', 'tesauro', 'exact', 'stacks', 'threats');
        hidden 40 (1 to 2000); activation 'cubic' ('identity', 'tanh', 'sigmoid', 'relu', 'cubic'); output
        'weights' ('sum', 'weights', 'outcomes'); decisions ''; batch 500 (0 to 10000000); origin ''; alpha 0.01
        (1e-06 to 1000); decay 0.0 (0 to 10); first_spread 0.1 (1e-06 to 1000); spread 0.1 (1e-06 to 1000)
    """,
    "gengammon backprop": """
        generations 2000; inputs 'threats' ('counts', 'tesauro', 'exact', 'stacks', 'threats'); hidden 100 (1 to
        2000); activation 'cubic' ('identity', 'tanh', 'sigmoid', 'relu', 'cubic'); output 'weights' ('sum',
        'weights', 'outcomes'); decisions ''; batch 1000 (0 to 10000000); origin ''; alpha 0.01 (1e-06 to 1000);
        decay 0.1 (0 to 10); first_spread 0.1 (1e-06 to 1000); validation 0.05 (0 to 0.5)
    """,
    "lcs seed": """
        test_games 2000; games 20000; population 1; beliefs 'marginal' ('marginal', 'exact'); rules 100 (1 to
        1000); conditions 4 (1 to 8); season 10 (1 to 10000); alpha 0.9 (0 to 1); reward_played 1.0 (-1000 to
        1000); reward_misplayed -2.0 (-1000 to 1000); reward_repeated -0.5 (-1000 to 1000); reward_final 1.0
        (-1000 to 1000); credit 'score' ('score', 'td'); fitness 'momentum' ('momentum', 'samuel', 'accuracy');
        caution 1.0 (0 to 10); explore 0.0 (0 to 1); modified 0.1 (0 to 1); tournament 4 (1 to 1000); sigma
        'literal' ('literal', 'anneal', 'self'); rate 0.1 (0 to 10); crossover True; given_hint False; covering
        False; protect 0 (0 to 1000000000); keep_parent False; other_seats ''
    """,
    "lcs modern": """
        test_games 2000; games 2000000; population 16; beliefs 'marginal' ('marginal', 'exact'); origin
        'random'; rules 40 (1 to 1000); conditions 5 (1 to 8); founders 320 (1 to 100000); decks 2000 (10 to
        100000); islands 0 (0 to 16); season 16 (0 to 10000); crossover True; credit True; covering True;
        other_seats ''; partners ''
    """,
    "lcs thresholds": """
        test_games 2000; games 600000; population 1; beliefs 'marginal' ('marginal', 'exact'); origin 'hand';
        decks 400 (10 to 100000)
    """,
}

NARROWER = {
    "ifthen single": "population 1 (1 to 1)",
    "gaia seed": "selection 'best-50' ('best-50', 'best-10', 'best-20', 'best-40-worst-10', 'none')",
    "gaia modern": "selection 'best-50' ('best-50', 'best-10', 'best-20', 'best-40-worst-10', 'none')",
    "gaia alone": "selection 'best-50' ('best-50', 'none')",
    "gengammon games": "selection 'merit' ('merit')",
    "gengammon backprop": "selection 'merit' ('merit')",
}
"""What these presets allow of an option that all have; the others allow what `COMMON` says."""


def refusal(kind, option, value):
    """What is said of a value that is not allowed."""
    try:
        kind.from_options({"game": GAMES[kind.name], option: value})
    except ValueError as error:
        return str(error)
    return ""


def told(kind, option, usual):
    """An option, its usual value and its limits or choices, as the errors tell them."""
    named, of_text = f"{kind.name}: {option} must be ", refusal(kind, option, "x")
    least = re.match(f"{named}an integer of at least (.*), not", of_text)
    most = re.match(f"{named}an integer of at most (.*), not", refusal(kind, option, 10**20)) if least else None
    other = re.match(f"{named}(?:a number from|one of) (.*), not", of_text)
    limits = f" ({least[1]} to {most[1]})" if least and most else f" ({other[1]})" if other else ""
    return f"{option} {usual!r}{limits}"


@pytest.mark.parametrize("name", OPTIONS)
def test_options_have_these_values_and_limits(name):
    kind = learner_presets(name.split()[0]).kind(name.split()[1])
    learner = kind.from_options({"game": GAMES[kind.name]})
    settled = {option: getattr(learner, option) for option in SHARED}
    changed = [f"{option} {value!r}" for option, value in settled.items() if value != SHARED[option]]
    own = [field.name for field in fields(kind) if field.name not in SHARED and field.name != "game"]
    texts = changed + [told(kind, option, getattr(learner, option)) for option in own]
    assert texts == " ".join(OPTIONS[name].split()).split("; ")
    usual = learner_presets("ifthen").kind("seed")
    shared = [[told(one, *value) for value in settled.items()] for one in (kind, usual)]
    assert "; ".join(text for text in shared[0] if text not in shared[1]) == NARROWER.get(name, "")


def test_all_evolvers_share_these_limits():
    kind = learner_presets("ifthen").kind("seed")
    assert "; ".join(told(kind, option, usual) for option, usual in SHARED.items()) == " ".join(COMMON.split())


def test_no_preset_is_left_out():
    presets = {f"{name} {preset}" for name in GAMES for preset in learner_presets(name).names}
    assert presets == set(OPTIONS)
