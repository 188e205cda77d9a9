// The page's side of the worker that computes the layout.

import { Signal } from '../dom';
import type { FromWorker, ToWorker } from './messages';
import type { Program } from '../site/wasm';

interface Manifest {
  exec: string;
  programs: Record<string, Program>;
}

export class Engine {
  readonly said = new Signal<FromWorker>();
  private worker!: Worker;
  private waiting: ToWorker[] | null = [];

  constructor() {
    this.start();
  }

  /** Sends a message, once the program is there; bytes of a file and arrays of positions go over without a copy. */
  send(message: ToWorker): void {
    if (this.waiting) this.waiting.push(message);
    else
      this.worker.postMessage(
        message,
        message.kind === 'open' ? [message.bytes.buffer] : message.kind === 'back' ? [message.positions.buffer] : [],
      );
  }

  /** Ends whatever the program does and begins with a new one, which knows of no data. */
  replace(): void {
    this.worker.terminate();
    this.start();
  }

  private start(): void {
    this.waiting = [];
    const address = document.querySelector<HTMLMetaElement>('meta[name="nacre-worker"]')!.content;
    this.worker = new Worker(new URL(address, location.href), { type: 'module' });
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'ready') {
        const waiting = this.waiting ?? [];
        this.waiting = null;
        for (const m of waiting) this.send(m);
      }
      this.said.emit(data);
    };
    this.worker.onerror = (e) => this.said.emit({ kind: 'ended', reason: e.message || 'The worker did not start.' });
    this.load().catch((e: Error) => this.said.emit({ kind: 'ended', reason: e.message }));
  }

  private async load(): Promise<void> {
    const { worker } = this; // it may be replaced meanwhile
    const folder = new URL('wasm/', location.href).href;
    const response = await fetch(folder + 'manifest.json');
    if (!response.ok)
      throw new Error(
        `The t-SNE program is not here: ${folder}manifest.json answered ${response.status}. Build it with: make site`,
      );
    const { exec, programs } = (await response.json()) as Manifest;
    if (!programs.tsne)
      throw new Error('The t-SNE program is not here: wasm/manifest.json does not list it. Build it with: make site');
    worker.postMessage({ kind: 'load', folder, exec: folder + exec, program: programs.tsne } satisfies ToWorker);
  }
}
