// Curves of runs as a chart: one line each, or one for a group of seeds with a band.

import type { Curve } from './api';
import type { Row } from './model';
import { note, overSeeds, type Points } from './seedmean';

export type Over = 'steps' | 'updates' | 'seconds';
/** A line of the chart: of one run, or the mean of several. */
export interface Line {
  name: string;
  /** What gives it its colour, and its place in the legend. */
  arm: string;
  /** The title of its panel. */
  panel: string;
  /** Of one run beside the mean over several. */
  thin: boolean;
  x: number[];
  y: number[];
  lo: number[];
  hi: number[];
  breaks: number[];
}

/** Means that forget: each value counts (1-s) of what is left of those before; not finite values are left out. */
export function smooth(y: number[], s: number): number[] {
  let sum = 0,
    weight = 0;
  return y.map((v) => {
    sum = sum * s + (1 - s) * v;
    weight = weight * s + (1 - s);
    return sum / weight;
  });
}

/** A curve's numbers over an axis, smoothed. */
export function points(c: Curve, over: Over, s: number): { x: number[]; y: number[] } {
  const x: number[] = [],
    y: number[] = [];
  c.values.forEach((v, i) => {
    if (typeof v === 'number' && Number.isFinite(v)) {
      x.push(c[over][i]!);
      y.push(v);
    }
  });
  return { x, y: s > 0 ? smooth(y, s) : y };
}

/** The mean of the lines of a group's seeds with its band, and what is to be said of it. */
export function band(
  lines: Points[],
  over: Over,
): { line: Pick<Line, 'x' | 'y' | 'lo' | 'hi' | 'breaks'>; said: string } {
  const unit = units[over];
  const m = overSeeds(lines.map((l) => ({ x: l.x.map((v) => v / unit), y: l.y })));
  return {
    line: { x: m.x.map((v) => v * unit), y: m.mean, lo: m.lo, hi: m.hi, breaks: m.breaks },
    said: note(m, axes[over]),
  };
}

/**
 * Two runs of a list that are copies of one, as a table would refuse them; null where there are none. Logs are copies if
 * they begin alike and their curves are equal wherever both have a point: one may end earlier.
 */
export function copies(rows: Row[], curveOf: (r: Row) => Curve | null): [Row, Row] | null {
  const alike = new Map<string, Row[]>();
  for (const r of rows) {
    for (const key of [r.identity, r.numbers]) {
      const same = (before: Row) =>
        key === r.identity || before.state !== 'log' || r.state !== 'log' || agree(curveOf(before), curveOf(r));
      const before = key === undefined ? undefined : alike.get(key)?.find(same);
      if (before) return [before, r];
    }
    for (const key of [r.identity, r.numbers]) if (key !== undefined) alike.set(key, [...(alike.get(key) ?? []), r]);
  }
  return null;
}

/** Whether two curves have the same value wherever both have one. */
function agree(a: Curve | null, b: Curve | null): boolean {
  const values = new Map(a?.steps.map((s, i) => [s, a.values[i]]));
  return !!b?.steps.every((s, i) => !values.has(s) || values.get(s) === b.values[i]);
}

/** How many configurations runs have, seeds aside. */
export function configurations(rows: Row[]): number {
  return new Set(
    rows.map((r) =>
      JSON.stringify([
        r.algorithm,
        r.family,
        Object.entries(r.settings)
          .filter(([k]) => k !== 'checkpoint_every')
          .sort(),
      ]),
    ),
  ).size;
}

const units: Record<Over, number> = { steps: 1, updates: 1, seconds: 3600 };
const axes: Record<Over, string> = { steps: 'environment steps', updates: 'updates', seconds: 'hours of work' };

/** Lines as the chart that ChartView shows, a panel for each title of one, with sentences below it. */
export function chart(lines: Line[], y: string, over: Over, notes: string[] = []): unknown {
  const shown = lines.filter((l) => l.x.length > 0).sort((a, b) => Number(b.thin) - Number(a.thin));
  const panels = [...new Set(shown.map((l) => l.panel))].sort();
  const arms = [...new Set(lines.map((l) => l.arm))];
  const marks = (l: Line) =>
    [0, ...l.breaks].map((from, k) => {
      const part = <T>(v: T[]) => v.slice(from, l.breaks[k] ?? v.length);
      return {
        kind: 'line',
        series: arms.indexOf(l.arm),
        name: l.name,
        thin: l.thin,
        x: part(l.x).map((v) => v / units[over]),
        y: part(l.y),
        ...(l.lo.length ? { lo: part(l.lo), hi: part(l.hi) } : {}),
      };
    });
  return {
    version: 1,
    title: '',
    x: { label: axes[over] },
    y: { label: y.replaceAll('_', ' ') },
    names: arms.length ? arms : [''],
    free: true,
    panels: (panels.length ? panels : ['']).map((title) => ({
      title: panels.length > 1 ? title : '',
      marks: shown.filter((l) => l.panel === title).flatMap(marks),
    })),
    notes,
  };
}
