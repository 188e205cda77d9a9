"""Trials of agents with a memory: RL², whose policy has one, and VariBAD, whose belief has one."""

import copy

import numpy as np

from .files import NacreError


class Trial:
    """An agent with a memory on one task, for one or more episodes. It begins without knowing anything.

        trial = agent.trial()
        action = trial.act(observation)
        observation, reward, terminated, truncated, _ = env.step(action)
        trial.see(reward, observation, terminated or truncated)

    state     -- of the recurrent unit
    mean, var -- VariBAD's belief; None for RL²
    """

    def __init__(self, agent):
        self.agent, self._numbers = agent, agent._numbers
        unit = agent._network("policy/memory" if agent.memory == "policy" else "encoder/memory")
        self.state, self.mean, self.var = np.zeros(unit.size, unit.dtype), None, None
        self._last, self._ended, self._observation, self._action = np.zeros(agent.action_size + 1), False, None, None
        if agent.memory == "belief":
            self._believe()

    def copy(self):
        """A trial that goes on from here without changing this one."""
        return copy.copy(self)

    def act(self, observation, noise=None):
        """The action: array (action_size,).

        noise -- standard normal numbers (action_size,), or uniform ones in [0, 1), one for each discrete choice, as
                 Agent.noise gives them; None: the mean, or the most probable choice
        """
        agent, o = self.agent, np.asarray(observation, float)
        if o.shape != (agent.observation_size,):
            raise NacreError("observation has the shape %s; expected (%d,)" % (o.shape, agent.observation_size))
        if agent.memory == "policy":
            x = np.concatenate([o, self._last, [float(self._ended)]])
            if self._ended and agent.description.get("reset_inputs"):
                x[len(o):] = 0
            out, state = remembered(agent, self._numbers, x[None], self.state[None])
            self.state = state[0]
        else:
            out = agent._policy.compute(self._numbers, o[None], self.mean[None], self._log_var[None])
        self._observation, self._action, self._ended = o, drawn(agent, out, noise), False
        return self._action

    def see(self, reward, observation, done=False):
        """Tells what followed the action: the reward, the next observation, and whether the episode is over."""
        if self._action is None:
            raise NacreError("see tells what followed an action: call act before it")
        if self.agent.memory == "policy":
            self._last = np.concatenate([self._action, [float(reward)]])
        else:
            self.read(np.concatenate([self._observation, self._action, [float(reward)], np.ravel(observation)]))
        self._action, self._ended = None, bool(done)

    def read(self, row):
        """Reads a transition (observation, action, reward, next observation) into VariBAD's belief."""
        agent = self.agent
        x = np.asarray(row, float)[None, agent.observation_size:]
        self.state = encoded(agent, self._numbers, x, self.state[None])[0]
        self._believe()

    def _believe(self):
        out = self.agent._network("encoder/head").compute(self._numbers, self.state[None])
        self.mean, self._log_var = out["mean"][0].astype(float), out["log_var"][0].astype(float)
        self.var = np.exp(self._log_var)


def remembered(agent, ops, x, state):
    """One step of RL²: the policy's outputs for (observation, last action, last reward, end), and the next state."""
    state = agent._network("policy/memory").compute(ops, x, state)
    return agent._policy.compute(ops, state), state


def encoded(agent, ops, x, state):
    """The state of VariBAD's encoder after (action, reward, next observation)."""
    embedding = agent._network("encoder/embed").compute(ops, x)["embedding"]
    return agent._network("encoder/memory").compute(ops, embedding, state)


def drawn(agent, out, noise):
    """The action that follows from a policy's outputs for one observation."""
    if not agent.choices:
        mean = out["mean"][0].astype(float)
        return mean if noise is None else mean + np.exp(out["log_std"][0].astype(float)) * np.asarray(noise, float)
    logits, action, at = out["logits"][0].astype(float), np.zeros(agent.action_size), 0
    for k, n in enumerate(agent.choices):
        of = logits[at:at + n]
        best = int(np.argmax(of))
        if noise is not None:
            weights = np.cumsum(np.exp(of - of[best]))
            best = min(int(np.searchsorted(weights, weights[-1] * noise[k], side="right")), n - 1)
        action[at + best] = 1
        at += n
    return action
