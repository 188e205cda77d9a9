// Changes of the selected cells: their order, kind and place, the clipboard, what of them is shown.

import { announce } from '../dom';
import { cellsFromJson, cellsMime, cellsToJson, cellsToText } from '../model/clipboard';
import { sectionEnd } from '../model/headings';
import { type CellJson, newId } from '../model/nbformat';
import { Cell } from '../model/notebook';
import { slideType } from '../model/slides';
import type { OpenNotebook } from './actions';

/** The cells copied last, where the browser keeps none. */
let clipboard: CellJson[] = [];

export function types(page: OpenNotebook, type: 'code' | 'markdown' | 'raw'): void {
  page.notebook.setType(page.selection.cells, type);
  if (type === 'markdown') page.selection.cells.forEach((c) => page.view(c).unrender());
}

export function heading(page: OpenNotebook, level: number): void {
  const { cell } = page.selection;
  page.notebook.transact([cell], () => {
    cell.type = 'markdown';
    cell.setSource('#'.repeat(level) + ' ' + cell.source.replace(/^\s*#{1,6}\s*/, ''));
    cell.changed.emit();
  });
  page.selection.set(page.selection.index, 'edit');
}

export function move(page: OpenNotebook, by: -1 | 1): void {
  const { cells } = page.selection;
  const [a, b] = page.selection.range;
  if (page.notebook.move(cells, by)) page.selection.setRange(a + by, b + by);
}

export function insert(page: OpenNotebook, offset: 0 | 1): void {
  const [a, b] = page.selection.range;
  let at = offset ? b + 1 : a;
  // Below a folded heading means below what it hides.
  if (offset && page.notebook.cells[b]!.metadata.heading_collapsed) at = sectionEnd(page.notebook.cells, b);
  page.notebook.insert(at, page.notebook.make('code'));
  page.selection.set(at, 'command');
}

export function toggleOutputs(page: OpenNotebook): void {
  const on = page.selection.cell.metadata.collapsed !== true;
  page.selection.cells.forEach((c) => c.setMetadata('collapsed', on ? true : undefined));
  page.notebook.edited.emit();
}

/** Puts outputs into a box, or shows all of them; a long stream has a box unless this was asked for. */
export function toggleBox(page: OpenNotebook): void {
  const on = !page.view(page.selection.cell).boxed;
  page.selection.cells.forEach((c) => c.setMetadata('scrolled', on));
  page.notebook.edited.emit();
}

export function copy(page: OpenNotebook, cut: boolean): void {
  const { cells } = page.selection;
  clipboard = structuredClone(cells.map((c) => c.toJson()));
  const json = cellsToJson(clipboard);
  // The system's clipboard is out of reach in some settings; cells still go from notebook to notebook in this tab.
  void navigator.clipboard
    ?.write([
      new ClipboardItem({
        'text/plain': new Blob([cellsToText(clipboard)], { type: 'text/plain' }),
        [`web ${cellsMime}`]: new Blob([json], { type: `web ${cellsMime}` }),
      }),
    ])
    .catch(() => undefined);
  try {
    localStorage.setItem('nacre.cells', json);
  } catch {
    /* too large to keep */
  }
  if (cut) remove(page);
  announce(`${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} ${cut ? 'cut' : 'copied'}`);
}

export function paste(page: OpenNotebook, where: 'above' | 'below'): void {
  const kept =
    cellsFromJson(localStorage.getItem('nacre.cells') ?? '') ?? clipboard.map((c) => ({ ...c, id: newId() }));
  if (!kept.length) return;
  const cells = kept.map((json) => new Cell(structuredClone(json)));
  const [a, b] = page.selection.range;
  const at = where === 'above' ? a : b + 1;
  page.notebook.insert(at, ...cells);
  page.selection.set(at + cells.length - 1, 'command');
}

export function remove(page: OpenNotebook): void {
  const [a] = page.selection.range;
  page.notebook.remove(page.selection.cells);
  page.selection.set(Math.min(a, page.notebook.cells.length - 1), 'command');
}

export function step(page: OpenNotebook, way: 'undo' | 'redo'): void {
  if (!page.notebook[way]()) announce(`Nothing to ${way}`);
  page.selection.set(page.selection.index, 'command');
}

export function split(page: OpenNotebook): void {
  const { cell } = page.selection;
  const pieces = page.notebook.split(cell, page.view(cell).ensureEditor().cuts);
  page.selection.set(page.notebook.index(pieces[pieces.length - 1]!), 'edit');
  page.view(cell).ensureEditor().goTo(0);
}

export function merge(page: OpenNotebook): void {
  const [a, b] = page.selection.range;
  const cells = page.notebook.cells.slice(a, a === b ? a + 2 : b + 1);
  if (cells.length < 2) return;
  const merged = page.notebook.merge(cells);
  if (merged.type === 'markdown') page.view(merged).unrender();
  page.selection.set(a, 'command');
}

export function toggleSource(page: OpenNotebook): void {
  for (const c of page.selection.cells) {
    const hidden = c.metadata.jupyter?.source_hidden === true;
    c.setMetadata('jupyter', { ...c.metadata.jupyter, source_hidden: hidden ? undefined : true });
  }
  page.notebook.edited.emit();
}

/** Gives the selected cells a type among slides, as Jupyter writes it; again takes it away. */
export function setSlide(page: OpenNotebook, type: 'slide' | 'skip'): void {
  const on = slideType(page.selection.cell) !== type;
  for (const c of page.selection.cells) {
    const { slide_type: _, ...rest } = (c.metadata.slideshow ?? {}) as Record<string, unknown>;
    const next = on ? { ...rest, slide_type: type } : rest;
    c.setMetadata('slideshow', Object.keys(next).length ? next : undefined);
  }
  page.notebook.edited.emit();
  announce(on ? { slide: 'A slide begins here', skip: 'Not on slides' }[type] : 'No type among slides');
}

export function toggleReactive(page: OpenNotebook): void {
  const on = !page.selection.cell.reactive;
  for (const c of page.selection.cells) if (c.type === 'code') c.setReactive(on);
  page.notebook.edited.emit();
  announce(on ? 'Runs by itself when what it reads changes' : 'Runs when told to');
}

export function clearOutputs(page: OpenNotebook): void {
  const code = page.notebook.cells.filter((c) => c.type === 'code');
  page.notebook.transact(code, () =>
    code.forEach((c) => {
      c.setOutputs([], null);
      c.tookMs = -1;
    }),
  );
}
