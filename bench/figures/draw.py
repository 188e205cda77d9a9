"""The figures of kinds.ipynb by matplotlib and pandas, as somebody writes them in a cell: FIGURE-matplotlib.png."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

out = Path(sys.argv[1])
metrics, returns = pd.read_csv(out / "metrics.csv"), pd.read_csv(out / "returns.csv")


def figure(name, draw, columns=1):
    _, axes = plt.subplots(1, columns, figsize=(7, 4.2), layout="constrained", sharey=True)
    draw(axes)
    plt.savefig(out / f"{name}-matplotlib.png", dpi=110)
    plt.close()


def band(ax, of, y):
    for arm, rows in of.groupby("algorithm"):
        by = rows.groupby("env_steps")[y]
        mean, half = by.mean(), 1.96 * by.sem().fillna(0)
        ax.plot(mean.index, mean, label=arm)
        ax.fill_between(mean.index, mean - half, mean + half, alpha=0.2)
    ax.legend()


def line(ax):
    band(ax, metrics.dropna(subset=["adapted_return"]), "adapted_return")
    ax.axhline(-30, color="grey", linestyle="--", label="told the goal")
    ax.set_xlabel("environment steps")
    ax.set_ylabel("return after adaptation")


def log(ax):
    band(ax, metrics[metrics.q_loss > 0], "q_loss")
    ax.set(xscale="log", yscale="log", title="Loss of the critics", xlabel="env_steps", ylabel="q_loss")


def panels(axes):
    for ax, (seed, rows) in zip(axes, metrics.dropna(subset=["adapted_return"]).groupby("seed")):
        band(ax, rows, "adapted_return")
        ax.set(title=f"seed {seed}", xlabel="env_steps")


def bar(ax):
    means = returns.pivot_table(index="trajectory", columns="algorithm", values="return", aggfunc=["mean", "sem"])
    means["mean"].plot.bar(ax=ax, yerr=1.96 * means["sem"], ylabel="return")


def histogram(ax):
    bins = np.histogram_bin_edges(returns["return"], bins="auto")
    for arm, rows in returns.groupby("algorithm"):
        ax.hist(rows["return"], bins, alpha=0.6, label=arm)
    ax.set(xlabel="return", ylabel="count")
    ax.legend()


def logbins(ax):
    loss = metrics.q_loss[metrics.q_loss > 0]
    ax.hist(loss, np.geomspace(loss.min(), loss.max(), 30))
    ax.set(xscale="log", yscale="log", xlabel="q_loss", ylabel="count")


def box(ax):
    for k, (arm, rows) in enumerate(returns.groupby("algorithm")):
        groups = [g["return"] for _, g in rows.groupby("trajectory")]
        ax.boxplot(groups, positions=np.arange(len(groups)) + 0.4 * k - 0.2, widths=0.3, label=arm)
    ax.set(xlabel="trajectory", ylabel="return")


def strip(ax):
    spread = np.random.default_rng(1)
    for k, (trajectory, rows) in enumerate(returns.groupby("trajectory")):
        at = rows["algorithm"].astype("category").cat.codes
        ax.scatter(at + 0.25 * (k - 1) + spread.uniform(-0.1, 0.1, len(rows)), rows["return"], s=8, label=trajectory)
    ax.set_xticks(range(returns.algorithm.nunique()), sorted(returns.algorithm.unique()))
    ax.set_ylabel("return")
    ax.legend(title="trajectory")


def scatter(ax):
    for arm, rows in returns[returns.adapted == 1].groupby("algorithm"):
        ax.scatter(rows["task"], rows["return"], s=10, label=arm)
    ax.set(xlabel="task", ylabel="return")
    ax.legend()


def scale(ax):
    drawn = ax.scatter(metrics.adapted_return, metrics.q_loss, c=metrics.env_steps, s=8)
    ax.set(yscale="log", xlabel="adapted_return", ylabel="q_loss")
    plt.colorbar(drawn, label="env_steps")


def heat(ax):
    drawn = ax.imshow(returns.pivot_table(index="trajectory", columns="task", values="return"), aspect="auto")
    ax.set(xlabel="task", ylabel="trajectory")
    plt.colorbar(drawn, label="return")


for draw in (line, log, bar, histogram, logbins, box, strip, scatter, scale, heat):
    figure(draw.__name__, draw)
figure("panels", panels, metrics.seed.nunique())
