"""A JSON-lines bot that plays the first legal action and notes what it hears.

telling_bot.py FILE list|base64|none yes|no|view: yes to be sent positions, view to be sent views
"""

import json
import sys

file, observation, state = sys.argv[1:]
with open(file, "a", buffering=1) as heard:
    for line in sys.stdin:
        heard.write(line)
        message = json.loads(line)
        if message["type"] == "hello":
            wants = {"needs_state": state == "yes", "needs_view": state == "view"}
            print(json.dumps({"protocol": 1, "observation": observation, **wants}), flush=True)
        elif message["type"] == "act":
            print(f"playing {message['legal'][0]}", file=sys.stderr, flush=True)
            print(json.dumps({"action": message["legal"][0]}), flush=True)
