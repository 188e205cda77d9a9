// Axes: from values to pixels, and the round values beside them.

import { format } from '../format';
import type { Chart, Mark, Panel, Scale } from './decode';

export type Range = [number, number];

export interface Axis {
  /** In the units of the axis: logarithms on a logarithmic one. */
  lo: number;
  hi: number;
  log: boolean;
  ticks: { at: number; text: string }[];
  /** Where a value lies, 0 to 1. */
  share(v: number): number;
  /** The value at a share. */
  value(share: number): number;
}

/** An axis over a range of values; tight leaves no room at its ends, as after zooming. Dots have room at 0, where bars stand. */
export function axis(scale: Scale, [lo, hi]: Range, n: number, tight: boolean, dots = false): Axis {
  const to = (v: number) => (scale.log ? Math.log10(v) : v);
  let a = to(lo),
    b = to(hi);
  if (scale.limits && !tight) [a, b] = [to(scale.limits[0]), to(scale.limits[1])];
  else if (scale.categories.length && !tight) [a, b] = [-0.5, scale.categories.length - 0.5];
  else if (single(lo, hi)) {
    const d = scale.log || !a ? 0.5 : Math.max(Math.abs(a) * 0.1, Math.min(Math.abs(a), 0.5));
    a -= d;
    b += d;
  } else if (!tight) {
    const room = 0.04 * (b - a);
    if (scale.log || lo !== 0 || dots) a -= room;
    b += room;
  }
  return {
    lo: a,
    hi: b,
    log: scale.log,
    ticks: scale.categories.length
      ? categories(scale.categories, a, b)
      : scale.ticks?.length
        ? given(scale.ticks, a, b, to)
        : scale.log
          ? logTicks(a, b)
          : linearTicks(a, b, n),
    share: (v) => (scale.log && v <= 0 ? 0 : (to(v) - a) / (b - a)),
    value: (s) => {
      const v = a + s * (b - a);
      return scale.log ? 10 ** v : v;
    },
  };
}

/** Ticks at given places, those that the axis shows. */
function given(at: number[], lo: number, hi: number, to: (v: number) => number): Axis['ticks'] {
  return at.filter((v) => to(v) >= lo && to(v) <= hi).map((v) => ({ at: v, text: String(v).replace('-', '−') }));
}

/** Bounds of the shape of axes whose units are equal. */
const flattest = 0.4,
  tallest = 1;

/** The shape of axes with these ends whose units are equal, and what they show: one of them shows more. */
export function evened(x: Axis, y: Axis): { aspect: number; x: Range; y: Range } {
  const aspect = Math.min(tallest, Math.max(flattest, (y.hi - y.lo) / (x.hi - x.lo)));
  const unit = Math.max(x.hi - x.lo, (y.hi - y.lo) / aspect);
  const around = (a: Axis, span: number): Range => [(a.lo + a.hi - span) / 2, (a.lo + a.hi + span) / 2];
  return { aspect, x: around(x, unit), y: around(y, unit * aspect) };
}

function categories(names: string[], lo: number, hi: number): Axis['ticks'] {
  return names.map((text, at) => ({ at, text })).filter(({ at }) => at >= lo && at <= hi);
}

/** A range is one value but for rounding: ticks within it would be one number, and counting them would not end. */
const single = (lo: number, hi: number) => hi - lo <= 1e-12 * Math.max(Math.abs(lo), Math.abs(hi));

/** The step of about n round values. */
function roundStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.7) ?? 10);
}

function linearTicks(lo: number, hi: number, n: number): Axis['ticks'] {
  const step = roundStep((hi - lo) / n);
  const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const out: Axis['ticks'] = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9; k++) {
    const at = k * step || 0;
    out.push({ at, text: (Math.abs(at) >= 1e4 || step < 1e-4 ? format(at) : at.toFixed(digits)).replace('-', '−') });
  }
  return out;
}

/** Powers of ten, with 2 and 5 times them where those are few. */
export function logTicks(lo: number, hi: number): Axis['ticks'] {
  const parts = hi - lo < 2.5 ? [1, 2, 5] : [1];
  const step = Math.max(1, Math.ceil((hi - lo) / 8));
  const out: Axis['ticks'] = [];
  for (let e = Math.floor(lo); e <= Math.ceil(hi); e++) {
    for (const p of parts) {
      const l = e + Math.log10(p);
      if (l >= lo - 1e-9 && l <= hi + 1e-9 && e % step === 0) out.push({ at: p * 10 ** e, text: format(p * 10 ** e) });
    }
  }
  return out;
}

/** Bands take room beyond their lines for at most this share of the lines' range: they do not set the axis. */
const bandRoom = 0.5;

/** The parts of lines' bands that an axis has room for. */
export function bands(lines: Pick<Mark, 'y' | 'lo' | 'hi'>[]): number[] {
  const [lo, hi] = lines
    .flatMap((m) => m.y)
    .reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  const room = bandRoom * (hi - lo) || Infinity;
  const edges = lines.flatMap((m) => [...m.lo, ...m.hi]).filter((v) => v !== null && Number.isFinite(v)) as number[];
  return edges.map((v) => Math.min(hi + room, Math.max(lo - room, v)));
}

/**
 * The ranges of the shapes of the series that are shown, in some of the panels; bars stand on 0. A logarithmic axis has room for positive values only:
 * empty bins and the lower ends of intervals may be others.
 */
export function extents(chart: Chart, hidden: Set<number>, panels: Panel[] = chart.panels): { x: Range; y: Range } {
  const x: Range = [Infinity, -Infinity],
    y: Range = [Infinity, -Infinity];
  const take = (range: Range, values: (number | null)[]) => {
    const log = range === x ? chart.x.log : chart.y.log;
    for (const v of values)
      if (v !== null && Number.isFinite(v) && (!log || v > 0)) {
        range[0] = Math.min(range[0], v);
        range[1] = Math.max(range[1], v);
      }
  };
  for (const p of panels) {
    take(y, bands(p.marks.filter((m) => m.kind === 'line' && m.lo.length && !hidden.has(m.series))));
    for (const m of p.marks) {
      if (hidden.has(m.series)) continue;
      take(x, m.x);
      take(x, m.x1);
      take(y, m.y);
      take(y, m.y1);
      if (m.kind !== 'line') take(y, [...m.lo, ...m.hi]);
      if (m.kind === 'bars') take(y, chart.y.log ? m.y.map((v) => v / 2) : [0]); // so that the lowest bar can be seen
    }
    for (const r of p.references) take(r.upright ? x : y, [r.upright ? r.x : r.y]);
    for (const s of p.shapes) {
      const round = s.kind === 'circle';
      take(x, round ? [s.x - s.x1, s.x + s.x1] : s.kind === 'text' ? [s.x] : [s.x, s.x1]);
      take(y, round ? [s.y - s.y1, s.y + s.y1] : s.kind === 'text' ? [s.y] : [s.y, s.y1]);
    }
  }
  const known = ([lo, hi]: Range, log: boolean): Range => (lo <= hi ? [lo, hi] : log ? [1, 10] : [0, 1]);
  return { x: known(x, chart.x.log), y: known(y, chart.y.log) };
}
