// Keeping the notebook: saving, changes on disk by others, unsaved text in this browser, checkpoints.

import { Signal } from '../dom';
import { merge, sameText } from '../model/merge';
import { type CellJson, type NotebookJson, newId, parseNotebook, toFile } from '../model/nbformat';
import { Cell, type Notebook } from '../model/notebook';
import { contents, type FileModel, isLocked, ServerError, Unreachable } from '../protocol/contents';

export type SaveState = 'saved' | 'edited' | 'saving' | 'failed' | 'conflict';

const autosaveMs = 15_000;
const draftMs = 2_000;

interface Draft {
  at: string;
  cells: Pick<CellJson, 'id' | 'cell_type' | 'source'>[];
}

export class Saving {
  readonly changed = new Signal<SaveState>();
  /** Cells that have come from the file, or have become as another program has made them there. */
  readonly arrived = new Signal<string[]>();
  /** Cells that were changed here and in the file, as the file has them: the user must choose. */
  readonly clashes = new Map<string, CellJson>();
  state: SaveState = 'saved';
  savedAt = 0;
  problem = '';
  /** Whether what the file holds now cannot be read, by another program's doing. */
  unreadable = false;
  /** Whether the last save failed because the server did not answer or did not know this page. */
  unheard = false;
  /** How often in a row the file was not there. */
  private gone = 0;
  /** The format of a file that is saved in another one only when the user agrees; 0 of the others. */
  private older: number;
  private repairing = false;
  private repaired: string[] = [];
  private version = '';
  /** Time and size of the file when it was last read or written. */
  private seen = '';
  private base: NotebookJson;
  private edits = 0;
  private queue: Promise<boolean> = Promise.resolve(true);
  private draftTimer = 0;
  private autosaveTimer = 0;

  constructor(
    private readonly notebook: Notebook,
    public path: string,
    model: FileModel,
    private readonly seq: () => number,
    private readonly before: () => Promise<void>,
  ) {
    this.version = versionOf(model);
    this.seen = seenOf(model);
    this.older = model.converted_from ?? 0;
    this.base = structuredClone(notebook.toJson());
    this.savedAt = Date.parse(model.last_modified) || 0;
    notebook.edited.on(() => this.edited());
    addEventListener('beforeunload', (e) => {
      if (this.textDirty) {
        this.keepDraft();
        e.preventDefault();
      }
    });
    document.addEventListener('visibilitychange', () => {
      if (document.hidden && this.state === 'edited') void this.save();
    });
  }

  /** Whether text or structure differ from the file; outputs the server keeps by itself. */
  get textDirty(): boolean {
    return this.state !== 'saved' && !sameText(this.base, this.notebook.toJson());
  }

  /** Saves; false when that failed, or when the file was changed by someone else and the user must choose. */
  async save(force = false): Promise<boolean> {
    return this.inTurn(() => this.write(force));
  }

  /** Looks whether another program has changed the file, and takes that over; it throws where the server does not answer. */
  async look(): Promise<void> {
    await this.inTurn(async () => {
      const seen = await this.peek();
      if (seen === null || (seen === this.seen && this.problem !== missing)) return true;
      const state = this.state;
      try {
        await this.follow();
        this.seen = seen;
      } catch (e) {
        if (!(e instanceof Unreadable)) throw e;
        this.fail(e, 'failed');
        return false;
      }
      if (this.clashes.size) this.set('conflict');
      // What could not be read, or was in conflict, is no more.
      else if (state === 'conflict' || state === 'failed') void this.save();
      return true;
    });
  }

  /** The file's time and size; null of one that is not there, which is said at the second look: others write it anew. */
  private async peek(): Promise<string | null> {
    try {
      const seen = seenOf(await contents.peek(this.path));
      this.gone = 0;
      return seen;
    } catch (e) {
      if (!(e instanceof ServerError) || e.status !== 404) throw e;
      if (++this.gone === 2) this.fail(new Error(missing), 'failed');
      return null;
    }
  }

  /** Renames the file while nothing is saved or looked at under the old name. Returns the new one. */
  async rename(to: string): Promise<string> {
    await this.inTurn(async () => {
      const { path } = await contents.rename(this.path, to);
      this.dropDraft();
      this.path = path;
      this.keepDraft();
      return true;
    });
    return this.path;
  }

  /** One after the other: two at once would take each other for somebody else. */
  private inTurn(f: () => Promise<boolean>): Promise<boolean> {
    const done = this.queue.then(f);
    this.queue = done.catch(() => false);
    return done;
  }

  /** Of what was changed here and in the file keeps what the page has. */
  async keepMine(): Promise<void> {
    this.clashes.clear();
    await this.save();
  }

  /** Takes what the file has instead, as one step that can be undone. */
  async takeTheirs(): Promise<void> {
    const json = this.notebook.toJson();
    this.notebook.become({ ...json, cells: json.cells.map((c) => this.clashes.get(c.id) ?? c) });
    await this.keepMine();
  }

  /** Keeps both: the file's cells stand below those of the page. */
  async keepBoth(): Promise<void> {
    this.notebook.transact([], (cells) =>
      cells.flatMap((c) => {
        const theirs = this.clashes.get(c.id);
        return theirs ? [c, new Cell({ ...theirs, id: newId() })] : [c];
      }),
    );
    await this.keepMine();
  }

  /** Saves as the file's format wants it. Returns what that changed; null when it was not saved. */
  async repair(): Promise<string[] | null> {
    this.repairing = true;
    try {
      return (await this.save()) ? this.repaired : null;
    } finally {
      this.repairing = false;
    }
  }

  /** Takes the file's state as the one to compare with, after it was read again. */
  adopt(model: FileModel): void {
    this.version = versionOf(model);
    this.seen = seenOf(model);
    this.clashes.clear();
    this.older = model.converted_from ?? 0;
    this.base = structuredClone(this.notebook.toJson());
    this.set('saved');
  }

  /** Text of this notebook that this browser kept and the file does not have. */
  draft(): Draft | null {
    try {
      const draft = JSON.parse(localStorage.getItem(this.key) ?? 'null') as Draft | null;
      if (!draft) return null;
      const same =
        draft.cells.length === this.base.cells.length &&
        draft.cells.every((c, i) => {
          const b = this.base.cells[i]!;
          return b.id === c.id && b.source === c.source && b.cell_type === c.cell_type;
        });
      return same ? null : draft;
    } catch {
      return null;
    }
  }

  /** Puts kept text back into the notebook, as one step that can be undone. */
  restoreDraft(draft: Draft): void {
    const { notebook } = this;
    notebook.transact(notebook.cells, (cells) => {
      const byId = new Map(cells.map((c) => [c.id, c]));
      return draft.cells.map((d) => {
        const cell = byId.get(d.id) ?? notebook.make(d.cell_type);
        cell.type = d.cell_type;
        cell.setSource(d.source);
        return cell;
      });
    });
  }

  dropDraft(): void {
    localStorage.removeItem(this.key);
  }

  private known: string | undefined;
  private get key(): string {
    return `nacre.draft:${this.path}`;
  }

  private edited(): void {
    this.edits++;
    if (this.state === 'saved') this.set('edited');
    clearTimeout(this.draftTimer);
    this.draftTimer = window.setTimeout(() => this.keepDraft(), draftMs);
    if (!this.autosaveTimer) {
      this.autosaveTimer = window.setTimeout(() => {
        this.autosaveTimer = 0;
        if (this.state === 'edited' || this.state === 'failed') void this.save();
      }, autosaveMs);
    }
  }

  private keepDraft(): void {
    if (!this.textDirty) return;
    const draft: Draft = {
      at: new Date().toISOString(),
      cells: this.notebook.toJson().cells.map(({ id, cell_type, source }) => ({ id, cell_type, source })),
    };
    try {
      localStorage.setItem(this.key, JSON.stringify(draft));
    } catch {
      /* the browser has no room: the file is the only copy */
    }
  }

  private async write(force: boolean, again = 2): Promise<boolean> {
    await this.before();
    if (this.older && !this.repairing) {
      const why = `The file has notebook format ${this.older} and is saved as format 4 only when you agree.`;
      this.fail(new Error(why), 'failed');
      return false;
    }
    this.set('saving');
    try {
      if (!force) await this.follow();
      else this.clashes.clear();
      if (this.clashes.size) {
        this.keepDraft();
        this.set('conflict');
        return false;
      }
      const edits = this.edits;
      const seq = this.seq();
      const json = structuredClone(this.notebook.toJson());
      const model = await contents.save(this.path, {
        type: 'notebook',
        format: 'json',
        content: toFile(json),
        hash: force ? undefined : this.known,
        seq,
        ...(this.repairing ? { repair: true } : {}),
      });
      this.older = 0;
      this.repaired = model.repaired ?? [];
      const written = model.hash ? model : await contents.stat(this.path);
      this.version = versionOf(written);
      this.seen = seenOf(written);
      this.base = json;
      this.savedAt = Date.now();
      this.problem = '';
      this.unheard = false;
      this.dropDraft();
      this.set(this.edits === edits ? 'saved' : 'edited');
      return true;
    } catch (e) {
      // The server wrote outputs between our look and our save: look again.
      if (isConflict(e) && !force && again) return this.write(force, again - 1);
      this.fail(e as Error, isConflict(e) ? 'conflict' : 'failed');
      return false;
    }
  }

  private fail(problem: Error, state: SaveState): void {
    this.keepDraft();
    this.unreadable = problem instanceof Unreadable;
    this.unheard = problem instanceof Unreachable || isLocked(problem);
    this.problem = problem.message;
    this.set(state);
  }

  /** Takes over what another program has made of the file, cell by cell; clashes are what both have changed. */
  private async follow(): Promise<void> {
    let now: FileModel;
    try {
      now = await contents.stat(this.path);
    } catch (e) {
      // Deleted or moved away: saving makes it again.
      if (!(e instanceof ServerError) || e.status !== 404) throw e;
      this.known = undefined;
      return;
    }
    this.known = now.hash ?? undefined;
    if (versionOf(now) === this.version) return;
    const model = await contents.get(this.path, 'notebook').catch((e) => {
      throw e instanceof ServerError && e.status === 400 ? new Unreadable(e.message) : e;
    });
    const mine = this.notebook.toJson();
    const { notebook, theirs, clashes, taken } = merge(this.base, mine, parseNotebook(model.content));
    const edited = this.state !== 'saved';
    if (taken.length || notebook.cells.map((c) => c.id).join() !== mine.cells.map((c) => c.id).join()) {
      this.notebook.become(notebook);
      this.arrived.emit(taken);
    }
    this.version = versionOf(model);
    this.known = model.hash ?? this.known;
    this.base = structuredClone(theirs);
    for (const [id] of this.clashes) {
      // What was not chosen yet is still a clash, unless the file has come round.
      const there = theirs.cells.find((c) => c.id === id);
      if (there && there.source !== this.notebook.find(id)?.source) this.clashes.set(id, there);
      else this.clashes.delete(id);
    }
    for (const cell of clashes) this.clashes.set(cell.id, cell);
    // A file that was as it is here, and was changed there only, is so again.
    if (!edited && sameText(theirs, notebook)) this.set('saved');
  }

  private set(state: SaveState): void {
    if (state === this.state && state !== 'edited') return;
    this.state = state;
    this.changed.emit(state);
  }
}

/** What another program has made of the file is no notebook. */
class Unreadable extends Error {}

const missing = 'Another program has moved or removed the file.';

const isConflict = (e: unknown) => e instanceof ServerError && e.status === 409 && e.reason !== 'convert';

/** What changes with a file, of most programs, and costs no reading. */
const seenOf = (model: FileModel) => `${model.last_modified} ${model.size}`;

function versionOf(model: FileModel): string {
  return model.hash || model.last_modified;
}
