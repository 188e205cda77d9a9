// A chart to look into: values under the pointer, series to switch off, a range to zoom to, files to save.

import { announce, el, perFrame } from '../../dom';
import { guard } from '../boundary';
import { css, taskColours } from '../embedding/palette';
import type { Shown } from '../type';
import type { Range } from './axis';
import { type Chart, decode } from './decode';
import { shape } from './draw';
import { nearest } from './nearest';
import { type Drawn, picture, type Zoom } from './picture';
import { chartSource, saveMenu } from './save';

export class ChartView {
  readonly dom = el('figure.chart');
  private readonly head = el('header');
  private readonly names = el('div.legend');
  private readonly host = el('div.viewport');
  private readonly tip = el('div.tip', { hidden: true });
  private readonly notes = el('div.notes');
  private readonly save = saveMenu(() => chartSource(this));
  chart: Chart;
  readonly hidden = new Set<number>();
  /** What is looked at, of the panel where each has axes of its own. */
  zoom: Zoom | null = null;
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
    this.head.replaceChildren(
      el('span.title', {}, this.chart.title),
      el('span.space'),
      el('button.reset', { type: 'button', hidden: !this.zoom, click: () => this.whole() }, 'whole'),
      this.save,
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
    const style = getComputedStyle(document.documentElement);
    const css1 = (name: string) => style.getPropertyValue(name).trim();
    const look = {
      ink: css1('--text'),
      soft: css1('--muted'),
      line: css1('--line'),
      dark: this.dark,
      hidden: this.hidden,
    };
    const drawn = picture(this.chart, width, look, this.zoom, css1('--sans'));
    this.svg = drawn.svg;
    this.drawn = drawn.panels;
    this.svg.setAttribute('aria-label', this.words());
    this.host.replaceChildren(this.svg, this.tip);
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
}
