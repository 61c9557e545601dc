"""Chance: named, counter-based random streams.

A stream is two numbers, a key and a counter, and draw number i of a stream is a fixed function of both: SplitMix64
(Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators") with random access. Keys come from a seed
and a path of numbers, for example (seed, episode, `DEALING`). So the dice of a game depend on nothing but its seed:
not on who plays, the batch size, the number of threads or the machine.

Keys can be computed backwards, and small seeds can be tried. So nobody who may not know what comes is given a key:
agents in Python get seeds that a one-way hash makes of keys, and strangers meet in games with a `secret_seed`.

The same functions serve Python and compiled code: a stream is a `uint64` array `[key, draws so far]`.
"""

import hashlib
import operator
import secrets
from typing import Any

import numpy as np

from ludarium.envs import kernels
from ludarium.envs.jit import jit
from ludarium.envs.kernels import SAMPLE_CHANCE

# The streams of one game. Each is a path element after the game's own number.
DEALING = 1
"""Dice, decks: the chance nodes."""
SEATING = 2
"""Who sits where."""
OPENING = 3
"""Random opening moves."""
LINE_UP = 4
"""Which of several line-ups of opponents plays."""
AGENTS = 16
"""`AGENTS + seat`: the private randomness of the agent in that seat."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_A, _B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11, _32, _ONE = (np.uint64(n) for n in (30, 27, 31, 11, 32, 1))


@jit
def mix(z: Any) -> Any:
    """SplitMix64's finaliser: a bijection of 64-bit numbers."""
    z = np.uint64(z)
    z = (z ^ (z >> _30)) * _A
    z = (z ^ (z >> _27)) * _B
    return z ^ (z >> _31)


@jit
def derive(key: Any, number: Any) -> Any:
    """The key one path element further: `derive(key, 3)` and `derive(key, 4)` are independent streams."""
    return mix(np.uint64(key) + mix(np.uint64(number) + _GOLDEN) * _GOLDEN + _ONE)


@jit
def bits(stream: Any) -> Any:
    """The next 64 random bits of a stream."""
    stream[1] += _ONE
    return mix(stream[0] + stream[1] * _GOLDEN)


@jit
def unit(random_bits: Any) -> Any:
    """A number in [0, 1) from 64 random bits, the first 53 of which count."""
    return np.float64(np.uint64(random_bits) >> _11) * (1.0 / 9007199254740992.0)


@jit
def uniform(stream: Any) -> Any:
    """The next draw from [0, 1)."""
    return unit(bits(stream))


@jit
def scale(random_bits: Any, n: Any) -> Any:
    """A number in 0..n-1 from 64 random bits, for n < 2³²: multiply and shift, bias below n / 2³²."""
    return np.int64(((np.uint64(random_bits) >> _32) * np.uint64(n)) >> _32)


@jit
def below(stream: Any, n: Any) -> Any:
    """The next draw from 0..n-1, for n < 2³²."""
    return scale(bits(stream), n)


@jit
def draw(game: Any, state: Any, probabilities: Any, stream: Any) -> int:
    """A chance outcome: the first whose cumulative probability exceeds the stream's next uniform draw."""
    random_bits = bits(stream)
    if game[SAMPLE_CHANCE] != 0:
        return kernels.sample_chance(game, state, random_bits)
    return outcome_at(probabilities, kernels.outcomes(game, state, probabilities), unit(random_bits))


@jit
def outcome_at(probabilities: Any, count: int, u: float) -> int:
    """The first of `count` outcomes whose cumulative probability exceeds `u`."""
    for outcome in range(count):
        u -= probabilities[outcome]
        if u < 0.0:
            return outcome
    while count > 0 and probabilities[count - 1] == 0.0:  # rounding may leave a little
        count -= 1
    return count - 1


@jit
def weighted(weights: Any, key: Any) -> Any:
    """A number in 0..n-1 with probabilities in proportion to n weights, a function of the key."""
    total = 0.0
    for number in range(len(weights)):  # `sum` compiles ten times as long
        total += weights[number]
    u, last = unit(mix(key)) * total, 0
    for number in range(len(weights)):
        if weights[number] > 0.0:
            if u < weights[number]:
                return number
            u, last = u - weights[number], number
    return last  # rounding may leave a little


def seed_key(seed: int, *path: int) -> np.uint64:
    """The key of a seed and a path.

    Raises:
        TypeError: if the seed is not an integer.
        ValueError: if the seed is negative.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed must be an integer of at least 0, not {seed!r}") from None
    if number < 0:
        raise ValueError(f"seed must be an integer of at least 0, not {seed!r}")
    if number < 2**64:
        return child_key(np.uint64(mix(np.uint64(number))), *path)
    return child_key(np.uint64(_one_way(number.to_bytes(-(-number.bit_length() // 8)), b"")), *path)


def secret_seed() -> int:
    """A seed of 128 bits that nobody can guess."""
    return secrets.randbits(128)


def is_secret(seed: int) -> bool:
    """Whether a seed is large enough for a `secret_seed`, one in 10¹⁹ of which is smaller."""
    return seed >= 2**64


def one_way(key: np.uint64, number: int) -> int:
    """64 bits that tell nothing about the key, from which they are made by a keyed hash (BLAKE2b, RFC 7693)."""
    return _one_way(number.to_bytes(8), int(key).to_bytes(8))


def _one_way(message: bytes, key: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(message, digest_size=8, key=key).digest())


def child_key(key: np.uint64, *path: int) -> np.uint64:
    """The key at the end of a path from `key`: `derive` for Python code."""
    for element in path:
        key = np.uint64(derive(key, np.uint64(element)))
    return key


def stream(seed: int, *path: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A new stream, shape (2,) uint64: `[key, 0]`."""
    return np.array([seed_key(seed, *path), 0], dtype=np.uint64)
