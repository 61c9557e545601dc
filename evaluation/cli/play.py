"""The command to sit down at a game oneself: a conversation, line by line."""

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from ludarium.evaluation.cli.terminal import Names, app, at_work, console, print_line

_OPPONENT = "greedy"
_HELP = """\
A move is typed as the game writes it. If there is only one, an empty line plays it. Besides:
  moves    list the legal moves
  back     take back to your previous decision; the same moves meet the same dice, cards and replies again
  hint     ask an agent, which sees what you see
  resign   give up; in backgammon a single game, or `resign gammon`, `resign backgammon`
  new      another game, with the next seed if you gave one
  members  list the members of the population that the agent comes from, the champion first
  member 3 another game, against that member
  quit     leave; so do Ctrl-D and Ctrl-C
  ?        this help"""


@app.command("play", rich_help_panel="Play")
def play(
    game: Annotated[str, typer.Argument(help='A game: "othello", "hanabi?seats=3".')],
    against: Annotated[
        list[str] | None,
        typer.Option(help="The agents in the other seats: one for all, or one for each; by default greedy."),
    ] = None,
    seat: Annotated[str, typer.Option(help="Your seat: first, second, random, or its name in the game.")] = "first",
    hint: Annotated[str | None, typer.Option(help="The agent to ask for hints; by default the strongest.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed of dice, cards and agents; by default a secret one.")
    ] = None,
    position: Annotated[str | None, typer.Option(help="Begin from this position, as the game writes it.")] = None,
    name: Names = None,
    reasons: Annotated[
        bool, typer.Option("--reasons", help="Show why agents move, even if that tells what is hidden from you.")
    ] = False,
) -> None:
    """Play against agents in the terminal; you may take moves back and ask for hints."""
    from ludarium.agents import make_agent
    from ludarium.envs.chance import secret_seed
    from ludarium.envs.registry import make_game
    from ludarium.evaluation.play.calls import attempt
    from ludarium.evaluation.play.sitting import Sitting
    from ludarium.evaluation.tournament.entrants import labelled

    made = make_game(game)
    chosen, start = _read_seat(made, seat), _read_position(made, position)
    with contextlib.ExitStack() as closing:

        def agent(spec: str, called: str = "") -> Any:
            player = make_agent(spec, made)
            closing.callback(attempt, player.close)
            player.name = called or player.name
            return player

        entrants = labelled([*(against or [_OPPONENT]), *([] if hint is None else [hint])], name)
        others = entrants if hint is None else entrants[:-1]
        opponents = [agent(spec, called) for called, spec in _one_each(made, others)]
        adviser = None if hint is None else agent(entrants[-1][1], entrants[-1][0])
        drawn = secret_seed() if seed is None else seed
        sitting = Sitting(made, chosen, opponents, drawn, start, reasons=reasons)
        again = ["--seat", seat] if seat != "first" else []
        again += ["--position", position] if position is not None else []
        again += ["--reasons"] if reasons else []
        played = [spec for _, spec in others] if against else []
        best = "expert" if start is None else "expert?exact=False"
        _Conversation(sitting, lambda: adviser or agent(best), agent, played, name or [], again).run()


def _read_seat(game: Any, text: str) -> int | None:
    names = {game.seat_name(seat).lower(): seat for seat in range(game.seats)} | {"first": 0, "second": 1}
    if text.lower() == "random":
        return None
    if text.lower() not in names:
        raise ValueError(f"{game.name}: --seat must be one of random, {', '.join(names)}, not {text!r}")
    return names[text.lower()]


def _read_position(game: Any, text: str | None) -> Any:
    from ludarium.envs.episode import read_reset_options

    if text is None:
        return None
    if game.hidden_information:
        raise ValueError(f"{game.name}: --position cannot be given, since it would show what is hidden")
    return read_reset_options(game, {"position": text})[0]


def _one_each(game: Any, agents: list[tuple[str, str]]) -> list[tuple[str, str]]:
    others = game.seats - 1
    if len(agents) not in (1, others):
        times = "once" if others == 1 else f"once or {others} times"
        raise ValueError(f"{game.name}: --against must be given {times}, not {len(agents)} times")
    return agents * others if len(agents) == 1 else agents


class _Conversation:
    """What is typed and what is answered; it ends with `quit` or at the end of the input.

    Args:
        sitting: the game.
        adviser: makes the agent that is asked for hints, once somebody asks.
        opponent: makes an agent from its spec.
        against: the specs of the opponents, as they were given.
        names: what --name gives.
        options: what else the command was given, but for its seed.
    """

    def __init__(
        self,
        sitting: Any,
        adviser: Callable[[], Any],
        opponent: Callable[[str], Any],
        against: list[str],
        names: list[str],
        options: list[str],
    ) -> None:
        self.sitting = sitting
        self._make_adviser, self._adviser = adviser, None
        self._make_opponent, self._against = opponent, against
        self._names, self._options = names, options
        self._told = self._leaving = False
        self._commands = {
            "?": lambda: print_line(_HELP),
            "help": lambda: print_line(_HELP),
            "moves": self._moves,
            "back": self._back,
            "hint": self._hint,
            "new": self._new,
            "members": self._members,
            "quit": self._quit,
        }

    def run(self) -> None:
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):  # then lines can be edited, and old ones called back
                import readline  # noqa: F401
        self._begin()
        try:
            while not self._leaving:
                self._let_agents_move()
                if self.sitting.over and not self._told:
                    self._tell()
                self._obey(_read(self._prompt()))
        except (EOFError, KeyboardInterrupt):
            console.print()
        if not self._told:
            self._tell()

    def _begin(self) -> None:
        sitting, self._told = self.sitting, False
        seats = ", ".join(sitting.name(seat) for seat in range(sitting.game.seats))
        seed = "" if self._is_secret() else f"; seed {sitting.seed}"
        print_line(f"{sitting.game.title or sitting.game.name}: {seats}{seed}; ? for help", style="bold")
        print_line(sitting.view())

    def _let_agents_move(self) -> None:
        sitting = self.sitting
        while not sitting.over and sitting.episode.turn != sitting.person:
            name = sitting.name(sitting.episode.turn)
            with at_work(f"{name} thinks"):
                turn = sitting.reply()
            if turn is not None:
                self._show(name, turn)

    def _show(self, name: str, turn: Any) -> None:
        print_line(f"\n{name}: {turn.text}", style="bold")
        self._explain(turn.why)
        print_line(self.sitting.view())

    def _explain(self, why: Any) -> None:
        """Why an agent chose what it did; boards stay boards, below each other."""
        if why.text.strip():
            first, *others = why.text.strip("\n").splitlines()
            print_line("\n".join([f"  because: {first}", *(f"    {line}" for line in others)]), style="dim")

    def _tell(self) -> None:
        """How the game ended, and all that is needed to play it again."""
        self._told = True
        sitting = self.sitting
        print_line(f"\n{sitting.result()}", style="bold")
        print_line(f"moves: {', '.join(sitting.notation()) or 'none'}")
        against = [word for spec in self._against for word in ("--against", spec)]
        playing = self._against or [_OPPONENT]
        names = [word for text in self._names if text.partition("=")[2] in playing for word in ("--name", text)]
        again = shlex.join(["ludarium", "play", sitting.game.spec, *against, *names, *self._options])
        print_line(f"again: {again} --seed {sitting.seed}", style="dim")

    def _prompt(self) -> str:
        if self.sitting.over:
            return "again? (yes, no, back) "
        legal = list(self.sitting.legal())
        only = f" (Enter: {legal[0]})" if len(legal) == 1 else ""
        return f"{self.sitting.name(self.sitting.person)} to move{only}> "

    def _obey(self, line: str) -> None:
        sitting, word = self.sitting, line.lower()
        if sitting.over:
            word = {"y": "new", "yes": "new", "n": "quit", "no": "quit"}.get(word, word)
        is_move = line in sitting.legal()  # some moves may sound like a command
        if word in self._commands and not is_move:
            self._commands[word]()
        elif word.split()[:1] == ["member"] and not is_move:
            self._member(word.removeprefix("member").strip())
        elif word.split()[:1] == ["resign"] and not is_move:
            self._resign(word.removeprefix("resign").strip())
        elif sitting.over:
            if line:
                _complain(f"{line!r}: the game is over; say yes or new for another one, back, or quit")
        else:
            self._move(line)

    def _move(self, line: str) -> None:
        sitting, legal = self.sitting, self.sitting.legal()
        if line:
            try:
                action = sitting.game.str_to_action(sitting.episode.position, line)
            except ValueError as error:
                _complain(f"{str(error).split('; legal:')[0]}; legal: {', '.join(legal)}")
                return
        elif len(legal) == 1:
            (action,) = legal.values()
        else:
            return
        self._show(sitting.name(sitting.person), sitting.play(action))

    def _moves(self) -> None:
        print_line(", ".join(self.sitting.legal()) or "none, the game is over")

    def _hint(self) -> None:
        if self.sitting.over:
            print_line("none, the game is over")
            return
        with _mistakes_told():
            with at_work("thinking"):
                self._adviser = self._adviser or self._make_adviser()
                advice, why = self.sitting.advice(self._adviser)
            print_line(advice)
            self._explain(why)

    def _back(self) -> None:
        if self.sitting.back():
            self._told = False
            print_line(self.sitting.view())
        else:
            _complain("there is no decision of yours to take back")

    def _resign(self, lost: str) -> None:
        if self.sitting.over:
            _complain("the game is over; there is nothing to resign")
            return
        with _mistakes_told():
            turn = self.sitting.resign(lost)
            if turn is not None:
                self._show(self.sitting.name(turn.seat), turn)

    def _new(self, opponents: list[Any] | None = None) -> None:
        if not self._told:
            self._tell()
        from ludarium.envs.chance import secret_seed

        self.sitting.begin(secret_seed() if self._is_secret() else self.sitting.seed + 1, opponents)
        self._begin()

    def _is_secret(self) -> bool:
        """Whether nobody has given the seed, which would tell what comes."""
        from ludarium.envs.chance import is_secret

        return is_secret(self.sitting.seed)

    def _members(self) -> None:
        with _mistakes_told():
            population, playing = self._population()
            for place, merit in enumerate(population.merits()):
                print_line(f"member {place:<4} {merit}" + ("  (plays now)" if place == playing else ""))

    def _member(self, text: str) -> None:
        with _mistakes_told():
            population, _ = self._population()
            if not text.isdecimal():
                raise ValueError(f"member takes a number, such as member 3, not {text!r}; members lists them")
            spec = population.spec(int(text))
            opponent = self._make_opponent(spec)
            self._new([opponent])
            self._against = [spec]

    def _population(self) -> tuple[Any, int]:
        """The population that the opponent comes from, and its place there."""
        from ludarium.evaluation.inspection.runs import find_population

        return find_population((self._against or [_OPPONENT])[0], self.sitting.game)

    def _quit(self) -> None:
        self._leaving = True


@contextlib.contextmanager
def _mistakes_told() -> Iterator[None]:
    """The conversation goes on after a mistake."""
    try:
        yield
    except ValueError as error:
        _complain(str(error))


def _read(prompt: str) -> str:
    """The next line that is typed; of one that is not, the output shows what it was."""
    if sys.stdin.isatty():
        return input(prompt).strip()
    line = input().strip()
    print_line(f"{prompt}{line}")
    return line


def _complain(text: str) -> None:
    print_line(text, style="red")
