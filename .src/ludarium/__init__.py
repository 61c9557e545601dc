"""Ludarium: five games as standard environments, agents that play them, and a harness that finds out who plays best.

Importing it registers the games with Gymnasium (`gym.make("ludarium/Othello-v0")`) and PettingZoo
(`pettingzoo.make("aec", "ludarium/othello-v0")`); it compiles nothing.
"""

from ludarium.envs.opponents import agents_from
from ludarium.envs.registration import register_all

__version__ = "0.1.0"

agents_from("ludarium.agents.specs:make_agent")
register_all()
