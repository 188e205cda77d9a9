// Running cells: what the kernel says becomes outputs and states of cells.

import { elements, type Fields, fields } from '../model/json';
import type { KernelMessage } from '@jupyterlab/services';
import { announce } from '../dom';
import type { Cell, Notebook } from '../model/notebook';
import { type DataOutput, newId, type Output, parseOutput } from '../model/nbformat';
import { sameOutputs } from '../model/merge';
import { controlsOf } from '../output/control/decode';
import { parseNotebook } from '../model/nbformat';
import type { FileModel } from '../protocol/contents';
import type { KernelLink, Message } from '../protocol/kernel';
import type { Loss } from './loss';

/** The name of the error of a cell whose kernel ended, as the server has it. */
const died = 'KernelDied';

export interface ExecutionHost {
  askInput(cell: Cell, prompt: string, password: boolean, answer: (value: string) => void): void;
  /** The cell is over: nobody will take an answer any more. */
  forgetInput(cell: Cell): void;
  showPage(text: string, mime: string): void;
  insertBelow(cell: Cell, source: string): void;
  finished(cell: Cell): void;
  refreshed(): void;
  /** Messages are gone for good: the server's document has what they said. */
  missed(): void;
  /** The kernel ended unasked. */
  lost(loss: Loss): void;
}

export class Execution {
  private held: { message: Message; cell: string | null; seq: number }[] | null = [];
  private seen = 0;
  private kernel = '';
  /** The cell that was told last that its kernel died. */
  private ended: Cell | null = null;
  private readonly displays = new Map<string, { cell: Cell; output: DataOutput }[]>();

  constructor(
    private readonly notebook: Notebook,
    private readonly link: KernelLink,
    private readonly host: ExecutionHost,
  ) {
    link.message.on((m) => (this.held ? this.held.push(m) : this.receive(m)));
    link.restarted.on((why) => {
      if (why) this.lose(why, false);
      this.ended = null;
      this.reset(null);
    });
    link.lost.on(() => {
      this.lose('the server ended', true);
      this.seen = 0;
      this.kernel = '';
      this.reset(null);
    });
    link.stateChanged.on((state) => {
      if (state === 'dead' || state === 'none') this.reset(false);
    });
  }

  /** The number of the last message that is in the notebook; saving tells it to the server. */
  get seq(): number {
    return this.seen;
  }

  get running(): Cell[] {
    return this.notebook.cells.filter((c) => c.state !== 'idle');
  }

  /** Sends cells to the kernel, which runs them in this order. One that fails ends the run, unless it may. */
  run(cells: Cell[]): void {
    const run = newId();
    for (const cell of cells) {
      if (cell.type !== 'code') continue;
      if (!cell.source.trim()) {
        cell.setOutputs([], null);
        continue;
      }
      this.link.execute(cell.id, cell.source, { controls: controlsOf(cell.outputs), mayFail: cell.mayFail, run });
      cell.ranSource = cell.source;
      cell.setState('queued');
    }
  }

  /** Keeps messages back while the document is fetched, so that an older document never covers newer messages. */
  hold(): void {
    this.held ??= [];
  }

  /** From now on messages are applied; those up to the file's own mark are in it already. */
  opened(model: FileModel | null): void {
    this.adopt(model);
    const held = this.held ?? [];
    this.held = null;
    held.forEach((m) => this.receive(m));
  }

  /** After messages may have been missed: takes the outputs the server kept. */
  resume(model: FileModel): void {
    if (!model.live) return;
    const theirs = new Map(parseNotebook(model.content).cells.map((c) => [c.id, c]));
    for (const cell of this.notebook.cells) {
      const kept = theirs.get(cell.id);
      if (cell.type !== 'code' || !kept || kept.cell_type !== 'code') continue;
      const ran = model.live.times?.[cell.id];
      if (cell.state === 'idle' && ran && cell.count !== kept.execution_count) {
        // It ran while this page could not hear it.
        cell.readTimes(ran);
      }
      if (!sameOutputs(cell.outputs, kept.outputs) || cell.count !== kept.execution_count)
        cell.setOutputs(kept.outputs ?? [], kept.execution_count ?? null);
      if (cell.state !== 'idle' && !(cell.id in model.live.cells) && !this.link.sending(cell.id))
        this.finish(cell, ran?.['shell.execute_reply'] ?? new Date().toISOString());
    }
    this.adopt(model);
  }

  private adopt(model: FileModel | null): void {
    if (!model?.live) return;
    if (this.kernel !== model.live.kernel_id) this.seen = 0;
    this.kernel = model.live.kernel_id;
    this.seen = Math.max(this.seen, model.live.seq);
    this.displays.clear();
    for (const cell of this.notebook.cells) {
      for (const o of cell.outputs) if ('data' in o && o.displayId) this.remember(cell, o, o.displayId);
      const state = model.live.cells?.[cell.id];
      const times = model.live.times?.[cell.id];
      if (times) cell.readTimes(times);
      if (!state) continue;
      this.link.noteRunning();
      cell.fresh = true;
      cell.startedAt = Date.parse(cell.timing['iopub.execute_input'] ?? '') || 0;
      cell.begunAt = -1;
      cell.setState(state === 'busy' ? 'running' : 'queued');
    }
  }

  private receive({ message, cell: id, seq }: { message: Message; cell: string | null; seq: number }): void {
    if (this.kernel !== this.link.id) {
      // Another kernel counts its messages from the start.
      this.kernel = this.link.id;
      this.seen = 0;
    }
    if (seq) {
      if (seq <= this.seen) return;
      this.seen = seq;
    }
    const content = fields(message.content);
    const type = message.header.msg_type as string;
    if (type === 'nacre_resync') return this.host.missed();
    if (type === 'update_display_data') return this.updateDisplay(content);
    const cell = id ? this.notebook.find(id) : undefined;
    if (!cell) return;
    switch (type) {
      case 'execute_input':
        return this.begin(cell, content.execution_count as number | null, message.header.date);
      case 'stream':
      case 'display_data':
      case 'execute_result':
      case 'error':
        return this.output(cell, type, content);
      case 'clear_output':
        return cell.clearOutputs(content.wait === true);
      case 'input_request':
        return this.host.askInput(cell, String(content.prompt ?? ''), content.password === true, (value) =>
          this.link.answer(message as KernelMessage.IInputRequestMsg, value),
        );
      case 'execute_reply':
        return this.reply(cell, content, message.header.date);
      case 'status':
        if (content.execution_state === 'idle' && fields(message.parent_header).msg_type === 'execute_request')
          this.finish(cell, message.header.date);
    }
  }

  private begin(cell: Cell, count: number | null, date: string): void {
    for (const [id, list] of this.displays)
      this.displays.set(
        id,
        list.filter((d) => d.cell !== cell),
      );
    cell.clearOutputs();
    cell.fresh = true;
    cell.ok = null;
    cell.count = count ?? cell.count;
    cell.startedAt = Date.parse(date) || Date.now();
    cell.begunAt = performance.now();
    cell.tookMs = -1;
    cell.timing = { 'iopub.execute_input': new Date(cell.startedAt).toISOString() };
    // The times that the file has are those of an earlier run; the server writes new ones where that is wanted.
    delete cell.metadata.execution;
    cell.setState('running');
  }

  private output(cell: Cell, type: string, content: Fields): void {
    const output: Output | null = parseOutput({ ...content, output_type: type });
    if (!output) return;
    const id = fields(content.transient).display_id as string | undefined;
    if (id && 'data' in output) this.remember(cell, output, id);
    if (type === 'error') {
      cell.ok = false;
      if (content.ename === died) this.ended = cell;
      announce(`Error: ${content.ename}: ${content.evalue}`);
    }
    cell.addOutput(output);
    // Shown again under its id, an output replaces what stands elsewhere under the same one.
    if (id && (this.displays.get(id)?.length ?? 0) > 1) this.updateDisplay(content);
  }

  private remember(cell: Cell, output: DataOutput, id: string): void {
    output.displayId = id;
    const list = this.displays.get(id);
    if (list) list.push({ cell, output });
    else this.displays.set(id, [{ cell, output }]);
  }

  private updateDisplay(content: Fields): void {
    const parsed = parseOutput({ ...content, output_type: 'display_data' }) as DataOutput;
    for (const { cell, output } of this.displays.get(fields(content.transient).display_id as string) ?? []) {
      const index = cell.outputs.indexOf(output);
      if (index < 0) continue;
      output.data = parsed.data;
      output.metadata = parsed.metadata;
      cell.replaceOutput(index, output);
    }
  }

  private reply(cell: Cell, content: Fields, date: string): void {
    if (content.status === 'aborted' || content.status === 'abort') {
      cell.ranSource = null;
      return cell.setState('idle');
    }
    cell.ok = content.status === 'ok';
    cell.count = (content.execution_count as number | null) ?? cell.count;
    cell.timing = {
      ...cell.timing,
      'shell.execute_reply': toIso(date),
      ...(content.engine ? { engine: content.engine as string } : {}),
    };
    for (const p of elements(content.payload).map(fields)) {
      if (p.source === 'page') this.host.showPage((fields(p.data)['text/plain'] ?? '') as string, 'text/plain');
      else if (p.source === 'set_next_input') this.host.insertBelow(cell, String(p.text ?? ''));
    }
    if (cell.state === 'running') this.setTime(cell, date);
    cell.changed.emit();
  }

  private finish(cell: Cell, date: string): void {
    if (cell.state === 'idle') return;
    if (cell.state === 'running') {
      this.setTime(cell, date);
      if (cell.ok === null) cell.ok = true;
      cell.timing = { 'shell.execute_reply': toIso(date), ...cell.timing, 'iopub.status.idle': toIso(date) };
    }
    this.host.forgetInput(cell);
    cell.setState('idle');
    this.notebook.edited.emit();
    this.host.finished(cell);
  }

  private setTime(cell: Cell, date: string): void {
    const told = (Date.parse(date) || Date.now()) - cell.startedAt;
    cell.tookMs = told >= 0 ? told : Math.max(0, cell.runningMs); // the server's clock was set back meanwhile
  }

  /** Says what goes with the kernel. A cell that it takes along says so, as when the server lives to tell. */
  private lose(why: string, server: boolean): void {
    const code = this.notebook.cells.filter((c) => c.type === 'code');
    const running = code.find((c) => c.state === 'running') ?? null;
    if (running)
      running.addOutput({
        output_type: 'error',
        ename: died,
        evalue: why,
        traceback: [`\x1b[31m${died}\x1b[0m: ${why}`, 'All variables are gone. The cells above can be run again.'],
      });
    const ended = running ?? this.ended;
    this.ended = null;
    const ran = code.filter((c) => c.ranSource !== null && c.ok !== false && c !== ended && c.state === 'idle');
    const waited = code.filter((c) => c.state === 'queued');
    if (ended || ran.length || waited.length) this.host.lost({ why, server, ended, ran, waited });
  }

  /** Nothing runs any more: the kernel is another one (null) or gone (false). */
  private reset(ok: boolean | null): void {
    this.displays.clear();
    for (const cell of this.notebook.cells) {
      if (ok === null) cell.ranSource = null;
      if (cell.state === 'idle') continue;
      if (cell.state === 'running') cell.ok = ok;
      this.host.forgetInput(cell);
      cell.setState('idle');
    }
    this.host.refreshed();
  }
}

function toIso(date: string): string {
  const ms = Date.parse(date);
  return new Date(Number.isNaN(ms) ? Date.now() : ms).toISOString();
}
