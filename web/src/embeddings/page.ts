// The page of embeddings: up to three finished layouts side by side, whose colours, filters and selections go together.

import '../style/embeddings.css';
import { announce, download, el, fromBase64, iconButton, perFrame } from '../dom';
import { treeUrl, tsneUrl } from '../address';
import { format } from '../output/format';
import { css } from '../output/embedding/palette';
import { ServerError } from '../protocol/request';
import { api } from '../runs/api';
import { nextTheme } from '../theme';
import { banner } from '../ui/dialog';
import { type Answer, type ColumnInfo, type Figures, layouts, type Query } from './api';
import { colouring, union } from './colouring';
import { Gallery } from './gallery';
import { Panel } from './panel';
import { type EmbeddingsState, readState, writeState } from './view';

const most = 3;
/** Names of which more would make the legend useless. */
const mostNames = 80;

export class EmbeddingsPage {
  readonly dom = el('div.page.embeddings');
  readonly panels: Panel[] = [];
  private readonly state: EmbeddingsState = readState(location.search);
  private readonly banners = el('div.banners');
  private readonly colour = el('select', {
    'aria-label': 'Colour by',
    change: () => {
      this.state.colour = this.colour.value;
      this.state.hidden = [];
      this.restyle();
      void this.measure();
    },
  });
  private readonly link = el('select', {
    'aria-label': 'Link layouts by',
    change: () => {
      this.state.link = this.link.value;
      void this.measure();
    },
  });
  private readonly contours = el('input', {
    type: 'checkbox',
    change: () => {
      this.state.contours = this.contours.checked;
      this.restyle();
    },
  });
  private readonly search = el('input', {
    type: 'search',
    placeholder: 'Search in labels',
    'aria-label': 'Search in labels',
    input: () => this.searchLater(),
  });
  private readonly row = el('input', { type: 'number', min: 0, step: 1, 'aria-label': 'Point', placeholder: 'point' });
  private readonly k = el('input', {
    type: 'number',
    min: 1,
    max: 1000,
    step: 1,
    value: 15,
    'aria-label': 'How many neighbours',
  });
  private readonly file = el('input', {
    type: 'text',
    'aria-label': 'Run folder or file',
    placeholder: 'runs/mine, figures/tsne.csv',
  });
  private readonly opener = el(
    'form.bar',
    {
      submit: (e: Event) => {
        e.preventDefault();
        void this.add(this.file.value.trim());
      },
    },
    this.file,
    el('button', {}, 'Add layout'),
  );
  private readonly legend = el('div.legend', { role: 'group', 'aria-label': 'Groups' });
  private readonly place = el('div.panels');
  private readonly gallery = el('details', {}, el('summary', {}, 'Layouts in this folder'));
  private cards: Gallery | null = null;
  private listed = false;
  private readonly chosen = el('section.chosen', { hidden: true, 'aria-label': 'Selection' });
  private readonly remember = perFrame(() =>
    history.replaceState(
      null,
      '',
      location.pathname + writeState({ ...this.state, places: this.panels.map((p) => p.place) }),
    ),
  );
  private answers: (Answer | null)[] = [];
  private timer = 0;
  private turn = 0;

  constructor() {
    document.title = 'Embeddings – Nacre';
    this.dom.classList.add('empty');
    this.contours.checked = this.state.contours;
    this.search.value = this.state.query?.text ?? '';
    this.dom.append(
      el(
        'header.top',
        {},
        el('a.home', { href: treeUrl(''), 'aria-label': 'Files' }, el('span.pearl', { 'aria-hidden': 'true' })),
        el('h1.wordmark', {}, 'Embeddings'),
        el('span.space'),
        iconButton('theme', 'Theme: system, light, dark', () => announce(`Theme: ${nextTheme()}`)),
      ),
      this.banners,
      el(
        'main',
        { 'aria-label': 'Embeddings' },
        el(
          'div.bar',
          {},
          el('label', {}, 'colour', this.colour),
          el('label', {}, 'link by', this.link),
          el('label', {}, this.contours, 'contours'),
          this.search,
          el(
            'form.near',
            {
              submit: (e: Event) => {
                e.preventDefault();
                this.near(Number(this.row.value));
              },
            },
            el('label', {}, 'nearest', this.k),
            el('label', {}, 'of', this.row),
            el('button', {}, 'Find'),
          ),
          el('span.space'),
          el(
            'span.save',
            {},
            el('button', { type: 'button', click: () => this.select(0, null) }, 'Clear selection'),
            el('button', { type: 'button', click: () => void this.copyLink() }, 'Copy link'),
            el('button', { type: 'button', click: () => this.savePng() }, 'PNG'),
            el('button', { type: 'button', click: () => this.saveSvg() }, 'SVG'),
            el('button', { type: 'button', click: () => void this.saveCsv() }, 'CSV'),
          ),
        ),
        this.legend,
        this.place,
        this.chosen,
        this.gallery,
        this.opener,
      ),
    );
    this.dom.addEventListener('keydown', (e) => {
      const typing = (e.target as HTMLElement).closest('input, select, dialog');
      if (e.key === 'Escape' && !typing && this.state.query) this.select(0, null);
      else if (e.key === '/' && !typing) {
        e.preventDefault();
        this.search.focus();
      }
    });
    document.addEventListener('nacre:theme', () => this.restyle());
    void this.begin();
  }

  private async begin(): Promise<void> {
    const { open, places } = this.state;
    this.state.open = [];
    for (const [i, file] of open.entries()) await this.add(file, places[i] ?? null);
    this.gallery.open = this.panels.length === 0;
    this.gallery.addEventListener('toggle', () => void this.list());
    await this.list();
    document.body.dataset.ready = 'yes';
    if (this.state.query) await this.measure();
  }

  // — layouts —

  /** Lists the layouts below the folder once, when somebody first looks; after an error, when somebody looks again. */
  private async list(): Promise<void> {
    if (!this.gallery.open || this.listed) return;
    this.listed = true;
    const looking = el('p.note', { role: 'status' }, 'Looking for layouts below this folder …');
    this.gallery.append(looking);
    try {
      this.cards = new Gallery(await layouts.list(), (file) => void this.toggle(file));
      this.gallery.append(this.cards.dom);
      this.cards.mark(this.state.open);
    } catch (e) {
      this.listed = false;
      this.problem((e as Error).message);
    } finally {
      looking.remove();
    }
  }

  private async toggle(file: string): Promise<void> {
    const panel = this.panels.find((p) => p.file === file);
    if (panel) this.close(panel);
    else await this.add(file);
  }

  /** Opens a layout beside those that are there; of a file of several, all of them. */
  async add(file: string, place: [number, number, number] | null = null): Promise<void> {
    if (!file) return;
    if (this.panels.length >= most)
      return this.problem(`There are ${most} layouts side by side already; close one first.`);
    try {
      const info = await layouts.open(file);
      banner(this.banners, file, null);
      if (info.planes && !file.includes('#')) {
        for (const plane of info.planes.slice(0, most - this.panels.length)) await this.add(`${file}#${plane}`);
        return;
      }
      const panel: Panel = new Panel(file, info, {
        lasso: (polygon) => this.select(this.panels.indexOf(panel), polygon.length ? { polygon } : null),
        pick: (row) => {
          this.row.value = String(row);
          if (info.vectors) this.near(row, this.panels.indexOf(panel));
          else this.select(this.panels.indexOf(panel), { rows: bit(row) });
        },
        moved: () => this.remember(),
        failed: (e) => this.problem(e.message),
      });
      panel.dom.querySelector('.tools')!.append(iconButton('close', `Close ${info.name}`, () => this.close(panel)));
      this.panels.push(panel);
      this.state.open.push(file);
      this.answers = this.panels.map(() => null);
      this.place.append(panel.dom);
      if (place) panel.goTo(place);
      this.file.value = '';
      this.offer();
      this.restyle();
      if (this.state.query && document.body.dataset.ready) await this.measure();
    } catch (e) {
      this.unopened(file, e as Error);
    }
  }

  /** A layout that is not there can be made, of a run by the server, of a file by the page that lays out. */
  private unopened(file: string, e: Error): void {
    const none = e instanceof ServerError && e.status === 404;
    const actions = !none
      ? []
      : /\.(npz|npy|csv|safetensors)$/.test(file)
        ? [{ label: 'Lay it out', run: () => location.assign(tsneUrl(file)) }]
        : [{ label: 'Make it', run: () => void this.make(file) }];
    banner(
      this.banners,
      file,
      `${file}: ${e.message}`,
      [...actions, { label: 'Close', run: () => banner(this.banners, file, null) }],
      'error',
    );
    document.body.dataset.ready = 'yes';
  }

  /** Asks the server for the embedding of a run, and waits until it is there. */
  private async make(run: string): Promise<void> {
    try {
      await api.make(run, 'embedding');
      for (let since = 0, shape = ''; ; ) {
        const l = await api.list(since, shape); // all runs once, then what has changed
        [since, shape] = [l.version, l.shape];
        const mine = l.making.find((m) => m.path === run && m.what === 'embedding');
        if (!mine) break;
        if (mine.error) throw new Error(mine.error);
        banner(this.banners, run, `${run}: ${mine.line || 'the embedding waits to be made'} …`, [
          { label: 'Cancel', run: () => void api.cancel(run, 'embedding') },
        ]);
        await new Promise((done) => setTimeout(done, 700));
      }
      await this.add(run);
    } catch (e) {
      this.problem(`${run}: ${(e as Error).message}`);
    }
  }

  private close(panel: Panel): void {
    const i = this.panels.indexOf(panel);
    this.panels.splice(i, 1);
    this.state.open.splice(i, 1);
    panel.dispose();
    panel.dom.remove();
    if (this.state.query && this.state.of === i) this.state.query = null;
    else if (this.state.of > i) this.state.of--;
    this.offer();
    this.restyle();
    void this.measure();
  }

  /** Offers what any layout has a column for. */
  private offer(): void {
    const names = [...new Set(this.panels.flatMap((p) => p.info.columns.map((c) => c.name)))];
    const has = (name: string) => names.includes(name);
    if (!has(this.state.colour))
      this.state.colour = has('label')
        ? 'label'
        : (this.panels.flatMap((p) => p.info.columns).find((c) => c.names && c.names.length <= mostNames)?.name ??
          names[0] ??
          '');
    this.colour.replaceChildren(
      ...names.map((n) => el('option', { value: n }, n)),
      el('option', { value: '-' }, 'nothing'),
    );
    this.colour.value = this.state.colour || '-';
    const groups = names.filter((n) => this.panels.some((p) => p.info.columns.some((c) => c.name === n && c.names)));
    this.link.replaceChildren(
      el('option', { value: 'row' }, 'the same point'),
      ...groups.map((n) => el('option', { value: n }, `the same ${n}`)),
      el('option', { value: '-' }, 'nothing'),
    );
    this.link.value = this.linked;
    this.place.dataset.count = String(this.panels.length);
    this.dom.classList.toggle('empty', this.panels.length === 0);
    this.cards?.mark(this.state.open);
  }

  /** By what layouts go together: as chosen, else by the points where there are equally many, else by their labels. */
  private get linked(): string {
    if (this.state.link) return this.state.link;
    if (this.panels.every((p) => p.info.points === this.panels[0]!.info.points)) return 'row';
    const names = this.panels.flatMap((p) => p.info.columns.filter((c) => c.names).map((c) => c.name));
    return names.includes('label') ? 'label' : (names[0] ?? '-');
  }

  // — looks —

  private restyle(): void {
    const look = { column: this.column, hidden: new Set(this.state.hidden), contours: this.state.contours };
    for (const p of this.panels) p.show(look);
    this.drawLegend();
    this.describe();
    this.remember();
  }

  private get column(): ColumnInfo | undefined {
    return union(this.panels.flatMap((p) => p.info.columns.filter((c) => c.name === this.state.colour)));
  }

  private drawLegend(): void {
    const { column } = this;
    const dark = document.documentElement.dataset.theme === 'dark';
    if (!column) return this.legend.replaceChildren();
    const { colours } = colouring(column, dark);
    if (!column.names) {
      const ramp = colours
        .filter((_, i) => i % 8 === 0)
        .map(css)
        .join(', ');
      return this.legend.replaceChildren(
        el('span', {}, format(column.lo)),
        el('i.ramp', { style: `background:linear-gradient(to right, ${ramp})` }),
        el('span', {}, format(column.hi)),
      );
    }
    if (column.names.length > mostNames)
      return this.legend.replaceChildren(
        el('span.note', {}, `${column.names.length} values of ${column.name}: search for them`),
      );
    const { hidden } = this.state;
    const focused = (document.activeElement as HTMLElement | null)?.dataset.name;
    this.legend.replaceChildren(
      ...column.names.map((name, i) =>
        el(
          'button',
          {
            type: 'button',
            'aria-pressed': String(!hidden.includes(name)),
            'data-name': name,
            title: 'Show or hide; double click for this one only',
            click: () => {
              this.state.hidden = hidden.includes(name) ? hidden.filter((h) => h !== name) : [...hidden, name];
              this.filtered();
            },
            dblclick: () => {
              this.state.hidden = column.names!.filter((h) => h !== name);
              this.filtered();
            },
          },
          el('i', { style: `background:${css(colours[i]!)}` }),
          name || '–',
          el('span.note', {}, ` ${(column.count?.[i] ?? 0).toLocaleString('en')}`),
        ),
      ),
    );
    if (focused) this.legend.querySelector<HTMLElement>(`[data-name="${CSS.escape(focused)}"]`)?.focus();
  }

  private filtered(): void {
    this.restyle();
    announce(this.state.hidden.length ? `${this.state.hidden.length} groups hidden` : 'All groups shown');
  }

  // — selection —

  private searchLater(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const text = this.search.value.trim();
      this.select(0, text ? { text } : null);
    }, 250);
  }

  private near(row: number, panel = this.panels.findIndex((p) => p.info.vectors)): void {
    const of = this.panels[panel];
    if (!of)
      return this.problem('None of the layouts knows the vectors it was made of: embeddings.npz is not beside it.');
    this.select(panel, { near: { row, k: Math.max(1, Math.min(1000, Math.trunc(Number(this.k.value)) || 15)) } });
  }

  /** Selects points of a layout, and what goes with them in the others. */
  select(panel: number, query: Query | null): void {
    [this.state.of, this.state.query] = [panel, query];
    if (!query?.text) this.search.value = '';
    void this.measure();
  }

  private async measure(): Promise<void> {
    const turn = ++this.turn;
    const { query, of, colour } = this.state;
    const link = this.linked;
    const source = this.panels[of];
    this.remember();
    if (!query || !source) {
      this.answers = this.panels.map(() => null);
      for (const p of this.panels) p.choose(null);
      return this.describe();
    }
    const group = (p: Panel) => (p.info.columns.some((c) => c.name === colour) ? colour : '');
    try {
      const own = await layouts.select(source.file, query, group(source));
      const linked = async (p: Panel): Promise<Answer | null> => {
        if (p === source) return own;
        if (query.text) return layouts.select(p.file, query, group(p));
        if (link === '-') return null;
        if (link === 'row')
          return p.info.points === source.info.points ? layouts.select(p.file, { rows: own.rows }, group(p)) : null;
        if (![p, source].every((q) => q.info.columns.some((c) => c.name === link))) return null;
        const values = (link === colour ? own : await layouts.select(source.file, query, link)).plane.groups.map(
          (g) => g.name,
        );
        return layouts.select(p.file, { column: link, values }, group(p));
      };
      const answers = await Promise.all(this.panels.map(linked));
      if (turn !== this.turn) return;
      this.answers = answers;
      this.panels.forEach((p, i) => {
        const a = answers[i];
        p.choose(a ? fromBase64(a.rows) : null, a?.places && (query.near || query.rows || query.text) ? a.places : []);
      });
      this.describe();
      announce(
        this.answers
          .map((a, i) => (a ? `${this.panels[i]!.info.name}: ${a.count} selected` : ''))
          .filter(Boolean)
          .join('. '),
      );
    } catch (e) {
      this.problem((e as Error).message);
    }
  }

  // — what is said —

  private problem(text: string): void {
    banner(
      this.banners,
      'failed',
      text,
      [{ label: 'Close', run: () => banner(this.banners, 'failed', null) }],
      'error',
    );
    document.body.dataset.ready = 'yes';
  }

  private describe(): void {
    const say = (f: Figures | undefined, space: string) =>
      f && f.within !== null
        ? `${space}: within groups ${format(f.within)}${f.between === null ? '' : `, between centroids ${format(f.between)}, ratio ${format(f.ratio)}`}`
        : '';
    this.panels.forEach((p, i) => {
      const a = this.answers[i];
      const text = a
        ? `${a.count.toLocaleString('en')} selected. ${[say(a.original, 'among the vectors'), say(a.plane, 'in the plane')].filter(Boolean).join('; ')}`
        : '';
      p.summary.textContent = text;
      p.describe(text);
    });
    const own = this.answers[this.state.of],
      source = this.panels[this.state.of];
    this.chosen.hidden = !own || !source;
    if (!own || !source) return;
    const body =
      own.near && own.places
        ? this.nearTable(own, source)
        : el(
            'table',
            {},
            el(
              'thead',
              {},
              el(
                'tr',
                {},
                ...[
                  this.state.colour,
                  'points',
                  'to centroid',
                  'nearest other',
                  'away',
                  ...(own.original ? ['to centroid, vectors', 'nearest other', 'away'] : []),
                ].map((h) => el('th', { scope: 'col' }, h)),
              ),
            ),
            el(
              'tbody',
              {},
              ...own.plane.groups.slice(0, 100).map((g, i) => {
                const o = own.original?.groups[i];
                return el(
                  'tr',
                  {},
                  el('th', { scope: 'row' }, g.name),
                  ...[
                    g.points.toLocaleString('en'),
                    format(g.within),
                    g.nearest ?? '–',
                    format(g.away),
                    ...(o ? [format(o.within), o.nearest ?? '–', format(o.away)] : []),
                  ].map((t) => el('td', {}, t)),
                );
              }),
            ),
          );
    this.chosen.replaceChildren(
      el(
        'h2',
        {},
        `${own.count.toLocaleString('en')} of ${source.info.points.toLocaleString('en')} points of ${source.info.name}`,
      ),
      body,
    );
  }

  private nearTable(a: Answer, source: Panel): HTMLElement {
    const text = new Map(a.places!.map((p) => [p.row, p.text]));
    const line = (row: number, distance: string) =>
      el(
        'tr',
        {},
        el(
          'th',
          { scope: 'row' },
          el(
            'button.link',
            {
              type: 'button',
              title: 'Its neighbours',
              click: () => {
                this.row.value = String(row);
                this.near(row, this.state.of);
              },
            },
            String(row),
          ),
        ),
        el('td', {}, distance),
        ...(text.get(row) ?? []).map((t) => el('td', {}, t)),
      );
    return el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ...['point', 'distance among the vectors', ...source.info.columns.map((c) => c.name)].map((h) =>
            el('th', { scope: 'col' }, h),
          ),
        ),
      ),
      el('tbody', {}, line(a.places![0]!.row, '0'), ...a.near!.map((n) => line(n.row, format(n.distance)))),
    );
  }

  // — out —

  private async copyLink(): Promise<void> {
    history.replaceState(
      null,
      '',
      location.pathname + writeState({ ...this.state, places: this.panels.map((p) => p.place) }),
    );
    try {
      await navigator.clipboard.writeText(location.href);
      announce('The link is copied');
    } catch {
      this.problem('The clipboard cannot be written; the address of this page is the link.');
    }
  }

  private name(ending: string): string {
    return `${
      this.panels
        .map((p) => p.info.name)
        .join(' and ')
        .replace(/[^\w ,.-]+/g, '-')
        .slice(0, 80) || 'embeddings'
    }.${ending}`;
  }

  private savePng(): void {
    if (!this.panels.length) return;
    const gap = 20,
      head = 40;
    const width = this.panels.reduce((w, p) => w + p.size.width + gap, gap),
      height = Math.max(...this.panels.map((p) => p.size.height)) + head + gap;
    const canvas = el('canvas', { width, height });
    const c = canvas.getContext('2d')!;
    const style = getComputedStyle(document.body);
    c.fillStyle = style.getPropertyValue('--paper');
    c.fillRect(0, 0, width, height);
    c.fillStyle = style.getPropertyValue('--text');
    c.font = '22px sans-serif';
    let x = gap;
    for (const p of this.panels) {
      c.fillText(p.info.name, x, 28, p.size.width);
      p.drawInto(c, x, head);
      x += p.size.width + gap;
    }
    canvas.toBlob((blob) => blob && download(this.name('png'), 'image/png', blob));
  }

  /** The layouts as one picture of lines and circles. */
  svg(): string {
    const gap = 20,
      head = 40;
    const width = this.panels.reduce((w, p) => w + p.size.width + gap, gap),
      height = Math.max(0, ...this.panels.map((p) => p.size.height)) + head + gap;
    const style = getComputedStyle(document.body);
    const quoted = (s: string) => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    let x = gap,
      body = '';
    for (const p of this.panels) {
      body += `<text x="${x}" y="28" font-family="sans-serif" font-size="22" fill="${style.getPropertyValue('--text')}">${quoted(p.info.name)}</text>${p.svg(x, head)}`;
      x += p.size.width + gap;
    }
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${style.getPropertyValue('--paper')}"/>${body}</svg>\n`;
  }

  private saveSvg(): void {
    if (this.panels.length) download(this.name('svg'), 'image/svg+xml', this.svg());
  }

  /** The selected points, or all, of the layout in which they were selected. */
  private async saveCsv(): Promise<void> {
    const source = this.panels[this.state.of] ?? this.panels[0];
    if (!source) return;
    try {
      download(this.name('csv'), 'text/csv', await layouts.csv(source.file, this.state.query ?? {}));
    } catch (e) {
      this.problem((e as Error).message);
    }
  }
}

/** A set of one point, as base64. */
function bit(row: number): string {
  const bytes = new Uint8Array((row >> 3) + 1);
  bytes[row >> 3] = 1 << (row & 7);
  let text = '';
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text);
}
