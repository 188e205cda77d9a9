// Markdown as notebooks have it: with mathematics, highlighted Go, footnotes, callouts, tasks and diagrams.

import createMarkdown, { type MarkdownIt } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { decoded, fileUrl, notebookUrl } from '../address';
import { el } from '../dom';
import { highlightedHtml } from '../highlight';
import type { MimeBundle } from '../model/nbformat';
import { anchor } from './anchors';
import { diagramView, drawSoon } from './diagram';
import { settleSoon } from './formulas';
import { sanitize } from './html';
import { math } from './markdownmath';
import { pictureUrl } from './picture';

/** Text that is being rendered. The text around views is cleaned as foreign HTML; they take their places afterwards. */
interface Env {
  [other: string | symbol]: unknown;
  views: HTMLElement[];
  /** Sets the footnotes of one text apart from those of others. */
  docId: string;
}

let texts = 0;

function put(env: unknown, view: HTMLElement): string {
  const { views } = env as Env;
  return `<span class="nacre-view-${views.push(view) - 1}"></span>`;
}

function engine(): MarkdownIt {
  const md = createMarkdown({
    html: true,
    linkify: true,
    highlight: (code, lang) => (/^go(lang)?$/i.test(lang) ? highlightedHtml(code) : ''),
  })
    .use(math, put)
    .use(footnotes);
  // A note that is named twice has one number.
  md.renderer.rules.footnote_caption = (tokens, i) => String((tokens[i]!.meta!.id as number) + 1);
  const fence = md.renderer.rules.fence!;
  md.renderer.rules.fence = (tokens, i, options, env, self) => {
    const { info, content } = tokens[i]!;
    return info.trim() === 'mermaid' ? put(env, diagramView(content)) : fence(tokens, i, options, env, self);
  };
  return md;
}

const md = engine();

/** Markdown as clean nodes. folder is where relative links start; attachments are the cell's own images. */
export function renderMarkdown(
  source: string,
  folder = '',
  attachments: Record<string, MimeBundle> = {},
): DocumentFragment {
  const env: Env = { views: [], docId: String(++texts) };
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
  for (const quote of nodes.querySelectorAll('blockquote')) showCallout(quote);
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
  drawSoon();
  return nodes;
}

/** Shows "[ ]" and "[x]" at the start of an item as boxes. */
function showTask(item: HTMLElement): void {
  let first = item.firstChild;
  while (first instanceof HTMLParagraphElement || (first instanceof Text && !first.data.trim()))
    first = first instanceof Text ? first.nextSibling : first.firstChild;
  const [mark, done] = (first instanceof Text && /^\[([ xX])\]\s/.exec(first.data)) || [];
  if (!mark) return;
  (first as Text).data = (first as Text).data.slice(mark.length);
  item.className = 'task';
  const box = el('input', {
    type: 'checkbox',
    disabled: true,
    checked: done !== ' ',
    'aria-label': done === ' ' ? 'To do' : 'Done',
  });
  first!.before(box);
}

/** Shows a quotation that begins with "[!NOTE]" as GitHub does. */
function showCallout(quote: HTMLElement): void {
  const first = quote.firstElementChild;
  const text = first?.firstChild;
  if (!(first instanceof HTMLParagraphElement) || !(text instanceof Text)) return;
  const [mark, kind] = /^\[!(note|tip|important|warning|caution)\][^\S\n]*(?:\n|$)/i.exec(text.data) ?? [];
  if (!mark || !kind) return;
  text.data = text.data.slice(mark.length);
  if (!first.textContent.trim() && !first.firstElementChild) first.remove();
  quote.className = 'callout';
  quote.dataset.kind = kind.toLowerCase();
  quote.prepend(el('p.kind', {}, kind[0]!.toUpperCase() + kind.slice(1).toLowerCase()));
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
