"""An Othello engine that plays the first legal square: `othello_engine.py gtp|nboard [FAULT]`."""

import re
import sys
import time

PROTOCOL, FAULT = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
START = list("." * 27 + "OX" + "." * 6 + "XO" + "." * 27)


def flips(board, side, square):
    if board[square] != ".":
        return []
    turned = []
    for down, right in DIRECTIONS:
        line, row, column = [], square // 8 + down, square % 8 + right
        while 0 <= row < 8 and 0 <= column < 8 and board[8 * row + column] not in (".", side):
            line.append(8 * row + column)
            row, column = row + down, column + right
        if 0 <= row < 8 and 0 <= column < 8 and board[8 * row + column] == side:
            turned += line
    return turned


def play(board, side, square):
    for flipped in [*flips(board, side, square), square]:
        board[flipped] = side


def first(board, side):
    return next((square for square in range(64) if flips(board, side, square)), None)


def name(square):
    return "PASS" if square is None else "ABCDEFGH"[square % 8] + str(square // 8 + 1)


def say(text):
    print(text, flush=True)


def gtp():
    board = START.copy()
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "list_commands":
            known = ["clear_board", "play", "boardsize", "level", "quit"]
            known += ["genmove"] * (FAULT != "mute") + ["time_settings", "time_left"] * (FAULT == "timed")
            say("= " + "\n".join(known) + "\n")
        elif command == "clear_board":
            board = START.copy()
            say("=\n")
        elif command == "play":
            side = "XO"[arguments[0] == "white"]
            if arguments[1] == "pass":
                say("? a pass goes without saying\n" if FAULT == "silent passes" else "= \n")
            elif FAULT == "refuse":
                say("? illegal move\n")
            else:
                play(board, side, "abcdefgh".index(arguments[1][0]) + 8 * (int(arguments[1][1]) - 1))
                say("= \n")
        elif command == "genmove":
            side = "XO"[arguments[0] == "white"]
            answer = {"resign": "resign", "nonsense": "K10", "illegal": "A1"}.get(FAULT)
            if FAULT == "banner":
                say("thinking...")
            if FAULT == "hang":
                time.sleep(60)
            if answer is None:
                square = first(board, side)
                answer = name(square)
                play(board, side, square)
            say(f"= {answer}\n")
        elif command == "quit":
            say("=\n")
            return
        elif command in ("boardsize", "level"):
            say("=\n")
        elif command in ("time_settings", "time_left") and FAULT == "timed":
            print(line.strip(), file=sys.stderr, flush=True)
            say("=\n")
        else:
            say("? unknown command\n")


def nboard():
    board, side = START.copy(), "X"
    for line in sys.stdin:
        words = line.split()
        if words[0] == "ping" and FAULT != "deaf":
            say("=== PASS")  # late, about an earlier position
            say(f"pong {words[1]}")
        elif words[:2] == ["set", "game"]:
            squares, mover = re.search(r"BO\[8 (\S+) (\S)\]", line).groups()
            board, side = list(squares.replace("*", "X").replace("-", ".")), "XO"[mover == "O"]
        elif words[:2] == ["set", "depth"]:
            say(f"set myname first square, depth {words[2]}")
        elif words[0] == "go":
            say("status thinking about it")
            while FAULT == "drip":
                time.sleep(0.002)
                say("status still thinking")
            if FAULT == "empty":
                say("===")
            say(f"=== {name(first(board, side))}/0.00/0.1")
            say("nodestats 1 0.1")
        elif words[0] == "quit":
            return


{"gtp": gtp, "nboard": nboard}[PROTOCOL]()
