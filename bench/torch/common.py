"""What the updates in PyTorch share: the answers to nacre bench update --vs torch.

Prints one line of JSON (versions, libraries, the figures of the first update), then for every line "n" on standard
input makes n updates and prints their milliseconds, and those of processor time. Only the update is inside the clock: noise is drawn before.
"""
import argparse
import ctypes
import json
import sys
import time

import torch


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
