"""Games of a list and what they leave, against the same games played move by move in Python."""

import numpy as np
import pytest

from ludarium.agents.lcs.agent import _ask_all
from ludarium.agents.lcs.games import MISPLAYED, NOTHING, REPEATED, SCORED, play_list
from ludarium.agents.lcs.language import DISCARD, FEATURES, FIRST_CARD, FIRST_HINT, NUMBER, OWN
from ludarium.agents.lcs.policy import BLOCK, rule_player
from ludarium.agents.lcs.scene import EVERYTHING, FIRST_FACT
from ludarium.agents.lcs.text import read_rules
from ludarium.envs.chance import AGENTS, DEALING, below, derive, seed_key, uniform
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.view import VIEW

KEYS = np.array([seed_key(106, deck) for deck in range(2)], dtype=np.uint64)
CAREFUL = "play, most playable: playable >= 0.9\nhint: good and not bad\nhint: touches >= 3\ndiscard: not touched\n"
BOLD = "play, most place: fresh and playable >= 0.1\nhint: good\nplay: playable >= 0.3 and lives >= 2\n"
HINTS_TO_THE_LAST, HINTS_BUT_ONE = "hint\n", "hint: tokens >= 2\nplay: playable >= 1\n"


class Decision:
    """A move of a list: the rule that decided, or none, what the move did, and what was seen before."""

    def __init__(self, game, view, luck, rules, explore):
        block = rule_player(game, rules).block
        self.scene = block[: BLOCK.itemsize].view(BLOCK)[0]
        self.scene["needs"] = EVERYTHING
        self.view = view
        self.wanted = np.full(len(rules), -1)
        _ask_all(np.frombuffer(view.tobytes(), dtype=np.uint8).copy(), block, self.wanted)
        firing = np.flatnonzero(self.wanted >= 0).tolist()
        explores = explore > 0 and uniform(luck) < explore
        self.rule = firing[0] if firing else None
        for number, rule in enumerate(firing[1:] if explores else [], 2):
            self.rule = rule if below(luck, number) == 0 else self.rule
        asked = len(rules) if explores or not firing else firing[0] + 1
        hints = (rules["action"] > DISCARD) & (rules["feature"] != NUMBER["tokens"]).all(axis=1)
        self.thought_of_hints = bool(view.information and hints[:asked].any())
        self.score, self.did = int(view.score), NOTHING

    @property
    def kind(self):
        """What a sample of it is worth."""
        return 2 if self.rule is None else int(self.thought_of_hints)

    def action(self, position):
        if self.rule is not None:
            return int(self.wanted[self.rule])
        hand = position.game.options["hand_size"]
        hints = [action for action in position.legal_actions() if action >= 2 * hand]
        return 0 if self.view.information < self.view.information_tokens else hints[0]

    def played(self, state):
        """Say what the move did, from the position after it."""
        if state.last_target >= 0:
            named = self.view.color_told if state.last_rank < 0 else self.view.rank_told
            target = (state.last_target - self.view.seat) % self.view.seats
            news = [slot for slot in range(5) if state.last_touched >> slot & 1 and named[target, slot] < 0]
            self.did = NOTHING if news else REPEATED
        elif state.last_kind == 0:
            self.did = SCORED if state.last_scored else MISPLAYED


def replayed(game, key, rules, partner, explore):
    """The decisions of a list in a game, and the payoff."""
    position, decisions = game.start(), []
    dealing, luck = (np.array([derive(key, number), 0], dtype=np.uint64) for number in (DEALING, AGENTS))
    own = int(key >> np.uint64(32)) % game.seats
    while not position.over:
        if position.turn < 0:
            position.play(position.draw_outcome(dealing))
            continue
        view, mask = position.view(position.turn), position.action_mask()
        if partner and position.turn != own:
            seen = np.frombuffer(view.tobytes(), dtype=np.uint8).copy()
            position.play(partner.choose(game, seen, position.observe(position.turn), mask, luck))
            continue
        decisions.append(Decision(game, view, luck, rules, explore))
        position.play(decisions[-1].action(position))
        decisions[-1].played(position.record)
    return decisions, position.payoffs()[0]


def kept(games):
    """The decision that is the sample: the first of the best kind, or one of 64 of the later ones."""
    best = None
    for key, (decisions, _) in zip(KEYS, games, strict=True):
        for ply, decision in enumerate(decisions):
            is_better = decision.kind > (best.kind if best else 0)
            if is_better or (decision.kind == (best.kind if best else -1) and int(derive(key, ply)) % 64 == 0):
                best = decision
    return best


def assert_same_view(met, view):
    for field in VIEW.names:
        end = int(view.moves) if field.startswith("move_") else None  # what follows means nothing
        assert np.array_equal(np.atleast_1d(met[field])[:end], np.atleast_1d(view[field])[:end]), field


def assert_sample(sample, decision):
    scene, view = decision.scene, decision.view
    assert (sample["known"], sample["held"]) == (decision.kind, view.held[0])
    assert sample["tokens_full"] == (view.information == view.information_tokens)
    assert (sample["position"] == scene["position"]).all()
    for column, feature in enumerate(FEATURES[FIRST_CARD:FIRST_HINT]):
        facts = scene["facts"][0, column - FIRST_FACT] >> np.arange(5) & 1 if feature.is_fact else None
        values = scene["cards"][0, column] if facts is None else facts
        if feature.pattern:
            values = np.zeros(5)
        assert (sample["cards"][: view.held[0], column] == values[: view.held[0]]).all(), feature.name
    legal = scene["legal"] >> np.arange(len(sample["hints"])) & 1 if view.information else 0
    for column, feature in enumerate(FEATURES[FIRST_HINT:OWN]):
        values = 0 if feature.pattern else scene["hints"][column] * legal
        assert (sample["hints"][:, column] == values).all(), feature.name


@pytest.mark.parametrize(
    ("seats", "text", "partner", "explore"),
    [
        (2, CAREFUL, "", 0.0),
        (3, CAREFUL, BOLD, 0.0),
        (2, BOLD, "", 0.5),
        (5, BOLD, CAREFUL, 0.5),
        (2, HINTS_TO_THE_LAST, "", 0.0),
        (4, HINTS_BUT_ONE, "", 0.0),
        (2, "discard: place >= 1\nhint: touches >= 2\nhint\n", "", 0.0),
        (2, "discard: place >= 1\nplay\n", "", 0.0),
    ],
    ids=[
        "careful",
        "among bold ones",
        "exploring",
        "exploring strangers",
        "hints to the last",
        "hints but one",
        "a rule for all",
        "no hints",
    ],
)
def test_games_and_what_they_leave(seats, text, partner, explore):
    game, rules = Hanabi(seats=seats), read_rules(text)
    stranger = rule_player(game, read_rules(partner), explore=explore) if partner else None
    games = [replayed(game, key, rules, stranger, explore) for key in KEYS]
    record = play_list(game, KEYS, False, rules, stranger, explore=explore, study=True)
    assert record.scores.tolist() == [payoff for _, payoff in games]
    every = [decision for decisions, _ in games for decision in decisions]
    assert record.decisions == len(every)
    assert record.repeats == sum(decision.did == REPEATED for decision in every)
    assert record.triggers.tolist() == np.sum([decision.wanted >= 0 for decision in every], axis=0).tolist()
    credit = np.zeros((len(rules) + 1, 3))
    for decisions, payoff in games:
        for decision in decisions:
            after = payoff - decision.score
            credit[len(rules) if decision.rule is None else decision.rule] += 1, after, after**2
    assert record.credit.tolist() == credit.tolist()
    last, _ = games[-1]
    moves = [[len(rules) if decision.rule is None else decision.rule, decision.did] for decision in last]
    assert record.trace[: len(last)].tolist() == moves
    sample = kept(games)
    if sample is None:
        assert not record.sample["known"].any()
        assert not record.met.any()
        return
    assert_same_view(record.met.view(VIEW)[0], sample.view)
    assert_sample(record.sample[0], sample)
