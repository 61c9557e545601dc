"""Agents that try to find out what comes: they compute keys backwards from their seed, and try small seeds.

One that succeeds gives the game up with an error, so that it is seen. As a program: `python cheat.py`, in JSON lines.
"""

import json
import sys

import numpy as np

from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.registry import make_game

MASK = 2**64 - 1
GOLDEN, A, B = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
AGENTS, AGENT_PATH = 16, 1 << 32
SEEDS, PAIRS, PAIRINGS, LEGS = 200, 2, 2, 2
ENOUGH = 4
"""Its own turns after which an agent compares rolls, at least eight of them: they do not agree by chance."""


def unshift(z, by):
    original = z
    for _ in range(3):
        original = z ^ (original >> by)
    return original


def unmix(z):
    z = unshift(z, 31) * pow(B, -1, 2**64) & MASK
    z = unshift(z, 27) * pow(A, -1, 2**64) & MASK
    return unshift(z, 30)


def mix(z):
    z = (z ^ z >> 30) * A & MASK
    z = (z ^ z >> 27) * B & MASK
    return z ^ z >> 31


def before(key, number):
    """The key from which `derive(key, number)` made this one."""
    return (unmix(key) - mix((number + GOLDEN) & MASK) * GOLDEN - 1) & MASK


def keys_behind(seed, seat):
    """Keys of the game's chance that may have led to an agent's seed."""
    whole = [seed] if seed >= 2**53 else [seed << 11 | low for low in range(2**11)]
    own = [before(guess, AGENTS + seat) for guess in whole]  # in gym.make and at the table, this is the game's
    pairs = [
        before(before(before(key, leg), pairing), AGENT_PATH)
        for key in own
        for leg in range(LEGS)
        for pairing in range(PAIRINGS)
    ]
    small = [int(child_key(seed_key(tried), pair)) for tried in (*range(SEEDS), seed) for pair in range(PAIRS)]
    return [*own, *pairs, *small]


class Cards:
    """For Hanabi: compares the hands that it sees with those that keys deal."""

    def reset(self, seat, seed):
        self.seat, self.keys = seat, keys_behind(seed, seat)

    def __call__(self, observation, action_mask, info):
        for key in self.keys if self.seat == 0 else []:
            if (Episode(info["game"], np.uint64(key), None, []).position.observe(0) == observation).all():
                raise RuntimeError("I know the deck")
        self.keys = []
        return int(action_mask.argmax())


class Dice:
    """For backgammon: compares the rolls of the game so far with those that keys give."""

    needs_state = True

    def reset(self, seat, seed):
        self.keys, self.asked = keys_behind(seed, seat), 0

    def __call__(self, observation, action_mask, info):
        self.asked += 1
        if self.asked == ENOUGH and any(agrees(info["game"], key, list(info["history"])) for key in self.keys):
            raise RuntimeError("I know the dice")
        return int(action_mask.argmax())


def agrees(game, key, history):
    """Whether the key gives all the chance in a history."""
    episode = Episode(game, np.uint64(key), None, [])
    while episode.history == history[: len(episode.history)]:
        if len(episode.history) == len(history):
            return True
        episode.play(history[len(episode.history)])
    return False


def main():
    cheat = Cards()
    for message in map(json.loads, sys.stdin):
        if message["type"] == "hello":
            game, answer = make_game(message["game"], **message["options"]), {"protocol": 1}
        elif message["type"] == "newgame":
            cheat.reset(message["seat"], message["seed"])
            continue
        elif message["type"] == "act":
            mask = np.zeros(game.actions, dtype=np.int8)
            mask[message["legal"]] = 1
            observation = np.array(message["observation"], dtype=np.int8).reshape(game.observation_shape)
            answer = {"action": cheat(observation, mask, {"game": game})}
        else:
            return
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
