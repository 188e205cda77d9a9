// The interactive embedding: pan, zoom, lasso, hover, tasks to show or hide, and the centroid figures of a selection.

import { el, iconButton, perFrame, announce, download, Signal } from '../../dom';
import { guard } from '../boundary';
import { Brush, Brushing } from '../brush';
import { decodeEmbedding, Embedding } from './decode';
import { figures, Figures } from './stats';
import { css, Rgb, taskColours } from './palette';
import { PointGrid, PointPainter, shuffledOrder, View } from './paint';

type Tool = 'pan' | 'lasso';

export class EmbeddingView {
  readonly dom = el('figure.embedding');
  /** The figures of the points that count now are others: in the plane, and among the vectors where there are any. */
  readonly measured = new Signal<{ flat: Figures; original: Figures | null }>();
  private data!: Embedding;
  private grid: PointGrid | null = null;
  private order!: Uint32Array;
  private level!: Uint8Array;
  private counted!: Uint8Array;
  private selected: Uint8Array | null = null;
  private hidden!: Uint8Array;
  private colours!: Rgb[];
  private view: View = { scale: 1, dx: 0, dy: 0 };
  private tool: Tool = 'pan';
  private lasso: [number, number][] = [];
  private hovered = -1;
  private fitted = false;
  /** Of the points that count now: in the plane, and in the space the plane was made from. */
  private flat!: Figures;
  private original: Figures | null = null;
  private interleaved!: Float32Array;
  private readonly brushing = new Brushing(() => this.brushed());
  private readonly painter = new PointPainter();
  private readonly viewport = el('div.viewport', { tabindex: 0, role: 'application', 'aria-roledescription': 'scatter plot' });
  private readonly points = el('canvas');
  private readonly overlay = el('canvas');
  private readonly tip = el('div.tip', { role: 'tooltip', hidden: true });
  private readonly head = el('header');
  private readonly legend = el('div.legend', { role: 'group', 'aria-label': 'Tasks' });
  private readonly summary = el('figcaption');
  private readonly buttons: Record<Tool, HTMLButtonElement>;
  private readonly draw: () => void;
  private readonly observer: ResizeObserver;
  private readonly unwatch: () => void;

  /** Shows an embedding: the JSON of a notebook's output, or, with another decode, what that makes of it; fail hears what goes wrong
   *  when it is drawn. */
  constructor(json: unknown, fail?: (problem: unknown) => void, private readonly decode: (json: unknown) => Embedding = decodeEmbedding) {
    this.draw = perFrame(guard(() => this.paint(), fail));
    this.buttons = {
      pan: iconButton('pan', 'Pan', () => this.use('pan'), 'P'),
      lasso: iconButton('lasso', 'Select with a lasso', () => this.use('lasso'), 'L, or Shift and drag'),
    };
    this.viewport.append(this.points, this.overlay, this.tip);
    this.dom.append(this.head, this.viewport, this.legend, this.summary);
    this.listen();
    this.update(json);
    this.use('pan');
    this.observer = new ResizeObserver(guard(() => this.resize(), fail));
    this.observer.observe(this.viewport);
    const onTheme = () => { this.recolour(); this.drawLegend(); this.draw(); };
    document.addEventListener('nacre:theme', onTheme);
    this.unwatch = () => document.removeEventListener('nacre:theme', onTheme);
  }

  /** Shows other data in the same place; the section in view stays where the number of points does. */
  update(json: unknown): void {
    const before = this.data;
    this.data = this.decode(json);
    const n = this.data.x.length;
    const same = before && before.x.length === n && before.tasks.length === this.data.tasks.length;
    this.grid = null;
    this.interleaved = new Float32Array(2 * n);
    for (let i = 0; i < n; i++) { this.interleaved[2 * i] = this.data.x[i]!; this.interleaved[2 * i + 1] = this.data.y[i]!; }
    if (!same) {
      this.order = shuffledOrder(n);
      this.hidden = new Uint8Array(this.data.tasks.length);
      this.selected = null;
    }
    this.hovered = -1;
    this.brushing.join(this.data.link ?? '');
    this.recolour();
    this.relevel();
    this.drawHead();
    this.drawLegend();
    this.describe();
    // A layout that is still spreading out is followed until the user takes the view over.
    if (this.fitted || !same) this.fit();
    this.draw();
  }

  /** x and y of each point, side by side. */
  get positions(): Float32Array { return this.interleaved; }

  /** Moves the points, to x and y of each side by side: for a layout in the making. What is said of them follows with measure(). */
  move(positions: Float32Array): void {
    const { x, y } = this.data;
    this.interleaved.set(positions);
    for (let i = 0; i < x.length; i++) { x[i] = positions[2 * i]!; y[i] = positions[2 * i + 1]!; }
    this.grid = null;
    this.painter.forget();
    this.flat = figures(this.interleaved, 2, this.data.task, this.data.tasks.length, this.counted);
    if (this.fitted) this.fit();
    this.draw();
  }

  /** Says the figures of the plane anew. */
  measure(): void {
    this.measured.emit({ flat: this.flat, original: this.original });
    this.describe();
  }

  dispose(): void {
    this.observer.disconnect();
    this.unwatch();
    this.brushing.leave();
  }

  /** Shares what is selected with other views of a brush. */
  share(brush: Brush): void { this.brushing.join(brush); }

  /** Another view has selected tasks: their points are. */
  private brushed(): void {
    const { task, tasks } = this.data;
    this.selected = this.brushing.selected && Uint8Array.from(task, (t) => (this.brushing.has(tasks[t]!.name) ? 1 : 0));
    this.refilter();
  }

  /** Tells the others which tasks have points that are selected. */
  private brush(): void {
    const { selected, data } = this;
    this.brushing.select(selected && data.tasks.filter((_, t) => data.task.some((of, i) => of === t && selected[i])).map((t) => t.name));
  }

  // — what is seen —

  private get dark(): boolean { return document.documentElement.dataset.theme === 'dark'; }

  /** The page's own background, as numbers. */
  private get paper(): Rgb { return this.dark ? [20, 23, 26] : [253, 253, 252]; }

  private recolour(): void {
    this.colours = taskColours(this.data.tasks.map((t) => t.value), this.dark);
  }

  private relevel(): void {
    const { task, tasks, vectors } = this.data;
    this.level = Uint8Array.from(task, (t, i) => (this.hidden[t] ? 0 : this.selected && !this.selected[i] ? 1 : 2));
    this.counted = Uint8Array.from(this.level, (l) => (l === 2 ? 1 : 0));
    this.flat = figures(this.interleaved, 2, task, tasks.length, this.counted);
    this.original = vectors && figures(vectors.data, vectors.dim, task, tasks.length, this.counted);
    this.measured.emit({ flat: this.flat, original: this.original });
  }

  private fit(): void {
    const { width, height } = this.points;
    if (!width || !this.data.x.length) return;
    const { x, y } = this.data;
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    for (let i = 0; i < x.length; i++) { x0 = Math.min(x0, x[i]!); x1 = Math.max(x1, x[i]!); y0 = Math.min(y0, y[i]!); y1 = Math.max(y1, y[i]!); }
    const scale = 0.92 * Math.min(width / (x1 - x0 || 1), height / (y1 - y0 || 1));
    this.view = { scale, dx: width / 2 - scale * (x0 + x1) / 2, dy: height / 2 + scale * (y0 + y1) / 2 };
    this.fitted = true;
  }

  private resize(): void {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.round(this.viewport.clientWidth * ratio), height = Math.round(this.viewport.clientHeight * ratio);
    if (!width || width === this.points.width && height === this.points.height) return;
    for (const c of [this.points, this.overlay]) { c.width = width; c.height = height; }
    this.fit();
    this.paint();
  }

  private get ratio(): number { return this.points.width / (this.viewport.clientWidth || 1); }

  private paint(): void {
    const context = this.points.getContext('2d')!;
    if (!this.points.width) return;
    const n = this.data.x.length;
    const radius = this.ratio * (n > 30_000 ? 1.1 : n > 6_000 ? 1.7 : n > 1_500 ? 2.3 : 3.1);
    const alpha = n > 30_000 ? 0.55 : n > 6_000 ? 0.7 : 0.8;
    const { x, y, task: group } = this.data;
    const { order, colours, paper, level } = this;
    this.painter.paint(context, { x, y, group, order, colours, paper, radius, alpha, level }, this.view);
    this.paintOverlay(radius);
  }

  private paintOverlay(radius: number): void {
    const c = this.overlay.getContext('2d')!;
    c.clearRect(0, 0, this.overlay.width, this.overlay.height);
    const style = getComputedStyle(this.viewport);
    const ink = style.getPropertyValue('--text'), paper = style.getPropertyValue('--paper');
    const r = this.ratio;
    if (this.data.tasks.length > 1) {
      for (const t of this.flat.tasks) {
        const [px, py] = this.toPixel(t.centroid[0]!, t.centroid[1]!);
        c.beginPath();
        c.arc(px, py, 5.5 * r, 0, 7);
        c.fillStyle = css(this.colours[t.task]!);
        c.fill();
        c.lineWidth = 3.5 * r; c.strokeStyle = paper; c.stroke();
        c.lineWidth = 1.5 * r; c.strokeStyle = ink; c.stroke();
      }
    }
    if (this.hovered >= 0) {
      const [px, py] = this.toPixel(this.data.x[this.hovered]!, this.data.y[this.hovered]!);
      c.beginPath();
      c.arc(px, py, radius + 3 * r, 0, 7);
      c.lineWidth = 1.5 * r; c.strokeStyle = ink; c.stroke();
    }
    if (this.lasso.length > 1) {
      c.beginPath();
      this.lasso.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
      c.closePath();
      c.fillStyle = style.getPropertyValue('--accent-faint'); c.fill();
      c.lineWidth = 1.25 * r; c.strokeStyle = style.getPropertyValue('--accent'); c.stroke();
    }
  }

  private toPixel(x: number, y: number): [number, number] {
    return [this.view.dx + this.view.scale * x, this.view.dy - this.view.scale * y];
  }

  // — what is said —

  private drawHead(): void {
    this.head.replaceChildren(
      el('span.title', {}, this.data.title || 'Embedding'),
      el('span.count', {}, `${this.data.x.length.toLocaleString('en')} points`),
      el('span.space'),
      el('span.tools', {}, this.buttons.pan, this.buttons.lasso, iconButton('home', 'Show everything', () => this.reset(), '0'),
        iconButton('save', 'Save as PNG', () => this.savePng())),
    );
  }

  private drawLegend(): void {
    this.legend.hidden = this.data.tasks.length < 2 || this.data.tasks.length > 60;
    this.legend.replaceChildren(...this.data.tasks.map((t, i) => {
      const swatch = el('i', { style: `background:${css(this.colours[i]!)}` });
      return el('button', {
        type: 'button', 'aria-pressed': this.hidden[i] ? 'false' : 'true', title: 'Show or hide; double click for this one only',
        click: () => { this.hidden[i] = this.hidden[i] ? 0 : 1; this.refilter(); },
        dblclick: () => { this.hidden.fill(1); this.hidden[i] = 0; this.refilter(); },
      }, swatch, t.name);
    }));
  }

  private refilter(): void {
    this.relevel();
    this.drawLegend();
    this.describe();
    this.draw();
  }

  private describe(): void {
    const f = this.original ?? this.flat;
    const count = f.tasks.reduce((n, t) => n + t.n, 0);
    const what = this.selected ? `${count.toLocaleString('en')} selected` : count < this.data.x.length ? `${count.toLocaleString('en')} shown` : 'all points';
    const space = this.data.vectors ? `among the ${this.data.vectors.dim}-dimensional vectors` : 'in the plane';
    const number = (v: number) => (Number.isFinite(v) ? v.toPrecision(3) : '–');
    const item = (label: string, value: string, title: string) => el('span', { title }, el('b', {}, value), ' ' + label);
    this.summary.hidden = this.data.tasks.length < 2;
    this.summary.replaceChildren(
      el('span', {}, `${what}, ${space}:`),
      item('within tasks', number(f.within), 'Mean distance of the points to the centroid of their task'),
      item('between centroids', number(f.between), 'Mean distance between the centroids of two tasks'),
      item('ratio', number(f.ratio), 'Between over within: the larger, the better the tasks are told apart'),
      this.original && el('span.also', { title: 'The same ratio in the plane' }, `(in the plane ${number(this.flat.ratio)})`) || '',
    );
    this.viewport.setAttribute('aria-label', `${this.data.title || 'Embedding'}: ${what}, ${f.tasks.length} tasks; ${space}, mean distance within tasks ` +
      `${number(f.within)}, between centroids ${number(f.between)}, ratio ${number(f.ratio)}. Arrow keys pan, plus and minus zoom, 0 shows everything, Escape clears the selection.`);
  }

  private hover(event: PointerEvent): void {
    const [px, py] = this.at(event);
    const x = (px - this.view.dx) / this.view.scale, y = (this.view.dy - py) / this.view.scale;
    this.grid ??= new PointGrid(this.data.x, this.data.y);
    const found = this.grid.nearest(x, y, 9 * this.ratio / this.view.scale, (i) => this.level[i] !== 0);
    if (found !== this.hovered) {
      this.hovered = found;
      this.draw();
    }
    this.tip.hidden = found < 0;
    if (found < 0) return;
    const { data } = this;
    this.tip.replaceChildren(el('b', {}, data.tasks[data.task[found]!]?.name ?? ''), el('span', {}, data.hover[found] ?? `point ${found}`));
    const left = event.clientX - this.viewport.getBoundingClientRect().left, top = event.clientY - this.viewport.getBoundingClientRect().top;
    this.tip.style.left = `${Math.min(left + 14, this.viewport.clientWidth - this.tip.offsetWidth - 6)}px`;
    this.tip.style.top = `${top + 16 + this.tip.offsetHeight > this.viewport.clientHeight ? top - this.tip.offsetHeight - 10 : top + 16}px`;
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
    this.fitted = false;
    this.view = { scale: scale * factor, dx: px - (px - dx) * factor, dy: py - (py - dy) * factor };
    this.draw();
  }

  private reset(): void {
    this.selected = null;
    this.hidden.fill(0);
    this.fit();
    this.refilter();
    this.brush();
  }

  private listen(): void {
    let last: [number, number] | null = null;
    let drawing = false;
    this.viewport.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.viewport.setPointerCapture(event.pointerId);
      this.viewport.focus({ preventScroll: true });
      last = this.at(event);
      drawing = this.tool === 'lasso' || event.shiftKey;
      this.lasso = drawing ? [last] : [];
      this.tip.hidden = true;
    });
    this.viewport.addEventListener('pointermove', (event) => {
      const here = this.at(event);
      if (!last) return this.hover(event);
      if (drawing) {
        const [lx, ly] = this.lasso[this.lasso.length - 1]!;
        if (Math.hypot(here[0] - lx, here[1] - ly) > 2) this.lasso.push(here);
      } else {
        this.fitted = false;
        this.view.dx += here[0] - last[0];
        this.view.dy += here[1] - last[1];
        last = here;
      }
      this.draw();
    });
    const end = () => {
      last = null;
      if (!drawing) return;
      drawing = false;
      this.selectInside(this.lasso);
      this.lasso = [];
      this.draw();
    };
    this.viewport.addEventListener('pointerup', end);
    this.viewport.addEventListener('pointercancel', end);
    this.viewport.addEventListener('pointerleave', () => { this.tip.hidden = true; this.hovered = -1; this.draw(); });
    this.viewport.addEventListener('dblclick', () => this.reset());
    this.viewport.addEventListener('wheel', (event) => {
      // Scrolling the page over a plot must stay possible: the plot takes the wheel once it has the focus.
      if (document.activeElement !== this.viewport && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...this.at(event));
    }, { passive: false });
    this.viewport.addEventListener('keydown', (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { width, height } = this.points;
    const pan = 40 * this.ratio;
    const moves: Record<string, [number, number]> = { ArrowLeft: [pan, 0], ArrowRight: [-pan, 0], ArrowUp: [0, pan], ArrowDown: [0, -pan] };
    const move = moves[event.key];
    if (move) {
      this.fitted = false;
      this.view.dx += move[0];
      this.view.dy += move[1];
      this.draw();
    } else if (event.key === '+' || event.key === '=') this.zoom(1.25, width / 2, height / 2);
    else if (event.key === '-') this.zoom(0.8, width / 2, height / 2);
    else if (event.key === '0') this.reset();
    else if (event.key === 'l') this.use('lasso');
    else if (event.key === 'p') this.use('pan');
    else if (event.key === 'Escape' && this.selected) { this.selected = null; this.refilter(); this.brush(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Selects the points inside a polygon of canvas pixels: drawn once as a picture and looked up, whatever its corners. */
  private selectInside(polygon: [number, number][]): void {
    if (polygon.length < 3) {
      this.selected = null;
      this.brush();
      return this.refilter();
    }
    const { width, height } = this.points;
    const canvas = el('canvas', { width, height });
    const c = canvas.getContext('2d', { willReadFrequently: true })!;
    c.beginPath();
    polygon.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.fill('evenodd');
    const alpha = c.getImageData(0, 0, width, height).data;
    const { x, y, task } = this.data;
    const selected = new Uint8Array(x.length);
    let any = false;
    for (let i = 0; i < x.length; i++) {
      if (this.hidden[task[i]!]) continue;
      const [px, py] = this.toPixel(x[i]!, y[i]!).map(Math.round) as [number, number];
      if (px >= 0 && py >= 0 && px < width && py < height && alpha[(py * width + px) * 4 + 3]! > 127) { selected[i] = 1; any = true; }
    }
    this.selected = any ? selected : null;
    this.refilter();
    this.brush();
    announce(any ? this.summary.textContent! : 'Nothing selected');
  }

  private savePng(): void {
    const { width, height } = this.points;
    const canvas = el('canvas', { width, height });
    const c = canvas.getContext('2d')!;
    c.fillStyle = getComputedStyle(this.viewport).getPropertyValue('--paper');
    c.fillRect(0, 0, width, height);
    c.drawImage(this.points, 0, 0);
    c.drawImage(this.overlay, 0, 0);
    canvas.toBlob((blob) => blob && download(`${this.data.title || 'embedding'}.png`, 'image/png', blob));
  }
}
