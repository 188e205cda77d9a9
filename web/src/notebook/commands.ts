// Every command of the notebook, with its keys: one table for the keyboard, the menus, the palette and the help.

import { download } from '../dom';
import { nextTheme } from '../theme';
import type { OpenNotebook } from './actions';
import * as edit from './editing';
import type { NotebookFile } from './file';
import { codeHidden, hideCode, printPage } from './present';
import type { FileNotes } from './filenotes';
import type { Folding } from './folding';
import * as moving from './moving';
import type { Running } from './running';

export type Side = 'outline' | 'library' | 'variables';

/** What commands work on. */
export interface Page extends OpenNotebook {
  readonly running: Running;
  readonly file: NotebookFile;
  readonly fileNotes: FileNotes;
  readonly folding: Folding;
  readonly search: { open(): void };
  toggleLineNumbers(): void;
  /** Opens or closes what stands beside the notebook; one at a time. */
  toggleSide(which: Side): void;
  palette(): void;
  help(): Promise<void>;
}

export interface Command {
  id: string;
  label: string;
  group: 'Run' | 'Cells' | 'Edit' | 'Kernel' | 'View' | 'File' | 'Move';
  /** Keys in command mode; those under both work while editing too. */
  keys?: string[];
  both?: string[];
  run(page: Page): unknown;
}

/** What is done with Go is loaded when it is asked for. */
const go = async (f: (module: typeof import('./gocells')) => unknown) => f(await import('./gocells'));

export const commands: Command[] = [
  {
    id: 'run.stay',
    label: 'Run the selected cells',
    group: 'Run',
    both: ['Mod-Enter'],
    run: (p) => p.running.selected('stay'),
  },
  {
    id: 'run.next',
    label: 'Run and go to the next cell',
    group: 'Run',
    both: ['Shift-Enter'],
    run: (p) => p.running.selected('next'),
  },
  {
    id: 'run.insert',
    label: 'Run and insert a cell below',
    group: 'Run',
    both: ['Alt-Enter'],
    run: (p) => p.running.selected('insert'),
  },
  { id: 'run.all', label: 'Run all cells', group: 'Run', run: (p) => p.running.range(0, p.notebook.cells.length) },
  { id: 'run.above', label: 'Run all cells above', group: 'Run', run: (p) => p.running.range(0, p.selection.range[0]) },
  {
    id: 'run.below',
    label: 'Run this cell and all below',
    group: 'Run',
    run: (p) => p.running.range(p.selection.range[0], p.notebook.cells.length),
  },
  {
    id: 'run.stale',
    label: 'Run what is stale',
    group: 'Run',
    keys: ['U'],
    both: ['Mod-Shift-Enter'],
    run: (p) => p.running.stale(),
  },
  {
    id: 'run.reactive',
    label: 'Run by itself when what it reads changes',
    group: 'Run',
    keys: ['Shift-U'],
    run: (p) => edit.toggleReactive(p),
  },
  {
    id: 'run.restartAll',
    label: 'Restart the kernel and run all cells',
    group: 'Run',
    run: (p) => p.running.restart(true),
  },

  { id: 'kernel.interrupt', label: 'Interrupt', group: 'Kernel', keys: ['I I'], run: (p) => p.running.interrupt() },
  {
    id: 'kernel.restart',
    label: 'Restart the kernel',
    group: 'Kernel',
    keys: ['0 0'],
    run: (p) => p.running.restart(false),
  },
  {
    id: 'kernel.restartClear',
    label: 'Restart the kernel and clear all outputs',
    group: 'Kernel',
    run: (p) => p.running.restart(false, true),
  },
  { id: 'kernel.shutdown', label: 'Shut the kernel down', group: 'Kernel', run: (p) => p.link.shutdown() },
  { id: 'kernel.reconnect', label: 'Connect to the kernel again', group: 'Kernel', run: (p) => p.link.reconnect() },
  {
    id: 'kernel.variables',
    label: 'Variables',
    group: 'Kernel',
    both: ['Mod-Shift-V'],
    run: (p) => p.toggleSide('variables'),
  },

  {
    id: 'cell.edit',
    label: 'Edit the cell',
    group: 'Move',
    keys: ['Enter'],
    run: (p) => p.selection.set(p.selection.index, 'edit'),
  },
  {
    id: 'cell.up',
    label: 'Select the cell above',
    group: 'Move',
    keys: ['ArrowUp', 'K'],
    run: (p) => moving.go(p, -1, false),
  },
  {
    id: 'cell.down',
    label: 'Select the cell below',
    group: 'Move',
    keys: ['ArrowDown', 'J'],
    run: (p) => moving.go(p, 1, false),
  },
  {
    id: 'cell.extendUp',
    label: 'Extend the selection upwards',
    group: 'Move',
    keys: ['Shift-ArrowUp', 'Shift-K'],
    run: (p) => moving.go(p, -1, true),
  },
  {
    id: 'cell.extendDown',
    label: 'Extend the selection downwards',
    group: 'Move',
    keys: ['Shift-ArrowDown', 'Shift-J'],
    run: (p) => moving.go(p, 1, true),
  },
  {
    id: 'cell.first',
    label: 'Go to the first cell',
    group: 'Move',
    keys: ['Mod-Home', 'Mod-ArrowUp'],
    run: (p) => p.selection.set(0, 'command'),
  },
  {
    id: 'cell.last',
    label: 'Go to the last cell',
    group: 'Move',
    keys: ['Mod-End', 'Mod-ArrowDown'],
    run: (p) => p.selection.set(p.notebook.cells.length - 1, 'command'),
  },
  {
    id: 'cell.selectAll',
    label: 'Select all cells',
    group: 'Move',
    keys: ['Mod-A'],
    run: (p) => p.selection.setRange(0, p.notebook.cells.length - 1),
  },
  {
    id: 'cell.running',
    label: 'Go to the running cell',
    group: 'Move',
    keys: ['G'],
    run: (p) => moving.goToRunning(p),
  },
  {
    id: 'cell.outputs',
    label: 'Go into the outputs; Escape comes back',
    group: 'Move',
    keys: ['N'],
    run: (p) => moving.enterOutputs(p),
  },
  { id: 'page.down', label: 'Scroll down', group: 'Move', keys: ['Space'], run: () => moving.scroll(1) },
  { id: 'page.up', label: 'Scroll up', group: 'Move', keys: ['Shift-Space'], run: () => moving.scroll(-1) },

  { id: 'cell.insertAbove', label: 'Insert a cell above', group: 'Cells', keys: ['A'], run: (p) => edit.insert(p, 0) },
  { id: 'cell.insertBelow', label: 'Insert a cell below', group: 'Cells', keys: ['B'], run: (p) => edit.insert(p, 1) },
  { id: 'cell.cut', label: 'Cut cells', group: 'Cells', keys: ['X', 'Mod-X'], run: (p) => edit.copy(p, true) },
  { id: 'cell.copy', label: 'Copy cells', group: 'Cells', keys: ['C', 'Mod-C'], run: (p) => edit.copy(p, false) },
  {
    id: 'cell.pasteBelow',
    label: 'Paste cells below',
    group: 'Cells',
    keys: ['V'],
    run: (p) => edit.paste(p, 'below'),
  },
  {
    id: 'cell.pasteAbove',
    label: 'Paste cells above',
    group: 'Cells',
    keys: ['Shift-V'],
    run: (p) => edit.paste(p, 'above'),
  },
  { id: 'cell.delete', label: 'Delete cells', group: 'Cells', keys: ['D D'], run: (p) => edit.remove(p) },
  {
    id: 'cell.undo',
    label: 'Undo the last change of cells',
    group: 'Cells',
    keys: ['Z', 'Mod-Z'],
    run: (p) => edit.step(p, 'undo'),
  },
  {
    id: 'cell.redo',
    label: 'Redo it',
    group: 'Cells',
    keys: ['Shift-Z', 'Mod-Shift-Z'],
    run: (p) => edit.step(p, 'redo'),
  },
  {
    id: 'cell.moveUp',
    label: 'Move cells up',
    group: 'Cells',
    keys: ['Mod-Shift-ArrowUp'],
    both: ['Alt-Shift-ArrowUp'],
    run: (p) => edit.move(p, -1),
  },
  {
    id: 'cell.moveDown',
    label: 'Move cells down',
    group: 'Cells',
    keys: ['Mod-Shift-ArrowDown'],
    both: ['Alt-Shift-ArrowDown'],
    run: (p) => edit.move(p, 1),
  },
  {
    id: 'cell.split',
    label: 'Split the cell at the cursor',
    group: 'Cells',
    both: ['Mod-Shift-_', 'Mod-Shift--'],
    run: (p) => edit.split(p),
  },
  { id: 'cell.merge', label: 'Merge cells', group: 'Cells', keys: ['Shift-M'], run: (p) => edit.merge(p) },

  { id: 'cell.code', label: 'Make it a code cell', group: 'Edit', keys: ['Y'], run: (p) => edit.types(p, 'code') },
  {
    id: 'cell.markdown',
    label: 'Make it a text cell (Markdown)',
    group: 'Edit',
    keys: ['M'],
    run: (p) => edit.types(p, 'markdown'),
  },
  { id: 'cell.raw', label: 'Make it a raw cell', group: 'Edit', keys: ['R'], run: (p) => edit.types(p, 'raw') },
  ...[1, 2, 3, 4, 5, 6].map(
    (n): Command => ({
      id: `cell.heading${n}`,
      label: `Make it a heading of level ${n}`,
      group: 'Edit',
      keys: [String(n)],
      run: (p) => edit.heading(p, n),
    }),
  ),
  {
    id: 'cell.format',
    label: 'Format the cells (gofmt)',
    group: 'Edit',
    both: ['Alt-Shift-F'],
    run: (p) => go((f) => f.format(p, p.selection.cells)),
  },
  {
    id: 'cell.formatAll',
    label: 'Format all cells (gofmt)',
    group: 'Edit',
    run: (p) => go((f) => f.format(p, p.notebook.cells)),
  },
  {
    id: 'go.definition',
    label: 'Go to where the name is defined (Ctrl+click)',
    group: 'Move',
    both: ['F12'],
    run: (p) => go((f) => f.define(p)),
  },
  {
    id: 'go.back',
    label: 'Go back from there',
    group: 'Move',
    both: ['Shift-F12'],
    run: (p) => go((f) => f.back(p)),
  },
  {
    id: 'go.rename',
    label: 'Rename what the name at the cursor means',
    group: 'Edit',
    both: ['F2'],
    run: (p) => go((f) => f.rename(p)),
  },
  {
    id: 'search',
    label: 'Search and replace',
    group: 'Edit',
    keys: ['F'],
    both: ['Mod-F'],
    run: (p) => p.search.open(),
  },

  {
    id: 'cell.toggleOutputs',
    label: 'Fold or unfold outputs',
    group: 'View',
    keys: ['O'],
    run: (p) => edit.toggleOutputs(p),
  },
  {
    id: 'cell.toggleScrolled',
    label: 'Scroll long outputs',
    group: 'View',
    keys: ['Shift-O'],
    run: (p) => edit.toggleBox(p),
  },
  {
    id: 'cell.toggleSource',
    label: 'Fold or unfold the source',
    group: 'View',
    keys: ['Shift-S'],
    run: (p) => edit.toggleSource(p),
  },
  { id: 'slide.begin', label: 'Begin a slide here', group: 'View', run: (p) => edit.setSlide(p, 'slide') },
  { id: 'slide.skip', label: 'Leave out of slides', group: 'View', run: (p) => edit.setSlide(p, 'skip') },
  {
    id: 'heading.fold',
    label: 'Fold the section',
    group: 'View',
    keys: ['ArrowLeft'],
    run: (p) => p.folding.fold(true),
  },
  {
    id: 'heading.unfold',
    label: 'Unfold the section',
    group: 'View',
    keys: ['ArrowRight'],
    run: (p) => p.folding.fold(false),
  },
  {
    id: 'view.lineNumbers',
    label: 'Line numbers',
    group: 'View',
    keys: ['Shift-L', 'L'],
    run: (p) => p.toggleLineNumbers(),
  },
  {
    id: 'view.hideCode',
    label: 'Hide or show all code, in exports too',
    group: 'View',
    run: () => hideCode(!codeHidden()),
  },
  { id: 'view.clearAll', label: 'Clear all outputs', group: 'View', run: (p) => edit.clearOutputs(p) },
  {
    id: 'view.outline',
    label: 'Outline of headings and cells',
    group: 'View',
    keys: ['T'],
    both: ['Mod-Shift-O'],
    run: (p) => p.toggleSide('outline'),
  },
  {
    id: 'view.library',
    label: 'Search the library',
    group: 'View',
    keys: ['E'],
    both: ['Mod-Shift-E'],
    run: (p) => p.toggleSide('library'),
  },
  { id: 'view.theme', label: 'Theme: system, light, dark', group: 'View', run: () => nextTheme() },
  {
    id: 'view.palette',
    label: 'All commands',
    group: 'View',
    keys: ['P'],
    both: ['Mod-Shift-P', 'Mod-Shift-C'],
    run: (p) => p.palette(),
  },
  { id: 'view.help', label: 'Keys', group: 'View', keys: ['H', 'Shift-?'], run: (p) => p.help() },

  {
    id: 'file.save',
    label: 'Save, with a checkpoint',
    group: 'File',
    keys: ['S'],
    both: ['Mod-S'],
    run: (p) => p.file.save(),
  },
  { id: 'file.restore', label: 'Go back to the checkpoint', group: 'File', run: (p) => p.file.restoreCheckpoint() },
  { id: 'file.rename', label: 'Rename', group: 'File', run: (p) => p.file.rename() },
  { id: 'file.ipynb', label: 'Download the notebook', group: 'File', run: (p) => p.file.download() },
  { id: 'file.kernel', label: 'Name this kernel in the file', group: 'File', run: (p) => p.fileNotes.takeKernel() },
  {
    id: 'file.html',
    label: 'Export to HTML',
    group: 'File',
    run: async (p) => {
      const { exportHtml } = await import('./exporthtml');
      const file = await exportHtml(p.notebook.toJson(), p.stem, p.folder, !codeHidden());
      download(p.stem + '.html', 'text/html', file);
    },
  },
  {
    id: 'file.slides',
    label: 'Export slides',
    group: 'File',
    run: async (p) => {
      const { exportSlides } = await import('./exporthtml');
      const file = await exportSlides(p.notebook.toJson(), p.stem, p.folder, !codeHidden());
      download(p.stem + '-slides.html', 'text/html', file);
    },
  },
  { id: 'file.print', label: 'Print, or save as PDF', group: 'File', run: () => printPage() },
  {
    id: 'file.go',
    label: 'Export to Go',
    group: 'File',
    run: async (p) => download(p.stem + '.go', 'text/x-go', await p.file.asGo()),
  },
];

const byId = new Map(commands.map((c) => [c.id, c]));
export const command = (id: string): Command => {
  const found = byId.get(id);
  if (!found) throw new Error(`There is no command ${id}.`);
  return found;
};

const inCommandMode = new Map(
  commands.flatMap((c) => [...(c.keys ?? []), ...(c.both ?? [])].map((k) => [k, c] as const)),
);
const anywhere = new Map(commands.flatMap((c) => (c.both ?? []).map((k) => [k, c] as const)));

/** The command for a key. */
export function bound(key: string, mode: 'command' | 'edit'): Command | undefined {
  return (mode === 'command' ? inCommandMode : anywhere).get(key);
}
