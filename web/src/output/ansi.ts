// Text with ANSI colours, and streams that grow.

import { AnsiUp } from 'ansi_up';
import { el } from '../dom';
import { appendStream } from '../model/stream';

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
/** Lines from which a stream has a box of its own. */
const boxLines = 200;
/** Characters of a line that are shown: over millions in one line a browser stands still. */
const maxLine = 20_000;

/** The text with its longest lines cut; what is left out stays in the notebook's file. */
export function cutLines(text: string): string {
  if (text.length <= maxLine) return text;
  return text.replace(longLine, (line) => {
    const left = line.length - maxLine;
    return `${line.slice(0, maxLine)}… (${left.toLocaleString('en')} more characters of this line are in the file)`;
  });
}

/** The nodes, which are to be shown, with their longest lines cut. */
export function cutNodes<T extends Node>(nodes: T): T {
  const walker = document.createTreeWalker(nodes, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.data.length > maxLine) node.data = cutLines(node.data);
  }
  return nodes;
}

const longLine = new RegExp(`[^\n]{${maxLine + 1},}`, 'g');

/**
 * Shows a stream. Finished lines are converted once and stay; only the last line, which may still be overwritten, is
 * made again, so that the cost of showing n lines is n. Lines beyond the last maxLines go.
 */
export class StreamView {
  readonly dom = el('pre.stream');
  private readonly omitted = el('span.omitted');
  private readonly lines = el('span');
  private readonly last = el('span');
  private readonly chunks: { dom: HTMLElement; lines: number }[] = [];
  private kept = 0;
  private left = 0;
  private state = converter();
  private shown = '';

  constructor(name: string) {
    this.dom.classList.add(name);
    this.dom.append(this.omitted, this.lines, this.last);
  }

  /** Other programs write \r into files; it is shown as on a terminal, and stays in the file. */
  show(text: string): void {
    const first = !this.shown;
    if (!text.startsWith(this.shown)) this.restart();
    const end = text.lastIndexOf('\n') + 1;
    const { dom } = this;
    const follows = dom.classList.contains('long') ? dom.scrollTop + dom.clientHeight > dom.scrollHeight - 5 : !first;
    if (end > this.shown.length) {
      this.add(appendStream('', text.slice(this.shown.length, end)));
      this.shown = text.slice(0, end);
    }
    const tail = cutLines(appendStream('', text.slice(end)).replace(/\r$/, ''));
    // The tail is shown with a copy of the colours at its start; the state itself waits for the line to end.
    const copy = Object.assign(converter(), this.state);
    this.last.innerHTML = tail ? copy.ansi_to_html(tail) : '';
    dom.classList.toggle('long', this.kept > boxLines);
    if (follows && this.kept > boxLines) dom.scrollTop = dom.scrollHeight;
  }

  private add(text: string): void {
    const skipped = tooMany(text);
    const chunk = { dom: el('span'), lines: countLines(text) };
    if (skipped) {
      const lines = countLines(text.slice(0, skipped));
      this.left += lines;
      chunk.lines -= lines;
    }
    chunk.dom.innerHTML = this.state.ansi_to_html(cutLines(text.slice(skipped)));
    this.lines.append(chunk.dom);
    this.chunks.push(chunk);
    this.kept += chunk.lines;
    while (this.kept - this.chunks[0]!.lines >= maxLines) {
      const old = this.chunks.shift()!;
      old.dom.remove();
      this.kept -= old.lines;
      this.left += old.lines;
    }
    this.omitted.textContent = this.left ? `… ${this.left.toLocaleString('en')} earlier lines are in the file\n` : '';
  }

  private restart(): void {
    this.lines.replaceChildren();
    this.chunks.length = this.kept = this.left = 0;
    this.omitted.textContent = '';
    this.state = converter();
    this.shown = '';
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
