"""A trained agent: its belief about a task, its actions, its adaptation to an environment."""

import copy
import json
import os

import numpy as np

from . import files, inner, older
from .adapted import Adapted, Embedded, rollout
from .files import NacreError
from .network import Network, Numbers, Unit
from .trial import Trial, drawn

VERSION = 3  # of the descriptions that this module reads


class Agent:
    """An agent of PEARL, of an algorithm built on PEARL such as TCL-PEARL or FOCAL, the oracle, RL², VariBAD or MAML.

    RL² and VariBAD act in trials, which remember what happened: see trial. MAML adapts its weights: see adapted.

    directory -- a run folder, the .zip file of one, or a file weights.safetensors
    iteration -- which weights to take: those after this number of complete iterations, which the run must have kept
                 (--keep); None: the newest

    Actions are in [-1, 1]. Those of RL², VariBAD and MAML may lie outside; then the environment must clip them.
    Discrete actions are one-hot. Networks compute in the weights' precision, as the program does on the CPU.
    """

    def __init__(self, directory, iteration=None):
        folder, name = os.fspath(directory), "weights.safetensors"
        if iteration is not None:
            name = os.path.join("weights", "%06d.safetensors" % iteration)
        elif folder.endswith(".safetensors"):
            folder, name = os.path.split(folder)
        folder = files.folder(folder)
        path = os.path.join(folder, name)
        data = files.read(folder or ".", name, ": a run has weights once its first collection is complete"
                          if iteration is None else ": the run keeps weights of iterations with --keep")
        self.path = path
        self.tensors, self.metadata = files.safetensors(data, path)
        if "agent" in self.metadata:
            self.description = described(self.metadata["agent"], path)
        else:
            self.description = older.describe(folder or ".", self.tensors, self.metadata, path)
        self.algorithm = self.metadata.get("algorithm", "")
        self.memory = self.description.get("memory", "")
        self.choices = self.description.get("choices") or []
        self.inner, self.scale = self.description.get("inner"), self.description.get("scale") or 1.0
        self._networks, self._numbers = {}, Numbers(self.tensors)
        self._measure()

    def _measure(self):
        policy = self._network("policy", "policy/mean", "policy/logits")
        if policy is None:
            raise NacreError("%s has no policy" % self.path)
        sizes, self.action_size, self._policy = policy.inputs, policy.outputs[0]["size"], policy
        if self.memory == "policy":
            sizes = self._network("policy/memory").inputs
        self.observation_size = sizes["observation"]
        rest = [n for n in sizes if n != "observation"]
        told = not self.memory and not self.inner
        self._condition = rest[0] if told else ""
        self.condition_size = sizes[rest[0]] if told else 0
        self._context, self._latent = {}, self.condition_size
        if self.memory == "belief":
            o, a = self.observation_size, self.action_size
            self._context = {"observation": o, "action": a, "reward": 1, "next_observation": o}
            self._latent = sizes["mean"]
        elif self.description.get("belief"):
            self._context = self._network("encoder").inputs
        self.context_width = sum(self._context.values())

    def __repr__(self):
        return "Agent(%r)" % self.path

    def _network(self, *names):
        for name in names:
            if name not in self._networks and name in self.description["networks"]:
                described = self.description["networks"][name]
                self._networks[name] = (Unit if described.get("cell") else Network)(name, described, self)
            if name in self._networks:
                return self._networks[name]
        return None

    @property
    def latent_size(self):
        """The length of a task embedding z. NacreError for agents without a context encoder."""
        self._encodes()
        return self._latent

    def _encodes(self):
        if not self.context_width:
            raise NacreError("%s is an agent of %s, which has no context encoder: %s" % (
                self.path, self.algorithm or "an unknown algorithm", "its trial() remembers what happened"
                if self.memory else "adapted(trajectories) adapts its weights" if self.inner
                else "tell act the task, as in act(observation, task)"))

    def context(self, observations, actions, rewards):
        """The context rows of a trajectory: array (steps, context_width).

        observations -- (steps + 1, observation_size), the last one after the last step
        actions      -- (steps, action_size), in [-1, 1]
        rewards      -- (steps,)
        """
        self._encodes()
        o, a = np.asarray(observations, np.float32), np.asarray(actions, np.float32)
        r = np.asarray(rewards, np.float32).reshape(-1, 1)
        parts = {"observation": o[:-1], "action": a, "reward": r, "next_observation": o[1:]}
        try:
            return np.concatenate([parts[name].reshape(len(r), size) for name, size in self._context.items()], axis=1)
        except ValueError:
            raise NacreError("observations %s, actions %s and rewards %s are no trajectory; expected (n+1, %d), "
                             "(n, %d) and (n,)" % (o.shape, a.shape, r.shape[:1], self.observation_size,
                                                   self.action_size)) from None

    def posterior(self, context):
        """The belief about a task from its context: mean and variance, each of length latent_size.

        context -- array (rows, context_width); a row is (observation, action, reward), or (observation, action, reward,
                   next observation) if the run has next_obs_in_context. Without rows the belief is N(0, 1).

        The belief of PEARL is the product of the rows' Gaussians (Rakelly et al. 2019, eq. 2). It does not depend on
        the order of rows. VariBAD reads rows (observation, action, reward, next observation) in their order.
        """
        self._encodes()
        x = np.asarray(context)
        if x.size and (x.ndim != 2 or x.shape[1] != self.context_width):
            raise NacreError("the context has the shape %s; expected (rows, %d)" % (x.shape, self.context_width))
        if self.memory:
            trial = self.trial()
            for row in x if x.size else []:
                trial.read(row)
            return trial.mean, trial.var
        if x.size == 0:
            return np.zeros(self.latent_size), np.ones(self.latent_size)
        mean, var = self._product(self._numbers, x.astype(float))
        return mean[0], var[0]

    def _product(self, ops, context):
        """Mean and variance of the belief about one task, (1, latent_size) each."""
        out, belief = self._network("encoder").compute(ops, context), self.description["belief"]
        if belief not in ("product", "average"):
            raise NacreError("%s: its belief is %r; expected product or average" % (self.path, belief))
        precision = 1 / out["variance"] if belief == "product" else 0 * out["mean"] + 1
        total = ops.total(precision)
        return ops.total(out["mean"] * precision) / total, 1 / total

    def act(self, observation, condition=None, noise=None):
        """The action: array (…, action_size), in [-1, 1] except for MAML.

        observation -- (…, observation_size)
        condition   -- the embedding z (…, latent_size); the task's numbers for the oracle; None for MAML
        noise       -- standard normal numbers (…, action_size), or for discrete actions uniform ones in [0, 1), one for
                       each choice; None: the action of the policy's mean, or the most probable choice
        """
        if self.memory:
            raise NacreError("an agent of %s acts in a trial: trial = agent.trial(); trial.act(observation)"
                             % self.algorithm)
        if self.inner:
            return self._unconditioned(np.asarray(observation, float), condition, noise)
        if condition is None:
            raise NacreError("an agent of %s acts on %s: act(observation, %s)"
                             % (self.algorithm or "an unknown algorithm", self._condition, self._condition))
        o, c = np.asarray(observation, float), np.asarray(condition, float)
        for what, x, size in (("observation", o, self.observation_size), (self._condition, c, self.condition_size)):
            if x.ndim < 1 or x.shape[-1] != size:
                raise NacreError("%s has the shape %s; expected (…, %d)" % (what, x.shape, size))
        c = np.broadcast_to(c, o.shape[:-1] + c.shape[-1:])
        out = self._policy.compute(self._numbers, o.reshape(-1, o.shape[-1]), c.reshape(-1, c.shape[-1]))
        u = out["mean"].astype(float).reshape(o.shape[:-1] + (self.action_size,))
        if noise is not None:
            u = u + np.exp(out["log_std"].astype(float)).reshape(u.shape) * np.asarray(noise, float)
        return np.tanh(u)

    def _unconditioned(self, o, condition, noise):
        """act of MAML."""
        if condition is not None:
            raise NacreError("an agent of %s is told nothing of its task: act(observation, noise=…)" % self.algorithm)
        if o.ndim < 1 or o.shape[-1] != self.observation_size:
            raise NacreError("observation has the shape %s; expected (…, %d)" % (o.shape, self.observation_size))
        rows = o.reshape(-1, o.shape[-1])
        out = self._policy.compute(self._numbers, rows)
        many = np.broadcast_to(out.get("log_std", 0), (len(rows), self.action_size))
        each = [None] * len(rows) if noise is None else np.asarray(noise, float).reshape(len(rows), -1)
        first = next(iter(out))
        actions = [drawn(self, {first: out[first][i:i + 1], "log_std": many[i:i + 1]}, n) for i, n in enumerate(each)]
        return np.array(actions).reshape(o.shape[:-1] + (self.action_size,)) / (1 if self.choices else self.scale)

    def adapted(self, trajectories):
        """MAML's agent after a gradient step on trajectories of one task, in which this agent acted with noise.

        trajectories -- a list of (observations, actions, rewards), with one observation more than actions; actions are
                        those that act returned, before the environment clipped or scaled them
        """
        if not self.inner:
            raise NacreError("an agent of %s does not adapt its weights: %s" % (
                self.algorithm or "an unknown algorithm", "its trial() remembers what happened" if self.memory
                else "act(observation, %s)" % self._condition))
        other = copy.copy(self)
        other.tensors = inner.adapted(self, trajectories)
        other._numbers = Numbers(other.tensors)
        return other

    def trial(self):
        """A new trial of an agent with a memory, RL² or VariBAD; see Trial."""
        if not self.memory:
            raise NacreError("an agent of %s has no memory that a trial could keep: %s" % (
                self.algorithm or "an unknown algorithm", "adapted(trajectories) adapts its weights" if self.inner
                else "act(observation, %s)" % self._condition))
        return Trial(self)

    def noise(self, rng):
        """Noise for one action: standard normal numbers, or for discrete actions uniform ones in [0, 1)."""
        return rng.random(len(self.choices)) if self.choices else rng.standard_normal(self.action_size)

    @property
    def dtype(self):
        """The precision in which networks compute: numpy.float32, or numpy.float64."""
        return self._policy.dtype

    @property
    def acts(self):
        """The first parts of the names of the tensors that the agent acts with; a file may have others."""
        return {"policy", "encoder", "obs"}

    def torch(self):
        """The agent as a torch.nn.Module with parameters of its own; see modules.Module."""
        from .modules import Module
        return Module(self)

    def to_onnx(self, folder):
        """Writes policy.onnx and encoder.onnx, or step.onnx of RL², into a folder. Returns their paths.

        Inputs and outputs are matrices by name, with any number of rows: of environments, or of an encoder's context.
        RL² and VariBAD get their last state, which is 0 at first, and return the next one.
        """
        from .onnx_files import write
        return write(self, os.fspath(folder))

    def adapt(self, env, trajectories=2, horizon=None, deterministic=True, task=None, seed=None):
        """Explores a task of a Gymnasium environment, whose task is already set, and returns the adapted agent.

        Each trajectory of PEARL acts on an embedding z drawn from the prior; the task's belief is the posterior of all
        transitions. RL² and VariBAD explore in one trial. MAML explores with noise, and takes its gradient step on all
        trajectories. The oracle does not explore; it needs task.

        env           -- reset(seed=…) and step(action) as in Gymnasium; actions are scaled to a bounded action_space
        trajectories  -- the number of exploration trajectories
        horizon       -- steps of a trajectory; None: env.horizon, or until env says terminated or truncated
        deterministic -- the mean's actions; otherwise they are sampled
        task          -- the task's numbers, for the oracle
        seed          -- of env's first reset and of all noise; None: other noise each time
        """
        rng, horizon = np.random.default_rng(seed), horizon or getattr(env, "horizon", None)
        if self.inner:
            return self._stepped(env, trajectories, horizon, seed, rng)
        if not self.context_width and not self.memory:
            if task is None:
                raise NacreError("the oracle is told its task: adapt(env, task=…)")
            return Adapted(self, env, horizon, np.asarray(task, float), None, None, [], rng)
        rows, returns, noise = np.zeros((0, self.context_width), np.float32), [], None if deterministic else rng
        trial = self.trial() if self.memory else None
        for k in range(trajectories):
            policy = trial or Embedded(self, rng.standard_normal(self.latent_size))
            o, a, r = rollout(self, env, policy, horizon, noise, seed if k == 0 else None)
            if not trial:
                rows = np.concatenate([rows, self.context(o, a, r)])
            returns.append(float(np.sum(r)))
        if trial:
            return Adapted(self, env, horizon, None, trial.mean, trial.var, returns, rng, trial)
        mean, var = self.posterior(rows)
        return Adapted(self, env, horizon, mean + np.sqrt(var) * rng.standard_normal(len(mean)), mean, var, returns,
                       rng)

    def _stepped(self, env, trajectories, horizon, seed, rng):
        """adapt of MAML."""
        seen = [rollout(self, env, Embedded(self, None), horizon, rng, seed if k == 0 else None)
                for k in range(trajectories)]
        agent = self.adapted(seen) if seen else self
        return Adapted(agent, env, horizon, None, None, None, [float(np.sum(r)) for _, _, r in seen], rng)


def described(text, path):
    """The description that a file of weights has in its metadata."""
    try:
        description = json.loads(text)
        version = description["version"]
    except (ValueError, KeyError, TypeError) as e:
        raise NacreError("%s: its description is damaged: %s" % (path, e)) from None
    if version not in range(1, VERSION + 1):
        raise NacreError("%s: its description has version %s; this package reads 1 to %d: install a newer nacre_rl"
                         % (path, version, VERSION))
    return description
