// What cells ask of their notebook.

import { sectionEnd } from '../model/headings';
import type { Cell } from '../model/notebook';
import { knownTypes, renderData } from '../output/render';
import type { OpenNotebook } from './actions';
import type { CellHost, CellView } from './cellview';
import type { Folding } from './folding';
import type { Running } from './running';
import type { Mode } from './selection';
import type { WritingHost } from './writing';

export class CellsHost implements CellHost {
  constructor(private readonly page: OpenNotebook & { readonly folding: Folding; readonly running: Running }) {}

  private set(view: CellView, mode: Mode, extend?: boolean): void {
    this.page.selection.set(this.page.notebook.index(view.cell), mode, extend);
  }
  /** The focus has come into a cell, perhaps because it was selected. */
  private took(view: CellView, mode: Mode): void {
    const { selection } = this.page;
    if (selection.cell !== view.cell || selection.mode !== mode) this.set(view, mode);
  }

  get folder(): string {
    return this.page.folder;
  }
  get lineNumbers(): boolean {
    return this.page.lineNumbers;
  }
  toggleFold(view: CellView): void {
    this.page.folding.toggle(view);
  }
  move(view: CellView, id: string, value: unknown): Promise<string> {
    return this.page.running.move(view, id, value);
  }
  define(view: CellView): void {
    this.took(view, 'edit');
    this.page.run('go.definition');
  }
  step(view: CellView, way: 'undo' | 'redo'): boolean {
    return this.page.notebook.lastStepIn(view.cell, way) && this.page.notebook[way]();
  }
  select(view: CellView, event: MouseEvent | null): void {
    this.set(view, 'command', event?.shiftKey);
  }
  focused(view: CellView): void {
    this.took(view, 'edit');
  }
  entered(view: CellView): void {
    this.took(view, 'command');
  }
  escape(): void {
    this.page.selection.set(this.page.selection.index, 'command');
  }
  edit(view: CellView): void {
    this.set(view, 'edit');
  }
  command(id: string, view: CellView): void {
    this.set(view, 'command');
    this.page.run(id === 'cell.run' ? 'run.stay' : id);
  }
  leave(view: CellView, direction: -1 | 1): boolean {
    const { notebook, selection } = this.page;
    const next = selection.neighbour(direction, notebook.index(view.cell));
    if (next < 0) return false;
    const to = this.page.view(notebook.cells[next]!);
    selection.set(next, to.cell.type === 'markdown' && to.rendered ? 'command' : 'edit');
    if (selection.mode === 'edit') to.ensureEditor().goTo(direction > 0 ? 0 : to.cell.source.length);
    return true;
  }
  index(cell: Cell): number {
    return this.page.notebook.index(cell);
  }
  dragged(cell: Cell): Cell[] {
    const { cells } = this.page.selection;
    const i = this.page.notebook.index(cell);
    if (cells.includes(cell) && cells.length > 1) return cells;
    // A folded heading takes along what it hides.
    return this.page.notebook.cells.slice(
      i,
      cell.metadata.heading_collapsed ? sectionEnd(this.page.notebook.cells, i) : i + 1,
    );
  }
  drop(cells: Cell[], at: number): void {
    this.page.notebook.moveTo(cells, at);
    const first = this.page.notebook.index(cells[0]!);
    this.page.selection.setRange(first, first + cells.length - 1);
  }
  writing(cell: Cell): WritingHost {
    return {
      complete: (code, cursor) => this.page.link.complete(code, cursor, this.page.above(cell)),
      signature: (code, cursor) => this.page.link.signature(code, cursor, this.page.above(cell)),
      inspect: async (code, cursor, detail) => {
        const data = await this.page.link.inspect(code, cursor, detail, this.page.above(cell));
        return data && knownTypes(data).length
          ? renderData(data, {}, { fresh: false, folder: this.page.folder, goTo: () => undefined }).dom
          : null;
      },
    };
  }
  goTo(view: CellView, where: string, line: number, column: number): void {
    const cell =
      where === ''
        ? view.cell
        : (this.page.notebook.find(where) ??
          this.page.notebook.cells.find((c) => c.type === 'code' && String(c.count) === where) ??
          view.cell);
    const index = this.page.notebook.index(cell);
    this.page.reveal(index);
    this.page.selection.set(index, 'edit');
    this.page.view(cell).goToPlace(line, column);
    this.page.focus();
  }
}
