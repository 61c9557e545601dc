"""A static check of compiled code: `python tests/owners.py`, a part of `make lint`.

`view`, `pointer`, `address`, `advance` and `table` look at memory without keeping it alive, and Numba frees an array
after its last use by name. So a function may look into its arguments, which its caller keeps, but not into an array
that it made. What `local` and `scratch` make ends with its function, and must not be returned.
"""

import ast
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numba

import ludarium
from ludarium.agents.compiled import blocks
from ludarium.envs import kernels

LOOKS = {kernels.view, kernels.pointer, kernels.address, kernels.advance, kernels.at, blocks._elements, numba.carray}
"""Functions whose result lies in their first argument; functions that return such a result are added."""
LOOK, MADE, LOCAL = "look", "made", "local"


class Function(NamedTuple):
    node: ast.FunctionDef
    module: ModuleType

    def meaning(self, node: ast.expr) -> Any:
        """The object of the module that an expression names."""
        if isinstance(node, ast.Attribute):
            return getattr(self.meaning(node.value), node.attr, None)
        return getattr(self.module, node.id, None) if isinstance(node, ast.Name) else None

    def origin(self, node: ast.expr | None, names: dict[str, set[str]]) -> set[str]:
        """Whose memory a value lies in; nothing for an argument's."""
        if isinstance(node, ast.Name):
            return names.get(node.id, set())
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
            return self.origin(node.value, names)
        target = self.meaning(node.func) if isinstance(node, ast.Call) else tuple
        if isinstance(node, ast.Call) and target in LOOKS:
            return self.origin(node.args[0], names) | {LOOK}
        if not (isinstance(target, type) and issubclass(target, tuple)):
            return {LOCAL if target in (kernels.local, kernels.scratch) else MADE}
        parts = ast.iter_child_nodes(node) if isinstance(node, ast.Call | ast.Tuple | ast.IfExp) else []
        return set().union(*(self.origin(part, names) for part in parts if isinstance(part, ast.expr)))

    def names(self) -> dict[str, set[str]]:
        """The origins of the function's own variables."""
        names: dict[str, set[str]] = {}
        for node in [*ast.walk(self.node), *ast.walk(self.node)]:  # a loop may use a name above its assignment
            if isinstance(node, ast.Assign | ast.For):
                value = node.iter if isinstance(node, ast.For) else node.value
                for target in [node.target] if isinstance(node, ast.For) else node.targets:
                    for name, given in _pairs(target, value):
                        names[name] = names.get(name, set()) | self.origin(given, names)
        return names

    def returned(self) -> set[str]:
        """The origins of the function's result, unless that is a number."""
        told = ast.unparse(self.node.returns) if self.node.returns else "Any"
        number = not any(kind in told for kind in ("Any", "Record", "Bytes", "NDArray"))
        returns = [] if number else [node.value for node in ast.walk(self.node) if isinstance(node, ast.Return)]
        return set().union(*(self.origin(value, self.names()) for value in returns))

    def faults(self) -> Iterator[str]:
        place, names = f"{inspect.getsourcefile(self.module)}:{self.node.lineno}: {self.node.name}", self.names()
        for node in ast.walk(self.node):
            looks = isinstance(node, ast.Call) and self.meaning(node.func) in LOOKS
            if looks and MADE in self.origin(node.args[0], names):
                yield f"{place} looks into memory that it made, in {ast.unparse(node)}: pass the array in, or use local"
        if LOCAL in self.returned():
            yield f"{place} returns a record that ends with it"


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Each name in the target of an assignment, with what it is given."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple):
        apart = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for number, part in enumerate(target.elts):
            yield from _pairs(part, value.elts[number] if apart else value)


def faults(modules: Sequence[ModuleType]) -> list[str]:
    """A sentence for each function that uses memory that may be gone."""
    nodes = [(node, module) for module in modules for node in ast.walk(ast.parse(inspect.getsource(module)))]
    every = [Function(node, module) for node, module in nodes if isinstance(node, ast.FunctionDef)]
    while lookers := {getattr(f.module, f.node.name, None) for f in every if LOOK in f.returned()} - LOOKS - {None}:
        LOOKS.update(lookers)
    return [fault for function in every for fault in function.faults()]


if __name__ == "__main__":
    names = [module.name for module in pkgutil.walk_packages(ludarium.__path__, "ludarium.")]
    wrong = faults([importlib.import_module(name) for name in names if not name.endswith("__main__")])
    sys.exit("\n".join(wrong) or 0)
