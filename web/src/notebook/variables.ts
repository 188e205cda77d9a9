// The kernel's variables, asked for when something ran. What one holds is asked for when it is opened, a level at a time,
// so that values that hold themselves can be looked into as well.

import { el, iconButton, svgIcon } from '../dom';
import type { KernelLink } from '../protocol/kernel';

interface Variable {
  name: string;
  type: string;
  value: string;
  size: number;
  parts?: number;
}

/** The parts of a variable, or of the part of it that a path of indices leads to. */
interface Parts {
  of: string;
  path: number[];
  list: Variable[];
  total: number;
}

const keyOf = (of: string, path: number[]) => JSON.stringify([of, ...path]);

export class Variables {
  readonly dom: HTMLElement;
  private readonly body = el('tbody');
  private readonly note = el('p.note');
  private readonly filter = el('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter variables' });
  private list: Variable[] = [];
  private readonly unfolded = new Map<string, Parts>();
  private asked = 0;

  constructor(
    private readonly link: KernelLink,
    close: () => void,
  ) {
    this.dom = el(
      'aside.variables',
      { 'aria-label': 'Variables', hidden: true },
      el('header', {}, el('h2', {}, 'Variables'), this.filter, iconButton('close', 'Close', close)),
      this.note,
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col' }, 'Name'),
            el('th', { scope: 'col' }, 'Value'),
            el('th', { scope: 'col' }, 'Type'),
          ),
        ),
        this.body,
      ),
    );
    this.filter.addEventListener('input', () => this.show());
    this.dom.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') close();
    });
    link.restarted.on(() => {
      this.list = [];
      this.unfolded.clear();
      this.show();
    });
  }

  opened(): void {
    void this.refresh();
    this.filter.focus();
  }

  /** Asks again, if the list is open. */
  async refresh(): Promise<void> {
    if (this.dom.hidden) return;
    const asked = ++this.asked;
    try {
      const reply = await this.link.control<{ variables: Variable[] }>('variables_request', {});
      if (asked !== this.asked) return;
      this.list = reply?.status === 'ok' ? reply.variables : [];
      this.note.textContent = reply?.status === 'ok' ? '' : 'This kernel does not list its variables.';
      for (const [key, p] of [...this.unfolded].sort((a, b) => a[1].path.length - b[1].path.length)) {
        const parts = this.list.some((v) => v.name === p.of) ? await this.parts(p.of, p.path) : null;
        if (asked !== this.asked) return;
        if (typeof parts === 'object' && parts) this.unfolded.set(key, parts);
        else this.unfolded.delete(key);
      }
      this.show();
    } catch (e) {
      this.note.textContent = (e as Error).message;
    }
  }

  /** Asks for parts; a text says why there are none. */
  private async parts(of: string, path: number[]): Promise<Parts | string> {
    const reply = await this.link.control<{ variables: Variable[]; total: number; evalue?: string }>(
      'variables_request',
      {
        of,
        path,
      },
    );
    return reply?.status === 'ok'
      ? { of, path, list: reply.variables, total: reply.total }
      : String(reply?.evalue ?? 'This kernel does not open its variables.');
  }

  private async open(of: string, path: number[]): Promise<void> {
    const key = keyOf(of, path);
    if (this.unfolded.delete(key)) return this.show(key);
    try {
      const parts = await this.parts(of, path);
      if (typeof parts === 'object') this.unfolded.set(key, parts);
      this.show(key);
      if (typeof parts === 'string') this.note.textContent = parts;
    } catch (e) {
      this.note.textContent = (e as Error).message;
    }
  }

  private rows(v: Variable, of: string, path: number[]): HTMLElement[] {
    const key = keyOf(of, path);
    const inside = this.unfolded.get(key);
    const name = el('th', { scope: 'row' });
    name.style.setProperty('--depth', String(path.length));
    if (v.parts) {
      const button = el('button.open', {
        type: 'button',
        'data-key': key,
        'aria-expanded': String(Boolean(inside)),
        'aria-label': `What ${v.name} holds`,
        click: () => void this.open(of, path),
      });
      button.append(svgIcon('chevron'));
      name.append(button);
    }
    name.append(v.name);
    const row = el(
      'tr',
      {},
      name,
      el('td.value', { title: v.value }, v.value),
      el(
        'td.type',
        { title: v.type },
        v.size >= 0 && !v.type.startsWith('string') ? `${v.type} · ${v.size.toLocaleString('en')}` : v.type,
      ),
    );
    if (!inside) return [row];
    const rest = inside.total - inside.list.length;
    return [
      row,
      ...inside.list.flatMap((p, k) => this.rows(p, of, [...path, k])),
      ...(rest > 0 ? [el('tr', {}, el('td.rest', { colspan: 3 }, `… and ${rest.toLocaleString('en')} more`))] : []),
    ];
  }

  /** Shows what is known; the button of the key, if there is one, keeps the focus. */
  private show(key = ''): void {
    const wanted = this.filter.value.toLowerCase();
    const rows = this.list.filter((v) => `${v.name} ${v.type}`.toLowerCase().includes(wanted));
    this.body.replaceChildren(...rows.flatMap((v) => this.rows(v, v.name, [])));
    if (key) [...this.body.querySelectorAll<HTMLElement>('button.open')].find((b) => b.dataset.key === key)?.focus();
    if (!this.list.length && !this.note.textContent) this.note.textContent = 'None yet.';
    else if (this.list.length) this.note.textContent = '';
  }
}
