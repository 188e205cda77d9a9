// Going from cell to cell, and into what a cell shows.

import { announce } from '../dom';
import type { OpenNotebook } from './actions';

export function go(page: OpenNotebook, direction: -1 | 1, extend: boolean): void {
  const next = page.selection.neighbour(direction);
  if (next >= 0) page.selection.set(next, 'command', extend);
}

export function goToRunning(page: OpenNotebook): void {
  const { cells } = page.notebook;
  const at = cells.findIndex((c) => c.state === 'running');
  if (at >= 0) {
    page.goToCell(at);
    page.follow();
  } else announce('No cell is running');
}

/** Puts the focus on what can be operated in the cell's outputs; Escape comes back. */
export function enterOutputs(page: OpenNotebook): void {
  const takers = page
    .view(page.selection.cell)
    .dom.querySelectorAll<HTMLElement>(
      '.outputs :is(input, select, textarea, button, a[href], [tabindex="0"]):not([disabled])',
    );
  const inside = [...takers].find((e) => e.offsetParent);
  if (inside) inside.focus();
  else announce('Nothing in the outputs takes keys');
}

export function scroll(direction: -1 | 1): void {
  scrollBy({
    top: direction * innerHeight * 0.8,
    behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
  });
}
