"""What the updates in PyTorch share: the streams of package yardstick, and the answers to nacre bench update --vs torch.

Prints one line of JSON (versions, libraries, the figures of the first update), then for every line "n" on standard
input makes n updates and prints their milliseconds, and those of processor time. Only the update is inside the clock: noise is drawn before.
"""
import argparse
import ctypes
import json
import math
import sys
import time

import numpy
import torch

def splitmix(x):
    x = x + numpy.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return x ^ (x >> numpy.uint64(31))


def uniform(stream, n, low=0.0, high=1.0):
    start = splitmix(numpy.full(1, stream, numpy.uint64))
    bits = splitmix(start + numpy.arange(n, dtype=numpy.uint64)) >> numpy.uint64(11)
    return low + (high - low) * (bits.astype(numpy.float64) * 2.0**-53)


def normal(stream, n):
    u = uniform(stream, 2 * n)
    return numpy.sqrt(-2 * numpy.log1p(-u[::2])) * numpy.cos(2 * math.pi * u[1::2])


def tensor(values, *shape):
    return torch.from_numpy(values.reshape(shape)).to(torch.float32)


def blas():
    """The BLAS this process has loaded, and the kernels OpenBLAS chose."""
    with open("/proc/self/maps") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    for f in sorted(files):
        if "openblas" in f and "libopenblas" in f:
            core = ctypes.CDLL(f).openblas_get_corename
            core.restype = ctypes.c_char_p
            return f, core().decode()
    return next((f for f in sorted(files) if "blas" in f or "mkl" in f), "unknown"), "unknown"


def serve(sizes, make):
    """Answers for the update make(arguments); it has noise(step), and called with that gives its figures as tensors or numbers."""
    p = argparse.ArgumentParser()
    p.add_argument("--size", choices=sizes, required=True)
    p.add_argument("--algo", required=True)
    p.add_argument("--threads", type=int, required=True)
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    update = make(args)
    figures = {name: float(x) for name, x in update(update.noise(0)).items()}
    library, core = blas()
    print(json.dumps({"torch": torch.__version__, "numpy": numpy.__version__, "python": sys.version.split()[0], "threads": torch.get_num_threads(),
                      "blas": library, "kernels": core, "figures": figures}), flush=True)
    step = 1
    for line in sys.stdin:
        ms, processor = [], []
        for _ in range(int(line)):
            noise = update.noise(step)
            step += 1
            start, used = time.perf_counter(), time.process_time()
            update(noise)
            ms.append(1e3 * (time.perf_counter() - start))
            processor.append(1e3 * (time.process_time() - used))
        print(json.dumps([ms, processor]), flush=True)
