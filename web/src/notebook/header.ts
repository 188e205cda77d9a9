// The bar above the notebook: where one is, what the kernel does, what can be done.

import { el, iconButton } from '../dom';
import { folderOf, nameOf, treeUrl } from '../address';
import type { Cell } from '../model/notebook';
import { openMenu, type Item } from '../ui/dialog';
import { keyLabel, keysOf } from './keys';
import type { OpenNotebook } from './actions';
import { command } from './commands';
import { duration } from './cellview';
import { progressOf } from './loss';
import { Notices } from './notices';

const words: Record<string, string> = {
  starting: 'starting',
  idle: 'ready',
  busy: 'running',
  reconnecting: 'connecting again',
  disconnected: 'not connected',
  restarting: 'restarting',
  dead: 'ended',
  none: 'no kernel',
  unneeded: 'starts when needed',
};

export class Header {
  readonly dom = el('header.top');
  private readonly title = el('button.title', { type: 'button', title: 'Rename' });
  private readonly saved = el('span.saved', { role: 'status' });
  private readonly kernel = el('button.kernel', { type: 'button', 'aria-haspopup': 'menu' });
  private readonly progress = el('button.progress.now', { type: 'button', title: 'Go to the running cell (G)' });
  private readonly uses = el('span.uses', { title: 'What the training uses' });
  private readonly bar = el('progress.whole', { max: 1, 'aria-label': 'Training' });
  private readonly pause = el(
    'button.small',
    {
      type: 'button',
      title: 'Stop at a checkpoint; the cell goes on from there when it runs again',
      click: () => this.page.run('kernel.interrupt'),
    },
    'Pause',
  );
  private readonly stop: HTMLButtonElement;
  /** The cell whose training was paused last. */
  private paused: Cell | null = null;
  private readonly resume = el(
    'button.small',
    {
      type: 'button',
      title: 'Run the cell again: its training goes on from its checkpoint',
      click: () => this.paused && this.page.runAgain(this.paused),
    },
    'Go on',
  );
  readonly notices = new Notices(() => this.name);
  private readonly stale = el('button.progress', {
    type: 'button',
    title: 'Run what is stale (U)',
    click: () => this.page.run('run.stale'),
  });

  constructor(private readonly page: OpenNotebook) {
    const run = (id: string, icon: string, label: string, word: string) => {
      const button = iconButton(icon, label, () => page.run(id), keysOf(command(id)));
      button.append(el('span.word', { 'aria-hidden': 'true' }, word));
      return button;
    };
    this.stop = run('kernel.interrupt', 'stop', 'Stop: interrupt what runs', 'Stop');
    const type = el(
      'select.type',
      {
        'aria-label': 'Type of the cell',
        change: () => {
          page.run({ code: 'cell.code', markdown: 'cell.markdown', raw: 'cell.raw' }[type.value]!);
          page.focus();
        },
      },
      el('option', { value: 'code' }, 'Go'),
      el('option', { value: 'markdown' }, 'Text'),
      el('option', { value: 'raw' }, 'Raw'),
    );
    const menu = iconButton('more', 'Menu', () => this.openMenu(menu));
    menu.setAttribute('aria-haspopup', 'menu');
    this.progress.addEventListener('click', () => page.run('cell.running'));
    this.title.addEventListener('click', () => page.run('file.rename'));
    this.kernel.addEventListener('click', () => this.openKernelMenu());
    this.dom.append(
      el(
        'a.home',
        { href: treeUrl(folderOf(page.path)), 'aria-label': 'Files', title: 'Files' },
        el('span.pearl', { 'aria-hidden': 'true' }),
      ),
      el('h1.name', {}, this.title),
      this.saved,
      el('span.space'),
      el(
        'div.actions',
        { role: 'toolbar', 'aria-label': 'Notebook' },
        run('cell.insertBelow', 'plus', 'Insert a cell below', 'Cell'),
        run('run.next', 'run', 'Run and go on', 'Run'),
        run('run.all', 'runall', 'Run all cells', 'Run all'),
        this.stop,
        run('kernel.restart', 'restart', 'Restart the kernel', 'Restart'),
        type,
      ),
      this.stale,
      this.uses,
      this.progress,
      this.pause,
      this.resume,
      this.notices.button,
      this.kernel,
      iconButton('search', 'Search and replace', () => page.run('search'), keyLabel('F')),
      iconButton('outline', 'Outline of headings and cells', () => page.run('view.outline'), keyLabel('T')),
      iconButton('book', 'Search the library', () => page.run('view.library'), keyLabel('E')),
      iconButton('variables', 'Variables', () => page.run('kernel.variables')),
      iconButton('theme', 'Theme: system, light, dark', () => page.run('view.theme')),
      menu,
      this.bar,
    );
    page.selection.changed.on(() => {
      type.value = page.selection.cell.type;
    });
    page.notebook.restructured.on(() => {
      type.value = page.selection.cell.type;
    });
    this.refresh();
  }

  refresh(): void {
    const { page } = this;
    this.title.textContent = this.name;
    const { saving } = page;
    this.saved.textContent = {
      saved: 'Saved',
      edited: 'Edited',
      saving: 'Saving …',
      failed: 'Not saved',
      conflict: 'Changed on disk',
    }[saving.state];
    this.saved.dataset.state = saving.state;
    this.saved.title =
      saving.state === 'failed'
        ? saving.problem
        : saving.savedAt
          ? `Saved at ${new Date(saving.savedAt).toLocaleTimeString()}`
          : '';
    const state = page.link.state;
    this.kernel.dataset.state = state;
    this.kernel.replaceChildren(
      el('span.dot', { 'aria-hidden': 'true' }),
      el('span', {}, page.link.displayName),
      page.link.engineNote ? el('span.engine', {}, `on ${page.link.engine.split(' ')[0]!}`) : '',
      el('span.state', {}, words[state]!),
    );
    this.kernel.title = [page.link.engine && `Cells run on ${page.link.engine}`, page.link.engineNote]
      .filter(Boolean)
      .join('. ');
    this.kernel.setAttribute('aria-label', `Kernel ${page.link.displayName}: ${words[state]}`);
    this.tick();
  }

  private get name(): string {
    return nameOf(this.page.path).replace(/\.ipynb$/, '');
  }

  /** How much of the running training and of the queue is left. */
  tick(): void {
    const { cells } = this.page.notebook;
    const running = cells.find((c) => c.state === 'running');
    const waiting = cells.filter((c) => c.state === 'queued').length;
    const training = running ? progressOf(running.outputs) : null;
    const paused = (c: Cell) => c.state === 'idle' && c.ranSource !== null && progressOf(c.outputs)?.paused === true;
    this.paused = running ? null : (cells.find(paused) ?? null);
    const stopped = this.paused ? progressOf(this.paused.outputs) : null;
    const part = training ?? stopped;
    const percent = part ? `${Math.floor(part.share * 100 + 1e-9)} %` : '';
    const time = running && running.runningMs >= 0 ? duration(running.runningMs) : '';
    const left = training?.left ? `${duration(training.left * 1000)} left` : '';
    show(
      this.progress,
      [stopped ? `paused at ${percent}` : percent, left || time, waiting ? `${waiting} waiting` : '']
        .filter(Boolean)
        .join(' · '),
    );
    this.progress.title = [
      running ? 'Go to the running cell (G)' : 'A training is paused',
      time && `running for ${time}`,
      training?.uses,
    ]
      .filter(Boolean)
      .join('; ');
    show(this.uses, training?.uses ?? '');
    this.bar.hidden = !part;
    if (part && this.bar.value !== part.share) this.bar.value = part.share;
    this.stop.disabled = !running && !waiting && this.page.link.state !== 'busy';
    this.pause.hidden = !training || training.paused;
    this.resume.hidden = !stopped;
    this.notices.button.hidden = !running;
    const title = `${training ? `${percent} ` : this.page.link.state === 'busy' ? '● ' : ''}${this.name} – Nacre`;
    if (document.title !== title) document.title = title;
    const stale = this.page.notebook.cells.filter((c) => c.stale).length;
    this.stale.hidden = !stale;
    this.stale.textContent = `${stale} stale`;
  }

  private item(id: string, checked?: boolean): Item {
    const c = command(id);
    return { label: c.label, keys: keysOf(c), checked, run: () => this.page.run(id) };
  }

  private openKernelMenu(): void {
    openMenu(this.kernel, [
      ['kernel.interrupt', 'kernel.restart', 'run.restartAll', 'kernel.restartClear'].map((id) => this.item(id)),
      ['kernel.reconnect', 'kernel.shutdown'].map((id) => this.item(id)),
      [this.item('kernel.variables', !this.page.variables.dom.hidden)],
    ]);
  }

  private openMenu(anchor: HTMLElement): void {
    const group = (...ids: string[]) => ids.map((id) => this.item(id));
    openMenu(anchor, [
      group('file.save', 'file.restore', 'file.rename', 'file.ipynb', 'file.html', 'file.go'),
      group('run.all', 'run.above', 'run.below', 'run.stale', 'run.reactive', 'run.restartAll'),
      group('cell.undo', 'cell.redo', 'cell.split', 'cell.merge', 'cell.moveUp', 'cell.moveDown'),
      [
        this.item('view.lineNumbers', this.page.lineNumbers),
        ...group('cell.toggleSource', 'cell.toggleOutputs', 'view.clearAll', 'view.theme'),
      ],
      group('search', 'view.outline', 'view.library', 'cell.running'),
      group('view.palette', 'view.help'),
    ]);
  }
}

/** Shows a text, or hides what has none. */
function show(node: HTMLElement, text: string): void {
  node.hidden = !text;
  if (node.textContent !== text) node.textContent = text;
}
