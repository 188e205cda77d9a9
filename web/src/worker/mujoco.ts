// MuJoCo in a worker: goes on from a state of a recorded episode with random actions, and says where the geometries are.

import loadMujoco, { type MainModule, type MjData, type MjModel } from '@mujoco/mujoco';

/** What the page asks for, in this order. */
export type Request =
  | {
      kind: 'start';
      program: WebAssembly.Module;
      mjcf: string;
      substeps: number;
      gain: number;
      qpos: Float32Array;
      before: Float32Array | null;
      seed: number;
    }
  | { kind: 'act'; actions: Float32Array | null; steps: number };

/** Poses are 7 numbers per geometry of the model, frame after frame. */
export type Answer =
  | { kind: 'ready'; version: string; actuators: number; poses: Float32Array }
  | { kind: 'moved'; poses: Float32Array }
  | { kind: 'failed'; message: string };

let mujoco: MainModule, model: MjModel, data: MjData;
let substeps = 1,
  gain = 1,
  random: () => number;

/** Uniform in [0,1), the same for the same seed (Mulberry32, by Tommy Ettinger). */
function generator(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Where the geometries are now. */
function look(into: Float32Array, at: number): void {
  const n = model.ngeom,
    x = data.geom_xpos,
    r = data.geom_xmat;
  for (let g = 0; g < n; g++) {
    for (let k = 0; k < 3; k++) into[at + 7 * g + k] = x[3 * g + k]!;
    into.set(quaternion(r, 9 * g), at + 7 * g + 3);
  }
}

/** The unit quaternion w, x, y, z of a rotation matrix, by its largest element (Shepperd 1978). */
function quaternion(r: Float64Array, i: number): number[] {
  const m = (row: number, column: number) => r[i + 3 * row + column]!;
  const trace = m(0, 0) + m(1, 1) + m(2, 2);
  const squares = [1 + trace, ...[0, 1, 2].map((k) => 1 + 2 * m(k, k) - trace)]; // four times those of w, x, y, z
  const largest = squares.indexOf(Math.max(...squares));
  const d = Math.sqrt(squares[largest]!),
    f = 0.5 / d;
  const w = [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)];
  if (largest === 0) return [d / 2, ...w.map((v) => v * f)];
  const a = largest - 1;
  return [w[a]! * f, ...[0, 1, 2].map((k) => (k === a ? d / 2 : (m(k, a) + m(a, k)) * f))];
}

async function start(r: Extract<Request, { kind: 'start' }>): Promise<Answer> {
  mujoco = await loadMujoco({
    instantiateWasm(imports, done) {
      void WebAssembly.instantiate(r.program, imports).then((instance) => done(instance, r.program));
      return {};
    },
  });
  model = mujoco.MjModel.from_xml_string(r.mjcf);
  // This MuJoCo adds the margins of two geometries where 3.3, which recorded the episode, takes the larger; all geometries of a
  // model of ours have the same.
  for (let g = 0; g < model.ngeom; g++) model.geom_margin[g]! /= 2;
  data = new mujoco.MjData(model);
  ({ substeps, gain } = r);
  random = generator(r.seed);
  if (r.qpos.length !== model.nq)
    throw new Error(`the rollout has ${r.qpos.length} joint positions and the model ${model.nq}`);
  data.qpos.set(r.qpos);
  if (r.before) {
    // Velocities were not recorded; their mean over the last step is what the positions tell.
    const velocity = new mujoco.DoubleBuffer(model.nv);
    mujoco.mj_differentiatePos(model, velocity, substeps * model.opt.timestep, [...r.before], [...r.qpos]);
    data.qvel.set(velocity.GetView());
    velocity.delete();
  }
  mujoco.mj_forward(model, data);
  const poses = new Float32Array(7 * model.ngeom);
  look(poses, 0);
  return { kind: 'ready', version: mujoco.mj_versionString(), actuators: model.nu, poses };
}

function act(r: Extract<Request, { kind: 'act' }>): Answer {
  const row = 7 * model.ngeom,
    poses = new Float32Array(row * r.steps);
  for (let t = 0; t < r.steps; t++) {
    for (let j = 0; j < model.nu; j++)
      data.ctrl[j] = gain * (r.actions ? r.actions[t * model.nu + j]! : 2 * random() - 1);
    for (let k = 0; k < substeps; k++) mujoco.mj_step(model, data);
    // The arrays are those of the state before the last integration; the picture is of the state after it.
    mujoco.mj_kinematics(model, data);
    look(poses, t * row);
  }
  return { kind: 'moved', poses };
}

addEventListener('message', async ({ data: request }: MessageEvent<Request>) => {
  let answer: Answer;
  try {
    answer = request.kind === 'start' ? await start(request) : act(request);
  } catch (e) {
    answer = { kind: 'failed', message: (e as Error).message ?? String(e) };
  }
  postMessage(answer);
});
