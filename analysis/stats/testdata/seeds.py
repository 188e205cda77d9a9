# Writes seeds.json: cases of the mean over seeds as docs/tables.md states it, computed with numpy and scipy and nothing of
# Nacre. Go (analysis/stats) and TypeScript (web/test) are tested against the file.
#
#     python3 seeds.py > seeds.json
import json
import math

import numpy as np
from scipy import stats

none = None
cases = {
    "three seeds whose steps differ": [([8400, 10400, 12400], [-30, -22, -18]), ([10000, 12000], [-25, -19]), ([10000, 12000, 14000], [-20, -16, -17.95])],
    "two seeds of the walker, no step in common": [([3633, 5654, 7702, 9711, 11735], [169.7, 27.5, 17.2, 24.4, 31.9]), ([3642, 5657, 7690, 9730, 11760], [53.5, 13.4, 25.2, 20.1, 40.3])],
    "one seed is its own line": [([1, 2, 3], [5, 6, 4])],
    "no seed": [],
    "no seed has a value": [([], []), ([1, 2], [none, none])],
    "two seeds with steps in common": [([100, 200, 300], [1, 2, 3]), ([100, 200, 300], [3, 2, 5])],
    "five seeds with steps in common": [([10, 20], [1, 2]), ([10, 20], [2, 2]), ([10, 20], [3, 7]), ([10, 20], [4, 2]), ([10, 20], [5, 2.5])],
    "two seeds that never overlap": [([1, 2, 3], [1, 1, 1]), ([4, 5], [2, 2])],
    "two seeds that share one step": [([1, 2, 3], [1, 1, 1]), ([3, 5], [2, 4])],
    "one of three stays behind": [([0, 10, 20, 30], [0, 1, 2, 3]), ([0, 10, 20, 30], [2, 3, 4, 5]), ([0, 10], [4, 8])],
    "one of three goes on alone": [([0, 10], [0, 1]), ([0, 10], [2, 3]), ([0, 10, 20, 30, 40], [4, 8, 9, 9, 9])],
    "two of five go on, fewer than half": [([0, 10], [0, 1]), ([0, 10], [2, 3]), ([0, 10], [3, 3]), ([0, 10, 20], [4, 8, 9]), ([0, 5, 20], [4, 8, 9])],
    "two of four go on, half": [([0, 10], [0, 1]), ([0, 10], [2, 3]), ([0, 10, 20], [4, 8, 9]), ([0, 5, 20], [4, 8, 9.5])],
    "a gap between two pairs": [([0, 1, 2], [0, 0, 0]), ([0, 1, 2], [2, 2, 2]), ([5, 6], [9, 9]), ([5, 6.5], [8, 8])],
    "iterations without an evaluation": [([1, 2, 3, 4], [none, 4, none, 8]), ([1, 2, 3, 4], [2, none, none, 5])],
    "a step told again after a resume, the last counts": [([1, 2, 3, 3, 4], [1, 2, 9, 3, 4]), ([1, 2, 3, 4], [2, 3, 4, 5])],
    "a log that goes back": [([1, 2, 3, 2, 3, 4], [1, 2, 3, 7, 8, 9]), ([1, 4], [0, 3])],
    "one evaluation of each": [([7], [1]), ([7], [2]), ([7], [4])],
    "one evaluation of each, at other steps": [([7], [1]), ([8], [2]), ([9], [4])],
    "a seed without evaluations is none": [([1, 2], [1, 3]), ([1, 2], [3, 1]), ([1, 2], [none, none]), ([], [])],
    "equal values": [([1, 2], [3, 3]), ([1, 2], [3, 3]), ([1, 2], [3, 3])],
    "sixty-four seeds, far out in Student's table": [([0, 1], [k % 7, k % 5]) for k in range(64)],
    "large steps, small values": [([1e9, 1.5e9, 2e9], [1e-7, 3e-7, 2e-7]), ([1e9, 1.6e9, 2e9], [2e-7, 2e-7, 5e-7]), ([1.1e9, 1.9e9], [4e-7, 1e-7])],
    "squares that are too large": [([0, 1], [1e200, -3e250]), ([0, 1], [2e200, 1e250]), ([0, 1], [4e200, 2.5e250])],
    "sums and differences that are too large": [([0, 1, 2], [9e299, -9e299, 9e299]), ([0, 1, 2], [5e299, 9e299, -9e299])],
    "values beyond 1e300 are none": [([0, 1, 2], [1, 1e308, 3]), ([0, 1, 2], [3, 1.7e308, 5]), ([0, 1, 2], [4, -1.1e300, 5])],
    "steps below zero": [([-1, 0, 1], [-5, -4, -3]), ([-0.5, 1], [-1, -2])],
    "a step of evaluation at which only one of three evaluates": [([0, 4, 8], [0, 4, 8]), ([0, 8], [1, 9]), ([0, 8], [2, 7])],
}


def expected(seeds):
    lines = []
    for x, y in seeds:
        points = {step: value for step, value in sorted(zip(x, y), key=lambda p: p[0]) if value is not None and abs(value) <= 1e300}
        if points:
            lines.append((np.array(list(points), float), np.array(list(points.values()), float)))
    out = {"x": [], "mean": [], "lo": [], "hi": [], "n": [], "breaks": []}
    if len(lines) == 1:
        return out | {"x": lines[0][0].tolist(), "mean": lines[0][1].tolist(), "n": [1] * len(lines[0][0])}
    needed = max(2, math.ceil(len(lines) / 2))
    having = lambda a, b: [(x, y) for x, y in lines if x[0] <= a and b <= x[-1]]
    before = None
    for step in sorted({step for x, _ in lines for step in x.tolist()}):
        values = np.array([np.interp(step, x, y) for x, y in having(step, step)])
        if len(values) < needed:
            continue
        if np.abs(values).max() > 1e100:
            values = values.astype(np.longdouble)
        mean, n = values.mean(), len(values)
        half = stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / math.sqrt(n)
        lo, hi = (values.min(), values.max()) if n == 2 else (mean - half, mean + half)
        if before is not None and len(having(before, step)) < needed:
            out["breaks"].append(len(out["x"]))
        for name, v in {"x": step, "mean": float(mean), "lo": float(lo), "hi": float(hi), "n": n}.items():
            out[name].append(v)
        before = step
    return out


def main():
    compact = lambda v: json.dumps(v, separators=(",", ":"))
    rows = []
    for name, seeds in cases.items():
        given = ", ".join(compact({"x": x, "y": y}) for x, y in seeds)
        told = ", ".join(f'"{k}": {compact(v)}' for k, v in expected(seeds).items())
        rows.append(f'    {{"name": {json.dumps(name)},\n     "seeds": [{given}],\n     {told}}}')
    print('{\n  "cases": [\n' + ",\n".join(rows) + "\n  ]\n}")


main()
