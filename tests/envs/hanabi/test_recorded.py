"""Recorded games: the conformance file with its packed observations, and games of a trained agent with their scores."""

import gzip
import hashlib
import json
from pathlib import Path

import numpy as np

from ludarium.envs.hanabi import Hanabi
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.position import Position


def deal(position: Position, deck: list[int]) -> None:
    """Draw from the end of `deck` while it is chance's turn."""
    while position.turn == CHANCE:
        position.play(deck.pop())


def test_the_conformance_games_agree_in_every_bit(shared_data: Path) -> None:
    with gzip.open(shared_data / "hanabi" / "conformance_2-5_seats.jsonl.gz", "rt") as file:
        games = [json.loads(line) for line in file]
    assert len(games) == 246
    kinds = {(stored["p"], stored["obs"]) for stored in games}
    assert len(kinds) == 12
    hanabi = {(seats, observation): Hanabi(seats=seats, observation=observation) for seats, observation in kinds}
    for stored in games:
        position = hanabi[stored["p"], stored["obs"]].start()
        deck = stored["deck"][::-1]
        deal(position, deck)
        for number, action in enumerate(stored["actions"]):
            mask = int("".join(map(str, position.action_mask()[::-1])), 2)
            assert f"{mask:x}" == stored["legal"][number]
            seen = [position.observe(seat) for seat in range(stored["p"])]
            observations = [np.packbits(bits).tobytes().hex() for bits in seen]
            digest = hashlib.md5("".join(observations).encode()).hexdigest()[:12]
            assert digest == stored["obs_md5"][number]
            if "full" in stored:
                assert observations == stored["full"][number]
            before = position.payoffs()
            position.play(action)
            assert position.payoffs()[0] - before[0] == stored["reward"][number]
            deal(position, deck)
        assert position.turn == OVER
        assert position.payoffs().tolist() == [stored["score"]] * stored["p"]


def test_the_games_of_a_trained_agent_have_their_scores(shared_data: Path) -> None:
    with gzip.open(shared_data / "hanabi" / "recorded_2_seats_2000.txt.gz", "rt") as file:
        games = [line.split() for line in file if not line.startswith("#")]
    assert len(games) == 2000
    game = Hanabi()
    for letters, moves, score in games:
        position = game.start()
        deck = [ord(letter) - ord("a") for letter in reversed(letters)]
        deal(position, deck)
        for move in moves:
            position.play(ord(move) - ord("a"))
            deal(position, deck)
        assert position.turn == OVER
        assert position.payoffs().tolist() == [int(score)] * 2
