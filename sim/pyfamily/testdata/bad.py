"""Environments with what goes wrong."""
import os
import sys
import threading
import time

from plain import Box, Point


class NoStep:
    def reset(self):
        pass


class NoReset:
    action_space, observation_space = Box(-1, 1, 1), Box(-1, 1, 1)
    step = None

    def step(self, action):
        pass


class NoSpaces:
    def reset(self):
        pass

    def step(self, action):
        pass


class NeedsArgument(Point):
    def __init__(self, size):
        pass


class Raises(Point):
    def __init__(self):
        raise RuntimeError("no licence was found")


class Sequence:
    n = 3

    def __repr__(self):
        return "Sequence(3)"


class Choosing(Point):
    action_space = Sequence()


class Seeing(Point):
    observation_space = Box(0, 255, 3)
    observation_space.shape = (64, 64, 3)


class Unsettable(Point):
    reset_task = None

    def __getattribute__(self, name):
        if name == "reset_task":
            raise AttributeError(name)
        return super().__getattribute__(name)

    def reset(self, *, seed=None):
        return self.place(seed), {}


class Lock(Point):
    def sample_tasks(self, n, seed):
        return [threading.Lock() for _ in range(n)]


class FewTasks(Point):
    def sample_tasks(self, n, seed):
        return [[0.0, 1.0]]


class NoList(Point):
    def sample_tasks(self, n, seed):
        return 3


class Ragged(Point):
    def sample_tasks(self, n, seed):
        return [[0.0] * (1 + i % 2) + [float(i)] for i in range(n)]


class Infinite(Point):
    def sample_tasks(self, n, seed):
        return [[float(i), float("inf")] for i in range(n)]


class After(Point):
    """Goes wrong in the third step."""

    def reset(self, *, seed=None):
        self.steps = 0
        return self.place(seed), {}

    def step(self, action):
        self.steps += 1
        out = super().step(action)
        return self.wrong(*out) if self.steps == 3 else out


class NanReward(After):
    def wrong(self, obs, reward, *rest):
        return (obs, float("nan")) + rest


class InfiniteReward(After):
    def wrong(self, obs, reward, *rest):
        return (obs, float("-inf")) + rest


class NoReward(After):
    def wrong(self, obs, reward, *rest):
        return (obs, None) + rest


class ListReward(After):
    def wrong(self, obs, reward, *rest):
        return (obs, [1.0, 2.0]) + rest


class TextReward(After):
    def wrong(self, obs, reward, *rest):
        return (obs, "much") + rest


class NanObservation(After):
    def wrong(self, obs, *rest):
        return ([obs[0], float("nan")],) + rest


class LongObservation(After):
    def wrong(self, obs, *rest):
        return (obs + [0.0],) + rest


class ShortObservation(After):
    def wrong(self, obs, *rest):
        return (obs[1:],) + rest


class NoObservation(After):
    def wrong(self, obs, *rest):
        return (None,) + rest


class TextObservation(After):
    def wrong(self, obs, *rest):
        return (["a", "b"],) + rest


class ThreeValues(After):
    def wrong(self, obs, reward, *rest):
        return obs, reward, False


class OneValue(After):
    def wrong(self, obs, *rest):
        return obs


class Divides(After):
    def wrong(self, obs, reward, *rest):
        return (obs, reward / 0) + rest


class Asserts(After):
    def wrong(self, *out):
        assert False, "the robot\nfell over"


class Leaves(After):
    def wrong(self, *out):
        sys.exit(3)


class LeavesWord(After):
    def wrong(self, *out):
        exit("enough")


class LeavesAtOnce(After):
    def wrong(self, *out):
        os._exit(7)


class Aborts(After):
    def wrong(self, *out):
        os.abort()


class Killed(After):
    def wrong(self, *out):
        os.kill(os.getpid(), 9)


class Sleeps(After):
    def wrong(self, *out):
        time.sleep(1000)


class Deadlocks(After):
    def wrong(self, *out):
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()


class Spins(After):
    def wrong(self, *out):
        while True:
            pass


class SleepsInReset(Point):
    def reset(self, *, seed=None):
        if seed:
            time.sleep(1000)
        return super().reset(seed=seed)


class SleepsAtStart(Point):
    def __init__(self):
        time.sleep(1000)


class Forks(After):
    def wrong(self, *out):
        if os.fork():
            os.wait()
        return out


class ForksInReset(Point):
    def reset(self, *, seed=None):
        if os.fork():
            os.wait()
        return super().reset(seed=seed)


class Spawns(After):
    """Leaves a child of its own."""

    def wrong(self, *out):
        if not os.fork():
            time.sleep(1000)
        os._exit(1)
