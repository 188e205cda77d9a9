// What an open notebook has to say above its cells: a draft found, a save that failed, a kernel that ended.

import { announce, el, type Signal } from '../dom';
import type { Cell } from '../model/notebook';
import { login } from '../protocol/login';
import { askText, banner, guarded } from '../ui/dialog';
import type { OpenNotebook } from './actions';
import { type Loss, sentences } from './loss';
import type { Watch } from './watch';

interface Page extends OpenNotebook {
  readonly watch: Watch;
  readonly running: { cells(cells: Cell[]): Promise<void> };
}

export class Banners {
  readonly dom = el('div.banners');
  private said = 'null';
  private loss: Loss | null = null;

  constructor(private readonly page: Page) {
    const { saving, link, watch } = page;
    for (const signal of [saving.changed, link.stateChanged, watch.changed] as Signal<unknown>[])
      signal.on(() => this.show());
    page.notebook.edited.on(() => {
      if (watch.health !== 'well') this.show();
    });
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

  /** Of server, file and kernel only what matters most is said, in one place: the one is often why the other is so. */
  private show(): void {
    const said = this.server() ?? this.saving() ?? this.kernel() ?? this.lost();
    const key = JSON.stringify(said && [said.text, said.actions.map((a) => a.label)]);
    if (key === this.said) return;
    this.said = key;
    banner(this.dom, 'state', said?.text ?? null, said?.actions, said?.kind);
  }

  private server(): Said | null {
    const { watch, saving } = this.page;
    const kept = saving.textDirty ? 'Your text is kept in this browser' : 'What you write is kept in this browser';
    if (watch.health === 'away')
      return {
        text: `The server does not answer. ${kept} and saved as soon as it is back.`,
        actions: [{ label: 'Download', run: () => this.page.run('file.ipynb') }],
        kind: 'warning',
      };
    if (watch.health === 'locked')
      return {
        text:
          `The server was started again and asks for its token. ${kept} and saved once you log in here, or open the ` +
          'address that nacre notebook has printed.',
        actions: [{ label: 'Log in', run: () => void this.guarded('Log in', () => this.login()) }],
        kind: 'warning',
      };
    return null;
  }

  private async login(): Promise<void> {
    const secret = await askText('Log in', 'Token, or the address that nacre notebook has printed', '', 'Log in', true);
    if (!secret) return;
    await login(secret);
    await this.page.watch.look();
  }

  private saving(): Said | null {
    const { saving, notebook } = this.page;
    if (saving.state === 'conflict') {
      const [first, ...more] = [...saving.clashes.keys()];
      const at = notebook.cells.findIndex((c) => c.id === first);
      const what = more.length
        ? `${more.length + 1} cells were`
        : at < 0
          ? 'A cell was'
          : `Cell ${at + 1} from the top was`;
      return {
        text: `${what} changed here and, by another program, in the file. Your text is kept in this browser until you choose.`,
        actions: [
          { label: 'Keep mine', run: () => void saving.keepMine() },
          { label: 'Take the file’s (Z brings yours back)', run: () => void saving.takeTheirs() },
          { label: 'Keep both', run: () => void saving.keepBoth() },
          ...(at < 0 ? [] : [{ label: 'Show', run: () => this.page.goToCell(at) }]),
        ],
        kind: 'warning',
      };
    }
    if (saving.state !== 'failed') return null;
    return {
      text: `Not saved: ${sentence(saving.problem)} Your text is kept in this browser.`,
      actions: [
        { label: 'Try again', run: () => void saving.save() },
        ...(saving.unreadable ? [{ label: 'Save mine over it', run: () => void saving.save(true) }] : []),
        { label: 'Download', run: () => this.page.run('file.ipynb') },
      ],
      kind: 'error',
    };
  }

  private kernel(): Said | null {
    const { link } = this.page;
    if (link.state === 'dead')
      return {
        text: `The kernel ended${link.deathNote ? `: ${link.deathNote}` : ''}. The notebook and its outputs are safe; variables are lost.`,
        actions: [
          { label: 'Restart', run: () => this.page.run('kernel.restart') },
          { label: 'Restart and run all', run: () => this.page.run('run.restartAll') },
        ],
        kind: 'error',
      };
    if (link.state === 'reconnecting')
      return { text: 'The connection to the kernel is lost. Trying again …', actions: [], kind: 'warning' };
    if (link.state === 'disconnected')
      return {
        text: 'The kernel does not answer. What runs goes on there, if it lives.',
        actions: [{ label: 'Connect again', run: () => this.page.run('kernel.reconnect') }],
        kind: 'error',
      };
    return null;
  }

  /** What went with a kernel stands there until the user closes it, or runs something. */
  private lost(): Said | null {
    const { loss } = this;
    if (!loss) return null;
    const { notebook, running } = this.page;
    const { ended } = loss;
    // With the cell that ended it comes what it needs; nothing that stands below.
    const above = loss.ran.filter((c) => !ended || notebook.index(c) < notebook.index(ended));
    const again = (cells: Cell[]) => {
      this.seen();
      void this.guarded('Run again', () => running.cells(cells.filter((c) => notebook.index(c) >= 0)));
    };
    return {
      text: sentences(loss),
      actions: [
        ...(above.length
          ? [{ label: ended ? `Run above (${above.length})` : `Run again (${above.length})`, run: () => again(above) }]
          : []),
        ...(ended && loss.server
          ? [{ label: 'Run above and go on', run: () => again([...above, ended, ...loss.waited]) }]
          : []),
        ...(ended ? [{ label: 'Show the cell', run: () => this.page.goToCell(notebook.index(ended)) }] : []),
        { label: 'Close', run: () => this.seen() },
      ],
      kind: 'error',
    };
  }

  /** The user has seen what went with the kernel. */
  seen(): void {
    this.loss = null;
    this.show();
  }

  /** The kernel ended, and took this along. */
  told(loss: Loss): void {
    this.loss = loss;
    announce(sentences(loss));
    this.show();
  }
}

interface Said {
  text: string;
  actions: { label: string; run(): void }[];
  kind: 'info' | 'warning' | 'error';
}

/** The words as a sentence. */
const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);
