"""What every version of the benchmark's update shares: sizes, constants, and numbers any language can make."""
import math

import numpy

TASKS, BATCH, WINDOW = 16, 256, 64
SIZES = {
    "oyster": {"obs": 20, "act": 6, "latent": 5, "hidden": 300, "encoder": 200, "reward_scale": 5.0},
    "metaworld": {"obs": 12, "act": 4, "latent": 7, "hidden": 400, "encoder": 400, "reward_scale": 10.0},
}
DISCOUNT, TAU, KL_WEIGHT, LEARNING_RATE = 0.99, 0.005, 0.1, 3e-4


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
