// What the user asks of the kernel: to run cells, to interrupt, to restart, to take a control's new value.

import { fields } from '../model/json';
import { announce } from '../dom';
import type { Cell } from '../model/notebook';
import { moved } from '../output/control/decode';
import { ownTypes } from '../output/mime';
import { ask } from '../ui/dialog';
import type { OpenNotebook } from './actions';
import type { CellView } from './cellview';
import { clearOutputs } from './editing';
import type { Execution } from './execution';
import type { Original } from './original';
import type { Staleness } from './staleness';

interface Page extends OpenNotebook {
  readonly execution: Execution;
  readonly staleness: Staleness;
  readonly original: Original;
  /** Cells have been sent to the kernel. */
  started(): void;
}

export class Running {
  constructor(private readonly page: Page) {}

  async selected(then: 'stay' | 'next' | 'insert'): Promise<void> {
    const { notebook, selection } = this.page;
    const { cells, range } = selection;
    const sent = this.cells(cells);
    const found = notebook.index(cells[cells.length - 1]!);
    const at = found < 0 ? range[1] : found;
    const next = selection.neighbour(1, at);
    if (then === 'insert' || (then === 'next' && next < 0)) {
      notebook.insert(at + 1, notebook.make('code'));
      selection.set(at + 1, 'edit');
    } else selection.set(then === 'next' ? next : at, 'command');
    await sent;
  }

  async range(from: number, to: number): Promise<void> {
    await this.cells(this.page.notebook.cells.slice(from, to));
  }

  /** Runs cells, in their order in the list. */
  async cells(cells: Cell[]): Promise<void> {
    const { link, original, saving } = this.page;
    for (const c of cells) this.page.view(c).render();
    if (!cells.some((c) => c.type === 'code')) return;
    if (original.here) await original.leave();
    if (link.state === 'none') await link.start();
    if (!link.ready) {
      // The cells wait for a kernel that starts only now.
      const waiting = cells.filter((c) => c.type === 'code' && c.source.trim() && c.state === 'idle');
      waiting.forEach((c) => c.setState('queued'));
      try {
        await link.needed();
      } catch (e) {
        waiting.forEach((c) => c.setState('idle'));
        throw e;
      }
    }
    // The server keeps outputs by cell: it has to know the cells.
    if (saving.textDirty) void saving.save();
    this.page.execution.run(cells);
    this.page.staleness.acted();
    this.page.started();
  }

  /** Runs what is stale; without a kernel that is all that ran in one before. */
  async stale(): Promise<void> {
    const alone = this.page.link.state === 'unneeded' || this.page.link.state === 'none';
    const cells = alone
      ? this.page.notebook.cells.filter((c) => c.type === 'code' && c.count !== null)
      : await this.page.staleness.cells();
    if (!cells.length) return announce('Nothing is stale');
    announce(`${cells.length} stale ${cells.length === 1 ? 'cell runs' : 'cells run'}`);
    await this.cells(cells);
  }

  /** Gives a control in a cell's outputs a value. */
  async move(view: CellView, id: string, value: unknown): Promise<string> {
    const problem = await this.page.link.move(id, value);
    if (problem === '') this.page.staleness.acted();
    if (problem !== null) return problem;
    // No kernel has it: the notebook keeps the value, which counts when the cell runs.
    const { mime } = ownTypes.control,
      { outputs } = view.cell;
    const at = outputs.findIndex((o) => 'data' in o && fields(o.data[mime]).id === id);
    const output = outputs[at];
    const data = output && 'data' in output && moved(output.data, value);
    if (data) view.cell.replaceOutput(at, { ...output, data });
    return 'Not connected to a kernel: run this cell, and the value counts.';
  }

  async interrupt(): Promise<void> {
    if (!this.page.execution.running.length && this.page.link.state !== 'busy') return;
    await this.page.link.interrupt();
    announce('Interrupted');
  }

  async restart(runAll: boolean, clear = false): Promise<void> {
    const { link } = this.page;
    if (link.state !== 'unneeded' && link.state !== 'dead' && link.state !== 'none') {
      const sure = await ask(
        'Restart the kernel?',
        ['Variables, functions and running cells of this kernel are lost. The notebook and its outputs stay.'],
        [
          { label: 'Cancel', value: false },
          { label: 'Restart', value: true, primary: true },
        ],
      );
      if (!sure) return;
    }
    if (link.state === 'unneeded') await link.needed();
    else await link.restart();
    if (clear) clearOutputs(this.page);
    if (runAll) await this.range(0, this.page.notebook.cells.length);
  }
}
