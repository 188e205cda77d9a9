// Workers that compute one layout together: each has a program of its own, and they exchange what each has computed through
// shared memory, which a page has only where its host asks for isolation from other sites.

/** Bytes of one exchange; what is longer goes over in several. */
const room = 1 << 22;
/** Milliseconds after which a worker that does not come to a meeting is gone. */
const patience = 300_000;
/** Looks at a counter before the thread sleeps on it. */
const looks = 2000;

// Counters at the beginning of the shared memory; the value of an order lies behind them.
const arrived = 0,
  round = 1,
  orders = 2,
  order = 3,
  gone = 4,
  counters = 16;
const head = 4 * counters;

export const sharedBytes = head + 2 * room;

/** One worker's place in the team. Worker 0 gives orders, the others follow them. */
export class Team {
  private readonly count: Int32Array;
  private readonly value: Float64Array;
  private readonly areas: Uint8Array[];
  private turn = 0;
  private heard = 0;

  constructor(
    shared: SharedArrayBuffer,
    readonly rank: number,
    readonly of: number,
    private readonly memory: () => ArrayBuffer,
  ) {
    this.count = new Int32Array(shared, 0, counters - 2);
    this.value = new Float64Array(shared, head - 8, 1);
    this.areas = [new Uint8Array(shared, head, room), new Uint8Array(shared, head + room, room)];
  }

  /** Completes the bytes of this program's memory from `at` on, of which worker r has cuts[r] to cuts[r + 1]. */
  share(at: number, ...cuts: number[]): boolean {
    const mine = new Uint8Array(this.memory());
    for (let base = cuts[0]!; base < cuts[this.of]!; base += room) {
      // Nobody reads an area when it is used again, two exchanges later: all have met in between.
      const area = this.areas[(this.turn ^= 1)]!;
      const part = (r: number) => [Math.max(cuts[r]!, base), Math.min(cuts[r + 1]!, base + room)] as const;
      const [lo, hi] = part(this.rank);
      if (lo < hi) area.set(mine.subarray(at + lo, at + hi), lo - base);
      if (!this.meet()) return false;
      for (let r = 0; r < this.of; r++) {
        const [from, to] = part(r);
        if (r !== this.rank && from < to) mine.set(area.subarray(from - base, to - base), at + from);
      }
    }
    return true;
  }

  /** Has the others do what this worker does next. */
  command(what: number, value: number): boolean {
    this.value[0] = value;
    Atomics.store(this.count, order, what);
    Atomics.add(this.count, orders, 1);
    Atomics.notify(this.count, orders);
    return this.meet();
  }

  /** Waits for an order, for as long as it takes. */
  next(): { what: number; value: number } {
    Atomics.wait(this.count, orders, this.heard++);
    const heard = { what: Atomics.load(this.count, order), value: this.value[0]! };
    this.meet();
    return heard;
  }

  /** Tells the others not to wait for this worker. */
  leave(): void {
    Atomics.store(this.count, gone, 1);
    Atomics.add(this.count, round, 1);
    Atomics.notify(this.count, round);
  }

  /** Waits until all workers are here; false if one is gone. */
  private meet(): boolean {
    const now = Atomics.load(this.count, round);
    if (Atomics.load(this.count, gone)) return false;
    if (Atomics.add(this.count, arrived, 1) + 1 === this.of) {
      Atomics.store(this.count, arrived, 0);
      Atomics.add(this.count, round, 1);
      Atomics.notify(this.count, round);
      return true;
    }
    for (let look = 0; look < looks; look++)
      if (Atomics.load(this.count, round) !== now) return !Atomics.load(this.count, gone);
    return Atomics.wait(this.count, round, now, patience) !== 'timed-out' && !Atomics.load(this.count, gone);
  }
}
