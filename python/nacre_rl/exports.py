"""Runs in other programs' formats, written by these programs' own clients."""

import time

import numpy as np

from .files import NacreError


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
    seen = 0
    while True:
        done = ended(run)  # asked first: no row comes after the end
        fresh = rows(run)[seen:]
        yield from fresh
        seen += len(fresh)
        if done:
            return
        time.sleep(pause)


def ended(run):
    """Whether the last process that trained the run has said that it ended."""
    sessions = run.record.get("sessions") or [{}]
    return sessions[-1].get("ended", "running") != "running"


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
    return logged.info.run_id
