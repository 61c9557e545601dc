"""The preset `seed`: the original, its children, its twins, and its members."""

import numpy as np
import pytest

from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon import GENGAMMON
from ludarium.agents.genetic.gengammon.breeding import offspring
from ludarium.agents.learning.parallel import workers
from ludarium.agents.specs import make_agent
from ludarium.envs.registry import make_game


def test_the_defaults_are_those_of_the_original(few):
    learner = GENGAMMON.learner({"game": "backgammon", "decisions": few})
    assert learner.architecture.genes == 1352
    assert (learner.fitness, learner.mutation, learner.crossover) == ("v3", "swap", "weights")
    assert learner.contradicting == "first"
    network = learner.network(learner.start(make_game("backgammon")))
    assert learner.architecture.seen == "stacks"  # products overflow: each number of checkers has a weight of its own
    assert (network.output[:-1] == 1).all()  # the score is the sum of the hidden units
    assert not network.hidden[-1].any()  # without bias


@pytest.mark.parametrize(
    ("crossover", "number", "takes"),
    [
        ("weights", 0, "genes"),
        ("bits", 0, "bits"),
        ("none", 0, "one"),
        ("alternate", 0, "genes"),
        ("alternate", 1, "bits"),
    ],
)
def test_children_take_genes_or_bits_from_their_parents(learner, crossover, number, takes):
    own = learner("seed", crossover=crossover, mutation_rate=0, alternate_every=1, tournament=1)
    draws, genes = np.random.default_rng(1), np.repeat(np.array([[0], [-1]], dtype=np.int16), 100, axis=1)
    children = offspring(draws, genes, np.arange(2), 20, own._variation(number))
    whole = np.isin(children, (0, -1))
    assert whole.all() == (takes != "bits")
    assert (children == children[:, :1]).all() == (takes == "one")


def test_crossovers_alternate_and_creeps_become_smaller(learner):
    own = learner("seed", crossover="alternate", alternate_every=2, generations=10, mutation="creep", creep=0.2)
    variations = [own._variation(number) for number in range(5)]
    assert [one.crossover for one in variations] == ["weights", "weights", "bits", "bits", "weights"]
    assert [one.creep for one in variations] == pytest.approx([0.2, 0.18, 0.16, 0.14, 0.12])


@pytest.mark.parametrize("activation", ["wrap", "tanh"])
def test_it_learns_to_imitate(learner, learn, activation):
    options = {"population": 30, "generations": 40, "batch": 100, "hidden": 6, "gene_scale": 0.1}
    means = [line["mean"] for line in learn(learner("seed", activation=activation, **options))[1]]
    assert np.mean(means[-5:]) > np.mean(means[:5]) + 0.05


def test_agents_are_the_champion_and_the_members(tmp_path, trained, play):
    trained(tmp_path / "run", "seed")
    game = make_game("backgammon")
    agents = [make_agent(f"gengammon:{tmp_path / 'run'}{text}", game) for text in ("", "?member=0", "?member=7")]
    champion, first, last = (play(game, agent.policy, pubeval(game), 10).tolist() for agent in agents)
    assert champion == first != last


def test_between_generations_the_elites_keep_their_points_and_others_are_newborn(learner):
    own, game = learner("seed", population=6, generations=3), make_game("backgammon")
    arrays = own.start(game)
    with workers("threads", 1) as serial:
        own.generation(game, arrays, 0, serial)
        notes = own.merits(arrays)
        own.generation(game, arrays, 2, serial)
    assert [note == "newborn" for note in notes] == [False] * own.elites + [True] * 4
    assert "newborn" not in own.merits(arrays)  # nobody breeds after the last one
