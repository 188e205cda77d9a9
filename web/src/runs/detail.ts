// One run looked at closely: what can be done with it, its note, what is different in the others, its record and log.

import { announce, el } from '../dom';
import { editUrl, embeddingsUrl, fileUrl, readUrl, rolloutUrl, treeUrl, tsneUrl } from '../address';
import { ChartView } from '../output/chart/view';
import { format } from '../output/format';
import { ServerError } from '../protocol/request';
import { ask, guarded } from '../ui/dialog';
import { isSite } from '../site/about';
import { api, type Detail, type Making, type Note, type Product } from './api';
import type { Row } from './model';
import { adaptedChart, adaptedTable } from './adapted';
import { ago, duration, percent } from './words';

/** A number, or the text that stands for an infinite one. */
const number = (v: number | string | undefined) => (typeof v === 'string' ? v : format(v));

/** What can be made of a run, and what it is called. */
const products: [Product, string][] = [
  ['embedding', 'Embedding'],
  ['rollout', 'Rollout'],
  ['report', 'Report'],
];

interface Actions {
  close(): void;
  changed(): void;
}

export class RunDetail {
  readonly dom = el('aside.detail', { hidden: true, 'aria-label': 'Run' });
  private readonly title = el('h2');
  private readonly facts = el('dl');
  private readonly buttons = el('div.bar');
  private readonly making = el('ul.making', { 'aria-label': 'In the making' });
  private readonly adapted = el('div.adapted');
  private chart: ChartView | null = null;
  private readonly text = el('textarea', {
    rows: 4,
    'aria-label': 'Note',
    placeholder: 'Note',
    input: () => this.edited(),
  });
  private readonly tags = el('input', {
    type: 'text',
    'aria-label': 'Tags, with commas between them',
    placeholder: 'tags, with commas',
    input: () => this.edited(),
  });
  private readonly saved = el('span.note', { role: 'status' });
  private readonly settings = el('div.settings');
  private readonly log = el('pre.log', { tabindex: 0, 'aria-label': 'Log' });
  private readonly sessions = el('ul.sessions');
  private run: Row | null = null;
  private chosen: string[] = [];
  private shown = '';
  /** The note as the server last had it; what the fields hold beyond it is not saved yet. */
  private base: Note = { text: '', tags: [], revision: 0 };
  private timer = 0;

  constructor(
    private readonly banners: HTMLElement,
    private readonly actions: Actions,
  ) {
    this.dom.append(
      el(
        'header',
        {},
        this.title,
        el('button.icon.close', { type: 'button', 'aria-label': 'Close', click: () => actions.close() }, '×'),
      ),
      this.buttons,
      this.making,
      this.facts,
      this.adapted,
      el('h3', {}, 'Note'),
      this.text,
      this.tags,
      this.saved,
      el('h3', {}, 'Settings'),
      this.settings,
      el('h3', {}, 'Sessions'),
      this.sessions,
      el('h3', {}, 'Log'),
      this.log,
    );
    addEventListener('pagehide', () => void this.save());
  }

  show(run: Row | null, chosen: string[], making: Making[]): void {
    const other = run?.path !== this.run?.path;
    if (other) void this.save();
    [this.run, this.chosen] = [run, chosen];
    this.dom.hidden = !run;
    if (other) this.adapted.replaceChildren();
    document.body.classList.toggle('with-detail', !!run);
    if (!run) {
      this.shown = '';
      return;
    }
    this.title.textContent = run.path;
    if (other) this.take(run.note);
    for (const field of [this.text, this.tags])
      field.readOnly = isSite || ['waiting', 'queued', 'log'].includes(run.state);
    const mine = making.filter((m) => m.path === run.path);
    this.showMaking(run, mine);
    const state = run.path + run.version + chosen.join() + mine.map((m) => m.what + (m.error ?? '')).join();
    if (state === this.shown) return;
    this.shown = state;
    this.showFacts(run);
    this.showButtons(run, null);
    void this.load(run);
    if (other) this.dom.querySelector<HTMLElement>('.close')?.focus({ preventScroll: true });
  }

  /** Runs have changed: somebody else may have written the note of the one that is shown. */
  changed(paths: Set<string>, rows: Map<string, Row>): void {
    const now = this.run && paths.has(this.run.path) ? rows.get(this.run.path) : null;
    if (now && now.note.revision > this.base.revision && !this.unsaved) this.take(now.note);
  }

  private showFacts(r: Row): void {
    const facts: [string, string][] = [
      [
        'State',
        r.problem
          ? `${r.state}: ${r.problem}`
          : r.state === 'running' && r.left > 0
            ? `running, ${duration(r.left)} left`
            : r.state,
      ],
      [
        'What',
        r.about
          ? `${r.title} on ${r.family}; ${r.about}`
          : `${r.title} on ${r.family}, seed ${r.seed}${r.preset ? `, from ${r.preset}` : ''}`,
      ],
      [
        'Done',
        r.state === 'log'
          ? ''
          : `${percent(r.share)}, ${r.iterations} iterations, ${r.env_steps.toLocaleString('en')} steps, ${r.updates.toLocaleString('en')} updates in ${duration(r.seconds)}`,
      ],
      [
        'Return',
        [
          ['adapted_return', ''],
          ['adapted_success', 'success '],
        ]
          .filter(([k]) => k! in r.latest)
          .map(([k, name]) => `${name}${number(r.latest[k!])}`)
          .join(', '),
      ],
      ['Device', r.device],
      ['Changed', r.state === 'waiting' || r.state === 'queued' ? '' : ago(Date.parse(r.changed))],
    ];
    this.facts.replaceChildren(...facts.filter(([, v]) => v).flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, v)]));
  }

  /** A button that does something to the run and then asks what has changed. */
  private button(label: string, r: Row, run: () => Promise<unknown>): HTMLElement {
    return el(
      'button',
      {
        type: 'button',
        click: () =>
          void guarded(this.banners, `${label} ${r.path}`, async () => {
            await run();
            announce(`${label}: ${r.path}`);
            this.actions.changed();
          }),
      },
      label,
    );
  }

  private showButtons(r: Row, d: Detail | null): void {
    const link = (label: string, href: string) => el('a.button', { href, target: '_blank', rel: 'noopener' }, label);
    const address: Record<Product, string> = {
      embedding: isSite ? tsneUrl(`${r.path}/embeddings.npz`) : embeddingsUrl([r.path]),
      rollout: rolloutUrl(`${r.path}/rollout.json`),
      report: fileUrl(`${r.path}/report.html`),
    };
    const made = d?.files.includes('weights.safetensors') || isSite;
    this.buttons.replaceChildren(
      ...[
        isSite ? null : r.state === 'running' ? this.button('Stop', r, () => api.job('stop', r.path)) : null,
        !isSite && (r.state === 'interrupted' || (r.state === 'failed' && r.iterations > 0))
          ? this.button('Resume', r, () => api.job('resume', r.path))
          : null,
        ...products.flatMap(([what, name]) => {
          const fresh = d?.products[what] ?? 'missing';
          return [
            fresh === 'missing' ? null : link(name, address[what]),
            isSite || !made || fresh === 'fresh'
              ? null
              : this.button(fresh === 'older' ? `${name} again` : `Make ${name.toLowerCase()}`, r, () =>
                  api.make(r.path, what),
                ),
          ];
        }),
        d?.report
          ? link(
              'Study',
              !d.report.endsWith('.md') ? fileUrl(d.report) : isSite ? readUrl(d.report) : editUrl(d.report),
            )
          : null,
        r.state === 'waiting' || r.state === 'queued' || r.path.includes('#')
          ? null
          : el('a.button', { href: treeUrl(r.path) }, 'Files'),
      ].filter((b) => b !== null),
    );
  }

  private showMaking(r: Row, list: Making[]): void {
    const line = (m: Making) => {
      const began = Date.parse(m.began);
      const text = m.error ?? (began > 0 ? m.line || 'under way' : 'waits');
      return el(
        'li',
        { 'data-state': m.error ? 'failed' : 'waiting' },
        el('span.name', {}, m.what),
        el('span', {}, text),
        el(
          'button.link',
          {
            type: 'button',
            'aria-label': `${m.error ? 'Dismiss' : 'Cancel'} ${m.what}`,
            click: () =>
              void guarded(this.banners, 'Cancel', async () => {
                await api.cancel(r.path, m.what);
                this.actions.changed();
              }),
          },
          m.error ? 'Dismiss' : 'Cancel',
        ),
      );
    };
    const next = list.map(line);
    if (this.making.textContent !== next.map((n) => n.textContent).join('')) this.making.replaceChildren(...next);
  }

  private showAdapted(d: Detail): void {
    const { adapted } = d;
    if (!adapted) return this.adapted.replaceChildren();
    const drawn = adaptedChart(adapted, d.tasks ?? []);
    if (this.chart) this.chart.update(drawn);
    else this.chart = new ChartView(drawn);
    this.adapted.replaceChildren(
      el('h3', {}, 'Adaptation to test tasks'),
      this.chart.dom,
      el('details', {}, el('summary', {}, 'by task and trajectory'), adaptedTable(adapted, d.tasks ?? [])),
    );
  }

  private async load(r: Row): Promise<void> {
    try {
      const others = this.chosen.filter((p) => p !== r.path).slice(0, 4);
      const [d, settings] = await Promise.all([api.run(r.path), api.settings([r.path, ...others])]);
      if (this.run?.path !== r.path) return;
      this.showButtons(r, d);
      this.showAdapted(d);
      this.log.textContent = d.log || (isSite ? 'Not on this site.' : 'Nothing: this run was not started from here.');
      this.log.scrollTop = this.log.scrollHeight;
      this.sessions.replaceChildren(
        ...(d.record.Sessions ?? []).map((s) =>
          el(
            'li',
            {},
            `${new Date(s.started).toLocaleString()}: ${s.program} ${s.commit}, ${s.device}`,
            ...(s.notices ?? []).map((n) => el('p.notice', {}, n)),
          ),
        ),
      );
      this.showSettings([r.path, ...others], settings);
    } catch (e) {
      this.log.textContent = (e as Error).message;
    }
  }

  /** All settings of one run; beside others only those that are not the same. */
  private showSettings(paths: string[], all: Record<string, string>[]): void {
    const keys = [...new Set(all.flatMap((s) => Object.keys(s ?? {})))]
      .sort()
      .filter((k) => all.length === 1 || all.some((s) => s[k] !== all[0]![k]));
    const text = (v: string | undefined) => (v ?? '–').replace(/^"(.*)"$/, '$1');
    const table = el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          el('th', { scope: 'col' }, all.length > 1 ? 'differs' : 'setting'),
          ...paths.map((p) => el('th', { scope: 'col', title: p }, all.length > 1 ? p.split('/').pop()! : 'value')),
        ),
      ),
      el(
        'tbody',
        {},
        ...keys.map((k) => el('tr', {}, el('th', { scope: 'row' }, k), ...all.map((s) => el('td', {}, text(s[k]))))),
      ),
    );
    const none = Object.keys(all[0] ?? {}).length
      ? 'The settings of the chosen runs are the same.'
      : 'Its settings are written when it begins.';
    this.settings.replaceChildren(keys.length ? table : el('p.note', {}, none));
  }

  private get fields(): { text: string; tags: string[] } {
    return {
      text: this.text.value,
      tags: [
        ...new Set(
          this.tags.value
            .split(',')
            .map((t) => t.trim())
            .filter(Boolean),
        ),
      ].sort(),
    };
  }

  private get unsaved(): boolean {
    const { text, tags } = this.fields;
    return text !== this.base.text || tags.join() !== this.base.tags.join();
  }

  private take(note: Note): void {
    this.base = note;
    this.text.value = note.text;
    this.tags.value = note.tags.join(', ');
    this.saved.textContent = note.problem ?? '';
  }

  private edited(): void {
    this.saved.textContent = 'not saved yet';
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.save(), 800);
  }

  private async save(): Promise<void> {
    clearTimeout(this.timer);
    const { run } = this;
    if (!run || !this.unsaved) {
      if (this.saved.textContent === 'not saved yet') this.saved.textContent = '';
      return;
    }
    try {
      const mine = { ...this.fields, revision: this.base.revision };
      const now = await api.note(run.path, mine);
      if (this.run?.path === run.path) {
        this.base = now;
        this.saved.textContent = 'saved';
      }
      this.actions.changed();
    } catch (e) {
      if (e instanceof ServerError && e.status === 409) return this.conflict(run.path);
      this.saved.textContent = `not saved: ${(e as Error).message}`;
    }
  }

  /** Somebody else has written the note meanwhile: both texts are shown, and nothing is lost whatever is chosen. */
  private async conflict(path: string): Promise<void> {
    const mine = this.fields;
    const theirs = await api.list(0, '').then((l) => l.runs.find((r) => r.path === path)?.note);
    if (!theirs || this.run?.path !== path) return;
    const choice = await ask(
      'Somebody else has changed this note',
      [
        el('p', {}, 'Theirs:'),
        el('pre', {}, theirs.text + (theirs.tags.length ? `\n[${theirs.tags.join(', ')}]` : '')),
        el('p', {}, 'Yours:'),
        el('pre', {}, mine.text),
      ],
      [
        { label: 'Take theirs', value: 'theirs' },
        { label: 'Take mine', value: 'mine' },
        { label: 'Keep both', value: 'both', primary: true },
      ],
    );
    if (this.run?.path !== path) return;
    this.base = theirs;
    if (choice === 'theirs') return this.take(theirs);
    if (choice !== 'mine') {
      this.text.value = [theirs.text, mine.text].filter(Boolean).join('\n\n');
      this.tags.value = [...new Set([...theirs.tags, ...mine.tags])].sort().join(', ');
    }
    await this.save();
  }
}
