// What outputs of one link have selected together: tasks, by the names that embeddings, episodes and curves have for them.

import { Signal } from '../dom';

/** A selection of tasks that several views share; null is none. Views say who they are, so that none hears itself. */
export class Brush {
  readonly changed = new Signal<object>();
  selected: ReadonlySet<string> | null = null;

  select(names: Iterable<string> | null, by: object): void {
    const chosen = new Set(names ?? []),
      { selected } = this;
    if (chosen.size === (selected?.size ?? 0) && [...chosen].every((n) => selected!.has(n))) return;
    this.selected = chosen.size ? chosen : null;
    this.changed.emit(by);
  }

  has(name: string): boolean {
    return !this.selected || this.selected.has(name);
  }
}

const brushes = new Map<string, Brush>();

/** The brush of a link; one of its own if there is none. */
export function brushOf(link = ''): Brush {
  const brush = brushes.get(link) ?? new Brush();
  if (link) brushes.set(link, brush);
  return brush;
}

/** A view's part in a brush, which may become another with new data. */
export class Brushing {
  private brush = new Brush();
  private off: () => void = () => undefined;
  private link: string | Brush = '';

  /** heard is called when another view has changed the selection. */
  constructor(private readonly heard: () => void) {}

  /** Joins the brush of a link, or the one that is given. */
  join(link: string | Brush): void {
    if (link === this.link && link !== '') return;
    if (typeof this.link !== 'string' && typeof link === 'string' && !link) return; // one that was given stays
    this.off();
    this.link = link;
    this.brush = typeof link === 'string' ? brushOf(link) : link;
    this.off = this.brush.changed.on((by) => {
      if (by !== this) this.heard();
    });
    if (this.brush.selected) this.heard();
  }

  leave(): void {
    this.off();
  }
  get selected(): ReadonlySet<string> | null {
    return this.brush.selected;
  }
  has(name: string): boolean {
    return this.brush.has(name);
  }
  select(names: Iterable<string> | null): void {
    this.brush.select(names, this);
  }
}
