// Lays points out with wasm-bhtsne, for nacre bench tsne.
//
//   node peer.mjs MODULES N D IN OUT
//
// MODULES is the node_modules folder with the library, IN and OUT are N×D and N×2 float64 values, row by row. One line
// of JSON goes to standard output. The library takes rows of numbers; its perplexity search wants data of moderate
// scale, so the data is divided by its largest value.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, rows, columns, source, target] = process.argv.slice(2);
const [n, d] = [Number(rows), Number(columns)];
const home = `${modules}/wasm-bhtsne`;
// The library's helper for threads, which are not used, listens to a worker's messages.
globalThis.self ??= globalThis;
globalThis.addEventListener ??= () => {};
const library = await import(pathToFileURL(`${home}/wasm_bhtsne.js`));
await library.default({ module_or_path: readFileSync(`${home}/wasm_bhtsne_bg.wasm`) });

const bytes = readFileSync(source);
const x = new Float64Array(bytes.buffer, bytes.byteOffset, n * d);
const largest = x.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
const data = Array.from({ length: n }, (_, i) => Array.from(x.subarray(i * d, (i + 1) * d), (v) => v / largest));

const iterations = 1000;
const wall = performance.now();
const cpu = process.cpuUsage();
const tsne = new library.bhtSNEf32(data, { perplexity: 30, learning_rate: Math.max(n / 12, 200) });
const y = tsne.step(iterations);
const used = process.cpuUsage(cpu);
const seconds = (performance.now() - wall) / 1000;

const flat = new Float64Array(2 * n);
for (let i = 0; i < n; i++) flat.set(Array.isArray(y[0]) || ArrayBuffer.isView(y[0]) ? y[i] : [y[2 * i], y[2 * i + 1]], 2 * i);
writeFileSync(target, new Uint8Array(flat.buffer));
const { version } = JSON.parse(readFileSync(`${home}/package.json`));
console.log(JSON.stringify({ version, iterations, wall_s: seconds, cpu_s: (used.user + used.system) / 1e6 }));
process.exit(0);
