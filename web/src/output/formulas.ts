// The formulas of a page, which belong together: what one defines holds for those after it, and equations have numbers
// that go on. So each is an element that carries its source, and all are settled together, in the order of the page.

import { el, perFrame } from '../dom';
import { cutLines } from './ansi';
import { bounded } from './boundary';
import { definitions, numbered, references, referred } from './tex';

export interface Formula {
  tex: string;
  display: boolean;
}

// A third of the page's scripts, and many notebooks have no formula.
let katex: typeof import('katex').default | null = null;
let loading: Promise<void> | null = null;

/** Makes settle draw formulas. */
export function loadMath(): Promise<void> {
  return (loading ??= import('./math').then((m) => {
    katex = m.default;
  }));
}

/** A formula of the page; settle draws it. Until then its source stands there. */
export function formulaView({ tex, display }: Formula): HTMLElement {
  const source = cutLines(display ? `$$${tex}$$` : `$${tex}$`);
  return el(display ? 'span.formula.display' : 'span.formula', { 'data-tex': tex }, source);
}

/** A reference in the text, \ref{label} or \eqref{label}; settle says what it refers to. */
export function referenceView(label: string, eq: boolean): HTMLElement {
  return el('a.equation', { 'data-label': label, 'data-eq': eq }, referred(new Map(), label, eq));
}

/** Characters of a formula that is not drawn: it is no formula. */
const longest = 50_000;

/** Draws the formulas below root, and says what references refer to; what is drawn already and stays is left alone. */
export function settle(root: ParentNode, mathml = false): void {
  const labels = new Map<string, string>();
  let last = 0;
  let known = '';
  const all = [...root.querySelectorAll<HTMLElement>('.formula')].filter((at) => at.dataset.tex!.length < longest);
  const formulas = all.map((at) => {
    const source = at.dataset.tex!;
    const { tex, rest } = definitions(source);
    const own = numbered(tex, at.classList.contains('display'), last, mathml);
    last = own.last;
    for (const [name, number] of own.labels) if (!labels.has(name)) labels.set(name, number);
    const defines = rest !== source;
    if (defines) known += tex;
    return { at, own, known, defines, empty: defines && !rest.trim() };
  });
  for (const at of root.querySelectorAll<HTMLElement>('a.equation')) refer(at, labels);
  if (!katex) return;
  const macros = {};
  for (const { at, own, known, defines, empty } of formulas) {
    const tex = references(own.tex, labels);
    const shown = `${tex}\n${known}`;
    if (at.dataset.shown === shown && !defines) continue;
    const drawn = bounded('This formula', at.dataset.tex!, () =>
      draw(tex, at.classList.contains('display'), macros, mathml),
    );
    if (at.dataset.shown === shown) continue;
    at.replaceChildren(drawn);
    at.dataset.shown = shown;
    at.prepend(...own.labels.map(([name]) => el('span', { id: `user-content-${name}` })));
    at.hidden = empty;
  }
}

/** TeX as HTML for the page or as MathML for a file that carries no fonts. A mistake is shown in place. */
function draw(tex: string, display: boolean, macros: Record<string, string>, mathml: boolean): DocumentFragment {
  const room = document.createElement('template');
  room.innerHTML = katex!.renderToString(tex, {
    macros,
    globalGroup: true,
    displayMode: display,
    throwOnError: false,
    output: mathml ? 'mathml' : 'htmlAndMathml',
    // Links lead to equations only.
    trust: ({ command, ...to }) => command === '\\href' && 'url' in to && to.url.startsWith('#'),
    strict: false,
    maxExpand: 1000,
    maxSize: 50,
  });
  return room.content;
}

function refer(at: HTMLElement, labels: Map<string, string>): void {
  const label = at.dataset.label!;
  at.textContent = referred(labels, label, at.dataset.eq !== undefined);
  if (labels.has(label)) at.setAttribute('href', `#${encodeURIComponent(label)}`);
  else at.removeAttribute('href');
  at.title = labels.has(label) ? '' : `No equation has the label ${label}.`;
}

/** Settles the page soon: after a formula came, went or moved. */
export const settleSoon = perFrame(() => {
  if (!document.querySelector('.formula')) return settle(document);
  void loadMath().then(
    () => settle(document),
    (e) => {
      for (const at of document.querySelectorAll<HTMLElement>('.formula'))
        at.replaceWith(
          bounded('This formula', at.dataset.tex!, () => {
            throw e;
          }),
        );
    },
  );
});
