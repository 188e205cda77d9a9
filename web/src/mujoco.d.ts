// The part of @mujoco/mujoco that is used here, so that the front end's types are checked without that optional package too.

declare module '@mujoco/mujoco' {
  /** A handle of an object in MuJoCo's memory. */
  interface Handle {
    delete(): void;
  }
  /** Arrays of a model or a state, by MuJoCo's names: Float64Array, Float32Array, Int32Array or Uint8Array. */
  interface Arrays {
    [field: string]: unknown;
  }
  interface Vector<T> {
    size(): number;
    get(i: number): T | undefined;
  }
  export interface MjModel extends Handle, Arrays {
    nq: number;
    nv: number;
    nu: number;
    nbody: number;
    ngeom: number;
    nsite: number;
    nmocap: number;
    geom_margin: Float64Array;
    eq_type: Int32Array;
    eq_data: Float64Array;
    opt: { timestep: number };
  }
  export interface MjData extends Handle, Arrays {
    qpos: Float64Array;
    qvel: Float64Array;
    ctrl: Float64Array;
    geom_xpos: Float64Array;
    geom_xmat: Float64Array;
    efc_force: Float64Array;
    time: number;
    contact: Vector<MjContact>;
    warning: Vector<MjWarningStat>;
  }
  export interface MjContact extends Handle {
    geom1: number;
    geom2: number;
    efc_address: number;
  }
  export interface MjWarningStat extends Handle {
    number: number;
    lastinfo: number;
  }
  export interface DoubleBuffer extends Handle {
    GetView(): Float64Array;
  }
  type Enum = { [name: string]: { value: number } | undefined };
  export interface MainModule {
    MjModel: { from_xml_string(mjcf: string): MjModel; from_xml_path(path: string): MjModel };
    MjData: new (model: MjModel) => MjData;
    DoubleBuffer: new (length: number) => DoubleBuffer;
    FS: { mkdirTree(path: string): void; writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
    mjtObj: Enum;
    mjtEq: Enum;
    mj_versionString(): string;
    mj_name2id(model: MjModel, kind: number, name: string): number;
    mj_id2name(model: MjModel, kind: number, id: number): string | null;
    mju_warningText(warning: number, info: number): string;
    mj_forward(model: MjModel, data: MjData): void;
    mj_kinematics(model: MjModel, data: MjData): void;
    mj_resetData(model: MjModel, data: MjData): void;
    mj_rnePostConstraint(model: MjModel, data: MjData): void;
    mj_step(model: MjModel, data: MjData): void;
    /** The velocity that leads from one position to another within a time. */
    mj_differentiatePos(model: MjModel, velocity: DoubleBuffer, seconds: number, from: number[], to: number[]): void;
  }
  export default function load(options: {
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (i: WebAssembly.Instance, m: WebAssembly.Module) => void,
    ): object;
  }): Promise<MainModule>;
}

/** Where the build has put MuJoCo's worker, the script that steps it for Go, and its program, beside the other scripts; null where the package is absent. */
declare const MUJOCO: { worker: string; physics: string; wasm: string; bytes: number; version: string } | null;
