// A table to sort, filter and page through.

import { announce, download, el } from '../../dom';
import { cells, distribution, showing } from './columns';
import { csv, decode, exampleFilter, pick, type Table, unknownNames } from './decode';

/** Rows on a page. */
const pageRows = 15;

export class TableView {
  readonly dom = el('figure.table');
  private data: Table;
  private sort: { column: number; down: boolean } | null = null;
  private page = 0;
  private rows: number[] = [];
  private readonly filter: HTMLInputElement;
  private readonly head = el('tr');
  private readonly body = el('tbody');
  private readonly foot = el('figcaption');

  constructor(json: unknown) {
    this.data = decode(json);
    this.filter = el('input', {
      type: 'search',
      'aria-label': 'Filter rows',
      spellcheck: 'false',
      autocomplete: 'off',
      input: () => this.filtered(),
      // Escape empties the field, with this event only.
      search: () => this.filtered(),
    });
    const grid = el(
      'div.viewport',
      { tabindex: '0', role: 'group', 'aria-label': 'Table' },
      el('table', {}, el('thead', {}, this.head), this.body),
    );
    this.dom.append(grid, this.foot);
    this.hint();
    this.pick();
  }

  update(json: unknown): void {
    this.data = decode(json);
    if (this.sort && this.sort.column >= this.data.columns.length) this.sort = null;
    this.hint();
    this.pick();
  }

  dispose(): void {
    /* holds nothing outside its element */
  }

  /** Says by this table's own columns what a filter can be. */
  private hint(): void {
    this.filter.placeholder = ['filter: a word', exampleFilter(this.data)].filter(Boolean).join(', ');
  }

  private filtered(): void {
    this.page = 0;
    this.pick();
  }

  /** Shows all rows again. */
  private show(): void {
    this.filter.value = '';
    this.filtered();
    this.filter.focus();
    announce('All rows shown');
  }

  private pick(): void {
    this.rows = pick(this.data, this.filter.value, this.sort);
    this.page = Math.min(this.page, Math.max(0, Math.ceil(this.rows.length / pageRows) - 1));
    this.draw();
  }

  private draw(): void {
    const columns = showing(this.data);
    this.head.replaceChildren(
      ...columns.map(({ at, column: c }) => {
        const down = this.sort?.column === at ? this.sort.down : null;
        return el(
          'th',
          {
            scope: 'col',
            'data-number': c.number,
            'aria-sort': down === null ? null : down ? 'descending' : 'ascending',
          },
          el(
            'button',
            { type: 'button', 'data-column': String(at), click: () => this.sortBy(at) },
            c.name,
            el('span.order', { 'aria-hidden': 'true' }, down === null ? '' : down ? ' ↓' : ' ↑'),
          ),
          distribution(c, this.rows),
        );
      }),
    );
    const first = this.page * pageRows;
    const rows = this.rows.slice(first, first + pageRows);
    const drawn = columns.map((shown) => cells(shown, rows));
    this.body.replaceChildren(...rows.map((_, i) => el('tr', {}, ...drawn.map((column) => column[i]!))));
    this.drawFoot(first);
  }

  private drawFoot(first: number): void {
    const held = this.data.columns[0]?.values.length ?? 0,
      n = this.rows.length,
      last = Math.min(n, first + pageRows);
    const step = (label: string, mark: string, by: number, possible: boolean) =>
      el('button', { type: 'button', 'aria-label': label, disabled: !possible, click: () => this.turn(by) }, mark);
    const count = n === 0 ? 'no row' : n <= pageRows ? `${n} row${n === 1 ? '' : 's'}` : `${first + 1}–${last} of ${n}`;
    const unknown = n === 0 ? unknownNames(this.filter.value, this.data) : [];
    const about = this.data.notes.map((n) => el('span.note', {}, n));
    const notes = [
      n < held ? `of ${held}` : '',
      unknown.length ? `no column is called ${unknown.join(', ')}` : '',
      held < this.data.rows ? `the first ${held} of ${this.data.rows} rows are here` : '',
    ]
      .filter(Boolean)
      .join('; ');
    const hides =
      n < held
        ? el(
            'button.hides',
            { type: 'button', title: 'Empty the filter', click: () => this.show() },
            `The filter hides ${held - n}: show all`,
          )
        : null;
    const wasFocused =
      this.foot.contains(document.activeElement) && document.activeElement !== this.filter
        ? (document.activeElement as HTMLElement).getAttribute('aria-label')
        : null;
    const small = held <= pageRows && n === held && this.filter.value === '';
    const parts = [
      n > pageRows
        ? el('span.pages', {}, step('Previous page', '‹', -1, this.page > 0), step('Next page', '›', 1, last < n))
        : null,
      el('span.count', {}, count, notes ? ` ${notes}` : ''),
      hides,
      ...about,
      el('span.space'),
      el(
        'button',
        {
          type: 'button',
          'aria-label': 'Save as CSV',
          title: 'Save these rows as a CSV file',
          click: () => this.save(),
        },
        'CSV',
      ),
    ].filter((p) => p !== null);
    // The filter stays in the page while it is typed into.
    for (const old of [...this.foot.children]) if (old !== this.filter) old.remove();
    if (small) this.filter.remove();
    else if (!this.filter.isConnected || this.filter.parentElement !== this.foot) this.foot.append(this.filter);
    if (this.filter.parentElement === this.foot) this.filter.before(...parts.slice(0, -2));
    else this.foot.prepend(...parts.slice(0, -2));
    this.foot.append(...parts.slice(-2));
    if (wasFocused) this.foot.querySelector<HTMLElement>(`button[aria-label="${wasFocused}"]:not(:disabled)`)?.focus();
  }

  /** Up, down, and back to the order of the table. */
  private sortBy(column: number): void {
    const now = this.sort?.column === column ? this.sort : null;
    this.sort = !now
      ? { column, down: this.data.columns[column]!.number }
      : now.down === this.data.columns[column]!.number
        ? { column, down: !now.down }
        : null;
    this.page = 0;
    this.pick();
    this.head.querySelector<HTMLElement>(`button[data-column="${column}"]`)!.focus();
    announce(
      this.sort
        ? `Sorted by ${this.data.columns[column]!.name}, ${this.sort.down ? 'descending' : 'ascending'}`
        : 'In the order of the table',
    );
  }

  private turn(by: number): void {
    this.page += by;
    this.draw();
    announce(`Page ${this.page + 1} of ${Math.ceil(this.rows.length / pageRows)}`);
  }

  private save(): void {
    download('table.csv', 'text/csv', csv(this.data, this.rows));
  }
}
