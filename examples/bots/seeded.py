"""A bot for any game in Python: plays at random.

Try: ludarium match othello "process:python3 examples/bots/seeded.py" greedy
"""

import json
import random  # noqa: TID251 (a separate program: nothing else uses its generator)
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"protocol": 1, "observation": "none"}), flush=True)
    elif message["type"] == "newgame":
        generator = random.Random(message["seed"])
    elif message["type"] == "act":  # in timed games message["clock"] says how much time is left
        print(json.dumps({"action": generator.choice(message["legal"])}), flush=True)
    elif message["type"] == "end":
        break
