"""The notebooks, as they are stored; the build of the documentation runs them.

`jupyter nbconvert --clear-output --inplace docs/notebooks/*.ipynb` removes the outputs of those that were run.
"""

import ast
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def names_of(module):
    """What can be imported from a module by name: what its source defines, imports, or lists in `__all__`."""
    tree = ast.parse(Path(find_spec(module).origin).read_text(encoding="utf-8"))
    defined = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            defined |= {*names, *(ast.literal_eval(node.value) if names == ["__all__"] else ())}
    return defined


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return json.loads(request.param.read_text(encoding="utf-8"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 5


def test_it_is_valid_and_has_no_outputs(notebook):
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]) == (4, "python3")
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert "".join(notebook["cells"][0]["source"]).startswith("# ")
    for cell in notebook["cells"]:
        assert cell["cell_type"] in ("code", "markdown")
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_its_code_compiles_and_imports_what_exists(notebook):
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for node in ast.walk(ast.parse("\n".join(cells))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module]
        else:
            continue
        for module in modules:
            assert find_spec(module) is not None or module in ("sb3_contrib", "torch"), module  # of the extra `rl`
        if isinstance(node, ast.ImportFrom) and node.module.startswith("ludarium"):
            assert {alias.name for alias in node.names} <= names_of(node.module)
