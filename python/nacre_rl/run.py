"""A run folder: what was trained, with which settings, how it went."""

import csv
import io
import os

import numpy as np

from . import exports, files
from .agent import Agent
from .files import NacreError
from .holder import Holder


class Run:
    """A run folder, read when asked for. A run that is being trained can be read too: each access reads again.

    directory -- the folder that `nacre train --out` was given, the .zip file that `nacre pack` made of it, or a run in
                 such a file of several: "sweep.zip/NAME"
    """

    def __init__(self, directory):
        self.directory = files.folder(os.fspath(directory))
        self._config()

    def __repr__(self):
        return "Run(%r)" % self.directory

    def _config(self):
        return files.config(self.directory)

    @property
    def config(self):
        """The settings, as a dict of tables: config["algorithm"], config["pearl"]["latent"]."""
        config = self._config()
        config.pop("record", None)
        return config

    @property
    def record(self):
        """What ran the settings: a dict with the list "sessions" (program, device, notices, how it ended)."""
        return self._config().get("record", {})

    @property
    def metrics(self):
        """One row for each iteration: steps, updates, returns, losses. Values that were not measured are NaN.

        A pandas DataFrame where pandas is installed, otherwise a dict of arrays by column.
        """
        return self._table("metrics.csv")

    @property
    def timing(self):
        """One row for each iteration: seconds of collection, updates, evaluation. Like metrics."""
        return self._table("timing.csv")

    def _table(self, name):
        text = files.read(self.directory, name, ": the run has no complete iteration").decode()
        if not text.endswith("\n"):  # a row that is being written
            text = text[:text.rfind("\n") + 1]
        rows = list(csv.reader(io.StringIO(text)))
        if not rows:
            raise NacreError("%s is empty; expected a line with the columns' names"
                             % os.path.join(self.directory, name))
        columns = {}
        for i, column in enumerate(rows[0]):
            try:
                columns[column] = _numbers([row[i] for row in rows[1:]])
            except (ValueError, IndexError):
                raise NacreError("%s: column %s has a value that is no number"
                                 % (os.path.join(self.directory, name), column)) from None
        return frame(columns)

    @property
    def tasks(self):
        """The tasks' numbers: {"train": array (tasks, n), "test": array (tasks, n)}; n is 0 if tasks have none."""
        return files.tasks(self.directory)

    @property
    def evaluation(self):
        """The evaluation of the test tasks at the end, as a dict: protocol, seed, steps, tasks, summary."""
        return files.json_of(self.directory, "evaluation.json", ": training has not ended")

    @property
    def returns(self):
        """The evaluation as a table: a row for each task, repeat and trajectory, with return, success and length.

        The protocol's first `explore` trajectories explore, the others are adapted; for these the column `scored` is
        true. A pandas DataFrame where pandas is installed, otherwise a dict of arrays by column.
        """
        evaluation, out = self.evaluation, {}
        explore = evaluation["protocol"]["explore"]
        names = ("task", "repeat", "trajectory", "scored", "return", "success", "length")
        rows = [(task["id"], r, k, k >= explore, task["return"][r][k], task["success"][r][k], task["len"][r][k])
                for task in evaluation["tasks"] for r, of in enumerate(task["return"]) for k in range(len(of))]
        for i, name in enumerate(names):
            out[name] = np.array([row[i] for row in rows])
        return frame(out)

    @property
    def state(self):
        """How far training is: "running", "finished", "interrupted", "failed: " with the reason, "killed" or "unknown".

        "killed" means that no process trains the run and the last one left no word. A run in an archive that was packed
        before its end is "killed" too. "unknown" is the state of a run that nothing has begun to train.
        """
        return exports.state(self, Holder(self.directory))

    def watch(self, pause=2.0):
        """Yields the metrics of each complete iteration as a dict, those that are there and then new ones as they come.

        It ends when training ends; `state` says how. If the process was killed, a warning says so. A process on another
        machine, on a file system without locks, counts as killed after 25 seconds without a sign of it.

        pause -- the time between two looks, in seconds
        """
        return exports.watch(self, pause)

    def to_wandb(self, live=False, **options):
        """Logs settings, metrics and the evaluation by the client of Weights & Biases. Returns its run.

        live    -- whether to watch a run that is being trained, until that ends
        options -- of wandb.init, such as project="meta", mode="offline"
        """
        return exports.to_wandb(self, live, **options)

    def to_mlflow(self, live=False, **options):
        """Logs settings, metrics and the evaluation by MLflow's client, like to_wandb. Returns the number of its run.

        options -- of mlflow.start_run
        """
        return exports.to_mlflow(self, live, **options)

    def agent(self, iteration=None):
        """The trained agent; see Agent."""
        return Agent(self.directory, iteration)


def _numbers(texts):
    if all(t.lstrip("-").isdigit() for t in texts):
        return np.array([int(t) for t in texts], np.int64)
    return np.array([float(t) if t else np.nan for t in texts], float)


def frame(columns):
    """A pandas DataFrame of columns where pandas is installed; otherwise the columns as they are."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)
