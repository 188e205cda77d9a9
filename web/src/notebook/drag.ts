// Cells are dragged by what stands left of them. The keys for moving cells do the same.

import type { Cell } from '../model/notebook';

export interface DragHost {
  /** The cells that go along with one, in order. */
  dragged(cell: Cell): Cell[];
  /** Puts cells before the one at an index. */
  drop(cells: Cell[], at: number): void;
  index(cell: Cell): number;
}

let moving: { cells: Cell[]; host: DragHost } | null = null;

/** Lets a cell be dragged by a handle. */
export function draggable(handle: HTMLElement, cell: Cell, host: DragHost): void {
  handle.draggable = true;
  handle.title = 'Drag to move the cell';
  handle.addEventListener('dragstart', (e) => {
    moving = { cells: host.dragged(cell), host };
    e.dataTransfer!.effectAllowed = 'move';
    e.dataTransfer!.setData('text/plain', moving.cells.map((c) => c.source).join('\n\n'));
    handle.closest('.cell')!.classList.add('dragged');
  });
  handle.addEventListener('dragend', () => {
    moving = null;
    handle.closest('.cell')!.classList.remove('dragged');
    unmark();
  });
}

/** Takes cells that are dropped on a list of the cells' elements. */
export function dropZone(list: HTMLElement, host: DragHost, cellOf: (dom: Element) => Cell | undefined): void {
  const place = (e: DragEvent): { dom: HTMLElement; at: number; below: boolean } | null => {
    const dom = (e.target as HTMLElement).closest<HTMLElement>('.cell');
    const cell = dom && cellOf(dom);
    if (!dom || !cell) return null;
    const box = dom.getBoundingClientRect();
    const below = e.clientY > box.top + box.height / 2;
    return { dom, below, at: host.index(cell) + Number(below) };
  };
  list.addEventListener('dragover', (e) => {
    const found = moving?.host === host && place(e);
    if (!found) return;
    e.preventDefault();
    unmark();
    found.dom.classList.add(found.below ? 'drop-below' : 'drop-above');
  });
  list.addEventListener('drop', (e) => {
    const found = moving?.host === host && place(e);
    if (!found) return;
    e.preventDefault();
    host.drop(moving!.cells, found.at);
    unmark();
  });
}

function unmark(): void {
  document.querySelectorAll('.drop-above, .drop-below').forEach((d) => d.classList.remove('drop-above', 'drop-below'));
}
