// Builds the front end into dist/, which Go embeds. `node build.mjs --test` bundles and runs the unit tests instead.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mujoco } from './mujoco.mjs';

const common = { bundle: true, sourcemap: false, legalComments: 'none', logLevel: 'warning' };

// The style of exported files is a string in the script, not a part of the page's own style.
const exportStyle = {
  name: 'export-style',
  setup(b) {
    b.onLoad({ filter: /export\.css$/ }, ({ path }) => ({ contents: readFileSync(path, 'utf8'), loader: 'text' }));
  },
};

const target = ['chrome109', 'firefox115', 'safari16.4'];
// Pages by their titles: src/page.html with the script src/NAME.ts. The notebook's is called index.html, and its script main.ts.
const titles = {
  index: 'Nacre',
  runs: 'Runs – Nacre',
  tsne: 't-SNE – Nacre',
  rollout: 'Rollout – Nacre',
  devices: 'GPUs – Nacre',
};
const pages = Object.keys(titles);
// Runs before every page's own script, and without it: it says what keeps that from running.
const first = 'src/fault.ts';
const script = (page) => `src/${page === 'index' ? 'main' : page}.ts`;
// Scripts of workers: each is an entry of its own, since a page names it by address.
const workers = { kernel: 'src/worker/kernel.ts', tsne: 'src/worker/tsne.ts' };

async function page() {
  rmSync('dist/static', { recursive: true, force: true });
  for (const old of readdirSync('dist').filter((f) => f.endsWith('.html'))) rmSync(join('dist', old));
  mkdirSync('dist/static', { recursive: true });
  const define = { MUJOCO: JSON.stringify(await mujoco({ ...common, target })) };
  const result = await build({
    ...common,
    define,
    entryPoints: {
      ...Object.fromEntries(pages.map((p) => [p === 'index' ? 'nacre' : p, script(p)])),
      ...Object.fromEntries(Object.entries(workers).map(([name, file]) => [`${name}-worker`, file])),
    },
    outdir: 'dist/static',
    format: 'esm',
    splitting: true,
    minify: true,
    target,
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    assetNames: '[name]-[hash]',
    // KaTeX's style sheet names each font in three formats; every supported browser reads woff2.
    loader: { '.woff2': 'file', '.woff': 'empty', '.ttf': 'empty' },
    plugins: [exportStyle],
    metafile: true,
  });
  const alone = await build({
    ...common,
    entryPoints: { fault: first },
    outdir: 'dist/static',
    format: 'iife', // it imports nothing, so nothing that fails to load keeps it from running
    minify: true,
    target,
    entryNames: '[name]-[hash]',
    metafile: true,
  });
  const outputs = [result, alone].flatMap((r) => Object.entries(r.metafile.outputs));
  const built = (entry) => {
    const [file, about] = outputs.find(([, o]) => o.entryPoint === entry);
    return { script: file.replace('dist/', ''), style: about.cssBundle?.replace('dist/', '') };
  };
  const html = (page, root) => {
    const { script: js, style } = built(script(page));
    const worker = workers[page] ? `<meta name="nacre-worker" content="${root}${built(workers[page]).script}">\n` : '';
    const values = {
      title: titles[page],
      first: root + built(first).script,
      script: root + js,
      style: root + style,
      worker,
    };
    return readFileSync('src/page.html', 'utf8').replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
  };
  // A server answers these two at several addresses; all others, and those of a static site, are where they are.
  for (const p of pages) writeFileSync(`dist/${p}.html`, html(p, p === 'index' || p === 'runs' ? '/' : './'));
  const site = `<meta name="nacre-site" content="site.json" data-worker="./${built(workers.kernel).script}">`;
  writeFileSync(
    'dist/site.html',
    html('index', './').replace('<meta name="referrer"', site + '\n<meta name="referrer"'),
  );
  writeFileSync('dist/static/frame.html', readFileSync('src/output/frame.html'));
  const bytes = outputs.filter(([f]) => /\.(js|css)$/.test(f)).reduce((n, [, o]) => n + o.bytes, 0);
  console.log(`front end built: ${Math.round(bytes / 1024)} KiB of scripts and styles, ${hashOf('dist/index.html')}`);
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
}

async function test() {
  const out = join(tmpdir(), `nacre-web-test-${process.pid}`);
  const tests = readdirSync('test')
    .filter((f) => f.endsWith('.test.ts'))
    .map((f) => join('test', f));
  await build({
    ...common,
    entryPoints: tests,
    outdir: out,
    format: 'esm',
    platform: 'node',
    outExtension: { '.js': '.mjs' },
    // What every browser has and Node 18 hides behind a module.
    banner: { js: "import { webcrypto } from 'node:crypto'; globalThis.crypto ??= webcrypto;" },
  });
  const files = readdirSync(out)
    .filter((f) => f.endsWith('.mjs'))
    .map((f) => join(out, f));
  const run = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...files], { encoding: 'utf8' });
  // Node 18's short report names no test that fails.
  console.log(run.status === 0 ? run.stdout.match(/^.*pass \d+$/m)?.[0] : run.stdout + run.stderr);
  rmSync(out, { recursive: true, force: true });
  process.exit(run.status ?? 1);
}

await (process.argv.includes('--test') ? test() : page());
