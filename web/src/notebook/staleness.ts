// Which cells are stale: the kernel knows what each of them read and what has changed since. Those that are marked so run again by
// themselves, in the page whose user has changed something.

import { announce } from '../dom';
import type { Cell, Notebook } from '../model/notebook';
import type { KernelLink, Staleness as StalenessOf } from '../protocol/kernel';

/** Milliseconds after a run or a move of a control, and after a change of code. */
const soon = 60,
  afterTyping = 350;
const most = 1_000_000; // characters of all cells

export class Staleness {
  private timer = 0;
  private due = 0;
  /** Whether the user has run or moved something here, and what follows from it is not done. */
  private following = false;
  /** The cells that ran by themselves since: each does once, however they depend on each other. */
  private readonly followed = new Set<Cell>();
  private asking: Promise<void> = Promise.resolve();
  private readonly known = new WeakMap<Cell, StalenessOf>();
  /** The sources that were asked about last. */
  private asked = '';

  constructor(
    private readonly notebook: Notebook,
    private readonly link: KernelLink,
    private readonly run: (cells: Cell[]) => void,
  ) {
    notebook.edited.on(() => {
      if (this.key() !== this.asked) this.look(afterTyping);
    });
    notebook.restructured.on(() => this.look(afterTyping));
    link.stateChanged.on(() => this.look(soon));
    link.restarted.on(() => {
      this.following = false;
      this.look(soon);
    });
  }

  /** The user ran cells or moved a control. */
  acted(): void {
    this.following = true;
    this.followed.clear();
    this.look(soon);
  }

  finished(cell: Cell): void {
    // An interrupt or an error ends what follows by itself.
    if (cell.ok === false) this.following = false;
    this.look(soon);
  }

  /** The cells to run, in order, for none to be stale. */
  async cells(): Promise<Cell[]> {
    await this.ask();
    return this.notebook.cells.filter((c) => c.type === 'code' && c.stale && c.state === 'idle');
  }

  /** Looks within so many milliseconds; what is asked for meanwhile does not put it off. */
  private look(within: number): void {
    const due = performance.now() + within;
    if (this.timer && this.due <= due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      void this.ask().then(() => this.follow());
    }, within);
  }

  private ask(): Promise<void> {
    return (this.asking = this.asking.then(() => this.mark()));
  }

  private get code(): Cell[] {
    return this.notebook.cells.filter((c) => c.type === 'code' && c.source.trim());
  }

  private key(): string {
    return this.code.map((c) => c.source).join('\0');
  }

  private async mark(): Promise<void> {
    const cells = this.code;
    this.asked = this.key();
    // Without a kernel nothing is said of cells: a notebook that is only read has no marks.
    const silent = (this.link.state !== 'idle' && this.link.state !== 'busy') || this.asked.length > most;
    const found = silent
      ? null
      : await this.link.stale(cells.map((c) => ({ id: c.id, code: c.source }))).catch(() => null);
    for (const c of this.notebook.cells) {
      const s = found?.[cells.indexOf(c)];
      if (!s || c.state !== 'idle') {
        c.setStale('');
        continue;
      }
      if (s.ran && !s.edited) c.ranSource ??= c.source; // the kernel knows of a run before this page
      c.setStale(
        !s.ran
          ? c.count !== null
            ? 'It ran in an earlier kernel'
            : ''
          : s.edited
            ? 'Edited since it ran'
            : s.because.length
              ? `Changed since it ran: ${s.because.slice(0, 5).join(', ')}${s.because.length > 5 ? ' …' : ''}`
              : '',
      );
      this.known.set(c, s);
    }
  }

  private follow(): void {
    if (!this.following || this.notebook.cells.some((c) => c.state !== 'idle')) return;
    const ready = new Set<string>();
    for (const c of this.notebook.cells) {
      const s = this.known.get(c);
      // A cell that runs again takes its own controls from under the user's hand; one that was edited waits for whoever writes it; and
      // one below a stale cell that does not run by itself would read what it read before.
      if (s && c.reactive && c.stale && c.source === c.ranSource && !s.own && s.after.every((id) => ready.has(id)))
        ready.add(c.id);
    }
    const stale = this.notebook.cells.filter((c) => ready.has(c.id));
    const again = stale.filter((c) => !this.followed.has(c));
    if (!again.length) {
      this.following = false;
      if (stale.length) announce('Cells that run by themselves depend on each other in a circle: they have stopped.');
      return;
    }
    again.forEach((c) => this.followed.add(c));
    this.run(again);
  }
}
