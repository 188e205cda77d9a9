// Search and replace across cells.

import { announce, el, iconButton } from '../dom';
import { compile, findAll, type Match, type Query, replaceAll, replacement } from '../model/search';
import type { Cell } from '../model/notebook';
import type { OpenNotebook } from './actions';

export class SearchBar {
  readonly dom: HTMLElement;
  private readonly text = el('input', {
    type: 'text',
    placeholder: 'Search',
    'aria-label': 'Search',
    spellcheck: 'false',
  });
  private readonly by = el('input', {
    type: 'text',
    placeholder: 'Replace with',
    'aria-label': 'Replace with',
    spellcheck: 'false',
  });
  private readonly count = el('span.count', { role: 'status' });
  private readonly flags = {
    caseSensitive: this.flag('Aa', 'Match case'),
    word: this.flag('W', 'Whole words'),
    regexp: this.flag('.*', 'Regular expression'),
    selected: this.flag('▤', 'In the selected cells only'),
  };
  private matches: Match[] = [];
  private at = -1;
  private scope: Cell[] | null = null;

  constructor(private readonly page: OpenNotebook) {
    const action = (label: string, title: string, run: () => void) =>
      el('button', { type: 'button', title, click: run }, label);
    this.dom = el(
      'div.searchbar',
      { role: 'search', hidden: true },
      el(
        'div.row',
        {},
        this.text,
        this.flags.caseSensitive,
        this.flags.word,
        this.flags.regexp,
        this.flags.selected,
        this.count,
        iconButton('up', 'Previous', () => this.step(-1), 'Shift+Enter'),
        iconButton('down', 'Next', () => this.step(1), 'Enter'),
        iconButton('close', 'Close', () => this.close(), 'Escape'),
      ),
      el(
        'div.row',
        {},
        this.by,
        action('Replace', 'Replace this match', () => this.replaceOne()),
        action('Replace all', 'Replace every match; one undo takes it back', () => this.replaceEvery()),
      ),
    );
    this.text.addEventListener('input', () => this.find());
    this.dom.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') this.close();
      else if (e.key === 'Enter' && e.target === this.text) this.step(e.shiftKey ? -1 : 1);
      else if (e.key === 'Enter' && e.target === this.by) this.replaceOne();
      else return;
      e.preventDefault();
    });
    page.notebook.edited.on(() => {
      if (!this.dom.hidden) this.find(true);
    });
  }

  open(): void {
    const { selection } = this.page;
    const editor = this.page.view(selection.cell).editor;
    const chosen =
      selection.mode === 'edit' && editor
        ? editor.view.state.sliceDoc(editor.view.state.selection.main.from, editor.view.state.selection.main.to)
        : '';
    if (chosen && !chosen.includes('\n')) this.text.value = chosen;
    this.scope = selection.cells.length > 1 ? selection.cells : null;
    this.flags.selected.setAttribute('aria-pressed', String(this.scope !== null));
    this.flags.selected.disabled = this.scope === null;
    this.dom.hidden = false;
    this.text.focus();
    this.text.select();
    this.find();
  }

  close(): void {
    this.dom.hidden = true;
    this.matches = [];
    this.mark();
    this.page.selection.set(this.page.selection.index, 'command');
    this.page.focus();
  }

  private get query(): Query {
    const on = (b: HTMLElement) => b.getAttribute('aria-pressed') === 'true';
    return {
      text: this.text.value,
      caseSensitive: on(this.flags.caseSensitive),
      word: on(this.flags.word),
      regexp: on(this.flags.regexp),
    };
  }

  private flag(label: string, title: string): HTMLButtonElement {
    const button = el(
      'button.flag',
      {
        type: 'button',
        title,
        'aria-label': title,
        'aria-pressed': 'false',
        click: () => {
          button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
          this.find();
        },
      },
      label,
    );
    return button;
  }

  private searched(cell: Cell): boolean {
    return this.flags.selected.getAttribute('aria-pressed') !== 'true' || (this.scope?.includes(cell) ?? true);
  }

  private find(keep = false): void {
    const { cells } = this.page.notebook;
    const problem = this.text.value ? compile(this.query) : '';
    this.matches = findAll(
      cells.map((c) => (this.searched(c) ? c.source : '')),
      this.query,
    );
    if (!keep || this.at >= this.matches.length) {
      const from = this.page.selection.index;
      this.at = this.matches.length
        ? Math.max(
            0,
            this.matches.findIndex((m) => m.cell >= from),
          )
        : -1;
    }
    this.text.classList.toggle('bad', typeof problem === 'string' && problem !== '');
    this.text.title = typeof problem === 'string' ? problem : '';
    this.tellCount();
    this.mark();
    if (!keep && this.at >= 0) this.show();
  }

  private tellCount(): void {
    this.count.textContent = !this.text.value
      ? ''
      : this.matches.length
        ? `${this.at + 1} of ${this.matches.length}`
        : 'nothing found';
  }

  private mark(): void {
    const byCell = new Map<number, { from: number; to: number; current: boolean }[]>();
    this.matches.forEach((m, i) => {
      const list = byCell.get(m.cell) ?? [];
      list.push({ from: m.from, to: m.to, current: i === this.at });
      byCell.set(m.cell, list);
    });
    this.page.notebook.cells.forEach((c, i) => this.page.view(c).setMarks(byCell.get(i) ?? []));
  }

  private step(by: -1 | 1): void {
    if (!this.matches.length) return;
    this.at = (this.at + by + this.matches.length) % this.matches.length;
    this.tellCount();
    this.mark();
    this.show();
  }

  private show(): void {
    const m = this.matches[this.at]!;
    const cell = this.page.notebook.cells[m.cell]!;
    const view = this.page.view(cell);
    this.page.reveal(m.cell);
    if (view.rendered) view.unrender();
    this.page.selection.set(m.cell, 'command');
    view.ensureEditor().goTo(m.from, m.to);
    view.dom.querySelector('.match.current')?.scrollIntoView({ block: 'nearest' });
    this.text.focus();
  }

  private replaceOne(): void {
    const m = this.matches[this.at];
    if (!m) return;
    const cell = this.page.notebook.cells[m.cell]!;
    const by = replacement(cell.source, m, this.query, this.by.value);
    this.page.notebook.transact([cell], () =>
      cell.setSource(cell.source.slice(0, m.from) + by + cell.source.slice(m.to)),
    );
    this.find(true);
    if (this.at >= 0) this.show();
    this.by.focus();
  }

  private replaceEvery(): void {
    const touched = [...new Set(this.matches.map((m) => this.page.notebook.cells[m.cell]!))];
    const n = this.matches.length;
    if (!n) return;
    this.page.notebook.transact(touched, () =>
      touched.forEach((c) => c.setSource(replaceAll(c.source, this.query, this.by.value))),
    );
    this.find();
    this.count.textContent = `${n} replaced`;
    announce(`${n} replaced in ${touched.length} cells`);
  }
}
