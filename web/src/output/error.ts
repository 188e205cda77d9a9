// A failed cell: its message and traceback, with places in the cell one can click. Of a panic the message and the place
// are in sight; the calls that led there, one text of the traceback each, are folded.

import { el } from '../dom';
import type { ErrorOutput } from '../model/nbformat';
import { ansiToHtml, cutLines, stripAnsi } from './ansi';
import { places } from './places';
import type { GoTo } from './type';

export function errorView(o: ErrorOutput, goTo: GoTo): HTMLElement {
  const texts = o.traceback.length ? o.traceback : [`${o.ename}: ${o.evalue}`];
  const inSight = o.ename === 'Panic' && texts[1]?.includes('\n') ? 2 : texts.length;
  const text = (list: string[]) => {
    const pre = el('pre.error');
    pre.innerHTML = ansiToHtml(cutLines(list.join('\n')));
    linkPlaces(pre, goTo);
    return pre;
  };
  const calls = texts.slice(inSight);
  return el(
    'div',
    { role: 'group', 'aria-label': `Error: ${stripAnsi(o.evalue || o.ename)}` },
    text(texts.slice(0, inSight)),
    calls.length
      ? el(
          'details.calls',
          {},
          el(
            'summary',
            {},
            calls.length === 1 ? 'The call that led there' : `The ${calls.length} calls that led there`,
          ),
          text(calls),
        )
      : null,
  );
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
      const link = el('button.place', {
        type: 'button',
        title: 'Go to this place',
        click: () => goTo(p.count, p.line, p.column),
      });
      target.replaceWith(link);
      link.append(target);
    }
  }
}
