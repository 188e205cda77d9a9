// The t-SNE page: a file of embeddings in, a layout that forms while one watches, figures of it.

import { provenFetch, takeProof } from '../protocol/proof';
import { announce, el, iconButton, perFrame } from '../dom';
import { nextTheme } from '../theme';
import { type Embedding, valuesOf } from '../output/embedding/decode';
import { EmbeddingView } from '../output/embedding/view';
import { Controls } from './controls';
import { Engine } from './engine';
import type { Data, FromWorker } from './messages';
import { centroidTable } from './table';

type State = 'empty' | 'loading' | 'starting' | 'stopped' | 'running' | 'paused' | 'done';

/** Iterations that "Continue" adds to a finished layout. */
const more = 250;
/** Milliseconds between two looks at the figures while a layout forms. */
const measureEvery = 250;

export class TsnePage {
  readonly dom = el('div.tsne');
  readonly engine = new Engine();
  state: State = 'empty';
  data: Data | null = null;
  view: EmbeddingView | null = null;
  /** Layouts drawn since the last began. */
  frames = 0;
  /** What the worker said last of its layout. */
  progress = { iteration: 0, of: 0, seconds: 0, kl: NaN, programs: 1, device: '', notices: [] as string[] };

  private label = '';
  private next: Float32Array | null = null;
  private measured = 0;
  private readonly controls: Controls;
  private readonly title = el('h1.title', {}, 't-SNE');
  private readonly status = el('p.status', { role: 'status' });
  private readonly problem = el('div.banner', { 'data-kind': 'error', role: 'alert', hidden: true }, el('span'));
  private readonly place = el('div.layout');
  private readonly table = el('div.figures');
  private readonly draw = perFrame(() => this.show());

  constructor(query: URLSearchParams) {
    this.controls = new Controls(query, {
      open: (file) => void this.open(file.name, file),
      example: () => this.example(),
      label: (name) => this.engine.send({ kind: 'label', label: (this.label = name) }),
      begin: () => this.begin(),
      perplexity: (value) => this.changePerplexity(value),
      toggle: () => this.toggle(),
    });
    this.label = query.get('label') ?? '';
    this.dom.append(
      el(
        'header.top',
        {},
        el('span.pearl', { 'aria-hidden': 'true' }),
        this.title,
        el('span.space'),
        iconButton('theme', 'Theme: system, light, dark', () => void nextTheme()),
      ),
      this.problem,
      el('main', {}, this.controls.dom, this.status, this.place, this.table),
    );
    this.place.append(
      el(
        'p.hint',
        {},
        'Drop a file of embeddings here: .npz, .npy, .csv, .tsv, .json, .jsonl or .safetensors, also with .gz. Nothing leaves this page.',
      ),
    );
    this.engine.said.on((m) => this.hear(m));
    this.acceptDrops();
    this.refresh();
    takeProof();
    const address = query.get('open');
    if (address) void this.fetch(address);
    else if (query.has('example')) this.example();
  }

  // — data in —

  async open(name: string, blob: Blob): Promise<void> {
    this.clear();
    this.state = 'loading';
    this.refresh();
    try {
      this.engine.send({ kind: 'open', name, bytes: new Uint8Array(await blob.arrayBuffer()), label: this.label });
    } catch (e) {
      this.fail(`${name} could not be read: ${(e as Error).message}`);
    }
  }

  private async fetch(address: string): Promise<void> {
    const url = new URL(address, location.href);
    if (url.origin !== location.origin)
      return this.fail(
        `This page opens files of its own site only, not ${url.origin}: download the file and drop it here.`,
      );
    const response = await provenFetch(url).catch(() => null);
    if (!response?.ok)
      return this.fail(
        `${address} could not be fetched: ${response ? `the server answered ${response.status}` : 'the server did not answer'}.`,
      );
    await this.open(decodeURIComponent(url.pathname.split('/').pop()!), await response.blob());
  }

  private example(): void {
    this.clear();
    this.state = 'loading';
    this.engine.send({ kind: 'example' });
    this.refresh();
  }

  private clear(): void {
    this.problem.hidden = true;
  }

  private acceptDrops(): void {
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    document.addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) document.body.classList.remove('dropping');
    });
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      document.body.classList.remove('dropping');
      const file = event.dataTransfer?.files[0];
      if (file) {
        this.label = '';
        void this.open(file.name, file);
      }
    });
  }

  // — the layout —

  private begin(): void {
    if (!this.data) return;
    this.problem.hidden = true;
    this.state = 'starting';
    this.frames = 0;
    this.engine.send({ kind: 'layout', ...this.controls.options });
    this.refresh();
  }

  private changePerplexity(value: number): void {
    if (['starting', 'stopped', 'empty', 'loading'].includes(this.state)) return;
    this.engine.send({ kind: 'perplexity', value });
    if (this.state === 'done') this.toggle();
  }

  toggle(): void {
    if (this.state === 'starting') return this.engine.send({ kind: 'stop' });
    if (this.state === 'stopped') return this.begin();
    if (this.state === 'running') this.engine.send({ kind: 'pause' });
    else this.engine.send({ kind: 'continue', iterations: more });
    this.state = this.state === 'running' ? 'paused' : 'running';
    this.refresh();
  }

  private hear(m: FromWorker): void {
    switch (m.kind) {
      case 'loading':
        if (m.loaded < m.total)
          this.status.textContent = `Loading the program: ${Math.round((100 * m.loaded) / m.total)} %`;
        return;
      case 'ready':
        return this.refresh();
      case 'data':
        return this.take(m);
      case 'labels':
        return this.controls.offer(m.labels, this.label);
      case 'began':
        this.progress = {
          iteration: 0,
          of: m.of,
          seconds: m.seconds,
          kl: NaN,
          programs: m.programs,
          device: m.device,
          notices: [...(this.data?.notes ?? []), ...(m.notice ? [m.notice] : [])],
        };
        this.state = 'running';
        return this.refresh();
      case 'notice':
        this.progress.notices.push(m.text);
        return this.refresh();
      case 'stopped':
        if (this.state === 'starting') this.state = 'stopped';
        return this.refresh();
      case 'positions':
        if (this.next) this.engine.send({ kind: 'back', positions: this.next });
        this.next = m.positions;
        Object.assign(this.progress, { iteration: m.iteration, of: m.of, seconds: m.seconds });
        return this.draw();
      case 'done':
        this.show(); // the last positions may still wait for their frame
        this.state = 'done';
        Object.assign(this.progress, { iteration: m.iteration, of: m.iteration, seconds: m.seconds, kl: m.kl });
        this.refresh(m.notes);
        this.view?.measure();
        return announce('The layout is done');
      case 'problem':
        return this.fail(m.text);
      case 'ended':
        this.engine.replace();
        this.data = null;
        return this.fail(m.reason);
    }
  }

  /** Takes data that the worker has read. Where only its labels are others, the layout goes on. */
  private take(data: Data): void {
    this.data = data;
    this.title.textContent = data.name;
    document.title = `${data.name} – t-SNE – Nacre`;
    this.controls.show(data, this.label);
    const old = this.view;
    this.view = new EmbeddingView({}, undefined, () => embedding(data));
    if (data.same && old) this.view.move(old.positions);
    old?.dispose();
    this.view.measured.on(({ flat, original }) =>
      this.table.replaceChildren(data.names.length > 1 ? centroidTable(data.names, flat, original) : ''),
    );
    this.place.replaceChildren(this.view.dom);
    if (data.same) this.view.measure();
    else this.begin();
  }

  private show(): void {
    const { next, view } = this;
    if (!next || !view) return;
    this.next = null;
    if (next.length === 2 * this.data!.points) {
      view.move(next);
      this.frames++;
    }
    this.engine.send({ kind: 'back', positions: next });
    const now = performance.now();
    if (now - this.measured > measureEvery) {
      this.measured = now;
      view.measure();
      this.refresh();
    }
  }

  // — what is said —

  private fail(text: string): void {
    this.problem.hidden = false;
    this.problem.firstElementChild!.textContent = text;
    if (this.state === 'loading' || this.state === 'starting') this.state = this.data ? 'stopped' : 'empty';
    this.refresh();
  }

  private refresh(notes: string[] = []): void {
    this.controls.refresh(this.state);
    document.body.dataset.state = this.state;
    const { iteration, of, seconds, kl, programs, device, notices } = this.progress;
    const count = this.data ? `${this.data.points.toLocaleString('en')} points of ${this.data.columns} columns. ` : '';
    const computing = `${seconds.toFixed(1)} s of computing${device ? ` on ${device}` : programs > 1 ? ` by ${programs} workers` : ''}`;
    const steps = `Iteration ${iteration} of ${of}, ${computing}.`;
    const text = {
      empty: '',
      loading: 'Reading …',
      starting: count + 'Finding neighbours …',
      stopped: count + 'Stopped before the layout began.',
      running: count + steps,
      paused: count + 'Paused. ' + steps,
      done: `${count}Done: ${iteration} iterations in ${computing}, KL ${kl.toFixed(4)}.`,
    }[this.state];
    const said = this.state === 'empty' || this.state === 'loading' ? [] : [...new Set([...notices, ...notes])];
    this.status.textContent = [text, ...said.map((n) => n[0]!.toUpperCase() + n.slice(1) + '.')].join(' ');
  }
}

/** The data as the scatter takes it, all points at one place until the first layout comes. */
function embedding(data: Data): Embedding {
  const { points, columns, names } = data;
  const values = valuesOf(names);
  return {
    title: data.name.replace(/\.[^.]*$/, ''),
    x: new Float32Array(points),
    y: new Float32Array(points),
    task: Uint16Array.from(data.group),
    tasks: names.map((name, i) => ({ name, value: values[i]! })),
    hover: [],
    vectors: { dim: columns, data: data.values },
  };
}
