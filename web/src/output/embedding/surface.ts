// The surface a plane of points is drawn on: pan, zoom, lasso, what is under the pointer; by mouse, touch and keyboard.

import { el, iconButton, perFrame } from '../../dom';
import type { View } from './paint';

type Tool = 'pan' | 'lasso';
export type Corner = [number, number];

/** What a surface shows. Points have numbers; places and distances are in units of the plane. */
export interface Plane {
  /** Draws the points. */
  paint(points: HTMLCanvasElement, view: View): void;
  /** Draws what lies over them, below the lasso. */
  over(context: CanvasRenderingContext2D): void;
  /** How large a point is drawn, in pixels of the canvas. */
  radius(): number;
  /** The point nearest to a place and no farther than within, or −1. */
  nearest(x: number, y: number, within: number): number;
  at(point: number): Corner;
  tip(point: number): Node[];
  /** The user has drawn around some points; of less than three corners: given the selection up. */
  select(polygon: Corner[]): void;
  pick?(point: number): void;
  home(): void;
  /** Escape: whether there was something to give up. */
  escape?(): boolean;
  /** Whether the plane may be drawn at a scale. */
  allows?(scale: number): boolean;
  /** The user has moved the plane. */
  moved?(): void;
  /** The canvas has another size; before is the place seen until then, where there was one. */
  resized(before: [number, number, number] | null): void;
}

export class Surface {
  readonly points = el('canvas');
  private readonly overlay = el('canvas');
  private readonly tip = el('div.tip', { role: 'tooltip', hidden: true });
  readonly dom = el(
    'div.viewport',
    { tabindex: 0, role: 'application', 'aria-roledescription': 'scatter plot' },
    this.points,
    this.overlay,
    this.tip,
  );
  /** Buttons for what the pointer does. */
  readonly tools: HTMLButtonElement[];
  readonly draw: () => void;
  view: View = { scale: 0, dx: 0, dy: 0 };
  private readonly buttons: Record<Tool, HTMLButtonElement>;
  private readonly observer: ResizeObserver;
  private tool: Tool = 'pan';
  private lasso: Corner[] = [];
  private hovered = -1;

  /** Guarded wraps what is called later, so that its errors are heard. */
  constructor(
    private readonly plane: Plane,
    guarded: (run: () => void) => () => void = (run) => run,
  ) {
    this.draw = perFrame(guarded(() => this.paint()));
    this.buttons = {
      pan: iconButton('pan', 'Pan', () => this.use('pan'), 'P'),
      lasso: iconButton('lasso', 'Select with a lasso', () => this.use('lasso'), 'L, or Shift and drag'),
    };
    this.tools = [
      this.buttons.pan,
      this.buttons.lasso,
      iconButton('home', 'Show everything', () => this.plane.home(), '0'),
    ];
    this.use('pan');
    this.listen();
    this.observer = new ResizeObserver(guarded(() => this.resize()));
  }

  /** To be called once the owner can draw. */
  start(): void {
    this.observer.observe(this.dom);
  }

  dispose(): void {
    this.observer.disconnect();
  }

  get size(): { width: number; height: number } {
    return { width: this.points.width, height: this.points.height };
  }

  /** Pixels of the canvas for one of the page. */
  ratio = 1;

  /** What is in the middle and how many units of the plane are seen side by side; null before there is a size. */
  get place(): [number, number, number] | null {
    const { width, height } = this.points;
    const { scale, dx, dy } = this.view;
    return scale && width ? [(width / 2 - dx) / scale, (dy - height / 2) / scale, width / scale] : null;
  }

  set place([x, y, across]: [number, number, number]) {
    const { width, height } = this.points;
    const scale = width / across;
    this.view = { scale, dx: width / 2 - scale * x, dy: height / 2 + scale * y };
    this.draw();
  }

  toPixel([x, y]: Corner): Corner {
    return [this.view.dx + this.view.scale * x, this.view.dy - this.view.scale * y];
  }

  private toPlane([px, py]: Corner): Corner {
    return [(px - this.view.dx) / this.view.scale, (this.view.dy - py) / this.view.scale];
  }

  /** Other points, or in another order: none is under the pointer. */
  forget(): void {
    this.hovered = -1;
  }

  /** Draws a ring so much larger than a point, both in pixels of the page. */
  ring(context: CanvasRenderingContext2D, at: Corner, larger: number, line: number): void {
    const [px, py] = this.toPixel(at);
    context.beginPath();
    context.arc(px, py, this.plane.radius() + larger * this.ratio, 0, 7);
    context.lineWidth = line * this.ratio;
    context.stroke();
  }

  /** Draws what is seen into another picture. */
  drawInto(context: CanvasRenderingContext2D, x: number, y: number): void {
    context.drawImage(this.points, x, y);
    context.drawImage(this.overlay, x, y);
  }

  // — drawing —

  private resize(): void {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.round(this.dom.clientWidth * ratio),
      height = Math.round(this.dom.clientHeight * ratio);
    if (!width || !height || (width === this.points.width && height === this.points.height)) return;
    const before = this.place;
    this.ratio = ratio;
    for (const c of [this.points, this.overlay]) {
      c.width = width;
      c.height = height;
    }
    this.plane.resized(before);
    this.paint();
  }

  private paint(): void {
    if (!this.points.width || !this.view.scale) return;
    this.plane.paint(this.points, this.view);
    const c = this.overlay.getContext('2d')!;
    c.clearRect(0, 0, this.overlay.width, this.overlay.height);
    const style = getComputedStyle(this.dom);
    c.strokeStyle = style.getPropertyValue('--text');
    this.plane.over(c);
    c.strokeStyle = style.getPropertyValue('--text');
    if (this.hovered >= 0) this.ring(c, this.plane.at(this.hovered), 3, 1.5);
    if (this.lasso.length > 1) {
      c.beginPath();
      this.lasso.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
      c.closePath();
      c.fillStyle = style.getPropertyValue('--accent-faint');
      c.fill();
      c.lineWidth = 1.25 * this.ratio;
      c.strokeStyle = style.getPropertyValue('--accent');
      c.stroke();
    }
  }

  // — what the user does —

  private use(tool: Tool): void {
    this.tool = tool;
    for (const [name, button] of Object.entries(this.buttons))
      button.setAttribute('aria-pressed', String(name === tool));
    this.dom.dataset.tool = tool;
  }

  private pixel(event: MouseEvent): Corner {
    const box = this.dom.getBoundingClientRect();
    return [(event.clientX - box.left) * this.ratio, (event.clientY - box.top) * this.ratio];
  }

  private pan(right: number, down: number): void {
    this.view = { ...this.view, dx: this.view.dx + right, dy: this.view.dy + down };
    this.draw();
    this.plane.moved?.();
  }

  private zoom(factor: number, [px, py]: Corner): void {
    const { scale, dx, dy } = this.view;
    if (this.plane.allows && !this.plane.allows(scale * factor)) return;
    this.view = { scale: scale * factor, dx: px - (px - dx) * factor, dy: py - (py - dy) * factor };
    this.draw();
    this.plane.moved?.();
  }

  private hover(event: MouseEvent): void {
    if (!this.view.scale) return;
    const found = this.plane.nearest(...this.toPlane(this.pixel(event)), (9 * this.ratio) / this.view.scale);
    if (found !== this.hovered) {
      this.hovered = found;
      this.draw();
    }
    this.tip.hidden = found < 0;
    if (found < 0) return;
    this.tip.replaceChildren(...this.plane.tip(found));
    const box = this.dom.getBoundingClientRect();
    const left = event.clientX - box.left,
      top = event.clientY - box.top;
    this.tip.style.left = `${Math.min(left + 14, this.dom.clientWidth - this.tip.offsetWidth - 6)}px`;
    this.tip.style.top = `${top + 16 + this.tip.offsetHeight > this.dom.clientHeight ? top - this.tip.offsetHeight - 10 : top + 16}px`;
  }

  private listen(): void {
    let last: Corner | null = null,
      from: Corner = [0, 0];
    let drawing = false;
    const stop = () => {
      last = null;
      drawing = false;
      this.lasso = [];
      this.draw();
    };
    this.dom.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.dom.setPointerCapture(event.pointerId);
      this.dom.focus({ preventScroll: true });
      from = last = this.pixel(event);
      drawing = this.tool === 'lasso' || event.shiftKey;
      this.lasso = drawing ? [last] : [];
      this.tip.hidden = true;
    });
    this.dom.addEventListener('pointermove', (event) => {
      if (!last) return this.hover(event);
      const here = this.pixel(event);
      if (!drawing) {
        this.pan(here[0] - last[0], here[1] - last[1]);
        last = here;
        return;
      }
      const [lx, ly] = this.lasso[this.lasso.length - 1]!;
      if (Math.hypot(here[0] - lx, here[1] - ly) > 2) this.lasso.push(here);
      this.draw();
    });
    this.dom.addEventListener('pointerup', (event) => {
      if (!last) return;
      const here = this.pixel(event),
        polygon = this.lasso.map((p) => this.toPlane(p)),
        drawn = drawing;
      stop();
      if (drawn) return this.plane.select(polygon);
      if (Math.hypot(here[0] - from[0], here[1] - from[1]) > 3) return;
      this.hover(event);
      if (this.hovered >= 0) this.plane.pick?.(this.hovered);
    });
    this.dom.addEventListener('pointercancel', stop);
    this.dom.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
      this.hovered = -1;
      this.draw();
    });
    this.dom.addEventListener('dblclick', () => this.plane.home());
    this.dom.addEventListener(
      'wheel',
      (event) => {
        // Scrolling the page over a plot must stay possible: the plot takes the wheel once it has the focus.
        if (document.activeElement !== this.dom && !event.ctrlKey) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), this.pixel(event));
      },
      { passive: false },
    );
    this.dom.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.key(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Does what a key stands for; false where it stands for nothing. */
  private key(key: string): boolean {
    const { width, height } = this.points;
    const step = 50 * this.ratio,
      middle: Corner = [width / 2, height / 2];
    switch (key) {
      case 'ArrowLeft':
        this.pan(step, 0);
        break;
      case 'ArrowRight':
        this.pan(-step, 0);
        break;
      case 'ArrowUp':
        this.pan(0, step);
        break;
      case 'ArrowDown':
        this.pan(0, -step);
        break;
      case '+':
      case '=':
        this.zoom(1.25, middle);
        break;
      case '-':
        this.zoom(0.8, middle);
        break;
      case '0':
        this.plane.home();
        break;
      case 'l':
        this.use('lasso');
        break;
      case 'p':
        this.use('pan');
        break;
      case 'Escape':
        return this.plane.escape?.() ?? false;
      default:
        return false;
    }
    return true;
  }
}
