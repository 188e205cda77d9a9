// Curves of runs as a chart: one line each, or one for a group of seeds with a band.

import type { Curve } from './api';

export type Over = 'steps' | 'updates' | 'seconds';
export interface Line { name: string; x: number[]; y: number[]; lo: number[]; hi: number[] }

/** Means that forget: each value counts (1-s) of what is left of those before; not finite values are left out. */
export function smooth(y: number[], s: number): number[] {
  let sum = 0, weight = 0;
  return y.map((v) => {
    sum = sum * s + (1 - s) * v;
    weight = weight * s + (1 - s);
    return sum / weight;
  });
}

/** A curve's numbers over an axis, smoothed. */
export function points(c: Curve, over: Over, s: number): { x: number[]; y: number[] } {
  const x: number[] = [], y: number[] = [];
  c.values.forEach((v, i) => { if (typeof v === 'number' && Number.isFinite(v)) { x.push(c[over][i]!); y.push(v); } });
  return { x, y: s > 0 ? smooth(y, s) : y };
}

/** The value of a line at a place between its ends. */
export function at(x: number[], y: number[], place: number): number {
  let lo = 0, hi = x.length - 1;
  while (hi - lo > 1) { const m = (lo + hi) >> 1; if (x[m]! <= place) lo = m; else hi = m; }
  if (hi <= lo || x[hi] === x[lo]) return y[lo]!;
  const t = Math.min(1, Math.max(0, (place - x[lo]!) / (x[hi]! - x[lo]!)));
  return y[lo]! + t * (y[hi]! - y[lo]!);
}

// Student's t at 97.5 % for 1 to 30 degrees of freedom.
const t975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042];

/**
 * The mean of several lines where all of them have values, and around it the interval of the mean at 95 % by Student's t, or
 * of two lines their range.
 */
export function band(name: string, lines: { x: number[]; y: number[] }[]): Line {
  const used = lines.filter((l) => l.x.length > 0);
  if (!used.length) return { name, x: [], y: [], lo: [], hi: [] };
  if (used.length === 1) return { name, ...used[0]!, lo: [], hi: [] };
  const from = Math.max(...used.map((l) => l.x[0]!)), to = Math.min(...used.map((l) => l.x[l.x.length - 1]!));
  const places = [...new Set(used.flatMap((l) => l.x).filter((x) => x >= from && x <= to))].sort((a, b) => a - b);
  const x = places.length <= 400 ? places : Array.from({ length: 400 }, (_, k) => places[Math.round((k * (places.length - 1)) / 399)]!);
  const out: Line = { name, x, y: [], lo: [], hi: [] };
  const n = used.length;
  for (const place of x) {
    const v = used.map((l) => at(l.x, l.y, place));
    const mean = v.reduce((a, b) => a + b, 0) / n;
    out.y.push(mean);
    if (n === 2) { out.lo.push(Math.min(...v)); out.hi.push(Math.max(...v)); continue; }
    const error = Math.sqrt(v.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1) / n);
    const t = t975[n - 2] ?? 1.96 + 2.4 / (n - 1);
    out.lo.push(mean - t * error);
    out.hi.push(mean + t * error);
  }
  return out;
}

const axes: Record<Over, string> = { steps: 'environment steps', updates: 'updates', seconds: 'hours of work' };

/** Lines as the chart that ChartView shows. */
export function chart(lines: Line[], column: string, over: Over): unknown {
  const unit = over === 'seconds' ? 3600 : 1;
  const shown = lines.filter((l) => l.x.length > 0);
  return {
    version: 1, title: '', x: { label: axes[over] }, y: { label: column.replaceAll('_', ' ') }, names: shown.length ? shown.map((l) => l.name) : [''],
    panels: [{ title: '', marks: shown.map((l, k) => ({ kind: 'line', series: k, x: l.x.map((v) => v / unit), y: l.y, ...(l.lo.length ? { lo: l.lo, hi: l.hi } : {}) })) }],
  };
}
