// A chart's data, as Go's package analysis/plots makes them.

import { elements, type Fields, fields } from '../../model/json';

export type Kind = 'line' | 'dots' | 'bars' | 'boxes' | 'cells' | 'arrows';
type Numbers = (number | null)[];

export interface Mark {
  kind: Kind;
  series: number;
  /** What this mark is of, where its series has several. */
  name: string;
  /** Drawn behind the others of its series, which say more. */
  thin: boolean;
  x: number[];
  y: number[];
  x1: number[];
  y1: number[];
  q1: number[];
  q3: number[];
  lo: Numbers;
  hi: Numbers;
  value: number[];
}
export interface Scale {
  label: string;
  log: boolean;
  categories: string[];
  /** The ends of the axis; null shows all that there is. */
  limits?: [number, number] | null;
  /** Where numbers stand on the axis; empty leaves it to the axis. */
  ticks?: number[];
}
/** A line across a panel, at y, or upright at x. */
export interface Reference {
  name: string;
  x: number;
  y: number;
  upright: boolean;
}
/** Something over the marks, in the units of the axes. */
export interface Over {
  kind: 'text' | 'arrow' | 'rect' | 'circle';
  x: number;
  y: number;
  x1: number;
  y1: number;
  text: string;
}
export interface Panel {
  title: string;
  marks: Mark[];
  references: Reference[];
  shapes: Over[];
}
export interface Chart {
  title: string;
  x: Scale;
  y: Scale;
  names: string[];
  by: string;
  colour: { label: string; lo: number; hi: number } | null;
  /** The height of the axes as a share of their width, 0 for the usual one. */
  aspect: number;
  /** A unit is as long on both axes. */
  equal: boolean;
  /** Each panel has axes of its own. */
  free: boolean;
  panels: Panel[];
  notes: string[];
  /** Names of the runs that it shows. */
  runs: string[];
}

const kinds: Kind[] = ['line', 'dots', 'bars', 'boxes', 'cells', 'arrows'];
const shapes = ['text', 'arrow', 'rect', 'circle'];
/** The lists that a kind cannot do without, beside x and y. */
const needed: Record<Kind, ('x1' | 'y1' | 'q1' | 'q3' | 'lo' | 'hi' | 'value')[]> = {
  line: [],
  dots: [],
  bars: ['x1'],
  boxes: ['x1', 'q1', 'q3', 'lo', 'hi'],
  cells: ['x1', 'y1', 'value'],
  arrows: ['x1', 'y1'],
};

const scale = (v: Fields): Scale => ({
  label: String(v.label ?? ''),
  log: v.log === true,
  categories: elements(v.categories).map(String),
  limits: elements(v.limits).length === 2 ? (elements(v.limits).map(Number) as [number, number]) : null,
  ticks: elements(v.ticks).map(Number),
});

function over(data: unknown): Over {
  const v = fields(data);
  if (!shapes.includes(v.kind as string))
    throw new Error(`The chart has a shape ${JSON.stringify(v.kind)}; expected ${shapes.join(', ')}.`);
  const at = (name: string) => Number(v[name] ?? 0);
  return {
    kind: v.kind as Over['kind'],
    x: at('x'),
    y: at('y'),
    x1: at('x1'),
    y1: at('y1'),
    text: String(v.text ?? ''),
  };
}

export function decode(data: unknown): Chart {
  const v = fields(data);
  if (v.version !== 1) throw new Error(`The chart has version ${JSON.stringify(v.version)}; expected 1.`);
  const names = elements(v.names).map(String);
  const panels = elements(v.panels)
    .map(fields)
    .map(
      (p, k): Panel => ({
        title: String(p.title ?? ''),
        marks: elements(p.marks).map((m) => mark(m, k, names.length)),
        references: elements(p.references)
          .map(fields)
          .map((r) => ({
            name: String(r.name ?? ''),
            x: Number(r.x ?? 0),
            y: Number(r.y ?? 0),
            upright: r.upright === true,
          })),
        shapes: elements(p.shapes).map(over),
      }),
    );
  if (!panels.length) throw new Error('The chart has no panels; expected at least one.');
  const c = fields(v.colour);
  const colour = v.colour ? { label: String(c.label ?? ''), lo: Number(c.lo), hi: Number(c.hi) } : null;
  return {
    title: String(v.title ?? ''),
    x: scale(fields(v.x)),
    y: scale(fields(v.y)),
    names,
    by: String(v.by ?? ''),
    colour,
    aspect: Number(v.aspect ?? 0),
    equal: v.equal === true,
    free: v.free === true,
    panels,
    notes: elements(v.notes).map(String),
    runs: elements(v.runs).map(String),
  };
}

function mark(data: unknown, panel: number, series: number): Mark {
  const m = fields(data);
  if (!kinds.includes(m.kind as Kind))
    throw new Error(`Panel ${panel} of the chart has marks ${JSON.stringify(m.kind)}; expected ${kinds.join(', ')}.`);
  const of = m.series as number;
  if (!(of >= 0 && of < series))
    throw new Error(`Panel ${panel} of the chart has marks of series ${of}; expected one of ${series}.`);
  const out: Mark = {
    kind: m.kind as Kind,
    series: of,
    name: String(m.name ?? ''),
    thin: m.thin === true,
    x: elements(m.x) as number[],
    y: elements(m.y) as number[],
    x1: elements(m.x1) as number[],
    y1: elements(m.y1) as number[],
    q1: elements(m.q1) as number[],
    q3: elements(m.q3) as number[],
    lo: elements(m.lo) as Numbers,
    hi: elements(m.hi) as Numbers,
    value: elements(m.value) as number[],
  };
  for (const name of ['y', 'x1', 'y1', 'q1', 'q3', 'lo', 'hi', 'value'] as const) {
    const n = out[name].length;
    const must = name === 'y' || needed[out.kind].includes(name as never);
    if (n !== out.x.length && (must || n > 0))
      throw new Error(`The chart's ${out.kind} have ${n} values of ${name}; expected ${out.x.length}, as of x.`);
  }
  return out;
}

/** The marks of a chart as rows of a CSV file. */
export function csv(chart: Chart): string {
  const quote = (v: unknown) => {
    const s = v === null || v === undefined ? '' : String(v);
    return /[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
  };
  const place = (s: Scale, v: number | undefined) =>
    s.categories.length && v !== undefined ? (s.categories[Math.round(v)] ?? v) : v;
  const lists = ['x1', 'y1', 'q1', 'q3', 'lo', 'hi', 'value'] as const;
  const used = lists.filter((name) => chart.panels.some((p) => p.marks.some((m) => m[name].length > 0)));
  const lines = [['panel', 'series', 'mark', 'x', 'y', ...used]];
  for (const p of chart.panels) {
    for (const m of p.marks) {
      const middle = m.kind === 'bars' || m.kind === 'boxes' || m.kind === 'cells';
      m.x.forEach((x, i) =>
        lines.push([
          p.title,
          m.name || chart.names[m.series]!,
          m.kind,
          place(chart.x, middle && chart.x.categories.length ? (x + m.x1[i]!) / 2 : x),
          place(chart.y, m.kind === 'cells' ? (m.y[i]! + m.y1[i]!) / 2 : m.y[i]),
          ...used.map((name) => m[name][i]),
        ] as string[]),
      );
    }
  }
  return lines.map((l) => l.map(quote).join(',') + '\n').join('');
}
