// The runs of a page: what has changed since, filters, order and groups. It knows no page.

import type { Listing, Run } from './api';

/** A run with the settings that are not the same in all runs. */
export interface Row extends Run {
  settings: Record<string, string>;
}

export interface Column {
  key: string;
  label: string;
  number: boolean;
}

/** Columns that every run has. */
export const fixed: Column[] = [
  { key: 'path', label: 'Run', number: false },
  { key: 'state', label: 'State', number: false },
  { key: 'share', label: 'Done', number: true },
  { key: 'env_steps', label: 'Steps', number: true },
  { key: 'latest.adapted_return', label: 'Return', number: true },
  { key: 'algorithm', label: 'Algorithm', number: false },
  { key: 'family', label: 'Family', number: false },
  { key: 'seed', label: 'Seed', number: true },
  { key: 'changed', label: 'Changed', number: true },
  { key: 'left', label: 'Left', number: true },
  { key: 'group', label: 'Folder', number: false },
  { key: 'preset', label: 'Preset', number: false },
  { key: 'updates', label: 'Updates', number: true },
  { key: 'iterations', label: 'Iterations', number: true },
  { key: 'seconds', label: 'Time', number: true },
  { key: 'device', label: 'Device', number: false },
  { key: 'started', label: 'Started', number: true },
  { key: 'tags', label: 'Tags', number: false },
];

export class Runs {
  readonly rows = new Map<string, Row>();
  version = 0;
  shape = '';
  total = 0;
  columns: string[] = [];

  /** Takes what has changed; the paths that are new, other or gone. */
  take(l: Listing): Set<string> {
    const changed = new Set<string>();
    for (const path of l.removed ?? []) if (this.rows.delete(path)) changed.add(path);
    for (const r of l.runs) {
      const settings: Record<string, string> = {};
      l.values[r.path]?.forEach((v, i) => {
        if (v !== '') settings[l.columns[i]!] = v.replace(/^"(.*)"$/, '$1');
      });
      const before = this.rows.get(r.path);
      this.rows.set(r.path, { ...r, settings });
      if (!before || before.version !== r.version || this.shape !== l.shape) changed.add(r.path);
    }
    [this.version, this.shape, this.total, this.columns] = [l.version, l.shape, l.total, l.columns];
    return changed;
  }

  /** Every column that can be shown: fields, metrics of any run, settings that differ. */
  all(): Column[] {
    const metrics = new Set<string>();
    for (const r of this.rows.values()) for (const m of Object.keys(r.latest ?? {})) metrics.add(m);
    const known = new Set(fixed.map((c) => c.key));
    return [
      ...fixed,
      ...[...metrics]
        .sort()
        .map((m) => ({ key: 'latest.' + m, label: m, number: true }))
        .filter((c) => !known.has(c.key)),
      ...this.columns.map((c) => ({
        key: 'set.' + c,
        label: c,
        number: [...this.rows.values()].some((r) => isNumber(r.settings[c])),
      })),
    ];
  }
}

const isNumber = (s: string | undefined) => s !== undefined && s !== '' && Number.isFinite(Number(s));

/** A run's value in a column. */
export function value(r: Row, key: string): string | number | undefined {
  if (key.startsWith('latest.')) return r.latest?.[key.slice(7)];
  if (key.startsWith('set.')) {
    const s = r.settings[key.slice(4)];
    return isNumber(s) ? Number(s) : s;
  }
  if (key === 'tags') return r.note.tags.join(', ');
  if (key === 'changed' || key === 'started') {
    const t = Date.parse(r[key]);
    return t > 0 ? t : undefined;
  }
  return (r as unknown as Record<string, string | number>)[key];
}

/** Which runs a text of a filter leaves: words that path, tags or names hold, and conditions as state=running, seed>3. */
export function filter(text: string, columns: Column[]): (r: Row) => boolean {
  const tests = text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const m = /^([^=<>!]+)(!=|>=|<=|=|>|<)(.*)$/.exec(word);
      const column =
        m &&
        (columns.find((c) => c.key === m[1] || c.label.toLowerCase() === m[1]!.toLowerCase()) ??
          (m[1] === 'tag' ? { key: 'tags' } : null));
      if (!m || !column) {
        const w = word.toLowerCase();
        return (r: Row) => haystack(r).includes(w);
      }
      return (r: Row) =>
        holds(column.key === 'tags' && m[1] === 'tag' ? tagged(r, m[3]!) : value(r, column.key), m[2]!, m[3]!);
    });
  return (r) => tests.every((t) => t(r));
}

const haystack = (r: Row) =>
  `${r.path} ${r.title} ${r.algorithm} ${r.family} ${r.state} ${r.preset} ${r.note.tags.join(' ')} ${r.note.text}`.toLowerCase();
const tagged = (r: Row, tag: string) => (r.note.tags.includes(tag) ? tag : '');

function holds(v: string | number | undefined, op: string, want: string): boolean {
  if (op === '=' || op === '!=')
    return (
      (String(v ?? '').toLowerCase() === want.toLowerCase() ||
        (typeof v === 'number' && want !== '' && v === Number(want))) ===
      (op === '=')
    );
  if (v === undefined || v === '') return false;
  const [a, b] = [Number(v), Number(want)];
  if (Number.isNaN(a) || Number.isNaN(b)) return false;
  return op === '>' ? a > b : op === '<' ? a < b : op === '>=' ? a >= b : a <= b;
}

export interface Sort {
  key: string;
  down: boolean;
}

/** Rows in order; those without a value come last, and equal ones in the order of their paths. */
export function sorted(rows: Row[], { key, down }: Sort): Row[] {
  const collator = new Intl.Collator(undefined, { numeric: true });
  const keyed = rows.map((r) => ({ r, v: value(r, key) }));
  keyed.sort((a, b) => {
    const [none, other] = [a.v === undefined || a.v === '', b.v === undefined || b.v === ''];
    if (none !== other) return none ? 1 : -1;
    const order = none
      ? 0
      : typeof a.v === 'number' && typeof b.v === 'number'
        ? a.v - b.v
        : collator.compare(String(a.v), String(b.v));
    return (down ? -order : order) || collator.compare(a.r.path, b.r.path);
  });
  return keyed.map(({ r }) => r);
}

/** Rows by a column's value, in the order in which the values come first. */
export function grouped(rows: Row[], key: string): Map<string, Row[]> {
  const out = new Map<string, Row[]>();
  for (const r of rows) {
    const name = String(value(r, key) ?? '') || '–';
    const list = out.get(name);
    if (list) list.push(r);
    else out.set(name, [r]);
  }
  return out;
}

/** Settings that say nothing of what was trained. */
const aside = new Set(['seed', 'checkpoint_every']);

/**
 * By path, the settings in which a run differs from others of its algorithm and family, such as "latent 8"; '' where
 * there are none.
 */
export function differences(rows: Row[]): Map<string, string> {
  const out = new Map<string, string>();
  for (const alike of grouped(rows, 'title').values()) {
    for (const list of grouped(alike, 'family').values()) {
      const keys = [...new Set(list.flatMap((r) => Object.keys(r.settings)))].filter(
        (k) => !aside.has(k) && list.some((r) => r.settings[k] !== list[0]!.settings[k]),
      );
      for (const r of list)
        out.set(
          r.path,
          keys.map((k) => `${k.split('.').pop()!.replaceAll('_', ' ')} ${r.settings[k] ?? '–'}`).join(', '),
        );
    }
  }
  return out;
}
