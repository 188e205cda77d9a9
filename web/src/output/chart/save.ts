// The menu that saves a chart: at a width on paper, light unless asked, named by what it shows.

import { download, el } from '../../dom';
import { answer } from '../../protocol/request';
import { isSite } from '../../site/about';
import { type Chart, csv } from './decode';
import { file, type Zoom } from './picture';

/** Names of widths, as package plots of Go has them, and their points. */
const widths: { name: string; label: string; points: number }[] = [
  { name: '', label: 'as on a screen', points: 0 },
  { name: 'icml-column', label: 'ICML column, 3.25 in', points: 234 },
  { name: 'icml', label: 'ICML page, 6.75 in', points: 486 },
  { name: 'neurips', label: 'NeurIPS, 5.5 in', points: 396 },
  { name: 'iclr', label: 'ICLR, 5.5 in', points: 396 },
  { name: 'ieee-column', label: 'IEEE column, 3.5 in', points: 252 },
  { name: 'ieee', label: 'IEEE page, 7.16 in', points: 515.52 },
  { name: 'slide', label: 'slide, 140 mm', points: 396.85 },
];

/** What is saved: the chart as it is looked at now. */
export interface Looked {
  chart: Chart;
  hidden: Set<number>;
  zoom: Zoom | null;
}

/** What a menu saves. */
export interface Source {
  /** Of the file, without its ending. */
  name: string;
  /** What a server draws; null where only the page can. */
  body: Record<string, unknown> | null;
  /** What the page itself draws, where no server does. */
  local(format: 'svg' | 'png', width: string, dark: boolean): Promise<BlobPart>;
  csv?(): string;
}

type Format = 'pdf' | 'svg' | 'png';
const formats: Format[] = ['pdf', 'svg', 'png'];

/** What was chosen last, in this page. */
const chosen = { width: '', dark: false };

/** A button that opens the menu; formats are those that the page draws by itself. */
export function saveMenu(source: () => Source, own: Format[] = ['svg', 'png'], table = true): HTMLElement {
  const problem = el('p.wrong', { role: 'alert', hidden: true });
  const width = el(
    'select',
    { 'aria-label': 'Width', change: () => (chosen.width = width.value) },
    ...widths.map((w) => el('option', { value: w.name }, w.label)),
  );
  const dark = el('input', { type: 'checkbox', change: () => (chosen.dark = dark.checked) });
  const one = (label: string, run: () => Promise<void> | void) =>
    el(
      'button',
      {
        type: 'button',
        'aria-label': `Save as ${label}`,
        click: async () => {
          problem.hidden = true;
          try {
            await run();
            menu.open = false;
          } catch (e) {
            problem.hidden = false;
            problem.textContent = e instanceof Error ? e.message : String(e);
          }
        },
      },
      label,
    );
  const save = (format: Format) => () => write(source(), format);
  const menu = el(
    'details.save',
    {
      toggle: () => {
        width.value = chosen.width;
        dark.checked = chosen.dark;
      },
      keydown: (e: KeyboardEvent) => {
        if (e.key !== 'Escape' || !menu.open) return;
        e.stopPropagation();
        menu.open = false;
        menu.querySelector('summary')!.focus();
      },
      focusout: (e: FocusEvent) => {
        if (e.relatedTarget instanceof Node && !menu.contains(e.relatedTarget)) menu.open = false;
      },
    },
    el('summary', { title: 'Save as a file' }, 'Save'),
    el(
      'div',
      {},
      el('label', {}, 'width', width),
      el('label', {}, dark, 'dark'),
      el(
        'span.formats',
        {},
        ...(isSite ? own : formats).map((format) => one(format.toUpperCase(), save(format))),
        table
          ? one('CSV', () => {
              const { name, csv } = source();
              download(`${name}.csv`, 'text/csv', csv!());
            })
          : null,
      ),
      isSite ? el('p.note', {}, 'Without a server there is no PDF; SVG keeps text as text.') : null,
      problem,
    ),
  );
  return menu;
}

const types: Record<Format, string> = { pdf: 'application/pdf', svg: 'image/svg+xml', png: 'image/png' };

async function write(source: Source, format: Format): Promise<void> {
  const { width, dark } = chosen;
  const name = `${[source.name, width].filter(Boolean).join('-')}.${format}`;
  if (!isSite && source.body) {
    const file = await answer('POST', 'api/figures/draw', { ...source.body, format, width, dark });
    return download(name, types[format], await file.blob());
  }
  if (format === 'pdf')
    throw new Error('Panels with axes of their own are saved as SVG or PNG; print the page for a PDF.');
  download(name, types[format], await source.local(format, width, dark));
}

/** A chart to save. Panels with axes of their own, as the page of runs has them, are drawn by the page. */
export function chartSource(looked: Looked): Source {
  const { chart } = looked;
  return {
    name: nameOf(chart),
    body: chart.free ? null : { chart: shown(looked) },
    local: async (format, width, dark) => {
      const points = widths.find((w) => w.name === width)?.points ?? 0;
      const svg = file(chart, looked.hidden, looked.zoom, dark, points);
      const text = new XMLSerializer().serializeToString(svg);
      return format === 'svg' ? text : pixelsOf(text, points ? 600 / 96 : 2);
    },
    csv: () => csv(chart),
  };
}

/** The chart as it is looked at: without the series that are switched off, within what was zoomed to. */
export function shown({ chart, hidden, zoom }: Looked): Chart {
  const kept = chart.names.map((_, k) => k).filter((k) => !hidden.has(k));
  const panels = chart.panels.map((p) => ({ ...p, marks: p.marks.filter((m) => !hidden.has(m.series)) }));
  // Series keep their colours: names that are switched off stay where others follow.
  const last = Math.max(0, ...kept) + 1;
  const gone = kept.length < last;
  return {
    ...chart,
    version: 1,
    names: gone ? chart.names : chart.names.slice(0, Math.max(1, last)),
    panels,
    notes: gone ? [...chart.notes, `without ${chart.names.filter((_, k) => hidden.has(k)).join(', ')}`] : chart.notes,
    x: { ...chart.x, limits: zoom ? zoom.x : chart.x.limits },
    y: { ...chart.y, limits: zoom ? zoom.y : chart.y.limits },
  } as Chart;
}

/** A name for a file: the title, or what is drawn, and the runs where they are few. */
export function nameOf(chart: Chart): string {
  const what = chart.title || [chart.y.label, chart.x.label].filter(Boolean).join(' over ') || 'chart';
  const runs = chart.runs.length <= 2 ? chart.runs : [`${chart.runs.length} runs`];
  return fileName([what, ...runs].join(' ')) || 'chart';
}

/** A text as the name of a file. */
export function fileName(text: string): string {
  const plain = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return [...plain].slice(0, 80).join('').replace(/-+$/, '');
}

function pixelsOf(svg: string, scale: number): Promise<Blob> {
  return new Promise((done, fail) => {
    const image = new Image();
    image.onload = () => {
      const canvas = el('canvas', { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
      canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('The browser could not draw the picture.'))));
    };
    image.onerror = () => fail(new Error('The browser could not draw the picture.'));
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg);
  });
}
