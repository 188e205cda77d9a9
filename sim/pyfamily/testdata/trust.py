"""Environments that a check is to find out about."""
import random

from plain import Point


class Unseeded(Point):
    """Draws its start from the system."""

    def reset(self, *, seed=None):
        return self.place(random.SystemRandom().random()), {}


class Drifts(Point):
    """Remembers how often it was reset."""

    resets = 0

    def reset(self, *, seed=None):
        self.resets += 1
        self.place(seed)
        self.at[0] += 1e-9 * self.resets
        return list(self.at), {}


class Tells(Point):
    """Shows its goal in the first observation."""

    def reset(self, *, seed=None):
        obs = self.place(seed)
        return [obs[0], 3 - 2 * self.goal[0]], {}


class Shares(Point):
    """Draws in steps from what all share."""

    def step(self, action):
        self.at[0] += 1e-3 * random.random()
        return super().step(action)
