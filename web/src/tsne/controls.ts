// What the user of the t-SNE page can choose.

import { el } from '../dom';
import type { Data, Device, LayoutOptions, Method } from './messages';

export interface Actions {
  open(file: File): void;
  example(): void;
  label(name: string): void;
  begin(): void;
  perplexity(value: number): void;
  toggle(): void;
}

/** The recipe's own perplexity, and the largest the slider offers: beyond it layouts show little but the whole. */
const usual = 30,
  most = 200,
  least = 2;

export class Controls {
  readonly dom = el('div.controls', { role: 'toolbar', 'aria-label': 't-SNE' });
  private readonly slider = el('input', { type: 'range', min: least, max: most, step: 1, value: usual });
  private readonly perplexity = el('output', {}, String(usual));
  private readonly seed = el('input', { type: 'number', min: 0, max: 999999, step: 1, value: 0 });
  private readonly start = choice([
    ['pca', 'principal components'],
    ['random', 'random'],
  ]);
  private readonly method = choice([
    ['', 'quickest'],
    ['exact', 'all pairs'],
    ['fft', 'field on a grid'],
    ['barnes-hut', 'tree'],
  ]);
  private readonly device = choice([
    ['auto', 'GPU if there is one'],
    ['cpu', 'processor'],
    ['webgpu', 'any WebGPU adapter'],
  ]);
  private readonly label = el('select');
  private readonly labelField: HTMLElement;
  private readonly again: HTMLButtonElement;
  private readonly pause: HTMLButtonElement;

  constructor(query: URLSearchParams, actions: Actions) {
    const file = el('input', {
      type: 'file',
      accept: '.npz,.npy,.csv,.tsv,.json,.jsonl,.ndjson,.safetensors,.gz',
      class: 'visually-hidden',
      'aria-label': 'File of points',
      tabindex: -1,
      change: () => {
        if (file.files?.[0]) actions.open(file.files[0]);
        file.value = ''; // the same file may be opened again
      },
    });
    const given = Number(query.get('perplexity'));
    if (given >= least && given <= most) this.setPerplexity(given);
    if (/^\d{1,6}$/.test(query.get('seed') ?? '')) this.seed.value = query.get('seed')!;
    const methods: Method[] = ['', 'exact', 'fft', 'barnes-hut'];
    if (methods.includes(query.get('method') as Method)) this.method.value = query.get('method')!;
    const devices: Device[] = ['auto', 'cpu', 'webgpu'];
    if (devices.includes(query.get('device') as Device)) this.device.value = query.get('device')!;
    this.slider.addEventListener('input', () => {
      this.perplexity.value = this.slider.value;
    });
    this.slider.addEventListener('change', () => actions.perplexity(Number(this.slider.value)));
    for (const field of [this.seed, this.start, this.method, this.device])
      field.addEventListener('change', () => actions.begin());
    this.label.addEventListener('change', () => actions.label(this.label.value));
    this.again = el('button', { type: 'button', click: () => actions.begin() }, 'Start anew');
    this.pause = el('button.primary', { type: 'button', click: () => actions.toggle() }, 'Pause');
    this.labelField = el('label', { hidden: true }, 'Colour by', this.label);
    this.dom.append(
      el('button', { type: 'button', click: () => file.click() }, 'Open a file …'),
      file,
      el('button', { type: 'button', click: () => actions.example() }, 'Example'),
      this.labelField,
      el('label', {}, 'Perplexity', this.slider, this.perplexity),
      el('label', { title: 'Decides the random part of the start' }, 'Seed', this.seed),
      el('label', {}, 'Start', this.start),
      el(
        'label',
        {
          title:
            'How points repel each other. The same choice gives the same layout in nacre tsne --method, to the last bit',
        },
        'Method',
        this.method,
      ),
      el(
        'label',
        {
          title:
            'A GPU makes the iterations of the field on a grid, by WebGPU; its layout is as good, not the same to the last bit',
        },
        'Device',
        this.device,
      ),
      this.again,
      this.pause,
    );
  }

  get options(): LayoutOptions {
    return {
      perplexity: Number(this.slider.value),
      seed: Math.max(0, Math.trunc(Number(this.seed.value)) || 0),
      start: this.start.value as LayoutOptions['start'],
      method: this.method.value as Method,
      device: this.device.value as Device,
    };
  }

  /** Offers what the data allows. */
  show(data: Data, label: string): void {
    const largest = Math.max(least, Math.min(most, Math.floor(data.largest)));
    this.slider.max = String(largest);
    this.setPerplexity(Math.min(Number(this.slider.value), largest));
    this.offer(data.labels, label);
  }

  /** Offers labels to choose from. */
  offer(labels: string[], label: string): void {
    this.labelField.hidden = labels.length === 0;
    this.label.replaceChildren(
      ...['', ...labels].map((name) => el('option', { value: name }, name || 'label, if there is one')),
    );
    this.label.value = label;
  }

  refresh(state: string): void {
    const idle = state === 'empty' || state === 'loading';
    this.again.disabled = idle;
    this.pause.disabled = idle;
    this.pause.textContent =
      state === 'running' ? 'Pause' : state === 'starting' ? 'Stop' : state === 'stopped' ? 'Start' : 'Continue';
  }

  private setPerplexity(value: number): void {
    this.slider.value = String(value);
    this.perplexity.value = this.slider.value;
  }
}

function choice(options: [string, string][]): HTMLSelectElement {
  return el('select', {}, ...options.map(([value, name]) => el('option', { value }, name)));
}
