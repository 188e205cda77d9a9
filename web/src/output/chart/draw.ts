// Draws the panels of a chart as SVG.

import { css, type Rgb, sequential, taskColours } from '../embedding/palette';
import type { Axis, Range } from './axis';
import type { Chart, Mark, Over, Reference } from './decode';

/** The room of a letter and of a line of text, in pixels. */
export const letter = 7.4,
  line = 12;

const ns = 'http://www.w3.org/2000/svg';

export function shape(
  name: string,
  attributes: Record<string, string | number>,
  ...children: (Node | string)[]
): SVGElement {
  const node = document.createElementNS(ns, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** Where the axes of a panel stand, in pixels. */
export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Look {
  ink: string;
  soft: string;
  line: string;
  dark: boolean;
  hidden: Set<number>;
}

export class PanelDrawing {
  private readonly colours: Rgb[];

  constructor(
    private readonly chart: Chart,
    private readonly x: Axis,
    private readonly y: Axis,
    private readonly at: Place,
    private readonly look: Look,
  ) {
    this.colours = taskColours(
      chart.names.map(() => null),
      look.dark,
    );
  }

  px(v: number): number {
    return this.at.left + this.x.share(v) * this.at.width;
  }
  py(v: number): number {
    return this.at.top + this.at.height - this.y.share(v) * this.at.height;
  }

  /** The values at shares of the axes. */
  range(x: Range, y: Range): { x: Range; y: Range } {
    return { x: [this.x.value(x[0]), this.x.value(x[1])], y: [this.y.value(y[0]), this.y.value(y[1])] };
  }

  /** The panel; clip is the name of a clip path over its axes. */
  draw(panel: number, clip: string): SVGElement {
    const { chart, at, look } = this;
    const { title, marks, references, shapes } = chart.panels[panel]!;
    const inside = shape('g', { 'clip-path': `url(#${clip})` });
    for (const m of marks) if (!look.hidden.has(m.series)) inside.append(...this.mark(m));
    for (const r of references) inside.append(...this.reference(r));
    for (const s of shapes) inside.append(...this.over(s));
    return shape(
      'g',
      {},
      shape(
        'clipPath',
        { id: clip },
        shape('rect', { x: at.left, y: at.top - 2, width: at.width, height: at.height + 4 }),
      ),
      ...this.axes(),
      inside,
      shape(
        'text',
        { x: at.left, y: at.top - 8, fill: look.ink, 'font-weight': 600 },
        short(title, Math.max(8, Math.floor(at.width / letter))),
      ),
    );
  }

  private reference(r: Reference): SVGElement[] {
    const { at, look } = this;
    const line = { stroke: look.soft, 'stroke-dasharray': '4 3' };
    if (r.upright) {
      const x = this.px(r.x),
        end = x > at.left + at.width * 0.8;
      return [
        shape('line', { x1: x, x2: x, y1: at.top, y2: at.top + at.height, ...line }),
        shape(
          'text',
          { x: x + (end ? -4 : 4), y: at.top + 12, 'text-anchor': end ? 'end' : 'start', fill: look.soft },
          short(r.name, Math.floor(at.width / letter / 2)),
        ),
      ];
    }
    const y = this.py(r.y);
    return [
      shape('line', { x1: at.left, x2: at.left + at.width, y1: y, y2: y, ...line }),
      shape(
        'text',
        { x: at.left + at.width - 4, y: y - 4, 'text-anchor': 'end', fill: look.soft },
        short(r.name, Math.floor(at.width / letter)),
      ),
    ];
  }

  private over(s: Over): SVGElement[] {
    const x = this.px(s.x),
      y = this.py(s.y),
      x1 = this.px(s.x1),
      y1 = this.py(s.y1),
      area = { fill: this.look.soft, 'fill-opacity': 0.25, stroke: this.look.soft };
    switch (s.kind) {
      case 'text':
        return [shape('text', { x, y: y + 4, 'text-anchor': 'middle', fill: this.look.ink }, s.text)];
      case 'rect':
        return [
          shape('rect', {
            x: Math.min(x, x1),
            y: Math.min(y, y1),
            width: Math.abs(x1 - x),
            height: Math.abs(y1 - y),
            ...area,
          }),
        ];
      case 'circle':
        return [shape('ellipse', { cx: x, cy: y, rx: this.px(s.x + s.x1) - x, ry: y - this.py(s.y + s.y1), ...area })];
      case 'arrow': {
        const steep = Math.abs(y1 - y) > Math.abs(x1 - x);
        const anchor = steep ? 'middle' : x1 < x ? 'start' : 'end';
        return [
          shape('path', { d: arrow(x, y, x1, y1), fill: this.look.ink, stroke: this.look.ink }),
          shape(
            'text',
            {
              x: x + (steep ? 0 : x1 < x ? 4 : -4),
              y: steep ? (y1 > y ? y - 4 : y + 14) : y + 4,
              'text-anchor': anchor,
              fill: this.look.ink,
            },
            s.text,
          ),
        ];
      }
    }
  }

  private axes(): SVGElement[] {
    const { at, look, chart } = this;
    const bottom = at.top + at.height;
    const out: SVGElement[] = [];
    let lowest = Infinity;
    for (const t of this.y.ticks) {
      const y = this.py(t.at);
      // Names of many categories would lie over each other.
      if (chart.y.categories.length && lowest - y < line) continue;
      lowest = y;
      if (!chart.y.categories.length)
        out.push(shape('line', { x1: at.left, x2: at.left + at.width, y1: y, y2: y, stroke: look.line }));
      out.push(shape('text', { x: at.left - 7, y: y + 4, 'text-anchor': 'end', fill: look.soft }, short(t.text, 22)));
    }
    out.push(
      shape('line', {
        x1: at.left,
        x2: at.left + at.width,
        y1: bottom,
        y2: bottom,
        stroke: look.soft,
        'stroke-opacity': 0.5,
      }),
    );
    let last = -Infinity;
    for (const t of this.x.ticks) {
      const room =
        chart.x.categories.length && chart.x.categories.length <= 10
          ? Math.floor((at.width / chart.x.categories.length - 6) / 6.8)
          : 24;
      const text = short(t.text, Math.max(3, room)),
        half = text.length * 3.4,
        end = at.left + at.width + 5,
        x = Math.min(this.px(t.at), end - half);
      if (x - half < last) continue;
      last = x + half + 4;
      out.push(shape('text', { x, y: bottom + 17, 'text-anchor': 'middle', fill: look.soft }, text));
    }
    out.push(
      shape(
        'text',
        { x: at.left + at.width / 2, y: bottom + 35, 'text-anchor': 'middle', fill: look.ink },
        short(chart.x.label, Math.floor(at.width / letter)),
      ),
    );
    return out;
  }

  private mark(m: Mark): SVGElement[] {
    const colour = css(this.colours[m.series]!);
    // cells of a map lie close together
    const gap = this.chart.x.categories.length && this.chart.y.categories.length ? 0.6 : -0.3;
    switch (m.kind) {
      case 'line':
        return this.lines(m, colour);
      case 'dots':
        return this.dots(m, colour);
      case 'cells':
        return m.x.map((x, i) =>
          shape('rect', {
            x: this.px(x),
            y: this.py(m.y1[i]!),
            width: Math.max(0.5, this.px(m.x1[i]!) - this.px(x) - gap),
            height: Math.max(0.5, this.py(m.y[i]!) - this.py(m.y1[i]!) - gap),
            fill: this.scaled(m.value[i]!),
          }),
        );
      case 'arrows':
        return m.x.map((x, i) => {
          const own = m.value.length ? this.scaled(m.value[i]!, this.look.dark ? 0.2 : 0) : colour;
          const d = arrow(this.px(x), this.py(m.y[i]!), this.px(m.x1[i]!), this.py(m.y1[i]!));
          return shape('path', { d, fill: own, stroke: own });
        });
      case 'bars':
        return m.x.flatMap((_, i) => this.bar(m, i, colour));
      case 'boxes':
        return m.x.flatMap((_, i) => this.box(m, i, colour));
    }
  }

  /** The colour of a value on the chart's scale; from is where the scale begins: dots at its dark end vanish on dark paper. */
  private scaled(v: number, from = 0): string {
    const { lo, hi } = this.chart.colour ?? { lo: 0, hi: 1 };
    return css(sequential(hi > lo ? from + ((1 - from) * (v - lo)) / (hi - lo) : 0.5));
  }

  private lines(m: Mark, colour: string): SVGElement[] {
    const points = m.x.map((x, i) => `${this.px(x).toFixed(2)},${this.py(m.y[i]!).toFixed(2)}`);
    const out: SVGElement[] = [];
    if (m.lo.length && m.x.length === 1) {
      // a band of no width
      const x = this.px(m.x[0]!).toFixed(2);
      out.push(
        shape('line', {
          x1: x,
          x2: x,
          y1: this.py(m.lo[0] ?? m.y[0]!),
          y2: this.py(m.hi[0] ?? m.y[0]!),
          stroke: colour,
          'stroke-width': 1.75,
          'stroke-opacity': 0.5,
        }),
      );
    } else if (m.lo.length) {
      const edge = (v: (number | null)[]) =>
        m.x.map((x, i) => `${this.px(x).toFixed(2)},${this.py(v[i] ?? m.y[i]!).toFixed(2)}`);
      out.push(
        shape('polygon', {
          points: [...edge(m.hi), ...edge(m.lo).reverse()].join(' '),
          fill: colour,
          'fill-opacity': 0.15,
        }),
      );
    }
    out.push(
      shape('polyline', {
        points: points.join(' '),
        fill: 'none',
        stroke: colour,
        'stroke-width': m.thin ? 1 : 2,
        'stroke-opacity': m.thin ? 0.5 : 1,
        'stroke-linejoin': 'round',
      }),
    );
    return out;
  }

  /** One path for dots of one colour: many are drawn fast. */
  private dots(m: Mark, colour: string): SVGElement[] {
    const paths = new Map<string, string[]>();
    m.x.forEach((x, i) => {
      const own = m.value.length ? this.scaled(m.value[i]!, this.look.dark ? 0.2 : 0) : colour;
      const path = paths.get(own) ?? [];
      if (!path.length) paths.set(own, path);
      path.push(`M${(this.px(x) - 3).toFixed(2)} ${this.py(m.y[i]!).toFixed(2)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`);
    });
    return [...paths].map(([fill, d]) => shape('path', { d: d.join(''), fill, 'fill-opacity': 0.75 }));
  }

  private bar(m: Mark, i: number, colour: string): SVGElement[] {
    const base = this.chart.y.log ? this.at.top + this.at.height : this.py(0);
    const left = this.px(m.x[i]!),
      right = this.px(m.x1[i]!),
      y = this.py(m.y[i]!),
      behind = !this.chart.x.categories.length && this.chart.names.length > 1;
    const out = [
      shape('rect', {
        x: left,
        y: Math.min(y, base),
        width: Math.max(0.5, right - left - (behind ? 0 : 0.6)),
        height: Math.abs(base - y),
        fill: colour,
        'fill-opacity': behind ? 0.3 : 0.82,
        ...(behind ? { stroke: colour } : {}),
      }),
    ];
    const lo = m.lo[i],
      hi = m.hi[i];
    if (lo !== null && lo !== undefined && hi !== null && hi !== undefined) {
      out.push(
        shape('line', {
          x1: (left + right) / 2,
          x2: (left + right) / 2,
          y1: this.py(lo),
          y2: this.py(hi),
          stroke: this.look.ink,
        }),
      );
    }
    return out;
  }

  private box(m: Mark, i: number, stroke: string): SVGElement[] {
    const left = this.px(m.x[i]!),
      right = this.px(m.x1[i]!),
      middle = (left + right) / 2,
      top = this.py(m.q3[i]!),
      bottom = this.py(m.q1[i]!);
    return [
      shape('line', { x1: middle, x2: middle, y1: this.py(m.lo[i]!), y2: bottom, stroke }),
      shape('line', { x1: middle, x2: middle, y1: top, y2: this.py(m.hi[i]!), stroke }),
      shape('rect', {
        x: left,
        y: top,
        width: right - left,
        height: bottom - top,
        fill: stroke,
        'fill-opacity': 0.22,
        stroke,
      }),
      shape('line', { x1: left, x2: right, y1: this.py(m.y[i]!), y2: this.py(m.y[i]!), stroke, 'stroke-width': 2.5 }),
    ];
  }
}

/** A line with a head, or a dot where it has no length. */
function arrow(x: number, y: number, x1: number, y1: number): string {
  const length = Math.hypot(x1 - x, y1 - y);
  const p = (a: number, b: number) => `${a.toFixed(2)} ${b.toFixed(2)}`;
  if (length < 0.4) return `M${p(x - 0.5, y)}h1`;
  const head = Math.min(5, 0.6 * length),
    ux = ((x1 - x) / length) * head,
    uy = ((y1 - y) / length) * head;
  return (
    `M${p(x, y)}L${p(x1 - ux, y1 - uy)}` +
    `M${p(x1, y1)}L${p(x1 - ux - uy * 0.45, y1 - uy + ux * 0.45)}L${p(x1 - ux + uy * 0.45, y1 - uy - ux * 0.45)}Z`
  );
}

export function short(text: string, n: number): string {
  return text.length <= n ? text : text.slice(0, n - 1) + '…';
}
