// What an open notebook offers to what surrounds it. The page composes it; header, search and commands only know this.

import type { Cell, Notebook } from '../model/notebook';
import type { KernelLink } from '../protocol/kernel';
import type { CellView } from './cellview';
import type { Saving } from './saving';
import type { Selection } from './selection';
import type { Variables } from './variables';

export type Side = 'outline' | 'library' | 'variables';

/** The parts of an open notebook. */
export interface OpenNotebook {
  readonly path: string;
  readonly notebook: Notebook;
  readonly link: KernelLink;
  readonly selection: Selection;
  readonly saving: Saving;
  readonly variables: Variables;
  readonly lineNumbers: boolean;
  /** Runs a command by name. */
  run(id: string): void;
  /** Puts the focus into the current cell. */
  focus(): void;
  view(cell: Cell): CellView;
  /** The code cell that is selected, or a new one below it. */
  codeCell(): Cell;
  /** The code above a cell that did not run as it is. */
  above(cell: Cell): string[];
  /** Selects a cell and shows it. */
  goToCell(index: number): void;
  /** Unfolds what hides a cell. */
  reveal(index: number): void;
}

/** What commands do to an open notebook. */
export interface NotebookActions extends OpenNotebook {
  readonly folder: string;
  /** The file's name without its ending. */
  readonly stem: string;
  readonly search: { open(): void };

  runSelected(then: 'stay' | 'next' | 'insert'): Promise<void>;
  /** Runs the cells from one index up to, without, another. */
  runRange(from: number, to: number): Promise<void>;
  runStale(): Promise<void>;
  /** Has the selected cells run by themselves when what they read has changed, or no more. */
  toggleReactive(): void;
  enterOutputs(): void;
  interrupt(): Promise<void>;
  restart(runAll: boolean, clear?: boolean): Promise<void>;
  shutdown(): Promise<void>;
  reconnect(): Promise<void>;

  copy(cut: boolean): void;
  paste(where: 'above' | 'below'): void;
  deleteSelected(): void;
  undo(): void;
  redo(): void;
  split(): void;
  merge(): void;
  clearAll(): void;

  toggleSource(): void;
  toggleLineNumbers(): void;
  fold(on: boolean): void;
  scroll(direction: -1 | 1): void;
  palette(): void;
  /** Opens or closes what stands beside the notebook; one at a time. */
  toggleSide(which: Side): void;
  goToRunning(): void;
  help(): Promise<void>;

  saveWithCheckpoint(): Promise<void>;
  restoreCheckpoint(): Promise<void>;
  rename(): Promise<void>;
  downloadNotebook(): Promise<void>;
  /** The notebook as a Go program. */
  asGo(): Promise<string>;
}
