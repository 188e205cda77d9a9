// Small plots below curves: one value each, without a legend, in the colours of the lines above.

import uPlot from 'uplot';
import { el } from '../../dom';
import { format } from '../format';
import { align, type Column } from './align';
import { finite, type Panel, thin } from './decode';

const height = 118;

/** The look of a plot's axes and lines. */
export interface Look {
  ink: string;
  grid: string;
  font: string;
  colour: (s: Panel['series'][number]) => string;
  has: (name: string) => boolean;
}

interface Shown {
  plot: uPlot;
  host: HTMLElement;
  shape: string;
}

export class Panels {
  readonly dom = el('div.small-plots');
  private shown: Shown[] = [];

  /** Shows panels; fresh where lines may look otherwise than before. */
  show(panels: Panel[], look: Look, fresh: boolean): void {
    this.dom.hidden = !panels.length;
    const boxes = panels.map((p, i) => this.box(p, i));
    if (boxes.length !== this.dom.children.length || boxes.some((b, i) => this.dom.children[i] !== b))
      this.dom.replaceChildren(...boxes);
    panels.forEach((panel, i) => this.draw(panel, i, look, fresh));
    for (const old of this.shown.splice(panels.length)) old.plot.destroy();
  }

  resize(): void {
    for (const { plot, host } of this.shown) if (host.clientWidth) plot.setSize({ width: host.clientWidth, height });
  }

  dispose(): void {
    for (const { plot } of this.shown) plot.destroy();
    this.shown = [];
  }

  private box(panel: Panel, i: number): HTMLElement {
    const box = (this.dom.children[i] as HTMLElement | undefined) ?? el('div.small-plot', {}, el('h4'), el('div'));
    const at = panel.series.filter((s) => s.mean);
    const last = (at.length ? at : panel.series).slice(0, 3).map((s) => format(s.y.findLast(finite)));
    box.firstElementChild!.replaceChildren(el('span', {}, panel.title), el('b', {}, last.join(' · ')));
    return box;
  }

  private draw(panel: Panel, i: number, look: Look, fresh: boolean): void {
    const host = this.dom.children[i]!.lastElementChild as HTMLElement;
    if (!host.clientWidth) return;
    const shape = JSON.stringify([panel.title, panel.series.map((s) => [s.name, s.group, s.mean])]);
    const columns = align(panel.series) as uPlot.AlignedData;
    const before = this.shown[i];
    if (before && before.shape === shape && !fresh) before.plot.setData(columns);
    else {
      before?.plot.destroy();
      this.shown[i] = { plot: new uPlot(options(panel, look, host.clientWidth), columns, host), host, shape };
    }
    const last = panel.series.map((s) => `${s.name} ${format(s.y.findLast(finite))}`).join(', ');
    host.setAttribute('role', 'img');
    host.setAttribute('aria-label', `${panel.title}. Latest: ${last}.`);
  }
}

function options(panel: Panel, look: Look, width: number): uPlot.Options {
  const series: uPlot.Series[] = panel.series.map((s) => {
    const c = look.colour(s);
    const behind = thin(s, panel.series);
    return {
      label: s.name,
      stroke: `rgb(${c} / ${look.has(s.name) ? (behind ? 0.45 : 1) : 0.12})`,
      width: behind ? 1 : 1.75,
      spanGaps: true,
      points: { show: (u, at) => (u.data[at] as Column).filter(finite).length < 3, fill: `rgb(${c})`, size: 4 },
    };
  });
  const axis = (size: number): uPlot.Axis => ({
    stroke: look.ink,
    font: look.font,
    size,
    space: 28,
    grid: { stroke: look.grid, width: 1 },
    ticks: { show: false },
    gap: 4,
    values: (_, splits) => splits.map((v) => (v === null ? '' : format(v))),
  });
  return {
    width,
    height,
    series: [{}, ...series],
    scales: { x: { time: false } },
    axes: [{ ...axis(18), space: 60 }, axis(46)],
    legend: { show: false },
    cursor: { show: false },
  };
}
