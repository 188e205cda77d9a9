// Markdown with mathematics and highlighted Go.

import createMarkdown, { type MarkdownIt } from 'markdown-it';
import { decoded, fileUrl, notebookUrl } from '../address';
import { el } from '../dom';
import { highlightedHtml } from '../highlight';
import type { MimeBundle } from '../model/nbformat';
import { anchor } from './anchors';
import { settleSoon } from './formulas';
import { sanitize } from './html';
import { math } from './markdownmath';
import { pictureUrl } from './picture';

/** Text that is being rendered. The text around views is cleaned as foreign HTML; they take their places afterwards. */
interface Env {
  [other: string | symbol]: unknown;
  views: HTMLElement[];
}

function put(env: unknown, view: HTMLElement): string {
  const { views } = env as Env;
  return `<span class="nacre-view-${views.push(view) - 1}"></span>`;
}

function engine(): MarkdownIt {
  return createMarkdown({
    html: true,
    linkify: true,
    highlight: (code, lang) => (/^go(lang)?$/i.test(lang) ? highlightedHtml(code) : ''),
  }).use(math, put);
}

const md = engine();

/** Markdown as clean nodes. folder is where relative links start; attachments are the cell's own images. */
export function renderMarkdown(
  source: string,
  folder = '',
  attachments: Record<string, MimeBundle> = {},
): DocumentFragment {
  const env: Env = { views: [] };
  const nodes = sanitize(md.render(source, env));
  env.views.forEach((view, i) => {
    nodes.querySelector(`.nacre-view-${i}`)?.replaceWith(view);
  });
  for (const heading of nodes.querySelectorAll<HTMLElement>('h1,h2,h3,h4,h5,h6')) {
    heading.dataset.anchor = anchor(heading.textContent ?? '');
    heading.id ||= heading.dataset.anchor;
  }
  for (const image of nodes.querySelectorAll('img')) {
    const src = image.getAttribute('src') ?? '';
    if (src.startsWith('attachment:')) {
      const name = decoded(src.slice(11));
      const attached = attachments[name];
      const type = attached && Object.keys(attached).find((t) => /^image\/(png|jpeg|gif|webp|svg\+xml)$/.test(t));
      if (type) image.src = pictureUrl(type, attached[type]);
      else image.replaceWith(el('span.note', {}, `[the picture ${name} is not in this cell]`));
    } else if (relative(src)) image.src = fileUrl(resolve(folder, src));
  }
  for (const item of nodes.querySelectorAll('li')) showTask(item);
  for (const link of nodes.querySelectorAll('a')) {
    const href = link.getAttribute('href') ?? '';
    if (relative(href)) {
      const [file = '', ...fragment] = href.split('#');
      const path = resolve(folder, file);
      const to = path.endsWith('.ipynb') ? notebookUrl(path) : fileUrl(path);
      link.href = [to, ...fragment].join('#');
    }
  }
  settleSoon();
  return nodes;
}

/** Shows "[ ]" and "[x]" at the start of an item as boxes. */
function showTask(item: HTMLElement): void {
  let first = item.firstChild;
  while (first instanceof HTMLParagraphElement || (first instanceof Text && !first.data.trim()))
    first = first instanceof Text ? first.nextSibling : first.firstChild;
  if (first instanceof Text)
    first.data = first.data.replace(/^\[( |x|X)\]\s/, (_, mark) => (mark === ' ' ? '☐ ' : '☑ '));
}

function relative(src: string): boolean {
  return src !== '' && !/^([a-z][a-z0-9+.-]*:|[/#])/i.test(src);
}

/** A path seen from a folder, with . and .. worked out. */
export function resolve(folder: string, path: string): string {
  const out: string[] = [];
  for (const part of [...folder.split('/'), ...decoded(path).split('/')]) {
    if (part === '..') out.pop();
    else if (part && part !== '.') out.push(part);
  }
  return out.join('/');
}
