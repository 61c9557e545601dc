"""The compiled reader of turns gives what the careful one gives, for every file and every spelling."""

import re
from pathlib import Path

import numpy as np
import pytest

from ludarium.envs.backgammon import Backgammon, notation, records
from ludarium.envs.backgammon.match_turns import ACTIONS, OUTCOMES, _read_steps, new_work, play_turns
from ludarium.envs.backgammon.rules import OPENING, ROLL
from ludarium.envs.chance import below, stream
from ludarium.envs.kernels import CHANCE
from ludarium.envs.options import IllegalAction

_MATCH = (Path(__file__).parent / "data" / "match.mat").read_text()
_SPELLINGS = {
    "as it is": lambda text: text,
    "numbers": lambda text: text.replace("bar", "25").replace("off", "0"),
    "capitals": str.upper,
    "no hits": lambda text: text.replace("*", ""),
    "commas": lambda text: text.replace(" ", ",  "),
    "the other order": lambda text: " ".join(reversed(text.split())),
    "combined": lambda text: re.sub(r"(\w+)/\d+\*?/(\w+)", r"\1/\2", text),
    "hits after counts": lambda text: re.sub(r"\*(\(\d\))", r"\1*", text),
    "another hit": lambda text: text + "*",
    "two stars": lambda text: text + "**",
}
_ODD = [
    "8/5 x",
    "8//5",
    "/8",
    "8/",
    "5/8",
    "8/5 6/5 8/8",
    "26/24",
    "8/5(5)",
    "8/5(",
    "8/5(2",
    "8/7(4) 6/5(4) 3/2",
    "008/5",
    "8/5?",
    "ba/8",
    "b",
    "bar",
]


def turns_of(game, number):
    """The turns of a random money game: positions before the roll, after it and after the play; the play as text."""
    random, position = stream(5, number), game.start()
    turns, before = [], position.copy()
    while not position.over:
        if position.turn == CHANCE:
            before, outcome = position.copy(), position.draw_outcome(random)
            position.play(outcome)
            turns.append((before, outcome, position.copy(), position, []))
        else:
            legal = position.legal_actions()
            action = legal[int(below(random, len(legal)))]
            turns[-1][-1].append(game.action_to_str(position, action))
            position.play(action)
            turns[-1] = (*turns[-1][:3], position.copy(), turns[-1][-1])
    return turns


def compiled(before, outcome, after, text):
    """The actions of a turn, None if it is not taken; and the position that it leads to."""
    position, low, high = before.copy(), *map(int, after.record.dice)
    line = f"{int(after.record.seat)}{low}{high}{text}\n".encode()
    outcomes, actions, work = np.zeros(1, dtype=np.int64), np.zeros(3, dtype=np.int64), new_work()
    begun = int(before.record.phase) != OPENING
    played = play_turns(position.data, np.frombuffer(line, dtype=np.uint8), begun, outcomes, actions, work)
    assert work.counts[OUTCOMES] == played
    if not played:
        assert position == before
        return None, position
    return actions[: work.counts[ACTIONS]].tolist(), position


def careful(after, text):
    """The actions of a turn, None if it cannot be read or played."""
    try:
        return notation.find_turn(after, text)
    except (ValueError, IllegalAction):
        return None


@pytest.mark.parametrize("spelling", _SPELLINGS.values(), ids=_SPELLINGS)
def test_turns_of_random_games(money, spelling):
    taken = 0
    for number in range(4):
        for before, outcome, after, end, words in turns_of(money, number):
            text = spelling(" ".join(words).replace("cannot move", "").replace("(smaller die first)", ""))
            actions, position = compiled(before, outcome, after, text)
            assert actions == careful(after, text)
            mover = int(after.record.seat)
            if actions is not None:  # the mover's checkers, since a text may not say what is hit on the way
                assert position.record.checkers[mover].tolist() == end.record.checkers[mover].tolist()
            taken += actions is not None
            for action in actions or []:
                after.play(action)
            if actions is not None:
                expected = after.record.checkers.tolist(), int(after.record.seat)
                assert (position.record.checkers.tolist(), int(position.record.seat)) == expected
    assert taken > 200


@pytest.mark.parametrize("text", _ODD)
def test_what_cannot_be_read_is_not_taken(money, text):
    after = money.from_text("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    before = money.from_text("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10")
    assert compiled(before, 0, after, text)[0] is None
    assert compiled(before, 0, after, "8/5 6/5")[0] == careful(after, "8/5 6/5")


_WORDS = [
    *(
        "8/5 6/5",
        "6/5(2)*",
        "13/10*/8",
        "13/10/8**",
        "13/10*/8(2)",
        "13/10/8*(2)*",
        "bar/22*",
        "25/22*/20",
        "24/23/22(4)",
        "8/5(1)",
        "6/off",
        "6/0",
    ),
    *("", " , 8/5", "24/14", "BAR/20(4)", "6/OFF(2) 5/4*"),
]


@pytest.mark.parametrize(
    "text", [*_ODD, "bar/bar", "27/24", "100/5", "8/5(0)", "24/23/22/21(3)", "8/7/6/5/4/3/2/1/off 6/5", "8/5***"]
)
def test_what_is_no_line_of_moves(text):
    """It must be well written, move forward from the bar to off, and have no more than eight steps."""
    steps = np.full((10, 2), 99)
    line = np.frombuffer(f"24/22 {text}\n".encode(), dtype=np.uint8)
    assert _read_steps(line, 6, steps[:8]) == (-1, 0, 0)
    assert (steps[8:] == 99).all()
    assert _read_steps(line, 0, steps[:8]) == (-1, 0, 0)
    assert (steps[8:] == 99).all()


@pytest.mark.parametrize("text", _WORDS)
def test_words(text):
    steps = np.zeros((8, 2), dtype=np.int64)
    line = np.frombuffer(f"{text}\n".encode(), dtype=np.uint8)
    end, count, hits = _read_steps(line, 0, steps)
    expected, points = notation.read_moves(text)
    assert end == len(text)
    assert list(map(tuple, steps[:count].tolist())) == expected
    assert {point for point in range(26) if hits >> point & 1} == points


def test_the_seat_and_the_roll_must_fit():
    game = Backgammon(cube=True)
    board = "XGID=-b----E-C---eE---c-e----B-:0:0:1"
    before = game.from_text(f"{board}:00:0:0:0:0:10")

    def read(line, begun=True):
        actions, work = np.zeros(3, dtype=np.int64), new_work()
        text = np.frombuffer(line, dtype=np.uint8)
        played = play_turns(before.copy().data, text, begun, np.zeros(1, dtype=np.int64), actions, work)
        return actions[: work.counts[ACTIONS]].tolist() if played else None

    assert read(b"0318/5 6/5\n")[0] == ROLL
    # With dice that do not exist: moves of 3-2, of 6-5 and of 7-7, the rolls beside them in the order of the outcomes.
    for line in (
        b"1318/5 6/5\n",
        b"0018/7\n",
        b"0718/5 8/6\n",
        b"00024/18 13/8\n",
        b"07713/6(4)\n",
        b"06724/18 13/6\n",
    ):
        assert read(line) is None
    before = game.from_text(f"{board}:31:0:0:0:0:10")
    assert read(b"0318/5 6/5\n") is None
    opening = Backgammon().start()
    before = opening
    assert read(b"1138/5 6/5\n", begun=False) is not None
    assert read(b"1138/5 6/5\n", begun=True) is None
    assert read(b"1118/7(2) 6/5(2)\n", begun=False) is None


def test_a_file_is_read_the_same_without_it(monkeypatch):
    texts = [_MATCH, _MATCH.replace("24/13", "24/3"), _MATCH.replace("65:", "65: bar/2"), _MATCH.replace("43:", "44:")]

    def everything():
        return [str(vars(record)) for text in texts for record in records.read_match(text, "match.mat")]

    before = everything()
    monkeypatch.setattr(records._GameReader, "play_clean_turns", lambda *_: 0)
    assert everything() == before


def test_the_careful_reader_sees_no_clean_turn(monkeypatch):
    lines = ["1) 31: 8/5 6/5                 42: 8/4 6/4", "2) 65: 24/13                   66: 24/18(2) 13/7(2)"]
    text = "\n".join([" 0 point match", " Game 1", " A : 0    B : 0", *lines, "     Wins 1 point"])
    (expected,) = records.read_match(text, "match.mat")
    monkeypatch.setattr(records._GameReader, "roll_and_move", None)
    (record,) = records.read_match(text, "match.mat")
    assert str(vars(record)) == str(vars(expected))
    assert len(record.script) == 4
