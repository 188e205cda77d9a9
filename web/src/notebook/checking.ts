// Problems of cells, shown before they run. The kernel checks the whole notebook, and runs nothing for it, a moment after
// the last change. A change of code starts a kernel where none was needed before.

import type { Cell, Notebook } from '../model/notebook';
import type { KernelLink, Problem } from '../protocol/kernel';

const pause = 350; // ms after the last change
const most = 1_000_000; // characters of all cells

export class Checking {
  private timer = 0;
  private checked: string;
  private asking = false;

  constructor(
    private readonly notebook: Notebook,
    private readonly link: KernelLink,
    private readonly show: (cell: Cell, problems: readonly Problem[]) => void,
  ) {
    this.checked = this.key();
    notebook.edited.on(() => this.soon());
    notebook.restructured.on(() => this.soon());
    link.stateChanged.on(() => this.soon());
    link.restarted.on(() => {
      this.checked = '';
      this.soon();
    });
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), pause);
  }

  private get cells(): Cell[] {
    return this.notebook.cells.filter((c) => c.type === 'code' && c.source.trim());
  }

  private key(): string {
    return JSON.stringify(this.cells.map((c) => [c.source, c.declared]));
  }

  private async check(): Promise<void> {
    const key = this.key();
    if (
      this.asking ||
      key === this.checked ||
      key.length > most ||
      !['unneeded', 'idle', 'busy'].includes(this.link.state)
    )
      return;
    const { cells } = this;
    const sources = cells.map((c) => c.source);
    this.asking = true;
    try {
      const found = await this.link.problems(cells.map((c) => ({ code: c.source, ran: c.declared })));
      this.checked = key;
      for (const c of this.notebook.cells) {
        const i = cells.indexOf(c);
        // A cell that changed meanwhile is asked about again.
        if (i < 0 || sources[i] === c.source) this.show(c, found?.[i] ?? []);
      }
    } catch {
      this.checked = key; // the kernel says elsewhere what is wrong with it
    } finally {
      this.asking = false;
    }
    if (this.key() !== this.checked) this.soon();
  }
}
