// A failed cell: its message and traceback, with places in the cell one can click.

import { el } from '../dom';
import { ErrorOutput } from '../model/nbformat';
import { ansiToHtml, stripAnsi } from './ansi';

/** Goes to a place in the cell's source; line and column from 1, as Go counts. cell is the place's cell, "" this one. */
export type GoTo = (cell: string, line: number, column: number) => void;

// "3:7", "cell:3:7", "cell [4]:3:7", "cell 4:3:7", "In[4]:3:7" at the start of a word; a path before the figures is another file's place.
const place = /(?<![\w./:])(?:(?:(?:In|cell)?\s?\[(\d+)\]|cell(?:\s+|-)?([\w-]*?)):)?(\d{1,5}):(\d{1,4})(?![\w:])/g;

export interface Place { from: number; to: number; count: string; line: number; column: number }

/** The places named in a text without colours. */
export function places(text: string): Place[] {
  return [...text.matchAll(place)].map((m) => ({
    from: m.index, to: m.index + m[0].length, count: m[1] ?? m[2] ?? '', line: Number(m[3]), column: Number(m[4]),
  }));
}

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
