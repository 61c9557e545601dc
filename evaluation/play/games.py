"""Games between agents of any kind, played in Python exactly as compiled batches play them: one by one, or in step.

Agents with `act_batch` are asked about many games at once. Each game has its own chance and its own seeds, so what
happens in it does not depend on the others.
"""

import itertools
from collections.abc import Generator, Iterable, Sequence
from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, AgentFailure, CompiledAgent
from ludarium.agents.specs import make_agent
from ludarium.agents.time_control import LOST_ON_TIME, Clock, TimeControl
from ludarium.envs.batch import ADJUDICATED, FINISHED, ILLEGAL, TRUNCATED, random_legal
from ludarium.envs.chance import OPENING, child_key, seed_key
from ludarium.envs.episode import Episode, agent_seed
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER
from ludarium.envs.openings import Opening
from ludarium.envs.policy import Policy, policy_rows
from ludarium.evaluation.play.calls import Failed, action_of, call_agent

_IN_STEP = 256  # games in progress at once: enough for a network, and little memory


class Played(NamedTuple):
    """One game: its payoffs, ending (see `ludarium.envs.batch`) and decisions, and why a seat forfeited, if one did.

    `times` holds, by seat, how many nanoseconds each decision of its agent took.
    """

    payoffs: NDArray[np.float64]
    ending: int
    moves: list[int]
    cause: str = ""
    times: Sequence[list[int]] = ()


class Question(NamedTuple):
    """What an agent is asked in one game: the arguments of `Agent.__call__`, and the additions of `Agent.act_batch`."""

    agent: Agent
    observation: NDArray[np.int8]
    mask: NDArray[np.int8]
    info: dict[str, Any]
    seed: int
    decision: int
    seat: int


def play_game(
    game: Game,
    seated: Sequence[Agent],
    key: np.uint64,
    agent_key: np.uint64,
    opening: int | Opening = 0,
    adjudicator: Policy | None = None,
    control: TimeControl | None = None,
) -> Played:
    """Play one game.

    Args:
        game: the game.
        seated: the agent in each seat.
        key: key of the dice, the cards and the opening: see `ludarium.envs.batch.play_games`.
        agent_key: key of the agents' randomness.
        opening: number of random moves at the start; or how the game begins.
        adjudicator: likewise.
        control: the time that each seat has; None for no clock. A seat's clock runs from the question to the answer,
            wherever its agent runs. A program that does not answer in time is ended; other agents cannot be
            interrupted, and have lost once they answer.

    Returns:
        What happened. A mistake costs an agent this game and nothing else: an agent that raises, tries to exit,
        returns an illegal action or takes too long forfeits.
    """
    seeds = _seeds(seated, agent_key)
    for seat, agent in enumerate(seated):
        if isinstance(failed := call_agent(agent.reset, seat, seeds[seat]), Failed):
            return Played(np.zeros(game.seats), ILLEGAL + seat, [], failed.cause)
    times: list[list[int]] = [[] for _ in seated]
    course = _course(game, seated, seeds, key, opening, adjudicator, times)
    clock = None if control is None else Clock(control, game.seats)
    answer = None
    while True:
        try:
            question = course.send(answer)
        except StopIteration as end:
            played: Played = end.value
            return played
        if clock is not None:
            question.info["clock"] = clock.told()
        started = perf_counter_ns()
        answer = _ask(question)
        spent = perf_counter_ns() - started
        times[question.seat].append(spent)
        if clock is not None and clock.spend(question.seat, spent):
            answer = Failed(LOST_ON_TIME)


def compile_games(game: Game, policies: list[Policy]) -> None:
    """Compile all that games in Python need, so that no clock runs meanwhile: a game between random agents has it."""
    policy_rows(game, policies)
    agents = [make_agent("random", game) for _ in range(game.seats)]
    play_game(game, agents, seed_key(0), seed_key(0), opening=1)


def can_play_in_step(benches: Iterable[Iterable[Agent]]) -> bool:
    """Whether some agent answers for many games at once, and every other one can play in many games at once."""
    agents = list(itertools.chain.from_iterable(benches))
    return any(agent.act_batch for agent in agents) and all(agent.act_batch or agent.policy for agent in agents)


def play_in_step(
    game: Game,
    tables: Iterable[tuple[Sequence[Agent], np.uint64, np.uint64, int | Opening]],
    adjudicator: Policy | None = None,
) -> list[Played]:
    """Play many games at once, with one call for all pending decisions of an agent with `act_batch`.

    Args:
        game: the game.
        tables: the arguments of `play_game` for each game: the agents, the two keys, and the opening. Every agent has
            `act_batch` or a policy. Agents are not reset; compiled ones play as copies, one per game.
        adjudicator: see `play_game`.

    Returns:
        The games, as `play_game` plays them. If a call of `act_batch` fails, the agent is asked again about each of the
        games separately, so a failure or an illegal action costs only the games concerned.
    """
    played: dict[int, Played] = {}
    courses: dict[int, Generator[Question, Any, Played]] = {}
    answers: dict[int, Any] = {}
    times: dict[int, list[list[int]]] = {}
    waiting = enumerate(tables)
    while True:
        for number, (seated, key, agent_key, opening) in itertools.islice(waiting, _IN_STEP - len(courses)):
            seeds = _seeds(seated, agent_key)
            agents = [_one_for_this_game(agent, seat, seeds[seat]) for seat, agent in enumerate(seated)]
            times[number] = [[] for _ in seated]
            courses[number] = _course(game, agents, seeds, key, opening, adjudicator, times[number])
        if not courses:
            return [played[number] for number in range(len(played))]
        questions: dict[int, Question] = {}
        for number, course in list(courses.items()):
            try:
                questions[number] = course.send(answers.pop(number, None))
            except StopIteration as end:
                played[number] = end.value
                del courses[number], times[number]
        answers, spent = _ask_all(questions)
        for number, nanoseconds in spent.items():
            times[number][questions[number].seat].append(nanoseconds)


def _seeds(seated: Sequence[Agent], agent_key: np.uint64) -> list[int]:
    return [agent_seed(agent, agent_key, seat) for seat, agent in enumerate(seated)]


def _one_for_this_game(agent: Agent, seat: int, seed: int) -> Agent:
    if agent.policy is None:
        return agent
    one = CompiledAgent(agent.name, agent.policy)
    one.reset(seat, seed)
    return one


def _course(
    game: Game,
    seated: Sequence[Agent],
    seeds: list[int],
    key: np.uint64,
    opening: int | Opening,
    adjudicator: Policy | None,
    times: list[list[int]],
) -> Generator[Question, Any, Played]:
    """One game as a generator: it yields questions, is sent the answers or failures, and returns what was played.

    Whoever asks the questions adds to `times` how long the answers took.
    """
    setup = opening if isinstance(opening, Opening) else Opening(game.start(), [], opening)
    episode = Episode(game, key, setup.start, [])
    ending = FINISHED
    moves: list[int] = []
    decisions = [0] * game.seats
    stream = np.array([child_key(key, OPENING), 0], dtype=np.uint64)
    while episode.turn != OVER and not episode.truncated:
        seat = episode.turn
        if episode.plies < len(setup.moves):
            action = setup.moves[episode.plies]
        elif episode.plies < setup.random:
            action = int(random_legal(game.table, episode.position.data, episode.mask(), stream))
        elif (settled := _adjudicated(adjudicator, episode)) >= 0:
            action, ending = settled, ADJUDICATED
        else:
            agent, observation = seated[seat], episode.position.observe(seat)
            info = episode.info(seat, agent)
            answer = yield Question(agent, observation, episode.mask().copy(), info, seeds[seat], decisions[seat], seat)
            decided = action_of(episode, answer)
            if isinstance(decided, Failed):
                return Played(episode.returns, ILLEGAL + seat, moves, decided.cause, times)
            action = decided
            decisions[seat] += 1
        moves.append(action)
        episode.play(action)
    return Played(episode.returns, TRUNCATED if episode.truncated else ending, moves, "", times)


def _adjudicated(adjudicator: Policy | None, episode: Episode) -> int:
    """The adjudicator's action; -1 if it has none."""
    if adjudicator is None:
        return -1
    position, unseen, no_chance = episode.position, np.zeros(0, dtype=np.int8), np.zeros(2, dtype=np.uint64)
    return adjudicator.choose(position.game, position.data, unseen, episode.mask(), no_chance)


def _ask(question: Question) -> Any:
    """The agent's answer, or `Failed`."""
    return call_agent(question.agent, question.observation, question.mask, question.info)


def _ask_all(questions: dict[int, Question]) -> tuple[dict[int, Any], dict[int, int]]:
    """The answer to each game's question, and the nanoseconds that it took.

    An agent with `act_batch` is asked all of its questions together, so each takes its share of the time.
    """
    answers: dict[int, Any] = {}
    spent: dict[int, int] = {}
    together: dict[int, list[int]] = {}
    for number, question in questions.items():
        if question.agent.act_batch:
            together.setdefault(id(question.agent), []).append(number)
        else:
            started = perf_counter_ns()
            answers[number] = _ask(question)
            spent[number] = perf_counter_ns() - started
    for numbers in together.values():
        started = perf_counter_ns()
        answers |= zip(numbers, _ask_together([questions[number] for number in numbers]), strict=True)
        spent |= dict.fromkeys(numbers, (perf_counter_ns() - started) // len(numbers))
    return answers, spent


def _ask_together(questions: list[Question]) -> list[Any]:
    """One agent's answers to several questions, in order."""
    agents, observations, masks, infos, seeds, decisions, _ = zip(*questions, strict=True)
    all_infos = [info | {"seed": seed, "decision": n} for info, seed, n in zip(infos, seeds, decisions, strict=True)]

    def ask() -> list[Any]:
        actions = list(agents[0].act_batch(np.stack(observations), np.stack(masks), all_infos))
        if len(actions) != len(questions):
            raise AgentFailure(f"returned {len(actions)} actions for {len(questions)} games")
        return actions

    answers = call_agent(ask)
    if isinstance(answers, list):
        return answers
    return [answers] if len(questions) == 1 else [_ask_together([question])[0] for question in questions]
