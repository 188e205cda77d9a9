// A chart as one SVG picture: its panels, and for a file its title and the names of its series too.

import { css, sequential, taskColours } from '../embedding/palette';
import { axis, evened, extents, type Range } from './axis';
import type { Chart } from './decode';
import { letter, type Look, PanelDrawing, type Place, shape, short } from './draw';

export interface Drawn {
  place: Place;
  drawing: PanelDrawing;
}

/** What is looked at: of one panel where each has axes of its own. */
export interface Zoom {
  panel: number;
  x: Range;
  y: Range;
}

export interface Picture {
  svg: SVGElement;
  width: number;
  height: number;
  panels: Drawn[];
}

/** The panels of a chart side by side in a width of pixels. */
export function picture(chart: Chart, width: number, look: Look, zoom: Zoom | null, font: string): Picture {
  const across = Math.max(1, Math.min(chart.panels.length, Math.floor(width / 280)));
  const dots = chart.panels.some((p) => p.marks.some((m) => m.kind === 'dots'));
  const zoomed = (k: number) => zoom && (!chart.free || zoom.panel === k);
  const whole = extents(chart, look.hidden);
  let aspect = chart.aspect;
  const ranges = chart.panels.map((p, k) =>
    zoomed(k) ? zoom! : chart.free ? extents(chart, look.hidden, [p]) : whole,
  );
  if (chart.equal && !zoom)
    chart.panels.forEach((_, k) => {
      const r = ranges[k]!;
      const even = evened(axis(chart.x, r.x, 6, false, dots), axis(chart.y, r.y, 6, false, dots));
      aspect = even.aspect;
      ranges[k] = { x: even.x, y: even.y };
    });
  const tight = (k: number) => !!zoomed(k) || chart.equal;
  const ys = ranges.map((r, k) => axis(chart.y, r.y, chart.panels.length > 1 ? 4 : 6, tight(k), dots));
  const widest = Math.max(2, ...ys.flatMap((y) => y.ticks.map((t) => t.text.length)));
  const left = 14 + (chart.y.label ? 16 : 0) + Math.min(160, 7 * widest);
  const right = chart.colour ? 62 : 6;
  const slot = (width - right - 16 * (across - 1)) / across;
  const room = Math.max(60, slot - left),
    plotHeight = Math.round(aspect ? Math.min(440, room * aspect) : Math.min(300, Math.max(150, room * 0.55))),
    plotWidth = aspect ? Math.min(room, plotHeight / aspect) : room;
  const top = chart.panels.length > 1 || chart.colour ? 24 : 8,
    rowHeight = top + plotHeight + (chart.x.label ? 44 : 28);
  const height = Math.ceil(chart.panels.length / across) * rowHeight;
  const svg = shape('svg', {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'font-family': font || 'sans-serif',
    'font-size': 12,
  });
  const id = `chart${Math.random().toString(36).slice(2)}`;
  const panels = chart.panels.map((_, k) => {
    const place = {
      left: (k % across) * (slot + 16) + left,
      top: Math.floor(k / across) * rowHeight + top,
      width: plotWidth,
      height: plotHeight,
    };
    const x = axis(chart.x, ranges[k]!.x, Math.max(3, Math.floor(plotWidth / 75)), tight(k), dots);
    const drawing = new PanelDrawing(chart, x, ys[k]!, place, look);
    svg.append(drawing.draw(k, `${id}-${k}`));
    if (chart.y.label && k % across === 0) {
      const middle = place.top + plotHeight / 2,
        at = place.left - left + 12;
      svg.append(
        shape(
          'text',
          { x: at, y: middle, transform: `rotate(-90 ${at} ${middle})`, 'text-anchor': 'middle', fill: look.ink },
          short(chart.y.label, Math.max(8, Math.floor((plotHeight + 30) / letter))),
        ),
      );
    }
    return { place, drawing };
  });
  svg.append(...scale(chart, width - right - (room - plotWidth) + 14, top, plotHeight, look));
  return { svg, width, height, panels };
}

/** The scale of colours beside the panels. */
function scale({ colour }: Chart, x: number, top: number, height: number, look: Look): SVGElement[] {
  if (!colour) return [];
  const steps = 48;
  const out: SVGElement[] = [];
  for (let k = 0; k < steps; k++)
    out.push(
      shape('rect', {
        x,
        y: top + height - ((k + 1) * height) / steps,
        width: 10,
        height: height / steps + 0.5,
        fill: css(sequential((k + 0.5) / steps)),
      }),
    );
  for (const t of axis({ label: '', log: false, categories: [] }, [colour.lo, colour.hi], 4, true).ticks) {
    const share = (t.at - colour.lo) / (colour.hi - colour.lo || 1);
    out.push(shape('text', { x: x + 14, y: top + height - share * height + 4, fill: look.soft }, t.text));
  }
  out.push(shape('text', { x: x + 10, y: top - 8, 'text-anchor': 'end', fill: look.ink }, colour.label));
  return out;
}

/** Colours of a file, whatever the page's: those of package plots of Go. */
const papers = {
  light: { ink: '#22262b', soft: '#6a7078', line: '#eceef0', paper: '#ffffff' },
  dark: { ink: '#e6e8ea', soft: '#a3aab2', line: '#2a2f35', paper: '#14171a' },
};

/** The font's size in pixels in the drawing, and in points on paper. */
const pixels = 12,
  onPaper = 8;

/**
 * A chart as an SVG file that needs nothing of the page. points is its width on paper, where all text has 8 points; without it
 * the picture is as wide as on the screen.
 */
export function file(chart: Chart, hidden: Set<number>, zoom: Zoom | null, dark: boolean, points = 0): SVGElement {
  const { paper, ...colours } = papers[dark ? 'dark' : 'light'];
  const across = points ? Math.round((points * pixels) / onPaper) : 760;
  const { svg, width, height } = picture(
    chart,
    across,
    { ...colours, dark, hidden },
    zoom,
    'Liberation Sans, Arial, Helvetica, sans-serif',
  );
  const above = heading(chart, hidden, width, dark);
  const body = shape('g', { transform: `translate(0 ${above.height})` });
  body.append(...svg.childNodes);
  const whole = height + above.height;
  svg.append(shape('rect', { width, height: whole, fill: paper }), ...above.shapes, body);
  const unit = points ? points / width : 1;
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.setAttribute('width', points ? `${points}pt` : String(width));
  svg.setAttribute('height', points ? `${(whole * unit).toFixed(2)}pt` : String(whole));
  svg.setAttribute('viewBox', `0 0 ${width} ${whole}`);
  return svg;
}

/** The title and the names of the series that are shown, in as many lines as they need. */
function heading(chart: Chart, hidden: Set<number>, width: number, dark: boolean) {
  const { ink, soft } = papers[dark ? 'dark' : 'light'];
  const shapes: SVGElement[] = [];
  const { names, title, by } = chart;
  let y = 0;
  if (title) {
    shapes.push(
      shape('text', { x: 6, y: 16, fill: ink, 'font-weight': 600 }, short(title, Math.floor(width / letter))),
    );
    y = 22;
  }
  if (names.length < 2 && !names[0]) return { shapes, height: y };
  const colours = taskColours(
    names.map(() => null),
    dark,
  );
  let x = 12;
  y += 12;
  if (by) {
    shapes.push(shape('text', { x: 6, y: y + 4, fill: soft }, by));
    x = 22 + by.length * letter;
  }
  names.forEach((full, k) => {
    if (hidden.has(k)) return;
    const name = short(full, Math.floor((width - 24) / letter));
    if (x > 12 && x + 8 + name.length * letter > width) {
      x = 12;
      y += 18;
    }
    shapes.push(
      shape('circle', { cx: x, cy: y, r: 4, fill: css(colours[k]!) }),
      shape('text', { x: x + 8, y: y + 4, fill: ink }, name),
    );
    x += 22 + name.length * letter;
  });
  return { shapes, height: y + 8 };
}
