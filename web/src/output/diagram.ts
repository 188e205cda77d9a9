// Mermaid's diagrams, drawn as pictures, so that nothing of theirs reaches the page. The library is larger than all the
// rest, and comes when the first diagram does.

import { el, perFrame } from '../dom';
import { problemNote, problemOf } from './boundary';
import { pictureUrl } from './picture';

type Theme = 'default' | 'dark';

let count = 0;

/** A diagram of the page; drawDiagrams draws it. Until then its source stands there. */
export function diagramView(source: string): HTMLElement {
  return el('figure.diagram', { 'data-source': source }, el('pre', {}, source));
}

/** Draws the diagrams below root that are not drawn so; of one that cannot be drawn it says why. */
export async function drawDiagrams(root: ParentNode, theme: Theme): Promise<void> {
  for (const view of root.querySelectorAll<HTMLElement>('figure.diagram')) {
    if (view.dataset.theme === theme) continue;
    view.dataset.theme = theme;
    const source = view.dataset.source!;
    try {
      view.replaceChildren(await draw(source, theme));
    } catch (e) {
      const [first = ''] = problemOf(e).split('\n'); // lines that the parser would take follow
      view.replaceChildren(
        el('p.note', { role: 'alert' }, problemNote('This diagram', first.replace(/:$/, '.'))),
        el('pre', {}, source),
      );
    }
  }
}

async function draw(source: string, theme: Theme): Promise<HTMLImageElement> {
  const { default: mermaid } = await import('mermaid');
  mermaid.initialize({
    theme,
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    htmlLabels: false,
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
  });
  // It is measured in the page, where nobody sees it.
  const room = el('div', { style: 'position: absolute; visibility: hidden; width: 800px; left: -9999px' });
  document.body.append(room);
  try {
    return picture((await mermaid.render(`nacre-diagram-${++count}`, source, room)).svg, source);
  } finally {
    room.remove();
  }
}

/** The drawing at its own size. */
function picture(svg: string, source: string): HTMLImageElement {
  const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')!;
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (width && height) {
    root.setAttribute('width', String(width));
    root.setAttribute('height', String(height));
    root.style.removeProperty('max-width');
  }
  const text = new XMLSerializer().serializeToString(root);
  return el('img', { src: pictureUrl('image/svg+xml', text), alt: `Diagram: ${source.trim()}` });
}

/** Draws the diagrams of the page soon, in its theme. */
export const drawSoon = perFrame(
  () => void drawDiagrams(document, document.documentElement.dataset.theme === 'dark' ? 'dark' : 'default'),
);

document.addEventListener('nacre:theme', drawSoon);
