// A control: it sets a variable of the kernel's and shows which value that has. The browser's own elements, so that pointer, keys and
// screen readers find what they know.

import { el } from '../../dom';
import type { Shown } from '../type';
import { type Control, decimals, decode } from './decode';

let made = 0;

export class ControlView {
  readonly dom = el('figure.control');
  private data: Control;
  private input!: HTMLInputElement | HTMLSelectElement | HTMLButtonElement;
  private readonly said = el('output');
  private readonly note = el('p.note', { role: 'status', hidden: true });
  /** What the user chose and the kernel does not have yet; of several only the last. */
  private wanted: { value: unknown } | null = null;
  private sending = false;

  constructor(
    json: unknown,
    private readonly move: Shown['move'],
  ) {
    this.data = decode(json);
    this.build();
    this.show();
  }

  update(json: unknown): void {
    const { kind, id } = this.data;
    this.data = decode(json);
    const { data } = this;
    const same = data.kind === kind && data.id === id && data.kind !== 'select' && data.kind !== 'slider';
    if (!same && !(this.input.dataset.shape === this.shape)) this.build();
    this.note.hidden = true;
    if (!this.sending && !this.wanted) this.show();
  }

  dispose(): void {
    this.wanted = null;
  }

  /** What of the data the elements are made for. */
  private get shape(): string {
    return JSON.stringify({ ...this.data, value: null });
  }

  private build(): void {
    const { data } = this;
    const id = `control-${++made}`;
    this.said.setAttribute('for', id);
    switch (data.kind) {
      case 'slider':
        this.input = el('input', {
          type: 'range',
          min: data.low,
          max: data.high,
          step: data.step,
          input: () => this.choose(Number((this.input as HTMLInputElement).value)),
        });
        break;
      case 'select':
        this.input = el(
          'select',
          { change: () => this.choose(Number((this.input as HTMLSelectElement).value)) },
          data.value < 0 ? el('option', { value: -1, disabled: true }, '–') : null,
          ...data.options.map((o, i) => el('option', { value: i }, o)),
        );
        break;
      case 'toggle':
        this.input = el('input', {
          type: 'checkbox',
          change: () => this.choose((this.input as HTMLInputElement).checked),
        });
        break;
      case 'button':
        this.input = el(
          'button',
          { type: 'button', click: () => this.choose(1 + Number(this.wanted?.value ?? 0)) },
          data.label,
        );
        break;
      case 'text':
        this.input = el('input', {
          type: 'text',
          autocomplete: 'off',
          spellcheck: 'false',
          input: () => this.choose((this.input as HTMLInputElement).value),
        });
        break;
    }
    this.input.id = id;
    this.input.dataset.shape = this.shape;
    this.dom.dataset.kind = data.kind;
    this.dom.replaceChildren(
      data.kind === 'button' ? '' : el('label', { for: id }, data.label),
      this.input,
      this.said,
      this.note,
    );
  }

  /** Shows the value that the kernel has. */
  private show(): void {
    const { data } = this;
    switch (data.kind) {
      case 'slider':
        (this.input as HTMLInputElement).value = String(data.value ?? data.low);
        return this.say(data.value);
      case 'toggle':
        (this.input as HTMLInputElement).checked = data.value;
        return;
      case 'button':
        this.said.textContent = data.value ? `pressed ${data.value} ${data.value === 1 ? 'time' : 'times'}` : '';
        return;
      default:
        if ((this.input as HTMLInputElement).value !== String(data.value))
          (this.input as HTMLInputElement).value = String(data.value);
    }
  }

  private say(value: number | null): void {
    if (this.data.kind !== 'slider') return;
    const { low, step } = this.data;
    this.said.textContent = value === null ? '–' : value.toFixed(decimals(low, step));
    this.input.setAttribute('aria-valuetext', this.said.textContent);
  }

  private choose(value: unknown): void {
    if (this.data.kind === 'slider') this.say(value as number);
    this.wanted = { value };
    void this.send();
  }

  private async send(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    while (this.wanted) {
      const { value } = this.wanted;
      this.wanted = null;
      const problem =
        (await this.move?.(this.data.id, value).catch((e: Error) => e.message)) ??
        'There is no notebook around this control.';
      this.note.hidden = !problem;
      this.note.textContent = problem;
      // What was taken comes as new data, soon or already; what was not is taken back.
      if (problem && !this.wanted) this.show();
    }
    this.sending = false;
  }
}
