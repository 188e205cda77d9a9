// The notebook's headings and cells, to see what is where and to go there.

import { el, iconButton, perFrame } from '../dom';
import { headingLevel, titleOf } from '../model/headings';
import type { OpenNotebook } from './actions';

export class Outline {
  readonly dom: HTMLElement;
  private readonly list = el('ol');
  private readonly show = perFrame(() => this.draw());

  constructor(
    private readonly page: OpenNotebook,
    private readonly close: () => void,
  ) {
    this.dom = el(
      'aside.side.outline',
      { 'aria-label': 'Outline', hidden: true },
      el(
        'header',
        {},
        el('h2', {}, 'Outline'),
        iconButton('close', 'Close', () => close()),
      ),
      el('nav', { 'aria-label': 'Headings and cells' }, this.list),
    );
    this.dom.addEventListener('keydown', (e) => this.key(e));
    page.notebook.restructured.on(() => this.show());
    page.notebook.edited.on(() => this.show());
    page.selection.changed.on(() => this.show());
  }

  opened(): void {
    this.draw();
    (this.list.querySelector<HTMLElement>('[aria-current]') ?? this.list.querySelector('button'))?.focus();
  }

  /** The cells' states are as they are now. */
  tick(): void {
    if (!this.dom.hidden)
      this.list.querySelectorAll<HTMLElement>('button').forEach((b, i) => {
        b.dataset.state = this.page.notebook.cells[i]?.state;
      });
  }

  private draw(): void {
    if (this.dom.hidden) return;
    const { cells } = this.page.notebook;
    const focused = this.dom.contains(document.activeElement)
      ? [...this.list.children].indexOf(document.activeElement!.parentElement!)
      : -1;
    let depth = 0;
    this.list.replaceChildren(
      ...cells.map((cell, i) => {
        const level = headingLevel(cell);
        if (level) depth = level;
        return el(
          'li',
          {},
          el(
            level ? 'button.heading' : 'button',
            {
              type: 'button',
              style: `--depth: ${level ? level - 1 : depth}`,
              'data-kind': cell.type,
              'data-state': cell.state,
              'data-ok': String(cell.ok ?? ''),
              'aria-current': cell === this.page.selection.cell ? 'true' : null,
              click: () => this.page.goToCell(i),
            },
            titleOf(cell),
          ),
        );
      }),
    );
    if (focused >= 0)
      (this.list.children[Math.min(focused, cells.length - 1)]?.firstElementChild as HTMLElement | null)?.focus();
  }

  private key(e: KeyboardEvent): void {
    if (e.key === 'Escape') return this.close();
    const buttons = [...this.list.querySelectorAll<HTMLElement>('button')];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[e.key];
    if (to === undefined || at < 0) return;
    e.preventDefault();
    buttons[Math.max(0, Math.min(to, buttons.length - 1))]!.focus();
  }
}
