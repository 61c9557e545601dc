"""How this package compiles: Numba, with a disk cache that cannot go stale.

Numba's own cache looks at one source file, and misses a change in a function that was inlined from another.
Here a cached function is stored under a fingerprint of everything its machine code depends on: its bytecode, its
constants, and recursively the functions, numbers, arrays and record types it names. Edit any of them and the name on
disk changes, so old code cannot be found. Nothing compiles at import: functions compile when first called.
"""

import hashlib
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np
from numba.core import caching
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral

from ludarium.envs import compilation

F = TypeVar("F", bound=Callable[..., Any])
_FLAGS = {"nopython": True, "nogil": True, "error_model": "numpy"}
_WRAPPERS = {"no_cfunc_wrapper": True}  # nobody calls these functions from C
_OUTSIDE = ("numpy", "numba", "llvmlite")  # what they emit depends on their release alone
_functions: set[Callable[..., Any]] = set()  # all that can be compiled
_c_functions: dict[tuple[Callable[..., Any], Any], CFunc] = {}


def jit(function: F) -> F:
    """Compile a helper function on its first call, and keep the result on disk."""
    return _Dispatcher(function)


class _Dispatcher(CPUDispatcher):
    """Compiles a function for calls from Python; a twin does so for calls from compiled code.

    A call from Python needs a wrapper that unpacks all arguments: a quarter of the compile time of a function that only
    compiled code ever calls. And Numba compiles a function again for each number that is written out in a call, where
    once will do.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=_FLAGS | _WRAPPERS)
        self._cache = _LazyCache(function)
        self._inner = CPUDispatcher(function, targetoptions=_FLAGS | _WRAPPERS | {"no_cpython_wrapper": True})
        self._inner._cache = _LazyCache(function, "-inner")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self._inner.get_call_template(
            tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
        )

    def get_overload(self, sig: Any) -> Any:
        return self._inner.get_overload(sig)


def entry(function: Callable[..., Any], signature: Any, *, nogil: bool) -> Callable[..., Any]:
    """Compile `function` now (or load it from disk), and return how Python calls it fastest: for one signature alone.

    Nothing looks at the arguments before they are unpacked: a third of the time of an ordinary call. Without `nogil`
    the call holds Python's lock, so no other thread sees what it has half done.
    """
    dispatcher: Any = CPUDispatcher(function, targetoptions=_FLAGS | _WRAPPERS | {"nogil": nogil})
    dispatcher._cache = _LazyCache(function, "" if nogil else "-locked")
    dispatcher.compile(signature)
    call: Callable[..., Any] = dispatcher.overloads[signature.args].entry_point
    return call


def c_function(function: Callable[..., Any], signature: Any) -> CFunc:
    """Compile `function` now (or load it from disk) as a C function of the given Numba signature.

    It is kept for as long as the process lives, so its `address` stays valid.
    """
    function = getattr(function, "py_func", function)
    if (function, signature) not in _c_functions:
        compiled: Any = CFunc(function, (signature.args, signature.return_type), {}, dict(_FLAGS))
        compiled._cache = _LazyCache(function)
        compiled.compile()
        _c_functions[function, signature] = compiled
    return _c_functions[function, signature]


def fingerprint(function: Callable[..., Any]) -> str:
    """Hash of everything that determines the machine code of `function`: 32 hexadecimal digits."""
    digest = hashlib.sha256(repr(sorted(_FLAGS.items())).encode())
    _digest_function(function, digest, set())
    return digest.hexdigest()[:32]


def _within(function: Callable[..., Any]) -> set[Callable[..., Any]]:
    """The function, and all that are compiled within its compilation if it calls whatever it names."""
    seen: set[Any] = set()
    _digest_function(function, hashlib.sha256(), seen)
    return seen & _functions


def _digest_function(function: Any, digest: Any, seen: set[Any]) -> None:
    if function in seen:
        return
    seen.add(function)
    _digest_code(function.__code__, digest)
    names = _names(function.__code__)
    for name in sorted(names):
        if name in function.__globals__:
            digest.update(name.encode())
            _digest_value(function.__globals__[name], names, digest, seen)
    for cell in function.__closure__ or ():
        _digest_value(cell.cell_contents, names, digest, seen)
    for default in function.__defaults__ or ():
        _digest_value(default, names, digest, seen)


def _digest_code(code: CodeType, digest: Any) -> None:
    digest.update(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames, code.co_freevars)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _digest_code(constant, digest)
        else:
            digest.update(repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant).encode())


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _digest_value(value: Any, names: set[str], digest: Any, seen: set[Any]) -> None:
    if isinstance(value, Dispatcher):
        _digest_function(value.py_func, digest, seen)
    elif type(value).__name__ == "_Intrinsic":
        _digest_function(value._defn, digest, seen)
    elif isinstance(function := getattr(value, "__wrapped__", value), FunctionType):  # inside `functools.cache`, too
        if not function.__module__.startswith(_OUTSIDE):
            _digest_function(function, digest, seen)
    elif isinstance(value, np.ndarray):
        digest.update(repr((value.dtype, value.shape)).encode())
        digest.update(value.tobytes())
    elif isinstance(value, ModuleType):
        if value.__name__.split(".")[0] not in ("numpy", "numba", "math"):
            for name in sorted(names & set(vars(value))):
                _digest_value(vars(value)[name], names, digest, seen)
    elif isinstance(value, type):
        digest.update(value.__qualname__.encode())
        if not value.__module__.startswith(_OUTSIDE):
            for _, method in sorted(vars(value).items()):
                if isinstance(method, FunctionType):
                    _digest_function(method, digest, seen)
    elif isinstance(value, tuple):
        for item in value:
            _digest_value(item, names, digest, seen)
    else:
        digest.update(repr(value).encode())


class _ByFingerprint:
    """Mixin for locators: files are named by the function's fingerprint."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)  # type: ignore[call-arg]
        self._fingerprint = fingerprint(py_func)

    def get_source_stamp(self) -> str:
        return self._fingerprint

    def get_disambiguator(self) -> str:
        return self._fingerprint


class _Files(caching.CompileResultCacheImpl):
    """In `NUMBA_CACHE_DIR`, if set; in `__pycache__` beside the source, if writable; or in the user's cache folder."""

    _locator_classes = [
        type(place.__name__, (_ByFingerprint, place), {})
        for place in (caching.UserProvidedCacheLocator, caching.InTreeCacheLocator, caching.UserWideCacheLocator)
    ]


class Signatures(caching.IndexDataCacheFile):
    """The compiled code of one function, a file for each signature, and an index of them.

    Numba numbers the files. So if two processes saved code for two signatures at once, the index of one could name the
    file of the other. Here the name of a file says its signature. An index that names a type which has moved to another
    module since then counts as empty.
    """

    def _load_index(self) -> dict[Any, str]:
        try:
            return dict(super()._load_index())
        except (AttributeError, ImportError):
            return {}

    def save(self, key: Any, data: Any) -> None:
        number = int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16)
        index = self._load_index()
        while index.get(key) is None and self._data_name(number) in index.values():  # signatures that look the same
            number += 1
        index.setdefault(key, self._data_name(number))
        self._save_index(index)
        self._save_data(index[key], data)


class _Cache(caching.FunctionCache):
    """The files of a function; `suffix` tells apart the ways to compile it."""

    _impl_class = _Files

    def __init__(self, function: Any, suffix: str) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = Signatures(self.cache_path, self._impl.filename_base + suffix, stamp)


class _LazyCache(caching.NullCache):
    """Finds its files at the first compilation, when everything that the function refers to is defined."""

    def __init__(self, function: Any, suffix: str = "") -> None:
        self._function = function
        self._suffix = suffix
        self._cache: Any = None
        _functions.add(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if self._cache is None:
            try:
                self._cache = _Cache(self._function, self._suffix)
            except RuntimeError:  # no source file, e.g. a function typed at the prompt
                self._cache = caching.NullCache()
        try:
            overload = self._cache.load_overload(sig, target_context)
        except ImportError:  # compiled code asks for its module by name; this one was loaded from a file
            overload = None
        if overload is None:
            compilation.begins(self._function, lambda: _within(self._function))
        else:
            compilation.is_ready(self._function, compiled=False)
        return overload

    def save_overload(self, sig: Any, data: Any) -> None:
        self._cache.save_overload(sig, data)
        compilation.is_ready(self._function, compiled=True)
