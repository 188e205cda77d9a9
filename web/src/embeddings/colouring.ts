// The colours of points by a column: one for each name, or places on a scale.

import { sequential, taskColours, type Rgb } from '../output/embedding/palette';
import { valuesOf } from '../output/embedding/decode';
import type { ColumnInfo } from './api';

const steps = 64;

export interface Colouring {
  colours: Rgb[];
  /** The place among the colours of a value of the column. */
  group(value: number): number;
}

export function colouring(column: ColumnInfo | undefined, dark: boolean): Colouring {
  if (!column) return { colours: taskColours([null], dark), group: () => 0 };
  if (column.names) {
    const n = Math.max(1, column.names.length);
    return { colours: taskColours(valuesOf(column.names), dark), group: (v) => (v < n ? v : n - 1) };
  }
  const span = column.hi - column.lo || 1;
  return {
    colours: Array.from({ length: steps }, (_, k) => sequential(0.05 + (0.85 * k) / (steps - 1))),
    group: (v) =>
      Number.isFinite(v) ? Math.min(steps - 1, Math.max(0, Math.floor(((v - column.lo) / span) * steps))) : 0,
  };
}

/** One column for several layouts: all their names, or the whole range of their numbers, so that a colour means the same in each. */
export function union(columns: ColumnInfo[]): ColumnInfo | undefined {
  const [first] = columns;
  if (!first) return undefined;
  if (columns.every((c) => c.names)) {
    const names = [...new Set(columns.flatMap((c) => c.names!))];
    const count = names.map((name) => columns.reduce((n, c) => n + (c.count?.[c.names!.indexOf(name)] ?? 0), 0));
    return { name: first.name, names, count, lo: 0, hi: 0 };
  }
  const numbers = columns.filter((c) => !c.names);
  return { name: first.name, lo: Math.min(...numbers.map((c) => c.lo)), hi: Math.max(...numbers.map((c) => c.hi)) };
}
