"""What `nacre watch` runs: a run in another program's format while it trains."""

import json
import math
import os
import sys
import warnings

from . import exports
from .files import NacreError
from .run import Run


def jsonl(run, **options):
    """Prints the metrics of each iteration as a line of JSON, without values that were not measured."""
    if options:
        raise NacreError("--to jsonl has no options, got %s" % ", ".join(sorted(options)))
    for row in run.watch():
        print(json.dumps({n: v if math.isfinite(v) else str(v) for n, v in row.items()}), flush=True)


def wandb(run, **options):
    run.to_wandb(live=True, **dict({"name": name(run)}, **options))


def mlflow(run, **options):
    run.to_mlflow(live=True, **dict({"run_name": name(run)}, **options))


PROGRAMS = {"jsonl": jsonl, "wandb": wandb, "mlflow": mlflow}


def name(run):
    return os.path.basename(os.path.abspath(run.directory))


def main(directory, program, options):
    """Watches a run to its end. Says on standard error how training ended if it did not finish."""
    warnings.simplefilter("ignore")  # said here
    run = Run(directory)
    try:
        PROGRAMS[program](run, **json.loads(options))
    except TypeError as e:
        if "argument" not in str(e):
            raise
        raise NacreError("--option of --to %s: %s" % (program, e)) from None
    state = run.state
    if exports.broken(run) or state == exports.UNKNOWN:
        raise NacreError("%s did not finish: %s" % (directory, exports.SILENT.get(state, state)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except NacreError as e:
        with open(sys.argv[4], "w", encoding="utf-8") as f:  # for the program, which says it
            f.write(str(e))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # of jsonl: whoever read it has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
