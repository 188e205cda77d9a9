// Text with ANSI colours, and streams that grow.

import { AnsiUp } from 'ansi_up';
import { el } from '../dom';

function converter(): AnsiUp {
  const ansi = new AnsiUp();
  ansi.use_classes = true; // colours follow the theme
  ansi.url_allowlist = {};
  return ansi;
}

export function ansiToHtml(text: string): string {
  return converter().ansi_to_html(text);
}

export function stripAnsi(text: string): string {
  return text.replace(/\x1b\[[0-9;?]*[ -/]*[@-~]/g, '');
}

/** Lines kept in the page; earlier ones stay in the notebook's file. */
const maxLines = 5000;

/**
 * Shows a stream. Finished lines are converted once and stay; only the last line, which may still be overwritten, is
 * made again, so that the cost of showing n lines is n.
 */
export class StreamView {
  readonly dom = el('pre.stream');
  private readonly lines = el('span');
  private readonly last = el('span');
  private state = converter();
  private shown = '';

  constructor(name: string) {
    this.dom.classList.add(name);
    this.dom.append(this.lines, this.last);
  }

  show(text: string): void {
    if (!text.startsWith(this.shown)) {
      this.lines.replaceChildren();
      this.state = converter();
      this.shown = '';
    }
    const end = text.lastIndexOf('\n') + 1;
    if (end > this.shown.length) {
      let from = this.shown.length;
      const skipped = from === 0 ? tooMany(text) : 0;
      if (skipped) {
        from = skipped;
        this.lines.append(
          el(
            'span.omitted',
            {},
            `… ${countLines(text.slice(0, skipped)).toLocaleString('en')} earlier lines are in the file\n`,
          ),
        );
      }
      const chunk = el('span');
      chunk.innerHTML = this.state.ansi_to_html(text.slice(from, end));
      this.lines.append(chunk);
      this.shown = text.slice(0, end);
    }
    const tail = text.slice(end).replace(/\r$/, '');
    // The tail is shown with a copy of the colours at its start; the state itself waits for the line to end.
    const copy = Object.assign(converter(), this.state);
    this.last.innerHTML = tail ? copy.ansi_to_html(tail) : '';
  }
}

function countLines(text: string): number {
  let n = 0;
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) n++;
  return n;
}

/** The offset from which at most maxLines lines remain. */
function tooMany(text: string): number {
  let at = text.length;
  for (let n = 0; n <= maxLines; n++) {
    // Before the first character there is nothing; lastIndexOf would look at it again.
    at = at > 0 ? text.lastIndexOf('\n', at - 1) : -1;
    if (at < 0) return 0;
  }
  return at + 1;
}
