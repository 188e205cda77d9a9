// One layout of the page: its points, tile by tile, contours, what is under the pointer, and the lasso.

import { el } from '../dom';
import { format } from '../output/format';
import { css, type Rgb } from '../output/embedding/palette';
import { PointGrid, PointPainter, type Scene, type View } from '../output/embedding/paint';
import { type Corner, type Plane, Surface } from '../output/embedding/surface';
import { type ColumnInfo, type Info, layouts, type Place } from './api';
import { colouring } from './colouring';
import { blur, contour, shares } from './contours';
import { needed, type Tile, Tiles } from './tiles';

/** What all layouts of the page show alike. */
export interface Look {
  /** The column that colours, as it is in all layouts together, and which of its names are hidden. */
  column: ColumnInfo | undefined;
  hidden: ReadonlySet<string>;
  contours: boolean;
}

interface Actions {
  lasso(polygon: Corner[]): void;
  pick(row: number): void;
  moved(): void;
  failed(problem: Error): void;
}

/** Tiles are refined until they are this many pixels wide. */
const tilePixels = 300;
const gridSize = 192;

export class Panel implements Plane {
  readonly dom = el('figure.layout-panel');
  readonly summary = el('figcaption');
  private readonly surface = new Surface(this);
  private readonly painter = new PointPainter();
  private readonly tiles: Tiles;
  /** What an address asked for, until the panel has a size. */
  private asked: [number, number, number] | null = null;
  /** Everything is shown, and is to be when the panel gets another size. */
  private whole = true;
  private look: Look = { column: undefined, hidden: new Set(), contours: false };
  private shown: Tile[] = [];
  private rows = new Uint32Array();
  private scene: Scene | null = null;
  private grid: PointGrid | null = null;
  private chosen: Uint8Array | null = null;
  private marked: Place[] = [];
  private lines: number[][] = [];
  private linesOf = '';

  constructor(
    readonly file: string,
    readonly info: Info,
    private readonly actions: Actions,
  ) {
    this.tiles = new Tiles(
      info.columns.length,
      (z, x, y) => layouts.tile(file, z, x, y),
      () => this.surface.draw(),
      (e) => actions.failed(e),
    );
    this.dom.append(
      el(
        'header',
        {},
        el('span.title', { title: file }, info.name),
        el('span.count', {}, `${info.points.toLocaleString('en')} points`),
        el('span.space'),
        el('span.tools', {}, ...this.surface.tools),
      ),
      this.surface.dom,
      this.summary,
    );
    this.surface.start();
  }

  dispose(): void {
    this.surface.dispose();
  }

  show(look: Look): void {
    this.look = look;
    this.scene = null;
    void this.outline();
    this.surface.draw();
  }

  /** Marks the points of a set, a bit each; null for all. Points to mark with rings come besides, whether their tiles are there or not. */
  choose(rows: Uint8Array | null, marked: Place[] = []): void {
    [this.chosen, this.marked, this.scene] = [rows, marked, null];
    this.surface.draw();
  }

  describe(text: string): void {
    this.surface.dom.setAttribute(
      'aria-label',
      `${this.info.name}: ${this.info.points.toLocaleString('en')} points. ${text} Arrow keys pan, plus and minus zoom, 0 shows everything.`,
    );
  }

  /** Where the panel looks: the place in its middle and how many units of the plane it is wide; null for everything. */
  get place(): [number, number, number] | null {
    return this.whole ? null : (this.asked ?? this.surface.place);
  }

  goTo(place: [number, number, number]): void {
    this.whole = false;
    if (!this.surface.size.width) this.asked = place;
    else this.surface.place = place;
  }

  home(): void {
    this.fit();
    this.actions.moved();
  }

  private fit(): void {
    const [x0, y0, side] = this.info.square;
    const { width, height } = this.surface.size;
    this.goTo([x0 + side / 2, y0 + side / 2, (side / 0.94) * Math.max(1, width / (height || 1))]);
    this.whole = true;
  }

  // — drawing —

  private get dark(): boolean {
    return document.documentElement.dataset.theme === 'dark';
  }

  resized(before: [number, number, number] | null): void {
    const place = this.asked ?? before;
    this.asked = null;
    if (this.whole || !place) this.fit();
    else this.goTo(place);
  }

  paint(points: HTMLCanvasElement, view: View): void {
    const { width, height } = points;
    const { scale, dx, dy } = view;
    const mx = 0.25 * width,
      my = 0.25 * height; // as much more as the painter draws
    const box = {
      x0: (-mx - dx) / scale,
      x1: (width + mx - dx) / scale,
      y0: (dy - height - my) / scale,
      y1: (dy + my) / scale,
    };
    const tiles = this.tiles.have(needed(this.info, box, scale, tilePixels * this.surface.ratio));
    if (tiles.length !== this.shown.length || tiles.some((t, i) => t !== this.shown[i])) {
      this.shown = tiles;
      this.scene = null;
    }
    this.scene ??= this.assemble();
    this.painter.paint(points.getContext('2d')!, this.scene, view);
    this.dom.dataset.points = String(this.rows.length);
    this.dom.dataset.waiting = String(this.tiles.waiting);
    this.dom.dataset.radius = String(this.scene.radius);
  }

  /** The points of all tiles that are there, as the painter takes them. */
  private assemble(): Scene {
    const n = this.shown.reduce((sum, t) => sum + t.rows.length, 0);
    const all = this.look.column;
    const at = this.info.columns.findIndex((c) => c.name === all?.name && !c.names === !all.names);
    const names = this.info.columns[at]?.names;
    const { colours, group } = colouring(at < 0 ? undefined : all, this.dark);
    const place = names?.map((name) => all!.names!.indexOf(name));
    const off = new Set(this.off);
    const scene: Scene = {
      x: new Float32Array(n),
      y: new Float32Array(n),
      group: new Uint16Array(n),
      order: Uint32Array.from({ length: n }, (_, i) => i),
      colours,
      paper: this.paper,
      radius: this.surface.ratio * (n > 60_000 ? 0.9 : n > 20_000 ? 1.3 : n > 6_000 ? 1.7 : n > 1_500 ? 2.3 : 3.1),
      alpha: n > 30_000 ? 0.6 : n > 6_000 ? 0.7 : 0.8,
      level: new Uint8Array(n),
    };
    this.rows = new Uint32Array(n);
    this.grid = null;
    this.surface.forget();
    let k = 0;
    for (const t of this.shown) {
      scene.x.set(t.x, k);
      scene.y.set(t.y, k);
      this.rows.set(t.rows, k);
      const values = at >= 0 ? t.columns[at]! : null;
      for (let i = 0; i < t.rows.length; i++, k++) {
        const value = values ? values[i]! : 0,
          row = t.rows[i]!;
        scene.group[k] = group(place ? place[value]! : value);
        scene.level[k] = off.has(value) ? 0 : this.chosen && !((this.chosen[row >> 3]! >> (row & 7)) & 1) ? 1 : 2;
      }
    }
    return scene;
  }

  /** The places of hidden names among those of this layout. */
  private get off(): number[] {
    const names = this.info.columns.find((c) => c.name === this.look.column?.name)?.names ?? [];
    return names.flatMap((name, i) => (this.look.hidden.has(name) ? [i] : []));
  }

  private get paper(): Rgb {
    return this.dark ? [20, 23, 26] : [253, 253, 252];
  }

  /** Asks for the density of what is shown, where its contours are wanted. */
  private async outline(): Promise<void> {
    const hidden = this.off,
      column = this.look.column?.name ?? '';
    const of = this.look.contours ? column + '\n' + hidden.join() : '';
    if (of === this.linesOf) return;
    this.linesOf = of;
    if (!of) {
      this.lines = [];
      return;
    }
    try {
      const field = blur(new Uint32Array(await layouts.density(this.file, gridSize, column, hidden)), gridSize, 2.2);
      if (of !== this.linesOf) return;
      const top = field.reduce((a, b) => Math.max(a, b), 0);
      const [x0, y0, side] = this.info.square;
      this.lines =
        top > 0
          ? shares.map((s) =>
              contour(field, gridSize, s * top).map((v, i) => (i % 2 ? y0 : x0) + (v * side) / gridSize),
            )
          : [];
      this.surface.draw();
    } catch (e) {
      this.actions.failed(e as Error);
    }
  }

  over(c: CanvasRenderingContext2D): void {
    this.lines.forEach((pieces, level) => {
      c.beginPath();
      for (let i = 0; i + 3 < pieces.length; i += 4) {
        c.moveTo(...this.surface.toPixel([pieces[i]!, pieces[i + 1]!]));
        c.lineTo(...this.surface.toPixel([pieces[i + 2]!, pieces[i + 3]!]));
      }
      c.globalAlpha = 0.25 + 0.13 * level;
      c.lineWidth = this.surface.ratio;
      c.stroke();
    });
    c.globalAlpha = 1;
    this.marked.forEach((m, i) => this.surface.ring(c, m.at, i ? 2.5 : 5, i ? 1.3 : 2.4));
  }

  radius(): number {
    return this.scene?.radius ?? 2;
  }

  at(point: number): Corner {
    return [this.scene!.x[point]!, this.scene!.y[point]!];
  }

  nearest(x: number, y: number, within: number): number {
    const { scene } = this;
    if (!scene) return -1;
    this.grid ??= new PointGrid(scene.x, scene.y);
    return this.grid.nearest(x, y, within, (i) => scene.level[i] !== 0);
  }

  // — what the user does —

  allows(scale: number): boolean {
    return this.info.square[2] * scale <= 1e9 && this.info.square[2] * scale >= 10;
  }

  moved(): void {
    this.whole = false;
    this.actions.moved();
  }

  pick(point: number): void {
    this.actions.pick(this.rows[point]!);
  }

  /** Of a long way around some points every so many corners are sent. */
  select(polygon: Corner[]): void {
    const every = Math.ceil(polygon.length / 1500);
    const corners = polygon.filter((_, i) => i % every === 0);
    this.actions.lasso(corners.length > 2 ? corners : []);
  }

  tip(point: number): Node[] {
    return [
      el('b', {}, `point ${this.rows[point]}`),
      ...this.values(point).map(([name, text]) => el('span', {}, `${name} ${text}`)),
    ];
  }

  /** The columns of a drawn point in words. */
  private values(i: number): [string, string][] {
    let k = i;
    for (const t of this.shown) {
      if (k < t.rows.length)
        return this.info.columns
          .slice(0, 8)
          .map((c, j) => [c.name, c.names ? (c.names[t.columns[j]![k]!] ?? '…') : format(t.columns[j]![k])]);
      k -= t.rows.length;
    }
    return [];
  }

  // — pictures —

  get size(): { width: number; height: number } {
    return this.surface.size;
  }

  /** Draws the panel into a canvas at a place. */
  drawInto(c: CanvasRenderingContext2D, x: number, y: number): void {
    this.surface.drawInto(c, x, y);
  }

  /** The panel as a group of SVG, a circle for each point; of more than so many, the picture of them. */
  svg(x: number, y: number): string {
    const { width, height } = this.surface.size;
    const { scale, dx, dy } = this.surface.view;
    const { scene } = this;
    if (!scene) return '';
    const inside: string[] = [];
    if (scene.x.length > mostCircles)
      inside.push(`<image width="${width}" height="${height}" href="${this.surface.points.toDataURL('image/png')}"/>`);
    else {
      scene.colours.forEach((colour, g) => {
        const circles: string[] = [];
        for (let i = 0; i < scene.x.length; i++) {
          if (scene.group[i] !== g || !scene.level[i]) continue;
          const px = dx + scale * scene.x[i]!,
            py = dy - scale * scene.y[i]!;
          if (px < 0 || py < 0 || px > width || py > height) continue;
          circles.push(
            `<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="${scene.radius.toFixed(1)}"${scene.level[i] === 1 ? ' opacity="0.15"' : ''}/>`,
          );
        }
        if (circles.length)
          inside.push(`<g fill="${css(colour)}" fill-opacity="${scene.alpha}">${circles.join('')}</g>`);
      });
    }
    const ink = getComputedStyle(this.surface.dom).getPropertyValue('--text');
    this.lines.forEach((pieces, level) => {
      let d = '';
      for (let i = 0; i + 3 < pieces.length; i += 4)
        d += `M${(dx + scale * pieces[i]!).toFixed(1)} ${(dy - scale * pieces[i + 1]!).toFixed(1)}L${(dx + scale * pieces[i + 2]!).toFixed(1)} ${(dy - scale * pieces[i + 3]!).toFixed(1)}`;
      inside.push(
        `<path d="${d}" fill="none" stroke="${ink}" stroke-opacity="${(0.25 + 0.13 * level).toFixed(2)}" stroke-width="${this.surface.ratio}"/>`,
      );
    });
    const id = `clip-${Math.round(x)}`;
    return `<clipPath id="${id}"><rect width="${width}" height="${height}"/></clipPath><g transform="translate(${x} ${y})" clip-path="url(#${id})">${inside.join('')}</g>`;
  }
}

const mostCircles = 30_000;
