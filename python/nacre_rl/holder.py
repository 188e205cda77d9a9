"""Who writes a run folder: the lock that its process holds until it ends, however that happens.

The program's package internal/lockfile has the lock's rules.
"""

import errno
import hashlib
import os
import socket
import time

QUIET = 25.0  # seconds after which a holder on another machine counts as dead; it shows every 5 that it lives


class Holder:
    """Tells whether a process holds the lock of a run folder. It remembers what it saw, for holders elsewhere."""

    def __init__(self, directory, clock=time.monotonic):
        self.path, self._clock = os.path.join(directory, ".lock"), clock
        self._seen, self._since = None, 0.0

    def lives(self):
        """Whether a process holds the lock.

        The system knows this of processes that lock by flock. Without flock, a process on another machine counts as
        living until this object has seen no sign of it for 25 seconds.
        """
        try:
            f = open(self.path, "rb")
        except OSError:
            return False
        with f:
            return taken(f) or self._shown()

    def _shown(self):
        """Whether a process shows that it lives by the name of the file in the lock's folder."""
        try:
            inode = os.stat(self.path + ".d").st_ino
            names = sorted(n for n in os.listdir(self.path + ".d") if n.count(".") >= 7)
        except OSError:
            return False
        names = [n for n in names if alive(n, inode) is not False]
        if any(alive(n, inode) for n in names):
            return True
        if names != self._seen:
            self._seen, self._since = names, self._clock()
        return bool(names) and self._clock() - self._since < QUIET


def taken(f):
    """Whether another process has the system's lock of an open file. False where the file system has no locks."""
    try:
        import fcntl
    except ImportError:
        return taken_on_windows(f)
    try:
        fcntl.flock(f, fcntl.LOCK_SH | fcntl.LOCK_NB)  # given back when the file is closed
    except OSError as e:
        return e.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
    return False


def taken_on_windows(f):
    import msvcrt
    try:
        msvcrt.locking(f.fileno(), msvcrt.LK_NBLCK, 1)
    except OSError:
        return True
    msvcrt.locking(f.fileno(), msvcrt.LK_UNLCK, 1)
    return False


def alive(token, inode):
    """Whether the process that a token names lives. None if this machine does not know: the process is elsewhere."""
    _, _, pid, start, machine, folder, _, _ = token.split(".", 7)
    if not machine or machine != this_machine():
        return None
    try:
        with open("/proc/%d/stat" % int(pid), "rb") as f:
            fields = f.read().rpartition(b")")[2].split()
        lives = int(fields[19]) == int(start, 16) and fields[0] not in (b"Z", b"X")
    except FileNotFoundError:
        return False
    except (OSError, ValueError, IndexError):
        return None
    return None if lives and int(folder, 16) != inode else lives  # of a copied folder the process is elsewhere


def this_machine():
    """What tells this machine from others, as the program's lock names it. Empty where there is no /proc."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as f:
            boot = f.read()
        processes = os.readlink("/proc/self/ns/pid").encode()
    except OSError:
        return ""
    try:
        clock = os.readlink("/proc/self/ns/time").encode()
    except OSError:
        clock = b""
    return hashlib.sha256(b" ".join([boot, processes, clock, socket.gethostname().encode()])).hexdigest()[:16]
