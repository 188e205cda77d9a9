// A notebook as one HTML file: no script, no font, nothing fetched; mathematics as MathML.

import { CellJson, joined, NotebookJson, Output } from '../model/nbformat';
import { appendStream } from '../model/stream';
import { ansiToHtml } from '../output/ansi';
import { sanitize } from '../output/html';
import { latexParts, loadMath, renderMarkdown, renderMath } from '../output/markdown';
import { escapeHtml, highlightedHtml } from '../highlight';
import style from '../style/export.css';

const htmlOf = (nodes: DocumentFragment) => {
  const host = document.createElement('div');
  host.append(nodes);
  return host.innerHTML;
};

function outputHtml(o: Output): string {
  if (o.output_type === 'stream') return `<pre class="${o.name}">${ansiToHtml(appendStream('', o.text))}</pre>`;
  if (o.output_type === 'error') return `<pre class="error">${ansiToHtml(o.traceback.join('\n') || `${o.ename}: ${o.evalue}`)}</pre>`;
  const { data } = o;
  // Plots that live in the notebook come with a picture beside them; scripts have no place in the file.
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
    if (data[type] !== undefined && !(type === 'image/png' && data['image/svg+xml'] !== undefined)) return `<img alt="" src="data:${type};base64,${joined(data[type]).replace(/[^A-Za-z0-9+/=]/g, '')}">`;
  }
  if (data['image/svg+xml'] !== undefined) return `<img alt="" src="data:image/svg+xml;charset=utf-8,${encodeURIComponent(joined(data['image/svg+xml']))}">`;
  if (data['text/html'] !== undefined) return htmlOf(sanitize(joined(data['text/html'])));
  if (data['text/markdown'] !== undefined) return htmlOf(renderMarkdown(joined(data['text/markdown']), '', {}, 'mathml'));
  if (data['text/latex'] !== undefined) return latexParts(joined(data['text/latex'])).map((p) => (p.math ? renderMath(p.text, p.display, 'mathml') : escapeHtml(p.text))).join('');
  return `<pre>${ansiToHtml(joined(data['text/plain'] ?? ''))}</pre>`;
}

function cellHtml(c: CellJson, folder: string): string {
  if (c.cell_type === 'markdown') return `<section class="text">${htmlOf(renderMarkdown(c.source, folder, c.attachments, 'mathml'))}</section>`;
  if (c.cell_type === 'raw') return `<section><pre>${escapeHtml(c.source)}</pre></section>`;
  const source = c.metadata.jupyter?.source_hidden ? '' : `<pre class="source">${highlightedHtml(c.source)}</pre>`;
  const outputs = c.metadata.collapsed ? '' : (c.outputs ?? []).map((o) => `<div class="output">${outputHtml(o)}</div>`).join('\n');
  return `<section class="code"><span class="count">${c.execution_count ?? ''}</span>${source}${outputs}</section>`;
}

export async function exportHtml(nb: NotebookJson, title: string, folder: string): Promise<string> {
  await loadMath();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${nb.cells.filter((c) => c.source.trim() || c.outputs?.length).map((c) => cellHtml(c, folder)).join('\n')}
</body>
</html>
`;
}
