// MuJoCo for the Go program of a kernel's worker: what the site has of it, fetched when a family first needs it.

import type { FromWorker } from '../site/kernels';
import { loadProgram } from '../site/wasm';
import type { Physics, SceneFile } from './physics';

/** What `nacre site` says about the scenes: the packed bytes of every file, and the files that each scene needs, itself first. */
interface Scenes {
  bytes: Record<string, number>;
  scenes: Record<string, string[]>;
}

/** What the Go program finds as nacreMuJoCo (sim/mujoco/load_js.go). */
interface Offer {
  version: string;
  hasScenes: boolean;
  /** Fetches and starts MuJoCo, once. */
  start(): Promise<Physics>;
  /** Fetches the files of a scene. */
  scene(name: string): Promise<SceneFile[]>;
  /** Shows a sentence on the page. */
  say(text: string): void;
}

/** The offer of a site at base, or undefined where the front end was built without MuJoCo. */
export function physics(base: string, list: string | null, post: (m: FromWorker) => void): Offer | undefined {
  if (!MUJOCO) return undefined;
  const { physics: script, wasm, bytes, version } = MUJOCO;
  let scenes: Scenes | undefined;
  return {
    version,
    hasScenes: list !== null,
    async start() {
      const folder = new URL('.', import.meta.url).href;
      const file = wasm.replace(/\.gz$/, '');
      const program = loadProgram(folder, { file, bytes: 0, gz: bytes, br: 0 }, (p) =>
        post({ kind: 'loading', what: 'MuJoCo', ...p }),
      );
      try {
        const { Physics: made } = (await import(folder + script)) as typeof import('./physics');
        return await made.open(await program);
      } finally {
        post({ kind: 'loaded' });
      }
    },
    async scene(name) {
      const all = (scenes ??= (await (await fetched(base + list!)).json()) as Scenes);
      const paths = all.scenes[name];
      if (!paths) throw new Error(`the site has no scene ${name}`);
      const total = paths.reduce((n, p) => n + all.bytes[p]!, 0);
      let loaded = 0;
      const one = async (path: string): Promise<SceneFile> => {
        const bytes = await unpacked(await fetched(base + list!.replace(/[^/]*$/, '') + path + '.gz'));
        loaded += all.bytes[path]!;
        post({ kind: 'loading', what: `the scene ${name.replace(/^.*\/|\.xml$/g, '')}`, loaded, total, cached: false });
        return { path: '/scenes/' + path, bytes };
      };
      try {
        return await Promise.all(paths.map(one));
      } finally {
        post({ kind: 'loaded' });
      }
    },
    say: (text) => post({ kind: 'notice', text }),
  };
}

async function fetched(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response;
}

/** The content of a gzip file; some hosts unpack it on the way. */
async function unpacked(response: Response): Promise<Uint8Array> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer(),
  );
}
