// What the page says of the file itself, and what happens to the file only when the user agrees: it names another kernel,
// it breaks the rules of its format, it has an older format.

import { announce } from '../dom';
import type { Metadata } from '../model/nbformat';
import { contents, type FileModel } from '../protocol/contents';
import type { OpenNotebook } from './actions';
import type { Banners } from './banners';
import { banner } from '../ui/dialog';

export type Kernelspec = NonNullable<Metadata['kernelspec']>;

export class FileNotes {
  constructor(
    private readonly page: OpenNotebook,
    private readonly banners: Banners,
    private readonly here: Kernelspec | null,
    private readonly reload: () => Promise<void>,
  ) {}

  /** Says what there is to say of the file as it was read. */
  opened(model: FileModel): void {
    this.kernel();
    const { converted_from: from, problems = [] } = model;
    if (from)
      this.offer(
        `The file has notebook format ${from}. It is shown as format 4, and saved so only when you agree.`,
        'Save as format 4',
      );
    else if (problems.length)
      this.offer(
        `The file does not follow the notebook format: ${problems[0]}` +
          `${problems.length > 1 ? `; and ${problems.length - 1} more` : ''}. It stays so unless you have it repaired.`,
        'Repair the file',
      );
    else banner(this.banners.dom, 'format', null);
  }

  /** Makes this page's kernel that of the file. */
  takeKernel(): void {
    const { metadata } = this.page.notebook;
    if (!this.here) return;
    metadata.kernelspec = { ...this.here };
    metadata.language_info = { name: String(this.here.language) };
    this.page.notebook.edited.emit();
    this.kernel();
    announce(`${this.here.display_name} is now the kernel that the file names`);
  }

  private kernel(): void {
    const named = this.page.notebook.metadata.kernelspec;
    const other = named?.name && this.here && named.name !== this.here.name;
    banner(
      this.banners.dom,
      'language',
      other
        ? `This notebook was written for “${named.display_name ?? named.name}”. Its cells run here with ` +
            `${this.here!.display_name}. The file goes on naming its own kernel.`
        : null,
      [
        { label: `Name ${this.here?.display_name} in the file`, run: () => this.takeKernel() },
        { label: 'Close', run: () => this.banners.withdraw('language') },
      ],
    );
  }

  private offer(text: string, label: string): void {
    banner(
      this.banners.dom,
      'format',
      text,
      [
        { label, run: () => void this.banners.guarded(label, () => this.repair()) },
        { label: 'Close', run: () => this.banners.withdraw('format') },
      ],
      'warning',
    );
  }

  /** Saves the file as its format wants it. What it was becomes its checkpoint. */
  private async repair(): Promise<void> {
    const { saving } = this.page;
    await contents.checkpoint(this.page.path);
    const done = await saving.repair();
    if (!done) return; // another banner says why
    await this.reload();
    const more = done.length - 5;
    const list = done.slice(0, 5).join('; ') + (more > 0 ? `; and ${more} more` : '');
    const text = `${list ? `Repaired: ${list}.` : 'Saved as format 4.'} What the file was is its checkpoint.`;
    banner(this.banners.dom, 'format', text, [{ label: 'Close', run: () => this.banners.withdraw('format') }]);
    announce(text);
  }
}
