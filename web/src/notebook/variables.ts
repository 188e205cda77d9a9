// The kernel's variables, asked for when something ran.

import { el, iconButton, Signal } from '../dom';
import { KernelLink } from '../protocol/kernel';

interface Variable { name: string; type: string; value: string; size: number }

export class Variables {
  readonly dom: HTMLElement;
  readonly toggled = new Signal<boolean>();
  private readonly body = el('tbody');
  private readonly note = el('p.note');
  private readonly filter = el('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter variables' });
  private list: Variable[] = [];
  private asked = 0;

  constructor(private readonly link: KernelLink) {
    this.dom = el('aside.variables', { 'aria-label': 'Variables', hidden: true },
      el('header', {}, el('h2', {}, 'Variables'), this.filter, iconButton('close', 'Close', () => this.toggle())),
      this.note, el('table', {}, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Name'), el('th', { scope: 'col' }, 'Value'), el('th', { scope: 'col' }, 'Type'))), this.body));
    this.filter.addEventListener('input', () => this.show());
    this.dom.addEventListener('keydown', (e) => { e.stopPropagation(); if (e.key === 'Escape') this.toggle(); });
    link.restarted.on(() => { this.list = []; this.show(); });
  }

  toggle(): void {
    this.dom.hidden = !this.dom.hidden;
    this.toggled.emit(!this.dom.hidden);
    if (!this.dom.hidden) { void this.refresh(); this.filter.focus(); }
  }

  /** Asks again, if the list is open. */
  async refresh(): Promise<void> {
    if (this.dom.hidden) return;
    const asked = ++this.asked;
    try {
      const reply = await this.link.control('variables_request', {});
      if (asked !== this.asked) return;
      this.list = reply?.status === 'ok' ? reply.variables : [];
      this.note.textContent = reply?.status === 'ok' ? '' : 'This kernel does not list its variables.';
      this.show();
    } catch (e) {
      this.note.textContent = (e as Error).message;
    }
  }

  private show(): void {
    const wanted = this.filter.value.toLowerCase();
    const rows = this.list.filter((v) => `${v.name} ${v.type}`.toLowerCase().includes(wanted));
    this.body.replaceChildren(...rows.map((v) => el('tr', {},
      el('th', { scope: 'row' }, v.name),
      el('td.value', { title: v.value }, v.value),
      el('td.type', { title: v.type }, v.size >= 0 && !v.type.startsWith('string') ? `${v.type} · ${v.size.toLocaleString('en')}` : v.type))));
    if (!this.list.length && !this.note.textContent) this.note.textContent = 'None yet.';
    else if (this.list.length) this.note.textContent = '';
  }
}
