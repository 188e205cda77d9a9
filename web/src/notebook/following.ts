// The page follows the running cell until the user goes elsewhere.

import type { OpenNotebook } from './actions';

/** A cell that is over sooner moves nothing. */
const patience = 400;
/** Keys that move nothing by themselves. */
const silent = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock']);

export class Following {
  private on = false;

  constructor(private readonly page: OpenNotebook) {
    const leave = () => {
      this.on = false;
    };
    for (const what of ['wheel', 'touchmove', 'pointerdown'] as const)
      addEventListener(what, leave, { capture: true, passive: true });
    addEventListener(
      'keydown',
      (e) => {
        if (!silent.has(e.key)) leave();
      },
      true,
    );
  }

  /** Cells were run, or the user asked to see the one that runs. */
  start(): void {
    this.on = true;
  }

  /** Brings the running cell's outputs into view, and no more of the page than that takes. */
  tick(): void {
    const cell = this.on && this.page.notebook.cells.find((c) => c.state === 'running');
    if (!cell || cell.runningMs < patience) return;
    const { dom } = this.page.view(cell);
    const top = (document.querySelector('.top')?.getBoundingClientRect().bottom ?? 0) + 12;
    const bottom = innerHeight - 24;
    const outputs = dom.querySelector('.output-area');
    const whole = dom.getBoundingClientRect();
    // What does not fit shows its outputs from their beginning on.
    const box = whole.height > bottom - top && outputs?.clientHeight ? outputs.getBoundingClientRect() : whole;
    const by =
      box.bottom > bottom ? Math.min(box.bottom - bottom, box.top - top) : box.bottom < top ? box.top - top : 0;
    if (Math.abs(by) > 1) scrollBy(0, by);
  }
}
