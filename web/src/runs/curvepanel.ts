// The curves of runs: one column of their metrics over steps, updates or time, smoothed as one likes, single or as bands.

import { el } from '../dom';
import { ChartView } from '../output/chart/view';
import { api, type Curve } from './api';
import { band, chart, configurations, copies, type Line, type Over, points } from './curves';
import { type Column, grouped, type Row } from './model';
import { shortened } from './words';

/** More lines than these are not told apart; bands of groups may be of more runs. */
const mostLines = 12;
const mostRuns = 200;

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
    const column = this.column.value;
    const has = rows.filter((r) => column in (r.latest ?? {}));
    const groups = group ? grouped(has, group) : null;
    const share = groups ? Math.floor(mostRuns / Math.min(mostLines, groups.size)) : 0;
    const used = groups
      ? [...groups].slice(0, mostLines).flatMap(([, list]) => list.slice(0, share))
      : has.slice(0, mostLines);
    void this.load(column, used);
    const curveOf = (r: Row) => this.known.get(key(column, r.path))?.curve ?? null;
    const over = this.over.value as Over,
      s = Number(this.smoothing.value);
    const names = shortened(used.map((r) => r.path));
    const notes = used.flatMap((r, i) => (curveOf(r)?.notes ?? []).map((n) => `${names[i]}: ${n}`));
    const lines: Line[] = groups
      ? [...groups]
          .slice(0, mostLines)
          .map(([name, list]) => this.mean(name, list, share, curveOf, over, s, notes))
          .filter((l) => l !== null)
      : used
          .map((r, i) => {
            const c = curveOf(r);
            return c ? { name: names[i]!, ...points(c, over, s), lo: [], hi: [], breaks: [] } : null;
          })
          .filter((l) => l !== null);
    const total = groups ? groups.size : has.length,
      what = groups ? 'groups' : 'runs';
    this.note.textContent =
      total > mostLines
        ? `${mostLines} of ${total} ${what}${chosen ? '' : '; choose others by their boxes, or group them'}`
        : groups
          ? 'means where half of the seeds, and two, have values; the range of two, intervals at 95 % of more'
          : '';
    const json = chart(lines, column, over, notes);
    if (this.view) this.view.update(json);
    else {
      this.view = new ChartView(json);
      this.host.append(this.view.dom);
    }
    this.dom.hidden = !rows.length;
  }

  /** The line of a group, null where two of its runs are copies; notes get what is to be said. */
  private mean(
    name: string,
    list: Row[],
    share: number,
    curveOf: (r: Row) => Curve | null,
    over: Over,
    smoothing: number,
    notes: string[],
  ): Line | null {
    const taken = list.slice(0, share),
      known = taken.filter((r) => curveOf(r));
    if (taken.length < list.length) notes.push(`${name}: ${taken.length} of ${list.length} runs`);
    const twice = copies(known, curveOf);
    if (twice) {
      notes.push(
        `${name}: no mean, as ${twice[0].path} and ${twice[1].path} are the same system, family and seed; filter one out, or group by what tells them apart`,
      );
      return null;
    }
    const different = configurations(known);
    if (different > 1) notes.push(`${name}: the seeds have ${different} different configurations`);
    const { line, said } = band(
      `${name} (${known.length})`,
      known.map((r) => points(curveOf(r)!, over, smoothing)),
      over,
    );
    if (said) notes.push(`${name}: ${said}`);
    return line;
  }

  private offer(columns: Column[]): void {
    const names = columns.filter((c) => c.key.startsWith('latest.')).map((c) => c.key.slice(7));
    if (
      !names.length ||
      (this.column.options.length === names.length && names.every((n, i) => this.column.options[i]!.value === n))
    )
      return;
    const before = this.column.value || 'adapted_return';
    this.column.replaceChildren(...names.map((n) => el('option', { value: n }, n.replaceAll('_', ' '))));
    this.column.value = names.includes(before) ? before : names[0]!;
  }

  /** Asks for the curves that are missing or older than their runs. */
  private async load(column: string, rows: Row[]): Promise<void> {
    const missing = rows.filter((r) => this.known.get(key(column, r.path))?.version !== r.version);
    const asked = column + missing.map((r) => r.path + r.version).join();
    if (!missing.length || this.loading === asked) return;
    this.loading = asked;
    try {
      for (let i = 0; i < missing.length; i += 50) {
        const part = missing.slice(i, i + 50);
        const found = new Map(
          (
            await api.curves(
              column,
              part.map((r) => r.path),
            )
          ).map((c) => [c.path, c]),
        );
        if (this.known.size > 20_000) this.known.clear();
        for (const r of part)
          this.known.set(key(column, r.path), { version: r.version, curve: found.get(r.path) ?? null });
      }
      this.again();
    } catch {
      /* the next list says that the server does not answer, or that a run is gone */
    } finally {
      this.loading = '';
    }
  }
}

const key = (column: string, path: string) => column + '\n' + path;
