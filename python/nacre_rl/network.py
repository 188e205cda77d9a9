"""Networks of a file of weights, with the views through which they see their inputs.

Network and Unit compute with a set of operations: Numbers, here, computes with NumPy; others make modules of PyTorch or
graphs of ONNX of the same networks.
"""

import numpy as np

from .files import NacreError

FUNCTIONS = ("relu", "tanh", "linear", "softplus", "sigmoid", "symlog", "exp")


class Numbers:
    """Operations on arrays of NumPy. Values of the other classes of operations also support @, +, - and *."""

    def __init__(self, tensors):
        self.tensors = tensors

    def tensor(self, name):
        return self.tensors[name]

    def constant(self, x):
        return x

    def typed(self, x, dtype):
        """x in the precision in which a network computes."""
        return x.astype(dtype)

    def concat(self, parts):
        return np.concatenate(parts, axis=1)

    def columns(self, x, begin, end):
        return x[:, begin:end]

    def clip(self, x, least, most):
        return np.clip(x, -np.inf if least is None else least, np.inf if most is None else most).astype(x.dtype)

    def total(self, x):
        """The sum over rows, in float64."""
        return x.sum(0, dtype=float, keepdims=True)

    def function(self, name, x):
        return NUMBERS[name](x)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


NUMBERS = {
    "relu": lambda x: np.maximum(x, 0), "tanh": np.tanh, "linear": lambda x: x, "softplus": softplus, "exp": np.exp,
    "sigmoid": lambda x: (1 + np.tanh(x / 2)) / 2, "symlog": lambda x: np.sign(x) * np.log1p(np.abs(x))}


def found(tensors, name, shape, path):
    """The tensor of a name. NacreError if it has another shape, or is missing."""
    if name not in tensors or tensors[name].shape != shape:
        raise NacreError("%s: tensor %s is %s; expected shape %s"
                         % (path, name, tensors[name].shape if name in tensors else "missing", shape))
    return tensors[name]


class Network:
    """A perceptron with its views."""

    def __init__(self, name, described, agent):
        self.inputs = {p["name"]: p["size"] for p in described["inputs"]}
        self.outputs, self.activation = described["outputs"], described["activation"]
        for function in [self.activation] + [p["function"] for p in self.outputs if p.get("function")]:
            if function not in FUNCTIONS:
                raise NacreError("%s: network %s has the function %r; expected one of %s"
                                 % (agent.path, name, function, ", ".join(FUNCTIONS)))
        self.views = [(size, View(agent.description["views"].get(n), agent)) for n, size in self.inputs.items()]
        viewed = any(v.function for _, v in self.views) and not agent.description.get("unviewed")
        width = sum(p["size"] for p in self.outputs if not p.get("tensor"))
        sizes = [sum(self.inputs.values())] + (described["hidden"] or []) + [width]
        self.layers, types = [], []
        for i in range(len(sizes) - 1):
            ending = "_viewed" if viewed and i == 0 else ""
            names = ["%s/%s%d%s" % (name, kind, i, ending) for kind in "wb"]
            for n, shape in zip(names, ((sizes[i], sizes[i + 1]), (1, sizes[i + 1]))):
                types.append(found(agent.tensors, n, shape, agent.path).dtype)
            self.layers.append(names)
        for p in self.outputs:
            if p.get("tensor"):
                found(agent.tensors, p["tensor"], (1, p["size"]), agent.path)
        self.dtype = np.float64 if np.float64 in types else np.float32

    def compute(self, ops, *inputs):
        """The outputs by name.

        inputs -- arrays (rows, size), each with one of the network's inputs or with several of them side by side,
                  in the network's order
        """
        x = ops.concat(list(inputs)) if len(inputs) > 1 else inputs[0]
        if any(view.function for _, view in self.views):
            seen, at = [], 0
            for size, view in self.views:
                seen.append(view.compute(ops, ops.columns(x, at, at + size)))
                at += size
            x = ops.concat(seen)
        x = ops.typed(x, self.dtype)
        for i, (w, b) in enumerate(self.layers):
            x = x @ ops.tensor(w) + ops.tensor(b)
            if i < len(self.layers) - 1:
                x = ops.function(self.activation, x)
        out, at = {}, 0
        for p in self.outputs:
            if p.get("tensor"):
                y = ops.tensor(p["tensor"])
            else:
                y = ops.columns(x, at, at + p["size"])
                at += p["size"]
            if p.get("function"):
                y = ops.function(p["function"], y)
            if "min" in p or "max" in p:
                y = ops.clip(y, p.get("min"), p.get("max"))
            out[p["name"]] = y
        return out


class Unit:
    """A gated recurrent unit (nn.GRU of the program, torch.nn.GRUCell)."""

    def __init__(self, name, described, agent):
        if described["cell"] != "gru":
            raise NacreError("%s: unit %s is a %r; expected a gru: install a newer nacre_rl"
                             % (agent.path, name, described["cell"]))
        self.inputs, self.size = {p["name"]: p["size"] for p in described["inputs"]}, described["hidden"][0]
        self.names, width = [name + "/" + kind for kind in ("wx", "bx", "wh", "bh")], 3 * self.size
        shapes = ((sum(self.inputs.values()), width), (1, width), (self.size, width), (1, width))
        types = [found(agent.tensors, n, shape, agent.path).dtype for n, shape in zip(self.names, shapes)]
        self.dtype = np.float64 if np.float64 in types else np.float32

    def compute(self, ops, x, state):
        """The state after the input x, (rows, inputs), if state is the one before it, (rows, size)."""
        wx, bx, wh, bh = [ops.tensor(name) for name in self.names]
        n, state = self.size, ops.typed(state, self.dtype)
        of_x, of_state = ops.typed(x, self.dtype) @ wx + bx, state @ wh + bh
        gates = ops.function("sigmoid", ops.columns(of_x, 0, 2 * n) + ops.columns(of_state, 0, 2 * n))
        reset, keep = ops.columns(gates, 0, n), ops.columns(gates, n, 2 * n)
        candidate = ops.function("tanh", ops.columns(of_x, 2 * n, 3 * n)
                                 + reset * ops.columns(of_state, 2 * n, 3 * n))
        return candidate + keep * (state - candidate)


class View:
    """The function through which a network sees an input."""

    def __init__(self, described, agent):
        self.described = described or {}
        self.function = self.described.get("function", "")
        if self.function not in ("", "symlog", "standardised"):
            raise NacreError("%s: an input is seen through %r; expected symlog or standardised: install a newer "
                             "nacre_rl" % (agent.path, self.function))

    def compute(self, ops, x):
        if self.function == "symlog":
            return ops.function("symlog", x)
        if self.function != "standardised":
            return x
        mean, scale = [ops.tensor(self.described[kind + "_tensor"]) if kind + "_tensor" in self.described
                       else ops.constant(np.array([self.described[kind]])) for kind in ("mean", "scale")]
        y, limit = (x - mean) * scale, self.described.get("limit", 0)
        return ops.clip(y, -limit, limit) if limit else y
