// How a finished run adapts to test tasks: trajectory by trajectory, over all tasks and for each.

import { el } from '../dom';
import { format } from '../output/format';
import type { AdaptedTask, Detail, Interval } from './api';

type Adapted = NonNullable<Detail['adapted']>;

/** The mean over tasks with its interval, before thin lines of the tasks, as ChartView draws it. */
export function adaptedChart(adapted: Adapted, tasks: AdaptedTask[]): unknown {
  const values = adapted.return;
  const places = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
  const thin = tasks.flatMap((t, i) =>
    t.return
      ? [{ kind: 'line', series: 0, thin: true, name: taskName(t, i), x: places(t.return.length), y: t.return }]
      : [],
  );
  const whole = values.every((v) => v.lo !== undefined && v.hi !== undefined);
  const mean = {
    kind: 'line',
    series: 0,
    name: `mean of ${tasks.length || 'all'} tasks`,
    x: places(values.length),
    y: values.map((v) => v.mean),
    ...(whole ? { lo: values.map((v) => v.lo), hi: values.map((v) => v.hi) } : {}),
  };
  return {
    version: 1,
    title: '',
    x: { label: 'trajectory on a new task', categories: places(values.length).map(String) },
    y: { label: 'return' },
    names: [''],
    panels: [{ title: '', marks: [...thin, mean].map((m) => ({ ...m, x: m.x.map((x) => x - 1) })) }],
  };
}

/** The table of task × trajectory, with the mean and its interval as its last row. */
export function adaptedTable(adapted: Adapted, tasks: AdaptedTask[]): HTMLElement {
  const interval = (i: Interval | undefined) =>
    i
      ? `${format(i.mean)}${i.lo === undefined || i.hi === undefined ? '' : ` [${format(i.lo)}, ${format(i.hi)}]`}`
      : '–';
  const share = (v: number) => `${Math.round(100 * v)} %`;
  const succeeds = !!adapted.success;
  const head = (i: number) => `${i + 1}`;
  const row = (name: string, returns: string[], successes: string[]) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, name),
      ...returns.map((text, i) => el('td', {}, succeeds ? `${text} · ${successes[i] ?? '–'}` : text)),
    );
  return el(
    'table',
    {},
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', { scope: 'col' }, succeeds ? 'return · success in trajectory' : 'return in trajectory'),
        ...adapted.return.map((_, i) => el('th', { scope: 'col' }, head(i))),
      ),
    ),
    el(
      'tbody',
      {},
      ...tasks.map((t, i) => row(taskName(t, i), (t.return ?? []).map(format), (t.success ?? []).map(share))),
      row(
        'mean over tasks',
        adapted.return.map(interval),
        (adapted.success ?? []).map((i) => share(i.mean)),
      ),
    ),
  );
}

/** A task by its parameters, of which many are cut. */
function taskName(t: AdaptedTask, i: number): string {
  const params = t.params ?? [];
  return params.length
    ? `task ${i + 1}: ${params.slice(0, 3).map(format).join(', ')}${params.length > 3 ? ', …' : ''}`
    : `task ${i + 1}`;
}
