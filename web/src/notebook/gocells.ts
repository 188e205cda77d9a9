// What is done with the Go of all cells together: it is formatted, a name leads to its definition, a name is changed.

import { announce, el } from '../dom';
import type { Cell } from '../model/notebook';
import { codePoints, unitsOfCodePoints } from '../model/positions';
import type { Renaming } from '../protocol/kernel';
import { ask } from '../ui/dialog';
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
      () => edits.forEach(({ cell, text }) => reformat(page, cell, text)),
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
function reformat(page: OpenNotebook, cell: Cell, text: string): void {
  const { editor } = page.view(cell);
  const at = editor ? letters(editor.view.state.sliceDoc(0, editor.view.state.selection.main.head)) : 0;
  cell.setSource(text);
  if (!editor) return;
  let i = 0;
  for (let n = 0; n < at && i < text.length; i++) if (/\S/.test(text[i]!)) n++;
  editor.goTo(i);
}

const letters = (text: string) => text.replace(/\s/g, '').length;

// — names —

/** The notebook as the kernel is asked about it: all cells, those that are no code as empty ones. */
const sourcesOf = (page: OpenNotebook) => page.notebook.cells.map((c) => (c.type === 'code' ? c.source : ''));

/** The cursor of the current cell in the cell's text, whose lines may end otherwise than the editor's. */
function cursor(page: OpenNotebook): number {
  const { cell, index } = page.selection;
  const { editor } = page.view(cell);
  if (!editor || cell.type !== 'code') throw new Error('put the cursor into a name of a code cell.');
  const { doc, selection } = editor.view.state;
  const before = doc.sliceString(0, selection.main.head);
  const returns = cell.source.includes('\r\n') ? before.split('\n').length - 1 : 0;
  return codePoints(sourcesOf(page)[index]!, before.length + returns);
}

/** Where F12 was pressed, to go back to. */
const left: { cell: Cell; at: number }[] = [];

/** Goes to where the name at the cursor is defined; what the library defines is shown below the page. */
export async function define(page: OpenNotebook): Promise<void> {
  const { cell, index } = page.selection;
  const found = await page.link.definition(sourcesOf(page), index, cursor(page));
  if (!found) throw new Error('this notebook’s kernel knows no definitions.');
  if (found.cell < 0) {
    if (found.data) page.showPager(found.data);
    else announce('Nothing is known of this name');
    return;
  }
  left.push({ cell, at: page.view(cell).editor!.view.state.selection.main.head });
  if (left.length > 100) left.shift();
  enter(page, found.cell);
  page.view(page.selection.cell).goToPlace(found.line, found.column);
  page.focus();
  announce(`Cell ${found.cell + 1}, line ${found.line}; ${found.uses} ${found.uses === 1 ? 'place' : 'places'} in all`);
}

/** Goes back to where F12 was pressed last. */
export function back(page: OpenNotebook): void {
  for (let to = left.pop(); to; to = left.pop()) {
    const index = page.notebook.index(to.cell);
    if (index < 0) continue;
    enter(page, index);
    page.view(to.cell).ensureEditor().goTo(to.at);
    return page.focus();
  }
  announce('There is no place to go back to');
}

function enter(page: OpenNotebook, index: number): void {
  page.reveal(index);
  page.selection.set(index, 'edit');
}

/** Asks for a new name for what the name at the cursor means, shows what would change, and changes it in all cells. */
export async function rename(page: OpenNotebook): Promise<void> {
  const { cell, index } = page.selection;
  const at = cursor(page);
  const head = page.view(cell).editor!.view.state.selection.main.head;
  const sources = sourcesOf(page);
  const now = await page.link.rename(sources, index, at, '');
  const to = await askName(now, sources, (name) => page.link.rename(sources, index, at, name));
  if (!to) return;
  const cells = page.notebook.cells.filter((_, i) => to.edits[i]?.length);
  if (sourcesOf(page).some((s, i) => s !== sources[i]))
    throw new Error('the notebook has changed meanwhile: try again.');
  page.notebook.transact(cells, () =>
    page.notebook.cells.forEach((c, i) => {
      if (to.edits[i]?.length) c.setSource(edited(sources[i]!, to.edits[i]!));
    }),
  );
  const before = to.edits[index]!.filter((e) => e.from < at);
  const longer = before.reduce((n, e) => n + e.text.length - unitsOf(sources[index]!, e.from, e.to), 0);
  page.view(cell).editor?.goTo(Math.max(0, head + longer));
  page.focus();
  announce(`Renamed in ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`);
}

const unitsOf = (text: string, from: number, to: number) => unitsOfCodePoints(text, to) - unitsOfCodePoints(text, from);

/** A text with changes made. */
function edited(text: string, edits: Renaming['edits'][number]): string {
  let out = '',
    at = 0;
  for (const e of edits) {
    out += text.slice(at, unitsOfCodePoints(text, e.from)) + e.text;
    at = unitsOfCodePoints(text, e.to);
  }
  return out + text.slice(at);
}

/** Lines shown of a preview. */
const mostLines = 200;

/** Asks for a name and shows meanwhile what it changes; null when the user turns back. */
async function askName(
  now: Renaming,
  sources: string[],
  changes: (name: string) => Promise<Renaming>,
): Promise<Renaming | null> {
  const input = el('input', {
    type: 'text',
    value: now.name,
    'aria-label': 'New name',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const note = el('p.note', { role: 'status' });
  const list = el('ol.changes', { 'aria-label': 'What changes', tabindex: 0 });
  let found: Renaming | null = null;
  let asked = 0;
  const button = () => input.closest('dialog')?.querySelector<HTMLButtonElement>('.primary');
  const show = (r: Renaming, problem: string) => {
    found = problem || input.value.trim() === now.name ? null : r;
    const places = r.edits.reduce((n, e) => n + e.length, 0);
    const cells = r.edits.filter((e) => e.length).length;
    const count = `${places} ${places === 1 ? 'place' : 'places'} in ${cells} ${cells === 1 ? 'cell' : 'cells'}.`;
    note.textContent = problem || [count, ...r.notes].join(' ');
    note.classList.toggle('problem', problem !== '');
    list.replaceChildren(...preview(r, sources));
    if (button()) button()!.disabled = !found;
  };
  const ask1 = async () => {
    const mine = ++asked;
    const name = input.value.trim();
    found = null;
    if (button()) button()!.disabled = true;
    if (name === now.name) return show(now, '');
    const answer = await changes(name).catch((e: Error) => e);
    if (mine !== asked) return;
    if (answer instanceof Error) show(now, `${answer.message.replace(/^./, (c) => c.toUpperCase())}.`);
    else show(answer, '');
  };
  input.addEventListener('input', () => void ask1());
  input.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter') return;
    e.preventDefault();
    button()?.click();
  });
  queueMicrotask(() => {
    input.select();
    show(now, '');
  });
  const answer = await ask(
    `Rename ${now.name}`,
    [el('label', {}, 'New name', input), note, list],
    [
      { label: 'Cancel', value: false },
      { label: 'Rename', value: true, primary: true },
    ],
  );
  return answer ? found : null;
}

/** The lines of cells that change, each with the changed names marked. */
function preview(r: Renaming, sources: string[]): HTMLElement[] {
  const lines: HTMLElement[] = [];
  r.edits.forEach((edits, i) => {
    const text = sources[i]!;
    const byLine = new Map<number, typeof edits>();
    for (const e of edits) {
      const start = text.lastIndexOf('\n', unitsOfCodePoints(text, e.from) - 1) + 1;
      byLine.set(start, [...(byLine.get(start) ?? []), e]);
    }
    for (const [start, inLine] of byLine) {
      const end = text.indexOf('\n', start) < 0 ? text.length : text.indexOf('\n', start);
      const code = el('code');
      let at = start;
      for (const e of inLine) {
        const from = unitsOfCodePoints(text, e.from);
        code.append(text.slice(at, from), el('mark', {}, e.text));
        at = unitsOfCodePoints(text, e.to);
      }
      code.append(text.slice(at, end));
      const line = text.slice(0, start).split('\n').length;
      lines.push(el('li', {}, el('span', {}, `cell ${i + 1}, line ${line}`), code));
    }
  });
  const more = lines.length - mostLines;
  return more > 0 ? [...lines.slice(0, mostLines), el('li', {}, `and ${more} more lines`)] : lines;
}
