// A failed cell: its message and traceback, with places in the cell one can click.

import { el } from '../dom';
import { ErrorOutput } from '../model/nbformat';
import { ansiToHtml, stripAnsi } from './ansi';
import { places } from './places';
import type { GoTo } from './type';

export function errorView(o: ErrorOutput, goTo: GoTo): HTMLElement {
  const text = o.traceback.length ? o.traceback.join('\n') : `${o.ename}: ${o.evalue}`;
  const pre = el('pre.error');
  pre.innerHTML = ansiToHtml(text);
  linkPlaces(pre, goTo);
  return el('div', { role: 'group', 'aria-label': `Error: ${stripAnsi(o.evalue || o.ename)}` }, pre);
}

/** Turns places into links; colours may cut a text into several nodes, a place never spans two. */
function linkPlaces(root: HTMLElement, goTo: GoTo): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  for (const node of nodes) {
    for (const p of places(node.data).reverse()) {
      const target = node.splitText(p.from);
      target.splitText(p.to - p.from);
      const link = el('button.place', { type: 'button', title: 'Go to this place', click: () => goTo(p.count, p.line, p.column) });
      target.replaceWith(link);
      link.append(target);
    }
  }
}
