"""A point that begins at the same place, so that nothing but the agent decides on a return."""
import math


class Box:
    def __init__(self, low, high, n):
        self.low, self.high, self.shape = [low] * n, [high] * n, (n,)


class Fixed:
    horizon = 20
    action_space, observation_space = Box(-0.1, 0.3, 2), Box(-9, 9, 2)

    def sample_tasks(self, n, seed):
        return [[math.cos(k + seed), math.sin(k + seed)] for k in range(n)]

    def set_task(self, task):
        self.goal = task

    def reset(self, *, seed=None, options=None):
        self.at = [0.5, -0.25]
        return list(self.at), {}

    def step(self, action):
        self.at = [x + float(a) for x, a in zip(self.at, action)]
        return list(self.at), -math.dist(self.at, self.goal), False, False, {}
