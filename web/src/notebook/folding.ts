// Sections below headings, folded and unfolded.

import { headingLevel, hiddenByFolding, sectionEnd } from '../model/headings';
import type { Cell } from '../model/notebook';
import type { OpenNotebook } from './actions';
import type { CellView } from './cellview';

export class Folding {
  /** Which cells are hidden, by index. */
  hidden: boolean[] = [];
  private timer = 0;

  constructor(private readonly page: OpenNotebook) {}

  fold(on: boolean): void {
    let index = this.page.selection.index;
    // Inside a section, folding folds the section.
    while (on && index > 0 && !headingLevel(this.page.notebook.cells[index]!)) index--;
    const cell = this.page.notebook.cells[index]!;
    if (!headingLevel(cell)) return;
    cell.setMetadata('heading_collapsed', on ? true : undefined);
    this.page.selection.set(index, 'command');
    this.show();
    this.page.notebook.edited.emit();
  }

  toggle(view: CellView): void {
    this.page.selection.set(this.page.notebook.index(view.cell), 'command');
    this.fold(view.cell.metadata.heading_collapsed !== true);
  }

  /** Unfolds what hides a cell. */
  reveal(index: number): void {
    for (let i = 0; i < index; i++) {
      const c = this.page.notebook.cells[i]!;
      if (c.metadata.heading_collapsed && sectionEnd(this.page.notebook.cells, i) > index)
        c.setMetadata('heading_collapsed', undefined);
    }
    this.show();
  }

  /** Unfolds the section of a heading. */
  open(cell: Cell): void {
    cell.setMetadata('heading_collapsed', undefined);
    this.show();
  }

  showSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.show(), 120);
  }

  show(): void {
    const { cells } = this.page.notebook;
    this.hidden = hiddenByFolding(cells);
    cells.forEach((c, i) => {
      const view = this.page.view(c);
      view.dom.hidden = this.hidden[i]!;
      view.setFolded(c.metadata.heading_collapsed ? sectionEnd(cells, i) - i - 1 : 0);
    });
  }
}
