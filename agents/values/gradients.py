"""The gradient of a network with one hidden layer, compiled: the chain rule, from the outputs back to the inputs.

The two functions add to slopes of their own, over many positions; or to the weights themselves, and so take a step at
once. Between them, the caller multiplies by the derivatives of the hidden units.
"""

from typing import Any

from ludarium.envs.jit import jit


@jit
def go_back(error: Any, step: Any, units: Any, output: Any, out: Any, back: Any) -> None:
    """Add the slopes of the output weights, and write those of the hidden units.

    Args:
        error: the slopes of what the outputs add up, shape (outputs,) float32: for a softmax and the cross-entropy,
            what is missing from each output. So they are the slopes of the biases, too.
        step: what is added is multiplied by it, float32.
        units: what the hidden units put out, shape (units,) float32.
        output: the output weights, shape (outputs, units) float32.
        out: what the slopes are added to, like `output`, or `output` itself.
        back: written, shape (units,) float32.
    """
    back[:] = 0
    for k in range(len(error)):
        one, row, slopes = error[k], output[k], out[k]
        for unit in range(len(back)):
            back[unit] += one * row[unit]
            slopes[unit] += step * units[unit] * one


@jit
def add_slopes(which: Any, what: Any, back: Any, out: Any) -> None:
    """Add the slopes of the hidden weights for a row of inputs; the bias is up to the caller.

    Args:
        which: the numbers of the inputs that are not 0, shape (n,), an integer type.
        what: these inputs, shape (n,) float32.
        back: the slopes of what the hidden units add up, shape (units,) float32.
        out: what the slopes are added to, shape (inputs, units) or more float32.
    """
    for i in range(len(which)):
        number, value = which[i], what[i]
        for unit in range(len(back)):
            out[number, unit] += value * back[unit]
