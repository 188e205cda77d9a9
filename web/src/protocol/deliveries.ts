// Which messages of a kernel this page has: the server numbers them, and a page that has all up to one says so when it comes
// back, or when it notices that one is missing.

export class Deliveries {
  private last = 0;
  private asked = -1;

  /** The number of the last message up to which none is missing; 0 before the first. */
  get after(): number {
    return this.last;
  }

  /**
   * What a message's number says: the next one, one that came before, or one behind a gap. Messages without a number (0)
   * are for this page alone and always next. The first number is where the page begins.
   */
  take(seq: number): 'next' | 'seen' | 'gap' {
    if (!seq) return 'next';
    if (this.last && seq <= this.last) return 'seen';
    if (this.last && seq > this.last + 1) return 'gap';
    this.last = seq;
    return 'next';
  }

  /** Whether to ask for what follows the last message: once for each gap. */
  ask(): boolean {
    if (this.asked === this.last) return false;
    this.asked = this.last;
    return true;
  }

  /** The server does not keep what is missing: the document has it, up to this number. */
  skip(to: number): void {
    this.last = to;
    this.asked = -1;
  }

  /** A new connection asks by itself. */
  connecting(): void {
    this.asked = -1;
  }
}
