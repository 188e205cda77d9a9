// One layout of the page: its points, tile by tile, contours, what is under the pointer, and the lasso.

import { el, iconButton, perFrame } from '../dom';
import { format } from '../output/format';
import { css, Rgb } from '../output/embedding/palette';
import { PointGrid, PointPainter, Scene, View } from '../output/embedding/paint';
import { ColumnInfo, Info, layouts, Place } from './api';
import { colouring } from './colouring';
import { blur, contour, shares } from './contours';
import { needed, Tile, Tiles } from './tiles';

type Tool = 'pan' | 'lasso';

/** What all layouts of the page show alike. */
export interface Look {
  /** The column that colours, as it is in all layouts together, and which of its names are hidden. */
  column: ColumnInfo | undefined;
  hidden: ReadonlySet<string>;
  contours: boolean;
}

interface Actions { lasso(polygon: [number, number][]): void; pick(row: number): void; moved(): void; failed(problem: Error): void }

/** Tiles are refined until they are this many pixels wide. */
const tilePixels = 300;
const gridSize = 192;

export class Panel {
  readonly dom = el('figure.layout-panel');
  readonly summary = el('figcaption');
  private readonly viewport = el('div.viewport', { tabindex: 0, role: 'application', 'aria-roledescription': 'scatter plot' });
  private readonly points = el('canvas');
  private readonly overlay = el('canvas');
  private readonly tip = el('div.tip', { role: 'tooltip', hidden: true });
  private readonly buttons: Record<Tool, HTMLButtonElement>;
  private readonly painter = new PointPainter();
  private readonly tiles: Tiles;
  private readonly draw = perFrame(() => this.paint());
  private readonly observer = new ResizeObserver(() => this.resize());
  private view: View = { scale: 0, dx: 0, dy: 0 };
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
  private hovered = -1;
  private lasso: [number, number][] = [];
  private tool: Tool = 'pan';
  private lines: number[][] = [];
  private linesOf = '';

  constructor(readonly file: string, readonly info: Info, private readonly actions: Actions) {
    this.tiles = new Tiles(info.columns.length, (z, x, y) => layouts.tile(file, z, x, y), () => this.draw(), (e) => actions.failed(e));
    this.buttons = { pan: iconButton('pan', 'Pan', () => this.use('pan'), 'P'), lasso: iconButton('lasso', 'Select with a lasso', () => this.use('lasso'), 'L, or Shift and drag') };
    this.viewport.append(this.points, this.overlay, this.tip);
    this.dom.append(
      el('header', {}, el('span.title', { title: file }, info.name), el('span.count', {}, `${info.points.toLocaleString('en')} points`), el('span.space'),
        el('span.tools', {}, this.buttons.pan, this.buttons.lasso, iconButton('home', 'Show everything', () => this.fit(), '0'))),
      this.viewport, this.summary);
    this.listen();
    this.use('pan');
    this.observer.observe(this.viewport);
  }

  dispose(): void { this.observer.disconnect(); }

  show(look: Look): void {
    this.look = look;
    this.scene = null;
    void this.outline();
    this.draw();
  }

  /** Marks the points of a set, a bit each; null for all. Points to mark with rings come besides, whether their tiles are there or not. */
  choose(rows: Uint8Array | null, marked: Place[] = []): void {
    [this.chosen, this.marked, this.scene] = [rows, marked, null];
    this.draw();
  }

  describe(text: string): void {
    this.viewport.setAttribute('aria-label', `${this.info.name}: ${this.info.points.toLocaleString('en')} points. ${text} Arrow keys pan, plus and minus zoom, 0 shows everything.`);
  }

  /** Where the panel looks: the place in its middle and how many units of the plane it is wide. */
  get place(): [number, number, number] | null {
    const { width, height } = this.points;
    const { scale, dx, dy } = this.view;
    if (this.whole) return null;
    return scale ? [(width / 2 - dx) / scale, (dy - height / 2) / scale, width / scale] : this.asked;
  }

  goTo(place: [number, number, number]): void {
    const { width, height } = this.points;
    this.whole = false;
    if (!width) { this.asked = place; return; }
    const scale = width / place[2];
    this.view = { scale, dx: width / 2 - scale * place[0], dy: height / 2 + scale * place[1] };
    this.draw();
  }

  fit(): void {
    const [x0, y0, side] = this.info.square;
    const { width, height } = this.points;
    this.goTo([x0 + side / 2, y0 + side / 2, (side / 0.94) * Math.max(1, width / (height || 1))]);
    this.whole = true;
    this.actions.moved();
  }

  // — drawing —

  private get dark(): boolean { return document.documentElement.dataset.theme === 'dark'; }
  private get ratio(): number { return this.points.width / (this.viewport.clientWidth || 1); }

  private resize(): void {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.round(this.viewport.clientWidth * ratio), height = Math.round(this.viewport.clientHeight * ratio);
    if (!width || (width === this.points.width && height === this.points.height)) return;
    const before = this.place;
    for (const c of [this.points, this.overlay]) { c.width = width; c.height = height; }
    if (before) { this.asked = null; this.goTo(before); } else this.fit();
    this.paint();
  }

  private paint(): void {
    const { width, height } = this.points;
    if (!width || !this.view.scale) return;
    const { scale, dx, dy } = this.view;
    const mx = 0.25 * width, my = 0.25 * height; // as much more as the painter draws
    const box = { x0: (-mx - dx) / scale, x1: (width + mx - dx) / scale, y0: (dy - height - my) / scale, y1: (dy + my) / scale };
    const tiles = this.tiles.have(needed(this.info, box, scale, tilePixels * this.ratio));
    if (tiles.length !== this.shown.length || tiles.some((t, i) => t !== this.shown[i])) {
      this.shown = tiles;
      this.scene = null;
    }
    this.scene ??= this.assemble();
    this.painter.paint(this.points.getContext('2d')!, this.scene, this.view);
    this.paintOverlay();
    this.dom.dataset.points = String(this.rows.length);
    this.dom.dataset.waiting = String(this.tiles.waiting);
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
      x: new Float32Array(n), y: new Float32Array(n), group: new Uint16Array(n), order: Uint32Array.from({ length: n }, (_, i) => i), colours, paper: this.paper,
      radius: this.ratio * (n > 60_000 ? 0.9 : n > 20_000 ? 1.3 : n > 6_000 ? 1.7 : n > 1_500 ? 2.3 : 3.1), alpha: n > 30_000 ? 0.6 : n > 6_000 ? 0.7 : 0.8, level: new Uint8Array(n),
    };
    this.rows = new Uint32Array(n);
    this.grid = null;
    let k = 0;
    for (const t of this.shown) {
      scene.x.set(t.x, k);
      scene.y.set(t.y, k);
      this.rows.set(t.rows, k);
      const values = at >= 0 ? t.columns[at]! : null;
      for (let i = 0; i < t.rows.length; i++, k++) {
        const value = values ? values[i]! : 0, row = t.rows[i]!;
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

  private get paper(): Rgb { return this.dark ? [20, 23, 26] : [253, 253, 252]; }

  /** Asks for the density of what is shown, where its contours are wanted. */
  private async outline(): Promise<void> {
    const hidden = this.off, column = this.look.column?.name ?? '';
    const of = this.look.contours ? column + '\n' + hidden.join() : '';
    if (of === this.linesOf) return;
    this.linesOf = of;
    if (!of) { this.lines = []; return; }
    try {
      const field = blur(new Uint32Array(await layouts.density(this.file, gridSize, column, hidden)), gridSize, 2.2);
      if (of !== this.linesOf) return;
      const top = field.reduce((a, b) => Math.max(a, b), 0);
      const [x0, y0, side] = this.info.square;
      this.lines = top > 0 ? shares.map((s) => contour(field, gridSize, s * top).map((v, i) => (i % 2 ? y0 : x0) + (v * side) / gridSize)) : [];
      this.draw();
    } catch (e) {
      this.actions.failed(e as Error);
    }
  }

  private paintOverlay(): void {
    const c = this.overlay.getContext('2d')!;
    c.clearRect(0, 0, this.overlay.width, this.overlay.height);
    const style = getComputedStyle(this.viewport);
    const ink = style.getPropertyValue('--text'), r = this.ratio;
    const { scale, dx, dy } = this.view;
    c.strokeStyle = ink;
    this.lines.forEach((pieces, level) => {
      c.beginPath();
      for (let i = 0; i + 3 < pieces.length; i += 4) {
        c.moveTo(dx + scale * pieces[i]!, dy - scale * pieces[i + 1]!);
        c.lineTo(dx + scale * pieces[i + 2]!, dy - scale * pieces[i + 3]!);
      }
      c.globalAlpha = 0.25 + 0.13 * level;
      c.lineWidth = r;
      c.stroke();
    });
    c.globalAlpha = 1;
    const { scene } = this;
    const ring = (x: number, y: number, radius: number, width: number) => {
      c.beginPath();
      c.arc(dx + scale * x, dy - scale * y, (scene?.radius ?? 2) + radius * r, 0, 7);
      c.lineWidth = width * r;
      c.stroke();
    };
    this.marked.forEach((m, i) => ring(m.at[0], m.at[1], i ? 2.5 : 5, i ? 1.3 : 2.4));
    if (scene && this.hovered >= 0 && this.hovered < scene.x.length) ring(scene.x[this.hovered]!, scene.y[this.hovered]!, 3, 1.5);
    if (this.lasso.length > 1) {
      c.beginPath();
      this.lasso.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
      c.closePath();
      c.fillStyle = style.getPropertyValue('--accent-faint'); c.fill();
      c.lineWidth = 1.25 * r; c.strokeStyle = style.getPropertyValue('--accent'); c.stroke();
    }
  }

  // — what the user does —

  private use(tool: Tool): void {
    this.tool = tool;
    for (const [name, button] of Object.entries(this.buttons)) button.setAttribute('aria-pressed', String(name === tool));
    this.viewport.dataset.tool = tool;
  }

  private at(event: MouseEvent): [number, number] {
    const box = this.viewport.getBoundingClientRect();
    return [(event.clientX - box.left) * this.ratio, (event.clientY - box.top) * this.ratio];
  }

  private zoom(factor: number, px: number, py: number): void {
    const { scale, dx, dy } = this.view;
    const next = scale * factor;
    if (this.info.square[2] * next > 1e9 || this.info.square[2] * next < 10) return;
    this.whole = false;
    this.view = { scale: next, dx: px - (px - dx) * factor, dy: py - (py - dy) * factor };
    this.draw();
    this.actions.moved();
  }

  private hover(event: PointerEvent): void {
    const { scene } = this;
    if (!scene) return;
    const [px, py] = this.at(event);
    const { scale, dx, dy } = this.view;
    this.grid ??= new PointGrid(scene.x, scene.y);
    const found = this.grid.nearest((px - dx) / scale, (dy - py) / scale, (9 * this.ratio) / scale, (i) => scene.level[i] !== 0);
    if (found !== this.hovered) { this.hovered = found; this.draw(); }
    this.tip.hidden = found < 0;
    if (found < 0) return;
    this.tip.replaceChildren(el('b', {}, `point ${this.rows[found]}`), ...this.values(found).map(([name, text]) => el('span', {}, `${name} ${text}`)));
    const box = this.viewport.getBoundingClientRect();
    const left = event.clientX - box.left, top = event.clientY - box.top;
    this.tip.style.left = `${Math.min(left + 14, this.viewport.clientWidth - this.tip.offsetWidth - 6)}px`;
    this.tip.style.top = `${top + 16 + this.tip.offsetHeight > this.viewport.clientHeight ? top - this.tip.offsetHeight - 10 : top + 16}px`;
  }

  /** The columns of a drawn point in words. */
  private values(i: number): [string, string][] {
    let k = i;
    for (const t of this.shown) {
      if (k < t.rows.length) return this.info.columns.slice(0, 8).map((c, j) => [c.name, c.names ? (c.names[t.columns[j]![k]!] ?? '…') : format(t.columns[j]![k])]);
      k -= t.rows.length;
    }
    return [];
  }

  private listen(): void {
    let last: [number, number] | null = null, from: [number, number] = [0, 0];
    let drawing = false;
    this.viewport.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.viewport.setPointerCapture(event.pointerId);
      this.viewport.focus({ preventScroll: true });
      from = last = this.at(event);
      drawing = this.tool === 'lasso' || event.shiftKey;
      this.lasso = drawing ? [last] : [];
      this.tip.hidden = true;
    });
    this.viewport.addEventListener('pointermove', (event) => {
      const here = this.at(event);
      if (!last) return this.hover(event);
      if (drawing) {
        const [lx, ly] = this.lasso[this.lasso.length - 1]!;
        if (Math.hypot(here[0] - lx, here[1] - ly) > 3) this.lasso.push(here);
      } else {
        this.whole = false;
        this.view = { ...this.view, dx: this.view.dx + here[0] - last[0], dy: this.view.dy + here[1] - last[1] };
        last = here;
      }
      this.draw();
    });
    const end = (event: PointerEvent) => {
      if (!last) return;
      const here = this.at(event);
      last = null;
      if (!drawing) {
        if (Math.hypot(here[0] - from[0], here[1] - from[1]) > 3) return this.actions.moved();
        this.hover(event);
        if (this.hovered >= 0) this.actions.pick(this.rows[this.hovered]!);
        return;
      }
      drawing = false;
      const { scale, dx, dy } = this.view;
      const every = Math.ceil(this.lasso.length / 1500);
      const polygon = this.lasso.filter((_, i) => i % every === 0).map(([x, y]): [number, number] => [(x - dx) / scale, (dy - y) / scale]);
      this.lasso = [];
      this.draw();
      this.actions.lasso(polygon.length > 2 ? polygon : []);
    };
    this.viewport.addEventListener('pointerup', end);
    this.viewport.addEventListener('pointercancel', () => { last = null; drawing = false; this.lasso = []; this.draw(); });
    this.viewport.addEventListener('pointerleave', () => { this.tip.hidden = true; this.hovered = -1; this.draw(); });
    this.viewport.addEventListener('dblclick', () => this.fit());
    this.viewport.addEventListener('wheel', (event) => {
      if (document.activeElement !== this.viewport && !event.ctrlKey) return; // the page can be scrolled past
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...this.at(event));
    }, { passive: false });
    this.viewport.addEventListener('keydown', (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { width, height } = this.points;
    const pan = 60 * this.ratio;
    const moves: Record<string, [number, number]> = { ArrowLeft: [pan, 0], ArrowRight: [-pan, 0], ArrowUp: [0, pan], ArrowDown: [0, -pan] };
    const move = moves[event.key];
    if (move) {
      this.whole = false;
      this.view = { ...this.view, dx: this.view.dx + move[0], dy: this.view.dy + move[1] };
      this.draw();
      this.actions.moved();
    } else if (event.key === '+' || event.key === '=') this.zoom(1.25, width / 2, height / 2);
    else if (event.key === '-') this.zoom(0.8, width / 2, height / 2);
    else if (event.key === '0') this.fit();
    else if (event.key === 'l') this.use('lasso');
    else if (event.key === 'p') this.use('pan');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // — pictures —

  get size(): { width: number; height: number } { return { width: this.points.width, height: this.points.height }; }

  /** Draws the panel into a canvas at a place. */
  drawInto(c: CanvasRenderingContext2D, x: number, y: number): void {
    c.drawImage(this.points, x, y);
    c.drawImage(this.overlay, x, y);
  }

  /** The panel as a group of SVG, a circle for each point; of more than so many, the picture of them. */
  svg(x: number, y: number): string {
    const { width, height } = this.points;
    const { scale, dx, dy } = this.view;
    const { scene } = this;
    if (!scene) return '';
    const inside: string[] = [];
    if (scene.x.length > mostCircles) inside.push(`<image width="${width}" height="${height}" href="${this.points.toDataURL('image/png')}"/>`);
    else {
      scene.colours.forEach((colour, g) => {
        const circles: string[] = [];
        for (let i = 0; i < scene.x.length; i++) {
          if (scene.group[i] !== g || !scene.level[i]) continue;
          const px = dx + scale * scene.x[i]!, py = dy - scale * scene.y[i]!;
          if (px < 0 || py < 0 || px > width || py > height) continue;
          circles.push(`<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="${scene.radius.toFixed(1)}"${scene.level[i] === 1 ? ' opacity="0.15"' : ''}/>`);
        }
        if (circles.length) inside.push(`<g fill="${css(colour)}" fill-opacity="${scene.alpha}">${circles.join('')}</g>`);
      });
    }
    const ink = getComputedStyle(this.viewport).getPropertyValue('--text');
    this.lines.forEach((pieces, level) => {
      let d = '';
      for (let i = 0; i + 3 < pieces.length; i += 4) d += `M${(dx + scale * pieces[i]!).toFixed(1)} ${(dy - scale * pieces[i + 1]!).toFixed(1)}L${(dx + scale * pieces[i + 2]!).toFixed(1)} ${(dy - scale * pieces[i + 3]!).toFixed(1)}`;
      inside.push(`<path d="${d}" fill="none" stroke="${ink}" stroke-opacity="${(0.25 + 0.13 * level).toFixed(2)}" stroke-width="${this.ratio}"/>`);
    });
    const id = `clip-${Math.round(x)}`;
    return `<clipPath id="${id}"><rect width="${width}" height="${height}"/></clipPath><g transform="translate(${x} ${y})" clip-path="url(#${id})">${inside.join('')}</g>`;
  }
}

const mostCircles = 30_000;
