// The centroid table of a layout: how far points are from the centroid of their group, and groups from each other.

import { el } from '../dom';
import type { Figures, TaskFigures } from '../output/embedding/stats';

/** The nearest other centroid to that of a group, and how far it is. */
export function nearestTo(group: TaskFigures, all: TaskFigures[]): { task: number; distance: number } | null {
  let best: { task: number; distance: number } | null = null;
  for (const other of all) {
    if (other.task === group.task) continue;
    const distance = Math.sqrt(other.centroid.reduce((sum, v, k) => sum + (v - group.centroid[k]!) ** 2, 0));
    if (!best || distance < best.distance) best = { task: other.task, distance };
  }
  return best;
}

const number = (v: number | undefined) => (v !== undefined && Number.isFinite(v) ? v.toPrecision(4) : '–');

/** Groups of which more would make the table useless. */
const most = 100;

export function centroidTable(names: string[], plane: Figures, data: Figures | null): HTMLElement {
  const head = [
    '',
    'points',
    'to centroid',
    'to nearest other',
    '',
    'ratio',
    'to centroid',
    'to nearest other',
    '',
    'ratio',
  ];
  const row = (name: string, points: number, cells: (string | undefined)[]) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, name),
      el('td', {}, points.toLocaleString('en')),
      ...cells.map((c) => el('td', {}, c ?? '–')),
    );
  const of = (group: TaskFigures, figures: Figures | null) => {
    const own = figures?.tasks.find((t) => t.task === group.task);
    const near = own && nearestTo(own, figures!.tasks);
    return [
      number(own?.within),
      number(near?.distance),
      near ? names[near.task] : '–',
      number(near && own!.within ? near.distance / own!.within : NaN),
    ];
  };
  const total = plane.tasks.reduce((n, t) => n + t.n, 0);
  const mean = (f: Figures | null) => [number(f?.within), number(f?.between), 'mean of pairs', number(f?.ratio)];
  return el(
    'table.centroids',
    {},
    el(
      'caption',
      {},
      'Mean distances of the points that are shown or selected. Those in the plane are in t-SNE units, which depend on its settings: compare ratios.',
    ),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('td', { colspan: 2 }),
        el('th', { colspan: 4, scope: 'colgroup' }, 'In the plane'),
        el('th', { colspan: 4, scope: 'colgroup' }, 'In the data'),
      ),
      el('tr', {}, ...head.map((h) => el('th', { scope: 'col' }, h))),
    ),
    el(
      'tbody',
      {},
      row('All', total, [...mean(plane), ...mean(data)]),
      ...plane.tasks.slice(0, most).map((g) => row(names[g.task]!, g.n, [...of(g, plane), ...of(g, data)])),
    ),
  );
}
