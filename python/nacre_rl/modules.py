"""Agents as modules of PyTorch."""

import numpy as np

from .files import NacreError
from .functions import functions

try:
    import torch
except ImportError as e:
    raise NacreError("PyTorch is not installed (%s): pip install torch" % e) from None


class Module(torch.nn.Module):
    """An agent as a module. Its parameters can be trained; scales of observations are buffers.

    forward, policy, encoder and step take tensors (rows, size), and return tensors: forward the action, or logits of
    discrete actions; the others outputs by name. `inputs` are the inputs of each with their sizes.
    """

    def __init__(self, agent):
        super().__init__()
        self._functions = functions(agent)
        self.inputs = {name: dict(f.inputs) for name, f in self._functions.items()}
        self.dtype = torch.float64 if agent.dtype == np.float64 else torch.float32
        self.weights = torch.nn.ParameterDict()
        self._buffer = {}
        for name, x in agent.tensors.items():
            if name.split("/")[0] not in agent.acts:
                continue
            value = torch.tensor(np.array(x), dtype=self.dtype)
            if name.startswith("obs/"):
                self._buffer[name] = name.replace("/", "_")
                self.register_buffer(self._buffer[name], value)
            else:
                self.weights[name] = torch.nn.Parameter(value)

    def tensor(self, name):
        return getattr(self, self._buffer[name]) if name in self._buffer else self.weights[name]

    def _call(self, name, inputs):
        if name not in self._functions:
            raise NacreError("this agent has no function %s; expected one of %s" % (name, ", ".join(self._functions)))
        return self._functions[name].compute(Tensors(self), *inputs)

    def forward(self, *inputs):
        out = self._call(next(iter(self._functions)), inputs)
        return out["action" if "action" in out else "logits"]

    def policy(self, *inputs):
        """PEARL and the oracle: (observation, condition) → action, mean, log_std. VariBAD: (observation, state).

        MAML: observation → action, log_std, or logits.
        """
        return self._call("policy", inputs)

    def encoder(self, *inputs):
        """PEARL: context of one task → mean, variance. VariBAD: (action, reward, next_observation, state)."""
        return self._call("encoder", inputs)

    def step(self, *inputs):
        """RL²: (observation, last_action, last_reward, last_end, state) → action or logits, next_state."""
        return self._call("step", inputs)


class Tensors:
    """Operations on tensors; as network.Numbers."""

    def __init__(self, module):
        self.module = module

    def tensor(self, name):
        return self.module.tensor(name)

    def constant(self, x):
        return torch.as_tensor(x, dtype=self.module.dtype)

    def typed(self, x, dtype):
        return x.to(self.module.dtype)

    def concat(self, parts):
        return torch.cat(parts, dim=-1)

    def columns(self, x, begin, end):
        return x[..., begin:end]

    def clip(self, x, least, most):
        return torch.clamp(x, least, most)

    def total(self, x):
        return x.sum(0, keepdim=True)

    def function(self, name, x):
        return FUNCTIONS[name](x)


FUNCTIONS = {
    "relu": torch.relu, "tanh": torch.tanh, "linear": lambda x: x, "softplus": torch.nn.functional.softplus,
    "exp": torch.exp, "sigmoid": torch.sigmoid, "symlog": lambda x: torch.sign(x) * torch.log1p(torch.abs(x))}
