// What an open notebook offers to its parts and to what surrounds it. The page composes it; the others only know this.

import type { MimeBundle } from '../model/nbformat';
import type { Cell, Notebook } from '../model/notebook';
import type { KernelLink } from '../protocol/kernel';
import type { CellView } from './cellview';
import type { Saving } from './saving';
import type { Selection } from './selection';
import type { Variables } from './variables';

/** The parts of an open notebook. */
export interface OpenNotebook {
  readonly path: string;
  readonly folder: string;
  /** The file's name without its ending. */
  readonly stem: string;
  readonly notebook: Notebook;
  readonly link: KernelLink;
  readonly selection: Selection;
  readonly saving: Saving;
  readonly variables: Variables;
  readonly lineNumbers: boolean;
  /** Runs a command by name. */
  run(id: string): void;
  /** Runs a cell once more. */
  runAgain(cell: Cell): void;
  /** Keeps the running cell in view until the user goes elsewhere. */
  follow(): void;
  /** Puts the focus into the current cell. */
  focus(): void;
  view(cell: Cell): CellView;
  /** The code cell that is selected, or a new one below it. */
  codeCell(): Cell;
  /** The code above a cell that did not run as it is. */
  above(cell: Cell): string[];
  /** Selects a cell and shows it. */
  goToCell(index: number): void;
  /** Shows a text below the page. */
  showPager(data: MimeBundle): void;
  /** Unfolds what hides a cell. */
  reveal(index: number): void;
}
