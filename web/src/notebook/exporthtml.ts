// A notebook as one HTML file: no script, no font, nothing fetched; mathematics as MathML.

import { fields } from '../model/json';
import type { CellJson, DataOutput, NotebookJson, Output } from '../model/nbformat';
import { appendStream } from '../model/stream';
import { ansiToHtml } from '../output/ansi';
import { problemNote } from '../output/boundary';
import { htmlText } from '../output/html';
import { slidesOf } from '../model/slides';
import { anchored } from '../output/anchors';
import { drawDiagrams } from '../output/diagram';
import { loadMath, settle } from '../output/formulas';
import { renderMarkdown } from '../output/markdown';
import { ownTypes } from '../output/mime';
import { knownTypes } from '../output/render';
import { unknownTypes } from '../output/type';
import { outputTypes } from '../output/types';
import { escapeHtml, highlightedHtml } from '../highlight';
import style from '../style/export.css';

const note = (text: string) => `<p class="note">${escapeHtml(text)}</p>`;

/** What make returns, or in its place a sentence with the bare text. */
function bounded(what: string, text: string, make: () => string): string {
  try {
    return make();
  } catch (e) {
    return note(problemNote(what, e)) + (text ? `<pre>${escapeHtml(text)}</pre>` : '');
  }
}

/**
 * The form of an output that a file can hold. For an interactive one that is its static form. Of the others pictures come first: HTML
 * may be little without its scripts.
 */
function dataHtml({ data, metadata }: DataOutput): string {
  const shown = knownTypes(data),
    still = shown.filter((t) => t.kind !== 'interactive');
  const live = shown.find((t) => t.kind === 'interactive');
  const fixed = live && still.find((t) => t.mime === ownTypes[live.name].static);
  const chosen = fixed ?? still.find((t) => t.kind === 'picture') ?? still[0];
  const notes: string[] = [];
  if (live && !fixed) notes.push(note(`This output (${live.name}) has no form for files: the notebook draws it.`));
  const unknown = unknownTypes(data, outputTypes);
  if (unknown.length && (!chosen || chosen.mime === 'text/plain'))
    notes.push(note(`Nothing here can show ${unknown.join(', ')}.`));
  if (!chosen) return notes.join('') || note('An empty output.');
  return (
    notes.join('') + bounded('This output', '', () => chosen.html(data[chosen.mime], fields(metadata?.[chosen.mime])))
  );
}

function outputHtml(o: Output): string {
  if (o.output_type === 'stream') return `<pre class="${o.name}">${ansiToHtml(appendStream('', o.text))}</pre>`;
  if (o.output_type === 'error')
    return `<pre class="error">${ansiToHtml(o.traceback.join('\n') || `${o.ename}: ${o.evalue}`)}</pre>`;
  return dataHtml(o);
}

function cellHtml(c: CellJson, folder: string, code: boolean): string {
  if (c.cell_type === 'markdown') {
    return `<section class="text">${bounded('This text', c.source, () => htmlText(renderMarkdown(c.source, folder, c.attachments)))}</section>`;
  }
  if (c.cell_type === 'raw') return `<section><pre>${escapeHtml(c.source)}</pre></section>`;
  const source =
    c.metadata.jupyter?.source_hidden || !code
      ? ''
      : `<pre class="source">${bounded('This source', c.source, () => highlightedHtml(c.source))}</pre>`;
  const outputs = c.metadata.collapsed
    ? ''
    : (c.outputs ?? [])
        .map((o) => `<div class="output">${bounded('This output', '', () => outputHtml(o))}</div>`)
        .join('\n');
  return `<section class="code"><span class="count">${c.execution_count ?? ''}</span>${source}${outputs}</section>`;
}

/** What can only be said of all cells together, and what takes time: formulas, diagrams, where links lead. */
async function together(html: string): Promise<string> {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  settle(body, true);
  await drawDiagrams(body, 'default');
  for (const link of body.querySelectorAll('[href^="#"]')) {
    const target = anchored(body, link.getAttribute('href')!.slice(1));
    if (target?.id) link.setAttribute('href', `#${encodeURIComponent(target.id)}`);
  }
  for (const at of body.querySelectorAll<HTMLElement>('.formula, .diagram'))
    for (const key of Object.keys(at.dataset)) delete at.dataset[key];
  return body.innerHTML;
}

const worthShowing = (c: CellJson) => !!c.source.trim() || !!c.outputs?.length;

/** A notebook as a page to read; code is whether it has the sources of its cells. */
export async function exportHtml(nb: NotebookJson, title: string, folder: string, code = true): Promise<string> {
  await loadMath();
  const cells = nb.cells.filter(worthShowing).map((c) => cellHtml(c, folder, code));
  return whole(title, await together(cells.join('\n')));
}

/**
 * A notebook as slides, one below the other, each as high as the window and a page of its own in print. They begin where Jupyter's
 * metadata of cells say; where no cell has any, at headings.
 */
export async function exportSlides(nb: NotebookJson, title: string, folder: string, code = true): Promise<string> {
  await loadMath();
  const slides = slidesOf(nb.cells.filter(worthShowing)).map(
    (cells) => `<section class="slide"><div>${cells.map((c) => cellHtml(c, folder, code)).join('\n')}</div></section>`,
  );
  return whole(title, await together(slides.join('\n')), 'slides');
}

const whole = (title: string, body: string, kind = '') => `<!doctype html>
<html lang="en"${kind && ` class="${kind}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
