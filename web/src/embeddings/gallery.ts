// All layouts below the folder, each with a small picture; a click opens one beside those that are open.

import { el } from '../dom';
import { css } from '../output/embedding/palette';
import { type Entry, type Info, type Listing, layouts } from './api';
import { colouring } from './colouring';
import { decodeTile } from './tiles';

/** Pictures are this wide and high, and as many are drawn at the same time. */
const side = 132;
const atOnce = 4;

export class Gallery {
  readonly dom = el('section.gallery', { 'aria-label': 'Layouts in this folder' });
  private readonly waiting: [Entry, HTMLCanvasElement][] = [];
  private under = 0;
  /** Only what comes into view is drawn. */
  private readonly observer = new IntersectionObserver((seen) => {
    for (const s of seen) {
      if (!s.isIntersecting) continue;
      this.observer.unobserve(s.target);
      const entry = this.entries.get(s.target as HTMLCanvasElement)!;
      this.waiting.push([entry, s.target as HTMLCanvasElement]);
      this.next();
    }
  });
  private readonly entries = new Map<HTMLCanvasElement, Entry>();

  constructor(
    list: Listing,
    private readonly open: (file: string) => void,
  ) {
    const groups = new Map<string, Entry[]>();
    for (const e of list.entries) groups.set(e.group, [...(groups.get(e.group) ?? []), e]);
    if (!list.entries.length)
      this.dom.append(
        el(
          'p.note',
          {},
          'No run folder here has a layout yet. “Make embedding” on the page of runs, or nacre embed RUN, makes one.',
        ),
      );
    for (const [group, entries] of groups)
      this.dom.append(
        el('h2', {}, group === '.' ? 'this folder' : group),
        el('ul', {}, ...entries.map((e) => this.card(e))),
      );
    if (list.total > list.entries.length)
      this.dom.append(
        el('p.note', {}, `${list.entries.length} of ${list.total} layouts; open others by their folder, below.`),
      );
    this.dom.append(...(list.notes ?? []).map((n) => el('p.note', {}, n)));
  }

  /** Says which layouts are open. */
  mark(open: string[]): void {
    for (const b of this.dom.querySelectorAll('button'))
      b.setAttribute('aria-pressed', String(open.includes(b.dataset.file!)));
  }

  private card(e: Entry): HTMLElement {
    const canvas = el('canvas', { width: 2 * side, height: 2 * side, 'aria-hidden': 'true' });
    this.entries.set(canvas, e);
    this.observer.observe(canvas);
    const button = el(
      'button',
      { type: 'button', 'data-file': e.file, 'aria-pressed': 'false', title: e.file },
      canvas,
      el('span', {}, e.name),
    );
    button.addEventListener('click', () => this.open(e.file));
    return el('li', {}, button);
  }

  private next(): void {
    while (this.under < atOnce && this.waiting.length) {
      const [entry, canvas] = this.waiting.shift()!;
      this.under++;
      void draw(entry, canvas)
        .catch((e: Error) => canvas.replaceWith(el('span.unshown', {}, e.message)))
        .finally(() => {
          this.under--;
          this.next();
        });
    }
  }
}

/** Draws the sample of points that the uppermost tile holds, by label where there is one. */
async function draw(e: Entry, canvas: HTMLCanvasElement): Promise<void> {
  const info = await layouts.open(e.file);
  const at = info.columns.findIndex((c) => c.name === 'label');
  const tile = decodeTile(await layouts.tile(e.file, 0, 0, 0), info.columns.length);
  const { colours, group } = colouring(info.columns[at], document.documentElement.dataset.theme === 'dark');
  const c = canvas.getContext('2d')!;
  const [scale, left, bottom] = view(info);
  for (let i = 0; i < tile.x.length; i++) {
    c.fillStyle = css(colours[at < 0 ? 0 : group(tile.columns[at]![i]!)]!);
    c.fillRect((tile.x[i]! - left) * scale - 1.5, 2 * side - (tile.y[i]! - bottom) * scale - 1.5, 3, 3);
  }
}

function view(info: Info): [scale: number, left: number, bottom: number] {
  const [left, bottom, size] = info.square;
  const room = 0.04 * size;
  return [(2 * side) / (size + 2 * room), left - room, bottom - room];
}
