// Cells on the system's clipboard: text for everyone, and JSON inside it for other notebooks.

import { type CellJson, newId, parseNotebook } from './nbformat';

export const cellsMime = 'application/vnd.nacre.cells+json';

/** The cells as clipboard text: readable sources, so that pasting into an editor does what one expects. */
export function cellsToText(cells: CellJson[]): string {
  return cells.map((c) => c.source).join('\n\n');
}

/** The cells as JSON for the clipboard. */
export function cellsToJson(cells: CellJson[]): string {
  return JSON.stringify({ type: cellsMime, cells });
}

/** Cells out of such JSON, with new ids; null when the text is something else. */
export function cellsFromJson(text: string): CellJson[] | null {
  try {
    const value = JSON.parse(text);
    if (value?.type !== cellsMime) return null;
    return parseNotebook({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: value.cells }).cells.map((c) => ({
      ...c,
      id: newId(),
    }));
  } catch {
    return null;
  }
}
