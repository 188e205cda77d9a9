"""Runs and trained agents of Nacre in Python. It needs NumPy only.

    import nacre_rl
    run = nacre_rl.Run("runs/first")
    run.metrics                      # a pandas DataFrame, or columns as arrays where there is no pandas
    agent = nacre_rl.Agent("runs/first")
    mean, var = agent.posterior(context)
    action = agent.act(observation, mean)
"""

from .adapted import Adapted
from .agent import Agent
from .files import NacreError
from .oyster import from_oyster
from .run import Run
from .trial import Trial

__all__ = ["Adapted", "Agent", "NacreError", "Run", "Trial", "from_oyster"]
