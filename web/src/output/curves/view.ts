// Live curves: lines over steps, with bands, updated in place.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { el, perFrame } from '../../dom';
import { align, type Series } from './align';
import { asChart, colourOf, colours, type Curves, decode, finite, thin } from './decode';
import { Panels } from './panels';
import { guard } from '../boundary';
import { type Brush, Brushing } from '../brush';
import { bands } from '../chart/axis';
import { chartSource, saveMenu } from '../chart/save';
import { format } from '../format';

/** Colours and font of a plot in the page's theme. */
function look() {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: value('--muted'),
    grid: value('--line'),
    accent: value('--accent'),
    // Whole pixels: the plot's scaling for sharp screens reads no fractions.
    font: `12px ${value('--sans')}`,
  };
}

/** The last value of a curve that is one: where nothing was measured there is none. */
const latest = (s: Series) => s.y.findLast(finite);

export class CurvesView {
  readonly dom = el('figure.curves');
  private readonly head = el('header');
  private readonly title = el('span.title');
  private readonly legend = el('div.values');
  private readonly host = el('div.plot');
  private readonly panels = new Panels();
  private readonly save = saveMenu(() =>
    chartSource({ chart: asChart(this.data, this.log), hidden: new Set(), zoom: null }),
  );
  private data: Curves;
  private plot: uPlot | null = null;
  private shape = '';
  private log: boolean;
  private place: number | null = null;
  private readonly brushing = new Brushing(() => {
    this.shape = '';
    this.redraw();
  });
  private readonly redraw: () => void;
  private readonly observer: ResizeObserver;
  private readonly onTheme = () => {
    this.shape = '';
    this.redraw();
  };

  /** Shows curves; fail hears what goes wrong when they are drawn. */
  constructor(json: unknown, fail?: (problem: unknown) => void) {
    this.data = decode(json);
    this.redraw = perFrame(guard(() => this.draw(), fail));
    this.log = this.data.logY;
    this.brushing.join(this.data.link);
    this.dom.append(this.head, this.host, this.legend, this.panels.dom);
    this.observer = new ResizeObserver(
      guard(() => {
        if (!this.host.clientWidth) return;
        if (!this.plot) this.draw();
        else this.plot.setSize({ width: this.host.clientWidth, height: this.height });
        this.panels.resize();
      }, fail),
    );
    this.observer.observe(this.host);
    document.addEventListener('nacre:theme', this.onTheme);
  }

  update(json: unknown): void {
    this.data = decode(json);
    this.brushing.join(this.data.link);
    this.redraw();
  }

  /** Shares which series are selected with other views of a brush. */
  share(brush: Brush): void {
    this.brushing.join(brush);
  }

  /** Marks a place on the x axis. */
  mark(x: number): void {
    this.place = x;
    this.plot?.redraw(false);
  }

  /** Selects a series besides those that are, or no more. */
  private choose(name: string): void {
    const now = new Set(this.brushing.selected ?? []);
    if (!now.delete(name)) now.add(name);
    this.brushing.select(now.size < this.data.series.length ? now : null);
    this.shape = '';
    this.draw();
    this.legend.querySelectorAll('button')[this.data.series.findIndex((s) => s.name === name)]?.focus();
  }

  dispose(): void {
    this.observer.disconnect();
    this.brushing.leave();
    document.removeEventListener('nacre:theme', this.onTheme);
    this.plot?.destroy();
    this.panels.dispose();
  }

  /** Whether other views take part in what is selected. */
  private get shared(): boolean {
    return this.data.link !== '' || this.place !== null;
  }

  private get height(): number {
    return Math.round(Math.min(340, Math.max(200, this.host.clientWidth * 0.42)));
  }

  private draw(): void {
    if (!this.host.clientWidth) return;
    const { data } = this;
    const shape = JSON.stringify([
      data.series.map((s) => [s.name, s.group, s.mean, !!s.low]),
      data.xLabel,
      data.yLabel,
      this.log,
    ]);
    const columns = align(data.series) as uPlot.AlignedData;
    const fresh = !this.plot || shape !== this.shape;
    if (this.plot && !fresh) {
      this.plot.setData(columns);
    } else {
      this.shape = shape;
      this.plot?.destroy();
      this.plot = new uPlot(this.options(), columns, this.host);
    }
    this.drawHead();
    this.drawValues(null);
    this.panels.show(
      data.panels,
      { ...look(), colour: colourOf(data.series), has: (name) => this.brushing.has(name) },
      fresh,
    );
    const last = data.series.map((s) => `${s.name} ${format(latest(s))}`).join(', ');
    this.host.setAttribute('role', 'img');
    this.host.setAttribute('aria-label', `${data.title || 'Curves'}. Latest: ${last || 'nothing yet'}.`);
  }

  private drawHead(): void {
    const toggle = el(
      'button',
      {
        type: 'button',
        'aria-pressed': String(this.log),
        click: () => {
          this.log = !this.log;
          this.draw();
        },
      },
      'log',
    );
    const old = this.head.querySelector('button');
    if (old) old.replaceWith(toggle);
    else this.head.append(this.title, el('span.space'), toggle, this.save);
    this.title.textContent = this.data.title;
  }

  /** Names with the values under the pointer, or the latest ones. */
  private drawValues(at: number | null): void {
    const { series, xLabel } = this.data;
    const colour = colours(series);
    const x = at === null ? null : this.plot!.data[0]![at];
    const value = (s: Series) => {
      if (x === null) return latest(s);
      const i = s.x.findLastIndex((v) => v <= (x as number)); // lines need not have values at the same places
      return i < 0 ? null : s.y[i];
    };
    this.legend.replaceChildren(
      ...series.flatMap((s, i) => {
        if (!this.shared && thin(s, series)) return [];
        const parts = [el('i', { style: `background:rgb(${colour[i]})` }), s.name, ' ', el('b', {}, format(value(s)))];
        if (!this.shared) return el('span', {}, ...parts);
        return el(
          'button',
          {
            type: 'button',
            'aria-pressed': String(this.brushing.selected?.has(s.name) ?? false),
            title: 'Select, here and in what is linked with it',
            click: () => this.choose(s.name),
          },
          ...parts,
        );
      }),
      el('span.at', {}, series.length ? (x === null ? '' : `${xLabel || 'x'} ${format(x as number)}`) : 'no value yet'),
    );
  }

  private drawPlace({ ctx, bbox, valToPos }: uPlot, colour: string): void {
    if (this.place === null) return;
    const x = Math.round(valToPos(this.place, 'x', true));
    ctx.fillStyle = colour;
    ctx.fillRect(x - 1, bbox.top, 2, bbox.height);
  }

  /** The axis of y: a band of few seeds is wide, so the lines set it and a band takes a part of their height more. */
  private range(lo: number | null, hi: number | null): uPlot.Range.MinMax {
    if (lo === null || hi === null) return [lo, hi];
    const banded = this.data.series.filter((s) => s.low && s.high);
    const edges = bands(banded.map((s) => ({ y: s.y.filter(finite) as number[], lo: s.low!, hi: s.high! })));
    const of = (f: (a: number, b: number) => number, v: number) => edges.reduce((a, b) => f(a, b), v);
    return uPlot.rangeNum(of(Math.min, lo), of(Math.max, hi), 0.1, true);
  }

  private options(): uPlot.Options {
    const { ink, grid, font, accent } = look();
    const colour = colours(this.data.series);
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    this.data.series.forEach((s, i) => {
      const c = colour[i]!;
      const faint = !this.brushing.has(s.name);
      const behind = thin(s, this.data.series);
      series.push({
        label: s.name,
        stroke: `rgb(${c} / ${faint ? 0.15 : behind ? 0.5 : 1})`,
        width: this.brushing.selected && !faint ? 2.75 : behind ? 1 : s.mean ? 2.25 : 1.75,
        spanGaps: true,
        // A line of one or two values is hardly one.
        points: {
          show: () => (this.data.series[i]?.y.filter(finite).length ?? 0) < 3,
          fill: `rgb(${c})`,
          size: behind ? 4 : 6,
        },
      });
      if (s.low && s.high) {
        const edge = { stroke: 'transparent', width: 0, spanGaps: true, points: { show: false }, auto: this.log };
        series.push({ ...edge }, { ...edge });
        bands.push({ series: [series.length - 1, series.length - 2], fill: `rgb(${c} / 0.14)` });
      }
    });
    const axis = (label: string, size: number): uPlot.Axis => ({
      stroke: ink,
      font,
      labelFont: font,
      label: label || undefined,
      labelSize: label ? 18 : 0,
      size,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1, size: 4 },
      gap: 6,
      values: (_, splits) => splits.map((v) => (v === null ? '' : format(v))),
    });
    return {
      width: this.host.clientWidth,
      height: this.height,
      series,
      bands,
      scales: { x: { time: false }, y: this.log ? { distr: 3 } : { range: (_, lo, hi) => this.range(lo, hi) } },
      axes: [axis(this.data.xLabel, 30), axis(this.data.yLabel, 54)],
      legend: { show: false },
      hooks: {
        setCursor: [(u) => this.drawValues(u.cursor.idx ?? null)],
        draw: [(u) => this.drawPlace(u, accent)],
      },
      cursor: { points: { size: 6 }, drag: { x: true, y: false } },
    };
  }
}
