// A run at its checkpoints: one control chooses which, and embedding, rollout and curves follow it. They share what is selected.

import { el } from '../../dom';
import { Brush } from '../brush';
import { CurvesView } from '../curves/view';
import { EmbeddingView } from '../embedding/view';
import { RolloutView } from '../rollout/view';
import type { Shown } from '../type';
import { decode } from './decode';

export class ScrubberView {
  readonly dom = el('figure.scrubber');
  private data;
  private readonly brush = new Brush();
  private readonly embedding: EmbeddingView;
  private rollout: RolloutView | null = null;
  private curves: CurvesView | null = null;
  private readonly input = el('input', {
    type: 'range',
    min: 0,
    step: 1,
    'aria-label': 'Checkpoint',
    input: () => this.go(Number(this.input.value)),
  });
  private readonly said = el('output');
  private readonly selection = el('span.count', { role: 'status' });
  private readonly clear = el(
    'button',
    {
      type: 'button',
      hidden: true,
      click: () => {
        this.brush.select(null, this);
        this.input.focus();
      },
    },
    'select none',
  );
  private at = -1;

  constructor(
    json: unknown,
    private readonly fail: Shown['fail'],
  ) {
    this.data = decode(json);
    this.embedding = new EmbeddingView(this.data.checkpoints[0]!.embedding, fail);
    this.embedding.share(this.brush);
    this.build();
    this.brush.changed.on(() => this.describe());
  }

  update(json: unknown): void {
    this.data = decode(json);
    this.drop();
    this.build();
  }

  dispose(): void {
    this.drop();
    this.embedding.dispose();
  }

  private drop(): void {
    this.rollout?.dispose();
    this.curves?.dispose();
    this.rollout = this.curves = null;
    this.at = -1;
  }

  private build(): void {
    const { data } = this;
    this.input.max = String(data.checkpoints.length - 1);
    const film = data.checkpoints.find((c) => c.rollout)?.rollout;
    // Where nothing can be drawn in three dimensions the rest is shown all the same.
    let note: HTMLElement | null = null;
    try {
      this.rollout = film ? new RolloutView(film, this.fail) : null;
    } catch (e) {
      note = el('p.note', {}, (e as Error).message);
    }
    this.curves = data.curves ? new CurvesView(data.curves, this.fail) : null;
    this.dom.replaceChildren(
      el('header', {}, el('span.title', {}, data.title || 'Checkpoints'), el('span.space'), this.selection, this.clear),
      el('div.control', {}, el('label', {}, 'checkpoint', this.input), this.said),
      el('div.parts', {}, this.embedding.dom, this.rollout?.dom ?? note, this.curves?.dom ?? null),
    );
    this.go(
      this.input.dataset.moved
        ? Math.min(Number(this.input.value), data.checkpoints.length - 1)
        : data.checkpoints.length - 1,
    );
    this.rollout?.share(this.brush);
    this.curves?.share(this.brush);
    this.describe();
  }

  /** Shows a checkpoint. */
  private go(index: number): void {
    const c = this.data.checkpoints[index]!;
    if (index === this.at) return;
    if (this.at >= 0) this.input.dataset.moved = 'yes';
    this.at = index;
    this.input.value = String(index);
    this.input.setAttribute('aria-valuetext', c.name);
    this.said.textContent = c.name;
    this.embedding.update(c.embedding);
    if (c.rollout) this.rollout?.update(c.rollout);
    this.curves?.mark(c.at);
    this.dom.dataset.at = c.name;
  }

  private describe(): void {
    const { selected } = this.brush;
    this.selection.textContent = selected ? `selected: ${[...selected].join(', ')}` : '';
    this.clear.hidden = !selected;
  }
}
