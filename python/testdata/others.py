"""Prints how far PyTorch and ONNX are from the package's own functions, as JSON: others.py RUN torch|onnx"""
import json
import sys
import tempfile

import numpy as np

import nacre_rl
from nacre_rl.functions import functions

agent, rng, worst, size = nacre_rl.Agent(sys.argv[1]), np.random.default_rng(3), 0.0, 0.0


def torch_function(name):
    import torch
    module = agent.torch()
    kind = torch.float64 if agent.dtype == np.float64 else torch.float32

    def call(x):
        out = getattr(module, name)(*[torch.tensor(v, dtype=kind) for v in x])
        loss = sum((y ** 2).sum() for y in out.values())
        module.zero_grad()
        loss.backward()
        assert any(p.grad is not None and p.grad.abs().max() > 0 for p in module.parameters()), "no gradient"
        return {n: y.detach().numpy() for n, y in out.items()}
    return call


def onnx_function(name):
    import onnxruntime
    with tempfile.TemporaryDirectory() as folder:
        path = {p.split("/")[-1]: p for p in agent.to_onnx(folder)}[name + ".onnx"]
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    outputs = [o.name for o in session.get_outputs()]
    return lambda x: dict(zip(outputs, session.run(None, dict(zip(names, [v.astype(agent.dtype) for v in x])))))


for name, function in functions(agent).items():
    call = {"torch": torch_function, "onnx": onnx_function}[sys.argv[2]](name)
    for rows in (1, 5):
        inputs = [rng.standard_normal((rows, n)).astype("f4").astype(float) for n in function.inputs.values()]
        want = function.compute(agent._numbers, *inputs)
        got = call(inputs)
        assert set(got) == set(want) and want, (set(got), set(want))
        for n, y in want.items():
            worst = max(worst, float(np.max(np.abs(np.asarray(got[n]) - y) / (1 + np.abs(y)))))
            size = max(size, float(np.max(np.abs(y))))
print(json.dumps({"difference": worst, "size": size}))
