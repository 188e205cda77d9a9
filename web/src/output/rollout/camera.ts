// Where the camera stands: the view that the film came with, and what the user changed of it.

import type { Episode } from './decode';

export interface Eye {
  eye: [number, number, number];
  target: [number, number, number];
  up: [number, number, number];
  angle: number;
  distance: number;
}

/** What the user changed of the views of all episodes: degrees, a factor of the distance, and a shift in metres per metre of distance. */
export interface Change {
  turn: number;
  tilt: number;
  zoom: number;
  pan: [number, number, number];
}

export const unchanged = (): Change => ({ turn: 0, tilt: 0, zoom: 1, pan: [0, 0, 0] });

const radians = Math.PI / 180;
const limited = (v: number, low: number, high: number) => Math.min(high, Math.max(low, v));

/**
 * Where the followed solid has gone since the start, in x and y, frame by frame: smoothed over half a second, with the motion
 * continued beyond both ends as its mirror image. Package render does the same.
 */
export function followed(e: Episode): Float32Array {
  const out = new Float32Array(2 * e.frames);
  const column = e.moving.indexOf(e.view.follow);
  if (e.view.follow < 0 || column < 0) return out;
  const at = (t: number, k: number) => e.poses[7 * (t * e.moving.length + column) + k]!;
  const width = Math.max(0.25 / e.interval, 1e-3),
    reach = Math.ceil(3 * width),
    last = e.frames - 1;
  for (let t = 0; t < e.frames; t++) {
    const sum = [0, 0];
    let total = 0;
    for (let i = t - reach; i <= t + reach; i++) {
      const w = Math.exp(-0.5 * ((i - t) / width) ** 2);
      total += w;
      for (let k = 0; k < 2; k++) {
        const p =
          i < 0
            ? 2 * at(0, k) - at(Math.min(-i, last), k)
            : i > last
              ? 2 * at(last, k) - at(Math.max(2 * last - i, 0), k)
              : at(i, k);
        sum[k]! += w * p;
      }
    }
    for (let k = 0; k < 2; k++) out[2 * t + k] = sum[k]! / total - at(0, k);
  }
  return out;
}

/** The camera for an episode whose target has moved by (x, y). */
export function eyeOf(e: Episode, c: Change, x: number, y: number): Eye {
  const a = (e.view.azimuth + c.turn) * radians,
    h = limited(e.view.elevation + c.tilt, -89, 89) * radians;
  const distance = e.view.distance * c.zoom;
  const back = [Math.cos(a) * Math.cos(h), Math.sin(a) * Math.cos(h), Math.sin(h)];
  const target = e.view.target.map((v, k) => v + [x, y, 0][k]! + e.view.distance * c.pan[k]!) as Eye['target'];
  return {
    target,
    eye: target.map((v, k) => v + distance * back[k]!) as Eye['eye'],
    up: [0, 0, 1],
    angle: e.view.angle,
    distance,
  };
}

/** Turns the camera so that what is dragged by (dx, dy) pixels follows the pointer about. */
export function turned(c: Change, e: Episode, dx: number, dy: number): Change {
  const elevation = limited(e.view.elevation + c.tilt + 0.35 * dy, -5, 89);
  return { ...c, turn: c.turn - 0.35 * dx, tilt: elevation - e.view.elevation };
}

/** Moves the target so that what is dragged by (dx, dy) of the picture's height stays under the pointer. */
export function panned(c: Change, e: Episode, dx: number, dy: number): Change {
  const a = (e.view.azimuth + c.turn) * radians,
    h = (e.view.elevation + c.tilt) * radians;
  const size = 2 * Math.tan((e.view.angle * radians) / 2) * c.zoom;
  const right = [-Math.sin(a), Math.cos(a), 0],
    up = [-Math.cos(a) * Math.sin(h), -Math.sin(a) * Math.sin(h), Math.cos(h)];
  return { ...c, pan: c.pan.map((v, k) => v - size * (dx * right[k]! - dy * up[k]!)) as Change['pan'] };
}

export function zoomed(c: Change, factor: number): Change {
  return { ...c, zoom: limited(c.zoom * factor, 0.08, 12) };
}
