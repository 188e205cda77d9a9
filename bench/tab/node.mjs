// Measures the libraries in Node: `node node.mjs WASM_EXEC PROGRAM.wasm ROUNDS UPDATES` prints lines of JSON: what was found
// before the first round, then one for each call, with seconds by the clock and of the process's processor time.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expected, make } from './programs.mjs';
import { judge, order, repeats, timed } from './turns.mjs';

const require = createRequire(import.meta.url);
const [script, program, rounds, updates] = process.argv.slice(2);
const resources = {
  'nacre': async () => {
    Object.assign(globalThis, { require, fs: require('node:fs'), path: require('node:path') });
    require(script);
    return { go: new globalThis.Go(), bytes: readFileSync(program) };
  },
  'jax-js': async () => ({ module: '@jax-js/jax' }),
  'TensorFlow.js': async () => {
    console.warn = () => {}; // it advertises its native binding
    const tf = require('@tensorflow/tfjs'), wasm = require('@tensorflow/tfjs-backend-wasm');
    return { tf: { ...tf, wasm }, wasmFolder: join(dirname(require.resolve('@tensorflow/tfjs-backend-wasm')), '/') };
  },
};

const made = await make('wasm', updates.split(','), resources), times = repeats.wasm;
console.log(JSON.stringify({ ...(await judge(made, expected())), repeats: times }));
for (let round = 0; round < Number(rounds); round++) {
  for (const [library, what] of order(made, round)) {
    const used = process.cpuUsage(), wall = await timed(made[library], what, times[what]), u = process.cpuUsage(used);
    console.log(JSON.stringify({ library, what, round, wall, cpu: (u.user + u.system) / 1e6 / times[what] }));
  }
}
process.exit(0);
