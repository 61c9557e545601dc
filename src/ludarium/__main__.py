"""`python -m ludarium`: the command."""

from ludarium.evaluation.cli import main

main()
