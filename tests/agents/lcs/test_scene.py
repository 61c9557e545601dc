"""What every feature is in positions of games, and what rules want there, against a plain Python description."""

import numpy as np
import pytest

from ludarium.agents.lcs import bootstrap, operators
from ludarium.agents.lcs.agent import RuleAgent, _ask_all
from ludarium.agents.lcs.bootstrap import Language
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import (
    ANY,
    DISCARD,
    FEATURES,
    FIRST_CARD,
    FIRST_HINT,
    HINT_COLOR,
    HINT_RANK,
    NUMBER,
    OWN,
    PLAY,
    POSITION,
    empty_rules,
)
from ludarium.agents.lcs.operators import Limits
from ludarium.agents.lcs.policy import BLOCK, rule_player
from ludarium.agents.lcs.scene import AFTER, EVERYTHING, needs
from ludarium.agents.lcs.text import read_rules, rule_text
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.beliefs import probabilities

NAMES = [feature.name for feature in FEATURES]
FACTS = ("touched", "fresh", "focus", "alone", "by-rank", "with-chop", "saved", "chop", "color-told", "rank-told")


class Table:
    """The fireworks and the discards, and what they make of each card, (color, rank)."""

    def __init__(self, view, fireworks):
        self.ranks, self.fireworks = int(view.ranks), list(fireworks)
        self.kinds = [(color, rank) for color in range(view.colors) for rank in range(view.ranks)]
        self.copies = {card: [3, *[2] * (self.ranks - 2), 1][card[1]] for card in self.kinds}
        self.discards = dict(zip(self.kinds, view.discards.tolist(), strict=False))

    def left(self, card):
        return self.copies[card] - self.discards[card]

    def dead(self, card):
        color, rank = card
        height = self.fireworks[color]
        return rank < height or any(not self.left((color, below)) for below in range(height, rank + 1))

    def playable(self, card):
        return not self.dead(card) and card[1] == self.fireworks[card[0]]

    def critical(self, card):
        return not self.dead(card) and self.left(card) == 1

    def soon(self, card):
        return not self.dead(card) and card[1] == self.fireworks[card[0]] + 1

    def play(self, card):
        self.fireworks[card[0]] += 1


class Description:
    """A position as rules see it, with lists and dictionaries; `rules` tell what the other players would do."""

    def __init__(self, view, rules, exact=False):
        self.view, self.rules, self.unseen_by, self.groups_of = view, rules, {}, {}
        self.seats, self.colors, self.ranks = int(view.seats), int(view.colors), int(view.ranks)
        table = Table(view, view.fireworks[: self.colors].tolist())
        self.tables = [table] * self.seats
        self.hands = self.remembered_hands()
        self.visible = [card["is"] for hand in self.hands[1:] for card in hand]
        self.position = self.describe_table(table)
        self.weigh(self.hands[0], 0)
        if exact:
            self.weigh_exactly(table)
        self.foresee(table)
        self.hints = self.consider()

    def remembered_hands(self):
        """The hands, with what happened to each card since it was drawn."""
        view = self.view
        size, moved = int(view.hand_size), [-1] * self.seats
        new = dict.fromkeys(FACTS, 0) | {"drawn": 0, "last-hint": -1}
        hands = [[dict(new) for _ in range(size)] for _ in range(self.seats)]
        deck = sum(self.tables[0].copies.values()) - self.seats * size
        for number in range(view.moves):
            target, mover = int(view.move_target[number]), int(view.move_seat[number])
            if target < 0:
                hands[mover].pop(view.move_slot[number])
                if deck:
                    deck -= 1
                    hands[mover].append(new | {"drawn": number + 1})
            else:
                slots = [slot for slot in range(len(hands[target])) if view.move_touched[number] >> slot & 1]
                self.tell(hands[target], slots, int(view.move_rank[number]) >= 0, number)
            moved[mover] = number
        for seat, hand in enumerate(hands):
            for slot, card in enumerate(hand):
                card |= {"place": slot, "age": view.moves - card["drawn"], "fresh": card["last-hint"] > moved[seat]}
                card["chop"] = slot == self.chop(hand)
                possible = int(view.possible[seat, slot])
                card["sets"] = [kind for i, kind in enumerate(self.tables[0].kinds) if possible >> i & 1]
                card["is"] = (int(view.color[seat, slot]), int(view.rank[seat, slot]))
        assert deck == view.deck_size
        return hands

    def tell(self, hand, slots, by_rank, number):
        """Touch slots of a hand."""
        chop = self.chop(hand)
        for slot in slots:
            hand[slot] |= {"touched": 1, "fresh": 1, "focus": slot == max(slots), "alone": len(slots) == 1}
            hand[slot] |= {"by-rank": by_rank, "with-chop": chop in slots, "last-hint": number}
            hand[slot]["rank-told" if by_rank else "color-told"] = 1
        chop = self.chop(hand)
        for slot, card in enumerate(hand):
            card["chop"] = slot == chop

    @staticmethod
    def chop(hand):
        """The slot of the oldest card without hints."""
        return next((slot for slot, card in enumerate(hand) if not card["touched"]), None)

    def describe_table(self, table):
        view = self.view
        reach = sum(not table.dead(card) or card[1] < table.fireworks[card[0]] for card in table.kinds)
        values = {"tokens": view.information, "lives": view.lives, "deck": view.deck_size, "score": view.score}
        values |= {"seats": self.seats, "pace": max(0, view.score + view.deck_size + self.seats - reach)}
        values |= {"lowest": min(table.fireworks), "plays-next": 0}
        return values | dict.fromkeys(("plays-expected", "mistakes-expected", "losses-expected"), 0)

    # --- cards ---

    def unseen(self, seat):
        """The copies of each card that a seat has not seen, as far as the viewer knows."""
        if seat in self.unseen_by:
            return self.unseen_by[seat]
        table, hands = self.tables[0], [hand for other, hand in enumerate(self.hands) if other not in (0, seat)]
        left = {card: table.left(card) - (card[1] < table.fireworks[card[0]]) for card in table.kinds}
        for card in (card["is"] for hand in hands for card in hand):
            left[card] -= 1
        self.unseen_by[seat] = left
        return left

    def share(self, seat, sets, wanted):
        unseen = self.unseen(seat)
        total = sum(unseen[kind] for kind in sets)
        return sum(unseen[kind] for kind in sets if wanted(kind)) / total if total else 0.0

    def groups(self, table):
        """What the probabilities of cards are about; `seen` and `opens` count all hands that the viewer sees."""
        names = ("playable", "dead", "critical", "soon")
        groups = {name: {*filter(getattr(table, name), table.kinds)} for name in names}
        return groups | {"seen": {*self.visible}, "opens": {(color, rank - 1) for color, rank in self.visible if rank}}

    def weigh(self, hand, seat):
        unseen = self.unseen(seat)
        if seat not in self.groups_of:
            self.groups_of[seat] = self.groups(self.tables[seat])
        for card in hand:
            left = {kind: unseen[kind] for kind in card["sets"]}
            total = max(sum(left.values()), 1)
            for name, group in self.groups_of[seat].items():
                card[name] = sum(count for kind, count in left.items() if kind in group) / total
        self.sum_up(hand)

    def weigh_exactly(self, table):
        for card, chances in zip(self.hands[0], probabilities(self.view, exact=True), strict=True):
            for name, group in self.groups(table).items():
                card[name] = sum(chances[kind] for kind in group)
        self.sum_up(self.hands[0])

    @staticmethod
    def sum_up(hand):
        for card in hand:
            card["saved"] = card["by-rank"] and card["with-chop"] and card["critical"] > 0
            card["best"] = max(card["playable"] for card in hand)

    # --- the others ---

    def foresee(self, table):
        asked = [rule for rule in self.rules if self.holds_here(rule)]
        self.plans = [[rule for rule in asked if rule["action"] == action] for action in (PLAY, DISCARD)]
        self.plays, self.drops = [None] * self.seats, [None] * self.seats
        for seat in range(1, self.seats):
            self.tables[seat] = table
            self.weigh(self.hands[seat], seat)
            self.plays[seat], self.drops[seat] = self.answer(self.hands[seat], seat)
            if self.plays[seat]:
                card = self.plays[seat]["is"]
                self.position["plays-expected" if table.playable(card) else "mistakes-expected"] += 1
                if table.playable(card):
                    table = Table(self.view, table.fireworks)
                    table.play(card)
            self.position["losses-expected"] += self.loses(seat, self.drops[seat])
        self.position["plays-next"] = self.plays[1] is not None

    def answer(self, hand, seat):
        """The card that a seat would play, and the one that it would discard if it plays none."""
        plays = next(filter(None, (self.pick_card(rule, hand, seat) for rule in self.plans[PLAY])), None)
        drops = next(filter(None, (self.pick_card(rule, hand, seat) for rule in self.plans[DISCARD])), None)
        return plays, None if plays else drops

    def loses(self, seat, card):
        return int(card is not None and self.tables[seat].critical(card["is"]))

    def worth(self, seat, card):
        return 0 if card is None else 1 if self.tables[seat].playable(card["is"]) else -1

    def consider(self):
        """The features of each hint, in the order of the actions; none if it touches no card."""
        hints = []
        for part, values in ((0, range(self.colors)), (1, range(self.ranks))):
            for seat in range(1, self.seats):
                for value in values:
                    slots = [slot for slot, card in enumerate(self.hands[seat]) if card["is"][part] == value]
                    hint = self.describe_hint(seat, part, value, slots) if slots else {}
                    hints.append(hint | {"number": len(hints), "slots": slots, "by-rank": part})
        return hints

    def describe_hint(self, seat, part, value, slots):
        hand, table = self.hands[seat], self.tables[seat]
        touched = [hand[slot] for slot in slots]
        fact, cards = "rank-told" if part else "color-told", [card["is"] for card in touched]
        after = [dict(card) for card in hand]
        self.tell(after, slots, bool(part), self.view.moves)
        for slot, card in enumerate(after):
            card["sets"] = [kind for kind in card["sets"] if (kind[part] == value) == (slot in slots)]
        self.weigh(after, seat)
        plays, drops = self.answer(after, seat)
        worth, before = self.worth(seat, plays), self.worth(seat, self.plays[seat])
        following = (plays["is"][0], plays["is"][1] + 1) if plays else None
        return {
            "after": after,
            "receiver": seat,
            "good": worth > 0,
            "bad": worth < 0,
            "gain": worth - before,
            "sure": sum(card["playable"] == 1 for card in after) - sum(card["playable"] == 1 for card in hand),
            "useless": sum(card["dead"] == 1 for card in after) - sum(card["dead"] == 1 for card in hand),
            "news": sum(not card[fact] for card in touched),
            "touches": len(touched),
            "touches-new": sum(not card["touched"] for card in touched),
            "touches-playable": sum(map(table.playable, cards)),
            "touches-dead": sum(map(table.dead, cards)),
            "touches-critical": sum(map(table.critical, cards)),
            "touches-chop": any(card["chop"] for card in touched),
            "chop-critical": any(card["chop"] and table.critical(card["is"]) for card in touched),
            "saves": self.loses(seat, self.drops[seat]) - self.loses(seat, drops),
            "told-rank": value + 1 if part else 0,
            "played-rank": plays["is"][1] + 1 if plays else 0,
            "unlocks": following in self.visible,
        }

    # --- rules ---

    def named(self, pattern):
        """Whether a card is one that a pattern names."""
        color, rank, negated = pattern // 6 % 6, pattern % 6, pattern // 180 % 2
        return lambda card: (color in (ANY, card[0]) and rank in (ANY, card[1])) != negated

    def position_value(self, name, pattern):
        named, table, seat = self.named(pattern), self.tables[0], pattern // 36 % 5
        if name == "table":
            return sum(named(card) for card in table.kinds if card[1] < table.fireworks[card[0]])
        if name == "discards":
            return sum(table.discards[card] for card in table.kinds if named(card))
        if name == "fellow":
            hands = [self.hands[seat]] if 0 < seat < self.seats else [] if seat else self.hands[1:]
            return sum(named(card["is"]) for hand in hands for card in hand)
        own = [self.share(0, card["sets"], named) for card in self.hands[0]]
        if name == "own":
            return sum(chance >= 1 - pattern // 360 / 20 - 1e-9 for chance in own)
        if name == "deck-next":
            unseen = self.unseen(0)
            others = sum(unseen.values()) - len(own)
            expected = sum(count for card, count in unseen.items() if named(card))
            for chance in own:
                expected -= chance
            return min(max(expected / others, 0), 1) if others else 0
        return self.position[name]

    def holds_here(self, rule):
        """Whether the conditions of a rule on the position hold."""
        return all(
            holds(self.position_value(name, pattern), negated, threshold)
            for name, negated, pattern, threshold in conditions(rule)
            if FEATURES[NUMBER[name]].scope == POSITION
        )

    def pick_card(self, rule, hand, seat):
        def value(card, name, pattern):
            return self.share(seat, card["sets"], self.named(pattern)) if name == "card" else card[name]

        return pick(rule, hand, value)

    def pick_hint(self, rule):
        def value(hint, name, pattern):
            if name != "tells":
                return hint[name]
            seat = pattern // 36 % 5
            cards = [self.hands[hint["receiver"]][slot]["is"] for slot in hint["slots"]]
            return sum(map(self.named(pattern), cards)) if seat in (0, hint["receiver"]) else 0

        kinds = {HINT_COLOR: (0,), HINT_RANK: (1,)}.get(int(rule["action"]), (0, 1))
        return pick(rule, [hint for hint in self.hints if hint["slots"] and hint["by-rank"] in kinds], value)

    def wanted(self, rule):
        """The action that a rule wants; -1 for none."""
        view, action, size = self.view, int(rule["action"]), int(self.view.hand_size)
        tokens = int(view.information)
        if (action > DISCARD and not tokens) or (action == DISCARD and tokens == view.information_tokens):
            return -1
        if not self.holds_here(rule):
            return -1
        if action > DISCARD:
            hint = self.pick_hint(rule)
            return -1 if hint is None else 2 * size + hint["number"]
        card = self.pick_card(rule, self.hands[0], 0)
        return -1 if card is None else card["place"] + size * (action == PLAY)


def holds(value, negated, threshold):
    return (value < threshold) if negated else (value >= threshold)


def conditions(rule):
    """The conditions of a rule: names, whether they are negated, patterns, thresholds."""
    fields = zip(*(rule[field].tolist() for field in ("feature", "negated", "pattern", "threshold")), strict=True)
    return [(NAMES[number], *rest) for number, *rest in fields if number >= 0]


def pick(rule, targets, value):
    """The first of the targets for which the conditions hold that are best by the orders."""
    on_target = [condition for condition in conditions(rule) if FEATURES[NUMBER[condition[0]]].scope != POSITION]
    for name, negated, pattern, threshold in on_target:
        targets = [target for target in targets if holds(value(target, name, pattern), negated, threshold)]
    for number, least in zip(rule["order"].tolist(), rule["least"].tolist(), strict=True):
        if number >= 0 and targets:
            strengths = [strength(target, NAMES[number], on_target, value) for target in targets]
            best = min(strengths) if least else max(strengths)
            targets = [target for target, one in zip(targets, strengths, strict=True) if one == best]
    return targets[0] if targets else None


def strength(target, name, on_target, value):
    if name != "match":
        return value(target, name, 0)
    return sum(value(target, asked, pattern) for asked, negated, pattern, _ in on_target if not negated)


# --- positions ---

RULES = """
play, most place: fresh and playable >= 0.2
play, most match: card:1 >= 0.3 and tokens >= 6
play, least playable: tokens >= 5 and playable >= 0.1
play, most playable: playable >= 1
play: plays-next and plays-expected < 3
discard, most dead, least place: not touched
discard, least critical
"""
BY_FACTS = """
play: by-rank and fresh and playable >= 0.15
play, most place: color-told and not rank-told and focus and alone
play: with-chop and not by-rank and fresh
discard: chop and not saved
discard, most age: not rank-told
"""
GAMES = [Hanabi(), Hanabi(seats=3), Hanabi(seats=5), Hanabi(seats=3, colors=2, ranks=4, hand_size=3)]


def met_views(game, seed):
    """Some views of seats to move in a game in which one move of four is random."""
    random, player, position = np.random.default_rng(seed), RuleAgent("lcs", game, hand_list()), game.start()
    player.reset(0, 0)
    views = []
    while not position.over:
        if position.turn < 0:
            outcomes, chances = zip(*position.outcomes(), strict=True)
            position.play(int(random.choice(outcomes, p=chances)))
            continue
        views.append(position.view(position.turn))
        info = {"game": game, "seat": position.turn, "view": views[-1]}
        action = player(position.observe(position.turn), position.action_mask(), info)
        if random.random() < 0.25:
            hints = [action for action in position.legal_actions() if action >= 2 * game.options["hand_size"]]
            action = int(random.choice(hints or [0]))
        position.play(action)
    return views


@pytest.fixture(scope="module", params=range(len(GAMES)), ids=lambda number: GAMES[number].spec)
def met(request):
    """A game, and views of positions from its beginning to its end."""
    game = GAMES[request.param]
    return game, met_views(game, request.param)[:: 8 if game.seats == 5 else 5]


def looked_at(view, block, rules):
    """What each of some rules wants, and the scene."""
    wanted = np.zeros(len(rules), dtype=np.int64)
    _ask_all(np.frombuffer(view.tobytes(), dtype=np.uint8).copy(), block, wanted)
    return wanted.tolist(), block[: BLOCK.itemsize].view(BLOCK)[0]


def block_of(game, rules, asked=EVERYTHING, exact=False):
    block = rule_player(game, rules, exact=exact).block.copy()
    block[: BLOCK.itemsize].view(BLOCK)["needs"] = asked
    return block


def shown_cards(scene, row, held):
    """The features of the cards in a row of the scene, by name."""
    cards = [{} for _ in range(held)]
    for column, feature in enumerate(FEATURES[FIRST_CARD:FIRST_HINT]):
        for slot, card in enumerate(cards):
            if feature.name in FACTS:
                card[feature.name] = scene["facts"][row, FACTS.index(feature.name)] >> slot & 1
            elif feature.name not in ("card", "match"):
                card[feature.name] = scene["cards"][row, column, slot]
    return cards


def assert_same_cards(scene, row, hand):
    for card, shown in zip(hand, shown_cards(scene, row, len(hand)), strict=True):
        assert not [name for name, value in shown.items() if abs(value - card[name]) > 1e-12]


@pytest.mark.parametrize(("exact", "text"), [(False, RULES), (True, BY_FACTS)], ids=["marginal", "exact"])
def test_features_are_those_of_a_plain_description(met, exact, text):
    game, views = met
    rules = read_rules(text)
    block = block_of(game, rules, exact=exact)
    for view in views[:: 2 if exact else 1]:
        described, (_, scene) = Description(view, rules, exact), looked_at(view, block, rules)
        position = dict(zip(NAMES, scene["position"].tolist(), strict=False))
        assert {name: position[name] for name in described.position} == described.position
        for seat, hand in enumerate(described.hands):
            assert_same_cards(scene, seat, hand)
        for seat in range(1, game.seats):
            for field, cards in (("plays", described.plays), ("drops", described.drops)):
                assert scene[field][seat] == (cards[seat]["place"] if cards[seat] else -1)
        for hint in described.hints:
            assert bool(scene["legal"] >> hint["number"] & 1) == bool(hint["slots"])
            if hint["slots"]:
                shown = dict(zip(NAMES[FIRST_HINT:OWN], scene["hints"][:, hint["number"]].tolist(), strict=True))
                del shown["tells"]
                assert shown == {name: hint[name] for name in shown}
        assert_same_cards(scene, AFTER, [hint for hint in described.hints if hint["slots"]][-1]["after"])


MORE = """
play: table:!b5 >= 3
play: card:!5 >= 1
play: card:g >= 0.1
hint: tells:!w4 >= 2
hint-rank, least receiver: tells:1 >= 1
"""
"""Of colors and ranks that small games lack, and the first hint that tells a rank."""


def random_rules(game):
    """Rules of all words, and such as the original's, that ask for patterns and go by the strongest trigger."""
    random = np.random.default_rng(game.seats)
    patterns = [bootstrap.random_rule(random, Language((game,), 1, given_hint=False)) for _ in range(40)]
    return np.concatenate([operators.random_list(random, Limits(30, 4), 30), *patterns, read_rules(MORE)])


def test_rules_want_what_a_plain_description_says(met):
    game, views = met
    rules = random_rules(game)
    block = block_of(game, rules, needs(rules))
    for view in views[1::3]:
        described = Description(view, rules)
        wanted, _ = looked_at(view, block, rules)
        for number, rule in enumerate(rules):
            assert wanted[number] == described.wanted(rule), rule_text(rule)


def test_a_feature_is_the_same_whatever_else_rules_ask_for(met):
    """The rules themselves ask for what costs nothing."""
    game, views = met
    rules, view = read_rules("play, most place: fresh\ndiscard: chop"), views[len(views) // 2]
    _, everything = looked_at(view, block_of(game, rules), rules)
    legal = [hint for hint in range(len(everything["hints"][0])) if everything["legal"] >> hint & 1]
    for number, feature in enumerate(FEATURES[FIRST_CARD:OWN], FIRST_CARD):
        asking, ordered = empty_rules(1), empty_rules(1)
        asking["feature"][0, 0] = ordered["order"][0, 1] = number
        assert needs(asking) == needs(ordered)
        _, scene = looked_at(view, block_of(game, rules, needs(asking)), rules)
        if number >= FIRST_HINT:
            column = number - FIRST_HINT
            assert (scene["hints"][column, legal] == everything["hints"][column, legal]).all(), feature.name
            continue
        for seat in range(game.seats):
            alone, among_all = (shown_cards(one, seat, view.held[seat]) for one in (scene, everything))
            assert [card.get(feature.name) for card in alone] == [card.get(feature.name) for card in among_all]
