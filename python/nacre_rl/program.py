"""The program nacre that lies in this package's wheel."""

import os
import subprocess
import sys

from .files import NacreError


def find():
    """The path of the program. NacreError where the package was installed without it."""
    name = "nacre.exe" if os.name == "nt" else "nacre"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    if not os.path.isfile(path):
        raise NacreError("there is no program at %s: install the wheel of nacre-rl for this system, which has it"
                         % path)
    return path


def environment():
    """The environment in which the program runs: a copy of os.environ.

    If NACRE_PYTHON is not set there, it is set to this Python. The program then takes MuJoCo and Meta-World of this
    Python's packages, and runs environments in Python in it.
    """
    env = dict(os.environ)
    if sys.executable and not env.get("NACRE_PYTHON"):
        env["NACRE_PYTHON"] = sys.executable
    return env


def main():
    """The command nacre: becomes the program, with this process's arguments."""
    try:
        path = find()
        argv = [path] + sys.argv[1:]
        if os.name == "nt":  # has no exec that keeps the console
            sys.exit(subprocess.call(argv, env=environment()))
        os.execve(path, argv, environment())
    except NacreError as e:
        sys.exit("nacre: %s" % e)
    except OSError as e:
        sys.exit("nacre: %s does not start here (%s): this wheel is for another system or processor" % (argv[0], e))
