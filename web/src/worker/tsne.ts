// The worker of the t-SNE page: it fetches the Go program and hands it the page's messages. The program answers itself.

import type { FromWorker, ToWorker } from '../tsne/messages';
import { loadProgram } from '../site/wasm';

const scope = globalThis as any;
const post = (message: FromWorker) => scope.postMessage(message);

async function load({ folder, exec, program }: Extract<ToWorker, { kind: 'load' }>): Promise<void> {
  const compiled = loadProgram(folder, program, (p) => post({ kind: 'loading', ...p }));
  await import(exec);
  const go = new scope.Go();
  let code = 0;
  go.exit = (c: number) => { code = c; };
  await go.run(await WebAssembly.instantiate(await compiled, go.importObject));
  post({ kind: 'ended', reason: code ? 'The t-SNE program ran out of memory or failed.' : 'The t-SNE program ended.' });
}

scope.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'load') load(data).catch((e: Error) => post({ kind: 'ended', reason: e.message }));
  else scope.nacreReceive(data);
};
