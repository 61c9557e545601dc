"""Many games at the table at once: how long a page waits for answers. `python benchmarks/table_load.py --games 50`.

Each game is played by a client of its own, with a pause before each move, against a random agent; the server runs in a
process of its own. Printed are the times of all answers to a played move, and of the next position's arrival.
"""

import argparse
import http.client
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

COMMAND = [sys.executable, "-P", "-c", "from ludarium.evaluation.cli import main; main()", "table", "--no-browser"]


class Player(threading.Thread):
    """Plays whole games over one connection, and notes how long each answer took."""

    def __init__(self, port: int, token: str, game: str, pause: float, stop: float) -> None:
        super().__init__()
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        self.game, self.pause, self.stop = game, pause, stop
        self.played: list[float] = []
        self.answered: list[float] = []

    def call(self, method: str, path: str, body: Any = None) -> Any:
        self.connection.request(method, f"/api/{path}", None if body is None else json.dumps(body), self.headers)
        return json.loads(self.connection.getresponse().read())

    def run(self) -> None:
        while time.monotonic() < self.stop:
            key = self.call("POST", "tables", {"game": self.game, "seats": ["me", "random"]})["key"]
            state = self.turn(key)
            while not state["over"] and time.monotonic() < self.stop:
                time.sleep(self.pause)
                body = {"action": state["view"]["moves"][0]["action"], "version": state["version"]}
                began = time.perf_counter()
                self.call("POST", f"tables/{key}/play", body)
                self.played.append(time.perf_counter() - began)
                state = self.turn(key)
                self.answered.append(time.perf_counter() - began)

    def turn(self, key: str) -> Any:
        while True:
            state = self.call("GET", f"tables/{key}")
            if state["over"] or state["turn"] in state["people"]:
                return state
            time.sleep(0.005)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--game", default="othello")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between a player's moves")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [*COMMAND, "--port", "0", "--games", f"{folder}/games.db"]
        serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert serving.stdout is not None
        address = re.search(r":(\d+)/#([\w-]+)", serving.stdout.readline())
        assert address
        try:
            warm = Player(int(address[1]), address[2], args.game, 0, time.monotonic() + 1)
            warm.start()
            warm.join()
            stop = time.monotonic() + args.seconds
            players = [Player(int(address[1]), address[2], args.game, args.pause, stop) for _ in range(args.games)]
            for player in players:
                player.start()
                time.sleep(args.pause / args.games)  # people do not move in step
            for player in players:
                player.join()
        finally:
            serving.terminate()
            serving.wait(10)
    for name in ("played", "answered"):
        times = sorted(second * 1000 for player in players for second in getattr(player, name))
        line = f"median {statistics.median(times):.1f}, p95 {times[int(len(times) * 0.95)]:.1f}"
        print(f"{name}: {len(times)} moves, ms: {line}, p99 {times[int(len(times) * 0.99)]:.1f}, most {times[-1]:.1f}")


if __name__ == "__main__":
    main()
