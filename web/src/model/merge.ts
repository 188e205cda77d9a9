// Three views of one notebook: as last read or written (base), as the page has it, as the file has it now.

import type { NotebookJson, Output } from './nbformat';

/** Whether a and b are the same apart from outputs, execution counts and what was recorded while running. */
export function sameText(a: NotebookJson, b: NotebookJson): boolean {
  return (
    a.cells.length === b.cells.length &&
    a.cells.every((c, i) => {
      const d = b.cells[i]!;
      return c.id === d.id && c.cell_type === d.cell_type && c.source === d.source;
    })
  );
}

/** Whether two lists of outputs show the same. */
export function sameOutputs(a: Output[] = [], b: Output[] = []): boolean {
  return a.length === b.length && JSON.stringify(a) === JSON.stringify(b);
}
