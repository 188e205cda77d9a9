// The embedding output's JSON (docs/kernel.md), checked and turned into typed arrays.

import { type Fields, fields } from '../../model/json';
import { fromBase64 } from '../../dom';

export interface Embedding {
  title: string;
  /** Outputs of one link share which tasks are selected; '' stands alone. */
  link?: string;
  x: Float32Array;
  y: Float32Array;
  /** For each point the index of its task in tasks. */
  task: Uint16Array;
  tasks: { name: string; value: number | null }[];
  /** What to say of each point under the pointer; empty where nothing was given. */
  hover: string[];
  /** The vectors the points were made from, n rows of dim numbers; null where only the plane is known. */
  vectors: { dim: number; data: Float32Array } | null;
}

function floats(base64: unknown, count: number, what: string): Float32Array {
  if (typeof base64 !== 'string') throw new Error(`The embedding's ${what} are not base64 text.`);
  const bytes = fromBase64(base64);
  if (bytes.length !== 4 * count)
    throw new Error(`The embedding's ${what} have ${bytes.length} bytes; expected ${4 * count}.`);
  return new Float32Array(bytes.buffer);
}

function plane(v: Fields, n: number): { x: Float32Array; y: Float32Array } {
  // Nothing is made for n points before they are there: a line of text may claim any number.
  let x: Float32Array, y: Float32Array;
  if (v.encoding === 'uint16') {
    const bytes = fromBase64(String(v.points));
    if (bytes.length !== 4 * n)
      throw new Error(`The embedding's points have ${bytes.length} bytes; expected ${4 * n}.`);
    [x, y] = [new Float32Array(n), new Float32Array(n)];
    const q = new Uint16Array(bytes.buffer);
    const scale = fields(v.scale);
    const [x0, x1] = scale.x as [number, number],
      [y0, y1] = scale.y as [number, number];
    for (let i = 0; i < n; i++) {
      x[i] = x0 + (q[2 * i]! / 65535) * (x1 - x0);
      y[i] = y0 + (q[2 * i + 1]! / 65535) * (y1 - y0);
    }
  } else if (v.encoding === 'float32') {
    const p = floats(v.points, 2 * n, 'points');
    [x, y] = [new Float32Array(n), new Float32Array(n)];
    for (let i = 0; i < n; i++) {
      x[i] = p[2 * i]!;
      y[i] = p[2 * i + 1]!;
    }
  } else {
    throw new Error(`The embedding's encoding is ${JSON.stringify(v.encoding)}; expected "float32" or "uint16".`);
  }
  const bad = x.findIndex((_, i) => !Number.isFinite(x[i]) || !Number.isFinite(y[i]));
  if (bad >= 0) throw new Error(`The embedding's point ${bad} is (${x[bad]}, ${y[bad]}); expected finite numbers.`);
  return { x, y };
}

/** Names with one number each, such as "velocity 1.5" or "0.25", are places on a scale. */
export function valuesOf(names: string[]): (number | null)[] {
  const parts = names.map((name) => /^(.*?)\s*([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*([^\d]*)$/i.exec(name));
  const scale = names.length > 1 && parts.every((p) => p && p[1] === parts[0]![1] && p[3] === parts[0]![3]);
  return parts.map((p) => (scale ? Number(p![2]) : null));
}

export function decodeEmbedding(data: unknown): Embedding {
  const v = fields(data);
  if (v.version !== 1) throw new Error(`The embedding has version ${JSON.stringify(v.version)}; expected 1.`);
  const n = v.n as number;
  if (!Number.isInteger(n) || n < 0)
    throw new Error(`The embedding has n = ${JSON.stringify(n)}; expected a whole number.`);
  const { x, y } = plane(v, n);
  const labels = (v.labels ?? null) as number[] | null;
  const vectors = fields(v.vectors);
  const dim = vectors.dim as number;
  if (labels && labels.length !== n) throw new Error(`The embedding has ${n} points and ${labels.length} labels.`);
  const odd = labels?.find((l) => !Number.isInteger(l) || l < 0 || l > 65535);
  if (odd !== undefined)
    throw new Error(`The embedding has the label ${JSON.stringify(odd)}; expected whole numbers up to 65535.`);
  const names: string[] = Array.isArray(v.label_names) ? v.label_names.map(String) : [];
  const task = new Uint16Array(n);
  let count = Math.max(1, names.length);
  if (labels)
    labels.forEach((l, i) => {
      task[i] = l;
      count = Math.max(count, l + 1);
    });
  const all = Array.from({ length: count }, (_, i) => names[i] ?? (labels ? `${i}` : ''));
  const values = valuesOf(all);
  return {
    title: String(v.title ?? ''),
    link: String(v.link ?? ''),
    x,
    y,
    task,
    tasks: all.map((name, i) => ({ name, value: values[i]! })),
    hover: Array.isArray(v.hover) ? v.hover.map(String) : [],
    vectors: v.vectors ? { dim, data: floats(vectors.data, n * dim, 'vectors') } : null,
  };
}
