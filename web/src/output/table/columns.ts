// The columns that are shown: an interval's three columns are one, numbers stand with their decimal points below each other.

import { el } from '../../dom';
import { cellText, type Column, type Table } from './decode';

/** A shown column: of the table's, at a place, with the ends of its interval where the table has them. */
export interface Showing {
  at: number;
  column: Column;
  ends: { lo: Column; hi: Column; digits: number } | null;
}

/** The columns that are shown: name, name_lo and name_hi of numbers become one. */
export function showing(table: Table): Showing[] {
  const number = (name: string) => table.columns.find((c) => c.name === name && c.number);
  const taken = new Set<Column>();
  const out = table.columns.map((column, at): Showing => {
    const lo = number(`${column.name}_lo`),
      hi = number(`${column.name}_hi`);
    if (!column.number || !lo || !hi) return { at, column, ends: null };
    taken.add(lo).add(hi);
    return { at, column, ends: { lo, hi, digits: precision(lo, hi, column) } };
  });
  return out.filter((s) => !taken.has(s.column));
}

/** Decimals for two digits of half an interval's length, of the middle row. */
function precision(lo: Column, hi: Column, column: Column): number {
  const halves = lo.values
    .map((v, i) => (Number(hi.values[i]) - Number(v)) / 2)
    .filter((h) => h > 0 && Number.isFinite(h))
    .sort((a, b) => a - b);
  if (!halves.length) return column.digits;
  const middle = halves[Math.floor(halves.length / 2)]!;
  return Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(middle))));
}

const fixed = (v: Column['values'][number] | undefined, digits: number): string =>
  typeof v === 'number'
    ? v
        .toFixed(digits)
        .replace('-', '−')
        .replace(/^−(0(\.0*)?)$/, '$1')
    : String(v ?? '');

/** Text that takes room and is not seen, copied or read out. */
const unseen = (text: string) => (text ? el('span.unseen', { 'aria-hidden': 'true' }, text) : null);

/** Cells of a column, one for each of the rows, whose numbers stand below each other. */
export function cells(shown: Showing, rows: number[]): HTMLElement[] {
  const { column, ends } = shown;
  if (!column.number) return rows.map((row) => el('td', {}, cellText(column, row)));
  if (ends) return intervals(column, ends, rows);
  const texts = rows.map((row) => cellText(column, row));
  const behind = (text: string) => (/^[−\d.]+$/.test(text) ? text.length - (text + '.').indexOf('.') : 0);
  const most = Math.max(0, ...texts.map(behind));
  return texts.map((text) => {
    const lacks = /^[−\d.]+$/.test(text) ? most - behind(text) : 0;
    // A point is narrower than a digit.
    const rest = lacks && !text.includes('.') ? `.${'0'.repeat(lacks - 1)}` : '0'.repeat(lacks);
    return el('td', { 'data-number': true }, text, unseen(rest));
  });
}

function intervals(column: Column, { lo, hi, digits }: NonNullable<Showing['ends']>, rows: number[]): HTMLElement[] {
  const at = (c: Column) => rows.map((row) => fixed(c.values[row], digits));
  const [values, los, his] = [at(column), at(lo), at(hi)];
  const widest = (texts: string[]) => Math.max(0, ...texts.map((t) => t.length));
  const [wideLo, wideHi] = [widest(los), widest(his)];
  // Signs are as wide as digits in most fonts, and stand in front.
  const room = (text: string, width: number) => unseen('0'.repeat(width - text.length));
  return rows.map((_, i) => {
    const known = los[i] !== '' && his[i] !== '';
    const interval = known
      ? el('span.interval', {}, ' [', room(los[i]!, wideLo), `${los[i]}, `, room(his[i]!, wideHi), `${his[i]}]`)
      : unseen(` [${'0'.repeat(wideLo)}, ${'0'.repeat(wideHi)}]`);
    return el('td', { 'data-number': true }, values[i]!, interval);
  });
}

/** Rows from which on headers have histograms: fewer are seen at once. */
const leastRows = 9;

const bins = 16;

/** How a column's values are distributed: all of them pale, those of the rows that pass the filter in full colour. */
export function distribution(column: Column, rows: number[]): HTMLElement | null {
  const n = column.values.length;
  if (n < leastRows) return null;
  if (!column.number) {
    const different = new Set(rows.map((row) => column.values[row])).size;
    return el('span.spread', {}, different === 1 ? 'one value' : `${different} different`);
  }
  const known = (row: number) => {
    const v = column.values[row];
    return typeof v === 'number' && Number.isFinite(v) ? v : null;
  };
  let lo = Infinity,
    hi = -Infinity;
  for (let row = 0; row < n; row++) {
    const v = known(row);
    if (v !== null) [lo, hi] = [Math.min(lo, v), Math.max(hi, v)];
  }
  if (!(hi > lo)) return el('span.spread', {}, 'one value');
  const count = (of: Iterable<number>) => {
    const out = new Array<number>(bins).fill(0);
    for (const row of of) {
      const v = known(row);
      if (v !== null) out[Math.min(bins - 1, Math.floor(((v - lo) / (hi - lo)) * bins))]!++;
    }
    return out;
  };
  const all = count(Array.from({ length: n }, (_, row) => row)),
    kept = count(rows);
  const most = Math.max(...all);
  const bar = (k: number) =>
    el(
      'i',
      { style: `height:${Math.max(all[k]! ? 8 : 0, (100 * all[k]!) / most)}%` },
      el('b', { style: `height:${all[k] ? (100 * kept[k]!) / all[k]! : 0}%` }),
    );
  const text = (v: number) => String(Number(v.toPrecision(3))).replace('-', '−');
  return el(
    'span.spread.bars',
    { role: 'img', 'aria-label': `${text(lo)} to ${text(hi)}`, title: `${text(lo)} to ${text(hi)}` },
    ...all.map((_, k) => bar(k)),
  );
}
