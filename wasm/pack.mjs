// Packs programs for the browser: `node pack.mjs FOLDER WASM_EXEC PROGRAM.wasm...` writes each as NAME-HASH.wasm.br and
// .gz, Go's support script beside them, and manifest.json. What is there already is not packed again.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [folder, exec, ...programs] = process.argv.slice(2);
const fast = process.env.NACRE_WASM_FAST === '1';
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 12);
const keep = new Set(['manifest.json']);
const write = (name, make) => {
  const path = join(folder, name);
  if (!existsSync(path)) writeFileSync(path, make());
  keep.add(name);
  return statSync(path).size;
};

const support = readFileSync(exec);
const manifest = { exec: `wasm_exec-${hash(support)}.js`, programs: {} };
write(manifest.exec, () => support);
for (const path of programs) {
  const bytes = readFileSync(path);
  const name = basename(path, '.wasm');
  // A quickly packed file must not be taken for a well packed one.
  const file = `${name}-${hash(Buffer.concat([bytes, Buffer.from(fast ? 'fast' : '')]))}.wasm`;
  const quality = { [constants.BROTLI_PARAM_QUALITY]: fast ? 5 : 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const gz = write(file + '.gz', () => gzipSync(bytes, { level: fast ? 6 : 9 }));
  const br = write(file + '.br', () => brotliCompressSync(bytes, { params: quality }));
  manifest.programs[name] = { file, bytes: bytes.length, gz, br };
  console.log(`${name}: ${mb(bytes.length)} MB, gzip ${mb(gz)}, brotli ${mb(br)}`);
}
writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 1) + '\n');
for (const old of readdirSync(folder)) if (!keep.has(old)) rmSync(join(folder, old));

function mb(n) { return (n / 1e6).toFixed(2); }
