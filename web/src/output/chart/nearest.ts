// What lies under the pointer.

import { format } from '../format';
import type { Chart, Mark, Scale } from './decode';
import type { PanelDrawing } from './draw';

export interface Hit {
  x: number;
  y: number;
  /** Whether the first line is a name. */
  named: boolean;
  lines: string[];
}

const said = (scale: Scale, v: number) =>
  scale.categories.length ? (scale.categories[Math.round(v)] ?? format(v)) : format(v);

/** The shape of a panel nearest to a point in pixels, within reach of it. */
export function nearest(
  chart: Chart,
  panel: number,
  drawing: PanelDrawing,
  hidden: Set<number>,
  x: number,
  y: number,
  reach = 28,
): Hit | null {
  let best: Hit | null = null,
    at = reach ** 2;
  for (const m of chart.panels[panel]!.marks) {
    if (hidden.has(m.series)) continue;
    m.x.forEach((_, i) => {
      const [px, py, inside] = place(m, i, drawing, x, y);
      const d = inside ? 0 : (px - x) ** 2 + (py - y) ** 2;
      if (d <= at) {
        at = d;
        best = { x: px, y: py, named: nameOf(chart, m) !== '', lines: describe(chart, m, i) };
      }
    });
  }
  return best;
}

function place(m: Mark, i: number, drawing: PanelDrawing, x: number, y: number): [number, number, boolean] {
  if (!m.x1.length || m.kind === 'arrows') return [drawing.px(m.x[i]!), drawing.py(m.y[i]!), false];
  const left = drawing.px(m.x[i]!),
    right = drawing.px(m.x1[i]!),
    middle = (left + right) / 2;
  if (m.kind === 'cells') {
    const top = drawing.py(m.y1[i]!),
      bottom = drawing.py(m.y[i]!);
    return [middle, (top + bottom) / 2, x >= left && x < right && y >= top && y < bottom];
  }
  return [middle, drawing.py(m.y[i]!), x >= left && x < right];
}

const nameOf = (chart: Chart, m: Mark): string => m.name || chart.names[m.series] || '';

function describe(chart: Chart, m: Mark, i: number): string[] {
  const name = nameOf(chart, m);
  const lines = name ? [name] : [];
  const interval = (lo: number | null | undefined, hi: number | null | undefined) =>
    lo === null || lo === undefined || hi === null || hi === undefined ? '' : ` [${format(lo)}, ${format(hi)}]`;
  const spans = m.x1.length > 0 && m.kind !== 'arrows';
  const x = spans ? (m.x[i]! + m.x1[i]!) / 2 : m.x[i]!;
  const across = spans && !chart.x.categories.length ? `${format(m.x[i]!)} to ${format(m.x1[i]!)}` : said(chart.x, x);
  lines.push(`${chart.x.label || 'x'} ${across}`);
  if (m.kind === 'cells')
    lines.push(
      `${chart.y.label || 'y'} ${said(chart.y, (m.y[i]! + m.y1[i]!) / 2)}`,
      `${chart.colour?.label ?? 'value'} ${format(m.value[i]!)}`,
    );
  else if (m.kind === 'boxes')
    lines.push(
      `median ${format(m.y[i]!)}`,
      `quartiles ${format(m.q1[i]!)}, ${format(m.q3[i]!)}`,
      `whiskers ${format(m.lo[i]!)}, ${format(m.hi[i]!)}`,
    );
  else lines.push(`${chart.y.label || 'y'} ${format(m.y[i]!)}${interval(m.lo[i], m.hi[i])}`);
  if (m.kind === 'dots' && m.value.length) lines.push(`${chart.colour?.label ?? 'value'} ${format(m.value[i]!)}`);
  return lines;
}
