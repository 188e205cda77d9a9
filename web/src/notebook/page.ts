// An open notebook.

import { announce, el } from '../dom';
import { folderOf, nameOf, notebookUrl } from '../address';
import type { MimeBundle } from '../model/nbformat';
import type { Cell, Notebook } from '../model/notebook';
import { contents, type FileModel } from '../protocol/contents';
import type { KernelLink } from '../protocol/kernel';
import { reveal } from '../output/anchors';
import { settleSoon } from '../output/formulas';
import { renderData } from '../output/render';
import { tell } from '../ui/dialog';
import { Banners } from './banners';
import { CellsHost } from './cellhost';
import { type CellDom, CellView } from './cellview';
import { Checking } from './checking';
import { bound, command, type Page, type Side } from './commands';
import { dropZone } from './drag';
import { Execution } from './execution';
import { NotebookFile } from './file';
import { FileNotes, type Kernelspec } from './filenotes';
import { Folding } from './folding';
import { Following } from './following';
import { Header } from './header';
import { firstKeys, helpTable } from './help';
import { hasKey, KeySequence, keyName } from './keys';
import { Library } from './library';
import { sentences } from './loss';
import { Original } from './original';
import { Outline } from './outline';
import { openPalette } from './palette';
import { Running } from './running';
import { Saving } from './saving';
import { SearchBar } from './searchbar';
import { Staleness } from './staleness';
import { Selection } from './selection';
import { Variables } from './variables';
import { Watch } from './watch';

export class NotebookPage implements Page {
  readonly dom = el('div.page');
  readonly selection: Selection;
  readonly saving: Saving;
  readonly watch: Watch;
  readonly execution: Execution;
  readonly variables: Variables;
  readonly search: SearchBar;
  readonly staleness: Staleness;
  readonly original: Original;
  readonly folding = new Folding(this);
  private readonly following = new Following(this);
  readonly running = new Running(this);
  readonly file = new NotebookFile(
    this,
    (to) => this.moved(to),
    (model) => this.fileNotes.opened(model),
  );
  readonly fileNotes: FileNotes;
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
  private readonly keys = new KeySequence();
  private readonly inputs = new Map<Cell, HTMLElement>();
  private readonly asked = new CellsHost(this);

  constructor(
    public path: string,
    readonly notebook: Notebook,
    readonly link: KernelLink,
    model: FileModel,
    kernel: Kernelspec | null,
  ) {
    this.selection = new Selection(notebook, (i) => this.folding.hidden[i] ?? false);
    this.saving = new Saving(
      notebook,
      path,
      model,
      () => this.execution.seq,
      () => this.original.leave(),
    );
    this.watch = new Watch(this.saving, link);
    this.variables = new Variables(link, () => this.toggleSide('variables'));
    this.search = new SearchBar(this);
    this.outline = new Outline(this, () => this.toggleSide('outline'));
    this.library = new Library(this, () => this.toggleSide('library'));
    this.execution = new Execution(notebook, link, {
      askInput: (cell, prompt, password, answer) => {
        this.forgetInput(cell);
        this.inputs.set(cell, this.view(cell).askInput(prompt, password, answer));
      },
      forgetInput: (cell) => this.forgetInput(cell),
      showPage: (text) => this.showPager({ 'text/plain': text }),
      insertBelow: (cell, source) => notebook.insert(notebook.index(cell) + 1, notebook.make('code', source)),
      finished: (cell) => {
        this.staleness.finished(cell);
        void this.variables.refresh();
        this.header.notices.finished(cell);
      },
      refreshed: () => this.header.refresh(),
      missed: () => void this.catchUp(),
      lost: (loss) => {
        this.banners.told(loss);
        if (loss.ended) this.header.notices.tell(`${this.stem}: the kernel ended`, sentences(loss));
      },
    });
    this.staleness = new Staleness(notebook, link, (cells) => {
      this.execution.run(cells);
      this.header.tick();
    });
    this.header = new Header(this);
    this.banners = new Banners(this);
    this.fileNotes = new FileNotes(this, this.banners, kernel, () => this.file.reload());
    this.fileNotes.opened(model);
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
    this.list.addEventListener(reveal, (e) => this.show(e.target as Element));
    dropZone(this.list, this.asked, (dom) => (dom as CellDom).cellView?.cell);
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
    if (!view) this.views.set(cell, (view = new CellView(cell, this.asked)));
    return view;
  }

  /** Runs a command by name. */
  run(id: string): void {
    void this.banners.guarded(command(id).label, async () => {
      await command(id).run(this);
    });
  }

  runAgain(cell: Cell): void {
    void this.banners.guarded('Go on', () => this.running.cells([cell]));
  }

  follow(): void {
    this.following.start();
  }

  focus(): void {
    const view = this.view(this.selection.cell);
    if (this.selection.mode === 'edit') {
      if (view.rendered) view.unrender();
      view.ensureEditor().view.focus();
    } else view.dom.focus({ preventScroll: true });
  }

  toggleSide(which: Side): void {
    const sides = { outline: this.outline, library: this.library, variables: this.variables };
    const opens = sides[which].dom.hidden;
    for (const { dom } of Object.values(sides)) {
      const inside = dom.contains(document.activeElement);
      dom.hidden = true;
      if (inside) this.focus();
    }
    if (!opens) return;
    sides[which].dom.hidden = false;
    sides[which].opened();
  }

  started(): void {
    this.banners.seen();
    this.layout();
    this.header.tick();
    this.following.start();
  }

  reveal(index: number): void {
    this.folding.reveal(index);
  }

  above(cell: Cell): string[] {
    return this.notebook.cells
      .slice(0, this.notebook.index(cell))
      .filter((c) => c.type === 'code' && !c.declared)
      .map((c) => c.source);
  }

  toggleLineNumbers(): void {
    this.lineNumbers = !this.lineNumbers;
    localStorage.setItem('nacre.lineNumbers', this.lineNumbers ? 'on' : 'off');
    for (const v of this.views.values()) v.editor?.setNumbers(this.lineNumbers);
  }

  goToCell(index: number): void {
    this.reveal(index);
    this.selection.set(index, 'command');
    this.view(this.selection.cell).dom.scrollIntoView({ block: 'start' });
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

  /** The page is about another file from now on. */
  private async moved(to: string): Promise<void> {
    this.path = this.saving.path = to;
    history.replaceState(null, '', notebookUrl(to));
    this.header.refresh();
    await this.link.renamed(to);
  }

  private connect(): void {
    const { notebook, link, saving, selection } = this;
    notebook.restructured.on(() => this.layout());
    selection.changed.on(() => this.showSelection());
    saving.changed.on(() => this.header.refresh());
    link.stateChanged.on(() => this.header.refresh());
    link.reconnected.on(() => void this.catchUp());
    notebook.edited.on(() => this.folding.showSoon());
    saving.arrived.on((ids) => this.flash(ids));
    addEventListener('keydown', (e) => this.key(e, false), true);
    addEventListener('keydown', (e) => this.key(e, true));
    setInterval(() => {
      const running = notebook.cells.filter((c) => c.state === 'running');
      running.forEach((c) => this.view(c).tick());
      this.header.tick();
      this.outline.tick();
      this.following.tick();
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
    this.folding.show();
    settleSoon(); // the numbers of equations follow the order of the cells
  }

  /** Unfolds what hides a part of a cell, and the section of which it is the heading. */
  private show(part: Element): void {
    const cell = (part.closest('.cell') as CellDom | null)?.cellView?.cell;
    if (!cell) return;
    this.reveal(this.notebook.index(cell));
    if (cell.metadata.heading_collapsed && part.matches('h1,h2,h3,h4,h5,h6')) this.folding.open(cell);
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

  /** Shows which cells another program has changed. */
  private flash(ids: string[]): void {
    for (const id of ids) {
      const cell = this.notebook.find(id);
      if (!cell) continue;
      const { dom } = this.view(cell);
      dom.classList.add('arrived');
      setTimeout(() => dom.classList.remove('arrived'), 2000);
    }
    announce(`Another program has changed ${ids.length === 1 ? 'a cell' : `${ids.length} cells`} of the file`);
  }

  private forgetInput(cell: Cell): void {
    this.inputs.get(cell)?.remove();
    this.inputs.delete(cell);
  }

  showPager(data: MimeBundle): void {
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
    this.pager.replaceChildren(close, renderData(data, {}, { fresh: false, folder: '', goTo: () => undefined }).dom);
  }
}
