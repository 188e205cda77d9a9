// The notebook as a file: checkpoints, other names, copies, other forms.

import { fileUrl, nameOf, notebookUrl } from '../address';
import { download, el, fromBase64 } from '../dom';
import type { PlainGo } from '../model/exportgo';
import { inLines, parseNotebook, toFile } from '../model/nbformat';
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
    await this.moved(await this.page.saving.rename(to));
  }

  async download(): Promise<void> {
    const { path, notebook, saving, original } = this.page;
    // The file has what a browser cannot hold, such as large integers.
    const current = saving.state === 'saved' || (!original.here && (await saving.save()));
    const type = 'application/x-ipynb+json';
    if (current && isSite) download(nameOf(path), type, fromBase64(String((await contents.bytes(path)).content)));
    else if (current) el('a', { href: fileUrl(path), download: nameOf(path) }).click();
    else download(nameOf(path), type, JSON.stringify(inLines(toFile(notebook.toJson())), null, 1) + '\n');
  }

  /** The notebook as a Go program; the kernel, where there is one, writes out how errors that cells leave out end it. */
  async asGo(): Promise<string> {
    const nb = this.page.notebook.toJson();
    if (this.page.link.state === 'none') await this.page.link.start();
    const cells = nb.cells.filter((c) => c.cell_type === 'code').map((c) => c.source);
    const plain = await this.page.link.control<PlainGo>('program_request', { cells });
    const { exportGo } = await import('../model/exportgo');
    return exportGo(nb, this.page.stem, plain?.status === 'ok' ? plain : undefined);
  }

  /** Takes the file's state; what the page had can be brought back with one undo. */
  async reload(): Promise<void> {
    const model = await contents.get(this.page.path, 'notebook');
    this.page.notebook.become(parseNotebook(model.content));
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
