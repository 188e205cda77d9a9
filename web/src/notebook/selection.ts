// Which cells are selected, and whether one is being edited.

import { Signal } from '../dom';
import type { Cell, Notebook } from '../model/notebook';

export type Mode = 'command' | 'edit';

export class Selection {
  readonly changed = new Signal();
  mode: Mode = 'command';
  private current = 0;
  private anchor = 0;

  constructor(
    private readonly notebook: Notebook,
    private readonly hidden: (index: number) => boolean,
  ) {}

  get index(): number {
    return Math.min(this.current, this.notebook.cells.length - 1);
  }
  get cell(): Cell {
    return this.notebook.cells[this.index]!;
  }
  get range(): [number, number] {
    const anchor = Math.min(this.anchor, this.notebook.cells.length - 1);
    return [Math.min(this.index, anchor), Math.max(this.index, anchor)];
  }
  get cells(): Cell[] {
    const [a, b] = this.range;
    return this.notebook.cells.slice(a, b + 1);
  }

  set(index: number, mode: Mode = this.mode, extend = false): void {
    this.current = Math.max(0, Math.min(index, this.notebook.cells.length - 1));
    if (!extend) this.anchor = this.current;
    this.mode = mode;
    this.changed.emit();
  }

  setRange(from: number, to: number): void {
    this.anchor = from;
    this.set(to, 'command', true);
  }

  /** The next cell in a direction that no folded section hides; −1 at the end. */
  neighbour(direction: -1 | 1, from = this.index): number {
    for (let i = from + direction; i >= 0 && i < this.notebook.cells.length; i += direction)
      if (!this.hidden(i)) return i;
    return -1;
  }
}
