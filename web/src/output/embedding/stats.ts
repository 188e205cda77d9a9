// The centroid figures of the paper, for a selection of points.

export interface TaskFigures {
  task: number;
  n: number;
  centroid: Float64Array;
  within: number;
}
export interface Figures {
  tasks: TaskFigures[];
  /** Mean over points of the distance to their task's centroid. */
  within: number;
  /** Mean over pairs of tasks of the distance between their centroids. */
  between: number;
  /** between / within: the larger, the better the tasks are told apart. */
  ratio: number;
}

function distance(a: ArrayLike<number>, from: number, b: ArrayLike<number>, dim: number): number {
  let sum = 0;
  for (let k = 0; k < dim; k++) sum += (a[from + k]! - b[k]!) ** 2;
  return Math.sqrt(sum);
}

/**
 * Centroids per task of the rows (dim numbers each) with counted[i], and their Euclidean distances. A figure that is
 * not defined (one task, no rows) is NaN.
 */
export function figures(
  rows: ArrayLike<number>,
  dim: number,
  task: ArrayLike<number>,
  tasks: number,
  counted: Uint8Array,
): Figures {
  const n = new Float64Array(tasks),
    within = new Float64Array(tasks);
  const centroids = Array.from({ length: tasks }, () => new Float64Array(dim));
  for (let i = 0; i < counted.length; i++) {
    if (!counted[i]) continue;
    const c = centroids[task[i]!]!;
    n[task[i]!]!++;
    for (let k = 0; k < dim; k++) c[k]! += rows[i * dim + k]!;
  }
  centroids.forEach((c, t) => {
    for (let k = 0; k < dim; k++) c[k]! /= n[t]!;
  });
  let total = 0,
    points = 0;
  for (let i = 0; i < counted.length; i++) {
    if (!counted[i]) continue;
    const d = distance(rows, i * dim, centroids[task[i]!]!, dim);
    within[task[i]!]! += d;
    total += d;
    points++;
  }
  const present = centroids
    .map((centroid, t) => ({ task: t, n: n[t]!, centroid, within: within[t]! / n[t]! }))
    .filter((t) => t.n > 0);
  let sum = 0,
    pairs = 0;
  for (let a = 0; a < present.length; a++)
    for (let b = a + 1; b < present.length; b++) {
      sum += distance(present[a]!.centroid, 0, present[b]!.centroid, dim);
      pairs++;
    }
  const mean = points ? total / points : NaN;
  const between = pairs ? sum / pairs : NaN;
  return { tasks: present, within: mean, between, ratio: between / mean };
}
