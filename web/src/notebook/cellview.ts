// One cell on the page: prompt, source, outputs.

import { el, iconButton, paced, perFrame } from '../dom';
import { unitsOfGoPosition } from '../model/positions';
import { headingLevel } from '../model/headings';
import { foreignKind, type Output } from '../model/nbformat';
import type { Cell, OutputChange } from '../model/notebook';
import { slideType } from '../model/slides';
import { type Rendered, renderOutput } from '../output/render';
import { attempt, bounded, problemNote } from '../output/boundary';
import { settleSoon } from '../output/formulas';
import { cutLines, cutNodes } from '../output/ansi';
import { renderMarkdown } from '../output/markdown';
import type { Problem } from '../protocol/kernel';
import { type DragHost, draggable } from './drag';
import { CellEditor, type Marks } from './editor';
import type { WritingHost } from './writing';

/** What a cell's view asks of the notebook. */
export interface CellHost extends DragHost {
  /** What helps to write this cell, below those above it. */
  writing(cell: Cell): WritingHost;
  folder: string;
  lineNumbers: boolean;
  select(view: CellView, event: MouseEvent | null): void;
  focused(view: CellView): void;
  /** The focus came into the cell's outputs. */
  entered(view: CellView): void;
  leave(view: CellView, direction: -1 | 1): boolean;
  escape(): void;
  edit(view: CellView): void;
  goTo(view: CellView, cell: string, line: number, column: number): void;
  command(id: string, view: CellView): void;
  toggleFold(view: CellView): void;
  /** Goes to where the name at the view's cursor is defined. */
  define(view: CellView): void;
  /** Takes back, or makes again, the last change of several cells if this cell's text is as that left it. */
  step(view: CellView, way: 'undo' | 'redo'): boolean;
  /** Gives a control in the cell's outputs a value; says what is wrong, '' for nothing. */
  move(view: CellView, id: string, value: unknown): Promise<string>;
}

const near =
  typeof IntersectionObserver === 'undefined'
    ? null
    : new IntersectionObserver(
        (entries) => {
          for (const entry of entries) if (entry.isIntersecting) (entry.target as CellDom).cellView?.ensureEditor();
        },
        { rootMargin: '600px 0px' },
      );

const outputsAtOnce = 1000;

/** What is drawn however much stands above it: an error, and what says that something is missing. */
const always = (o: Output) =>
  o.output_type === 'error' || (o.output_type === 'stream' && o.text.includes('[output left out:'));

/** An element that stands for a cell. */
export type CellDom = Element & { cellView?: CellView };

export class CellView {
  readonly dom = el('section.cell', { role: 'group', tabindex: -1 });
  editor: CellEditor | null = null;
  rendered = false;
  private problems: readonly Problem[] = [];
  private readonly gutter = el('div.gutter');
  private readonly prompt = el('span.prompt');
  private readonly timing = el('span.timing');
  private readonly staleMark = el(
    'button.stale',
    { type: 'button', hidden: true, tabindex: -1, click: () => this.host.command('cell.run', this) },
    'stale',
  );
  private readonly slideMark = el('span.slide-type', { hidden: true });
  private readonly reactiveMark = el(
    'span.reactive',
    { hidden: true, title: 'Runs by itself when what it reads changes (Shift+U)' },
    'auto',
  );
  private readonly source = el('div.source');
  private readonly prose = el('div.prose');
  private readonly outputs = el('div.outputs');
  private readonly outputsFold = el('button.fold-outputs', {
    type: 'button',
    'aria-label': 'Fold or unfold the outputs',
    title: 'Fold or unfold the outputs (O)',
  });
  private readonly foldedNote = el('button.folded-note', { type: 'button', hidden: true });
  private readonly sourceNote = el('button.folded-note', { type: 'button', hidden: true });
  private shown: Rendered[] = [];
  /** How many outputs are drawn: with tens of thousands a browser stands still for minutes. */
  private most = outputsAtOnce;
  private readonly more = el('button.folded-note', {
    type: 'button',
    hidden: true,
    click: () => {
      this.most += outputsAtOnce;
      this.applyOutputs();
    },
  });
  private pending: OutputChange[] = [];
  private readonly flush = perFrame(() => this.applyOutputs());
  /** While the cell runs, what it shows leaves time for the rest of the page. */
  private readonly flushPaced = paced(() => this.applyOutputs());
  private proseOf = '';
  private tools: HTMLElement | null = null;

  constructor(
    readonly cell: Cell,
    private readonly host: CellHost,
  ) {
    const foreign = foreignKind(cell.file);
    this.gutter.append(this.prompt, this.timing, this.staleMark, this.reactiveMark, this.slideMark);
    const main = el(
      'div.main',
      {},
      foreign ? el('p.note', {}, `The file has ${foreign} here. It keeps it; its text is shown.`) : null,
      this.source,
      this.sourceNote,
      this.prose,
      el('div.output-area', {}, this.outputsFold, this.outputs, this.more),
      this.foldedNote,
    );
    this.dom.append(this.gutter, main);
    (this.dom as CellDom).cellView = this;
    this.dom.dataset.id = cell.id;
    this.listen();
    for (const part of [
      () => this.showSource(),
      () => {
        if (cell.type === 'markdown' && cell.source.trim()) this.render();
      },
      () => this.applyOutputs([{ kind: 'reset' }]),
      () => this.refresh(),
    ]) {
      // One part that fails, by whatever the file holds, takes neither the others nor the other cells with it.
      try {
        part();
      } catch (e) {
        main.append(el('p.note', { role: 'alert' }, problemNote('A part of this cell', e)));
      }
    }
    near?.observe(this.dom);
  }

  dispose(): void {
    near?.unobserve(this.dom);
    this.shown.forEach((r) => attempt(() => r.dispose?.()));
    this.editor?.view.destroy();
  }

  /** Builds the editor; until then the source only stands there, which is what makes long notebooks open at once. */
  ensureEditor(): CellEditor {
    if (this.editor) return this.editor;
    this.source.replaceChildren();
    this.editor = new CellEditor(this.source, this.cell.source, this.cell.type, this.label(), this.host.lineNumbers, {
      onText: (text) => this.cell.setSource(text, 'editor'),
      onFocus: () => this.host.focused(this),
      onLeave: (d) => this.host.leave(this, d),
      onEscape: () => this.host.escape(),
      onDefine: () => this.host.define(this),
      onStep: (way) => this.host.step(this, way),
      ...this.host.writing(this.cell),
    });
    this.editor.setProblems(this.problems);
    return this.editor;
  }

  /** Shows markdown as text; other cells stay as they are. */
  render(): void {
    if (this.cell.type !== 'markdown') return;
    const key = this.cell.source + '\0' + this.host.folder;
    if (key !== this.proseOf) {
      this.proseOf = key;
      this.prose.replaceChildren(
        this.cell.source.trim()
          ? bounded('This text', this.cell.source, () =>
              cutNodes(renderMarkdown(this.cell.source, this.host.folder, this.cell.attachments)),
            )
          : el('p.note', {}, 'An empty text cell: press Enter to write.'),
      );
      this.addFold();
    }
    this.rendered = true;
    this.dom.classList.add('rendered');
  }

  unrender(): void {
    this.rendered = false;
    this.dom.classList.remove('rendered');
    this.ensureEditor();
  }

  /** Underlines what is wrong with the source, and tells screen readers how much. */
  setProblems(problems: readonly Problem[]): void {
    if (!problems.length && !this.problems.length) return;
    this.problems = problems;
    this.editor?.setProblems(problems);
    this.dom.setAttribute('aria-label', this.label());
  }

  setMarks(marks: Marks): void {
    if (!marks.length && !this.editor) return;
    this.ensureEditor().setMarks(marks);
  }

  /** Whether a part of the outputs has a box of its own, to be scrolled in. */
  get boxed(): boolean {
    const { scrolled } = this.cell.metadata;
    return scrolled === true || (scrolled !== false && this.outputs.querySelector('pre.long') !== null);
  }

  /** Brings type, prompt, state and folding of the page in line with the cell. */
  refresh(): void {
    const { cell } = this;
    this.dom.dataset.type = cell.type;
    this.dom.dataset.state = cell.state;
    this.dom.dataset.ok = String(cell.ok ?? '');
    this.dom.setAttribute('aria-label', this.label());
    this.editor?.setType(cell.type);
    if (cell.type !== 'markdown' && this.rendered) {
      this.rendered = false;
      this.dom.classList.remove('rendered');
    }
    if (!this.editor && this.source.dataset.type !== cell.type) this.showSource();
    const edited = cell.ranSource !== null && cell.ranSource !== cell.source;
    this.prompt.textContent =
      cell.type !== 'code'
        ? ''
        : cell.state === 'queued'
          ? '·'
          : cell.state === 'running'
            ? ''
            : cell.count === null
              ? ''
              : String(cell.count);
    this.prompt.classList.toggle('edited', edited && cell.state === 'idle');
    this.prompt.title =
      cell.type !== 'code'
        ? ''
        : cell.state === 'queued'
          ? 'Waiting to run'
          : cell.state === 'running'
            ? 'Running'
            : edited
              ? 'Edited since it ran'
              : cell.count === null
                ? 'Not run yet'
                : `Ran as number ${cell.count}${cell.timing.engine ? ` on ${cell.timing.engine}` : ''}`;
    const stale = cell.type === 'code' && cell.state === 'idle' ? cell.stale : '';
    this.dom.classList.toggle('is-stale', stale !== '');
    this.staleMark.hidden = !stale;
    this.staleMark.title = `${stale}. Click to run it again; U runs all that is stale`;
    this.staleMark.setAttribute('aria-label', `Stale. ${stale}. Run it again`);
    this.reactiveMark.hidden = cell.type !== 'code' || !cell.reactive;
    const slide = slideType(cell);
    this.slideMark.hidden = !slide || slide === '-';
    this.slideMark.textContent = slide;
    this.slideMark.title = 'Its place among slides';
    this.tick();
    const folded = cell.metadata.collapsed === true && cell.outputs.length > 0;
    this.dom.classList.toggle('outputs-folded', folded);
    this.outputsFold.setAttribute('aria-expanded', String(!folded));
    this.outputsFold.hidden = cell.type !== 'code' || !cell.outputs.length;
    const sourceHidden = cell.metadata.jupyter?.source_hidden === true;
    this.dom.classList.toggle('source-folded', sourceHidden);
    this.sourceNote.hidden = !sourceHidden;
    if (sourceHidden) this.sourceNote.textContent = `${cell.source.split('\n').find((l) => l.trim()) ?? 'source'} …`;
    this.dom.classList.toggle('scrolled', cell.metadata.scrolled === true);
    this.dom.classList.toggle('whole', cell.metadata.scrolled === false);
  }

  /** Shows the time: running while the cell runs. */
  tick(): void {
    const { cell } = this;
    const ms = cell.state === 'running' ? cell.runningMs : cell.state === 'idle' ? cell.tookMs : -1;
    this.timing.textContent = cell.type === 'code' && ms >= 0 ? duration(ms) : '';
  }

  /** Marks the cell as the head of a folded section of so many cells; 0 unfolded. */
  setFolded(count: number): void {
    this.dom.classList.toggle('folded', count > 0);
    this.foldedNote.hidden = count === 0;
    this.foldedNote.textContent = count === 1 ? '1 cell folded' : `${count} cells folded`;
    this.prose.querySelector('.fold')?.setAttribute('aria-expanded', String(count === 0));
  }

  /** Asks the user for a line on behalf of the kernel. */
  askInput(prompt: string, password: boolean, answer: (value: string) => void): HTMLElement {
    const input = el('input', {
      type: password ? 'password' : 'text',
      autocomplete: 'off',
      'aria-label': prompt || 'Input for the cell',
    });
    const box = el(
      'form.stdin',
      {
        submit: (e: Event) => {
          e.preventDefault();
          box.remove();
          this.cell.addOutput({
            output_type: 'stream',
            name: 'stdout',
            text: `${prompt}${password ? '••••••••' : input.value}\n`,
          });
          answer(input.value);
        },
      },
      el('label', {}, prompt, input),
    );
    box.addEventListener('keydown', (e) => e.stopPropagation());
    this.outputs.after(box);
    input.focus();
    return box;
  }

  goToPlace(line: number, column: number): void {
    this.ensureEditor().goTo(unitsOfGoPosition(this.cell.source, line, column));
  }

  private label(): string {
    const { cell } = this;
    const what = cell.type === 'code' ? 'Code cell' : cell.type === 'markdown' ? 'Text cell' : 'Raw cell';
    const state =
      cell.state === 'running'
        ? ', running'
        : cell.state === 'queued'
          ? ', waiting to run'
          : cell.count !== null && cell.type === 'code'
            ? `, run as ${cell.count}${cell.ok === false ? ', failed' : ''}${cell.stale ? `, stale: ${cell.stale}` : ''}${cell.reactive ? ', runs by itself' : ''}`
            : '';
    const n = this.problems.length;
    return what + state + (n ? `, ${n} ${n === 1 ? 'problem' : 'problems'}` : '');
  }

  /** The buttons beside a cell are made when the pointer or the focus first comes: a long notebook has many cells. */
  private showTools(): void {
    if (this.tools) return;
    this.tools = el(
      'div.cell-tools',
      { role: 'toolbar', 'aria-label': 'Cell' },
      this.tool('run', 'Run this cell', 'cell.run', 'Ctrl+Enter'),
      this.tool('up', 'Move up', 'cell.moveUp', 'Alt+Shift+↑'),
      this.tool('down', 'Move down', 'cell.moveDown', 'Alt+Shift+↓'),
      this.tool('plus', 'Insert a cell below', 'cell.insertBelow', 'B'),
      this.tool('trash', 'Delete', 'cell.delete', 'D, D'),
    );
    this.dom.append(this.tools);
  }

  private tool(icon: string, label: string, command: string, keys: string): HTMLButtonElement {
    const button = iconButton(icon, label, () => this.host.command(command, this), keys);
    button.tabIndex = -1;
    return button;
  }

  private listen(): void {
    const { cell } = this;
    this.dom.addEventListener('mousedown', (event) => {
      const target = event.target as HTMLElement;
      if (target.closest('.source') && !this.editor) this.ensureEditor();
      if (target.closest('.cell-tools, button, a, input, select, .viewport, .u-over')) return;
      if (!target.closest('.source')) this.host.select(this, event);
      else if (event.shiftKey && this.editor && !this.editor.view.hasFocus) this.host.select(this, event);
    });
    this.dom.addEventListener('pointerenter', () => this.showTools());
    this.dom.addEventListener('focusin', () => this.showTools());
    // What is worked there is the current cell's: keys mean this one.
    this.outputs.addEventListener('focusin', () => this.host.entered(this));
    this.prose.addEventListener('dblclick', () => this.host.edit(this));
    this.outputsFold.addEventListener('click', () => this.host.command('cell.toggleOutputs', this));
    this.sourceNote.addEventListener('click', () => this.host.command('cell.toggleSource', this));
    this.foldedNote.addEventListener('click', () => this.host.toggleFold(this));
    draggable(this.gutter, cell, this.host);
    cell.changedSource.on((by) => {
      if (by === 'model') {
        if (this.editor) this.editor.setText(cell.source);
        else this.showSource();
        if (this.rendered) this.render();
      }
      this.refresh();
    });
    cell.changedOutputs.on((change) => {
      this.pending.push(change);
      if (cell.state === 'running') this.flushPaced();
      else this.flush();
    });
    cell.changed.on(() => {
      if (this.pending.length && cell.state !== 'running') this.flush();
      this.refresh();
    });
  }

  private showSource(): void {
    if (this.editor) return;
    this.source.dataset.type = this.cell.type;
    this.source.replaceChildren(el('pre.still', {}, cutLines(this.cell.source) || '\n'));
  }

  private addFold(): void {
    const heading = headingLevel(this.cell) && this.prose.querySelector('h1,h2,h3,h4,h5,h6');
    if (!heading) return;
    heading.prepend(
      el('button.fold', {
        type: 'button',
        'aria-label': 'Fold or unfold this section',
        'aria-expanded': 'true',
        click: () => this.host.toggleFold(this),
      }),
    );
  }

  private applyOutputs(changes = this.pending): void {
    this.pending = [];
    const { outputs } = this.cell;
    if (changes.some((c) => c.kind === 'reset')) {
      // The height stays until new output is there, so that the page does not jump while a cell redraws itself.
      this.outputs.style.minHeight =
        this.cell.state !== 'idle' && this.outputs.offsetHeight ? `${this.outputs.offsetHeight}px` : '';
      this.shown.forEach((r) => {
        attempt(() => r.dispose?.());
        r.dom.parentElement?.remove();
      });
      this.shown = [];
      this.most = outputsAtOnce;
      settleSoon();
      if (this.cell.state !== 'idle')
        setTimeout(() => {
          this.outputs.style.minHeight = '';
        }, 250);
    }
    const touched = new Set(changes.map((c) => ('index' in c ? c.index : -1)));
    outputs.forEach((output, i) => {
      const was = this.shown[i];
      if (was ? !touched.has(i) : i >= this.most && !always(output)) return;
      if (was?.update?.(output)) return;
      const next = renderOutput(output, {
        fresh: this.cell.fresh,
        folder: this.host.folder,
        goTo: (cell, line, column) => this.host.goTo(this, cell, line, column),
        move: (id, value) => this.host.move(this, id, value),
      });
      const box = el('div.output', { 'data-kind': output.output_type }, next.dom);
      if (was) {
        attempt(() => was.dispose?.());
        was.dom.closest('.output')!.replaceWith(box);
      } else {
        const after = i < this.shown.length ? this.shown.find((r, j) => r && j > i) : undefined;
        if (after) after.dom.closest('.output')!.before(box);
        else this.outputs.append(box);
      }
      this.shown[i] = next;
    });
    const left = outputs.length - this.most;
    this.more.hidden = left <= 0;
    this.more.textContent = `${left} more outputs: show ${Math.min(left, outputsAtOnce)} of them`;
    if (this.outputsFold.hidden !== (this.cell.type !== 'code' || !outputs.length)) this.refresh();
  }
}

/** 0.4 s, 12 s, 3 min 20 s */
export function duration(ms: number): string {
  if (ms < 995) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
  const s = Math.round(ms / 1000);
  const [h, m] = [Math.floor(s / 3600), Math.floor(s / 60) % 60];
  return h ? `${h} h ${m} min` : `${m} min ${s % 60} s`;
}
