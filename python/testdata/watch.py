"""Watches a run that is being trained, and prints each row and how watching ended: watch.py RUN"""
import os
import sys
import warnings

import nacre_rl
from nacre_rl.holder import Holder, alive


def elsewhere(folder):
    """A lock of a machine that this one does not know lives until 25 seconds pass without another name."""
    now = [100.0]
    holder, lock = Holder(folder, lambda: now[0]), os.path.join(folder, ".lock.d")
    for name in os.listdir(lock):
        os.remove(os.path.join(lock, name))
    names = ["held.%d.7.1f.0123456789abcdef.2a.nonce.some.where" % i for i in (1, 2)]
    open(os.path.join(lock, names[0]), "w").close()
    assert holder.lives()
    now[0] += 24
    assert holder.lives()
    os.rename(os.path.join(lock, names[0]), os.path.join(lock, names[1]))
    now[0] += 24
    assert holder.lives()
    now[0] += 24.9
    assert holder.lives()
    now[0] += 0.2
    assert not holder.lives()


def tokens(folder):
    lock = os.path.join(folder, ".lock.d")
    return [alive(n, os.stat(lock).st_ino) for n in os.listdir(lock)]


while not os.path.exists(os.path.join(sys.argv[1], "config.toml")):
    pass
run, count = nacre_rl.Run(sys.argv[1]), 0
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for row in run.watch(pause=0.05):
        count += 1
        if count <= 3:
            assert tokens(run.directory) == [True] and Holder(run.directory)._shown(), "this machine is not known"
            print("row %d %s" % (count, run.state), flush=True)
assert len(said) == 1 and said[0].filename == __file__, said
assert tokens(run.directory) == [False]
state = run.state
elsewhere(run.directory)
print("%d rows, %s: %s" % (count, state, said[0].message))
