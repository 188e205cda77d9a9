// The line of time under a rollout: rewards step by step, and where the playback is. A range input lies over it, so that
// pointer, keys and screen readers find what they know.

import { el } from '../../dom';
import { css, type Rgb } from '../embedding/palette';
import type { Episode } from './decode';

const edge = 7; // half the width of the input's thumb

export class Track {
  readonly canvas = el('canvas', { 'aria-hidden': 'true' });
  readonly input = el('input', { type: 'range', min: 0, step: 1, value: 0 });
  readonly dom = el('div.track', {}, this.canvas, this.input);

  /** Draws the rewards of the episodes that are shown and marks a time in seconds of all of them. */
  draw(episodes: { episode: Episode; colour: Rgb; shown: boolean }[], seconds: number, duration: number): void {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.round(this.dom.clientWidth * ratio),
      height = Math.round(this.dom.clientHeight * ratio);
    if (!width) return;
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    const c = this.canvas.getContext('2d')!;
    const style = getComputedStyle(this.dom);
    const x = (t: number) => ratio * edge + (width - 2 * ratio * edge) * (duration > 0 ? t / duration : 0);
    c.clearRect(0, 0, width, height);
    const base = height - 2 * ratio;
    c.fillStyle = style.getPropertyValue('--line');
    c.fillRect(x(0), base, x(duration) - x(0), 2 * ratio);
    c.fillStyle = style.getPropertyValue('--accent');
    c.fillRect(x(0), base, x(seconds) - x(0), 2 * ratio);
    const shown = episodes.filter((e) => e.shown && e.episode.reward?.length);
    let low = Infinity,
      high = -Infinity;
    for (const { episode } of shown)
      for (const r of episode.reward!) {
        low = Math.min(low, r);
        high = Math.max(high, r);
      }
    const top = 3 * ratio,
      bottom = base - 4 * ratio;
    const y = (r: number) => (high > low ? bottom - ((bottom - top) * (r - low)) / (high - low) : (top + bottom) / 2);
    for (const { episode: e, colour } of shown) {
      c.beginPath();
      // The reward of step t is earned between frames t and t+1.
      e.reward!.forEach((r, t) => {
        c.lineTo(x((t + 0.5) * e.interval), y(r));
      });
      c.lineWidth = 1.25 * ratio;
      c.lineJoin = 'round';
      c.strokeStyle = css(colour);
      c.globalAlpha = 0.85;
      c.stroke();
      c.globalAlpha = 1;
    }
    c.fillStyle = style.getPropertyValue('--text');
    c.fillRect(Math.round(x(seconds) - 0.75 * ratio), 0, Math.ceil(1.5 * ratio), height);
  }
}
