// The open notebook: cells, the undo history of their structure, and what happens to them as signals.

import { Signal } from '../dom';
import {
  type CellJson,
  type CellType,
  type Metadata,
  type NotebookJson,
  newId,
  type Output,
  sameJson,
} from './nbformat';
import { appendStream } from './stream';

/** The tag of cells that run again by themselves, in the list that Jupyter's programs know as metadata.tags. */
const reactiveTag = 'reactive';
/** The tag of cells whose error is part of the notebook, so that it does not stop a run. */
const mayFailTag = 'raises-exception';

export type RunState = 'idle' | 'queued' | 'running';
export type OutputChange =
  | { kind: 'append'; index: number }
  | { kind: 'stream'; index: number }
  | { kind: 'replace'; index: number }
  | { kind: 'reset' };

export type Timing = Record<string, string | undefined>;

/** A time of a file in milliseconds; NaN for what is none. */
const timeOf = (v: unknown) => (typeof v === 'string' ? Date.parse(v) : NaN);

export class Cell {
  readonly changedSource = new Signal<'editor' | 'model'>();
  readonly changedOutputs = new Signal<OutputChange>();
  /** Type, metadata, count, run state. */
  readonly changed = new Signal();
  readonly id: string;
  type: CellType;
  /** What the file has in this cell's place, where that is more than is known here. */
  readonly file: unknown;
  metadata: Metadata;
  attachments?: CellJson['attachments'];
  outputs: Output[];
  count: number | null;
  state: RunState = 'idle';
  /** Milliseconds since the epoch when the cell began to run, by the server's clock; 0 before. */
  startedAt = 0;
  /** performance.now() when this page saw it begin, whatever clocks say; -1 where it ran already. */
  begunAt = -1;
  /** Milliseconds it ran, as this page or the file knows; -1 unknown. */
  tookMs = -1;
  /** Times of its last run's messages, by Jupyter's names for them, and the engine. */
  timing: Timing = {};
  ok: boolean | null = null;
  /** Outputs made in this page's time may run their scripts (in a sandbox); those of the file may not. */
  fresh = false;
  /** The source that made the outputs; null where it is not known. */
  ranSource: string | null = null;
  /** Why its outputs do not stand any more, '' where they do. */
  stale = '';
  private text: string;
  private clearOnNext = false;

  constructor(json: CellJson) {
    this.id = json.id;
    this.type = json.cell_type;
    this.text = json.source;
    this.file = json.file;
    this.metadata = json.metadata;
    this.attachments = json.attachments;
    this.outputs = json.outputs ?? [];
    this.count = json.execution_count ?? null;
    this.readTimes();
  }

  /** Takes how long it ran from the times of its last run: those that the server tells, or what the file says. */
  readTimes(told?: Timing): void {
    this.timing = told ?? this.metadata.execution ?? {};
    const { timing } = this;
    const from = timeOf(timing['iopub.execute_input']);
    const to = timeOf(timing['shell.execute_reply'] ?? timing['iopub.status.idle']);
    this.tookMs = to >= from ? to - from : -1;
  }

  /** Whether the kernel knows what the source declares: it has run, to its end, as it is. */
  get declared(): boolean {
    return this.state === 'idle' && this.ranSource === this.text;
  }

  /** Whether it is as a new cell is. */
  get untouched(): boolean {
    return (
      this.type === 'code' &&
      !this.text &&
      !this.outputs.length &&
      this.count === null &&
      !Object.keys(this.metadata).length
    );
  }

  /** Milliseconds it has been running; -1 unknown. */
  get runningMs(): number {
    if (this.begunAt >= 0) return performance.now() - this.begunAt;
    return this.startedAt ? Math.max(0, Date.now() - this.startedAt) : -1;
  }

  get source(): string {
    return this.text;
  }

  setSource(text: string, by: 'editor' | 'model' = 'model'): void {
    if (text === this.text) return;
    this.text = text;
    this.changedSource.emit(by);
  }

  setMetadata(key: string, value: unknown): void {
    if (value === undefined) delete this.metadata[key];
    else this.metadata[key] = value;
    this.changed.emit();
  }

  /** Whether it runs again by itself when what it read has changed. */
  get reactive(): boolean {
    return this.tagged(reactiveTag);
  }

  /** Whether the cells that wait run though this one fails. */
  get mayFail(): boolean {
    return this.tagged(mayFailTag);
  }

  private tagged(tag: string): boolean {
    return Array.isArray(this.metadata.tags) && this.metadata.tags.includes(tag);
  }

  setReactive(on: boolean): void {
    const others = (Array.isArray(this.metadata.tags) ? this.metadata.tags : []).filter(
      (t: unknown) => t !== reactiveTag,
    );
    this.setMetadata('tags', on ? [...others, reactiveTag] : others.length ? others : undefined);
  }

  setStale(why: string): void {
    if (why === this.stale) return;
    this.stale = why;
    this.changed.emit();
  }

  setState(state: RunState): void {
    this.state = state;
    this.changed.emit();
  }

  addOutput(o: Output): void {
    this.applyClear();
    const last = this.outputs[this.outputs.length - 1];
    if (o.output_type === 'stream' && last?.output_type === 'stream' && last.name === o.name) {
      last.text = appendStream(last.text, o.text);
      this.changedOutputs.emit({ kind: 'stream', index: this.outputs.length - 1 });
      return;
    }
    if (o.output_type === 'stream') o = { ...o, text: appendStream('', o.text) };
    this.outputs.push(o);
    this.changedOutputs.emit({ kind: 'append', index: this.outputs.length - 1 });
  }

  replaceOutput(index: number, o: Output): void {
    this.outputs[index] = o;
    this.changedOutputs.emit({ kind: 'replace', index });
  }

  /** Becomes what json says, and stays as it is where it does already; a new cell where it cannot. */
  become(json: CellJson): Cell {
    const was = this.toJson();
    if (sameJson(was, json)) return this;
    // What the file has beyond what a cell knows of it belongs to a cell for good.
    if (this.file !== undefined || json.file !== undefined) return new Cell(json);
    this.type = json.cell_type;
    this.attachments = json.attachments;
    if (!sameJson(was.metadata, json.metadata)) {
      this.metadata = json.metadata;
      this.readTimes();
    }
    this.setSource(json.source);
    if (!sameJson(was.outputs, json.outputs) || was.execution_count !== json.execution_count)
      this.setOutputs(json.outputs ?? [], json.execution_count ?? null);
    this.changed.emit();
    return this;
  }

  /** Empties the outputs, or with wait does so when the next one comes. */
  clearOutputs(wait = false): void {
    if (wait) {
      this.clearOnNext = true;
      return;
    }
    this.clearOnNext = false;
    this.outputs = [];
    this.changedOutputs.emit({ kind: 'reset' });
  }

  setOutputs(outputs: Output[], count: number | null): void {
    this.clearOnNext = false;
    this.outputs = outputs;
    this.count = count;
    this.changedOutputs.emit({ kind: 'reset' });
    this.changed.emit();
  }

  toJson(): CellJson {
    const json: CellJson = { id: this.id, cell_type: this.type, source: this.text, metadata: this.metadata };
    if (this.type === 'code') {
      json.outputs = this.outputs;
      json.execution_count = this.count;
    } else if (this.attachments) json.attachments = this.attachments;
    if (this.file !== undefined) json.file = this.file;
    return json;
  }

  private applyClear(): void {
    if (!this.clearOnNext) return;
    this.clearOnNext = false;
    this.outputs = [];
    this.changedOutputs.emit({ kind: 'reset' });
  }
}

interface Snapshot {
  cells: Cell[];
  touched: Map<Cell, { type: CellType; source: string; outputs: Output[]; count: number | null }>;
}
interface Step {
  before: Snapshot;
  after: Snapshot;
}

export class Notebook {
  /** The list of cells changed: inserted, removed, moved. */
  readonly restructured = new Signal();
  /** Anything changed that belongs into the file. */
  readonly edited = new Signal();
  cells: Cell[] = [];
  metadata: Metadata;
  private readonly minor: number;
  private file: unknown;
  /** The cell to write in of a file without cells, which it joins when something is in it. */
  private readonly standIn: Cell | null = null;
  private undone: Step[] = [];
  private done: Step[] = [];
  private readonly watched = new WeakSet<Cell>();

  constructor(json: NotebookJson) {
    this.metadata = json.metadata;
    this.minor = json.nbformat_minor;
    this.file = json.file;
    this.cells = json.cells.map((c) => new Cell(c));
    if (!this.cells.length) this.cells.push((this.standIn = this.make('code')));
    this.cells.forEach((c) => this.watch(c));
  }

  index(cell: Cell): number {
    return this.cells.indexOf(cell);
  }
  find(id: string): Cell | undefined {
    return this.cells.find((c) => c.id === id);
  }

  make(type: CellType, source = ''): Cell {
    return new Cell({ id: newId(), cell_type: type, source, metadata: {}, outputs: [], execution_count: null });
  }

  /**
   * Changes cells so that one undo takes it all back. touched are the cells whose type, source or outputs f changes.
   */
  transact(touched: Cell[], f: (cells: Cell[]) => Cell[] | void): void {
    const before = this.snapshot(touched);
    this.cells = f(this.cells.slice()) ?? this.cells;
    this.cells.forEach((c) => this.watch(c));
    this.done.push({ before, after: this.snapshot(touched) });
    if (this.done.length > 200) this.done.shift();
    this.undone = [];
    this.restructured.emit();
    this.edited.emit();
  }

  /** Becomes what json says, as one step that can be undone; cells that are there already stay. */
  become(json: NotebookJson): void {
    this.metadata = json.metadata;
    this.file = json.file;
    this.transact(this.cells, (cells) => {
      const byId = new Map(cells.map((c) => [c.id, c]));
      const list = json.cells.map((c) => byId.get(c.id)?.become(c) ?? new Cell(c));
      return list.length ? list : [this.make('code')];
    });
  }

  undo(): boolean {
    return this.replay(this.done, this.undone, 'before');
  }
  redo(): boolean {
    return this.replay(this.undone, this.done, 'after');
  }

  /** Whether the step that comes next in a direction changed a cell's text, which is still as that step left it. */
  lastStepIn(cell: Cell, way: 'undo' | 'redo'): boolean {
    const step = (way === 'undo' ? this.done : this.undone).at(-1);
    const [is, other] = way === 'undo' ? ['after' as const, 'before' as const] : ['before' as const, 'after' as const];
    const left = step?.[is].touched.get(cell)?.source;
    return left === cell.source && left !== step?.[other].touched.get(cell)?.source;
  }

  insert(index: number, ...cells: Cell[]): void {
    this.transact([], (list) => {
      list.splice(index, 0, ...cells);
      return list;
    });
  }

  remove(cells: Cell[]): void {
    this.transact([], (list) => {
      const rest = list.filter((c) => !cells.includes(c));
      return rest.length ? rest : [this.make('code')];
    });
  }

  /** Moves neighbouring cells by one place; false at the end of the notebook. */
  move(cells: Cell[], by: -1 | 1): boolean {
    const first = this.index(cells[0]!);
    const target = first + by;
    if (target < 0 || target + cells.length > this.cells.length) return false;
    this.moveTo(cells, by < 0 ? target : first + cells.length + 1);
    return true;
  }

  /** Puts neighbouring cells before the one at an index, or at the end. */
  moveTo(cells: Cell[], at: number): void {
    const first = this.index(cells[0]!);
    if (at >= first && at <= first + cells.length) return;
    this.transact([], (list) => {
      list.splice(first, cells.length);
      list.splice(at > first ? at - cells.length : at, 0, ...cells);
      return list;
    });
  }

  setType(cells: Cell[], type: CellType): void {
    this.transact(cells, () =>
      cells.forEach((c) => {
        c.type = type;
        c.changed.emit();
      }),
    );
  }

  /** Cuts a cell at offsets of its source. The last piece stays the cell it was, with its outputs. Returns the pieces. */
  split(cell: Cell, at: number[]): Cell[] {
    const cuts = [0, ...[...new Set(at)].sort((a, b) => a - b), cell.source.length];
    const pieces = cuts.slice(1).map((to, i) => cell.source.slice(cuts[i], to));
    const made = pieces.slice(0, -1).map((p) => this.make(cell.type, p.replace(/\n+$/, '')));
    const index = this.index(cell);
    this.transact([cell], (list) => {
      cell.setSource(pieces[pieces.length - 1]!.replace(/^\n+/, ''));
      list.splice(index, 0, ...made);
      return list;
    });
    return [...made, cell];
  }

  /** Joins neighbouring cells into the first of them. */
  merge(cells: Cell[]): Cell {
    const [first, ...rest] = cells as [Cell, ...Cell[]];
    this.transact([first], (list) => {
      first.setSource(cells.map((c) => c.source).join(first.type === 'markdown' ? '\n\n' : '\n'));
      if (rest.length) first.clearOutputs();
      return list.filter((c) => !rest.includes(c));
    });
    return first;
  }

  toJson(): NotebookJson {
    const [first] = this.cells;
    const none = this.cells.length === 1 && first === this.standIn && first.untouched;
    return {
      cells: none ? [] : this.cells.map((c) => c.toJson()),
      metadata: this.metadata,
      nbformat: 4,
      nbformat_minor: this.minor,
      file: this.file,
    };
  }

  private watch(cell: Cell): void {
    if (this.watched.has(cell)) return;
    this.watched.add(cell);
    const edited = () => {
      if (this.cells.includes(cell)) this.edited.emit();
    };
    cell.changedSource.on(edited);
    cell.changedOutputs.on(edited);
  }

  private snapshot(touched: Cell[]): Snapshot {
    return {
      cells: this.cells.slice(),
      touched: new Map(touched.map((c) => [c, { type: c.type, source: c.source, outputs: c.outputs, count: c.count }])),
    };
  }

  private replay(from: Step[], to: Step[], side: 'before' | 'after'): boolean {
    const step = from.pop();
    if (!step) return false;
    to.push(step);
    const state = step[side];
    const left = step[side === 'before' ? 'after' : 'before'];
    // What was typed since is not part of the step: it comes back when the step is replayed the other way.
    const changed = [...state.touched].filter(([cell, was]) => was.source !== left.touched.get(cell)!.source);
    left.touched = this.snapshot([...left.touched.keys()]).touched;
    this.cells = state.cells.slice();
    for (const [cell, was] of state.touched) {
      cell.type = was.type;
      if (changed.some(([c]) => c === cell)) cell.setSource(was.source);
      if (cell.outputs !== was.outputs) cell.setOutputs(was.outputs, was.count);
      cell.changed.emit();
    }
    this.restructured.emit();
    this.edited.emit();
    return true;
  }
}
