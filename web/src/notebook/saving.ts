// Keeping the notebook: saving, changes on disk by others, unsaved text in this browser, checkpoints.

import { Signal } from '../dom';
import { sameText } from '../model/merge';
import { type CellJson, type NotebookJson, parseNotebook, toFile } from '../model/nbformat';
import type { Notebook } from '../model/notebook';
import { contents, type FileModel, ServerError } from '../protocol/contents';

export type SaveState = 'saved' | 'edited' | 'saving' | 'failed' | 'conflict';

const autosaveMs = 15_000;
const draftMs = 2_000;

interface Draft {
  at: string;
  cells: Pick<CellJson, 'id' | 'cell_type' | 'source'>[];
}

export class Saving {
  readonly changed = new Signal<SaveState>();
  state: SaveState = 'saved';
  savedAt = 0;
  problem = '';
  /** The format of a file that is saved in another one only when the user agrees; 0 of the others. */
  private older: number;
  private repairing = false;
  private repaired: string[] = [];
  private version = '';
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
    // One after the other: two at once would take each other for somebody else.
    this.queue = this.queue.then(() => this.write(force));
    return this.queue;
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
      this.keepDraft();
      this.problem = `The file has notebook format ${this.older} and is saved as format 4 only when you agree.`;
      this.set('failed');
      return false;
    }
    const edits = this.edits;
    const seq = this.seq();
    const json = structuredClone(this.notebook.toJson());
    this.set('saving');
    try {
      if (!force && (await this.changedByOthers())) {
        this.keepDraft();
        this.set('conflict');
        return false;
      }
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
      this.version = model.hash ? versionOf(model) : versionOf(await contents.stat(this.path));
      this.base = json;
      this.savedAt = Date.now();
      this.problem = '';
      this.dropDraft();
      this.set(this.edits === edits ? 'saved' : 'edited');
      return true;
    } catch (e) {
      // The server wrote outputs between our look and our save: look again.
      if (isConflict(e) && !force && again) return this.write(force, again - 1);
      this.keepDraft();
      this.problem = (e as Error).message;
      this.set(isConflict(e) ? 'conflict' : 'failed');
      return false;
    }
  }

  private async changedByOthers(): Promise<boolean> {
    let now: FileModel;
    try {
      now = await contents.stat(this.path);
    } catch (e) {
      // Deleted or moved away: saving makes it again.
      if (e instanceof ServerError && e.status === 404) {
        this.known = undefined;
        return false;
      }
      throw e;
    }
    this.known = now.hash ?? undefined;
    if (versionOf(now) === this.version) return false;
    // The server itself writes outputs that came while no page was open: the text is still ours.
    const theirs = await contents.get(this.path, 'notebook');
    return !sameText(parseNotebook(theirs.content), this.base);
  }

  private set(state: SaveState): void {
    if (state === this.state && state !== 'edited') return;
    this.state = state;
    this.changed.emit(state);
  }
}

const isConflict = (e: unknown) => e instanceof ServerError && e.status === 409 && e.reason !== 'convert';

function versionOf(model: FileModel): string {
  return model.hash || model.last_modified;
}
