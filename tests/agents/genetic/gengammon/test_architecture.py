"""How the genes of a network become its weights."""

import numpy as np
import pytest

from ludarium.agents.genetic.gengammon.architecture import Architecture


@pytest.mark.parametrize(("output", "genes"), [("sum", 208 * 3), ("weights", 208 * 3 + 3)])
def test_every_weight_but_the_biases_is_a_gene(output, genes):
    """In the order of the inputs; those of the outputs, if they are genes, come last."""
    architecture = Architecture("exact", 3, "tanh", output)
    assert architecture.genes == genes
    assert architecture.shapes == ((208 + 1, 3), (3 + 1, 1))
    genome = np.arange(genes, dtype=np.int16)
    network = architecture.expressed(genome, 2.0**15)  # a weight is as large as its gene
    assert network.hidden[:-1].ravel().tolist() == list(range(624))
    assert network.output[:-1].ravel().tolist() == ([624, 625, 626] if output == "weights" else [1, 1, 1])
    assert not network.hidden[-1].any()
    assert not network.output[-1].any()
