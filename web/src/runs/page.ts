// All runs below the server's folder: a table to filter, sort and group, the curves of those that are chosen, and one run
// looked at closely.

import '../style/runs.css';
import { announce, el, iconButton, perFrame } from '../dom';
import { embeddingsUrl, treeUrl } from '../address';
import { isSite } from '../site/about';
import { nextTheme } from '../theme';
import { banner, guarded, openMenu } from '../ui/dialog';
import { api, type Job, type Listing, type Making } from './api';
import { CurvePanel } from './curvepanel';
import { RunDetail } from './detail';
import { filter, grouped, Runs, type Sort, sorted } from './model';
import { startRun } from './start';
import { RunTable } from './table';

const every = 1000;
/** Until all folders are read the rest is asked for sooner. */
const soon = 150;
/** As many layouts fit side by side. */
const mostLayouts = 3;

/** What the address keeps of the view, so that a link shows it again. */
interface View {
  filter: string;
  sort: Sort;
  group: string;
  columns: string[];
  chosen: string[];
  run: string;
}

const standard: View = {
  filter: '',
  sort: { key: 'changed', down: true },
  group: '',
  columns: ['state', 'share', 'env_steps', 'latest.adapted_return', 'algorithm', 'family', 'seed', 'changed'],
  chosen: [],
  run: '',
};

export class RunsPage {
  readonly dom = el('div.page.runs');
  private readonly banners = el('div.banners');
  private readonly counts = el('p.counts', { 'aria-live': 'off' });
  private readonly search = el('input', {
    type: 'search',
    placeholder: 'Filter: words, state=running, seed>3, tag=good',
    'aria-label': 'Filter runs',
    input: () => {
      this.view.filter = this.search.value;
      this.later();
    },
  });
  private readonly grouping = el('select', {
    'aria-label': 'Group by',
    change: () => {
      this.view.group = this.grouping.value;
      this.later();
    },
  });
  private readonly startButton = el(
    'button.primary',
    { type: 'button', hidden: true, click: () => void this.start() },
    'New run',
  );
  private readonly compare = el(
    'button',
    { type: 'button', hidden: true, click: () => this.open(this.chosen()[0]!) },
    'Compare settings',
  );
  private readonly beside = el(
    'a.button',
    { hidden: true, target: '_blank', rel: 'noopener' },
    'Embeddings side by side',
  );
  private readonly queue = el('section.queue', { hidden: true, 'aria-label': 'Queue' });
  private readonly runs = new Runs();
  private readonly table = new RunTable({
    sort: (key) => this.sortBy(key),
    choose: (paths, on) => this.choose(paths, on),
    open: (path) => this.open(path),
  });
  private readonly curves = new CurvePanel(() => this.later());
  private readonly detail = new RunDetail(this.banners, {
    close: () => this.open(''),
    changed: () => void this.poll(),
  });
  private readonly view: View;
  private readonly later = perFrame(() => this.show());
  /** The curves come a frame after the table, which is what a hand that sorts or types waits for. */
  private drawCurves: () => void = () => undefined;
  private readonly afterwards = perFrame(() => setTimeout(() => this.drawCurves()));
  private polling = false;
  private making: Making[] = [];

  constructor() {
    this.view = read(location.search);
    document.title = 'Runs – Nacre';
    this.search.value = this.view.filter;
    const columns = el(
      'button',
      { type: 'button', 'aria-haspopup': 'menu', click: () => this.chooseColumns(columns) },
      'Columns',
    );
    this.dom.append(
      el(
        'header.top',
        {},
        el('a.home', { href: treeUrl(''), 'aria-label': 'Files' }, el('span.pearl', { 'aria-hidden': 'true' })),
        el('h1.wordmark', {}, 'Runs'),
        this.counts,
        el('span.space'),
        iconButton('theme', 'Theme: system, light, dark', () => announce(`Theme: ${nextTheme()}`)),
      ),
      this.banners,
      el(
        'main',
        { 'aria-label': 'Runs' },
        this.curves.dom,
        el(
          'div.bar',
          { role: 'search' },
          this.search,
          el('label', {}, 'group by', this.grouping),
          columns,
          el('span.space'),
          this.compare,
          this.beside,
          this.startButton,
        ),
        this.queue,
        el('div.split', {}, this.table.dom, this.detail.dom),
      ),
    );
    this.dom.addEventListener('keydown', (e) => this.key(e));
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) void this.poll();
    });
    if (!isSite)
      setInterval(() => {
        if (!document.hidden) void this.poll();
      }, every);
  }

  /** Asks what has changed. */
  async poll(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    try {
      const l = await api.list(this.runs.version, this.runs.shape);
      const changed = this.runs.take(l);
      this.startButton.hidden = !l.starts;
      this.showQueue(l);
      const making = JSON.stringify(l.making);
      if (making !== JSON.stringify(this.making)) this.later();
      this.making = l.making;
      banner(this.banners, 'unreachable', null);
      this.detail.changed(changed, this.runs.rows);
      if (changed.size || !document.body.dataset.ready) this.later();
      this.total(l);
      if (this.runs.rows.size < l.total && !isSite) setTimeout(() => void this.poll(), soon);
    } catch (e) {
      banner(
        this.banners,
        'unreachable',
        (e as Error).message,
        [{ label: 'Try again', run: () => void this.poll() }],
        'error',
      );
    } finally {
      this.polling = false;
    }
  }

  private total(l: Listing): void {
    const read = this.runs.rows.size;
    const running = [...this.runs.rows.values()].filter((r) => r.state === 'running').length;
    this.counts.textContent =
      l.total === 0
        ? ''
        : `${read < l.total ? `${read} of ${l.total} read` : `${l.total} runs`}${running ? `, ${running} running` : ''}`;
    this.counts.title = l.root;
    this.table.empty =
      l.total === 0
        ? `No run folder below ${l.root}. Train with “New run”, in a notebook, or by nacre train.`
        : 'No run passes the filter.';
  }

  private show(): void {
    const { view, runs } = this;
    const columns = runs.all();
    const rows = sorted([...runs.rows.values()].filter(filter(view.filter, columns)), view.sort);
    const groups = view.group ? grouped(rows, view.group) : new Map([['', rows]]);
    const chosen = this.chosen();
    this.compare.hidden = chosen.length < 2;
    this.beside.hidden = isSite || chosen.length < 1 || chosen.length > mostLayouts;
    this.beside.href = embeddingsUrl(chosen);
    this.showGrouping();
    this.table.show(
      groups,
      [columns[0]!, ...view.columns.map((k) => columns.find((c) => c.key === k)).filter((c) => c !== undefined)],
      view.sort,
      new Set(chosen),
      view.run,
    );
    this.drawCurves = () =>
      this.curves.show(
        chosen.length ? chosen.map((p) => runs.rows.get(p)!) : rows,
        chosen.length > 0,
        view.group,
        columns,
      );
    this.afterwards();
    if (runs.rows.size || !view.run) this.detail.show(runs.rows.get(view.run) ?? null, chosen, this.making);
    history.replaceState(null, '', location.pathname + write(view));
    if (!document.body.dataset.ready) performance.mark('nacre.rows');
    document.body.dataset.ready = 'yes';
    document.body.dataset.shown = String(rows.length);
  }

  private showGrouping(): void {
    const keys = [
      '',
      'group',
      'algorithm',
      'family',
      'preset',
      'state',
      'tags',
      ...this.runs.columns.map((c) => 'set.' + c),
    ];
    if (
      this.grouping.options.length !== keys.length ||
      [...this.grouping.options].some((o, i) => o.value !== keys[i])
    ) {
      const names: Record<string, string> = { '': 'nothing', group: 'folder' };
      this.grouping.replaceChildren(
        ...keys.map((k) => el('option', { value: k }, names[k] ?? k.replace(/^set\./, ''))),
      );
    }
    this.grouping.value = this.view.group;
  }

  private showQueue(l: Listing): void {
    this.queue.hidden = !l.waiting.length && !l.failed.length;
    const line = (j: Job, text: string, label: string, run: () => Promise<unknown>) =>
      el(
        'li',
        { 'data-state': j.error ? 'failed' : 'waiting' },
        el('span.name', {}, j.path),
        el('span', {}, text),
        el(
          'button.link',
          {
            type: 'button',
            'aria-label': `${label} ${j.path}`,
            click: () =>
              void guarded(this.banners, label, async () => {
                await run();
                await this.poll();
              }),
          },
          label,
        ),
      );
    const next = [
      ...l.failed.map((j) => line(j, j.error ?? '', 'Dismiss', () => api.job('forget', j.path))),
      ...l.waiting.map((j, i) => line(j, i ? `waits behind ${i}` : 'is next', 'Remove', () => api.job('stop', j.path))),
    ];
    if (this.queue.textContent !== next.map((n) => n.textContent).join(''))
      this.queue.replaceChildren(el('ul', {}, ...next));
  }

  private sortBy(key: string): void {
    const { sort } = this.view;
    const number = this.runs.all().find((c) => c.key === key)?.number ?? false;
    this.view.sort = { key, down: sort.key === key ? !sort.down : number };
    announce(`Sorted by ${key}, ${this.view.sort.down ? 'descending' : 'ascending'}`);
    this.show();
  }

  private choose(paths: string[], on: boolean): void {
    const chosen = new Set(this.view.chosen);
    for (const p of paths)
      if (on) chosen.add(p);
      else chosen.delete(p);
    this.view.chosen = [...chosen];
    announce(`${chosen.size} runs chosen`);
    this.show();
  }

  private chosen(): string[] {
    return this.view.chosen.filter((p) => this.runs.rows.has(p));
  }

  private open(path: string): void {
    this.view.run = this.view.run === path ? '' : path;
    this.show();
    if (!this.view.run) this.table.focus();
  }

  private chooseColumns(anchor: HTMLElement): void {
    const all = this.runs.all().slice(1);
    const item = (c: { key: string; label: string }) => ({
      label: c.label,
      checked: this.view.columns.includes(c.key),
      run: () => this.toggleColumn(c.key),
    });
    openMenu(anchor, [
      all.filter((c) => !c.key.includes('.')).map(item),
      all.filter((c) => c.key.startsWith('latest.')).map(item),
      all.filter((c) => c.key.startsWith('set.')).map(item),
    ]);
  }

  private toggleColumn(key: string): void {
    const { columns } = this.view;
    this.view.columns = columns.includes(key) ? columns.filter((c) => c !== key) : [...columns, key];
    this.show();
  }

  private async start(): Promise<void> {
    const from = this.runs.rows.get(this.view.run);
    await guarded(this.banners, 'New run', async () => {
      const begun = await startRun(from?.preset ?? '', async (spec) =>
        announce(`Queued ${(await api.start(spec)).path}`),
      );
      if (begun) await this.poll();
    });
  }

  private key(e: KeyboardEvent): void {
    const typing = (e.target as HTMLElement).closest('input, textarea, select, dialog, .menu');
    if (e.key === 'Escape' && this.view.run && !typing) this.open(this.view.run);
    else if (e.key === '/' && !typing) {
      e.preventDefault();
      this.search.focus();
    }
  }
}

function read(search: string): View {
  const q = new URLSearchParams(search);
  const sort = q.get('sort') ?? '';
  return {
    filter: q.get('filter') ?? '',
    group: q.get('group') ?? '',
    run: q.get('run') ?? '',
    chosen: q.getAll('chosen').slice(0, 200),
    sort: sort ? { key: sort.replace(/^-/, ''), down: sort.startsWith('-') } : standard.sort,
    columns: q.get('columns')?.split(',').filter(Boolean) ?? standard.columns,
  };
}

function write(v: View): string {
  const q = new URLSearchParams();
  if (v.filter) q.set('filter', v.filter);
  if (v.group) q.set('group', v.group);
  if (v.sort.key !== standard.sort.key || v.sort.down !== standard.sort.down)
    q.set('sort', (v.sort.down ? '-' : '') + v.sort.key);
  if (v.columns.join() !== standard.columns.join()) q.set('columns', v.columns.join());
  for (const p of v.chosen.slice(0, 200)) q.append('chosen', p);
  if (v.run) q.set('run', v.run);
  const text = q.toString();
  return text ? '?' + text : '';
}
