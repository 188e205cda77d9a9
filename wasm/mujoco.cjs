// MuJoCo for Go programs that run in Node, as web/src/worker/scenes.ts offers it in a page: the front end's build of it, and
// Meta-World's scenes from the user's cache. `node --require wasm/mujoco.cjs …`.
const { existsSync, readFileSync, readdirSync } = require('node:fs');
const { homedir } = require('node:os');
const { join } = require('node:path').posix;
const { gunzipSync } = require('node:zlib');

const dist = join(__dirname, '../web/dist/static');
const built = (pattern) => existsSync(dist) && readdirSync(dist).find((name) => pattern.test(name));
const script = built(/^physics-\w+\.js$/), program = built(/^mujoco-\w+\.wasm\.gz$/);
const cache = process.env.NACRE_HOME ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'nacre');
const worlds = existsSync(cache) && readdirSync(cache).find((name) => name.startsWith('metaworld-'));
const assets = worlds && join(cache, worlds, 'assets');

/** A model file and what it names, from the folder of the first. */
function files(path, from = join(path, '..'), known = new Map()) {
  if (known.has(path)) return known;
  known.set(path, readFileSync(join(assets, path)));
  if (!path.endsWith('.xml')) return known;
  const text = known.get(path).toString().replace(/<!--[\s\S]*?-->/g, '');
  for (const [, name] of text.matchAll(/\bfile="([^"]*)"/g)) files(join(from, name), from, known);
  return known;
}

if (script && program) {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../web/node_modules/@mujoco/mujoco/package.json'), 'utf8'));
  globalThis.nacreMuJoCo = {
    version,
    hasScenes: Boolean(assets),
    async start() {
      const { Physics } = await import('file://' + join(dist, script));
      return Physics.open(await WebAssembly.compile(gunzipSync(readFileSync(join(dist, program)))));
    },
    scene: async (name) => [...files(name)].map(([path, bytes]) => ({ path: '/scenes/' + path, bytes: new Uint8Array(bytes) })),
    say: (text) => console.error(text),
  };
}
