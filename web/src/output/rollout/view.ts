// Playback of rollouts in three dimensions: play, scrub, turn the camera, follow, one episode beside another.

import { announce, download, el, iconButton, perFrame, svgIcon } from '../../dom';
import { guard } from '../boundary';
import { type Brush, Brushing } from '../brush';
import { css, type Rgb, taskColours } from '../embedding/palette';
import { format } from '../format';
import { type Change, eyeOf, followed, panned, turned, unchanged, zoomed } from './camera';
import { decodeRollout, type Episode, type Rollout } from './decode';
import { Live, mujoco } from './live';
import type { EpisodeScene } from './scene';
import { Track } from './track';

const speeds = [0.1, 0.25, 0.5, 1, 2, 4];
const sideBySide = 4; // episodes that are shown at first

interface Shown {
  episode: Episode;
  colour: Rgb;
  shown: boolean;
  path: Float32Array; // of the followed solid
  returns: Float64Array; // up to each frame
  scene: EpisodeScene | null;
  readout: HTMLElement;
}

const still = matchMedia('(prefers-reduced-motion: reduce)');

let webgl: boolean | null = null;

/** Whether this browser can draw in three dimensions, found out once. */
function hasWebGL(): boolean {
  if (webgl === null) {
    const context = document.createElement('canvas').getContext('webgl2');
    webgl = context !== null;
    context?.getExtension('WEBGL_lose_context')?.loseContext();
  }
  return webgl;
}

export class RolloutView {
  readonly dom = el('figure.rollout');
  private data!: Rollout;
  private list: Shown[] = [];
  /** Of the playback, from the start. */
  private seconds = 0;
  private playing = false;
  private speed = 1;
  private following = true;
  private change: Change = unchanged();
  private inSight = false;
  private live: Live | null = null;
  private three: typeof import('./scene') | null = null;
  private built = 0; // how often the data has changed, for what is still loading
  private last = 0; // time of the last picture while playing
  private tick = 0;
  private readonly brushing = new Brushing(() => this.brushed());
  private readonly track = new Track();
  private readonly canvas = el('canvas');
  private readonly names = el('div.names', { 'aria-hidden': 'true' });
  private readonly message = el('p.note');
  private readonly viewport = el(
    'div.viewport',
    { tabindex: 0, role: 'application', 'aria-roledescription': 'three-dimensional playback' },
    this.canvas,
    this.names,
    this.message,
  );
  private readonly head = el('header');
  private readonly playButton = iconButton('run', 'Play', () => this.toggle(), 'Space');
  private readonly followButton = iconButton(
    'follow',
    'Follow with the camera',
    () => this.follow(!this.following),
    'F',
  );
  private readonly simulateButton = el(
    'button',
    {
      type: 'button',
      title: 'Go on from this step with MuJoCo in this browser, with random actions',
      click: () => this.simulate(),
    },
    'simulate from here',
  );
  private readonly clock = el('output.clock');
  private readonly speedMenu = el(
    'select.speed',
    { 'aria-label': 'Speed', title: 'Speed ( [ and ] )', change: () => this.setSpeed(Number(this.speedMenu.value)) },
    ...speeds.map((s) => el('option', { value: s, selected: s === 1 }, `${s}×`)),
  );
  private readonly controls = el('div.controls', {}, this.playButton, this.track.dom, this.clock, this.speedMenu);
  private readonly values = el('div.legend', { role: 'group', 'aria-label': 'Episodes' });
  private readonly draw: () => void;
  private readonly resizes: ResizeObserver;
  private readonly sight: IntersectionObserver;
  private readonly unwatch: () => void;
  private stopRestoring = (): void => undefined;

  /** Shows a rollout; fail hears what goes wrong when it is drawn. */
  constructor(json: unknown, fail?: (problem: unknown) => void) {
    const data = decodeRollout(json);
    this.draw = perFrame(guard(() => this.paint(), fail));
    if (!hasWebGL()) throw new Error('This browser has no WebGL, so the rollout is shown as a picture.');
    this.dom.append(this.head, this.viewport, this.controls, this.values);
    this.listen();
    this.show(data);
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(this.viewport);
    this.resizes.observe(this.track.dom);
    // What cannot be seen is not loaded, and does not play.
    this.sight = new IntersectionObserver(
      (entries) => {
        this.inSight = entries.at(-1)!.isIntersecting;
        if (!this.inSight) return this.pause();
        void this.build();
        this.draw();
      },
      { rootMargin: '300px' },
    );
    this.sight.observe(this.viewport);
    const onTheme = () => {
      this.recolour();
      this.describe();
      this.draw();
    };
    document.addEventListener('nacre:theme', onTheme);
    this.unwatch = () => document.removeEventListener('nacre:theme', onTheme);
    // For tests and for the curious in the browser's console.
    Object.assign(this.dom, { rollout: this });
  }

  update(json: unknown): void {
    this.show(decodeRollout(json));
    if (this.three) void this.build();
  }

  dispose(): void {
    this.pause();
    this.resizes.disconnect();
    this.sight.disconnect();
    this.unwatch();
    this.stopRestoring();
    this.brushing.leave();
    this.built++;
    this.live?.dispose();
    for (const s of this.list) s.scene?.dispose();
  }

  /** Shares which episodes are shown with other views of a brush. */
  share(brush: Brush): void {
    this.brushing.join(brush);
  }

  /** Another view has selected tasks: their episodes are shown. */
  private brushed(): void {
    this.list.forEach((s, i) => {
      s.shown = this.brushing.selected ? this.brushing.has(this.labelOf(s)) : i < sideBySide;
    });
    if (!this.list.some((s) => s.shown))
      this.list.forEach((s, i) => {
        s.shown = i < sideBySide;
      });
    this.describe();
    this.draw();
  }

  /** Tells the others which tasks are shown. */
  private brush(): void {
    const shown = this.list.filter((s) => s.shown);
    this.brushing.select(shown.length < this.list.length ? shown.map((s) => this.labelOf(s)) : null);
  }

  /** Shows other episodes; the camera and the time stay where they fit. */
  show(data: Rollout): void {
    for (const s of this.list) s.scene?.dispose();
    this.live?.dispose();
    this.live = null;
    this.built++;
    this.data = data;
    this.list = data.episodes.map((episode, i) => this.entry(episode, i < sideBySide));
    this.seconds = Math.min(this.seconds, this.duration);
    this.brushing.join(data.link);
    if (this.brushing.selected) this.brushed();
    this.followButton.hidden = !data.episodes.some((e) => e.view.follow >= 0);
    this.simulateButton.hidden = !data.episodes.some((e) => e.model);
    this.recolour();
    this.drawHead();
    this.describe();
    this.draw();
  }

  private entry(episode: Episode, shown: boolean): Shown {
    const returns = new Float64Array(episode.frames);
    for (let t = 1; t < episode.frames; t++) returns[t] = returns[t - 1]! + (episode.reward?.[t - 1] ?? 0);
    return {
      episode,
      colour: [0, 0, 0],
      shown,
      path: followed(episode),
      returns,
      scene: null,
      readout: el('span.figures'),
    };
  }

  private async build(): Promise<void> {
    const built = this.built;
    if (this.list.every((s) => s.scene)) return;
    try {
      if (!this.three) {
        this.three = await import('./scene');
        this.stopRestoring = this.three.onRestored(this.draw);
      }
    } catch (e) {
      this.say(`The playback could not be loaded (${(e as Error).message}); reload the page to try again.`);
      return;
    }
    if (built !== this.built) return;
    try {
      for (const s of this.list) s.scene ??= new this.three.EpisodeScene(s.episode);
      this.paint();
      this.dom.dataset.ready = 'yes';
    } catch (e) {
      this.say(`The rollout cannot be drawn: ${(e as Error).message}`);
    }
  }

  private say(problem: string): void {
    this.message.textContent = problem;
  }

  // — what is seen —

  private get dark(): boolean {
    return document.documentElement.dataset.theme === 'dark';
  }

  /** The least time between two frames, which is a step of the time line. */
  private get interval(): number {
    return Math.min(...this.list.map((s) => s.episode.interval));
  }

  private get duration(): number {
    return Math.max(...this.list.map((s) => (s.episode.frames - 1) * s.episode.interval));
  }

  private recolour(): void {
    const colours = taskColours(
      this.list.map(() => null),
      this.dark,
    );
    this.list.forEach((s, i) => {
      s.colour = colours[i]!;
    });
  }

  /** Parts of the canvas, in its pixels, for as many episodes and those left over: in as many columns as make them least unlike a
   *  picture of 4 to 3. */
  private cells(count: number, width: number, height: number): [number, number, number, number][] {
    let columns = 1;
    const unlike = (c: number) => Math.abs(Math.log(((width / c / (height / Math.ceil(count / c))) * 3) / 4));
    for (let c = 2; c <= count; c++) if (unlike(c) < unlike(columns)) columns = c;
    const rows = Math.ceil(count / columns);
    const gap = Math.round(width / this.viewport.clientWidth);
    const x = (i: number) => Math.round(((i % columns) * (width + gap)) / columns),
      y = (i: number) => Math.round((Math.floor(i / columns) * (height + gap)) / rows);
    return Array.from({ length: columns * rows }, (_, i) => [
      x(i),
      y(i),
      Math.round((width + gap) / columns) - gap,
      Math.round((height + gap) / rows) - gap,
    ]);
  }

  private paint(): void {
    this.track.draw(this.list, this.seconds, this.duration);
    this.drawReadouts();
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.round(this.viewport.clientWidth * ratio),
      height = Math.round(this.viewport.clientHeight * ratio);
    if (!this.inSight || !width || !this.list.some((s) => s.scene)) return;
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    const context = this.canvas.getContext('2d')!;
    const style = getComputedStyle(this.viewport);
    const paper = style.getPropertyValue('--paper').trim();
    context.fillStyle = style.getPropertyValue('--line');
    context.fillRect(0, 0, width, height);
    const shown = this.list.filter((s) => s.shown && s.scene);
    this.cells(shown.length, width, height).forEach(([x, y, w, h], i) => {
      const s = shown[i];
      if (!s) {
        context.fillStyle = paper;
        return context.fillRect(x, y, w, h);
      }
      const frame = this.seconds / s.episode.interval;
      const [dx, dy] = this.shift(s, frame);
      s.scene!.pose(frame, this.playing && !still.matches);
      s.scene!.draw(context, x, y, w, h, eyeOf(s.episode, this.change, dx, dy), { paper, dark: this.dark });
    });
    this.placeNames(shown, ratio);
  }

  /** How far the camera has gone with what it follows. */
  private shift(s: Shown, frame: number): [number, number] {
    if (!this.following) return [0, 0];
    const at = Math.min(s.episode.frames - 1, frame),
      low = Math.floor(at),
      high = Math.min(s.episode.frames - 1, low + 1),
      f = at - low;
    return [0, 1].map((k) => s.path[2 * low + k]! * (1 - f) + s.path[2 * high + k]! * f) as [number, number];
  }

  private placeNames(shown: Shown[], ratio: number): void {
    const several = this.list.length > 1;
    const cells = several ? this.cells(shown.length, this.canvas.width, this.canvas.height).slice(0, shown.length) : [];
    this.names.replaceChildren(
      ...cells.map(([x, y], i) => {
        const s = shown[i]!;
        return el(
          'span',
          { style: `left:${x / ratio + 10}px;top:${y / ratio + 7}px` },
          el('i', { style: `background:${css(s.colour)}` }),
          this.labelOf(s),
        );
      }),
    );
  }

  // — what is said —

  private labelOf(s: Shown): string {
    return s.episode.label || `episode ${this.list.indexOf(s) + 1}`;
  }

  private drawHead(): void {
    const { episodes, title } = this.data;
    const one = episodes.length === 1 ? episodes[0]!.label : `${episodes.length} episodes`;
    this.head.replaceChildren(
      el('span.title', {}, title || episodes[0]!.name),
      el('span.count', {}, one),
      el('span.space'),
      this.simulateButton,
      el(
        'span.tools',
        {},
        this.followButton,
        iconButton('home', 'Camera back to where it was', () => this.home(), '0'),
        iconButton('save', 'Save as PNG', () => this.savePng()),
      ),
    );
  }

  private describe(): void {
    const several = this.list.length > 1;
    this.values.replaceChildren(
      ...this.list.map((s) => {
        const name = [el('i', { style: `background:${css(s.colour)}` }), several ? this.labelOf(s) : 'reward'];
        if (!several) return el('span.one', {}, s.readout);
        return el(
          'button',
          {
            type: 'button',
            'aria-pressed': String(s.shown),
            title: 'Show or hide; double click for this one only',
            click: () => this.choose(s, !s.shown),
            dblclick: () => {
              for (const o of this.list) o.shown = o === s;
              this.describe();
              this.draw();
              this.brush();
            },
          },
          ...name,
          s.readout,
        );
      }),
    );
    this.followButton.setAttribute('aria-pressed', String(this.following));
    const said = this.list
      .map(
        (s) =>
          `${this.labelOf(s)}: ${s.episode.frames - 1} steps${s.episode.reward ? `, return ${format(s.returns.at(-1))}` : ''}${s.episode.success >= 0 ? ', success' : ''}`,
      )
      .join('; ');
    this.viewport.setAttribute(
      'aria-label',
      `${this.data.title || 'Rollout'}. ${said}. Space plays, left and right arrows step, Shift and arrows turn the camera, plus and minus zoom, F follows, 0 resets the camera.`,
    );
    this.drawReadouts();
  }

  private choose(s: Shown, shown: boolean): void {
    s.shown = shown;
    if (!this.list.some((o) => o.shown)) s.shown = true;
    this.describe();
    this.draw();
    this.brush();
  }

  private drawReadouts(): void {
    const { frame } = this;
    const steps = Math.round(this.duration / this.interval);
    this.track.input.max = String(steps);
    this.clock.textContent = `${frame} / ${steps}`;
    this.clock.title = `${this.seconds.toFixed(2)} s of ${this.duration.toFixed(2)} s`;
    this.track.input.value = String(frame);
    this.track.input.setAttribute('aria-label', 'Step');
    this.track.input.setAttribute('aria-valuetext', `step ${frame} of ${steps}`);
    for (const s of this.list) {
      const t = this.frameOf(s);
      const parts: (string | Node)[] = [];
      if (s.episode.reward) {
        parts.push(
          el(
            'span',
            { title: 'Reward of the last step' },
            'reward ',
            el('b', {}, t > 0 ? format(s.episode.reward[t - 1]) : '–'),
          ),
        );
        parts.push(
          el(
            'span',
            { title: 'Sum of the rewards so far, of the whole episode' },
            'return ',
            el('b', {}, format(s.returns[t])),
            ` of ${format(s.returns.at(-1))}`,
          ),
        );
      }
      if (s.episode.success >= 0)
        parts.push(
          el(
            'span.success',
            { 'data-reached': String(t > s.episode.success) },
            t > s.episode.success ? 'success' : `success at ${s.episode.success + 1}`,
          ),
        );
      if (s.episode === this.live?.episode) parts.push(this.live.about);
      s.readout.replaceChildren(...parts);
    }
  }

  private frameOf(s: Shown): number {
    return Math.min(s.episode.frames - 1, Math.round(this.seconds / s.episode.interval));
  }

  // — what the user does —

  /** The step that is shown: a number of frames since the start. */
  get frame(): number {
    return Math.round(this.seconds / this.interval);
  }

  /** Where a solid of an episode is drawn now: x, y, z and the quaternion w, x, y, z. */
  drawn(episode: number, solid: number): number[] {
    return this.list[episode]!.scene!.drawn(solid);
  }

  seek(frame: number): void {
    this.seconds = Math.min(this.duration, Math.max(0, frame * this.interval));
    this.draw();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.playing) return;
    if (this.seconds >= this.duration - 1e-9 && (!this.live || this.live.ended)) this.seconds = 0;
    this.playing = true;
    this.last = 0;
    this.drawPlaying();
    this.tick = requestAnimationFrame(this.advance);
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.tick);
    this.seconds = this.frame * this.interval;
    this.drawPlaying();
    this.draw();
  }

  private readonly advance = (now: number): void => {
    if (!this.playing) return;
    // After a pause of the browser's the playback goes on from where it was.
    if (this.last) this.seconds += Math.min(0.25, (now - this.last) / 1000) * this.speed;
    this.last = now;
    const ahead = this.live && !this.live.ended;
    if (ahead) this.live!.want((this.seconds + 0.6 + 0.4 * this.speed) / this.live!.episode.interval);
    if (this.seconds >= this.duration) {
      this.seconds = this.duration;
      if (!ahead) return this.pause();
    }
    this.paint();
    this.tick = requestAnimationFrame(this.advance);
  };

  /** Goes on from the step that is shown: of the first episode in view that has a model. */
  simulate(): void {
    const from = this.list.find((s) => s.shown && s.episode.model) ?? this.list.find((s) => s.episode.model);
    if (!from) return;
    const old = this.live;
    old?.dispose();
    this.say('');
    try {
      this.live = new Live(
        from.episode,
        this.frameOf(from),
        () => this.grow(),
        (problem) => {
          this.pause();
          this.say(problem);
        },
      );
    } catch (e) {
      return this.say((e as Error).message);
    }
    this.list.filter((s) => s.episode === old?.episode).forEach((s) => s.scene?.dispose());
    this.list = this.list.filter((s) => s.episode !== old?.episode);
    this.list.push(this.entry(this.live.episode, true));
    this.recolour();
    this.describe();
    void this.build();
    this.play();
  }

  /** There are more frames of the simulated episode. */
  private grow(): void {
    const entry = this.list.find((s) => s.episode === this.live?.episode);
    if (!entry) return;
    entry.path = followed(entry.episode);
    if (this.live!.ended) announce('The simulation has ended');
    this.draw();
  }

  /** Where MuJoCo's worker and program are, for tests. */
  get mujoco(): { worker: string; wasm: string } {
    return mujoco();
  }

  private drawPlaying(): void {
    const [icon, label] = this.playing ? ['pause', 'Pause'] : ['run', 'Play'];
    this.playButton.replaceChildren(svgIcon(icon!));
    this.playButton.setAttribute('aria-label', label!);
    this.playButton.title = `${label} (Space)`;
  }

  private setSpeed(speed: number): void {
    this.speed = speed;
    this.speedMenu.value = String(speed);
  }

  private faster(by: 1 | -1): void {
    this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.speed) + by))]!);
    announce(`Speed ${this.speed}`);
  }

  private follow(on: boolean): void {
    this.following = on;
    this.followButton.setAttribute('aria-pressed', String(on));
    this.draw();
  }

  private home(): void {
    this.change = unchanged();
    this.follow(true);
  }

  private move(change: Change): void {
    this.change = change;
    this.draw();
  }

  private listen(): void {
    this.track.input.addEventListener('input', () => {
      this.pause();
      this.seek(Number(this.track.input.value));
    });
    const pointers = new Map<number, PointerEvent>();
    const { viewport } = this;
    viewport.addEventListener('pointerdown', (event) => {
      if (event.button === 1) return;
      viewport.setPointerCapture(event.pointerId);
      viewport.focus({ preventScroll: true });
      pointers.set(event.pointerId, event);
      viewport.dataset.held = 'yes';
    });
    viewport.addEventListener('contextmenu', (event) => event.preventDefault());
    viewport.addEventListener('pointermove', (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      pointers.set(event.pointerId, event);
      const dx = event.clientX - before.clientX,
        dy = event.clientY - before.clientY,
        first = this.list[0]!.episode,
        h = viewport.clientHeight;
      if (pointers.size === 2) {
        const other = [...pointers.values()].find((p) => p.pointerId !== event.pointerId)!;
        const apart = (p: PointerEvent) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
        this.move(panned(zoomed(this.change, apart(before) / apart(event)), first, dx / 2 / h, dy / 2 / h));
      } else if (event.buttons & 2 || event.shiftKey) this.move(panned(this.change, first, dx / h, dy / h));
      else this.move(turned(this.change, first, dx, dy));
    });
    for (const end of ['pointerup', 'pointercancel'] as const) {
      viewport.addEventListener(end, (event) => {
        pointers.delete(event.pointerId);
        if (!pointers.size) delete viewport.dataset.held;
      });
    }
    viewport.addEventListener('dblclick', () => this.home());
    viewport.addEventListener(
      'wheel',
      (event) => {
        // Scrolling the page over a rollout must stay possible: it takes the wheel once it has the focus.
        if (document.activeElement !== viewport && !event.ctrlKey) return;
        event.preventDefault();
        this.move(zoomed(this.change, Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0016))));
      },
      { passive: false },
    );
    this.dom.addEventListener('keydown', (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.speedMenu) return;
    const onButton = event.target instanceof HTMLButtonElement;
    const first = this.list[0]!.episode;
    const step = (n: number) => {
      this.pause();
      this.seek(this.frame + n);
    };
    const keys: Record<string, () => void> = {
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      PageDown: () => step(10),
      PageUp: () => step(-10),
      Home: () => step(-Infinity),
      End: () => step(Infinity),
      '+': () => this.move(zoomed(this.change, 0.85)),
      '=': () => this.move(zoomed(this.change, 0.85)),
      '-': () => this.move(zoomed(this.change, 1 / 0.85)),
      '0': () => this.home(),
      f: () => this.follow(!this.following),
      '[': () => this.faster(-1),
      ']': () => this.faster(1),
      ...(onButton ? {} : { ' ': () => this.toggle() }),
    };
    const turns: Record<string, [number, number]> = {
      ArrowLeft: [-30, 0],
      ArrowRight: [30, 0],
      ArrowUp: [0, -20],
      ArrowDown: [0, 20],
    };
    const turn = event.shiftKey ? turns[event.key] : undefined;
    const act = turn ? () => this.move(turned(this.change, first, ...turn)) : keys[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  private savePng(): void {
    this.paint();
    this.canvas.toBlob((blob) => {
      if (blob)
        download(`${(this.data.title || 'rollout').replace(/[^\w.-]+/g, '-')}-${this.frame}.png`, 'image/png', blob);
    });
  }
}
