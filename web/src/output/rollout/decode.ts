// Rollouts as JSON (library/README.md), checked and turned into typed arrays.

import { elements, type Fields, fields } from '../../model/json';
import { fromBase64 } from '../../dom';

export type Kind = 'plane' | 'sphere' | 'capsule' | 'ellipsoid' | 'cylinder' | 'box' | 'mesh';

export interface Solid {
  name: string;
  kind: Kind;
  size: [number, number, number];
  mesh: number;
  color: [number, number, number, number];
  sign: boolean;
  /** x, y, z and the quaternion w, x, y, z in the first frame. */
  pose: Float32Array;
}

export interface Mesh {
  name: string;
  vertices: Float32Array;
  faces: Uint32Array;
}

export interface View {
  target: [number, number, number];
  distance: number;
  azimuth: number;
  elevation: number;
  angle: number;
  follow: number;
}

export interface Episode {
  name: string;
  label: string;
  /** Seconds between frames. */
  interval: number;
  frames: number;
  view: View;
  grid: number;
  solids: Solid[];
  meshes: Mesh[];
  /** The solids that move, and 7 numbers for each of them, frame after frame. */
  moving: number[];
  poses: Float32Array;
  /** Of each step, one less than frames; null where unknown. */
  reward: Float32Array | null;
  /** Index of the first step that was a success, −1 for none. */
  success: number;
  /** What MuJoCo needs to go on from a frame: the model, and per frame nq joint positions. */
  model: Model | null;
}

/** geoms has for every solid the index of its geometry in the model, −1 for marks. */
export interface Model {
  mjcf: string;
  substeps: number;
  gain: number;
  geoms: number[];
  nq: number;
  qpos: Float32Array;
}

export interface Rollout {
  title: string;
  link: string;
  episodes: Episode[];
}

const kinds = new Set(['plane', 'sphere', 'capsule', 'ellipsoid', 'cylinder', 'box', 'mesh']);

/** A list of numbers of a length, or an error that names it. */
function numbers(v: unknown, count: number, what: string): number[] {
  if (!Array.isArray(v) || v.length !== count || !v.every((x) => Number.isFinite(x)))
    throw new Error(`The rollout's ${what} is ${JSON.stringify(v)?.slice(0, 80)}; expected ${count} numbers.`);
  return v;
}

function number(v: unknown, what: string, least = -Infinity): number {
  if (typeof v !== 'number' || !Number.isFinite(v) || v < least)
    throw new Error(
      `The rollout's ${what} is ${JSON.stringify(v)}; expected a number${least > -Infinity ? ` of at least ${least}` : ''}.`,
    );
  return v;
}

function bytes(v: unknown, what: string): Uint8Array<ArrayBuffer> {
  try {
    if (typeof v === 'string') return fromBase64(v);
  } catch {
    /* said below */
  }
  throw new Error(`The rollout's ${what} are not base64 text.`);
}

function decodeMesh(data: unknown, i: number): Mesh {
  const v = fields(data);
  const what = `mesh ${v.name || i}`;
  const count = number(v.count, `${what}, count of vertices`, 0);
  const low = numbers(v.low, 3, `${what}, low`),
    step = numbers(v.step, 3, `${what}, step`);
  const v16 = bytes(v.vertices, `${what}, vertices`),
    f8 = bytes(v.faces, `${what}, faces`);
  const wide = count > 65536 ? 4 : 2;
  if (v16.length !== 6 * count || f8.length % (3 * wide))
    throw new Error(
      `The rollout's ${what} has ${v16.length} bytes of vertices and ${f8.length} of faces for ${count} vertices.`,
    );
  const q = new Uint16Array(v16.buffer);
  const vertices = Float32Array.from(q, (n, k) => low[k % 3]! + step[k % 3]! * n);
  const faces = Uint32Array.from(wide === 4 ? new Uint32Array(f8.buffer) : new Uint16Array(f8.buffer));
  const out = faces.find((f) => f >= count);
  if (out !== undefined) throw new Error(`The rollout's ${what} has a face with vertex ${out} of ${count}.`);
  return { name: String(v.name ?? ''), vertices, faces };
}

function decodeSolid(data: unknown, i: number, meshes: number): Solid {
  const v = fields(data);
  const what = `solid ${v.name || i}`;
  if (!kinds.has(v.kind as string))
    throw new Error(
      `The rollout's ${what} is of kind ${JSON.stringify(v.kind)}; expected one of ${[...kinds].join(', ')}.`,
    );
  const mesh = (v.mesh ?? 0) as number;
  if (v.kind === 'mesh' && !(Number.isInteger(mesh) && mesh >= 0 && mesh < meshes))
    throw new Error(`The rollout's ${what} has mesh ${mesh} of ${meshes}.`);
  return {
    name: String(v.name ?? ''),
    kind: v.kind as Solid['kind'],
    mesh,
    sign: v.sign === true,
    size: numbers(v.size, 3, `${what}, size`) as Solid['size'],
    color: numbers(v.color, 4, `${what}, colour`) as Solid['color'],
    pose: Float32Array.from(numbers(v.pose, 7, `${what}, pose`)),
  };
}

function decodeView(v: Fields, solids: number): View {
  const view = {
    target: numbers(v.target, 3, 'target of the view') as View['target'],
    distance: number(v.distance, 'distance of the view', 1e-3),
    azimuth: number(v.azimuth, 'azimuth'),
    elevation: number(v.elevation, 'elevation'),
    angle: number(v.angle, 'angle of the view', 1),
    follow: number(v.follow, 'followed solid', -1),
  };
  if (view.follow >= solids) throw new Error(`The rollout's view follows solid ${view.follow} of ${solids}.`);
  return view;
}

function decodeModel(v: Fields, solids: number, frames: number): Model {
  const nq = number(v.nq, 'number of joint positions', 1),
    raw = bytes(v.qpos, 'joint positions');
  if (raw.length !== 4 * nq * frames)
    throw new Error(`The rollout's joint positions have ${raw.length} bytes; expected ${4 * nq * frames}.`);
  return {
    mjcf: String(v.mjcf ?? ''),
    substeps: number(v.substeps, 'steps of the model per frame', 1),
    gain: number(v.gain, 'gain'),
    geoms: numbers(v.geoms, solids, 'list of geometries'),
    nq,
    qpos: new Float32Array(raw.buffer),
  };
}

/** Of a film in which nothing moves the document's length says nothing. */
const mostFrames = 1_000_000;

function decodeEpisode(data: unknown, meshes: Mesh[]): Episode {
  const v = fields(data);
  if (!Array.isArray(v.solids) || !Array.isArray(v.moving))
    throw new Error('An episode of the rollout has no lists of solids and of those that move.');
  const solids = v.solids.map((s: unknown, i: number) => decodeSolid(s, i, meshes.length));
  const frames = number(v.frames, 'number of frames', 1);
  if (!Number.isInteger(frames) || frames > mostFrames)
    throw new Error(`The rollout has ${frames} frames; expected a whole number up to ${mostFrames}.`);
  const moving: number[] = v.moving;
  const bad = moving.find((m) => !Number.isInteger(m) || m < 0 || m >= solids.length);
  if (bad !== undefined) throw new Error(`Solid ${bad} of the rollout moves and there are ${solids.length}.`);
  const raw = bytes(v.poses, 'poses');
  if (raw.length !== 28 * frames * moving.length)
    throw new Error(`The rollout's poses have ${raw.length} bytes; expected ${28 * frames * moving.length}.`);
  const poses = new Float32Array(raw.buffer);
  if (!poses.every(Number.isFinite)) throw new Error('The rollout has a pose that is no number.');
  if (v.success !== undefined && !Array.isArray(v.success)) throw new Error("The rollout's successes are no list.");
  return {
    name: String(v.name ?? ''),
    label: String(v.label ?? ''),
    interval: number(v.interval, 'time between frames', 1e-6),
    frames,
    view: decodeView(fields(v.view), solids.length),
    grid: number(v.grid ?? 0, 'grid', 0),
    solids,
    meshes,
    moving,
    poses,
    reward: v.reward ? Float32Array.from(numbers(v.reward, frames - 1, 'list of rewards')) : null,
    success: elements(v.success).indexOf(1),
    model: v.model ? decodeModel(fields(v.model), solids.length, frames) : null,
  };
}

export function decodeRollout(data: unknown): Rollout {
  const v = fields(data);
  if (v.format !== 'nacre-rollout' || v.version !== 1) {
    throw new Error(
      `This is ${v.format === 'nacre-rollout' ? `version ${JSON.stringify(v.version)} of a rollout` : 'no rollout'}; expected "format": "nacre-rollout", "version": 1.`,
    );
  }
  if (!Array.isArray(v.episodes) || !v.episodes.length) throw new Error('The rollout has no episodes.');
  const meshes = elements(v.meshes).map(decodeMesh);
  return {
    title: String(v.title ?? ''),
    link: String(v.link ?? ''),
    episodes: v.episodes.map((e: unknown) => decodeEpisode(e, meshes)),
  };
}
