// The part of @mujoco/mujoco that is used here, so that the front end's types are checked without that optional package too.

declare module '@mujoco/mujoco' {
  export interface MjModel { nq: number; nv: number; nu: number; ngeom: number; geom_margin: Float64Array; opt: { timestep: number } }
  export interface MjData { qpos: Float64Array; qvel: Float64Array; ctrl: Float64Array; geom_xpos: Float64Array; geom_xmat: Float64Array }
  export interface DoubleBuffer { GetView(): Float64Array; delete(): void }
  export interface MainModule {
    MjModel: { from_xml_string(mjcf: string): MjModel };
    MjData: new (model: MjModel) => MjData;
    DoubleBuffer: new (length: number) => DoubleBuffer;
    mj_versionString(): string;
    mj_forward(model: MjModel, data: MjData): void;
    mj_kinematics(model: MjModel, data: MjData): void;
    mj_step(model: MjModel, data: MjData): void;
    /** The velocity that leads from one position to another within a time. */
    mj_differentiatePos(model: MjModel, velocity: DoubleBuffer, seconds: number, from: number[], to: number[]): void;
  }
  export default function load(options: { instantiateWasm(imports: WebAssembly.Imports, done: (i: WebAssembly.Instance, m: WebAssembly.Module) => void): object }): Promise<MainModule>;
}

/** Where the build has put MuJoCo's worker and program, beside the other scripts; null where the package is absent. */
declare const MUJOCO: { worker: string; wasm: string } | null;
