// Notes to the desktop when a long cell ends or fails, if the user allowed them.

import { announce, iconButton } from '../dom';
import type { Cell } from '../model/notebook';
import { duration } from './cellview';

const key = 'nacre.notices';
/** Milliseconds that a cell runs at least before its end is worth a note. */
const long = 10_000;

const possible = () => typeof Notification !== 'undefined';

export class Notices {
  readonly button = iconButton('bell', 'Tell me on the desktop when it ends', () => void this.toggle());

  constructor(private readonly title: () => string) {
    this.button.hidden = !possible();
    this.refresh();
  }

  get on(): boolean {
    return possible() && Notification.permission === 'granted' && localStorage.getItem(key) === 'on';
  }

  /** The browser is asked only here, after a click. */
  private async toggle(): Promise<void> {
    if (this.on) localStorage.removeItem(key);
    else if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(key, 'on');
    else announce('The browser does not allow notes of this page. Its settings of this page can allow them.');
    this.refresh();
    announce(this.on ? 'A note will say when a long cell ends' : 'No notes');
  }

  private refresh(): void {
    this.button.setAttribute('aria-pressed', String(this.on));
    this.button.title = this.on
      ? 'A note on the desktop says when a long cell ends. Click for none'
      : possible() && Notification.permission === 'denied'
        ? 'The browser does not allow notes of this page; its settings of this page can allow them'
        : 'Tell me on the desktop when it ends';
  }

  finished(cell: Cell): void {
    if (cell.tookMs >= long) this.tell(...sentence(this.title(), cell));
  }

  /** Shows a note unless the page is looked at. */
  tell(title: string, body: string): void {
    if (!this.on || document.hasFocus()) return;
    const note = new Notification(title, { body, tag: `nacre ${this.title()}` });
    note.onclick = () => {
      window.focus();
      note.close();
    };
  }
}

/** What a note says of a cell's end. */
export function sentence(notebook: string, cell: Cell): [title: string, body: string] {
  const what = cell.count === null ? 'A cell' : `Cell ${cell.count}`;
  const error = cell.outputs.find((o) => o.output_type === 'error');
  return cell.ok === false
    ? [`${notebook}: ${what} failed after ${duration(cell.tookMs)}`, error ? `${error.evalue}`.slice(0, 200) : '']
    : [`${notebook}: ${what} ended after ${duration(cell.tookMs)}`, ''];
}
