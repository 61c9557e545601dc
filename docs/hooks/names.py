"""The reference of the Python interface, from docstrings: mkdocstrings fills these pages."""

import importlib
from typing import Any

from mkdocs.structure.files import File, Files

PACKAGES = ("ludarium", "ludarium.envs", "ludarium.agents", "ludarium.evaluation")
"""A page for each, with the names in its `__all__`."""
MODULES = {
    "Environments": (
        "ludarium.envs.single",
        "ludarium.envs.vector",
        "ludarium.envs.aec",
        "ludarium.envs.sb3",
        "ludarium.agents.baselines.sb3.model",
    ),
    "Games of your own": (
        "ludarium.envs.kernels",
        "ludarium.envs.chance",
        "ludarium.envs.drawing",
        "ludarium.envs.options",
        "ludarium.envs.openings",
        "ludarium.envs.records",
    ),
    "Players of your own": (
        "ludarium.agents.agent",
        "ludarium.envs.policy",
        "ludarium.envs.opinions",
        "ludarium.agents.values.evaluations",
        "ludarium.agents.baselines.perceptron",
        "ludarium.agents.external.openspiel",
        "ludarium.envs.hanabi.beliefs",
    ),
    "Learners of your own": (
        "ludarium.agents.learning.learner",
        "ludarium.agents.learning.run",
        "ludarium.agents.learning.registry",
        "ludarium.agents.learning.checkpoint",
        "ludarium.agents.learning.inspection",
        "ludarium.agents.learning.parallel",
        "ludarium.envs.backgammon.decisions",
        "ludarium.envs.backgammon.decision_files",
    ),
    "Measures": (
        "ludarium.evaluation.measures.exact",
        "ludarium.evaluation.measures.yardsticks",
        "ludarium.evaluation.tournament.soundness",
    ),
}
"""Further pages: the modules that games, agents and learners of one's own import."""


def on_files(files: Files, config: Any) -> None:
    """Add `reference/python/PAGE.md`."""
    names = {package: [f"{package}.{name}" for name in _public(package)] for package in PACKAGES}
    for page, identifiers in {**names, **MODULES}.items():
        name = page.lower().replace(" ", "-")
        text = f"# {page}\n\n" + "".join(f"::: {identifier}\n\n" for identifier in identifiers)
        files.append(File.generated(config, f"reference/python/{name}.md", content=text))


def _public(package: str) -> list[str]:
    return [name for name in importlib.import_module(package).__all__ if name != "__version__"]
