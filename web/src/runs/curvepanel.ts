// The curves of runs: one column of their metrics over steps, updates or time, smoothed as one likes, single or as bands.

import { el } from '../dom';
import { ChartView } from '../output/chart/view';
import { api, type Curve } from './api';
import { band, chart, configurations, copies, type Line, type Over, points } from './curves';
import { type Column, differences, grouped, type Row } from './model';
import { shortened } from './words';

/** As many colours are told apart, as many runs can be drawn, as many panels be looked at. */
const mostArms = 12;
const mostRuns = 200;
const mostPanels = 24;

/** The choice of all metrics at once. */
const every = '*';

/** Runs of one arm on one family, whose curves stand in one panel. */
interface Part {
  arm: string;
  family: string;
  rows: Row[];
}

export class CurvePanel {
  readonly dom = el('section.curves', { 'aria-label': 'Curves' });
  private readonly column = el('select', { 'aria-label': 'Curve of', change: () => this.again() });
  private readonly over = el(
    'select',
    { 'aria-label': 'Over', change: () => this.again() },
    el('option', { value: 'steps' }, 'steps'),
    el('option', { value: 'updates' }, 'updates'),
    el('option', { value: 'seconds' }, 'time'),
  );
  private readonly smoothing = el('input', {
    type: 'range',
    min: 0,
    max: 0.99,
    step: 0.01,
    value: 0,
    'aria-label': 'Smoothing',
    input: () => this.again(),
  });
  private readonly note = el('span.note');
  private readonly host = el('div');
  private view: ChartView | null = null;
  /** By column and path, with the version of the run that they are of. */
  private readonly known = new Map<string, { version: number; curve: Curve | null }>();
  private loading = '';

  constructor(private readonly again: () => void) {
    this.dom.append(
      el(
        'div.bar',
        {},
        el('label', {}, 'curve', this.column),
        el('label', {}, 'over', this.over),
        el('label', {}, 'smoothing', this.smoothing),
        this.note,
      ),
      this.host,
    );
  }

  show(rows: Row[], chosen: boolean, group: string, columns: Column[]): void {
    this.offer(columns);
    const metrics = this.metrics(rows);
    const has = rows.filter((r) => metrics.some((m) => m in (r.latest ?? {})));
    const arms = [...(group ? grouped(has, group) : systems(has))];
    const share = Math.floor(mostRuns / Math.min(mostArms, Math.max(1, arms.length)));
    const parts = arms
      .slice(0, mostArms)
      .flatMap(([arm, list]) =>
        [...grouped(list.slice(0, share), 'family')].map(([family, rows]): Part => ({ arm, family, rows })),
      );
    const used = parts.flatMap((p) => p.rows);
    const families = new Set(parts.map((p) => p.family));
    const notes = arms
      .slice(0, mostArms)
      .flatMap(([arm, list]) => (list.length > share ? [`${arm}: ${share} of ${list.length} runs`] : []));
    const names = new Map(shortened(used.map((r) => r.path)).map((name, i) => [used[i]!.path, name]));
    const lines: Line[] = [];
    const drawn = metrics.slice(0, Math.ceil(mostPanels / Math.max(1, families.size)));
    if (drawn.length < metrics.length)
      notes.push(
        `${drawn.length} of ${metrics.length} metrics of ${families.size} families; filter one family for more`,
      );
    void this.load(drawn, used);
    for (const column of drawn) {
      const panel = (family: string) =>
        [families.size > 1 ? family : '', metrics.length > 1 ? column.replaceAll('_', ' ') : '']
          .filter(Boolean)
          .join(': ');
      for (const part of parts) lines.push(...this.lines(part, panel(part.family), column, !!group, names, notes));
    }
    this.note.textContent =
      arms.length > mostArms
        ? `${mostArms} of ${arms.length} groups${chosen ? '' : '; choose others by their boxes'}`
        : group
          ? 'means where half of the seeds, and two, have values; the range of two, intervals at 95 % of more'
          : lines.some((l) => l.thin)
            ? 'thick: means over seeds; thin: runs'
            : '';
    const json = chart(lines, metrics.length > 1 ? '' : (metrics[0] ?? ''), this.over.value as Over, notes);
    if (this.view) this.view.update(json);
    else {
      this.view = new ChartView(json);
      this.host.append(this.view.dom);
    }
    this.dom.hidden = !rows.length;
  }

  /** The metrics that are asked for. */
  private metrics(rows: Row[]): string[] {
    if (this.column.value !== every) return this.column.value ? [this.column.value] : [];
    const known = new Set(rows.flatMap((r) => Object.keys(r.latest ?? {})));
    for (const counter of ['iteration', 'env_steps', 'updates']) known.delete(counter);
    return [...known].sort((a, b) => Number(/adapted/.test(b)) - Number(/adapted/.test(a)) || a.localeCompare(b));
  }

  /** The lines of an arm's runs on a family: the mean with its band or, where nobody asked for groups, the runs and their mean. */
  private lines(
    { arm, family, rows }: Part,
    panel: string,
    column: string,
    asked: boolean,
    names: Map<string, string>,
    notes: string[],
  ): Line[] {
    const over = this.over.value as Over;
    const known = rows.flatMap((r) => {
      const curve = this.known.get(key(column, r.path))?.curve;
      return curve ? [{ r, curve, drawn: points(curve, over, Number(this.smoothing.value)) }] : [];
    });
    for (const { r, curve } of known) for (const n of curve.notes ?? []) notes.push(`${names.get(r.path)}: ${n}`);
    const runs = known.map(
      ({ r, drawn }): Line => ({
        name: names.get(r.path)!,
        arm,
        panel,
        thin: known.length > 1,
        ...drawn,
        lo: [],
        hi: [],
        breaks: [],
      }),
    );
    if (known.length < 2 && !asked) return runs;
    const about = panel && panel !== family ? `${arm}, ${panel}` : panel ? `${arm} on ${family}` : arm;
    const curves = new Map(known.map(({ r, curve }) => [r.path, curve]));
    const twice = copies(
      known.map(({ r }) => r),
      (r) => curves.get(r.path) ?? null,
    );
    if (twice) {
      notes.push(
        `${about}: no mean, as ${twice[0].path} and ${twice[1].path} are the same system, family and seed; filter one out, or group by what tells them apart`,
      );
      return asked ? [] : runs.map((l) => ({ ...l, thin: false }));
    }
    const different = configurations(known.map(({ r }) => r));
    if (different > 1 && !asked) return runs.map((l) => ({ ...l, thin: false }));
    if (different > 1) notes.push(`${about}: the seeds have ${different} different configurations`);
    const { line, said } = band(
      known.map((k) => k.drawn),
      over,
    );
    if (said) notes.push(`${about}: ${said}`);
    const mean: Line = { name: `${arm} (${known.length})`, arm, panel, thin: false, ...line };
    return asked ? [mean] : [...runs, { ...mean, lo: [], hi: [] }];
  }

  private offer(columns: Column[]): void {
    const names = columns.filter((c) => c.key.startsWith('latest.')).map((c) => c.key.slice(7));
    if (!names.length) return;
    const choices = names.length > 1 ? [...names, every] : names;
    if (this.column.options.length === choices.length && choices.every((n, i) => this.column.options[i]!.value === n))
      return;
    const before = this.column.value || 'adapted_return';
    this.column.replaceChildren(
      ...choices.map((n) => el('option', { value: n }, n === every ? 'every metric' : n.replaceAll('_', ' '))),
    );
    this.column.value = choices.includes(before) ? before : names[0]!;
  }

  /** Asks for the curves that are missing or older than their runs. */
  private async load(metrics: string[], rows: Row[]): Promise<void> {
    const missing = metrics.flatMap((column) => {
      const of = rows.filter(
        (r) => column in (r.latest ?? {}) && this.known.get(key(column, r.path))?.version !== r.version,
      );
      return of.length ? [{ column, of }] : [];
    });
    const asked = missing.map((m) => m.column + m.of.map((r) => r.path + r.version).join()).join();
    if (!missing.length || this.loading === asked) return;
    this.loading = asked;
    try {
      for (const { column, of } of missing) await this.ask(column, of);
      this.again();
    } catch {
      /* the next list says that the server does not answer, or that a run is gone */
    } finally {
      this.loading = '';
    }
  }

  private async ask(column: string, rows: Row[]): Promise<void> {
    for (let i = 0; i < rows.length; i += 50) {
      const part = rows.slice(i, i + 50);
      const paths = part.map((r) => r.path);
      const found = new Map((await api.curves(column, paths)).map((c) => [c.path, c]));
      if (this.known.size > 20_000) this.known.clear();
      for (const r of part)
        this.known.set(key(column, r.path), { version: r.version, curve: found.get(r.path) ?? null });
    }
  }
}

/** Runs by algorithm and, where that leaves few enough, by the settings that tell them apart. */
function systems(rows: Row[]): Map<string, Row[]> {
  const told = differences(rows);
  const fine = new Map<string, Row[]>();
  for (const r of rows) {
    const name = [r.title, told.get(r.path)].filter(Boolean).join(', ');
    fine.set(name, [...(fine.get(name) ?? []), r]);
  }
  return fine.size <= mostArms ? fine : grouped(rows, 'title');
}

const key = (column: string, path: string) => column + '\n' + path;
