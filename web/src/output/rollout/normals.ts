// Normals for meshes that come without: round where the surface is, sharp at its edges.

import type { Mesh } from './decode';

/** Cosine of the angle between two faces from which on their common edge is seen. */
const sharp = Math.cos((40 * Math.PI) / 180);

/** Three corners per face, each with the mean normal, by area, of the faces around its vertex that lean little from its own. */
export function creased(m: Mesh): { positions: Float32Array; normals: Float32Array } {
  const { vertices, faces } = m;
  const count = faces.length / 3;
  const area = new Float32Array(3 * count); // of each face, its normal as long as twice its area
  const unit = new Float32Array(3 * count);
  const start = new Uint32Array(vertices.length / 3 + 1);
  for (let f = 0; f < count; f++) {
    const [a, b, c] = [3 * faces[3 * f]!, 3 * faces[3 * f + 1]!, 3 * faces[3 * f + 2]!];
    const e = [0, 1, 2].map((k) => vertices[b + k]! - vertices[a + k]!),
      g = [0, 1, 2].map((k) => vertices[c + k]! - vertices[a + k]!);
    const n = [e[1]! * g[2]! - e[2]! * g[1]!, e[2]! * g[0]! - e[0]! * g[2]!, e[0]! * g[1]! - e[1]! * g[0]!];
    const length = Math.hypot(...n) || 1;
    for (let k = 0; k < 3; k++) {
      area[3 * f + k] = n[k]!;
      unit[3 * f + k] = n[k]! / length;
      start[faces[3 * f + k]! + 1]!++;
    }
  }
  for (let v = 1; v < start.length; v++) start[v]! += start[v - 1]!;
  const around = new Uint32Array(3 * count); // the faces of each vertex
  const fill = start.slice();
  for (let i = 0; i < faces.length; i++) around[fill[faces[i]!]!++] = Math.floor(i / 3);
  const positions = new Float32Array(9 * count),
    normals = new Float32Array(9 * count);
  for (let i = 0; i < faces.length; i++) {
    const v = faces[i]!,
      own = 3 * Math.floor(i / 3);
    const flat = !unit[own] && !unit[own + 1] && !unit[own + 2]; // a face without area, which goes with its neighbours
    let x = 0,
      y = 0,
      z = 0;
    for (let j = start[v]!; j < start[v + 1]!; j++) {
      const f = 3 * around[j]!;
      if (!flat && unit[f]! * unit[own]! + unit[f + 1]! * unit[own + 1]! + unit[f + 2]! * unit[own + 2]! < sharp)
        continue;
      x += area[f]!;
      y += area[f + 1]!;
      z += area[f + 2]!;
    }
    const length = Math.hypot(x, y, z);
    const n = length > 0 ? [x / length, y / length, z / length] : [unit[own]!, unit[own + 1]!, unit[own + 2]!];
    for (let k = 0; k < 3; k++) {
      positions[3 * i + k] = vertices[3 * v + k]!;
      normals[3 * i + k] = n[k]!;
    }
  }
  return { positions, normals };
}
