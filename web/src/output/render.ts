// One output as a part of the page: the richest form we know, with a text for the rest.

import { el } from '../dom';
import { MimeBundle, Output, joined } from '../model/nbformat';
import { ansiToHtml, StreamView } from './ansi';
import { CurvesView, curvesMime } from './curves';
import { embeddingMime } from './embedding/decode';
import { EmbeddingView } from './embedding/view';
import { htmlOutput } from './html';
import { latexView, renderMarkdown } from './markdown';
import { errorView, GoTo } from './error';
import { rolloutMime } from './rollout/decode';
import { RolloutView } from './rollout/view';

/** A shown output. update takes new data without building anew, where the kind of output can. */
export interface Rendered { dom: HTMLElement; mime: string; update?(output: Output): boolean; dispose?(): void }

export interface Context { fresh: boolean; folder: string; goTo: GoTo }

type Renderer = (data: any, metadata: any, context: Context) => Omit<Rendered, 'mime' | 'update'> & { set?(data: any): void };

function image(type: string): Renderer {
  return (data, metadata) => {
    const source = () => (type === 'image/svg+xml' ? `data:${type};charset=utf-8,${encodeURIComponent(joined(data))}` : `data:${type};base64,${joined(data).replace(/\s/g, '')}`);
    const dom = el('img', { src: source(), alt: metadata?.alt ?? 'Output picture', ...size(metadata) });
    return { dom, set: (next) => { data = next; dom.src = source(); } };
  };
}

function size(metadata: any): { width?: number; height?: number } {
  const out: { width?: number; height?: number } = {};
  if (metadata?.width > 0) out.width = Math.round(metadata.width);
  if (metadata?.height > 0) out.height = Math.round(metadata.height);
  return out;
}

function live(View: typeof CurvesView | typeof EmbeddingView | typeof RolloutView): Renderer {
  return (data) => {
    const view = new View(data);
    return { dom: view.dom, set: (next) => view.update(next), dispose: () => view.dispose() };
  };
}

const plain: Renderer = (data) => {
  const dom = el('pre');
  dom.innerHTML = ansiToHtml(joined(data));
  return { dom };
};

// Richest first.
const renderers: [string, Renderer][] = [
  [embeddingMime, live(EmbeddingView)],
  [curvesMime, live(CurvesView)],
  [rolloutMime, live(RolloutView)],
  ['text/html', (data, _, c) => ({ dom: htmlOutput(joined(data), c.fresh) })],
  ['text/markdown', (data, _, c) => ({ dom: el('div.prose', {}, renderMarkdown(joined(data), c.folder)) })],
  ['text/latex', (data) => ({ dom: latexView(joined(data)) })],
  ['image/svg+xml', image('image/svg+xml')],
  ['image/png', image('image/png')],
  ['image/jpeg', image('image/jpeg')],
  ['image/gif', image('image/gif')],
  ['image/webp', image('image/webp')],
  ['application/json', (data) => ({ dom: el('pre', {}, JSON.stringify(data, null, 2)) })],
  ['text/plain', plain],
];

/** The types of a bundle that can be shown, richest first. */
export function shownTypes(data: MimeBundle): string[] {
  return renderers.map(([mime]) => mime).filter((mime) => data[mime] !== undefined);
}

export function renderOutput(output: Output, context: Context): Rendered {
  if (output.output_type === 'stream') return stream(output.text, output.name);
  if (output.output_type === 'error') return { dom: errorView(output, context.goTo), mime: 'error' };
  return renderData(output.data, output.metadata, context);
}

function stream(text: string, name: string): Rendered {
  const view = new StreamView(name);
  view.show(text);
  return {
    dom: view.dom, mime: 'stream',
    update: (o) => { if (o.output_type !== 'stream' || o.name !== name) return false; view.show(o.text); return true; },
  };
}

/** Tries the forms from the richest to the plainest: one that fails makes room for the next. */
export function renderData(data: MimeBundle, metadata: Record<string, any>, context: Context): Rendered {
  const problems: string[] = [];
  for (const mime of shownTypes(data)) {
    const [, render] = renderers.find(([m]) => m === mime)!;
    try {
      const { dom, set, dispose } = render(data[mime], metadata?.[mime], context);
      const host = el('div.rich', { 'data-mime': mime }, ...problems.map((p) => el('p.note', {}, p)), dom);
      return {
        dom: host, mime, dispose,
        update: (o) => {
          if (!set || o.output_type === 'stream' || o.output_type === 'error' || shownTypes(o.data)[0] !== mime) return false;
          try { set(o.data[mime]); return true; } catch { return false; }
        },
      };
    } catch (e) {
      problems.push((e as Error).message);
    }
  }
  const types = Object.keys(data);
  return { dom: el('p.note', {}, types.length ? `Nothing here can show ${types.join(', ')}.` : 'An empty output.', ...problems), mime: '' };
}
