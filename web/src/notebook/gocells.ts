// What is done with the Go of cells: it is formatted.

import { announce } from '../dom';
import type { Cell } from '../model/notebook';
import type { OpenNotebook } from './actions';

/** Formats code cells as gofmt does; one undo takes it back. Throws what keeps cells as they are. */
export async function format(page: OpenNotebook, cells: Cell[]): Promise<void> {
  const code = cells.filter((c) => c.type === 'code' && c.source.trim());
  const sources = code.map((c) => c.source);
  const found = await page.link.format(sources);
  if (!found) throw new Error('this notebook’s kernel does not format cells.');
  // A cell that changed meanwhile stays.
  const edits = code.flatMap((cell, i) => {
    const { code: text, message } = found[i]!;
    return message || text === sources[i] || cell.source !== sources[i] ? [] : [{ cell, text }];
  });
  if (edits.length)
    page.notebook.transact(
      edits.map((e) => e.cell),
      () => edits.forEach(({ cell, text }) => replace(page, cell, text)),
    );
  const refused = code.flatMap((cell, i) => {
    const { message, line } = found[i]!;
    return message ? [`${page.notebook.index(cell) + 1}${line ? `, line ${line}` : ''}: ${message}`] : [];
  });
  if (refused.length)
    throw new Error(
      `${refused.length === 1 ? 'a cell does not parse and stays as it is' : `${refused.length} cells do not parse and stay as they are`}. ` +
        `Cell ${refused.slice(0, 3).join('; cell ')}${refused.length > 3 ? ' …' : '.'}`,
    );
  announce(edits.length ? `${edits.length} ${edits.length === 1 ? 'cell' : 'cells'} formatted` : 'Formatted already');
}

/** Gives a cell a text in which blanks differ; the cursor stays at the letter where it was. */
function replace(page: OpenNotebook, cell: Cell, text: string): void {
  const { editor } = page.view(cell);
  const at = editor ? letters(cell.source.slice(0, editor.view.state.selection.main.head)) : 0;
  cell.setSource(text);
  if (!editor) return;
  let i = 0;
  for (let n = 0; n < at && i < text.length; i++) if (/\S/.test(text[i]!)) n++;
  editor.goTo(i);
}

const letters = (text: string) => text.replace(/\s/g, '').length;
