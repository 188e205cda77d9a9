// The notebook as a file: checkpoints, other names, copies, other forms.

import { fileUrl, nameOf, notebookUrl } from '../address';
import { download, el } from '../dom';
import { exportGo, type PlainGo } from '../model/exportgo';
import { parseNotebook, toFile } from '../model/nbformat';
import { Cell } from '../model/notebook';
import { contents, type FileModel } from '../protocol/contents';
import { isSite } from '../site/about';
import { ask, askText, tell } from '../ui/dialog';
import type { OpenNotebook } from './actions';

export class NotebookFile {
  constructor(
    private readonly page: OpenNotebook & { readonly original: { readonly here: boolean } },
    private readonly moved: (to: string) => Promise<void>,
    private readonly reread: (model: FileModel) => void,
  ) {}

  async save(): Promise<void> {
    if (await this.page.saving.save()) await contents.checkpoint(this.page.path);
  }

  async restoreCheckpoint(): Promise<void> {
    const [point] = await contents.checkpoints(this.page.path);
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
    await contents.restore(this.page.path, point.id);
    await this.reload();
  }

  async rename(): Promise<void> {
    const name = await askText('Rename the notebook', 'Name', nameOf(this.page.path), 'Rename');
    if (!name || name === nameOf(this.page.path)) return;
    const to = [this.page.folder, name.endsWith('.ipynb') ? name : name + '.ipynb'].filter(Boolean).join('/');
    await this.moved((await contents.rename(this.page.path, to)).path);
  }

  async download(): Promise<void> {
    const { path, notebook, saving, original } = this.page;
    // The server's file has what a browser cannot hold, such as large integers.
    const current = !isSite && (saving.state === 'saved' || (!original.here && (await saving.save())));
    if (current) el('a', { href: fileUrl(path), download: nameOf(path) }).click();
    else download(nameOf(path), 'application/x-ipynb+json', JSON.stringify(toFile(notebook.toJson()), null, 1) + '\n');
  }

  /** The notebook as a Go program; the kernel, where there is one, writes out how errors that cells leave out end it. */
  async asGo(): Promise<string> {
    const nb = this.page.notebook.toJson();
    if (this.page.link.state === 'none') await this.page.link.start();
    const cells = nb.cells.filter((c) => c.cell_type === 'code').map((c) => c.source);
    const plain = await this.page.link.control<PlainGo>('program_request', { cells });
    return exportGo(nb, this.page.stem, plain?.status === 'ok' ? plain : undefined);
  }

  /** Takes the file's state; what the page had can be brought back with one undo. */
  async reload(): Promise<void> {
    const model = await contents.get(this.page.path, 'notebook');
    const theirs = parseNotebook(model.content);
    this.page.notebook.transact(this.page.notebook.cells, (cells) => {
      const byId = new Map(cells.map((c) => [c.id, c]));
      return theirs.cells.map((json) => {
        const cell = byId.get(json.id);
        // What the file has beyond what a cell knows of it belongs to a cell for good.
        if (!cell || cell.file !== undefined || json.file !== undefined) return new Cell(json);
        cell.type = json.cell_type;
        cell.metadata = json.metadata;
        cell.readTimes();
        cell.setSource(json.source);
        cell.setOutputs(json.outputs ?? [], json.execution_count ?? null);
        return cell;
      });
    });
    this.page.saving.adopt(model);
    this.reread(model);
  }

  async saveCopy(): Promise<void> {
    const stamp = new Date().toISOString().slice(0, 19).replace(/[:T]/g, '-');
    const to = [this.page.folder, `${this.page.stem}-${stamp}.ipynb`].filter(Boolean).join('/');
    await contents.save(to, { type: 'notebook', format: 'json', content: toFile(this.page.notebook.toJson()) });
    this.page.saving.dropDraft();
    location.href = notebookUrl(to);
  }
}
