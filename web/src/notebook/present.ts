// The notebook as others see it: without code, and on paper.

import { announce } from '../dom';
import { lightWhile } from '../theme';

const root = document.documentElement;

/** Whether the code of all cells is hidden, in this tab. */
export const codeHidden = (): boolean => root.classList.contains('hide-code');

export function hideCode(on: boolean): void {
  root.classList.toggle('hide-code', on);
  announce(on ? 'Code is hidden' : 'Code is shown');
}

/** Prints the page in light colours. The browser's own dialog saves it as a PDF. */
export const printPage = (): Promise<void> => lightWhile(() => window.print());

/** The width of a sheet of paper within its margins, in pixels. */
const sheet = 670;

/** On paper a table cannot be scrolled: one that is wider than the sheet is made smaller. */
export function fitTables(): void {
  const tables = () => document.querySelectorAll<HTMLElement>('.outputs table, .prose table');
  addEventListener('beforeprint', () => {
    for (const t of tables()) if (t.scrollWidth > sheet) t.style.zoom = String(Math.max(0.3, sheet / t.scrollWidth));
  });
  addEventListener('afterprint', () => {
    for (const t of tables()) t.style.zoom = '';
  });
}
