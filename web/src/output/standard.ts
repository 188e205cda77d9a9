// The output types that every notebook has: HTML, Markdown, mathematics, pictures, JSON, text.

import { el } from '../dom';
import { joined } from '../model/nbformat';
import { ansiToHtml, cutLines, cutNodes } from './ansi';
import { htmlOutput, htmlText, sanitize } from './html';
import { settleSoon } from './formulas';
import { renderMarkdown } from './markdown';
import { latexView } from './markdownmath';
import { pictureUrl } from './picture';
import type { OutputType } from './type';

export const html: OutputType = {
  mime: 'text/html',
  kind: 'text',
  render: (data, _, { fresh }) => ({ dom: htmlOutput(joined(data), fresh) }),
  html: (data) => htmlText(sanitize(joined(data))),
};

export const markdown: OutputType = {
  mime: 'text/markdown',
  kind: 'text',
  render: (data, _, { folder }) => ({ dom: el('div.prose', {}, cutNodes(renderMarkdown(joined(data), folder))) }),
  html: (data) => htmlText(renderMarkdown(joined(data))),
};

export const latex: OutputType = {
  mime: 'text/latex',
  kind: 'text',
  render: (data) => {
    settleSoon();
    return { dom: latexView(joined(data)) };
  },
  html: (data) => latexView(joined(data)).outerHTML,
};

export const json: OutputType = {
  mime: 'application/json',
  kind: 'text',
  render: (data) => ({ dom: el('pre', {}, cutLines(JSON.stringify(data, null, 2))) }),
  html: (data) => el('pre', {}, JSON.stringify(data, null, 2)).outerHTML,
};

export const plain: OutputType = {
  mime: 'text/plain',
  kind: 'text',
  render: (data, metadata) => {
    const pre = el('pre');
    const show = (text: string) => {
      pre.innerHTML = ansiToHtml(cutLines(text));
    };
    show(joined(data));
    if (typeof metadata.rest !== 'string') return { dom: pre };
    const rest: string = metadata.rest; // of a text that the kernel cut
    const more = el(
      'button.more',
      {
        type: 'button',
        click: () => {
          show(joined(data).replace(/… \(\d+ bytes more\)$/, '') + rest);
          more.remove();
        },
      },
      'Show all',
    );
    return { dom: el('div', {}, pre, more) };
  },
  html: (data) => `<pre>${ansiToHtml(joined(data))}</pre>`,
};

const pixels = (v: unknown) => (typeof v === 'number' && v > 0 ? Math.round(v) : undefined);

const picture = (mime: string): OutputType => ({
  mime,
  kind: 'picture',
  render: (data, metadata, { fail }) => {
    const dom = el('img', {
      src: pictureUrl(mime, data),
      alt: String(metadata.alt ?? 'Output picture'),
      width: pixels(metadata.width),
      height: pixels(metadata.height),
      error: () => fail(`These data are no picture of type ${mime}.`),
    });
    return {
      dom,
      set: (next) => {
        dom.src = pictureUrl(mime, next);
      },
    };
  },
  html: (data, metadata) => el('img', { src: pictureUrl(mime, data), alt: String(metadata.alt ?? '') }).outerHTML,
});

export const pictures = ['image/svg+xml', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'].map(picture);
