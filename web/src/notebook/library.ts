// What cells can import, to search by words, to read, and to put into the notebook.

import { announce, el, iconButton } from '../dom';
import { renderData } from '../output/render';
import type { Entry } from '../protocol/kernel';
import type { OpenNotebook } from './actions';

export class Library {
  readonly dom: HTMLElement;
  private readonly input = el('input', {
    type: 'search',
    placeholder: 'Names or words, such as “embed”',
    'aria-label': 'Search the library',
    spellcheck: 'false',
  });
  private readonly list = el('ul.entries', { 'aria-label': 'Found' });
  private readonly note = el('p.note', { role: 'status' });
  private asked = 0;

  constructor(
    private readonly page: OpenNotebook,
    private readonly close: () => void,
  ) {
    this.dom = el(
      'aside.side.library',
      { 'aria-label': 'Library', hidden: true },
      el(
        'header',
        {},
        el('h2', {}, 'Library'),
        iconButton('close', 'Close', () => close()),
      ),
      this.input,
      this.note,
      this.list,
    );
    this.input.addEventListener('input', () => void this.search());
    this.dom.addEventListener('keydown', (e) => this.key(e));
  }

  opened(): void {
    this.input.focus();
    this.input.select();
    if (!this.list.children.length) void this.search();
  }

  private async search(): Promise<void> {
    const asked = ++this.asked;
    const words = this.input.value.trim() || 'nacre';
    try {
      const found = await this.page.link.search(words, '', []);
      if (asked !== this.asked) return;
      this.note.textContent = found.length ? '' : 'Nothing by that name or in the documentation.';
      this.list.replaceChildren(...found.map((e) => this.row(e)));
    } catch (e) {
      this.note.textContent = (e as Error).message;
    }
  }

  private row(entry: Entry): HTMLElement {
    const short = entry.name ? `${entry.package}.${entry.name}` : entry.path;
    const more = el('div.more', { hidden: true });
    const button = el(
      'button.entry',
      {
        type: 'button',
        'aria-expanded': 'false',
        'data-kind': entry.kind,
        click: () => void this.open(entry, button, more),
      },
      el('code', {}, short),
      el('span.kind', {}, entry.kind),
      entry.doc ? el('span.doc', {}, entry.doc) : null,
    );
    return el('li', {}, button, more);
  }

  private async open(entry: Entry, button: HTMLElement, more: HTMLElement): Promise<void> {
    const shown = more.hidden;
    more.hidden = !shown;
    button.setAttribute('aria-expanded', String(shown));
    if (!shown || more.childElementCount) return;
    const [code, cursor] = mention(entry);
    const data = await this.page.link.inspect(code, cursor, 0, []).catch(() => null);
    more.replaceChildren(
      data ? renderData(data, {}, { fresh: false, folder: '', goTo: () => undefined }).dom : el('p', {}, entry.doc),
      el('button.insert', { type: 'button', click: () => void this.insert(entry) }, 'Insert'),
    );
  }

  /** Puts code that uses the name into the current cell, with the import it needs. */
  private async insert(entry: Entry): Promise<void> {
    const { page } = this;
    const cell = page.codeCell();
    const found = await page.link
      .search(`${entry.package}.${entry.name}`, cell.source, page.above(cell))
      .catch(() => []);
    const same = found.find((e) => e.path === entry.path && e.name === entry.name) ?? entry;
    page
      .view(cell)
      .ensureEditor()
      .insertSnippet(same.snippet, same.import ?? null);
    page.focus();
    announce(`${entry.package}.${entry.name} inserted`);
  }

  private key(e: KeyboardEvent): void {
    if (e.key === 'Escape') return this.close();
    const stops = [this.input, ...this.list.querySelectorAll<HTMLElement>('button.entry')];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[e.key];
    if (at < 0 || to === undefined) return;
    e.preventDefault();
    stops[Math.max(0, Math.min(to, stops.length - 1))]!.focus();
  }
}

/** Code that names an entry, and where in it the name ends: what the kernel can be asked about. */
function mention(e: Entry): [string, number] {
  const [type, member] = e.name.split('.');
  const code =
    `import "${e.path}"\n` +
    (!e.name ? e.package : member ? `var x *${e.package}.${type}\nx.${member}` : `${e.package}.${e.name}`);
  return [code, [...code].length];
}
