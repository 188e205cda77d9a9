"""Runs in other programs' formats, written by these programs' own clients."""

import time
import warnings

import numpy as np

from . import files
from .files import NacreError
from .holder import Holder

RUNNING, FINISHED, KILLED, UNKNOWN = "running", "finished", "killed", "unknown"  # values of Run.state, among others
SILENT = {KILLED: "the last one left no word, so it was killed, or its machine went down; `nacre resume` continues it",
          UNKNOWN: "its record does not say that one has begun, or how it ended"}


def rows(run):
    """The rows of a run's metrics as dicts, without values that were not measured."""
    try:
        table = run.metrics
    except NacreError:
        return []  # no iteration is complete
    columns = {name: np.asarray(table[name]) for name in table}
    count = len(next(iter(columns.values()), ()))
    return [{name: x[i].item() for name, x in columns.items() if not np.isnan(x[i])} for i in range(count)]


def watch(run, pause):
    """Run.watch."""
    seen, holder = 0, Holder(run.directory)
    while True:
        now = state(run, holder)  # asked first: no row comes after the end
        fresh = rows(run)[seen:]
        yield from fresh
        seen += len(fresh)
        if now in SILENT:
            warnings.warn("%s: no process trains this run, which has %d iterations: %s"
                          % (run.directory, seen, SILENT[now]), stacklevel=2)
        if now != RUNNING:
            return
        time.sleep(pause)


def state(run, holder):
    """Run.state."""
    while True:
        sessions = run.record.get("sessions") or [{}]
        ended = sessions[-1].get("ended") or RUNNING
        if ended != RUNNING or holder.lives():
            return ended
        if (run.record.get("sessions") or [{}]) == sessions:  # nobody has written a word before letting go
            break
    if sessions[-1].get("ended"):
        return KILLED
    # older programs, and those that made a folder in another way, leave no word
    return FINISHED if files.has(run.directory, "evaluation.json") else UNKNOWN


def settings(run):
    """The settings as one flat dict, with names such as pearl.latent."""
    out = {}

    def add(table, before):
        for name, value in table.items():
            if isinstance(value, dict):
                add(value, before + name + ".")
            else:
                out[before + name] = value
    add(run.config, "")
    return out


def summary(run):
    """The means of the evaluation at the end, as evaluation/adapted and so on; {} before the end."""
    try:
        of = run.evaluation["summary"]
    except NacreError:
        return {}
    return {"evaluation/" + name: value["mean"] for name, value in of.items()
            if isinstance(value, dict) and isinstance(value.get("mean"), (int, float))}


def broken(run):
    """Whether training ended before the run was finished."""
    return run.state not in (RUNNING, FINISHED, UNKNOWN)


def to_wandb(run, live=False, **options):
    """Run.to_wandb."""
    try:
        import wandb
    except ImportError as e:
        raise NacreError("wandb is not installed (%s): pip install wandb" % e) from None
    logged = wandb.init(config=settings(run), **options)
    with logged:
        for row in run.watch() if live else rows(run):
            logged.log(row, step=int(row["iteration"]))
        logged.summary.update(summary(run))
        if broken(run):
            logged.finish(exit_code=1)
    return logged


def to_mlflow(run, live=False, **options):
    """Run.to_mlflow."""
    try:
        import mlflow
    except ImportError as e:
        raise NacreError("mlflow is not installed (%s): pip install mlflow" % e) from None
    with mlflow.start_run(**options) as logged:
        mlflow.log_params(settings(run))
        for row in run.watch() if live else rows(run):
            mlflow.log_metrics({n: v for n, v in row.items() if n != "iteration"}, step=int(row["iteration"]))
        mlflow.log_metrics(summary(run))
        if broken(run):
            mlflow.end_run("FAILED" if run.state.startswith("failed") else "KILLED")
    return logged.info.run_id
