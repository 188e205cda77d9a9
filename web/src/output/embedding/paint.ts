// Many points on a canvas, quickly: discs are blended into the pixels by hand, in one pass and one copy.

import type { Rgb } from './palette';

export interface View {
  scale: number;
  dx: number;
  dy: number;
} // pixel = dx + scale·x, dy − scale·y

/** A disc as pixels around its centre and how much of each it covers, 0–256. */
function disc(radius: number): { half: number; dx: Int32Array; dy: Int32Array; cover: Int32Array } {
  const half = Math.ceil(radius);
  const dx: number[] = [],
    dy: number[] = [],
    cover: number[] = [];
  for (let j = -half; j <= half; j++)
    for (let i = -half; i <= half; i++) {
      const c = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(i, j)));
      if (c > 0.02) {
        dx.push(i);
        dy.push(j);
        cover.push(Math.round(c * 256));
      }
    }
  return { half, dx: Int32Array.from(dx), dy: Int32Array.from(dy), cover: Int32Array.from(cover) };
}

/** An order of drawing in which no task covers another by coming later: the same for the same number of points. */
export function shuffledOrder(n: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  let state = 0x9e3779b9;
  for (let i = n - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const k = Math.floor((state / 4294967296) * (i + 1));
    const t = order[i]!;
    order[i] = order[k]!;
    order[k] = t;
  }
  return order;
}

/** All that decides a picture of points, but for where in the plane it is. */
export interface Scene {
  x: Float32Array;
  y: Float32Array;
  group: Uint16Array;
  order: Uint32Array;
  /** Of each group. */
  colours: Rgb[];
  paper: Rgb;
  radius: number;
  alpha: number;
  /** Of each point: hidden (0), faint (1) or shown (2). */
  level: Uint8Array;
}

/** How much more than what is seen is painted, on each side, as a part of it: so far the picture can be panned as it is. */
const margin = 0.25;

export class PointPainter {
  private image: ImageData | null = null;
  /** What the image shows, and where. */
  private scene: Scene | null = null;
  private view: View = { scale: 0, dx: 0, dy: 0 };

  /** Draws the points over paper, into a canvas of its full size. A scene is painted once and then moved about. */
  paint(context: CanvasRenderingContext2D, scene: Scene, view: View): void {
    const { width, height } = context.canvas;
    const mx = Math.round(margin * width),
      my = Math.round(margin * height);
    const fits = this.image?.width === width + 2 * mx && this.image.height === height + 2 * my;
    if (!fits) this.image = context.createImageData(width + 2 * mx, height + 2 * my);
    let right = Math.round(view.dx - this.view.dx),
      down = Math.round(view.dy - this.view.dy);
    if (
      !fits ||
      !this.scene ||
      !equal(this.scene, scene) ||
      view.scale !== this.view.scale ||
      Math.abs(right) > mx ||
      Math.abs(down) > my
    ) {
      this.scene = scene;
      this.view = { ...view };
      blend(this.image!, scene, { ...view, dx: view.dx + mx, dy: view.dy + my });
      right = down = 0;
    }
    context.putImageData(this.image!, right - mx, down - my, mx - right, my - down, width, height);
  }

  /** To be called when points have moved within the arrays of a scene. */
  forget(): void {
    this.scene = null;
  }
}

function equal(a: Scene, b: Scene): boolean {
  return (
    a.x === b.x &&
    a.y === b.y &&
    a.group === b.group &&
    a.order === b.order &&
    a.colours === b.colours &&
    a.level === b.level &&
    a.radius === b.radius &&
    a.alpha === b.alpha &&
    a.paper.every((v, i) => v === b.paper[i])
  );
}

/** Blends the discs of all points into an image. */
function blend(
  image: ImageData,
  { x, y, group, order, colours, paper, radius, alpha, level }: Scene,
  view: View,
): void {
  const { width, height } = image;
  const pixels = new Uint32Array(image.data.buffer);
  pixels.fill((255 << 24) | (paper[2] << 16) | (paper[1] << 8) | paper[0]);
  const { half, dx, dy, cover } = disc(radius);
  const offsets = dx.map((d, m) => dy[m]! * width + d);
  const red = Int32Array.from(colours, (c) => c[0]),
    green = Int32Array.from(colours, (c) => c[1]),
    blue = Int32Array.from(colours, (c) => c[2]);
  const { scale, dx: ox, dy: oy } = view;
  for (const pass of level.includes(1) ? [1, 2] : [2]) {
    const strength = cover.map((c) => Math.round(c * (pass === 1 ? alpha * 0.14 : alpha)));
    for (let k = 0; k < order.length; k++) {
      const i = order[k]!;
      if (level[i] !== pass) continue;
      const px = Math.round(ox + scale * x[i]!),
        py = Math.round(oy - scale * y[i]!);
      if (px < -half || py < -half || px >= width + half || py >= height + half) continue;
      const g = group[i]!,
        r = red[g]!,
        gr = green[g]!,
        b = blue[g]!;
      const centre = py * width + px;
      const inside = px >= half && py >= half && px < width - half && py < height - half;
      for (let m = 0; m < offsets.length; m++) {
        if (!inside && (px + dx[m]! < 0 || px + dx[m]! >= width || py + dy[m]! < 0 || py + dy[m]! >= height)) continue;
        const at = centre + offsets[m]!;
        const a = strength[m]!,
          p = pixels[at]!;
        // The paper is opaque, so that blending needs no division: under + (over − under)·a/256.
        const ur = p & 255,
          ug = (p >> 8) & 255,
          ub = (p >> 16) & 255;
        pixels[at] =
          0xff000000 |
          ((ub + (((b - ub) * a) >> 8)) << 16) |
          ((ug + (((gr - ug) * a) >> 8)) << 8) |
          (ur + (((r - ur) * a) >> 8));
      }
    }
  }
}

/** Points sorted into a grid over the plane, to find the nearest one to a place in little time. */
export class PointGrid {
  private readonly starts: Uint32Array;
  private readonly items: Uint32Array;
  private readonly side: number;
  private readonly x0: number;
  private readonly y0: number;
  private readonly cell: number;

  constructor(
    private readonly x: Float32Array,
    private readonly y: Float32Array,
  ) {
    const n = x.length;
    let x0 = Infinity,
      x1 = -Infinity,
      y0 = Infinity,
      y1 = -Infinity;
    for (let i = 0; i < n; i++) {
      x0 = Math.min(x0, x[i]!);
      x1 = Math.max(x1, x[i]!);
      y0 = Math.min(y0, y[i]!);
      y1 = Math.max(y1, y[i]!);
    }
    this.side = Math.max(1, Math.min(512, Math.ceil(Math.sqrt(n / 4))));
    this.x0 = x0;
    this.y0 = y0;
    this.cell = Math.max(x1 - x0, y1 - y0, 1e-12) / this.side;
    const bins = new Uint32Array(n);
    const counts = new Uint32Array(this.side * this.side + 1);
    for (let i = 0; i < n; i++) {
      bins[i] = this.bin(x[i]!, y[i]!);
      counts[bins[i]! + 1]!++;
    }
    for (let b = 1; b < counts.length; b++) counts[b]! += counts[b - 1]!;
    this.starts = counts.slice();
    this.items = new Uint32Array(n);
    const fill = counts.slice();
    for (let i = 0; i < n; i++) this.items[fill[bins[i]!]!++] = i;
  }

  /** The point nearest to (x, y) within a distance for which accept holds, or −1. */
  nearest(x: number, y: number, within: number, accept: (i: number) => boolean = () => true): number {
    const clamp = (v: number) => Math.min(this.side - 1, Math.max(0, v));
    const i0 = clamp(Math.floor((x - within - this.x0) / this.cell)),
      i1 = clamp(Math.floor((x + within - this.x0) / this.cell));
    const j0 = clamp(Math.floor((y - within - this.y0) / this.cell)),
      j1 = clamp(Math.floor((y + within - this.y0) / this.cell));
    let best = -1,
      bestD = within * within;
    for (let j = j0; j <= j1; j++)
      for (let i = i0; i <= i1; i++) {
        const b = j * this.side + i;
        for (let k = this.starts[b]!; k < this.starts[b + 1]!; k++) {
          const p = this.items[k]!;
          const d = (this.x[p]! - x) ** 2 + (this.y[p]! - y) ** 2;
          if (d <= bestD && accept(p)) {
            best = p;
            bestD = d;
          }
        }
      }
    return best;
  }

  private bin(x: number, y: number): number {
    const i = Math.min(this.side - 1, Math.floor((x - this.x0) / this.cell));
    const j = Math.min(this.side - 1, Math.floor((y - this.y0) / this.cell));
    return j * this.side + i;
  }
}
