// Links within the page: to headings, to what has a name, to equations.

import { decoded } from '../address';

/** What a link's fragment names: by its own name, or as a heading. */
export function anchored(root: ParentNode, fragment: string): HTMLElement | undefined {
  const name = CSS.escape(`user-content-${decoded(fragment)}`);
  const own = root.querySelector<HTMLElement>(`[id="${name}"], [name="${name}"]`);
  const headings = [...root.querySelectorAll<HTMLElement>('[data-anchor]')];
  const at = place(
    headings.map((h) => h.dataset.anchor!),
    decoded(fragment),
  );
  return own ?? headings[at];
}

/** The event of what a link leads to: whoever hides it shows it. */
export const reveal = 'nacre-reveal';

/** Shows what a fragment names on this page; false if there is nothing of that name. */
export function goToAnchor(fragment: string): boolean {
  const target = anchored(document, fragment);
  target?.dispatchEvent(new Event(reveal, { bubbles: true }));
  target?.scrollIntoView({ block: 'start' });
  return target !== undefined;
}

/** Makes links within the page work, wherever they come from: ids of texts are not those of the page. */
export function followLinks(): void {
  document.addEventListener('click', (e) => {
    if (e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey) return;
    const href = (e.target as Element).closest('a[href^="#"]')?.getAttribute('href');
    if (href && goToAnchor(href.slice(1))) e.preventDefault();
  });
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
