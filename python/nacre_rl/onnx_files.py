"""Agents as files of ONNX."""

import json
import os

import numpy as np

from .files import NacreError
from .functions import functions

try:
    import onnx
    from onnx import helper, numpy_helper
except ImportError as e:
    raise NacreError("onnx is not installed (%s): pip install onnx" % e) from None

OPSET, FORMAT = 17, 8  # of operators and of files: older run times read them


def write(agent, folder):
    """Writes a file for each function of the agent. Returns their paths."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name, function in functions(agent).items():
        path = os.path.join(folder, name + ".onnx")
        onnx.save(model(agent, name, function), path)
        paths.append(path)
    return paths


def model(agent, name, function):
    """The model of a function, of any number of rows."""
    ops = Graph(agent)
    inputs = [helper.make_tensor_value_info(n, ops.kind, ["rows", size]) for n, size in function.inputs.items()]
    out, outputs = function.compute(ops, *[Value(ops, n) for n in function.inputs]), []
    for n, value in out.items():
        ops.nodes.append(helper.make_node("Identity", [value.name], ["out_" + n if n in function.inputs else n]))
        outputs.append(helper.make_tensor_value_info(ops.nodes[-1].output[0], ops.kind, [None, None]))
    graph = helper.make_graph(ops.nodes, name, inputs, outputs, list(ops.constants.values()))
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="nacre_rl")
    whole.ir_version = FORMAT
    helper.set_model_props(whole, dict(agent.metadata, agent=json.dumps(agent.description)))
    onnx.checker.check_model(whole, full_check=True)
    return whole


class Value:
    """A value in a graph. A number or an array that is combined with a value becomes a constant of the graph."""

    __array_ufunc__ = None  # array @ value asks value

    def __init__(self, ops, name):
        self.ops, self.name = ops, name


def operator(kind, swapped=False):
    def apply(self, other):
        pair = (self, self.ops.constant(other))
        return self.ops.node(kind, *(pair[::-1] if swapped else pair))
    return apply


for method, kind in (("add", "Add"), ("sub", "Sub"), ("mul", "Mul"), ("truediv", "Div"), ("matmul", "MatMul")):
    setattr(Value, "__%s__" % method, operator(kind))
    setattr(Value, "__r%s__" % method, operator(kind, swapped=True))


class Graph:
    """Operations that put nodes into a graph; as network.Numbers."""

    def __init__(self, agent):
        self.agent, self.nodes, self.constants = agent, [], {}
        self.dtype = agent.dtype
        self.kind = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))

    def node(self, kind, *inputs, **attributes):
        name = "x%d" % len(self.nodes)
        self.nodes.append(helper.make_node(kind, [i.name if i else "" for i in inputs], [name], **attributes))
        return Value(self, name)

    def tensor(self, name):
        return self._constant(name, self.agent.tensors[name].astype(self.dtype))

    def constant(self, x):
        if isinstance(x, Value):
            return x
        return self._constant("c%d" % len(self.constants), np.asarray(x, self.dtype))

    def _constant(self, name, x):
        self.constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(x).reshape(x.shape), name))
        return Value(self, name)

    def _whole(self, *numbers):
        return self._constant("c%d" % len(self.constants), np.array(numbers, np.int64))

    def typed(self, x, dtype):
        return x

    def concat(self, parts):
        return self.node("Concat", *parts, axis=1)

    def columns(self, x, begin, end):
        return self.node("Slice", x, self._whole(begin), self._whole(end), self._whole(1))

    def clip(self, x, least, most):
        bounds = [None if b is None else self.constant(b) for b in (least, most)]
        return self.node("Clip", x, *bounds)

    def total(self, x):
        return self.node("ReduceSum", x, self._whole(0), keepdims=1)

    def function(self, name, x):
        if name == "linear":
            return x
        if name == "symlog":
            return self.node("Sign", x) * self.node("Log", self.node("Abs", x) + 1)
        if name == "softplus":  # run times have the operator Softplus in float32 only
            far = self.node("Exp", self.node("Neg", self.node("Abs", x)))
            return self.node("Relu", x) + self.node("Log", far + 1)
        return self.node({"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid", "exp": "Exp"}[name], x)
