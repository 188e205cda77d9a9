// The interactive embedding: pan, zoom, lasso, hover, tasks to show or hide, and the centroid figures of a selection.

import { el, announce, Signal } from '../../dom';
import { guard } from '../boundary';
import { type Brush, Brushing } from '../brush';
import { fileName, saveMenu, type Source } from '../chart/save';
import { decodeEmbedding, type Embedding } from './decode';
import { figures, type Figures } from './stats';
import { css, type Rgb, taskColours } from './palette';
import { PointGrid, PointPainter, shuffledOrder, type View } from './paint';
import { type Corner, type Plane, Surface } from './surface';

export class EmbeddingView implements Plane {
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
  private fitted = false;
  /** Of the points that count now: in the plane, and in the space the plane was made from. */
  private flat!: Figures;
  private original: Figures | null = null;
  private interleaved!: Float32Array;
  private readonly brushing = new Brushing(() => this.brushed());
  private readonly painter = new PointPainter();
  private readonly surface: Surface;
  private readonly save = saveMenu(() => this.source(), ['png'], false);
  private readonly head = el('header');
  private readonly legend = el('div.legend', { role: 'group', 'aria-label': 'Tasks' });
  private readonly summary = el('figcaption');
  private readonly unwatch: () => void;

  /** Shows an embedding: the JSON of a notebook's output, or, with another decode, what that makes of it; fail hears what goes wrong
   *  when it is drawn. */
  constructor(
    json: unknown,
    fail?: (problem: unknown) => void,
    private readonly decode: (json: unknown) => Embedding = decodeEmbedding,
  ) {
    this.surface = new Surface(this, (run) => guard(run, fail));
    this.dom.append(this.head, this.surface.dom, this.legend, this.summary);
    this.update(json);
    this.surface.start();
    const onTheme = () => {
      this.recolour();
      this.drawLegend();
      this.surface.draw();
    };
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
    for (let i = 0; i < n; i++) {
      this.interleaved[2 * i] = this.data.x[i]!;
      this.interleaved[2 * i + 1] = this.data.y[i]!;
    }
    if (!same) {
      this.order = shuffledOrder(n);
      this.hidden = new Uint8Array(this.data.tasks.length);
      this.selected = null;
    }
    this.surface.forget();
    this.brushing.join(this.data.link ?? '');
    this.recolour();
    this.relevel();
    this.drawHead();
    this.drawLegend();
    this.describe();
    // A layout that is still spreading out is followed until the user takes the view over.
    if (this.fitted || !same) this.fit();
    this.surface.draw();
  }

  /** x and y of each point, side by side. */
  get positions(): Float32Array {
    return this.interleaved;
  }

  /** Moves the points, to x and y of each side by side: for a layout in the making. What is said of them follows with measure(). */
  move(positions: Float32Array): void {
    const { x, y } = this.data;
    this.interleaved.set(positions);
    for (let i = 0; i < x.length; i++) {
      x[i] = positions[2 * i]!;
      y[i] = positions[2 * i + 1]!;
    }
    this.grid = null;
    this.painter.forget();
    this.flat = figures(this.interleaved, 2, this.data.task, this.data.tasks.length, this.counted);
    if (this.fitted) this.fit();
    this.surface.draw();
  }

  /** Says the figures of the plane anew. */
  measure(): void {
    this.measured.emit({ flat: this.flat, original: this.original });
    this.describe();
  }

  dispose(): void {
    this.surface.dispose();
    this.unwatch();
    this.brushing.leave();
  }

  /** Shares what is selected with other views of a brush. */
  share(brush: Brush): void {
    this.brushing.join(brush);
  }

  /** Another view has selected tasks: their points are. */
  private brushed(): void {
    const { task, tasks } = this.data;
    this.selected = this.brushing.selected && Uint8Array.from(task, (t) => (this.brushing.has(tasks[t]!.name) ? 1 : 0));
    this.refilter();
  }

  /** Tells the others which tasks have points that are selected. */
  private brush(): void {
    const { selected, data } = this;
    this.brushing.select(
      selected && data.tasks.filter((_, t) => data.task.some((of, i) => of === t && selected[i])).map((t) => t.name),
    );
  }

  // — what is seen —

  private get dark(): boolean {
    return document.documentElement.dataset.theme === 'dark';
  }

  /** The page's own background, as numbers. */
  private get paper(): Rgb {
    return this.dark ? [20, 23, 26] : [253, 253, 252];
  }

  private recolour(): void {
    this.colours = taskColours(
      this.data.tasks.map((t) => t.value),
      this.dark,
    );
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
    const { width, height } = this.surface.size;
    if (!width || !this.data.x.length) return;
    const { x, y } = this.data;
    let x0 = Infinity,
      x1 = -Infinity,
      y0 = Infinity,
      y1 = -Infinity;
    for (let i = 0; i < x.length; i++) {
      x0 = Math.min(x0, x[i]!);
      x1 = Math.max(x1, x[i]!);
      y0 = Math.min(y0, y[i]!);
      y1 = Math.max(y1, y[i]!);
    }
    const scale = 0.92 * Math.min(width / (x1 - x0 || 1), height / (y1 - y0 || 1));
    this.surface.place = [(x0 + x1) / 2, (y0 + y1) / 2, width / scale];
    this.fitted = true;
  }

  resized(before: [number, number, number] | null): void {
    if (before && !this.fitted) this.surface.place = before;
    else this.fit();
  }

  radius(): number {
    const n = this.data.x.length;
    return this.surface.ratio * (n > 30_000 ? 1.1 : n > 6_000 ? 1.7 : n > 1_500 ? 2.3 : 3.1);
  }

  paint(points: HTMLCanvasElement, view: View): void {
    const { x, y, task: group } = this.data;
    const { order, colours, paper, level } = this;
    const alpha = x.length > 30_000 ? 0.55 : x.length > 6_000 ? 0.7 : 0.8;
    this.painter.paint(
      points.getContext('2d')!,
      { x, y, group, order, colours, paper, radius: this.radius(), alpha, level },
      view,
    );
  }

  over(c: CanvasRenderingContext2D): void {
    if (this.data.tasks.length < 2) return;
    const paper = getComputedStyle(this.surface.dom).getPropertyValue('--paper'),
      ink = c.strokeStyle,
      r = this.surface.ratio;
    for (const t of this.flat.tasks) {
      c.beginPath();
      c.arc(...this.surface.toPixel([t.centroid[0]!, t.centroid[1]!]), 5.5 * r, 0, 7);
      c.fillStyle = css(this.colours[t.task]!);
      c.fill();
      c.lineWidth = 3.5 * r;
      c.strokeStyle = paper;
      c.stroke();
      c.lineWidth = 1.5 * r;
      c.strokeStyle = ink;
      c.stroke();
    }
  }

  // — what is said —

  private drawHead(): void {
    this.head.replaceChildren(
      el('span.title', {}, this.data.title || 'Embedding'),
      el('span.count', {}, `${this.data.x.length.toLocaleString('en')} points`),
      el('span.space'),
      el('span.tools', {}, ...this.surface.tools),
      this.save,
    );
  }

  private drawLegend(): void {
    this.legend.hidden = this.data.tasks.length < 2 || this.data.tasks.length > 60;
    this.legend.replaceChildren(
      ...this.data.tasks.map((t, i) => {
        const swatch = el('i', { style: `background:${css(this.colours[i]!)}` });
        return el(
          'button',
          {
            type: 'button',
            'aria-pressed': this.hidden[i] ? 'false' : 'true',
            title: 'Show or hide; double click for this one only',
            click: () => {
              this.hidden[i] = this.hidden[i] ? 0 : 1;
              this.refilter();
            },
            dblclick: () => {
              this.hidden.fill(1);
              this.hidden[i] = 0;
              this.refilter();
            },
          },
          swatch,
          t.name,
        );
      }),
    );
  }

  private refilter(): void {
    this.relevel();
    this.drawLegend();
    this.describe();
    this.surface.draw();
  }

  private describe(): void {
    const f = this.original ?? this.flat;
    const count = f.tasks.reduce((n, t) => n + t.n, 0);
    const what = this.selected
      ? `${count.toLocaleString('en')} selected`
      : count < this.data.x.length
        ? `${count.toLocaleString('en')} shown`
        : 'all points';
    const space = this.data.vectors ? `among the ${this.data.vectors.dim}-dimensional vectors` : 'in the plane';
    const number = (v: number) => (Number.isFinite(v) ? v.toPrecision(3) : '–');
    const item = (label: string, value: string, title: string) =>
      el('span', { title }, el('b', {}, value), ' ' + label);
    this.summary.hidden = this.data.tasks.length < 2;
    this.summary.replaceChildren(
      el('span', {}, `${what}, ${space}:`),
      item('within tasks', number(f.within), 'Mean distance of the points to the centroid of their task'),
      item('between centroids', number(f.between), 'Mean distance between the centroids of two tasks'),
      item('ratio', number(f.ratio), 'Between over within: the larger, the better the tasks are told apart'),
      (this.original &&
        el('span.also', { title: 'The same ratio in the plane' }, `(in the plane ${number(this.flat.ratio)})`)) ||
        '',
    );
    this.surface.dom.setAttribute(
      'aria-label',
      `${this.data.title || 'Embedding'}: ${what}, ${f.tasks.length} tasks; ${space}, mean distance within tasks ` +
        `${number(f.within)}, between centroids ${number(f.between)}, ratio ${number(f.ratio)}. Arrow keys pan, plus and minus zoom, 0 shows everything, Escape clears the selection.`,
    );
  }

  // — what the user does —

  nearest(x: number, y: number, within: number): number {
    this.grid ??= new PointGrid(this.data.x, this.data.y);
    return this.grid.nearest(x, y, within, (i) => this.level[i] !== 0);
  }

  at(point: number): Corner {
    return [this.data.x[point]!, this.data.y[point]!];
  }

  tip(point: number): Node[] {
    const { hover, task, tasks } = this.data;
    return [el('b', {}, tasks[task[point]!]?.name ?? ''), el('span', {}, hover[point] ?? `point ${point}`)];
  }

  moved(): void {
    this.fitted = false;
  }

  escape(): boolean {
    if (!this.selected) return false;
    this.give();
    return true;
  }

  home(): void {
    this.selected = null;
    this.hidden.fill(0);
    this.fit();
    this.refilter();
    this.brush();
  }

  /** Selects nothing, which is all. */
  private give(): void {
    this.selected = null;
    this.refilter();
    this.brush();
  }

  /** Selects the points inside a polygon: drawn once as a picture and looked up, whatever its corners. */
  select(polygon: Corner[]): void {
    if (polygon.length < 3) return this.give();
    const { width, height } = this.surface.size;
    const canvas = el('canvas', { width, height });
    const c = canvas.getContext('2d', { willReadFrequently: true })!;
    c.beginPath();
    polygon.map((p) => this.surface.toPixel(p)).forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.fill('evenodd');
    const alpha = c.getImageData(0, 0, width, height).data;
    const { x, y, task } = this.data;
    const selected = new Uint8Array(x.length);
    let any = false;
    for (let i = 0; i < x.length; i++) {
      if (this.hidden[task[i]!]) continue;
      const [px, py] = this.surface.toPixel([x[i]!, y[i]!]).map(Math.round) as [number, number];
      if (px >= 0 && py >= 0 && px < width && py < height && alpha[(py * width + px) * 4 + 3]! > 127) {
        selected[i] = 1;
        any = true;
      }
    }
    this.selected = any ? selected : null;
    this.refilter();
    this.brush();
    announce(any ? this.summary.textContent! : 'Nothing selected');
  }

  /** What is saved: points as the file of a cell has them, with numbers and names of tasks. */
  private source(): Source {
    const { title, x, y, task, tasks } = this.data;
    const named = tasks.length > 1;
    return {
      name: fileName(title) || 'embedding',
      body: {
        plane: {
          title,
          x: [...x],
          y: [...y],
          labels: named ? [...task] : null,
          names: tasks.map((t) => t.name),
        },
      },
      local: () => this.png(),
    };
  }

  private png(): Promise<Blob> {
    const { width, height } = this.surface.size;
    const canvas = el('canvas', { width, height });
    const c = canvas.getContext('2d')!;
    c.fillStyle = getComputedStyle(this.surface.dom).getPropertyValue('--paper');
    c.fillRect(0, 0, width, height);
    this.surface.drawInto(c, 0, 0);
    return new Promise((done, fail) => {
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('The browser could not draw the picture.'))));
    });
  }
}
