"""Games of a team that plays by one list of rules, with a stranger if wanted, and what each rule did.

A rule's credit counts how often it fired and the points that the team scored after that: their sum, and the sum of
their squares, from which its accuracy follows. One decision is kept as a sample, for rules that are made to cover it:
if there are any, one in which no rule fired. A study of the games also says how often each rule could have decided.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import table
from ludarium.agents.lcs.decide import target
from ludarium.agents.lcs.foresight import consider
from ludarium.agents.lcs.language import FIRST_CARD, RULE
from ludarium.agents.lcs.match import card_value
from ludarium.agents.lcs.policy import BLOCK, rule_player
from ludarium.agents.lcs.scene import EVERYTHING, NEWS, OF_PATTERN, SCENE, TELLS, look
from ludarium.envs import kernels
from ludarium.envs.chance import AGENTS, DEALING, derive, draw
from ludarium.envs.game import Game
from ludarium.envs.hanabi.rules import PLAY, STATE
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.jit import jit
from ludarium.envs.kernels import (
    ACTIONS,
    CHANCE,
    MAX_MOVES,
    MAX_OUTCOMES,
    OVER,
    SEATS,
    STATE_SIZE,
    VIEW_SIZE,
    advance,
    local,
    view,
)
from ludarium.envs.policy import Policy

_SCENE = np.dtype(SCENE, align=True)
SAMPLE = np.dtype(
    [
        ("known", np.int64),  # 0: none, 1: an ordinary one, 2: no rule fired
        ("held", np.int64),
        ("tokens_full", np.int64),
        ("position", np.float64, _SCENE["position"].shape),
        ("cards", np.float64, _SCENE["cards"].shape[:0:-1]),
        ("hints", np.float64, _SCENE["hints"].shape[::-1]),
    ],
    align=True,
)
"""A position as rules see it: of the viewer's hand and of all hints; see `SCENE`."""
NOTHING, SCORED, MISPLAYED, REPEATED = range(4)
"""What a move did, in a trace: a hint that told nothing new is repeated."""
FIRED, POINTS, SQUARES = range(3)
"""The columns of a credit: times fired, points scored after it, and their squares, summed up."""


class Record(NamedTuple):
    """What a list did in some games.

    Attributes:
        scores: shape (games,) float64, the teams' payoffs.
        credit: shape (rules + 1, 3); the last row is that of moves that no rule made. See `FIRED`.
        repeats: hints that told nothing new.
        decisions: the number of decisions.
        sample: shape (1,) of `SAMPLE`.
        trace: shape (longest game, 2): of each move of the last game the rule, or the number of rules if none fired,
            and what it did: `SCORED`, ….
        triggers: of a study, shape (rules,): in how many decisions each would have decided if asked first.
        met: of a study, the view of the sample, as bytes.
    """

    scores: NDArray[np.float64]
    credit: NDArray[np.float64]
    repeats: int
    decisions: int
    sample: NDArray[Any]
    trace: NDArray[np.int64]
    triggers: NDArray[np.int64]
    met: NDArray[np.uint8]


def play_list(
    game: Game,
    keys: NDArray[np.uint64],
    exact: bool,
    rules: NDArray[Any],
    partner: Policy | None = None,
    *,
    explore: float = 0.0,
    study: bool = False,
) -> Record:
    """Play games with one list.

    Args:
        game: the game.
        keys: shape (games,) uint64: the decks.
        exact: see `rule_player`.
        rules: shape (rules,) of `RULE`.
        partner: if there is one, the list has one seat, which the deck decides, and the partner all others; what these
            do leaves no trace.
        explore: see `rule_player`.
        study: whether to ask all rules in all positions; that takes time.
    """
    policy = rule_player(game, rules, exact=exact, explore=explore)
    assert policy.block is not None
    game.compile_view()
    trace = np.zeros((game.max_moves, 2), dtype=np.int64)
    triggers, met = np.zeros(len(rules) * study, dtype=np.int64), np.zeros(VIEW.itemsize * study, dtype=np.uint8)
    sample = np.zeros(1, dtype=SAMPLE)
    record = Record(np.zeros(len(keys)), np.zeros((len(rules) + 1, 3)), 0, 0, sample, trace, triggers, met)
    counts = np.zeros(2, dtype=np.int64)
    rows = np.zeros((2, len(policy.row)), dtype=np.int64)  # of the list and of its partner
    rows[0] = policy.row
    if partner is not None:
        rows[1] = partner.row
    _play(game.table, game.option_bytes, rows, policy.block, np.array(keys), record, counts)
    return record._replace(repeats=int(counts[0]), decisions=int(counts[1]))


@jit
def _play(game: Any, options: Any, policies: Any, block: Any, keys: Any, record: Any, counts: Any) -> None:
    m = view(block, BLOCK)
    s, start = local(STATE), np.zeros(game[STATE_SIZE], dtype=np.uint8)
    seen, mask = np.zeros(game[VIEW_SIZE], dtype=np.uint8), np.zeros(game[ACTIONS], dtype=np.int8)
    probabilities, payoffs = np.zeros(game[MAX_OUTCOMES] + 1), np.zeros(game[SEATS])
    dealing, luck = np.zeros(2, dtype=np.uint64), np.zeros(2, dtype=np.uint64)
    trace, before = record.trace, np.zeros(game[MAX_MOVES])
    state = advance(s, 0)
    kernels.setup(game, start, options)
    for number in range(len(keys)):
        for byte in range(game[STATE_SIZE]):
            state[byte] = start[byte]
        dealing[0], dealing[1] = derive(keys[number], DEALING), 0
        own = np.int64(keys[number] >> np.uint64(32)) % game[SEATS] if policies[1, 0] else -1
        luck[0], luck[1] = derive(keys[number], AGENTS), 0
        moves = plies = 0
        while True:
            seat = kernels.turn(game, state)
            if seat == CHANCE:
                kernels.play(game, state, draw(game, state, probabilities, dealing))
                continue
            if seat == OVER or moves >= game[MAX_MOVES]:
                break
            kernels.legal(game, state, mask)
            kernels.see(game, state, seat, seen)
            moves += 1
            who = 1 if own >= 0 and seat != own else 0
            action = kernels.call_policy(policies[who, 0], game, seen, seen, mask, policies[who, 1], luck)
            if who == 1:
                kernels.play(game, state, action)
                continue
            trace[plies, 0], before[plies] = m.fired if m.fired >= 0 else m.length, s.score
            kept = _sample(seen, m, s, record.sample[0], derive(keys[number], plies))
            hint = action - 2 * s.hand_size
            repeated = hint >= 0 and m.considered and m.hints[NEWS, hint] < 1.0
            counts[0] += repeated
            if len(record.met):
                _ask_all(seen, m, record.triggers)
                if kept:
                    record.met[:] = seen
            kernels.play(game, state, action)
            trace[plies, 1] = REPEATED if repeated else NOTHING
            if s.last_kind == PLAY:
                trace[plies, 1] = SCORED if s.last_scored else MISPLAYED
            plies += 1
        kernels.payoffs(game, state, payoffs)
        record.scores[number] = payoffs[0]
        counts[1] += plies
        for ply in range(plies):
            after = payoffs[0] - before[ply]
            record.credit[trace[ply, 0], FIRED] += 1.0
            record.credit[trace[ply, 0], POINTS] += after
            record.credit[trace[ply, 0], SQUARES] += after * after


@jit
def _ask_all(seen: Any, m: Any, triggers: Any) -> None:
    """Count the rules that fire in a position that has been looked at."""
    v, rules = view(seen, VIEW), table(m, m.rules, RULE, (m.length,))
    for i in range(len(triggers)):
        triggers[i] += target(v, m, rules, i) >= 0


@jit
def _sample(seen: Any, m: Any, s: Any, sample: Any, lot: Any) -> bool:
    """Keep a decision now and then, if hints were considered or no rule fired; whether it was kept."""
    kind = 2 if m.fired < 0 else 1 if m.considered else 0
    if kind < sample.known or kind == 0 or (kind == sample.known and lot % np.uint64(64) != np.uint64(0)):
        return False
    v, rules, considered, needs = view(seen, VIEW), table(m, m.rules, RULE, (m.length,)), m.considered, m.needs
    m.needs = EVERYTHING
    look(v, m)
    consider(v, m, rules)
    m.needs, m.considered = needs, considered
    sample.known, sample.held, sample.tokens_full = kind, s.held[s.seat], s.information == s.information_tokens
    for i in range(len(sample.position)):
        sample.position[i] = m.position[i]
    for slot in range(sample.held):
        for i in range(sample.cards.shape[1]):
            sample.cards[slot, i] = card_value(v, m, FIRST_CARD + i, 0, 0, slot) if i != OF_PATTERN else 0.0
    for hint in range(sample.hints.shape[0]):
        legal = s.information > 0 and m.legal >> hint & 1 != 0
        for i in range(sample.hints.shape[1]):
            sample.hints[hint, i] = m.hints[i, hint] if legal and i != TELLS else 0.0
    return True
