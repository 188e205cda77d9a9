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
  setup(b) { b.onLoad({ filter: /export\.css$/ }, ({ path }) => ({ contents: readFileSync(path, 'utf8'), loader: 'text' })); },
};

const target = ['chrome109', 'firefox115', 'safari16.4'];
const pages = ['index', 'rollout'];

async function page() {
  rmSync('dist/static', { recursive: true, force: true });
  for (const name of pages) rmSync(`dist/${name}.html`, { force: true });
  mkdirSync('dist/static', { recursive: true });
  const define = { MUJOCO: JSON.stringify(await mujoco({ ...common, target })) };
  const result = await build({
    ...common,
    define,
    entryPoints: { nacre: 'src/main.ts', rollout: 'src/rollout.ts' },
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
  const outputs = Object.entries(result.metafile.outputs);
  // The notebook's pages are at many depths of one server; the page of rollouts may lie in any folder of any.
  for (const [name, entry, root] of [['index', 'src/main.ts', '/'], ['rollout', 'src/rollout.ts', '']]) {
    const [script, about] = outputs.find(([, o]) => o.entryPoint === entry);
    writeFileSync(`dist/${name}.html`, readFileSync(`src/${name}.html`, 'utf8')
      .replaceAll('{{script}}', root + script.replace('dist/', ''))
      .replaceAll('{{style}}', root + about.cssBundle.replace('dist/', '')));
  }
  writeFileSync('dist/static/frame.html', readFileSync('src/output/frame.html'));
  const bytes = outputs.filter(([f]) => /\.(js|css)$/.test(f)).reduce((n, [, o]) => n + o.bytes, 0);
  console.log(`front end built: ${Math.round(bytes / 1024)} KiB of scripts and styles, ${hashOf('dist/index.html')}`);
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
}

async function test() {
  const out = join(tmpdir(), `nacre-web-test-${process.pid}`);
  const tests = readdirSync('test').filter((f) => f.endsWith('.test.ts')).map((f) => join('test', f));
  await build({ ...common, entryPoints: tests, outdir: out, format: 'esm', platform: 'node', outExtension: { '.js': '.mjs' } });
  const files = readdirSync(out).filter((f) => f.endsWith('.mjs')).map((f) => join(out, f));
  const run = spawnSync(process.execPath, ['--test', '--test-reporter=dot', ...files], { stdio: 'inherit' });
  rmSync(out, { recursive: true, force: true });
  process.exit(run.status ?? 1);
}

await (process.argv.includes('--test') ? test() : page());
