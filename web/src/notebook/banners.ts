// What an open notebook has to say above its cells: a draft found, a save that failed, a kernel that ended.

import { announce, el } from '../dom';
import { banner, guarded } from '../ui/dialog';
import type { OpenNotebook } from './actions';
import type { NotebookFile } from './file';

export class Banners {
  readonly dom = el('div.banners');

  constructor(
    private readonly page: OpenNotebook,
    private readonly file: NotebookFile,
  ) {
    const { saving, link } = page;
    saving.changed.on((state) => this.saving(state));
    link.stateChanged.on((state) => this.kernel(state));
    link.restarted.on((why) => this.restarted(why));
    this.offerDraft();
  }

  /** Runs an action; a failure becomes a banner. */
  guarded(what: string, action: () => Promise<unknown>): Promise<boolean> {
    return guarded(this.dom, what, action);
  }

  withdraw(key: string): void {
    banner(this.dom, key, null);
  }

  private offerDraft(): void {
    const { saving } = this.page;
    const draft = saving.draft();
    if (!draft) return;
    banner(
      this.dom,
      'draft',
      `This browser kept text of this notebook from ${new Date(draft.at).toLocaleString()} that the file does not have.`,
      [
        {
          label: 'Bring it back',
          run: () => {
            saving.restoreDraft(draft);
            this.withdraw('draft');
          },
        },
        {
          label: 'Forget it',
          run: () => {
            saving.dropDraft();
            this.withdraw('draft');
          },
        },
      ],
      'warning',
    );
  }

  private saving(state: string): void {
    const { saving } = this.page;
    if (state === 'conflict') {
      banner(
        this.dom,
        'saving',
        'The file was changed on disk since it was opened here. Your text is kept in this browser until you choose.',
        [
          { label: 'Save mine over it', run: () => void saving.save(true) },
          {
            label: 'Take the file’s (Z brings yours back)',
            run: () => void this.guarded('Reload', () => this.file.reload()),
          },
          { label: 'Save mine as a copy', run: () => void this.guarded('Save a copy', () => this.file.saveCopy()) },
        ],
        'warning',
      );
    } else if (state === 'failed') {
      banner(
        this.dom,
        'saving',
        `Not saved: ${saving.problem} Your text is kept in this browser.`,
        [
          { label: 'Try again', run: () => void saving.save() },
          { label: 'Download', run: () => this.page.run('file.ipynb') },
        ],
        'error',
      );
    } else if (state === 'saved') this.withdraw('saving');
  }

  private kernel(state: string): void {
    const { link } = this.page;
    if (state === 'dead') {
      banner(
        this.dom,
        'kernel',
        `The kernel ended${link.deathNote ? `: ${link.deathNote}` : '.'} The notebook and its outputs are safe; variables are lost.`,
        [
          { label: 'Restart', run: () => this.page.run('kernel.restart') },
          { label: 'Restart and run all', run: () => this.page.run('run.restartAll') },
        ],
        'error',
      );
      announce('The kernel ended');
    } else if (state === 'reconnecting')
      banner(this.dom, 'kernel', 'The connection to the kernel is lost. Trying again …', [], 'warning');
    else if (state === 'disconnected')
      banner(
        this.dom,
        'kernel',
        'The server does not answer. What runs goes on there, if it lives.',
        [{ label: 'Connect again', run: () => this.page.run('kernel.reconnect') }],
        'error',
      );
    else this.withdraw('kernel');
  }

  /** A new kernel has taken the place of one that ended, and why; of one that was asked to, nothing is said. */
  private restarted(why: string): void {
    const run = () => {
      this.withdraw('ended');
      this.page.run('run.all');
    };
    banner(
      this.dom,
      'ended',
      why
        ? `The kernel ended: ${why}. A new one has taken its place. The notebook and its outputs are safe; variables are lost.`
        : null,
      [
        { label: 'Run all', run },
        { label: 'Close', run: () => this.withdraw('ended') },
      ],
      'error',
    );
    if (why) announce(`The kernel ended: ${why}`);
  }
}
