"""Agents by name: `make_agent` finds one by its spec.

| spec | agent |
|---|---|
| `"random"`, `"mcts?simulations=400&exploration=1.2"` | a built-in agent with options |
| `"my_package.bots:Clever"` | an attribute of a module: a callable, an agent, or a factory that takes the game |
| `"path/to/bot.py"`, `"path/to/bot.py:Clever"` | the same from a file; by default its `agent`, or its only callable |
| `"td:runs/x"`, `"gaia:runs/x?member=3"`, … | what `ludarium train` left in a folder |
| `"td:runs/x@20000"`, `"gaia:runs/x@20?member=3"` | the same at a checkpoint that the run has kept |
| `"isolated:path/to/bot.py:Clever?depth=3&memory=512"` | such an agent in a process of its own, with limits |
| `"trusted:path/to/bot.py:Clever"` | such an agent, in this process also where others would get one of their own |
| `"process:node bot.js"`, `"gtp:…"`, `"nboard:…"`, `"sb3:model.zip"` | programs of others: `docs/agents/programs.md` |

Players that look ahead take an `evaluation`, which says what unfinished positions are worth:
`"alphabeta?evaluation=wpc"`, one of those known for the game; `"beam?evaluation=expert"`, what `expert` goes by;
`"mcts?evaluation=td:runs/x"`, what a learner found; or `"greedy?evaluation=path/to/file.py:function"`, a function of
your own, `value(s, seat)`.

Options follow a `?`. If a command contains a `?` itself, the last one counts; a `?` at the very end means no options.
Installed packages add names through the entry-point group `ludarium.agents`; each entry is a factory
`make(game, *, option=default, ...)` that returns an `Agent`, a `Policy` or a callable.
"""

import contextlib
import copy
import importlib
import inspect
import threading
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from ludarium.agents.agent import Agent, CompiledAgent, FunctionAgent, SpecAgent, in_this_folder, is_interrupt
from ludarium.agents.learning.registry import learner_names, learner_presets
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.game import Game
from ludarium.envs.options import did_you_mean
from ludarium.envs.policy import Policy
from ludarium.envs.registry import parse_value
from ludarium.envs.source_file import load_source

_BUILT_IN = {
    "random": "ludarium.agents.baselines.random:random",
    "greedy": "ludarium.agents.search.greedy:greedy",
    "alphabeta": "ludarium.agents.search.alphabeta:alphabeta",
    "mcts": "ludarium.agents.search.mcts:mcts",
    "perfect": "ludarium.agents.search.solver:perfect",
    "beam": "ludarium.agents.search.beam:beam",
    "expectimax": "ludarium.agents.backgammon.expectimax:expectimax",
    "bgsage": "ludarium.agents.external.bgsage:BgsageAgent",
    "ppo": "ludarium.agents.baselines.ppo:ppo",
    "expert": "ludarium.agents.expert:expert",
    "hanabi-rules": "ludarium.agents.hanabi.players:rule_list",
}
_ADAPTERS = {
    "process": "ludarium.agents.external.subprocess:JSONLinesAgent",
    "gtp": "ludarium.agents.external.gtp:GTPAgent",
    "nboard": "ludarium.agents.external.nboard:NBoardAgent",
    "isolated": "ludarium.agents.external.isolated:IsolatedAgent",
}
_ISOLATED, _EXPERT = "isolated", "expert"
TRUSTED = "trusted:"
"""Before a spec: the agent needs no process of its own."""
_files: dict[Path, tuple[int, ModuleType]] = {}  # by path: its modification time, and the module
_files_lock = threading.RLock()  # a file may load another


class Apart(str):
    """A spec whose agent `make_agent` gives a process of its own; its name and its options are those of the spec."""

    __slots__ = ()


def apart(spec: str) -> str:
    """The spec as it is played among strangers: Python code of others in a process of its own, unless it is trusted."""
    return Apart(spec) if is_foreign(spec) and not spec.startswith(TRUSTED) else spec


def make_agent(spec: Any, game: Game) -> Agent:
    """Make the agent that `spec` names, for a game.

    Args:
        spec: a spec string (see the module, and `apart`), an `Agent`, a `Policy`, a callable, an object with `act`, or
            a model with `predict`, such as those of Stable-Baselines3.
        game: the game it will play.

    Raises:
        ValueError: for an unknown name, an option value that is not allowed, or an agent that this game refuses.
        TypeError: for an unknown option, or something that is not an agent.

    Examples:
        >>> from ludarium.agents import make_agent
        >>> from ludarium.envs import make_game
        >>> make_agent("alphabeta?depth=2", make_game("tictactoe"))
        <CompiledAgent 'alphabeta?depth=2'>
    """
    if isinstance(spec, Apart):
        agent = _load(_ADAPTERS[_ISOLATED])(game, str(spec))
    elif isinstance(spec, str):
        with in_this_folder() if is_foreign(spec) else contextlib.nullcontext():
            agent = _from_text(spec, game)
    else:
        agent = _as_agent(spec, getattr(spec, "__name__", type(spec).__name__), game)
    if isinstance(spec, str) and isinstance(agent, SpecAgent):
        agent.made_from = spec, game
    if agent.needs_state and game.hidden_information:
        raise ValueError(
            f"{game.name}: the agent {agent.name!r} needs the position, which a game with hidden information withholds"
        )
    if agent.needs_view and game.view is None:
        raise ValueError(f"{game.spec}: the agent {agent.name!r} needs the view, which this game does not have")
    return agent


def agent_names() -> list[str]:
    """The names of the built-in agents and of those from installed packages.

    Examples:
        >>> from ludarium.agents import agent_names
        >>> agent_names()[:4]
        ['random', 'greedy', 'alphabeta', 'mcts']
    """
    return [*_BUILT_IN, *(point.name for point in entry_points(group="ludarium.agents"))]


def program_prefixes() -> list[str]:
    """The prefixes, before the colon, in specs of other people's programs: `"gtp"`, …."""
    return [prefix for prefix in _ADAPTERS if prefix != _ISOLATED]


def is_foreign(spec: str) -> bool:
    """Whether a spec names Python code of others that would run in this process; it had better run in a worker.

    Raises:
        ValueError: if its options cannot be read.
    """
    name, options = split_options(spec.removeprefix(TRUSTED))
    evaluation = options.get("evaluation", "")
    if name in _BUILT_IN and ":" in evaluation:
        name = evaluation
    prefix, module = name.partition(":")[0], name.partition(".")[0]
    if prefix in _ADAPTERS or prefix in learner_names() or name in _BUILT_IN or module == "ludarium":
        return False
    return _is_attribute(name) or name in agent_names()


def is_stranger(spec: str) -> bool:
    """Whether a spec names code of others, in whatever process it runs.

    Raises:
        ValueError: if its options cannot be read.
    """
    return split_options(spec)[0].partition(":")[0] in _ADAPTERS or is_foreign(spec)


def isolated(spec: str) -> str:
    """The spec of the same agent in a process of its own, if it is Python code of others; otherwise as it is."""
    return f"{_ISOLATED}:{spec}" if is_foreign(spec) else spec


def agent_factory(name: str) -> Any:
    """What makes the agents of a name: a named agent, a prefix such as `gtp`, or a learner, for its runs.

    Raises:
        ValueError: if there is no such agent.
    """
    if name in learner_names():
        return learner_presets(name).player
    return _load(_ADAPTERS.get(name) or _target(name))


def agent_options(name: str) -> dict[str, Any]:
    """The options of a named agent, with their defaults; see `agent_factory`.

    Examples:
        >>> from ludarium.agents import agent_options
        >>> agent_options("mcts")
        {'simulations': 200, 'exploration': 1.4, 'evaluation': 'none'}
    """
    return {key: value.default for key, value in _option_parameters(agent_factory(name)).items()}


def given_options(spec: str) -> dict[str, Any]:
    """The options that the spec of a named agent or of a learner's run gives, as values.

    Raises:
        ValueError: if there is no such agent, or a value is of another type than the option's default.
        TypeError: for an unknown option.
    """
    name, options = split_options(spec)
    prefix = name.partition(":")[0]
    return _check_options(name, agent_factory(prefix if prefix in learner_names() else name), options)


def refusal(name: str, game: Game) -> str:
    """Why a named agent does not play a game, as its factory declares it by `takes`; empty if it plays or does not say.

    Nothing is made for it, so this is quick.
    """
    check = getattr(_load(_target(name)), "check_game", None)
    try:
        if check is not None:
            check(game)
    except ValueError as error:
        return f"{error}"
    return ""


def _from_text(spec: str, game: Game) -> Agent:
    if spec.startswith(TRUSTED):
        return _trusted(spec, game)
    name, texts = split_options(spec)
    prefix, _, argument = name.partition(":")
    agent: Agent
    factory: Any
    if prefix in learner_names():
        from ludarium.agents.learning.runs import agent_of_run  # with all that learners need

        presets = learner_presets(prefix)
        agent = agent_of_run(presets, game, argument, **_check_options(prefix, presets.player, texts))
        agent.name = spec
        return agent
    if prefix in _ADAPTERS:
        factory = _load(_ADAPTERS[prefix])
        if prefix == _ISOLATED:  # all other options are those of the agent inside
            own = _option_parameters(factory)
            argument = _joined(argument, {key: texts.pop(key) for key in list(texts) if key not in own})
        agent = factory(game, argument, **_check_options(prefix, factory, texts))
        agent.name = spec
        return agent
    factory = _load(_target(name))
    if name in _BUILT_IN:
        options = _check_options(name, factory, texts)
        if ":" in options.get("evaluation", "") or options.get("evaluation") == _EXPERT:
            options["evaluation"] = _evaluation(spec, options["evaluation"], game)
        return _as_agent(factory(game, **options), spec, game)
    if _takes_game(factory) or not _is_attribute(name):
        options = _check_options(name, factory, texts)
        return _as_agent(_made(spec, lambda: factory(game, **options)), spec, game)
    if texts:
        raise TypeError(f"agent {spec!r}: {name} is not a factory, so it takes no options")
    if isinstance(factory, type):
        return _as_agent(_made(spec, factory), spec, game)
    return _as_agent(_copied(spec, factory), spec, game)


def _trusted(spec: str, game: Game) -> Agent:
    inner = spec.removeprefix(TRUSTED)
    if not is_foreign(inner):
        raise ValueError(f"agent {spec!r}: only agents from files, modules and plug-ins can be trusted, not {inner!r}")
    agent = _from_text(inner, game)
    if agent.name == inner:
        agent.name = spec
    return agent


def _evaluation(spec: str, name: str, game: Game) -> Evaluation:
    """What `expert` or a learner's run says positions are worth, or a function in other people's code."""
    if name == _EXPERT:
        return _load(f"{_BUILT_IN[_EXPERT].partition(':')[0]}:evaluation")(game)
    prefix, _, path = name.partition(":")
    if prefix in learner_names():
        from ludarium.agents.learning.runs import evaluation_of_run

        return evaluation_of_run(learner_presets(prefix), game, path)
    loaded = _load(name)
    if isinstance(loaded, Evaluation):
        return loaded.check(game)
    if not inspect.isfunction(getattr(loaded, "py_func", loaded)):
        raise TypeError(f"agent {spec!r}: {name} is not an evaluation: expected a function value(s, seat)")
    return Evaluation(loaded).check(game)


def _copied(spec: str, agent: Any) -> Any:
    """Copy an agent, because a shared one could remember in one seat what it saw in another."""
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise ValueError(
            f"agent {spec!r}: it cannot be copied, and every seat needs one ({error}); name its class or a factory"
        ) from error


def _made(spec: str, make: Callable[[], Any]) -> Any:
    """Call other people's code to make an agent; turn whatever it raises into an error that names the agent."""
    try:
        return make()
    except (ValueError, TypeError):
        raise
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise ValueError(f"agent {spec!r}: it cannot be made: {error!r}") from error


def split_options(spec: str) -> tuple[str, dict[str, str]]:
    """Split a spec `NAME?option=value&option=value` at the last question mark into the name and the options, as text.

    Raises:
        ValueError: if what follows the question mark is not a list of options, or an option is given twice.
    """
    name, _, query = spec.rpartition("?") if "?" in spec else (spec, "", "")
    options: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        key, equals, text = part.partition("=")
        if not equals:
            raise ValueError(f"agent {spec!r}: expected option=value, not {part!r}")
        if key in options:
            raise ValueError(f"agent {spec!r}: {key} is given twice")
        options[key] = text
    return name, options


def _joined(name: str, options: dict[str, str]) -> str:
    """The spec of a name with options."""
    return f"{name}?{'&'.join(f'{key}={text}' for key, text in options.items())}" if options else name


def _check_options(name: str, factory: Any, texts: dict[str, str]) -> dict[str, Any]:
    """The values of the options, if the factory knows them and they have the types of its defaults."""
    parameters = _option_parameters(factory)
    options: dict[str, Any] = {}
    for key, text in texts.items():
        if key not in parameters:
            hint, names = did_you_mean(key, parameters), ", ".join(parameters) or "none"
            earlier = f"; {name}:RUN@20 is the checkpoint kept at 20" if name in learner_names() else ""
            raise TypeError(f"agent {name!r}: unknown option {key!r}; {hint}the options are: {names}{earlier}")
        default = parameters[key].default
        value = text if isinstance(default, str) else parse_value(text)
        if isinstance(default, float) and type(value) is int:
            value = float(text)  # infinite where `float` of a long integer would raise `OverflowError`
        elif default is not None and default is not inspect.Parameter.empty and type(value) is not type(default):
            raise ValueError(
                f"agent {name!r}: {key} must be of type {type(default).__name__}, like {default!r}, not {value!r}"
            )
        options[key] = value
    return options


def _is_attribute(name: str) -> bool:
    """Whether a name refers to something in a module or a file, which need not be a factory."""
    return ":" in name or name.endswith(".py")


def _target(name: str) -> str:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    if _is_attribute(name):
        return name
    points = {point.name: point.value for point in entry_points(group="ludarium.agents")}
    if name in points:
        return points[name]
    names = [*_BUILT_IN, *points]
    raise ValueError(
        f"unknown agent {name!r}; {did_you_mean(name, names)}known: {', '.join(names)}, or module:attribute, a file "
        f"that ends in .py, {', '.join(f'{prefix}:…' for prefix in (*_ADAPTERS, TRUSTED[:-1], *learner_names()))}"
    )


def _load(target: str) -> Any:
    module_name, colon, attribute = target.rpartition(":") if ":" in target else (target, "", "")
    if module_name.endswith(".py"):
        module = _load_file(Path(module_name))
        if not colon:
            return _only_agent(module, module_name)
    else:
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            raise ValueError(f"agent {target!r}: there is no module {error.name!r}") from None
        except Exception as error:
            raise ValueError(f"agent {target!r}: the module {module_name} cannot be loaded: {error!r}") from error
    if not hasattr(module, attribute):
        raise ValueError(f"agent {target!r}: the module {module_name} has no attribute {attribute!r}")
    return getattr(module, attribute)


def _load_file(path: Path) -> ModuleType:
    """Load a file as a module, which stays loaded until the file changes."""
    if not path.is_file():
        raise ValueError(f"agent {str(path)!r}: there is no such file; relative paths start at {str(Path.cwd())!r}")
    path = path.resolve()
    with _files_lock:
        written = path.stat().st_mtime_ns
        if path not in _files or _files[path][0] != written:
            name = f"ludarium_file_{len(_files)}_{path.stem}"
            try:
                _files[path] = written, load_source(str(path), name)
            except BaseException as error:  # it may want to exit
                if is_interrupt(error):
                    raise
                raise ValueError(f"agent {str(path)!r}: the file cannot be loaded: {error!r}") from error
        return _files[path][1]


def _only_agent(module: ModuleType, path: str) -> Any:
    """What a file stands for by itself: its `agent`, or the only public function or class in it that can act."""
    if hasattr(module, "agent"):
        return module.agent
    agents = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and (inspect.isfunction(value) or (isinstance(value, type) and _acts(value)))
    }
    if not agents:
        raise ValueError(
            f"agent {path!r}: the file defines no function or class that acts; "
            f"if it is a program that speaks JSON lines, use 'process:python3 {path}'"
        )
    if len(agents) > 1:
        raise ValueError(
            f"agent {path!r}: the file defines {', '.join(agents)}; call the one to use 'agent', "
            f"or name it: '{path}:{next(iter(agents))}'"
        )
    return next(iter(agents.values()))


def _acts(kind: type) -> bool:
    return any(name in vars(base) for base in kind.__mro__ for name in ("__call__", "act"))


def _takes_game(factory: Any) -> bool:
    if not callable(factory) or isinstance(factory, Agent | Policy):
        return False
    try:
        parameters = list(inspect.signature(factory).parameters)
    except (TypeError, ValueError):
        return False
    return parameters[:1] == ["game"]


def _option_parameters(factory: Any) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(factory).parameters
    return {name: p for name, p in parameters.items() if name != "game" and p.kind is p.KEYWORD_ONLY}


def _as_agent(made: Any, name: str, game: Game) -> Agent:
    if isinstance(made, Policy):
        return CompiledAgent(name, made)
    if isinstance(made, Agent):
        if not made.name:
            made.name = name
        return made
    if not isinstance(made, type):
        if callable(made) or callable(getattr(made, "act", None)):
            return FunctionAgent(name, made)
        if callable(getattr(made, "predict", None)):
            agent: Agent = _load("ludarium.agents.baselines.sb3.predicting:predicting")(name, made, game)
            return agent
    raise TypeError(
        f"{made!r} is not an agent: expected a spec string or a callable (observation, action_mask, info), an object "
        "with such a method act, or a model with predict"
    )
