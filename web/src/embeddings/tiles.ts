// The tiles of a layout: what is seen is fetched, a random sample of all first, then more of what is looked at closely.

import type { Info } from './api';

export interface Tile {
  rows: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  columns: Float32Array[];
}

/** Reads a tile as Layout.encode of experiment/layouts writes it. */
export function decodeTile(buffer: ArrayBuffer, columns: number): Tile {
  const n = buffer.byteLength >= 4 ? new DataView(buffer).getUint32(0, true) : -1;
  const expected = 4 + 4 * n * (3 + columns);
  if (buffer.byteLength !== expected) throw new Error(`A tile has ${buffer.byteLength} bytes; expected ${expected}.`);
  const floats = (k: number) => new Float32Array(buffer, 4 + 4 * n * k, n);
  return {
    rows: new Uint32Array(buffer, 4, n),
    x: floats(1),
    y: floats(2),
    columns: Array.from({ length: columns }, (_, c) => floats(3 + c)),
  };
}

/** A rectangle of the plane. */
export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The tiles that a view needs: those that it touches, down to the level whose tiles are smaller than so many pixels. */
export function needed(info: Info, box: Box, scale: number, pixels: number): string[] {
  const [left, bottom, side] = info.square;
  const deepest = Math.max(0, Math.ceil(Math.log2((side * scale) / pixels)));
  const out: string[] = [];
  for (const [z, x, y] of info.tiles) {
    if (z > deepest) continue;
    const size = side / 2 ** z,
      x0 = left + x * size,
      y0 = bottom + y * size;
    if (x0 <= box.x1 && x0 + size >= box.x0 && y0 <= box.y1 && y0 + size >= box.y0) out.push(`${z}/${x}/${y}`);
  }
  return out;
}

const atOnce = 6,
  mostKept = 500;

export class Tiles {
  private readonly kept = new Map<string, Tile>();
  private readonly under = new Set<string>();
  private wanted: string[] = [];

  constructor(
    private readonly columns: number,
    private readonly fetch: (z: number, x: number, y: number) => Promise<ArrayBuffer>,
    private readonly came: () => void,
    private readonly failed: (problem: Error) => void,
  ) {}

  /** The tiles that are there of those wanted; the others are fetched, and came is called for each. */
  have(keys: string[]): Tile[] {
    this.wanted = keys;
    const out: Tile[] = [];
    for (const key of keys) {
      const tile = this.kept.get(key);
      if (!tile) continue;
      this.kept.delete(key); // and put at the end: what was not looked at for long goes first
      this.kept.set(key, tile);
      out.push(tile);
    }
    this.next();
    return out;
  }

  get waiting(): number {
    return this.wanted.filter((k) => !this.kept.has(k)).length;
  }

  private next(): void {
    for (const key of this.wanted) {
      if (this.under.size >= atOnce) return;
      if (this.kept.has(key) || this.under.has(key)) continue;
      this.under.add(key);
      const [z, x, y] = key.split('/').map(Number) as [number, number, number];
      this.fetch(z, x, y)
        .then((buffer) => {
          this.kept.set(key, decodeTile(buffer, this.columns));
          for (const old of this.kept.keys())
            if (this.kept.size > mostKept) this.kept.delete(old);
            else break;
          this.under.delete(key);
          this.came();
        })
        .catch((e: Error) => {
          this.under.delete(key);
          this.wanted = [];
          this.failed(e);
        });
    }
  }
}
