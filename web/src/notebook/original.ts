// A notebook that is not written, such as those that come with the program: the first run or change makes a copy beside it,
// and the page goes on with that one.

import { announce } from '../dom';
import { nameOf, notebookUrl } from '../config';
import { contents } from '../protocol/contents';
import { banner } from '../ui/dialog';
import type { OpenNotebook } from './actions';
import type { Banners } from './banners';

export class Original {
  private leaving: Promise<void> | null;

  constructor(
    private readonly page: OpenNotebook,
    private readonly banners: Banners,
    writable: boolean,
    private readonly moved: (to: string) => Promise<void>,
  ) {
    this.leaving = writable ? Promise.resolve() : null;
    if (!writable) void this.tell().catch(() => undefined); // a folder that cannot be listed has no copies to offer
  }

  /** Whether the page still shows the notebook that is not written. */
  get here(): boolean {
    return this.leaving === null;
  }

  /** Makes the copy, unless that was done. Where there can be none the page stays, and saving says why it fails. */
  leave(): Promise<void> {
    return (this.leaving ??= this.copy().catch((e: Error) =>
      this.say(`No copy of ${this.page.stem} could be made: ${e.message}`, []),
    ));
  }

  private async copy(): Promise<void> {
    const { page } = this;
    const from = page.stem;
    page.saving.dropDraft();
    await this.moved((await contents.copy(page.path, page.folder)).path);
    const text = `This is ${page.stem}, a copy of ${from}, which stays as it was.`;
    this.say(text, []);
    announce(text);
  }

  private async tell(): Promise<void> {
    const { page } = this;
    const text = `${page.stem} is not written: what you run or change goes to a copy beside it.`;
    this.say(text, []);
    const beside = (await contents.get(page.folder, 'directory')).content as {
      path: string;
      name: string;
      last_modified: string;
    }[];
    const copies = beside
      .filter((f) => f.name.startsWith(`${page.stem}-Copy`) && f.name.endsWith('.ipynb'))
      .sort((a, b) => b.last_modified.localeCompare(a.last_modified));
    const [last] = copies;
    if (last && this.here)
      this.say(text, [
        {
          label: `Open ${nameOf(last.path).replace(/\.ipynb$/, '')}`,
          run: () => {
            location.href = notebookUrl(last.path);
          },
        },
      ]);
  }

  private say(text: string, actions: { label: string; run(): void }[]): void {
    banner(this.banners.dom, 'original', text, [
      ...actions,
      { label: 'Close', run: () => this.banners.withdraw('original') },
    ]);
  }
}
