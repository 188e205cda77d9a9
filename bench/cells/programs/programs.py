"""The programs of programs.go in Python, the best of some runs in milliseconds of processor time each, as JSON."""
import json
import math
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def floats():
    x = 0.5
    for _ in range(300_000):
        x = x * 3.7 * (1 - x) * 0.99 + 1e-3
    return x


def ordered():
    import functools
    xs, seed = [], 1
    for _ in range(30_000):
        seed = (seed * 1664525 + 1013904223) % 2**32
        xs.append(float(seed))
    xs.sort(key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b)))
    return xs[15_000]


def product():
    n = 100
    a = [[float(i + j) for j in range(n)] for i in range(n)]
    b = [[float(i - j) for j in range(n)] for i in range(n)]
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return c[17][42]


class Ball:
    def __init__(self):
        self.x, self.v = 1.0, 0.0

    def move(self, dt):
        self.v -= 9.81 * dt
        self.x += self.v * dt
        if self.x < 0:
            self.x, self.v = -self.x, -self.v

    def energy(self):
        return self.v * self.v / 2 + 9.81 * self.x


def methods():
    b, total = Ball(), 0.0
    for _ in range(1_000_000):
        b.move(1e-3)
        total += b.energy()
    return total


def words():
    counts = {}
    for w in ("the quick brown fox jumps over the lazy dog and " * 2_000).split():
        counts[w] = counts.get(w, 0) + 1
    return counts["the"] + len(counts)


def sieve():
    n, count = 1_000_000, 0
    composite = [False] * n
    for i in range(2, n):
        if composite[i]:
            continue
        count += 1
        for j in range(i * i, n, i):
            composite[j] = True
    return count


def episodes():
    total = 0.0
    for k in range(64):
        angle, speed, gravity = 0.1 * k - 3, 0.0, 5 + 10 * k / 64
        for _ in range(200):
            torque = 2 * max(-1.0, min(1.0, -math.sin(angle)))
            a = math.remainder(angle, 2 * math.pi)
            total -= a * a + 0.1 * speed * speed + 0.001 * torque * torque
            speed = max(-8.0, min(8.0, speed + (1.5 * gravity * math.sin(angle) + 3 * torque) * 0.05))
            angle += speed * 0.05
    return total


def best(run, n=3):
    times = []
    for _ in range(n):
        start = time.process_time()
        run()
        times.append(1000 * (time.process_time() - start))
    return min(times)


print(json.dumps([best(f) for f in (lambda: fib(27), floats, ordered, product, methods, words, sieve, episodes)]))
