// An episode that goes on from a frame of a recorded one: MuJoCo simulates in a worker, with random actions.

import type { Answer, Request } from '../../worker/mujoco';
import type { Episode } from './decode';

/** Frames after which the simulation ends. */
const most = 2000;

/** Where the worker and MuJoCo's program are; an error that says so where the build has none. */
export function mujoco(): { worker: string; wasm: string } {
  if (!MUJOCO)
    throw new Error(
      "MuJoCo for the browser was not there when this front end was built: npm's @mujoco/mujoco in web/, then make web.",
    );
  return { worker: new URL(MUJOCO.worker, import.meta.url).href, wasm: new URL(MUJOCO.wasm, import.meta.url).href };
}

let compiled: Promise<WebAssembly.Module> | null = null;

/**
 * MuJoCo's program, fetched and compiled once. The page does it, not the worker: a server's policy for a worker's script may be
 * stricter than the page's. The file is compressed; some hosts decompress it on the way.
 */
function program(url: string): Promise<WebAssembly.Module> {
  compiled ??= (async () => {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    const bytes = await answer.arrayBuffer();
    const [a, b] = new Uint8Array(bytes, 0, 2);
    const packed = a === 0x1f && b === 0x8b;
    return WebAssembly.compile(
      packed
        ? await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
        : bytes,
    );
  })();
  compiled.catch(() => {
    compiled = null;
  });
  return compiled;
}

export class Live {
  /** The recorded frames up to where the simulation began, then the simulated ones, which become more. */
  readonly episode: Episode;
  private readonly worker: Worker;
  private version = '';
  private asked = 0; // frames on their way

  constructor(
    private readonly source: Episode,
    frame: number,
    private readonly grown: () => void,
    private readonly failed: (problem: string) => void,
  ) {
    const { worker, wasm } = mujoco();
    const model = source.model!;
    const moving = source.solids.flatMap((s, i) =>
      s.kind !== 'plane' && (model.geoms[i]! >= 0 || source.moving.includes(i)) ? [i] : [],
    );
    const poses = new Float32Array(7 * moving.length * (frame + 1 + most));
    for (let t = 0; t <= frame; t++) {
      moving.forEach((solid, k) => {
        const column = source.moving.indexOf(solid),
          at = 7 * (t * source.moving.length + column);
        poses.set(
          column < 0 ? source.solids[solid]!.pose : source.poses.subarray(at, at + 7),
          7 * (t * moving.length + k),
        );
      });
    }
    this.episode = {
      ...source,
      label: `simulated from step ${frame}`,
      frames: frame + 1,
      moving,
      poses,
      reward: null,
      success: -1,
      model: null,
    };
    const row = (t: number) => model.qpos.slice(t * model.nq, (t + 1) * model.nq);
    this.worker = new Worker(worker, { type: 'module' });
    this.worker.addEventListener('message', (e: MessageEvent<Answer>) => this.hear(e.data));
    this.worker.addEventListener('error', (e) =>
      this.failed(`MuJoCo does not start: ${e.message || 'its worker could not be loaded'}.`),
    );
    program(wasm).then(
      (p) =>
        this.ask({
          kind: 'start',
          program: p,
          mjcf: model.mjcf,
          substeps: model.substeps,
          gain: model.gain,
          qpos: row(frame),
          before: frame > 0 ? row(frame - 1) : null,
          seed: frame,
        }),
      (e) => this.failed(`MuJoCo cannot be loaded: ${(e as Error).message}.`),
    );
  }

  dispose(): void {
    this.worker.terminate();
  }

  /** What acts, and in which MuJoCo. */
  get about(): string {
    return this.version ? `random actions, MuJoCo ${this.version} in this browser` : 'loading MuJoCo …';
  }

  get ended(): boolean {
    return this.episode.frames * 7 * this.episode.moving.length >= this.episode.poses.length;
  }

  /** Sees to it that there are so many frames soon. */
  want(frames: number): void {
    const { episode } = this;
    const room = episode.poses.length / (7 * episode.moving.length) - episode.frames;
    const steps = Math.min(room, Math.ceil(frames) - episode.frames);
    if (!this.version || this.asked || steps <= 0) return;
    this.asked = steps;
    this.ask({ kind: 'act', actions: null, steps });
  }

  private ask(r: Request): void {
    this.worker.postMessage(r);
  }

  private hear(a: Answer): void {
    if (a.kind === 'failed') return this.failed(`MuJoCo cannot go on: ${a.message}.`);
    if (a.kind === 'ready') this.version = a.version;
    else this.append(a.poses);
    this.grown();
  }

  private append(poses: Float32Array): void {
    const { episode, source } = this;
    const { geoms } = source.model!;
    const n = episode.moving.length,
      row = poses.length / this.asked;
    const follow = geoms[source.view.follow] ?? -1;
    const start = 7 * (episode.frames - 1) * n;
    for (let t = 0; t < this.asked; t++) {
      episode.moving.forEach((solid, k) => {
        const to = 7 * ((episode.frames + t) * n + k);
        const g = geoms[solid]!;
        if (g >= 0) return episode.poses.set(poses.subarray(t * row + 7 * g, t * row + 7 * g + 7), to);
        // A mark goes with the body in the plane.
        episode.poses.copyWithin(to, start + 7 * k, start + 7 * k + 7);
        const body = start + 7 * episode.moving.indexOf(source.view.follow);
        if (follow >= 0)
          for (const c of [0, 1]) episode.poses[to + c]! += poses[t * row + 7 * follow + c]! - episode.poses[body + c]!;
      });
    }
    episode.frames += this.asked;
    this.asked = 0;
  }
}
