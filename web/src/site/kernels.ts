// Kernels that run in workers of this page, behind the interface of a WebSocket.

import { el } from '../dom';
import { about } from './about';

export interface KernelModel {
  id: string;
  name: string;
  last_activity: string;
  execution_state: string;
  connections: number;
}

/** What the page tells a kernel's worker, and what that answers. */
export type ToWorker =
  | { kind: 'start'; base: string; folder: string; about: Awaited<ReturnType<typeof about>> }
  | { kind: 'message'; frame: Uint8Array }
  | { kind: 'interrupt' };
export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'message'; frame: Uint8Array<ArrayBuffer> }
  | Loading
  | { kind: 'loaded' }
  | { kind: 'notice'; text: string }
  | { kind: 'ended'; reason: string };
/** What is on its way into the kernel's worker, and how much of it is there, in bytes. */
export type Loading = { kind: 'loading'; what: string; loaded: number; total: number; cached: boolean };

class SiteKernel {
  state = 'starting';
  readonly sockets = new Set<SiteSocket>();
  private worker: Worker | null = null;
  private ready = false;
  private waiting: Uint8Array[] = [];
  private progress: HTMLElement | null = null;

  constructor(
    readonly id: string,
    private readonly folder: string,
  ) {
    void this.start();
  }

  model(): KernelModel {
    return {
      id: this.id,
      name: kernelName,
      last_activity: new Date().toISOString(),
      execution_state: this.state,
      connections: this.sockets.size,
    };
  }

  /** A new worker in place of the old one, of which nothing is left. */
  async restart(): Promise<void> {
    this.stop();
    await this.start();
  }

  stop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    this.waiting = [];
    this.show(null);
    this.state = 'dead';
  }

  send(frame: Uint8Array): void {
    if (this.ready) this.post({ kind: 'message', frame });
    else this.waiting.push(frame);
  }

  interrupt(): void {
    if (this.ready) this.post({ kind: 'interrupt' });
  }

  private async start(): Promise<void> {
    this.state = 'starting';
    let site: Awaited<ReturnType<typeof about>>;
    try {
      site = await about();
      if (!site.kernel)
        throw new Error('this site was built without the Go kernel, so its cells can be read but not run');
    } catch (e) {
      return this.ended((e as Error).message);
    }
    const worker = new Worker(new URL(site.worker, location.href), { type: 'module' });
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (this.worker === worker) this.hear(data);
    };
    worker.onerror = (e) => {
      if (this.worker === worker) this.ended(e.message || 'its worker could not be started');
    };
    this.post({ kind: 'start', base: new URL('.', location.href).href, folder: this.folder, about: site });
  }

  private post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private hear(data: FromWorker): void {
    if (data.kind === 'message') this.sockets.forEach((s) => s.deliver(data.frame));
    else if (data.kind === 'ready') {
      this.ready = true;
      this.state = 'idle';
      this.show(null);
      performance.mark('nacre.kernel');
      this.waiting.splice(0).forEach((frame) => this.post({ kind: 'message', frame }));
    } else if (data.kind === 'loading') this.show(data);
    else if (data.kind === 'loaded') this.show(null);
    else if (data.kind === 'notice') notice(data.text);
    else this.ended(data.reason);
  }

  private ended(reason: string): void {
    this.stop();
    const frame = statusFrame('dead', reason);
    this.sockets.forEach((s) => s.deliver(frame));
  }

  private show(p: Loading | null): void {
    if (!p) {
      this.progress?.remove();
      this.progress = null;
      return;
    }
    if (!this.progress) {
      this.progress = el('div.loading', { role: 'status' }, el('span'), el('progress', { max: 1 }));
      document.body.append(this.progress);
    }
    const mb = (n: number) => (n / 1e6).toFixed(1);
    const over = p.loaded >= p.total;
    this.progress.firstElementChild!.textContent = over
      ? `Starting ${p.what} …`
      : p.cached
        ? `Loading ${p.what}`
        : `Fetching ${p.what}: ${mb(p.loaded)} of ${mb(p.total)} MB, once`;
    const bar = this.progress.lastElementChild as HTMLProgressElement;
    if (over) bar.removeAttribute('value');
    else bar.value = p.loaded / p.total;
  }
}

/** Says something about what cells compute with, until it is closed. */
function notice(text: string): void {
  document.querySelector('.loading.notice')?.remove();
  const line = el(
    'div.loading.notice',
    { role: 'status' },
    el('span', {}, text),
    el('button', { type: 'button', click: () => line.remove() }, 'Close'),
  );
  document.body.append(line);
}

export const kernelName = 'nacre';

const kernels = new Map<string, SiteKernel>();

export function startKernel(folder: string): KernelModel {
  const k = new SiteKernel(crypto.randomUUID(), folder);
  kernels.set(k.id, k);
  return k.model();
}

export const kernel = (id: string) => kernels.get(id);

export function endKernel(id: string): void {
  kernels.get(id)?.stop();
  kernels.delete(id);
}

/** A WebSocket's face to a kernel of this page. */
export class SiteSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly protocol = 'v1.kernel.websocket.jupyter.org';
  binaryType = 'arraybuffer';
  readyState = 0;
  onopen: ((e: Event) => void) | null = null;
  onmessage: ((e: MessageEvent) => void) | null = null;
  onclose: ((e: Event) => void) | null = null;
  onerror: ((e: Event) => void) | null = null;
  private readonly kernel: SiteKernel | undefined;

  constructor(url: string) {
    super();
    this.kernel = kernels.get(decodeURIComponent(/kernels\/([^/]+)\/channels/.exec(url)?.[1] ?? ''));
    queueMicrotask(() => {
      if (this.readyState !== 0) return;
      if (!this.kernel) {
        this.readyState = 3;
        this.onclose?.(new CloseEvent('close'));
        return;
      }
      this.readyState = 1;
      this.kernel.sockets.add(this);
      this.onopen?.(new Event('open'));
      if (this.kernel.state === 'dead') this.deliver(statusFrame('dead', ''));
    });
  }

  send(data: ArrayBuffer | ArrayBufferView): void {
    this.kernel?.send(
      ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data),
    );
  }

  close(): void {
    this.readyState = 3;
    this.kernel?.sockets.delete(this);
  }

  deliver(frame: Uint8Array<ArrayBuffer>): void {
    if (this.readyState === 1) this.onmessage?.(new MessageEvent('message', { data: frame.slice().buffer }));
  }
}

/** A status message as the kernel would send it, for when it cannot any more. */
function statusFrame(state: string, reason: string): Uint8Array<ArrayBuffer> {
  const header = {
    msg_id: crypto.randomUUID(),
    msg_type: 'status',
    username: 'nacre',
    session: 'site',
    date: new Date().toISOString(),
    version: '5.4',
  };
  const parts = ['iopub', JSON.stringify(header), '{}', '{}', JSON.stringify({ execution_state: state, reason })].map(
    (p) => new TextEncoder().encode(p),
  );
  const count = parts.length + 1;
  let offset = 8 * (count + 1);
  const frame = new Uint8Array(offset + parts.reduce((n, p) => n + p.length, 0));
  const view = new DataView(frame.buffer);
  view.setBigUint64(0, BigInt(count), true);
  view.setBigUint64(8, BigInt(offset), true);
  parts.forEach((p, i) => {
    frame.set(p, offset);
    offset += p.length;
    view.setBigUint64(8 * (i + 2), BigInt(offset), true);
  });
  return frame;
}
