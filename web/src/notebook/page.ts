// An open notebook.

import { fields } from '../model/json';
import { announce, download, el } from '../dom';
import { folderOf, nameOf, notebookUrl } from '../address';
import { cellsFromJson, cellsMime, cellsToJson, cellsToText } from '../model/clipboard';
import { exportGo, type PlainGo } from '../model/exportgo';
import { hiddenByFolding, headingLevel, sectionEnd } from '../model/headings';
import { Cell, type Notebook } from '../model/notebook';
import { type CellJson, newId, parseNotebook, toFile } from '../model/nbformat';
import { contents, type FileModel } from '../protocol/contents';
import type { KernelLink } from '../protocol/kernel';
import { moved } from '../output/control/decode';
import { ownTypes } from '../output/mime';
import { knownTypes, renderData } from '../output/render';
import { ask, askText, tell } from '../ui/dialog';
import type { NotebookActions, Side } from './actions';
import { Banners } from './banners';
import { type CellDom, type CellHost, CellView } from './cellview';
import { Checking } from './checking';
import { bound, command } from './commands';
import { dropZone } from './drag';
import { Execution } from './execution';
import { Header } from './header';
import { firstKeys, helpTable } from './help';
import { hasKey, KeySequence, keyName } from './keys';
import { Library } from './library';
import { Original } from './original';
import { Outline } from './outline';
import { openPalette } from './palette';
import { Saving } from './saving';
import { SearchBar } from './searchbar';
import { Staleness } from './staleness';
import { Selection } from './selection';
import { Variables } from './variables';
import type { WritingHost } from './writing';

export class NotebookPage implements NotebookActions, CellHost {
  readonly dom = el('div.page');
  readonly selection: Selection;
  readonly saving: Saving;
  readonly execution: Execution;
  readonly variables: Variables;
  readonly search: SearchBar;
  readonly staleness: Staleness;
  private readonly outline: Outline;
  private readonly library: Library;
  lineNumbers = localStorage.getItem('nacre.lineNumbers') === 'on';
  private readonly views = new Map<Cell, CellView>();
  private readonly list = el('main.notebook', { 'aria-label': 'Notebook' });
  /** Stands below the first cell of an empty notebook until one has run or there are more. */
  private hint: HTMLElement | null = null;
  private readonly pager = el('aside.pager', { 'aria-label': 'Documentation', hidden: true });
  private readonly header: Header;
  private readonly banners: Banners;
  private readonly original: Original;
  private readonly keys = new KeySequence();
  private readonly inputs = new Map<Cell, HTMLElement>();
  private clipboard: CellJson[] = [];
  private hiddenCells: boolean[] = [];

  constructor(
    public path: string,
    readonly notebook: Notebook,
    readonly link: KernelLink,
    model: FileModel,
  ) {
    this.selection = new Selection(notebook, (i) => this.hiddenCells[i] ?? false);
    this.saving = new Saving(
      notebook,
      path,
      model,
      () => this.execution.seq,
      () => this.original.leave(),
    );
    this.variables = new Variables(link);
    this.search = new SearchBar(this);
    this.outline = new Outline(this, () => this.toggleSide('outline'));
    this.library = new Library(this, () => this.toggleSide('library'));
    this.execution = new Execution(notebook, link, {
      askInput: (cell, prompt, password, answer) => {
        this.forgetInput(cell);
        this.inputs.set(cell, this.view(cell).askInput(prompt, password, answer));
      },
      forgetInput: (cell) => this.forgetInput(cell),
      showPage: (text) => this.showPager(text),
      insertBelow: (cell, source) => notebook.insert(notebook.index(cell) + 1, notebook.make('code', source)),
      finished: (cell) => {
        this.staleness.finished(cell);
        void this.variables.refresh();
      },
      refreshed: () => this.header.refresh(),
      missed: () => void this.catchUp(),
    });
    this.staleness = new Staleness(notebook, link, (cells) => {
      this.execution.run(cells);
      this.header.tick();
    });
    this.header = new Header(this);
    this.banners = new Banners(this, { reload: () => this.reload(), saveCopy: () => this.saveCopy() });
    this.original = new Original(this, this.banners, model.writable, (to) => this.moved(to));
    this.dom.append(
      this.header.dom,
      this.search.dom,
      this.banners.dom,
      this.list,
      this.pager,
      this.outline.dom,
      this.library.dom,
      this.variables.dom,
    );
    this.connect();
    new Checking(notebook, link, (cell, problems) => this.view(cell).setProblems(problems));
    if (this.unused && !notebook.cells[0]!.source.trim()) this.hint = firstKeys();
    dropZone(this.list, this, (dom) => (dom as CellDom).cellView?.cell);
    this.layout();
    this.selection.set(0, 'command');
  }

  get folder(): string {
    return folderOf(this.path);
  }
  get stem(): string {
    return nameOf(this.path).replace(/\.ipynb$/, '');
  }

  view(cell: Cell): CellView {
    let view = this.views.get(cell);
    if (!view) this.views.set(cell, (view = new CellView(cell, this)));
    return view;
  }

  /** Runs a command by name. */
  run(id: string): void {
    void this.banners.guarded(command(id).label, async () => {
      await command(id).run(this);
    });
  }

  focus(): void {
    const view = this.view(this.selection.cell);
    if (this.selection.mode === 'edit') {
      if (view.rendered) view.unrender();
      view.ensureEditor().view.focus();
    } else view.dom.focus({ preventScroll: true });
  }

  // — running —

  async runSelected(then: 'stay' | 'next' | 'insert'): Promise<void> {
    const {
      cells,
      range: [, last],
    } = this.selection;
    const sent = this.runCells(cells);
    const at =
      this.notebook.index(cells[cells.length - 1]!) >= 0 ? this.notebook.index(cells[cells.length - 1]!) : last;
    if (then === 'insert' || (then === 'next' && this.selection.neighbour(1, at) < 0)) {
      this.notebook.insert(at + 1, this.notebook.make('code'));
      this.selection.set(at + 1, 'edit');
    } else if (then === 'next') this.selection.set(this.selection.neighbour(1, at), 'command');
    else this.selection.set(at, 'command');
    await sent;
  }

  async runRange(from: number, to: number): Promise<void> {
    await this.runCells(this.notebook.cells.slice(from, to));
  }

  private async runCells(cells: Cell[]): Promise<void> {
    for (const c of cells) this.view(c).render();
    if (!cells.some((c) => c.type === 'code')) return;
    if (this.original.here) await this.original.leave();
    if (this.link.state === 'none') await this.link.start();
    if (!this.link.ready) {
      // The cells wait for a kernel that starts only now.
      const waiting = cells.filter((c) => c.type === 'code' && c.source.trim() && c.state === 'idle');
      waiting.forEach((c) => c.setState('queued'));
      try {
        await this.link.needed();
      } catch (e) {
        waiting.forEach((c) => c.setState('idle'));
        throw e;
      }
    }
    // The server keeps outputs by cell: it has to know the cells.
    if (this.saving.textDirty) void this.saving.save();
    this.execution.run(cells);
    this.layout();
    this.staleness.acted();
    this.header.tick();
  }

  /** Runs what is stale; without a kernel that is all that ran in one before. */
  async runStale(): Promise<void> {
    const alone = this.link.state === 'unneeded' || this.link.state === 'none';
    const cells = alone
      ? this.notebook.cells.filter((c) => c.type === 'code' && c.count !== null)
      : await this.staleness.cells();
    if (!cells.length) return announce('Nothing is stale');
    announce(`${cells.length} stale ${cells.length === 1 ? 'cell runs' : 'cells run'}`);
    await this.runCells(cells);
  }

  toggleReactive(): void {
    const on = !this.selection.cell.reactive;
    for (const c of this.selection.cells) if (c.type === 'code') c.setReactive(on);
    this.notebook.edited.emit();
    announce(on ? 'Runs by itself when what it reads changes' : 'Runs when told to');
  }

  /** Puts the focus on what can be operated in the cell's outputs; Escape comes back. */
  enterOutputs(): void {
    const takers = this.view(this.selection.cell).dom.querySelectorAll<HTMLElement>(
      '.outputs :is(input, select, textarea, button, a[href], [tabindex="0"]):not([disabled])',
    );
    const inside = [...takers].find((e) => e.offsetParent);
    if (inside) inside.focus();
    else announce('Nothing in the outputs takes keys');
  }

  /** Gives a control in a cell's outputs a value. */
  async move(view: CellView, id: string, value: unknown): Promise<string> {
    const problem = await this.link.move(id, value);
    if (problem === '') this.staleness.acted();
    if (problem !== null) return problem;
    // No kernel has it: the notebook keeps the value, which counts when the cell runs.
    const { mime } = ownTypes.control,
      { outputs } = view.cell;
    const at = outputs.findIndex((o) => 'data' in o && fields(o.data[mime]).id === id);
    const output = outputs[at];
    const data = output && 'data' in output && moved(output.data, value);
    if (data) view.cell.replaceOutput(at, { ...output, data });
    return 'Not connected to a kernel: run this cell, and the value counts.';
  }

  async interrupt(): Promise<void> {
    if (!this.execution.running.length && this.link.state !== 'busy') return;
    await this.link.interrupt();
    announce('Interrupted');
  }

  async restart(runAll: boolean, clear = false): Promise<void> {
    if (this.link.state === 'unneeded') await this.link.needed();
    else if (this.link.state !== 'dead' && this.link.state !== 'none') {
      const sure = await ask(
        'Restart the kernel?',
        ['Variables, functions and running cells of this kernel are lost. The notebook and its outputs stay.'],
        [
          { label: 'Cancel', value: false },
          { label: 'Restart', value: true, primary: true },
        ],
      );
      if (!sure) return;
      await this.link.restart();
    } else await this.link.restart();
    if (clear) this.clearAll();
    if (runAll) await this.runRange(0, this.notebook.cells.length);
  }

  async shutdown(): Promise<void> {
    await this.link.shutdown();
  }
  async reconnect(): Promise<void> {
    await this.link.reconnect();
  }

  clearAll(): void {
    const code = this.notebook.cells.filter((c) => c.type === 'code');
    this.notebook.transact(code, () =>
      code.forEach((c) => {
        c.setOutputs([], null);
        c.tookMs = -1;
      }),
    );
  }

  // — cells —

  copy(cut: boolean): void {
    const { cells } = this.selection;
    this.clipboard = structuredClone(cells.map((c) => c.toJson()));
    const json = cellsToJson(this.clipboard);
    // The system's clipboard is out of reach in some settings; cells still go from notebook to notebook in this tab.
    void navigator.clipboard
      ?.write([
        new ClipboardItem({
          'text/plain': new Blob([cellsToText(this.clipboard)], { type: 'text/plain' }),
          [`web ${cellsMime}`]: new Blob([json], { type: `web ${cellsMime}` }),
        }),
      ])
      .catch(() => undefined);
    try {
      localStorage.setItem('nacre.cells', json);
    } catch {
      /* too large to keep */
    }
    if (cut) this.deleteSelected();
    announce(`${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} ${cut ? 'cut' : 'copied'}`);
  }

  paste(where: 'above' | 'below'): void {
    const kept =
      cellsFromJson(localStorage.getItem('nacre.cells') ?? '') ?? this.clipboard.map((c) => ({ ...c, id: newId() }));
    if (!kept.length) return;
    const cells = kept.map((json) => new Cell(structuredClone(json)));
    const [a, b] = this.selection.range;
    const at = where === 'above' ? a : b + 1;
    this.notebook.insert(at, ...cells);
    this.selection.set(at + cells.length - 1, 'command');
  }

  deleteSelected(): void {
    const [a] = this.selection.range;
    this.notebook.remove(this.selection.cells);
    this.selection.set(Math.min(a, this.notebook.cells.length - 1), 'command');
  }

  undo(): void {
    if (!this.notebook.undo()) announce('Nothing to undo');
    this.selection.set(this.selection.index, 'command');
  }
  redo(): void {
    if (!this.notebook.redo()) announce('Nothing to redo');
    this.selection.set(this.selection.index, 'command');
  }

  split(): void {
    const { cell } = this.selection;
    const pieces = this.notebook.split(cell, this.view(cell).ensureEditor().cuts);
    this.selection.set(this.notebook.index(pieces[pieces.length - 1]!), 'edit');
    this.view(cell).ensureEditor().goTo(0);
  }

  merge(): void {
    const [a, b] = this.selection.range;
    const cells = this.notebook.cells.slice(a, a === b ? a + 2 : b + 1);
    if (cells.length < 2) return;
    const merged = this.notebook.merge(cells);
    if (merged.type === 'markdown') this.view(merged).unrender();
    this.selection.set(a, 'command');
  }

  toggleSource(): void {
    for (const c of this.selection.cells) {
      const hidden = c.metadata.jupyter?.source_hidden === true;
      c.setMetadata('jupyter', { ...c.metadata.jupyter, source_hidden: hidden ? undefined : true });
    }
    this.notebook.edited.emit();
  }

  fold(on: boolean): void {
    let index = this.selection.index;
    // Inside a section, folding folds the section.
    while (on && index > 0 && !headingLevel(this.notebook.cells[index]!)) index--;
    const cell = this.notebook.cells[index]!;
    if (!headingLevel(cell)) return;
    cell.setMetadata('heading_collapsed', on ? true : undefined);
    this.selection.set(index, 'command');
    this.showFolding();
    this.notebook.edited.emit();
  }

  toggleFold(view: CellView): void {
    this.selection.set(this.notebook.index(view.cell), 'command');
    this.fold(view.cell.metadata.heading_collapsed !== true);
  }

  /** Unfolds what hides a cell. */
  reveal(index: number): void {
    for (let i = 0; i < index; i++) {
      const c = this.notebook.cells[i]!;
      if (c.metadata.heading_collapsed && sectionEnd(this.notebook.cells, i) > index)
        c.setMetadata('heading_collapsed', undefined);
    }
    this.showFolding();
  }

  toggleLineNumbers(): void {
    this.lineNumbers = !this.lineNumbers;
    localStorage.setItem('nacre.lineNumbers', this.lineNumbers ? 'on' : 'off');
    for (const v of this.views.values()) v.editor?.setNumbers(this.lineNumbers);
  }

  scroll(direction: -1 | 1): void {
    scrollBy({
      top: direction * innerHeight * 0.8,
      behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
    });
  }

  toggleSide(which: Side): void {
    const panels = { outline: this.outline, library: this.library, variables: this.variables };
    for (const [name, panel] of Object.entries(panels)) {
      if (name !== which && !panel.dom.hidden) this.hideSide(name as Side);
    }
    if (which === 'variables') return this.variables.toggle();
    if (!panels[which].dom.hidden) return this.hideSide(which);
    panels[which].dom.hidden = false;
    panels[which].opened();
  }

  private hideSide(which: Side): void {
    if (which === 'variables') return this.variables.toggle();
    const { dom } = { outline: this.outline, library: this.library }[which];
    const inside = dom.contains(document.activeElement);
    dom.hidden = true;
    if (inside) this.focus();
  }

  goToCell(index: number): void {
    this.reveal(index);
    this.selection.set(index, 'command');
    this.view(this.selection.cell).dom.scrollIntoView({ block: 'start' });
  }

  goToRunning(): void {
    const { cells } = this.notebook;
    const at = cells.findIndex((c) => c.state === 'running');
    if (at >= 0) this.goToCell(at);
    else announce('No cell is running');
  }

  codeCell(): Cell {
    const { selection, notebook } = this;
    if (selection.cell.type !== 'code') notebook.insert(selection.index + 1, notebook.make('code'));
    selection.set(selection.index + Number(selection.cell.type !== 'code'), 'edit');
    return selection.cell;
  }

  palette(): void {
    openPalette(
      (id) => this.run(id),
      () => this.focus(),
    );
  }
  async help(): Promise<void> {
    await tell('Keys', helpTable());
  }

  // — files —

  async saveWithCheckpoint(): Promise<void> {
    if (await this.saving.save()) await contents.checkpoint(this.path);
  }

  async restoreCheckpoint(): Promise<void> {
    const [point] = await contents.checkpoints(this.path);
    if (!point) {
      await tell('No checkpoint', 'Saving with Ctrl+S makes one.');
      return;
    }
    const sure = await ask(
      'Go back to the checkpoint?',
      [
        `The notebook becomes what it was at ${new Date(point.last_modified).toLocaleString()}. This can be undone with Z until the page is closed.`,
      ],
      [
        { label: 'Cancel', value: false },
        { label: 'Go back', value: true, primary: true },
      ],
    );
    if (!sure) return;
    await contents.restore(this.path, point.id);
    await this.reload();
  }

  async rename(): Promise<void> {
    const name = await askText('Rename the notebook', 'Name', nameOf(this.path), 'Rename');
    if (!name || name === nameOf(this.path)) return;
    const to = [this.folder, name.endsWith('.ipynb') ? name : name + '.ipynb'].filter(Boolean).join('/');
    await this.moved((await contents.rename(this.path, to)).path);
  }

  /** The page is about another file from now on. */
  private async moved(to: string): Promise<void> {
    this.path = this.saving.path = to;
    history.replaceState(null, '', notebookUrl(to));
    this.header.refresh();
    await this.link.renamed(to);
  }

  async downloadNotebook(): Promise<void> {
    download(
      nameOf(this.path),
      'application/x-ipynb+json',
      JSON.stringify(toFile(this.notebook.toJson()), null, 1) + '\n',
    );
  }

  /** The notebook as a Go program; the kernel, where there is one, writes out how errors that cells leave out end it. */
  async asGo(): Promise<string> {
    const nb = this.notebook.toJson();
    if (this.link.state === 'none') await this.link.start();
    const cells = nb.cells.filter((c) => c.cell_type === 'code').map((c) => c.source);
    const plain = await this.link.control<PlainGo>('program_request', { cells });
    return exportGo(nb, this.stem, plain?.status === 'ok' ? plain : undefined);
  }

  /** Takes the file's state; what the page had can be brought back with one undo. */
  async reload(): Promise<void> {
    const model = await contents.get(this.path, 'notebook');
    const theirs = parseNotebook(model.content);
    this.notebook.transact(this.notebook.cells, (cells) => {
      const byId = new Map(cells.map((c) => [c.id, c]));
      return theirs.cells.map((json) => {
        const cell = byId.get(json.id);
        if (!cell) return new Cell(json);
        cell.type = json.cell_type;
        cell.metadata = json.metadata;
        cell.readTimes();
        cell.setSource(json.source);
        cell.setOutputs(json.outputs ?? [], json.execution_count ?? null);
        return cell;
      });
    });
    this.saving.adopt(model);
    this.banners.withdraw('saving');
  }

  // — what cells ask (CellHost) —

  select(view: CellView, event: MouseEvent | null): void {
    this.selection.set(this.notebook.index(view.cell), 'command', event?.shiftKey ?? false);
  }
  focused(view: CellView): void {
    const index = this.notebook.index(view.cell);
    if (this.selection.index !== index || this.selection.mode !== 'edit') this.selection.set(index, 'edit');
  }
  entered(view: CellView): void {
    const index = this.notebook.index(view.cell);
    if (this.selection.index !== index || this.selection.mode !== 'command') this.selection.set(index, 'command');
  }
  escape(): void {
    this.selection.set(this.selection.index, 'command');
  }
  edit(view: CellView): void {
    this.selection.set(this.notebook.index(view.cell), 'edit');
  }
  command(id: string, view: CellView): void {
    this.selection.set(this.notebook.index(view.cell), 'command');
    this.run(id === 'cell.run' ? 'run.stay' : id);
  }
  leave(view: CellView, direction: -1 | 1): boolean {
    const next = this.selection.neighbour(direction, this.notebook.index(view.cell));
    if (next < 0) return false;
    const cell = this.notebook.cells[next]!;
    this.selection.set(next, cell.type === 'markdown' && this.view(cell).rendered ? 'command' : 'edit');
    if (this.selection.mode === 'edit')
      this.view(cell)
        .ensureEditor()
        .goTo(direction > 0 ? 0 : cell.source.length);
    return true;
  }
  above(cell: Cell): string[] {
    return this.notebook.cells
      .slice(0, this.notebook.index(cell))
      .filter((c) => c.type === 'code' && !c.declared)
      .map((c) => c.source);
  }
  index(cell: Cell): number {
    return this.notebook.index(cell);
  }
  dragged(cell: Cell): Cell[] {
    const { cells } = this.selection;
    const i = this.notebook.index(cell);
    if (cells.includes(cell) && cells.length > 1) return cells;
    // A folded heading takes along what it hides.
    return this.notebook.cells.slice(i, cell.metadata.heading_collapsed ? sectionEnd(this.notebook.cells, i) : i + 1);
  }
  drop(cells: Cell[], at: number): void {
    this.notebook.moveTo(cells, at);
    const first = this.notebook.index(cells[0]!);
    this.selection.setRange(first, first + cells.length - 1);
  }
  writing(cell: Cell): WritingHost {
    return {
      complete: (code, cursor) => this.link.complete(code, cursor, this.above(cell)),
      signature: (code, cursor) => this.link.signature(code, cursor, this.above(cell)),
      inspect: async (code, cursor, detail) => {
        const data = await this.link.inspect(code, cursor, detail, this.above(cell));
        return data && knownTypes(data).length
          ? renderData(data, {}, { fresh: false, folder: this.folder, goTo: () => undefined }).dom
          : null;
      },
    };
  }
  goTo(view: CellView, where: string, line: number, column: number): void {
    const cell =
      where === ''
        ? view.cell
        : (this.notebook.find(where) ??
          this.notebook.cells.find((c) => c.type === 'code' && String(c.count) === where) ??
          view.cell);
    const index = this.notebook.index(cell);
    this.reveal(index);
    this.selection.set(index, 'edit');
    this.view(cell).goToPlace(line, column);
    this.focus();
  }

  // — keeping the page in step —

  private connect(): void {
    const { notebook, link, saving, selection } = this;
    notebook.restructured.on(() => this.layout());
    selection.changed.on(() => this.showSelection());
    saving.changed.on(() => this.header.refresh());
    link.stateChanged.on(() => this.header.refresh());
    link.reconnected.on(() => void this.catchUp());
    notebook.edited.on(() => this.showFoldingSoon());
    addEventListener('keydown', (e) => this.key(e, false), true);
    addEventListener('keydown', (e) => this.key(e, true));
    setInterval(() => {
      const running = notebook.cells.filter((c) => c.state === 'running');
      running.forEach((c) => this.view(c).tick());
      this.header.tick();
      this.outline.tick();
    }, 200);
  }

  private caughtUp: Promise<unknown> = Promise.resolve();

  /** Takes over what the server kept while this page could not hear it. */
  private catchUp(): Promise<unknown> {
    return (this.caughtUp = this.caughtUp.then(() =>
      this.banners.guarded('Catching up with the kernel', async () => {
        this.execution.hold();
        try {
          this.execution.resume(await contents.get(this.path, 'notebook'));
        } finally {
          this.execution.opened(null);
        }
      }),
    ));
  }

  /** A key comes twice: before what has the focus sees it, and late, after that. */
  private key(e: KeyboardEvent, late: boolean): void {
    if (e.isComposing || e.defaultPrevented || document.querySelector('dialog[open], .menu')) return;
    const target = e.target as HTMLElement;
    const editing = target.closest('.cm-editor') !== null;
    // An editor would take keys of commands for its own; plots and lists are asked first.
    if (editing === late) return;
    if (!editing && e.key === 'Escape' && target.closest('.outputs')) return this.view(this.selection.cell).dom.focus();
    if (!editing && hasKey(target, e)) return;
    const mode = editing ? 'edit' : 'command';
    for (const name of this.keys.candidates(keyName(e))) {
      const found = bound(name, mode);
      if (!found) continue;
      if (mode === 'command' && (name === 'Mod-C' || name === 'Mod-X') && String(getSelection()).length) return;
      e.preventDefault();
      e.stopPropagation();
      this.keys.used();
      this.run(found.id);
      return;
    }
  }

  /** Nothing has been made of the notebook yet, but perhaps a first cell written. */
  private get unused(): boolean {
    const { cells } = this.notebook;
    return cells.length === 1 && cells[0]!.count === null && !cells[0]!.outputs.length && cells[0]!.state === 'idle';
  }

  private layout(): void {
    if (!this.unused) this.hint = null;
    const wanted = [...this.notebook.cells.map((c) => this.view(c).dom), ...(this.hint ? [this.hint] : [])];
    const have = new Set(wanted);
    for (const child of [...this.list.children]) if (!have.has(child as HTMLElement)) child.remove();
    // Only what moved is touched: an editor or a frame that leaves the page loses its state.
    wanted.forEach((dom, i) => {
      if (this.list.children[i] !== dom) this.list.insertBefore(dom, this.list.children[i] ?? null);
    });
    this.showFolding();
  }

  private foldTimer = 0;
  private showFoldingSoon(): void {
    clearTimeout(this.foldTimer);
    this.foldTimer = window.setTimeout(() => this.showFolding(), 120);
  }

  private showFolding(): void {
    const { cells } = this.notebook;
    this.hiddenCells = hiddenByFolding(cells);
    cells.forEach((c, i) => {
      const view = this.view(c);
      view.dom.hidden = this.hiddenCells[i]!;
      view.setFolded(c.metadata.heading_collapsed ? sectionEnd(cells, i) - i - 1 : 0);
    });
  }

  private showSelection(): void {
    const [a, b] = this.selection.range;
    const { index, mode } = this.selection;
    this.notebook.cells.forEach((c, i) => {
      const { dom } = this.view(c);
      dom.classList.toggle('selected', i >= a && i <= b);
      dom.classList.toggle('current', i === index);
      dom.classList.toggle('editing', i === index && mode === 'edit');
      dom.tabIndex = i === index ? 0 : -1;
    });
    const view = this.view(this.selection.cell);
    const inSearch = this.search.dom.contains(document.activeElement);
    if (
      (!inSearch && !view.dom.contains(document.activeElement)) ||
      (mode === 'command' && document.activeElement?.closest('.cm-editor')) ||
      (mode === 'edit' && !document.activeElement?.closest('.cm-editor'))
    )
      this.focus();
    const box = view.dom.getBoundingClientRect();
    if (box.bottom < 80 || box.top > innerHeight - 40)
      view.dom.scrollIntoView({ block: box.height > innerHeight - 120 ? 'start' : 'nearest' });
  }

  private forgetInput(cell: Cell): void {
    this.inputs.get(cell)?.remove();
    this.inputs.delete(cell);
  }

  private showPager(text: string): void {
    this.pager.hidden = false;
    const close = el(
      'button',
      {
        type: 'button',
        click: () => {
          this.pager.hidden = true;
          this.focus();
        },
      },
      'Close',
    );
    this.pager.replaceChildren(
      close,
      renderData({ 'text/plain': text }, {}, { fresh: false, folder: '', goTo: () => undefined }).dom,
    );
  }

  private async saveCopy(): Promise<void> {
    const stamp = new Date().toISOString().slice(0, 19).replace(/[:T]/g, '-');
    const to = [this.folder, `${this.stem}-${stamp}.ipynb`].filter(Boolean).join('/');
    await contents.save(to, { type: 'notebook', format: 'json', content: toFile(this.notebook.toJson()) });
    this.saving.dropDraft();
    location.href = notebookUrl(to);
  }
}
