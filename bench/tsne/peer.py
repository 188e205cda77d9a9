"""Lays points out with a Python library, for nacre bench tsne.

    python peer.py LIBRARY N D IN OUT THREADS [START]
    python peer.py digits OUT

IN and OUT are N×D and N×2 float64 values, row by row, START is N×2. One line of JSON goes to standard output: version,
iterations and the seconds the layout took, of the wall and of processors. The second form writes scikit-learn's digits.
"""
import json
import sys
import time

import numpy as np


def main(library, n, d, source, target, threads, start=None):
    x = np.fromfile(source).reshape(n, d)
    start = None if start is None else np.fromfile(start).reshape(n, 2)
    if library == "scikit-learn":
        import sklearn
        from sklearn.manifold import TSNE

        version, iterations = sklearn.__version__, 1000
        fit = TSNE(random_state=0, n_jobs=threads, init="pca" if start is None else start).fit_transform
    elif library == "umap-learn":
        import umap

        # A random state would bind it to one thread, with which it is the same every time.
        version, iterations = umap.__version__, 500 if n <= 10000 else 200
        fit = umap.UMAP(random_state=0 if threads == 1 else None, n_jobs=threads).fit_transform
        fit(np.random.default_rng(0).normal(size=(500, d)))  # compiles
    else:
        import openTSNE

        version, iterations = openTSNE.__version__, 750
        first = "pca" if start is None else start
        fit = openTSNE.TSNE(random_state=0, n_jobs=threads, neighbors="exact" if n < 20000 else "auto", initialization=first).fit
    wall, cpu = time.perf_counter(), time.process_time()
    y = fit(x)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    np.asarray(y, dtype=np.float64).tofile(target)
    print(json.dumps({"version": version, "iterations": iterations, "wall_s": wall, "cpu_s": cpu}))


if __name__ == "__main__":
    a = sys.argv
    if a[1] == "digits":
        from sklearn.datasets import load_digits

        load_digits().data.astype(np.float64).tofile(a[2])
    else:
        main(a[1], int(a[2]), int(a[3]), a[4], a[5], int(a[6]), *a[7:])
