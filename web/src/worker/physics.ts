// MuJoCo's official WebAssembly build for the Go program in the same worker: models, and chunks of states that are stepped
// by one call (sim/mujoco/chunk_js.go is the other side). Numbers cross in one block of memory per chunk, since a property of
// MuJoCo's objects costs more from Go than a step of the physics.

import loadMujoco, { type MainModule, type MjData, type MjModel, type DoubleBuffer } from '@mujoco/mujoco';

/** A file that a model names, by its path from the model's folder. */
export interface SceneFile {
  path: string;
  bytes: Uint8Array;
}

/** A failure of one environment, -1 for none, as MuJoCo says it. */
interface Fault {
  env: number;
  text: string;
}

/** A failure of a call into MuJoCo, without the words that its bindings put before every one. */
const said = (e: unknown) => ((e as Error).message ?? String(e)).replace(/^MuJoCo Error: (Loading error: )?/, '');

export class Physics {
  private numbers: Float64Array<ArrayBuffer>;
  private whole: Int32Array<ArrayBuffer>;

  private constructor(
    readonly mujoco: MainModule,
    private readonly exports: Exports,
  ) {
    this.numbers = new Float64Array(exports.memory.buffer);
    this.whole = new Int32Array(exports.memory.buffer);
  }

  static async open(program: WebAssembly.Module): Promise<Physics> {
    let exports: Exports;
    const mujoco = await loadMujoco({
      instantiateWasm(imports, done) {
        void WebAssembly.instantiate(program, imports).then((instance) => {
          exports = instance.exports as unknown as Exports;
          done(instance, program);
        });
        return {};
      },
    });
    return new Physics(mujoco, exports!);
  }

  version(): string {
    return this.mujoco.mj_versionString();
  }

  /** MuJoCo's memory, which is another after it has grown. */
  get heap(): Float64Array<ArrayBuffer> {
    if (this.numbers.buffer !== this.exports.memory.buffer) this.numbers = new Float64Array(this.exports.memory.buffer);
    return this.numbers;
  }

  /** The same memory as integers of 4 bytes. */
  get integers(): Int32Array<ArrayBuffer> {
    if (this.whole.buffer !== this.exports.memory.buffer) this.whole = new Int32Array(this.exports.memory.buffer);
    return this.whole;
  }

  /** How far before the addresses of a state's arrays its record of warnings is; found once. */
  private distance = 0;

  /**
   * Where the record of warnings of a state is. The bindings copy the record at every look, which takes longer than a step; so
   * its place is found in memory: at a fixed distance from the addresses of positions and velocities, which lie side by side,
   * the time a little before them. The distance is where the record of a warning that is made to happen shows up.
   */
  warnings(model: MjModel, data: MjData): number {
    const { integers } = this;
    const [qpos, qvel] = [data.qpos.byteOffset, data.qvel.byteOffset];
    data.time = Math.E; // tells the state from what is left of earlier ones
    const mark = new Int32Array(Float64Array.of(data.time).buffer);
    const own = (at: number) =>
      integers[at + 1] === qvel &&
      integers.subarray(at - 16, at).some((v, k, near) => v === mark[0] && near[k + 1] === mark[1]);
    let at = integers.indexOf(qpos);
    while (at >= 0 && !own(at)) at = integers.indexOf(qpos, at + 1);
    this.mujoco.mj_resetData(model, data);
    if (at < 0) throw new Error('MuJoCo keeps its states in another way than this page knows');
    if (!this.distance) {
      data.qvel[model.nv - 1] = NaN;
      this.mujoco.mj_step(model, data);
      const record = [...Array(kinds).keys()].flatMap((w) => [
        data.warning.get(w)!.lastinfo,
        data.warning.get(w)!.number,
      ]);
      const shows = (from: number) => record.every((v, k) => v === this.integers[from + k]);
      const places = [...Array(Math.min(at, 100_000)).keys()].filter((d) => d >= record.length && shows(at - d));
      this.mujoco.mj_resetData(model, data);
      const emptied = places.filter((d) => record.every((_, k) => !this.integers[at - d + k]));
      if (emptied.length !== 1 || !record.some((v) => v))
        throw new Error('MuJoCo records its warnings in another way than this page knows');
      this.distance = emptied[0]!;
    }
    return at - this.distance;
  }

  /** Calls into MuJoCo; its error is returned, and leaves nothing on its stack. */
  guard(call: () => void): string | null {
    const stack = this.exports.emscripten_stack_get_current();
    try {
      call();
      return null;
    } catch (e) {
      this.exports._emscripten_stack_restore(stack);
      return said(e);
    }
  }

  /** Compiles a model; a text is MuJoCo's error. */
  fromText(xml: string): Model | string {
    return this.made(() => this.mujoco.MjModel.from_xml_string(xml));
  }

  /** Compiles the first of the files, which may name the others. */
  fromFiles(files: SceneFile[]): Model | string {
    const { FS } = this.mujoco;
    for (const f of files) {
      FS.mkdirTree(f.path.replace(/\/[^/]*$/, ''));
      FS.writeFile(f.path, f.bytes);
    }
    const model = this.made(() => this.mujoco.MjModel.from_xml_path(files[0]!.path));
    for (const f of files) FS.unlink(f.path);
    return model;
  }

  private made(compile: () => MjModel): Model | string {
    let model: MjModel | undefined;
    const problem = this.guard(() => {
      model = compile();
    });
    return problem ?? new Model(this, model!);
  }
}

interface Exports {
  memory: WebAssembly.Memory;
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(at: number): void;
}

export class Model {
  constructor(
    private readonly physics: Physics,
    readonly model: MjModel,
  ) {
    // This MuJoCo adds the margins of two geometries where 3.3 takes the larger. Where all have the same, half of it is what
    // 3.3 does; where they differ, as in Meta-World's scenes, there is no such number.
    const margin = model.geom_margin;
    if (margin.every((v) => v === margin[0])) for (let g = 0; g < margin.length; g++) margin[g]! /= 2;
  }

  /** nq, nv, nu, nbody, ngeom, nsite, nmocap, seconds per step. */
  sizes(): number[] {
    const m = this.model;
    return [m.nq, m.nv, m.nu, m.nbody, m.ngeom, m.nsite, m.nmocap, m.opt.timestep];
  }

  /** The number of a named object of a kind such as mjOBJ_BODY, -1 if there is none; and the name of a numbered one. */
  id(kind: string, name: string): number {
    return this.physics.mujoco.mj_name2id(this.model, this.kind(kind), name);
  }
  name(kind: string, id: number): string {
    return this.physics.mujoco.mj_id2name(this.model, this.kind(kind), id) ?? '';
  }
  private kind(name: string): number {
    return this.physics.mujoco.mjtObj[name]!.value;
  }

  /** An array of the model as it is now: its numbers, and its bytes for Go. */
  numbers(name: string): ArrayLike<number> {
    return this.model[name] as ArrayLike<number>;
  }
  bytes(name: string): Uint8Array {
    const a = this.model[name] as Float64Array;
    return new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
  }

  /** Overwrites the numbers of every weld constraint. */
  setWelds(numbers: ArrayLike<number>): void {
    const { mjtEq } = this.physics.mujoco,
      { eq_type: type, eq_data: data } = this.model;
    const row = data.length / type.length;
    for (let e = 0; e < type.length; e++)
      if (type[e] === mjtEq.mjEQ_WELD!.value) data.set(Array.from(numbers), e * row);
  }

  /** n states. What they read and write is named by fields of mjData, what varies between them by fields of the model. */
  chunk(n: number, inputs: string, outputs: string, vary: string): Chunk | string {
    let chunk: Chunk | undefined;
    const list = (names: string) => names.split(' ').filter(Boolean);
    const problem = this.physics.guard(() => {
      chunk = new Chunk(this.physics, this.model, n, list(inputs), list(outputs), list(vary));
    });
    return problem ?? chunk!;
  }

  delete(): void {
    this.model.delete();
  }
}

/** Kinds of warnings, mjNWARNING. */
const kinds = 7;

/** Where numbers lie in MuJoCo's memory, counted in numbers. */
interface Span {
  at: number;
  length: number;
}

/** A state: where its numbers are, and its record of warnings, counted in integers of 4 bytes. */
interface State {
  data: MjData;
  inputs: Span[];
  outputs: Span[];
  warnings: number;
}

const span = (a: Float64Array): Span => ({ at: a.byteOffset / 8, length: a.length });
const total = (spans: Span[]) => spans.reduce((n, s) => n + s.length, 0);

/**
 * n states of one model. The block has n rows of inputs, each the flag whether Step is to step the environment, the inputs
 * and the varied fields, and then n rows of outputs.
 */
export class Chunk {
  /** What is called after the steps of a control step. */
  contactForces = false;
  forward = false;
  /** Steps per control step. */
  substeps = 1;
  readonly inputRow: number;
  readonly outputRow: number;
  private readonly states: State[] = [];
  private readonly block: DoubleBuffer;
  private readonly start: number;
  private readonly varied: Span[];
  private readonly nominal: Float64Array[];

  constructor(
    private readonly physics: Physics,
    private readonly model: MjModel,
    n: number,
    inputs: string[],
    outputs: string[],
    vary: string[],
  ) {
    const { mujoco } = physics;
    for (let e = 0; e < n; e++) {
      const data = new mujoco.MjData(model);
      const spans = (fields: string[]) => fields.map((f) => span(data[f] as Float64Array));
      this.states.push({
        data,
        inputs: spans(inputs),
        outputs: spans(outputs),
        warnings: physics.warnings(model, data),
      });
    }
    this.varied = vary.map((f) => span(model[f] as Float64Array));
    this.nominal = this.varied.map((s) => physics.heap.slice(s.at, s.at + s.length));
    const first = this.states[0]!;
    this.inputRow = 1 + total(first.inputs) + total(this.varied);
    this.outputRow = total(first.outputs);
    this.block = new mujoco.DoubleBuffer(n * (this.inputRow + this.outputRow));
    this.start = this.block.GetView().byteOffset / 8;
  }

  /** Bytes of the block: all rows of inputs, or all rows. They are empty once MuJoCo's memory has grown. */
  inputs(): Uint8Array {
    return this.bytes(this.start, this.states.length * this.inputRow);
  }
  all(): Uint8Array {
    return this.bytes(this.start, this.states.length * (this.inputRow + this.outputRow));
  }
  inputsOf(e: number): Uint8Array {
    return this.bytes(this.inputAt(e), this.inputRow);
  }
  outputsOf(e: number): Uint8Array {
    return this.bytes(this.outputAt(e), this.outputRow);
  }

  private bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.physics.heap.buffer, 8 * at, 8 * length);
  }
  private inputAt(e: number): number {
    return this.start + e * this.inputRow;
  }
  private outputAt(e: number): number {
    return this.start + this.states.length * this.inputRow + e * this.outputRow;
  }

  reset(e: number): Fault | null {
    return this.one(e, (data) => this.physics.mujoco.mj_resetData(this.model, data));
  }
  computeForward(e: number): Fault | null {
    return this.one(e, (data) => this.physics.mujoco.mj_forward(this.model, data));
  }
  advance(e: number, steps: number): Fault | null {
    return this.one(e, (data) => {
      for (let k = 0; k < steps; k++) this.physics.mujoco.mj_step(this.model, data);
    });
  }

  /** A control step of every environment with its flag set. It stops at the first that fails. */
  step(): Fault | null {
    const { mujoco } = this.physics,
      { model, substeps } = this;
    for (let e = 0; e < this.states.length; e++) {
      if (!this.physics.heap[this.inputAt(e)]) continue;
      const fault = this.one(e, (data) => {
        for (let k = 0; k < substeps; k++) mujoco.mj_step(model, data);
        if (this.contactForces) mujoco.mj_rnePostConstraint(model, data);
        if (this.forward) mujoco.mj_forward(model, data);
      });
      if (fault) return fault;
    }
    return null;
  }

  /** Hands environment e its inputs, calls, and brings inputs and outputs back. */
  private one(e: number, call: (data: MjData) => void): Fault | null {
    const state = this.states[e]!;
    const end = this.move(state.inputs, this.inputAt(e) + 1, false);
    this.move(this.varied, end, false);
    const problem = this.physics.guard(() => call(state.data));
    this.varied.forEach((s, k) => this.physics.heap.set(this.nominal[k]!, s.at));
    this.move(state.inputs, this.inputAt(e) + 1, true);
    this.move(state.outputs, this.outputAt(e), true);
    const text = problem ?? this.warned(state);
    return text === null ? null : { env: e, text };
  }

  /** Copies spans one after the other from the block, or into it; returns where they end there. */
  private move(spans: Span[], at: number, into: boolean): number {
    const { heap } = this.physics;
    for (const s of spans) {
      if (into) heap.copyWithin(at, s.at, s.at + s.length);
      else heap.copyWithin(s.at, at, at + s.length);
      at += s.length;
    }
    return at;
  }

  /** The first warning on the record, which MuJoCo clears in mj_resetData only. */
  private warned({ warnings }: State): string | null {
    const { integers } = this.physics;
    for (let w = 0; w < kinds; w++)
      if (integers[warnings + 2 * w + 1]) return this.physics.mujoco.mju_warningText(w, integers[warnings + 2 * w]!);
    return null;
  }

  /** The sum of the normal forces of the contacts between two geometries. */
  touch(e: number, one: number, other: number): number {
    const { data } = this.states[e]!,
      contacts = data.contact,
      force = data.efc_force;
    let sum = 0;
    for (let k = 0; k < contacts.size(); k++) {
      const c = contacts.get(k)!;
      const between = (c.geom1 === one && c.geom2 === other) || (c.geom1 === other && c.geom2 === one);
      if (between && c.efc_address >= 0) sum += force[c.efc_address]!;
      c.delete();
    }
    return sum;
  }

  delete(): void {
    for (const { data } of this.states) data.delete();
    this.block.delete();
  }
}
