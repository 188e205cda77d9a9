// The table of runs: a page of rows at a time, groups that fold, boxes to choose what the curves show.

import { announce, el } from '../dom';
import { format } from '../output/format';
import { ago, duration, percent } from './words';
import { type Column, differences, type Row, type Sort, value } from './model';

const pageRows = 100;

interface Actions {
  sort(key: string): void;
  choose(paths: string[], on: boolean): void;
  open(path: string): void;
}

type Item = { group: string; rows: Row[] } | { row: Row };

export class RunTable {
  readonly dom = el('div.list-host');
  empty = '';
  private readonly head = el('tr');
  private readonly body = el('tbody');
  private readonly note = el('p.note', { hidden: true });
  private readonly pages = el('nav.pages', { 'aria-label': 'Pages of the table', hidden: true });
  private readonly folded = new Set<string>();
  private page = 0;
  private again: () => void = () => undefined;

  constructor(private readonly actions: Actions) {
    this.dom.append(
      el('div.scroll', {}, el('table.list', {}, el('thead', {}, this.head), this.body)),
      this.note,
      this.pages,
    );
    this.dom.addEventListener('keydown', (e) => this.move(e));
  }

  show(groups: Map<string, Row[]>, columns: Column[], sort: Sort, chosen: Set<string>, opened: string): void {
    this.again = () => this.show(groups, columns, sort, chosen, opened);
    const named = groups.size > 1 || !groups.has('');
    const items: Item[] = [];
    for (const [group, rows] of groups) {
      if (named) items.push({ group, rows });
      if (!this.folded.has(group)) for (const row of rows) items.push({ row });
    }
    const last = Math.max(0, Math.ceil(items.length / pageRows) - 1);
    this.page = Math.min(this.page, last);
    const shown = items.slice(this.page * pageRows, (this.page + 1) * pageRows);
    const all = [...groups.values()].flat();
    const told = differences(all);
    this.heads(columns, sort, all, chosen);
    const focused = document.activeElement?.closest<HTMLElement>('tr')?.dataset.path,
      inside = document.activeElement?.className ?? '';
    this.body.replaceChildren(
      ...shown.map((i) =>
        'row' in i ? this.row(i.row, columns, chosen, opened, told) : this.group(i.group, i.rows, columns, chosen),
      ),
    );
    if (focused !== undefined)
      this.body
        .querySelector<HTMLElement>(`tr[data-path="${CSS.escape(focused)}"] .${inside.split(' ')[0] || 'open'}`)
        ?.focus();
    this.note.hidden = all.length > 0;
    this.note.textContent = this.empty;
    this.pages.hidden = last === 0;
    const turn = (label: string, by: number) =>
      el(
        'button',
        {
          type: 'button',
          disabled: this.page + by < 0 || this.page + by > last,
          click: () => {
            this.page += by;
            this.again();
            announce(`Page ${this.page + 1} of ${last + 1}`);
          },
        },
        label,
      );
    this.pages.replaceChildren(
      turn('Previous', -1),
      el(
        'span',
        {},
        `${this.page * pageRows + 1}–${Math.min(items.length, (this.page + 1) * pageRows)} of ${items.length}`,
      ),
      turn('Next', 1),
    );
  }

  focus(): void {
    this.body.querySelector<HTMLElement>('.open')?.focus();
  }

  private heads(columns: Column[], sort: Sort, rows: Row[], chosen: Set<string>): void {
    const on = rows.filter((r) => chosen.has(r.path)).length;
    const text = columns.map((c) => c.key + (c.key === sort.key ? sort.down : '')).join() + on + '/' + rows.length;
    if (this.head.dataset.of === text) return;
    const focused = (document.activeElement?.closest('th') as HTMLElement | null)?.dataset.key;
    this.head.dataset.of = text;
    const box = this.box('Choose all', on > 0 && on === rows.length, (yes) =>
      this.actions.choose(
        rows.map((r) => r.path),
        yes,
      ),
    );
    box.indeterminate = on > 0 && on < rows.length;
    this.head.replaceChildren(
      el('th.check', { scope: 'col' }, box),
      ...columns.map((c) =>
        el(
          'th',
          {
            scope: 'col',
            'data-key': c.key,
            class: c.number ? 'number' : '',
            'aria-sort': c.key === sort.key ? (sort.down ? 'descending' : 'ascending') : 'none',
          },
          el('button', { type: 'button', click: () => this.actions.sort(c.key) }, c.label),
        ),
      ),
    );
    if (focused) this.head.querySelector<HTMLElement>(`th[data-key="${CSS.escape(focused)}"] button`)?.focus();
  }

  private box(label: string, checked: boolean, change: (on: boolean) => void): HTMLInputElement {
    const box = el('input.choose', { type: 'checkbox', 'aria-label': label, change: () => change(box.checked) });
    box.checked = checked;
    return box;
  }

  private row(r: Row, columns: Column[], chosen: Set<string>, opened: string, told: Map<string, string>): HTMLElement {
    const cells = columns.map((c) =>
      c.key === 'path'
        ? el(
            'th',
            { scope: 'row' },
            el(
              'button.open',
              {
                type: 'button',
                title: r.path,
                'aria-expanded': String(r.path === opened),
                click: () => this.actions.open(r.path),
              },
              r.path,
            ),
            ...r.note.tags.map((t) => el('span.tag', {}, t)),
            told.get(r.path) ? el('span.told', { title: told.get(r.path) }, told.get(r.path)!) : '',
          )
        : el('td', { class: c.number ? 'number' : '', 'data-column': c.key }, ...cell(r, c)),
    );
    return el(
      'tr',
      { 'data-path': r.path, 'data-state': r.state, 'aria-selected': r.path === opened ? 'true' : null },
      el(
        'td.check',
        {},
        this.box(`Choose ${r.path}`, chosen.has(r.path), (on) => this.actions.choose([r.path], on)),
      ),
      ...cells,
    );
  }

  private group(name: string, rows: Row[], columns: Column[], chosen: Set<string>): HTMLElement {
    const open = !this.folded.has(name);
    const on = rows.filter((r) => chosen.has(r.path)).length;
    const fold = el(
      'button.open',
      {
        type: 'button',
        'aria-expanded': String(open),
        click: () => {
          if (open) this.folded.add(name);
          else this.folded.delete(name);
          this.again();
        },
      },
      name,
    );
    const states = new Map<string, number>();
    for (const r of rows) states.set(r.state, (states.get(r.state) ?? 0) + 1);
    const box = this.box(`Choose ${name}`, on === rows.length, (yes) =>
      this.actions.choose(
        rows.map((r) => r.path),
        yes,
      ),
    );
    box.indeterminate = on > 0 && on < rows.length;
    const cells = columns.map((c) => {
      if (c.key === 'path')
        return el(
          'th',
          { scope: 'row' },
          fold,
          el('span.note', {}, `${rows.length}: ${[...states].map(([s, n]) => `${n} ${s}`).join(', ')}`),
        );
      const numbers = c.key.startsWith('latest.')
        ? rows.map((r) => value(r, c.key)).filter((v): v is number => typeof v === 'number' && Number.isFinite(v))
        : [];
      return el(
        'td',
        { class: c.number ? 'number' : '', title: numbers.length ? `mean of ${numbers.length}` : null },
        numbers.length ? format(numbers.reduce((a, b) => a + b, 0) / numbers.length) : '',
      );
    });
    return el('tr.group', { 'data-path': 'group:' + name }, el('td.check', {}, box), ...cells);
  }

  /** Arrows go from run to run. */
  private move(e: KeyboardEvent): void {
    const here = (e.target as HTMLElement).closest('tr');
    if (!here || (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') || !here.closest('tbody')) return;
    const next = e.key === 'ArrowDown' ? here.nextElementSibling : here.previousElementSibling;
    next?.querySelector<HTMLElement>('.' + ((e.target as HTMLElement).className.split(' ')[0] || 'open'))?.focus();
    e.preventDefault();
  }
}

function cell(r: Row, c: Column): (Node | string)[] {
  const v = value(r, c.key);
  switch (c.key) {
    case 'state':
      return [el('span.state', { 'data-state': r.state, title: r.problem ?? null }, r.state)];
    case 'share':
      return [
        el('span.share', {}, el('progress', { max: 1, value: r.share, 'aria-hidden': 'true' }), percent(r.share)),
      ];
    case 'changed':
    case 'started':
      return [typeof v === 'number' ? el('span', { title: new Date(v).toLocaleString() }, ago(v)) : ''];
    case 'left':
    case 'seconds':
      return [typeof v === 'number' && v > 0 ? duration(v) : ''];
    case 'seed':
      return [String(r.seed)];
    case 'env_steps':
    case 'updates':
      return [Number(v).toLocaleString('en')];
    case 'algorithm':
      return [r.title];
  }
  if (typeof v === 'number') return [Number.isInteger(v) && Math.abs(v) < 1e6 ? String(v) : format(v)];
  return [v ?? ''];
}
