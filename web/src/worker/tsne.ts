// The worker of the t-SNE page: it fetches the Go program and hands it the page's messages. The program answers itself.
// Where memory can be shared, the program may have others like it compute the same layout.

import type { FromWorker, Job, ToHelper, ToWorker } from '../tsne/messages';
import { loadProgram } from '../site/wasm';
import { sharedBytes, Team } from './team';

/** The worker's global names, with those that the Go program shares with this file. */
interface Scope {
  Go: new () => {
    exit(code: number): void;
    importObject: WebAssembly.Imports;
    run(instance: WebAssembly.Instance): Promise<void>;
  };
  crossOriginIsolated: boolean;
  location: Location;
  nacreDismiss(): void;
  nacrePrograms: number;
  nacreRecruit(job: Job): Promise<Team>;
  nacreJob: Job & { team: Team };
  nacreReceive(message: ToWorker): void;
  onmessage(event: MessageEvent<ToWorker | ToHelper>): void;
  postMessage(message: FromWorker): void;
}

const scope = globalThis as unknown as Scope;
const post = (message: FromWorker) => scope.postMessage(message);

/** Programs that compute a layout at most: each needs memory for all of it, and more have little to do between exchanges. */
const mostPrograms = 4;

let instance: WebAssembly.Instance | null = null;
const memory = () => (instance!.exports.mem as WebAssembly.Memory).buffer as ArrayBuffer;

/** Runs the program to its end and returns what it ended with. */
async function run(exec: string, compiled: Promise<WebAssembly.Module> | WebAssembly.Module): Promise<number> {
  await import(exec);
  const go = new scope.Go();
  let code = 0;
  go.exit = (c: number) => {
    code = c;
  };
  instance = await WebAssembly.instantiate(await compiled, go.importObject);
  await go.run(instance);
  return code;
}

async function load({ folder, exec, program }: Extract<ToWorker, { kind: 'load' }>): Promise<void> {
  const compiled = loadProgram(folder, program, (p) => post({ kind: 'loading', ...p }));
  let helpers: Worker[] = [];
  scope.nacreDismiss = () => {
    for (const h of helpers) h.terminate();
    helpers = [];
  };
  scope.nacrePrograms = scope.crossOriginIsolated ? Math.min(navigator.hardwareConcurrency, mostPrograms) : 1;
  scope.nacreRecruit = async (job: Job): Promise<Team> => {
    const shared = new SharedArrayBuffer(sharedBytes),
      of: number = scope.nacrePrograms,
      module = await compiled;
    // A worker starts only while the one that made it listens.
    await Promise.all(
      Array.from(
        { length: of - 1 },
        (_, i) =>
          new Promise<void>((ready, fail) => {
            const h = new Worker(scope.location.href, { type: 'module' });
            helpers.push(h);
            h.onmessage = () => ready();
            h.onerror = (e) => fail(new Error(e.message || 'a helper did not start'));
            h.postMessage({ kind: 'help', exec, module, shared, rank: i + 1, of, job } satisfies ToHelper);
          }),
      ),
    );
    return new Team(shared, 0, of, memory);
  };
  const code = await run(exec, compiled);
  post({ kind: 'ended', reason: code ? 'The t-SNE program ran out of memory or failed.' : 'The t-SNE program ended.' });
}

async function help({ exec, module, shared, rank, of, job }: ToHelper): Promise<void> {
  const team = new Team(shared, rank, of, memory);
  scope.nacreJob = { ...job, team };
  await run(exec, module).finally(() => team.leave());
}

scope.onmessage = ({ data }: MessageEvent<ToWorker | ToHelper>) => {
  if (data.kind === 'load') load(data).catch((e: Error) => post({ kind: 'ended', reason: e.message }));
  else if (data.kind === 'help') void help(data);
  else scope.nacreReceive(data);
};
