"""A JSON-lines bot that does one thing wrong: `faulty_bot.py FAULT [FILE]`. The file gets the ids of its processes."""

import json
import os
import signal
import sys
import time

FAULT, FILE = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else os.devnull


def answer(**values):
    print(json.dumps(values), flush=True)


def note(pid):
    with open(FILE, "a") as file:
        file.write(f"{pid}\n")


def child(act):
    """A child process that does something for a minute."""
    pid = os.fork()
    if pid == 0:
        act()
        time.sleep(60)
        os._exit(0)
    note(pid)


def misbehave(message):
    match FAULT:
        case "crash":
            raise ZeroDivisionError("thirty days hath September")
        case "exit":
            sys.exit(3)
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            time.sleep(60)
        case "spin":
            while True:
                pass
        case "stubborn":
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            child(lambda: None)
            child(os.setsid)
            time.sleep(60)
        case "illegal":
            answer(action=min(set(range(99)) - set(message["legal"])))
        case "string":
            answer(action=str(message["legal"][0]))
        case "nothing":
            answer(move=message["legal"][0])
        case "chatter":
            print("I think this is a good move", flush=True)
        case "nested":
            print("[" * 100_000, flush=True)
        case "twice":
            sys.stdout.write(2 * (json.dumps({"action": message["legal"][0]}) + "\n"))
            sys.stdout.flush()
        case "flood":
            while True:
                sys.stdout.write("x" * 10_000)
        case "wail":
            while True:
                sys.stderr.write("woe\n" * 1_000)
        case "memory":
            hog = bytearray(512 << 20)
            answer(action=message["legal"][len(hog) % 1])
        case "children's memory":
            for _ in range(6):
                child(lambda: bytearray(b"x") * (48 << 20))
            time.sleep(60)
        case "forks":
            for _ in range(100):
                child(lambda: None)
            time.sleep(60)
        case "close":
            os.close(1)
            time.sleep(60)
        case "moody":  # in about half of the games, as their seeds have it
            if seed % 2:
                sys.exit(3)
            answer(action=message["legal"][0])
        case "daemon":
            child(os.setsid)
            answer(action=message["legal"][0])


seed = 0
note(os.getpid())
if FAULT == "slow start":
    time.sleep(60)
if FAULT == "dead on arrival":
    sys.exit("no licence found")
for line in sys.stdin:
    received = json.loads(line)
    if received["type"] == "hello":
        answer(
            protocol=2 if FAULT == "version" else 1,
            observation="png" if FAULT == "observation" else "none",
            needs_state=FAULT == "curious",
        )
    elif received["type"] == "newgame":
        seed = received["seed"]
        if FAULT == "greeting":
            answer(ready=True)
    elif received["type"] == "act":
        misbehave(received)
    elif received["type"] == "end" and FAULT == "daemon":
        break
