// The file list: folders and files of the server, and which notebooks run.

import { KernelAPI, type Session, SessionAPI } from '@jupyterlab/services';
import { announce, download, el, iconButton, svgIcon } from '../dom';
import { devicesUrl, editUrl, fileUrl, notebookUrl, readUrl, runsUrl, settings, treeUrl, tsneUrl } from '../config';
import { about, isSite } from '../site/about';
import { files } from '../site/api';
import { contents, type FileModel } from '../protocol/contents';
import { ask, askText, banner, guarded } from '../ui/dialog';
import { nextTheme } from '../theme';
import { Start } from './start';

type SortKey = 'name' | 'last_modified' | 'size';
const maxUpload = 100 << 20;

export class FileList {
  readonly dom = el('div.page.files');
  private readonly banners = el('div.banners');
  private readonly body = el('tbody');
  private readonly empty = el('p.note', { hidden: true }, 'Nothing here yet.');
  private readonly runs = el('a.link', { href: runsUrl, hidden: isSite }, 'Runs');
  private entries: FileModel[] = [];
  private running = new Map<string, Session.IModel>();
  private sort: { key: SortKey; down: boolean } = { key: 'name', down: false };

  constructor(private readonly folder: string) {
    const upload = el('input', {
      type: 'file',
      multiple: true,
      hidden: true,
      change: () => {
        void this.upload([...upload.files!]);
        upload.value = '';
      },
    });
    const button = (label: string, icon: string, run: () => void, primary = false) => {
      const b = el(primary ? 'button.primary' : 'button', { type: 'button', click: run }, label);
      b.prepend(svgIcon(icon));
      return b;
    };
    const column = (label: string, key: SortKey) =>
      el(
        'th',
        { scope: 'col', 'data-key': key },
        el('button', { type: 'button', click: () => this.sortBy(key) }, label),
      );
    document.title = `${folder || 'Files'} – Nacre`;
    this.dom.append(
      el(
        'header.top',
        {},
        el('a.home', { href: treeUrl(''), 'aria-label': 'Files' }, el('span.pearl', { 'aria-hidden': 'true' })),
        el('span.wordmark', {}, 'Nacre'),
        el('span.space'),
        this.runs,
        iconButton('theme', 'Theme: system, light, dark', () => announce(`Theme: ${nextTheme()}`)),
      ),
      this.banners,
      el(
        'main',
        { 'aria-label': 'Files' },
        folder || isSite ? null : new Start().dom,
        el(
          'div.bar',
          {},
          this.crumbs(),
          el('span.space'),
          button('New notebook', 'plus', () => void this.create('notebook'), true),
          button('Folder', 'folder', () => void this.create('directory')),
          button('Text file', 'file', () => void this.create('file')),
          button('Upload', 'upload', () => upload.click()),
          upload,
        ),
        el(
          'table.list',
          {},
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              column('Name', 'name'),
              column('Changed', 'last_modified'),
              column('Size', 'size'),
              el('th', { scope: 'col' }, el('span.visually-hidden', {}, 'Actions')),
            ),
          ),
          this.body,
        ),
        this.empty,
        isSite
          ? el(
              'p.note',
              {},
              'There is no server behind these pages: cells run in this browser, and what you change stays in it until you download it. ',
              el('a', { href: devicesUrl }, 'Which GPUs they can train on'),
            )
          : null,
      ),
    );
    this.dom.addEventListener('dragover', (e) => {
      e.preventDefault();
      this.dom.classList.add('drop');
    });
    this.dom.addEventListener('dragleave', (e) => {
      if (e.target === this.dom) this.dom.classList.remove('drop');
    });
    this.dom.addEventListener('drop', (e) => {
      e.preventDefault();
      this.dom.classList.remove('drop');
      void this.upload([...(e.dataTransfer?.files ?? [])]);
    });
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) void this.refresh();
    });
    setInterval(() => {
      if (!document.hidden) void this.refresh(true);
    }, 10_000);
  }

  async refresh(quiet = false): Promise<void> {
    try {
      const [model, sessions] = await Promise.all([
        contents.get(this.folder, 'directory'),
        SessionAPI.listRunning(settings),
      ]);
      this.entries = model.content as FileModel[];
      if (isSite) this.runs.hidden = !(await about()).runs;
      this.running = new Map(sessions.map((s) => [s.path, s]));
      this.show();
      banner(this.banners, 'failed', null);
    } catch (e) {
      if (!quiet)
        banner(
          this.banners,
          'failed',
          (e as Error).message,
          [{ label: 'Try again', run: () => void this.refresh() }],
          'error',
        );
    }
    document.body.dataset.ready = 'yes';
  }

  private crumbs(): HTMLElement {
    const parts = this.folder.split('/').filter(Boolean);
    return el(
      'nav.crumbs',
      { 'aria-label': 'Folder' },
      el('a', { href: treeUrl('') }, 'Files'),
      ...parts.flatMap((p, i) => [
        el('span', { 'aria-hidden': 'true' }, '/'),
        el(
          'a',
          { href: treeUrl(parts.slice(0, i + 1).join('/')), 'aria-current': i === parts.length - 1 ? 'page' : null },
          p,
        ),
      ]),
    );
  }

  private sortBy(key: SortKey): void {
    this.sort = { key, down: this.sort.key === key ? !this.sort.down : key !== 'name' };
    this.show();
  }

  private show(): void {
    const { key, down } = this.sort;
    const sorted = [...this.entries].sort((a, b) => {
      if ((a.type === 'directory') !== (b.type === 'directory')) return a.type === 'directory' ? -1 : 1;
      const order =
        key === 'size'
          ? (a.size ?? 0) - (b.size ?? 0)
          : key === 'name'
            ? a.name.localeCompare(b.name, undefined, { numeric: true })
            : a.last_modified.localeCompare(b.last_modified);
      return down ? -order : order;
    });
    this.dom
      .querySelectorAll('th[data-key]')
      .forEach((th) =>
        th.setAttribute(
          'aria-sort',
          (th as HTMLElement).dataset.key === key ? (down ? 'descending' : 'ascending') : 'none',
        ),
      );
    this.empty.hidden = sorted.length > 0;
    // A refresh must not take the focus away from a row.
    const focused = (document.activeElement?.closest('tr') as HTMLElement | null)?.dataset.path;
    this.body.replaceChildren(...sorted.map((e) => this.row(e)));
    if (focused) this.body.querySelector<HTMLElement>(`tr[data-path="${CSS.escape(focused)}"] a`)?.focus();
  }

  private row(e: FileModel): HTMLElement {
    const href =
      e.type === 'directory'
        ? treeUrl(e.path)
        : e.type === 'notebook'
          ? notebookUrl(e.path)
          : isSite && e.name.endsWith('.md')
            ? readUrl(e.path)
            : isText(e.name)
              ? editUrl(e.path)
              : fileUrl(e.path);
    const link = el(
      'a',
      { href, target: e.type === 'notebook' ? '_blank' : null, rel: e.type === 'notebook' ? 'noopener' : null },
      e.type === 'notebook' ? e.name.replace(/\.ipynb$/, '') : e.name,
    );
    link.prepend(svgIcon(e.type === 'directory' ? 'folder' : e.type));
    const session = this.running.get(e.path);
    const action = (label: string, run: () => void) =>
      el('button.link', { type: 'button', 'aria-label': `${label} ${e.name}`, click: run }, label);
    return el(
      'tr',
      { 'data-path': e.path },
      el('th', { scope: 'row' }, link, session ? el('span.running', { title: 'A kernel runs' }, 'running') : null),
      el('td', { title: new Date(e.last_modified).toLocaleString() }, ago(e.last_modified)),
      el('td', {}, e.type === 'directory' ? '' : bytes(e.size)),
      el(
        'td.actions',
        {},
        session ? action('Shut down', () => void this.shutdown(session)) : null,
        e.type !== 'directory'
          ? action(
              'Duplicate',
              () =>
                void guarded(this.banners, 'Duplicate', async () => {
                  await contents.copy(e.path, this.folder);
                  await this.refresh();
                }),
            )
          : null,
        /\.(npz|npy|safetensors)$/.test(e.name)
          ? el(
              'a.link',
              { href: tsneUrl(e.path), target: '_blank', rel: 'noopener', 'aria-label': `Lay out ${e.name} by t-SNE` },
              't-SNE',
            )
          : null,
        e.type !== 'directory' ? this.downloadLink(e) : null,
        action('Rename', () => void this.rename(e)),
        action('Delete', () => void this.remove(e)),
      ),
    );
  }

  private downloadLink(e: FileModel): HTMLElement {
    const label = `Download ${e.name}`;
    if (!isSite) return el('a.link', { href: fileUrl(e.path), download: e.name, 'aria-label': label }, 'Download');
    // What this browser has changed has no address.
    const fetchIt = () =>
      guarded(this.banners, label, async () => {
        download(e.name, 'application/octet-stream', await (await files()).read(e.path));
      });
    return el('button.link', { type: 'button', 'aria-label': label, click: () => void fetchIt() }, 'Download');
  }

  private async create(type: FileModel['type']): Promise<void> {
    await guarded(this.banners, 'New', async () => {
      const made = await contents.create(this.folder, type, type === 'file' ? '.txt' : undefined);
      if (type === 'notebook') open(notebookUrl(made.path), '_blank', 'noopener');
      else await this.rename(made);
      await this.refresh();
    });
  }

  private async rename(e: FileModel): Promise<void> {
    const name = await askText('Rename', 'Name', e.name, 'Rename');
    if (!name || name === e.name) return;
    await guarded(this.banners, `Rename ${e.name}`, async () => {
      await contents.rename(e.path, [this.folder, name].filter(Boolean).join('/'));
      const session = this.running.get(e.path);
      if (session)
        await SessionAPI.updateSession(
          { id: session.id, path: [this.folder, name].filter(Boolean).join('/') },
          settings,
        );
      await this.refresh();
    });
  }

  private async remove(e: FileModel): Promise<void> {
    const sure = await ask(
      `Delete ${e.name}?`,
      [e.type === 'directory' ? 'The folder is deleted with everything in it.' : 'The file is deleted.'],
      [
        { label: 'Cancel', value: false },
        { label: 'Delete', value: true, danger: true },
      ],
    );
    if (!sure) return;
    await guarded(this.banners, `Delete ${e.name}`, async () => {
      await contents.remove(e.path);
      await this.refresh();
    });
  }

  private async shutdown(session: Session.IModel): Promise<void> {
    await guarded(this.banners, 'Shut down', async () => {
      await SessionAPI.shutdownSession(session.id, settings).catch(() =>
        KernelAPI.shutdownKernel(session.kernel!.id, settings),
      );
      await this.refresh();
    });
  }

  private async upload(files: File[]): Promise<void> {
    for (const file of files) {
      await guarded(this.banners, `Upload ${file.name}`, async () => {
        if (file.size > maxUpload)
          throw new Error(`It has ${bytes(file.size)}; at most ${bytes(maxUpload)} go this way.`);
        if (this.entries.some((e) => e.name === file.name)) {
          const over = await ask(
            `Replace ${file.name}?`,
            ['A file of this name is here already.'],
            [
              { label: 'Cancel', value: false },
              { label: 'Replace', value: true, danger: true },
            ],
          );
          if (!over) return;
        }
        const content = await base64(file);
        await contents.save([this.folder, file.name].filter(Boolean).join('/'), {
          type: 'file',
          format: 'base64',
          content,
        });
        announce(`${file.name} uploaded`);
      });
    }
    await this.refresh();
  }
}

function base64(file: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(file);
  });
}

const isText = (name: string) =>
  /\.(go|txt|md|toml|json|csv|yaml|yml|py|sh|log|xml|html|css|js|ts|mod|sum)$|^[^.]+$/i.test(name);

export function bytes(n: number | null): string {
  if (n === null) return '';
  if (n < 1024) return `${n} B`;
  return n < 1 << 20 ? `${(n / 1024).toFixed(n < 10240 ? 1 : 0)} KB` : `${(n / (1 << 20)).toFixed(1)} MB`;
}

export function ago(date: string, now = Date.now()): string {
  const s = (now - Date.parse(date)) / 1000;
  if (s < 60) return 'just now';
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  if (s < 86400 * 30) return `${Math.floor(s / 86400)} d ago`;
  return new Date(date).toLocaleDateString();
}
