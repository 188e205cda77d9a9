// A chart to look into: values under the pointer, series to switch off, a range to zoom to, files to save.

import { announce, download, el, perFrame } from '../../dom';
import { guard } from '../boundary';
import { css, sequential, taskColours } from '../embedding/palette';
import type { Shown } from '../type';
import { axis, evened, extents, type Range } from './axis';
import { type Chart, csv, decode } from './decode';
import { PanelDrawing, type Place, shape } from './draw';
import { nearest } from './nearest';

interface Drawn {
  place: Place;
  drawing: PanelDrawing;
}

export class ChartView {
  readonly dom = el('figure.chart');
  private readonly head = el('header');
  private readonly names = el('div.legend');
  private readonly host = el('div.viewport');
  private readonly tip = el('div.tip', { hidden: true });
  private readonly notes = el('div.notes');
  private chart: Chart;
  private readonly hidden = new Set<number>();
  /** What is looked at, of the panel where each has axes of its own. */
  private zoom: { panel: number; x: Range; y: Range } | null = null;
  private drawn: Drawn[] = [];
  private svg: SVGElement = shape('svg', {});
  private held: { panel: number; x: number; y: number; box: SVGElement } | null = null;
  private readonly redraw: () => void;
  private readonly observer: ResizeObserver;
  private readonly onTheme = () => {
    this.drawHead();
    this.redraw();
  };

  constructor(json: unknown, fail?: Shown['fail']) {
    this.chart = decode(json);
    this.redraw = perFrame(guard(() => this.draw(), fail));
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(this.host);
    document.addEventListener('nacre:theme', this.onTheme);
    this.host.addEventListener('pointermove', (e) => this.hover(e));
    this.host.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
    });
    this.host.addEventListener('pointerdown', (e) => this.press(e));
    this.host.addEventListener('pointerup', (e) => this.release(e));
    this.host.addEventListener('dblclick', () => this.whole());
    this.dom.append(this.head, this.names, this.host, this.notes);
    this.drawHead();
  }

  update(json: unknown): void {
    this.chart = decode(json);
    this.drawHead();
    this.redraw();
  }

  dispose(): void {
    this.observer.disconnect();
    document.removeEventListener('nacre:theme', this.onTheme);
  }

  private get dark(): boolean {
    return document.documentElement.dataset.theme === 'dark';
  }

  private drawHead(): void {
    const save = (label: string, run: () => void) =>
      el(
        'button',
        { type: 'button', title: `Save as ${label}`, 'aria-label': `Save as ${label}`, click: () => run() },
        label,
      );
    this.head.replaceChildren(
      el('span.title', {}, this.chart.title),
      el('span.space'),
      el('button.reset', { type: 'button', hidden: !this.zoom, click: () => this.whole() }, 'whole'),
      save('PNG', () => this.savePng()),
      save('SVG', () => download('chart.svg', 'image/svg+xml', this.file())),
      save('CSV', () => download('chart.csv', 'text/csv', csv(this.chart))),
    );
    this.notes.replaceChildren(...this.chart.notes.map((n) => el('p.note', {}, n)));
    const { names } = this.chart;
    const colours = taskColours(
      names.map(() => null),
      this.dark,
    );
    this.names.hidden = names.length < 2 && !names[0];
    this.names.replaceChildren(
      this.chart.by ? el('span.by', {}, this.chart.by) : '',
      ...names.map((name, k) =>
        el(
          'button',
          {
            type: 'button',
            'aria-pressed': String(!this.hidden.has(k)),
            title: 'Click to switch off or on, double-click for this one alone',
            click: () => this.toggle(k),
            dblclick: () => this.only(k),
          },
          el('i', { style: `background:${css(colours[k]!)}` }),
          name,
        ),
      ),
    );
  }

  private toggle(series: number): void {
    if (!this.hidden.delete(series)) this.hidden.add(series);
    this.changed(series);
  }

  private only(series: number): void {
    const alone = !this.hidden.has(series) && this.hidden.size === this.chart.names.length - 1;
    this.hidden.clear();
    if (!alone)
      this.chart.names.forEach((_, k) => {
        if (k !== series) this.hidden.add(k);
      });
    this.changed(series);
  }

  private changed(focus: number): void {
    this.drawHead();
    this.names.querySelectorAll('button')[focus]?.focus();
    announce(`${this.chart.names.length - this.hidden.size} of ${this.chart.names.length} series shown`);
    this.redraw();
  }

  private whole(): void {
    this.zoom = null;
    this.drawHead();
    this.redraw();
  }

  private draw(): void {
    const width = this.host.clientWidth;
    if (!width) return;
    const { chart } = this;
    const style = getComputedStyle(document.documentElement);
    const css1 = (name: string) => style.getPropertyValue(name).trim();
    const look = {
      ink: css1('--text'),
      soft: css1('--muted'),
      line: css1('--line'),
      dark: this.dark,
      hidden: this.hidden,
    };
    const across = Math.max(1, Math.min(chart.panels.length, Math.floor(width / 280)));
    const dots = chart.panels.some((p) => p.marks.some((m) => m.kind === 'dots'));
    const zoomed = (k: number) => this.zoom && (!chart.free || this.zoom.panel === k);
    const whole = extents(chart, this.hidden);
    let aspect = chart.aspect;
    const ranges = chart.panels.map((p, k) =>
      zoomed(k) ? this.zoom! : chart.free ? extents(chart, this.hidden, [p]) : whole,
    );
    if (chart.equal && !this.zoom)
      chart.panels.forEach((_, k) => {
        const r = ranges[k]!;
        const even = evened(axis(chart.x, r.x, 6, false, dots), axis(chart.y, r.y, 6, false, dots));
        aspect = even.aspect;
        ranges[k] = { x: even.x, y: even.y };
      });
    const tight = (k: number) => !!zoomed(k) || chart.equal;
    const ys = ranges.map((r, k) => axis(chart.y, r.y, chart.panels.length > 1 ? 4 : 6, tight(k), dots));
    const widest = Math.max(2, ...ys.flatMap((y) => y.ticks.map((t) => t.text.length)));
    const left = 14 + (chart.y.label ? 16 : 0) + Math.min(150, 6.6 * widest);
    const right = chart.colour ? 62 : 6;
    const slot = (width - right - 16 * (across - 1)) / across;
    const room = Math.max(60, slot - left),
      plotHeight = Math.round(aspect ? Math.min(440, room * aspect) : Math.min(300, Math.max(150, room * 0.55))),
      plotWidth = aspect ? Math.min(room, plotHeight / aspect) : room;
    const top = chart.panels.length > 1 || chart.colour ? 24 : 8,
      rowHeight = top + plotHeight + (chart.x.label ? 44 : 28);
    const height = Math.ceil(chart.panels.length / across) * rowHeight;
    this.svg = shape('svg', {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': this.words(),
      'font-family': css1('--sans') || 'sans-serif',
      'font-size': 12,
    });
    const id = `chart${Math.random().toString(36).slice(2)}`;
    this.drawn = chart.panels.map((_, k) => {
      const place = {
        left: (k % across) * (slot + 16) + left,
        top: Math.floor(k / across) * rowHeight + top,
        width: plotWidth,
        height: plotHeight,
      };
      const x = axis(chart.x, ranges[k]!.x, Math.max(3, Math.floor(plotWidth / 75)), tight(k), dots);
      const drawing = new PanelDrawing(chart, x, ys[k]!, place, look);
      this.svg.append(drawing.draw(k, `${id}-${k}`));
      if (chart.y.label && k % across === 0) {
        const middle = place.top + plotHeight / 2,
          at = place.left - left + 12;
        this.svg.append(
          shape(
            'text',
            { x: at, y: middle, transform: `rotate(-90 ${at} ${middle})`, 'text-anchor': 'middle', fill: look.ink },
            chart.y.label,
          ),
        );
      }
      return { place, drawing };
    });
    this.drawScale(width - right - (room - plotWidth) + 14, top, plotHeight, look.soft, look.ink);
    this.host.replaceChildren(this.svg, this.tip);
  }

  private drawScale(x: number, top: number, height: number, soft: string, ink: string): void {
    const { colour } = this.chart;
    if (!colour) return;
    const steps = 48;
    for (let k = 0; k < steps; k++) {
      this.svg.append(
        shape('rect', {
          x,
          y: top + height - ((k + 1) * height) / steps,
          width: 10,
          height: height / steps + 0.5,
          fill: css(sequential((k + 0.5) / steps)),
        }),
      );
    }
    for (const t of axis({ label: '', log: false, categories: [] }, [colour.lo, colour.hi], 4, true).ticks) {
      const share = (t.at - colour.lo) / (colour.hi - colour.lo || 1);
      this.svg.append(shape('text', { x: x + 14, y: top + height - share * height + 4, fill: soft }, t.text));
    }
    this.svg.append(shape('text', { x: x + 10, y: top - 8, 'text-anchor': 'end', fill: ink }, colour.label));
  }

  /** What a screen reader says of the picture. */
  private words(): string {
    const { chart } = this;
    const series = chart.names.filter(Boolean);
    return `${chart.title || 'Chart'}: ${chart.y.label || 'y'} over ${chart.x.label || 'x'}${series.length ? `, series ${series.join(', ')}` : ''}${chart.panels.length > 1 ? `, ${chart.panels.length} panels` : ''}. Save it as CSV for its values.`;
  }

  /** The panel and place of a pointer's event. */
  private find(e: PointerEvent): { panel: number; x: number; y: number } | null {
    const frame = this.host.getBoundingClientRect(),
      x = e.clientX - frame.left,
      y = e.clientY - frame.top;
    const panel = this.drawn.findIndex(
      ({ place: p }) => x >= p.left - 6 && x <= p.left + p.width + 6 && y >= p.top - 6 && y <= p.top + p.height + 6,
    );
    return panel < 0 ? null : { panel, x, y };
  }

  private hover(e: PointerEvent): void {
    const at = this.find(e);
    if (this.held) {
      const { x, y, box } = this.held,
        frame = this.host.getBoundingClientRect();
      const nowX = e.clientX - frame.left,
        nowY = e.clientY - frame.top;
      for (const [name, v] of Object.entries({
        x: Math.min(x, nowX),
        y: Math.min(y, nowY),
        width: Math.abs(nowX - x),
        height: Math.abs(nowY - y),
      }))
        box.setAttribute(name, String(v));
      this.tip.hidden = true;
      return;
    }
    const hit = at && nearest(this.chart, at.panel, this.drawn[at.panel]!.drawing, this.hidden, at.x, at.y);
    this.tip.hidden = !hit;
    if (!hit) return;
    this.tip.replaceChildren(...hit.lines.map((line, k) => el(k === 0 && hit.named ? 'b' : 'span', {}, line)));
    const right = hit.x > this.host.clientWidth * 0.6;
    Object.assign(this.tip.style, {
      left: right ? '' : `${hit.x + 12}px`,
      right: right ? `${this.host.clientWidth - hit.x + 12}px` : '',
      top: `${Math.max(0, hit.y - 14)}px`,
    });
  }

  private press(e: PointerEvent): void {
    const at = this.find(e);
    if (!at || e.button !== 0) return;
    const box = shape('rect', {
      fill: 'currentColor',
      'fill-opacity': 0.08,
      stroke: 'currentColor',
      'stroke-opacity': 0.4,
      width: 0,
      height: 0,
    });
    this.svg.append(box);
    this.host.setPointerCapture(e.pointerId);
    this.held = { ...at, box };
  }

  /** Zooms to the rectangle that was drawn; one that is flat keeps the other axis whole. */
  private release(e: PointerEvent): void {
    const { held } = this;
    this.held = null;
    held?.box.remove();
    if (!held) return;
    const frame = this.host.getBoundingClientRect(),
      nowX = e.clientX - frame.left,
      nowY = e.clientY - frame.top;
    const wide = Math.abs(nowX - held.x) > 8,
      high = Math.abs(nowY - held.y) > 8;
    if (!wide && !high) return;
    const { place, drawing } = this.drawn[held.panel]!;
    const within = (v: number) => Math.min(1, Math.max(0, v));
    const xs = [held.x, nowX].map((v) => within((v - place.left) / place.width)).sort((a, b) => a - b);
    const ys = [held.y, nowY].map((v) => within(1 - (v - place.top) / place.height)).sort((a, b) => a - b);
    const looked = drawing.range(wide ? (xs as Range) : [0, 1], high ? (ys as Range) : [0, 1]);
    this.zoom = { panel: held.panel, ...looked };
    this.drawHead();
    this.redraw();
  }

  /** The picture as a file that needs nothing of the page. */
  private file(): string {
    const copy = this.svg.cloneNode(true) as SVGElement;
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const { names, title, by } = this.chart,
      named = names.length > 1 || !!names[0],
      colours = taskColours(
        names.map(() => null),
        this.dark,
      );
    const style = getComputedStyle(document.documentElement),
      ink = style.getPropertyValue('--text').trim();
    const width = Number(copy.getAttribute('width')),
      rows = (title ? 22 : 0) + (named ? 20 : 0);
    const height = Number(copy.getAttribute('height')) + rows;
    const body = shape('g', { transform: `translate(0 ${rows})` });
    body.append(...copy.childNodes);
    copy.append(shape('rect', { width, height, fill: style.getPropertyValue('--paper').trim() || '#fff' }), body);
    if (title) copy.append(shape('text', { x: 6, y: 16, fill: ink, 'font-weight': 600, 'font-size': 14 }, title));
    if (named) {
      if (by) copy.append(shape('text', { x: 6, y: rows - 4, fill: style.getPropertyValue('--muted').trim() }, by));
      let x = by ? 22 + by.length * 6.8 : 12;
      names.forEach((name, k) => {
        if (this.hidden.has(k)) return;
        copy.append(
          shape('circle', { cx: x, cy: rows - 8, r: 4, fill: css(colours[k]!) }),
          shape('text', { x: x + 8, y: rows - 4, fill: ink }, name),
        );
        x += 22 + name.length * 6.8;
      });
    }
    copy.setAttribute('height', String(height));
    copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
    return new XMLSerializer().serializeToString(copy);
  }

  private savePng(): void {
    const image = new Image();
    image.onload = () => {
      const canvas = el('canvas', { width: image.width * 2, height: image.height * 2 });
      canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => {
        if (blob) download('chart.png', 'image/png', blob);
      });
    };
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(this.file());
  }
}
