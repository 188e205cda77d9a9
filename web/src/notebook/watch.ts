// Whether the server answers, and whether another program has changed the file: the page looks every second. When the
// server is back, what waited is saved and the kernel joined, or given up where it ended with the server.

import { Signal } from '../dom';
import { isLocked, request, Unreachable } from '../protocol/contents';
import type { KernelLink } from '../protocol/kernel';
import { isSite } from '../site/about';
import type { Saving } from './saving';

/** Locked is a server that does not know this page's login: it was started again with another token. */
export type Health = 'well' | 'away' | 'locked';

const beat = 1000;
const beatHidden = 10_000;

export class Watch {
  readonly changed = new Signal();
  health: Health = 'well';
  /** When the server was started, by its clock. */
  private started = '';
  private timer = 0;
  private looking: Promise<void> | null = null;

  constructor(
    private readonly saving: Saving,
    private readonly link: KernelLink,
  ) {
    if (isSite) return; // there is no server that could go away
    void this.startOf().catch(() => undefined); // the first look says that nobody answers
    link.stateChanged.on((state) => {
      if (state === 'reconnecting' || state === 'disconnected') void this.look();
    });
    document.addEventListener('visibilitychange', () => void this.look());
    addEventListener('storage', () => void this.look()); // another tab has logged in, perhaps
    this.next();
  }

  /** Looks at once; a look that is going on is waited for. */
  look(): Promise<void> {
    clearTimeout(this.timer);
    if (isSite) return Promise.resolve();
    this.looking ??= this.once().finally(() => {
      this.looking = null;
      this.next();
    });
    return this.looking;
  }

  private next(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.look(), document.hidden ? beatHidden : beat);
  }

  private async once(): Promise<void> {
    try {
      await this.saving.look();
    } catch (e) {
      if (e instanceof Unreachable) return this.set('away');
      if (isLocked(e)) return this.set('locked');
      // Any other answer is one.
    }
    const { link, saving } = this;
    const back = this.health !== 'well';
    if (back || link.state === 'reconnecting' || link.state === 'disconnected')
      await this.join().catch(() => undefined); // it went away again: the next look says so
    if ((back || saving.unheard) && saving.state !== 'saved' && saving.state !== 'conflict') await saving.save();
    this.set('well');
  }

  private async join(): Promise<void> {
    const before = this.started;
    await this.startOf();
    if (before && before !== this.started) this.link.forget();
    else await this.link.recover();
  }

  private async startOf(): Promise<void> {
    this.started = (await request<{ started: string }>('GET', 'api/status')).started;
  }

  private set(health: Health): void {
    if (health === this.health) return;
    this.health = health;
    this.changed.emit();
  }
}
