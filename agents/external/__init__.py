"""Agents that are other people's programs: see `docs/agents/programs.md`, and `strangers.md` for isolated ones.

| file | agents |
|---|---|
| `subprocess.py` | bots in any language that speak JSON lines |
| `gtp.py` | Othello engines that speak the Go Text Protocol |
| `nboard.py` | Othello engines that speak the NBoard protocol |
| `openspiel.py` | OpenSpiel bots |
| `pettingzoo.py` | callables that take PettingZoo's dict observations |
| `othello_engine.py` | what the two kinds of engines have in common |
| `isolated.py`, `isolated_host.py` | agents in Python in a process of their own |
| `process.py` | how a program is run, limited and ended |
"""
