// The figures of kinds.ipynb by Observable Plot, FIGURE-plot.svg, and a page that sets them beside the others.

import fs from 'node:fs';
import path from 'node:path';
import * as Plot from '@observablehq/plot';
import { JSDOM } from 'jsdom';

const out = process.argv[2];
const { document } = new JSDOM('').window;

/** Reads a CSV file whose fields hold no commas; what is a number becomes one. */
function table(name) {
  const [head, ...rows] = fs.readFileSync(path.join(out, name), 'utf8').trim().split('\n').map((l) => l.split(','));
  return rows.map((r) => Object.fromEntries(head.map((h, i) => [h, r[i] === '' ? NaN : Number.isNaN(Number(r[i])) ? r[i] : Number(r[i])])));
}
const metrics = table('metrics.csv'), returns = table('returns.csv');
const adapted = metrics.filter((d) => Number.isFinite(d.adapted_return));

/** A mean and its interval over the rows of one x and one arm. */
function band(rows, y, facet) {
  const groups = {};
  for (const d of rows) (groups[[d.algorithm, d.env_steps, facet ? d[facet] : '']] ??= []).push(d);
  const data = Object.values(groups).map((g) => {
    const values = g.map((d) => d[y]), mean = values.reduce((a, b) => a + b) / values.length;
    const sd = Math.sqrt(values.reduce((a, v) => a + (v - mean) ** 2, 0) / Math.max(1, values.length - 1));
    const half = (1.96 * sd) / Math.sqrt(values.length);
    return { ...g[0], mean, low: mean - half, high: mean + half };
  }).sort((a, b) => a.env_steps - b.env_steps);
  const of = { x: 'env_steps', ...(facet && { fx: facet }) };
  return [Plot.areaY(data, { ...of, y1: 'low', y2: 'high', fill: 'algorithm', fillOpacity: 0.2 }), Plot.lineY(data, { ...of, y: 'mean', stroke: 'algorithm' })];
}

// A legend of a continuous scale needs a canvas, which there is none of.
const colour = { color: { legend: true } };
const figures = {
  line: { ...colour, x: { label: 'environment steps' }, y: { label: 'return after adaptation' }, marks: [...band(adapted, 'adapted_return'), Plot.ruleY([-30], { strokeDasharray: '4' })] },
  log: { ...colour, x: { type: 'log' }, y: { type: 'log' }, title: 'Loss of the critics', marks: band(metrics.filter((d) => d.q_loss > 0), 'q_loss') },
  panels: { ...colour, marks: band(adapted, 'adapted_return', 'seed') },
  bar: { ...colour, marks: [Plot.barY(returns, Plot.groupX({ y: 'mean' }, { x: 'algorithm', fx: 'trajectory', y: 'return', fill: 'algorithm' }))] },
  histogram: { ...colour, marks: [Plot.rectY(returns, Plot.binX({ y2: 'count' }, { x: 'return', fill: 'algorithm', fillOpacity: 0.6 }))] },
  logbins: { x: { label: 'log10 q_loss' }, y: { type: 'log' }, marks: [Plot.rectY(metrics.filter((d) => d.q_loss > 0), Plot.binX({ y2: 'count' }, { x: (d) => Math.log10(d.q_loss), y1: 0.5 }))] },
  box: { ...colour, marks: [Plot.boxY(returns, { x: 'algorithm', fx: 'trajectory', y: 'return', fill: 'algorithm' })] },
  strip: { color: { legend: true, type: 'categorical' }, marks: [Plot.dot(returns, Plot.dodgeX('middle', { fx: 'algorithm', y: 'return', fill: 'trajectory', r: 1.5 }))] },
  scatter: { ...colour, marks: [Plot.dot(returns.filter((d) => d.adapted === 1), { x: 'task', y: 'return', stroke: 'algorithm' })] },
  scale: { y: { type: 'log' }, marks: [Plot.dot(metrics.filter((d) => d.q_loss > 0 && Number.isFinite(d.adapted_return)), { x: 'adapted_return', y: 'q_loss', stroke: 'env_steps' })] },
  heat: { marks: [Plot.cell(returns, Plot.group({ fill: 'mean' }, { x: 'task', y: 'trajectory', fill: 'return' }))] },
};

const rows = Object.entries(figures).map(([name, options]) => {
  const drawn = Plot.plot({ ...options, document, figure: true, width: 640, height: 380, marginLeft: 60, style: { background: 'white' } });
  const picture = (file) => `<img src="${file}" loading="lazy">`;
  return `<tr><th>${name}<td>${picture(`${name}-light.png`)}<td>${picture(`${name}-dark.png`)}<td>${picture(`${name}-matplotlib.png`)}<td>${drawn.outerHTML}`;
});
fs.writeFileSync(path.join(out, 'beside.html'), `<!DOCTYPE html><meta charset="utf-8"><title>Figures of the same data</title>
<style>body { font: 15px system-ui; margin: 1rem } td { vertical-align: top; padding: .5rem } img, figure, figure > svg { width: 26rem; height: auto } figure { margin: 0 } h2 { font-size: 1rem; margin: 0 }</style>
<table><tr><th><th>Nacre<th>Nacre, dark<th>matplotlib<th>Observable Plot${rows.join('\n')}</table>`);
console.log(path.join(out, 'beside.html'));
