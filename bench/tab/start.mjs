// Starts the kernel for the browser in Node until it takes messages: `node start.mjs WASM_EXEC KERNEL.wasm` prints the
// milliseconds by the clock and of the process's processor time, compiling included, and the program's memory. The .wasm
// is what bin/wasm has packed: `gunzip -c bin/wasm/kernel-*.wasm.gz`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const [script, program] = process.argv.slice(2);
const bytes = readFileSync(program);
Object.assign(globalThis, { require, fs: require('node:fs'), path: require('node:path') });
require(require('node:path').resolve(script));
const go = new globalThis.Go();
go.env = { GOGC: 'off', TMPDIR: '/tmp', HOME: '/tmp' }; // as web/src/worker/kernel.ts
let instance;
const start = performance.now(), used = process.cpuUsage();
globalThis.nacreSend = () => {};
globalThis.nacreReady = () => {
  const u = process.cpuUsage(used);
  console.log(JSON.stringify({ wall_ms: performance.now() - start, cpu_ms: (u.user + u.system) / 1e3, memory_mb: instance.exports.mem.buffer.byteLength / 1e6 }));
  process.exit(0);
};
instance = await WebAssembly.instantiate(await WebAssembly.compile(bytes), go.importObject);
await go.run(instance);
