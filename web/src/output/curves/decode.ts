// What curves are: lines over one axis, with small plots of other values below them.

import { elements, fields } from '../../model/json';
import { type Chart, decode as decodeChart } from '../chart/decode';
import { taskColours } from '../embedding/palette';
import type { Series } from './align';

export interface Curves {
  title: string;
  link: string;
  xLabel: string;
  yLabel: string;
  logY: boolean;
  series: Series[];
  /** Small plots below, over the same x. */
  panels: Panel[];
}

export interface Panel {
  title: string;
  series: Series[];
}

/** Curves as a chart, which can be saved: as Go's display.Curves are drawn. Lines go on after a missing value. */
export function asChart(data: Curves, log: boolean): Chart {
  const names = [...new Set(data.series.map(key))];
  const marks = data.series.flatMap((s) => {
    const at = s.x
      .map((_, i) => i)
      .filter((i) => finite(s.x[i]!) && finite(s.y[i]!) && (!log || (s.y[i] as number) > 0));
    const of = (column?: Column) => (column ? at.map((i) => column[i] ?? null) : []);
    const kind = at.length === 1 ? 'dots' : 'line';
    const band = kind === 'line' ? { lo: of(s.low), hi: of(s.high) } : {};
    const mark = { kind, series: names.indexOf(key(s)), name: s.name, thin: thin(s, data.series), ...band };
    return at.length ? [{ ...mark, x: of(s.x), y: of(s.y) }] : [];
  });
  return decodeChart({
    version: 1,
    title: data.title,
    x: { label: data.xLabel },
    y: { label: data.yLabel, log },
    names,
    panels: [{ title: '', marks }],
  });
}

type Column = (number | null)[];
const isColumns = (v: unknown[]): v is Column[] => v.every(Array.isArray);

export function decode(data: unknown): Curves {
  const v = fields(data);
  if (v.version !== 1) throw new Error(`The curves have version ${JSON.stringify(v.version)}; expected 1.`);
  return {
    title: String(v.title ?? ''),
    link: String(v.link ?? ''),
    xLabel: String(v.x_label ?? ''),
    yLabel: String(v.y_label ?? ''),
    logY: v.log_y === true,
    series: lines(v.series),
    panels: elements(v.panels).map((data) => {
      const p = fields(data);
      return { title: String(p.title ?? ''), series: lines(p.series) };
    }),
  };
}

const lines = (v: unknown): Series[] =>
  elements(v).map((data, i) => {
    const s = fields(data);
    const name = String(s.name ?? `series ${i + 1}`);
    const columns = [s.x, s.y, ...(s.low && s.high ? [s.low, s.high] : [])];
    if (!isColumns(columns)) throw new Error(`The curve ${name} needs lists of numbers as x and y.`);
    if (columns.some((c) => c.length !== columns[0]!.length))
      throw new Error(
        `The curve ${name} has columns of ${columns.map((c) => c.length).join(', ')} numbers; expected equal lengths.`,
      );
    const [x, y, low, high] = columns as [number[], ...Column[]];
    return {
      name,
      group: String(s.group ?? ''),
      mean: s.mean === true,
      x,
      y: y!,
      ...(low && high ? { low, high } : {}),
    };
  });

export const finite = (v: number | null) => v !== null && Number.isFinite(v);

/** Whether a line is behind the mean of its group. */
export const thin = (s: Series, all: Series[]) =>
  !s.mean && !!s.group && all.some((o) => o.mean && o.group === s.group);

const key = (s: Series) => s.group || s.name;

/** The colour of each line, one for each group. */
export function colourOf(series: Series[]): (s: Series) => string {
  const keys = [...new Set(series.map(key))];
  const palette = taskColours(
    keys.map(() => null),
    document.documentElement.dataset.theme === 'dark',
  );
  return (s) => palette[Math.max(0, keys.indexOf(key(s)))]!.join(' ');
}

/** Colours by series. */
export const colours = (series: Series[]): string[] => series.map(colourOf(series));
