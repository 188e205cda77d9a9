// The worker of one kernel: it fetches the Go program, gives it a file system and carries its messages.

import { SiteFiles } from '../site/files';
import type { FromWorker, ToWorker } from '../site/kernels';
import { loadProgram } from '../site/wasm';
import { MemFS, type Source } from './memfs';
import { physics } from './scenes';

interface GoProgram {
  argv: string[];
  env: Record<string, string>;
  exit: (code: number) => void;
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** The worker's global names, with those that the Go program and its loader share with this file. */
interface Scope {
  Go: new () => GoProgram;
  nacreMuJoCo: unknown;
  nacreSend(frame: Uint8Array<ArrayBuffer>): void;
  nacreReady(): void;
  nacreReceive(frame: Uint8Array): void;
  nacreInterrupt(): void;
  onmessage(event: MessageEvent<ToWorker>): void;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

const scope = globalThis as unknown as Scope;
const post = (message: FromWorker, transfer: Transferable[] = []) => scope.postMessage(message, transfer);

/** Where the site's files are for the program. */
const root = '/notebooks';

let printed = ''; // the last of what the program wrote to its standard error

function print(fd: number, bytes: Uint8Array): void {
  const text = new TextDecoder().decode(bytes);
  if (fd === 2) printed = (printed + text).slice(-20_000);
  console.log(text.replace(/\n$/, ''));
}

function sourceOf(files: SiteFiles): Source {
  const inside = (path: string) =>
    path === root ? '' : path.startsWith(root + '/') ? path.slice(root.length + 1) : null;
  return {
    look(path) {
      const p = inside(path);
      if (p === null) return null;
      const entry = p ? files.get(p) : null;
      if (entry) return entry;
      const names = new Set<string>();
      for (const e of files.list())
        if (!p || e.path.startsWith(p + '/')) names.add(e.path.slice(p ? p.length + 1 : 0).split('/')[0]!);
      return names.size || !p ? { names: [...names].filter((n) => !n.startsWith('.')) } : null;
    },
    async read(path) {
      // Saved since this kernel started, perhaps in another tab.
      await files.refresh();
      return (await files.read(inside(path)!)).slice();
    },
  };
}

async function start({ base, folder, about }: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
  const files = await SiteFiles.open(base, about.files);
  const fs = new MemFS(folder ? `${root}/${folder}` : root, sourceOf(files), print);
  Object.assign(scope, { fs, process: fs.process, path: fs.path });
  const compiled = loadProgram(base + about.wasm, about.kernel!, (p) =>
    post({ kind: 'loading', what: 'the Go kernel', ...p }),
  );
  scope.nacreMuJoCo = physics(base, about.scenes, post);
  await import(base + about.exec);
  const go: GoProgram = new scope.Go();
  go.env = {
    GOGC: 'off',
    TMPDIR: '/tmp',
    HOME: '/home',
    PWD: fs.process.cwd(),
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  let code = 0;
  go.exit = (c) => {
    code = c;
  };
  scope.nacreSend = (frame: Uint8Array<ArrayBuffer>) => post({ kind: 'message', frame }, [frame.buffer]);
  scope.nacreReady = () => post({ kind: 'ready' });
  await go.run(await WebAssembly.instantiate(await compiled, go.importObject));
  post({ kind: 'ended', reason: code ? ending() : '' });
}

/** Why the program ended, from what it printed last. */
function ending(): string {
  const line = printed.split('\n').find((l) => /^(fatal error|panic|runtime): /.test(l));
  return line ?? 'it stopped';
}

scope.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'start') start(data).catch((e: Error) => post({ kind: 'ended', reason: e.message }));
  else if (data.kind === 'message') scope.nacreReceive(data.frame);
  else scope.nacreInterrupt();
};
