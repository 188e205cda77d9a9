// A chart's data, as Go's package analysis/plots makes them.

export type Kind = 'line' | 'dots' | 'bars' | 'boxes' | 'cells';
type Numbers = (number | null)[];

export interface Mark {
  kind: Kind;
  series: number;
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
}
export interface Panel {
  title: string;
  marks: Mark[];
  references: { name: string; y: number }[];
}
export interface Chart {
  title: string;
  x: Scale;
  y: Scale;
  names: string[];
  by: string;
  colour: { label: string; lo: number; hi: number } | null;
  panels: Panel[];
  notes: string[];
}

const kinds: Kind[] = ['line', 'dots', 'bars', 'boxes', 'cells'];
/** The lists that a kind cannot do without, beside x and y. */
const needed: Record<Kind, ('x1' | 'y1' | 'q1' | 'q3' | 'lo' | 'hi' | 'value')[]> = {
  line: [],
  dots: [],
  bars: ['x1'],
  boxes: ['x1', 'q1', 'q3', 'lo', 'hi'],
  cells: ['x1', 'y1', 'value'],
};

const list = (v: unknown): any[] => (Array.isArray(v) ? v : []);
const scale = (v: any): Scale => ({
  label: String(v?.label ?? ''),
  log: v?.log === true,
  categories: list(v?.categories).map(String),
});

export function decode(v: any): Chart {
  if (v?.version !== 1) throw new Error(`The chart has version ${JSON.stringify(v?.version)}; expected 1.`);
  const names = list(v.names).map(String);
  const panels = list(v.panels).map(
    (p, k): Panel => ({
      title: String(p?.title ?? ''),
      marks: list(p?.marks).map((m) => mark(m, k, names.length)),
      references: list(p?.references).map((r) => ({ name: String(r?.name ?? ''), y: Number(r?.y) })),
    }),
  );
  if (!panels.length) throw new Error('The chart has no panels; expected at least one.');
  const colour = v.colour
    ? { label: String(v.colour.label ?? ''), lo: Number(v.colour.lo), hi: Number(v.colour.hi) }
    : null;
  return {
    title: String(v.title ?? ''),
    x: scale(v.x),
    y: scale(v.y),
    names,
    by: String(v.by ?? ''),
    colour,
    panels,
    notes: list(v.notes).map(String),
  };
}

function mark(m: any, panel: number, series: number): Mark {
  if (!kinds.includes(m?.kind))
    throw new Error(`Panel ${panel} of the chart has marks ${JSON.stringify(m?.kind)}; expected ${kinds.join(', ')}.`);
  if (!(m.series >= 0 && m.series < series))
    throw new Error(`Panel ${panel} of the chart has marks of series ${m.series}; expected one of ${series}.`);
  const out: Mark = {
    kind: m.kind,
    series: m.series,
    x: list(m.x),
    y: list(m.y),
    x1: list(m.x1),
    y1: list(m.y1),
    q1: list(m.q1),
    q3: list(m.q3),
    lo: list(m.lo),
    hi: list(m.hi),
    value: list(m.value),
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
          chart.names[m.series]!,
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
