// Markdown with mathematics and highlighted Go.

import createMarkdown, { type MarkdownIt } from 'markdown-it';
import { decoded, fileUrl, notebookUrl } from '../address';
import { el } from '../dom';
import { escapeHtml, highlightedHtml } from '../highlight';
import type { MimeBundle } from '../model/nbformat';
import { bounded } from './boundary';
import { sanitize } from './html';
import { pictureUrl } from './picture';
import { definitions } from './tex';

interface Formula {
  tex: string;
  display: boolean;
}
export type MathOutput = 'html' | 'mathml';

// A third of the page's scripts, and many notebooks have no formula.
let katex: typeof import('katex').default | null = null;
let loading: Promise<void> | null = null;

/** Makes renderMath ready. */
export function loadMath(): Promise<void> {
  return (loading ??= import('./math').then((m) => {
    katex = m.default;
  }));
}

/** What the formulas of this page have defined so far. */
const macros = {};

/** TeX as HTML for the page or as MathML for a file that carries no fonts, once it is loaded. A mistake is shown in place. */
export function renderMath(tex: string, display: boolean, output: MathOutput = 'html'): string {
  return katex!.renderToString(definitions(tex), {
    macros,
    displayMode: display,
    throwOnError: false,
    output: output === 'html' ? 'htmlAndMathml' : 'mathml',
    trust: false,
    strict: false,
    maxExpand: 1000,
    maxSize: 50,
  });
}

/** Puts a formula in the place of an element: at once, or when the library is there. */
function placeMath(at: Element, { tex, display }: Formula, output: MathOutput): void {
  if (katex) {
    at.outerHTML = renderMath(tex, display, output);
    return;
  }
  at.textContent = tex;
  void loadMath()
    .then(() => {
      at.outerHTML = renderMath(tex, display, output);
    })
    .catch((e) => {
      at.replaceWith(
        bounded('This formula', tex, () => {
          throw e;
        }),
      );
    });
}

/** text/latex as an element of the page. */
export function latexView(source: string): HTMLElement {
  const host = el('div.latex');
  for (const part of latexParts(source)) {
    if (!part.math) {
      host.append(part.text);
      continue;
    }
    const at = el('span');
    host.append(at);
    placeMath(at, { tex: part.text, display: part.display }, 'html');
  }
  return host;
}

/** text/latex for a file: formulas as MathML. renderMath has to be ready. */
export function latexHtml(source: string): string {
  return latexParts(source)
    .map((p) => (p.math ? renderMath(p.text, p.display, 'mathml') : escapeHtml(p.text)))
    .join('');
}

/** text/latex: mathematics with or without its delimiters, also mixed with text. */
export function latexParts(source: string): { math: boolean; display: boolean; text: string }[] {
  const parts: { math: boolean; display: boolean; text: string }[] = [];
  let at = 0;
  const re =
    /\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|\$((?:[^$\\]|\\.)+?)\$|(\\begin\{(equation|align|gather)(\*?)\}[\s\S]+?\\end\{\6\7\})/g;
  for (const m of source.matchAll(re)) {
    if (source.slice(at, m.index).trim()) parts.push({ math: false, display: false, text: source.slice(at, m.index) });
    parts.push({
      math: true,
      display: m[1] !== undefined || m[2] !== undefined || m[5] !== undefined,
      text: m[1] ?? m[2] ?? m[3] ?? m[4] ?? m[5]!,
    });
    at = m.index + m[0].length;
  }
  if (!parts.length) return [{ math: true, display: true, text: source }];
  if (source.slice(at).trim()) parts.push({ math: false, display: false, text: source.slice(at) });
  return parts;
}

/** Teaches markdown-it $inline$, $$display$$ and \begin{align} … \end{align}. */
function math(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'math', (state, silent) => {
    const src = state.src;
    const start = state.pos;
    const pairs: [string, string, boolean][] = [
      ['$$', '$$', true],
      ['$', '$', false],
      ['\\(', '\\)', false],
      ['\\[', '\\]', true],
    ];
    const pair = pairs.find(([open]) => src.startsWith(open, start));
    if (!pair) return false;
    const [open, close, display] = pair;
    const from = start + open.length;
    let end = src.indexOf(close, from);
    while (end > 0 && src[end - 1] === '\\' && close[0] === '$') end = src.indexOf(close, end + 1);
    if (end <= from || end >= state.posMax + 1) return false;
    if (open === '$') {
      // "$5 and $6" is money: no space inside the dollars, no digit after them.
      if (/\s/.test(src[from]!) || /\s/.test(src[end - 1]!) || /\d/.test(src[end + 1] ?? '')) return false;
    }
    if (!silent) {
      const token = state.push('math', 'math', 0);
      token.content = src.slice(from, end);
      token.meta = { display };
    }
    state.pos = end + close.length;
    return true;
  });
  md.block.ruler.before(
    'fence',
    'math_block',
    (state, line, endLine, silent) => {
      const textOf = (n: number) => state.src.slice(state.bMarks[n]! + state.tShift[n]!, state.eMarks[n]!);
      const first = textOf(line);
      const env = /^\\begin\{(equation|align|gather)(\*?)\}/.exec(first);
      if (!first.startsWith('$$') && !env) return false;
      const close = env ? `\\end{${env[1]}${env[2]}}` : '$$';
      let next = line;
      let found = first.indexOf(close, env ? env[0].length : 2) >= 0;
      while (!found && ++next < endLine) found = textOf(next).includes(close);
      if (!found) return false;
      const text = Array.from({ length: next - line + 1 }, (_, i) => textOf(line + i)).join('\n');
      const stop = text.indexOf(close, env ? env[0].length : 2);
      if (text.slice(stop + close.length).trim()) return false;
      if (silent) return true;
      const token = state.push('math', 'math', 0);
      token.block = true;
      token.content = env ? text.slice(0, stop + close.length) : text.slice(2, stop);
      token.meta = { display: true };
      state.line = next + 1;
      return true;
    },
    { alt: ['paragraph', 'blockquote', 'list'] },
  );
}

function engine(): MarkdownIt {
  const md = createMarkdown({
    html: true,
    linkify: true,
    highlight: (code, lang) => (/^go(lang)?$/i.test(lang) ? highlightedHtml(code) : ''),
  }).use(math);
  // The text around a formula is cleaned as foreign HTML; the formula itself takes its place afterwards.
  md.renderer.rules.math = (tokens, i, _options, env) => {
    const formulas = env!.formulas as Formula[];
    formulas.push({ tex: tokens[i]!.content, display: tokens[i]!.meta!.display as boolean });
    return `<span class="nacre-formula-${formulas.length - 1}"></span>`;
  };
  return md;
}

const md = engine();

/** Markdown as clean nodes. folder is where relative links start; attachments are the cell's own images. */
export function renderMarkdown(
  source: string,
  folder = '',
  attachments: Record<string, MimeBundle> = {},
  output: MathOutput = 'html',
): DocumentFragment {
  const env = { formulas: [] as Formula[] };
  const nodes = sanitize(md.render(source, env));
  env.formulas.forEach((formula, i) => {
    const at = nodes.querySelector(`.nacre-formula-${i}`);
    if (at) placeMath(at, formula, output);
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
    if (href.startsWith('#')) {
      link.addEventListener('click', (e) => {
        if (goToAnchor(href.slice(1))) e.preventDefault();
      });
    } else if (relative(href)) {
      const [file = '', ...fragment] = href.split('#');
      const path = resolve(folder, file);
      const to = path.endsWith('.ipynb') ? notebookUrl(path) : fileUrl(path);
      link.href = [to, ...fragment].join('#');
    }
  }
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

/** Shows what a link's fragment names on this page; false if there is nothing of that name. */
export function goToAnchor(fragment: string): boolean {
  const name = decoded(fragment);
  const own = document.getElementById(`user-content-${name}`) ?? document.getElementsByName(`user-content-${name}`)[0];
  const headings = [...document.querySelectorAll<HTMLElement>('[data-anchor]')];
  const at = place(
    headings.map((h) => h.dataset.anchor!),
    name,
  );
  const target = own ?? headings[at];
  target?.scrollIntoView({ block: 'start' });
  return target !== undefined;
}

/**
 * The index of the heading that a fragment names, among their anchors; -1 if there is none. The first of equal ones has
 * the plain name, the next NAME-1, as on GitHub.
 */
export function place(anchors: string[], name: string): number {
  const wanted = anchor(name);
  const at = anchors.indexOf(wanted);
  const [, first, number] = /^(.+)-(\d+)$/.exec(wanted) ?? [];
  if (at >= 0 || !first) return at;
  const equal = anchors.flatMap((a, i) => (a === first ? [i] : []));
  return equal[Number(number)] ?? -1;
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

/** The name by which a heading is linked, as GitHub and Jupyter make it: no spaces, prefixed against clashes. */
export function anchor(text: string): string {
  return (
    'h-' +
    text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s+/g, '-')
  );
}
