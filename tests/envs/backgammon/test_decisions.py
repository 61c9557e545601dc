"""Decisions of recorded games: what they hold, which are dropped, and which are held out."""

import numpy as np
import pytest

from ludarium.envs.backgammon import Backgammon, records
from ludarium.envs.backgammon.decision_files import shipped
from ludarium.envs.backgammon.decisions import is_race, legal_results, other_side
from ludarium.envs.backgammon.recorded_decisions import build, settle
from ludarium.envs.backgammon.rules import FINISHED, MOVING, ROLL
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.kernels import CHANCE
from ludarium.envs.records import RecordedGame, RecordError

_OPENING = "  1) 31: {}                 42: 8/4 6/4"


def text_of(*games, length=0):
    """A match file of games that were played to the end of their lines; a game is its score and its lines."""
    parts = [f" {length} point match"]
    for number, (score, lines) in enumerate(games, 1):
        parts += [f" Game {number}", f" A : {score[0]}    B : {score[1]}", *lines]
    return "\n".join(parts)


def openings(*plays, file="openings.txt"):
    """Games of a 31 that is played in different ways."""
    games = [((n, 0), [_OPENING.format(play), "      Wins 1 point"]) for n, play in enumerate(plays)]
    return list(records.read_match(text_of(*games), file))


def seen(position, seat):
    """A position as a seat sees it, the slow way."""
    own, other = position.record.checkers[seat].tolist(), position.record.checkers[1 - seat].tolist()
    return [own[0], *(own[p] - other[25 - p] for p in range(1, 25)), own[25], other[25], other[0]]


# --- what they hold -------------------------------------------------------------------------------------------------


def test_results_are_those_of_the_rules(money, walk):
    positions, dice, expected = [], [], []
    for number in range(3):
        for position in walk(money, number):
            record = position.record
            if int(record.phase) == MOVING:
                seat = int(record.seat)
                positions.append(seen(position, seat))
                dice.append(record.dice.tolist())
                expected.append([seen(after, seat) for after in position.afterstates()])
    results, offsets = legal_results(np.array(positions, dtype=np.int8), np.array(dice, dtype=np.int8))
    for number, wanted in enumerate(expected):
        assert sorted(results[offsets[number] : offsets[number + 1]].tolist()) == sorted(wanted)


def test_the_other_side_sees_the_same_position(money, walk):
    known = list(walk(money, 0))
    one, other = (np.array([seen(position, seat) for position in known], dtype=np.int8) for seat in range(2))
    assert (other_side(one) == other).all()


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("game", [Backgammon(), Backgammon(match_length=3), Backgammon(variant="hypergammon")])
def test_the_turns_of_a_game(game, number, recorded):
    record = recorded(game, number)
    decisions, tally = build([record], keep=("unmovable", "forced", "race"))
    position, script, actions, movers = game.start(), iter(record.script), iter(record.actions), []
    while not position.over and len(movers) < len(decisions):
        while position.turn == CHANCE:
            position.push(next(script))
        if int(position.record.phase) != MOVING:  # the cube
            position.push(next(actions))
            continue
        seat, turn = int(position.record.seat), len(movers)
        assert decisions.positions[turn].tolist() == seen(position, seat)
        assert decisions.dice[turn].tolist() == position.record.dice.tolist()
        row = decisions.offsets[turn] + decisions.played[turn]
        assert decisions.chosen[row]
        while position.turn == seat:
            position.push(next(actions))
        movers.append(seat)
        if int(position.record.phase) != FINISHED and len(movers) < len(decisions):
            assert decisions.results[row].tolist() == seen(position, seat)
    assert len(movers) == len(decisions) == tally.decisions
    if not game.options["match_length"]:
        assert decisions.outcomes.tolist() == position.payoffs()[movers].tolist()


def test_a_game_that_is_not_played_to_its_end_has_no_outcome(recorded):
    dropped = text_of(((0, 0), [_OPENING.format("8/5 6/5"), "  2) Doubles => 2   Drops", "      Wins 1 point"]))
    for record in (recorded(Backgammon(), 1, stop=9), *records.read_match(dropped, "x")):
        decisions, _ = build([record])
        assert not decisions.outcomes.any()


def test_the_last_play_of_a_game_within_a_match():
    """The board then shows the next game; the decision does not."""
    game = Backgammon(match_length=5)
    start = "XGID=-B" + 22 * "-" + "b-:0:0:1:00:0:0:0:5:6"
    position = game.from_text(start)
    position.push(ROLL)
    position.push(0)
    record = RecordedGame(game, ("a", "b"), start, [0], [ROLL, position.legal_actions()[0]], note="goes on")
    decisions, _ = build([record], keep=("forced", "race"))
    assert decisions.outcomes.tolist() == [1]
    assert decisions.results[decisions.chosen][0].tolist() == [15, *23 * [0], -2, 0, 0, 13]


def test_a_selection(recorded):
    decisions, _ = build([recorded(Backgammon(), number) for number in range(3)])
    wanted = np.arange(len(decisions)) % 3 == 1
    part = decisions.select(wanted)
    assert len(part) == wanted.sum()
    for new, old in enumerate(np.flatnonzero(wanted)):
        rows, former = (slice(*d.offsets[i : i + 2]) for d, i in ((part, new), (decisions, old)))
        assert (part.results[rows] == decisions.results[former]).all()
        assert (part.chosen[rows] == decisions.chosen[former]).all()
        assert (part.positions[new] == decisions.positions[old]).all()


# --- filters --------------------------------------------------------------------------------------------------------


def test_what_is_dropped_and_what_is_kept(recorded):
    games = [recorded(Backgammon(), number) for number in range(4)]
    everything, tally = build(games, keep=("unmovable", "forced", "race", "duplicates"))
    assert tally.dropped == dict.fromkeys(("unmovable", "forced", "race", "duplicates", "contradicting"), 0)
    unmovable = (everything.counts == 1) & (everything.results[everything.offsets[:-1]] == everything.positions).all(
        axis=1
    )
    forced = (everything.counts == 1) & ~unmovable
    race = is_race(everything.positions) & (everything.counts > 1)
    left, tally = build(games)
    assert [tally.dropped[name] for name in ("unmovable", "forced", "race")] == [
        unmovable.sum(), forced.sum(), race.sum()
    ]  # fmt: skip
    assert min(tally.dropped["unmovable"], tally.dropped["forced"], tally.dropped["race"]) > 0
    assert len(left) == len(everything) - sum(tally.dropped.values())
    assert (left.counts > 1).all()
    assert not left.held_out.any()
    with_races, tally = build(games, keep=("race",))
    assert len(with_races) == len(left) + race.sum()


def test_a_race_is_a_position_without_contact():
    positions = np.zeros((4, 28), dtype=np.int8)
    positions[:, 12], positions[:, 13] = 15, -15
    positions[1, [12, 13]], positions[1, 14] = (14, -15), 1  # a checker behind the opponent's
    positions[2, 12], positions[2, 25] = 14, 1
    positions[3, 13], positions[3, 26] = -14, 1
    assert is_race(positions).tolist() == [True, False, False, False]


def test_where_a_match_ends():
    """With its file, with another length, or where the score is not higher than before; money games go on."""
    lines = [_OPENING.format("8/5 6/5"), "      Wins 1 point"]
    one, two = ((0, 0), lines), ((1, 0), lines)

    def count(*files):
        games_of_files = [game for name, text in files for game in records.read_match(text, name)]
        return build(games_of_files)[1].matches

    match, money = text_of(one, two, length=3), text_of(one, two)
    assert count(("a", match)) == count(("a", money)) == 1
    assert count(("a", match), ("b", match)) == count(("a", money), ("b", money)) == 2
    assert count(("a", f"{text_of(one, length=3)}\n{text_of(one, length=3)}")) == 2
    assert count(("a", f"{text_of(one, length=3)}\n{text_of(two, length=5)}")) == 2


def test_a_match_that_is_in_two_files():
    """Also with exchanged columns and another score; a short game may be the same by chance."""
    turns = ["21: 6/5 6/4", "21: 13/11 6/5", "65: 24/13", "21: 13/11 6/5", "41: 24/23 13/9"]
    lines = [_OPENING.format("8/5 6/5"), *(f" {n:2}) {turn:27} {turn}" for n, turn in enumerate(turns, 2))]
    exchanged = ["  1)                             31: 8/5 6/5"]
    cells = [line[5:31].strip() for line in lines], [line[31:].strip() for line in lines]
    exchanged += [f" {n:2}) {cells[1][n - 2]:27} {cells[0][n - 1]}" for n in range(2, 7)]
    exchanged += [f"  7) {cells[1][5]}"]
    games = {
        "a": text_of(((0, 0), [*lines, "      Wins 1 point"]), length=7),
        "b": text_of(((2, 1), [*exchanged, "                                 Wins 1 point"]), length=9),
        "short": text_of(((0, 0), [lines[0], "      Wins 1 point"]), length=7),
        "short too": text_of(((1, 0), [lines[0], "      Wins 1 point"]), length=7),
    }
    games_of_files = [record for name, text in games.items() for record in records.read_match(text, name)]
    assert not any(isinstance(record, RecordError) for record in games_of_files)
    left, tally = build(games_of_files)
    assert (tally.matches, tally.duplicate_games, tally.dropped["duplicates"]) == (3, 1, 12)
    assert set(left.matches.tolist()) == {0, 1, 2}
    kept, _ = build(games_of_files, keep=("duplicates",), held_out=0.5)
    assert len(kept) == len(left) + 12
    assert len({bool(part) for part in kept.held_out[kept.matches == 0]}) == 1


def test_a_match_with_one_long_game_of_another_match_is_dropped_whole():
    """And of two equal long games in one match, the second."""
    turns = ["21: 6/5 6/4", "21: 13/11 6/5", "65: 24/13", "21: 13/11 6/5", "41: 24/23 13/9"]
    long = [_OPENING.format("8/5 6/5"), *(f" {n:2}) {turn:27} {turn}" for n, turn in enumerate(turns, 2))]
    short = [_OPENING.format("24/23 13/10")]
    end = ["      Wins 1 point"]
    again = text_of(((0, 0), [*short, *end]), ((1, 0), [*long, *end]), ((2, 0), [*short, *end]), length=7)
    first, twice = (text_of(*(((n, 0), [*long, *end]) for n in range(games)), length=7) for games in (1, 2))
    for texts, duplicates, matches in (((first, again), 3, 1), ((again, first), 1, 1), ((twice,), 1, 1)):
        games = [record for n, text in enumerate(texts) for record in records.read_match(text, f"{n}")]
        _, tally = build(games)
        assert (tally.duplicate_games, tally.matches) == (duplicates, matches)


def test_contradictions():
    one, two, three = "8/5 6/5", "24/23 13/10", "13/10 6/5"
    several = openings(two, one, one, three)
    decisions, tally = build(several)
    first = decisions.dice[:, 1] == 3
    assert tally.dropped["contradicting"] == 0
    chosen = [decisions.chosen[slice(*decisions.offsets[i : i + 2])] for i in np.flatnonzero(first)]
    assert [part.sum() for part in chosen] == [3, 3, 3, 3]
    assert len(set(decisions.played[first].tolist())) == 3
    choices = {}
    for name, dropped in (("first", 3), ("majority", 2)):
        decisions, tally = build(several, contradicting=name)
        assert tally.dropped["contradicting"] == dropped
        rows = np.flatnonzero(decisions.dice[:, 1] == 3)
        choices[name] = {decisions.results[decisions.offsets[i] + decisions.played[i]].tobytes() for i in rows}
        assert decisions.chosen.sum() == len(decisions)
        settled = settle(build(several)[0], name)  # later, by decisions of which all choices are right
        assert (settled.positions == decisions.positions).all()
        assert (settled.chosen == decisions.chosen).all()
    assert (settle(decisions, "all").chosen == decisions.chosen).all()
    single = {play: build(openings(play))[0] for play in (one, two)}
    for name, play in (("first", two), ("majority", one)):
        assert choices[name] == {single[play].results[single[play].chosen][0].tobytes()}
    tied, _ = build(openings(two, one, one, two), contradicting="majority")
    assert tied.results[tied.chosen][0].tobytes() in choices["first"]


def test_parts_do_not_contradict_each_other():
    files = [record for n, play in enumerate(["8/5 6/5", "24/23 13/10"] * 8) for record in openings(play, file=f"{n}")]
    decisions, _ = build(files, held_out=0.5, contradicting="first")
    assert 0 < decisions.held_out.sum() < len(decisions)
    for part in (True, False):
        rows = decisions.part(part)
        assert rows.held_out.all() == part
        assert len({rows.played[i] for i in range(len(rows)) if rows.dice[i, 1] == 3}) == 1


# --- parts ----------------------------------------------------------------------------------------------------------


def test_a_match_stays_in_its_part(recorded):
    games = [recorded(Backgammon(), number) for number in range(60)]

    def parts(games):
        decisions, _ = build(games, held_out=0.3)
        rows = [decisions.matches == number for number in set(decisions.matches.tolist())]
        return {decisions.positions[row].tobytes(): bool(decisions.held_out[row][0]) for row in rows}

    all_parts = parts(games)
    assert len(all_parts) == 60
    assert 8 <= sum(all_parts.values()) <= 28
    assert parts(games[10:30][::-1]).items() <= all_parts.items()
    renamed = [recorded(Backgammon(), number, file=f"other {number}") for number in range(10)]
    assert parts(renamed).items() <= all_parts.items()
    assert "".join(str(int(part)) for part in all_parts.values())[:12] == "001011001000"
    assert not any(build(games[:5])[0].held_out)
    assert all(build(games[:5], held_out=1)[0].held_out)


def test_games_of_a_match_go_together():
    drop = ["  2)  Doubles => 2                Drops", "      Wins 1 point"]
    text = text_of(*(((n, 0), [_OPENING.format("8/5 6/5"), *drop]) for n in range(4)), length=9)
    decisions, tally = build([*records.read_match(text, "one"), *records.read_match(text + "\n" + text, "two")])
    assert tally.matches == 3  # short games prove no repetition
    assert np.bincount(decisions.matches).tolist() == [8, 8, 8]


# --- the shipped ones, and mistakes ---------------------------------------------------------------------------------


def test_the_shipped_decisions():
    decisions = shipped()
    assert (len(decisions), len(decisions.part(True))) == (215_755, 24_963)
    assert (decisions.counts > 1).all()
    assert not is_race(decisions.positions).any()
    assert not set(decisions.part(True).matches) & set(decisions.part(False).matches)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": ("races",)}, "keep takes names of unmovable, forced, race, duplicates, not 'races'"),
        ({"contradicting": "none"}, "contradicting must be one of all, first, majority, not 'none'"),
        ({"held_out": 1.5}, "held_out must be a share from 0 to 1, not 1.5"),
        ({"held_out": float("nan")}, "held_out must be a share from 0 to 1, not nan"),
    ],
)
def test_options_that_cannot_be(options, message, recorded):
    with pytest.raises(ValueError, match=f"^{message}$"):
        build([recorded(Backgammon(), 0)], **options)


def test_games_that_cannot_be(recorded):
    with pytest.raises(ValueError, match=r"^x: decisions are made of backgammon, not of hexapawn$"):
        build([RecordedGame(Hexapawn(), ("a", "b"), file="x", note="stopped")])
    both = [recorded(Backgammon(), 0), recorded(Backgammon(variant="nackgammon"), 0, file="y")]
    with pytest.raises(ValueError, match=r"^y: decisions of standard and of nackgammon do not go into one set$"):
        build(both)
    error = RecordError("z", 3, "it is torn")
    with pytest.raises(ValueError, match=r"^there is no game .* can be read; the first of 1 errors: z:3: it is torn$"):
        build([error])
    with pytest.raises(ValueError, match=r"^there is no game of backgammon that can be read$"):
        build([])
    _, tally = build([error, recorded(Backgammon(), 0)])
    assert tally.refused == [error]
    _, tally = build([RecordedGame(Backgammon(), ("a", "b"), script=[99], file="w"), recorded(Backgammon(), 0)])
    assert str(tally.refused[0]).startswith("w: before move 1: backgammon: 99 is not a possible outcome")
    with pytest.raises(ValueError, match=r"^no decision is left of 0; keep some of unmovable, forced"):
        build([recorded(Backgammon(), 0, stop=0)])
